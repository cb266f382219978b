#!/usr/bin/env python3
"""A scripted agent, written on nothing but JSON, that does all that `acp check agent` knows about.

With `--fault NAME` it does exactly one thing wrong. `--faults` lists the names, each with the
requirement that it breaks and whether somebody waits in vain for it.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # not there with -I

from mutant_faults import Lost, Refused, bad, subprocess  # noqa: E402
from mutant_sessions import MODES, Sessions  # noqa: E402
from mutant_turns import Turns  # noqa: E402


class Agent(Sessions, Turns):
    def __init__(self):
        self.initialized = False
        self.authenticated = False
        self.client = {}
        self.sessions = {}
        self.waiting = {}  # id → turn
        self.next_id = 10_000  # far from those of the client
        self.piece = None
        self.servers = []
        self.streams = []
        self.previous = None
        self.deleted = []

    # ---- the wire

    def write(self, text):
        sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
        sys.stdout.buffer.flush()

    def send(self, message, times=1):
        message = {"jsonrpc": "2.0", **message}
        text = (json.dumps(message) + "\n") * times
        if self.piece is None:
            self.write(text)
        else:
            self.piece += text

    # In one piece: nobody can answer the first before the last.
    def send_all(self, *messages):
        self.piece = ""
        for message in messages:
            self.send(message)
        text, self.piece = self.piece, None
        self.write(text)

    def fresh(self, word):
        self.next_id += 1
        return f"{word}-{self.next_id}"

    def update(self, session, variant, **fields):
        self.send({"method": "session/update",
                   "params": {"sessionId": session.name, "update": {"sessionUpdate": variant, **fields}}})

    def say(self, session, text, kind="agent_message_chunk"):
        session.said.append((kind, text))
        self.update(session, kind, content={"type": "text", "text": text})

    def answer(self, request, result):
        if request is not None:
            self.send({"id": self.result_id(request), "result": result})

    def refuse(self, request, code, message):
        error = {"code": code, "message": message}
        answer = {"id": self.id_out(request), "error": error}
        if bad("error-without-message") and code == -32601:
            del error["message"]
        if bad("result-and-error") and code == -32601:
            answer["result"] = {}
        self.send(answer)

    def id_out(self, request):
        if bad("numeric-text-id") and isinstance(request, str) and request.isdigit():
            return int(request)
        if bad("zero-id") and request == 0:
            return None
        if bad("rounded-id") and isinstance(request, int) and abs(request) > 2**53:
            return int(float(request))
        return request

    def result_id(self, request):
        if bad("numeric-text-id-in-result") and isinstance(request, str) and request.isdigit():
            return int(request)
        if bad("text-id-changed-in-result") and isinstance(request, str):
            return request + "!"
        if bad("zero-id-in-result") and request == 0:
            return None
        return request

    # ---- the loop

    def run(self):
        if bad("banner-on-stdout"):
            self.write("Starting up ...\n")
        for line in sys.stdin.buffer:
            self.line(line)
        self.end()

    def end(self):
        busy = any(s.turn for s in self.sessions.values())
        if (bad("stays") and not busy) or (bad("stays-with-turn") and busy):
            while True:
                os.read(os.pipe()[0], 1)
        if bad("leaves-a-child"):
            subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True)
        for server in self.servers:
            server.stdin.close()
            server.wait()
        for stream in self.streams:
            stream.close()

    def line(self, line):
        if not line.strip():
            if bad("blank-line-is-an-error"):
                self.refuse(None, -32700, "Parse error")
            return
        if bad("dies-of-length") and len(line) > 1_000_000:
            sys.exit(1)
        try:
            message = json.loads(line.decode())
        except UnicodeDecodeError:
            if not bad("mute-at-bad-utf8"):
                self.refuse(None, -32700, "Parse error")
            return
        except RecursionError:
            if bad("dies-of-depth"):
                sys.exit(1)
            self.refuse(None, -32700, "Parse error")
            return
        except ValueError:
            if not bad("mute-at-bad-json"):
                self.refuse(None, -32700, "Parse error")
            return
        if isinstance(message, list):
            if not bad("mute-at-batch"):
                self.refuse(None, -32600, "Batches are not supported")
            return
        if not isinstance(message, dict):
            if not bad("mute-at-scalar"):
                self.refuse(None, -32600, "Invalid request")
            return
        self.message(message)

    def message(self, message):
        request = message.get("id")
        if message.get("jsonrpc") != "2.0" and not bad("any-version-of-rpc"):
            self.refuse(request, -32600, "Invalid request")
            return
        if "method" not in message:
            if "result" in message or "error" in message:
                self.answered(message)
            else:
                self.refuse(request, -32600, "Invalid request")
            return
        method, params = message["method"], message.get("params") or {}
        if not isinstance(method, str):
            if not bad("mute-at-number-method"):
                self.refuse(request, -32600, "Invalid request")
            return
        if "id" not in message:
            self.notification(method, params)
            return
        previous, self.previous = self.previous, (method, params.get("sessionId"))
        if (bad("one-session-at-a-time") and method == "session/prompt" and previous
                and previous[0] == method and previous[1] != params.get("sessionId")):
            return
        try:
            self.request(request, method, params)
        except Refused as refused:
            self.previous = None
            if refused.data is None:
                self.refuse(request, refused.code, str(refused))
            else:
                self.refuse(request, refused.code, str(refused), refused.data)
        except Lost:
            pass

    def notification(self, method, params):
        if bad("dies-of-event") and method.startswith("_"):
            sys.exit(1)
        if bad("dies-of-dollar") and method.startswith("$/"):
            sys.exit(1)
        if method != "session/cancel":
            return
        if bad("answers-notification"):
            self.send({"id": None, "result": {}})
        session = self.sessions.get(params.get("sessionId"))
        if session:
            session.cancels += 1
        if session and session.turn:
            self.cancel(session.turn)
        elif session and bad("idle-cancel-kept"):
            session.sticky = True

    def request(self, request, method, params):
        if bad("pieces-lost") and method == "_acp.check/pieces":
            return
        handlers = {
            "initialize": self.initialize, "authenticate": self.authenticate, "logout": self.logout,
            "session/new": self.new, "session/load": self.load, "session/resume": self.resume,
            "session/list": self.list, "session/close": self.close, "session/delete": self.delete,
            "session/set_mode": self.set_mode, "session/set_config_option": self.set_option,
            "session/prompt": self.prompt,
        }
        if bad("impatient") and method == "_acp.check/are_you_there":
            for session in self.sessions.values():
                self.lose_patience(session)
        if method not in handlers:
            code = -32601
            if bad("extension-wrong-code") and method.startswith("_"):
                code = -32603
            if bad("unknown-wrong-code") and not method.startswith("_"):
                code = -32603
            raise Refused(code, "Method not found: " + method)
        if method != "initialize" and not self.initialized:
            if bad("session-before-initialize") and method == "session/new":
                self.answer(request, {"sessionId": "early"})
                return
            raise Refused(-32600, "Not initialized")
        try:
            result = handlers[method](params, request)
        except (KeyError, TypeError, AttributeError):
            code = -32603 if bad("params-wrong-code") and method == "session/prompt" else -32602
            raise Refused(code, "Invalid params") from None
        if result is not None:
            self.answer(request, result)
            self.after(method, params, result)

    # What follows an answer on the wire.
    def after(self, method, params, result):
        if method == "initialize" and bad("no-jsonrpc"):
            self.write('{"method":"_mutant/event"}\n')
        if method == "initialize" and bad("batch"):
            self.write('[{"jsonrpc":"2.0","method":"_mutant/event"}]\n')
        if method == "initialize" and bad("latin1-text"):
            self.write(b'{"jsonrpc":"2.0","method":"_mutant/event","params":{"a":"\xfc"}}\n')
        if method == "initialize" and bad("no-message"):
            self.send({"id": "nothing"})
        if method == "initialize" and bad("answers-nothing-asked"):
            self.send({"id": "nothing", "result": {}})
        if method == "initialize" and bad("own-method-unmarked"):
            self.send({"method": "mutant/event", "params": {}})
        if method == "session/new":
            self.tell_commands(self.sessions[result["sessionId"]])
        if method == "session/load" and bad("update-after-load"):
            session = self.sessions[params["sessionId"]]
            self.update(session, "agent_thought_chunk", content={"type": "text", "text": "so"})
        if method == "session/set_mode" and params["modeId"] in MODES:
            mode = "ghost" if bad("mode-unavailable") else params["modeId"]
            self.update(self.sessions[params["sessionId"]], "current_mode_update", currentModeId=mode)


if __name__ == "__main__":
    Agent().run()
