#!/usr/bin/env python3
"""chat_start_test.py ACP: what acp chat says before anybody has typed."""

import subprocess
import sys
from pathlib import Path

from chat_case import ACP, IDLE, ChatCase, main

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "cli" / "testing"))
from own_network import alone  # noqa: E402


class Start(ChatCase):
    def test_no_model_is_configured(self):
        chat = self.chat(before=alone, rows=24, columns=80)
        shown = chat.wait("No model is configured")
        chat.wait(IDLE)
        lines = [line.rstrip() for line in chat.screen.text().splitlines()]
        at = next(i for i, line in enumerate(lines) if "No model is configured" in line)
        self.assertIn("offline can list, show, search, edit and run only", lines[at], shown)
        for words in ("OPENAI_API_KEY", "acp agent --login", "ollama"):
            self.assertIn(words, lines[at + 1])
        self.assertLess(max(map(len, lines[at:at + 2])), 80)
        self.leave(chat)

    def test_a_script_does_not_wait_for_a_login(self):
        self.env["ACP_MODEL"] = "anthropic/claude-sonnet-4-5"
        for typed in ("", "hello\n"):
            done = subprocess.run([ACP, "chat"], input=typed, env=self.env, cwd=self.work, capture_output=True,
                                  text=True, timeout=300)
            self.assertNotEqual(done.returncode, 0, done)
            self.assertIn("there is no key for anthropic", done.stdout + done.stderr)

    def test_offline_by_choice(self):
        self.env["ACP_MODEL"] = "offline"
        chat = self.chat()
        chat.wait(IDLE)
        chat.type("list\r")
        chat.wait("list")
        self.assertNotIn("No model", self.leave(chat))


if __name__ == "__main__":
    main()
