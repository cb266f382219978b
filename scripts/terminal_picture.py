#!/usr/bin/env python3
"""terminal_picture.py FILE.svg COMMAND…: runs each command in a shell and draws what a terminal would show.

    scripts/terminal_picture.py docs/acp-schema.svg 'acp schema show ToolCallLocation'
"""

import html
import subprocess
import sys
from pathlib import Path

WIDTH, LINE, LEFT, TOP = 96, 18, 16, 44

target, *commands = sys.argv[1:]
rows = []
for command in commands:
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    rows.append(("command", "$ " + command))
    for kind, text in (("output", result.stdout), ("note", result.stderr)):
        for line in text.splitlines():
            pieces = [line[i:i + WIDTH] for i in range(0, len(line), WIDTH)] or [""]
            rows += [(kind, piece) for piece in pieces]
    rows.append(("output", ""))
rows.pop()

height = TOP + LINE * len(rows) + 12
svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT * 2 + WIDTH * 8.4:.0f}" height="{height}" '
       'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">',
       "<style>rect{fill:#1e2127}.output{fill:#d7dae0}.command{fill:#98c379}.note{fill:#e5c07b}</style>",
       f'<rect width="100%" height="{height}" rx="8"/>']
svg += [f'<circle cx="{LEFT + 6 + 20 * i}" cy="20" r="6" fill="{colour}"/>'
        for i, colour in enumerate(("#e06c75", "#e5c07b", "#98c379"))]
for i, (kind, text) in enumerate(rows):
    svg.append(f'<text class="{kind}" x="{LEFT}" y="{TOP + LINE * i + 8}" xml:space="preserve">{html.escape(text)}</text>')
svg.append("</svg>\n")
Path(target).write_text("\n".join(svg), encoding="utf-8")
