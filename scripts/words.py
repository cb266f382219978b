"""Checks the wording of comments, messages, help and docs: phrases that readers stumble over, with the usual words to
write instead. Prints `file:line: phrase: write …` for each, and exits with 1 if there is any."""
import io
import os
import re
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".cc", ".h", ".py", ".mjs", ".sh", ".md", ".cmake"}
NAMES = {"CMakeLists.txt", "run", "test"}
OTHER_FOLDERS = {"build", "node_modules", ".git", "__pycache__"}
GENERATED = {"acp/schema/v1.h", "acp/schema/v1.cc", "acp/schema/v2.h", "acp/schema/v2.cc"}
SKIPPED = GENERATED | {"scripts/words.py"}

# A pattern, the usual words, and a sentence in which the pattern must be found.
PHRASES = [
    (r"whoever", "the caller, the client, the process", "Whoever reads it"),
    (r"(?:is|are|was|were) told(?! (?:apart|to|not|no|how|there|that there|so by|by)\b)", "reported, notified, sent",
     "the user is told"),
    (r"held against", "checked against, compared with", "held against the schema"),
    (r"mistakes? in the usage", "usage error", "2 mistakes in the usage"),
    (r"(?:right|stands?|stood|nothing|something|more) behind", "after", "what stands behind the name"),
    (r"behind the (?:answer|last|first|id|prompt|session|cancel|headers?|colon|name|path)", "after",
     "a request behind the answer"),
    (r"behind --", "after --", "the command behind --"),
]
FINDERS = [(re.compile(rf"\b(?:{pattern})", re.IGNORECASE), instead, example) for pattern, instead, example in PHRASES]
LEFT_BEHIND = re.compile(r"\b(?:left|leaves?|leaving)\b[^.]* behind\b", re.IGNORECASE)  # the usual meaning


def texts_of_python(text):
    """(line number, text) of every line of a comment or string."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield from enumerate(token.string.splitlines(), token.start[0])


def texts_of(path, text):
    """(line number, text) of what people read: all of a page; comments and strings of code."""
    if path.suffix == ".py":
        yield from texts_of_python(text)
        return
    for number, line in enumerate(text.splitlines(), 1):
        if path.suffix == ".md":
            yield number, line
            continue
        for found in re.finditer(r'"(?:[^"\\]|\\.)*"|`[^`]*`|//.*|^\s*#(?!include|define).*', line):
            yield number, found.group()


def faults_in(path, text):
    for number, said in texts_of(path, text):
        if LEFT_BEHIND.search(said):
            continue
        for finder, instead, _ in FINDERS:
            if found := finder.search(said):
                yield f"{path.relative_to(ROOT)}:{number}: {found.group()}: write {instead}"


def our_files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - OTHER_FOLDERS)
        for name in sorted(names):
            path = Path(folder, name)
            if (path.suffix in SUFFIXES or name in NAMES) and path.relative_to(ROOT).as_posix() not in SKIPPED:
                yield path


def main():
    faults = [f"scripts/words.py: {finder.pattern} is not found in its example: {example}"
              for finder, _, example in FINDERS if not finder.search(example)]
    paths = list(our_files())
    for path in paths:
        faults += faults_in(path, path.read_text(encoding="utf-8", errors="replace"))
    for fault in faults:
        print(fault)
    print(f"{len(paths)} files, {len(faults)} phrases to rewrite")
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
