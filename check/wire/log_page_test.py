#!/usr/bin/env python3
"""log_page_test.py ACP: the page of `acp log --html` in headless Chromium: search, folding, no errors in
the console, and nothing of the wire that runs. With --picture FILE it also takes a picture."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import base64

ACP = os.path.abspath(sys.argv[1])
PICTURE = sys.argv[3] if len(sys.argv) > 3 and sys.argv[2] == "--picture" else None


SESSION = "sess_0199b7a2c8f04e1d00001"
LONG_CALL = "toolu_01A09q90qw90lq917835lqJ7x9Qz"


def frame(number, time_ms, sender, message):
    return {"n": number, "time": time_ms * 1_000_000, "from": sender, "frame": {"jsonrpc": "2.0", **message}}


def update(**fields):
    return {"method": "session/update", "params": {"sessionId": SESSION, "update": fields}}


def text(kind, words):
    return update(sessionUpdate=kind, content={"type": "text", "text": words})


HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"


def recording():
    options = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"},
               {"optionId": "no", "name": "Reject", "kind": "reject_once"}]
    tool = {"toolCallId": LONG_CALL, "title": "Edit config.json"}
    said = [
        (0, "client", {"id": 0, "method": "initialize", "params": {"protocolVersion": 1}}),
        (12, "agent", {"id": 0, "result": {"protocolVersion": 1}}),
        (13, "client", {"id": 1, "method": "session/new", "params": {"cwd": "/home/me/project", "mcpServers": []}}),
        (21, "agent", {"id": 1, "result": {"sessionId": SESSION}}),
        (1400, "client", {"id": 2, "method": "session/prompt", "params": {"sessionId": SESSION, "prompt": [
            {"type": "text", "text": "Turn the cache on"}]}}),
        (1600, "agent", text("agent_thought_chunk", "The setting is in config.json.")),
        (1900, "agent", text("agent_message_chunk", "I will change ")),
        (1950, "agent", text("agent_message_chunk", "`config.json`.")),
        (2000, "agent", update(sessionUpdate="tool_call", kind="edit", status="pending", **tool)),
        (2010, "agent", {"id": 5, "method": "session/request_permission", "params": {
            "sessionId": SESSION, "toolCall": tool, "options": options}}),
        (4100, "client", {"id": 5, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}),
        (4150, "agent", update(sessionUpdate="tool_call_update", toolCallId=LONG_CALL, status="in_progress")),
        (4300, "agent", update(sessionUpdate="tool_call_update", toolCallId=LONG_CALL, status="completed")),
        (4400, "agent", text("agent_message_chunk", "Done.")),
        (4420, "agent", {"id": 2, "result": {"stopReason": "end_turn"}}),
        (4600, "agent", text("agent_message_chunk", "Ah, and one more thing" + ("" if PICTURE else HOSTILE))),
        (6000, "client", {"id": 3, "method": "session/prompt", "params": {"sessionId": SESSION, "prompt": [
            {"type": "text", "text": "Thank you"}]}}),
        (6200, "agent", text("agent_message_chunk", "You are welcome.")),
        (6300, "agent", {"id": 3, "result": {"stopReason": "end_turn"}}),
    ]
    lines = [{"recording": 1, "time": 0, "program": "acp 0.1.0", "command": ["my-agent", "--acp"], "masked": True}]
    for number, (time_ms, sender, message) in enumerate(said):
        lines.append(frame(number, time_ms, sender, message))
        if number == 15:
            lines.append({"time": 4_600_000_000, "violation": "A-ORDER-4", "level": "should", "from": "agent",
                          "frame": 15, "message": "agent_message_chunk while no prompt is open"})
    lines.append({"time": 6_400_000_000, "end": "the agent exited with code 0"})
    return "".join(json.dumps(line) + "\n" for line in lines)


class Browser:
    """The WebDriver protocol, as far as it is needed."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "HOME": folder})
        end = time.monotonic() + 60
        while True:
            try:
                self.call("GET", "/status")
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                     "--disable-component-update", "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile",
                     "--window-size=1100,1000"]
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments}}}})
        self.base += f"/session/{answer['sessionId']}"

    def call(self, verb, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=verb)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(60)


