#!/usr/bin/env python3
"""reference_test.py DOXYGEN DOXYFILE: the reference of the public headers builds without a warning, and every public
type and function in it has a comment, every enum a to_string(). A member variable or a value of an enum may be
explained by its type."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

doxygen, doxyfile = sys.argv[1:]

# Explained elsewhere: types of the protocol by their page of the specification (scripts/doxygen_filter.py), the tables
# below acp/json by docs/json.md.
EXPLAINED_FILES = ("acp/schema/v1.h", "acp/schema/v2.h", "acp/schema/v1_names.h", "acp/schema/v2_names.h",
                   "acp/json/type.h", "acp/json/one_of.h", "acp/json/open_enum.h", "acp/json/described.h",
                   "acp/json/fresh.h", "acp/json/unknown.h")
# What it does is known, or the class says it.
KNOWN = re.compile(r"\boperator\b|Member Context\(|~|Iterator|promise_type|macro definition|\(variable\)|\(enumvalue\)|"
                   r"\(enumeration\) of (?:class|struct)|\b(begin|end)\(\)|@\d|"
                   r"Member (\w+)(?:<.*?>)?\(.*\b(?:class|struct) (?:\w+::)*\2\b")

with tempfile.TemporaryDirectory() as place:
    settings = Path(doxyfile).read_text(encoding="utf-8")
    settings += f"\nWARN_IF_UNDOCUMENTED = YES\nOUTPUT_DIRECTORY = {place}\nGENERATE_XML = YES\n"
    run = subprocess.run([doxygen, "-"], input=settings, capture_output=True, text=True, check=True)
    enums, named = {}, set()
    for page in Path(place).glob("xml/*.xml"):
        for member in ElementTree.parse(page).iter("memberdef"):
            name, file = member.findtext("qualifiedname", ""), member.find("location").get("file")
            if member.get("kind") == "enum" and member.get("prot") == "public" and "detail::" not in name:
                enums[name] = re.sub(r".*/(?=acp/)", "", file) + ":" + member.find("location").get("line")
            if member.get("kind") == "function" and member.findtext("name") == "to_string":
                taken = "".join(member.find("param/type").itertext())
                named.add(name.removesuffix("to_string") + taken)
# Asked by functions of its own, for each type a type of its own.
named.add("acp::Nullable::State")
faults = [f"{place}: {name} has no to_string()" for name, place in enums.items()
          if name not in named and place.split(":")[0] not in EXPLAINED_FILES]
for line in run.stderr.splitlines():
    told = re.match(r"(?:.*/)?(acp/[^:]+):(\d+): warning: (.*)", line)
    if not told:
        continue
    name, number, text = told.groups()
    if text.endswith("is not documented.") and (name in EXPLAINED_FILES or KNOWN.search(text)):
        continue
    faults.append(f"{name}:{number}: {text}")
print(*sorted(set(faults)), f"{len(set(faults))} faults", sep="\n")
sys.exit(1 if faults or run.returncode else 0)
