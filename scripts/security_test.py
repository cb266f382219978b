#!/usr/bin/env python3
"""security_test.py: each claim of docs/security.md names a test, and each of these tests exists."""

import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
text = (root / "docs/security.md").read_text(encoding="utf-8")
sources = "\n".join(f.read_text(encoding="utf-8") for f in root.glob("**/*_test.cc") if "build" not in f.parts and "node_modules" not in f.parts)
tests = {f"{suite}.{name}" for suite, name in re.findall(r"TEST(?:_F|_P)?\((\w+), (\w+)\)", sources)}
builds = "\n".join(f.read_text(encoding="utf-8") for f in root.glob("**/CMakeLists.txt") if "build" not in f.parts)



def exists(word):
    """Whether a word in backticks names a test that is there; nothing if it names none at all."""
    if re.fullmatch(r"[A-Z]\w+\.[A-Z]\w+", word):
        return word in tests
    if re.fullmatch(r"[\w/]+_test\.(py|cc|mjs)", word):
        return (root / word).exists()
    if re.fullmatch(r"\w+_(test|fuzz)", word):
        return re.search(r"\(\s*%s\b" % word, builds) is not None
    return None


faults, named = [], 0
claims = False  # inside a table whose last column names tests
for number, line in enumerate(text.split("\n"), 1):
    if not line.startswith("|"):
        claims = False
    elif line.endswith("| test |"):
        claims = True
        continue
    found = {word: exists(word) for word in re.findall(r"`([^`]+)`", line)}
    here = [word for word, there in found.items() if there is not None]
    named += len(here)
    faults += [f"docs/security.md:{number}: there is no test {word}" for word in here if not found[word]]
    if claims and not here and not line.startswith("| ---"):
        faults.append(f"docs/security.md:{number}: a claim without a test")
print("\n".join(faults))
print(f"{named} tests named, {len(faults)} faults")
sys.exit(1 if faults or not named else 0)
