#!/usr/bin/env python3
"""Every requirement of an agent has a broken agent that it catches, and that no other one catches.

    mutants_test.py ACP_PROGRAM [--protocol 2] [FAULT...]

Of version 2 every third fault is tried, unless ACP_LONG is in the environment (./test --long sets it) or they are
named.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ACP = os.path.abspath(sys.argv[1])
SECOND = sys.argv[2:4] == ["--protocol", "2"]
CHOSEN = sys.argv[4:] if SECOND else sys.argv[2:]
PROGRAM = "version2/mutant_agent_2.py" if SECOND else "mutant_agent.py"
AGENT = [sys.executable, "-I", "-S", str(Path(__file__).parent / PROGRAM)]
EVERY = 3 if SECOND and "ACP_LONG" not in os.environ else 1
# How long the kit waits for what will not come; and for what only a busy machine makes late.
SILENT, BUSY = 3, 60


# Where nothing more can be checked, the kit says so.
GIVES_UP = {"version-1-only": 3}


def check(folder, name, arguments, timeout):
    results = Path(folder, name + ".json")
    done = subprocess.run(
        [ACP, "check", "agent", "--protocol", "2" if SECOND else "1", "--auth", "token", "--timeout", str(timeout), "--json", str(results),
         "--", *AGENT, *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode not in (0, 1, GIVES_UP.get(name)):
        raise SystemExit(f"{name}: exit code {done.returncode}: {done.stderr}")
    return done.returncode, json.loads(results.read_text(encoding="utf-8"))["results"]


def judge(folder, name, fault):
    wanted, _, silent = fault.partition(" ")
    code, results = check(folder, name, ["--fault", name], SILENT if silent else BUSY)
    failed = [result for result in results if result["status"] == "fail"]
    ids = [result["id"] for result in failed]
    # Where time matters, a busy machine may have made something else late: once more, with more.
    if silent and ids != [wanted]:
        code, results = check(folder, name, ["--fault", name], 4 * SILENT)
        failed = [result for result in results if result["status"] == "fail"]
        ids = [result["id"] for result in failed]
    must = any(result["level"] == "must" for result in failed)
    good = ids == [wanted] and code == GIVES_UP.get(name, 1 if must else 0)
    why = "" if good else "".join(f"\n      {r['id']}: {r['message']}" for r in failed)
    return name, wanted, ids, good, why


def main():
    faults = json.loads(subprocess.run([*AGENT, "--faults"], capture_output=True, text=True, check=True).stdout)
    chosen = {name: faults[name] for name in CHOSEN or list(faults)[::EVERY]}
    began = time.monotonic()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        _, results = check(folder, "none", [], BUSY)
        ids = [result["id"] for result in results]
        for result in results:
            if result["status"] != "pass":
                print(f"without a fault: {result['id']}: {result['status']}: {result['message']}")
                wrong += 1
        uncovered = set(ids) - {fault.split()[0] for fault in faults.values()}
        if uncovered:
            print("no fault breaks", ", ".join(sorted(uncovered)))
            wrong += 1
        with ThreadPoolExecutor(2) as pool:
            for name, wanted, flagged, good, why in pool.map(
                    lambda item: judge(folder, *item), chosen.items()):
                print(f"{'  ' if good else '! '}{name:28} {wanted:13} → {', '.join(flagged) or 'nothing'}{why}",
                      flush=True)
                wrong += not good
    print(f"{len(chosen)} of {len(faults)} faults, {len(ids)} requirements, {wrong} wrong; {time.monotonic() - began:.0f} s")
    sys.exit(1 if wrong else 0)


main()
