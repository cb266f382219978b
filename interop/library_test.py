#!/usr/bin/env python3
"""library_test.py CARELESS_AGENT: a scripted client reads, line by line, what the agent library lets a program send
that keeps to no rules, and what it does with what the program says nothing about."""

import json
import queue
import subprocess
import sys
import threading
import unittest

AGENT = sys.argv[1]
PATIENCE = 120  # seconds; more than anything takes on a busy machine


class Client:
    """Every line of the agent's, in order, in `seen`."""

    def __init__(self, *arguments):
        self.agent = subprocess.Popen([AGENT, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.seen, self.lines, self.last = [], queue.Queue(), 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.agent.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def send(self, **message):
        self.agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.agent.stdin.flush()

    def next(self):
        message = self.lines.get(timeout=PATIENCE)
        if message is None:
            raise EOFError("the agent has ended")
        self.seen.append(message)
        return message

    def ask(self, method, **params):
        self.last += 1
        self.send(id=self.last, method=method, params=params)
        return self.last

    def answer(self, number):
        """Answers what the agent asks for meanwhile: terminals."""
        while True:
            message = self.next()
            if "method" not in message and message["id"] == number:
                return message
            if "id" in message and "method" in message:
                results = {"terminal/create": {"terminalId": "t1"}}
                self.send(id=message["id"], result=results.get(message["method"], {}))

    def call(self, method, **params):
        return self.answer(self.ask(method, **params))

    def start(self, capabilities=None):
        return self.call("initialize", protocolVersion=1, clientCapabilities=capabilities or {})["result"]

    def new_session(self, **more):
        return self.call("session/new", **{"cwd": "/", "mcpServers": [], **more})

    def prompt(self, session, text):
        return self.ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])

    def updates(self):
        return [message["params"]["update"] for message in self.seen if message.get("method") == "session/update"]

    def said(self):
        return "".join(update["content"]["text"] for update in self.updates()
                       if update["sessionUpdate"] == "agent_message_chunk").splitlines()

    def close(self):
        self.agent.stdin.close()
        self.agent.wait(PATIENCE)
        self.agent.stdout.close()


