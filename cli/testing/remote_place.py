"""acp serve for tests: a place with a root and a token, servers in it, and a client over HTTP."""

import http.client
import json
import os
import queue
import re
import select
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ACP = os.path.abspath(sys.argv[1])
AGENT = [sys.executable, str(Path(__file__).resolve().parent / "remote_agent.py")]
PATIENCE = float(os.environ.get("ACP_PATIENCE_MS", "60000")) / 1000  # for what must come
EVENTS = {"Accept": "text/event-stream"}


def has_ended(pid):
    """Waits for the end of a process that is not ours."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], PATIENCE)[0])
    finally:
        os.close(handle)


class Lines:
    """What a program writes, line by line, as it comes."""

    def __init__(self, stream):
        self.seen, self.came, self.ended = [], threading.Condition(), False
        threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream):
        for line in stream:
            with self.came:
                self.seen.append(line.decode().rstrip("\n"))
                self.came.notify_all()
        with self.came:
            self.ended = True
            self.came.notify_all()

    def until(self, pattern, since=0):
        """The match of the first line, also of one that is yet to come."""
        def look():
            return next((m for line in self.seen[since:] if (m := re.search(pattern, line))), None)
        with self.came:
            self.came.wait_for(lambda: look() or self.ended, PATIENCE)
            found = look()
        assert found, (pattern, self.seen)
        return found

    def text(self):
        with self.came:
            assert self.came.wait_for(lambda: self.ended, PATIENCE)
        return "\n".join(self.seen)


class Server:
    def __init__(self, place, *options, command=AGENT, environment=None, port=0, words=None):
        words = words or [ACP, "serve", "--listen", f"127.0.0.1:{port}", *options,
                          *(["--", *command] if command else [])]
        self.process = subprocess.Popen(words, cwd=place.root, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        env=place.environment | (environment or {}))
        place.addCleanup(self.process.stderr.close)
        place.addCleanup(self.process.wait)
        place.addCleanup(self.process.kill)
        self.log = Lines(self.process.stderr)
        self.tls = "--tls-cert" in options
        found = self.log.until(r"(https?)://127\.0\.0\.1:(\d+)/acp")
        self.port = int(found[2])
        self.url = found[0]

    def stop(self, signal_number=signal.SIGTERM):
        self.process.send_signal(signal_number)
        return self.process.wait(timeout=PATIENCE)

    def ask(self, method="POST", path="/acp", body=None, headers=None):
        """The answer, read, with its text."""
        connection = self.connection()
        text = json.dumps(body) if isinstance(body, dict) else body
        connection.request(method, path, body=text, headers=headers or {})
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        connection.close()
        return answer

    def connection(self):
        if not self.tls:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        anybody = ssl._create_unverified_context()
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE, context=anybody)


def initialize(number=0):
    return {"jsonrpc": "2.0", "id": number, "method": "initialize",
            "params": {"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": True, "writeTextFile": True},
                                                                    "terminal": True}}}


class Talk:
    """What a client says and hears; post() is the way there."""

    def __init__(self, place):
        self.place, self.came, self.seen, self.next = place, queue.Queue(), [], 1

    def begin(self, method, **params):
        number, self.next = self.next, self.next + 1
        self.post(id=number, method=method, params=params)
        return number

    def until(self, wanted):
        while True:
            message = self.came.get(timeout=PATIENCE)
            self.seen.append(message)
            if wanted(message):
                return message

    def answer(self, number):
        def wanted(message):
            return message.get("id") == number and "method" not in message
        return next(filter(wanted, self.seen), None) or self.until(wanted)  # it may have come before another

    def until_asked(self, method):
        return self.until(lambda m: m.get("method") == method)

    def call(self, method, **params):
        message = self.answer(self.begin(method, **params))
        return message.get("result", message.get("error"))

    def session(self, cwd=None):
        return self.call("session/new", cwd=str(cwd or self.place.root), mcpServers=[])["sessionId"]

    def prompt(self, session, text):
        return self.begin("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])

    def until_said(self, text=""):
        def said(message):
            content = message.get("params", {}).get("update", {}).get("content", {})
            return text in content["text"] if "text" in content else False
        return self.until(said)["params"]["update"]["content"]["text"]

    def says(self, session, text):
        number = self.prompt(session, text)
        said = self.until_said()
        self.answer(number)
        return said


class Client(Talk):
    """Over HTTP, with the streams of its connection and of its sessions."""

    def __init__(self, place, server, token=None, **headers):
        super().__init__(place)
        self.server, self.streams = server, {}
        self.headers = {"Authorization": f"Bearer {token or place.token}", "Content-Type": "application/json", **headers}
        answer = server.ask(body=initialize(), headers=self.headers)
        assert answer.status == 200, (answer.status, answer.text)
        self.headers["Acp-Connection-Id"] = answer.headers["Acp-Connection-Id"]
        self.open(None)

    def open(self, session):
        connection = self.server.connection()
        own = {"Acp-Session-Id": session} if session else {}
        connection.request("GET", "/acp", headers=self.headers | EVENTS | own)
        stream = connection.getresponse()
        assert stream.status == 200, stream.status
        reader = threading.Thread(target=self.read, args=(stream,), daemon=True)
        self.streams[session] = reader
        reader.start()

    def until_closed(self, session):
        """The stream of a session that is closed ends."""
        self.streams.pop(session).join(PATIENCE)

    def read(self, stream):
        try:
            for line in stream:
                if line.startswith(b"data: "):
                    self.came.put(json.loads(line[6:]))
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # closed by us

    def post(self, **message):
        session = (message.get("params") or {}).get("sessionId")
        if session and session not in self.streams:
            self.open(session)
        own = {"Acp-Session-Id": session} if session else {}
        answer = self.server.ask(body={"jsonrpc": "2.0", **message}, headers=self.headers | own)
        assert answer.status == 202, (answer.status, answer.text)

    def end(self):
        return self.server.ask("DELETE", headers=self.headers).status


class Connected(Talk):
    """An editor with acp connect as its agent."""

    def __init__(self, place, url, *options, token=None, begins=True):
        super().__init__(place)
        words = [ACP, "connect", url, "--token-file", token or place.token_file, *options]
        self.output, theirs = socket.socketpair()  # so that it can be closed while it is read
        self.process = subprocess.Popen(words, cwd=place.folder, stdin=subprocess.PIPE, stdout=theirs,
                                        stderr=subprocess.PIPE, env=place.environment)
        theirs.close()
        for stream in (self.process.stdin, self.output, self.process.stderr):
            place.addCleanup(stream.close)
        place.addCleanup(self.process.wait)
        place.addCleanup(self.process.kill)
        self.log = Lines(self.process.stderr)
        threading.Thread(target=self.read, daemon=True).start()
        if begins:
            self.capabilities = self.call("initialize", **initialize()["params"])

    def read(self):
        with self.output.makefile("rb") as lines:
            for line in lines:
                self.came.put(json.loads(line))

    def post(self, **message):
        self.process.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
        self.process.stdin.flush()

    def ends(self):
        """Its exit code, and what it said."""
        return self.process.wait(timeout=PATIENCE), self.log.text()


class Place(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.root = self.folder / "root"
        self.home = self.folder / "home"
        self.root.mkdir()
        self.home.mkdir()
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ACP_", "OPENAI_", "ANTHROPIC_"))}
        # Each of many processes would take seconds to look for leaks.
        self.environment = kept | {"HOME": str(self.home), "no_proxy": "*",
                                   "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        self.token = "a-token-of-the-test"
        self.token_file = self.token_in("token", self.token)

    def token_in(self, name, token):
        file = self.folder / name
        file.write_text(token + "\n")
        file.chmod(0o600)
        return str(file)

    def serve(self, *options, **more):
        return Server(self, "--token-file", self.token_file, *options, **more)

    def run_serve(self, *options, environment=None):
        """For one that does not begin: what it says."""
        done = subprocess.run([ACP, "serve", *options], capture_output=True, text=True, cwd=self.root,
                              env=self.environment | (environment or {}), timeout=PATIENCE)
        return done.returncode, done.stderr

    def certificate(self):
        """A new one for this machine, and its key."""
        cert, key = str(self.folder / "cert.pem"), str(self.folder / "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                        "-keyout", key, "-out", cert], check=True, capture_output=True)
        return cert, key

    def fifo(self):
        path = str(self.folder / "gate")
        os.mkfifo(path)
        return path


def main():
    # Streams end with their server, and are closed with this process.
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], warnings="ignore")
