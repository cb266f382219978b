#!/usr/bin/env python3
"""client_mutants_test.py ACP [--protocol 2] [--whole] [FAULT…]: each fault of a client is found, by its number, and nothing else is.

One run of the kit for each fault, and one without. A fault that shows wherever the client speaks gets a whole run;
of the others, for the sake of time, each gets its own area and every third of the rest, in turn: --whole gives
them whole runs, too. Prints the matrix. Without ACP_LONG in the environment (./test --long sets it) every fourth
fault is tried, and it is said how many are left out.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ACP = str(Path(sys.argv[1]).resolve())
HERE = Path(__file__).resolve().parent
WHOLE = "--whole" in sys.argv
SECOND = sys.argv[2:4] == ["--protocol", "2"]
CHOSEN = [each for each in sys.argv[4 if SECOND else 2:] if each != "--whole"]
PROTOCOL = ["--protocol", "2" if SECOND else "1"]
CLIENT = HERE / ("version2/mutant_client_2.py" if SECOND else "mutant_client.py")
EVERY = 1 if WHOLE or CHOSEN or os.environ.get("ACP_LONG") else 4

# fault: what is found
FAULTS = {
    "not-json": "C-WIRE-1",
    "not-utf8": "C-WIRE-2",
    "no-jsonrpc": "C-WIRE-3",
    "batch": "C-WIRE-4",
    "fractional-id": "C-WIRE-5",
    "same-id": "C-WIRE-6",
    "answers-nobody": "C-WIRE-7",
    "answers-twice": "C-WIRE-8",
    "answers-notification": "C-WIRE-9",
    "result-and-error": "C-WIRE-10",
    "no-kind-of-message": "C-WIRE-11",
    "no-servers": "C-SCHEMA-1",
    "version-text": "C-SCHEMA-1",
    "write-result-text": "C-SCHEMA-2",
    "error-without-message": "C-SCHEMA-3",
    "own-field": "C-SCHEMA-4",
    "own-method": "C-SCHEMA-5",
    "cancel-is-request": "C-SCHEMA-6",
    "leans-on-reader": "C-SCHEMA-7",
    "unknown-block": "C-SCHEMA-8",
    "not-first": "C-ORDER-1",
    "does-not-wait": "C-ORDER-2",
    "initialize-twice": "C-ORDER-3",
    "another-session": "C-ORDER-4",
    "prompts-at-once": "C-ORDER-5",
    "relative-cwd": "C-PATH-1",
    "relative-command": "C-PATH-2",
    "loads-not-advertised": "C-CAP-1",
    "unlisted-method": "C-CAP-2",
    "mode-not-available": "C-CAP-3",
    "option-not-offered-config": "C-CAP-4",
    "image-not-advertised": "C-CAP-5",
    "http-not-advertised": "C-CAP-6",
    "directories-not-advertised": "C-CAP-7",
    "allows-when-cancelled": "C-CANCEL-1",
    "silent-when-cancelled": "C-CANCEL-1",
    "same-terminal-id": "C-TERM-1",
    "option-not-offered": "C-PERM-1",
    "version-zero": "C-INIT-1",
    "no-capabilities": "C-INIT-2",
    "no-info": "C-INIT-3",
    "any-version": "C-INIT-4",
    "version-kept-open": "C-INIT-5",
    "version-no-matter": "C-INIT-6",
    "needs-capabilities": "C-INIT-7",
    "unknown-capability-ends": "C-INIT-8",
    "initialize-error-hangs": "C-INIT-9",
    "no-authenticate": "C-AUTH-1",
    "no-second-session": "C-AUTH-2",
    "login-failed-no-matter": "C-AUTH-3",
    "no-session-no-matter": "C-SESS-1",
    "unknown-option-ends": "C-SESS-2",
    "early-update-ends": "C-SESS-3",
    "empty-prompt": "C-TURN-1",
    "refusal-hangs": "C-TURN-2",
    "unknown-stop-hangs": "C-TURN-3",
    "prompt-error-is-success": "C-TURN-4",
    "impatient": "C-TURN-5",
    "unknown-answer-field-ends": "C-TURN-6",
    "options-update-ends": "C-UPD-1",
    "unknown-update-ends": "C-UPD-2",
    "unknown-field-ends": "C-UPD-3",
    "unknown-value-ends": "C-UPD-4",
    "late-update-ends": "C-UPD-5",
    "foreign-update-ends": "C-UPD-6",
    "unannounced-ends": "C-UPD-7",
    "line-limit": "C-UPD-8",
    "many-updates-end": "C-UPD-9",
    "unknown-request-silent": "C-RPC-1",
    "extension-result": "C-RPC-2",
    "unknown-notification-ends": "C-RPC-3",
    "text-is-number": "C-RPC-4",
    "double-ids": "C-RPC-5",
    "bad-line-ends": "C-RPC-6",
    "banner-ends": "C-RPC-7",
    "bad-params-silent": "C-RPC-8",
    "bad-params-code": "C-RPC-9",
    "stray-answer-ends": "C-RPC-10",
    "crlf": "C-RPC-11",
    "drops-pieces": "C-RPC-12",
    "bad-update-ends": "C-RPC-13",
    "terminal-dishonest": "C-HONEST-1",
    "strips-content": "C-FS-1",
    "line-from-zero": "C-FS-2",
    "line-zero-refused": "C-FS-3",
    "limit-zero-is-all": "C-FS-4",
    "missing-is-empty": "C-FS-5",
    "missing-code": "C-FS-6",
    "relative-paths": "C-FS-7",
    "write-adds-newline": "C-FS-8",
    "write-needs-file": "C-FS-8",
    "write-does-not-truncate": "C-FS-9",
    "reads-outside": "C-FS-10",
    "writes-outside": "C-FS-11",
    "directory-is-empty": "C-FS-12",
    "create-waits": "C-TTY-1",
    "no-empty-arguments": "C-TTY-2",
    "no-env": "C-TTY-3",
    "ignores-cwd": "C-TTY-4",
    "runs-in-root": "C-TTY-5",
    "no-stderr": "C-TTY-6",
    "no-exit-status": "C-TTY-7",
    "code-is-zero": "C-TTY-8",
    "one-waiter": "C-TTY-9",
    "no-limit": "C-TTY-10",
    "cuts-characters": "C-TTY-11",
    "never-truncated": "C-TTY-12",
    "kill-does-nothing": "C-TTY-13",
    "no-output-after-kill": "C-TTY-14",
    "release-does-not-kill": "C-TTY-15",
    "release-keeps-id": "C-TTY-16",
    "unknown-terminal-empty": "C-TTY-17",
    "missing-command-runs": "C-TTY-18",
    "no-shell": "C-TTY-19",
    "permission-fails": "C-ASK-1",
    "unannounced-refused": "C-ASK-2",
    "one-permission": "C-ASK-3",
    "allows-after-cancel": "C-STOP-1",
    "leaves-after-cancel": "C-STOP-2",
    "elicitation-silent": "C-ELICIT-1",
    "elicitation-type": "C-ELICIT-2",
    "accepts-any-mode": "C-ELICIT-3",
    "complete-ends": "C-ELICIT-4",
    "hangs-in-initialize": "C-LIFE-1",
    "hangs-in-session": "C-LIFE-2",
    "hangs-in-turn": "C-LIFE-3",
    "hangs-in-message": "C-LIFE-4",
    "hangs-at-end-of-stdout": "C-LIFE-5",
    "death-is-success": "C-LIFE-6",
    "never-ends": "C-LIFE-7",
    "leaves-a-process": "C-LIFE-8",
    "leaves-the-agent": "C-LIFE-9",
    "exit-code": "C-LIFE-10",
}

# Skipped although nothing is wrong, and why: the client advertises all that is asked for.
SKIPPED = {"C-HONEST-1"}
# The kit gives up: its exit code.
GIVES_UP = {}

if SECOND:
    sys.path.insert(0, str(HERE / "version2"))
    from client_faults_2 import FAULTS, GIVES_UP, SKIPPED


EVERYWHERE = ("WIRE", "SCHEMA", "ORDER", "PATH", "CAP", "CANCEL", "TERM", "PERM")
AREAS = sorted(area for area in {each.rpartition("-")[0] for each in FAULTS.values()}
               if area.split("-")[1] not in EVERYWHERE)


def selection(fault):
    """The words that choose what is tried with this fault."""
    area = FAULTS[fault].rpartition("-")[0] if fault else None
    if WHOLE or area is None or area.split("-")[1] in EVERYWHERE:
        return []
    turn = list(FAULTS).index(fault) % 3
    areas = {area} | {each for i, each in enumerate(AREAS) if i % 3 == turn}
    return [word for each in sorted(areas) for word in ("--only", each)]


def check(fault):
    """What is found in a client with this fault: {id: (status, message)}."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        words = [ACP, "check", "client", *PROTOCOL, "--jobs", "4", "--timeout", os.environ.get("ACP_CHECK_TIMEOUT", "6"),
                 "--json", file.name, *selection(fault), "--", sys.executable, "-S", "-E", str(CLIENT)]
        words += (["--fault", fault] if fault else []) + ["{agent}"]
        run = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=300)
        try:
            results = json.loads(Path(file.name).read_text())["results"]
        except ValueError:
            sys.exit(f"{fault}: {run.stderr}")
    found = {each["id"]: (each["status"], each["message"]) for each in results}
    must = any(each["status"] == "fail" and each["level"] == "must" for each in results)
    if run.returncode != GIVES_UP.get(fault, 1 if must else 0):
        found["exit code"] = ("fail", str(run.returncode))
    return found


