"""Hostile text in every field of every command, and no control character in what comes out:
hostile_text_test.py ACP"""

import http.server
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unicodedata
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "chat" / "testing")]
from hostile_text_peers import EVIL  # noqa: E402
from screen import Chat  # noqa: E402

ACP = str(Path(sys.argv[1]).resolve())
AGENT = [sys.executable, str(HERE / "hostile_text_peers.py"), "agent"]
MCP = [sys.executable, str(HERE / "hostile_text_peers.py"), "mcp"]
DIES = [sys.executable, str(HERE / "hostile_text_peers.py"), "dies"]
# An argument and a file's name hold no NUL, a TOML string no control character as it is.
WORD = EVIL.replace("\0", "")
NAME = WORD + os.fsdecode(b"\xff\x9b")
FORMAT = ("Cc", "Cf", "Zl", "Zp", "Cs")


def faults(data):
    """What is no UTF-8, or a character that steers, hides or turns text, other than line ends and tabs."""
    text = data.decode("utf-8", "surrogateescape")
    return {c for c in text if unicodedata.category(c) in FORMAT and c not in "\n\t"}


def toml(text):
    """A string that has every odd character as an escape."""
    return '"' + "".join(c if c.isalnum() and c.isascii() or c in "/;[]=" else f"\\U{ord(c):08X}" for c in text) + '"'


class Server(http.server.BaseHTTPRequestHandler):
    """Of models, or what somebody takes for a server of ACP."""

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.dumps({"data": [{"id": EVIL, "object": EVIL, "meta": {EVIL: EVIL}}, {"id": "m" + EVIL}],
                           "error": {"message": EVIL, "type": EVIL}, "status": EVIL}).encode()
        self.send_response(200 if self.path.endswith("/models") else 500, "x\x1b[31m")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("WWW-Authenticate", "x\x1b[31m")
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *words):
        pass


