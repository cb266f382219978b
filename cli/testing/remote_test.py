"""--url, against a real acp serve: remote_test.py ACP ECHO_AGENT"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest

from run_place import ACP, ECHO, END, Place


class Remote(Place):
    def serve(self, *words, root=None, agent=(ACP, "agent", "--model", "offline")):
        """A server on a port of its own; its URL."""
        server = subprocess.Popen([ACP, "serve", "--listen", "127.0.0.1:0", "--log", "none", "--token-file",
                                   self.token, "--root", root or self.project, *words, "--", *agent],
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=self.environment,
                                  cwd=self.home, text=True)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.server = server
        url = re.search(r" at (http://127\.0\.0\.1:\d+/acp)", server.stderr.readline())
        self.assertTrue(url, "it says where it is")
        return url[1]

    def setUp(self):
        super().setUp()
        self.token = self.write("token", "a-token-of-this-test\n")
        self.with_token = ("--token-file", self.token)

    def unused_port(self):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            return one.getsockname()[1]

    def agent_with(self, settings):
        self.write(".config/acp/config.toml", settings)

    def test_a_turn_over_both_transports(self):
        url = self.serve()
        for address in (url, url.replace("http:", "ws:")):
            with self.subTest(address):
                events = self.events("say hello; run pwd", "--url", address, *self.with_token, "--policy", "allow")
                self.assertIn("hello", self.said(events))
                self.assertIn(self.project, json.dumps(events))
                starting = next(e for e in events if e["event"] == "start" and e["phase"] == "spawn")
                self.assertEqual(starting["agent"], address)
                self.assertNotIn("a-token", json.dumps(events))

    def test_the_token_from_the_environment_and_the_session_that_goes_on(self):
        url = self.serve()
        self.environment["ACP_TOKEN"] = "a-token-of-this-test"
        self.assertIn("one", self.run_it("say one", "--url", url).stdout)
        self.assertIn("two", self.run_it("say two", "--session", "last", "--url", url + "?x=1").stdout,
                      "sessions are kept by the URL without its query")
        # The agent there gets neither our files nor our terminals.
        log = self.home + "/wire.jsonl"
        self.environment["ACP_TOKEN"] = "a-token-of-this-test"
        url = self.serve(agent=(ACP, "tap", "--log", log, "--", ACP, "agent", "--model", "offline"))
        self.run_it("say three", "--url", url)
        with open(log) as recording:
            said = recording.read()
        self.assertIn('"initialize"', said)
        self.assertNotIn('"terminal":true', said)
        self.assertNotIn('"readTextFile":true', said)

    def test_chat(self):
        url = self.serve()
        done = self.acp("chat", "--url", url, *self.with_token, said="say hello\n")
        self.assertIn("hello", done.stdout)
        port = self.unused_port()
        gone = self.acp("chat", "--url", f"http://127.0.0.1:{port}/acp", *self.with_token, code=3, said="say hello\n")
        said = " ".join((gone.stdout + gone.stderr).split())  # it is wrapped
        self.assertIn(f"acp chat: cannot reach http://127.0.0.1:{port}/acp", said)
        self.assertNotIn("last words", said)

    def test_what_is_wrong_is_said_in_one_sentence(self):
        url = self.serve()
        wrong = self.write("wrong", "another-token\n")
        port = self.unused_port()
        nobody = f"http://127.0.0.1:{port}/acp"
        for words, told in [
            (["--url", url, "--token-file", wrong], f"{url} does not take the token of the file {wrong} (HTTP 401)"),
            (["--url", url], f"{url} asks for a token (HTTP 401), and there is none: give --token-file FILE"),
            (["--url", url.replace("http", "ws"), "--token-file", wrong], f"does not take the token of the file {wrong}"),
            (["--url", url + "x", *self.with_token], f"there is no ACP at {url}x (HTTP 404)"),
            (["--url", nobody, *self.with_token], f"cannot reach {nobody}"),
        ]:
            with self.subTest(words):
                failed = self.run_it("say x", *words, code=3)
                self.assertIn("acp run: " + told if told[0] != "d" else told, failed.stderr)
                self.assertEqual(len(failed.stderr.splitlines()), 1, failed.stderr)
                self.assertNotIn("another-token", failed.stderr)
                end = self.events("say x", *words, code=3)[-1]
                self.assertIn(told, end["message"])
        # In another directory than the server's.
        refused = self.run_it("say x", "--url", url, *self.with_token, code=1, cwd=self.home).stderr
        self.assertIn(f"{self.home} is not in {self.project}", refused)
        self.assertIn("--cwd DIR names a directory there", refused)

    def test_mistakes(self):
        url = "http://127.0.0.1:9/acp"
        os.chmod(self.write("open", "x"), 0o644)
        for words, told in [
            (["--url", url, "--agent", "acp"], "either --agent or --url"),
            (["--url", url, "--", "x"], "either --url or a command"),
            (["--url", url, "--ssh", "h"], "either --url or --ssh"),
            (["--url", "host/acp"], "put http:// before it"),
            (["--url", "http://me:secret@host/acp"], "no passwords in the URL"),
            (["--url", url, "--proxy", "http://me:secret@host:1"], "no passwords in the URL"),
            (["--url", url, "--header", "Authorization: Bearer x"], "use 'Authorization: $VARIABLE'"),
            (["--url", url, "--header", "cookie:a=b"], "use 'cookie: $VARIABLE'"),
            (["--url", url, "--header", "X-Api-Key: 1"], "use 'X-Api-Key: $VARIABLE'"),
            (["--url", url, "--header", "Authorization: $NO_SUCH"], "there is no variable NO_SUCH"),
            (["--url", url, "--token-file", self.home + "/open"], "chmod 600"),
            (["--url", url, "--token-file", "/none"], "/none cannot be read"),
            (["--token-file", self.token], "are for --url"),
            (["--map", "/a=/b"], "--map is for an agent on another machine"),
            (["--url", url, "--map", "/=b"], "--map: expected LOCAL=REMOTE"),
            (["--url", url, "--cwd", "src"], "--cwd: expected an absolute path"),
            (["--url", url, "--framing", "auto"], "--framing is for"),
            (["--ssh", "-oProxyCommand=x"], "--ssh: expected a host"),
            (["--ssh", "h", "--ssh-option", "Port"], "expected KEY=VALUE"),
            (["--ssh-option", "Port=2"], "--ssh-option is for --ssh"),
        ]:
            with self.subTest(words):
                for command in ("run", "chat"):
                    self.assertIn(told, self.acp(command, "x", *words, code=2).stderr)

    def test_directories(self):
        """--cwd is a path of the agent's machine; with --map, of this one."""
        there = self.home + "/there/project"
        os.makedirs(there)
        url = self.serve(root=self.home + "/there")
        turn = ["run pwd", "--policy", "allow", "--url", url, *self.with_token]
        self.assertIn(there, json.dumps(self.events(*turn, "--cwd", there)))
        said = json.dumps(self.events(*turn, "--map", f"{self.project}={there}"))
        self.assertIn(f'"cwd": "{self.project}"', said)
        self.assertIn(there, said)
        os.symlink(self.project, self.home + "/link")
        self.assertIn(there, json.dumps(self.events(*turn, "--map", f"{self.home}/link={there}", "--cwd",
                                                    self.home + "/link")))

    def test_in_the_configuration(self):
        url = self.serve()
        self.agent_with(f'[agents.far]\nurl = "{url}"\ntoken_file = "~/token"\n'
                        '[agents.headed]\nurl = "%s"\nheaders = {Authorization = "Bearer ${SOME_TOKEN}"}\n' % url)
        self.environment["SOME_TOKEN"] = "a-token-of-this-test"
        self.assertIn("hello", self.run_it("say hello", "--agent", "far").stdout)
        events = self.events("say hello", "--agent", "headed")
        self.assertIn("hello", self.said(events))
        self.assertNotIn("a-token", json.dumps(events))
        self.assertIn("hello", self.acp("chat", "--agent", "far", said="say hello\n").stdout)
        listed = {a["name"]: a for a in map(json.loads, self.acp("agents", "--json").stdout.splitlines())}
        self.assertEqual(listed["far"], {"name": "far", "kind": "own", "url": url,
                                         "source": self.home + "/.config/acp/config.toml:1"})
        self.assertRegex(self.acp("agents").stdout, rf"(?m)^far +{re.escape(url)} +elsewhere")
        self.assertIn(f"the agent far is on another machine ({url}): offer it there",
                      self.acp("serve", "--agent", "far", code=2).stderr)
        settings = self.acp("config").stdout
        self.assertRegex(settings, rf'agents\.far\.url = "{re.escape(url)}"')
        self.assertRegex(settings, r"agents\.headed\.headers\.Authorization = set")
        os.remove(self.token)
        self.assertIn("the token's file " + self.token + " cannot be read",
                      self.run_it("x", "--agent", "far", code=3).stderr)

    def test_the_configuration_is_checked(self):
        for text, told in [
            ('url = "http://h/acp"\ncommand = "x"', "either a command or a url"),
            ('url = "h/acp"', "expected a URL"),
            ('url = "http://a:b@h/acp"', "no passwords in the URL"),
            ('url = "http://h/acp"\ntoken_file = "token"', "expected an absolute path"),
            ('url = "http://h/acp"\nargs = ["x"]', "args and env are for an agent with a command"),
            ('command = "x"\ntoken_file = "/t"', "are for an agent with a url"),
        ]:
            with self.subTest(text):
                self.agent_with("[agents.far]\n" + text + "\n")
                self.assertIn(told, self.acp("agents", code=2).stderr)
        self.agent_with("")
        os.makedirs(self.project + "/.acp")
        with open(self.project + "/.acp/config.toml", "w") as project:
            project.write('[agents.far]\nurl = "http://h/acp"\n')
        self.assertIn("a project may not say what an agent's name starts",
                      self.run_it("x", code=2).stderr)

    def test_tap_and_check(self):
        url = self.serve(root=tempfile.gettempdir())
        log = self.home + "/wire.jsonl"
        hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                            "params": {"protocolVersion": 1, "clientCapabilities": {}}})
        tapped = self.acp("tap", "--log", log, "--url", url, *self.with_token, said=hello + "\n")
        self.assertEqual(json.loads(tapped.stdout)["id"], 1)
        self.assertIn("2 frames, 0 violations; the agent exited with code 0", tapped.stderr)
        with open(log) as recording:
            frames = recording.read()
        self.assertIn("initialize", frames)
        self.assertIn("agentCapabilities", frames)
        self.assertNotIn("a-token", frames)
        done = self.acp("check", "agent", "--only", "A-SESSION", "--url", url, *self.with_token)
        self.assertIn("6 passed, 0 failed", done.stdout)
        for scheme in ("http", "ws"):
            done = self.acp("check", "agent", "--only", "A-INIT", "--url", url.replace("http", scheme, 1), *self.with_token)
            self.assertIn("8 passed, 0 failed, 1 skipped", done.stdout)
        gone = f"http://127.0.0.1:{self.unused_port()}/acp"
        self.assertIn(gone, self.acp("tap", "--url", gone, said=hello + "\n", code=3).stderr)
        self.assertIn("agent's command is missing", self.acp("tap", code=2).stderr)
        self.assertIn("either --url or a command", self.acp("tap", "--url", gone, "--", "x", code=2).stderr)

    def test_exactly_as_it_is(self):
        """Spaces, unknown members, odd ids: whatever the client writes reaches the agent, and so does its answer."""
        url = self.serve(agent=(ECHO,))
        line = '{"id" : "\\u0061", "jsonrpc":"2.0","method":"initialize","x":[1 ,2],"params":{"protocolVersion":1}}'
        done = self.acp("connect", "--exact", url, *self.with_token, said=line + "\n")
        self.assertEqual(json.loads(done.stdout)["id"], "a")
        # The server goes in the middle: the end is reported, with its reason.
        client = subprocess.Popen([ACP, "connect", "--exact", url.replace("http", "ws"), *self.with_token],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=self.environment, text=True)
        client.stdin.write(line + "\n")
        client.stdin.flush()
        self.assertIn("agentCapabilities", client.stdout.readline())
        self.server.kill()
        self.assertEqual(client.wait(END), 1)
        self.assertIn("acp connect: the connection to the remote agent was lost", client.communicate()[1])


if __name__ == "__main__":
    unittest.main(argv=["remote_test.py", *sys.argv[3:]])
