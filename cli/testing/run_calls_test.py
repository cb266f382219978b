"""What an agent asks `acp run` to carry out, whether it asked before or not: run_calls_test.py ACP ECHO_AGENT"""

import json
import os
import sys
import unittest

from run_place import Place, hostile

DENIED = "-32003"


class Calls(Place):
    def steps(self, *steps, policy=None, code=0):
        """What the agent says of its steps, one after the other."""
        words = ["--policy", policy] if policy else []
        self.done = self.run_it("x", *words, *hostile("steps", json.dumps(steps)), code=code)
        return self.done.stdout.split("\n")[:-1]

    def at(self, name):
        return os.path.join(self.project, name)

    def question(self, kind="execute", title="Do it", **more):
        return ["ask", {"toolCallId": "c", "title": title, "kind": kind, **more}]

    def test_deny_carries_out_nothing_but_reads(self):
        self.write("project/a.txt", "one\n")
        said = self.steps(["read", self.at("a.txt")], ["write", self.at("b.txt")], ["run", "touch c.txt"], policy="deny",
                          code=4)
        self.assertEqual(said, ["read: done", "write: " + DENIED, "run: " + DENIED])
        self.assertEqual(os.listdir(self.project), ["a.txt"])
        self.assertIn("[denied] run `touch c.txt` in %s, by --policy deny; the agent did not ask" % self.project,
                      self.done.stderr)
        self.assertIn("[denied] write %s" % self.at("b.txt"), self.done.stderr)

    def test_allow_carries_out_and_reports(self):
        said = self.steps(["write", self.at("b.txt")], ["run", "touch c.txt"], policy="allow")
        self.assertEqual(said, ["write: done", "run: done"])
        self.assertEqual(sorted(os.listdir(self.project)), ["b.txt", "c.txt"])
        self.assertIn("[allowed] run `touch c.txt`", self.done.stderr)

    def test_rules_of_a_file_decide(self):
        rules = self.write("rules.toml", "[[rule]]\ndecision = 'allow'\nkind = 'execute'\ncommand = 'touch *'\n"
                           "[[rule]]\ndecision = 'reject'\npath = '**/.env'\n")
        self.write("project/.env", "KEY=1\n")
        os.symlink(".env", self.at("notes.txt"))
        said = self.steps(["run", "touch c.txt"], ["run", "touch d.txt; id"], ["write", self.at("e")],
                          ["read", self.at(".env")], ["read", self.at("notes.txt")], policy=rules, code=4)
        self.assertEqual(said, ["run: done"] + [what + ": " + DENIED for what in ("run", "write", "read", "read")])
        self.assertEqual(sorted(os.listdir(self.project)), [".env", "c.txt", "notes.txt"])

    def test_the_users_own_rules_that_reject_hold_with_each_word(self):
        self.write(".config/acp/policy.toml", "[[rule]]\ndecision = 'reject'\ncommand = '*curl*'\n"
                   "[[rule]]\ndecision = 'allow'\ncommand = 'touch *'\n")
        said = self.steps(["run", "true; curl x"], self.question(rawInput={"command": "curl x"}), policy="allow")
        self.assertEqual(said, ["run: " + DENIED, "asked: o1"])
        # A decision, not a missing one: the exit code is that of the turn. What they allow is not asked of run.
        self.assertEqual(self.steps(["run", "touch a"], code=4), ["run: " + DENIED])

    def test_a_file_of_rules_that_cannot_be_read_is_an_error(self):
        self.write(".config/acp/policy.toml", "[[rule]]\ndecision = 'perhaps'\n")
        self.assertIn("policy.toml:2", self.run_it("x", *hostile("steps", "[]"), code=2).stderr)

    def test_what_was_rejected_is_not_carried_out_though_it_is_sent(self):
        rules = self.write("rules.toml", "[[rule]]\ndecision = 'reject'\nkind = 'execute'\ntool = 'shell'\n"
                           "[[rule]]\ndecision = 'reject'\nkind = 'edit'\ntool = 'writer'\n"
                           "[[rule]]\ndecision = 'allow'\n")
        ask = self.question(name="shell", rawInput={"command": "touch 'a b'"})
        said = self.steps(ask, ["run", 'touch "a b"'], ["run", "sh -c 'touch a\\ b'"], ["run", "touch c"],
                          self.question(kind="edit", name="writer", locations=[{"path": self.at("d")}]),
                          ["write", self.at("d")], policy=rules)
        self.assertEqual(said, ["asked: o1", "run: " + DENIED, "run: " + DENIED, "run: done", "asked: o1",
                                "write: " + DENIED])
        self.assertEqual(os.listdir(self.project), ["c"])

    def test_a_rule_that_allows_does_not_allow_what_is_gits_own(self):
        rules = self.write("rules.toml", "[[rule]]\ndecision = 'allow'\nkind = 'edit'\n")
        os.makedirs(self.at(".git/hooks"))
        hook = self.at(".git/hooks/pre-commit")
        said = self.steps(["write", hook], ["write", self.at("a")],
                          self.question(kind="edit", locations=[{"path": hook}]), policy=rules, code=4)
        self.assertEqual(said, ["write: " + DENIED, "write: done", "asked: o1"])
        self.assertFalse(os.path.exists(hook))

    def test_allow_does_not_allow_what_is_gits_own(self):
        os.makedirs(self.at(".git/hooks"))
        hook = self.at(".git/hooks/pre-commit")
        said = self.steps(["write", hook], self.question(kind="edit", locations=[{"path": hook}]),
                          ["write", self.at(".acp/config.toml")], ["write", self.at("a")], policy="allow", code=4)
        self.assertEqual(said, ["write: " + DENIED, "asked: o1", "write: " + DENIED, "write: done"])
        self.assertFalse(os.path.exists(hook))
        self.assertIn("--policy allow does not allow it, --policy ask asks", self.done.stderr)

    def test_a_rule_for_a_tool_or_a_path_allows_no_other_call(self):
        """The agent chooses names, kinds and locations: they say nothing of what it sends afterwards."""
        rules = self.write("rules.toml", "[[rule]]\ndecision = 'allow'\ntool = 'get_weather'\n"
                           f"[[rule]]\ndecision = 'allow'\npath = '{self.project}/ok/**'\n"
                           "[[rule]]\ndecision = 'allow'\nkind = 'delete'\n")
        weather = self.question(kind="other", name="get_weather", rawInput={"command": "touch a"})
        ok = self.question(locations=[{"path": self.at("ok/a")}], rawInput={"command": "touch b"})
        said = self.steps(weather, ["run", "touch a"], ok, ["run", "touch b"],
                          self.question(kind="delete", locations=[{"path": self.at("c")}]), ["write", self.at("c")],
                          policy=rules, code=4)
        self.assertEqual(said, ["asked: o0", "run: " + DENIED, "asked: o0", "run: " + DENIED,
                                "asked: o0", "write: " + DENIED])
        self.assertEqual(os.listdir(self.project), [])

    def test_variables_and_words_are_a_part_of_the_command(self):
        rules = self.write("rules.toml", "[[rule]]\ndecision = 'allow'\ncommand = 'echo *'\n")
        evil = {"command": "echo hi", "env": [{"name": "PATH", "value": "/tmp/evil"}]}
        said = self.steps(["create", {"command": "echo hi"}], ["create", evil],
                          ["create", {"command": "echo /evil", "args": ["x"]}], policy=rules, code=4)
        self.assertEqual(said, ["create: done", "create: " + DENIED, "create: " + DENIED])
        self.assertIn("[denied] run `PATH=/tmp/evil echo hi`", self.done.stderr)

    def test_our_own_agent_asks_itself(self):
        self.run_it("create a.txt with hello", "--mode", "code")
        self.assertEqual(os.listdir(self.project), ["a.txt"])

    def test_in_json(self):
        events = self.events("x", "--policy", "deny", *hostile("steps", json.dumps([["run", "touch c.txt"]])), code=4)
        call, = (event for event in events if event["event"] == "call")
        self.assertEqual(call, {"event": "call", "kind": "execute", "command": "touch c.txt", "cwd": self.project,
                                "allowed": False, "by": "nobody",
                                "reason": "by --policy deny; the agent did not ask"})


