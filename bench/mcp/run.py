#!/usr/bin/env python3
"""run.py CLIENT [--node NODE] [--runs N] [--calls N]: our MCP client beside the npm SDK's, in turns,
against the same server: server-everything on stdio. Prints the medians, and our share of npm's."""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("client")
parser.add_argument("--node", default="node")
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--calls", type=int, default=2000)
options = parser.parse_args()

server = [options.node, str(ROOT / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio"]
contestants = {"acp": [str(Path(options.client).resolve())], "npm": [options.node, str(HERE / "npm_client.mjs")]}
samples = {}
for _ in range(options.runs):
    for in_flight in (1, 16):
        for name, command in contestants.items():
            run = subprocess.run([*command, str(options.calls), str(in_flight), *server], cwd=ROOT, check=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            samples.setdefault((name, in_flight), []).append(json.loads(run.stdout))


def median(name, in_flight, figure):
    return statistics.median(figure(sample) for sample in samples[name, in_flight])


rows = [("start to the first tools/list, ms", 1, lambda s: s["start"] * 1e3),
        ("CPU of that, ms", 1, lambda s: s["startCpu"] * 1e3),
        ("calls a second, one after the other", 1, lambda s: options.calls / s["time"]),
        ("CPU for each call, us", 1, lambda s: s["cpu"] / options.calls * 1e6),
        ("calls a second, 16 in flight", 16, lambda s: options.calls / s["time"]),
        ("CPU for each call, 16 in flight, us", 16, lambda s: s["cpu"] / options.calls * 1e6)]
print(f"{'':38} {'acp':>10} {'npm':>10} {'acp/npm':>8}")
for title, in_flight, figure in rows:
    acp, npm = median("acp", in_flight, figure), median("npm", in_flight, figure)
    print(f"{title:38} {acp:10.1f} {npm:10.1f} {acp / npm:8.2f}")
