"""What mutant_agent_2.py does before and between turns."""

import os

from mutant_faults import Refused, bad

PAGE = 1


class Session2:
    def __init__(self, name, cwd):
        self.name, self.cwd = name, cwd
        self.said = []  # (kind, message, text)
        self.model, self.loud = "small", False
        self.turn = None
        self.held = []  # (params, request) of prompts that wait
        self.turns = self.calls = self.cancels = self.messages = 0
        self.closed = self.sticky = self.trusted = False
        self.status = {}  # of tool calls
        self.background = None


def not_found(session):
    refused = Refused(-32603 if bad("lost-without-id") else -32002, "There is no such session")
    refused.data = {"sessionId": session}
    return refused


class Sessions2:
    def refuse(self, request, code, message, data=None):
        if data is None:
            return super().refuse(request, code, message)
        return self.send({"id": self.id_out(request), "error": {"code": code, "message": message, "data": data}})

    # ---- the connection

    def initialize(self, params):
        version = params.get("protocolVersion")
        if isinstance(version, str) and bad("version-text-taken"):
            version = int(version)
        if version is None and bad("version-not-needed"):
            version = 2
        if not isinstance(version, int) or isinstance(version, bool) or not 0 <= version <= 65535:
            raise Refused(-32602, "protocolVersion: expected a number")
        if self.asked_more and not bad("initialize-any-time") or self.initialized and bad("initialize-once"):
            raise Refused(-32600, "The connection is initialized")
        info = params.get("info")
        fits = isinstance(info, dict) and isinstance(params.get("capabilities", {}), dict)
        if version < 2 and not bad("version-0-taken") or version > 2 and fits and bad("high-version-refused"):
            refused = Refused(-32022, "Unsupported protocol version")
            refused.data = None if bad("no-supported") else {"requested": version, "supported": [2]}
            raise refused
        if not fits and (version == 2 and not bad("info-not-needed") or bad("later-must-fit")):
            self.forgotten = self.initialized and bad("failed-initialize-forgets")
            raise Refused(-32602, "info is missing")
        if bad("wants-capabilities") and version == 2 and "capabilities" not in params:
            raise Refused(-32602, "capabilities is missing")
        self.client = params.get("capabilities") or {} if fits else {}
        if bad("unknown-capability-refused") and set(self.client) - {"auth", "elicitation"}:
            raise Refused(-32602, "unknown capability")
        if bad("update-before-initialize") and not self.initialized:
            self.send({"method": "session/update", "params": {
                "sessionId": "none", "update": {"sessionUpdate": "usage_update", "used": 1, "size": 2}}})
        self.initialized = True
        methods = [{"type": "agent", "methodId": "token", "name": "Token"},
                   {"type": "agent", "methodId": "key", "name": "Key"}]
        if bad("auth-ids-twice"):
            methods[1]["methodId"] = "token"
        if bad("terminal-login"):
            methods.append({"type": "terminal", "methodId": "tty", "name": "By hand"})
        session = {"prompt": {"image": {}, "audio": {}, "embeddedContext": {}}, "mcp": {"stdio": {}, "http": {}},
                   "delete": {}, "additionalDirectories": {}}
        if bad("version-1-only"):
            return {"protocolVersion": 1, "agentInfo": {"name": "mutant", "version": "1.0"}}
        return {"protocolVersion": 2, "info": {"name": "" if bad("nameless") else "mutant", "version": "1.0"},
                "capabilities": {"session": session}, "authMethods": methods}

    def login(self, params, _request):
        if params["methodId"] not in ("token", "key") and not bad("any-auth-method"):
            raise Refused(-32602, "There is no such method")
        self.authenticated = not bad("auth-forgotten")
        return {}

    def logout(self, _params, _request):
        if bad("logout-fails"):
            raise Refused(-32603, "Not now")
        self.authenticated = bad("logout-forgets-nothing")
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
        servers = params.get("mcpServers") or []
        self.check_servers(servers)
        if bad("session-id-again") and cwd.endswith("/other"):
            session = next(iter(self.sessions.values()))
        else:
            session = Session2(f"session-{len(self.sessions) + len(self.deleted) + 1}", cwd)
        self.sessions[session.name] = session
        self.connect([{"args": [], "env": [], "headers": [], **server} for server in servers])
        return {"sessionId": session.name, **self.shape(session, new=True)}

    def check_servers(self, servers):
        if not bad("any-transport") and any(server["type"] not in ("stdio", "http") for server in servers):
            raise Refused(-32602, "There is no such transport")
        names = [server["name"] for server in servers]
        if len(set(names)) < len(names) and not bad("mcp-names-twice"):
            raise Refused(-32602, "Two servers have one name")

    def connect(self, servers):
        super().connect([server for server in servers if server["type"] in ("stdio", "http")])

    def shape(self, session, new=False):
        return {"configOptions": self.options(session, new), "availableCommands": self.commands()}

    def commands(self):
        names = ["help", "help"] if bad("command-twice") else ["help", "web"]
        if bad("command-with-slash"):
            names = ["/help", "web"]
        return [{"type": "command", "name": name, "description": "Does something"} for name in names]

    def options(self, session, new=False):
        value = "ghost" if bad("value-not-offered") and new else session.model
        return [{"configId": "model", "name": "Model", "type": "select", "currentValue": value,
                 "options": [{"value": v, "name": v} for v in ("small", "large")]},
                {"configId": "loud", "name": "Loud", "type": "boolean", "currentValue": session.loud}]

    def known(self, params):
        session = self.sessions.get(params["sessionId"])
        if session is None:
            raise not_found(params["sessionId"])
        return session

    def resume(self, params, _request):
        replay, kind = params.get("replayFrom"), None
        if replay is not None:
            kind = replay.get("type") if isinstance(replay, dict) else None
            if kind is None and not bad("malformed-replay-taken"):
                raise Refused(-32602, "replayFrom: expected an object with a type")
            if kind not in (None, "start") and not bad("any-point-of-replay"):
                raise Refused(-32602, "replayFrom: only start")
        if bad("any-session-resumed") and params["sessionId"] not in self.sessions:
            self.state(Session2(params["sessionId"], "/"), "idle")
            return {}
        session = self.known(params)
        if bad("resume-fails"):
            raise Refused(-32603, "It cannot be resumed")
        session.closed = False
        said = session.said if kind is not None else session.said[:1] if bad("resume-replays") else []
        for kind, message, text in said:
            if (kind.startswith("user") and bad("user-not-replayed")
                    or kind.startswith("agent") and bad("agent-not-replayed")):
                continue
            self.update(session, kind, messageId="new " + message if bad("replay-renames") else message,
                        content={"type": "text", "text": text})
        if not bad("resume-without-state"):
            self.state(session, "idle")
        return self.shape(session)

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
        page = sessions[:PAGE] if bad("page-repeated") and start else sessions[start:start + PAGE]
        result = {"sessions": [{"sessionId": s.name, "cwd": s.cwd, "title": "A session",
                                "updatedAt": "2026-11-16T00:00:00Z"} for s in page]}
        if bad("relative-listed-cwd") and not cwd:
            for each in result["sessions"]:
                each["cwd"] = "here"
        if start + PAGE < len(sessions):
            result["nextCursor"] = str(start + PAGE)
        return result

    def close(self, params, _request):
        if bad("close-fails"):
            raise Refused(-32603, "It stays open")
        session = self.sessions.get(params["sessionId"])
        if session is None or session.closed:
            if bad("close-unknown-fails"):
                raise not_found(params["sessionId"])
            return {}
        session.closed = True
        if bad("close-answers-first"):
            session.turn = None
        self.cancel_session(session)
        return {}

    def delete(self, params, _request):
        session = self.sessions.get(params["sessionId"])
        if session is None:
            if bad("delete-unknown-fails"):
                raise not_found(params["sessionId"])
            return {}
        if bad("delete-fails"):
            raise Refused(-32603, "It stays")
        self.deleted.append(self.sessions.pop(session.name))
        return True if bad("result-misfit") else {}

    def set_option(self, params, _request):
        session = self.known(params)
        name, kind, value = params["configId"], params["type"], params["value"]
        if kind not in ("id", "boolean") and not bad("any-type"):
            raise Refused(-32602, "There is no such type")
        if name not in ("model", "loud"):
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