def main():
    began = time.monotonic()
    listed = re.findall(r"\bC2?-[A-Z]+-\d+", subprocess.run(
        [ACP, "check", "client", *PROTOCOL, "--list"], capture_output=True, text=True, check=True).stdout)
    without = sorted(set(listed) - set(FAULTS.values()))
    unknown = sorted(set(FAULTS.values()) - set(listed))
    complaints = [f"no fault for {each}" for each in without] + [f"no requirement {each}" for each in unknown]

    faults = [None, *list(CHOSEN or FAULTS)[::EVERY]]
    results, lock = {}, threading.Lock()
    waiting = list(faults)

    def work():
        while True:
            with lock:
                if not waiting:
                    return
                fault = waiting.pop(0)
            results[fault] = check(fault)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for fault in faults:
        found = results[fault]
        failed = {id: message for id, (status, message) in found.items() if status == "fail"}
        if fault is None:
            skipped = {id: message for id, (status, message) in found.items() if status == "skip"}
            print(f"{'(no fault)':28} {len(found) - len(failed) - len(skipped)} pass, {len(skipped)} skipped")
            complaints += [f"no fault: {id} failed: {message}" for id, message in failed.items()]
            complaints += [f"no fault: {id} skipped: {message}" for id, message in skipped.items() if id not in SKIPPED]
            continue
        expected = FAULTS[fault]
        other = sorted(set(failed) - {expected})
        print(f"{fault:28} {expected:12} {'found' if expected in failed else 'MISSED'}"
              f"{'  and ' + ', '.join(other) if other else ''}")
        if expected not in failed:
            complaints.append(f"{fault}: {expected} is {found.get(expected)}")
        complaints += [f"{fault}: {id} failed too: {failed[id]}" for id in other]
    print(f"{len(faults) - 1} of {len(FAULTS)} faults, which are for {len(set(FAULTS.values()))} of {len(set(listed))} "
          f"requirements, {time.monotonic() - began:.0f} s")
    for each in complaints:
        print(each, file=sys.stderr)
    sys.exit(1 if complaints else 0)


main()
