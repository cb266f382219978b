#!/usr/bin/env python3
"""A scripted agent, written on nothing but JSON, that does all that `acp check agent` knows about.

With `--fault NAME` it does exactly one thing wrong. `--faults` lists the names, each with the
requirement that it breaks and whether somebody waits in vain for it.
"""

import json
import os
import sys

# name: the requirement that is broken. Those with "silent" end in somebody's time being over.
FAULTS = {
    # what can be seen by looking on
    "banner-on-stdout": "A-WIRE-1",
    "latin1-text": "A-WIRE-2",
    "no-jsonrpc": "A-WIRE-3",
    "batch": "A-WIRE-4",
    "fractional-id": "A-WIRE-5",
    "same-id-twice": "A-WIRE-6",
    "answers-nothing-asked": "A-WIRE-7",
    "answers-twice": "A-WIRE-8",
    "answers-notification": "A-WIRE-9",
    "result-and-error": "A-WIRE-10",
    "no-message": "A-WIRE-11",
    "params-misfit": "A-SCHEMA-1",
    "result-misfit": "A-SCHEMA-2",
    "error-without-message": "A-SCHEMA-3",
    "own-root-field": "A-SCHEMA-4",
    "own-method-unmarked": "A-SCHEMA-5",
    "update-as-request": "A-SCHEMA-6",
    "value-to-be-replaced": "A-SCHEMA-7",
    "unknown-update": "A-SCHEMA-8",
    "update-before-initialize": "A-ORDER-1",
    "update-for-nobody": "A-ORDER-2",
    "update-before-new": "A-ORDER-3",
    "update-after-answer": "A-ORDER-4",
    "update-after-load": "A-ORDER-5",
    "resume-replays": "A-ORDER-6",
    "session-id-again": "A-ORDER-7",
    "tool-unannounced": "A-ORDER-8",
    "tool-announced-twice": "A-ORDER-9",
    "tool-goes-back": "A-ORDER-10",
    "relative-terminal-cwd": "A-PATH-1",
    "relative-location": "A-PATH-2",
    "relative-listed-cwd": "A-PATH-3",
    "line-zero": "A-PATH-4",
    "reads-unadvertised": "A-CAP-1",
    "elicits-by-url": "A-CAP-2",
    "notice-unadvertised": "A-CAP-3",
    "mode-unavailable": "A-CAP-4",
    "boolean-unadvertised": "A-CAP-5",
    "cancel-ends-turn": "A-CANCEL-1",
    "update-after-cancel": "A-CANCEL-2",
    "terminal-of-nobody": "A-TERM-1",
    "terminal-after-release": "A-TERM-2",
    "terminal-kept": "A-TERM-3",
    "shows-no-terminal": "A-TERM-4",
    "no-options": "A-PERM-1",
    "option-id-twice": "A-PERM-2",
    "tool-left-open": "A-STOP-1",
    # what must be tried
    "version-three": "A-INIT-1",
    "version-0-refused": "A-INIT-2",
    "version-echoed": "A-INIT-3",
    "version-text-taken": "A-INIT-4",
    "version-not-needed": "A-INIT-5",
    "nameless": "A-INIT-6",
    "wants-capabilities": "A-INIT-7",
    "unknown-capability-refused": "A-INIT-8",
    "session-before-initialize": "A-INIT-9",
    "auth-ids-twice": "A-AUTH-1",
    "any-auth-method": "A-AUTH-2",
    "auth-forgotten": "A-AUTH-3",
    "auth-wrong-code": "A-AUTH-4",
    "logout-fails": "A-AUTH-5",
    "no-sessions": "A-SESSION-1",
    "relative-cwd-taken": "A-SESSION-2",
    "cwd-not-needed": "A-SESSION-3",
    "any-session": "A-SESSION-4",
    "one-session-at-a-time": "A-SESSION-5 silent",
    "directories-refused": "A-SESSION-6",
    "load-fails": "A-LOAD-1",
    "user-not-replayed": "A-LOAD-2",
    "agent-not-replayed": "A-LOAD-3",
    "any-session-loaded": "A-LOAD-4",
    "resume-fails": "A-RESUME-1",
    "any-session-resumed": "A-RESUME-2",
    "list-fails": "A-LIST-1",
    "list-incomplete": "A-LIST-2",
    "list-ignores-cwd": "A-LIST-3",
    "page-repeated": "A-LIST-4",
    "any-cursor": "A-LIST-5",
    "close-fails": "A-CLOSE-1",
    "closed-is-open": "A-CLOSE-2",
    "close-drops-turn": "A-CLOSE-3 silent",
    "delete-fails": "A-DELETE-1",
    "deleted-is-listed": "A-DELETE-2",
    "delete-unknown-fails": "A-DELETE-3",
    "turn-fails": "A-TURN-1",
    "one-text-only": "A-TURN-2",
    "no-links": "A-TURN-3",
    "picture-refused": "A-TURN-4",
    "sound-refused": "A-TURN-5",
    "resource-refused": "A-TURN-6",
    "needs-files": "A-TURN-7 silent",
    "deaf-at-once": "A-CANCEL-11 silent",
    "deaf-while-reporting": "A-CANCEL-12 silent",
    "deaf-while-asking": "A-CANCEL-13 silent",
    "deaf-while-running": "A-CANCEL-14 silent",
    "idle-cancel-kept": "A-CANCEL-15",
    "cancel-sticks": "A-CANCEL-16",
    "mode-refused": "A-MODE-1",
    "any-mode": "A-MODE-2",
    "option-not-set": "A-CONFIG-1",
    "any-option": "A-CONFIG-2",
    "any-value": "A-CONFIG-3",
    "value-not-offered": "A-CONFIG-4",
    "command-twice": "A-COMMAND-1",
    "command-with-slash": "A-COMMAND-2",
    "plan-in-parts": "A-PLAN-1",
    "rejected-and-done": "A-PERM-11",
    "undecided-and-done": "A-PERM-12",
    "any-option-allows": "A-PERM-13",
    "unasked-and-done": "A-PERM-14",
    "allowed-not-done": "A-PERM-15",
    "lost-by-read": "A-FS-1 silent",
    "lost-by-write": "A-FS-2 silent",
    "lost-by-terminal": "A-TERM-11 silent",
    "no-mcp": "A-MCP-1 silent",
    "mcp-without-env": "A-MCP-2",
    "mcp-without-tools": "A-MCP-3 silent",
    "lost-by-mcp": "A-MCP-4 silent",
    "extension-wrong-code": "A-EXT-1",
    "dies-of-event": "A-EXT-2",
    "unknown-wrong-code": "A-EXT-3",
    "dies-of-dollar": "A-EXT-4",
    "meta-refused": "A-META-1",
    "field-refused": "A-META-2",
    "mute-at-bad-json": "A-INPUT-1",
    "mute-at-bad-utf8": "A-INPUT-2",
    "mute-at-batch": "A-INPUT-3",
    "mute-at-scalar": "A-INPUT-4",
    "mute-at-number-method": "A-INPUT-5",
    "any-version-of-rpc": "A-INPUT-6",
    "params-wrong-code": "A-INPUT-7",
    "answers-an-answer": "A-INPUT-8",
    "pieces-lost": "A-INPUT-9 silent",
    "blank-line-is-an-error": "A-INPUT-10",
    "dies-of-length": "A-INPUT-11",
    "dies-of-depth": "A-INPUT-12",
    "numeric-text-id": "A-ID-1",
    "zero-id": "A-ID-2",
    "rounded-id": "A-ID-3",
    "stays": "A-EXIT-1 silent",
    "leaves-a-child": "A-EXIT-2",
    "stays-with-turn": "A-EXIT-3 silent",
}



