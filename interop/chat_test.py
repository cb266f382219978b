#!/usr/bin/env python3
"""chat_test.py ACP NODE: acp chat in a terminal, with agents that others wrote: one on the official SDK, and
claude-code-acp with the model server of the tests behind it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ACP, NODE = str(Path(sys.argv[1]).resolve()), sys.argv[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "chat" / "testing"))
from screen import Chat  # noqa: E402

IDLE = "/help"
CLAUDE = HERE.parent / "node_modules/@zed-industries/claude-code-acp/dist/index.js"
MODEL = """
import { ModelServer } from "./model_server.mjs";
const answers = JSON.parse(process.argv[1]);
let next = 0;
const model = await ModelServer.start();
model.script(({ body }) => (body.tools?.length ? answers[next++] : { text: "none" }));
console.log(model.url);
process.stdin.on("end", () => process.exit(0)).resume();
"""


class Others(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = Path(directory.name).resolve()
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ANTHROPIC_"))}
        self.env |= {"HOME": str(self.work), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}

    def chat(self, *command):
        chat = Chat([ACP, "chat", "--", *command], env=self.env, cwd=self.work, rows=40)
        self.addCleanup(chat.close)
        return chat

    def sdk(self, *arguments):
        return self.chat(NODE, str(HERE / "sdk_agent.mjs"), *arguments)

    def sdk_version_2(self):
        self.env["ACP_V2"] = "1"
        chat = self.chat(NODE, str(HERE / "version2" / "sdk_agent.mjs"))
        chat.wait(IDLE)
        return chat

    def leave(self, chat):
        chat.wait(IDLE)
        self.assertEqual(chat.screen.faults, [])
        chat.type("\x04")
        self.assertEqual(chat.end(), 0)
        # The command to go on with is one line, so that it can be pasted: the terminal wraps it.
        faults = [fault for fault in chat.screen.faults if not fault.startswith("beyond the last column")]
        self.assertEqual(faults, [])
        self.assertTrue(chat.sane())

    def test_version_2(self):
        chat = self.sdk_version_2()
        chat.type("updates\r")
        for shown in ("✓ ← Reading", "✗ • Failing", "• Stopped", "◐ • Paused", "! A notice", "The context was compacted"):
            chat.wait(shown)
        chat.wait(IDLE)
        chat.type("permission-all\r")
        chat.wait("asks for permission")
        chat.type("y\r")
        chat.wait("allow_once")
        chat.wait(IDLE)
        chat.type("stream\r")
        chat.wait("again and again")
        chat.type("\x03")
        chat.wait("Cancelled")
        self.leave(chat)

    def test_every_update(self):
        chat = self.sdk()
        chat.wait(IDLE)
        chat.type("updates\r")
        chat.wait("✓ ← Reading")
        chat.wait("! A notice")
        chat.wait("The context was compacted")
        chat.wait(IDLE)
        chat.type("content\r")
        for word in ("image/png", "audio/wav", "a.txt", "a.bin"):
            chat.wait(word)
        self.leave(chat)
        chat = self.sdk("unstable")
        chat.wait(IDLE)
        chat.type("unstable\r")
        chat.wait("Subagent Sub: running")
        chat.wait("Message from sub")
        self.leave(chat)

    def test_questions_terminals_and_cancel(self):
        chat = self.sdk()
        chat.wait(IDLE)
        chat.type("permission\r")
        chat.wait("asks for permission")
        chat.type("n\r")
        chat.wait("reject_once")
        chat.wait(IDLE)
        chat.type("terminal echo one && echo two\r")
        chat.wait("one two [0]")
        chat.wait(IDLE)
        chat.type("elicit\r")
        chat.wait("asks:")
        chat.type("\x1b")
        chat.wait("decline")
        chat.wait(IDLE)
        chat.type("wait\r")
        chat.wait("waiting")
        chat.type("\x1b")
        chat.wait("⊘ Cancelled")
        self.leave(chat)

    def test_a_login(self):
        chat = self.sdk("require-login")
        chat.wait("wants a login")
        chat.type("1\r")
        chat.wait(IDLE)
        chat.type("Hello there\r")
        chat.wait("Hello there", times=2)
        self.leave(chat)

    def test_claude_code_acp(self):
        path = self.work / "notes.txt"
        answers = [{"toolCalls": [{"name": "mcp__acp__Write", "arguments": {"file_path": str(path),
                                                                            "content": "one\n"}}]},
                   {"text": "All is **done**."}]
        with subprocess.Popen([NODE, "--input-type=module", "-e", MODEL, json.dumps(answers)],
                              cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as model:
            self.env |= {"ANTHROPIC_BASE_URL": model.stdout.readline().strip(), "ANTHROPIC_API_KEY": "x",
                         "IS_SANDBOX": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
            chat = self.chat(NODE, str(CLAUDE))
            chat.wait(IDLE)
            chat.type("Write it\r")
            chat.wait("asks for permission")
            chat.type("y\r")
            chat.wait("All is done.")
            self.assertEqual(path.read_text(), "one\n")
            chat.wait(IDLE)
            chat.type("/changes\r")
            chat.wait("notes.txt  new  +1 -0")
            self.leave(chat)
            model.stdin.close()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
