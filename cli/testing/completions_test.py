#!/usr/bin/env python3
"""completions_test.py ACP: what the shells offer, asked of the shells themselves; and the manual page.

Shells and checkers that are not installed are skipped, and named."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ACP = Path(sys.argv[1]).resolve()


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name).resolve()
        config = self.home / ".config/acp"
        config.mkdir(parents=True)
        (config / "config.toml").write_text('[agents.mine]\ncommand = "my-agent"\n[mcp.files]\ncommand = "x"\n')
        (config / "config.toml").chmod(0o600)
        (self.home / "acp").symlink_to(ACP)
        (self.home / "a file.toml").write_text("")
        self.env = {"HOME": str(self.home), "PATH": f"{self.home}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                    "TERM": "dumb"}

    def run_it(self, *command, said=None, code=0):
        done = subprocess.run([str(word) for word in command], env=self.env, cwd=self.home, input=said, text=True,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def commands(self):
        """As the help lists them."""
        return re.findall(r"^  (\w+)  ", self.run_it(ACP, "--help").split("Commands:")[1], re.M)


class Words(Case):
    def words(self, *typed):
        return [line.split("\t")[0] for line in self.run_it(ACP, "completions", "--words", "--", *typed).splitlines()]

    def test_every_command_and_option(self):
        commands = self.commands()
        self.assertIn("chat", commands)
        self.assertEqual(sorted(self.words("")), sorted(commands))
        self.assertNotIn("man", commands)
        for command in commands:
            options = re.findall(r"(?<![\w-])--[a-z][\w-]+", self.run_it(ACP, command, "--help").split("\n\n")[0])
            for option in options:
                self.assertIn(option, self.words(command, "--"), command)

    def test_values(self):
        self.assertIn("mine", self.words("chat", "--agent", ""))
        self.assertIn("gemini", self.words("run", "--json", "--agent", "ge"))
        self.assertEqual(self.words("chat", "--framing", "c"), ["content-length"])
        self.assertEqual(self.words("chat", "--cwd", ""), [":dir"])
        self.assertEqual(sorted(self.words("run", "--policy", "")), [":file", "allow", "ask", "deny"])
        self.assertEqual(self.words("run", "--mcp", ""), ["files", "none"])
        self.assertEqual(self.words("completions", "z"), ["zsh"])
        self.assertEqual(self.words("chat", "--", "x"), [":file"])
        self.assertEqual(self.words("nosuch", "x"), [])

    def test_usage(self):
        self.run_it(ACP, "completions", code=2)
        self.run_it(ACP, "completions", "tcsh", code=2)


class Shells(Case):
    def need(self, shell):
        if not shutil.which(shell):
            self.skipTest(f"{shell} is not installed")

    def bash(self, *words):
        script = ('source <("$1" completions bash); shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _acp; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return self.run_it("bash", "-c", script, "bash", ACP, *words).splitlines()

    def test_bash(self):
        self.assertEqual(self.bash("acp", "ch")[0:1], ["chat"])
        self.assertEqual(self.bash("acp", "chat", "--ag"), ["--agent"])
        self.assertIn("mine", self.bash("acp", "chat", "--agent", ""))
        self.assertEqual(sorted(self.bash("acp", "run", "--file", "a")), ["a file.toml", "acp"])

    def test_zsh(self):
        self.need("zsh")
        script = self.home / "_acp"
        script.write_text(self.run_it(ACP, "completions", "zsh"))
        self.run_it("zsh", "-n", script)
        # What _describe and _files would be told.
        asked = self.run_it("zsh", "-f", "-c", """
            compdef() { }
            _describe() { print -l -- "${(@P)4}" }
            _files() { print -- files "$@" }
            source ./_acp
            words=(acp chat --ag); CURRENT=3; _acp
            words=(acp chat --agent mi); CURRENT=4; _acp
            words=(acp chat --cwd ''); CURRENT=4; _acp""")
        self.assertRegex(asked, r"--agent:One of 'acp agents'\n")
        self.assertRegex(asked, r"(?m)^mine:")
        self.assertIn("files -/", asked)

    def test_fish(self):
        self.need("fish")
        (self.home / "acp.fish").write_text(self.run_it(ACP, "completions", "fish"))
        for typed, offered in (("acp ch", "chat"), ("acp chat --ag", "--agent"), ("acp chat --agent mi", "mine"),
                               ("acp run --policy al", "allow")):
            shown = self.run_it("fish", "-c", f"source acp.fish; complete -C '{typed}'")
            self.assertIn(offered, [line.split("\t")[0] for line in shown.splitlines()], typed)


class Manual(Case):
    def setUp(self):
        super().setUp()
        self.page = self.home / "acp.1"
        self.page.write_text(self.run_it(ACP, "man"))

    def test_it_has_all_of_the_help(self):
        text = self.page.read_text().replace("\\-", "-")
        for command in self.commands():
            self.assertIn(f".SS acp {command}\n", text)
            for option in re.findall(r"(?m)^ +(?:-\w,)?(--[a-z][\w-]+)", self.run_it(ACP, command, "--help")):
                if option != "--help":
                    self.assertIn(f"\\fB{option}\\fR", text)

    def test_man_and_mandoc_like_it(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", str(self.page)], env=self.env,
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        if not shutil.which("mandoc"):
            self.skipTest("mandoc is not installed")
        done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", str(self.page)], env=self.env, capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
