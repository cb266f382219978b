"""`acp run` with agents that exist, or may, and are not what one expects: scripted_agents_test.py ACP"""

import json
import os
import signal
import subprocess
import sys
import unittest

from scripted_client import PATIENCE, Place, environment_in

ACP = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))


class Run(Place):
    def start(self, *words, options=()):
        agent = [sys.executable, os.path.join(HERE, "scripted_agent.py"), *words]
        process = subprocess.Popen([ACP, "run", "--policy", "allow", *options, "x", "--", *agent],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.project, env=environment_in(self.home))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_with(self, *words, options=(), code=0):
        """What it wrote to stdout and to stderr."""
        process = self.start(*words, options=options)
        out, err = (text.decode() for text in process.communicate(timeout=PATIENCE))
        self.assertEqual(process.returncode, code, (out, err))
        return out, err

    def test_the_reason_of_an_error(self):
        data = json.dumps({"details": "the model is asleep\x1b[31m", "scope": "models", "retryAfter": 90})
        _, err = self.run_with("error", data, code=1)
        told = "Internal error: the model is asleep␛[31m (scope: models) (try again in 90 s)\n"
        self.assertIn(told, err)
        out, _ = self.run_with("error", data, options=["--json"], code=1)
        self.assertEqual(json.loads(out.splitlines()[-1])["data"], json.loads(data))
        _, err = self.run_with("error", '"the quota is used up"', code=1)
        self.assertIn("Internal error: the quota is used up\n", err)

    def test_an_agent_that_says_when_to_come_again(self):
        out, err = self.run_with("limited", "0.01")
        self.assertEqual(out, "prompt 2\n")
        self.assertIn("Slow down (try again in 0.01 s)", err)
        # Longer than anybody waits.
        _, err = self.run_with("limited", "1000", code=1)
        self.assertIn("Slow down (try again in 1000 s)\n", err)

    def test_a_permission_for_an_unknown_session(self):
        """Refused like any other request: nobody is asked, and nothing allowed."""
        out, err = self.run_with("permission", "another")
        self.assertIn("-32002 Resource not found: session another", out)
        self.assertNotIn("[allowed]", err)
        self.assertIn("selected", self.run_with("permission", "s")[0])

    def test_a_question_for_an_unknown_session(self):
        out, err = self.run_with("question", "another")
        self.assertIn("-32002 Resource not found: session another", out)
        self.assertNotIn("Which word?", err)
        self.assertIn("decline", self.run_with("question", "s")[0])

    def test_what_is_not_meant_for_people(self):
        out, err = self.run_with("audience", "")
        self.assertEqual(out, "for all\n")
        self.assertIn("shown to you", err)
        self.assertNotIn("hidden", err)
        self.assertIn("hidden", self.run_with("audience", "", options=["--verbose"])[1])

    def until(self, stream, what):
        seen = b""
        while what not in seen:
            piece = os.read(stream.fileno(), 1)
            self.assertTrue(piece, seen)
            seen += piece

    def test_calls_that_a_signal_cancels(self):
        process = self.start("works", "")
        self.until(process.stderr, b"[tool] execute: Build it")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, out), (130, b"stopped\n"), err)
        self.assertIn(b"[cancelled] Build it", err)
        self.assertIn(b"half built", err)  # what it gave is kept
        self.assertNotIn(b"[failed]", err)

        process = self.start("works", "", options=["--json"])
        self.until(process.stdout, b"Build it")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        events = [json.loads(line) for line in out.splitlines()[1:]]
        cancel = next(event for event in events if event["event"] == "cancel")
        self.assertEqual(cancel, {"event": "cancel", "reason": "interrupt", "toolCalls": ["c"]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
