"""What mutant_client.py answers to its agent: permissions, elicitations, files."""

import os

from mutant_terminals import NotFound, Refused

HERE = os.getcwd()


class Answers:
    def answer(self, message):
        method, number = message["method"], message["id"]
        if self.fault("text-is-number") and number == "17":
            number = 17
        if self.fault("double-ids") and isinstance(number, int) and method.startswith("_"):
            number = int(float(number))
        try:
            result = self.result(method, message.get("params"), message)
            if result is None:
                return
            reply = {"id": number, "result": result}
        except Refused as refused:
            reply = {"id": number, "error": {"code": refused.args[0], "message": refused.args[1]}}
            if self.fault("error-without-message"):
                del reply["error"]["message"]
        except NotFound as missing:
            code = -32603 if self.fault("missing-code") else -32002
            reply = {"id": number, "error": {"code": code, "message": f"not found: {missing}"}}
        except (KeyError, TypeError, AttributeError):
            if self.fault("bad-params-silent"):
                return
            code = -32603 if self.fault("bad-params-code") else -32602
            reply = {"id": number, "error": {"code": code, "message": "Invalid params"}}
        if method == "_check/ping" and self.once("result-and-error"):
            reply |= {"result": {}, "error": {"code": -1, "message": "x"}}
        self.send(reply)
        if method == "_check/ping" and self.once("answers-twice"):
            self.send(reply)
        if method == "_check/ping" and self.once("answers-nobody"):
            self.send({"id": "nobody", "result": {}})

    def result(self, method, params, message):
        if method == "session/request_permission":
            return self.permission(params, message)
        if method in self.offered:
            if method == "fs/read_text_file":
                return self.read(params)
            if method == "fs/write_text_file":
                return self.write(params)
            return self.elicitation(params)
        if method.startswith("terminal/") and ("terminal" in self.offered or self.fault("terminal-dishonest")):
            return self.terminals.call(method[9:], params, message["id"])
        if method.startswith("_"):
            if self.fault("extension-result") and method != "_check/ping":
                return {}
        elif self.fault("unknown-request-silent") and not method.startswith(("fs/", "terminal/")):
            return None  # those are known, and not offered
        raise Refused(-32601, "Method not found")

    def permission(self, params, message):
        options = [each["optionId"] for each in params["options"]]
        kinds = [each["kind"] for each in params["options"]]
        params["sessionId"] + params["toolCall"]["toolCallId"]
        call = params["toolCall"]["toolCallId"]
        if self.fault("permission-fails") and call == "p1":
            raise Refused(-32603, "nobody is there")
        if self.fault("one-permission") and self.asked:
            return None
        if self.fault("unannounced-refused") and call == "never announced":
            raise Refused(-32602, "there is no such tool call")
        self.asked.append(message["id"])
        if self.cancelled and not self.fault("allows-after-cancel"):
            return {"outcome": {"outcome": "cancelled"}}
        if call == "c1" and not self.cancelled:
            self.held.append(message["id"])  # the person thinks about it, until it is cancelled
            return None
        if not options:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": self.choice(options[kinds.index("allow_once")])}}

    def choice(self, option):
        return "allow" if self.fault("option-not-offered") else option

    def held_answers(self):
        for number in self.held:
            outcome = {"outcome": "cancelled"}
            if self.fault("allows-when-cancelled"):
                outcome = {"outcome": "selected", "optionId": "yes"}
            self.send({"id": number, "result": {"outcome": outcome}})
        self.held = []

    def elicitation(self, params):
        params["message"], params["sessionId"]
        if params["mode"] != "form":
            if self.fault("accepts-any-mode"):
                return {"action": "cancel"}
            raise Refused(-32602, "unsupported mode")
        if self.fault("elicitation-silent"):
            return None
        content = {"name": 7 if self.fault("elicitation-type") else "Ada", "age": 36, "colour": "red"}
        return {"action": "accept", "content": content}

    # ---- files
    def path(self, params):
        path = params["path"]
        if not os.path.isabs(path) and not self.fault("relative-paths"):
            raise Refused(-32602, "the path is relative")
        real = os.path.realpath(path)
        return path, real == HERE or real.startswith(HERE + "/")

    def read(self, params):
        path, inside = self.path(params)
        if not inside and not self.fault("reads-outside"):
            raise Refused(-32003, "outside of the session's directory")
        if os.path.isdir(path):
            if self.fault("directory-is-empty"):
                return {"content": ""}
            raise Refused(-32602, "a directory")
        try:
            with open(path, newline="", encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            if self.fault("missing-is-empty"):
                return {"content": ""}
            raise NotFound(path) from None
        if self.fault("strips-content"):
            text = text.replace("\r", "")
        line, limit = params.get("line"), params.get("limit")
        if line is None and limit is None:
            return {"content": text}
        lines = text.splitlines(keepends=True)
        start = (1 if line is None else line) - (0 if self.fault("line-from-zero") and line else 1)
        if line == 0:
            if self.fault("line-zero-refused"):
                raise Refused(-32602, "line 0")
            start = 0
        if self.fault("limit-zero-is-all") and limit == 0:
            limit = None
        return {"content": "".join(lines[start:None if limit is None else start + limit])}

    def write(self, params):
        path, inside = self.path(params)
        if not inside and not self.fault("writes-outside"):
            raise Refused(-32003, "outside of the session's directory")
        content = params["content"]
        if self.fault("write-adds-newline") and not os.path.exists(path):
            content += "\n"
        mode = "w"
        if self.fault("write-does-not-truncate") and os.path.exists(path):
            mode = "r+"
        if self.fault("write-needs-file") and not os.path.exists(path):
            raise NotFound(path)
        with open(path, mode, newline="", encoding="utf-8") as file:
            file.write(content)
        return "ok" if self.fault("write-result-text") else {}
