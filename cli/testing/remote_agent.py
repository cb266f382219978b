#!/usr/bin/env python3
"""An agent for the tests of acp serve and acp connect. A prompt is a word and what it is about:

say TEXT        says it
env NAME        says what this variable is, or (unset)
where           says the directory that it runs in
family          starts a program that leaves its group and session, says both process ids, and waits
gate FIFO       says "before", waits until somebody has written to this file, says "after"
forever         says "before", and never ends
can             says what the client can do
heard           says what has come without an id
read PATH       asks the client for the file
files           asks the client for three files, one after another
ask             asks the client for permission
directory PATH  begins a tool call at this place, with a link to it

What the file $AGENT_MODE says when it starts:
asks            asks the client for a file before it answers session/resume
busy            does so for s0, and refuses session/resume for s1 once
plain           does not list its sessions, and is confused if it is asked twice
deaf            never answers session/resume
dumb            never answers initialize"""

import json
import os
import subprocess
import sys
import threading

writing = threading.Lock()
answers = {}  # the client's, by the id of the question
came = threading.Condition()
sessions = {}  # cwd by id
client = {}
heard = []
numbers = iter(range(10**6))
mode = ""
if "AGENT_MODE" in os.environ:
    with open(os.environ["AGENT_MODE"], encoding="utf-8") as file:
        mode = file.read()


def send(**message):
    with writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def update(session, **what):
    send(method="session/update", params={"sessionId": session, "update": what})


def say(session, text):
    update(session, sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def ask(method, **params):
    number = f"agent-{next(numbers)}"
    send(id=number, method=method, params=params)
    with came:
        came.wait_for(lambda: number in answers)
        return answers.pop(number)


def prompt(number, session, text):
    word, _, rest = text.partition(" ")
    if word == "say":
        say(session, rest)
    elif word == "env":
        say(session, os.environ.get(rest, "(unset)"))
    elif word == "where":
        say(session, os.getcwd())
    elif word == "can":
        say(session, json.dumps(client["can"]))
    elif word == "family":
        child = subprocess.Popen(["sleep", "1000"], start_new_session=True, stdout=subprocess.DEVNULL)
        say(session, f"{os.getpid()} {child.pid}")
        threading.Event().wait()
    elif word == "gate":
        say(session, "before")
        with open(rest, encoding="utf-8") as gate:
            gate.read()
        say(session, "after")
    elif word == "forever":
        say(session, "before")
        threading.Event().wait()
    elif word == "heard":
        say(session, json.dumps(heard))
    elif word == "read":
        say(session, json.dumps(ask("fs/read_text_file", sessionId=session, path=rest)))
    elif word == "files":
        for path in ("/a", "/b", "/c"):
            say(session, ask("fs/read_text_file", sessionId=session, path=path)["content"])
    elif word == "ask":
        call = {"toolCallId": "c", "title": "Do it"}
        options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
        update(session, sessionUpdate="tool_call", **call)
        answer = ask("session/request_permission", sessionId=session, toolCall=call, options=options)
        say(session, json.dumps(answer))
    elif word == "directory":
        update(session, sessionUpdate="tool_call", toolCallId="d", title="Look", locations=[{"path": rest}],
               content=[{"type": "content", "content": {"type": "resource_link", "name": "x", "uri": f"file://{rest}"}}])
    send(id=number, result={"stopReason": "end_turn"})


def resume_with_a_file(number, session):
    ask("fs/read_text_file", sessionId=session, path="/a")
    send(id=number, result={})


def serve(message):
    method, number, params = message["method"], message.get("id"), message.get("params") or {}
    if number is None:
        heard.append(method)
    if (mode, method) in (("deaf", "session/resume"), ("dumb", "initialize")):
        print("it says nothing to", method, file=sys.stderr, flush=True)
        return
    if (mode, method, params.get("sessionId")) == ("busy", "session/resume", "s1"):
        heard.append("s1")
        if heard.count("s1") == 1:
            send(id=number, error={"code": -32603, "message": "not yet"})
        else:
            print("s1 is resumed", file=sys.stderr, flush=True)
            send(id=number, result={})
    elif mode in ("asks", "busy") and method == "session/resume":
        threading.Thread(target=resume_with_a_file, args=(number, params["sessionId"]), daemon=True).start()
    elif method == "initialize":
        client["can"] = params["clientCapabilities"]
        print("the agent has begun", file=sys.stderr, flush=True)
        capabilities = {"loadSession": True, "sessionCapabilities": {"list": {}, "resume": {}, "fork": {}, "delete": {}}}
        if mode == "plain":
            del capabilities["sessionCapabilities"]["list"]
        send(id=number, result={"protocolVersion": 1, "agentCapabilities": capabilities})
    elif method in ("session/new", "session/fork"):
        session = f"s{len(sessions)}"
        sessions[session] = params["cwd"]
        send(id=number, result={"sessionId": session})
    elif method in ("session/load", "session/resume"):
        sessions[params["sessionId"]] = params["cwd"]
        if method == "session/load":
            say(params["sessionId"], "replayed")
        send(id=number, result={})
    elif (mode, method) == ("plain", "session/list"):
        heard.append(method)
        send(id=number, error={"code": -32601 if heard.count(method) == 1 else -32603, "message": "there are none"})
    elif method == "session/list":
        listed = [{"sessionId": "within", "cwd": os.getcwd()}, {"sessionId": "without", "cwd": "/etc", "title": "hidden"}]
        if "cursor" in params:
            send(id=number, result={"sessions": [{"sessionId": "far", "cwd": "/etc"}, {"sessionId": "near", "cwd": os.getcwd()}]})
        else:
            send(id=number, result={"sessions": listed, "nextCursor": "more"})
    elif method in ("nes/start", "_other/start"):
        send(id=number, result={"sessionId": method})
    elif method == "nes/suggest":
        send(id=number, result={"suggestions": []})
    elif method in ("session/delete", "nes/close"):
        send(id=number, result={})
    elif method == "session/prompt":
        text = params["prompt"][0]["text"]
        threading.Thread(target=prompt, args=(number, params["sessionId"], text), daemon=True).start()
    elif number is not None:
        send(id=number, error={"code": -32601, "message": f"Method not found: {method}"})


for line in sys.stdin:
    message = json.loads(line)
    if "method" in message:
        serve(message)
        continue
    with came:
        answers[message["id"]] = message.get("result", message.get("error"))
        came.notify_all()
os._exit(0)
