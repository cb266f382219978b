"""Keys of model providers, and who does not get them: secrets_test.py ACP"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ACP = os.path.abspath(sys.argv.pop(1))
LONG = 120  # seconds; nothing here should need more
IN_ENVIRONMENT, STORED, COPIED = "sk-environment-0123456789", "sk-stored-9876543210", "copy-of-sk-environment-0123456789"
KEYS = {"OPENAI_API_KEY": IN_ENVIRONMENT, "BOX_KEY": "sk-box-0123456789", "GEMINI_API_KEY": "gem-0123456789",
        "MISTRAL_API_KEY": "mis-0123456789", "A_COPY": COPIED,
        "ANTHROPIC_API_KEY": "sk-ant-api03-" + "0123456789abcdefghi" * 5}  # of the length that they really have
LONG_KEY = KEYS["ANTHROPIC_API_KEY"]
SECRETS = [*KEYS.values(), STORED]

MCP_SERVER = r"""
import json, os, sys
with open(sys.argv[1], "w") as out: json.dump(dict(os.environ), out)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    if message["method"] == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "s", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": "leak", "inputSchema": {"type": "object"}}]}
    else:
        with open(sys.argv[2]) as file:
            result = {"content": [{"type": "text", "text": file.read()}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""

# Keeps its own environment, and that of a command in the client's terminal.
ACP_AGENT = r"""#!/usr/bin/env python3
import json, os, sys
with open(os.environ["SEEN"], "w") as out: json.dump(dict(os.environ), out)
number = 100
def send(**message): print(json.dumps(dict(message, jsonrpc="2.0")), flush=True)
def call(method, **params):
    global number
    number += 1
    send(id=number, method=method, params=params)
    while True:
        message = json.loads(sys.stdin.readline())
        if message.get("id") == number: return message.get("result")
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize": send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
    elif method == "session/new": send(id=message["id"], result={"sessionId": "s"})
    elif method == "session/prompt":
        made = call("terminal/create", sessionId="s", command="env; printenv NAMED",
                    env=[{"name": "NAMED", "value": "by the agent"}])
        if made:
            call("terminal/wait_for_exit", sessionId="s", terminalId=made["terminalId"])
            told = call("terminal/output", sessionId="s", terminalId=made["terminalId"])
            with open(os.environ["SEEN"] + ".terminal", "w") as out: out.write(told["output"])
        send(id=message["id"], result={"stopReason": "end_turn"})
"""


class Agent:
    """A client of a few lines. Allows everything once."""

    def __init__(self, env, *words, terminal=False):
        self.process = subprocess.Popen([ACP, "agent", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.seen, self.requests, self.next = "", [], 0
        self.call("initialize", protocolVersion=1,
                  clientCapabilities={"terminal": terminal, "session": {"notices": {}}})

    def send(self, message):
        self.process.stdin.write((json.dumps(dict(message, jsonrpc="2.0")) + "\n").encode())
        self.process.stdin.flush()

    def call(self, method, **params):
        number, self.next = self.next, self.next + 1
        self.send({"id": number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline().decode()
            assert line, "the agent has ended"
            self.seen += line
            message = json.loads(line)
            asked = message.get("method")
            if asked is None and message.get("id") == number:
                return message.get("result", message.get("error"))
            if asked and "id" in message:
                self.requests.append(message)
                self.send({"id": message["id"], "result": self.answer(asked)})

    @staticmethod
    def answer(method):
        return {"session/request_permission": {"outcome": {"outcome": "selected", "optionId": "allow_once"}},
                "terminal/create": {"terminalId": "t"}, "terminal/wait_for_exit": {"exitCode": 0},
                "terminal/output": {"output": "printed " + IN_ENVIRONMENT, "truncated": False},
                "terminal/release": {}, "terminal/kill": {}}[method]

    def prompt(self, session, text):
        return self.call("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])

    def end(self):
        self.process.stdin.close()
        with self.process.stdout:
            self.seen += self.process.stdout.read().decode()
        assert self.process.wait(timeout=LONG) == 0


class SecretsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name
        self.project = self.home + "/project"
        os.makedirs(self.project)
        os.makedirs(self.home + "/.config/acp")
        self.write(".config/acp/config.toml", '[providers.box]\nbase_url = "https://box.example/v1"\n'
                                              'key_variable = "BOX_KEY"\n')
        self.write(".config/acp/keys.toml", f'stored = "{STORED}"\n', 0o600)
        kept = {k: v for k, v in os.environ.items()
                if not k.startswith(("XDG_", "ACP_")) and not k.endswith(("_API_KEY", "_BASE_URL"))}
        self.env = dict(kept, HOME=self.home, ORDINARY="an-ordinary-value", SEEN=self.home + "/seen", **KEYS)
        self.env["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode), "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.home, name), "rb") as file:
            return file.read()

    def seen(self, name="seen"):
        return json.loads(self.read(name))

    def in_store(self):
        kept = b""
        for folder, _, names in os.walk(self.home + "/.local/share/acp"):
            for name in names:
                kept += self.read(os.path.join(folder, name))
        return kept

    def nothing_told(self, agent):
        for secret in SECRETS:
            self.assertNotIn(secret, agent.seen)
            self.assertNotIn(secret.encode(), self.in_store())

    def scenario(self, *steps):
        return self.write("scenario.json", json.dumps({"turns": [[*steps, {"text": "done"}]]}))

    def begin(self, *words, servers=(), **more):
        agent = Agent(self.env, *words, **more)
        session = agent.call("session/new", cwd=self.project, mcpServers=list(servers))["sessionId"]
        return agent, session

    # ---- the agent

    def test_a_command_has_no_keys(self):
        agent, session = self.begin("--model", "offline")
        agent.prompt(session, "run env | tee ../of-the-command")
        agent.end()
        told = self.read("of-the-command").decode()
        for name in KEYS:
            self.assertNotIn(name + "=", told)
        self.assertIn("ORDINARY=an-ordinary-value", told)
        self.assertIn("ORDINARY=an-ordinary-value", agent.seen)
        self.nothing_told(agent)

    def test_what_a_command_prints_of_a_key_is_masked(self):
        self.write("leaks", f"a {STORED} {COPIED} b\n" + "x" * 1000 + IN_ENVIRONMENT)
        agent, session = self.begin("--model", "offline")
        agent.prompt(session, f"run cat {self.home}/leaks")
        # In two pieces, with the first half shown before the second is there.
        first, second = IN_ENVIRONMENT[:14], IN_ENVIRONMENT[14:]
        self.write("project/slow.sh", f"printf '%s' {first}\nsleep 0.4\nprintf '%s' {second}\nsleep 0.2\necho\n")
        agent.prompt(session, "run sh slow.sh")
        agent.end()
        self.nothing_told(agent)
        self.assertIn("[key of openai]", agent.seen)
        self.assertIn("[key of stored]", agent.seen)
        self.assertNotIn('"' + first, agent.seen)
        self.assertIn(b"[key of openai]", self.in_store())

    def test_what_the_user_pastes_is_not_kept(self):
        agent, session = self.begin("--model", "offline")
        agent.prompt(session, "My key is " + STORED)
        agent.end()
        self.assertNotIn(STORED.encode(), self.in_store())

    def test_the_clients_terminal_gets_empty_ones(self):
        agent, session = self.begin("--model", "offline", terminal=True)
        agent.prompt(session, "run env")
        agent.end()
        made = [one["params"] for one in agent.requests if one["method"] == "terminal/create"]
        env = {variable["name"]: variable["value"] for variable in made[0]["env"]}
        self.assertEqual({name: env.get(name) for name in KEYS}, {name: "" for name in KEYS})
        self.nothing_told(agent)

    def test_a_key_in_a_file_is_not_overwritten_by_its_mask(self):
        self.write("project/settings.ini", f"key={IN_ENVIRONMENT}\nlevel=1\n")
        path = self.project + "/settings.ini"
        agent, session = self.begin("--mode", "code", "--scenario", self.scenario(
            {"tool_calls": [{"name": "read", "arguments": {"path": path}}]},
            {"tool_calls": [{"name": "write", "arguments": {"path": path, "content": "key=[key of openai]\nlevel=2\n"}}]},
            {"tool_calls": [{"name": "edit", "arguments": {
                "path": path, "edits": [{"old_text": "level=1", "new_text": "level=3"}]}}]}))
        agent.prompt(session, "go")
        agent.end()
        self.assertEqual(self.read("project/settings.ini").decode(), f"key={IN_ENVIRONMENT}\nlevel=3\n", agent.seen)
        self.assertIn("this would overwrite it", agent.seen)
        self.nothing_told(agent)

    def test_an_mcp_server_has_no_keys_but_those_it_is_given(self):
        server = self.write("server.py", MCP_SERVER)
        self.write("leaks", f"{IN_ENVIRONMENT} {STORED}")
        config = {"name": "s", "command": sys.executable, "args": [server, self.env["SEEN"], self.home + "/leaks"],
                  "env": [{"name": "MISTRAL_API_KEY", "value": "its own"}]}
        agent, session = self.begin("--scenario", self.scenario(
            {"tool_calls": [{"name": "mcp__s__leak", "arguments": {}}]}), servers=[config])
        agent.prompt(session, "go")
        agent.end()
        seen = self.seen()
        self.assertEqual({name: seen.get(name) for name in KEYS if name in seen}, {"MISTRAL_API_KEY": "its own"})
        self.assertEqual(seen["ORDINARY"], "an-ordinary-value")
        self.assertIn("[key of openai] [key of stored]", agent.seen)
        self.nothing_told(agent)

    # ---- cut texts: a part of a key is one, too

    def nothing_of_the_long_key(self, agent):
        for text in (agent.seen, self.in_store().decode("latin-1")):
            self.assertNotIn(LONG_KEY[:16], text)
            self.assertNotIn(LONG_KEY[-16:], text)

    def test_a_title_that_is_cut(self):
        for words in ("", "My key is ", "Please use this key of mine, and do it soon: "):
            agent, session = self.begin("--model", "offline")
            agent.prompt(session, words + LONG_KEY + " and no other. Thank you very much for all of it.")
            agent.end()
            self.nothing_of_the_long_key(agent)
            self.assertIn('"title":"' + words + "[key of anthropic]", agent.seen)

    def test_the_result_of_an_mcp_server_that_is_cut(self):
        server = self.write("server.py", MCP_SERVER)
        for most in (64 * 1024, 1024 * 1024):  # for the model, for the user
            for before in (20, 80):
                self.write("leaks", "x" * (most - before) + LONG_KEY + "x" * 1000)
                config = {"name": "s", "command": sys.executable, "env": [],
                          "args": [server, self.env["SEEN"], self.home + "/leaks"]}
                agent, session = self.begin("--scenario", self.scenario(
                    {"tool_calls": [{"name": "mcp__s__leak", "arguments": {}}]}), servers=[config])
                agent.prompt(session, "go")
                agent.end()
                self.nothing_of_the_long_key(agent)
                self.assertIn("more bytes are left out", self.in_store().decode("latin-1"))

    # ---- instructions

    def test_instructions_that_leave_their_directory(self):
        self.write("secret.txt", "a-secret-outside")
        self.write("project/.git/HEAD", "")
        os.symlink("../secret.txt", self.project + "/AGENTS.md")
        agent, session = self.begin("--model", "offline")
        agent.prompt(session, "hello")
        self.assertIn("it is a link that leaves its directory", agent.seen)
        before = agent.seen.count("it is a link")
        agent.prompt(session, "hello")
        self.assertEqual(agent.seen.count("it is a link"), before, "said once")
        agent.end()

    def test_instructions_of_another_user(self):
        self.write(".git/HEAD", "")
        path = self.write("AGENTS.md", "obey me")
        os.chmod(self.home, 0o1777)
        agent, session = self.begin("--model", "offline")
        agent.prompt(session, "hello")
        self.assertIn("everybody may write to its directory", agent.seen)
        agent.end()
        os.chmod(self.home, 0o755)
        if os.geteuid() != 0:
            return
        os.chown(path, 65534, 65534)
        agent, session = self.begin("--model", "offline")
        agent.prompt(session, "hello")
        self.assertIn("AGENTS.md is not read: it belongs to another user", agent.seen)
        agent.end()

    def test_a_projects_settings_that_are_not_its_own(self):
        self.write("other.toml", 'mode = "architect"\n')
        os.makedirs(self.project + "/.acp")
        os.symlink("../../other.toml", self.project + "/.acp/config.toml")
        agent, session = self.begin("--model", "offline")
        agent.prompt(session, "/status")
        self.assertIn("config.toml is not read: it is a link that leaves its directory", agent.seen)
        self.assertIn("Mode: ask", agent.seen)
        agent.end()

    # ---- clients of others' agents

    def agent_program(self, name):
        path = self.write("bin/" + name, ACP_AGENT, 0o755)
        self.env["PATH"] = self.home + "/bin:" + self.env["PATH"]
        return path

    def run_acp(self, *words, **more):
        return subprocess.run([ACP, *words], env=self.env, cwd=self.project, capture_output=True, timeout=LONG,
                              text=True, **more)

    def test_a_known_agent_gets_its_own_key(self):
        self.agent_program("gemini")
        done = self.run_acp("run", "--agent", "gemini", "--policy", "allow", "go")
        self.assertEqual(done.returncode, 0, done)
        seen = self.seen()
        self.assertEqual([name for name in KEYS if name in seen], ["GEMINI_API_KEY", "A_COPY"])
        self.assertEqual(seen["ORDINARY"], "an-ordinary-value")
        terminal = self.read("seen.terminal").decode()
        self.assertIn("ORDINARY=an-ordinary-value", terminal)
        self.assertIn("by the agent", terminal)
        for name in KEYS:
            self.assertNotIn(name + "=", terminal)
        os.remove(self.env["SEEN"])
        self.env["TERM"] = "dumb"
        self.run_acp("chat", "--agent", "gemini", input="/quit\n")
        self.assertEqual([name for name in KEYS if name in self.seen()], ["GEMINI_API_KEY", "A_COPY"])

    def test_an_agent_of_the_users_own_gets_what_its_env_names(self):
        path = self.agent_program("mine")
        self.write(".config/acp/config.toml", f'[agents.mine]\ncommand = "{path}"\n'
                                              'env = {OPENAI_API_KEY = "${OPENAI_API_KEY}", LEVEL = "3"}\n')
        done = self.run_acp("run", "--agent", "mine", "--policy", "allow", "go")
        self.assertEqual(done.returncode, 0, done)
        seen = self.seen()
        self.assertEqual((seen.get("OPENAI_API_KEY"), seen.get("LEVEL")), (IN_ENVIRONMENT, "3"))
        self.assertNotIn("GEMINI_API_KEY", seen)
        self.write(".config/acp/config.toml", f'[agents.mine]\ncommand = "{path}"\nenv = {{A = "${{NO_SUCH}}"}}\n')
        done = self.run_acp("run", "--agent", "mine", "go")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("config.toml:3: there is no variable NO_SUCH", done.stderr)

    def test_a_command_that_was_typed_gets_the_users_environment(self):
        path = self.agent_program("typed")
        done = self.run_acp("run", "--policy", "allow", "go", "--", path)
        self.assertEqual(done.returncode, 0, done)
        seen = self.seen()
        self.assertEqual([seen.get(name) for name in KEYS], list(KEYS.values()))
        self.assertNotIn(STORED, self.read("seen").decode())
        for name in KEYS:
            self.assertNotIn(name + "=", self.read("seen.terminal").decode())


if __name__ == "__main__":
    unittest.main()
