#!/usr/bin/env python3
"""layers.py: a folder includes only what stands below it."""

import re
import sys
from pathlib import Path

LIBRARY = ["acp", "acp/json", "acp/async", "acp/schema", "acp/rpc", "acp/io"]
# What each folder may include, besides itself. `acp` is the library's top: the roles.
BELOW = {
    "acp/json": [],
    "acp/async": [],
    "acp/schema": ["acp/json"],
    "acp/rpc": ["acp/json"],
    "acp/io": ["acp/json", "acp/async", "acp/rpc"],
    "acp": ["acp/json", "acp/async", "acp/schema", "acp/rpc", "acp/io"],
    "http": [*LIBRARY],
    "mcp": [*LIBRARY, "http"],
    "workspace": [*LIBRARY],
    "settings": [*LIBRARY, "http", "workspace"],
    "coder": [*LIBRARY, "http", "mcp", "workspace", "settings"],
    "chat": [*LIBRARY, "workspace", "settings"],
    "check": [*LIBRARY, "workspace"],
    "cli": [*LIBRARY, "http", "mcp", "workspace", "settings", "coder", "chat", "check"],
}


def folder_of(path):
    return next((f for f in sorted(BELOW, key=len, reverse=True) if path == f or path.startswith(f + "/")), None)


root = Path(__file__).resolve().parent.parent
faults = count = 0
for file in sorted(f for top in ("acp", "http", "mcp", "workspace", "settings", "coder", "chat", "check", "cli") for ext in ("h", "cc") for f in root.glob(f"{top}/**/*.{ext}")):
    name = str(file.relative_to(root))
    here = folder_of(str(Path(name).parent))
    count += 1
    for line, text in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
        match = re.match(r'#include ["<]((?:acp|cli|http|mcp|workspace|settings|coder|chat|check)/[^">]+)[">]', text)
        if not match:
            continue
        there = folder_of(str(Path(match.group(1)).parent))
        if there != here and there not in BELOW[here]:
            print(f"{name}:{line}: {here} must not include {match.group(1)}")
            faults += 1
print(f"{count} files, {faults} faults")
sys.exit(1 if faults or not count else 0)
