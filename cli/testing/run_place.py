"""A place for `acp run`: a home, a project, and agents that misbehave. Taken by the tests of acp run, which are
started with the paths of acp and of an agent that echoes."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import unittest

from own_network import alone  # noqa: F401, for the tests

ACP, ECHO = (os.path.abspath(path) for path in sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = {k: v for k, v in os.environ.items()
        if not k.startswith(("XDG_", "ACP_", "OPENAI_", "ANTHROPIC_"))}
# Each of many processes would take seconds to look for leaks.
KEPT["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
END = 120  # seconds: for a test that hangs


def hostile(*words):
    return ["--", sys.executable, os.path.join(HERE, "run_agents.py"), *words]


class Place(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = os.path.realpath(scratch.name)
        self.project = self.home + "/project"
        os.makedirs(self.project)
        self.environment = dict(KEPT, HOME=self.home, ACP_MODEL="offline")

    def write(self, name, text):
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        os.chmod(path, 0o600)
        return path

    def acp(self, *words, code=0, said=None, before=lambda *command: command, **how):
        how.setdefault("stdin", subprocess.DEVNULL if said is None else None)
        if said is not None:
            how.pop("stdin")
            how["input"] = said.encode() if isinstance(said, str) else said
        done = subprocess.run(before(ACP, *words), capture_output=True, env=self.environment, timeout=END,
                              cwd=how.pop("cwd", self.project), **how)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, code, (words, done.stdout[-2000:], done.stderr[-2000:]))
        return done

    def run_it(self, *words, **how):
        return self.acp("run", *words, **how)

    def events(self, *words, **how):
        """With --json: every line is an object with an event, the last one an end and only that one."""
        done = self.run_it("--json", *words, **how)
        events = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
        self.assertTrue(done.stdout.endswith("\n"))
        ends = [event for event in events if event["event"] in ("stop", "error")]
        self.assertEqual(ends, events[-1:])
        self.assertEqual(ends[0]["exitCode"], done.returncode)
        return events

    def updates(self, events):
        return [event["update"] for event in events if event["event"] == "update"]

    def said(self, events):
        return "".join(u["content"].get("text", "") for u in self.updates(events)
                       if u["sessionUpdate"] == "agent_message_chunk")

    def check_safe(self, text):
        for bad in [*map(chr, range(32)), *map(chr, range(0x7F, 0xA0))]:
            if bad not in "\n\t":
                self.assertNotIn(bad, text)

    def ask(self, answers, *words, code=0, policy=("--policy", "ask")):
        """acp run --policy ask, at a terminal of its own: what it wrote to a file, and what the terminal showed. An
        answer may be a function, which gives it once the question is there."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.project)
            out = os.open(self.home + "/out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            os.dup2(out, 1)
            os.execve(ACP, [ACP, "run", *policy, "x", *words], self.environment)
        seen = b""

        def more():
            if not select.select([terminal], [], [], END)[0]:
                os.kill(pid, signal.SIGKILL)
                self.fail("it waits for an answer: " + seen.decode())
            return os.read(terminal, 1000)

        try:
            for number, answer in enumerate(answers, 1):
                while seen.count(b"nothing to deny: ") < number:
                    seen += more()
                os.write(terminal, answer() if callable(answer) else answer)
            while True:
                seen += more()
        except OSError:  # the other side is closed
            pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), code, seen)
        os.close(terminal)
        with open(self.home + "/out") as out:
            return out.read(), seen.decode()
