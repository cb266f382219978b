"""An agent for the tests of acp chat. hostile_agent.py KIND [--login]: what it does when it is prompted."""

import hashlib
import json
import os
import sys
import time

KIND = sys.argv[1]
ESC = "\x1b]0;owned\a\x1b[2J\x1b[31m"


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def update(update):
    send({"method": "session/update", "params": {"sessionId": "s", "update": update}})


def say(text):
    update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})


def ask(method, **params):
    send({"id": "a", "method": method, "params": {"sessionId": "s", **params}})
    sys.stdout.flush()
    while True:
        message = json.loads(sys.stdin.readline())
        if message.get("id") == "a":
            return message.get("result", message.get("error"))


PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
MODELS = [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large", "description": "slow"}]
OPTIONS = [{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small",
            "options": MODELS},
           {"id": "loud", "name": "Loud", "type": "boolean", "currentValue": False}]


def content(**block):
    update({"sessionUpdate": "agent_message_chunk", "content": block})


def media():
    content(type="image", mimeType="image/png", data=PIXEL, uri="https://example.org/pictures/dot.png")
    content(type="audio", mimeType="audio/wav", data="UklGRg==")
    content(type="resource_link", uri="https://example.org/report", name="report", mimeType="text/html", size=12345)
    content(type="resource", resource={"uri": "file:///tmp/../evil" + ESC, "mimeType": "text/plain",
                                       "text": "what the resource says"})
    content(type="resource", resource={"uri": "file:///a.bin", "mimeType": "application/x-odd", "blob": "AAEC"})
    content(type="text", text="secret of the assistant", annotations={"audience": ["assistant"]})


def terminal():
    lines = "i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo line $i; done; exit 3"
    made = ask("terminal/create", command=lines, cwd=os.getcwd())["terminalId"]
    update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Count", "kind": "execute",
            "status": "in_progress", "content": [{"type": "terminal", "terminalId": made}]})
    ask("terminal/wait_for_exit", terminalId=made)
    ask("terminal/release", terminalId=made)
    say("released; " + str(ask("terminal/output", terminalId=made)["code"]))
    ask("session/request_permission", toolCall={"toolCallId": "p", "title": "Go on"},
        options=[{"optionId": "o", "name": "Yes", "kind": "allow_once"}])
    update({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "failed"})


def edits():
    update({"sessionUpdate": "tool_call", "toolCallId": "e", "title": "Edit", "kind": "edit", "status": "completed",
            "content": [{"type": "diff", "path": os.getcwd() + "/told.txt", "oldText": "one\n", "newText": "two\n"}]})
    update({"sessionUpdate": "tool_call", "toolCallId": "f", "title": "Not done", "kind": "edit", "status": "failed",
            "content": [{"type": "diff", "path": os.getcwd() + "/failed.txt", "newText": "x\n"}]})
    ask("fs/write_text_file", path=os.getcwd() + "/written.txt", content="here\n")


