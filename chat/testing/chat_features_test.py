#!/usr/bin/env python3
"""chat_features_test.py ACP: what acp chat does besides prompts and answers, in a real terminal."""

import json
import signal

from chat_case import ACP, IDLE, ChatCase, main
from screen import Chat


class Features(ChatCase):
    def turn(self, kind, *arguments, **options):
        chat = self.hostile(kind, *arguments, **options)
        chat.wait(IDLE)
        chat.type("go\r")
        return chat

    # ---- what comes

    def test_media_is_named_and_saved(self):
        chat = self.turn("media")
        shown = chat.wait("for the assistant only · 23 bytes")
        chat.wait(IDLE)
        for line in ("image image/png · 70 bytes · https://example.org/pictures/dot.png", "audio audio/wav · 4 bytes",
                     "link text/html · report · 12.3 kB · https://example.org/report",
                     "resource text/plain · 22 bytes · file:///tmp/../evil", "resource application/x-odd · 3 bytes"):
            self.assertIn(line, shown.replace("\n  ", " "))
        self.assertNotIn("secret of the assistant", chat.screen.text())
        chat.type("/save\r")
        chat.wait("/save N [FILE] writes one of them")
        chat.type("/save 1\r")
        chat.wait("Written: " + str(self.work)[:20])
        self.assertTrue((self.work / "dot.png").read_bytes().startswith(b"\x89PNG"))
        chat.type("/save 1\r")
        chat.wait("is there already")
        chat.type("/save 3\r")
        chat.wait("it is a link, and nothing of it is here")
        chat.type("/save 4\r")  # its name is not one for a file
        chat.until(lambda: (self.work / "media-4.txt").exists(), "media-4.txt")
        chat.type("/save 5 other name.bin\r")
        chat.until(lambda: (self.work / "other name.bin").exists(), "the name that was given")
        self.assertEqual((self.work / "other name.bin").read_bytes(), b"\0\1\2")
        chat.type("/save 9\r")
        chat.wait("There is nothing with the number 9")
        self.leave(chat)

    def test_a_command_runs_and_its_output_stays(self):
        chat = self.turn("terminal")
        shown = chat.wait("asks for permission")
        self.assertIn("│ line 30", shown)  # live, the last lines of it
        self.assertNotIn("│ line 2\n", shown)
        self.assertIn("│ exit 3", shown)
        chat.type("y\r")
        chat.wait("released; -32002")
        chat.wait(IDLE)
        chat.wait("✗ $ Count")
        chat.type("/show\r")
        chat.wait("/show N unfolds one of them")
        chat.type("/show 1\r")
        chat.wait("lines 1–")  # it is longer than the screen
        chat.type("p")
        chat.wait("│ line 1\n")
        chat.wait("│ exit 3", times=2)
        chat.type("/show 7\r")
        chat.wait("There is no tool call 7")
        text = self.leave(chat)
        self.assertIn("".join(f"  │ line {i}\n" for i in range(1, 31)), text)

    def test_changes_say_by_whom(self):
        chat = self.turn("edits")
        chat.wait("✓ ✎ Edit")
        chat.wait("│ +two")
        chat.wait(IDLE)
        chat.type("/changes\r")
        chat.wait("told.txt  +1 -1", times=2)
        text = self.leave(chat)
        ours, told = text.index("Written through acp"), text.index("Reported by the agent (not verified")
        self.assertTrue(ours < text.index("written.txt  new") < told < text.index("told.txt", told))
        self.assertNotIn("failed.txt  new", text[ours:])

    def test_a_long_session_is_exported_whole(self):
        chat = self.turn("many calls")
        chat.wait("the last word")
        chat.wait(IDLE)
        chat.type("/export all.jsonl\r")
        chat.wait("Written:")
        chat.type("/show 3\r")
        chat.wait("only its line is kept")
        chat.type("/show 3000\r")
        chat.wait("│ of 2999", times=2)
        self.leave(chat)
        lines = [json.loads(line) for line in (self.work / "all.jsonl").read_text().splitlines()]
        self.assertEqual([line["type"] for line in lines], ["prompt", *["tool_call"] * 3000, "agent"])
        self.assertEqual([line["toolCallId"] for line in lines[1:-1]], [f"c{i}" for i in range(3000)])

    def test_exports_say_what_was_said(self):
        chat = self.offline()
        chat.type("create a.txt with text\r")
        chat.wait("asks for permission")
        chat.type("y\r")
        chat.wait("✓ ✎ Create a.txt")
        chat.wait(IDLE)
        chat.type("/export out.jsonl\r")
        chat.wait("Written:")
        chat.type("/export out.jsonl\r")
        chat.wait("is there already")
        chat.type("/export out.md\r")
        chat.wait("Written:", times=2)
        self.leave(chat)
        for name in ("out.jsonl", "out.md"):
            self.assertEqual((self.work / name).stat().st_mode & 0o777, 0o600, name)
        self.assertIn("\n## Agent\n\n- Create a.txt (completed)\n\n```diff\n--- /dev/null\n",
                      (self.work / "out.md").read_text())
        self.assertIn("\n@@ -0,0 +1,1 @@\n+text\n```\n", (self.work / "out.md").read_text())
        lines = [json.loads(line) for line in (self.work / "out.jsonl").read_text().splitlines()]
        self.assertEqual(lines[0], {"type": "prompt", "content": [{"type": "text", "text": "create a.txt with text"}]})
        [call] = [line for line in lines if line["type"] == "tool_call"]
        self.assertEqual(call["status"], "completed")

    def test_wide_characters(self):
        for columns in (80, 41, 20):
            chat = self.turn("wide", columns=columns)
            chat.wait("the last word")
            chat.wait("❯\n")
            chat.type("漢字👍\x1b[D\x7f")
            chat.wait("❯ 漢👍")
            chat.type("\x05\x15")
            chat.wait_gone("❯ 漢👍")
            self.leave(chat)  # no row was too wide, no character cut in half

    # ---- choices

    def test_options(self):
        chat = self.hostile("options")
        chat.wait(IDLE)
        chat.type("/model\r")
        chat.wait("? Model")
        chat.wait("2 Large  slow")
        chat.type("2\r")
        chat.wait("Model is now large")
        chat.type("/config\r")
        chat.wait("1 Model: large")
        chat.type("2\r")
        chat.wait("? Loud")
        chat.type("y\r")
        chat.wait("Loud is now true")
        chat.wait_gone("? Loud")
        chat.type("/config loud\r")
        chat.wait("? Loud")
        chat.type("\x1b")
        chat.wait_gone("? Loud")
        chat.type("/config nothing\r")
        chat.wait("The agent has no option nothing")
        chat.type("/model large\r")
        chat.wait("The model is now large")
        self.leave(chat)

    def test_sessions_are_resumed_forked_and_deleted(self):
        chat = self.offline()
        chat.type("say remember me\r")
        chat.wait("remember me Done.")
        chat.wait(IDLE)

        def listed():
            _, picker, lines = chat.screen.text().rpartition("? Sessions in")
            lines = [line.lstrip("❯› ") for line in lines.splitlines()] if picker else []
            return [line for line in lines if line.startswith(tuple("23456789")) and "say remember me" in line]

        def act(key):
            chat.type("/new\r")
            chat.wait("A new session:", times=act.times)
            act.times += 1
            chat.type("/sessions\r")
            chat.until(listed, "the session in the list")  # which may come in pieces
            chat.type(listed()[-1][0] + "\r")
            chat.wait("? Session say remember me")
            chat.type(key + "\r")
        act.times = 1
        act("r")
        chat.wait("Session (resume): ")
        chat.type("say again\r")
        chat.wait("again Done.")
        chat.wait(IDLE)
        act("f")
        chat.wait("Session (fork): ")
        chat.wait(IDLE)
        act("d")
        chat.wait("? Delete the session say remember me")
        chat.type("n\r")
        chat.wait_gone("? Delete")
        act("d")
        chat.wait("? Delete the session say remember me")
        chat.type("y\r")
        chat.wait("Deleted: session ")
        self.leave(chat)

    def test_one_agent_is_not_given_the_other_ones_session(self):
        chat = self.offline()
        chat.type("say mine\r")
        chat.wait("mine Done.")
        chat.wait(IDLE)
        self.leave(chat)
        other = self.chat("--session", "last", "--", ACP, "agent", "--model", "offline", "--mode", "ask")
        other.wait("there is no last session of")
        other.wait("Begin a new session")
        other.type("q\r")
        self.assertEqual(other.end(), 1)

    # ---- what is sent

    def test_attachments_follow_what_the_agent_takes(self):
        (self.work / "a.txt").write_text("text")
        (self.work / "dot.png").write_bytes(b"\x89PNG")
        (self.work / "hum.wav").write_bytes(b"RIFF")
        chat = self.hostile("all blocks")
        chat.wait(IDLE)
        chat.type("/image dot.png\r")
        chat.wait("attached: dot.png")
        chat.type("/audio hum.wav\r")
        chat.wait("attached: hum.wav")
        chat.type("/image a.txt\r")
        chat.wait("not that of a known kind of image")
        chat.type("look @a.txt\r")
        chat.wait('["text", "resource", "image", "audio"]')
        chat.wait_gone("attached: ")
        self.leave(chat)
        chat = self.hostile("no blocks")
        chat.wait(IDLE)
        chat.type("look @a.txt\r")
        chat.wait("a.txt is sent as a link: the agent takes no embedded files")
        chat.wait('["text", "resource_link"]')
        chat.type("/audio hum.wav\r")
        chat.wait("the agent takes no audio")
        self.leave(chat)

    def test_a_page_is_shown_and_not_opened(self):
        for key, action in (("y\r", "accept"), ("n\r", "decline"), ("\x1b", "decline")):
            chat = self.turn("url")
            chat.wait("https://example.org/login")
            chat.wait("It is not opened for you")
            chat.type(key)
            chat.wait(f'"action": "{action}"')
            self.leave(chat)

    def test_servers_are_passed_on(self):
        self.configure('[mcp.files]\ncommand = "sh"\nargs = ["--x"]\n'
                       '[mcp.web]\nurl = "https://example.org/mcp"\nheaders = {Authorization = "Bearer ${TOKEN}"}\n'
                       '[mcp.old]\nurl = "https://example.org/sse"\ntype = "sse"\n')
        self.env["TOKEN"] = "hush"
        chat = self.hostile("mcp")
        chat.wait('servers: ["files", "web"]')
        chat.wait("The MCP server old is not passed on: the agent takes no MCP servers over sse")
        chat.wait(IDLE)
        chat.type("/mcp\r")
        chat.wait("/sh --x  passed on")
        chat.wait("web  http  https://example.org/mcp  passed on")
        chat.wait("old  sse  https://example.org/sse  not passed on:")
        self.assertNotIn("hush", self.leave(chat))
        chat = self.hostile("mcp", "--mcp", "web", "--mcp", "mine=true --y")
        chat.wait('servers: ["mine", "web"]')
        chat.wait(IDLE)
        self.leave(chat)
        chat = self.hostile("mcp", "--mcp", "none")
        chat.wait("servers: []")
        chat.wait(IDLE)
        self.leave(chat)
        chat = self.hostile("mcp", "--mcp", "nosuch")
        self.assertEqual(chat.end(), 2)
        self.assertIn('there is no server "nosuch" in your configuration, only files, old, web',
                      chat.screen.text().replace(",\n", ", ").replace("\n", " "))

    # ---- login

    def test_login_in_this_terminal(self):
        chat = self.hostile("auth")
        chat.wait("wants a login")
        chat.wait("In the terminal")
        chat.type("1\r")
        chat.wait("code?")
        self.assertTrue(chat.sane())  # the agent has the terminal
        chat.type("wrong\r")
        chat.wait("The login ended with exit code 4")
        chat.wait("wants a login")
        chat.type("1\r")
        chat.wait("code?", times=2)
        chat.type("sesame\r")
        chat.wait(IDLE)
        self.leave(chat)

    def test_logout(self):
        chat = self.hostile("logout")
        chat.wait(IDLE)
        chat.type("/logout\r")
        chat.wait("Logged out of")
        self.leave(chat)
        chat = self.hostile("blocks")
        chat.wait(IDLE)
        chat.type("/logout\r")
        chat.wait("The agent offers no logout")
        self.leave(chat)

    # ---- the terminal

    def test_ctrl_l(self):
        chat = self.offline()
        chat.type("say hello\r")
        chat.wait("hello Done.")
        chat.wait(IDLE)
        chat.type("half a line\x0c")
        # The last message may go on: it stays.
        chat.until(lambda: "❯ say hello" not in chat.screen.text(24) and "❯ half a line" in chat.screen.text(24),
                   "a clear screen with the input on it")
        chat.type("\x15")
        self.leave(chat)

    def test_ctrl_z(self):
        # A shell with jobs: what has no parent in its session is never stopped.
        script = 'set -m; "$@"; echo suspended $?; read -r line; fg >/dev/null'
        chat = Chat(["bash", "-c", script, "bash", ACP, "chat", "--", ACP, "agent", "--model", "offline"],
                    env=self.env, cwd=self.work)
        self.addCleanup(chat.close)
        chat.wait(IDLE)
        chat.type("half\x1a")
        chat.wait(f"suspended {128 + signal.SIGTSTP}")
        chat.until(chat.sane, "a terminal for the shell")
        chat.type("\n")
        chat.wait("❯ half")
        chat.type("\x15say back\r")
        chat.wait("back Done.")
        chat.wait(IDLE)
        self.leave(chat)

    def test_it_calls_a_person_that_is_away(self):
        for setting, bells, calls in (("bell", 1, 0), ("osc9", 0, 1), ("both", 1, 1), ("none", 0, 0)):
            self.configure(f'[chat]\nnotify = "{setting}"\n')
            chat = self.offline()
            chat.type("\x1b[O")  # the window lost the focus
            chat.type("create a.txt with text\r")
            chat.wait("asks for permission")
            self.assertEqual((chat.screen.bells, len(chat.screen.calls)), (bells, calls), setting)
            if calls:
                self.assertEqual(chat.screen.calls, ["acp chat: acp waits for you"])
            chat.type("\x1b[In\r")
            chat.wait_gone("asks for permission")
            chat.wait(IDLE)
            self.assertEqual(chat.screen.bells, bells, "none for who is here")
            self.leave(chat)


if __name__ == "__main__":
    main()
