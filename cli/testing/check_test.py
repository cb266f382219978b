#!/usr/bin/env python3
"""What `acp check agent` says and writes, and how it ends. check_test.py ACP_PROGRAM MUTANT_AGENT"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from terminal import output_in

ACP, MUTANT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
AGENT = [sys.executable, "-I", "-S", MUTANT]


def acp(*words, **more):
    return subprocess.run([ACP, "check", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, check=False, **more)


class Check(unittest.TestCase):
    def test_list_names_every_requirement_and_starts_nothing(self):
        done = acp("agent", "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("A-INIT-1", done.stdout)
        self.assertIn("A-WIRE-1", done.stdout)
        self.assertNotIn("C-", done.stdout)
        self.assertEqual(len({line.split()[0] for line in done.stdout.splitlines() if line.startswith("  A-")}),
                         sum(line.startswith("  A-") for line in done.stdout.splitlines()))

    def test_every_area_has_a_title(self):
        for side in ("agent", "client"):
            titles = [line for line in acp(side, "--list").stdout.splitlines() if line and line[0] != " "]
            self.assertEqual([title for title in titles if title.isupper() and title != "JSON-RPC"], [])

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
            self.assertEqual(done.returncode, 3, done.stderr)
            said = "the agent exited with code 4 before it had answered initialize; its last words:\nno licence\n"
            self.assertEqual(done.stderr, "acp check agent: " + said)
            self.assertIn("Nothing could be checked: " + said + "0 passed, ", done.stdout)
        done = acp("agent", "--", "/bin/sh", "-c", "echo Welcome; kill -9 $$")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr, "acp check agent: the agent was killed by SIGKILL before it had answered "
                         "initialize\n")

    def test_an_agent_that_only_closes_its_output(self):
        done = acp("agent", "--only", "A-INIT-1", "--", "/bin/sh", "-c", "exec 1>&-; exec sleep 60")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("the agent never answered initialize: it closed its output, and runs on\n", done.stdout)

    def test_what_is_no_agent_passes_nothing(self):
        for command, why in ((["cat"], "it sent back what it was sent"),
                             (["sleep", "100"], "nothing came in time (--timeout)")):
            with self.subTest(command=command), tempfile.TemporaryDirectory() as folder:
                results, junit = Path(folder, "r.json"), Path(folder, "r.xml")
                done = acp("agent", "--timeout", "1", "--json", str(results), "--junit", str(junit), "--", *command)
                sentence = "the agent never answered initialize: " + why
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertEqual(done.stderr, f"acp check agent: {sentence}\n")
                self.assertIn(f"\n\nNothing could be checked: {sentence}\n0 passed, ", done.stdout)
                self.assertIn("fail  A-INIT-1 ", done.stdout)
                self.assertNotIn("  skip  ", done.stdout)
                written = json.loads(results.read_text(encoding="utf-8"))
                self.assertEqual((written["summary"]["pass"], written["summary"]["gave_up"]), (0, sentence))
                self.assertEqual({each["message"] for each in written["results"] if each["status"] == "skip"},
                                 {sentence})
                self.assertEqual(len(list(ElementTree.parse(junit).iter("testcase"))), len(written["results"]))

    def test_an_agent_that_only_refuses_passes_nothing(self):
        agent = ("import sys, json\nfor line in sys.stdin: print(json.dumps({'jsonrpc': '2.0', 'id': "
                 "json.loads(line)['id'], 'error': {'code': -32603, 'message': 'no'}}), flush=True)")
        done = acp("agent", "--only", "A-INIT", "--", sys.executable, "-c", agent)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("Nothing could be checked: the agent answered initialize with nothing but errors: ", done.stdout)
        self.assertIn("\n0 passed, ", done.stdout)

    def test_the_users_settings_and_history_stay_as_they_are(self):
        with tempfile.TemporaryDirectory() as home:
            env = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")} | {"HOME": home}
            results = Path(home, "r.json")
            done = acp("agent", "--only", "A-PERM", "--only", "A-CANCEL", "--only", "A-LIST", "--json", str(results),
                       "--", ACP, "agent", "--model", "offline", env=env)
            self.assertEqual(done.returncode, 0, done.stdout)
            statuses = {each["id"]: each["status"] for each in
                        json.loads(results.read_text(encoding="utf-8"))["results"]}
            # A rule that A-PERM-21 makes does not keep the agent from asking in A-CANCEL-13.
            self.assertEqual((statuses["A-PERM-21"], statuses["A-CANCEL-13"]), ("pass", "pass"))
            self.assertEqual(list(Path(home).rglob("policy.toml")), [])
            asked = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}) + "\n"
                            for i, (method, params) in enumerate((("initialize", {"protocolVersion": 1}),
                                                                  ("session/list", {}))))
            agent = subprocess.run([ACP, "agent", "--model", "offline"], input=asked, env=env, capture_output=True,
                                   text=True, timeout=60, check=True)
            self.assertEqual(json.loads(agent.stdout.splitlines()[-1])["result"]["sessions"], [])

    def test_commands_that_a_client_denies_are_not_said_to_live_on(self):
        with tempfile.TemporaryDirectory() as home:
            file = Path(home, "r.json")
            done = acp("client", "--only", "C-TTY", "--json", str(file), "--", ACP, "run", "hello", "--", "{agent}",
                       env={**os.environ, "HOME": home})
            results = {each["id"]: each for each in json.loads(file.read_text(encoding="utf-8"))["results"]}
        self.assertEqual([id for id, each in results.items() if each["status"] == "fail"], ["C-TTY-1"], done.stdout)
        for id in ("C-TTY-13", "C-TTY-15"):
            self.assertEqual(results[id]["status"], "skip")
            self.assertIn("no command was started: terminal/create got the error", results[id]["message"])

    def test_the_example_of_the_help_works(self):
        example = next(line for line in acp("client", "--help").stdout.splitlines() if "acp run" in line).split()
        self.assertEqual(example[:3], ["acp", "check", "client"])
        with tempfile.TemporaryDirectory() as home:
            Path(home, "acp").symlink_to(ACP)
            done = acp("client", "--only", "C-TTY", "--only", "C-FS-8", *example[3:],
                       env={**os.environ, "HOME": home, "PATH": home + ":" + os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(", 0 failed,", done.stdout)

    def test_a_dash_is_stdout(self):
        with tempfile.TemporaryDirectory() as folder:
            for side in (["agent", "--only", "A-INIT-1"], ["client", "--only", "C-INIT-1", "--timeout", "1"]):
                peer = AGENT if side[0] == "agent" else ["/bin/sh", "-c", "true {agent}"]
                done = acp(*side, "--json", "-", "--", *peer, cwd=folder)
                self.assertEqual([each["id"] for each in json.loads(done.stdout)["results"]], [side[2]])
                done = acp(*side, "--junit", "-", "--", *peer, cwd=folder)
                self.assertEqual(len(list(ElementTree.fromstring(done.stdout).iter("testcase"))), 1)
                done = acp(*side, "--junit", "-", "--json", "-", "--", *peer, cwd=folder)
                self.assertEqual(done.returncode, 2)
            self.assertEqual(os.listdir(folder), [])

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
        self.assertEqual({tuple(each) for each in written["results"]}, {("id", "level", "status", "message", "text", "page")})
        self.assertEqual(written["results"][0]["text"],
                         "Asked for protocol version 1, the agent answers with version 1.")
        self.assertIn("https://agentclientprotocol.com/", written["results"][0]["page"])

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
        with tempfile.TemporaryDirectory() as folder:
            started = Path(folder, "started")
            for option in ("--json", "--junit"):
                for file, why in (("/nowhere/r", "No such file or directory"), (folder, "Is a directory")):
                    for peer in (["agent", "--only", "A-INIT-1"], ["client"]):
                        done = acp(*peer, option, file, "--", "sh", "-c", f"touch {started} # {{agent}}")
                        self.assertEqual(done.returncode, 2, done)
                        self.assertIn(f"acp check {peer[0]}: cannot write {file}: {why}\n", done.stderr)
                        self.assertEqual(done.stdout, "")
            self.assertFalse(started.exists(), "it is known before the check")

    def test_a_terminal_shows_how_far_it_is(self):
        command = [ACP, "check", "agent", "--only", "A-INIT", "--only", "A-EXT", "--", *AGENT]
        shown, code = output_in(200, command, dict(os.environ))
        self.assertEqual(code, 0, shown)
        self.assertIn("\r\x1b[Kchecking A-INIT, A-AUTH; 1 part follows", shown)
        self.assertIn("\r\x1b[Kchecking A-INPUT, A-EXT, ", shown)
        self.assertIn("\r\x1b[KInitialization\n", shown)
        self.assertEqual(acp(*command[2:]).stderr, "")

    def begun(self, folder, *words):
        """A check that waits for its peer, which has said that it runs."""
        env = {**os.environ, "TMPDIR": folder}
        check = subprocess.Popen([ACP, "check", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=env)
        self.addCleanup(check.communicate)
        self.addCleanup(check.kill)
        return check

    def test_a_signal_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number), tempfile.TemporaryDirectory() as folder:
                gate = folder + "/gate"
                os.mkfifo(gate)
                # It says its own id, and that of a child that it does not wait for.
                silent = f"sleep 1000 & echo $$ $! >{gate}; exec sleep 1000 # {{agent}}"
                for side in ("agent", "client"):
                    check = self.begun(folder, side, "--timeout", "600", "--", "sh", "-c", silent)
                    with open(gate) as said:
                        handles = [os.pidfd_open(int(process)) for process in said.readline().split()]
                    check.send_signal(number)
                    self.assertEqual(check.wait(timeout=60), 128 + number, side)
                    for handle in handles:
                        self.assertTrue(select.select([handle], [], [], 60)[0], "a process lives on")
                        os.close(handle)
                    self.assertEqual(os.listdir(folder), ["gate"], side)

    def test_a_socket_that_was_left_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/s"
            listens = ["client", "--only", "C-INIT-1", "--timeout", "600", "--listen", path]
            left = socket.socket(socket.AF_UNIX)
            left.bind(path)
            left.close()
            check = self.begun(folder, *listens)
            self.assertIn(b"The command of the agent: ", check.stderr.readline())
            visitor = socket.socket(socket.AF_UNIX)
            self.addCleanup(visitor.close)
            while visitor.connect_ex(path) != 0:
                self.assertIsNone(check.poll())  # it does not listen yet
            # One that is listened to is not taken away, and nobody's file is.
            second = acp(*listens)
            self.assertEqual(second.returncode, 1, second)
            self.assertIn("Address already in use", second.stderr)
            check.terminate()
            self.assertEqual(check.wait(timeout=60), 128 + signal.SIGTERM)
            self.assertEqual(os.listdir(folder), [])
            Path(path).write_text("mine", encoding="utf-8")
            self.assertIn("Address already in use", acp(*listens).stderr)
            self.assertEqual(Path(path).read_text(encoding="utf-8"), "mine")

    def test_earlier_results_are_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder, "r.json")
            results.write_text("x" * 100_000, encoding="utf-8")
            done = acp("agent", "--only", "A-INIT-1", "--json", str(results), "--", *AGENT)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(results.read_text(encoding="utf-8"))["summary"]["pass"], 1)


unittest.main(argv=sys.argv[:1])
