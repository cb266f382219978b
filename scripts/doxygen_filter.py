#!/usr/bin/env python3
"""doxygen_filter.py HEADER: the header with its comments in the form that Doxygen reads.

A comment is about all declarations up to the next empty line or comment: each gets a copy. A type of a protocol, ACP or
MCP, gets a link to its place in the specification.
"""

import re
import sys
from pathlib import Path

header = Path(sys.argv[1])
generated = re.search(r"schema/v([12])\.h$", str(header))
of_mcp = str(header).endswith("mcp/types.h")


def escaped(text):
    """Without anything that Doxygen would take for a command, a tag or a link, but for `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([<>@#\\%])", r"\\\1", part) for part in parts)


def as_doc(text):
    if text.startswith("  "):  # an example
        return "///     " + text.strip("\n")
    return f"/// {escaped(text)}".rstrip()


def of_protocol(line):
    found = re.match(r"(?:struct|class|enum class) (\w+)\b[^;]*$|using (\w+) = ", line)
    if not found or not (generated or of_mcp):
        return []
    word = found.group(1) or found.group(2)
    if of_mcp:
        return [f"/// `{word}` of the Model Context Protocol: see",
                f"/// https://modelcontextprotocol.io/specification/2025-11-25/schema#{word.lower()}"]
    return [f"/// `{word}` of the protocol, version {generated.group(1)}: see",
            f"/// https://agentclientprotocol.com/protocol/v{generated.group(1)}/schema#{word.lower()}"]


class Scopes:
    """Where a line stands: only what stands in a namespace, a class or an enum is a declaration."""

    def __init__(self):
        self.stack = []
        self.statement = ""

    def declares(self):
        return not self.statement and all(kind != "body" for kind in self.stack)

    def pass_by(self, code):
        code = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', "0", code)
        for character in code:
            if character == "{":
                type_like = re.search(r"(?:^|\s)(namespace|class|struct|enum|union|extern)\b", self.statement)
                function = re.search(r"\)\s*(?:\w+\s*|&+\s*)*$|->", re.sub(r"\[\[.*?\]\]|<.*?>", "", self.statement))
                self.stack.append("type" if type_like and not function else "body")
                self.statement = ""
            elif character == "}":
                if self.stack:
                    self.stack.pop()
                self.statement = ""
            elif character == ";":
                self.statement = ""
            elif not character.isspace() or self.statement:
                self.statement += character
        if re.fullmatch(r"(public|protected|private):\s*", self.statement.strip() + " "):
            self.statement = ""
        elif self.statement:
            self.statement += " "  # the end of the line


def is_special(line):
    """Constructors that copy and move, assignments, destructors: what they do is known."""
    return re.match(r"\s*(?:virtual )?~\w+\(|.*\boperator=\(|\s*(?:explicit )?(\w+)\((?:const )?\1(?:<\w+>)?&&?\b", line)


def filtered(lines):
    out, doc, fresh, scopes = [], [], False, Scopes()
    macro = False  # the line belongs to the preprocessor
    hidden_at = None  # how deep the special function stands that is being passed over
    for number, line in enumerate(lines):
        comment = re.match(r"\s*//(?!/) ?(.*)$", line)
        code, _, trailing = line.partition("  // ")
        if comment and scopes.declares():
            text = comment.group(1)
            if re.match(r"-{4}|={4}|clang-format|NOLINT", text):
                doc, fresh = [], False
                continue
            if not fresh:
                doc, fresh = ([as_doc("@file").replace("\\", "")] if number == 0 else []), True
            doc.append(as_doc(text))
            continue
        macro = line.startswith("#") or (macro and lines[number - 1].endswith("\\"))
        if not line.strip() or macro:
            if fresh and doc and doc[0] == "/// @file":
                out += doc
            doc, fresh = [], False
            out.append(line)
            continue
        is_code = not re.match(r"\s*(}|public:|protected:|private:|friend\b|namespace\b)", line)
        special = scopes.declares() and is_special(line)
        if special and hidden_at is None:
            out.append("/// @cond")
            hidden_at = len(scopes.stack)
        elif is_code and scopes.declares():
            out += of_protocol(line) if generated and not line.startswith(" ") else doc or of_protocol(line)
        fresh = False
        told = trailing and is_code and scopes.declares()
        field = generated and line.startswith("  ") and scopes.declares() and re.search(r" (\w+) = .*[;,]$", code)
        if field and not told:
            told, trailing = True, "as in the specification"
        out.append(f"{code}  ///< {escaped(trailing)}" if told else code)
        depth = len(scopes.stack)
        scopes.pass_by(code)
        if hidden_at == len(scopes.stack) and not scopes.statement:
            out.append("/// @endcond")
            hidden_at = None
        if len(scopes.stack) != depth:  # what stands inside has comments of its own
            doc = []
    return out


print("\n".join(filtered(header.read_text(encoding="utf-8").split("\n"))))
