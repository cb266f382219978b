"""How acp run tells what happened: commands that failed, errors, signals: run_report_test.py ACP ECHO_AGENT"""

import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import unittest

from run_place import ACP, END, Place, hostile


class Commands(Place):
    def test_one_that_failed_is_told_so(self):
        done = self.run_it("run false", "--policy", "allow")
        self.assertIn("[failed] `false`: exit code 1\n", done.stderr)
        self.assertIn("- `false`: exit code 1\n", done.stdout)
        fine = self.run_it("run true", "--policy", "allow")
        self.assertIn("[done] `true`\n", fine.stderr)
        self.assertEqual(fine.stdout, "Done.\n")

    def test_whatever_the_agent_says(self):
        commands = json.dumps(["true", "exit 3", "kill -SEGV $$"])
        done = self.run_it("x", "--policy", "allow", *hostile("commands", commands))
        ends = [line for line in done.stderr.splitlines() if line.startswith(("[done]", "[failed]"))]
        self.assertEqual(ends, ["[done] `true`", "[failed] `exit 3`: exit code 3",
                                "[failed] `kill -SEGV $$`: killed by SIGSEGV"])
        exits = [event for event in self.events("x", "--policy", "allow", *hostile("commands", commands))
                 if event["event"] == "terminal_exit"]
        self.assertEqual([(one.get("exitCode"), one.get("signal")) for one in exits],
                         [(0, None), (3, None), (None, "SIGSEGV")])

    def test_one_that_the_agent_runs_itself(self):
        lines = self.run_it("x", *hostile("own-command")).stderr.splitlines()
        self.assertEqual(lines, ["[tool] execute: `make`", "[done] `make`", "[tool] execute: `make`",
                                 "[failed] `make`: exit code 2"])


class Calls(Place):
    def test_what_is_called_and_on_what(self):
        for words in ([], ["-v"]):
            shown = self.run_it("create a.txt with x; run echo hi; list", "--policy", "allow", *words).stderr
            self.assertIn(f"[tool] edit: Create a.txt ({self.project}/a.txt)\n", shown)
            self.assertIn("[tool] execute: `echo hi` ", shown)
            self.assertIn("[tool] read: List . ", shown)
            os.remove(self.project + "/a.txt")
        self.assertIn('  input: {"command":"echo hi"}\n', shown)

    def test_a_mode_that_was_chosen_stands_before_the_turn(self):
        done = subprocess.run([ACP, "run", "list", "--set", "mode=code"], env=self.environment, text=True,
                              cwd=self.project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=END).stdout
        self.assertTrue(done.endswith("Done.\n"), done)


