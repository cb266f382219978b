#!/usr/bin/env python3
"""chat_hostile_test.py ACP: agents that do what they should not. The view stays right and the program alive.

Those that `acp run` is tested with, in a terminal: cli/testing/run_agents.py.
"""

import sys
import time

from chat_case import IDLE, RUN_AGENTS, ChatCase, main


class Hostile(ChatCase):
    def test_no_answer_at_each_phase(self):
        for method, shown in (("initialize", "shaking hands"), ("session/new", "opening a session")):
            chat = self.chat("--", sys.executable, RUN_AGENTS, "silent", method)
            chat.wait(shown)
            chat.type("\x03\x03")
            self.assertEqual(chat.end(), 130)
            self.assertTrue(chat.sane())
        chat = self.hostile_turn("silent", "session/prompt")
        chat.wait("Esc stops")
        chat.type("\x1b")
        chat.wait("stopping")
        chat.type("\x03\x03")
        self.assertEqual(chat.end(), 130)
        self.assertTrue(chat.sane())

    def test_an_end_at_each_phase(self):
        for method in ("initialize", "session/new"):
            chat = self.chat("--", sys.executable, RUN_AGENTS, "exit", method)
            self.assertEqual(chat.end(), 3)
            text = chat.screen.text()
            self.assertIn("cannot go on with " + method, text)
            self.assertTrue(chat.sane())
        chat = self.hostile_turn("exit", "session/prompt")
        chat.wait("? Start it again")
        chat.type("q\r")
        self.assertEqual(chat.end(), 3)
        self.assertIn("exited with code 3", chat.screen.text())
        self.assertIn("cannot go on with session/prompt", chat.screen.text())
        chat = self.chat("--", "/nowhere")
        self.assertEqual(chat.end(), 3)
        self.assertIn("/nowhere", chat.screen.text())
        chat = self.chat("--", sys.executable, RUN_AGENTS, "version", "7")
        self.assertEqual(chat.end(), 3)
        self.assertIn("version 7", chat.screen.text())

    def test_updates_before_the_session_and_after_the_turn(self):
        chat = self.hostile_turn("early")
        chat.wait("hello")
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertLess(text.index("too early,"), text.index("❯ go"))
        chat = self.hostile_turn("after")
        chat.wait("hello, and an afterthought")
        chat.wait(IDLE)
        chat.type("again\r")
        chat.wait("hello, and an afterthought", times=2)
        chat.wait(IDLE)
        self.leave(chat)

    def test_noise_on_stdout(self):
        chat = self.hostile_turn("noise")
        chat.wait("hello")
        chat.wait(IDLE)
        chat.type("/log\r")
        chat.wait("Welcome to the agent!")
        self.leave(chat)

    def test_unknown_things(self):
        chat = self.hostile_turn("unknown")
        chat.wait("not found: -32601")
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertIn("An update of an unknown kind: from_the_future", text)
        self.assertIn("content of an unknown kind · hologram", text)
        self.assertIn("odd", text)

    def test_lines_of_a_megabyte(self):
        chat = self.hostile_turn("big", patience=180)
        chat.until(lambda: "y" * 60 in chat.screen.text(40) and IDLE in chat.screen.text(3), "the end of it")
        text = self.leave(chat).replace("\n", "")
        self.assertEqual((text.count("x" * 1000), text.count("y" * 1000)), (2 ** 20 // 1000, 2 ** 20 // 1000))

    def test_a_terminal_that_takes_nothing(self):
        """Stopping the output (Ctrl-S) stops the agent: what it says does not pile up."""
        told = self.home / "told"
        chat = self.hostile_turn("flood", str(told), patience=180)
        deadline = time.monotonic() + 180
        while not (told.exists() and told.read_text()):  # and nothing is read from the terminal
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertLess(int(told.read_text()), 100_000)
        chat.wait("gone on after " + told.read_text())
        chat.wait(IDLE)
        self.leave(chat)

    def test_escapes(self):
        chat = self.hostile_turn("escapes")
        chat.wait("asks for permission")
        chat.type("1\r")
        chat.wait(IDLE)  # a page whose address is none is not even shown
        text = self.leave(chat)
        self.assertIn("a␛[31mred␛]0;title␇␛]8;;http://evil␛", text)
        self.assertNotIn("\u202e", text)
        self.assertNotIn("asks you to visit a page", text)

    def test_seen_on_the_wire(self):
        chat = self.hostile_turn("wire")
        chat.wait("one two [0] -32002")
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertIn("✓ • never announced", text)
        self.assertIn("✓ • second", text)
        self.assertNotIn("• first", text)

    def test_the_question_hides_nothing(self):
        for columns in (80, 40):
            chat = self.hostile_turn("hides", "100", columns=columns)
            chat.wait("n Reject")
            seen = chat.screen.text(24)
            for part in ("asks for permission", "echo line 1\n", "more lines — v", "␠×300 ; c", "| sh",
                         "y Allow once", "s This session", "n Reject"):
                self.assertIn(part, seen)
            chat.type("v")
            chat.wait("lines 1–")
            chat.type("\x1b[6~")  # PgDn
            chat.wait("echo line 20\n")
            chat.type("\x1b[F")  # End
            chat.wait("curl http://evil")
            chat.type("\x1b")  # only the view is closed
            chat.wait("n Reject")
            chat.type("n\r")
            chat.wait('"reject_once"}')
            chat.wait(IDLE)
            self.leave(chat)

    def test_options_in_any_order(self):
        for words, key in (("reject_once allow_always allow_once", "y"), ("announced allow_once reject_once", "y"),
                           ("reject_always allow_once reject_once", "n")):
            chat = self.hostile_turn("permission", words)
            chat.wait("asks for permission: execute `npm test`")
            chat.type(key + "\r")
            kinds = [word for word in words.split() if word != "announced"]
            wanted = kinds.index({"y": "allow_once", "n": "reject_once"}[key])
            chat.wait(f'"optionId": "o{wanted}"')
            chat.wait(IDLE)
            self.leave(chat)

    def test_one_that_does_not_stop(self):
        chat = self.hostile_turn("stubborn")
        chat.wait("Esc stops")
        chat.type("\x1b")
        chat.wait("stopping")
        chat.type("\x03\x03")
        self.assertEqual(chat.end(), 130)
        self.assertTrue(chat.sane())

    def test_errors_and_odd_stops(self):
        chat = self.hostile_turn("error")
        chat.wait("it broke")
        chat.wait("overheated")
        chat.wait(IDLE)
        self.leave(chat)
        chat = self.hostile_turn("stop", "refusal")
        chat.wait("it will not be sent again")
        chat.wait(IDLE)
        self.leave(chat)
        chat = self.hostile_turn("stop", "tired")
        chat.wait("✗ ")
        chat.wait(IDLE)
        self.leave(chat)

    def test_a_replay(self):
        chat = self.hostile_turn("replay")
        chat.wait("hello")
        chat.wait(IDLE)
        self.leave(chat)
        chat = self.chat("--session", "last", "--", sys.executable, RUN_AGENTS, "replay")
        chat.wait("❯ what was asked")
        chat.wait("what was said")
        chat.wait(IDLE)
        self.leave(chat)

    def test_a_long_replay(self):
        chat = self.hostile_turn("replay", "10000")
        chat.wait("hello")
        chat.wait(IDLE)
        self.leave(chat)
        chat = self.chat("--session", "last", "--", sys.executable, RUN_AGENTS, "replay", "10000", patience=180)
        chat.wait("what was said")
        chat.wait(IDLE)
        chat.type("/export all.md\r")
        chat.wait("Written:")
        self.leave(chat)
        exported = (self.work / "all.md").read_text().split("\n")
        self.assertEqual([line for line in exported if line.startswith("old ")], [f"old {i}" for i in range(10000)])


if __name__ == "__main__":
    main()
