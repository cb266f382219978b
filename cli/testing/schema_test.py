"""What `acp schema` answers: schema_test.py PROGRAM."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv[1]
PROMPT = '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[%s]}}'


def schema(*arguments, text=""):
    return subprocess.run([PROGRAM, "schema", *arguments], input=text, capture_output=True, text=True, check=False)


def lines(run):
    return [json.loads(line) for line in run.stdout.splitlines()]


class Schema(unittest.TestCase):
    # One process for many questions: each costs seconds under the address sanitizer.
    def test_check_messages(self):
        run = schema("check", "--roundtrip", text="\n".join([
            PROMPT % '{"type":"text","text":"a"},{"type":"text","text":5}',
            "",
            PROMPT % '{"text":"a","type":"text","extra":1}',
            '{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}',
            '{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}',
        ]))
        self.assertEqual(run.returncode, 1)
        self.assertEqual(lines(run), [
            {"ok": False, "line": 1, "path": "params.prompt[1].text", "expected": "a string", "got": "a number"},
            {"ok": True, "line": 3, "value": json.loads(PROMPT % '{"type":"text","text":"a"}')},
            {"ok": True, "line": 4, "value": {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}},
            {"ok": False, "line": 5, "path": "", "expected": "`,` or `}`", "got": "the end of the text", "offset": 58},
        ])
        self.assertIn("input:3: params.prompt[0].extra: ignored", run.stderr)

    def test_check_a_recording(self):
        right = PROMPT % '{"type":"text","text":"a"}'
        wrong = '{"jsonrpc":"2.0","id":1,"result":{"stopReason":5}}'
        run = schema("check", text="\n".join([
            '{"recording":1,"time":1,"program":"acp 0.1.0","command":["agent"],"masked":true}',
            '{"n":0,"time":2,"from":"client","frame":%s}' % right,
            '{"n":1,"time":3,"from":"agent","frame":%s}' % wrong,
            '{"n":2,"time":3,"from":"agent","text":"Welcome!"}',
            '{"time":4,"violation":"A-WIRE-1","level":"must","from":"agent","frame":2,"message":"no JSON"}',
            '{"time":5,"fault":"drop","from":"agent","frame":2,"detail":"x"}',
            '{"time":6,"end":"the agent exited with code 0"}',
        ]))
        self.assertEqual([(line["ok"], line["line"], line.get("path")) for line in lines(run)],
                         [(True, 2, None), (False, 3, "result.stopReason"), (False, 4, "")], run.stdout)
        # A line that only looks a little like one is a message, and a bad one.
        self.assertEqual(schema("check", text='{"time":2,"frame":%s}' % right).returncode, 1)

    def test_check_a_type_strictly(self):
        run = schema("check", "--strict", "ToolCall", text="\n".join([
            '{"toolCallId":"1","title":"t","kind":"read"}',
            '{"toolCallId":"1","title":"t","kind":"magic"}',
            '{"toolCallId":"1","title":"t","more":1}',
        ]))
        self.assertEqual(run.returncode, 1)
        self.assertEqual([(line["ok"], line.get("path")) for line in lines(run)],
                         [(True, None), (False, "kind"), (False, "more")])
        self.assertEqual(run.stderr, "")

    def test_check_files(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder, "whole.json")
            whole.write_text('{\n  "type": "text",\n  "text": "é"\n}\n', encoding="utf-8")
            several = Path(folder, "several.jsonl")
            several.write_text('{"type":"text","text":"a"}\n{"type":"_mine"}\n', encoding="utf-8")
            run = schema("check", "--protocol", "2", "ContentBlock", str(whole), str(several))
            self.assertEqual((run.returncode, lines(run)), (0, [
                {"ok": True, "file": str(whole), "line": 1}, {"ok": True, "file": str(several), "line": 1},
                {"ok": True, "file": str(several), "line": 2}]), run.stderr)
            missing = schema("check", "ContentBlock", str(Path(folder, "missing")))
            self.assertEqual((missing.returncode, missing.stdout), (2, ""))
            self.assertIn("cannot read", missing.stderr)
            self.assertIn(": No such file or directory\n", missing.stderr)

    def test_nothing_to_check_is_no_success(self):
        for text in ("", "\n\n", '{"recording":1,"time":1}\n'):
            run = schema("check", text=text)
            self.assertEqual((run.returncode, run.stdout), (1, ""), text)
            self.assertEqual(run.stderr, "acp schema: nothing was checked: there is no message\n")

    def test_what_is_no_json_is_not_asked_to_be_null(self):
        run = schema("check", text='nonsense\n{"a":nonsense}\n{"a":nul}\n')
        self.assertEqual([(line["expected"], line["got"]) for line in lines(run)],
                         [("a JSON value", "`nonsense`"), ("a value", "`nonsense}`"), ("`null`", "`nul}`")])

    def test_names_that_are_nearly_right_are_suggested(self):
        for words, name in ((["show", "session/promt"], "session/prompt"), (["show", "contentblock"], "ContentBlock"),
                            (["show", "Session/Prompt"], "session/prompt"), (["check", "toolCal"], "ToolCall")):
            run = schema(*words)
            self.assertEqual(run.returncode, 2)
            self.assertIn(f"; did you mean {name}?\n", run.stderr)
        self.assertNotIn("did you mean", schema("show", "Nothing").stderr)
        self.assertIn("with ! is required, one with ? is not", schema("show", "--help").stdout)

    def test_list_and_show(self):
        listed = lines(schema("list", "--json", "--stable"))
        self.assertEqual(len([x for x in listed if "type" in x]), 178)
        self.assertEqual(len({x["name"] for x in listed if "name" in x}), 25)
        shown = json.loads(schema("show", "--json", "--protocol", "2", "PromptRequest").stdout)
        self.assertEqual(shown["fields"][1], {"name": "prompt", "type": "[ContentBlock]", "required": True, "minItems": 1})
        method = schema("show", "session/load").stdout
        for words in ("agentCapabilities.loadSession", "LoadSessionRequest", "null is taken as {}"):
            self.assertIn(words, method)

    def test_mistakes_end_with_2_and_a_hint(self):
        for arguments, words in ((["show", "Nothing"], "no type or method 'Nothing'"),
                                 (["check", "Nothing"], "neither a type of version 1 nor a file"),
                                 (["list", "--protocol", "3"], "--protocol")):
            with self.subTest(arguments):
                run = schema(*arguments)
                self.assertEqual((run.returncode, run.stdout), (2, ""))
                self.assertIn(words, run.stderr)
                self.assertIn("Try 'acp", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
