#!/usr/bin/env python3
"""figures_test.py: the limits that the documentation names are those of the code."""

import re
import sys
from pathlib import Path

# The page, what stands there (the figure is the group), the source, and its constant.
FIGURES = [
    ("docs/embedding.md", r"bytes in a message \| (\d+) MiB", "acp/rpc/engine.h", "max_message_bytes"),
    ("docs/embedding.md", r"nesting \| (\d+)", "acp/rpc/engine.h", "max_depth"),
    ("docs/embedding.md", r"wait for an answer, each way \| ([\d,]+)", "acp/rpc/engine.h", "max_pending"),
    ("docs/embedding.md", r"bytes that wait to be sent \| (\d+) MiB", "acp/rpc/engine.h", "congestion_bytes"),
    ("docs/embedding.md", r"asks and never reads \| (\d+) MiB", "acp/io/connection.h", "max_outgoing_bytes"),
    ("docs/embedding.md", r"events that nobody takes \| (\d+) MiB", "acp/role/client/client_role.cc", "max_event_bytes"),
    ("docs/embedding.md", r"sessions not known yet \| (\d+) MiB", "acp/role/client/client_role.h", "max_early_bytes"),
    ("docs/clients.md", r"has to wait once (\d+) MiB have piled up", "acp/role/client/client_role.cc", "max_event_bytes"),
    ("docs/clients.md", r"more than (\d+) MiB ahead of the drawing", "acp/role/client/client_role.cc", "max_event_bytes"),
    ("docs/agents.md", r"within (\d+) microseconds of a write", "acp/io/outbox.cc", "gather_time"),
]


def value_of(source, name):
    found = re.search(rf"\b{name} = ([\d' *]+)(?:us)?;", Path(source).read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"{source} has no constant {name}")
    product = 1
    for factor in found.group(1).replace("'", "").split("*"):
        product *= int(factor)
    return product


faults = []
for page, pattern, source, name in FIGURES:
    text = re.sub(r"\s+", " ", Path(page).read_text(encoding="utf-8"))
    found = re.search(pattern, text)
    if not found:
        faults.append(f"{page}: no text like {pattern}")
        continue
    said = int(found.group(1).replace(",", "")) * (1 << 20 if "MiB" in pattern else 1)
    if said != value_of(source, name):
        faults.append(f"{page}: {found.group(0)!r}, but {name} in {source} is {value_of(source, name):,}")
print("\n".join(faults) or f"{len(FIGURES)} figures")
sys.exit(1 if faults else 0)
