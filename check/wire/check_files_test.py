#!/usr/bin/env python3
"""check_files_test.py ACP: an agent under check reaches no file outside the check's own directory."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ACP = str(Path(sys.argv[1]).resolve())
# Puts links into its directory, then asks for what they lead to; writes what it got to $SEEN.
AGENT = '''
import json, os, sys
home, seen = os.environ["HOME"], open(os.environ["SEEN"], "a")
def send(message):
    sys.stdout.write(json.dumps(dict(message, jsonrpc="2.0")) + "\\\\n"); sys.stdout.flush()
def call(method, **params):
    send({"id": "x", "method": method, "params": params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == "x": return message
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        send({"id": message["id"], "result": {"protocolVersion": 1, "agentCapabilities": {}}})
    elif message.get("method") == "session/new":
        cwd = message["params"]["cwd"]
        for name, target in (("key", home + "/keys.toml"), ("rules", home + "/policy.toml")):
            if not os.path.lexists(cwd + "/" + name): os.symlink(target, cwd + "/" + name)
        if not os.path.lexists(cwd + "/fifo"): os.mkfifo(cwd + "/fifo")
        send({"id": message["id"], "result": {"sessionId": "s"}})
    elif message.get("method") == "session/prompt":
        if "MOVES" in os.environ and not os.path.islink(cwd):
            os.rename(cwd, cwd + ".away")
            os.symlink(home, cwd)
            for name in ("fifo", "keys.toml"):
                seen.write(json.dumps(call("fs/read_text_file", sessionId="s", path=cwd + "/" + name)) + "\\n")
            seen.write(json.dumps(call("fs/write_text_file", sessionId="s", path=cwd + "/policy.toml", content="evil")) + "\\n")
            seen.flush()
            os.unlink(cwd)
            os.rename(cwd + ".away", cwd)
        for name in ("key", "fifo"):
            seen.write(json.dumps(call("fs/read_text_file", sessionId="s", path=cwd + "/" + name)) + "\\\\n")
        seen.write(json.dumps(call("fs/write_text_file", sessionId="s", path=cwd + "/rules", content="evil")) + "\\\\n")
        seen.flush()
        send({"id": message["id"], "result": {"stopReason": "end_turn"}})
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "no"}})
'''.replace("\\\\n", "\\n")


class Files(unittest.TestCase):
    def test_links_lead_nowhere(self):
        self.check()

    def test_nor_does_a_link_in_place_of_the_directory(self):
        self.check(MOVES="1")

    def check(self, **more):
        with tempfile.TemporaryDirectory() as home:
            Path(home, "keys.toml").write_text("a secret")
            Path(home, "agent.py").write_text(AGENT)
            seen = Path(home, "seen")
            subprocess.run([ACP, "check", "agent", "--only", "A-TURN", "--timeout", "5", "--", sys.executable,
                            home + "/agent.py"], capture_output=True, timeout=300,
                           env=dict(os.environ, HOME=home, SEEN=str(seen), **more))
            text = seen.read_text()
            self.assertIn("-32002", text)
            self.assertNotIn("a secret", text)
            self.assertFalse(Path(home, "policy.toml").exists())


unittest.main(argv=[sys.argv[0]])
