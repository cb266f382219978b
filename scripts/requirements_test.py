#!/usr/bin/env python3
"""requirements_test.py [--documents DIR]: every demand of docs/requirements.md and docs/requirements/ has a test that
exists, and checks that exist; every check of requirements_*.cc in check/rules is named there, and every difference of
version 2. Then spoils copies: each fault
must be noticed. With --documents it also reads the five documents: no line that demands something is left out."""

import argparse
import re
import sys
from pathlib import Path

INDEX = "docs/requirements.md"
HEADER = ["Where", "Level", "Demand", "Checks", "Tests"]
SECOND = ["Difference", *HEADER[1:]]  # of version 2
DIFFERENCES = {*map(str, range(1, 37)), "negotiation", "schema"}
LEVELS = ["must", "should", "may", "tip"]
VERSION_2 = "docs/requirements/version2.md"
CONTRADICTIONS = "docs/contradictions.md"
BEYOND = "Checks beyond the five documents"
LINES = 400  # no page is longer
REFERENCE = re.compile(r"(\d{3}):(?:(\d+)(?:-(\d+)|([a-z]))?|(fields))$")
OVERRULED = re.compile(r"contradictions? (\d+(?:, \d+)*): \S")
NO_DEMAND = re.compile(r"no demand: \S")
SKIPPED = {"build", "node_modules", ".git"}


# ---- what there is

def registry(sources):
    """The ids of all checks: {"A-INIT-1", …}. What holds for both sides is written once, with ACP_BOTH."""
    ids = set()
    for path, text in sources.items():
        if not re.fullmatch(r"check/rules/(version2/)?requirements_\w+\.cc", path):
            continue
        text = re.sub(r"^#define(?:.*\\\n)*.*$", "", text, flags=re.M)
        ids |= set(re.findall(r'"([AC]2?-[A-Z]+-\d+)"', text))
        ids |= {"C-" + name for name in re.findall(r'\bACP_CLIENT\("([A-Z]+-\d+)"', text)}
        for name in re.findall(r'\bACP_BOTH\("([A-Z]+-\d+)"', text):
            ids |= {"A-" + name, "C-" + name}
    return ids


def read_sources(root):
    sources = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if SKIPPED & set(name.parts) or path.suffix not in (".cc", ".mjs", ".py") or not path.is_file():
            continue
        if path.name.endswith("_test.cc") or path.suffix != ".cc" or name.parts[0] == "check":
            sources[name.as_posix()] = path.read_text(encoding="utf-8")
    return sources


