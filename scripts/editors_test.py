#!/usr/bin/env python3
"""editors_test.py [FOLDER]: the configurations in docs/editors.md are well-formed, start `acp agent`, and say
where they come from; so do the rows of docs/agent-presets.md. Then spoils copies of both: each must be noticed."""

import json
import re
import sys
from pathlib import Path

EDITORS = ["Zed", "JetBrains", "CodeCompanion", "avante.nvim", "agent-shell", "Qt Creator"]
NO_EDITOR = ["What was tried", "Not verified"]
PLACE = re.compile(r"https://[^\s>)]+")
DATE = re.compile(r"\b20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b")
# What a token is, tried in this order. A quote or an opening comment that none of them takes is an error.
TOKENS = {
    "lua": re.compile(
        r"""(?P<comment>--\[(?P<c>=*)\[.*?\](?P=c)\]|--(?!\[=*\[)[^\n]*)
        |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\[(?P<s>=*)\[.*?\](?P=s)\])
        |(?P<open>[({\[])|(?P<close>[)}\]])|(?P<bad>["']|--\[=*\[)|(?P<other>.)""", re.S | re.X),
    "elisp": re.compile(
        r"""(?P<comment>;[^\n]*)|(?P<character>\?(?:\\.|[^\\\s]))|(?P<string>"(?:[^"\\]|\\.)*")
        |(?P<open>[(\[])|(?P<close>[)\]])|(?P<bad>["])|(?P<other>.)""", re.S | re.X),
}
PAIRS = {")": "(", "]": "[", "}": "{"}


def is_acp(program):
    return isinstance(program, str) and (program == "acp" or (program.startswith("/") and program.endswith("/acp")))


def starts_agent(value):
    """Whether somewhere in this JSON an object starts `acp agent`."""
    if isinstance(value, dict):
        arguments = value.get("args")
        if is_acp(value.get("command")) and isinstance(arguments, list) and arguments[:1] == ["agent"]:
            return True
        value = list(value.values())
    return isinstance(value, list) and any(starts_agent(item) for item in value)


def without_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a name stands twice in one object")
    return dict(pairs)


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def json_problems(block):
    try:
        value = json.loads(block, object_pairs_hook=without_duplicates, parse_constant=no_constant)
    except ValueError as error:
        return [f"not JSON: {error}"]
    return [] if starts_agent(value) else ["does not start `acp agent`"]


def code_problems(block, language):
    """Brackets and quotes balance; the string "acp" is followed by the string "agent"."""
    strings, stack = [], []
    for token in TOKENS[language].finditer(block):
        text = token.group()
        if token["string"]:
            strings.append(text[1:-1])
        elif token["bad"]:
            return [f"{text} is never closed"]
        elif token["open"]:
            stack.append(text)
        elif token["close"] and (not stack or stack.pop() != PAIRS[text]):
            return [f"{text} closes nothing"]
    if stack:
        return [f"{stack[-1]} is never closed"]
    found = any(is_acp(first) and second == "agent" for first, second in zip(strings, strings[1:]))
    return [] if found else ["does not start `acp agent`"]


def section_problems(body):
    found = []
    fence = re.compile(r"^```(\S*)\n(.*?)^```$", re.M | re.S)
    blocks = fence.findall(body)
    rest = fence.sub("", body)
    if "```" in rest:
        found.append("a block without an end")
    for language, block in blocks:
        if language == "json":
            found += [f"json: {problem}" for problem in json_problems(block)]
        elif language in TOKENS:
            found += [f"{language}: {problem}" for problem in code_problems(block, language)]
        else:
            found.append(f"a block in {language or 'no language'}")
    if not blocks and not ("| `acp`" in rest and "| `agent`" in rest):
        found.append("neither a block nor a table that starts `acp agent`")
    source = re.search(r"^Source: .*?(?=\n\n|\Z)", rest, re.M | re.S)
    if not source:
        found.append("no line `Source:`")
    else:
        found += [] if PLACE.search(source.group()) else ["a source without an address"]
        found += [] if DATE.search(source.group()) else ["a source without a date"]
    return found


def editors_problems(page):
    sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, re.M | re.S))
    found = [f"{editor}: no section" for editor in EDITORS if not any(editor in title for title in sections)]
    tried = re.findall(r"^\| (?!---|client)[^|\n]*\|([^|\n]*)\|([^|\n]*)\|$", sections.get(NO_EDITOR[0], ""), re.M)
    if not tried or not all(version.strip() and seen.strip() for version, seen in tried):
        found.append("What was tried: each client needs a version, or none, and what was seen")
    for title, body in sections.items():
        if title not in NO_EDITOR:
            found += [f"{title}: {problem}" for problem in section_problems(body)]
    return found


