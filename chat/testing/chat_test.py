#!/usr/bin/env python3
"""chat_test.py ACP: the real program in a real terminal, its screen compared as text.

Nothing sleeps: each step waits for what a person would wait for.
"""

import os
import re
import signal
import subprocess
import time

from chat_case import ACP, IDLE, ChatCase, main


class Terminal(ChatCase):
    def test_a_turn(self):
        chat = self.offline()
        chat.type("say hello **you**\r")
        chat.wait("❯ say hello")
        chat.wait("hello you")
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertIn("❯ say hello **you**\n\nhello you", text)
        self.assertEqual(text.count("hello you"), 1, "printed once")

    def test_the_default_agent(self):
        chat = self.chat("--model", "offline")
        chat.wait(IDLE)
        chat.type("say it is I\r")
        chat.wait("it is I", times=2)
        chat.wait(IDLE)
        chat.type("/model openai/gpt-5\r")  # it is not listed, for there is no key
        chat.wait("OPENAI_API_KEY")
        self.leave(chat)

    def test_permission_yes_and_no(self):
        chat = self.offline()
        chat.type("create a.txt with text\r")
        chat.wait("asks for permission")
        chat.wait("│ +text")
        chat.wait("y Allow once")
        chat.type("y\r")
        chat.wait("✓ ✎ Create a.txt")
        chat.wait(IDLE)
        self.assertEqual((self.work / "a.txt").read_text(), "text\n")
        chat.type("delete a.txt\r")
        chat.wait("asks for permission")
        chat.type("n\r")
        chat.wait_gone("asks for permission")
        chat.wait(IDLE)
        self.assertTrue((self.work / "a.txt").exists())
        chat.type("/changes\r")
        chat.wait("a.txt  new  +1 -0")
        self.leave(chat)

    def test_a_rule_is_kept_and_told(self):
        chat = self.offline()
        chat.type("run echo one\r")
        chat.wait("asks for permission")
        chat.wait("p This project  `echo one`")
        chat.type("p\r")
        chat.wait("Remembered: allow")
        chat.wait(IDLE)
        chat.type("run echo one\r")
        chat.wait("Allowed by a rule: execute")
        chat.wait(IDLE)
        self.leave(chat)
        self.assertIn("echo one", (self.home / ".config/acp/policy.toml").read_text())

    def test_cancel_and_go_on(self):
        chat = self.offline()
        chat.type("wait 60\r")
        chat.wait("Esc stops")
        chat.wait("Waiting 60 s")
        chat.type("\x1b")
        chat.wait("⊘ Cancelled")
        chat.wait(IDLE)
        chat.type("say I am back\r")
        chat.wait("I am back", times=2)
        chat.wait(IDLE)
        chat.type("run sleep 60\r")
        chat.wait("asks for permission")
        chat.type("\x1b")
        chat.wait("⊘ Cancelled", times=2)
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertEqual(len(re.findall(r"^. \$ sleep 60", text, re.MULTILINE)), 1, text)

    def test_cancel_answers_the_question(self):
        chat = self.offline()
        chat.type("create a.txt with text\r")
        chat.wait("asks for permission")
        chat.type("\x1b")
        chat.wait("⊘ Cancelled")
        chat.wait_gone("asks for permission")
        chat.wait(IDLE)
        self.assertFalse((self.work / "a.txt").exists())
        self.leave(chat)

    def test_queue(self):
        chat = self.offline()
        chat.type("create a.txt with text\r")
        chat.wait("asks for permission")
        chat.type("\x1b[200~say the next\x1b[201~")  # a paste answers nothing
        chat.wait("❯ say the next")
        chat.type("\r")
        chat.wait("next: say the next")
        chat.type("y\r")
        chat.wait_gone("next: say the next")
        chat.wait("the next Done.")
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertLess(text.index("Create a.txt"), text.index("❯ say the next"))

    def test_leaving_by_ctrl_c_twice(self):
        chat = self.offline()
        chat.type("\x03")
        chat.wait("Ctrl-C once more")
        chat.type("\x03")
        self.assertEqual(chat.end(), 130)
        self.assertTrue(chat.sane())

    def test_ctrl_c_clears_what_was_typed_since(self):
        chat = self.offline()
        chat.type("say one\r")
        chat.wait("one Done.")
        chat.wait(IDLE)
        chat.type("\x03new text\x03")
        chat.wait("The text is in the history")
        chat.wait_gone("❯ new text")
        chat.type("x\x7f\x03\x1b[A\x1b[A\x03")
        chat.wait("The text is in the history", times=2)
        self.leave(chat)

    def test_resize(self):
        chat = self.offline(columns=80, rows=24)
        chat.type("say " + "long words " * 12 + "end\r")
        chat.wait("end Done.")
        chat.wait(IDLE)
        for columns, rows in ((40, 12), (100, 30), (20, 6), (80, 24)):
            chat.resize(columns, rows)
            chat.type(f"say size {columns}\r")
            chat.wait(f"size {columns} Done.")
            chat.wait("❯\n")
            chat.until(lambda: chat.screen.text().count("  /help") == 1,
                       "one status line and nothing left of those before")
        text = self.leave(chat)
        for columns in (40, 100, 20, 80):
            self.assertEqual(text.count(f"❯ say size {columns}"), 1)
        self.assertEqual(text.count("❯ say long words"), 1, "what is printed stays")

    def test_lines_history_and_completion(self):
        chat = self.offline()
        chat.type("say one\x1b\rtwo\\\rthree\r")
        chat.wait("one two three Done.")
        chat.wait(IDLE)
        chat.type("\x1b[A")
        lines = "❯ say one\n  two\n  three"
        chat.wait(lines, times=2)
        chat.type("\x03")
        chat.until(lambda: chat.screen.text().count(lines) == 1, "an empty line")
        chat.type("/comp\t")
        chat.wait("❯ /compact")
        chat.type("\x15")
        (self.work / "some_file.txt").write_text("x")
        chat.type("see @some\t")
        chat.wait("❯ see @some_file.txt")
        chat.type("\x15")
        chat.wait_gone("@some_file")
        chat.type("/nothing\r")
        chat.wait("There is no command /nothing: /help")
        chat.type("/helpp\r")
        chat.wait("There is no command /helpp; did you mean /help? /help lists them.")
        self.leave(chat)
        history = self.home / ".local/state/acp/history"
        self.assertEqual(history.stat().st_mode & 0o777, 0o600)
        self.assertIn("say one\\ntwo\\nthree\n", history.read_text())

    def test_commands(self):
        chat = self.offline()
        chat.resize(80, 70)
        shown, asked, deadline = "", 0, time.monotonic() + 60
        while "Commands of acp\n" not in shown and time.monotonic() < deadline:  # it tells them a moment later
            asked += 1
            chat.type("/help\r")  # always ours, though the agent has one
            shown = chat.until(lambda: chat.screen.text().count("Ctrl-Z") >= asked, "the keys")
        for words in ("Commands of acp chat", "  /mode [MODE]", "  /sessions", "Commands of acp\n", "  /agent:help",
                      "Keys", "Shift-Tab"):
            self.assertIn(words, shown)
        chat.type("/agent:help\r")
        chat.wait("❯ /help")
        chat.wait(IDLE)
        chat.type("/mode\r")
        chat.wait("? Mode")
        chat.type("2\r")
        chat.wait("The mode is now code")
        chat.wait("· Code")
        chat.type("say for the file\r")
        chat.wait("for the file Done.")
        chat.wait(IDLE)
        chat.type("/export out.md\r")
        chat.wait("Written:")
        self.assertIn("## You\n\nsay for the file\n\n## Agent\n\nfor the file", (self.work / "out.md").read_text())
        chat.type("/policy\r")
        chat.wait("There are no rules")
        chat.type("/image a.png\r")
        chat.wait_gone("❯ /image")
        self.leave(chat)

    def test_commands_by_other_names(self):
        for words in ("/exit", "exit", "quit"):
            chat = self.offline()
            chat.type(words + "\r")
            self.assertEqual(chat.end(), 0, words)
        chat = self.offline()
        chat.type("/clear\r")
        chat.wait("A new session:")
        chat.type("/resume\r")
        chat.wait("? Sessions in")
        chat.type("\x1b")
        chat.wait_gone("? Sessions in")
        chat.type("exit the building\r")  # more words are for the agent
        chat.wait("❯ exit the building")
        chat.wait(IDLE)
        self.leave(chat)

    def test_signals_leave_the_terminal_sane(self):
        for number, code in ((signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGHUP, 128 + signal.SIGHUP),
                             (signal.SIGSEGV, -signal.SIGSEGV), (signal.SIGABRT, -signal.SIGABRT)):
            with self.subTest(signal=number):
                chat = self.offline()
                self.assertFalse(chat.sane())
                os.kill(chat.pid, number)
                self.assertEqual(chat.end(), code)
                self.assertTrue(chat.sane())

    def test_without_a_terminal(self):
        """The lines of a script wait for each other: one answers the question of the one before it."""
        lines = "say hello\n/log\ncreate a.txt with b\n1\nsay the last"  # the last has no end
        done = subprocess.run([ACP, "chat", "--", ACP, "agent", "--model", "offline"], cwd=self.work,
                              env=self.env, input=lines, text=True, capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("\x1b", done.stdout)
        places = [done.stdout.find(each) for each in ("hello", "log is empty", "Allow once", "✓ ✎ Create a.txt", "the last")]
        self.assertNotIn(-1, places, done.stdout)
        self.assertEqual(places, sorted(places), done.stdout)
        self.assertEqual((self.work / "a.txt").read_text(), "b\n")

    def test_a_question_that_no_line_answers(self):
        done = subprocess.run([ACP, "chat", "--", ACP, "agent", "--model", "offline"], cwd=self.work,
                              env=self.env, input="create a.txt with b\n", text=True, capture_output=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.work / "a.txt").exists())

    def test_a_dumb_terminal(self):
        self.env["TERM"] = "dumb"
        chat = self.chat("--", ACP, "agent", "--model", "offline")
        chat.wait("acp agent")
        chat.type("create a.txt with b\n")
        chat.wait("Allow once")
        chat.type("1\n")
        chat.wait("✓ ✎ Create a.txt")
        chat.type("/quit\n")
        self.assertEqual(chat.end(), 0)
        self.assertNotIn(b"\x1b", chat.raw)
        self.assertEqual((self.work / "a.txt").read_text(), "b\n")

    def test_no_color(self):
        self.env["NO_COLOR"] = "1"
        chat = self.offline()
        chat.type("say **bold**\r")
        chat.wait("bold Done.")
        self.leave(chat)
        self.assertNotRegex(chat.raw.decode(), "\x1b\\[([0-9]+;)*[39][0-7]m")
        self.assertIn(b"\x1b[1m", chat.raw, "bold is no colour")

    def test_escapes_are_shown_and_not_sent(self):
        chat = self.hostile("escapes")
        chat.wait(IDLE)
        chat.type("go\r")
        chat.wait("before ␛]0;owned␇␛[2J␛[31m after<U+202E>")
        chat.wait("title ␛")
        chat.wait("something_new")
        chat.wait(IDLE)
        self.assertEqual(chat.screen.faults, [])
        self.leave(chat)

    def test_noise(self):
        chat = self.hostile("noise")
        chat.wait(IDLE)
        chat.type("go\r")
        chat.wait("still here")
        chat.wait(IDLE)
        chat.type("/log\r")
        chat.wait("stderr ␛")
        self.leave(chat)

    def test_many_chunks(self):
        chat = self.hostile("chunks", patience=180)
        chat.wait(IDLE)
        chat.type("go\r")
        chat.wait("the last word")
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertTrue(re.findall(r"word\d+", text) == [f"word{i}" for i in range(100000)], "each of them, once")

    def test_an_agent_that_goes(self):
        chat = self.hostile("gone")
        chat.wait(IDLE)
        chat.type("go\r")
        chat.wait("? Start it again")
        chat.type("\x04")
        self.assertEqual(chat.end(), 3)
        text = chat.screen.text()
        self.assertIn("The agent is gone", text)
        self.assertIn("my last words", text)
        self.assertTrue(chat.sane())

    def test_an_agent_that_goes_while_nothing_is_asked(self):
        chat = self.chat("--", "sh", "-c", f"echo $$ >pid; exec '{ACP}' agent --model offline")
        chat.wait(IDLE)
        chat.type("not yet sent")
        chat.wait("not yet sent")
        os.kill(int((self.work / "pid").read_text()), signal.SIGKILL)
        chat.wait("? Start it again")
        chat.type("\tq\r")
        self.assertEqual(chat.end(), 3)
        self.assertIn("The agent is gone: killed by SIGKILL", chat.screen.text())
        self.assertIn("Not sent: not yet sent", chat.screen.text())
        self.assertTrue(chat.sane())

    def test_an_agent_that_is_started_again(self):
        chat = self.chat("--", "sh", "-c", f"echo $$ >pid; exec '{ACP}' agent --model offline")
        chat.wait(IDLE)
        chat.type("say before\r")
        chat.wait("before Done.")
        chat.wait(IDLE)
        chat.type("wait 60\r")
        chat.wait("Waiting 60 s")
        chat.type("say queued\r")
        chat.wait("next: say queued")
        os.kill(int((self.work / "pid").read_text()), signal.SIGKILL)
        chat.wait("? Start it again")
        chat.type("y\r")
        chat.wait("The agent runs again, and the session goes on")
        chat.wait("queued Done.")
        chat.wait(IDLE)
        text = self.leave(chat)
        self.assertEqual(text.count("before Done."), 1, "what was seen is not printed again")

    def test_an_agent_that_does_not_start(self):
        chat = self.hostile("dead")
        self.assertEqual(chat.end(), 3)
        self.assertIn("cannot start: no such thing", chat.screen.text())
        self.assertTrue(chat.screen.text().startswith("acp chat: "), chat.screen.text())
        self.env["PATH"] = "/nowhere"
        chat = self.chat("--agent", "gemini")
        self.assertEqual(chat.end(), 3)
        self.assertIn("npm install -g", chat.screen.text())
        chat = self.hostile("mute")
        chat.wait("shaking hands")
        chat.until(lambda: re.search(r"shaking hands … \d+ s", chat.screen.text()), "how long it lasts")
        chat.type("\x03\x03")
        self.assertEqual(chat.end(), 130)
        self.assertTrue(chat.sane())

    def test_files_in_a_prompt(self):
        (self.work / "a.txt").write_text("text")
        (self.work / "b.bin").write_bytes(b"\0\xff")
        chat = self.hostile("blocks")
        chat.wait(IDLE)
        chat.type("see @a.txt, @b.bin and me@a.txt\r")
        chat.wait('["text", "resource", "resource"]')
        (self.work / "with space.md").write_text("text")
        for typed in ("@with\t", '@"wi\t'):
            chat.type("see " + typed)
            chat.wait('❯ see @"with space.md"')
            chat.type("\x15")
            chat.wait_gone("❯ see @\"")
        chat.type("see @with\tonly\r")
        chat.wait('["text", "resource"]')
        chat.type("/image a.png\r")
        chat.wait("the agent takes no image")
        self.leave(chat)

    def test_a_form(self):
        chat = self.hostile("form")
        chat.wait(IDLE)
        chat.type("go\r")
        chat.wait("1/2 Name:")
        chat.type("Ada\r")
        chat.wait("2/2 colour [blue]:")
        chat.type("1\r")
        chat.wait('"name": "Ada"')
        chat.wait('"colour": "red"')
        chat.wait(IDLE)
        self.leave(chat)

    def test_help(self):
        done = subprocess.run([ACP, "chat", "--help"], capture_output=True, text=True, check=True)
        for word in ("--agent", "--policy", "--session", "Ctrl-D"):
            self.assertIn(word, done.stdout)
        done = subprocess.run([ACP, "chat", "--agent", "nobody"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    main()
