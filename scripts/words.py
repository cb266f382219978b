"""Checks the wording of comments, messages, help, docs and names: phrases that readers stumble over, with the usual words
to write instead. Prints `file:line: phrase: write …` for each, and exits with 1 if there is any."""
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
    (r"(?:hold\w* .{0,25}|held )against", "checked against, compared with", "holds its answers against the schema"),
    (r"mistakes? in the usage", "usage error", "2 mistakes in the usage"),
    (r"(?:right|stands?|stood|nothing|something|more) behind", "after", "what stands behind the name"),
    (r"behind the (?:answer|last|first|id|prompt|session|cancel|headers?|colon|name|path|end)", "after",
     "a request behind the answer"),
    (r"behind (?:session|blank)", "after", "a request behind session/cancel"),
    (r"behind --", "after --", "the command behind --"),
    (r"told of|tells? of", "reports, describes, mentions", "the answer tells of it"),
    (r"put through", "checked with, run through", "an agent is put through it"),
    (r"mend(?:s|ed|ing)?\b", "repair, fix", "mends the file"),
    (r"no \w+ is to be had", "there is no", "no answer is to be had"),
]
# Words of which no name is made, and names with them that are meant: what lags behind, or is left behind.
NAME_WORDS = {"behind": "after, rest, end", "whoever": "the caller, the client, the process", "mend": "repair, fix"}
NAMES_MEANT = re.compile(r"(?:leaves?|left|lags|farthest)_?(?:nothing)?_?behind|^behind_$", re.IGNORECASE)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
FINDERS = [(re.compile(rf"\b(?:{pattern})", re.IGNORECASE), instead, example) for pattern, instead, example in PHRASES]
LEFT_BEHIND = re.compile(r"\b(?:left|leaves?|leaving)\b[^.]* behind\b", re.IGNORECASE)  # the usual meaning
SAID = re.compile(r'(?P<string>"(?:[^"\\]|\\.)*"|`[^`]*`)|(?P<comment>//.*|^\s*#(?!include|define).*)')
NEW_PARAGRAPH = re.compile(r"\s*(?:#|\||[-*] |\d+\. |```|<)|    ")


def texts_of_python(text):
    """(line number, kind, text) of every line of a comment or string; kind None: joined with nothing."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], "comment", token.string.lstrip("#")
        elif token.type == tokenize.STRING:
            for number, line in enumerate(token.string.splitlines(), token.start[0]):
                yield number, "string" if line.strip() else None, line.strip("\"' ")


def texts_of_page(text):
    begins = True
    for number, line in enumerate(text.splitlines(), 1):
        yield number, None if begins or NEW_PARAGRAPH.match(line) else "page", line
        begins = not line.strip()


def texts_of_code(text):
    for number, line in enumerate(text.splitlines(), 1):
        for found in SAID.finditer(line):
            if found["comment"]:
                yield number, "comment", found.group().lstrip("/# ")
            else:
                yield number, "string" if not line[:found.start()].strip() else None, found.group()[1:-1]


def passages_of(path, text):
    """What people read, as lists of (line number, text): the lines of a paragraph, of a comment, of a long string."""
    texts = {".py": texts_of_python, ".md": texts_of_page}.get(path.suffix, texts_of_code)
    passage, last = [], None
    for number, kind, said in texts(text):
        if passage and (kind is None or number != passage[-1][0] + 1 or (last not in (None, kind))):
            yield passage
            passage = []
        passage.append((number, said))
        last = kind
    if passage:
        yield passage


def faults_in(path, text):
    for passage in passages_of(path, text):
        said = LEFT_BEHIND.sub(lambda found: "_" * len(found.group()), " ".join(line.strip() for _, line in passage))
        for finder, instead, _ in FINDERS:
            for found in finder.finditer(said):
                at = found.start()
                for number, line in passage:
                    if at <= len(line.strip()):
                        break
                    at -= len(line.strip()) + 1
                yield f"{path.relative_to(ROOT)}:{number}: {found.group()}: write {instead}"


def names_in(path, text):
    """The faults in names, each place once: what is left of code without its comments and strings."""
    if path.suffix not in {".cc", ".h", ".py", ".mjs"}:
        return
    long_strings = re.compile(r'("""|\'\'\').*?\1', re.DOTALL)
    text = long_strings.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    for number, line in enumerate(text.splitlines(), 1):
        code = re.sub(r"'(?:[^'\\]|\\.)*'", "''", SAID.sub("", line)) if path.suffix != ".mjs" else SAID.sub("", line)
        for name in IDENTIFIER.findall(code):
            words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", NAMES_MEANT.sub("", name)).lower().split("_")
            for word in NAME_WORDS.keys() & set(words):
                yield f"{path.relative_to(ROOT)}:{number}: the name {name}: write {NAME_WORDS[word]}"


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
        text = path.read_text(encoding="utf-8", errors="replace")
        faults += [*faults_in(path, text), *names_in(path, text)]
    for fault in faults:
        print(fault)
    print(f"{len(paths)} files, {len(faults)} phrases to rewrite")
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
