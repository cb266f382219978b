"""An agent under measurement, spoken to over its pipes."""

import json
import os
import subprocess
import time


def cpu_seconds(pid):
    """Of all threads, those that have ended too; the kernel's clock of another process."""
    return time.clock_gettime((~pid << 3) | 2)


def tree_of(pid):
    """The process and those that it has started."""
    found = [pid]
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children") as children:
                below = children.read().split()
        except (FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            continue
        for child in below:
            found += tree_of(int(child))
    return found


def pss_megabytes(pid):
    kilobytes = 0
    for one in tree_of(pid):
        with open(f"/proc/{one}/smaps_rollup") as rollup:
            kilobytes += sum(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
    return kilobytes / 1024


def surroundings(home, **more):
    """Nothing of the user's: keys and settings would be another agent."""
    keep = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    return {**keep, "HOME": home, "XDG_CONFIG_HOME": f"{home}/config", "XDG_DATA_HOME": f"{home}/data",
            "XDG_STATE_HOME": f"{home}/state", "XDG_CACHE_HOME": f"{home}/cache", **more}


class Peer:
    def __init__(self, command, home, **environment):
        self.begun = time.monotonic_ns()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=surroundings(home, **environment), bufsize=0)
        self.pid = self.process.pid
        self.input = self.process.stdout.fileno()
        self.lines = []
        self.rest = b""
        self.number = 0

    def send(self, method, params):
        self.number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode() + b"\n"
        os.write(self.process.stdin.fileno(), line)
        return self.number

    def line(self):
        while not self.lines:
            got = os.read(self.input, 1 << 20)
            if not got:
                raise RuntimeError(f"{self.process.args[0]} has ended before its answer")
            *self.lines, self.rest = (self.rest + got).split(b"\n")
        return self.lines.pop(0)

    def answer(self, number, on_update=None):
        """The result; updates on the way go to `on_update` as lines."""
        end = b'"id":%d' % number
        while True:
            line = self.line()
            if end in line and b'"method"' not in line:
                message = json.loads(line)
                if "error" in message:
                    raise RuntimeError(f"{self.process.args[0]}: {message['error']}")
                return message["result"]
            if on_update:
                on_update(line)

    def initialize(self):
        return self.answer(self.send("initialize", {"protocolVersion": 1, "clientCapabilities": {}}))

    def new_session(self, cwd):
        return self.answer(self.send("session/new", {"cwd": cwd, "mcpServers": []}))["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
