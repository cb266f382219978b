#!/usr/bin/env python3
"""run.py [--acp PROGRAM] [--acpx "COMMAND"] [--only PART]: `acp chat` and `acp run` as their users meet them.

cpu: CPU time for 10,000 and for 100,000 chunks that are drawn in a terminal of 80 columns, and their ratio.
memory: how much a session grows by a million updates, and by 50 MB that a command prints.
start: from the start of the program to its prompt, beside `acpx --version` in turns.
"""

import argparse
import fcntl
import os
import pty
import select
import shlex
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "agent"))
from peer import cpu_seconds, surroundings  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--acp", default=str(ROOT / "build/bench/bin/acp"), help="the program acp")
parser.add_argument("--acpx", help="its command, as in 'node node_modules/acpx/dist/cli.js'; else it is left out")
parser.add_argument("--runs", type=int, default=15, help="starts (15)")
parser.add_argument("--only", action="append", choices=["cpu", "memory", "start"], help="a part; may be repeated")
options = parser.parse_args()
scratch = tempfile.TemporaryDirectory(prefix="bench-chat-")
AGENT = [sys.executable, str(HERE / "agent.py")]
MOST_SECONDS = 900
missed = 0


def row(title, value, goal=None, good=True, beside=""):
    global missed
    missed += not good
    told = "" if goal is None else f"   {goal}: {'reached' if good else 'MISSED'}"
    print(f"{title:56} {value:>10}{beside}{told}", flush=True)


def megabytes(pid, what):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(what + ":")) / 1024


class Terminal:
    """acp chat in a terminal; what it draws is read and thrown away."""

    def __init__(self, command):
        home = tempfile.mkdtemp(dir=scratch.name)
        environment = surroundings(home, TERM="xterm-256color", LC_ALL="C.UTF-8")
        self.begun = time.monotonic()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.chdir(home)
            os.execve(command[0], command, environment)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.tail = b""
        self.drawn = 0

    def until(self, what):
        """Until the last that was drawn has this in it."""
        deadline = time.monotonic() + MOST_SECONDS
        while what not in self.tail:
            if not select.select([self.master], [], [], deadline - time.monotonic())[0]:
                raise RuntimeError(f"{what} did not come; the last: {self.tail!r}")
            got = os.read(self.master, 1 << 20)
            self.drawn += len(got)
            self.tail = (self.tail + got)[-4096:]

    def prompt(self, text):
        self.tail = b""
        os.write(self.master, text.encode() + b"\r")
        self.until(b"the end")
        self.until(b"/help")

    def close(self):
        os.write(self.master, b"\x04")
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            if select.select([self.master], [], [], 0.05)[0]:
                try:
                    os.read(self.master, 1 << 20)
                except OSError:
                    time.sleep(0.01)
        os.close(self.master)


def chat():
    terminal = Terminal([options.acp, "chat", "--", *AGENT])
    terminal.until(b"/help")
    return terminal


def measure_cpu():
    print("\nCPU to draw chunks, s                                          10,000    100,000      ratio   goal")
    for shape in ("paragraphs", "list", "code", "one"):
        used = []
        for count in (10_000, 100_000):
            samples = []
            for _ in range(3 if count == 10_000 else 1):
                terminal = chat()
                before = cpu_seconds(terminal.pid)
                terminal.prompt(f"chunks {count} {shape}")
                samples.append(cpu_seconds(terminal.pid) - before)
                terminal.close()
            used.append(statistics.median(samples))
        ratio = used[1] / used[0]
        named = {"paragraphs": "paragraphs of 50 chunks", "list": "one list, items of 10 chunks",
                 "code": "one block of code", "one": "one paragraph"}[shape]
        row(named, f"{used[0]:.3f}", "≤ 12", ratio <= 12, f" {used[1]:>10.3f} {ratio:>10.2f}")


def grown(pid, before):
    return f"{megabytes(pid, 'VmRSS') - before:.1f}", f" {megabytes(pid, 'VmHWM') - before:>10.1f}"


def measure_memory():
    print("\nacp chat grows by, MB                                        at the end       peak   goal")
    for title, prompts in (("1,000,000 updates of a session", ["updates 1000000"]),
                           ("1,000,000 chunks of one message", ["chunks 1000000 paragraphs"]),
                           ("50 MB of a command's output", ["output 50000000"]),
                           ("200 commands that print 256 kB each", ["output 262144"] * 200)):
        terminal = chat()
        terminal.prompt("updates 1000")
        terminal.prompt("output 1000")
        before = megabytes(terminal.pid, "VmRSS")
        for prompt in prompts:
            terminal.prompt(prompt)
        value, peak = grown(terminal.pid, before)
        row(title, value, "< 20", float(value) < 20 and float(peak) < 20, peak)
        terminal.close()
    print("\nacp run --json grows by, MB                                  at the end       peak   goal")
    for title, prompt in (("1,000,000 updates of a session", "updates 1000000"),
                          ("50 MB of a command's output", "output 50000000")):
        home = tempfile.mkdtemp(dir=scratch.name)
        process = subprocess.Popen([options.acp, "run", "--json", "--policy", "allow", prompt, "--", *AGENT], cwd=home, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, env=surroundings(home), bufsize=0)
        before = value = None
        read = 0
        while got := os.read(process.stdout.fileno(), 1 << 20):
            read += len(got)
            if before is None and read > 200_000:
                before = megabytes(process.pid, "VmRSS")
            try:
                value = megabytes(process.pid, "VmHWM")
            except (StopIteration, OSError):
                pass
        if process.wait() != 0:
            raise RuntimeError(f"acp run {prompt} failed")
        row(title, "-", "< 20", value - before < 20, f" {value - before:>10.1f}")


def measure_start():
    ours, theirs, cpu = [], [], []
    for _ in range(options.runs):
        terminal = Terminal([options.acp, "chat", "--", options.acp, "agent", "--model", "offline"])
        terminal.until("❯".encode())
        first = time.monotonic()
        cpu.append(cpu_seconds(terminal.pid) * 1e3)
        terminal.until(b"/help")
        ours.append(((first - terminal.begun) * 1e3, (time.monotonic() - terminal.begun) * 1e3))
        terminal.close()
        if options.acpx:
            begun = time.monotonic()
            subprocess.run([*shlex.split(options.acpx), "--version"], check=True, stdout=subprocess.DEVNULL)
            theirs.append((time.monotonic() - begun) * 1e3)
    print("\nstart, ms                                                    median       best   goal")
    keys = [first for first, _ in ours]
    ready = [both for _, both in ours]
    row("acp chat: to a prompt that takes keys", f"{statistics.median(keys):.1f}", "< 30",
        statistics.median(keys) < 30, f" {min(keys):>10.1f}")
    row("    CPU of that, which other programs do not disturb", f"{statistics.median(cpu):.1f}",
        beside=f" {min(cpu):>10.1f}")
    row("acp chat: to a session with the built-in agent", f"{statistics.median(ready):.1f}",
        beside=f" {min(ready):>10.1f}")
    if theirs:
        row("acpx --version, in the same run", f"{statistics.median(theirs):.1f}", beside=f" {min(theirs):>10.1f}")
        row("acpx --version / acp chat to its prompt", f"{statistics.median(theirs) / statistics.median(keys):.1f}")


for part, measure in (("cpu", measure_cpu), ("memory", measure_memory), ("start", measure_start)):
    if not options.only or part in options.only:
        measure()
sys.exit(1 if missed else 0)
