#!/usr/bin/env python3
"""acp serve, as its clients see it: serve_test.py ACP"""

import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
import unittest

import remote_place
from remote_place import ACP, EVENTS, PATIENCE, Client, Connected, has_ended, initialize
from remote_way import Way
from terminal import output_in

DENIED, INVALID, UNKNOWN = -32003, -32602, -32002


class Serve(remote_place.Place):
    def head(self, token=None, **more):
        return {"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json", **more}

    # ---- who may use it
    def test_the_token(self):
        server = self.serve("--token-file", self.token_in("other", "another-token"))
        none = server.ask(body=initialize(), headers={"Content-Type": "application/json"})
        self.assertEqual((none.status, none.headers["WWW-Authenticate"]), (401, "Bearer"))
        self.assertEqual(server.ask(body=initialize(), headers=self.head("wrong")).status, 401)
        self.assertEqual(server.ask("GET", headers=EVENTS).status, 401)
        mine = Client(self, server)
        theirs = Client(self, server, token="another-token")
        # The id of a connection is no key to it.
        stolen = theirs.headers | {"Acp-Connection-Id": mine.headers["Acp-Connection-Id"]}
        self.assertEqual(server.ask(body=initialize(5) | {"method": "session/list"}, headers=stolen).status, 404)
        self.assertEqual(server.ask("DELETE", headers=stolen).status, 404)
        self.assertEqual(mine.says(mine.session(), "say still here"), "still here")

    def test_guesses(self):
        server = self.serve("--trusted-proxy", "127.0.0.1")
        guesser = {"X-Forwarded-For": "203.0.113.7"}
        for _ in range(10):
            self.assertEqual(server.ask(body=initialize(), headers=self.head("guess") | guesser).status, 401)
        late = server.ask(body=initialize(), headers=self.head("guess") | guesser)
        self.assertEqual(late.status, 429)
        self.assertGreater(int(late.headers["Retry-After"]), 0)
        # Others notice nothing, at the same address neither, and the log says who it was.
        self.assertEqual(Client(self, server, **guesser).end(), 202)
        self.assertEqual(Client(self, server, **{"X-Forwarded-For": "203.0.113.8"}).end(), 202)
        server.log.until(r" 203\.0\.113\.7 POST /acp 429 ")
        # Whom nobody trusts cannot choose where it is.
        server = self.serve()
        statuses = [server.ask(body=initialize(), headers=self.head("guess") | {"X-Forwarded-For": f"203.0.113.{n}"}).status
                    for n in range(11)]
        self.assertEqual(statuses, [401] * 10 + [429])

    def test_hosts_and_pages(self):
        server = self.serve("--allow-host", "agents.example.org", "--allow-origin", "https://app.example.org")
        for host, status in [("evil.example", 403), ("127.0.0.1.evil.example", 403), ("localhost:1", 400),
                             ("agents.example.org", 400), ("[::1]:80", 400)]:
            answer = server.ask("POST", body={"jsonrpc": "2.0", "method": "x"}, headers=self.head(Host=host))
            self.assertEqual(answer.status, status, (host, answer.text))
        page = {"Origin": "https://app.example.org"}
        for origin, status in [("https://evil.example", 403), ("null", 403), ("https://app.example.org", 400)]:
            answer = server.ask("POST", body={"jsonrpc": "2.0", "method": "x"}, headers=self.head(Origin=origin))
            self.assertEqual(answer.status, status, (origin, answer.text))
        asked = page | {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
        preflight = server.ask("OPTIONS", headers=asked)
        self.assertEqual(preflight.status, 204)
        self.assertEqual(preflight.headers["Access-Control-Allow-Origin"], "https://app.example.org")
        for name in ("Authorization", "Acp-Connection-Id", "Acp-Session-Id", "Content-Type"):
            self.assertIn(name, preflight.headers["Access-Control-Allow-Headers"])
        answer = server.ask(body=initialize(), headers=self.head(**page))
        self.assertEqual(answer.headers["Access-Control-Expose-Headers"], "Acp-Connection-Id, Acp-Session-Id")
        self.assertEqual(server.ask("OPTIONS", headers=asked | {"Origin": "https://evil.example"}).status, 403)

    def test_other_paths(self):
        server = self.serve()
        health = server.ask("GET", "/health")
        self.assertEqual((health.status, health.text), (200, "ok"))
        for path in ("/", "/acp/", "/acp/..", "/ACP", "/acpx", "/health/", "/..%2facp", "//acp"):
            self.assertEqual(server.ask("GET", path, headers=self.head()).status, 404, path)

    # ---- what it may ask for
    def test_the_roots(self):
        outside = self.folder / "outside"
        outside.mkdir()
        second = self.folder / "second"
        second.mkdir()
        (self.root / "sub").mkdir()
        (self.root / "link").symlink_to(outside)
        (outside / "alias").symlink_to(self.root)
        server = self.serve("--root", str(self.root), "--root", str(second))
        client = Client(self, server)
        self.assertEqual(client.says(client.session(), "where"), str(self.root))
        good = [self.root / "sub", self.root / "sub" / "..", second, outside / "alias" / "sub"]
        bad = ["/", str(outside), str(self.root / ".."), str(self.root / "link"), str(self.root / "link" / "x"),
               str(self.root / "none" / ".." / ".." / "outside"), "sub", ".", "", 7]
        for method in ("session/new", "session/load", "session/resume", "session/fork"):
            named = {} if method == "session/new" else {"sessionId": "s0"}
            for cwd in good:
                self.assertNotIn("code", client.call(method, cwd=str(cwd), mcpServers=[], **named), (method, cwd))
            for cwd in bad:
                answer = client.call(method, cwd=cwd, mcpServers=[], **named)
                self.assertEqual(answer["code"], DENIED, (method, cwd))
                self.assertIn("--root", answer["message"])
            more = {"cwd": str(self.root), "mcpServers": [], **named}
            self.assertNotIn("code", client.call(method, additionalDirectories=[str(second)], **more))
            answer = client.call(method, additionalDirectories=[str(second), str(outside)], **more)
            self.assertEqual(answer["code"], DENIED, method)

    def test_programs_that_a_client_names(self):
        stdio = {"name": "files", "command": "/bin/sh", "args": [], "env": []}
        http = {"type": "http", "name": "web", "url": "http://127.0.0.1:1/", "headers": []}
        client = Client(self, self.serve())
        answer = client.call("session/new", cwd=str(self.root), mcpServers=[http, stdio])
        self.assertEqual(answer["code"], DENIED)
        self.assertIn("files is a program", answer["message"])
        self.assertIn("sessionId", client.call("session/new", cwd=str(self.root), mcpServers=[http]))
        client = Client(self, self.serve("--client-mcp"))
        self.assertIn("sessionId", client.call("session/new", cwd=str(self.root), mcpServers=[http, stdio]))

    def test_sessions_of_others(self):
        client = Client(self, self.serve("--max-sessions", "2"))
        listed = client.call("session/list")
        self.assertEqual([entry["sessionId"] for entry in listed["sessions"]], ["within"])
        text = [{"type": "text", "text": "say hello"}]
        for session in ("within", "without", "s0"):
            answer = client.call("session/prompt", sessionId=session, prompt=text)
            self.assertEqual(answer["code"], UNKNOWN, session)
            self.assertIn("session/load", answer["message"])
            self.assertEqual(client.call("session/set_mode", sessionId=session, modeId="x")["code"], UNKNOWN)
        self.assertEqual(client.call("session/delete", sessionId="without")["code"], UNKNOWN)
        self.assertEqual(client.call("session/delete", sessionId="within"), {})
        client.until_closed("within")
        client.call("session/load", sessionId="within", cwd=str(self.root), mcpServers=[])
        self.assertEqual(client.call("session/prompt", sessionId="within", prompt=text), {"stopReason": "end_turn"})
        client.session()
        answer = client.call("session/new", cwd=str(self.root), mcpServers=[])
        self.assertEqual((answer["code"], "2 sessions" in answer["message"]), (DENIED, True))

    def test_sessions_of_other_directories(self):
        """Whatever directory the request names: the client would get the transcript."""
        client = Client(self, self.serve())
        for method in ("session/load", "session/resume", "session/fork"):
            for session in ("without", "far"):
                answer = client.call(method, sessionId=session, cwd=str(self.root), mcpServers=[])
                self.assertEqual((answer.get("code"), "--root" in answer.get("message", "")), (DENIED, True), (method, session))
            for session in ("within", "near", "that the agent does not list"):
                answer = client.call(method, sessionId=session, cwd=str(self.root), mcpServers=[])
                self.assertNotIn("code", answer, (method, session))
        self.assertFalse([m for m in client.seen if m.get("params", {}).get("sessionId") in ("without", "far")])
        self.assertEqual(client.call("session/delete", sessionId="without")["code"], UNKNOWN)
        # Without knowing yet what the agent can; and with one that lists nothing.
        said = self.folder / "mode"
        for mode, code in (("", DENIED), ("plain", None)):
            said.write_text(mode)
            url = self.serve(environment={"AGENT_MODE": str(said)}).url.replace("http", "ws", 1)
            client = Connected(self, url, begins=False)
            client.begin("initialize", **initialize()["params"])
            for session in ("without", "far"):
                answer = client.call("session/load", sessionId=session, cwd=str(self.root), mcpServers=[])
                self.assertEqual(answer.get("code"), code, mode)

    def test_an_agent_that_is_not_there(self):
        code, said = self.run_serve("--token-file", self.token_file, "--", "/nonexistent")
        self.assertEqual((code, said), (3, "acp serve: the agent cannot be started: /nonexistent: no such program\n"))
        code, said = self.run_serve("--token-file", self.token_file, "--log", "json", "--agent", "gemini",
                                    environment={"PATH": "/nowhere"})
        self.assertEqual(code, 3, said)
        self.assertEqual(said.splitlines(), [
            "acp serve: the agent cannot be started: gemini: command not found",
            "It is installed by: npm install -g @google/gemini-cli",
            "Without installing it: acp serve --token-file " + self.token_file +
            " --log json -- npx -y @google/gemini-cli --acp"])
        program = self.root / "mine"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        self.serve("--root", str(self.home), command=["./mine"])
        for option in ("--max-connections", "--max-sessions"):
            code, said = self.run_serve(option, "0", "--", *remote_place.AGENT)
            self.assertEqual((code, said.splitlines()[0]), (2, f"acp serve: {option}: expected 1 or more, got 0"))

    def test_the_kit_finds_nothing_over_http(self):
        server = self.serve(command=[ACP, "agent", "--model", "offline"])
        url = server.url
        done = subprocess.run([ACP, "check", "agent", "--url", url, "--token-file", self.token_file, "--json", "-"],
                              capture_output=True, text=True, cwd=self.root, timeout=600,
                              env=self.environment | {"TMPDIR": str(self.root)})
        results = {each["id"]: each for each in json.loads(done.stdout)["results"]}
        self.assertEqual([each for each in results.values() if each["status"] == "fail"], [], url)
        self.assertEqual(done.returncode, 0, done.stderr)
        for id in ("A-DELETE-1", "A-DELETE-2", "A-INPUT-8", "A-INPUT-9", "A-EXIT-1", "A-WS-1", "A-HTTP-1"):
            self.assertEqual(results[id]["status"], "pass", (url, results[id]))
        for id, why in (("A-PERM-21", "elsewhere"), ("A-MCP-1", "--client-mcp"), ("A-EXIT-3", "the way to"),
                        ("A-INPUT-2", "does not let it through"), ("A-INPUT-7", "does not let it through"),
                        ("A-DELETE-3", "only ids of its client's sessions")):
            self.assertEqual(results[id]["status"], "skip", (url, results[id]))
            self.assertIn(why, results[id]["message"])
        self.assertEqual(list(self.home.rglob("policy.toml")), [], "a rule was left")

    def test_sessions_of_other_kinds(self):
        client = Client(self, self.serve())
        self.assertEqual(client.call("nes/suggest", sessionId="nes")["code"], UNKNOWN)
        answer = client.call("nes/start", workspaceUri="file:///etc")
        self.assertEqual((answer["code"], "--root" in answer["message"]), (DENIED, True))
        for method in ("nes/start", "_other/start"):
            session = client.call(method, workspaceUri=f"file://{self.root}")["sessionId"]
            self.assertEqual(client.call("nes/suggest", sessionId=session), {"suggestions": []})
            self.assertEqual(client.call("nes/close", sessionId=session), {})
            self.assertEqual(client.call("nes/suggest", sessionId=session)["code"], UNKNOWN)

    def test_requests_without_an_id(self):
        """An agent that looks at the method alone would carry them out."""
        server = self.serve()
        program = {"name": "files", "command": "/bin/sh", "args": [], "env": []}
        for client in (Client(self, server), Connected(self, server.url.replace("http", "ws", 1))):
            client.post(method="session/new", params={"cwd": "/", "mcpServers": [program]})
            for method in ("session/load", "session/prompt", "session/cancel", "_their/own"):
                client.post(method=method, params={"sessionId": "without", "cwd": "/", "mcpServers": [],
                                                   "prompt": [{"type": "text", "text": "say hello"}]})
            session = client.session()
            self.assertEqual(session, "s0")
            client.post(method="session/cancel", params={"sessionId": session})
            client.post(method="_our/own", params={"sessionId": session})
            self.assertEqual(json.loads(client.says(session, "heard")), ["session/cancel", "_our/own"])
            server.log.until("warning: dropped session/new of a client: it is not a notification")
            server.log.until("warning: dropped session/cancel of a client: this client has not opened")

    def test_params_that_are_no_object(self):
        """An agent might read them as one."""
        server = self.serve()
        client = Connected(self, server.url.replace("http", "ws", 1))
        for method in ("session/delete", "session/close", "session/prompt", "session/set_mode", "session/list",
                       "nes/start", "_their/own"):
            client.post(id=method, method=method, params=["without"])
            self.assertEqual(client.answer(method)["error"]["code"], INVALID, method)
        client.post(method="session/cancel", params=["without"])
        server.log.until("warning: dropped session/cancel of a client: params: expected an object")
        self.assertEqual(json.loads(client.says(client.session(), "heard")), [])

    def test_clients_have_a_limit(self):
        server = self.serve("--max-connections", "1")
        first = Client(self, server)
        second = server.ask(body=initialize(), headers=self.head())
        self.assertEqual((second.status, second.headers["Retry-After"]), (503, "10"))
        self.assertEqual(first.end(), 202)
        Client(self, server)

    def test_files_for_all_clients(self):
        """A client costs 13 descriptors here, and the usual limit is 1024."""
        few = ["sh", "-c", f"ulimit -S -n 256; exec {ACP} serve --listen 127.0.0.1:0 --token-file {self.token_file} -- cat"]
        server = remote_place.Server(self, words=few)
        with open(f"/proc/{server.process.pid}/limits", encoding="ascii") as limits:
            soft = next(int(line.split()[3]) for line in limits if line.startswith("Max open files"))
        self.assertGreaterEqual(soft, 1600)
        few[2] = few[2].replace("-S -n", "-n")
        server = remote_place.Server(self, words=few)
        server.log.until("may have 256 files open: enough for about 12 clients of 100")

    def test_sockets_of_strangers(self):
        """They do not take what the agents of clients need."""
        words = shlex.join([ACP, "serve", "--listen", "127.0.0.1:0", "--token-file", self.token_file, "--",
                            *remote_place.AGENT])
        server = remote_place.Server(self, words=["sh", "-c", f"ulimit -n 256; exec {words}"])
        client = Client(self, server)
        strangers = [socket.create_connection(("127.0.0.1", server.port), PATIENCE) for _ in range(300)]
        server.log.until("too many sockets")
        self.assertEqual(strangers[-1].recv(1), b"")
        self.assertLess(len(os.listdir(f"/proc/{server.process.pid}/fd")), 128)
        for stranger in strangers:
            stranger.close()
        while socket_is_closed(server):  # it has not seen yet that they have gone
            pass
        self.assertEqual(client.says(client.session(), "say hello"), "hello")

    def test_the_environment(self):
        keys = {"ACP_TOKEN": "x", "OPENAI_API_KEY": "y", "PLAIN": "z"}
        client = Client(self, self.serve(environment=keys))
        session = client.session()
        self.assertEqual(client.says(session, "env ACP_TOKEN"), "(unset)")
        self.assertEqual(client.says(session, "env PLAIN"), "z")
        # One of the settings gets no key of a provider; a command is given what its user has.
        settings = self.home / ".config/acp/config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"[agents.mine]\ncommand = {json.dumps(remote_place.AGENT[0])}\n"
                            f"args = [{json.dumps(remote_place.AGENT[1])}]\n")
        settings.chmod(0o600)
        client = Client(self, self.serve("--agent", "mine", command=None, environment=keys))
        self.assertEqual(client.says(client.session(), "env OPENAI_API_KEY"), "(unset)")

    # ---- how it is started
    def test_what_it_refuses(self):
        wrong = {
            ("--listen", "0.0.0.0:0"): "0.0.0.0 can be reached from elsewhere",
            ("--listen", "[::]:0"): ":: can be reached from elsewhere",
            ("--listen", "127.0.0.1:x"): "expected ADDRESS:PORT or PORT, got '127.0.0.1:x'",
            ("--tls-cert", "a.pem"): "--tls-cert and --tls-key go together",
            ("--root", "/no/such"): "/no/such",
            ("--agent", "nobody"): 'there is no agent "nobody"',
        }
        for options, said in wrong.items():
            code, text = self.run_serve("--token-file", self.token_file, *options)
            self.assertEqual(code, 2, (options, text))
            self.assertIn(said, text)
        os.chmod(self.token_file, 0o644)
        code, text = self.run_serve("--token-file", self.token_file)
        self.assertEqual((code, f"chmod 600 {self.token_file}" in text), (1, True), text)
        os.chmod(self.token_file, 0o600)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            code, text = self.run_serve("--token-file", self.token_file, "--listen", str(taken.getsockname()[1]))
        self.assertEqual((code, "Address already in use" in text), (1, True), text)

    def test_a_new_token_is_shown_once(self):
        file = self.home / ".local/state/acp/serve-token"
        # Nobody looks on.
        server = remote_place.Server(self)
        token = file.read_text().strip()
        self.assertEqual((len(token), file.stat().st_mode & 0o777), (64, 0o600))
        server.log.until(f"the token is in {file}")
        Client(self, server, token=token)
        server.stop()
        self.assertNotIn(token, server.log.text())
        file.unlink()
        # At a terminal.
        words = ["sh", "-c", f"cd {self.root}; exec {ACP} serve --listen 127.0.0.1:0 -- cat"]
        first, _ = output_in(200, words, self.environment, until="shown this once")
        token = file.read_text().strip()
        self.assertEqual(first.count(token), 1, first)
        second, _ = output_in(200, words, self.environment, until=f"the token is in {file}")
        self.assertNotIn("shown this once", second)
        self.assertNotIn(token, second)

    # ---- its log
    def test_the_log(self):
        for options in ((), ("--log", "json")):
            server = self.serve(*options)
            client = Client(self, server)
            session = client.session()
            client.says(session, "say a secret of the prompt")
            server.ask(body=initialize(), headers=self.head("wrong-secret"))
            server.ask("GET", "/acp?token=query-secret", headers=self.head())
            client.end()
            self.assertEqual(server.stop(), 0)
            text = server.log.text()
            for secret in (self.token, "a secret of the prompt", "wrong-secret", "query-secret",
                           client.headers["Acp-Connection-Id"], session):
                self.assertNotIn(secret, text)
            if not options:
                self.assertRegex(text, r"\d\d\d\d-\d\d-\d\dT\S+Z 127\.0\.0\.1 POST /acp 401 \d+/\d+ bytes \d+ ms")
                self.assertIn("the agent says: the agent has begun", text)
                continue
            lines = [json.loads(line) for line in text.splitlines()]
            self.assertTrue(all("time" in line for line in lines))
            self.assertEqual(next(line for line in lines if "url" in line)["url"], server.url)
            statuses = [line["status"] for line in lines if line.get("path") == "/acp"]
            self.assertTrue({200, 202, 401} <= set(statuses), statuses)

    # ---- its end
    def test_a_running_turn_may_end(self):
        gate = self.fifo()
        server = self.serve("--drain", "60")
        client = Client(self, server)
        number = client.prompt(client.session(), f"gate {gate}")
        client.until_said("before")
        server.process.send_signal(signal.SIGTERM)
        self.until_it_drains(server)
        with open(gate, "w", encoding="utf-8"):
            pass
        client.until_said("after")
        self.assertEqual(client.answer(number)["result"], {"stopReason": "end_turn"})
        self.assertEqual(server.process.wait(timeout=PATIENCE), 0)

    def test_a_running_turn_may_ask(self):
        """Each answer comes on a socket of its own."""
        server = self.serve("--drain", "60")
        client = Client(self, server)
        number = client.prompt(client.session(), "files")
        for path in ("/a", "/b", "/c"):
            asked = client.until_asked("fs/read_text_file")
            self.assertEqual(asked["params"]["path"], path)
            if path == "/a":
                server.process.send_signal(signal.SIGTERM)
                self.until_it_drains(server)
            own = {"Acp-Session-Id": asked["params"]["sessionId"]}
            answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"content": path}}
            self.assertEqual(server.ask(body=answer, headers=client.headers | own).status, 202)
        client.until_said("/c")
        self.assertEqual(client.answer(number)["result"], {"stopReason": "end_turn"})
        self.assertEqual(server.process.wait(timeout=PATIENCE), 0)

    def until_it_drains(self, server):
        server.log.until("no new clients")
        # On the server's own thread: after what it says.
        while server.ask("GET", "/health").status != 503:
            pass
        self.assertEqual(server.ask(body=initialize(), headers=self.head()).status, 503)

    def test_a_turn_that_does_not_end(self):
        server = self.serve("--drain", "0.2")
        client = Client(self, server)
        number = client.prompt(client.session(), "forever")
        client.until_said("before")
        server.process.send_signal(signal.SIGTERM)
        answer = client.answer(number)
        self.assertIn("the server is shutting down, and its time is over", answer["error"]["message"])
        self.assertEqual(server.process.wait(timeout=PATIENCE), 0)

    def test_an_agent_that_dies(self):
        server = self.serve()
        client = Client(self, server)
        session = client.session()
        pid = int(client_says(client, session, "family").split()[0])
        os.kill(pid, signal.SIGKILL)
        answer = client.until(lambda message: "error" in message)
        self.assertIn("the agent was killed by SIGKILL", answer["error"]["message"])
        # The connection ends after its answers: what comes in between is still taken.
        status = 202
        while status == 202:
            status = server.ask(body=initialize(9) | {"method": "x"}, headers=client.headers).status
        self.assertEqual(status, 404)
        server.log.until("the agent ended with exit code")

    def test_an_agent_that_goes_missing(self):
        program = self.root / "there"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        server = self.serve(command=[str(program)])
        program.unlink()
        answer = server.ask(body=initialize(), headers=self.head())
        self.assertEqual((answer.status, "Initialize failed" in answer.text), (500, True))
        server.log.until(str(program))

    def test_a_client_that_says_no_goodbye(self):
        server = self.serve("--silence", "0.5")
        for scheme in ("http", "ws"):
            way = Way(self, server.port)
            # It does not come again; and it has a minute, in which it notices nothing.
            client = Connected(self, f"{scheme}://127.0.0.1:{way.port}/acp", "--exact")
            family = client_says(client, client.session(), "family")
            way.forget()
            for pid in map(int, family.split()):
                self.assertTrue(has_ended(pid), scheme)

    def test_no_process_stays(self):
        for end in ("the client goes", "SIGTERM", "SIGKILL"):
            server = self.serve("--drain", "0")
            client = Client(self, server)
            family = client_says(client, client.session(), "family")
            if end == "the client goes":
                client.end()
            else:
                server.process.send_signal(getattr(signal, end))
            for pid in map(int, family.split()):
                self.assertTrue(has_ended(pid), (end, pid))
            if end == "SIGTERM":
                self.assertEqual(server.process.wait(timeout=PATIENCE), 0)

    def test_the_built_in_agent(self):
        server = self.serve(command=None, environment={"ACP_MODEL": "offline"})
        client = Client(self, server)
        self.assertEqual(client.says(client.session(), "say hello").strip(), "hello")


    def test_the_token_is_out_of_the_built_in_agents_reach(self):
        token = self.root / "server-token"
        token.write_text("a-token-of-the-server's\n")
        token.chmod(0o600)
        (self.root / "link").symlink_to(token)
        (self.root / "notes.txt").write_text("well")
        server = self.serve("--token-file", str(token), command=None, environment={"ACP_MODEL": "offline"})

        def shown(name):
            done = subprocess.run([ACP, "run", "--url", f"http://127.0.0.1:{server.port}/acp", "--cwd", str(self.root),
                                   "show " + name], capture_output=True, text=True, timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, env=self.environment | {"ACP_TOKEN": self.token})
            return done.stdout + done.stderr
        self.assertIn("well", shown("notes.txt"))
        for name in ("server-token", "link"):
            self.assertNotIn("a-token-of", shown(name))
            self.assertIn("belongs to acp itself", shown(name))


def client_says(client, session, text):
    """The first that it says in a turn that does not end."""
    client.prompt(session, text)
    return client.until_said()


def socket_is_closed(server):
    """Whether the server takes no socket more."""
    try:
        return server.ask("GET", "/health").status != 200
    except (OSError, http.client.HTTPException):
        return True


if __name__ == "__main__":
    remote_place.main()
