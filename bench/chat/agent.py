#!/usr/bin/env python3
"""An agent that streams as fast as it is read. The prompt says what:

  chunks N SHAPE   N chunks of a message: as paragraphs, one paragraph, a list, or a block of code
  updates N        N updates of a long session: messages, thoughts, tool calls with content that changes
  output BYTES     a command in a terminal of the client's that prints so much, shown by a tool call
"""

import json
import os
import sys


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def line(update):
    return json.dumps({"jsonrpc": "2.0", "method": "session/update",
                       "params": {"sessionId": "s", "update": update}}) + "\n"


def text(kind, words):
    return line({"sessionUpdate": kind, "content": {"type": "text", "text": words}})


def chunks(count, shape):
    def end(i):
        if shape == "paragraphs":
            return "\n\n" if i % 50 == 49 else " "
        if shape == "list":
            return "\n- " if i % 10 == 9 else " "
        if shape == "code":
            return "\n" if i % 10 == 9 else " "
        return " "
    if shape == "code":
        yield text("agent_message_chunk", "```c\n")
    for i in range(count):
        yield text("agent_message_chunk", f"word{i % 1000}" + end(i))
    yield text("agent_message_chunk", "\n```\n\nthe end" if shape == "code" else "\n\nthe end")


def updates(count):
    for i in range(count // 10):
        yield text("agent_thought_chunk", f"I look at number {i}. ")
        for j in range(4):
            yield text("agent_message_chunk", f"Part {j} of number {i}. ")
        call = {"toolCallId": f"call {i}", "title": f"Read number {i}", "kind": "read"}
        yield line({"sessionUpdate": "tool_call", "status": "pending", **call})
        yield line({"sessionUpdate": "tool_call_update", "toolCallId": f"call {i}", "status": "in_progress"})
        for part in range(2):
            yield line({"sessionUpdate": "tool_call_update", "toolCallId": f"call {i}", "content": [
                {"type": "content", "content": {"type": "text", "text": f"line {part} " * 20}}]})
        yield line({"sessionUpdate": "tool_call_update", "toolCallId": f"call {i}", "status": "completed"})
    yield text("agent_message_chunk", "\n\nthe end")


def ask(method, **params):
    send({"id": "q", "method": method, "params": {"sessionId": "s", **params}})
    while True:
        message = json.loads(sys.stdin.readline())
        if message.get("id") == "q":
            return message["result"]


def output(size):
    command = f"i=0; yes 'a line of what a command prints, as long as they are' | head -c {size}"
    made = ask("terminal/create", command=command, cwd=os.getcwd())["terminalId"]
    yield line({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "yes", "kind": "execute",
                "status": "in_progress", "content": [{"type": "terminal", "terminalId": made}]})
    sys.stdout.flush()
    ask("terminal/wait_for_exit", terminalId=made)
    ask("terminal/release", terminalId=made)
    yield line({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"})
    yield text("agent_message_chunk", "the end")


for received in sys.stdin:
    request = json.loads(received)
    method, number = request.get("method"), request.get("id")
    if method == "initialize":
        send({"id": number, "result": {"protocolVersion": 1, "agentCapabilities": {}}})
    elif method == "session/new":
        send({"id": number, "result": {"sessionId": "s"}})
    elif method == "session/prompt":
        what, count, *shape = request["params"]["prompt"][0]["text"].split()
        lines = {"chunks": chunks, "updates": updates, "output": output}[what](int(count), *shape)
        batch = []
        for one in lines:
            batch.append(one)
            if len(batch) == 1000:
                sys.stdout.write("".join(batch))
                batch.clear()
        sys.stdout.write("".join(batch))
        send({"id": number, "result": {"stopReason": "end_turn"}})
    elif number is not None:
        send({"id": number, "error": {"code": -32601, "message": "no"}})