class Tests:
    """Names of tests: `Suite.Test` of GoogleTest, `file::name` of all others, as they stand in the file."""

    def __init__(self, sources):
        self.sources = sources
        self.named = {f"{suite}.{name}" for path, text in sources.items() if path.endswith("_test.cc")
                      for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", text, re.M)}

    def problem(self, name):
        path, separator, inner = name.partition("::")
        if not separator:
            return "" if name in self.named else f"there is no test {name}"
        if path not in self.sources:
            return f"there is no file {path}"
        if path.endswith(".py"):
            found = re.search(rf"^\s*def {re.escape(inner)}\(", self.sources[path], re.M)
        else:  # a name, up to its end or to what is computed
            found = re.search(rf"""(["'`]){re.escape(inner)}(?:\1|\$\{{)""", self.sources[path])
        return "" if found else f"there is no test {inner!r} in {path}"


# ---- what the pages say

def tables(text):
    """(line number, header, cells) of every row of every table."""
    header = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if header is None:
            header = cells
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            yield number, header, cells


def code_spans(cell):
    return [first or second for first, second in re.findall(r"``(.+?)``|`([^`]+)`", cell)]


def references(cell):
    """The lines that a cell names: {"000:215", "000:389a", "002:fields"}; what is wrong with it."""
    found, wrong = [], []
    for reference in cell.split(", "):
        match = REFERENCE.match(reference)
        if not match:
            wrong.append(f"{reference!r} is no reference")
            continue
        document, first, last, letter, fields = match.groups()
        if fields:
            found.append(f"{document}:fields")
        elif last:
            if int(last) <= int(first):
                wrong.append(f"{reference} is no range")
            found += [f"{document}:{line}" for line in range(int(first), int(last) + 1)]
        else:
            found.append(f"{document}:{first}{letter or ''}")
    return found, wrong


def checks_of(cell):
    return [] if cell == "—" else cell.split(", ")


class Reading:
    """All that the pages say, and what is wrong with it."""

    def __init__(self, pages, sources):
        self.problems, self.referenced, self.rows = [], {}, 0
        self.known, self.tests = registry(sources), Tests(sources)
        self.mentioned, self.overruled, self.differences = set(), set(), set()
        self.contradictions = [int(cells[0]) for _, header, cells in tables(pages.get(CONTRADICTIONS, ""))
                               if header[0] == "#"]
        beyond = {}
        for page, text in pages.items():
            if text.count("\n") >= LINES:
                self.say(page, None, f"longer than {LINES} lines")
            for number, header, cells in tables(text):
                if header in (HEADER, SECOND):
                    self.row(page, number, cells, header == SECOND)
                elif header == ["Checks", "Why"]:
                    beyond |= self.beyond(page, number, cells)
        if not self.known:
            self.problems.append("check/: no requirements were found")
        if f"## {BEYOND}" not in pages.get(INDEX, ""):
            self.problems.append(f"{INDEX}: no section {BEYOND!r}")
        for difference in sorted(DIFFERENCES - self.differences):
            self.problems.append(f"difference {difference}: no row names it")
        for check in sorted(self.known - self.mentioned - set(beyond)):
            self.problems.append(f"{check}: no row names this check")
        for check in sorted(self.mentioned & set(beyond)):
            self.problems.append(f"{check}: said to be beyond the documents, but a row names it")
        for row in sorted(set(self.contradictions) - self.overruled):
            self.problems.append(f"contradiction {row}: nothing says what comes of it")
        for reference in sorted(self.referenced):
            if reference[-1].isalpha() and not reference.endswith("fields"):
                before = reference[:-1] + (chr(ord(reference[-1]) - 1) if reference[-1] != "a" else "b")
                if before not in self.referenced or reference[:-1] in self.referenced:
                    self.problems.append(f"{reference}: the letters of a line begin with a, and go on")

    def say(self, page, number, problem):
        self.problems.append(f"{page}:{number or ''} {problem}")

    def row(self, page, number, cells, second):
        self.rows += 1
        if len(cells) != len(HEADER):
            return self.say(page, number, f"{len(cells)} cells, not {len(HEADER)}")
        where, level, demand, checks, tests = cells
        if second:
            found, wrong = [], [f"there is no difference {name!r}" for name in where.split(", ") if name not in DIFFERENCES]
            self.differences |= set(where.split(", "))
        else:
            found, wrong = references(where)
        for problem in wrong:
            self.say(page, number, problem)
        for reference in found:
            if reference in self.referenced:
                self.say(page, number, f"{reference} stands in {self.referenced[reference]} as well")
            self.referenced[reference] = f"{page}:{number}"
        if level not in LEVELS:
            self.say(page, number, f"the level {level!r}")
        if not demand:
            self.say(page, number, "no demand")
        self.check_ids(page, number, checks_of(checks))
        self.mentioned |= set(checks_of(checks))
        self.check_tests(page, number, tests)

    def check_ids(self, page, number, ids):
        for check in ids:
            if check not in self.known:
                self.say(page, number, f"there is no check {check!r}")

    def check_tests(self, page, number, cell):
        parts = [] if cell == "—" else cell.split("<br>")
        for part in parts:
            names = code_spans(part) if part.startswith("`") else []
            for name in names:
                if problem := self.tests.problem(name):
                    self.say(page, number, problem)
            if rows := OVERRULED.match(part):
                for row in map(int, rows[1].split(", ")):
                    self.overruled.add(row)
                    if row not in self.contradictions:
                        self.say(page, number, f"there is no contradiction {row}")
            elif not names and not NO_DEMAND.match(part):
                self.say(page, number, f"{part!r} is neither a test nor a reason")
        if not parts:
            self.say(page, number, "neither a test nor a reason")

    def beyond(self, page, number, cells):
        if len(cells) != 2 or not cells[1]:
            self.say(page, number, "a check beyond the documents without a reason")
            return {}
        self.check_ids(page, number, checks_of(cells[0]))
        return {check: cells[1] for check in checks_of(cells[0])}


# ---- what the documents say

STRONG = re.compile(r"\b(must|should|may|shall|never|recommended)\b", re.I)
CAPITAL = re.compile(r"\b(REQUIRED|OPTIONAL|UNSUPPORTED)\b")
WEAK = re.compile(r"\b(required|optional(ly)?)\b", re.I)  # a list of fields, mostly
LISTED = re.compile(r"\s*([-*]|\d+\.) +\S|\*\*[^*]+\*\*:? +\S|\|")
NAMED = re.compile(r"best practices|checklist|validation tips|\brules\b|constraints|error (handling|codes|mapping)"
                   r"|argument requirements|^(must|should) support|cancellation handling|(required|optional) methods"
                   r"|^transport$", re.I)
# What matches, and demands nothing of a program.
EXCEPTIONS = {
    "000": {81: "on the state of the protocol", 85: "why there is a protocol", 593: "what a turn is",
            1844: "a heading"},
    "002": {293: "goes on with the line before", 469: "goes on with the line before", 853: "what a type is"},
    "004": {381: "a reason"},
}


def demanding_lines(document, text):
    """(number, whether "fields" is enough, line) of every line that demands something."""
    fenced, section, depth, rows = False, False, 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        if fenced or line.startswith("```") or line.startswith("Docs: ") or number in EXCEPTIONS.get(document, {}):
            continue
        if document == "003":  # a line that begins so is a rule or an example
            if re.match(r"#\S", line):
                yield number, False, line
            continue
        if heading := re.match(r"(#+) +(.*)", line):
            if not section or len(heading[1]) <= depth:
                section, depth = bool(NAMED.search(heading[2])), len(heading[1])
            elif NAMED.search(heading[2]):
                section = True
            if CAPITAL.search(line) and "(Required" not in line and "Support (" not in line:
                yield number, False, line
            continue
        rows = rows + 1 if line.startswith("|") else 0
        if rows in (1, 2):  # a table's head
            continue
        if STRONG.search(line) or CAPITAL.search(line) or (section and LISTED.match(line)):
            yield number, False, line
        elif WEAK.search(line):
            yield number, True, line


def document_problems(folder, referenced):
    problems, count = [], 0
    covered = {re.sub(r"[a-z]$", "", reference) for reference in referenced if not reference.endswith("fields")}
    for document in ("000", "001", "002", "003", "004"):
        paths = sorted(folder.glob(f"{document}*"))
        if len(paths) != 1:
            problems.append(f"{folder}: expected one document {document}")
            continue
        text = paths[0].read_text(encoding="utf-8")
        last = text.count("\n") + 1
        for reference in covered:
            if reference.startswith(document) and int(reference[4:]) > last:
                problems.append(f"{reference}: the document has {last} lines")
        for number, fields, line in demanding_lines(document, text):
            count += 1
            if f"{document}:{number}" in covered or (fields and f"{document}:fields" in referenced):
                continue
            problems.append(f"{document}:{number}: no row has this line: {line.strip()[:90]}")
    return problems, count


# ---- what must be noticed

def spoilt(pages, sources):
    """Pages or sources with one fault each, and a part of what must be said of it."""
    page, line = next((page, line) for page, text in pages.items() for line in text.split("\n")
                      if re.match(r"\| \d{3}:\d+ \| must \| [^|]* \| [AC]-[^|]*\| `[^|]* \|$", line))
    where, level, demand, checks, tests = (cell.strip() for cell in line.split("|")[1:-1])

    def instead(*cells):
        return {**pages, page: pages[page].replace(line, "| " + " | ".join(cells) + " |")}, sources

    other = next(key for key in re.findall(r"^\| (\d{3}:\d+) \|", pages[page], re.M) if key != where)
    yield "neither a test nor a reason", instead(where, level, demand, checks, "—")
    yield "neither a test nor a reason", instead(where, level, demand, checks, "seen by eye")
    yield "there is no test Nobody.Wrote", instead(where, level, demand, checks, "`Nobody.Wrote`")
    yield "there is no file no/such.mjs", instead(where, level, demand, checks, "`no/such.mjs::x`")
    yield "there is no test 'test_none'", instead(where, level, demand, checks, "`chat/testing/chat_test.py::test_none`")
    yield "there is no test 'a dream'", instead(where, level, demand, checks, "`interop/client_start.mjs::a dream`")
    yield "there is no check 'A-NONE-1'", instead(where, level, demand, "A-NONE-1", tests)
    yield "the level 'perhaps'", instead(where, "perhaps", demand, checks, tests)
    yield "stands in", instead(other, level, demand, checks, tests)
    yield "is no reference", instead("000:x", level, demand, checks, tests)
    yield "is no range", instead("000:9-8", level, demand, checks, tests)
    yield "the letters of a line", instead(where + "c", level, demand, checks, tests)
    yield "no demand", instead(where, level, "", checks, tests)
    yield "4 cells, not 5", instead(where, level, demand, checks)
    yield "there is no contradiction 36", instead(where, level, demand, checks, "contradiction 36: as we like it")
    second = next(line for line in pages[VERSION_2].split("\n") if line.startswith("| 31 |"))
    yield "there is no difference '37'", ({**pages, VERSION_2: pages[VERSION_2].replace(second, second.replace("31", "37", 1))},
                                          sources)
    yield "difference 31: no row names it", ({**pages, VERSION_2: pages[VERSION_2].replace(second, "")}, sources)
    yield "longer than", ({**pages, page: pages[page] + "\n" * LINES}, sources)
    yield "nothing says what comes of it", ({name: text.replace("contradiction 14:", "contradiction 15:")
                                             for name, text in pages.items()}, sources)
    index = pages[INDEX]
    yield "no section", ({**pages, INDEX: index.replace(BEYOND, "Checks")}, sources)
    yield "no row names this check", ({**pages, INDEX: index[:index.index(BEYOND)] + BEYOND}, sources)
    yield "but a row names it", ({**pages, INDEX: index + f"\n| Checks | Why |\n| --- | --- |\n| {checks} | x |\n"},
                                 sources)
    yield "without a reason", ({**pages, INDEX: index + f"\n| Checks | Why |\n| --- | --- |\n| {checks} | |\n"},
                               sources)
    extra = {**sources, "check/rules/requirements_more.cc": 'ACP_BOTH("MORE-1", must, "x", "y")'}
    yield "C-MORE-1: no row names this check", (pages, extra)
    yield "no requirements were found", (pages, {name: text for name, text in sources.items()
                                                 if "/requirements_" not in name})


def wrong_numbers(known, root):
    """Pages that say how many checks there are, and are wrong."""
    agents, clients, agents_2, clients_2 = (sum(name.startswith(first) for name in known) for first in ("A-", "C-", "A2-", "C2-"))
    stated = [("README.md", f"{agents} requirements for an agent, {clients} for a client"),
              ("docs/check.md", f"There are {agents} requirements of agents"),
              ("docs/check.md", f"{agents_2} requirements of agents and {clients_2} of clients")]
    for page, sentence in stated:
        if sentence not in (root / page).read_text(encoding="utf-8"):
            yield f"{page} does not say: {sentence}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=Path, help="the folder of the five documents")
    folder = parser.parse_args().documents
    root = Path(__file__).resolve().parent.parent
    names = [INDEX, CONTRADICTIONS, *sorted(path.relative_to(root).as_posix() for path in root.glob("docs/requirements/*.md"))]
    pages = {name: (root / name).read_text(encoding="utf-8") for name in names}
    sources = read_sources(root)
    reading = Reading(pages, sources)
    failures = [*reading.problems, *wrong_numbers(reading.known, root)]
    print(f"{reading.rows} rows, {len(reading.referenced)} lines, {len(reading.known)} checks, "
          f"{len(reading.tests.named)} tests of GoogleTest")
    faults = 0
    if not failures:
        for said, (spoilt_pages, spoilt_sources) in spoilt(pages, sources):
            faults += 1
            if not any(said in problem for problem in Reading(spoilt_pages, spoilt_sources).problems):
                failures.append(f"not noticed: {said!r}")
        print(f"{faults} spoilt copies")
    if folder:
        problems, count = document_problems(folder, reading.referenced)
        failures += problems
        for lost in ("000:215", "001:fields", "003:27a", "004:1028"):  # and 003:27b
            fewer = {each for each in reading.referenced if each.rstrip("ab") != lost.rstrip("a")}
            if len(document_problems(folder, fewer)[0]) <= len(problems):
                failures.append(f"not noticed: no row for {lost}")
        print(f"{count} lines of the documents demand something; {len(problems)} of them have no row")
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
