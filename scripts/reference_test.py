#!/usr/bin/env python3
"""reference_test.py DOXYGEN DOXYFILE: the reference of the public headers builds without a warning, and every public
type, enum and function in it has a comment, every enum a to_string(), every type of the protocol a link to its place in
the specification. What may go without a comment of its own: see KNOWN."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

doxygen, doxyfile = sys.argv[1:]

# The types of the protocol have a link (scripts/doxygen_filter.py); their members are explained there.
GENERATED = ("acp/schema/v1.h", "acp/schema/v2.h", "acp/schema/v1_names.h", "acp/schema/v2_names.h")
# What may go without a comment:
KNOWN = re.compile("|".join([
    r"\boperator\b", r"Iterator", r"\b(?:begin|end)\(\)",  # they do what they do everywhere
    r"Member (\w+)(?:<.*?>)?\(.*\b(?:class|struct) (?:\w+::)*\1\b",  # a constructor: the class says what it makes
    r"Member (?:Context|Error|LocalFailure|OneOf)\(",  # … also where another class has inherited it
    r"\(variable\)",  # a member whose name and type say it: the struct says the rest
    r"\(typedef\) of class acp::Task\b", r"macro definition",  # for the compiler, not for people
    r"Compound acp::json::TypeOf<.*>|\(function\) of struct acp::json::TypeOf<.*>",  # the same for one C++ type each
    r"Compound acp::json::Fresh<.*>",
]))

with tempfile.TemporaryDirectory() as place:
    settings = Path(doxyfile).read_text(encoding="utf-8")
    settings += f"\nWARN_IF_UNDOCUMENTED = YES\nOUTPUT_DIRECTORY = {place}\nGENERATE_XML = YES\n"
    run = subprocess.run([doxygen, "-"], input=settings, capture_output=True, text=True, check=True)
    enums, named, linked, unlinked = {}, set(), 0, []
    for page in Path(place).glob("xml/*.xml"):
        tree = ElementTree.parse(page)
        for defined in [*tree.iter("compounddef"), *tree.iter("memberdef")]:
            place_of = defined.find("location")
            file = "" if place_of is None else re.sub(r".*/(?=acp/)", "", place_of.get("file"))
            name = defined.findtext("compoundname") or defined.findtext("qualifiedname", "")
            protocol = re.fullmatch(r"acp::v([12])::(\w+)", name)
            if not protocol or file not in ("acp/schema/v1.h", "acp/schema/v2.h") or \
                    defined.get("kind") not in ("struct", "class", "enum"):
                continue
            linked += 1
            said = "".join(defined.find("briefdescription").itertext()) + \
                "".join(defined.find("detaileddescription").itertext())
            if f"/protocol/v{protocol[1]}/schema#{protocol[2].lower()}" not in said:
                unlinked.append(f"{file}:{place_of.get('line')}: {name} has no link to the specification")
        for member in tree.iter("memberdef"):
            name, file = member.findtext("qualifiedname", ""), member.find("location").get("file")
            if member.get("kind") == "enum" and member.get("prot") == "public" and "detail::" not in name:
                enums[name] = re.sub(r".*/(?=acp/)", "", file) + ":" + member.find("location").get("line")
            if member.get("kind") == "function" and member.findtext("name") == "to_string":
                taken = "".join(member.find("param/type").itertext())
                named.add(name.removesuffix("to_string") + taken)
# Asked by functions of its own, for each type a type of its own.
named.add("acp::Nullable::State")
faults = [f"{place}: {name} has no to_string()" for name, place in enums.items()
          if name not in named and place.split(":")[0] not in (*GENERATED, "acp/json/type.h")]
faults += unlinked if linked > 500 else [f"only {linked} types of the protocol were found"]
for line in run.stderr.splitlines():
    told = re.match(r"(?:.*/)?(acp/[^:]+):(\d+): warning: (.*)", line)
    if not told:
        continue
    name, number, text = told.groups()
    if text.endswith("is not documented.") and (KNOWN.search(text) or name in GENERATED and "Member" in text):
        continue
    faults.append(f"{name}:{number}: {text}")
print(*sorted(set(faults)), f"{len(set(faults))} faults", sep="\n")
sys.exit(1 if faults or run.returncode else 0)