VISIBLE = "return [...document.querySelectorAll('.row')].filter((row) => !row.hidden).map((row) => row.innerText)"
TYPE = """const box = document.getElementById('search'); box.value = arguments[0];
box.dispatchEvent(new Event('input'));"""


def check(browser):
    def visible():
        return browser.run(VISIBLE)

    def expect(condition, what):
        if not condition:
            raise SystemExit(f"FAILED {what}: {visible()}")

    everything = visible()
    expect(len(everything) == 13, "every entry has a row")
    expect(any("I will change `config.json`." in row for row in everything), "chunks are joined")
    tool = next((row for row in everything if "pending → in_progress → completed" in row), "")
    expect(tool.split("\n")[1:2] == ["Edit config.json"], "a tool call is one row, its title first")
    expect("tool call …J7x9Qz" in tool and LONG_CALL not in tool, "and its id is short")
    expect(any("session/new #1" in row and "= …d00001 " in row for row in everything), "a session's id is short")
    expect(browser.run("return document.querySelector('.tool .outcome').title") == LONG_CALL, "the whole id is a tooltip")
    expect(browser.run("return document.querySelector('h1').innerText").startswith("my-agent --acp"), "the command first")
    expect(browser.run("return document.title").startswith("/"), "the file first")
    browser.run(TYPE, LONG_CALL)
    expect(len(visible()) == 2, "the search finds the whole id")
    browser.run(TYPE, "")
    expect(any("session/request_permission" in row and "selected yes (2.09 s)" in row for row in everything),
           "pairs have their time")

    browser.run(TYPE, "THANK YOU")
    expect(len(visible()) == 1 and "Thank you" in visible()[0], "the search finds words")
    browser.run(TYPE, "allow_once")
    expect(len(visible()) == 1 and "request_permission" in visible()[0], "the search looks into frames")
    browser.run(TYPE, "")
    expect(visible() == everything, "an empty search shows all")

    browser.run("document.querySelector('.fold').click()")
    expect(len(visible()) == len(everything) - 5, "one turn is folded")
    browser.run("document.querySelector('.fold').click()")
    expect(visible() == everything, "and unfolded")
    browser.run("document.getElementById('fold').click()")
    expect(len(visible()) == len(everything) - 6, "all turns are folded")
    browser.run("document.getElementById('fold').click()")

    browser.run("document.getElementById('broken').click()")
    expect(len(visible()) == 2 and any("A-ORDER-4" in row for row in visible()), "violations only")
    browser.run("document.getElementById('broken').click()")

    browser.run("document.querySelector('.lane').click()")
    expect("\"protocolVersion\": 1" in visible()[0], "a click shows the frames")
    browser.run("document.querySelector('.lane').click()")

    expect(browser.run("return window.hacked ?? 0") == 0, "nothing of the wire runs")
    expect(browser.run("return document.querySelectorAll('img').length") == 0, "nor is it markup")
    logged = browser.call("POST", "/se/log", {"type": "browser"})
    expect(logged == [], f"no errors in the console, but {logged}")
    print(f"{len(everything)} rows: search, folding, frames; nothing in the console")


with tempfile.TemporaryDirectory() as folder:
    wire, page = os.path.join(folder, "wire.jsonl"), os.path.join(folder, "page.html")
    pathlib.Path(wire).write_text(recording(), encoding="utf-8")
    subprocess.run([ACP, "log", wire, "--html", page], check=True, timeout=60)
    browser = Browser(folder)
    try:
        browser.call("POST", "/url", {"url": pathlib.Path(page).as_uri()})
        check(browser)
        if PICTURE:
            pathlib.Path(PICTURE).write_bytes(base64.b64decode(browser.call("GET", "/screenshot")))
    finally:
        browser.close()
