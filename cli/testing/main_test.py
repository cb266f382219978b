"""What `acp` answers to its most common uses and misuses: main_test.py PROGRAM VERSION."""

import os
import re
import subprocess
import sys
import unittest

from terminal import output_in

PROGRAM, VERSION = sys.argv[1:3]


def acp(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, **options)


class Main(unittest.TestCase):
    def test_help_is_shown_when_asked_for_and_without_arguments(self):
        asked = acp("--help")
        self.assertEqual((asked.returncode, asked.stderr), (0, ""))
        for word in ("Usage: acp", "--version", "Commands:", "schema"):
            self.assertIn(word, asked.stdout)
        self.assertEqual(acp().stdout, asked.stdout)

    def test_each_command_has_a_line(self):
        commands = acp("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
        self.assertGreater(len(commands.splitlines()), 10)
        for line in commands.splitlines():
            self.assertRegex(line, r"^  [a-z]+ +[A-Z]")

    def test_help_of_a_command(self):
        shown = acp("schema", "--help")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("Usage: acp schema", shown.stdout)

    def test_help_fits_and_says_what_is_to_be_given(self):
        def pages(*command):
            text = acp(*command, "--help").stdout
            yield command, text
            if "Commands:\n" in text:
                for name in re.findall(r"(?m)^  ([a-z]+)", text.split("Commands:\n")[1].split("\n\n")[0]):
                    yield from pages(*command, name)

        shown = dict(pages())
        self.assertGreater(len(shown), 25)
        for command, text in shown.items():
            with self.subTest(command):
                self.assertLessEqual(max(map(len, text.splitlines())), 80)
                self.assertNotIn("\n\n\n", text)
                self.assertTrue(text.endswith("\n") and not text.endswith("\n\n"))
                self.assertNotIn(":{", text)
        for command, usage in (("chat", "[OPTIONS] [PROMPT] [-- COMMAND…]"), ("run", "[OPTIONS] [PROMPT] [-- COMMAND…]"),
                               ("tap", "[OPTIONS] -- COMMAND… | --url URL | --ssh HOST"), ("completions", "[OPTIONS] SHELL"),
                               ("replay", "[OPTIONS] --as agent|client FILE [-- COMMAND…]"),
                               ("check agent", "[OPTIONS] -- COMMAND… | --url URL | --ssh HOST"), ("check client", "[OPTIONS] -- COMMAND…")):
            self.assertIn(f"Usage: acp {command} {usage}\n", shown[tuple(command.split())])
        self.assertIn("\n  --framing newline|content-length|auto\n", shown["chat",])

    def test_help_fits_the_terminal(self):
        def widest(columns):
            shown, _ = output_in(columns, [os.path.abspath(PROGRAM), "run", "--help"], os.environ)
            return max(map(len, shown.splitlines()))

        self.assertLessEqual(widest(50), 50)
        self.assertLessEqual(widest(80), 80)
        self.assertTrue(85 < widest(300) <= 100)

    def test_help_by_its_name(self):
        for words in ([], ["chat"], ["mcp", "tools"], ["check", "agent"]):
            shown = acp("help", *words)
            self.assertEqual((shown.returncode, shown.stdout, shown.stderr), (0, acp(*words, "--help").stdout, ""))
        self.assertIn("there is no command 'chta'", acp("help", "chta").stderr)
        self.assertEqual(acp("help", "help").stdout, acp("--help").stdout)
        self.assertIn("'acp help COMMAND' tells more.", acp("--help").stdout)
        self.assertIn("'acp help mcp COMMAND' tells more.", acp("mcp", "--help").stdout)

    def test_an_unknown_option_is_named_alone(self):
        for words, told in ((["run", "--modle", "x", "hi"], "there is no option --modle; did you mean --model?"),
                            (["run", "--modle=x", "hi"], "there is no option --modle; did you mean --model?"),
                            (["run", "hi", "there", "--jsn"], "there is no option --jsn; did you mean --json?"),
                            (["chat", "--resme"], "there is no option --resme"),
                            (["config", "-x"], "there is no option -x"),
                            (["--vresion"], "there is no option --vresion; did you mean --version?"),
                            (["-V"], "there is no option -V; did you mean --version?"),
                            (["--json", "agents"],
                             "acp agents: --json stands after the command: 'acp agents --json'"),
                            (["version"], "did you mean --version?"),
                            (["cofnig"], "did you mean config?")):
            with self.subTest(words):
                failed = acp(*words)
                self.assertEqual((failed.returncode, failed.stdout), (2, ""))
                message, tip = failed.stderr.splitlines()
                self.assertIn(told, message)
                self.assertRegex(tip, "^Try 'acp")
                self.assertNotIn("not expected", message)
        for words, told in ((["agents", "foo"], "acp agents: unexpected argument 'foo'"),
                            (["check", "agent", "node", "x.js"],
                             "acp check agent: unexpected argument 'node'; the command to start stands after --: "
                             "acp check agent -- COMMAND…"),
                            (["mcp", "info", "http://127.0.0.1:1/mcp"],
                             "acp mcp info: the address of a server stands after --url"),
                            (["run", "--url", "localhost:18787", "hi"],
                             "acp run: the URL begins with http://, https://, ws:// or wss://: put http:// before it"),
                            (["run", "--timeout", "10x", "hi"],
                             "acp run: --timeout: expected a number of seconds above 0, got '10x'"),
                            (["run", "--timeout", "0ms", "hi"],
                             "acp run: --timeout: expected a number of seconds above 0, got '0'"),
                            (["run", "--timeout"], "acp run: --timeout: its value is missing"),
                            (["run", "--framing", "x", "hi"],
                             "acp run: --framing: expected one of newline, content-length, auto, got 'x'")):
            self.assertEqual(acp(*words).stderr.splitlines()[0], told)
        self.assertIn("quote the prompt: 'fix the build'", acp("run", "fix", "the", "build").stderr)

    def test_a_time_may_have_a_unit(self):
        for time in ("1", "1s", "1000ms", "1.5s"):
            said = acp("run", "--timeout", time, "--file", "/none", "--", "true").stderr
            self.assertIn("cannot read /none", said, time)

    def test_pages_that_help_names_are_there(self):
        for command in ("run", "agent", "agents", "config", "models"):
            text = re.sub(r"\s+", " ", acp(command, "--help").stdout)
            pages = re.findall(r"\S*docs?/\S+\.md", text)
            self.assertTrue(pages, command)
            for page in pages:
                self.assertTrue(os.path.isfile(page) and page.startswith("/"), (command, page))

    def test_version(self):
        shown = acp("--version")
        self.assertEqual((shown.returncode, shown.stdout), (0, f"acp {VERSION}\n"))

    def test_it_starts_without_the_libraries_of_the_network(self):
        # The system's loader lists what it would load.
        loaded = acp("--version", env=os.environ | {"LD_TRACE_LOADED_OBJECTS": "1"}).stdout
        self.assertIn("libstdc++", loaded)
        for library in ("libssl", "libcrypto", "libcurl"):
            self.assertNotIn(library, loaded)

    def test_mistakes_end_with_2_one_line_and_a_hint(self):
        for arguments, word, hint in (
            (["chema"], "'chema'", "acp --help"),
            (["schema"], "list", "acp schema --help"),
            (["schema", "lits"], "'lits'", "acp schema --help"),
        ):
            with self.subTest(arguments):
                failed = acp(*arguments)
                self.assertEqual((failed.returncode, failed.stdout), (2, ""))
                message, tip = failed.stderr.splitlines()
                self.assertIn(word, message)
                self.assertEqual(tip, f"Try '{hint}'.")

    def test_times(self):
        dashes = ["--", "true"]
        for command in (["run", "hi"], ["mcp", "info"], ["replay", "f", "--as", "client"], ["check", "agent"],
                        ["check", "client"]):
            for word in ("0", "-1", "abc", "5m", "nan", "1e300"):
                with self.subTest([*command, word]):
                    failed = acp(*command, "--timeout", word, *dashes)
                    self.assertEqual((failed.returncode, failed.stdout), (2, ""))
                    told = f"--timeout: expected a number of seconds above 0, got '{word}'"
                    self.assertEqual(failed.stderr.splitlines()[0].split(": ", 1)[1], told)
            self.assertRegex(acp(*command, "--help").stdout, r"\n  --timeout SECONDS")

    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            failed = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE,
                                    text=True, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("standard output", failed.stderr)


unittest.main(argv=sys.argv[:1])
