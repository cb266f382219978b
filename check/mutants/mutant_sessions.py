"""What mutant_agent.py does before and between turns: it is initialized, and has sessions."""

import json
import os

from mutant_faults import Lost, Refused, bad, subprocess

MODES = ["ask", "code"]
PAGE = 1


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
        self.trusted = False


class Sessions:
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
                "mcpCapabilities": {"http": True, "sse": True},
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
        for server in servers:
            if "url" in server:
                if not bad("no-mcp-over-" + server["type"]):
                    self.connect_by_http(server)
                continue
            if bad("no-mcp"):
                continue
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

    def connect_by_http(self, server):
        import urllib.request  # slow to load, and seldom wanted

        headers = {h["name"]: h["value"] for h in server["headers"] if not bad("mcp-without-headers")}
        url = server["url"]
        if server["type"] == "sse":
            stream = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20)
            self.streams.append(stream)
            stream.readline()  # event: endpoint
            url = urllib.parse.urljoin(url, stream.readline().decode().removeprefix("data:").strip())
        headers |= {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "mutant", "version": "1"}}}
        request = urllib.request.Request(url, json.dumps(message).encode(), headers)
        urllib.request.urlopen(request, timeout=20).close()

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
