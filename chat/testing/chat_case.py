"""What the tests of acp chat begin with: the program in a terminal, in a home of its own."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

from screen import Chat

ACP = str(Path(sys.argv[1]).resolve())
HERE = Path(__file__).resolve().parent
RUN_AGENTS = str(HERE.parent.parent / "cli" / "testing" / "run_agents.py")
IDLE = "/help"  # the status line, when the agent waits for us


class ChatCase(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name).resolve()
        self.work = self.home / "work"
        self.work.mkdir()
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("XDG_", "ACP_", "OPENAI_", "ANTHROPIC_")) and k != "NO_COLOR"}
        self.env |= {"HOME": str(self.home), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}

    def chat(self, *arguments, before=lambda *command: command, **options):
        chat = Chat([*before(ACP, "chat", *arguments)], env=self.env, cwd=self.work, **options)
        self.addCleanup(chat.close)
        return chat

    def offline(self, *arguments, **options):
        """A chat with the offline model, ready for a prompt."""
        chat = self.chat(*arguments, "--", ACP, "agent", "--model", "offline", **options)
        chat.wait(IDLE)
        return chat

    def hostile(self, kind, *arguments, **options):
        return self.chat(*arguments, "--", sys.executable, str(HERE / "hostile_agent.py"), kind, **options)

    def hostile_turn(self, *words, **options):
        """A prompt to one of the agents that acp run is tested with too."""
        chat = self.chat("--", sys.executable, RUN_AGENTS, *words, **options)
        chat.wait(IDLE)
        chat.type("go\r")
        return chat

    def configure(self, text):
        file = self.home / ".config/acp/config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o600)

    def leave(self, chat):
        chat.screen.settled = False  # the command that goes on with the session is one line, however long
        chat.type("\x04")
        self.assertEqual(chat.end(), 0)
        self.assertEqual(chat.screen.faults, [])
        self.assertTrue(chat.sane())
        return chat.screen.text()


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
