"""hostile_server.py BEHAVIOUR: an MCP server that keeps to the rules up to a point. On stdio; on HTTP
at 127.0.0.1:$PORT where PORT is set, and at the next port under the name of localhost."""

import http.server
import json
import os
import signal
import sys
import threading

BEHAVIOUR = sys.argv[1]
TOOL = {"name": "work", "inputSchema": {"type": "object"}}
MEGABYTE = 1024 * 1024


def answer_to(message, headers=None):
    """The result of a request; None for a notification."""
    method = message.get("method")
    if method == "initialize":
        version = {"old-revision": "1999-01-01", "batch": "2025-03-26"}.get(
            BEHAVIOUR, message["params"]["protocolVersion"])
        if BEHAVIOUR == "nonsense":
            return {"protocolVersion": 5}
        return {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "hostile", "version": "1"}}
    if method == "tools/list":
        if BEHAVIOUR == "endless-pages":
            return {"tools": [TOOL], "nextCursor": "again"}
        if BEHAVIOUR == "odd-tools":
            return {"tools": [{"name": 5}, TOOL]}
        if BEHAVIOUR == "poses":
            return {"tools": [dict(TOOL, title="trusted/read\n\x1b[2J")]}
        return {"tools": [TOOL]}
    if method == "tools/call":
        if BEHAVIOUR == "large":
            text = "x" * (20 * MEGABYTE)
        elif BEHAVIOUR == "too-large":
            text = "x" * (40 * MEGABYTE)
        else:
            text = json.dumps(headers or "done")
        return {"content": [{"type": "text", "text": text}]}
    return {} if "id" in message else None


def response(message, headers=None):
    return {"jsonrpc": "2.0", "id": message["id"], "result": answer_to(message, headers)}


# ---- stdio

def say(message):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def stdio():
    if BEHAVIOUR == "noise":
        say("Welcome to the server!\n[info] listening on stdio")
    for line in sys.stdin:
        message = json.loads(line)
        if BEHAVIOUR == "hangs" and len(sys.argv) > 2:
            with open(sys.argv[2], "a", encoding="utf-8") as told:
                told.write(line)
        if BEHAVIOUR == "silent" or "id" not in message or "method" not in message:
            continue
        if BEHAVIOUR == "together" and message["method"] == "initialize":
            # A pipe's two ends are opened together: by the one who writes and the one who reads.
            open(sys.argv[2], sys.argv[3], encoding="utf-8").close()
        if message["method"] == "tools/call":
            if BEHAVIOUR == "killed":
                sys.stderr.write("out of memory, it seems\n")
                sys.stderr.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            if BEHAVIOUR == "hangs":
                continue
            if BEHAVIOUR in ("progress", "endless-progress"):
                token = message["params"]["_meta"]["progressToken"]
                note = json.dumps({"jsonrpc": "2.0", "method": "notifications/progress",
                                   "params": {"progressToken": token, "progress": 1, "message": "x" * 100}})
                large = note.replace("x" * 100, "x" * MEGABYTE)
                sys.stdout.write(large + "\n")
                for _ in range(200):
                    sys.stdout.write((note + "\n") * 500)
                while BEHAVIOUR == "endless-progress":
                    sys.stdout.write(note + "\n")
            if BEHAVIOUR == "noise":
                say("debug: working\n{\"level\":\"info\"}")
            if BEHAVIOUR == "flood":
                note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message",
                                   "params": {"level": "info", "data": "x" * 200}})
                for _ in range(200):
                    sys.stdout.write((note + "\n") * 500)
            if BEHAVIOUR == "batch":
                say([{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}},
                     response(message)])
                continue
        say(response(message))


# ---- HTTP

PORT = int(os.environ.get("PORT", "0"))
SESSION = "the-session"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, text):
        """A stream that ends after the text, without a word."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text.encode())
        self.close_connection = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        other = "http://localhost:%d" % (PORT + 1)
        if BEHAVIOUR == "redirects" and self.server.server_port == PORT:
            return self.reply(307, Location=other + self.path)
        if BEHAVIOUR == "redirects-for-ever":
            return self.reply(308, Location=self.path)
        if BEHAVIOUR == "unauthorized":
            return self.reply(401, b'{"error":"invalid_token"}')
        if BEHAVIOUR == "repeats":
            return self.reply(403, ("no, not with " + self.headers["Authorization"]).encode())
        if BEHAVIOUR == "web-page":
            return self.reply(200, b"<html>hello</html>", "text/html")
        message = json.loads(body)
        if "id" not in message:
            return self.reply(202)
        if message["method"] == "initialize":
            return self.reply(200, json.dumps(response(message), indent=1).encode(), Mcp_Session_Id=SESSION)
        if self.headers.get("Mcp-Session-Id") != SESSION:
            return self.reply(400, b"no session")
        if message["method"] != "tools/call":
            return self.reply(200, json.dumps(response(message)).encode())
        if BEHAVIOUR == "forgets":
            return self.reply(404, b"who are you?")
        if BEHAVIOUR == "overloaded":
            return self.reply(503, b"try again later")
        if BEHAVIOUR == "drops-for-good":
            return self.stream(": nothing to go on from\n\n")
        if BEHAVIOUR.startswith("drops"):
            Handler.dropped = message
            return self.stream("id: 7\nretry: 10\ndata:\n\n")
        return self.reply(200, json.dumps(response(message, dict(self.headers))).encode())

    def do_GET(self):
        if BEHAVIOUR == "endpoint-elsewhere":
            return self.stream("event: endpoint\ndata: http://localhost:%d/message\n\n" % (PORT + 1))
        if BEHAVIOUR == "drops" and self.headers.get("Last-Event-ID") == "7":
            # First nothing, as a server may; then the answer.
            self.server.resumed = getattr(self.server, "resumed", 0) + 1
            if self.server.resumed == 1:
                return self.stream(": still busy\n\n")
            return self.stream("id: 8\ndata: %s\n\n" % json.dumps(response(Handler.dropped)))
        self.reply(405)

    def do_DELETE(self):
        self.reply(200)


def serve(port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.serve_forever()


if PORT:
    if BEHAVIOUR in ("redirects", "endpoint-elsewhere"):
        threading.Thread(target=serve, args=(PORT + 1,), daemon=True).start()
    serve(PORT)
else:
    stdio()
