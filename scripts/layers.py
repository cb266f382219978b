#!/usr/bin/env python3
"""layers.py: a folder includes only what stands below it, no header and no folder includes itself in a circle, and no
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
# What each folder may include, besides itself: a folder with sources has a line. `testing` belongs to the folder above it.
BELOW = {
    "acp/json": [],
    "acp/async": [],
    "acp/schema": ["acp/json"],
    "acp/rpc": ["acp/json"],
    "acp/io": ["acp/json", "acp/async", "acp/rpc"],
    "acp/io/process": ["acp/json", "acp/async", "acp/rpc", "acp/io"],
    # The public headers stand below acp/role, which implements them: only their sources include it.
    "acp": CORE,
    "acp/role/versions/patch": ["acp/json", "acp/schema"],
    "acp/role/versions": ["acp/json", "acp/schema", "acp/role/versions/patch"],
    "acp/role": CORE,
    "acp/role/agent": [*CORE, "acp/role", "acp/role/versions"],
    "acp/role/client": [*CORE, "acp/role", "acp/role/versions"],
    "acp/role/proxy": [*CORE, "acp/role"],
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
    "check/rules/version2": [*CORE, "acp/role", "check/rules"],
    "check/wire": [*CORE, *WORKSPACE, "check/rules"],
    "check/agent": [*CORE, "acp/http", *WORKSPACE, "check/rules", "check/wire"],
    "check/agent/version2": [*CORE, "check/agent", "check/rules", "check/wire"],
    "check/client": [*CORE, "acp/remote", *WORKSPACE, "check/rules", "check/wire"],
    "check/client/version2": [*CORE, "check/client", "check/rules", "check/wire"],
    "gateway": [*CORE, "acp/remote"],
    "cli": [*CORE, "acp/http", "acp/mcp", "acp/remote", "gateway", *WORKSPACE, "settings", "coder", "coder/model", "coder/store", "chat", "chat/render/text",
            "chat/run", "chat/tui", "check/rules", "check/wire", "check/agent", "check/client"],
}
BELOW["cli/commands"] = [*BELOW["cli"], "cli"]
# The public headers, and what implements them: the one circle that is meant.
MEANT = {"acp", "acp/role", "acp/role/agent", "acp/role/client", "acp/role/proxy"}
# Programs beside the product: they may include anything below them.
OUTSIDE = ["bench", "examples", "fuzz", "interop", "scripts"]
TOPS = sorted({folder.split("/")[0] for folder in BELOW})
INCLUDE = re.compile(rf'#include ["<]((?:{"|".join(TOPS + OUTSIDE)})/[^">]+)[">]')


def folder_of(path):
    """The layer of a folder, or None."""
    folder = path.removesuffix("/testing")
    return folder if folder in BELOW else None


def may_include(name, there):
    here = folder_of(str(Path(name).parent))
    if there == here or there in BELOW[here] or "/testing" in name:
        return True
    # A test may stand below what it needs to set up.
    if name.endswith("_test.cc"):
        return there.split("/")[0] in {"acp", here.split("/")[0], *(f.split("/")[0] for f in BELOW[here])}
    return here == "acp" and name.endswith(".cc") and there.startswith("acp/role")


def circle_from(start, includes):
    """The headers, or folders, of a circle that START is on, or None."""
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
folder_includes = {}
without_line = set()
sources = [f for top in TOPS + OUTSIDE for ext in ("h", "cc") for f in root.glob(f"{top}/**/*.{ext}")
           if "node_modules" not in f.parts]
for file in sorted(sources):
    name = str(file.relative_to(root))
    parent = str(Path(name).parent)
    here = folder_of(parent)
    outside = name.split("/")[0] in OUTSIDE
    if here is None and not outside:
        without_line.add(parent)
        continue
    for line, text in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
        match = INCLUDE.match(text)
        if not match:
            continue
        includes.setdefault(name, []).append(match.group(1))
        there_is = str(Path(match.group(1)).parent)
        there = folder_of(there_is) or there_is
        if not outside and not may_include(name, there):
            faults.append(f"{name}:{line}: {here} must not include {match.group(1)}")
        # A test may include what stands above it.
        if not name.endswith("_test.cc") and "/testing/" not in name and (here or parent) != there:
            folder_includes.setdefault(here or parent, set()).add(there)
faults += [f"{folder}: this folder has no line in layers.py" for folder in sorted(without_line)]
for name in sorted(n for n in includes if n.endswith(".h")):
    if circle := circle_from(name, includes):
        faults.append("a circle: " + " → ".join(circle))
for folder in sorted(folder_includes):
    below = {f: sorted(s - MEANT if f in MEANT else s) for f, s in folder_includes.items()}
    if circle := circle_from(folder, below):
        faults.append("a circle of folders: " + " → ".join(circle))

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
