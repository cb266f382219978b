"""An agent that does one thing: scripted_agent.py WHAT DETAIL

error DATA         answers the prompt with -32603 and this JSON as its data
limited SECONDS    answers the first prompt with -32001 and this retryAfter
permission ID      asks for a permission in the session of this id, and says what was answered
question ID        asks the user for a word, likewise
audience -         says something to people and something to models
works -            begins a tool call that ends, as failed, when the turn is cancelled
"""

import json
import sys

WHAT, DETAIL = sys.argv[1:3]
prompts = 0


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(which, **more):
    send(method="session/update", params={"sessionId": "s", "update": {"sessionUpdate": which, **more}})


def text_for(text, *audience):
    return {"type": "text", "text": text, "annotations": {"audience": audience}}


def say(text):
    update("agent_message_chunk", content={"type": "text", "text": text})


def speak_to_all():
    update("agent_message_chunk", content=text_for("hidden words", "assistant"))
    update("agent_message_chunk", content=text_for("for all", "assistant", "user"))
    given = [{"type": "content", "content": text_for(*words)}
             for words in (("hidden result", "assistant"), ("shown to you", "user"))]
    update("tool_call", toolCallId="c", title="Look", kind="read", status="completed", content=given)


def work():
    """Until the turn is cancelled."""
    update("tool_call", toolCallId="d", title="Done before", kind="read", status="completed")
    update("tool_call", toolCallId="c", title="Build it", kind="execute", status="in_progress")
    for line in sys.stdin:
        if json.loads(line).get("method") == "session/cancel":
            break
    given = [{"type": "content", "content": {"type": "text", "text": "half built"}}]
    update("tool_call_update", toolCallId="c", status="failed", content=given)
    say("stopped")


def ask_permission():
    options = [{"optionId": "yes", "name": "Allow once", "kind": "allow_once"}]
    call = {"toolCallId": "c", "title": "Delete it", "kind": "delete"}
    return ask("session/request_permission", toolCall=call, options=options)


def ask_question():
    form = {"type": "object", "properties": {"word": {"type": "string"}}}
    return ask("elicitation/create", mode="form", message="Which word?", requestedSchema=form)


def ask(method, **params):
    send(id="p", method=method, params={"sessionId": DETAIL, **params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") != "p":
            continue
        error = message.get("error")
        return "%d %s" % (error["code"], error["message"]) if error else json.dumps(message["result"])


for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    if number is None:
        continue
    if method == "initialize":
        send(id=number, result={"protocolVersion": 1, "agentCapabilities": {}})
    elif method == "session/new":
        send(id=number, result={"sessionId": "s"})
    elif method == "session/prompt":
        prompts += 1
        if WHAT == "error":
            send(id=number, error={"code": -32603, "message": "Internal error", "data": json.loads(DETAIL)})
            continue
        if WHAT == "limited" and prompts == 1:
            send(id=number, error={"code": -32001, "message": "Slow down", "data": {"retryAfter": float(DETAIL)}})
            continue
        if WHAT == "audience":
            speak_to_all()
        elif WHAT == "works":
            work()
        elif WHAT == "permission":
            say(ask_permission())
        elif WHAT == "question":
            say(ask_question())
        else:
            say("prompt %d" % prompts)
        send(id=number, result={"stopReason": "cancelled" if WHAT == "works" else "end_turn"})
    else:
        send(id=number, error={"code": -32601, "message": "no"})
