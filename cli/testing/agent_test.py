"""acp agent, as one types it and as an editor starts it: agent_test.py ACP"""

import json
import os
import resource
import select
import signal
import stat
import subprocess
import sys
import tempfile

acp = sys.argv[1]
KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ACP_MODEL", "ACP_MODE",
        "ACP_V2")


def environment_in(home, **more):
    # Each of many processes would take seconds to look for leaks.
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    kept = {k: v for k, v in os.environ.items() if k not in KEYS and not k.startswith("XDG_")}
    return dict(kept, HOME=home, ASAN_OPTIONS=options, **more)


def run(home, *words, code=0, said="", more={}):
    done = subprocess.run([acp, "agent", *words], capture_output=True, text=True, input=said,
                          env=environment_in(home, **more), timeout=60)
    assert done.returncode == code, (words, done)
    return done


class Agent:
    """A client of a few lines. Allows everything once."""

    def __init__(self, home, *words, **more):
        self.process = subprocess.Popen([acp, "agent", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment_in(home, **more))
        self.updates = []
        self.next = 0

    def send(self, message):
        self.process.stdin.write((json.dumps(dict(message, jsonrpc="2.0")) + "\n").encode())
        self.process.stdin.flush()

    def call(self, method, **params):
        number, self.next = self.next, self.next + 1
        self.send({"id": number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("method") == "session/update":
                self.updates.append(message["params"]["update"])
            elif message.get("method") == "session/request_permission":
                chosen = {"outcome": "selected", "optionId": "allow_once"}
                self.send({"id": message["id"], "result": {"outcome": chosen}})
            elif message.get("id") == number:
                return message.get("result", message.get("error"))

    def begin(self, cwd):
        told = self.call("initialize", protocolVersion=1, clientCapabilities={})
        session = self.call("session/new", cwd=cwd, mcpServers=[])
        return told, session

    def say(self, session, text):
        self.updates.clear()
        answer = self.call("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])
        said = "".join(u["content"]["text"] for u in self.updates if u["sessionUpdate"] == "agent_message_chunk")
        return answer, said

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        assert self.process.wait(timeout=30) == 0, self.process.returncode
        return rest


# ---- usage
with tempfile.TemporaryDirectory() as home:
    assert "--scenario" in run(home, "--help").stdout
    assert run(home).stdout == ""  # a client that says nothing, and goes
    for words, said in [
        (("--model", "nonsense"), "--model: "),
        (("--model", "nobody/x"), 'there is no provider "nobody", only anthropic, llama-server,'),
        (("--mode", "wild"), '--mode: there is no mode "wild"'),
        (("--framing", "smoke"), "smoke"),
        (("--login", "nobody"), 'there is no provider "nobody"'),
        (("--no-such-option",), "--no-such-option"),
        (("word",), "word"),
    ]:
        done = run(home, *words, code=2)
        assert said in done.stderr and done.stdout == "", done
    assert "cannot read" in run(home, "--scenario", home + "/none", code=1).stderr
    for text, where in [("{", "no JSON"), ("{}", "scenario.turns"), ('{"turns":[[{"txt":"a"}]]}', "turns[0][0].txt"),
                        ('{"turns":[[{"stop":"tired"}]]}', "turns[0][0].stop"),
                        ('{"turns":[[{"error":{"kind":"odd"}}]]}', "turns[0][0].error.kind")]:
        with open(home + "/bad.json", "w") as out:
            out.write(text)
        done = run(home, "--scenario", home + "/bad.json", code=2)
        assert home + "/bad.json: " in done.stderr and where in done.stderr, done

# ---- keys
with tempfile.TemporaryDirectory() as home:
    file = home + "/.config/acp/keys.toml"
    assert "no key was given" in run(home, "--login", "openai", said="\n", code=1).stderr
    done = run(home, "--login", "openai", said="  a-very-secret-key \n")
    assert file in done.stderr and "a-very-secret-key" not in done.stderr + done.stdout, done
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    agent = Agent(home, "--model", "openai/gpt-5")
    told, session = agent.begin(home)
    assert told["authMethods"] and "sessionId" in session, (told, session)
    assert told["agentCapabilities"]["promptCapabilities"]["image"] is True
    agent.end()
    assert "is removed" in run(home, "--logout", "openai").stderr
    assert "there is no stored key" in run(home, "--logout", "openai", code=1).stderr
    agent = Agent(home, "--model", "openai/gpt-5")
    told, session = agent.begin(home)
    assert [method["id"] for method in told["authMethods"]] == ["openai-key"], told
    assert session["code"] == -32000 and "OPENAI_API_KEY" in session["message"], session
    agent.end()

# ---- a scenario, turn by turn
with tempfile.TemporaryDirectory() as home:
    scenario = {"turns": [
        [{"thought": "Hm.", "text": ["I ", "look."], "tool_calls": [{"name": "list", "arguments": {}}]},
         {"text": "That is all.", "usage": {"input_tokens": 10, "output_tokens": 2}}],
        [{"stop": "refusal"}],
        [{"text": "cut", "stop": "max_tokens"}],
        [{"tool_calls": [{"name": "read", "arguments": "{broken"}]}, {"text": "Sorry."}],
    ]}
    with open(home + "/scenario.json", "w") as out:
        json.dump(scenario, out)
    agent = Agent(home, "--scenario", home + "/scenario.json")
    _, session = agent.begin(home)
    answer, said = agent.say(session["sessionId"], "first")
    assert answer["stopReason"] == "end_turn" and said == "I look.That is all.", (answer, said)
    kinds = [update["sessionUpdate"] for update in agent.updates]
    assert kinds.index("agent_thought_chunk") < kinds.index("agent_message_chunk") < kinds.index("tool_call"), kinds
    assert agent.say(session["sessionId"], "second")[0]["stopReason"] == "refusal"
    # What was refused is forgotten, and so the second turn of the scenario is played again.
    assert agent.say(session["sessionId"], "again")[0]["stopReason"] == "refusal"
    agent.end()

# ---- the offline model says what it is, and works; Content-Length is spoken to those who want it
with tempfile.TemporaryDirectory() as home:
    agent = Agent(home, "--model", "offline")
    _, session = agent.begin(home)
    answer, said = agent.say(session["sessionId"], "What is the meaning of it all?")
    assert answer["stopReason"] == "end_turn" and "offline model" in said and "`list [DIRECTORY]`" in said, said
    answer, said = agent.say(session["sessionId"], 'create notes/a.txt with "one; two"; move notes/a.txt to b.txt')
    with open(home + "/b.txt") as file:
        assert file.read() == "one; two\n"
    answer, said = agent.say(session["sessionId"], "show /etc/passwd; delete b.txt")
    assert "Done, but not all of it worked" in said and not os.path.exists(home + "/b.txt"), said
    assert agent.end() == b""
    body = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}})
    done = run(home, "--framing", "content-length", said=f"Content-Length: {len(body)}\r\n\r\n{body}")
    assert done.stdout.startswith("Content-Length: "), done

# ---- settings that are wrong are said with file and line
with tempfile.TemporaryDirectory() as home:
    os.makedirs(home + "/.config/acp")
    with open(home + "/.config/acp/config.toml", "w") as out:
        out.write('model = "offline"\nmode = 3\n')
    done = run(home, code=2)
    assert f"{home}/.config/acp/config.toml:2: " in done.stderr, done
    with open(home + "/.config/acp/config.toml", "w") as out:
        out.write('model = "offline"\n')
    os.makedirs(home + "/project/.acp")
    with open(home + "/project/.acp/config.toml", "w") as out:
        out.write('[providers.openai]\nbase_url = "http://evil.example"\n')
    agent = Agent(home)
    _, session = agent.begin(home + "/project")
    assert session["code"] == -32603 and "/project/.acp/config.toml:" in session["message"], session
    agent.end()

# ---- a file that would pass the user's limit is a failed write, with its reason, and not the agent's end
with tempfile.TemporaryDirectory() as home:
    scenario = {"turns": [
        [{"tool_calls": [{"name": "write", "arguments": {"path": "large.txt", "content": "x" * 3_000_000}}]}, {"text": "Hm."}],
        [{"tool_calls": [{"name": "run", "arguments": {"command": "grep SigIgn /proc/self/status > ignored"}}]},
         {"text": "Done."}],
    ]}
    with open(home + "/scenario.json", "w") as out:
        json.dump(scenario, out)
    agent = Agent(home, "--scenario", home + "/scenario.json")
    _, session = agent.begin(home)
    resource.prlimit(agent.process.pid, resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
    answer, said = agent.say(session["sessionId"], "write")
    assert answer["stopReason"] == "end_turn" and "Hm." in said, (answer, said)
    assert "File too large" in json.dumps(agent.updates), [u for u in agent.updates if len(str(u)) < 1000]
    assert not os.path.exists(home + "/large.txt") and not [n for n in os.listdir(home) if n.endswith(".tmp")]
    # What it starts has the signal's default again.
    answer, said = agent.say(session["sessionId"], "run")
    with open(home + "/ignored") as file:
        assert int(file.read().split()[1], 16) & (1 << (signal.SIGXFSZ - 1)) == 0
    agent.end()

# ---- what a command prints while it runs is shown and not kept: its end is
with tempfile.TemporaryDirectory() as home:
    agent = Agent(home, "--model", "offline")
    _, session = agent.begin(home)
    agent.say(session["sessionId"], "run echo printed")

    def progress():
        return [u for u in agent.updates if u["sessionUpdate"] == "tool_call_update" and "status" not in u
                and "rawInput" not in u]

    assert len(progress()) >= 1 and "printed" in json.dumps(agent.updates), agent.updates
    agent.updates.clear()
    agent.call("session/load", sessionId=session["sessionId"], cwd=home, mcpServers=[])
    assert progress() == [] and "printed" in json.dumps(agent.updates), agent.updates
    agent.end()

# ---- a command that kills its supervisor leaves no daemon, and is not reported as completed
with tempfile.TemporaryDirectory() as home:
    os.mkfifo(home + "/held")  # by the daemon, with an empty environment and a session of its own
    held = os.open(home + "/held", os.O_RDONLY | os.O_NONBLOCK)
    with open(home + "/kill.sh", "w") as out:
        out.write('''(setsid sh -c 'exec 3>held; : >started; exec env -i /bin/sleep 1000 >/dev/null 2>&1 </dev/null' &)
until [ -e started ]; do sleep 0.01; done
kill -9 $PPID
sleep 1000
''')
    agent = Agent(home, "--model", "offline")
    _, session = agent.begin(home)
    agent.say(session["sessionId"], "run exec sh kill.sh")
    ends = [u for u in agent.updates if u["sessionUpdate"] == "tool_call_update" and "rawOutput" in u]
    assert [u["status"] for u in ends] == ["failed"], agent.updates
    assert "the process that watched over it" in json.dumps(ends[0]["content"]), ends
    poll = select.poll()
    poll.register(held, select.POLLIN)
    assert poll.poll(60000) and os.read(held, 1) == b"", "the daemon lives"
    os.close(held)
    # The agent goes on.
    _, said = agent.say(session["sessionId"], "run echo still here")
    assert "Done" in said, said
    agent.end()

# ---- what a killed agent was writing is removed by the next one, and its claim on the session
with tempfile.TemporaryDirectory() as home:
    agent = Agent(home, "--model", "offline")
    agent.begin(home)
    agent.process.kill()
    agent.process.wait()
    claims = home + "/.local/share/acp/sessions.db.d"
    assert [name for name in os.listdir(claims) if name.endswith(".lock")] != []
    left = home + "/.acp-0123456789abcdef.tmp"
    with open(left, "w") as out:
        out.write("half of it")
    agent = Agent(home, "--model", "offline")
    _, session = agent.begin(home)
    assert not os.path.exists(left)
    assert [name for name in os.listdir(claims) if name.endswith(".lock")] == [session["sessionId"] + ".lock"]
    agent.end()

# ---- at a terminal it says what it is for; an editor reads nothing of that
with tempfile.TemporaryDirectory() as home:
    keyboard, terminal = os.openpty()
    agent = subprocess.Popen([acp, "agent", "--model", "offline"], stdin=terminal, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, env=environment_in(home))
    os.write(keyboard, b"\x04")
    out, err = agent.communicate(timeout=60)
    assert agent.returncode == 0 and out == "", (out, err)
    assert "acp chat" in err and "Ctrl-D" in err and err.count("\n") == 1, err
    os.close(keyboard)
    os.close(terminal)
    assert run(home, "--model", "offline").stderr == ""
