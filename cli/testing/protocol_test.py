"""Which versions of the protocol acp agent, acp run and acp chat speak, and who says so: protocol_test.py ACP"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ACP = os.path.abspath(sys.argv.pop(1))
KEPT = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ACP_", "OPENAI_", "ANTHROPIC_"))}
TIME = 60  # seconds: for a test that hangs


class Versions(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = os.path.realpath(scratch.name)
        self.environment = dict(KEPT, HOME=self.home, ACP_MODEL="offline")

    def configure(self, text):
        os.makedirs(self.home + "/.config/acp", exist_ok=True)
        with open(self.home + "/.config/acp/config.toml", "w") as out:
            out.write(text)
        os.chmod(out.name, 0o600)

    def acp(self, *words, said="", code=0, **variables):
        done = subprocess.run([ACP, *words], input=said, capture_output=True, text=True, cwd=self.home, timeout=TIME,
                              env=dict(self.environment, **variables))
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done

    def answered(self, *words, asked=2, **variables):
        """The version that acp agent chooses."""
        both = {"protocolVersion": asked, "clientCapabilities": {}, "capabilities": {},
                "info": {"name": "test", "version": "1"}}
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": both})
        done = self.acp("agent", *words, said=line + "\n", **variables)
        return json.loads(done.stdout.splitlines()[0])["result"]["protocolVersion"]

    def asked(self, *words, **variables):
        """The versions that a client asks for, of an agent that speaks both."""
        script = f"tee {self.home}/asked | ACP_V2=1 {ACP} agent"
        self.acp(*words, "--", "sh", "-c", script, **variables)
        with open(self.home + "/asked") as lines:
            messages = [json.loads(line) for line in lines]
        return [message["params"]["protocolVersion"] for message in messages if message["method"] == "initialize"]

    def test_the_agent(self):
        self.assertEqual(self.answered(), 1)
        self.assertEqual(self.answered("--protocol", "2"), 2)
        self.assertEqual(self.answered("--protocol", "2", asked=1), 1)
        self.assertEqual(self.answered(ACP_V2="1"), 2)
        self.assertEqual(self.answered("--protocol", "1", ACP_V2="1"), 1)
        self.configure("protocol = 2\n")
        self.assertEqual(self.answered(), 2)
        self.assertEqual(self.answered(ACP_V2="0"), 1)

    def test_clients(self):
        for command in [("run", "hi"), ("chat", "hi")]:
            with self.subTest(command[0]):
                self.configure("")
                self.assertEqual(self.asked(*command), [1])
                self.assertEqual(self.asked(*command, "--protocol", "2"), [2])
                self.assertEqual(self.asked(*command, ACP_V2="1"), [2])
                self.configure("protocol = 2\n")
                self.assertEqual(self.asked(*command), [2])
                self.assertEqual(self.asked(*command, "--protocol", "1"), [1])

    def test_the_built_in_agent_is_told(self):
        self.configure("protocol = 1\n")
        self.assertIn("ACP version 2", self.acp("run", "-v", "hi", "--protocol", "2").stderr)
        self.assertNotIn("ACP version", self.acp("run", "-v", "hi").stderr)

    def test_mistakes(self):
        self.assertIn("--protocol", self.acp("agent", "--protocol", "3", code=2).stderr)
        self.assertIn("ACP_V2: expected 0 or 1, got", self.acp("run", "hi", code=2, ACP_V2="yes").stderr)
        self.configure("protocol = 3\n")
        self.assertIn("config.toml:1: protocol", self.acp("agent", code=2).stderr)

    def test_it_is_shown(self):
        self.acp("config", "set", "protocol", "2")
        self.assertEqual(self.acp("config", "get", "protocol").stdout, "2\n")
        self.assertIn("protocol", self.acp("config").stdout)


if __name__ == "__main__":
    unittest.main()
