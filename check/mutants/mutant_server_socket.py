"""WebSocket, for mutant_server.py."""

import base64
import hashlib
import json
import uuid

from mutant_server_faults import bad

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Socket:
    def __init__(self, handler, agent):
        self.read, self.write = handler.rfile.read, handler.wfile.write
        self.initialized = False
        self.parts, self.opcode = b"", TEXT
        self.agent = agent(self.send)

    def frame(self, opcode, payload):
        size = len(payload)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([size])
        elif size < 65536:
            head += b"\x7e" + size.to_bytes(2, "big")
        else:
            head += b"\x7f" + size.to_bytes(8, "big")
        self.write(head + payload)

    def close(self, code, reason=""):
        self.frame(CLOSE, code.to_bytes(2, "big") + reason.encode())

    def send(self, message):
        text = json.dumps([message] if bad("ws-answer-in-array") else message)
        self.frame(TEXT, (text + ("\n" if bad("ws-newline") else "")).encode())

    def error(self, code, text, number=None):
        self.send({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}})

    # Until the end.
    def serve(self):
        while len(head := self.read(2)) == 2:
            opcode, last, size = head[0] & 15, head[0] & 128, head[1] & 127
            if size > 125:
                size = int.from_bytes(self.read(2 if size == 126 else 8), "big")
            mask = self.read(4)
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(self.read(size)))
            if opcode == CLOSE:
                if not bad("ws-close-without-answer"):
                    self.frame(CLOSE, payload)
                return
            if opcode == PING:
                self.frame(PONG, b"" if bad("ws-empty-pong") else payload)
            elif opcode < CLOSE:
                if not last and bad("ws-no-fragments"):
                    return self.close(1003)
                self.opcode = opcode or self.opcode
                self.parts += payload
                if last:
                    text, self.parts = self.parts, b""
                    read = self.opcode == TEXT or bad("ws-binary-is-read")
                    if read and self.take(text) is False:
                        return

    # False at the end of the connection.
    def take(self, text):
        try:
            message = json.loads(text)
        except ValueError:
            return None if bad("ws-broken-json-ignored") else self.error(-32700, "Parse error")
        if isinstance(message, list):
            return None if bad("ws-batch-ignored") else self.error(-32600, "Invalid request")
        if not isinstance(message, dict):
            return None if bad("ws-number-ignored") else self.error(-32600, "Invalid request")
        if self.initialized:
            return self.after(message)
        if "method" not in message:
            return self.error(-32600, "Invalid request") if bad("ws-answer-refused") else None
        if message["method"] == "initialize":
            if message.get("id") is None and not bad("ws-null-id"):
                self.close(1002, "Initialize request must include an ID")
                return False
            self.initialized = True
        elif not bad("ws-any-first"):
            self.close(1002, "First message must be initialize")
            return False
        return self.agent.take(message)

    def after(self, message):
        if message.get("method") == "initialize" and not bad("ws-initialize-again"):
            self.error(-32600, "Initialize not allowed on existing connection", message.get("id"))
            if bad("ws-closed-by-initialize"):
                self.close(1002)
                return False
            return None
        if "sessionId" in (message.get("params") or {}) and bad("ws-session-is-lost"):
            return None
        return self.agent.take(message)


def serve_websocket(handler, agent):
    key = handler.headers.get("sec-websocket-key", "") + ("" if bad("ws-wrong-key") else GUID)
    accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    named = "" if bad("ws-without-header") else f"Acp-Connection-Id: {uuid.uuid4()}\r\n"
    handler.wfile.write((f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                         f"Sec-WebSocket-Accept: {accept}\r\n{named}\r\n").encode())
    Socket(handler, agent).serve()