class Server:
    """Answers every request with one status."""

    def __init__(self, status):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                body = json.dumps({"error": {"message": "the provider's words \x1b[31m", "code": "odd"}}).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d/v1" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Errors(Place):
    def serve(self, status):
        server = Server(status)
        self.addCleanup(server.close)
        self.environment.update(OPENAI_BASE_URL=server.url, ACP_MODEL="openai/gpt-77")

    def test_what_the_log_has_is_shown(self):
        self.serve(404)
        self.environment["OPENAI_API_KEY"] = "sk-1234567890"
        notice, *lines = self.run_it("x", code=1).stderr.splitlines()
        self.assertIn("[notice]", notice)
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("for the model gpt-77", lines[0])
        number = lines[0].split()[-1]
        self.assertRegex(number, "^e_[0-9a-f]+$")
        self.assertTrue(lines[1].startswith("[log] ") and number in lines[1], lines)
        self.assertIn("the provider's words", lines[1])
        self.check_safe(lines[1])
        verbose = self.run_it("x", "-v", code=1).stderr
        self.assertEqual(verbose.count("the provider's words"), 1, verbose)
        self.assertIn("the provider's words", self.events("x", code=1)[-1]["log"])

    def test_a_key_that_was_rejected(self):
        self.serve(401)
        self.environment["OPENAI_API_KEY"] = "sk-1234567890"
        told = self.run_it("x", code=7).stderr
        self.assertIn("acp run: openai: the key was rejected (HTTP 401", told)
        self.assertIn("The key comes from OPENAI_API_KEY: set another one there", told)
        self.assertNotIn("wants a login first", told)
        self.assertNotIn("It offers", told)
        del self.environment["OPENAI_API_KEY"]
        keys = self.write(".config/acp/keys.toml", 'openai = "sk-1234567890"\n')
        told = self.run_it("x", code=7).stderr
        self.assertIn(f"The key comes from {keys}: `acp agent --login openai` stores another one", told)

    def test_codes_are_for_those_who_want_them(self):
        self.assertNotIn("-32603", self.run_it("x", *hostile("error"), code=1).stderr)
        self.assertIn(" (-32603)\n", self.run_it("x", "-v", *hostile("error"), code=1).stderr)
        self.assertEqual(self.events("x", *hostile("error"), code=1)[-1]["code"], -32603)

    def test_the_model_that_was_named_is_the_one_that_counts(self):
        self.environment["ACP_MODEL"] = "openai/gpt-5"  # for which there is no key
        self.assertEqual(self.run_it("say hi", "--model", "offline").stdout, "hi\nDone.\n")

    def test_a_home_that_can_have_no_files(self):
        self.environment["HOME"] = "/dev/null"
        done = self.run_it("say hi", "--model", "offline")
        self.assertEqual(done.stdout, "hi\nDone.\n")

    def test_the_time_was_over_in_which_phase(self):
        for method, told in [("initialize", "the time was over; the agent did not answer initialize"),
                             ("session/new", "the time was over; the agent did not open a session")]:
            self.assertIn(told, self.run_it("x", "--timeout", "1", *hostile("silent", method), code=124).stderr)

    def test_noise_is_called_by_its_name(self):
        told = self.run_it("x", *hostile("noise")).stderr
        self.assertIn("[warning] from the agent: expected a value, got `Welcome to the agent!`", told)
        self.assertIn("(a line on its standard output that is not JSON)", told)

    def test_the_built_in_agent_has_the_same_framing(self):
        for framing in ("content-length", "auto", "newline"):
            self.assertEqual(self.run_it("say hi", "--framing", framing, "--timeout", "60").stdout, "hi\nDone.\n")

    def test_a_tool_that_is_not_there(self):
        told = self.run_it("use add").stdout
        self.assertIn("there is no tool add, only: ", told)
        self.assertIn("read, ", told)
        self.assertIn("`acp models`", self.run_it("hello").stdout)


class Signals(Place):
    def stopped(self, number, *words):
        process = subprocess.Popen([ACP, "run", "x", *words], env=self.environment, cwd=self.project, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        seen = ""
        while "working" not in seen:
            seen += process.stdout.read(1)
        process.send_signal(number)
        out, err = process.communicate(timeout=END)
        return process.returncode, out, err

    def test_which_one_it_was(self):
        for number, code, reason in [(signal.SIGINT, 130, "interrupt"), (signal.SIGTERM, 143, "terminated"),
                                     (signal.SIGHUP, 129, "hangup")]:
            with self.subTest(number):
                was, out, _ = self.stopped(number, "--json", *hostile("slow"))
                events = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
                self.assertIn({"event": "cancel", "reason": reason}, events)
                self.assertEqual((was, events[-1]["event"], events[-1]["exitCode"]), (code, "stop", code))
                was, _, err = self.stopped(number, "--grace", "0.2", *hostile("stubborn"))
                self.assertEqual(was, code, err)

    def test_nohup(self):
        process = subprocess.Popen(["sh", "-c", 'trap "" HUP; exec "$@"', "sh", ACP, "run", "x", *hostile("slow")],
                                   env=self.environment, cwd=self.project, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        seen = ""
        while "working" not in seen:
            seen += process.stdout.read(1)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=END)
        self.assertEqual(process.returncode, 143, err)


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
