"""What the public headers define: a class name has one meaning, and an exception derives from acp::Error. Prints
`file:line: …` for each that does not, and exits with 1 if there is any."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTS = ["acp", "acp/mcp", "acp/remote", "acp/workspace"]  # whose CMakeLists.txt name the public headers

# Names in several namespaces, and why each is meant. The types of versions 1 and 2 are the protocol's: one meaning.
MEANT = {
    "Client": "what hosts agents, and what is connected to MCP servers: the client of each protocol",
    "Completion": "an outcome that a task waits for; what an MCP server proposes for an argument, by that protocol's name",
    "Error": "the exception, and the protocol's error object in it",
    "Implementation": "name and version of a program, in both protocols",
    "Plan": "the plan that a turn writes, and the protocol's message about it",
    "Prompt": "a turn under way; a template that an MCP server offers, by that protocol's name",
    "ProxyNotification": "what a hook of a proxy sees, and the protocol's (unstable) notification",
    "ProxyRequest": "what a hook of a proxy sees, and the protocol's (unstable) request",
    "RequestId": "the id of a request, for the engine and as the schema has it",
    "Server": "an MCP server that we are connected to; what serves agents over HTTP: the server of each protocol",
    "Terminal": "a terminal that an agent runs, and the protocol's content that shows it",
    "ToolCall": "a tool call that an agent reports, and the protocol's message about it",
}
# Exceptions that do not derive from acp::Error, and why.
OTHER_BASE = {
    "acp/json/error.h DecodeError": "JSON is below acp/error.h, which has a Json",
}
# Files that throw std::runtime_error, and why.
PLAIN_THROWS = {
    "acp/io/private_file_posix.cc": "private, below acp/error.h; the program alone uses it",
}

WORD = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
SCOPE = re.compile(r"""(?P<open>\{)|(?P<close>\})|(?P<end>;)|
    \bnamespace\s+(?P<namespace>[\w:]+)\s*\{|
    (?<!enum\s)(?<!friend\s)\b(?:class|struct|enum\s+class)\s+(?P<name>\w+)(?:\s+final)?(?:\s*:(?!:)(?P<bases>[^;{]*))?\s*\{""",
                   re.VERBOSE)
PARAMETERS = re.compile(r"<[^<>;{}]*\b(?:class|struct)\b[^<>;{}]*>")


def public_headers():
    for folder in LISTS:
        text = (ROOT / folder / "CMakeLists.txt").read_text(encoding="utf-8")
        for files in re.findall(r"FILE_SET HEADERS BASE_DIRS \S+ FILES([^)]*)\)", text):
            for name in re.sub(r"#.*", "", files).split():
                yield f"{folder}/{name}"


def classes_of(text):
    """(line, namespace, name, bases) of every class that stands in a namespace."""
    text = WORD.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    text = PARAMETERS.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    scopes = []  # the namespaces, and None for any other brace
    for found in SCOPE.finditer(text):
        if found["namespace"]:
            scopes.append(found["namespace"])
        elif found["name"]:
            if None not in scopes:
                line = text.count("\n", 0, found.start("name")) + 1
                yield line, "::".join(scopes), found["name"], found["bases"] or ""
            scopes.append(None)
        elif found["open"]:
            scopes.append(None)
        elif found["close"] and scopes:
            scopes.pop()


def main():
    faults, places, seen = [], {}, set()
    headers = list(public_headers())
    for header in headers:
        for line, namespace, name, bases in classes_of((ROOT / header).read_text(encoding="utf-8")):
            if "detail" in namespace.split("::"):
                continue
            meaning = re.sub(r"::v[12]$", "::v1 or v2", namespace)
            places.setdefault(name, {}).setdefault(meaning, f"{header}:{line}")
            if re.search(r"\bstd::\w*(?:error|exception)\b", bases) and name != "Error":
                place = f"{header} {name}"
                seen.add(place)
                if place not in OTHER_BASE:
                    faults.append(f"{header}:{line}: {name}: derive it from acp::Error, or from acp::LocalFailure")
    for name, meanings in sorted(places.items()):
        if len(meanings) > 1:
            seen.add(name)
            if name not in MEANT:
                faults.append(f"{name} is defined in {len(meanings)} namespaces: " +
                              ", ".join(f"{space} ({place})" for space, place in meanings.items()))
    for file in sorted(ROOT.glob("acp/**/*.cc")):
        path = file.relative_to(ROOT).as_posix()
        if path.endswith("_test.cc") or "/testing/" in path:
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"\bthrow std::runtime_error\b", line):
                seen.add(path)
                if path not in PLAIN_THROWS:
                    faults.append(f"{path}:{number}: throw an acp::Error: acp::LocalFailure")
    faults += [f"scripts/public_names.py: {what} is not there any more"
               for what in sorted({*MEANT, *OTHER_BASE, *PLAIN_THROWS} - seen)]
    for fault in faults:
        print(fault)
    print(f"{len(headers)} headers, {len(places)} names, {len(faults)} faults")
    return 1 if faults or len(places) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
