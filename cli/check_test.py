#!/usr/bin/env python3
"""What `acp check agent` says and writes, and how it ends. check_test.py ACP_PROGRAM MUTANT_AGENT"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ACP, MUTANT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
AGENT = [sys.executable, "-I", "-S", MUTANT]


def acp(*words):
    return subprocess.run([ACP, "check", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, check=False)


class Check(unittest.TestCase):
    def test_list_names_every_requirement_and_starts_nothing(self):
        done = acp("agent", "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("A-INIT-1", done.stdout)
        self.assertIn("A-WIRE-1", done.stdout)
        self.assertNotIn("C-", done.stdout)
        self.assertEqual(len({line.split()[0] for line in done.stdout.splitlines() if line.startswith("  A-")}),
                         sum(line.startswith("  A-") for line in done.stdout.splitlines()))

    def test_mistakes_in_the_usage(self):
        for words in (["agent"], ["agent", "--only", "A-NONE-1", "--", *AGENT],
                      ["agent", "--framing", "smoke", "--", *AGENT],
                      ["agent", "--prompt", "dance=now", "--", *AGENT],
                      ["agent", "--timeout", "-1", "--", *AGENT], []):
            with self.subTest(words=words):
                done = acp(*words)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn("--help", done.stderr)

    def test_an_agent_that_cannot_be_started(self):
        done = acp("agent", "--", "/nowhere/agent")
        self.assertEqual(done.returncode, 3)
        self.assertIn("/nowhere/agent", done.stderr)

    def test_an_agent_that_ends_at_once(self):
        for only in ("A-INIT", "A-MCP", "A-INPUT"):
            done = acp("agent", "--only", only, "--", "/bin/sh", "-c", "echo no licence >&2; exit 4")
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
            self.assertEqual(done.stderr, "acp check agent: the agent exited with code 4 before it had answered "
                             "initialize; its last words:\nno licence\n")
        done = acp("agent", "--", "/bin/sh", "-c", "echo Welcome; kill -9 $$")
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        self.assertEqual(done.stderr, "acp check agent: the agent was killed by SIGKILL before it had answered "
                         "initialize\n")

    def test_an_agent_that_only_closes_its_output(self):
        done = acp("agent", "--only", "A-INIT-1", "--", "/bin/sh", "-c", "exec 1>&-; exec sleep 60")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("initialize was answered with nothing: the agent closed the connection\n", done.stdout)

    def test_only_runs_what_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder, "r.json")
            done = acp("agent", "--only", "A-INIT-1", "--only", "A-ID", "--auth", "token", "--json", str(results),
                       "--", *AGENT)
            self.assertEqual(done.returncode, 0, done.stderr)
            written = json.loads(results.read_text(encoding="utf-8"))
        ids = ["A-INIT-1", *(f"A-ID-{number}" for number in range(1, 7))]
        self.assertEqual([each["id"] for each in written["results"]], ids)
        self.assertEqual(written["summary"]["pass"], len(ids))
        self.assertEqual({tuple(each) for each in written["results"]}, {("id", "level", "status", "message")})

    def test_a_failure_at_must_and_one_at_should(self):
        with tempfile.TemporaryDirectory() as folder:
            junit = Path(folder, "r.xml")
            done = acp("agent", "--only", "A-INIT", "--junit", str(junit), "--", *AGENT, "--fault", "version-echoed")
            self.assertEqual(done.returncode, 1)
            self.assertIn("fail  A-INIT-3", done.stdout)
            self.assertIn("65535", done.stdout)
            self.assertIn("see https://agentclientprotocol.com/", done.stdout)
            tree = ElementTree.parse(junit)
            self.assertEqual([f.get("type") for f in tree.iter("failure")], ["must"])
            self.assertEqual(len(list(tree.iter("testcase"))), 9)
        done = acp("agent", "--only", "A-INIT", "--", *AGENT, "--fault", "nameless")
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 failed (1 at should)", done.stdout)

    def test_a_file_that_cannot_be_written_is_an_error(self):
        done = acp("agent", "--only", "A-INIT-1", "--json", "/nowhere/r.json", "--", *AGENT)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/r.json", done.stderr)


unittest.main(argv=sys.argv[:1])
