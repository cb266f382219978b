"""What the command lines of the documentation talk to: a model server (chat completions) and an MCP server over
HTTP; as programs, `docs_servers.py mcp` the same MCP server, and `docs_servers.py agent` an agent of ACP."""

import contextlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOLS = [{"name": "get-sum", "description": "Adds two numbers", "inputSchema": {
    "type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]}},
    {"name": "read_file", "description": "Reads a file", "inputSchema": {
        "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}]
RESOURCE = {"uri": "demo://resource/dynamic/text/1", "name": "one", "mimeType": "text/plain"}
PROMPT = {"name": "args-prompt", "arguments": [{"name": "city", "required": True}]}


def answer(message):
    """Of the MCP server; nothing to a notification."""
    if "id" not in message:
        return None
    params = message.get("params", {})
    results = {
        "initialize": lambda: {"protocolVersion": params["protocolVersion"],
                               "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
                               "serverInfo": {"name": "scripted", "version": "1"}},
        "ping": lambda: {},
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: {"content": [{"type": "text", "text": " ".join(map(str, params["arguments"].values()))}]},
        "resources/list": lambda: {"resources": [RESOURCE]},
        "resources/templates/list": lambda: {"resourceTemplates": []},
        "resources/read": lambda: {"contents": [{"uri": params["uri"], "text": "one"}]},
        "prompts/list": lambda: {"prompts": [PROMPT]},
        "prompts/get": lambda: {"messages": [{"role": "user", "content": {"type": "text", "text": "Rome?"}}]},
    }
    result = results.get(message["method"])
    if not result:
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown"}}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result()}


def agent_answers(message):
    """Of the agent: the messages that it sends."""
    method, params = message.get("method"), message.get("params") or {}
    if "id" not in message or method is None:
        return []
    results = {"initialize": {"protocolVersion": 1, "agentCapabilities": {},
                              "agentInfo": {"name": "scripted", "version": "1"}},
               "session/new": {"sessionId": "sess_1"}, "session/prompt": {"stopReason": "end_turn"}}
    if method not in results:
        error = {"code": -32601, "message": "Method not found"}
        return [{"jsonrpc": "2.0", "id": message["id"], "error": error}]
    messages = [{"jsonrpc": "2.0", "id": message["id"], "result": results[method]}]
    if method == "session/prompt":
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Scripted."}}
        messages.insert(0, {"jsonrpc": "2.0", "method": "session/update",
                            "params": {"sessionId": params["sessionId"], "update": update}})
    return messages


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body="", kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def do_GET(self):
        if self.path == "/v1/models":
            return self.send(200, json.dumps({"data": [{"id": "scripted"}]}))
        return self.send(405 if self.path == "/mcp" else 404)

    def do_DELETE(self):
        self.send(405)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/mcp":
            reply = answer(message)
            return self.send(200, json.dumps(reply)) if reply else self.send(202)
        if self.path != "/v1/chat/completions":
            return self.send(404)
        events = [{"choices": [{"index": 0, "delta": {"content": "Scripted."}}]},
                  {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        return self.send(200, body, "text/event-stream")


@contextlib.contextmanager
def serve():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        for reply in agent_answers(message) if sys.argv[1] == "agent" else [answer(message)]:
            if reply:
                print(json.dumps(reply), flush=True)
