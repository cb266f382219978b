"""Keeps odd English out of comments, messages, help and docs: each phrase below has a plain one. Prints
`file:line: phrase: write … instead` for each, and exits with 1 if there is any."""
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".cc", ".h", ".py", ".mjs", ".sh", ".md", ".cmake"}
NAMES = {"CMakeLists.txt", "run", "test"}
OTHERS = {"build", "node_modules", ".git", "__pycache__"}  # folders that are not ours
# The phrase, and what to write. Names of functions may have any word: only whole words of texts count.
PHRASES = {
    r"whoever": "name the one who does it: the caller, the client, a process",
    r"(?:is|are|was|were) told(?! (?:apart|to\b|not\b|no\b|how\b|there\b|that there\b|so by\b|by\b))":
        "reported, notified, advertised, sent",
    r"held against": "checked against, compared with",
    r"mistakes? in the usage": "usage error",
    r"(?:right|stands?|stood|nothing|something|more) behind (?!it\b.*process)": "after",
    r"behind the (?:answer|last|first|id|prompt|session|cancel|headers?|colon|name|path)": "after the …",
    r"behind --": "after --",
}
# Sentences that are right as they are: "left behind", and what this file itself says.
ALLOWED = re.compile(r"(?:left|leaves?|leave|leaving)\b[^.]* behind\b|what stands behind a Server", re.IGNORECASE)
SKIPPED = {"scripts/words.py", "acp/schema/v1.h", "acp/schema/v1.cc", "acp/schema/v2.h", "acp/schema/v2.cc"}


def text_of(path, line):
    """What people read of a line: all of it in a page, comments and strings in code."""
    if path.suffix == ".md":
        return line
    parts = re.findall(r'"(?:[^"\\]|\\.)*"', line)
    comment = re.search(r"//.*|^\s*#(?!include|define).*|^\s*\"\"\".*", line)
    return " ".join(parts + ([comment.group()] if comment else []))


def faults_in(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        said = text_of(path, line)
        if not said or ALLOWED.search(said):
            continue
        for phrase, instead in PHRASES.items():
            found = re.search(rf"\b{phrase}", said, re.IGNORECASE)
            if found:
                yield f"{path.relative_to(ROOT)}:{number}: {found.group()}: write {instead}"


def our_files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - OTHERS)
        for name in sorted(names):
            path = Path(folder, name)
            if (path.suffix in SUFFIXES or name in NAMES) and str(path.relative_to(ROOT)) not in SKIPPED:
                yield path


def main():
    names = list(our_files())
    faults = [fault for path in names for fault in faults_in(path, path.read_text(errors="replace"))]
    for fault in faults:
        print(fault)
    print(f"{len(names)} files, {len(faults)} odd phrases")
    return 1 if faults or not names else 0


if __name__ == "__main__":
    sys.exit(main())