def prompt(message):
    if KIND == "media":
        media()
    elif KIND == "terminal":
        terminal()
    elif KIND == "edits":
        edits()
    elif KIND == "url":
        answer = ask("elicitation/create", mode="url", message="Log in" + ESC, url="https://example.org/login",
                     elicitationId="e")
        say("url: " + json.dumps(answer))
    elif KIND == "many calls":
        for i in range(3000):
            update({"sessionUpdate": "tool_call", "toolCallId": f"c{i}", "title": f"Call {i}", "status": "completed",
                    "content": [{"type": "content", "content": {"type": "text", "text": f"of {i}"}}]})
        say("the last word")
    elif KIND == "wide":
        say("漢字 and 👍🏽 and e\u0301 " * 12 + "\n\n")
        update({"sessionUpdate": "tool_call", "toolCallId": "w", "title": "読む " * 40, "kind": "read",
                "status": "completed", "locations": [{"path": "/tmp/" + "字" * 60}]})
        say("| 名 | b |\n| --- | --- |\n| 漢字 | 👍 |\n\nthe last word")
    elif KIND == "escapes":
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
    elif KIND in ("blocks", "all blocks", "no blocks"):
        say(json.dumps([block["type"] for block in message["params"]["prompt"]]))
    elif KIND == "digest":
        text = "".join(block.get("text", "") for block in message["params"]["prompt"])
        say(f"{len(text.encode())} bytes, {hashlib.sha256(text.encode()).hexdigest()[:16]}")
    elif KIND == "form":
        send({"id": "f", "method": "elicitation/create", "params": {
            "sessionId": "s", "mode": "form", "message": "Who are you" + ESC, "requestedSchema": {
                "type": "object", "required": ["name"], "properties": {
                    "name": {"type": "string", "title": "Name"},
                    "colour": {"type": "string", "enum": ["red", "blue"], "default": "blue"}}}}})
        sys.stdout.flush()
        say("form: " + json.dumps(json.loads(sys.stdin.readline())["result"]))
    elif KIND == "ask later":
        sys.stdout.flush()
        while not os.path.exists("more"):
            time.sleep(0.01)
        answer = ask("session/request_permission", toolCall={"toolCallId": "p", "title": "Go on"},
                     options=[{"optionId": "o", "name": "Yes", "kind": "allow_once"}])
        say("asked: " + answer["outcome"]["optionId"])
    elif KIND == "late":
        say("half a sen")
    send({"id": message["id"], "result": {"stopReason": "end_turn"}})
    if KIND == "late":  # what comes after the turn's end, when the test wants it
        sys.stdout.flush()
        while not os.path.exists("more"):
            time.sleep(0.01)
        say("tence")


def new_session(message):
    if KIND == "auth" and not os.path.exists("logged-in"):
        return {"error": {"code": -32000, "message": "log in first"}}
    if KIND == "mcp":
        told = message["params"]["mcpServers"]
        update({"sessionUpdate": "agent_message_chunk", "content": {
            "type": "text", "text": "servers: " + json.dumps(sorted(server["name"] for server in told))}})
    if KIND in ("options", "ask later"):
        return {"result": {"sessionId": "s", "configOptions": OPTIONS}}
    return {"result": {"sessionId": "s"}}


CAPABILITIES = {
    "blocks": {"promptCapabilities": {"embeddedContext": True}},
    "all blocks": {"promptCapabilities": {"embeddedContext": True, "image": True, "audio": True}},
    "logout": {"auth": {"logout": {}}},
    "mcp": {"mcpCapabilities": {"http": True}},
}
if KIND == "auth" and "--login" in sys.argv:
    print("code? ", end="", flush=True)
    code = sys.stdin.readline().strip()
    if not sys.stdout.isatty() or code != os.environ["EXPECTED"]:
        sys.exit(4)
    with open("logged-in", "w"):
        sys.exit(0)
if KIND == "mute":
    sys.stdin.read()
    sys.exit(0)
if KIND == "dead":
    sys.stderr.write("cannot start: no such thing\n")
    sys.exit(3)
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        methods = [{"type": "terminal", "id": "t", "name": "In the terminal", "args": ["--login"],
                    "env": {"EXPECTED": "sesame"}}] if KIND == "auth" else []
        send({"id": message["id"], "result": {"protocolVersion": 1, "agentCapabilities": CAPABILITIES.get(KIND, {}),
                                              "authMethods": methods,
                                              "agentInfo": {"name": "hostile " + ESC, "version": "1"}}})
    elif message.get("method") == "session/new":
        send({"id": message["id"], **new_session(message)})
    elif message.get("method") == "logout":
        send({"id": message["id"], "result": {}})
    elif message.get("method") == "session/set_config_option":
        for option in OPTIONS:
            if option["id"] == message["params"]["configId"]:
                option["currentValue"] = message["params"]["value"]
        send({"id": message["id"], "result": {"configOptions": OPTIONS}})
    elif message.get("method") == "session/prompt":
        prompt(message)
    elif "id" in message and "method" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "no"}})
    sys.stdout.flush()
