"""acp run --policy ask and deny, as people see them: run_ask_test.py ACP ECHO_AGENT"""

import json
import os
import sys
import unittest

from run_place import Place, hostile


class Letters(Place):
    agent = hostile("permission", "reject_once allow_always allow_once reject_always")

    def chosen(self, *answers):
        out, seen = self.ask([*answers], *self.agent)
        return json.loads(out).get("optionId"), seen

    def test_they_mean_what_they_mean_in_chat(self):
        for letter, option in [(b"y\n", "o2"), (b"Y\n", "o2"), (b"yes\n", "o2"), (b"s\n", "o2"), (b"p\n", "o2"),
                               (b"n\n", "o0"), (b"no\n", "o0")]:
            with self.subTest(letter):
                given, seen = self.chosen(letter)
                self.assertEqual(given, option)
                self.assertIn("y, s, p, n, a number (the agent's own answers), v to see all, or nothing to deny: ", seen)
                self.assertIn("  y  Allow once\r\n", seen)
                if letter == b"p\n":
                    os.remove(self.home + "/.config/acp/policy.toml")

    def test_this_session(self):
        """The same question again is not asked again, in this run."""
        call = {"toolCallId": "p", "title": "Run it", "kind": "execute", "rawInput": {"command": "npm test"}}
        other = dict(call, rawInput={"command": "npm publish"})
        steps = hostile("steps", json.dumps([["ask", call], ["ask", call], ["ask", other]]))
        out, seen = self.ask([b"s\n", b"n\n"], *steps)
        self.assertEqual(out, "asked: o0\nasked: o0\nasked: o1\n")
        self.assertEqual(seen.count("nothing to deny: "), 2, seen)
        self.assertIn("at the terminal, remembered for this session", seen)
        self.assertIn("by the rule allow execute `npm test` run in ", seen)
        self.assertFalse(os.path.exists(self.home + "/.config/acp/policy.toml"))

    def test_this_project(self):
        """Nor in the next one, and the rule is one that acp policy shows."""
        _, seen = self.chosen(b"p\n")
        self.assertIn("remembered in %s/.config/acp/policy.toml" % self.home, seen)
        self.assertIn("npm test", self.acp("policy", "list").stdout)
        out, seen = self.ask([], *self.agent)
        self.assertEqual(json.loads(out)["optionId"], "o2")
        self.assertNotIn("nothing to deny", seen)
        # With deny it stays denied: only ask follows rules that allow.
        self.run_it("x", *self.agent, code=4)

    def test_without_an_answer_that_allows_once(self):
        out, seen = self.ask([b"y\n", b"n\n"], *hostile("permission", "reject_once"))
        self.assertEqual(json.loads(out)["optionId"], "o0")
        self.assertIn("\nn, a number", seen)


class Question(Place):
    def test_what_comes_meanwhile_waits(self):
        pipe = self.home + "/pipe"
        os.mkfifo(pipe)

        def answer():
            with open(pipe, "w") as go:
                go.write("go")
            with open(pipe) as said:
                said.read()
            return b"1\n"

        out, seen = self.ask([answer], *hostile("talks-while-it-asks", pipe))
        self.assertEqual(out, "allow_once\n")
        self.assertIn("nothing to deny: 1\r\n", seen)
        self.assertIn("[tool] read: Look", seen.split("nothing to deny: ")[1])

    def test_ctrl_c_says_once_that_a_call_is_cancelled(self):
        _, seen = self.ask([b"\x03"], *hostile("fails-before-it-hears"), code=130)
        self.assertEqual(seen.count("[cancelled]"), 1, seen)

    def test_a_call_that_is_announced_after_ctrl_c_is_cancelled(self):
        _, seen = self.ask([b"\x03"], *hostile("announces-after-cancel"), code=130)
        self.assertEqual(seen.count("[cancelled]"), 1, seen)
        self.assertNotIn("[failed]", seen)


class Denied(Place):
    agent = hostile("permission", "allow_once reject_once")

    def denied(self, *words, **how):
        [line] = [line for line in self.run_it("x", *words, *self.agent, code=4, **how).stderr.splitlines()
                  if line.startswith("[denied]")]
        return line

    def test_by_whom(self):
        what = "[denied] execute `npm test`, "
        self.assertEqual(self.denied("--policy", "deny"), what + "by --policy deny")
        self.assertEqual(self.denied(start_new_session=True), what + "by default; --policy allow allows")
        _, seen = self.ask([], "--policy", "deny", *self.agent, code=4, policy=[])
        self.assertIn("by --policy deny", seen)
        _, seen = self.ask([], *self.agent, code=4, policy=[])
        self.assertIn("by default; --policy ask asks here, --policy allow allows", seen)


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
