"""The terminals of mutant_client.py."""

import os
import signal
import subprocess


class NotFound(Exception):
    pass


class Refused(Exception):
    pass


class Terminal:
    def __init__(self, params, fault):
        self.fault = fault
        self.limit = params.get("outputByteLimit")
        self.killed = False
        self.data, self.cut, self.code, self.waiting = b"", False, None, []
        args = params.get("args") or []
        argv = [params["command"], *args] if args else ["/bin/sh", "-c", params["command"]]
        if fault("no-shell") and not args:
            argv = [params["command"]]
        if fault("no-empty-arguments"):
            argv = [each for each in argv if each]
        env = dict(os.environ)
        if not fault("no-env"):
            env |= {each["name"]: each["value"] for each in params.get("env") or []}
        cwd = params.get("cwd")
        if fault("ignores-cwd"):
            cwd = None
        elif cwd is None and fault("runs-in-root") and "pwd -P" in args:
            cwd = "/"
        errors = subprocess.DEVNULL if fault("no-stderr") else subprocess.STDOUT
        try:
            self.process = subprocess.Popen(argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=errors, start_new_session=True)
        except OSError as error:
            if fault("missing-command-runs"):
                self.process = subprocess.Popen(["true"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            else:
                raise Refused(-32603, str(error)) from None

    def read(self):
        piece = os.read(self.process.stdout.fileno(), 65536)
        if not piece:
            self.code = self.process.wait()
            if self.killed:
                self.data += b"Terminated\n"  # as many a shell does
            return False
        self.data += piece
        if self.limit is not None and len(self.data) > self.limit:
            self.cut = True
            if self.fault("no-limit"):
                return True
            start = len(self.data) - self.limit
            while not self.fault("cuts-characters") and start < len(self.data) and self.data[start] & 0xC0 == 0x80:
                start += 1
            self.data = self.data[start:]
        return True

    def status(self):
        if self.code is not None and self.code < 0:
            return {"exitCode": None, "signal": signal.Signals(-self.code).name}
        code = 0 if self.fault("code-is-zero") and self.code == 3 else self.code
        return {"exitCode": code, "signal": None}

    def kill(self):
        if self.code is None:
            self.killed = True
            os.killpg(self.process.pid, signal.SIGKILL)


class Terminals:
    def __init__(self, fault):
        self.fault = fault
        self.all, self.count = {}, 0

    def files(self):
        return [each.process.stdout for each in self.all.values() if each.code is None]

    def ready(self, files):
        """Reads; the answers to those who have waited for an end."""
        answers = []
        for each in list(self.all.values()):
            if each.code is None and each.process.stdout in files and not each.read():
                waiting = each.waiting[:1] if self.fault("one-waiter") else each.waiting
                answers += [{"id": number, "result": each.status()} for number in waiting]
                each.waiting = []
        return answers

    def call(self, what, params, number):
        params["sessionId"] + ""
        if what == "create":
            return self.create(params)
        name = params["terminalId"]
        if name not in self.all:
            if self.fault("unknown-terminal-empty") and name == "never created":
                return {"output": "", "truncated": False} if what == "output" else {}
            raise NotFound(name)
        terminal = self.all[name]
        if what == "output":
            result = {"output": terminal.data.decode(errors="replace"), "truncated": terminal.cut}
            if self.fault("never-truncated"):
                result["truncated"] = False
            if self.fault("no-output-after-kill") and terminal.code is not None and terminal.code < 0:
                result["output"] = ""
            if terminal.code is not None and not self.fault("no-exit-status"):
                result["exitStatus"] = terminal.status()
            return result
        if what == "wait_for_exit":
            if terminal.code is None:
                terminal.waiting.append(number)
                return None
            return terminal.status()
        if what == "kill":
            if not self.fault("kill-does-nothing"):
                terminal.kill()
            return {}
        if not self.fault("release-does-not-kill"):
            terminal.kill()
        if self.fault("release-keeps-id"):
            return {}
        del self.all[name]
        return {}

    def create(self, params):
        terminal = Terminal(params, self.fault)
        if not self.fault("same-terminal-id"):
            self.count += 1
        name = f"term-{self.count}"
        self.all[name] = terminal
        if self.fault("create-waits") and "-e go" in "".join(params.get("args") or []):
            while terminal.code is None:
                terminal.read()
        return {"terminalId": name}

    def end(self):
        for each in self.all.values():
            each.kill()
