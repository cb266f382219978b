"""A client over pipes that does what a test wants, right or wrong: for agents that have to cope with it."""

import json
import os
import queue
import subprocess
import tempfile
import threading
import unittest

PATIENCE = float(os.environ.get("ACP_PATIENCE_MS", "60000")) / 1000  # seconds, for what must come
EVERYTHING = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True, "session": {"notices": {}}}
UNANSWERED = object()


class Refusal(Exception):
    """The client answers with this error."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({} if data is None else {"data": data})}


def environment_in(home):
    kept = {k: v for k, v in os.environ.items()
            if not k.startswith(("XDG_", "ACP_", "OPENAI_", "ANTHROPIC_"))}
    # Each of many processes would take seconds to look for leaks.
    kept["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return dict(kept, HOME=home)


class Client:
    """`answers`: for each method a function of its params that gives the result."""

    def __init__(self, command, home, capabilities=EVERYTHING, **answers):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=home,
                                        env=environment_in(home))
        self.answers = {"session/request_permission": choose("allow_once"),
                        **{name.replace("__", "/"): answer for name, answer in answers.items()}}
        self.seen = []  # every message of the agent
        self.came = queue.Queue()
        self.next = 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.request("initialize", protocolVersion=1, clientCapabilities=capabilities)

    def read(self):
        for line in self.process.stdout:
            self.came.put(json.loads(line))
        self.came.put(None)

    def send(self, **message):
        self.process.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
        self.process.stdin.flush()

    def answer(self, message):
        try:
            result = self.answers[message["method"]](message["params"])
        except Refusal as refused:
            return self.send(id=message["id"], error=refused.error)
        if result is not UNANSWERED:
            self.send(id=message["id"], result=result)

    def until(self, wanted):
        """Answers what comes, until the message that is wanted has come: that one."""
        while True:
            message = self.came.get(timeout=PATIENCE)
            if message is None:
                raise EOFError("the agent has ended")
            self.seen.append(message)
            if "method" in message and "id" in message:
                self.answer(message)
            if wanted(message):
                return message

    def until_asked(self, method):
        return self.until(lambda message: message.get("method") == method)

    def begin(self, method, **params):
        number, self.next = self.next, self.next + 1
        self.send(id=number, method=method, params=params)
        return number

    def end_of(self, number):
        message = self.until(lambda message: message.get("id") == number and "method" not in message)
        return message.get("result", message.get("error"))

    def request(self, method, **params):
        return self.end_of(self.begin(method, **params))

    def new_session(self, cwd, **more):
        return self.request("session/new", cwd=cwd, mcpServers=more.pop("servers", []), **more)["sessionId"]

    def begin_prompt(self, session, text):
        return self.begin("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])

    def prompt(self, session, text):
        """The answer, and the updates of the turn."""
        before = len(self.seen)
        answer = self.end_of(self.begin_prompt(session, text))
        return answer, self.updates(before)

    def updates(self, since=0):
        return [m["params"]["update"] for m in self.seen[since:] if m.get("method") == "session/update"]

    def asked(self, method):
        return [message["params"] for message in self.seen if message.get("method") == method]

    def end(self):
        """The exit code of an agent whose input has ended."""
        self.process.stdin.close()
        return self.process.wait(timeout=PATIENCE)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


def choose(option):
    return lambda params: {"outcome": {"outcome": "selected", "optionId": option}}


def notices(updates):
    return [update["title"] for update in updates if update["sessionUpdate"] == "notice"]


def said(updates):
    return "".join(update["content"]["text"] for update in updates
                   if update["sessionUpdate"] == "agent_message_chunk")


def last_call(updates):
    """The status of the last tool call, and the text that it ended with."""
    end = [update for update in updates if update["sessionUpdate"] == "tool_call_update" and "status" in update][-1]
    return end["status"], json.dumps(end.get("content", []), ensure_ascii=False)


class Place(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = os.path.realpath(scratch.name)
        self.project = self.home + "/project"
        os.makedirs(self.project)
        self.write("notes.txt", "on the disk\n")

    def path(self, name):
        return os.path.join(self.project, name)

    def write(self, name, text):
        with open(self.path(name), "w") as out:
            out.write(text)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def client(self, *command, **how):
        client = Client(command, self.home, **how)
        self.addCleanup(client.kill)
        return client