class HostileText(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name).resolve()
        self.work = self.home / "work"
        self.work.mkdir()
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("XDG_", "ACP_", "OPENAI_", "ANTHROPIC_")) and k != "NO_COLOR"}
        self.env |= {"HOME": str(self.home), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
                     "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}

    def acp(self, *words, said=b"", says=None):
        """Its output is clean, and not empty. With `says`, that is in it: it came as far as it should."""
        done = subprocess.run([ACP, *words], input=said, capture_output=True, cwd=self.work, env=self.env, timeout=300)
        output = done.stdout + done.stderr
        self.assertEqual(faults(done.stdout), set(), (words, done.stdout))
        self.assertEqual(faults(done.stderr), set(), (words, done.stderr))
        self.assertTrue(output, words)
        self.assertGreaterEqual(done.returncode, 0, (words, output))
        if says is not None:
            self.assertIn(says, output.decode(), words)
        return done

    def clean_file(self, path):
        data = Path(path).read_bytes()
        self.assertTrue(data)
        self.assertEqual(faults(data), set(), data)
        return data

    def on_terminal(self, *words, says=""):
        chat = Chat([ACP, *words], columns=2000, env=self.env, cwd=self.work)
        self.addCleanup(chat.close)
        chat.end()
        self.assertEqual(faults(chat.raw.replace(b"\r\n", b"\n")), set(), (words, chat.raw))
        self.assertIn(says, chat.screen.text())

    def put(self, name, text):
        file = self.home / ".config/acp" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o600)

    def test_usage_errors(self):
        self.acp(WORD, says="there is no command")
        self.acp("schema", WORD)
        self.acp("schema", "show", WORD, says="no type or method")
        self.acp("schema", "check", NAME, says="neither a type")
        self.acp("run", "--agent", WORD, "hi")
        self.acp("run", "hi", WORD, says="quote the prompt")
        self.acp("run", "--cwd", NAME, "hi", says="there is no directory")
        self.acp("run", "--policy", NAME, "hi", says="there is no such file")
        self.acp("run", "--mcp", WORD, "hi")
        self.acp("chat", "--agent", WORD)
        self.acp("agent", "--model", WORD)
        self.acp("agent", "--login", WORD)
        self.acp("config", "--cwd", NAME, says="there is no directory")
        self.acp("log", NAME, says="cannot read")
        self.acp("replay", NAME)
        self.acp("tap", "--fault", WORD, "--", "true")
        self.acp("tap", "--log", "/nowhere/" + NAME, "--", "true")
        self.acp("check", "agent", "--only", WORD, "--", "true", says="no requirement")
        self.acp("check", "agent", "--framing", WORD, "--", "true")
        self.acp("check", "client", "--cancel-by", WORD, "--", "true", "{agent}", says="no signal")
        self.acp("mcp", "info", "--url", "http://" + WORD)
        self.acp("completions", WORD)

    def test_what_cannot_be_started(self):
        for command in ([NAME], DIES):
            self.acp("run", "hi", "--", *command)
            self.acp("run", "--json", "hi", "--", *command)
            self.acp("check", "agent", "--only", "A-INIT", "--", *command)
            self.acp("mcp", "info", "--", *command, says="no connection")
            self.acp("tap", "--log", "t", "--", NAME)
            self.acp("replay", NAME, "--", *command)

    def test_policy(self):
        value = toml(WORD)
        self.put("policy.toml", f"[[rule]]\ndecision = 'allow'\nkind = {value}\n")
        self.acp("policy", "list", says="there is no")
        self.acp("policy", "explain", "--kind", WORD, says="there is no kind")
        self.put("policy.toml", f"[[rule]]\ndecision = 'allow'\nkind = {toml('_' + WORD)}\ntool = {value}\ncommand = {value}\n"
                 f"agent = {value}\nproject = {toml('/' + WORD)}\n[[rule]]\ndecision = 'reject'\n"
                 f"kind = 'execute'\nagent = {value}\n[[rule]]\ndecision = 'reject'\npath = {toml('/' + WORD)}\n")
        self.acp("policy", "list", says="␛]52")
        for line in self.acp("policy", "list", "--json").stdout.splitlines():
            self.assertIn(WORD, "".join(walk(json.loads(line))))
        asked = ("--kind", "execute", "--agent", WORD)
        self.acp("policy", "explain", *asked, says="reject")
        self.acp("policy", "explain", "--json", *asked)
        self.acp("policy", "allow", "--kind", "execute", "--command", WORD)
        self.acp("policy", "reject", "--tool", WORD)
        self.acp("policy", "revoke", "1", says="Revoked")
        self.acp("policy", "--file", NAME, "list")
        self.put("policy.toml", f"[[rule]]\ndecision = {value}\n")
        self.acp("policy", "list", says="expected")
        self.put("policy.toml", "[[rule]]\ndecision = '\x1b]52;c;x\x07'\n")
        self.acp("policy", "list")

    def test_config(self):
        value = toml(WORD)
        self.put("config.toml", f"[agents.mine]\ncommand = {value}\n")
        self.acp("config", says="control characters")
        # What is no control character is taken, and shown.
        value = toml("".join(c for c in WORD if unicodedata.category(c) != "Cc"))
        self.put("config.toml", f"model = {value}\n[agents.mine]\ncommand = {value}\nargs = [{value}]\n"
                 f"[mcp.mine]\ncommand = {value}\nargs = [{value}]\n")
        self.acp("config", says="<U+202E>")
        self.acp("config", "--json", says="\\u202e")
        self.acp("agents", says="mine")
        self.acp("agents", "-v")
        self.acp("agents", "--json", says="\\u202e")
        self.acp("run", "--agent", "mine", "hi")
        self.put("config.toml", f"model = 3\n{value} = {value}\n")
        for words in (["config"], ["agents"], ["run", "hi"], ["chat"]):
            self.acp(*words)
        self.put("keys.toml", f"{value} = {value}\n")
        self.put("config.toml", "")
        self.acp("config")
        (self.work / ".acp").mkdir()
        (self.work / ".acp/config.toml").write_text(f"{value} = {value}\n")
        self.acp("config")

    def test_schema_check(self):
        call = {"sessionUpdate": "tool_call", "toolCallId": EVIL, "title": EVIL, EVIL: EVIL, "kind": EVIL}
        frames = [{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": EVIL, "update": call}},
                  {"jsonrpc": "2.0", "method": EVIL, "id": 1}, {"jsonrpc": "2.0", "id": EVIL, "method": "initialize",
                                                                "params": {"protocolVersion": EVIL, EVIL: EVIL}},
                  {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": EVIL, "update": EVIL}}]
        for escape in (True, False):
            lines = "\n".join(json.dumps(frame, ensure_ascii=escape) for frame in frames)
            for words in ([], ["--roundtrip"], ["--strict"]):
                done = self.acp("schema", "check", *words, said=lines.encode() + b"\n\xff\x9b {\x1b[31m}\n")
                for line in done.stdout.splitlines():
                    json.loads(line)
        (self.work / NAME).write_bytes(lines.encode())
        self.acp("schema", "check", NAME)

    def test_mcp(self):
        for words in (["info"], ["tools"], ["resources"], ["prompts"]):
            self.acp("mcp", *words, "--", *MCP, says="␛]52")
            self.acp("mcp", *words, "--verbose", "--", *MCP, says="server: ")
        for words in (["info"], ["tools"], ["call", "t"], ["resources"], ["read", "x"], ["prompts"], ["prompt", "x"]):
            told = json.loads(self.acp("mcp", *words, "--json", "--", *MCP).stdout)
            self.assertIn(EVIL, "".join(walk(told)))  # the same value
        for words in (["call", "t"], ["read", "x"], ["prompt", "x"]):
            self.on_terminal("mcp", *words, "--", *MCP, says="␛]52")
            # Into a file or a pipe goes what the server gave: docs/mcp.md.
        self.acp("mcp", "call", WORD, "--", *MCP, says="there is no tool")
        self.acp("mcp", "prompt", WORD, WORD, "--", *MCP)

    def test_check(self):
        done = self.acp("check", "agent", "--only", "A-INIT", "--only", "A-SESSION", "--only", "A-WIRE", "--verbose",
                        "--frames", "--timeout", "5", "--json", "j", "--junit", "x", "--", *AGENT, "odd", says="␛")
        self.assertIn(b"fail", done.stdout)
        json.loads(self.clean_file(self.work / "j"))
        self.clean_file(self.work / "x")
        self.acp("check", "client", "--only", "C-INIT", "--verbose", "--timeout", "5", "--",
                 *DIES, "{agent}")

    def test_tap_log_and_replay(self):
        frames = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}},
                  {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": EVIL, "mcpServers": []}},
                  {"jsonrpc": "2.0", "id": EVIL, "method": "session/prompt",
                   "params": {"sessionId": "s" + EVIL, "prompt": [{"type": "text", "text": EVIL}]}}]
        said = "".join(json.dumps(frame) + "\n" for frame in frames).encode() + b"\x1b[31m no JSON \xff\n"
        # What the agent itself writes to stderr and stdout goes through a tap as it is.
        shell = ["sh", "-c", 'exec "$@" 2>/dev/null', "sh", *AGENT]
        done = subprocess.run([ACP, "tap", "--log", "rec", "--", *shell], input=said, capture_output=True,
                              cwd=self.work, env=self.env, timeout=300)
        self.assertIn(b"acp tap:", done.stderr)
        self.assertEqual(faults(done.stderr), set(), done.stderr)
        for words in ([], ["--violations"], ["--method", "session/update"]):
            self.acp("log", "rec", *words)
        self.acp("log", "rec", says="␛]52")
        (self.work / "broken").write_bytes(b"\x1b[31m\xff\x9b\n" + (self.work / "rec").read_bytes() + b"\x1b]52;c;x\x07\n")
        self.acp("log", "broken")
        self.acp("replay", "rec", "--", *DIES)
        self.acp("replay", "broken", "--", *AGENT)

    def test_run(self):
        for words in ([], ["-v"], ["--quiet"]):
            self.acp("run", *words, "hi", "--", *AGENT, says="the last word")
        for line in self.acp("run", "--json", "hi", "--", *AGENT).stdout.splitlines():
            json.loads(line)
        self.acp("run", "--auth", WORD, "hi", "--", *AGENT)
        self.acp("run", "--mode", WORD, "hi", "--", *AGENT)
        self.acp("run", "--session", WORD, "hi", "--", *AGENT)

    def test_what_an_agent_asks(self):
        for words in ([], ["-v"], ["--policy", "allow"]):
            self.acp("run", *words, "hi", "--", *AGENT, "asks", says="the last word")
        for line in self.acp("run", "--json", "hi", "--", *AGENT, "asks").stdout.splitlines():
            json.loads(line)
        self.acp("run", "--set", WORD + "=" + WORD, "hi", "--", *AGENT)
        self.acp("run", "--model", WORD, "hi", "--", *AGENT)
        chat = Chat([ACP, "chat", "--", *AGENT, "asks"], columns=100, rows=60, env=self.env, cwd=self.work)
        self.addCleanup(chat.close)
        chat.wait("/help")
        chat.type("/config\r")
        chat.wait("then Enter")
        chat.type("\x1b")
        chat.wait_gone("then Enter")
        chat.type("go\r")
        for kind in ("execute", "edit", "fetch", "other"):
            chat.wait("r Reject and say why")
            chat.type("v")
            chat.wait("goes back")
            chat.type("v")
            chat.wait("r Reject and say why")
            chat.type("n\r")
            chat.wait("answered: " + kind)
        chat.wait("Esc declines")
        chat.type("\x1b")
        chat.wait("asks you to visit a page")
        chat.type("n\r")
        chat.wait("did not ask for this")
        chat.type("n\r")
        chat.wait("the last word")
        chat.wait("/help")
        chat.type("\x04")
        chat.end()
        self.assertEqual(chat.screen.faults, [])

    def test_check_of_version_2(self):
        done = self.acp("check", "agent", "--protocol", "2", "--only", "A2-INIT", "--verbose", "--frames", "--timeout", "2", "--json", "j", "--junit", "x", "--",
                        *AGENT, "2", "odd", says="A2-INIT-3")
        self.assertIn(b"fail", done.stdout)
        json.loads(self.clean_file(self.work / "j"))
        self.clean_file(self.work / "x")
        self.acp("check", "agent", "--protocol", "2", "--only", "A2-INIT", "--", *DIES)

    def test_config_get_and_set(self):
        for words in (["get", WORD], ["set", WORD, "x"], ["set", "mode", WORD], ["set", "model", WORD],
                      ["set", "limits.retries", WORD], ["unset", WORD], ["--cwd", NAME, "get", "model"]):
            self.acp("config", *words)
        visible = "".join(c for c in WORD if unicodedata.category(c) != "Cc")
        self.put("config.toml", f"model = {toml(visible)}\n")
        for words in (["get", "model"], ["get", "model", "--json"], ["unset", "model"]):
            self.acp("config", *words)

    def test_servers(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_address[1]}"
        self.put("config.toml", f"model = 'box/m'\n[providers.box]\nbase_url = '{url}/v1'\n")
        for words in ([], ["--json"], ["--model", WORD], ["--cwd", NAME]):
            self.acp("models", *words)
        self.acp("models", says="␛]52")
        self.acp("run", "hi")
        self.put("config.toml", "")
        for words in ([url + "/acp"], ["ws" + url[4:] + "/acp"], [WORD], ["--ssh", WORD], [url, "--header", WORD],
                      [url, "--token-file", NAME], [url, "--proxy", WORD], [url, "--ca-file", NAME]):
            said = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n'
            done = subprocess.run([ACP, "connect", *words], input=said, capture_output=True, cwd=self.work, env=self.env,
                                  timeout=300)
            self.assertTrue(done.stderr, words)
            self.assertEqual(faults(done.stderr), set(), (words, done.stderr))
            for line in done.stdout.splitlines():  # for an editor: JSON
                json.loads(line)
        self.acp("run", "--url", url + "/acp", "hi")

    def test_serve(self):
        for words in (["--listen", WORD], ["--root", NAME], ["--token-file", NAME], ["--agent", WORD],
                      ["--allow-host", WORD, "--log", WORD], ["--tls-cert", NAME, "--tls-key", NAME]):
            self.acp("serve", *words)
        token = self.home / "token"
        token.write_text("the-token-of-the-test\n")
        token.chmod(0o600)
        for how in ("text", "json"):
            serving = subprocess.Popen([ACP, "serve", "--listen", "127.0.0.1:0", "--token-file", str(token), "--log", how,
                                        "--", *AGENT], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=self.work,
                                       env=self.env)
            self.addCleanup(serving.stderr.close)
            self.addCleanup(serving.wait)
            self.addCleanup(serving.kill)
            seen = b""
            while b"http://127.0.0.1:" not in seen:
                line = serving.stderr.readline()
                self.assertTrue(line, seen)
                seen += line
            port = int(seen.split(b"http://127.0.0.1:")[1].split(b"/")[0])
            body = json.dumps({"jsonrpc": "2.0", "id": EVIL, "method": "initialize", "params": {
                "protocolVersion": 1, "clientInfo": {"name": EVIL, "title": EVIL, "version": EVIL}}}).encode()
            evil = EVIL.replace("\r", "").encode()
            for line, head in ((b"POST /acp HTTP/1.1", b"Authorization: Bearer the-token-of-the-test"),
                               (b"POST /" + evil + b" HTTP/1.1", b"X: y"), (b"GET /acp HTTP/1.1", b"Host: " + evil),
                               (b"POST /acp HTTP/1.1", b"X-Forwarded-For: " + evil),
                               (b"POST /acp?x=%1b%5b31m HTTP/1.1", b"Authorization: " + evil), (evil, evil)):
                with socket.create_connection(("127.0.0.1", port)) as wire:
                    wire.sendall(b"\r\n".join((line, b"Host: 127.0.0.1", b"Content-Type: application/json", head,
                                               b"Connection: close", b"Content-Length: %d" % len(body), b"", body)))
                    wire.settimeout(60)
                    while wire.recv(65536):
                        pass
            serving.terminate()
            seen += serving.stderr.read()
            self.assertEqual(faults(seen), set(), seen)

    def test_chat(self):
        (self.work / NAME).write_text("x")
        (self.work / (NAME + "2")).write_text("x")
        chat = Chat([ACP, "chat", "--", *AGENT], columns=100, env=self.env, cwd=self.work)
        self.addCleanup(chat.close)
        chat.wait("/help")
        chat.type("go\r")
        chat.wait("the last word")
        chat.wait("/help")
        for command, says in (("/show", "unfolds one"), ("/show 1", "␛]52"), ("/log", "stderr"), ("/save", "writes one"),
                              ("/changes", "a"), ("/export out.md", "out.md"), ("/export out.jsonl", "out.jsonl"),
                              ("/policy", "a"), ("/help", "a"), ("/mode nosuch", "nosuch")):
            chat.type(command + "\r")
            chat.wait(says)
        chat.type("@a\t")
        chat.wait("❯ @a")
        chat.type("\x15")
        chat.until(lambda: (self.work / "out.jsonl").exists(), "out.jsonl")
        self.clean_file(self.work / "out.md")
        for line in self.clean_file(self.work / "out.jsonl").splitlines():
            json.loads(line)
        chat.type("\x04")
        chat.end()
        self.assertEqual(chat.screen.faults, [])
        text = chat.screen.text()
        self.assertEqual({c for c in text if unicodedata.category(c) in FORMAT and c != "\n"}, set())
        # Where lines are read, too.
        self.acp("chat", "--", *AGENT, said=b"go\n/show 1\n/log\n", says="the last word")


def walk(value):
    if isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from walk(one)
    elif isinstance(value, list):
        for one in value:
            yield from walk(one)
    else:
        yield str(value)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
