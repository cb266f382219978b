#!/usr/bin/env python3
"""chat_picture.py ACP DIRECTORY: acp chat with the offline model, as a terminal shows it: pictures for the docs."""

import html
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "chat" / "testing"))
from screen import Chat  # noqa: E402

CELL, LINE, LEFT, TOP = 8.4, 18, 16, 44
COLOURS = {"31": "#e06c75", "32": "#98c379", "33": "#e5c07b", "34": "#61afef", "35": "#c678dd", "36": "#56b6c2",
           "90": "#7f848e"}
acp, target = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])


def look(style):
    """Of a text with these SGR parameters."""
    numbers = style.split(";")
    colour = next((COLOURS[one] for one in numbers if one in COLOURS), "#d7dae0")
    if "2" in numbers and colour == "#d7dae0":
        colour = "#7f848e"
    return f'fill="{colour}"' + (' font-weight="bold"' if "1" in numbers else "")


def spans(cells):
    text, style, at, out = "", "", 0, []
    for column, cell in enumerate([*cells, None]):
        now = getattr(cell, "style", style) if cell else None
        if now != style and text:
            if text.strip():
                out.append((at, text, style))
            text, at = "", column
        if not text:
            at = column
        style, text = now, text + (cell or "")
    return out


def draw(name, chat, columns, rows):
    lines = chat.screen.lines[-rows:]
    height = TOP + LINE * len(lines) + 12
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT * 2 + columns * CELL:.0f}" height="{height}" '
           'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">',
           f'<rect width="100%" height="{height}" rx="8" fill="#1e2127"/>']
    svg += [f'<circle cx="{LEFT + 6 + 20 * i}" cy="20" r="6" fill="{dot}"/>'
            for i, dot in enumerate(("#e06c75", "#e5c07b", "#98c379"))]
    for i, cells in enumerate(lines):
        for column, text, style in spans(cells):
            width = len(text) * CELL
            svg.append(f'<text {look(style)} x="{LEFT + column * CELL:.1f}" y="{TOP + LINE * i + 8}" '
                       f'textLength="{width:.1f}" xml:space="preserve">{html.escape(text)}</text>')
    svg.append("</svg>\n")
    (target / name).write_text("\n".join(svg), encoding="utf-8")


with tempfile.TemporaryDirectory() as home:
    work = Path(home, "parser")
    for name, text in {"src/lexer.cc": "Token next() {\n  if (pos_ == size_) return end();\n"
                                       "  return {start_, pos_ - 1};\n}\n",
                       "src/lexer.h": "", "src/parser.cc": "", "tests/lexer_test.cc": "", "README.md": ""}.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    env = {key: value for key, value in os.environ.items()
           if not key.startswith(("XDG_", "ACP_", "OPENAI_", "ANTHROPIC_", "NO_COLOR"))}
    env |= {"HOME": home, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    subprocess.run(["git", "init", "-q"], cwd=work, env=env, check=True)

    def begin(columns, rows, model=("--model", "offline")):
        chat = Chat([acp, "chat", *model], columns=columns, rows=rows, env=env, cwd=work)
        chat.wait("/help")
        return chat

    def ask(chat):
        chat.type("replace pos_ - 1 with pos_ in src/lexer.cc\r")
        chat.wait("asks for permission")
        chat.wait("Reject and say why")

    for name, columns, rows in (("chat-start.svg", 80, 12), ("chat.svg", 80, 30), ("chat-files.svg", 80, 14),
                                ("chat-narrow.svg", 40, 30)):
        # As it is where nothing is configured.
        chat = begin(columns, rows, ()) if name == "chat-start.svg" else begin(columns, rows)
        if name == "chat.svg":
            chat.type("plan Find the mistake, Fix it, Run the tests\r")
            chat.wait("❯ plan")
            chat.wait("/help")
        if name in ("chat.svg", "chat-narrow.svg"):
            ask(chat)
        if name == "chat-files.svg":
            chat.type("look at @lex")
            chat.wait("tests/lexer_test.cc")
        for line in chat.screen.lines:  # no path of this machine
            text = "".join(line)
            if str(work) in text:
                fresh = type(line[0])(re.sub(re.escape(str(work)), "~/parser", text))
                fresh.style = line[0].style
                line[:] = [cell for cell in fresh]
                for i, char in enumerate(fresh):
                    line[i] = type(fresh)(char)
                    line[i].style = fresh.style
        draw(name, chat, columns, rows)
        chat.close()
