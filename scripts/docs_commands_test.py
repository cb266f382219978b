#!/usr/bin/env python3
"""docs_commands_test.py ACP: runs every command line of README.md and docs/ that begins with acp.

In a home of its own, with a scripted model server, agent, client and MCP server in place of real ones. A line that
cannot be run stands in NOT_RUN, with the reason; one that stands there and nowhere else fails the test, too."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import docs_servers

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli" / "testing"))
from own_network import alone  # noqa: E402

ACP = str(Path(sys.argv[1]).resolve())
ROOT = Path(__file__).resolve().parent.parent
SECONDS = 120  # for a line that hangs

NOT_RUN = {
    "acp check client --listen /tmp/agent.sock": "waits for a client that a person starts",
    "acp mcp resources --url http://127.0.0.1:3001/sse --sse": "the older transport; cli_mcp_test has a server for it",
    "acp schema list [--protocol 1|2] [--stable] [--json]": "a synopsis",
    "acp schema show TYPE|METHOD [--protocol 1|2] [--json]": "a synopsis",
    "acp schema check [--protocol 1|2] [--strict] [--roundtrip] [TYPE] [FILE…]": "a synopsis",
    "acp mcp … --": "a part of a line",
    "acp log --html": "a part of a line",
    "acp policy --file FILE": "a part of a line",
    "acp run --policy allow --auth login": "a part of a line",
    "acp tap --log": "a part of a line",
    "acp connect --patience 0.5": "a part of a line",
    "acp check agent --protocol 2 -- my-agent --acp": "the agent of this test speaks version 1",
}
# Where a server of ACP is, on the pages.
SERVERS = re.compile(r"(http|ws)s?://(agents\.example\.org(?::8787)?|host\.example|127\.0\.0\.1:8787)/acp")
# A whole check takes minutes, and has tests of its own: here a few of its requirements do.
# Before initialize was answered, nothing else passes over HTTP: there its requirements wait in vain.
SHORTER = [(re.compile(r"^acp check agent --url"), "acp check agent --only A-SESSION-1 --url"),
           (re.compile(r"^acp check agent (?!--list|--only|--protocol)"), "acp check agent --only A-INIT "),
           (re.compile(r"^acp check agent (?=--protocol 2)"), "acp check agent --only A2-INIT "),
           (re.compile(r"^acp check client (?!--list|--only|--protocol)"), "acp check client --only C-INIT "),
           (re.compile(r"^acp check client (?=--protocol 2)"), "acp check client --only C2-INIT ")]
# The words of the page, and what stands for them here.
WORDS = {"PROVIDER/NAME": "openai/scripted", "PROVIDER": "openai", "anthropic/claude-sonnet-4-5": "openai/scripted",
         "NAME": "scripted", "COMMAND": "my-agent", "FILE": "rules.toml", "./hello": "my-agent", "./my-agent": "my-agent",
         "…": "npx -y @modelcontextprotocol/server-everything"}
INITIALIZE = ('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,'
              '"clientCapabilities":{}}}\n')
# What is typed, by the beginning of the line.
TYPED = [("acp agent --login", "sk-of-a-test\n"), ("acp agent", INITIALIZE), ("acp tap", INITIALIZE), ("acp connect", INITIALIZE),
         ("acp chat", "hello\n")]
# The lines that fail because of what they show.
EXIT = {"acp tap --fault kill:agent@5 -- my-agent": None}
BARE = re.compile(r"acp( [a-z]+){0,2}$")


def lines_of(page):
    """The command lines of a page, each once: those of code blocks, and those in the text."""
    found, text, fenced = [], [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            command = re.sub(r"\s{2,}#.*$", "", line.strip().removeprefix("$ "))
            if re.match(r"(?:[^|`\"{]*\| )?acp [a-z]+(?: |$)", command):
                found.append(command)
        else:
            text.append(line)
    found += (re.sub(r"\s+", " ", code) for code in re.findall(r"`(acp [^`]*)`", "\n".join(text)))
    return list(dict.fromkeys(found))


class Place:
    """A home, a project with a change in it, and programs that stand for real ones."""

    def __init__(self, root, url):
        self.url = url
        self.home, self.project, programs = root / "home", root / "project", root / "bin"
        for folder in (self.home, self.project, programs):
            folder.mkdir()
        self.environment = {k: v for k, v in os.environ.items()
                            if not k.startswith(("XDG_", "ACP_", "OPENAI_", "ANTHROPIC_"))}
        self.environment |= {"HOME": str(self.home), "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "dumb",
                             "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "sk-of-a-test",
                             "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        (programs / "acp").symlink_to(ACP)
        # The other machine is this one: the last word is what ssh has its shell run.
        self.program(programs / "ssh", 'cd "$HOME"; exec bash -c "${@: -1}"')
        scripted = f"exec {sys.executable} {ROOT / 'scripts' / 'docs_servers.py'}"
        for name in ("my-agent", "gemini"):
            self.program(programs / name, f"{scripted} agent")
        self.program(programs / "npx", f'case "$*" in *some-agent*) {scripted} agent;; *) {scripted} mcp;; esac')
        # All words but for its own options are the agent's command.
        self.program(programs / "my-client", 'while [ $# -gt 0 ]; do case "$1" in --agent|--agent-command) ;; '
                     '--prompt) shift;; --url) exec acp run --policy allow --url "$2" hello;; *) agent+=("$1");; esac; shift; done\n'
                     'exec acp run --policy allow hello -- "${agent[@]}"')
        (self.home / "src/app").mkdir(parents=True)  # of ssh's machine
        settings = self.home / ".config/acp/config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text('[mcp.files]\ncommand = "npx"\nargs = ["-y", "@modelcontextprotocol/server-filesystem"]\n')
        settings.chmod(0o600)
        self.token = self.home / "server-token"
        self.token.write_text("a-token-of-this-test\n")
        self.token.chmod(0o600)
        self.environment["ACP_TOKEN"] = "a-token-of-this-test"
        self.server = None
        (self.project / "task.md").write_text("Say hello.\n")
        (self.project / "rules.toml").write_text("")
        (self.project / "rules.toml").chmod(0o600)
        (self.project / "recording.jsonl").write_text(INITIALIZE)
        for command in ("openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -keyout key.pem -out cert.pem",
                        "git init -q .", "git add task.md", "echo more >>task.md",
                        "my-client acp tap --log wire.jsonl -- my-agent"):
            subprocess.run(["bash", "-c", command], cwd=self.project, env=self.environment, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS)
        self.recording = (self.project / "wire.jsonl").read_bytes()

    def server_url(self):
        """Of an acp serve with the scripted agent, started when it is first wanted."""
        if not self.server:
            self.server = subprocess.Popen([ACP, "serve", "--listen", "127.0.0.1:0", "--log", "none", "--root", "/",
                                            "--token-file", str(self.token), "--", "my-agent"], text=True,
                                           cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL,
                                           stderr=subprocess.PIPE)
            self.address = re.search(r" at http(://\S+/acp),", self.server.stderr.readline())[1]
        return self.address

    def end(self):
        if self.server:
            self.server.kill()
            self.server.wait()
            self.server.stderr.close()

    @staticmethod
    def program(path, script):
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def serve(self, line):
        """acp serve: until it listens."""
        command = "exec " + re.sub(r"--listen (\S+):\d+", r"--listen \1:0", line)
        if "--listen" not in command:
            command = command.replace("acp serve", "acp serve --listen 127.0.0.1:0", 1)
        server = subprocess.Popen(["bash", "-c", command], cwd=self.project, env=self.environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        bound = threading.Timer(SECONDS, server.kill)
        bound.start()
        said = ""
        for piece in server.stderr:
            said += piece
            if "the token is in" in piece:
                server.send_signal(signal.SIGTERM)
        bound.cancel()
        return subprocess.CompletedProcess(line, server.wait(), "", said)

    def run(self, line):
        if line.startswith("acp serve -"):
            return self.serve(line)
        (self.project / "wire.jsonl").write_bytes(self.recording)  # whatever the line before did to it
        if "--log wire.jsonl" in line:
            (self.project / "wire.jsonl").unlink()  # it is not overwritten
        command = line
        for pattern, shorter in SHORTER:
            command = pattern.sub(shorter, command, count=1)
        command = re.sub(r"https?://(example\.org|127\.0\.0\.1:3001)", self.url, command)
        command = SERVERS.sub(lambda found: found[1] + self.server_url(), command)
        for word, instead in WORDS.items():
            command = re.sub(rf"(?<![\w./'-]){re.escape(word)}(?![\w.'])", instead, command)
        typed = next((words for start, words in TYPED if line.startswith(start)), "")
        if BARE.match(line) and line not in ("acp agent", "acp chat", "acp agents", "acp config"):
            command += " --help"  # the name of a command
        shell = ["bash", "-c", "set -o pipefail; " + command]
        if "ollama/" in line:
            shell = alone(*shell, server_at=11434)  # where it usually is
        return subprocess.run(shell, cwd=self.project, env=self.environment,
                              input=typed, capture_output=True, text=True, timeout=SECONDS)


def main():
    seen, failures, count = set(), [], 0
    with docs_servers.serve() as url:
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            lines = lines_of(page)
            seen |= set(lines)
            lines = [line for line in lines if line not in NOT_RUN]
            if not lines:
                continue
            root = Path(tempfile.mkdtemp())
            place = None
            try:
                place = Place(root, url)
                for line in lines:
                    count += 1
                    try:
                        done = place.run(line)
                    except subprocess.TimeoutExpired as late:
                        failures.append(f"{page.name}: {line}: not over in {SECONDS} s\n"
                                        f"{(late.stdout or b'')[-1000:]}{(late.stderr or b'')[-2000:]}")
                        continue
                    if done.returncode != EXIT.get(line, 0) and EXIT.get(line, 0) is not None:
                        failures.append(f"{page.name}: {line}: exit code {done.returncode}\n"
                                        f"{done.stdout[-1000:]}{done.stderr[-2000:]}")
            finally:
                if place:
                    place.end()
                shutil.rmtree(root, ignore_errors=True)
    failures += [f"listed as not run, but on no page: {line}" for line in NOT_RUN if line not in seen]
    failures += [f"has an exit code here, but is on no page: {line}" for line in EXIT if line not in seen]
    print("\n\n".join(failures))
    print(f"words of the pages, and what stood for them: {WORDS}")
    for line, reason in NOT_RUN.items():
        print(f"not run: {line}: {reason}")
    print(f"{count} lines run, {len(NOT_RUN)} not run, {len(failures)} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