class Library(unittest.TestCase):
    def client(self, *arguments, capabilities=None):
        client = Client(*arguments)
        self.addCleanup(client.close)
        client.introduced = client.start(capabilities)
        return client

    def turn(self, word, capabilities=None):
        client = self.client(capabilities=capabilities)
        session = client.new_session()["result"]["sessionId"]
        client.ended = client.answer(client.prompt(session, word))
        return client

    def test_a_status_that_is_final_stays(self):
        client = self.turn("back")
        self.assertEqual(client.ended["result"]["stopReason"], "end_turn")
        said = client.said()
        self.assertEqual([line.split()[0] for line in said], ["refused"] * 7 + ["done"] * 2 + ["refused"], said)
        self.assertIn("is completed, which is final; it cannot become in_progress", said[0])
        self.assertIn("another call needs another id", said[5])
        self.assertIn("is failed, which is final; it cannot become completed", said[9])
        calls = [update for update in client.updates() if update["sessionUpdate"].startswith("tool_call")]
        statuses = {}
        for update in calls:
            if "status" in update:
                statuses.setdefault(update["toolCallId"], []).append(update["status"])
        self.assertEqual(list(statuses.values()), [["pending", "completed", "completed"], ["pending", "failed"]])
        # Nothing of what was refused, not even later.
        self.assertNotIn("after its end", json.dumps(client.seen))
        self.assertIn("kept", json.dumps(calls))
        self.assertNotIn("session/request_permission", [message.get("method") for message in client.seen])

    def test_a_call_that_was_not_announced_is_not_updated(self):
        client = self.turn("unannounced")
        said = client.said()
        self.assertEqual(len(said), 2)
        self.assertEqual(said[0], 'refused toolCallId: no tool call "nobody" was announced in this session')
        self.assertNotIn("tool_call_update", [update["sessionUpdate"] for update in client.updates()])

    def test_a_released_terminal_is_not_used(self):
        client = self.turn("released", {"terminal": True})
        said = client.said()
        self.assertEqual([line.split()[0] for line in said], ["refused"] * 5 + ["done"], said)
        self.assertIn('the terminal "t1" has been released', said[0])
        asked = [message["method"] for message in client.seen if message.get("method", "").startswith("terminal/")]
        self.assertEqual(asked, ["terminal/create", "terminal/release"])

    def closed(self, client):
        """The last update of the call that the program left open."""
        last = [update for update in client.updates() if update["sessionUpdate"] == "tool_call_update"][-1]
        self.assertEqual(last["status"], "failed")
        texts = [block["content"]["text"] for block in last["content"]]
        self.assertEqual(texts[0], "what it has shown")
        return texts[1]

    def test_a_call_that_the_library_closes_says_why(self):
        self.assertEqual(self.closed(self.turn("open")), "The turn ended before this did.")
        failed = self.turn("open-throw")
        self.assertEqual(failed.ended["error"]["code"], -32603)
        self.assertEqual(self.closed(failed), "This was interrupted.")
        client = self.client()
        session = client.new_session()["result"]["sessionId"]
        turn = client.prompt(session, "open-wait")
        while "what it has shown" not in json.dumps(client.next()):
            pass
        client.send(method="session/cancel", params={"sessionId": session})
        self.assertEqual(client.answer(turn)["result"]["stopReason"], "cancelled")
        self.assertEqual(self.closed(client), "The turn was cancelled before this ended.")

    def test_meta_of_the_programs_own(self):
        introduced = self.client().introduced
        self.assertEqual(introduced["_meta"], {"example.com/build": "7"})
        self.assertEqual(introduced["agentCapabilities"]["_meta"],
                         {"example.com/feature": {"level": 2},
                          "libacp/extensions": {"requests": ["_example.com/ask"], "notifications": []}})

    SERVERS = [{"name": "one", "command": "/bin/false", "args": [], "env": []},
               {"name": "two", "command": "npx", "args": [], "env": []}]

    def test_servers_that_are_not_started_are_named(self):
        text = "This agent uses no MCP servers"
        client = self.client(capabilities={"session": {"notices": {}}})
        session = client.new_session(mcpServers=self.SERVERS)["result"]["sessionId"]
        client.answer(client.prompt(session, "nothing"))
        client.answer(client.prompt(session, "nothing"))
        self.assertEqual([{key: update[key] for key in ("sessionUpdate", "severity", "title", "description")}
                          for update in client.updates()],
                         [{"sessionUpdate": "notice", "severity": "warning", "title": text,
                           "description": "Not started: one, two."}])
        # Without notices: in the first turn, once.
        client = self.client()
        session = client.new_session(mcpServers=self.SERVERS)["result"]["sessionId"]
        self.assertEqual(client.updates(), [])
        client.answer(client.prompt(session, "nothing"))
        client.answer(client.prompt(session, "nothing"))
        self.assertEqual([(update["sessionUpdate"], update["content"]["text"]) for update in client.updates()],
                         [("agent_thought_chunk", text + ". Not started: one, two.\n")])
        # None are named: nothing is said.
        self.assertEqual(self.turn("nothing").updates(), [])

    def test_servers_are_refused_by_choice(self):
        client = self.client("--refuse-servers")
        refused = client.new_session(mcpServers=self.SERVERS)["error"]
        self.assertEqual((refused["code"], refused["data"]["path"]), (-32602, "params.mcpServers"))
        self.assertIn("uses no MCP servers", refused["message"])
        self.assertIn("result", client.new_session())

    def test_a_servers_command_is_absolute(self):
        client = self.client()
        for command in ("./tools/serve", "tools/serve", ""):
            refused = client.new_session(mcpServers=[{**self.SERVERS[0], "command": command}])["error"]
            self.assertEqual((refused["code"], refused["data"]["path"]), (-32602, "params.mcpServers[0].command"))
        self.assertIn("result", client.new_session(mcpServers=self.SERVERS))

    def test_authenticate_without_methods_is_no_method(self):
        client = self.client()
        self.assertEqual(client.introduced.get("authMethods", []), [])
        refused = client.call("authenticate", methodId="any")["error"]
        self.assertEqual((refused["code"], refused["data"]["method"]), (-32601, "authenticate"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
