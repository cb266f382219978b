#!/usr/bin/env python3
"""mutant_client_2.py [--fault NAME] COMMAND…: a client of version 2 that keeps to the protocol, but for one fault.

What the envelope demands it has from mutant_client.py. It speaks version 1 where the agent does. Without a fault
`acp check client --protocol 2` finds nothing, and skips nothing.
"""

import json
import os
import select
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

from mutant_answers import HERE as DIRECTORY  # noqa: E402
from mutant_client import Client, Failed, Gone, main  # noqa: E402
from mutant_terminals import Refused  # noqa: E402

STOPS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error")


class Client2(Client):
    def __init__(self, command, fault):
        super().__init__(command, fault)
        self.version = 2
        self.number = None  # of the prompt
        self.pending = self.inserted = self.ran = False
        self.over = None  # the idle state that ended the turn
        self.turns = 0

    # ---- what the agent tells

    def frame(self, line):
        super().frame(line)
        # At once: what comes with the answer, in one piece, comes after it.
        if self.pending and self.number in self.answers:
            self.pending = False
            self.inserted = self.version == 2 and "result" in self.answers[self.number]

    def notified(self, method, params):
        if method == "$/cancel_request" and params["requestId"] in self.held:
            self.held_answers()
            return
        super().notified(method, params)

    def held_answers(self):
        for number in self.held:
            outcome = {"outcome": "cancelled"}
            if self.fault("allows-when-taken-back"):
                outcome = {"outcome": "selected", "optionId": "yes"}
            self.send({"id": number, "result": {"outcome": outcome}})
        self.held = []

    def updated(self, session, update):
        kind = update["sessionUpdate"]
        text = json.dumps(update)
        ends = ((self.fault("early-update-ends") and self.session is None)
                or (self.fault("foreign-update-ends") and self.session not in (None, session))
                or (self.fault("compaction-ends") and kind == "compaction_update")
                or (self.fault("unknown-update-ends") and kind == "telepathy")
                or (self.fault("unknown-field-ends") and kind != "state_update"
                    and ("mood" in update or "weight" in update))
                or (self.fault("unknown-value-ends") and ("juggle" in text or "_smell" in text))
                or (self.fault("unannounced-ends") and update.get("toolCallId") == "u1")
                or (self.fault("misfit-ends") and kind == "agent_message_chunk" and "messageId" not in update)
                or (self.fault("early-echo-ends") and kind.startswith("user_message") and self.pending)
                or (self.fault("background-ends") and self.turns and kind == "terminal_update"))
        if ends:
            raise Gone
        if self.fault("answer-is-the-end") and "still thinking" in text and self.inserted:
            self.over = {}
        if session == self.session and kind == "state_update" and self.version == 2:
            self.state(update)
        if session == self.session and (update.get("capabilities") or {}).get("cancel") is not None:
            key = "toolCallId" if "toolCallId" in update else "terminalId"
            method = "tool_call/cancel" if key == "toolCallId" else "terminal/cancel"
            self.request(method, {"sessionId": session, key: update[key]}, wait=False)

    def state(self, update):
        state = update.get("state")
        if self.fault("unknown-state-ends") and state not in ("idle", "running", "requires_action"):
            self.over = {}
        elif state != "idle":
            self.ran = self.ran or self.pending or self.inserted
        elif self.over is None and (self.inserted or self.ran or self.fault("early-idle-ends") and self.pending):
            self.over = update
            self.turns += 1

    # ---- what it does itself

    def initialize(self):
        capabilities = {"elicitation": {"form": {}}}
        self.offered = {"elicitation/create"}
        params = {"protocolVersion": 2, "info": {"name": "mutant", "version": "1"}, "capabilities": capabilities}
        if self.fault("asks-for-version-1"):
            params = {"protocolVersion": 1, "clientCapabilities": {}}
        if self.fault("own-field"):
            params["editor"] = "mine"
        if self.fault("leans-on-reader"):
            capabilities["auth"] = {"terminal": "no"}
        self.before_initialize()
        if self.fault("does-not-wait"):
            self.next_id = 2
            first = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
            self.send(None, first + b'\n{"jsonrpc":"2.0","id":2,"method":"_acme/hello","params":{}}')
            return self.wait(1)
        if self.fault("impatient"):
            number = self.request("initialize", params, wait=False)
            if not select.select([self.agent.stdout], [], [], 1.2)[0]:
                raise Gone
            return self.wait(number)
        result = self.request("initialize", params)
        self.introduction = params
        self.after_initialize()
        return result

    def session_params(self, capabilities):
        if self.version == 1:
            return {"cwd": DIRECTORY, "mcpServers": []}
        of_sessions = capabilities.get("session") or {}
        mcp, servers = of_sessions.get("mcp") or {}, []
        if "stdio" in mcp:
            command = "cat" if self.fault("relative-command") else "/bin/cat"
            servers.append({"type": "stdio", "name": "files", "command": command})
            if self.fault("server-twice"):
                servers.append(servers[0])
        if "http" in mcp or self.fault("http-not-advertised"):
            servers.append({"type": "http", "name": "web", "url": "http://127.0.0.1:9/mcp"})
        params = {"cwd": "." if self.fault("relative-cwd") else DIRECTORY}
        if servers:
            params["mcpServers"] = servers
        if "additionalDirectories" in of_sessions or self.fault("directories-not-advertised"):
            params["additionalDirectories"] = [DIRECTORY]
        if self.fault("no-cwd"):
            del params["cwd"]
        return params

    def new_session(self, result):
        params = self.session_params(result.get("capabilities") or {})
        try:
            return self.request("session/new", params)
        except Failed as failed:
            methods = result.get("authMethods") or []
            if failed.args[0]["code"] != -32000 or not methods:
                if self.fault("no-session-no-matter"):
                    sys.exit(0)
                raise
            if not self.fault("no-authenticate"):
                method = "guest" if self.fault("unlisted-method") else methods[0]["methodId"]
                try:
                    self.request("auth/login", {"methodId": method})
                except Failed:
                    if self.fault("login-failed-no-matter"):
                        sys.exit(0)
                    raise
            if self.fault("no-second-session"):
                raise
            return self.request("session/new", params)

    def set_up(self, session):
        options = session.get("configOptions")
        if self.fault("unknown-option-ends") and any(o["type"] == "_dial" for o in options or []):
            raise Gone
        name = {"sessionId": self.session}
        if options:
            option = "wind" if self.fault("option-not-offered-config") else "model"
            self.request("session/set_config_option", {**name, "configId": option, "type": "id", "value": "big"})
        if self.fault("sets-mode"):
            self.request("session/set_mode", {**name, "modeId": "act"}, wait=False)
        if self.fault("deletes-not-advertised") and "delete" not in self.of_sessions:
            self.request("session/delete", {"sessionId": "old"}, wait=False)
        if self.fault("cancels-any-call"):
            self.request("tool_call/cancel", {**name, "toolCallId": "none"}, wait=False)
        if self.fault("initialize-late"):
            self.request("initialize", self.introduction, wait=False)

    def prompt(self, text):
        blocks = [{"type": "text", "text": text}]
        if self.fault("image-not-advertised"):
            blocks.append({"type": "image", "mimeType": "image/png", "data": "aGk="})
        if self.fault("unknown-block"):
            blocks.append({"type": "smell", "of": "roses"})
        params = {"sessionId": "another" if self.fault("another-session") else self.session, "prompt": blocks}
        if self.fault("cancel-is-request") and text == "two":
            self.request("session/cancel", {"sessionId": self.session}, wait=False)
        if self.fault("own-method"):
            self.send({"method": "acme/telemetry", "params": {}})
        self.pending, self.inserted, self.ran, self.over = True, False, False, None
        self.number = number = self.request("session/prompt", params, wait=False)
        while number not in self.answers and not (self.over is not None and self.fault("early-idle-ends")):
            self.pump()
        if number in self.answers:
            self.answered_prompt(number)
        if self.version == 1:
            return
        while self.over is None:
            self.pump()
        self.inserted = False
        self.ended(self.over or {})

    def answered_prompt(self, number):
        try:
            answer = self.wait(number)
        except Failed as failed:
            if not self.cancelled or failed.args[0]["code"] != -32800:
                if self.fault("prompt-error-no-matter"):
                    sys.exit(0)
                raise
            if self.fault("waits-for-insertion"):
                self.hang()
            self.over = {"stopReason": "cancelled"}
            return
        if self.version == 2:
            answer["messageId"]
        else:
            answer["stopReason"]
        if self.fault("unknown-answer-field-ends") and "mood" in answer:
            raise Gone

    def ended(self, state):
        stop = state.get("stopReason")
        if (self.fault("refusal-hangs") and stop == "refusal" or self.fault("no-stop-hangs") and state and stop is None
                or self.fault("unknown-stop-hangs") and stop is not None and stop not in STOPS):
            self.hang()
        if stop == "error" and not self.fault("stop-error-is-success"):
            raise Failed(state.get("error"))

    # ---- what it answers

    def permission(self, params, message):
        if not isinstance(params["options"], list):
            raise TypeError
        options = [each["optionId"] for each in params["options"]]
        kinds = [each["kind"] for each in params["options"]]
        params["sessionId"], params["title"]
        subject = params.get("subject") or {}
        call = subject["toolCall"]["toolCallId"] if subject.get("type") == "tool_call" else None
        if self.fault("permission-fails") and call == "p1" and len(self.asked) == 0:
            raise Refused(-32603, "nobody is there")
        if self.fault("commands-refused") and subject.get("type") == "command":
            raise Refused(-32602, "no commands")
        if self.fault("one-permission") and self.asked and call == "p2":
            return None
        self.asked.append(message["id"])
        if self.cancelled:
            return {"outcome": {"outcome": "cancelled"}}
        if call == "c1":
            self.held.append(message["id"])  # the person thinks about it, until it is taken back
            return None
        option = self.choice(options[kinds.index("allow_once")])
        return {"outcome": {"outcome": "selected", "optionId": 7 if self.fault("outcome-misfit") else option}}

    def read(self, _params):
        return {"content": ""}

    # ---- the whole of it

    def run(self):
        result = self.initialize()
        version = result["protocolVersion"]
        if self.fault("needs-capabilities") and "prompt" not in (result.get("capabilities") or {}).get("session", {}):
            raise Gone
        if self.fault("unknown-capability-ends") and "unheardOf" in result:
            raise Gone
        if version == 1 and not self.fault("version-2-anyway"):
            self.version = 1
        elif version not in (1, 2) and not self.fault("any-version"):
            if self.fault("version-kept-open"):
                self.hang()
            if self.fault("version-no-matter"):
                return 0
            raise Failed(f"version {version}")
        self.of_sessions = (result.get("capabilities") or {}).get("session")
        if version == 2 and self.of_sessions is None and not self.fault("sessions-anyway"):
            raise Failed("an agent without sessions")
        self.of_sessions = self.of_sessions or {}
        session = self.new_session(result)
        self.session = session["sessionId"]
        if self.fault("files-anyway"):
            self.offered.add("fs/read_text_file")
        if self.version == 2:
            self.set_up(session)
        self.prompt("one")
        if self.cancelled:
            return 130
        self.prompt("two")
        # What the agent still says is read.
        while select.select([self.agent.stdout], [], [], 0.05)[0]:
            self.pump()
        return 0


main(Client2)