class Subprocess:
    """Loaded when it is needed: most of these processes live for a few milliseconds."""

    def __getattr__(self, name):
        import subprocess as module

        return getattr(module, name)


subprocess = Subprocess()
FAULT = None
MODES = ["ask", "code"]
PAGE = 1


def bad(name):
    return FAULT == name


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Cancelled(Exception):
    pass


class Lost(Exception):
    """A turn that will never be answered."""


class Session:
    def __init__(self, name, cwd):
        self.name = name
        self.cwd = cwd
        self.said = []  # (kind, text)
        self.mode = "ask"
        self.model = "small"
        self.verbose = False
        self.turn = None
        self.turns = 0
        self.closed = False
        self.sticky = False
        self.calls = 0
        self.open_calls = []
        self.cancels = 0


class Turn:
    def __init__(self, session, request):
        self.session = session
        self.request = request
        self.work = None
        self.waits_for = None
        self.phase = ""


class Agent:
    def __init__(self):
        self.initialized = False
        self.authenticated = False
        self.client = {}
        self.sessions = {}
        self.waiting = {}  # id → turn
        self.next_id = 0
        self.servers = []
        self.previous = None
        self.deleted = []

    # ---- the wire

    def write(self, text):
        sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
        sys.stdout.buffer.flush()

    def send(self, message, times=1):
        message = {"jsonrpc": "2.0", **message}
        self.write((json.dumps(message) + "\n") * times)

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
            self.send({"id": self.id_out(request), "result": result})

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
            self.refuse(request, refused.code, str(refused))
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

    def tell_commands(self, session):
        names = ["help", "help"] if bad("command-twice") else ["help", "web"]
        if bad("command-with-slash"):
            names = ["/help", "web"]
        commands = [{"name": name, "description": "Does something"} for name in names]
        self.update(session, "available_commands_update", availableCommands=commands)

    # ---- the connection

    def initialize(self, params, _request):
        version = params.get("protocolVersion")
        if isinstance(version, str) and bad("version-text-taken"):
            version = int(version)
        if version is None and bad("version-not-needed"):
            version = 1
        if not isinstance(version, int) or isinstance(version, bool) or not 0 <= version <= 65535:
            raise Refused(-32602, "protocolVersion: expected a number")
        if version == 0 and bad("version-0-refused"):
            raise Refused(-32602, "Version 0 is not supported")
        if bad("wants-capabilities") and "clientCapabilities" not in params:
            raise Refused(-32602, "clientCapabilities is missing")
        self.client = params.get("clientCapabilities") or {}
        known = {"fs", "terminal", "session", "auth", "elicitation"}
        if bad("unknown-capability-refused") and set(self.client) - known:
            raise Refused(-32602, "unknown capability")
        if bad("update-before-initialize"):
            self.send({"method": "session/update", "params": {
                "sessionId": "none", "update": {"sessionUpdate": "usage_update", "used": 1, "size": 2}}})
        self.initialized = True
        answer = version if bad("version-echoed") and version == 65535 else 1
        if bad("version-three") and version == 1:
            answer = 3
        methods = [{"id": "token", "name": "Token"}, {"id": "key", "name": "Key"}]
        if bad("auth-ids-twice"):
            methods[1]["id"] = "token"
        result = {
            "protocolVersion": answer,
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
                "mcpCapabilities": {"http": False, "sse": False},
                "sessionCapabilities": {name: {} for name in
                                        ["list", "delete", "resume", "close", "additionalDirectories"]},
                "auth": {"logout": {}},
            },
            "authMethods": methods,
            "agentInfo": {"name": "mutant", "version": "1.0"},
        }
        if bad("nameless"):
            del result["agentInfo"]
        return result

    def authenticate(self, params, _request):
        if params["methodId"] not in ("token", "key") and not bad("any-auth-method"):
            raise Refused(-32602, "There is no such method")
        self.authenticated = not bad("auth-forgotten")
        return {}

    def logout(self, _params, _request):
        if bad("logout-fails"):
            raise Refused(-32603, "Not now")
        self.authenticated = False
        return {}

    # ---- sessions

    def new(self, params, _request):
        if not self.authenticated:
            raise Refused(-32603 if bad("auth-wrong-code") else -32000, "Authentication required")
        if bad("no-sessions"):
            raise Refused(-32603, "No room")
        if bad("meta-refused") and "_meta" in params:
            raise Refused(-32602, "unknown field _meta")
        if bad("field-refused") and "mood" in params:
            raise Refused(-32602, "unknown field mood")
        if bad("directories-refused") and params.get("additionalDirectories"):
            raise Refused(-32602, "no additional directories")
        cwd = params.get("cwd", "/") if bad("cwd-not-needed") else params["cwd"]
        if not cwd.startswith("/") and not bad("relative-cwd-taken"):
            raise Refused(-32602, "cwd: expected an absolute path")
        cwd = os.path.join("/", cwd)
        if bad("session-id-again") and cwd.endswith("/other"):
            session = next(iter(self.sessions.values()))
        else:
            session = Session(f"session-{len(self.sessions) + len(self.deleted) + 1}", cwd)
        self.connect(params.get("mcpServers") or [])
        if bad("update-before-new"):
            self.tell_commands(session)
        self.sessions[session.name] = session
        return {"sessionId": session.name, **self.state(session, new=True)}

    def state(self, session, new=False):
        return {"modes": {"currentModeId": session.mode,
                          "availableModes": [{"id": mode, "name": mode} for mode in MODES]},
                "configOptions": self.options(session, new)}

    def options(self, session, new=False):
        value = "ghost" if bad("value-not-offered") and new else session.model
        options = [{"id": "model", "name": "Model", "type": "select", "currentValue": value,
                    "options": [{"value": v, "name": v} for v in ("small", "large")]}]
        takes = self.client.get("session", {}).get("configOptions", {}).get("boolean") is not None
        if takes or bad("boolean-unadvertised"):
            options.append({"id": "verbose", "name": "Verbose", "type": "boolean",
                            "currentValue": session.verbose})
        return options

    def connect(self, servers):
        if bad("no-mcp"):
            return
        for server in servers:
            env = dict(os.environ)
            if not bad("mcp-without-env"):
                env.update({v["name"]: v["value"] for v in server["env"]})
            try:
                process = subprocess.Popen([server["command"], *server["args"]], env=env,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            except OSError:
                if bad("lost-by-mcp"):
                    raise Lost() from None
                continue
            self.servers.append(process)

            def call(number, method, params, process=process):
                message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                process.stdin.write((json.dumps(message) + "\n").encode())
                process.stdin.flush()
                return json.loads(process.stdout.readline())

            call(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                   "clientInfo": {"name": "mutant", "version": "1"}})
            process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            if not bad("mcp-without-tools"):
                call(2, "tools/list", {})

    def known(self, params):
        session = self.sessions.get(params["sessionId"])
        if session is None:
            raise Refused(-32002, "There is no such session")
        return session

    def load(self, params, _request):
        if bad("load-fails") and params["sessionId"] in self.sessions:
            raise Refused(-32603, "It cannot be loaded")
        if bad("any-session-loaded") and params["sessionId"] not in self.sessions:
            return {}
        session = self.known(params)
        session.closed = False
        for kind, text in session.said:
            if bad("user-not-replayed") and kind == "user_message_chunk":
                continue
            if bad("agent-not-replayed") and kind == "agent_message_chunk":
                continue
            self.update(session, kind, content={"type": "text", "text": text})
        return self.state(session)

    def resume(self, params, _request):
        if bad("resume-fails") and params["sessionId"] in self.sessions:
            raise Refused(-32603, "It cannot be resumed")
        if bad("any-session-resumed") and params["sessionId"] not in self.sessions:
            return {}
        session = self.known(params)
        session.closed = False
        if bad("resume-replays"):
            kind, text = session.said[0]
            self.update(session, kind, content={"type": "text", "text": text})
        return self.state(session)

    def list(self, params, _request):
        if bad("list-fails"):
            raise Refused(-32603, "No list")
        cwd, cursor = params.get("cwd"), params.get("cursor")
        sessions = [s for s in self.sessions.values() if not cwd or s.cwd == cwd or bad("list-ignores-cwd")]
        if bad("deleted-is-listed"):
            sessions += self.deleted
        if bad("list-incomplete"):
            sessions = [s for s in sessions if not s.turns]
        start = 0
        if cursor is not None:
            if cursor.isdigit():
                start = int(cursor)
            elif not bad("any-cursor"):
                raise Refused(-32602, "There is no such cursor")
        page = sessions[start:start + PAGE]
        if bad("page-repeated") and start:
            page = sessions[:PAGE]
        result = {"sessions": [{"sessionId": s.name, "cwd": s.cwd, "title": "A session",
                                "updatedAt": "2026-11-16T00:00:00Z"} for s in page]}
        if bad("relative-listed-cwd") and not cwd:
            for each in result["sessions"]:
                each["cwd"] = "here"
        if start + PAGE < len(sessions):
            result["nextCursor"] = str(start + PAGE)
        return result

    def close(self, params, request):
        if bad("close-fails"):
            raise Refused(-32603, "It stays open")
        session = self.known(params)
        session.closed = True
        if session.turn:
            if bad("close-drops-turn"):
                session.turn = None
            else:
                self.cancel(session.turn)
        return {}

    def delete(self, params, _request):
        session = self.sessions.get(params["sessionId"])
        if session is None:
            if bad("delete-unknown-fails"):
                raise Refused(-32002, "There is no such session")
            return {}
        if bad("delete-fails"):
            raise Refused(-32603, "It stays")
        self.deleted.append(self.sessions.pop(session.name))
        return {}

    def set_mode(self, params, _request):
        session = self.known(params)
        if params["modeId"] not in MODES:
            if bad("any-mode"):
                return {}
            raise Refused(-32602, "There is no such mode")
        if bad("mode-refused"):
            raise Refused(-32603, "Not now")
        session.mode = params["modeId"]
        return True if bad("result-misfit") else {}

    def set_option(self, params, _request):
        session = self.known(params)
        name, value = params["configId"], params["value"]
        if name not in ("model", "verbose"):
            if bad("any-option"):
                return {"configOptions": self.options(session)}
            raise Refused(-32602, "There is no such option")
        if name == "model" and value not in ("small", "large"):
            if bad("any-value"):
                return {"configOptions": self.options(session)}
            raise Refused(-32602, "There is no such value")
        if not bad("option-not-set"):
            setattr(session, name, value)
        return {"configOptions": self.options(session)}

    # ---- turns

    def prompt(self, params, request):
        blocks = params["prompt"]
        if not isinstance(blocks, list) or not isinstance(params["sessionId"], str):
            raise TypeError
        if bad("any-session") and params["sessionId"] not in self.sessions:
            return {"stopReason": "end_turn"}
        session = self.known(params)
        if session.closed:
            if bad("closed-is-open"):
                return {"stopReason": "end_turn"}
            raise Refused(-32602, "The session is closed")
        if bad("meta-refused") and "_meta" in params:
            raise Refused(-32602, "unknown field _meta")
        kinds = [block["type"] for block in blocks]
        for fault, kind in [("no-links", "resource_link"), ("picture-refused", "image"),
                            ("sound-refused", "audio"), ("resource-refused", "resource")]:
            if bad(fault) and kind in kinds:
                raise Refused(-32602, kind + " is not supported")
        if bad("one-text-only") and kinds.count("text") > 1:
            raise Refused(-32602, "one text, please")
        session.turns += 1
        texts = [block["text"] for block in blocks if block["type"] == "text"]
        if (bad("turn-fails") and session.turns == 1 and set(params) == {"sessionId", "prompt"}
                and texts[0].startswith("say") and not session.cancels):
            raise Refused(-32603, "Out of order")
        if session.sticky and (bad("idle-cancel-kept") or bad("cancel-sticks")):
            return {"stopReason": "cancelled"}
        turn = session.turn = Turn(session, request)
        turn.work = self.work(turn, session, texts)
        self.go_on(turn, None)
        return None

    def work(self, turn, session, texts):
        session.said.append(("user_message_chunk", texts[0]))
        self.every_turn(session)
        word, _, rest = texts[0].partition(" ")
        words = {"say": self.hello, "show": self.show, "create": self.create, "run": self.execute,
                 "plan": self.plan, "wait": self.wait}
        yield from words[word](turn, session, rest)

    # What any turn may have wrong with it.
    def every_turn(self, session):
        if bad("params-misfit"):
            self.update(session, "agent_message_chunk", content={"type": "text"})
        if bad("own-root-field"):
            self.update(session, "agent_message_chunk", content={"type": "text", "text": ""}, mood="curious")
        if bad("unknown-update"):
            self.update(session, "telepathy", thought="hm")
        if bad("update-as-request"):
            self.send({"id": self.fresh("update"), "method": "session/update", "params": {
                "sessionId": session.name, "update": {"sessionUpdate": "usage_update", "used": 1, "size": 2}}})
        if bad("update-for-nobody"):
            self.send({"method": "session/update", "params": {
                "sessionId": "nobody", "update": {"sessionUpdate": "usage_update", "used": 1, "size": 2}}})
        if bad("elicits-by-url") and self.client.get("elicitation"):
            self.send({"id": self.fresh("elicit"), "method": "elicitation/create", "params": {
                "sessionId": session.name, "mode": "url", "message": "Log in",
                "url": "https://example.com", "elicitationId": "e1"}})

    # Runs the turn until it waits for something, or is over.
    def go_on(self, turn, given, error=None):
        try:
            while True:
                asked = turn.work.throw(error) if error else turn.work.send(given)
                error = None
                if asked is None:  # waits for being cancelled
                    turn.waits_for = None
                    return
                method, params = asked
                self.next_id += 1
                request = self.next_id
                if bad("fractional-id"):
                    request += 0.5
                turn.waits_for = request
                self.waiting[request] = turn
                call = {"id": request, "method": method,
                        "params": {"sessionId": turn.session.name, **params}}
                # In one piece: nobody can answer the first before the second.
                self.send(call, 2 if bad("same-id-twice") and method == "fs/read_text_file" else 1)
                return
        except StopIteration as over:
            self.finish(turn, over.value or "end_turn")
        except Cancelled:
            for name in list(turn.session.open_calls):
                self.call_is(turn.session, name, "failed")
            self.finish(turn, "end_turn" if bad("cancel-ends-turn") else "cancelled")
        except Lost:
            turn.session.turn = None

    def finish(self, turn, reason):
        session = turn.session
        session.turn = None
        self.answer(turn.request, {"stopReason": reason})
        if bad("answers-twice"):
            self.answer(turn.request, {"stopReason": reason})
        cancelled = reason == "cancelled"
        if bad("cancel-sticks") and cancelled:
            session.sticky = True
        if (bad("update-after-answer") and not cancelled) or (bad("update-after-cancel") and cancelled):
            if not session.closed:
                self.update(session, "agent_message_chunk", content={"type": "text", "text": "P.S."})

    def cancel(self, turn):
        phases = {"deaf-at-once": "begins", "deaf-while-reporting": "waits",
                  "deaf-while-asking": "asks", "deaf-while-running": "runs"}
        if FAULT in phases and phases[FAULT] == turn.phase and not turn.session.closed:
            turn.session.turn = None
            turn.waits_for = None
            return
        self.waiting.pop(turn.waits_for, None)
        self.go_on(turn, None, Cancelled())

    def answered(self, message):
        turn = self.waiting.pop(message.get("id"), None)
        if turn is None or turn.waits_for != message.get("id"):
            if bad("answers-an-answer") and message.get("id") == "never-asked":
                self.refuse("never-asked", -32600, "Nobody asked")
            return
        turn.waits_for = None
        self.go_on(turn, message)

    def call(self, session, title, kind, **fields):
        session.calls += 1
        name = f"call-{session.calls}"
        session.open_calls.append(name)
        if not bad("tool-unannounced"):
            if bad("value-to-be-replaced"):
                fields["locations"] = "none"
            self.update(session, "tool_call", toolCallId=name, title=title, kind=kind,
                        status="pending", **fields)
        if bad("tool-announced-twice"):
            self.update(session, "tool_call", toolCallId=name, title=title, kind=kind,
                        status="pending", **fields)
        return name

    def call_is(self, session, name, status, **fields):
        if status in ("completed", "failed"):
            session.open_calls.remove(name)
        if bad("tool-left-open") and status == "completed":
            return
        self.update(session, "tool_call_update", toolCallId=name, status=status, **fields)
        if bad("tool-goes-back") and status == "completed":
            self.update(session, "tool_call_update", toolCallId=name, status="in_progress")
            self.update(session, "tool_call_update", toolCallId=name, status="completed")

    def hello(self, _turn, session, rest):
        for word in rest.split(" "):
            self.say(session, word)
        return
        yield

    def show(self, turn, session, rest):
        if self.client.get("session", {}).get("notices") is not None or bad("notice-unadvertised"):
            self.update(session, "notice", severity="info", title="A notice")
        path = f"{session.cwd}/{rest}"
        location = {"path": rest if bad("relative-location") else path,
                    "line": 0 if bad("line-zero") else 1}
        name = self.call(session, "Reading " + rest, "read", locations=[location])
        if bad("no-options"):
            yield "session/request_permission", {"toolCall": {"toolCallId": name}, "options": []}
        self.call_is(session, name, "in_progress")
        readable = self.client.get("fs", {}).get("readTextFile")
        if not readable and bad("needs-files"):
            raise Lost()
        if readable or bad("reads-unadvertised"):
            reply = yield "fs/read_text_file", {"path": path, "line": 1, "limit": 10}
            if "error" in reply:
                if bad("lost-by-read"):
                    raise Lost()
                self.call_is(session, name, "failed")
                return
            text = reply["result"]["content"]
        else:
            text = open(path, encoding="utf-8").read()
        block = {"type": "content", "content": {"type": "text", "text": text}}
        self.call_is(session, name, "completed", content=[block])
        self.say(session, "That is it.")

    def create(self, turn, session, rest):
        file, _, text = rest.partition(" with ")
        path = f"{session.cwd}/{file}"
        name = self.call(session, "Writing " + file, "edit",
                         content=[{"type": "diff", "path": path, "newText": text}])
        options = [{"optionId": kind.replace("_", "-"), "name": kind, "kind": kind}
                   for kind in ("allow_once", "allow_always", "reject_once", "reject_always")]
        if bad("option-id-twice"):
            options[1]["optionId"] = options[0]["optionId"]
        turn.phase = "asks"
        reply = yield "session/request_permission", {"toolCall": {"toolCallId": name},
                                                     "options": options}
        turn.phase = ""
        if not self.allowed(reply, options):
            self.call_is(session, name, "failed")
            self.say(session, "As you wish.")
            return
        self.call_is(session, name, "in_progress")
        if bad("allowed-not-done"):
            self.call_is(session, name, "completed")
            return
        if self.client.get("fs", {}).get("writeTextFile"):
            reply = yield "fs/write_text_file", {"path": path, "content": text}
            if "error" in reply:
                if bad("lost-by-write"):
                    raise Lost()
                self.call_is(session, name, "failed")
                return
        else:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        self.call_is(session, name, "completed")

    def allowed(self, reply, options):
        if "error" in reply:
            return bad("unasked-and-done")
        outcome = reply["result"]["outcome"]
        if outcome["outcome"] == "cancelled":
            return bad("undecided-and-done")
        kinds = {option["optionId"]: option["kind"] for option in reversed(options)}
        kind = kinds.get(outcome["optionId"])
        if kind is None:
            return bad("any-option-allows")
        return kind.startswith("allow") or bad("rejected-and-done")

    def execute(self, turn, session, rest):
        name = self.call(session, "Running " + rest, "execute")
        if not self.client.get("terminal"):
            output = subprocess.run(["/bin/sh", "-c", rest], cwd=session.cwd, stdin=subprocess.DEVNULL,
                                    capture_output=True, text=True, check=False).stdout
            self.call_is(session, name, "completed")
            self.say(session, output)
            return
        reply = yield "terminal/create", {"command": "/bin/sh", "args": ["-c", rest],
                                          "cwd": "." if bad("relative-terminal-cwd") else session.cwd}
        if "error" in reply:
            if bad("lost-by-terminal"):
                raise Lost()
            self.call_is(session, name, "failed")
            return
        terminal = {"terminalId": reply["result"]["terminalId"]}
        shown = "ghost" if bad("shows-no-terminal") else terminal["terminalId"]
        self.call_is(session, name, "in_progress", content=[{"type": "terminal", "terminalId": shown}])
        if bad("terminal-of-nobody"):
            yield "terminal/output", {"terminalId": "ghost"}
        try:
            turn.phase = "runs"
            yield "terminal/wait_for_exit", terminal
            turn.phase = ""
            yield "terminal/output", terminal
        except Cancelled:
            yield "terminal/kill", terminal
            yield "terminal/release", terminal
            raise
        if not bad("terminal-kept"):
            yield "terminal/release", terminal
        if bad("terminal-after-release"):
            yield "terminal/output", terminal
        self.call_is(session, name, "completed")

    def plan(self, _turn, session, rest):
        steps = [step.strip() for step in rest.split(",")]
        entries = [{"content": step, "priority": "medium", "status": "pending"} for step in steps]
        self.update(session, "plan", entries=entries)
        entries[0]["status"] = "in_progress"
        self.update(session, "plan", entries=entries[:1] if bad("plan-in-parts") else entries)
        return
        yield

    # First there is something to wait for, then nothing but the end.
    def wait(self, turn, session, _rest):
        turn.phase = "begins"
        if self.client.get("fs", {}).get("readTextFile"):
            yield "fs/read_text_file", {"path": session.cwd + "/notes.txt"}
        turn.phase = "waits"
        self.say(session, "Waiting.")
        yield None


def main():
    global FAULT
    arguments = sys.argv[1:]
    if arguments == ["--faults"]:
        print(json.dumps(FAULTS))
        return
    if arguments[:1] == ["--fault"]:
        FAULT = arguments[1]
        if FAULT not in FAULTS:
            sys.exit("there is no fault " + FAULT)
    Agent().run()


main()
