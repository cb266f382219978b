#!/usr/bin/env python3
"""docs_test.py CXX INCLUDE LIBRARIES [FLAG…]: compiles, links and runs every C++ program in README.md and
docs/, and compiles what is marked `cpp fragment`: functions that use the library. C++ that is neither is a fault. The
libraries have commas between them."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

compiler, include, libraries, *flags = sys.argv[1:]
count = 0
HEADERS = "".join(f"#include <acp/{name}.h>\n" for name in
                  ("agent", "client", "proxy", "schema/v1", "async/promise", "async/when_all", "async/when_any",
                   "remote/client", "remote/server", "workspace/serve_locally"))


def compile_fragments(page, text):
    fragments = re.findall(r"^```cpp fragment\n(.*?)^```", text, re.M | re.S)
    if not fragments:
        return
    # Each in a namespace of its own: a page may write the same function twice.
    source = HEADERS + "#include <chrono>\n#include <iostream>\n"
    included = re.compile(r"^#include .*\n", re.M)
    source += "".join(line for text in fragments for line in included.findall(text))
    source += "".join(f"namespace fragment_{i} {{\n{included.sub('', text)}}}\n" for i, text in enumerate(fragments))
    subprocess.run([compiler, "-std=c++20", "-Wno-invalid-offsetof", "-Wno-unused-function", *flags, f"-I{include}",
                    "-fsyntax-only", "-x", "c++", "-"], check=True, input=source, text=True)
    print(f"{page}: {len(fragments)} fragments compile")


# A statement in a block that is only indented.
STATEMENT = re.compile(r"(?:    |\t).*(?:\bacp::\w|\bco_await\b|\b(?:client|agent|session|turn)\.\w+\().*[;{)]\s*(?://.*)?$")
unchecked = []


def look_for_unchecked(page, text):
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fence = line.strip() if fence is None else None
        elif fence is None and STATEMENT.match(line):
            unchecked.append(f"{page}:{number}: C++ that is not compiled: mark it as ```cpp or ```cpp fragment")
    for program in re.finditer(r"^```cpp\n(.*?)^```", text, re.M | re.S):
        if "int main(" not in program[1]:
            unchecked.append(f"{page}:{text.count(chr(10), 0, program.start()) + 1}: neither a program nor a fragment")
    for other in re.finditer(r"^```(?:c\+\+|cc|cpp (?!fragment$).*|C\+\+)$", text, re.M):
        unchecked.append(f"{page}:{text.count(chr(10), 0, other.start()) + 1}: write ```cpp or ```cpp fragment")


for page in [Path("README.md"), *sorted(Path("docs").glob("*.md"))]:
    text = page.read_text(encoding="utf-8")
    look_for_unchecked(page, text)
    compile_fragments(page, text)
    for program in re.findall(r"^```cpp\n(.*?)^```", text, re.M | re.S):
        if "int main(" not in program:
            continue  # look_for_unchecked() has reported it
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            source, binary = Path(folder, "program.cc"), Path(folder, "program")
            source.write_text(program, encoding="utf-8")
            command = [compiler, "-std=c++20", "-UNDEBUG", "-Wno-invalid-offsetof", *flags, f"-I{include}", str(source),
                       *libraries.split(","), "-o", str(binary)]
            subprocess.run(command, check=True)
            subprocess.run([binary], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        print(f"{page}: program {count} compiles and runs")
sys.exit("\n".join(unchecked) or (0 if count else "docs_test: no programs found"))
