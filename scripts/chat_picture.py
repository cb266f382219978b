#!/usr/bin/env python3
"""chat_picture.py ACP FILE.svg: a short session of acp chat with the offline model, as a terminal shows it."""

import html
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "chat"))
from screen import Chat  # noqa: E402

WIDTH, LINE, LEFT, TOP = 80, 18, 16, 44
acp, target = str(Path(sys.argv[1]).resolve()), sys.argv[2]

with tempfile.TemporaryDirectory() as home:
    work = Path(home, "project")
    work.mkdir()
    (work / "greet.py").write_text('print("Hello, wrold")\n')
    env = {**os.environ, "HOME": home, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    for name in list(env):
        if name.startswith("XDG_"):
            del env[name]
    chat = Chat([acp, "chat", "--model", "offline"], columns=WIDTH, rows=30, env=env, cwd=work)
    chat.wait("/help")
    chat.type("plan Find the typo, Mend it, Run it\r")
    chat.wait("❯ plan")
    chat.wait("/help")
    chat.type("replace wrold with world in greet.py\r")
    chat.wait("asks for permission")
    chat.wait("Allow once")
    rows = re.sub(r" in /[^\s,]*", " in ~/project", chat.screen.text()).split("\n")
    chat.close()


def colour(text):
    if text.startswith(("❯", "  1 ", "  2 ")):
        return "#56b6c2"
    if text.startswith("?"):
        return "#e5c07b"
    if "│ +" in text:
        return "#98c379"
    if "│ -" in text:
        return "#e06c75"
    return "#7f848e" if text.startswith(("·", "  acp ")) else "#d7dae0"


height = TOP + LINE * len(rows) + 12
svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT * 2 + WIDTH * 8.4:.0f}" height="{height}" '
       'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">',
       f'<rect width="100%" height="{height}" rx="8" fill="#1e2127"/>']
svg += [f'<circle cx="{LEFT + 6 + 20 * i}" cy="20" r="6" fill="{dot}"/>'
        for i, dot in enumerate(("#e06c75", "#e5c07b", "#98c379"))]
for i, row in enumerate(rows):
    svg.append(f'<text fill="{colour(row)}" x="{LEFT}" y="{TOP + LINE * i + 8}" xml:space="preserve">'
               f"{html.escape(row)}</text>")
svg.append("</svg>\n")
Path(target).write_text("\n".join(svg), encoding="utf-8")