class AtATerminal(Place):
    def test_what_was_not_asked_is_asked_here(self):
        steps = [["run", "touch a"], ["run", "touch b"]]
        out, seen = self.ask([b"1\n", b"\n"], *hostile("steps", json.dumps(steps)))
        self.assertEqual(out.split("\n")[:2], ["run: done", "run: " + DENIED])
        self.assertEqual(os.listdir(self.project), ["a"])
        self.assertIn("touch a", seen)

    def test_what_is_written_is_shown(self):
        there = os.path.join(self.project, "b")
        with open(there, "w") as file:
            file.write("what was there\n")
        _, seen = self.ask([b"\n"], *hostile("steps", json.dumps([["write", there]])))
        self.assertIn("what was there", seen)

    def edit(self, path, old, new):
        return {"toolCallId": "e", "title": "Edit", "kind": "edit",
                "content": [{"type": "diff", "path": path, "oldText": old, "newText": new}]}

    def test_a_write_with_another_content_than_was_shown_is_asked_again(self):
        makefile = os.path.join(self.project, "Makefile")
        with open(makefile, "w") as file:
            file.write("all:\n\ttest\n")
        ask = ["ask", self.edit(makefile, "\ttest\n", "\tbuild\n")]
        out, seen = self.ask([b"y\n", b"n\n"], *hostile("steps", json.dumps(
            [ask, ["write", makefile, "all:\n\tevil\n"], ["write", makefile, "all:\n\tbuild\n"]])))
        self.assertEqual(out.split("\n")[:3], ["asked: o0", "write: " + DENIED, "write: " + DENIED])
        self.assertIn("evil", seen)
        # As it was shown, once.
        out, _ = self.ask([b"y\n", b"n\n"], *hostile("steps", json.dumps(
            [ask, ["write", makefile, "all:\n\tbuild\n"], ["write", makefile, "all:\n\tevil\n"]])))
        self.assertEqual(out.split("\n")[:3], ["asked: o0", "write: done", "write: " + DENIED])
        with open(makefile) as file:
            self.assertEqual(file.read(), "all:\n\tbuild\n")

    def test_what_is_there_is_replaced_only_if_the_question_showed_it(self):
        new = {"toolCallId": "e", "title": "Add", "kind": "edit"}
        for before, shown in ((b"a text that\nnobody saw\n", "nobody saw"), (b"\0\1", "no text. All of it is replaced")):
            there = self.write("project/there", "")
            with open(there, "wb") as file:
                file.write(before)
            ask = ["ask", {**new, "content": [{"type": "diff", "path": there, "newText": "one line\n"}]}]
            out, seen = self.ask([b"y\n", b"n\n"], *hostile("steps", json.dumps([ask, ["write", there, "one line\n"]])))
            self.assertEqual(out.split("\n")[:2], ["asked: o0", "write: " + DENIED])
            self.assertIn(shown, seen)
            with open(there, "rb") as file:
                self.assertEqual(file.read(), before)

    def test_a_part_that_is_there_more_than_once_is_asked_again(self):
        there = self.write("project/there", "one two\none three\n")
        ask = ["ask", self.edit(there, "one", "1")]
        out, seen = self.ask([b"y\n", b"n\n"], *hostile("steps", json.dumps([ask, ["write", there, "1 two\n1 three\n"]])))
        self.assertEqual(out.split("\n")[:2], ["asked: o0", "write: " + DENIED])
        self.assertIn("1 three", seen)

    def test_yes_to_a_write_is_for_that_write(self):
        there = os.path.join(self.project, "a")
        out, _ = self.ask([b"y\n", b"n\n"], *hostile("steps", json.dumps(
            [["write", there, "one"], ["write", there, "two"]])))
        self.assertEqual(out.split("\n")[:2], ["write: done", "write: " + DENIED])

    def test_a_question_without_a_change_is_asked_again_with_it(self):
        there = os.path.join(self.project, "a")
        call = {"toolCallId": "e", "title": "Edit", "kind": "edit", "locations": [{"path": there}]}
        out, seen = self.ask([b"y\n", b"n\n"], *hostile("steps", json.dumps([["ask", call], ["write", there, "evil"]])))
        self.assertEqual(out.split("\n")[:2], ["asked: o0", "write: " + DENIED])
        self.assertIn("evil", seen)

    def test_another_command_than_the_one_that_was_allowed_is_asked_again(self):
        call = {"toolCallId": "c", "title": "List", "kind": "execute", "rawInput": {"command": "ls"}}
        steps = [["ask", call], ["run", "ls"], ["run", "touch a"]]
        out, seen = self.ask([b"1\n", b"\n"], *hostile("steps", json.dumps(steps)))
        self.assertEqual(out.split("\n")[:3], ["asked: o0", "run: done", "run: " + DENIED])
        self.assertEqual(os.listdir(self.project), [])
        self.assertIn("touch a", seen)


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
