"""Our agents with clients that exist, or may, and do not do what they should:
scripted_clients_test.py ACP TOOLS_AGENT"""

import json
import os
import subprocess
import sys
import unittest

from scripted_client import (EVERYTHING, PATIENCE, UNANSWERED, Place, Refusal, choose, environment_in, last_call,
                             notices, said)

ACP, TOOLS_AGENT = (os.path.abspath(path) for path in sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))
OURS = (ACP, "agent", "--model", "offline", "--mode", "ask")


def refuse(*words):
    def answer(params):
        raise Refusal(*words)
    return answer


class ReasonsOfErrors(Place):
    """A client answers `Internal error`, and says why only in `data`."""

    def test_files(self):
        client = self.client(*OURS, fs__read_text_file=refuse(
            -32603, "Internal error", {"details": "Permission denied: the buffer is locked"}))
        _, updates = client.prompt(client.new_session(self.project), "show notes.txt")
        status, text = last_call(updates)
        self.assertEqual(status, "failed")
        self.assertIn("Internal error: Permission denied: the buffer is locked", text)

    def test_terminals(self):
        client = self.client(*OURS, terminal__create=refuse(-32603, "Internal error", "no more terminals"))
        _, updates = client.prompt(client.new_session(self.project), "run true")
        self.assertIn("Internal error: no more terminals", last_call(updates)[1])

    def test_an_agent_of_the_library(self):
        client = self.client(TOOLS_AGENT, fs__read_text_file=refuse(
            -32001, "Too many requests", {"details": "the disk sleeps", "retryAfter": 2.5}))
        answer, updates = client.prompt(client.new_session(self.project), self.path("notes.txt"))
        self.assertEqual(answer, {"stopReason": "end_turn"})
        self.assertIn("Too many requests: the disk sleeps (try again in 2.5 s)", said(updates))


class ClientsThatAnswerNull(Place):
    """Files and terminals are advertised, and every answer is null."""

    def null_client(self, **more):
        null = {name: lambda params: None for name in (
            "fs__read_text_file", "fs__write_text_file", "terminal__create", "terminal__output",
            "terminal__wait_for_exit", "terminal__kill", "terminal__release")}
        return self.client(*OURS, **dict(null, **more))

    def test_the_disk_and_our_own_commands_are_used(self):
        client = self.null_client()
        session = client.new_session(self.project)
        _, updates = client.prompt(session, "show notes.txt; replace disk with shelf in notes.txt; run echo from here")
        self.assertEqual(self.read("notes.txt"), "on the shelf\n")
        shown = json.dumps(updates)
        self.assertIn("on the disk", shown)
        self.assertIn("from here", shown)
        self.assertEqual(notices(updates), ["Files are read and written on the disk",
                                            "Commands run here, not in the client's terminals"])
        _, updates = client.prompt(session, "show notes.txt; create other.txt with more; run echo once more")
        self.assertEqual(notices(updates), [], "it is said once")
        self.assertEqual(self.read("other.txt"), "more\n")
        for method in ("fs/read_text_file", "terminal/create"):
            self.assertEqual(len(client.asked(method)), 1, method)
        # The boundary holds.
        _, updates = client.prompt(session, "show /etc/passwd")
        self.assertEqual(last_call(updates)[0], "failed")
        self.assertNotIn("root:", json.dumps(updates))
        # Another session is asked again.
        client.prompt(client.new_session(self.project), "show notes.txt")
        self.assertEqual(len(client.asked("fs/read_text_file")), 2)
        self.assertEqual(client.end(), 0)

    def test_a_write_comes_first(self):
        for capabilities in (EVERYTHING, {"fs": {"writeTextFile": True}}):
            client = self.null_client(capabilities=capabilities)
            client.prompt(client.new_session(self.project), "create new.txt with hello")
            self.assertEqual(self.read("new.txt"), "hello\n")
            os.remove(self.path("new.txt"))

    def test_a_client_that_writes_and_answers_null(self):
        """Null is an answer, too: what it wrote counts, and so does what it keeps in a buffer."""
        buffers = {}

        def to_disk(params):
            self.write(params["path"], params["content"])

        def to_buffer(params):
            buffers[params["path"]] = params["content"]

        for write in (to_disk, to_buffer):
            client = self.null_client(
                fs__write_text_file=write,
                fs__read_text_file=lambda params: {"content": buffers.get(params["path"], "on the disk\n")})
            session = client.new_session(self.project)
            _, updates = client.prompt(session, "create new.txt with hello")
            self.assertEqual((last_call(updates)[0], notices(updates)), ("completed", []))
            client.prompt(session, "create newer.txt with hello")
            self.assertEqual(len(client.asked("fs/write_text_file")), 2)
        self.assertEqual(self.read("new.txt"), "hello\n")
        self.assertEqual(buffers[self.path("new.txt")], "hello\n")


class PermissionsByName(Place):
    """A shipping client takes the first name with "always" in it for "in this session"."""

    NAMES = ["Allow once", "Always allow in this session", "Allow in this project from now on",
             "Reject once", "Always reject in this session", "Reject in this project from now on"]

    @staticmethod
    def first_always(word):
        def answer(params):
            names = {option["name"].lower(): option["optionId"] for option in params["options"]}
            chosen = next(id for name, id in names.items() if "always" in name and word in name)
            return choose(chosen)(params)
        return answer

    def rules(self):
        listed = subprocess.run([ACP, "policy", "list"], capture_output=True, text=True, cwd=self.project,
                                env=environment_in(self.home), timeout=PATIENCE, check=True)
        return listed.stdout

    def test_no_standing_rule_is_written(self):
        before = self.rules()
        for word, status in (("allow", "completed"), ("reject", "failed")):
            client = self.client(*OURS, capabilities={}, session__request_permission=self.first_always(word))
            session = client.new_session(self.project)
            for text in ("create a.txt with 1", "create b.txt with 2"):
                _, updates = client.prompt(session, text)
                self.assertEqual(last_call(updates)[0], status)
            [asked] = client.asked("session/request_permission")  # the session remembers
            self.assertEqual([option["name"].split(":")[0] for option in asked["options"]], self.NAMES)
            self.assertEqual(client.end(), 0)
            self.assertEqual(self.rules(), before)
        # Nobody else is allowed anything by that.
        client = self.client(*OURS, capabilities={}, session__request_permission=choose("reject_once"))
        client.prompt(client.new_session(self.project), "create c.txt with 3")
        self.assertEqual(len(client.asked("session/request_permission")), 1)


