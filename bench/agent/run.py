#!/usr/bin/env python3
"""run.py [--acp PROGRAM] [--grep PROGRAM] [--only PART]: `acp agent` as its user meets it, beside what it is
measured against in the same run: how it starts, what it adds to a model's stream, how it searches.

Medians, with the goal and whether it is reached; the best of the samples stands beside them, since other programs
disturb. Shipping agents are not measured: they are not installed here."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tree
from peer import Peer, cpu_seconds, pss_megabytes, surroundings

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--acp", default=str(ROOT / "build/bench/bin/acp"), help="the program acp")
parser.add_argument("--grep", default=str(ROOT / "build/bench/bin/bench_agent_grep"), help="built by the preset bench")
parser.add_argument("--node", default="node", help="for the npm SDK's agent")
parser.add_argument("--tree", help="where the tree to search is, or is to be made; else a temporary one")
parser.add_argument("--runs", type=int, default=20, help="starts and prompts (20); searches are a third")
parser.add_argument("--tokens", type=int, default=20_000, help="of an answer that comes all at once (20000)")
parser.add_argument("--only", action="append", choices=["start", "tokens", "grep"], help="a part; may be repeated")
options = parser.parse_args()
scratch = tempfile.TemporaryDirectory(prefix="bench-agent-")
reached = missed = 0


def table(title, beside):
    print(f"\n{title:48} {'acp':>9} {'best':>9} {beside:>9} {'acp/it':>8}   goal")


def row(title, ours, theirs=(), goal=None, share=None, precision=1):
    """`goal` is for our median, `share` for its ratio to theirs."""
    global reached, missed
    mine = statistics.median(ours)
    other = statistics.median(theirs) if theirs else None
    text = f"{title:48} {mine:9.{precision}f} {min(ours):9.{precision}f} "
    text += f"{other:9.{precision}f} {mine / other:8.2f}   " if other else f"{'-':>9} {'-':>8}   "
    if goal is not None or share is not None:
        good = mine <= goal if goal is not None else mine / other <= share
        reached, missed = reached + good, missed + (not good)
        text += f"≤ {goal}" if goal is not None else f"≤ {share}x"
        text += ": reached" if good else ": MISSED"
    print(text, flush=True)


def home():
    return tempfile.mkdtemp(dir=scratch.name)


# ---- start

def start(command, place):
    with Peer(command, place) as peer:
        peer.initialize()
        answered = time.monotonic_ns()
        cpu = cpu_seconds(peer.pid)
        peer.new_session(place)
        opened = time.monotonic_ns()
        return {"start": (answered - peer.begun) / 1e6, "cpu": cpu * 1e3, "new": (opened - answered) / 1e6,
                "pss": pss_megabytes(peer.pid)}


def measure_start():
    acp = [options.acp, "agent", "--model", "offline"]
    npm = [options.node, str(ROOT / "bench/wire/npm_agent.mjs")]
    warm_home = home()
    start(acp, warm_home)
    fresh, warm, node = [], [], []
    for _ in range(options.runs):
        fresh.append(start(acp, home()))
        warm.append(start(acp, warm_home))
        node.append(start(npm, warm_home))
    def of(samples, figure):
        return [sample[figure] for sample in samples]
    table("start; beside it the npm SDK's hello agent", "npm")
    row("to initialize answered, ms", of(warm, "start"), of(node, "start"), goal=10)
    row("the same, the first time", of(fresh, "start"), of(node, "start"), goal=10)
    row("CPU of that, ms", of(warm, "cpu"), of(node, "cpu"))
    row("session/new, ms", of(warm, "new"), of(node, "new"), goal=5)
    row("the same, the first time (the store is made)", of(fresh, "new"), of(node, "new"), goal=5)
    row("memory after it, Pss of the tree, MB", of(warm, "pss"), of(node, "pss"), goal=12)


# ---- tokens

class Stream:
    """What came of an answer, and when its first token did."""

    def __init__(self):
        self.updates = self.bytes = 0
        self.arrived = self.written = self.seen = None

    def text(self, text, now):
        if self.seen is None:
            arrived, written, text = text.split(" ", 2)
            self.arrived, self.written, self.seen = int(arrived), int(written), now
        self.updates += 1
        self.bytes += len(text)

    def check(self, tokens):
        if self.bytes != 4 * (tokens - 1):
            raise RuntimeError(f"{self.bytes} bytes came of {tokens} tokens")


def prompt(agent, session, tokens, rate=0):
    stream = Stream()
    def update(line):
        now = time.monotonic_ns()
        if b"agent_message_chunk" in line:
            stream.text(json.loads(line)["params"]["update"]["content"]["text"], now)
    begun, cpu = time.monotonic_ns(), cpu_seconds(agent.pid)
    text = [{"type": "text", "text": f"tokens {tokens} {rate}"}]
    agent.answer(agent.send("session/prompt", {"sessionId": session, "prompt": text}), update)
    stream.cpu = cpu_seconds(agent.pid) - cpu
    stream.begun, stream.ended = begun, time.monotonic_ns()
    stream.check(tokens)
    return stream


def raw(port, tokens, rate=0):
    """The same by curl, which only passes on what comes."""
    stream = Stream()
    body = json.dumps({"model": "bench", "stream": True,
                       "messages": [{"role": "user", "content": f"tokens {tokens} {rate}"}]})
    process = subprocess.Popen(["curl", "-sN", "--noproxy", "*", "-d", body,
                                f"http://127.0.0.1:{port}/v1/chat/completions"], stdout=subprocess.PIPE, bufsize=0)
    rest = b""
    while got := os.read(process.stdout.fileno(), 1 << 20):
        now = time.monotonic_ns()
        *lines, rest = (rest + got).split(b"\n")
        for line in lines:
            if line.startswith(b"data: {") and (text := json.loads(line[6:])["choices"][0]["delta"].get("content")):
                stream.text(text, now)
    stream.ended = time.monotonic_ns()
    stream.cpu = sum(os.wait4(process.pid, 0)[2][:2])
    process.returncode = 0
    stream.check(tokens)
    return stream


def measure_tokens():
    place = home()
    server = subprocess.Popen([sys.executable, str(HERE / "model_server.py")], stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        with Peer([options.acp, "agent", "--model", "openai/bench"], place,
                  OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1", OPENAI_API_KEY="none") as agent:
            agent.initialize()
            begun = time.monotonic_ns()
            session = agent.new_session(place)
            opened = (time.monotonic_ns() - begun) / 1e6
            measure_stream(agent, session, port)
            row("session/new that asks such a server, once, ms", [opened])
            row("memory at the end, Pss, MB", [pss_megabytes(agent.pid)])
    finally:
        server.kill()
        server.wait()


def measure_stream(agent, session, port):
    prompt(agent, session, 5)
    ours, theirs = [], []
    for _ in range(options.runs):
        ours.append(prompt(agent, session, 5))
        theirs.append(raw(port, 5))
    forth = [(s.arrived - s.begun) / 1e6 for s in ours]
    back = [(s.seen - s.written) / 1e6 for s in ours]
    back_raw = [(s.seen - s.written) / 1e6 for s in theirs]
    table("the model's tokens; beside it curl alone", "curl")
    row("first token: from the server to the client, ms", back, back_raw, precision=2)
    row("prompt: from the client to the server, ms", forth, precision=2)
    added = [there + here - statistics.median(back_raw) for there, here in zip(forth, back)]
    row("added to the first token, there and back, ms", added, goal=1, precision=2)
    base = statistics.median(s.cpu for s in ours)
    base_raw = statistics.median(s.cpu for s in theirs)
    plans = [("all at once", options.tokens, 0), ("2000 a second", 2000, 2000), ("200 a second", 1000, 200)]
    for name, tokens, rate in plans:
        ours, theirs = [], []
        for _ in range(3):
            ours.append(prompt(agent, session, tokens, rate))
            theirs.append(raw(port, tokens, rate))
        row(f"CPU for each further token, {name}, µs", [(s.cpu - base) / tokens * 1e6 for s in ours],
            [(s.cpu - base_raw) / tokens * 1e6 for s in theirs], goal=20)
        print(f"    {tokens} tokens, {statistics.median(s.updates for s in ours):.0f} updates; the end "
              f"{statistics.median((s.ended - s.seen) / 1e6 for s in ours):.1f} ms after the first "
              f"(curl {statistics.median((s.ended - s.seen) / 1e6 for s in theirs):.1f})")


# ---- grep

def search(command):
    begun = time.monotonic_ns()
    run = subprocess.run(command, stdout=subprocess.PIPE, check=False, env=surroundings(scratch.name))
    if run.returncode > 1:
        raise RuntimeError(f"{command[0]} ends with {run.returncode}")
    return (time.monotonic_ns() - begun) / 1e6, run.stdout.count(b"\n")


def measure_grep():
    place = str(tree.make(options.tree or f"{scratch.name}/tree"))
    rg = ["rg", "--no-config", "-n", "--no-heading", "--hidden", "-g", "!.git", "--no-ignore-parent"]
    searches = [("a rare literal", tree.RARE, ["-F"]), ("a rare regular expression", "need[a-z]+_in_.*stack", []),
                ("a literal that is not there", "nowhere_to_be_found", ["-F"]),
                ("the same, any case", "Nowhere_To_Be_Found", ["-F", "-i"]),
                ("a regular expression, 1 line in 400", r"template (begin|end) [a-z]+", []),
                ("a regular expression without a literal", r"[a-z]+_[0-9]{7}x", []),
                ("a frequent literal, 1 line in 9", "session", ["-F"]),
                ("the same, any case", "SESSION", ["-F", "-i"])]
    table("grep over 50,000 files, ms; beside it ripgrep", "rg")
    for name, pattern, flags in searches:
        ours, theirs = [], []
        for _ in range(max(3, options.runs // 3)):
            ours.append(search([options.grep, *flags, pattern, place]))
            theirs.append(search([*rg, *flags, "-e", pattern, place]))
        row(name, [s[0] for s in ours], [s[0] for s in theirs], share=2, precision=0)
        if ours[0][1] != theirs[0][1]:
            raise RuntimeError(f"{pattern}: {ours[0][1]} lines by us, {theirs[0][1]} by ripgrep")
        if "frequent" in name:
            few = [search([options.grep, *flags, "-m", "1000", pattern, place])[0] for _ in ours]
            row("    its first 1000 lines, as the tool shows", few, [s[0] for s in theirs], precision=0)


print("load at the beginning: " + " ".join(f"{load:.1f}" for load in os.getloadavg()), f"on {os.cpu_count()} cores")
for part, measure in (("start", measure_start), ("tokens", measure_tokens), ("grep", measure_grep)):
    if not options.only or part in options.only:
        measure()
print(f"\n{reached} of {reached + missed} goals reached; load at the end: " +
      " ".join(f"{load:.1f}" for load in os.getloadavg()))