def presets_problems(page):
    """Each row: a preset, two commands, how to install it, a source, when it was read, what the registry saw."""
    rows = [re.split(r"(?<!\\)\|", row)[1:-1] for row in re.findall(r"^\| `.*$", page, re.M)]
    found = [] if len(rows) >= 10 else [f"only {len(rows)} presets"]
    names = [row[0].strip() for row in rows]
    found += [f"{name}: stands twice" for name in sorted(set(names)) if names.count(name) > 1]
    for name, row in zip(names, rows):
        if len(row) != 7:
            found.append(f"{name}: {len(row)} cells, not 7")
        elif not PLACE.search(row[4]):
            found.append(f"{name}: a source without an address")
        elif not DATE.search(row[5]):
            found.append(f"{name}: no date")
        elif "`" not in row[1] + row[2]:
            found.append(f"{name}: no command")
    return found


# What is spoilt, by which change, and a part of what must be said of it.
SPOILT = {
    "editors.md": [
        ('"args": ["agent"]', '"args": ["agent"],', "not JSON"),
        ('"command": "acp"', '// the program\n      "command": "acp"', "not JSON"),
        ('"env": {}', '"env": {}, "env": {}', "stands twice"),
        ('"env": {}', '"env": NaN', "NaN"),
        ('"command": "acp"', '"command": "bin/acp"', "does not start"),
        ('"command": "/usr/local/bin/acp"', '"command": "/usr/local/bin/acpx"', "does not start"),
        ('"args": ["agent"]', '"args": ["--model", "agent"]', "does not start"),
        ('default = { "acp", "agent" },', 'default = { "acp", "agent" ),', ") closes nothing"),
        ('default = { "acp", "agent" },', 'default = { "acp", "agent },', '" is never closed'),
        ('default = { "acp", "agent" },', 'default = { "acp", "agents" },', "lua: does not start"),
        ('default = { "acp", "agent" },', '-- default = { "acp", "agent" },', "lua: does not start"),
        ('provider = "libacp",', 'provider = "libacp", --[[ no end', "is never closed"),
        ("'(\"agent\")", "'(\"agent\"", "elisp: ( is never closed"),
        ("'(\"agent\")", "'(\"agent)", "is never closed"),
        (":command \"acp\"", ":command \"agent\"", "elisp: does not start"),
        ("```lua\n", "```\n", "no language"),
        ("\n```\n\nOlder versions call", "\n\nOlder versions call", "CodeCompanion: "),
        ("Source: <https://www.jetbrains.com", "See <https://www.jetbrains.com", "JetBrains: no line `Source:`"),
        ("<https://github.com/RAIT-09", "<http://github.com/RAIT-09", "Client: a source without an address"),
        ("2025.3/acp.html>, read 2026-11-15.", "2025.3/acp.html>, read 2026.", "JetBrains: a source without a date"),
        ("| Arguments | `agent` |", "| Arguments | none |", "Qt Creator: neither"),
        ("## Qt Creator", "## Creator", "Qt Creator: no section"),
        ("| 2.4.0 |", "| |", "What was tried: "),
        ("## What was tried", "## Tried", "What was tried: "),
    ],
    "agent-presets.md": [
        ("| `gemini` | `gemini --acp` |", "| `gemini` |", "`gemini`: 6 cells"),
        ("| 2026-11-15 | 0.56.0, ok |", "| today | 0.56.0, ok |", "`gemini`: no date"),
        ("<https://geminicli.com/docs/cli/acp-mode/>; registry", "registry", "`gemini`: a source"),
        ("| `gemini` |", "| `claude` |", "`claude`: stands twice"),
        ("| `kilo acp` | `npx -y @kilocode/cli acp` |", "| kilo acp | none |", "`kilo`: no command"),
    ],
}
CHECKS = {"editors.md": editors_problems, "agent-presets.md": presets_problems}


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs")
    failures = []
    for name, check in CHECKS.items():
        page = (folder / name).read_text(encoding="utf-8")
        failures += [f"{name}: {problem}" for problem in check(page)]
        for old, new, said in SPOILT[name]:
            if old not in page:
                failures.append(f"{name}: nothing to spoil: {old!r} is not there")
            elif not any(said in problem for problem in check(page.replace(old, new, 1))):
                failures.append(f"{name}: {new!r} for {old!r} was not noticed")
        print(f"{name}: checked, and {len(SPOILT[name])} spoilt copies")
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
