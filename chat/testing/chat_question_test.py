#!/usr/bin/env python3
"""chat_question_test.py ACP: what is asked in acp chat, and which keys are an answer."""

import json

from chat_case import ACP, IDLE, ChatCase, main


class Question(ChatCase):
    def test_a_list_of_ones_own_does_not_hide_a_question(self):
        chat = self.hostile("ask later")
        chat.wait(IDLE)
        chat.type("go\r")
        chat.wait("Esc stops")
        chat.type("/model\r")
        chat.wait("? Model")
        chat.wait("Esc closes")
        chat.type("/config\r")  # another list takes its place
        chat.wait("? Options")
        chat.wait_gone("? Model")
        (self.work / "more").touch()
        chat.wait("asks for permission")
        chat.wait_gone("? Options")
        chat.wait("Esc stops")
        chat.type("y\r")
        chat.wait("? Options")  # it is still there
        chat.type("\x1b")
        chat.wait_gone("? Options")
        chat.wait("asked: o")
        chat.wait(IDLE)
        self.leave(chat)

    def asked(self, *names):
        steps = [["ask", {"toolCallId": name, "title": name, "kind": "execute"}] for name in names]
        return self.hostile_turn("steps", json.dumps(steps))

    def test_the_letter_of_an_answer_that_is_not_offered(self):
        chat = self.asked("ls", "pwd")
        chat.wait("execute: ls")
        self.assertNotIn("This session", chat.screen.text())
        chat.type("s\r")
        chat.wait("s is not offered here")
        chat.type("y\r")
        chat.wait("asked: o0")
        chat.wait("execute: pwd")
        chat.type("stop it\r")  # a word is text, from its first letter on
        chat.wait("next: stop it")
        chat.type("\x1b")
        chat.wait("❯ stop it")
        chat.wait(IDLE)
        chat.type("\x15")
        chat.wait_gone("❯ stop it")
        text = self.leave(chat)
        self.assertNotIn("next: s\n", text)
        self.assertNotIn("❯ s\n", text)

    def test_a_low_terminal_shows_what_is_asked(self):
        chat = self.offline(rows=8)
        chat.type("create a.txt with text\r")
        chat.wait("+text")
        seen = chat.screen.text(8)
        for part in ("asks for permission", "edit a.txt  new  +1 -0", "y Allow", "s This", "n Reject"):
            self.assertIn(part, seen)
        chat.type("y")
        chat.wait("❯ 1 y Allow once")
        chat.type("\r")
        chat.wait("✓ ✎ Create a.txt")
        chat.wait(IDLE)
        self.leave(chat)

    def test_what_has_no_room_is_looked_at_before_it_is_allowed(self):
        chat = self.offline(rows=6)
        chat.type("create a.txt with text\r")
        chat.wait("v shows what is asked")
        chat.type("y\r")
        chat.wait("lines 1–")
        self.assertFalse((self.work / "a.txt").exists())
        chat.type("\x1b")
        chat.wait("❯ 1 y Allow once")
        self.assertFalse((self.work / "a.txt").exists())
        chat.type("\r")
        chat.wait("✓ ✎ Create a.txt")
        chat.wait(IDLE)
        chat.type("delete a.txt\r")
        chat.wait("v shows what is asked")
        chat.type("n\r")  # a no needs no look
        chat.wait_gone("v shows what is asked")
        chat.wait(IDLE)
        self.assertTrue((self.work / "a.txt").exists())
        self.leave(chat)

    def test_keys_that_a_view_does_not_know_leave_it_open(self):
        chat = self.offline()
        chat.type("create a.txt with text\r")
        chat.wait("y Allow once")
        chat.type("v")
        chat.wait("lines 1–")
        chat.type("\x1b[4~\x1b[15~\x1b")  # End and F5 are not the end of it; Esc is, of the view alone
        chat.wait("y Allow once")
        chat.type("y\r")
        chat.wait("✓ ✎ Create a.txt")
        chat.wait(IDLE)
        self.leave(chat)

    def test_a_command_that_failed_is_told_so_later_as_well(self):
        chat = self.offline()
        chat.type("run exit 3\r")
        chat.wait("y Allow once")
        chat.type("y\r")
        chat.wait("✗ $ exit 3")
        chat.wait(IDLE)
        chat.type("/export live.md\r")
        chat.wait("Written:")
        self.leave(chat)
        again = self.chat("--session", "last", "--", ACP, "agent", "--model", "offline")
        again.wait("✗ $ exit 3")
        again.wait(IDLE)
        again.type("/export later.md\r")
        again.wait("Written:")
        self.leave(again)
        for name in ("live.md", "later.md"):
            self.assertIn("exit 3` (completed, exit 3)", (self.work / name).read_text())


if __name__ == "__main__":
    main()
