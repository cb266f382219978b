#!/usr/bin/env python3
"""Every requirement of a server's transport has a broken server that it catches, and that no other
one catches; `acp serve` and the server of the official SDK pass them all.

    transport_mutants_test.py ACP_PROGRAM [FAULT...]

Without ACP_LONG in the environment (./test --long sets it) every third fault is tried.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ACP = os.path.abspath(sys.argv[1])
HERE = Path(__file__).resolve().parent
MUTANT = [sys.executable, "-I", "-S", str(HERE / "mutant_server.py")]
SDK = ["node", str(HERE.parent.parent / "interop" / "sdk_agent.mjs"), "serve"]
# How long the kit waits for what will not come; and for what only a busy machine makes late.
SILENT, BUSY = 2, 60


class Server:
    """A program that says its URL in its first line, and ends with its stdin."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


# The other requirements have faulty agents of their own.
ONLY = ("--only", "A-HTTP", "--only", "A-WS")


def check(folder, name, url, timeout, *more, environment=None):
    results = Path(folder, name + ".json")
    done = subprocess.run(
        [ACP, "check", "agent", "--url", url, *ONLY, "--cwd", folder, "--timeout", str(timeout), "--json", str(results), *more],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False, env=environment)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{name}: exit code {done.returncode}: {done.stderr}")
    return done.returncode, json.loads(results.read_text(encoding="utf-8"))["results"]


def judge(folder, name, fault):
    wanted, _, silent = fault.partition(" ")

    def tried(timeout):
        with Server([*MUTANT, "--fault", name]) as server:
            code, results = check(folder, name, server.url, timeout)
        failed = [result for result in results if result["status"] == "fail"]
        return code, failed, [result["id"] for result in failed]

    code, failed, ids = tried(SILENT if silent else BUSY)
    # Where time matters, a busy machine may have made something else late: once more, with more.
    if silent and ids != [wanted]:
        code, failed, ids = tried(6 * SILENT)
    must = any(result["level"] == "must" for result in failed)
    good = ids == [wanted] and code == (1 if must else 0)
    why = "" if good else "".join(f"\n      {r['id']}: {r['message']}" for r in failed)
    return name, wanted, ids, good, why


def faultless(name, results):
    """Everything was tried, and has passed."""
    wrong = [result for result in results if result["status"] != "pass"]
    for result in wrong:
        print(f"{name}: {result['id']}: {result['status']}: {result['message']}")
    print(f"{name}: {len(results) - len(wrong)} of {len(results)} passed")
    return not wrong


def said(code, *words):
    """What `acp check agent` says on stderr, if its exit code is this one."""
    environment = {name: value for name, value in os.environ.items() if name != "ACP_TOKEN"}
    done = subprocess.run([ACP, "check", "agent", "--timeout", str(BUSY), *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=600, check=False, env=environment)
    if done.returncode != code:
        print(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr}")
        return ""
    return done.stderr


def nothing_to_check():
    """What cannot be checked is said."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}/acp"
    return ("the server cannot be reached" in said(3, "--url", nobody)
            and "without TLS" in said(0, "--url", nobody.replace("http", "https"), *ONLY)
            and "through a proxy" in said(0, "--url", nobody, "--proxy", "http://127.0.0.1:1", *ONLY)
            and "need --url" in said(2, "--only", "A-HTTP-1", "--", "true")
            and "not both" in said(2, "--url", nobody, "--", "true"))


def leaves(url, token):
    """`acp connect` ends by itself when its input does."""
    process = subprocess.Popen([ACP, "connect", "--token-file", str(token), url], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        process.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n')
        process.stdin.flush()
        answered = "protocolVersion" in process.stdout.readline()
        process.stdin.close()
        return answered and process.wait(30) == 0
    except subprocess.TimeoutExpired:
        print(f"acp connect {url} goes on when its input has ended")
        return False
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def acp_serve(folder):
    """Our own server: its address and its token are in files."""
    token = Path(folder, "token")
    token.write_text("of-the-test-and-long-enough\n", encoding="utf-8")
    token.chmod(0o600)
    environment = {**os.environ, "HOME": folder, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
    process = subprocess.Popen(
        [ACP, "serve", "--listen", "127.0.0.1:0", "--root", folder, "--token-file", str(token), "--",
         ACP, "agent", "--model", "offline"],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            if "http://" in line:
                url = "http://" + line.split("http://")[1].split()[0].rstrip(",")
                break
        else:
            raise SystemExit("acp serve did not say where it listens")
        refused = said(3, "--url", url, *ONLY)
        left = [leaves(scheme + url.removeprefix("http"), token) for scheme in ("http", "ws")]
        return all(left) and refused.count("the server lets nobody in") == 1 and \
            "asks for a token" in said(3, "--url", url) and faultless(
            "acp serve", check(folder, "serve", url, BUSY, "--token-file", str(token))[1])
    finally:
        process.terminate()
        process.stderr.read()
        process.wait(60)
        process.stderr.close()


def official(folder):
    with Server(SDK) as server:
        more = ["--prompt", "write=permission"]
        return faultless("the official SDK", check(folder, "sdk", server.url, BUSY, *more)[1])


def main():
    faults = json.loads(subprocess.run([*MUTANT, "--faults"], capture_output=True, text=True, check=True).stdout)
    every = 1 if "ACP_LONG" in os.environ else 3
    chosen = {name: faults[name] for name in sys.argv[2:] or list(faults)[::every]}
    began = time.monotonic()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        with Server(MUTANT) as server:
            _, results = check(folder, "none", server.url, BUSY)
        wrong += not faultless("without a fault", results)
        ids = [result["id"] for result in results]
        uncovered = set(ids) - {fault.split()[0] for fault in faults.values()}
        if uncovered:
            print("no fault breaks", ", ".join(sorted(uncovered)))
            wrong += 1
        wrong += not nothing_to_check()
        wrong += not acp_serve(folder)
        wrong += not official(folder)
        with ThreadPoolExecutor(2) as pool:
            for name, wanted, flagged, good, why in pool.map(lambda item: judge(folder, *item), chosen.items()):
                print(f"{'  ' if good else '! '}{name:34} {wanted:10} → {', '.join(flagged) or 'nothing'}{why}",
                      flush=True)
                wrong += not good
    print(f"{len(chosen)} of {len(faults)} faults, {len(ids)} requirements, {wrong} wrong; {time.monotonic() - began:.0f} s")
    sys.exit(1 if wrong else 0)


main()
