"""The turns of mutant_agent.py: what a prompt says is what it does."""

from mutant_faults import FAULT, Cancelled, Lost, Refused, bad, subprocess

OPTIONS = [{"optionId": kind.replace("_", "-"), "name": kind, "kind": kind}
           for kind in ("allow_once", "allow_always", "reject_once", "reject_always")]


class Turn:
    def __init__(self, session, request):
        self.session = session
        self.request = request
        self.work = None
        self.waits_for = None
        self.phase = ""
        self.path = None  # what it asks about
        self.lost = False


class Turns:
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
        return (yield from words[word](turn, session, rest))

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
                if bad("ids-confused") and request == turn.request:
                    turn.lost = True
                if bad("begins-while-asking") and method == "session/request_permission":
                    self.call_is(turn.session, params["toolCall"]["toolCallId"], "in_progress")
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
        if turn.lost:
            return
        cancelled = reason == "cancelled"
        answer = {"id": self.result_id(turn.request), "result": {"stopReason": reason}}
        late = bad("writes-after-cancel") if cancelled else bad("writes-after-turn")
        if late and self.client.get("fs", {}).get("writeTextFile") and not session.closed:
            self.send_all(answer, {"id": self.fresh("late"), "method": "fs/write_text_file", "params": {
                "sessionId": session.name, "path": session.cwd + "/late.txt", "content": "late"}})
        elif bad("question-left-open") and not cancelled:
            self.send_all({"id": self.fresh("late"), "method": "session/request_permission", "params": {
                "sessionId": session.name, "toolCall": {"toolCallId": "late"}, "options": OPTIONS}}, answer)
        else:
            self.send(answer)
        if bad("answers-twice"):
            self.answer(turn.request, {"stopReason": reason})
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
            self.call_is(session, name, "failed")
            return
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
        if bad("asks-afterwards"):
            yield "session/request_permission", {"toolCall": {"toolCallId": name}, "options": OPTIONS}
        self.say(session, "That is it.")

    # Whether it may go on. What is to be "done" is a file, what is to be "run" a command.
    def ask(self, turn, session, name, what):
        if session.trusted and what == "done":
            return True
        options = [dict(option) for option in OPTIONS]
        if bad("option-id-twice"):
            options[1]["optionId"] = options[0]["optionId"]
        if bad("nothing-but-yes"):
            options = options[:2]
        turn.phase = "asks"
        reply = yield "session/request_permission", {"toolCall": {"toolCallId": name},
                                                     "options": options}
        turn.phase = ""
        allowed = self.allowed(session, reply, options, what)
        if not allowed:
            self.call_is(session, name, "completed" if bad("rejected-is-completed") else "failed")
            self.say(session, "As you wish.")
        return allowed

    # The client has said something else while it should have answered.
    def lose_patience(self, session):
        if session.turn and session.turn.phase == "asks" and session.turn.path:
            self.send({"id": self.fresh("now"), "method": "fs/write_text_file", "params": {
                "sessionId": session.name, "path": session.turn.path, "content": "now"}})

    def create(self, turn, session, rest):
        file, _, text = rest.partition(" with ")
        path = turn.path = f"{session.cwd}/{file}"
        name = self.call(session, "Writing " + file, "read" if bad("changes-by-reading") else "edit",
                         content=[{"type": "diff", "path": path, "newText": text}])
        allowed = yield from self.ask(turn, session, name, "done")
        if not allowed:
            if bad("goes-around") and self.client.get("terminal"):
                reply = yield "terminal/create", {"command": "/bin/sh", "args": ["-c", f"echo {text} > {file}"]}
                yield "terminal/release", {"terminalId": reply["result"]["terminalId"]}
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
        self.ends(session, name)

    def allowed(self, session, reply, options, what):
        if "error" in reply:
            return bad("unasked-and-" + what)
        outcome = reply["result"]["outcome"]
        if outcome["outcome"] == "cancelled":
            return bad("undecided-and-" + what)
        kinds = {option["optionId"]: option["kind"] for option in reversed(options)}
        kind = kinds.get(outcome["optionId"])
        if kind is None:
            return bad("any-option-allows") and what == "done"
        if (bad("once-is-always") and kind == "allow_once") or (bad("always-is-yes") and kind == "reject_always"):
            session.trusted = True
        rejected = FAULT is not None and FAULT.startswith("rejected-and-" + what)
        return kind.startswith("allow") or rejected

    # Who did what was not allowed does not boast of it.
    def ends(self, session, name):
        self.call_is(session, name, "failed" if FAULT and ("-and-" in FAULT or "any-option" in FAULT) else "completed")

    def execute(self, turn, session, rest):
        named = {} if bad("rejected-and-run-unnamed") else {"rawInput": {"command": rest}}
        name = self.call(session, "Running a command" if not named else "Running " + rest, "execute", **named)
        allowed = yield from self.ask(turn, session, name, "run")
        if not allowed:
            return
        if not self.client.get("terminal") or bad("rejected-and-run-itself"):
            output = subprocess.run(["/bin/sh", "-c", rest], cwd=session.cwd, stdin=subprocess.DEVNULL,
                                    capture_output=True, text=True, check=False).stdout
            self.ends(session, name)
            self.say(session, output)
            return
        line = "echo something else" if bad("runs-another-command") else rest
        reply = yield "terminal/create", {"command": "/bin/sh", "args": ["-c", line],
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
        self.ends(session, name)

    def plan(self, _turn, session, rest):
        steps = [step.strip() for step in rest.split(",")]
        entries = [{"content": step, "priority": "medium", "status": "pending"} for step in steps]
        self.update(session, "plan", entries=entries)
        entries[0]["status"] = "in_progress"
        self.update(session, "plan", entries=entries[:1] if bad("plan-in-parts") else entries)
        return "cancelled" if bad("cancels-itself") else None
        yield

    # First there is something to wait for, then nothing but the end.
    def wait(self, turn, session, _rest):
        turn.phase = "begins"
        if self.client.get("fs", {}).get("readTextFile"):
            yield "fs/read_text_file", {"path": session.cwd + "/notes.txt"}
        turn.phase = "waits"
        self.say(session, "Waiting.")
        yield None
