#!/usr/bin/env python3
"""layers.py: a folder includes only what stands below it, no header includes itself in a circle, and no
folder or file grows without limit. docs/architecture.md says what each folder is for."""

import re
import subprocess
import sys
from pathlib import Path

MOST_FILES = 40  # of one folder, sources and tests
MOST_LINES = 600
GENERATED = re.compile(r"acp/schema/v[12](_names)?\.(h|cc)")
SOURCE = (".h", ".cc", ".py", ".mjs", ".sh")

CORE = ["acp/json", "acp/async", "acp/schema", "acp/rpc", "acp/io", "acp/io/process", "acp"]
WORKSPACE = ["acp/workspace", "acp/workspace/files"]
RENDER = ["chat/render", "chat/render/markdown", "chat/render/text"]
# What each folder may include, besides itself.
BELOW = {
    "acp/json": [],
    "acp/async": [],
    "acp/schema": ["acp/json"],
    "acp/rpc": ["acp/json"],
    "acp/io": ["acp/json", "acp/async", "acp/rpc"],
    "acp/io/process": ["acp/json", "acp/async", "acp/rpc", "acp/io"],
    # The public headers stand below acp/role, which implements them: only their sources include it.
    "acp": CORE,
    "acp/role/versions": ["acp/json", "acp/schema"],
    "acp/role": CORE,
    "acp/role/agent": [*CORE, "acp/role", "acp/role/versions"],
    "acp/role/client": [*CORE, "acp/role", "acp/role/versions"],
    "acp/http": CORE,
    "acp/mcp": [*CORE, "acp/role", "acp/http"],
    "acp/remote": [*CORE, "acp/http"],
    "acp/workspace/files": CORE,
    "acp/workspace": [*CORE, "acp/workspace/files"],
    "settings": [*CORE, "acp/http", *WORKSPACE],
    "coder/model": [*CORE, "acp/http", "settings"],
    "coder/store": [*CORE, "settings"],
    "coder/tools": [*CORE, "acp/http", *WORKSPACE, "coder/model"],
    "coder/session": [*CORE, "acp/mcp", *WORKSPACE, "settings", "coder/model", "coder/store", "coder/tools"],
    "coder/turn": [*CORE, "acp/mcp", *WORKSPACE, "settings", "coder/model", "coder/store", "coder/tools",
                   "coder/session"],
    "coder": [*CORE, "acp/http", "acp/mcp", *WORKSPACE, "settings", "coder/model", "coder/store", "coder/tools",
              "coder/session", "coder/turn"],
    "chat/render/text": CORE,
    "chat/render/markdown": [*CORE, "chat/render/text"],
    "chat/render": [*CORE, *WORKSPACE, "chat/render/markdown", "chat/render/text"],
    "chat": [*CORE, "acp/http", *WORKSPACE, "settings", *RENDER],
    "chat/run": [*CORE, *WORKSPACE, "settings", *RENDER, "chat"],
    "chat/tui/input": [*CORE, *WORKSPACE, "settings", *RENDER],
    "chat/tui": [*CORE, *WORKSPACE, "settings", *RENDER, "chat", "chat/tui/input"],
    "check/rules": [*CORE, "acp/role"],
    "check/wire": [*CORE, *WORKSPACE, "check/rules"],
    "check/agent": [*CORE, "acp/http", *WORKSPACE, "check/rules", "check/wire"],
    "check/client": [*CORE, "acp/remote", *WORKSPACE, "check/rules", "check/wire"],
    "gateway": [*CORE, "acp/remote"],
    "cli": [*CORE, "acp/http", "acp/mcp", "acp/remote", "gateway", *WORKSPACE, "settings", "coder", "coder/model", "coder/store", "chat", "chat/render/text",
            "chat/run", "chat/tui", "check/rules", "check/wire", "check/agent", "check/client"],
}
BELOW["cli/commands"] = [*BELOW["cli"], "cli"]
TOPS = sorted({folder.split("/")[0] for folder in BELOW})
INCLUDE = re.compile(rf'#include ["<]((?:{"|".join(TOPS)})/[^">]+)[">]')


def folder_of(path):
    return next((f for f in sorted(BELOW, key=len, reverse=True) if path == f or path.startswith(f + "/")), None)


def may_include(name, there):
    here = folder_of(str(Path(name).parent))
    if there == here or there in BELOW[here] or "/testing" in name:
        return True
    # A test may stand below what it needs to set up.
    if name.endswith("_test.cc"):
        return there.split("/")[0] in {"acp", here.split("/")[0], *(f.split("/")[0] for f in BELOW[here])}
    return here == "acp" and name.endswith(".cc") and there.startswith("acp/role")


def circle_from(start, includes):
    """The headers of a circle that START is on, or None."""
    ways, seen = [[start]], set()
    while ways:
        way = ways.pop()
        for other in includes.get(way[-1], ()):
            if other == start:
                return [*way, start]
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    return None


root = Path(__file__).resolve().parent.parent
faults = []
includes = {}
sources = [f for top in TOPS for ext in ("h", "cc") for f in root.glob(f"{top}/**/*.{ext}")]
for file in sorted(sources):
    name = str(file.relative_to(root))
    if folder_of(str(Path(name).parent)) is None:
        faults.append(f"{name}: its folder is not in layers.py")
        continue
    for line, text in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
        match = INCLUDE.match(text)
        if not match:
            continue
        includes.setdefault(name, []).append(match.group(1))
        there = folder_of(str(Path(match.group(1)).parent))
        if not may_include(name, there):
            faults.append(f"{name}:{line}: {folder_of(str(Path(name).parent))} must not include {match.group(1)}")
for name in sorted(n for n in includes if n.endswith(".h")):
    if circle := circle_from(name, includes):
        faults.append("a circle: " + " → ".join(circle))

kept = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True).stdout.split()
folders = {}
for name in kept or [str(file.relative_to(root)) for file in sources]:
    path = root / name
    if path.suffix not in SOURCE or not path.exists():
        continue
    folders[str(path.parent.relative_to(root))] = folders.get(str(path.parent.relative_to(root)), 0) + 1
    lines = path.read_text(encoding="utf-8").count("\n")
    if lines > MOST_LINES and not GENERATED.fullmatch(name):
        faults.append(f"{name}: {lines} lines, of at most {MOST_LINES}")
faults += [f"{folder}: {count} files, of at most {MOST_FILES}" for folder, count in folders.items() if count > MOST_FILES]

print(*faults, f"{len(sources)} files, {len(faults)} faults", sep="\n")
sys.exit(1 if faults or not sources else 0)
