#!/usr/bin/env python3
"""A server that offers a scripted agent over Streamable HTTP and WebSocket, all by hand.

It prints its URL and ends with its stdin. With `--fault NAME` it does exactly one thing wrong;
`--faults` lists the names, each with the requirement that it breaks.
"""

import json
import os
import select
import socketserver
import sys
import threading
import uuid

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # not there with -I

from mutant_server_faults import FAULTS, bad  # noqa: E402
from mutant_server_socket import serve_websocket  # noqa: E402

MOST_BYTES = 16 * 1024 * 1024
LONGEST_ID = 1024
OF_SESSIONS = {"session/" + name for name in (
    "cancel", "close", "delete", "fork", "load", "prompt", "resume", "set_config_option", "set_mode", "set_model")}
REASONS = {200: "OK", 202: "Accepted", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
           406: "Not Acceptable", 409: "Conflict", 413: "Content Too Large", 415: "Unsupported Media Type"}
BATCH = {"jsonrpc": "2.0", "id": None,
         "error": {"code": -32600, "message": "Invalid request: JSON-RPC batches are not supported"}}


class Agent:
    """Answers at once. What it sends goes through `send`."""

    def __init__(self, send):
        self.send = send
        self.sessions = 0
        self.asked = {}  # the id of a question → the id of the prompt that waits for it

    def take(self, message):
        if "method" not in message:
            prompt = self.asked.pop(message.get("id"), None)
            if prompt is not None:
                self.answer(prompt, {"stopReason": "end_turn"})
            return
        if "id" not in message:
            return
        params = message.get("params") or {}
        method, number = message["method"], message["id"]
        if method == "initialize" and isinstance(params.get("protocolVersion"), int):
            self.answer(number, {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []})
        elif method == "initialize":
            self.error(number, -32602, "protocolVersion is a number")
        elif method == "session/new":
            self.sessions += 1
            self.answer(number, {"sessionId": f"session-{self.sessions}"})
        elif method == "session/prompt" and "sessionId" in params:
            self.prompt(number, params)
        else:
            self.error(number, -32601, "Method not found")

    def prompt(self, number, params):
        session, text = params["sessionId"], params["prompt"][0]["text"]
        content = {"type": "text", "text": text}
        self.say("session/update", {"sessionId": session, "update": {
            "sessionUpdate": "agent_message_chunk", "content": content}})
        if not text.startswith("create"):
            return self.answer(number, {"stopReason": "end_turn"})
        self.asked["question"] = number
        self.say("session/request_permission", {
            "sessionId": session, "toolCall": {"toolCallId": "call-1", "title": "Write?"},
            "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]}, "question")

    def say(self, method, params, number=None):
        self.send({"jsonrpc": "2.0", **({} if number is None else {"id": number}),
                   "method": method, "params": params})

    def answer(self, number, result):
        self.send({"jsonrpc": "2.0", "id": number, "result": result})

    def error(self, number, code, text):
        self.send({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}})


class Stream:
    """Messages that wait for their reader."""

    def __init__(self):
        self.waiting = []
        self.read = False
        self.ended = False
        self.wake, self.woken = os.pipe()

    def put(self, message):
        if bad("unread-is-dropped") and self is not self.connection and not self.read:
            return
        self.waiting.append(message)
        os.write(self.woken, b".")

    def end(self):
        self.ended = True
        os.write(self.woken, b".")


class Connection:
    def __init__(self, server):
        self.server = server
        self.id = str(uuid.uuid4())
        if bad("one-id-for-all"):
            self.id = "4a8c6d3e-0f51-4d6b-9c1e-2b7f5a9d8e10"
        if bad("ids-counted"):
            self.id = f"connection-{len(server.connections) + 1}"
        self.lock = threading.RLock()
        self.streams = {}
        self.routes = {}  # the id of a request → where its answer goes
        self.questions = {}  # the id of the agent's request → its session
        self.misled = False
        self.stream(None)
        self.agent = Agent(self.on_message)

    def stream(self, session):
        with self.lock:
            if session not in self.streams:
                self.streams[session] = Stream()
                self.streams[session].connection = self.streams[None]
            return self.streams[session]

    # From the client.
    def take(self, message, session):
        with self.lock:
            if "method" in message and "id" in message:
                self.routes[message["id"]] = self.route(message, session)
            self.agent.take(message)

    def route(self, message, session):
        method = message["method"]
        if method == "session/load":
            return session if bad("load-on-session-stream") else None
        if method == "session/resume" and bad("resume-on-connection-stream"):
            return None
        if method == "session/new" and bad("new-on-session-stream"):
            return f"session-{self.agent.sessions + 1}"
        if session is None and method != "session/new" and bad("answer-on-session-stream") and not self.misled:
            for name, stream in self.streams.items():
                if name is not None and stream.read:
                    self.misled = True
                    return name
        return session

    # From the agent.
    def on_message(self, message):
        if "method" not in message:
            route = self.routes.pop(message["id"], None)
            if bad("answers-to-all") and route is None:
                for other in list(self.server.connections.values()):
                    if other is not self:
                        other.stream(None).put(message)
            return self.stream(route).put(message)
        session = message["params"].get("sessionId")
        if "id" in message:
            self.questions[message["id"]] = session
        if bad("updates-on-connection-stream") and "id" not in message:
            session = None
        self.stream(session).put(message)

    def end(self):
        if not bad("delete-keeps-streams"):
            for stream in list(self.streams.values()):
                stream.end()


class Refusal(Exception):
    def __init__(self, status, text="", kind="text/plain"):
        super().__init__(text)
        self.status, self.text, self.kind = status, text, kind


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline().decode("latin-1").split()
        if len(line) != 3:
            return
        self.headers = {}
        while (text := self.rfile.readline().decode("latin-1").strip()):
            name, _, value = text.partition(":")
            self.headers[name.lower()] = value.strip()
        try:
            if line[0] == "GET" and self.headers.get("upgrade", "").lower() == "websocket":
                serve_websocket(self, Agent)
            elif line[0] in ("POST", "GET", "DELETE"):
                getattr(self, line[0].lower())()
            else:
                self.reply(200 if bad("put-is-taken") else 405)
        except Refusal as refused:
            text = refused.text
            if bad("words-of-its-own") and refused.kind == "text/plain":
                text = "No."
            self.reply(refused.status, text, refused.kind)
        except (ConnectionError, BrokenPipeError):
            pass

    def reply(self, status, body="", kind="text/plain", headers=()):
        head = [f"HTTP/1.1 {status} {REASONS[status]}", "Connection: close", *headers]
        if body:
            head.append(f"Content-Type: {kind}")
        head.append(f"Content-Length: {len(body.encode())}")
        self.wfile.write(("\r\n".join(head) + "\r\n\r\n" + body).encode())

    def find(self, missing, unknown):
        """The connection that the request names; the faults that this verb has with it."""
        name = self.headers.get("acp-connection-id")
        if name is None:
            raise Refusal(404 if bad(missing) else 400, "Missing Acp-Connection-Id")
        if name not in self.server.connections:
            wrong = bad(unknown) and name not in self.server.deleted
            raise Refusal(400 if wrong else 404, "Unknown Acp-Connection-Id")
        return self.server.connections[name]

    # ---- POST

    def post(self):
        size = int(self.headers.get("content-length", 0))
        kind = self.headers.get("content-type", "")
        plain = kind if bad("content-type-to-the-letter") else kind.split(";")[0].strip().lower()
        body = self.rfile.read(size)
        if plain != "application/json" and not bad("any-content-type"):
            raise Refusal(415, "Unsupported Media Type")
        if size > MOST_BYTES and not bad("takes-large-bodies"):
            raise Refusal(413, "Content Too Large")
        try:
            message = json.loads(body)
        except ValueError:
            if bad("takes-no-json"):
                return self.reply(202)
            raise Refusal(400, "Invalid JSON") from None
        if isinstance(message, list):
            if bad("takes-batches"):
                return self.reply(202)
            raise Refusal(400, json.dumps(BATCH), "application/json")
        if not isinstance(message, dict):
            if bad("takes-numbers"):
                return self.reply(202)
            raise Refusal(400, "Invalid JSON-RPC message")
        if message.get("method") == "initialize":
            return self.initialize(message)
        connection = self.find("no-connection-is-404", "unknown-connection-is-400")
        session = self.session(connection, message)
        connection.take(message, session)
        if "method" not in message and bad("answer-is-200"):
            return self.reply(200)
        self.reply(202, '{"accepted":true}' if "method" in message and bad("accepted-with-a-body") else "",
                   "application/json")

    def session(self, connection, message):
        """The session of a message, as the header says; or it is refused."""
        session = self.headers.get("acp-session-id")
        number = message.get("id")
        if isinstance(number, str) and len(number) > LONGEST_ID and not bad("takes-long-ids"):
            raise Refusal(400, "An id is too long")
        if "method" not in message:
            owner = connection.questions.get(number)
            missing, mismatched = "answer-without-header", "answer-of-another-session"
        else:
            owner = (message.get("params") or {}).get("sessionId")
            of_session = message["method"] in OF_SESSIONS
            missing = "session-method-without-header" if of_session else "session-id-without-header"
            mismatched = "session-id-mismatched"
            if of_session and session is None and not bad(missing):
                raise Refusal(400, "Missing Acp-Session-Id")
        if owner is not None and session is None and not bad(missing):
            raise Refusal(400, "Missing Acp-Session-Id")
        if owner is not None and session not in (None, owner) and not bad(mismatched):
            raise Refusal(400, "Mismatched Acp-Session-Id")
        return session

    def initialize(self, message):
        if "acp-connection-id" in self.headers and not bad("initialize-again"):
            raise Refusal(400, "Initialize not allowed on existing connection")
        if message.get("id") is None and not bad("initialize-without-id"):
            raise Refusal(400, "Initialize request must include an ID")
        connection = Connection(self.server)
        connection = self.server.connections.setdefault(connection.id, connection)
        answers = []
        Agent(answers.append).take({"id": None, **message})
        status = 400 if "error" in answers[0] and bad("refusal-is-400") else 200
        named = [] if bad("initialize-without-header") else [f"Acp-Connection-Id: {connection.id}"]
        kind = "text/plain" if bad("initialize-as-text") else "application/json"
        self.reply(status, json.dumps(answers[0]), kind, named)

    # ---- GET

    def get(self):
        if "text/event-stream" not in self.headers.get("accept", "") and not bad("any-accept"):
            raise Refusal(406, "Not Acceptable")
        connection = self.find("get-without-connection-is-404", "get-unknown-is-400")
        session = self.headers.get("acp-session-id")
        if bad("unknown-session-is-404") and session is not None and not session.startswith("session-"):
            raise Refusal(404, "Unknown Acp-Session-Id")
        stream = connection.stream(session)
        with connection.lock:
            taken, stream.read = stream.read, True
        if taken and not bad("two-readers"):
            raise Refusal(409, "Outbound stream already has an active receiver")
        try:
            # The second reader gets nothing.
            self.write_events(Stream() if taken else stream)
        except (ConnectionError, BrokenPipeError):
            pass
        if not taken and not bad("reader-for-ever"):
            stream.read = False

    def write_events(self, stream):
        kind = "application/json" if bad("stream-as-json") else "text/event-stream"
        cached = "" if bad("stream-may-be-cached") else "Cache-Control: no-cache\r\n"
        head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: {kind}\r\n{cached}\r\n".encode()
        if bad("event-without-message"):
            head += b"data: hello\n\n"
        if not bad("headers-held-back"):
            self.wfile.write(head)
            head = b""
        while True:
            while stream.waiting:
                self.wfile.write(head + b"data: " + json.dumps(stream.waiting.pop(0)).encode() + b"\n\n")
                head = b""
            if stream.ended:
                return
            ready, _, _ = select.select([self.request, stream.wake], [], [])
            if stream.wake in ready:
                os.read(stream.wake, 4096)
            elif not self.request.recv(4096):
                return

    # ---- DELETE

    def delete(self):
        connection = self.find("delete-without-connection-is-404", "delete-unknown-is-400")
        connection.end()
        if not bad("deleted-is-known"):
            del self.server.connections[connection.id]
            self.server.deleted.add(connection.id)
        self.reply(200 if bad("delete-is-200") else 202)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.connections = {}
        self.deleted = set()


if "--faults" in sys.argv:
    print(json.dumps(FAULTS))
    sys.exit()
with Server() as main:
    threading.Thread(target=main.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{main.server_address[1]}/acp", flush=True)
    sys.stdin.read()
    os._exit(0)
