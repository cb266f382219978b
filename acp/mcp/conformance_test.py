"""conformance_test.py CLIENT: the client scenarios of @modelcontextprotocol/conformance that need no
OAuth, which CLIENT does not have. `node` is the one of the PATH, 22 or newer."""

import subprocess
import sys
import tempfile
import unittest

CLIENT = sys.argv[1]
KIT = "node_modules/@modelcontextprotocol/conformance/dist/index.js"


def kit(*arguments):
    return subprocess.run(["node", KIT, *arguments], capture_output=True, text=True, timeout=240)


class Conformance(unittest.TestCase):
    def passes(self, scenario):
        with tempfile.TemporaryDirectory() as results:
            run = kit("client", "--command", CLIENT, "--scenario", scenario, "--timeout", "120000",
                      "--output-dir", results)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("OVERALL: PASSED", run.stdout + run.stderr)

    def test_initialize(self):
        self.passes("initialize")

    def test_tools_call(self):
        self.passes("tools_call")

    def test_elicitation_defaults(self):
        self.passes("elicitation-sep1034-client-defaults")

    def test_sse_retry(self):
        self.passes("sse-retry")

    def test_there_is_no_other_scenario_without_oauth(self):
        clients = kit("list").stdout.split("Client scenarios", 1)[1]
        names = {line.split()[1] for line in clients.splitlines() if line.startswith("  - ")}
        self.assertEqual({name for name in names if not name.startswith("auth/")},
                         {"initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
