#!/usr/bin/env python3
"""chat_order_test.py ACP: what stands where on the screen, which keys answer, and how a session goes on later."""

import re
import shlex
import subprocess

from chat_case import ACP, IDLE, ChatCase, main


class Order(ChatCase):
    def test_what_is_typed_answers_no_question(self):
        chat = self.offline()
        chat.type("create a.txt with text\ryes")
        chat.wait("Tab: answer this")
        self.assertFalse((self.work / "a.txt").exists())
        chat.type("\ty\r")
        chat.wait("✓ ✎ Create a.txt")
        chat.wait("❯ yes")
        chat.type("\x15")
        chat.wait_gone("❯ yes")
        chat.wait(IDLE)
        self.leave(chat)

    def test_typing_answers_no_question(self):
        """A letter only chooses, Enter answers; and if more is typed, it was text."""
        chat = self.offline()
        chat.type("create a.txt with text\r")
        chat.wait("p This project  all edits in ")
        chat.wait("then Enter")
        chat.type("s")
        chat.wait("❯ 2 s This session")
        chat.type("p")  # another one
        chat.wait("❯ 3 p This project")
        chat.type("\x7f")
        chat.wait_gone("❯ 3 p")
        chat.type("p")
        chat.wait("❯ 3 p This project")
        chat.type("aste this")
        chat.wait("❯ paste this")
        chat.wait("Tab: answer this")
        self.assertNotRegex(chat.screen.text(), "❯ [0-9]")
        chat.type("\x15\r")  # the line is empty, and nothing is chosen
        chat.wait("then Enter")
        chat.type("hello\r")  # no letter of an answer
        chat.wait("next: hello")
        chat.wait("number or ↑ ↓, then Enter")  # it is still asked
        chat.type("\x1b[B\r")
        chat.wait("❯ hello")
        chat.wait(IDLE)
        self.leave(chat)
        self.assertFalse((self.home / ".config/acp/policy.toml").exists())

    def test_the_first_line(self):
        chat = self.offline()
        self.assertIn("model: Offline (no network)", chat.screen.text().replace("\n", " "))
        self.assertNotIn("goes on with", self.leave(chat))  # nothing was said

    def test_what_was_done_last_stands_last(self):
        chat = self.offline()
        chat.type("say one\r")
        chat.wait("one Done.")
        chat.wait(IDLE)
        chat.type("/policy\r")
        chat.wait("There are no rules")
        chat.type("say two\r")
        chat.wait("two Done.")
        chat.wait(IDLE)
        text = self.leave(chat)
        places = [text.index(words) for words in ("one Done.", "There are no rules", "❯ say two", "two Done.")]
        self.assertEqual(places, sorted(places))
        self.assertEqual(text.count("one Done."), 1)

    def test_an_answer_goes_on_below_what_was_done(self):
        chat = self.hostile("late")
        chat.wait(IDLE)
        chat.type("go\r")
        chat.wait("half a sen")
        chat.wait(IDLE)
        chat.type("/policy\r")
        chat.wait("There are no rules")
        (self.work / "more").touch()
        chat.wait("tence")
        text = self.leave(chat)
        self.assertLess(text.index("half a sen"), text.index("There are no rules"))
        self.assertLess(text.index("There are no rules"), text.index("tence"))

    def test_the_output_of_tools_is_seen(self):
        (self.work / "notes.txt").write_text("".join(f"note {i}\n" for i in range(1, 10)))
        chat = self.offline()
        chat.type("show notes.txt\r")
        chat.wait("  │ … 3 more lines · /show 1")
        chat.wait(IDLE)
        chat.type("/show 1\r")
        chat.wait("  │ note 8\n  │ note 9\n")
        (self.work / "bad.sh").write_text("seq 10 19; echo a mistake >&2; exit 3")
        chat.type("run sh bad.sh\r")
        chat.wait("asks for permission")
        chat.type("y\r")
        chat.wait("  │ a mistake")
        chat.wait(IDLE)
        chat.type("plan First thing, Second thing\r")
        chat.wait("❯ plan First")
        chat.wait("☐ Second thing")
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertIn("".join(f"  │ note {i}\n" for i in range(1, 7)) + "  │ … 3 more lines", text)
        self.assertIn("more lines · /show 2\n  │ 15\n  │ 16\n  │ 17\n  │ 18\n  │ 19\n  │ a mistake\n  │ exit 3", text)
        self.assertIn("☐ First thing\n☐ Second thing\n", text)

    def way_back(self, chat):
        """The command that a chat has printed at its end: in one piece, to be pasted."""
        return re.search(r"This session goes on with:.*?(acp chat [^\r\n]*)[\r\n]", chat.raw.decode(), re.DOTALL)[1]

    def test_it_goes_on_where_it_was(self):
        chat = self.offline("--cwd", str(self.home))
        chat.type("say hello\r")
        chat.wait("hello Done.")
        chat.wait(IDLE)
        self.leave(chat)
        self.assertRegex(self.way_back(chat), f"^acp chat --session sess_[^ ]+ --cwd {self.home} -- .*acp agent")

    def test_the_way_back_is_to_this_session(self):
        chat = self.offline()
        chat.type("say remember me\r")
        chat.wait("remember me Done.")
        chat.wait(IDLE)
        self.leave(chat)
        way = self.way_back(chat)
        other = self.offline()  # another one in the same directory does not change what it says
        other.type("say I am another\r")
        other.wait("another Done.")
        other.wait(IDLE)
        self.leave(other)
        words = shlex.split(way)
        self.assertEqual(words[:3:2], ["acp", "--session"], way)
        again = self.chat(*words[2:])
        again.wait("remember me Done.")
        again.wait(IDLE)
        self.leave(again)

    def test_exit_codes_without_a_terminal(self):
        for words, code, told in ((["--session", "nosuch"], 1, "cannot be resumed"),
                                  (["--mode", "nosuch"], 2, "acp chat: ")):
            done = subprocess.run([ACP, "chat", *words, "--", ACP, "agent", "--model", "offline"], cwd=self.work,
                                  env=self.env, stdin=subprocess.DEVNULL, text=True, capture_output=True,
                                  timeout=120, check=False)
            self.assertEqual(done.returncode, code, done)
            self.assertIn(told, done.stdout)

    def test_a_session_that_is_not_there(self):
        chat = self.chat("--session", "nosuch", "--", ACP, "agent", "--model", "offline")
        chat.wait("cannot be resumed")
        chat.wait("Begin a new session")
        chat.type("n\r")
        chat.wait(IDLE)
        self.leave(chat)

    def test_sessions(self):
        chat = self.offline()
        chat.type("say remember me\r")
        chat.wait("remember me Done.")
        chat.wait(IDLE)
        self.leave(chat)
        again = self.offline("--session", "last")
        again.wait("remember me Done.")
        again.type("/new\r")
        again.wait("A new session:")
        again.type("/sessions\r")
        again.wait("? Sessions in")
        again.until(lambda: re.search(r"2 say remember me  20\d\d-\d\d-\d\d \d\d:\d\d\n", again.screen.text()),
                    "it and its time; the new one comes first")
        again.type("2\r")
        again.wait("l Load")
        again.type("l\r")
        again.wait("remember me Done.", times=2)
        again.wait(IDLE)
        self.leave(again)

    # ---- a session that is open elsewhere

    def open_elsewhere(self):
        """A chat that wants the session of another one, which is open."""
        first = self.offline()
        first.type("say remember me\r")
        first.wait("remember me Done.")
        first.wait(IDLE)
        second = self.chat("--resume", "--", ACP, "agent", "--model", "offline")
        second.wait("1 say remember me")
        second.type("1\r")
        second.wait("in use by another process")
        second.wait("? What now")
        return first, second

    def test_a_session_that_is_open_elsewhere_is_forked(self):
        first, second = self.open_elsewhere()
        second.wait("f Fork: go on with a copy")
        second.type("f\r")
        second.wait(IDLE)
        second.type("say this is the copy\r")
        second.wait("the copy Done.")
        second.wait(IDLE)
        self.leave(second)
        self.leave(first)

    def test_another_one_is_chosen(self):
        first, second = self.open_elsewhere()
        second.wait("s Choose another session")
        second.type("s\r")
        second.wait("n A new session")
        second.type("n\r")
        second.wait(IDLE)
        self.leave(second)
        self.leave(first)

    def test_without_a_session_nothing_waits_for_one(self):
        first, second = self.open_elsewhere()
        second.type("hello there\r")
        second.wait("Not sent: no session is open")
        second.type("/mode\r")
        second.wait("No session is open: /sessions lists them, /new begins one")
        second.type("/sessions\r")
        second.wait("? Sessions in", times=1)
        second.wait_gone("? What now")
        second.type("1\r")
        second.wait("? Session say remember me")
        second.type("\x1b")
        second.wait_gone("? Session say remember me")
        second.type("/new\r")
        second.wait(IDLE)
        self.assertNotIn("❯ hello there", self.leave(second))
        self.leave(first)


if __name__ == "__main__":
    main()
