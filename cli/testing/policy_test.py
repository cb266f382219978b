"""acp policy, as one types it: policy_test.py ACP"""

import json
import os
import subprocess
import sys
import tempfile

acp = sys.argv[1]


def run(*words, code=0, **more):
    done = subprocess.run([acp, "policy", *words], capture_output=True, text=True, **more)
    assert done.returncode == code, (words, done)
    assert not code or not done.stdout, (words, done)
    return done.stderr if code else done.stdout


with tempfile.TemporaryDirectory() as home:
    # Each of many processes would take seconds to look for leaks.
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    environment = dict(os.environ, HOME=home, ASAN_OPTIONS=options)
    environment.pop("XDG_CONFIG_HOME", None)
    file = home + "/.config/acp/policy.toml"

    def policy(*words, code=0):
        return run(*words, code=code, env=environment)

    assert policy("list") == f"No rules in {file}: everything is asked.\n"
    assert policy("list", "--json") == ""
    assert policy("explain", "--kind", "execute", "--command", "ls") == "ask: no rule matches\n"
    assert policy("reject", "--command", "*rm -rf*") == "reject everything `*rm -rf*`\n"
    assert policy("allow", "--kind", "execute", "--command", "npm *", "--project", "/p") == (
        "allow execute `npm *` in /p\n")
    assert policy("list") == "1  reject everything `*rm -rf*`\n2  allow execute `npm *` in /p\n"
    second = json.loads(policy("list", "--json").splitlines()[1])
    assert second == {"decision": "allow", "kind": "execute", "command": "npm *", "project": "/p", "number": 2,
                      "source": f"{file}:7"}, second
    asked = ["--kind", "execute", "--project", "/p/sub"]
    assert policy("explain", *asked, "--command", "npm test") == (
        f"allow, by the rule at {file}:7:\n  allow execute `npm *` in /p\n")
    assert policy("explain", *asked, "--command", "npm test; rm -rf ~").startswith("reject, by")
    assert policy("explain", *asked, "--command", "npm test; evil") == "ask: no rule matches\n"
    told = json.loads(policy("explain", "--json", *asked, "--command", "npm test"))
    assert told["decision"] == "allow" and told["rule"]["command"] == "npm *", told
    # A rule that would allow everything is a slip of the hand.
    assert "needs at least one of" in policy("allow", "--agent", "gemini", code=2)
    assert policy("allow", code=2).endswith("Try 'acp policy allow --help'.\n")
    assert policy("allow", "execute", "ls", code=2).splitlines()[0] == (
        "acp policy allow: unexpected argument 'execute'")
    for words in ([], ["allow"], ["reject"]):
        assert "\n  acp policy " in policy(*words, "--help"), words
    assert policy("allow", "--project", "relative", "--kind", "read", code=1).startswith("acp policy: ")
    assert policy("revoke", "1") == "Revoked: reject everything `*rm -rf*`\n"
    assert policy("list") == "1  allow execute `npm *` in /p\n"
    assert "there is no rule 2; it has 1" in policy("revoke", "2", code=1)
    with open(file, "a") as out:
        out.write("[[rule]]\ndecision = 'perhaps'\n")
    assert policy("list", code=1) == (
        f'acp policy: {file}:10: decision: expected "allow" or "reject", got "perhaps"\n'), policy("list", code=1)
    other = home + "/other.toml"
    # A file that is named is there, or made by a rule; a directory is not made.
    for words in (["list"], ["explain", "--kind", "read"], ["revoke", "1"]):
        assert policy("--file", other, *words, code=2) == f"acp policy: --file: there is no file {other}\n", words
    assert policy("--file", home + "/no/x.toml", "allow", "--kind", "read", code=2) == (
        f"acp policy: --file: there is no directory {home}/no\n")
    assert not os.path.exists(home + "/no")
    assert policy("--file", other, "reject", "--path", "**/.env") == "reject everything of **/.env\n"
    assert policy("list", "--file", other) == "1  reject everything of **/.env\n"

    # Of a relative path: that of the project, or of the current directory.
    def explained(*words):
        return run("explain", "--file", other, *words, env=environment, cwd=home).splitlines()[0]

    rejected = f"reject, by the rule at {other}:3:"
    assert explained("--path", ".env") == rejected
    assert explained("--path", "./sub/../x") == rejected  # nobody knows where that leads
    assert explained("--path", "./x") == "ask: no rule matches"
    policy("--file", other, "allow", "--kind", "edit", "--path", "/p/src/**")
    policy("--file", other, "allow", "--command", "make", "--directory", os.path.realpath(home) + "/in")
    edits = ["--kind", "edit", "--path", "src/x"]
    assert explained(*edits, "--project", "/p").startswith("allow, by"), explained(*edits, "--project", "/p")
    assert explained(*edits) == "ask: no rule matches"
    assert explained("--command", "make", "--directory", "./in").startswith("allow, by")
    assert explained("--command", "make", "--directory", ".") == "ask: no rule matches"

    # A rule that could never hold is not taken.
    kinds = "read, edit, delete, move, search, execute, think, fetch, switch_mode, other"
    for words in (["reject"], ["allow"], ["explain"]):
        assert policy("--file", other, *words, "--kind", "exec", "--command", "rm *", code=2) == (
            f'acp policy: there is no kind "exec", only: {kinds}; did you mean execute?\n'
            f"Try 'acp policy {words[0]} --help'.\n"), words
        assert f'there is no kind "foo", only: {kinds}\n' in policy("--file", other, *words, "--kind", "foo", code=2)
        assert kinds in " ".join(policy(*words, "--help").split()), words
    assert policy("--file", other, "reject", "--kind", "_paint") == "reject _paint\n"
    for option in ("--path", "--directory"):
        assert policy("--file", other, "reject", option, ".env", code=2).splitlines()[0] == (
            f"acp policy: {option}: paths are absolute, and '.env' matches none; "
            "'**/.env' matches it in every directory")
run(code=2)
run("revoke", code=2)
assert run("revoke", "x", code=2).splitlines()[0] == (
    "acp policy revoke: NUMBER: expected a number, as 'acp policy list' shows it, got 'x'"), run("revoke", "x", code=2)