class CancelledTurns(Place):
    """Whatever the client leaves unanswered, a cancelled turn ends, and the session goes on."""

    def terminals(self, **more):
        return {"fs__read_text_file": lambda params: {"content": "TODO\n"},
                "fs__write_text_file": lambda params: {},
                "terminal__create": lambda params: {"terminalId": "t1"},
                "terminal__output": lambda params: {"output": "", "truncated": False},
                "terminal__wait_for_exit": lambda params: UNANSWERED,
                "terminal__kill": lambda params: {},
                "terminal__release": lambda params: {}, **more}

    def check(self, agent, prompt, stuck, until=None):
        client = self.client(*agent, **self.terminals(**{stuck.replace("/", "__"): lambda params: UNANSWERED}))
        session = client.new_session(self.project)
        number = client.begin_prompt(session, prompt)
        client.until_asked(until or stuck)
        client.send(method="session/cancel", params={"sessionId": session})
        self.assertEqual(client.end_of(number).get("stopReason"), "cancelled")
        if until and stuck != "terminal/release":  # there was a terminal: it is released in any case
            self.assertEqual([params["terminalId"] for params in client.asked("terminal/release")], ["t1"])
        return client, session

    def every_request(self, agent, prompts):
        for stuck in ("session/request_permission", "fs/read_text_file", "fs/write_text_file"):
            with self.subTest(stuck):
                self.check(agent, prompts[stuck], stuck)
        for stuck in ("terminal/kill", "terminal/output", "terminal/release", "terminal/wait_for_exit"):
            with self.subTest(stuck):
                self.check(agent, prompts["terminal/create"], stuck, until="terminal/wait_for_exit")

    def late_terminal(self, agent, prompt):
        client, session = self.check(agent, prompt, "terminal/create")
        self.assertEqual(client.asked("terminal/release"), [])
        create = [message for message in client.seen if message.get("method") == "terminal/create"][-1]
        client.send(id=create["id"], result={"terminalId": "late"})
        released = client.until_asked("terminal/release")
        self.assertEqual(released["params"], {"sessionId": session, "terminalId": "late"})
        return client, session

    def test_our_agent(self):
        self.every_request(OURS, {"session/request_permission": "run sleep 1000",
                                  "fs/read_text_file": "show notes.txt",
                                  "fs/write_text_file": "create new.txt with x",
                                  "terminal/create": "run sleep 1000"})

    def test_our_agent_and_a_terminal_that_comes_late(self):
        client, session = self.late_terminal(OURS, "run sleep 1000")
        answer, updates = client.prompt(session, "say still here")
        self.assertEqual(answer["stopReason"], "end_turn")
        self.assertIn("still here", said(updates))
        self.assertEqual(client.end(), 0)

    def test_an_agent_of_the_library(self):
        path = self.path("notes.txt")
        self.every_request((TOOLS_AGENT,), dict.fromkeys(
            ("session/request_permission", "fs/read_text_file", "fs/write_text_file", "terminal/create"), path))

    def test_an_agent_of_the_library_and_a_terminal_that_comes_late(self):
        client, _ = self.late_terminal((TOOLS_AGENT,), self.path("notes.txt"))
        self.assertEqual(client.end(), 0)


class SlowServers(Place):
    """An MCP server that does not answer is named while the prompt waits for it."""

    def test_a_server_that_hangs(self):
        client = self.client(*OURS)
        server = {"name": "slowpoke", "command": sys.executable, "env": [],
                  "args": [os.path.join(HERE, "..", "acp", "mcp", "testing", "hostile_server.py"), "silent"]}
        session = client.new_session(self.project, servers=[server])
        number = client.begin_prompt(session, "say hello")
        client.until(lambda message: "Waiting for the MCP server slowpoke" in json.dumps(message))
        client.send(method="session/cancel", params={"sessionId": session})
        self.assertEqual(client.end_of(number)["stopReason"], "cancelled")


class ToolsAgent(Place):
    """What the client cannot do is said in the turn, which ends as any other."""

    def test_files_that_cannot_be_read(self):
        client = self.client(TOOLS_AGENT, fs__read_text_file=refuse(-32002, "no such file"))
        session = client.new_session(self.project)
        for path, why in ((self.path("gone.txt"), "no such file"), ("relative.txt", "absolute")):
            answer, updates = client.prompt(session, path)
            self.assertEqual(answer, {"stopReason": "end_turn"}, path)
            self.assertEqual(last_call(updates)[0], "failed")
            self.assertIn("I cannot read " + path, said(updates))
            self.assertIn(why, said(updates))

    def test_files_that_cannot_be_written(self):
        client = self.client(TOOLS_AGENT, fs__read_text_file=lambda params: {"content": "TODO"},
                             fs__write_text_file=refuse(-32603, "read-only"))
        answer, updates = client.prompt(client.new_session(self.project), self.path("notes.txt"))
        self.assertEqual(answer, {"stopReason": "end_turn"})
        self.assertIn("I cannot write", said(updates))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
