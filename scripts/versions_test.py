#!/usr/bin/env python3
"""versions_test.py: docs/versions.md has a row for each of the 36 differences between the versions of the protocol, and
each row names tests that exist: `Suite.Test` of GoogleTest, `file::name` of others, or `test: row`, a row of the table that
an interoperation test prints and checks. Then spoils copies: each fault must be noticed."""

import re
import sys
from pathlib import Path

from requirements_test import Tests, code_spans, read_sources, tables

PAGE = "docs/versions.md"
HEADER = ["no.", "difference", "what libacp does", "test"]
NUMBERS = list(range(1, 37))
# What the tables must have stands here, by the name of the test that prints them.
ROWS = {"version2_interop_test": "interop/version2/expected.mjs", "version2_router_test": "interop/version2/router_test.mjs"}


def ctest_names(lists):
    """All that CMake's files give to add_test(), with the values of a foreach() around it."""
    names = set()
    for text in lists:
        names |= set(re.findall(r"add_test\(NAME (\w+)\s", text))
        for variable, values, body in re.findall(r"foreach\((\w+) ([^)]*)\)(.*?)endforeach", text, re.S):
            for name in re.findall(r"add_test\(NAME ([\w${}]+)\s", body):
                names |= {name.replace("${%s}" % variable, value) for value in values.split()}
        names |= set(re.findall(r"acp(?:_role)?_test\((\w+)\s", text))
    return names


def has_row(source, row):
    """Whether a string of the program is that row; a part that it computes may be anything."""
    for _, text in re.findall(r"""(["'`])([^"'`\n]+)\1""", source):
        if re.fullmatch(".+".join(re.escape(part) for part in re.split(r"\$\{\w+\}", text)), row):
            return True
    return False


def problem_of(name, tests, sources, ctests):
    if re.fullmatch(r"\w+", name):
        return "" if name in ctests else f"there is no test {name}"
    test, separator, row = name.partition(": ")
    if not separator or "::" in test:
        return tests.problem(name)
    if test not in ctests:
        return f"there is no test {test}"
    if test not in ROWS:
        return f"{test} prints no table that is checked"
    return "" if has_row(sources[ROWS[test]], row) else f"{test} has no row {row!r}"


def problems_of(page, sources, lists):
    problems, seen = [], []
    tests, ctests = Tests(sources), ctest_names(lists)
    for line, header, cells in tables(page):
        if header[0] != HEADER[0]:
            continue
        if header != HEADER or len(cells) != len(HEADER):
            problems.append(f"{PAGE}:{line} the columns are not {HEADER}")
            continue
        number, difference, does, named = cells
        if not (number.isdigit() and difference and does):
            problems.append(f"{PAGE}:{line} an empty cell, or no number")
            continue
        seen.append(int(number))
        names = code_spans(named)
        if not names:
            problems.append(f"{PAGE}:{line} no. {number} names no test")
        for name in names:
            if wrong := problem_of(name, tests, sources, ctests):
                problems.append(f"{PAGE}:{line} no. {number}: {wrong}")
    if seen != NUMBERS:
        missing = sorted(set(NUMBERS) - set(seen))
        problems.append(f"{PAGE}: the numbers are not 1 to 36 in their order; missing: {missing}")
    return problems


def spoilt(page):
    """Copies with one fault each, and a part of what must be said of it."""
    lines = page.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("| 5 |"))

    def with_tests(tests):
        cells = lines[at].split(" | ")
        return "\n".join([*lines[:at], " | ".join([*cells[:3], tests]) + " |", *lines[at + 1:]])

    yield "no. 5 names no test", with_tests("seen by eye")
    yield "there is no test Nobody.Wrote", with_tests("`Nobody.Wrote`")
    yield "there is no test nobody_test", with_tests("`nobody_test`")
    yield "there is no file no/such.mjs", with_tests("`no/such.mjs::x`")
    yield "there is no test 'a dream'", with_tests("`interop/version2/agent_more.mjs::a dream`")
    yield "has no row 'session/dream'", with_tests("`version2_interop_test: session/dream`")
    yield "prints no table", with_tests("`agent_test: session/new`")
    yield "missing: [5]", "\n".join([*lines[:at], *lines[at + 1:]])
    yield "not 1 to 36 in their order", "\n".join([*lines[:at], lines[at + 1], lines[at], *lines[at + 2:]])
    yield "the columns are not", page.replace("| no. | difference |", "| no. | what differs |")


def main():
    root = Path(__file__).resolve().parent.parent
    page = (root / PAGE).read_text(encoding="utf-8")
    sources = read_sources(root)
    lists = [path.read_text(encoding="utf-8") for path in sorted(root.rglob("CMakeLists.txt"))
             if not {"build", "node_modules"} & set(path.relative_to(root).parts)]
    failures = problems_of(page, sources, lists)
    faults = 0
    if not failures:
        for said, copy in spoilt(page):
            faults += 1
            if not any(said in problem for problem in problems_of(copy, sources, lists)):
                failures.append(f"not noticed: {said!r}")
    print(f"{len(NUMBERS)} differences, {faults} spoilt copies")
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
