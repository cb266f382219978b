"""The turns of mutant_agent_2.py: what a prompt says is what it does."""

import base64

from mutant_faults import FAULT, Cancelled, Lost, Refused, bad, subprocess
from mutant_turns import OPTIONS, Turn

KINDS = ("text", "resource_link", "image", "audio", "resource")
FINAL = ("completed", "failed", "cancelled")


class Turns2:
    # ---- from the prompt to its turn

    def prompt(self, params, request):
        blocks = params["prompt"]
        if not isinstance(blocks, list) or not isinstance(params["sessionId"], str):
            raise TypeError
        if bad("any-session") and params["sessionId"] not in self.sessions:
            return {"messageId": "of nobody"}
        session = self.known(params)
        if session.closed:
            if bad("closed-is-open"):
                return {"messageId": "of nobody"}
            raise Refused(-32602, "The session is closed")
        self.check_blocks(session, params, blocks)
        if session.turn:
            session.held.append((params, request))
        else:
            self.begin(session, params, request)

    def check_blocks(self, session, params, blocks):
        if bad("meta-refused") and "_meta" in params:
            raise Refused(-32602, "unknown field _meta")
        kinds = [block["type"] for block in blocks]
        for fault, kind in [("no-links", "resource_link"), ("picture-refused", "image"),
                            ("sound-refused", "audio"), ("resource-refused", "resource")]:
            if bad(fault) and kind in kinds:
                raise Refused(-32602, kind + " is not supported")
        if bad("one-text-only") and kinds.count("text") > 1:
            raise Refused(-32602, "one text, please")
        if not bad("any-content") and any(kind not in KINDS for kind in kinds):
            if bad("refused-is-shown"):
                self.update(session, "user_message", messageId="refused", content=[])
            raise Refused(-32602, "content of an unknown type")
        if self.strikes("turn-fails", blocks):
            raise Refused(-32603, "Out of order")

    # Once, at the first turn after a session was deleted: that of the check of turns.
    def strikes(self, fault, blocks):
        if not bad(fault) or self.struck or not self.deleted or blocks[0].get("text") != "say Hello.":
            return False
        self.struck = True
        return True

    def begin(self, session, params, request):
        session.turns += 1
        session.messages += 1
        texts = [block["text"] for block in params["prompt"] if block["type"] == "text"] or ["say Nothing"]
        turn = session.turn = Turn(session, request)
        turn.message = f"user-{1 if bad('message-id-again') else session.messages}"
        turn.silent = self.strikes("never-idle", params["prompt"])
        if not bad("answer-at-end"):
            self.accept(turn)
        if not bad("no-echo"):
            content = params["prompt"]
            if bad("echo-changed"):
                content = [{**block, "text": block["text"].upper()} if "text" in block else block for block in content]
            self.update(session, "user_message", messageId=turn.message, content=content)
        session.said.append(("user_message_chunk", turn.message, texts[0]))
        if not bad("never-running"):
            self.state(session, "running")
        if session.sticky:
            self.finish(turn, "cancelled")
            return
        turn.work = self.work(turn, session, texts)
        self.go_on(turn, None)

    def accept(self, turn):
        self.answer(turn.request, {"messageId": turn.message})
        if bad("answers-twice"):
            self.answer(turn.request, {"messageId": turn.message})

    def work(self, turn, session, texts):
        self.every_turn(session)
        word, _, rest = texts[0].partition(" ")
        words = {"say": self.hello, "show": self.show, "create": self.create, "run": self.execute,
                 "plan": self.plan, "wait": self.wait}
        return (yield from words[word](turn, session, rest))

    # What any turn may have wrong with it.
    def every_turn(self, session):
        text = {"type": "text", "text": ""}
        if bad("params-misfit"):
            self.update(session, "agent_message_chunk", messageId=f"odd-{session.turns}", content={"type": "text"})
        if bad("own-root-field"):
            self.update(session, "agent_message_chunk", messageId=self.message_id(session), content=text, mood="curious")
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

    def message_id(self, session):
        return "said" if bad("message-id-of-before") else f"said-{session.turns}-{len(session.said)}"

    # ---- its end

    def finish(self, turn, reason):
        session = turn.session
        session.turn = None
        if turn.lost or turn.silent:
            return
        cancelled, closing = reason == "cancelled", session.closed
        if bad("question-left-open") and not cancelled:
            self.ask_for_nothing(session)
        if cancelled and (bad("cancel-ends-turn") and not closing or bad("close-ends-otherwise") and closing):
            reason = "end_turn"
        stop = {} if bad("no-stop-reason") and not cancelled else {"stopReason": reason}
        self.state(session, "idle", **stop)
        if bad("answer-at-end"):
            self.accept(turn)
        if bad("cancel-sticks") and cancelled:
            session.sticky = True
        if closing:
            return
        if bad("asks-after-cancel") and cancelled or bad("asks-while-idle") and not cancelled:
            self.ask_for_nothing(session)
        if bad("says-after-idle") and not cancelled or bad("update-after-cancel") and cancelled:
            self.update(session, "agent_message_chunk", messageId="late", content={"type": "text", "text": "P.S."})
        if session.held:
            self.begin(session, *session.held.pop(0))

    def ask_for_nothing(self, session):
        self.send({"id": self.fresh("late"), "method": "session/request_permission", "params": {
            "sessionId": session.name, "title": "May I?", "options": OPTIONS}})

    # session/cancel, or the end of the session.
    def cancel_session(self, session):
        code = -32603 if bad("close-fails-held") and session.closed else -32800
        if not bad("held-is-run") or session.closed:
            for _, request in session.held:
                self.refuse(request, code, "Request cancelled")
            session.held = []
        turn = session.turn
        if turn is None:
            # Only before the first turn: elsewhere the kit's cancel may cross the end of a turn.
            session.sticky = session.sticky or bad("idle-cancel-kept") and not session.said
            return
        phases = {"deaf-at-once": "begins", "deaf-while-reporting": "waits",
                  "deaf-while-asking": "asks", "deaf-while-running": "runs"}
        if FAULT in phases and phases[FAULT] == turn.phase and not session.closed:
            session.turn = turn.waits_for = None
            return
        if turn.phase == "asks":
            self.late[turn.waits_for] = turn.path
            if not bad("question-kept"):
                self.send({"method": "$/cancel_request", "params": {"requestId": turn.waits_for}})
        self.waiting.pop(turn.waits_for, None)
        self.go_on(turn, None, Cancelled())

    # Runs the turn until it waits for something, or is over.
    def go_on(self, turn, given, error=None):
        session = turn.session
        try:
            asked = turn.work.throw(error) if error else turn.work.send(given)
            turn.waits_for = None
            if asked is None:  # waits for being cancelled
                return
            method, params = asked
            self.next_id += 1
            request = self.next_id + 0.5 if bad("fractional-id") and method == "_mutant/ping" else self.next_id
            turn.waits_for = request
            self.waiting[request] = turn
            self.send({"id": request, "method": method, "params": {"sessionId": session.name, **params}})
            if bad("begins-while-asking") and turn.phase == "asks":
                self.state(session, "running")
                self.call_is(session, params["subject"]["toolCall"]["toolCallId"], "in_progress")
        except StopIteration as over:
            self.finish(turn, over.value or "end_turn")
        except Cancelled:
            for name, status in session.status.items():
                if status not in FINAL:
                    self.call_is(session, name, "cancelled")
            self.finish(turn, "cancelled")
        except Lost:
            session.turn = None

    def answered(self, message):
        turn = self.waiting.pop(message.get("id"), None)
        if turn is None or turn.waits_for != message.get("id"):
            if bad("answers-an-answer") and message.get("id") == "never-asked":
                self.refuse("never-asked", -32600, "Nobody asked")
            path = self.late.get(message.get("id"))
            if path and bad("late-answer-used") and (message.get("result") or {}).get("outcome", {}).get("optionId"):
                self.make(path, "late")
            return
        turn.waits_for = None
        self.go_on(turn, message)

    # ---- tool calls and terminals

    def call(self, session, title, kind, **fields):
        session.calls += 1
        name = f"call-{session.calls}"
        session.status[name] = "pending"
        if bad("value-to-be-replaced"):
            fields["locations"] = "none"
        self.update(session, "tool_call_update", toolCallId=name, title=title, kind=kind, status="pending", **fields)
        return name

    def call_is(self, session, name, status, **fields):
        session.status[name] = status
        if bad("tool-left-open") and status == "completed":
            return
        self.update(session, "tool_call_update", toolCallId=name, status=status, **fields)
        if bad("tool-goes-back") and status == "completed":
            self.update(session, "tool_call_update", toolCallId=name, status="in_progress")
            self.update(session, "tool_call_update", toolCallId=name, status="completed")

    def cancel_call(self, params, request):
        session, name = self.known(params), params["toolCallId"]
        status = session.status.get(name)
        if status is None:
            if bad("any-call-cancelled"):
                return {}
            raise Refused(-32602, "There is no such tool call")
        if status in FINAL:
            if bad("ended-call-cancelled"):
                return {}
            raise Refused(-32602, "It is over")
        self.answer(request, {})
        if not bad("call-not-cancelled"):
            self.stop_command(session, "cancelled")

    def cancel_terminal(self, params, request):
        session = self.known(params)
        if not session.turn or getattr(session.turn, "terminal", None) != params["terminalId"]:
            if bad("any-terminal-cancelled"):
                return {}
            raise Refused(-32602, "There is no such terminal")
        self.answer(request, {})
        if not bad("terminal-not-cancelled"):
            self.stop_command(session, "failed")

    def stop_command(self, session, status):
        self.go_on(session.turn, status)

    # ---- what the words do

    def hello(self, _turn, session, rest):
        message = self.message_id(session)
        for word in rest.split(" "):
            self.say(session, word, message)
        return
        yield

    def show(self, _turn, session, rest):
        path = f"{session.cwd}/{rest}"
        if bad("reads-by-client"):
            self.send({"id": self.fresh("read"), "method": "fs/read_text_file", "params": {
                "sessionId": session.name, "path": path}})
        location = {"path": rest if bad("relative-location") else path, "line": 1}
        name = self.call(session, "Reading " + rest, "read", locations=[location])
        self.call_is(session, name, "in_progress")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.update(session, "tool_call_content_chunk", toolCallId="ghost" if bad("content-for-nobody") else name,
                    content={"type": "content", "content": {"type": "text", "text": text}})
        if bad("content-for-nobody"):  # nothing of it stays open
            self.update(session, "tool_call_update", toolCallId="ghost", status="completed")
        self.call_is(session, name, "completed")
        self.watch(session)
        self.say(session, "That is it.", self.message_id(session))
        return
        yield

    # Something that runs beside the turn.
    def watch(self, session):
        work = {"type": "terminal", "terminalId": f"watch-{session.turns}"}
        self.update(session, "terminal_update", terminalId=work["terminalId"], command="watch", cwd=session.cwd)
        session.background = [work, work] if bad("background-twice") else [work]
        if bad("background-untold"):
            session.background.append({"type": "tool_call", "toolCallId": "ghost"})
        self.state(session, "running")
        if not bad("background-vanishes"):
            self.update(session, "terminal_update", terminalId=work["terminalId"], exitStatus={"exitCode": 0})
        session.background = []
        self.state(session, "running")
        if bad("background-forgotten"):
            self.update(session, "state_update", state="running")

    def make(self, path, text):
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)

    # Whether it may go on. What is to be "done" is a file, what is to be "run" a command.
    def ask(self, turn, session, name, title, what):
        if session.trusted and what == "done":
            return True
        options = [dict(option) for option in OPTIONS]
        if bad("option-id-twice"):
            options[1]["optionId"] = options[0]["optionId"]
        if bad("nothing-but-yes"):
            options = options[:2]
        turn.phase = "asks"
        self.state(session, "requires_action")
        reply = yield "session/request_permission", {
            "title": "" if bad("untitled") else title, "options": options,
            "subject": {"type": "tool_call", "toolCall": {"toolCallId": name}}}
        turn.phase = ""
        if not bad("goes-on-silently"):
            self.state(session, "running")
        allowed = self.allowed(session, reply, options, what)
        if not allowed:
            self.call_is(session, name, "completed" if bad("rejected-is-completed") else "failed")
            self.say(session, "As you wish.", self.message_id(session))
        return allowed

    def allowed(self, session, reply, options, what):
        if "error" in reply:
            return bad("unasked-and-" + what)
        outcome = reply["result"]["outcome"]
        if outcome["outcome"] == "cancelled":
            return bad("undecided-and-" + what)
        if outcome["outcome"] != "selected":
            return bad("any-outcome-allows")
        kind = {option["optionId"]: option["kind"] for option in reversed(options)}.get(outcome["optionId"])
        if kind is None:
            return bad("any-option-allows")
        if bad("once-is-always") and kind == "allow_once" or bad("always-is-yes") and kind == "reject_always":
            session.trusted = True
        return kind.startswith("allow") or bad("rejected-and-" + what)

    # Who did what was not allowed does not boast of it.
    def ends(self, session, name, **fields):
        done = "failed" if FAULT and ("-and-" in FAULT or "allows" in FAULT) else "completed"
        self.call_is(session, name, done, **fields)

    # The client has said something else while it should have answered.
    def lose_patience(self, session):
        if session.turn and session.turn.phase == "asks" and session.turn.path:
            self.make(session.turn.path, "now")

    def create(self, turn, session, rest):
        file, _, text = rest.partition(" with ")
        path = turn.path = f"{session.cwd}/{file}"
        named = "/another.txt" if bad("patch-of-another") else path
        old, new = ("a" + named, "b" + named) if bad("patch-with-prefix") else (named, named)
        patch = f"diff --git {old} {new}\nnew file mode 100644\n--- /dev/null\n+++ {new}\n@@ -0,0 +1 @@\n+{text}\n"
        name = self.call(session, "Writing " + file, "edit", content=[
            {"type": "diff", "changes": [{"operation": "add", "path": path, "fileType": "text"}],
             "patch": {"format": "git_patch", "text": patch}}])
        allowed = yield from self.ask(turn, session, name, f"Write {file}?", "done")
        if not allowed:
            return
        self.call_is(session, name, "in_progress")
        if not bad("allowed-not-done"):
            self.make(path, text)
        self.ends(session, name)

    def execute(self, turn, session, rest):
        name = self.call(session, "Running " + rest, "execute", rawInput={"command": rest})
        if rest.startswith("sleep"):
            return (yield from self.sleep(turn, session, name, rest))
        turn.path = f"{session.cwd}/{rest.split(' ')[-1]}" if rest.startswith("touch") else None
        allowed = yield from self.ask(turn, session, name, f"Run {rest}?", "run")
        if not allowed:
            return
        terminal = self.terminal(session, rest, shown=not bad("terminal-untold"))
        self.call_is(session, name, "in_progress", content=[{"type": "terminal", "terminalId": terminal}])
        output = subprocess.run(["/bin/sh", "-c", rest], cwd=session.cwd, stdin=subprocess.DEVNULL,
                                capture_output=True, check=False).stdout
        if not bad("terminal-untold"):
            data = "some text!" if bad("output-is-text") else base64.b64encode(output).decode()
            self.update(session, "terminal_output_chunk", terminalId=terminal, data=data)
            self.exits(session, terminal)
        self.ends(session, name)

    def terminal(self, session, command, shown=True):
        terminal = f"terminal-{session.calls}"
        if shown:
            self.update(session, "terminal_update", terminalId=terminal, command=command, cwd=session.cwd,
                        capabilities={"cancel": {}})
        return terminal

    def exits(self, session, terminal):
        more = {} if bad("exited-cancellable") else {"capabilities": None}
        self.update(session, "terminal_update", terminalId=terminal, exitStatus={"exitCode": 0}, **more)

    # A command that takes long, and can be stopped.
    def sleep(self, turn, session, name, rest):
        turn.terminal = self.terminal(session, rest)
        self.call_is(session, name, "in_progress", capabilities={"cancel": {}},
                     content=[{"type": "terminal", "terminalId": turn.terminal}])
        turn.phase = "runs"
        status = "cancelled"
        try:
            status = yield None
            while status is None:
                status = yield None
        finally:
            turn.phase = ""
            self.exits(session, turn.terminal)
            turn.terminal = None
            self.call_is(session, name, status, **({} if bad("keeps-cancel") else {"capabilities": None}))

    def plan(self, _turn, session, rest):
        steps = [step.strip() for step in rest.split(",")]
        entries = [{"content": step, "priority": "medium", "status": "pending"} for step in steps]
        plan = {"type": "items", "planId": f"plan-{session.turns}"}
        self.update(session, "plan_update", plan={**plan, "entries": entries})
        entries[0]["status"] = "in_progress"
        self.update(session, "plan_update", plan={**plan, "entries": entries[:1] if bad("plan-in-parts") else entries})
        return "cancelled" if bad("cancels-itself") else None
        yield

    # First there is something to wait for, then nothing but the end.
    def wait(self, turn, session, _rest):
        turn.phase = "begins"
        yield "_mutant/ping", {}
        turn.phase = "waits"
        self.say(session, "Waiting.", self.message_id(session))
        yield None
