#!/usr/bin/env python3
"""chat_rules_test.py ACP: what an answer in acp chat means later, and what is carried out without one."""

import json

from chat_case import IDLE, ChatCase, main

ALWAYS = ["allow_once", "allow_always", "reject_once"]


def question(title, kind="execute", **more):
    return ["ask", {"toolCallId": title, "title": title, "kind": kind, **more}, *ALWAYS]


class Rules(ChatCase):
    def steps(self, *steps):
        return self.hostile_turn("steps", json.dumps(steps))

    def policy_file(self):
        return self.home / ".config/acp/policy.toml"

    def policy(self, text):
        file = self.policy_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o600)

    def test_always_for_a_question_without_a_command_allows_no_other(self):
        chat = self.steps(question("ls"), question("rm -rf ~"))
        chat.wait("execute: ls")
        self.assertNotIn("This session", chat.screen.text())
        chat.type("a\r")
        chat.wait("execute: rm -rf ~")
        chat.wait("n Reject")
        chat.type("n\r")
        chat.wait("asked: o2")
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertNotIn("Remembered", text)
        self.assertNotIn("by a rule:", text)

    def test_always_for_a_fetch_is_for_its_host(self):
        def fetch(url):
            return question("Fetch", kind="fetch", name="WebFetch", rawInput={"url": url})
        chat = self.steps(fetch("https://good.example/a"), fetch("https://good.example/b"),
                          fetch("https://good.example@evil.example/"))
        chat.wait("asks for permission")
        chat.type("s\r")
        chat.wait("Allowed by a rule")
        chat.wait("asked: o0", times=1)
        chat.wait("asks for permission")
        chat.type("n\r")
        chat.wait("asked: o2")
        chat.wait(IDLE)
        self.leave(chat)

    def test_always_for_a_command_is_for_its_directory(self):
        def build(**more):
            return question("build", rawInput={"command": "sh build.sh", **more})
        chat = self.steps(build(), build(cwd="."), build(cwd="vendor"))
        chat.wait("s This session")
        chat.wait("`sh build.sh` in this directory")
        chat.type("s\r")
        chat.wait("Allowed by a rule")
        chat.wait("asks for permission")
        chat.type("n\r")
        chat.wait("asked: o2")
        chat.wait(IDLE)
        self.leave(chat)

    def test_the_agents_other_answers_stay_reachable(self):
        chat = self.steps(question("build", rawInput={"command": "make"}))
        chat.wait("o Other answers of")
        self.assertNotIn("allow_always", chat.screen.text())
        chat.type("o\r")
        chat.wait("allow_always  (allows from now on)")
        chat.type("\x1b")  # goes back
        chat.wait("y Allow once")
        chat.type("o\r")
        chat.wait("allow_always  (allows from now on)")
        chat.type("2\r")
        chat.wait("asked: o1")
        chat.wait(IDLE)
        self.assertNotIn("Remembered", self.leave(chat))

    def test_a_rejection_with_a_reason(self):
        chat = self.steps(question("build", rawInput={"command": "make"}))
        chat.wait("r Reject and say why")
        chat.type("r\r")
        chat.wait("Rejected. Type why")
        chat.wait("asked: o2")
        chat.wait(IDLE)
        self.leave(chat)

    def test_the_rule_is_told_in_words(self):
        chat = self.steps(question("edit", kind="edit", name="edit", locations=[{"path": str(self.work / "c")}]))
        chat.wait("p This project  all edits in this project, for python3, from now on")
        chat.type("p\r")
        chat.wait("Remembered: allow all edits in this project, for python3 (in")
        chat.wait(IDLE)
        chat.type("/policy\r")
        chat.wait("allow edit of")
        self.assertNotIn("edit with edit", self.leave(chat))

    def test_an_answer_does_not_override_a_rule_that_rejects(self):
        self.policy("[[rule]]\ndecision = 'reject'\npath = '**/.env'\n")

        def edit(name):
            return question(name, kind="edit", locations=[{"path": str(self.work / name)}])
        for key in ("s", "p"):
            chat = self.steps(edit("a"), edit("b"), edit(".env"), ["write", str(self.work / ".env")])
            chat.wait("s This session")
            chat.type(key + "\r")
            chat.wait("Allowed by a rule: edit: b")
            chat.wait("Rejected by a rule: edit: .env")
            chat.wait("write: -32003")
            chat.wait(IDLE)
            self.leave(chat)
            self.assertFalse((self.work / ".env").exists())

    def test_rules_that_reject_hold_for_what_chat_carries_out(self):
        self.policy("[[rule]]\ndecision = 'reject'\npath = '**/.env'\n\n"
                    "[[rule]]\ndecision = 'reject'\ncommand = '*curl*'\n")
        (self.work / ".env").write_text("KEY=1\n")
        (self.work / "notes.txt").symlink_to(".env")
        chat = self.steps(["read", str(self.work / "notes.txt")], ["write", str(self.work / ".env")],
                          ["run", "true; curl x"], ["run", "touch a"])
        chat.wait("run: done")
        chat.wait(IDLE)
        text = self.leave(chat)
        for refused in ("read: -32003", "write: -32003", "run: -32003"):
            self.assertIn(refused, text)
        self.assertIn("Not carried out: run `true; curl x`", text)
        self.assertEqual((self.work / ".env").read_text(), "KEY=1\n")
        self.assertTrue((self.work / "a").exists())

    def test_rules_that_cannot_be_read_let_nothing_through(self):
        self.policy("[[rule]]\ndecision = 'reject'\npath = '**/.env'\n")
        (self.work / ".env").write_text("KEY=1\n")
        # The agent's first command breaks the file.
        chat = self.steps(["run", "echo broken >> %s" % self.policy_file()], ["read", str(self.work / ".env")],
                          ["write", str(self.work / ".env")], ["run", "touch a"])
        chat.wait("run: -32003")
        chat.wait(IDLE)
        text = self.leave(chat)
        for refused in ("read: -32003", "write: -32003", "run: -32003", "the rules cannot be read", "No rule is followed"):
            self.assertIn(refused, text)
        self.assertEqual((self.work / ".env").read_text(), "KEY=1\n")
        self.assertFalse((self.work / "a").exists())

    def test_what_it_carries_out_without_a_question_is_shown(self):
        chat = self.steps(["run", "touch a"], ["write", str(self.work / "b")])
        chat.wait("write: done")
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertIn("Without a question: run `touch a`", text)
        self.assertIn("Without a question: write %s" % (self.work / "b"), text.replace("\n  ", ""))

    def edit(self, old, new):
        return question("edit", kind="edit", content=[
            {"type": "diff", "path": str(self.work / "c"), "oldText": old, "newText": new}])

    def test_a_write_with_another_content_than_was_shown_is_asked(self):
        (self.work / "c").write_text("one\ntwo\n")
        path = str(self.work / "c")
        chat = self.steps(self.edit("one", "1"), ["write", path, "evil\n"], ["write", path, "1\ntwo\n"],
                          self.edit("two", "2"), ["write", path, "1\n2\n"], ["write", path, "3\n"])
        chat.wait("asks for permission")
        chat.type("y\r")
        chat.wait("did not ask for this, and what it asked about was another content")
        chat.wait("evil")
        chat.type("n\r")
        chat.wait("write: -32003", times=2)  # no to a path is no to all that is written there
        chat.wait("asks for permission")
        chat.type("y\r")
        chat.wait("write: -32003", times=3)
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertNotIn("Without a question", text)
        self.assertEqual((self.work / "c").read_text(), "one\ntwo\n")

    def test_a_write_of_the_part_that_was_shown_is_not_asked_again(self):
        (self.work / "c").write_text("one\ntwo\n")
        path = str(self.work / "c")
        chat = self.steps(self.edit("one", "1"), ["write", path, "1\ntwo\n"], ["write", path, "1\nthree\n"])
        chat.wait("asks for permission")
        chat.type("y\r")
        chat.wait("did not ask for this")
        chat.type("y\r")
        chat.wait("write: done", times=2)
        chat.wait(IDLE)
        self.assertNotIn("Without a question", self.leave(chat))
        self.assertEqual((self.work / "c").read_text(), "1\nthree\n")

    def test_a_file_that_is_there_is_not_replaced_as_a_new_one(self):
        (self.work / "c").write_text("a text that nobody saw\n")
        new = question("edit", kind="edit", content=[{"type": "diff", "path": str(self.work / "c"), "newText": "x\n"}])
        chat = self.steps(new, ["write", str(self.work / "c"), "x\n"])
        chat.wait("asks for permission")
        chat.type("y\r")
        chat.wait("did not ask for this, and what it asked about was another content")
        chat.wait("a text that nobody saw")
        chat.type("n\r")
        chat.wait("write: -32003")
        chat.wait(IDLE)
        self.leave(chat)
        self.assertEqual((self.work / "c").read_text(), "a text that nobody saw\n")

    def test_what_is_gits_own_is_asked(self):
        hook = self.work / ".git" / "hooks" / "pre-commit"
        hook.parent.mkdir(parents=True)
        self.policy("[[rule]]\ndecision = 'allow'\nkind = 'edit'\n")
        chat = self.steps(["write", str(hook), "evil"], ["write", str(hook), "evil"],
                          ["write", str(self.work / ".acp/config.toml"), "good"], ["write", str(self.work / "a")])
        chat.wait("did not ask for this, and")
        chat.wait("evil")
        chat.type("n\r")
        chat.wait("write: -32003", times=2)
        chat.wait("good")
        chat.type("y\r")
        chat.wait("write: done", times=2)
        chat.wait(IDLE)
        self.leave(chat)
        self.assertFalse(hook.exists())
        self.assertEqual((self.work / ".acp/config.toml").read_text(), "good")

    def test_a_question_of_ours_ends_with_the_turn(self):
        hook = self.work / ".git" / "hooks" / "pre-commit"
        hook.parent.mkdir(parents=True)
        chat = self.steps(["write", str(hook), "evil"])
        chat.wait("did not ask for this, and")
        chat.type("\x1b")
        chat.wait("write: -32003")
        chat.wait(IDLE)
        self.leave(chat)
        self.assertFalse(hook.exists())

    def test_no_is_no_under_any_kind(self):
        command = {"rawInput": {"command": "touch a"}}
        diff = {"content": [{"type": "diff", "path": str(self.work / "c"), "newText": "x"}]}
        chat = self.steps(question("t", kind="think", **command), ["run", "touch a"],
                          question("r", kind="read", **diff), ["write", str(self.work / "c")])
        for number in (1, 2):
            chat.wait("n Reject")
            chat.type("n\r")
            chat.wait("asked: o2", times=number)
        chat.wait("write: -32003")
        chat.wait(IDLE)
        self.leave(chat)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_what_was_rejected_is_not_carried_out(self):
        chat = self.steps(question("touch", rawInput={"command": "touch a"}), ["run", "touch a"], ["run", "touch b"],
                          question("edit", kind="edit", locations=[{"path": str(self.work / "c")}]),
                          ["write", str(self.work / "c")])
        chat.wait("execute `touch a`")
        chat.type("n\r")
        chat.wait("run: done")
        chat.wait("asks for permission\n")
        chat.type("n\r")
        chat.wait("write: -32003")
        chat.wait(IDLE)
        self.leave(chat)
        self.assertEqual([entry.name for entry in self.work.iterdir()], ["b"])


main()
