"""mcp_test.py ACP: `acp mcp` as one types it, with servers from npm and one that misbehaves. Runs in
the root of the checkout."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from terminal import output_in

ACP = sys.argv[1]
EVERYTHING = ["node", "node_modules/@modelcontextprotocol/server-everything/dist/index.js"]
HOSTILE = ["python3", "acp/mcp/testing/hostile_server.py"]
PATIENCE = 240


def mcp(*arguments, server=None):
    command = [ACP, "mcp", *arguments, *(["--", *server] if server else [])]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def everything(*arguments):
    return mcp(*arguments, server=[*EVERYTHING, "stdio"])


class Mcp(unittest.TestCase):
    def test_tables(self):
        info = everything("info")
        self.assertEqual(info.returncode, 0, info.stderr)
        self.assertIn("server        mcp-servers/everything 2.0.0", info.stdout)
        self.assertIn("protocol      2025-11-25", info.stdout)
        tools = everything("tools").stdout.splitlines()
        self.assertEqual(tools[0].split(), ["TOOL", "ARGUMENTS", "DESCRIPTION"])
        sum_line = next(line for line in tools if line.startswith("get-sum"))
        self.assertEqual(sum_line.split()[1:3], ["a:number", "b:number"])
        self.assertEqual(sum_line.index("a:number"), tools[0].index("ARGUMENTS"))
        self.assertIn("demo://resource/dynamic/text/{resourceId}", everything("resources").stdout)
        self.assertIn("city state?", everything("prompts").stdout)

    def test_json_is_the_protocols_own(self):
        tools = json.loads(everything("tools", "--json").stdout)["tools"]
        self.assertIn("inputSchema", tools[0])
        result = json.loads(everything("call", "get-structured-content", '{"location":"Chicago"}', "--json").stdout)
        self.assertIn("temperature", result["structuredContent"])
        self.assertIn("capabilities", json.loads(everything("info", "--json").stdout))
        prompt = json.loads(everything("prompt", "args-prompt", "city=Rome", "--json").stdout)
        self.assertEqual(prompt["messages"][0]["role"], "user")

    def test_call_read_and_prompt(self):
        for arguments in (["a=2", "b=3"], ['{"a":2,"b":3}']):
            run = everything("call", "get-sum", *arguments)
            self.assertEqual((run.returncode, run.stdout), (0, "The sum of 2 and 3 is 5.\n"), run.stderr)
        run = everything("call", "trigger-long-running-operation", "duration=0.1", "steps=2")
        self.assertEqual(run.stderr, "progress 1/2\nprogress 2/2\n")
        self.assertRegex(everything("call", "get-tiny-image").stdout, r"\[image/png, \d+ bytes\]")
        blob = subprocess.run([ACP, "mcp", "read", "demo://resource/dynamic/blob/1", "--", *EVERYTHING, "stdio"],
                              capture_output=True, timeout=PATIENCE)
        self.assertTrue(blob.stdout.startswith(b"Resource 1: This is a base64 blob"), blob.stdout)
        self.assertEqual(everything("prompt", "args-prompt", "city=Rome").stdout,
                         "user: What's weather in Rome?\n")

    def test_exit_codes_tell_failures_apart(self):
        def seen(run):
            return run.returncode, run.stderr.splitlines()[0]

        self.assertEqual(seen(everything("call", "simulate-research-query", "topic=x")),
                         (1, "acp mcp: the tool failed"))
        self.assertEqual(everything("read", "demo://nowhere").returncode, 1)
        self.assertEqual(seen(everything("call", "get-sum", "a=2", "b=x")),
                         (2, "acp mcp call: b: expected a number, got 'x'"))
        self.assertEqual(seen(everything("call", "get-sum", "a=2")),
                         (2, "acp mcp call: an argument is missing: b (number)"))
        self.assertTrue(seen(everything("call", "nothing"))[1].startswith(
            "acp mcp call: there is no tool 'nothing', only: echo, "))
        # A header does not swallow the word that follows.
        self.assertEqual(mcp("call", "--header", "A: b", "echo", "--url", "http://127.0.0.1:1/mcp").returncode, 3)
        self.assertEqual(seen(mcp("tools", "--url", "http://127.0.0.1:1/mcp")), (
            3, "acp mcp: no connection: handshake: cannot reach http://127.0.0.1:1/mcp: "
               "Couldn't connect to server (Connection refused)"))
        self.assertEqual(seen(mcp("info", server=["no-such-server"])), (
            3, "acp mcp: no connection: resolve: no-such-server: command not found "
               "(No such file or directory); the command was: no-such-server"))

    def test_what_is_no_server(self):
        echo = mcp("tools", server=["cat"]).stderr
        self.assertIn("initialize was answered with -32601", echo)
        self.assertIn("The server answers, but not as an MCP server does", echo)
        self.assertNotIn("silent", echo)
        silent = mcp("tools", "--timeout", "1.5", server=["sleep", "100"]).stderr
        self.assertIn("no answer to initialize within 1.5 s;", silent)
        self.assertIn("The server is alive, but silent", silent)
        for url in ("foo", "ftp://me:secret@example.org/?key=secret"):
            wrong = mcp("tools", "--url", url)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn("--url: expected a URL that begins with http:// or https://", wrong.stderr)
            self.assertNotIn("secret", wrong.stderr)

    def test_the_normal_end_is_no_warning(self):
        run = mcp("tools", "--verbose", server=[*HOSTILE, "nothing"])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("warning", run.stderr)

    def test_a_server_that_is_killed_in_mid_call(self):
        run = mcp("call", "work", server=[*HOSTILE, "killed"])
        self.assertEqual((run.returncode, run.stderr), (
            3, "acp mcp: the connection was lost: the server was killed by SIGKILL; its last words:\n"
               "out of memory, it seems\n\n"))

    def test_noise_is_shown_and_the_call_goes_on(self):
        run = mcp("call", "work", server=[*HOSTILE, "noise"])
        self.assertEqual((run.returncode, run.stdout), (0, '"done"\n'))
        self.assertEqual(run.stderr.count("acp mcp: warning: from the server: "), 4, run.stderr)

    def test_interrupted(self):
        run = subprocess.Popen([ACP, "mcp", "call", "trigger-long-running-operation", "duration=3600",
                                "steps=36000", "--", *EVERYTHING, "stdio"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("progress 1/36000", run.stderr.readline())
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 130)
        self.assertTrue(errors.endswith("acp mcp: cancelled\n"), errors[-200:])

    def configured(self, text, *words, code=0, terminal=None, **more):
        """With a configuration of its own; at a terminal of that many columns, what it shows."""
        with tempfile.TemporaryDirectory() as home:
            os.makedirs(home + "/.config/acp")
            with open(home + "/.config/acp/config.toml", "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
                file.write(text)
            env = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8", **more}
            if terminal is None:
                run = subprocess.run([ACP, "mcp", *words], capture_output=True, text=True, timeout=PATIENCE, env=env)
                self.assertEqual(run.returncode, code, run.stderr)
                return run
            shown, ended = output_in(terminal, [ACP, "mcp", *words], env)
            self.assertEqual(ended, code)
            return shown

    def test_a_server_of_the_configuration(self):
        args = json.dumps([*EVERYTHING[1:], "stdio"])
        here = f'[mcp.all]\ncommand = "node"\nargs = {args}\nenv = {{MINE = "${{SOME}}"}}\n' \
               '[mcp.web]\nurl = "http://127.0.0.1:1/mcp"\n'
        some = {"SOME": "it", "OPENAI_API_KEY": "sk-secret"}
        self.assertIn("get-sum", self.configured(here, "tools", "all", **some).stdout)
        self.assertIn("get-sum", self.configured(here, "tools", "--server", "all", **some).stdout)
        run = self.configured(here, "call", "get-sum", "a=2", "b=3", "--server", "all", **some)
        self.assertEqual(run.stdout, "The sum of 2 and 3 is 5.\n")
        # It gets what the file gives it, and no keys.
        given = self.configured(here, "call", "get-env", "--server", "all", **some).stdout
        self.assertIn('"MINE": "it"', given)
        self.assertNotIn("sk-secret", given)
        self.assertIn("cannot reach http://127.0.0.1:1/mcp", self.configured(here, "info", "web", code=3).stderr)
        self.assertIn("there is no MCP server 'al' in your configuration, only: all, web",
                      self.configured(here, "tools", "al", code=2).stderr)
        self.assertIn("SOME", self.configured(here, "tools", "all", code=2).stderr)
        self.assertIn("Only one of a name, --url and a command after --",
                      self.configured(here, "tools", "all", "--url", "http://x", code=2).stderr)
        which = "which server? Give its command after --, --url URL, or --server NAME, one of your configuration"
        # The server's name first, as the commands that list take it.
        run = self.configured(here, "call", "all", "get-sum", "a=2", "b=3", **some)
        self.assertEqual(run.stdout, "The sum of 2 and 3 is 5.\n")
        self.assertIn("--server NAME", self.configured(here, "call", "get-sum", "a=2", "b=3", code=2).stderr)
        self.assertIn(which + " (all, web)\n", self.configured(here, "tools", code=2).stderr)
        self.assertIn(which + " (which has none)\n", self.configured("", "tools", code=2).stderr)
        self.assertIn("acp config set mcp.x.command", self.configured("", "tools", "x", code=2).stderr)
        # And which there are.
        listed = self.configured(here, "servers").stdout.splitlines()
        self.assertEqual([line.split()[:2] for line in listed[1:]], [["all", "stdio"], ["web", "http"]])
        told = [json.loads(line) for line in self.configured(here, "servers", "--json").stdout.splitlines()]
        self.assertEqual([one["name"] for one in told], ["all", "web"])
        self.assertEqual(told[0]["command"], [*EVERYTHING, "stdio"])
        self.assertEqual(told[1]["url"], "http://127.0.0.1:1/mcp")

    def test_tables_fit_the_terminal(self):
        args = json.dumps([*EVERYTHING[1:], "stdio"])
        here = f'[mcp.all]\ncommand = "node"\nargs = {args}\n'
        whole = self.configured(here, "tools", "all").stdout
        for columns in (40, 80, 300):
            shown = self.configured(here, "tools", "all", terminal=columns)
            self.assertLessEqual(max(map(len, shown.splitlines())), columns)
            # Nothing is left out: each word is there, unless it is wider than its column.
            self.assertIn("get-sum", shown)
            if columns >= 80:
                self.assertEqual(sorted(shown.split()), sorted(whole.split()))
        self.assertGreater(max(map(len, whole.splitlines())), 80)

    def test_over_http(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        for transport, path, options in (("streamableHttp", "/mcp", []), ("sse", "/sse", ["--sse"])):
            with subprocess.Popen([*EVERYTHING, transport], env=dict(os.environ, PORT=str(port)),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
                try:
                    self.wait_for(port)
                    run = mcp("call", "echo", "message=hi", "--url", f"http://127.0.0.1:{port}{path}", *options)
                    self.assertEqual((run.returncode, run.stdout), (0, "Echo: hi\n"), run.stderr)
                finally:
                    server.kill()

    # The server, which is not ours, tells nobody when it listens: it has to be asked again and again.
    def wait_for(self, port):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.02)
        self.fail("the server did not start")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
