#!/usr/bin/env python3
"""Writes v1.h, v1_names.h, v1.cc and the same of v2 from the JSON Schema files of the official SDK.

    python3 acp/schema/generate.py            write the six files
    python3 acp/schema/generate.py --check    compare them with a fresh generation, exit 1 if they differ

The schema files come from npm (`npm ci` puts them into node_modules). The unstable schema is the stable one
with additions, so it gives the types; what the stable one lacks is marked unstable.
"""
import argparse
import difflib
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # --check writes nothing

from generator.values import SCHEMAS  # noqa: E402
from generator.version import Version  # noqa: E402

HERE = Path(__file__).resolve().parent


def formatted(path, text):
    command = ["clang-format-16", "--style=file", f"--assume-filename={path}"]
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=HERE).stdout
    except FileNotFoundError:
        sys.exit("generate.py: clang-format-16 is needed (Debian: apt-get install clang-format-16)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    if not SCHEMAS.is_dir():
        sys.exit("generate.py: the schema files are not there; run npm ci first")
    stale = False
    for name in ("v1", "v2"):
        version = Version(name)
        version.build()
        for path, text in ((HERE / f"{name}_names.h", version.names_text()), (HERE / f"{name}.h", version.header_text()),
                           (HERE / f"{name}.cc", version.source_text())):
            text = formatted(path, text)
            old = path.read_text() if path.exists() else ""
            if check and text != old:
                stale = True
                sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True),
                                                           f"{path.name}, checked in", f"{path.name}, generated"))
            elif not check and text != old:
                path.write_text(text)
                print(f"wrote {path.name}")
        print(f"{name}: {len(version.defs)} definitions, {len(version.stable)} of them stable, "
              f"{len(version.methods())} methods")
    if stale:
        sys.exit("generate.py: the files differ from what the schema gives; run it without --check")


if __name__ == "__main__":
    main()