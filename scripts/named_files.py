"""Source files that comments and pages name must exist: `file.cc`, `folder/file.py`. Prints `file:line: name` for each
that does not, and exits with 1 if there is any."""
import io
import re
import subprocess
import sys
import tokenize

from words import OTHER_FOLDERS, ROOT, SAID, our_files

NAME = re.compile(r"(?<![\w*<>${}./~-])(?:\w[\w.-]*/)*\w[\w.-]*\.(?:cc|h|py|mjs)\b(?![\w*(]|\.\w)")
SKIPPED = {"CHANGELOG.md", "scripts/named_files.py"}  # the first is history
# Names that need no file, and why.
ALLOWED = {
    **dict.fromkeys(["x.h", "x.cc", "x_test.cc", "x_fuzz.cc"], "stand for any name"),
    "coder/tools/NAME_tool.cc": "stands for any name",
    **dict.fromkeys(["src/a.cc", "tests/lexer_test.cc"], "of the project that a user works on"),
    "25b.cc": "part of an encoded URI, %25b.cc",
}


def texts_of(path, text):
    """(line number, text) of every line of a page or comment."""
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.startswith('"""')):
                yield from enumerate(token.string.splitlines(), token.start[0])
        return
    for number, line in enumerate(text.splitlines(), 1):
        if path.suffix == ".md":
            if "#include" not in line:
                yield number, line
            continue
        for found in SAID.finditer(line):
            if found["comment"]:
                yield number, found["comment"]


def endings_of_files():
    """Every file of the project, by its path and by all ends of it: a/b.h, b.h."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {"/".join(parts[i:]) for parts in (name.split("/") for name in names) for i in range(len(parts))}


def main():
    exist = endings_of_files()
    faults, used = [], set()
    for path in our_files():
        here = path.relative_to(ROOT).as_posix()
        if here in SKIPPED:
            continue
        for number, text in texts_of(path, path.read_text(encoding="utf-8", errors="replace")):
            for found in NAME.finditer(text):
                name = found.group()
                if name in ALLOWED:
                    used.add(name)
                elif name not in exist:
                    faults.append(f"{here}:{number}: {name} does not exist")
    faults += [f"scripts/named_files.py: nothing names {name}: remove the exception" for name in ALLOWED.keys() - used]
    print(*faults, f"{len(exist)} names, {len(faults)} faults", sep="\n")
    return 1 if faults or not exist else 0


if __name__ == "__main__":
    sys.exit(main())
