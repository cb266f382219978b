#!/usr/bin/env python3
"""A scripted agent of version 2 that does all that `acp check agent --protocol 2` knows about. What the envelope
demands it has from mutant_agent.py.

With `--fault NAME` it does exactly one thing wrong. `--faults` lists the names, each with the requirement that it
breaks and whether somebody waits in vain for it.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]  # not there with -I

from mutant_agent import Agent  # noqa: E402
from mutant_faults import Lost, Refused, bad  # noqa: E402
from mutant_sessions_2 import Sessions2  # noqa: E402
from mutant_turns_2 import Turns2  # noqa: E402

GONE = ("authenticate", "logout", "session/load", "session/set_mode")


class Agent2(Sessions2, Turns2, Agent):
    def __init__(self):
        super().__init__()
        self.asked_more = self.forgotten = self.struck = False
        self.late = {}  # id of a question → the file it was about

    def say(self, session, text, message):
        session.said.append(("agent_message_chunk", message, text))
        self.update(session, "agent_message_chunk", messageId=message, content={"type": "text", "text": text})

    def state(self, session, state, **more):
        if session.background is not None and "background" not in more:
            more["background"] = session.background
        self.update(session, "state_update", state=state, **more)

    def notification(self, method, params):
        if not self.initialized:
            if bad("early-notification-answered"):
                self.refuse(None, -32600, "Not initialized")
            return
        if bad("dies-of-event") and method.startswith("_"):
            sys.exit(1)
        if bad("dies-of-dollar") and method.startswith("$/"):
            sys.exit(1)
        if method != "session/cancel":
            return
        if bad("answers-notification"):
            self.send({"id": None, "result": {}})
        session = self.sessions.get(params.get("sessionId"))
        if session and not session.closed:
            session.cancels += 1
            self.cancel_session(session)

    def request(self, request, method, params):
        if bad("pieces-lost") and method == "_acp.check/pieces":
            return
        plain = isinstance(request, (str, int)) and not isinstance(request, bool)
        if not plain and not bad("null-id-taken"):
            self.refuse(None, -32600, "An id is a string or a whole number")
            return
        if bad("impatient") and method == "_acp.check/are_you_there":
            for session in self.sessions.values():
                self.lose_patience(session)
        if bad("ids-confused") and request in self.waiting:
            return
        if method == "initialize":
            self.answer(request, self.initialize(params))
            self.after(method, params, None)
            return
        self.asked_more = self.asked_more or self.initialized
        if not self.initialized or self.forgotten:
            raise Refused(-32603 if bad("early-wrong-code") else -32600, "Not initialized")
        handlers = {
            "auth/login": self.login, "auth/logout": self.logout,
            "session/new": self.new, "session/resume": self.resume, "session/list": self.list,
            "session/close": self.close, "session/delete": self.delete,
            "session/set_config_option": self.set_option, "session/prompt": self.prompt,
            "tool_call/cancel": self.cancel_call, "terminal/cancel": self.cancel_terminal,
        }
        if method in GONE:
            if not bad("gone-is-there"):
                raise Refused(-32601, "Method not found: " + method)
            self.answer(request, {})
            return
        if method not in handlers:
            code = -32601
            if (bad("extension-wrong-code") and method.startswith("_")
                    or bad("unknown-wrong-code") and not method.startswith("_")):
                code = -32603
            raise Refused(code, "Method not found: " + method)
        try:
            result = handlers[method](params, request)
        except (KeyError, TypeError, AttributeError):
            code = -32603 if bad("params-wrong-code") and method == "session/prompt" else -32602
            raise Refused(code, "Invalid params") from None
        except Lost:
            return
        if result is not None:
            self.answer(request, result)
            self.after_2(method, params, result)

    def after_2(self, method, params, result):
        if method == "session/resume" and bad("replay-after-answer") and "replayFrom" in params:
            session = self.sessions[params["sessionId"]]
            self.update(session, "agent_thought_chunk", messageId="late", content={"type": "text", "text": "so"})
        if method == "session/close" and bad("update-after-close") and params["sessionId"] in self.sessions:
            session = self.sessions[params["sessionId"]]
            self.update(session, "usage_update", used=1, size=2)
        if method == "session/new" and bad("same-id-twice"):
            self.send({"id": self.fresh("ping"), "method": "_mutant/ping", "params": {}}, 2)


if __name__ == "__main__":
    Agent2().run()
