"""An agent for chat_test.py. hostile_agent.py KIND: what it does when it is prompted."""

import json
import sys

KIND = sys.argv[1]
ESC = "\x1b]0;owned\a\x1b[2J\x1b[31m"


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def update(update):
    send({"method": "session/update", "params": {"sessionId": "s", "update": update}})


def say(text):
    update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})


def prompt(message):
    if KIND == "escapes":
        say("before " + ESC + " after\u202e\n\n")
        update({"sessionUpdate": "tool_call", "toolCallId": ESC, "title": "title " + ESC, "kind": "edit",
                "status": "completed", "locations": [{"path": "/tmp/" + ESC}],
                "content": [{"type": "diff", "path": "/tmp/" + ESC, "newText": ESC}]})
        update({"sessionUpdate": "plan", "entries": [{"content": ESC, "priority": "high", "status": "pending"}]})
        update({"sessionUpdate": "session_info_update", "title": ESC})
        update({"sessionUpdate": "something_new", "text": ESC})
    elif KIND == "chunks":
        for i in range(100000):
            say(f"word{i} " + ("\n\n" if i % 50 == 49 else ""))
        say("\n\nthe last word")
    elif KIND == "noise":
        sys.stdout.write("this is no JSON " + ESC + "\n")
        sys.stderr.write("stderr " + ESC + "\n")
        sys.stderr.flush()
        say("still here")
    elif KIND == "gone":
        say("I go")
        sys.stdout.flush()
        sys.stderr.write("my last words\n")
        sys.exit(7)
    elif KIND == "blocks":
        say(json.dumps([block["type"] for block in message["params"]["prompt"]]))
    elif KIND == "form":
        send({"id": "f", "method": "elicitation/create", "params": {
            "sessionId": "s", "mode": "form", "message": "Who are you" + ESC, "requestedSchema": {
                "type": "object", "required": ["name"], "properties": {
                    "name": {"type": "string", "title": "Name"},
                    "colour": {"type": "string", "enum": ["red", "blue"], "default": "blue"}}}}})
        sys.stdout.flush()
        say("form: " + json.dumps(json.loads(sys.stdin.readline())["result"]))
    send({"id": message["id"], "result": {"stopReason": "end_turn"}})


if KIND == "mute":
    sys.stdin.read()
    sys.exit(0)
if KIND == "dead":
    sys.stderr.write("cannot start: no such thing\n")
    sys.exit(3)
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        capabilities = {"promptCapabilities": {"embeddedContext": True}} if KIND == "blocks" else {}
        send({"id": message["id"], "result": {"protocolVersion": 1, "agentCapabilities": capabilities,
                                              "agentInfo": {"name": "hostile " + ESC, "version": "1"}}})
    elif message.get("method") == "session/new":
        send({"id": message["id"], "result": {"sessionId": "s"}})
    elif message.get("method") == "session/prompt":
        prompt(message)
    elif "id" in message and "method" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "no"}})
    sys.stdout.flush()
