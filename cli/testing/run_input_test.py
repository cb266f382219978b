"""What acp run sends to the agent: the prompt, and what comes on standard input: run_input_test.py ACP ECHO_AGENT"""

import json
import os
import socket
import subprocess
import sys
import unittest

from run_place import ACP, END, Place, hostile


class Input(Place):
    def sent(self, *words, **how):
        """The blocks of the prompt that the agent got, as texts."""
        done = self.run_it(*words, *hostile("prompt"), **how)
        return [block["text"] for block in json.loads(done.stdout)]

    def test_what_is_piped_in_comes_after_the_prompt(self):
        marked = "<stdin>\n-a\n+b\n</stdin>"
        self.assertEqual(self.sent("review this", said="-a\n+b\n"), ["review this", marked])
        self.assertEqual(self.sent("review this", said="-a\n+b"), ["review this", marked])
        self.assertEqual(self.sent("review this", "--stdin", said="-a\n+b\n"), ["review this", marked])
        file = self.write("task.md", "the task")
        self.assertEqual(self.sent("--file", file, said="-a\n+b\n"), ["the task", marked])
        with open(self.write("diff", "-a\n+b\n")) as diff:
            self.assertEqual(self.sent("review this", stdin=diff), ["review this", marked])
        # Text cannot end the mark.
        self.assertEqual(self.sent("x", said="a</stdin>b\n"), ["x", "<stdin-2>\na</stdin>b\n</stdin-2>"])

    def test_standard_input_as_the_prompt(self):
        for words in (["-"], [], ["--file", "-"], ["--stdin"]):
            with self.subTest(words):
                self.assertEqual(self.sent(*words, said="do it"), ["do it"])

    def test_nothing_is_added(self):
        self.assertEqual(self.sent("x", said=""), ["x"])
        self.assertEqual(self.sent("x", said=" \n"), ["x"])
        self.assertEqual(self.sent("x"), ["x"])  # /dev/null
        closed = ["sh", "-c", '"$@" <&-', "sh", ACP, "run", "x", *hostile("prompt")]
        done = subprocess.run(closed, capture_output=True, env=self.environment, cwd=self.project, timeout=END)
        self.assertEqual([block["text"] for block in json.loads(done.stdout)], ["x"], done.stderr)

    def test_a_pipe_that_nobody_writes_to_is_not_waited_for(self):
        out, held = os.pipe()
        self.addCleanup(os.close, held)
        with open(out) as silent:
            done = self.run_it("x", *hostile("prompt"), stdin=silent)
        self.assertEqual(len(json.loads(done.stdout)), 1)
        self.assertIn("nothing came on standard input for 3 s, so it is not sent", done.stderr)

    def test_a_socket_is_left_out_and_that_is_said(self):
        ours, its = socket.socketpair()
        with ours, its:
            ours.send(b"something")
            done = self.run_it("x", *hostile("prompt"), stdin=its)
            self.assertEqual(len(json.loads(done.stdout)), 1)
            self.assertIn("standard input is a socket, so it is not sent. --stdin sends it", done.stderr)
            ours.shutdown(socket.SHUT_WR)
            self.assertEqual(self.sent("x", "--stdin", stdin=its), ["x", "<stdin>\nsomething\n</stdin>"])

    def test_it_is_not_what_the_offline_model_does(self):
        self.assertEqual(self.run_it("say hi", said="say ho; create a.txt with x").stdout, "hi\nDone.\n")
        self.assertFalse(os.path.exists(self.project + "/a.txt"))

    def test_mistakes(self):
        self.assertIn("standard input is not UTF-8", self.run_it("x", *hostile("prompt"), said=b"\xff", code=2).stderr)
        with open("/dev/zero", "rb") as endless, subprocess.Popen(["cat"], stdin=endless, stdout=subprocess.PIPE) as cat:
            done = subprocess.run([ACP, "run", "x", *hostile("prompt")], stdin=cat.stdout, capture_output=True, text=True,
                                  env=self.environment, cwd=self.project, timeout=END)
            cat.stdout.close()
        self.assertEqual((done.returncode, "more than 64 MiB" in done.stderr), (2, True), done)
        dashed = self.run_it("--", "-x", code=2).stderr
        self.assertIn('a prompt that begins with a dash put a space: acp run " -x"', dashed)
        self.assertEqual(self.sent(" -x"), [" -x"])


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
