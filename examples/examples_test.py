#!/usr/bin/env python3
"""examples_test.py FOLDER: the examples do what they say, with each other."""

import json
import os
import pty
import select
import subprocess
import sys
import tempfile
from pathlib import Path

folder = Path(sys.argv[1]).resolve()
source = Path(__file__).resolve().parent


def run(*words, **more):
    done = subprocess.run([str(folder / words[0]), *map(str, words[1:])], capture_output=True, text=True, timeout=120, **more)
    assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def lines(name):
    """Lines of code: neither blank nor a comment."""
    text = (source / name).read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line.strip() and not line.strip().startswith("//")]


def whole(name):
    return len((source / name).read_text(encoding="utf-8").splitlines())


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *words):
        self.own, theirs = pty.openpty()
        self.process = subprocess.Popen([str(word) for word in words], stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.seen = ""

    def screen(self):
        return self.seen.rsplit("\x1b[H\x1b[J", 1)[-1]

    def read(self):
        """False at the program's end."""
        assert select.select([self.own], [], [], 120)[0], self.seen
        try:
            piece = os.read(self.own, 65536)
        except OSError:
            return False
        self.seen += piece.decode(errors="replace")
        return piece != b""

    def read_until(self, *wanted):
        while not all(word in self.screen() for word in wanted):
            assert self.read(), (wanted, self.seen)

    def type(self, text):
        os.write(self.own, text.encode())

    def last_screen(self):
        while self.read():
            pass
        os.close(self.own)
        assert self.process.wait(120) == 0, self.seen
        return self.screen()


class Agent:
    """An agent, for requests in JSON."""

    def __init__(self, *words):
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("initialize", protocolVersion=1)

    def ask(self, method, **params):
        print(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}), file=self.process.stdin,
              flush=True)
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == method:
                return message["result"]
        raise AssertionError(f"no answer to {method}")

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(120) == 0


# The five programs that a user wrote for the library as it was; with it they are shorter.
for name, before in (("notebook_agent", 230), ("draw_loop", 129), ("policy_proxy", 137), ("many_agents", 103),
                     ("plain_agent", 88)):
    assert whole(name + ".cc") < before, (name, whole(name + ".cc"), before)
assert len(lines("hello_agent.cc")) <= 15, "hello_agent has grown"
assert len(lines("hello_client.cc")) <= 20, "hello_client has grown"
assert run("hello_client", "you there", folder / "hello_agent") == "Hello, you there\n"
assert run("hello_client", "Grüße, 世界 🙂", folder / "echo_agent") == "Grüße, 世界 🙂\n"
for word in ("newline", "auto"):
    assert run("hello_client", "hi", folder / "echo_agent", "--framing", word) == "hi\n"
assert run("poll_loop", "polled", folder / "echo_agent") == "polled\n"
assert run("draw_loop", "drawn", folder / "echo_agent") == "> drawn\ndrawn\n"
for key, verdict in (("1", "allowed allow_once"), ("3", "rejected reject_once"), ("9", "rejected reject_once")):
    drawn = Terminal(folder / "draw_loop", "permission", folder / "echo_agent")
    drawn.read_until("> permission", "[pending] Deleting", "Deleting?", "1) Allow once", "3) Reject")
    drawn.type(key + "\n")
    last = drawn.last_screen()
    assert "> permission" in last and verdict in last and "Deleting?" not in last, drawn.seen
assert run("many_agents", 20, 100, "hi", folder / "hello_agent") == "answered: Hello, hi\n" * 20
assert run("many_agents", 2, 100, "hi", "/nowhere").count("failed: ") == 2
bad = subprocess.run([folder / "many_agents", "x", "1", "hi", "/nowhere"], capture_output=True, text=True, timeout=60)
assert bad.returncode == 2 and "COUNT" in bad.stderr, bad
assert run("many_agents", 3, 1, "wait", folder / "echo_agent") == "failed: the turn did not end within 1000 ms\n" * 3
assert run("hello_client", "hi", folder / "policy_proxy", "make", folder / "hello_agent") == "Hello, hi\n"
assert run("extension_methods") == "2 + 3 = 5\nIt is noon\n"
if (folder / "mcp_tools").exists():
    server = source.parent / "acp/mcp/testing/hostile_server.py"
    assert run("mcp_tools", "python3", server, "plain") == "work\n"
