#!/usr/bin/env python3
"""What a user's file costs the compiler: CPU time and memory, beside the same file with nlohmann-json.

    python3 bench/compile.py [RUNS]       medians of RUNS compilations of each file, 7 if not given

CXX names the compiler (g++). The files are in bench/compile/.
"""
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FLAGS = ["-O2", "-std=c++20", f"-I{HERE.parent}"]
FILES = [
    ("headers.cc", "the standard headers of v1.h"),
    ("fill.cc", "v1.h, one message filled"),
    ("encode.cc", "v1.h and codec.h, filled and written"),
    ("../../examples/hello_agent.cc", "hello_agent, the whole program"),
    ("nlohmann.cc", "nlohmann-json, the same message filled"),
    ("nlohmann_encode.cc", "nlohmann-json, filled and written"),
]
GOALS = [("fill.cc", 1.5, 250), ("../../examples/hello_agent.cc", 2, 300)]


def compile_once(compiler, name):
    """CPU seconds and MB at the peak."""
    command = [compiler, *FLAGS, "-c", str(HERE / "compile" / name), "-o", os.devnull]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"compile.py: {' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    compiler = os.environ.get("CXX", "g++")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    for name, _ in FILES:
        compile_once(compiler, name)  # brings the headers into the cache
    samples = {name: [] for name, _ in FILES}
    for _ in range(runs):  # interleaved: whatever else the machine does meets all of them
        for name, _ in FILES:
            samples[name].append(compile_once(compiler, name))
    medians = {name: [statistics.median(s[i] for s in samples[name]) for i in (0, 1)] for name in samples}

    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    print(f"{version.splitlines()[0]}, -O2; medians of {runs} interleaved runs\n")
    base = medians[FILES[0][0]]
    print(f"{'':40} {'CPU s':>7} {'MB':>5}   x headers (time, memory)")
    for name, what in FILES:
        seconds, megabytes = medians[name]
        print(f"{what:40} {seconds:7.2f} {megabytes:5.0f}   {seconds / base[0]:.2f}  {megabytes / base[1]:.2f}")
    print()
    for name, seconds, megabytes in GOALS:
        met = medians[name][0] < seconds and medians[name][1] < megabytes
        print(f"goal: {dict(FILES)[name]} in under {seconds} s and {megabytes} MB: {'met' if met else 'MISSED'}")


if __name__ == "__main__":
    main()
