"""An agent and an MCP server with hostile text in every field: hostile_text_peers.py agent|mcp|dies"""

import json
import os
import sys

# The clipboard, colours, a device control string, a bell, an 8-bit CSI, what turns or hides the text.
EVIL = ("a\x1b]52;c;ZXZpbA==\x07\x1b[31;5m\x1bPq\x1b\\\x9b2J\x7f\b\x00\r\u202eb\u2066c\u200bd\u2028e"
        "\U000e0041\x1b]0;title\x07z")


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(**what):
    send(method="session/update", params={"sessionId": "s" + EVIL, "update": what})


def turn():
    text = {"type": "text", "text": EVIL}
    update(sessionUpdate="agent_message_chunk", content=text)
    update(sessionUpdate="agent_thought_chunk", content=text)
    content = [{"type": "content", "content": text},
               {"type": "diff", "path": "/" + EVIL, "oldText": EVIL, "newText": EVIL + "\nmore" + EVIL}]
    update(sessionUpdate="tool_call", toolCallId=EVIL, title=EVIL, name=EVIL, kind="execute", status="completed",
           content=content, locations=[{"path": "/" + EVIL}], rawInput={EVIL: EVIL}, rawOutput={EVIL: EVIL})
    update(sessionUpdate="tool_call", toolCallId="bare", title="bare", rawInput={EVIL: EVIL})
    update(sessionUpdate="plan", entries=[{"content": EVIL, "priority": "high", "status": "in_progress"}])
    update(sessionUpdate="notice", severity="info", title=EVIL, description=EVIL)
    update(sessionUpdate="current_mode_update", currentModeId=EVIL)
    update(sessionUpdate="session_info_update", title=EVIL)
    update(sessionUpdate="available_commands_update", availableCommands=[{"name": EVIL, "description": EVIL}])
    update(sessionUpdate=EVIL, **{EVIL: EVIL})
    update(sessionUpdate="agent_message_chunk", content={"type": "resource_link", "uri": EVIL, "name": EVIL})
    update(sessionUpdate="agent_message_chunk", content={
        "type": "resource", "resource": {"uri": "file:///" + EVIL, "mimeType": EVIL, "text": EVIL}})
    sys.stderr.write(EVIL + "\n")
    sys.stderr.flush()
    sys.stdout.buffer.write(b"no JSON \xff\x9b2J \x1b[31m\n")
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "the last word"})


def ask(method, **params):
    """Passes over what comes before the answer."""
    send(id="q" + EVIL, method=method, params={"sessionId": "s" + EVIL, **params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == "q" + EVIL and "method" not in message:
            return


def questions():
    options = [{"optionId": EVIL + kind, "name": EVIL, "kind": kind} for kind in ("allow_once", "allow_always",
                                                                                  "reject_once")]
    content = [{"type": "diff", "path": os.getcwd() + "/" + EVIL, "oldText": EVIL, "newText": EVIL + "\nmore"}]
    for kind, more in (("execute", {"rawInput": {"command": EVIL, "cwd": EVIL}}), ("edit", {"content": content}),
                       ("fetch", {"rawInput": {"url": "http://x@" + EVIL}}), ("other", {"name": EVIL})):
        ask("session/request_permission", options=options, toolCall={
            "toolCallId": EVIL + kind, "title": EVIL, "kind": kind, "locations": [{"path": "/" + EVIL}], **more})
        update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "answered: %s\n\n" % kind})
    field = {"type": "string", "title": EVIL, "description": EVIL, "enum": [EVIL, "b"], "default": EVIL}
    ask("elicitation/create", mode="form", message=EVIL, requestedSchema={
        "type": "object", "title": EVIL, "properties": {EVIL: field, "c": {"type": "boolean", "title": EVIL}}})
    ask("elicitation/create", mode="url", message=EVIL, url="https://example.org/login", elicitationId=EVIL)
    ask("fs/write_text_file", path=os.getcwd() + "/.acp/" + EVIL.replace("\0", ""), content=EVIL)
    ask("terminal/create", command=EVIL.replace("\0", ""), cwd=os.getcwd())


CONFIG = [{"id": EVIL, "name": EVIL, "description": EVIL, "category": EVIL, "type": "select", "currentValue": EVIL,
           "options": [{"value": EVIL, "name": EVIL, "description": EVIL}]}]


def agent():
    version = 2 if "2" in sys.argv else 1
    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            send(id=number, result={"protocolVersion": version, "agentInfo": {"name": EVIL, "title": EVIL, "version": EVIL},
                                    "agentCapabilities": {"sessionCapabilities": {"list": {}}, EVIL: EVIL},
                                    "authMethods": [{"id": EVIL, "name": EVIL, "description": EVIL}]})
        elif method == "session/new":
            send(id=number, result={"sessionId": "s" + EVIL, "modes": {"currentModeId": EVIL, "availableModes": [
                {"id": EVIL, "name": EVIL, "description": EVIL}]}, "configOptions": CONFIG})
        elif method == "session/list":
            send(id=number, result={"sessions": [{"sessionId": "s" + EVIL, "cwd": os.getcwd(), "title": EVIL}]})
        elif method == "session/prompt":
            if "asks" in sys.argv:
                questions()
            turn()
            send(id=number, result={"stopReason": EVIL if "odd" in sys.argv else "end_turn"})
        elif number is not None and method is not None:
            send(id=number, error={"code": -32000, "message": EVIL, "data": {EVIL: EVIL}})


def mcp():
    text = {"type": "text", "text": EVIL}
    told = {
        "initialize": {"protocolVersion": "2025-06-18", "serverInfo": {"name": EVIL, "title": EVIL, "version": EVIL},
                       "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "logging": {}},
                       "instructions": EVIL},
        "tools/list": {"tools": [{"name": name, "title": EVIL, "description": EVIL, "inputSchema": {
            "type": "object", "properties": {EVIL: {"type": "string"}}}} for name in ("t", EVIL)]},
        "tools/call": {"content": [text, {"type": "resource_link", "uri": EVIL, "name": EVIL},
                                   {"type": "image", "mimeType": EVIL, "data": "AAAA"},
                                   {"type": EVIL, "more": EVIL}], "isError": True},
        "resources/list": {"resources": [{"uri": EVIL, "name": EVIL, "mimeType": EVIL, "description": EVIL}]},
        "resources/templates/list": {"resourceTemplates": [{"uriTemplate": EVIL, "name": EVIL}]},
        "resources/read": {"contents": [{"uri": EVIL, "text": EVIL}]},
        "prompts/list": {"prompts": [{"name": EVIL, "description": EVIL, "arguments": [{"name": EVIL}]}]},
        "prompts/get": {"messages": [{"role": "user", "content": text}]},
    }
    sys.stderr.write(EVIL + "\n")
    sys.stderr.flush()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        send(method="notifications/message", params={"level": "info", "logger": EVIL, "data": EVIL})
        if message["method"] in told and message.get("params", {}).get("name") != EVIL.replace("\0", ""):
            send(id=message["id"], result=told[message["method"]])
        else:
            send(id=message["id"], error={"code": -1, "message": EVIL, "data": EVIL})


if __name__ == "__main__":
    if sys.argv[1] == "dies":
        sys.stderr.buffer.write(EVIL.encode() + b"\xff\x9b\n")
        sys.exit(3)
    {"agent": agent, "mcp": mcp}[sys.argv[1]]()