if (folder / "uv_loop").exists():
    assert run("hello_client", "hi", folder / "uv_loop") == "from libuv's loop: hi\n"

bad = subprocess.run([folder / "echo_agent", "--framing", "morse"], capture_output=True, text=True, timeout=60)
assert bad.returncode == 2 and "morse" in bad.stderr, bad

# One program for both versions of the protocol.
for version in ("1", "2"):
    environment = {**os.environ, "ACP_V2": "1" if version == "2" else "0"}
    with tempfile.TemporaryDirectory() as place:
        def told(words):
            return run("workspace_client", words, folder / "worker_agent", cwd=place, env=environment)

        assert "written" in told("write a.txt one two"), version
        assert Path(place, "a.txt").read_text() == "one two", version
        assert "one two" in told("read a.txt"), version
        assert "failed: " in told("read ../outside.txt"), version
        assert "exit code 3" in told("run cp a.txt b.txt; exit 3"), version
        assert Path(place, "b.txt").read_text() == "one two", version
        assert "watching" in told("watch cp a.txt c.txt"), version

with tempfile.TemporaryDirectory() as place:
    file = Path(place, "notes.txt")
    Path(place, "Makefile").write_text("test:\n\t@echo tested\n")
    file.write_text("a TODO\n")
    said = run("workspace_client", file, folder / "plain_agent", cwd=place, input="1\n")
    assert f"{file} has 1 lines." in said, said
    said = run("workspace_client", file, folder / "tools_agent", cwd=place, input="3\n")
    assert "nothing was changed" in said and file.read_text() == "a TODO\n", said
    said = run("workspace_client", file, folder / "tools_agent", cwd=place, input="1\n")
    assert "Done." in said and "[make test]" in said and file.read_text() == "a DONE\n", said
    notes = Path(place, "list.txt")
    notebook = [folder / "notebook_agent", Path(place, "sessions")]
    said = run("workspace_client", "add list.txt buy milk", *notebook, cwd=place, input="3\n")
    assert "Nothing was written." in said and not notes.exists(), said
    said = run("workspace_client", "add list.txt buy milk", *notebook, cwd=place, input="1\n")
    assert "Written." in said and notes.read_text() == "buy milk\n", said
    said = run("workspace_client", "find list.txt milk", *notebook, cwd=place)
    assert "buy milk" in said, said
    assert len(list(Path(place, "sessions").iterdir())) == 3
    # What a session was set to is there when it is loaded.
    agent = Agent(*notebook)
    session = agent.ask("session/new", cwd=place, mcpServers=[])["sessionId"]
    agent.ask("session/set_mode", sessionId=session, modeId="auto")
    agent.ask("session/set_config_option", sessionId=session, configId="style", value="long")
    agent.end()
    agent = Agent(*notebook)
    loaded = agent.ask("session/load", sessionId=session, cwd=place, mcpServers=[])
    agent.end()
    assert loaded["modes"]["currentModeId"] == "auto", loaded
    assert loaded["configOptions"][0]["currentValue"] == "long", loaded
    # The same, with a proxy between them that does not let make run, or does.
    for allowed, outcome in (("ls", "the policy does not allow this command"), ("ls,make", "Done.")):
        file.write_text("a TODO\n")
        said = run("workspace_client", file, folder / "policy_proxy", allowed, folder / "tools_agent", cwd=place, input="1\n")
        assert outcome in said, (allowed, said)
print("the examples work")
