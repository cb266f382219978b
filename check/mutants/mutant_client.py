#!/usr/bin/env python3
"""mutant_client.py [--fault NAME] COMMAND…: a client that keeps to the protocol, but for one fault.

It starts the agent, offers it files, terminals and elicitation, sends two prompts, and ends. SIGINT cancels.
Faults are looked up by self.fault("name"): each stands where the right thing would be done. Without a fault
`acp check client` finds nothing, and skips nothing.
"""

import json
import os
import select
import signal
import subprocess
import sys

from mutant_answers import Answers
from mutant_terminals import Terminals

HERE = os.getcwd()


class Gone(Exception):
    """The agent is gone."""


class Failed(Exception):
    """The agent said no."""


class Client(Answers):
    def __init__(self, command, fault):
        self.fault_name = fault
        self.next_id = 0
        self.answers, self.rest, self.asked = {}, b"", []
        self.terminals = Terminals(self.fault)
        self.cancel_wanted = self.cancelled = False
        self.session = None
        self.updates = 0
        self.prompted, self.held, self.offered = False, [], set()
        self.agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.wake, self.waker = os.pipe()
        signal.signal(signal.SIGINT, self.interrupted)
        os.set_blocking(self.waker, False)
        os.set_blocking(self.wake, False)
        signal.set_wakeup_fd(self.waker, warn_on_full_buffer=False)

    def fault(self, *names):
        return self.fault_name in names

    def interrupted(self, *_):
        self.cancel_wanted = True

    # ---- the wire
    def send(self, message, raw=None):
        if raw is None and not self.fault("no-jsonrpc"):
            message = {"jsonrpc": "2.0", **message}
        data = raw if raw is not None else json.dumps(message, ensure_ascii=False).encode()
        try:
            self.agent.stdin.write(data + b"\n")
            self.agent.stdin.flush()
        except BrokenPipeError:
            raise Gone from None

    def once(self, name):
        """Whether a fault that happens once is to happen now."""
        if not self.fault(name):
            return False
        self.fault_name = None
        return True

    def request(self, method, params, wait=True):
        self.next_id += 1
        number = self.next_id
        if method == "session/prompt":
            if self.fault("fractional-id"):
                number += 0.5
        self.send({"id": number, "method": method, "params": params})
        if method == "session/prompt" and len(params["prompt"]) and params["prompt"][0]["text"] == "two" \
                and self.once("same-id"):
            self.send({"id": number, "method": "_acme/one", "params": {}})
        return self.wait(number) if wait else number

    def wait(self, number):
        while number not in self.answers:
            self.pump()
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["result"]

    def pump(self):
        """Waits for something, and deals with it."""
        waiting = [self.agent.stdout, self.wake, *self.terminals.files()]
        ready, _, _ = select.select(waiting, [], [], None)
        if self.wake in ready:
            os.read(self.wake, 4096)
            self.cancel()
        for line in self.terminals.ready(ready):
            self.send(line)
        if self.agent.stdout in ready:
            data = os.read(self.agent.stdout.fileno(), 65536)
            if not data:
                raise Gone
            self.take(data)

    def take(self, data):
        if self.fault("drops-pieces") and self.session and len(data) <= 60 and not data.endswith(b"\n"):
            return
        *lines, self.rest = (self.rest + data).split(b"\n")
        if self.fault("line-limit") and len(self.rest) > 65536:
            raise Gone
        for line in lines:
            if self.fault("crlf") and line.endswith(b"\r"):
                raise Gone
            if line.strip():
                self.frame(line)

    def frame(self, line):
        try:
            message = json.loads(line)
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                raise ValueError
        except ValueError:
            if self.fault("bad-line-ends") and self.session or self.fault("banner-ends") and not self.session:
                raise Gone from None
            return
        if "method" not in message:
            if message.get("id") not in range(1, self.next_id + 1) and self.fault("stray-answer-ends"):
                raise Gone
            if message.get("error", {}).get("code") == -32601:
                return  # to what was only said to be wrong
            self.prompted = self.prompted or "stopReason" in (message.get("result") or {})
            self.answers[message.get("id")] = message
        elif "id" in message:
            self.answer(message)
        else:
            self.notified(message["method"], message.get("params"))

    # ---- what the agent tells
    def notified(self, method, params):
        if method != "session/update":
            if self.fault("unknown-notification-ends") and method == "$/progress":
                raise Gone
            if self.fault("complete-ends") and method == "elicitation/complete":
                raise Gone
            if self.once("answers-notification"):
                self.send({"id": None, "result": None})
            return
        self.updates += 1
        if self.fault("many-updates-end") and self.updates > 2000:
            raise Gone
        try:
            self.updated(params["sessionId"], params["update"])
        except (KeyError, TypeError):
            if self.fault("bad-update-ends"):
                raise Gone from None

    def updated(self, session, update):
        kind = update["sessionUpdate"]
        text = json.dumps(update)
        ends = ((self.fault("early-update-ends") and self.session is None)
                or (self.fault("foreign-update-ends") and self.session not in (None, session))
                or (self.fault("late-update-ends") and self.prompted and kind == "usage_update")
                or (self.fault("options-update-ends") and kind == "config_option_update")
                or (self.fault("unknown-update-ends") and kind in ("telepathy", "tool_call_ended"))
                or (self.fault("unknown-field-ends") and ("mood" in update or "weight" in update))
                or (self.fault("unknown-value-ends") and ("juggle" in text or "smell" in text))
                or (self.fault("unannounced-ends") and update.get("toolCallId") == "u1"))
        if ends:
            raise Gone

    # ---- what it does itself
    def cancel(self):
        if not self.cancel_wanted or self.cancelled or self.session is None:
            return
        self.cancelled = True
        self.send({"method": "session/cancel", "params": {"sessionId": self.session}})
        if not self.fault("silent-when-cancelled"):
            self.held_answers()
        if self.fault("leaves-after-cancel"):
            raise Gone

    def before_initialize(self):
        if self.fault("not-first"):
            self.send({"method": "_acme/hello", "params": {}})
        if self.fault("not-json"):
            self.send(None, b"starting up")
        if self.fault("not-utf8"):
            self.send(None, b'{"jsonrpc":"2.0","method":"_acme/x","params":{"x":"\xff"}}')

    def after_initialize(self):
        if self.fault("batch"):
            self.send(None, b'[{"jsonrpc":"2.0","method":"_acme/x"},{"jsonrpc":"2.0","method":"_acme/y"}]')
        if self.fault("no-kind-of-message"):
            self.send({"params": {}})

    def initialize(self):
        capabilities = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True,
                        "elicitation": {"form": {}}}
        self.offered = {"fs/read_text_file", "fs/write_text_file", "terminal", "elicitation/create"}
        if self.fault("terminal-dishonest"):
            capabilities["terminal"] = False
            self.offered -= {"terminal"}
        params = {"protocolVersion": 1, "clientCapabilities": capabilities,
                  "clientInfo": {"name": "mutant", "version": "1"}}
        if self.fault("version-zero"):
            params["protocolVersion"] = 0
        if self.fault("version-text"):
            params["protocolVersion"] = "1"
        if self.fault("no-capabilities"):
            del params["clientCapabilities"]
            self.offered = set()
        if self.fault("no-info"):
            del params["clientInfo"]
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
        self.after_initialize()
        if self.fault("initialize-twice"):
            self.request("initialize", params)
        return result

    def session_params(self, capabilities):
        mcp = capabilities.get("mcpCapabilities", {})
        servers = [{"name": "files", "command": "/bin/cat", "args": [], "env": []}]
        if mcp.get("http") or self.fault("http-not-advertised"):
            servers.append({"type": "http", "name": "web", "url": "http://127.0.0.1:9/mcp", "headers": []})
        if self.fault("relative-command"):
            servers[0]["command"] = "cat"
        params = {"cwd": HERE, "mcpServers": servers}
        if capabilities.get("sessionCapabilities", {}).get("additionalDirectories") is not None \
                or self.fault("directories-not-advertised"):
            params["additionalDirectories"] = [HERE]
        if self.fault("relative-cwd"):
            params["cwd"] = "."
        if self.fault("no-servers"):
            del params["mcpServers"]
        return params

    def new_session(self, result):
        params = self.session_params(result.get("agentCapabilities") or {})
        try:
            return self.request("session/new", params)
        except Failed as failed:
            methods = result.get("authMethods") or []
            if failed.args[0]["code"] != -32000 or not methods:
                if self.fault("no-session-no-matter"):
                    sys.exit(0)
                raise
            if not self.fault("no-authenticate"):
                method = "guest" if self.fault("unlisted-method") else methods[0]["id"]
                try:
                    self.request("authenticate", {"methodId": method})
                except Failed:
                    if self.fault("login-failed-no-matter"):
                        sys.exit(0)
                    raise
            if self.fault("no-second-session"):
                raise
            return self.request("session/new", params)

    def set_up(self, session):
        modes, options = session.get("modes"), session.get("configOptions")
        if self.fault("unknown-option-ends") and any(o["type"] == "dial" for o in options or []):
            raise Gone
        if modes:
            mode = "dream" if self.fault("mode-not-available") else "act"
            self.request("session/set_mode", {"sessionId": self.session, "modeId": mode})
        if options:
            option = "wind" if self.fault("option-not-offered-config") else "model"
            self.request("session/set_config_option",
                         {"sessionId": self.session, "configId": option, "value": "big"})
        if self.fault("loads-not-advertised") and not self.loads:
            self.request("session/list", {})

    def prompt(self, text):
        blocks = [{"type": "text", "text": text}]
        if self.fault("image-not-advertised"):
            blocks.append({"type": "image", "mimeType": "image/png", "data": "aGk="})
        if self.fault("empty-prompt"):
            blocks = []
        if self.fault("unknown-block"):
            blocks.append({"type": "smell", "of": "roses"})
        session = "another" if self.fault("another-session") else self.session
        params = {"sessionId": session, "prompt": blocks}
        if self.fault("cancel-is-request") and text == "two":
            self.request("session/cancel", {"sessionId": self.session}, wait=False)
        if self.fault("own-method"):
            self.send({"method": "acme/telemetry", "params": {}})
        number = self.request("session/prompt", params, wait=False)
        if self.fault("prompts-at-once") and text == "one":
            self.request("session/prompt", params, wait=False)
        answer = self.wait(number)
        reason = answer["stopReason"]
        if self.fault("refusal-hangs") and reason == "refusal" or self.fault("unknown-stop-hangs") and reason == "bored":
            self.hang()
        if self.fault("unknown-answer-field-ends") and "mood" in answer:
            raise Gone

    def run(self):
        result = self.initialize()
        version = result["protocolVersion"]
        if self.fault("needs-capabilities") and "agentCapabilities" not in result:
            raise Gone
        if self.fault("unknown-capability-ends") and "unheardOf" in result:
            raise Gone
        if version != 1 and not self.fault("any-version"):
            if self.fault("version-kept-open"):
                self.hang()
            if self.fault("version-no-matter"):
                return 0
            raise Failed(f"version {version}")
        self.loads = (result.get("agentCapabilities") or {}).get("sessionCapabilities", {}).get("list") is not None
        session = self.new_session(result)
        self.session = session["sessionId"]
        self.set_up(session)
        self.prompt("one")
        if self.cancelled:
            return 130
        self.prompt("two")
        # What the agent still says is read.
        while select.select([self.agent.stdout], [], [], 0.05)[0]:
            self.pump()
        return 0

    def hang(self):
        while True:
            signal.pause()

    def lost(self):
        """The agent is gone, or has closed its output."""
        try:
            self.agent.wait(1)
            lives = False
        except subprocess.TimeoutExpired:
            lives = True
        phase = "initialize" if self.next_id == 1 else "session" if self.session is None else "turn"
        if lives:
            if self.fault("hangs-at-end-of-stdout"):
                self.hang()
        elif self.rest:
            if self.fault("hangs-in-message"):
                self.hang()
        elif self.fault(f"hangs-in-{phase}"):
            self.hang()

    def end(self, code):
        self.terminals.end()
        if self.fault("never-ends") and code == 0:
            self.hang()
        try:
            self.agent.stdin.close()
        except BrokenPipeError:
            pass
        if self.fault("leaves-the-agent"):
            os._exit(code)
        try:
            self.agent.wait(1)
            if self.fault("leaves-a-process"):
                subprocess.Popen(["sleep", "120"], start_new_session=True, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            self.agent.kill()
            self.agent.wait()


def main(kind):
    words = sys.argv[1:]
    fault = None
    if words[0] == "--fault":
        fault, words = words[1], words[2:]
    client = kind(words, fault)
    code = 1
    try:
        code = client.run()
    except Gone:
        client.lost()
        if client.fault("death-is-success") and client.agent.poll() is not None:
            code = 0
    except Failed as failed:
        if client.fault("initialize-error-hangs") and client.next_id == 1 and "Out of order" in str(failed):
            client.hang()
        if client.fault("prompt-error-is-success") and client.session:
            code = 0
    client.end(code)
    if client.fault("exit-code") and code == 0:
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main(Client)
