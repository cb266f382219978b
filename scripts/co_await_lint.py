#!/usr/bin/env python3
"""co_await_lint.py [FILE…]: no braces and no conditionals among the arguments of a co_await expression.

g++ 12 destroys a temporary that is made there twice: `co_await f({.path = p})` is a double free, so is
`co_await f(short ? s : s + t)`, and with an initializer list it does not compile. Name the value first.
Without arguments: all of our C++, and the programs in the documentation.
"""

import re
import sys
from pathlib import Path


# Their parameters are made so that g++ 12 takes a list of words or of content.
TAKES_A_LIST = re.compile(r"\b(?:spawn|prompt)\(\s*\{$")


def without_noise(text):
    """Strings, characters and comments as blanks: what is left keeps its place."""
    # What compilers without this fault get.
    text = re.sub(r"(#if ACP_TEMPORARIES_BREAK\n.*?#else\n)(.*?)(?=#endif)",
                  lambda m: m.group(1) + re.sub(r"[^\n]", " ", m.group(2)), text, flags=re.S)
    pattern = r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def is_lambda_body(text, brace):
    before = text[:brace].rstrip()
    return bool(re.search(r"[\])](\s*mutable)?(\s*noexcept)?(\s*->\s*[\w:<>,&*\s]+)?$", before))


def faults(text):
    """Offsets of what must not stand inside the parentheses of a co_await expression."""
    text = without_noise(text)
    for match in re.finditer(r"\bco_await\b", text):
        depth, at, skip = 0, match.end(), []
        while at < len(text):
            c = text[at]
            if c in "([":
                depth += 1
            elif c in ")]":
                depth -= 1
                if depth < 0:
                    break
            elif c == "{":
                if depth == 0:
                    break
                if TAKES_A_LIST.search(text[:at + 1]) and not text[at + 1:].lstrip().startswith("."):
                    at = text.index("}", at) + 1
                    continue
                if not is_lambda_body(text, at):
                    yield at
                    break
                skip.append(depth)
            elif c == "}":
                if not skip:
                    break
                skip.pop()
            elif c == ";" and not skip:
                break
            elif c == "?" and depth > 0 and not skip:
                yield at
                break
            at += 1


def check(path):
    text = path.read_text(encoding="utf-8")
    pieces = [(0, text)]
    if path.suffix == ".md":
        pieces = [(m.start(1), m.group(1)) for m in re.finditer(r"^```cpp\n(.*?)^```", text, re.M | re.S)]
    count = 0
    for start, piece in pieces:
        for at in faults(piece):
            line = text.count("\n", 0, start + at) + 1
            print(f"{path}:{line}: a braced value or a conditional inside a co_await expression: name it first")
            count += 1
    return count


def self_test():
    bad = ["co_await f({.path = p});", "co_await f(T{1});", "co_await a.b(x, {1, 2});",
           "auto v = co_await f(std::vector<int>{1});", "co_await f(a ? b : c);"]
    good = ["co_await f(p);", "co_await f([x](int) { return x; });", "if (co_await f()) { g(); }",
            'co_await f("{");', "T v{1}; co_await f(v);", "(co_await f()) ? a : b;", "co_await f([]() -> Task<void> { co_return; });"]
    for line in bad:
        assert list(faults(line)), line
    for line in good:
        assert not list(faults(line)), line


self_test()
files = [Path(name) for name in sys.argv[1:]]
if not files:
    root = Path(__file__).resolve().parent.parent
    files = [file for file in root.rglob("*") if file.suffix in (".cc", ".h", ".md")
             and not {"build", "node_modules", ".git"} & set(file.relative_to(root).parts)]
found = sum(check(file) for file in files)
print(f"{len(files)} files, {found} faults")
sys.exit(1 if found or not files else 0)
