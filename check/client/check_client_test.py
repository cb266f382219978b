#!/usr/bin/env python3
"""check_client_test.py ACP EXAMPLES NODE: runs all of `acp check client` against clients that exist.

Each has the list of what is found in it, and of what cannot be tried with it: docs/check-clients.md says why.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ACP = str(Path(sys.argv[1]).resolve())
EXAMPLES = Path(sys.argv[2]).resolve()
NODE = sys.argv[3]
HERE = Path(__file__).resolve().parent

# What a client that sends one prompt, and no MCP servers, modes or directories, gives no occasion for.
PLAIN = {"C-ORDER-5", "C-PATH-2", "C-CAP-3", "C-CAP-4", "C-CAP-6", "C-CAP-7"}
NO_LOGIN = {"C-AUTH-1", "C-AUTH-2", "C-AUTH-3", "C-CAP-2"}
NO_CANCEL = {"C-STOP-1", "C-STOP-2", "C-CANCEL-1"}
NO_FILES = {f"C-FS-{i}" for i in range(1, 13)}
NO_TERMINALS = {f"C-TTY-{i}" for i in range(1, 20)} | {"C-TERM-1"}
NO_ELICITATION = {f"C-ELICIT-{i}" for i in range(1, 5)}

# The same of version 2.
SECOND = ("--protocol", "2")
PLAIN_2 = {"C2-PATH-2", "C2-CAP-4", "C2-CAP-6", "C2-CAP-7", "C2-CAP-8", "C2-MCP-1"}
NO_ELICITATION_2 = {f"C2-ELICIT-{i}" for i in range(1, 5)}
NO_LOGIN_2 = {"C2-AUTH-1", "C2-AUTH-2", "C2-AUTH-3", "C2-CAP-3"}


def check(*command, options=(), patience=30):
    """{id: (status, message)}, the exit code, and what was printed."""
    with tempfile.TemporaryDirectory() as home, tempfile.NamedTemporaryFile(suffix=".json") as file:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ACP_"))} | {"HOME": home}
        run = subprocess.run([ACP, "check", "client", "--jobs", "3", "--timeout", str(patience), "--json", file.name, *options,
                              "--", *command], capture_output=True, text=True, env=env, timeout=800)
        text = Path(file.name).read_text()
        results = json.loads(text)["results"] if text else []
    return {each["id"]: (each["status"], each["message"]) for each in results}, run.returncode, run.stdout + run.stderr


class Clients(unittest.TestCase):
    maxDiff = None

    def hold(self, found, code, text, fails=(), skips=()):
        self.assertTrue(found, text)
        failed = {id: message for id, (status, message) in found.items() if status == "fail"}
        skipped = {id: message for id, (status, message) in found.items() if status == "skip"}
        self.assertEqual(sorted(failed), sorted(fails), failed)
        self.assertEqual(sorted(skipped), sorted(skips), skipped)
        return code

    def test_run(self):
        skips = PLAIN | NO_ELICITATION - {"C-ELICIT-1", "C-ELICIT-3", "C-ELICIT-4"} | {"C-CANCEL-1", "C-HONEST-1"}
        found = check(ACP, "run", "--policy", "allow", "--auth", "login", "hello", "--", "{agent}")
        self.assertEqual(self.hold(*found, skips=skips), 0)

    def test_run_without_a_login(self):
        found, code, text = check(ACP, "run", "hello", "--", "{agent}", options=["--only", "C-AUTH"])
        self.assertEqual(self.hold(found, code, text, skips={"C-AUTH-1", "C-AUTH-2", "C-AUTH-3"}), 0)
        self.assertIn("did not log in", found["C-AUTH-1"][1])

    def test_chat(self):
        found = check(sys.executable, str(HERE / "chat_client.py"), ACP, "{agent}", patience=45)
        self.assertEqual(self.hold(*found, skips=PLAIN | NO_LOGIN | {"C-HONEST-1"}), 0)

    def test_hello_client(self):
        found = check(str(EXAMPLES / "hello_client"), "hello", "{agent}")
        skips = PLAIN | NO_LOGIN | NO_CANCEL | NO_FILES | NO_TERMINALS | NO_ELICITATION
        self.assertEqual(self.hold(*found, skips=skips), 0)

    def test_workspace_client(self):
        found = check(str(EXAMPLES / "workspace_client"), "hello", "{agent}")
        self.assertEqual(self.hold(*found, skips=PLAIN | NO_LOGIN | NO_CANCEL | NO_ELICITATION | {"C-PERM-1"}), 0)

    def test_poll_loop(self):
        found = check(str(EXAMPLES / "poll_loop"), "hello", "{agent}")
        skips = PLAIN | NO_LOGIN | NO_CANCEL | NO_FILES | NO_TERMINALS | NO_ELICITATION
        self.assertEqual(self.hold(*found, skips=skips), 0)

    def test_draw_loop(self):
        found = check(str(EXAMPLES / "draw_loop"), "hello", "{agent}")
        skips = PLAIN | NO_LOGIN | NO_CANCEL | NO_FILES | NO_TERMINALS | NO_ELICITATION
        self.assertEqual(self.hold(*found, skips=skips), 0)

    def test_watch_turn(self):
        found = check(str(EXAMPLES / "watch_turn"), "--yes", ".", "hello", "{agent}")
        skips = PLAIN | NO_LOGIN | NO_CANCEL | NO_FILES | NO_TERMINALS | NO_ELICITATION
        self.assertEqual(self.hold(*found, skips=skips), 0)

    def test_run_version_2(self):
        found = check(ACP, "run", "--protocol", "2", "--policy", "allow", "--auth", "login", "hello", "--", "{agent}",
                      options=SECOND)
        self.assertEqual(self.hold(*found, skips=PLAIN_2 | {"C2-ELICIT-2", "C2-ASK-4"}), 0)

    def test_chat_version_2(self):
        found = check(sys.executable, str(HERE / "chat_client.py"), ACP, "--protocol", "2", "{agent}", patience=45,
                      options=SECOND)
        self.assertEqual(self.hold(*found, skips=PLAIN_2 | NO_LOGIN_2), 0)

    def test_workspace_client_version_2(self):
        found = check("env", "ACP_V2=1", str(EXAMPLES / "workspace_client"), "hello", "{agent}", options=SECOND)
        skips = PLAIN_2 | NO_LOGIN_2 | NO_ELICITATION_2 | {"C2-ASK-4", "C2-PERM-1", "C2-STOP-1", "C2-STOP-2"}
        self.assertEqual(self.hold(*found, skips=skips), 0)

    def test_sdk_client_version_2(self):
        found = check(NODE, str(HERE / "version2" / "sdk_client.mjs"), "{agent}", options=SECOND)
        self.assertEqual(self.hold(*found, fails={"C-RPC-5"}, skips=PLAIN_2 | {"C2-ASK-4"}), 0)

    def test_a_client_of_version_1(self):
        found, code, text = check(ACP, "run", "hello", "--", "{agent}", options=[*SECOND, "--only", "C2-INIT"])
        self.assertEqual(code, 3, text)
        self.assertEqual(found["C2-INIT-1"][0], "fail")
        self.assertIn("asks for version 1", found["C2-INIT-1"][1])

    def test_sdk_client(self):
        found = check(NODE, str(HERE / "sdk_client.mjs"), "{agent}")
        self.assertEqual(self.hold(*found, fails={"C-RPC-5"}, skips=PLAIN | {"C-CANCEL-1", "C-HONEST-1"}), 0)

    def over_network(self, transport, areas, fails=(), skips=()):
        """What a client on the SDK does there, in some areas: the whole kit takes too long for every run."""
        only = [word for area in areas for word in ("--only", area)]
        found = check(NODE, str(HERE / "sdk_client.mjs"), options=["--transport", transport, *only])
        self.hold(*found, fails=fails, skips={"C-LIFE-4", "C-LIFE-5", "C-LIFE-9", *skips})
        self.assertIn(f"not over {transport}", found[0]["C-LIFE-9"][1])

    def test_sdk_client_over_http(self):
        self.over_network("http", ["C-LIFE", "C-TURN"])

    def test_sdk_client_over_websocket(self):
        self.over_network("ws", ["C-LIFE", "C-RPC"], {"C-RPC-5"}, {"C-RPC-6", "C-RPC-7", "C-RPC-11", "C-RPC-12"})

    def test_url_in_the_command(self):
        """{url} in a word; ACP_URL says the same."""
        script = f'test "$ACP_URL" = {{url}} && exec node {HERE}/sdk_client.mjs'
        found, code, text = check("sh", "-c", script, options=["--transport", "ws", "--only", "C-TURN-1"])
        self.assertEqual((code, found["C-TURN-1"][0]), (0, "pass"), text)

    def test_inside_a_word(self):
        """{agent} inside a longer word is one line for a shell."""
        found, code, text = check("sh", "-c", f"exec '{ACP}' run hello -- {{agent}}", options=["--only", "C-TURN-1"])
        self.assertEqual((code, found["C-TURN-1"][0]), (0, "pass"), text)

    def test_content_length(self):
        found, code, text = check(ACP, "run", "--framing", "content-length", "hello", "--", "{agent}", options=[
            "--framing", "content-length", "--only", "C-TURN-1", "--only", "C-UPD-8", "--only", "C-RPC-6"])
        self.assertEqual(self.hold(found, code, text, skips={"C-RPC-6"}), 0)

    def test_by_hand(self):
        with tempfile.TemporaryDirectory() as directory:
            socket = f"{directory}/agent"
            kit = subprocess.Popen([ACP, "check", "client", "--only", "C-TURN-1", "--timeout", "30", "--listen", socket],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            told = kit.stderr.readline() + kit.stderr.readline()
            self.assertIn(f"check relay {socket}", told)
            client = subprocess.run([ACP, "run", "hello", "--", ACP, "check", "relay", socket], capture_output=True,
                                    text=True, timeout=60, cwd=directory)
            out, err = kit.communicate(timeout=60)
            self.assertEqual((kit.returncode, client.returncode), (0, 0), out + err + client.stderr)
            self.assertIn("1 passed", out)

    def test_usage(self):
        for words, said in ((["--", "true"], "{agent}"), ([], "missing"), (["--only", "C-NONE-1", "--", "{agent}"], "C-NONE-1"),
                            (["--cancel-by", "NOSUCH", "--", "{agent}"], "NOSUCH"),
                            (["--listen", "/tmp/x", "--", "{agent}"], "either"),
                            (["--protocol", "3", "--", "{agent}"], "--protocol"),
                            ([*SECOND, "--only", "C-INIT-1", "--", "{agent}"], "C-INIT-1 of version 2"),
                            (["--transport", "smoke", "--", "{url}"], "smoke"),
                            (["--transport", "ws", "--", "{agent}"], "{url}"),
                            (["--transport", "ws", "--listen", "/tmp/x"], "--listen")):
            run = subprocess.run([ACP, "check", "client", *words], capture_output=True, text=True)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(said, run.stderr)

    def test_a_client_that_is_none(self):
        found, code, text = check("false", "{agent}", options=["--only", "C-TURN"])
        self.assertEqual(code, 3, text)
        self.assertIn("never came to a prompt", text)
        self.assertEqual({status for status, _ in found.values()}, {"skip"})
        found, code, text = check("no-such-client-at-all", "{agent}", options=["--only", "C-TURN-1"])
        self.assertEqual(code, 3, text)
        self.assertIn("no-such-client-at-all", found["C-TURN-1"][1])


unittest.main(argv=sys.argv[:1] + sys.argv[4:])
