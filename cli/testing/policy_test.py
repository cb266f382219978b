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
    assert policy("--file", other, "list") == f"No rules in {other}: everything is asked.\n"
    assert policy("list", "--file", other) == f"No rules in {other}: everything is asked.\n"
run(code=2)
run("revoke", code=2)
run("revoke", "x", code=2)
