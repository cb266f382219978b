#!/usr/bin/env python3
"""docs_test.py CXX INCLUDE LIBRARIES [FLAG…]: compiles, links and runs every C++ program in README.md and
docs/. The libraries have commas between them."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

compiler, include, libraries, *flags = sys.argv[1:]
count = 0
for page in [Path("README.md"), *sorted(Path("docs").glob("*.md"))]:
    for program in re.findall(r"^```cpp\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
        if "int main(" not in program:
            continue
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            source, binary = Path(folder, "program.cc"), Path(folder, "program")
            source.write_text(program, encoding="utf-8")
            command = [compiler, "-std=c++20", "-UNDEBUG", "-Wno-invalid-offsetof", *flags, f"-I{include}", str(source),
                       *libraries.split(","), "-o", str(binary)]
            subprocess.run(command, check=True)
            subprocess.run([binary], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        print(f"{page}: program {count} compiles and runs")
sys.exit(0 if count else "docs_test: no programs found")
