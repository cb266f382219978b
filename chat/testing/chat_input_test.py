#!/usr/bin/env python3
"""chat_input_test.py ACP: what is typed into acp chat, in a real terminal."""

import hashlib
import http.server
import os
import re
import signal
import subprocess
import threading

from chat_case import ACP, IDLE, ChatCase, main


class Input(ChatCase):
    def test_what_comes_in_one_burst_is_not_cut(self):
        """tmux send-keys, expect and dictation do not paste: their text comes as keys."""
        chat = self.hostile("digest", columns=120, rows=40)
        chat.wait(IDLE)
        text = "".join(f"word {i} é漢 " for i in range(70000))[:64 * 1024].strip()
        chat.type_at_once(text + "\r")
        data = text.encode()
        chat.wait(f"{len(data)} bytes, {hashlib.sha256(data).hexdigest()[:16]}")
        chat.wait(IDLE)
        self.leave(chat)

    # ---- drafts

    def history(self):
        file = self.home / ".local/state/acp/history"
        return file.read_text() if file.exists() else ""

    def test_a_draft_is_never_lost(self):
        chat = self.offline()
        chat.type("half a thought")
        chat.wait("❯ half a thought")
        chat.type("\x03")
        chat.wait("The text is in the history")
        chat.until(lambda: "half a thought\n" in self.history(), "the draft in the file")
        chat.type("\x1b[A")
        chat.wait("❯ half a thought")
        chat.type("\x15second thought")
        chat.wait("❯ second thought")
        chat.type("\x1b")
        chat.wait_gone("❯ second")
        chat.type("\x1b[A")
        chat.wait("❯ second thought")
        chat.type("\x03\x03")
        self.assertEqual(chat.end(), 130)
        # The program is ended in the middle of a draft.
        chat = self.offline()
        chat.type("third thought")
        chat.wait("❯ third thought")
        os.kill(chat.pid, signal.SIGTERM)
        self.assertEqual(chat.end(), 128 + signal.SIGTERM)
        self.assertIn("third thought\n", self.history())

    def test_the_queue_comes_back_into_the_line(self):
        chat = self.offline()
        chat.type("wait 60\r")
        chat.wait("Waiting 60 s")
        chat.type("say one\r")
        chat.wait("next: say one")
        chat.type("say two\r")
        chat.wait("next: say two")
        chat.type("a draft")
        chat.wait("❯ a draft")
        chat.type("\x1b")
        chat.wait("❯ say one\n  say two\n  a draft")
        chat.wait("⊘ Cancelled")
        chat.wait(IDLE)
        chat.type("\x03")
        chat.wait_gone("  a draft\n")
        self.leave(chat)

    def test_the_queue_can_be_edited(self):
        chat = self.offline()
        chat.type("wait 60\r")
        chat.wait("Waiting 60 s")
        chat.type("say one\rsay twwo\r")
        chat.wait("next: say twwo  (↑ edits it)")
        chat.type("\x1b[A")
        chat.wait("❯ say twwo")
        chat.wait_gone("next: say twwo")
        chat.type("\x7f\x7fo\r")
        chat.wait("next: say two")
        chat.type("\x1b")
        chat.wait("❯ say one\n  say two")
        chat.wait(IDLE)
        chat.type("\x03")
        chat.wait_gone("  say two\n")
        self.leave(chat)

    # ---- the list

    def git(self, *words):
        subprocess.run(["git", "-c", "init.defaultBranch=main", *words], cwd=self.work, env=self.env, check=True,
                       capture_output=True)

    def test_files_are_listed_while_typing(self):
        for name in ("src/deep/lexer.cc", "src/lexer.h", "ignored/lexer.o", "notes.md"):
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_text("x")
        (self.work / ".gitignore").write_text("ignored/\n")
        self.git("init")
        self.git("add", "src")
        chat = self.hostile("blocks")
        chat.wait(IDLE)
        chat.type("see @lex")
        chat.wait("▸ @src/lexer.h\n  @src/deep/lexer.cc")
        self.assertNotIn("lexer.o", chat.screen.text())
        chat.type("\x1b[B\t")
        chat.wait("❯ see @src/deep/lexer.cc")
        chat.type("and @nte")
        chat.wait("▸ @notes.md")
        chat.type("\t\r")
        chat.wait('["text", "resource", "resource"]')
        chat.type("see @missing.txt\r")
        chat.wait("@missing.txt names no file in")
        chat.wait('["text"]')
        self.leave(chat)

    def test_git_gets_no_keys_of_providers(self):
        tools = self.home / "tools"
        tools.mkdir()
        (tools / "git").write_text("#!/bin/sh\nenv >{0}/part; mv {0}/part {0}/seen\nexit 1\n".format(self.home))
        (tools / "git").chmod(0o755)
        (self.work / "file.txt").write_text("x")
        self.env |= {"PATH": f"{tools}:{self.env['PATH']}", "OPENAI_API_KEY": "sk-of-nobody-else-0123456789"}
        chat = self.hostile("blocks")
        chat.wait(IDLE)
        chat.type("@fi")
        chat.wait("▸ @file.txt")
        chat.until((self.home / "seen").exists, "git")
        seen = (self.home / "seen").read_text()
        self.assertIn(f"HOME={self.home}", seen)
        self.assertNotIn("sk-of-nobody-else", seen)
        chat.type("\x15")
        self.leave(chat)

    def test_commands_are_listed_while_typing(self):
        chat = self.offline()
        chat.type("/")
        chat.wait("▸ /help")
        chat.type("mo")
        chat.wait("▸ /mode  [MODE]")
        chat.wait("  /model  [MODEL]")
        chat.type("\x1b[B\r")
        chat.wait("? Model")
        chat.type("\x1b")
        chat.wait_gone("? Model")
        chat.type("/compa")
        chat.wait("▸ /compact")
        chat.type("\x1b")
        chat.wait_gone("▸")
        chat.wait("❯ /compa")
        chat.type("\x15/show ")
        chat.wait("[N] — A tool call")
        chat.type("\x15")
        self.leave(chat)

    def test_no_command_hides_another(self):
        chat = self.offline()
        chat.wait("acp agent")
        chat.until(lambda: self.listed(chat, "/agent:", "/agent:help"), "the agent's own help")
        chat.type("/agent:help\r")
        chat.wait("❯ /help")
        chat.wait(IDLE)
        chat.type("/mode\r")  # ours, since the agent has modes
        chat.wait("? Mode")
        chat.type("\x1b")
        chat.wait_gone("? Mode")
        chat.type("// a comment\r")  # no command
        chat.wait("❯ // a comment")
        chat.wait(IDLE)
        self.leave(chat)

    def listed(self, chat, typed, wanted):
        """The agent tells its commands a moment after the session is open."""
        chat.type(typed)
        text = chat.wait("❯ " + typed)
        chat.type("\x15")
        chat.wait_gone("❯ " + typed)
        return wanted in text

    # ---- keys

    def test_shift_tab_changes_the_mode(self):
        chat = self.offline()
        chat.wait("· Ask")
        chat.type("\x1b[Z")
        chat.wait("· Code")
        chat.type("\x1b[Z")
        chat.wait("· Architect")
        chat.type("\x1b[Z")
        chat.wait("· Ask")
        self.leave(chat)

    def test_the_history_is_searched(self):
        chat = self.offline()
        for text in ("say alpha", "say beta"):
            chat.type(text + "\r")
            chat.wait(text[4:] + " Done.")
            chat.wait(IDLE)
        chat.type("\x12")
        chat.wait("search:")
        chat.type("alp")
        chat.wait("❯ say alpha", times=2)
        chat.type("\r")
        chat.wait_gone("search:")
        chat.type("\r")
        chat.wait("alpha Done.", times=2)
        chat.wait(IDLE)
        self.leave(chat)

    def test_the_text_in_an_editor(self):
        editor = self.home / "editor"
        editor.write_text('#!/bin/sh\ntest -t 0 || exit 3\ncat "$2" >seen\nprintf "say edited\\n" >"$2"\n')
        editor.chmod(0o755)
        self.env["EDITOR"] = f"{editor} --wait"
        chat = self.offline()
        chat.type("say draft\x07")
        chat.wait("❯ say edited")
        self.assertEqual((self.work / "seen").read_text(), "say draft")
        chat.type("\r")
        chat.wait("edited Done.")
        chat.wait(IDLE)
        self.leave(chat)
        self.env["VISUAL"] = "false"
        chat = self.offline()
        chat.type("say draft\x07")
        chat.wait("The editor ended with an error")
        chat.wait("❯ say draft")
        chat.type("\x15")
        self.leave(chat)

    def test_a_long_paste_is_folded(self):
        chat = self.hostile("digest")
        chat.wait(IDLE)
        text = "\n".join(f"line {i}" for i in range(200))
        chat.type_at_once("see \x1b[200~" + text.replace("\n", "\r") + "\x1b[201~")
        chat.wait("❯ see [200 lines pasted]")
        chat.type("\r")
        data = ("see " + text).encode()
        chat.wait(f"{len(data)} bytes, {hashlib.sha256(data).hexdigest()[:16]}")
        chat.wait(IDLE)
        self.leave(chat)

    # ---- commands of one's own

    def test_a_command_of_ones_own(self):
        chat = self.hostile("digest")
        chat.wait(IDLE)
        chat.type("!echo from $((40+2)); exit 3\r")
        chat.wait("! echo from $((40+2)); exit 3")
        chat.wait("│ from 42")
        chat.wait("│ exited with code 3")
        chat.wait("attached: ! echo from")
        chat.type("why\r")
        told = "why\n\nI ran this command myself:\n\n$ echo from $((40+2)); exit 3\nfrom 42\n\n(exited with code 3)"
        chat.wait(f"{len(told)} bytes, {hashlib.sha256(told.encode()).hexdigest()[:16]}")
        chat.wait_gone("attached:")
        chat.wait("▪ ! echo from $((40+2)); exit 3 · ")
        self.assertEqual(chat.screen.text(200).count("from 42"), 1, "it is not printed again")
        chat.type("!true\r")
        chat.wait("attached: ! true  (Backspace removes it)")
        chat.type("\x7f")
        chat.wait_gone("attached:")
        chat.type("!\r")
        chat.wait("A command is missing after the !")
        chat.type("!echo begun; sleep 60\r")
        chat.wait("│ begun")
        chat.type("\x1b")
        chat.wait("│ stopped")
        self.leave(chat)

    def test_a_prompt_on_the_command_line(self):
        chat = self.chat("say from the shell", "--", ACP, "agent", "--model", "offline")
        chat.wait("❯ say from the shell")
        chat.wait("from the shell Done.")
        chat.wait(IDLE)
        self.leave(chat)
        done = subprocess.run([ACP, "chat", "say it", "--", ACP, "agent", "--model", "offline"], cwd=self.work,
                              env=self.env, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it Done.", done.stdout)

    # ---- sessions

    def test_a_session_is_chosen_at_the_start(self):
        chat = self.offline()
        chat.type("say remember me\r")
        chat.wait("remember me Done.")
        chat.wait(IDLE)
        self.leave(chat)
        chat = self.chat("--resume", "--", ACP, "agent", "--model", "offline")
        chat.wait("? Sessions in")
        chat.wait("1 say remember me")
        chat.wait("n A new session")
        chat.type("1\r")
        chat.wait("remember me Done.")
        chat.wait(IDLE)
        self.leave(chat)
        chat = self.chat("--resume", "--", ACP, "agent", "--model", "offline")
        chat.wait("n A new session")
        chat.type("n\r")
        chat.wait(IDLE)
        self.leave(chat)

    def test_a_new_session_keeps_the_mode(self):
        chat = self.offline()
        chat.type("\x1b[Z")
        chat.wait("· Code")
        chat.type("/new\r")
        chat.wait("A new session:")
        chat.wait("· Code")
        self.leave(chat)

    # ---- the pager

    def test_what_is_longer_than_the_screen(self):
        chat = self.offline(rows=12)
        chat.type("/help\r")
        chat.wait("lines 1–")
        chat.wait("p prints it")
        self.assertNotIn("Ctrl-G", chat.screen.text())
        chat.type("\x1b[F")
        chat.wait("Ctrl-G")
        chat.type("g")
        chat.wait("lines 1–")
        chat.type("\x1b[15~jk\x1b[4~")  # F5 does nothing; End as tmux sends it
        chat.wait("Ctrl-G")
        chat.type("\x1b[1~")  # and Home
        chat.wait("lines 1–")
        chat.type("G")
        chat.wait("Ctrl-G")
        chat.type("q")
        chat.wait_gone("Ctrl-G")
        chat.type("/help\r")
        chat.wait("lines 1–")
        chat.type("p")
        chat.wait_gone("lines 1–")
        text = self.leave(chat)
        self.assertLess(text.index("Commands of acp chat"), text.index("Ctrl-G"))

    # ---- login

    def test_a_login_is_offered_where_a_key_is_missing(self):
        chat = self.chat("--model", "openai/gpt-5")
        chat.wait("there is no key for openai")
        chat.wait("acp wants a login")
        rows = chat.wait("Store a key for openai")
        [number] = re.findall(r"(\d) Store a key for openai", rows)
        chat.type(number + "\r")
        chat.wait("Key for openai (https://")
        chat.type("sk-test\r")
        chat.wait(IDLE)
        self.leave(chat)

    def test_a_key_that_was_rejected_is_no_login(self):
        class Rejects(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(401)
                self.send_header("Content-Length", "0")
                self.end_headers()
            do_GET = do_POST

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Rejects)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.env |= {"OPENAI_BASE_URL": "http://127.0.0.1:%d/v1" % server.server_address[1],
                     "OPENAI_API_KEY": "sk-1234567890", "ACP_MODEL": "openai/gpt-77"}
        chat = self.chat(columns=120)
        chat.wait(IDLE)
        chat.type("hello\r")
        chat.wait("acp: log in")
        chat.wait("1 Key for openai")
        chat.type("1\r")
        chat.wait("The key for openai is still the one that was rejected. It comes from OPENAI_API_KEY: set another one")
        self.assertNotIn("Logged in", self.leave(chat))


if __name__ == "__main__":
    main()
