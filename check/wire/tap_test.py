#!/usr/bin/env python3
"""tap_test.py ACP: `acp tap`, `acp log` and `acp replay` from outside."""

import collections
import concurrent.futures
import glob
import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ACP = os.path.abspath(sys.argv.pop(1))
LONG = 120  # seconds; nothing here should need more


def tap(*words, **more):
    return subprocess.run([ACP, "tap", *words], capture_output=True, timeout=LONG, **more)


def read_log(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def until(condition, what):
    """Waits for something that must happen; its time is only an end to waiting."""
    end = time.monotonic() + LONG
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.01)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.log = os.path.join(self.folder.name, "wire.jsonl")


class TapTest(Folder):
    def test_bytes_pass_unchanged(self):
        dice = random.Random(1)
        data = dice.randbytes(3_000_000) + b"a last line without its end"
        for more in ([], ["--log", self.log]):
            done = tap("--quiet", *more, "--", "cat", input=data)
            self.assertEqual(done.returncode, 0)
            self.assertTrue(done.stdout == data, "the bytes are others")
            self.assertEqual(done.stderr, b"")

    def test_the_exit_code_is_the_agents(self):
        self.assertEqual(tap("--quiet", "--", "sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(tap("--quiet", "--", "sh", "-c", "kill -9 $$").returncode, 128 + 9)

    def test_an_agent_that_cannot_be_started_is_told(self):
        done = tap("--", "/nowhere/agent")
        self.assertEqual(done.returncode, 127)
        self.assertIn(b"/nowhere/agent", done.stderr)

    def test_a_fault_that_would_never_come_is_refused(self):
        for fault, why in (("drop:agent:5", "a chance has a %: 5%"),
                           ("drop:agent:session/promt", "did you mean session/prompt?"),
                           ("drop:client:10%:Session/Update", "did you mean session/update?"),
                           ("drop:client:sesion/*", "no method of the protocol begins with sesion/")):
            done = tap("--fault", fault, "--", "cat", stdin=subprocess.DEVNULL, text=True)
            self.assertEqual(done.returncode, 2, fault)
            self.assertIn(f"acp tap: --fault '{fault}': ", done.stderr)
            self.assertIn(why, done.stderr)
        for fault in ("drop:agent:_mine/thing", "drop:agent:$/cancel_request", "drop:agent:session/*", "drop:agent:*",
                      "drop:agent:session/set_model"):
            self.assertEqual(tap("--fault", fault, "--", "true", stdin=subprocess.DEVNULL).returncode, 0, fault)

    def test_a_recording_is_not_overwritten(self):
        tap("--quiet", "--log", self.log, "--", "cat", input=b'{"first":1}\n')
        before = Path(self.log).read_bytes()
        done = tap("--log", self.log, "--", "sh", "-c", "echo started", stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"something stands in it; --force replaces it", done.stderr)
        self.assertEqual(Path(self.log).read_bytes(), before)
        self.assertEqual(tap("--quiet", "--force", "--log", self.log, "--", "true").returncode, 0)
        self.assertNotIn(b"first", Path(self.log).read_bytes())
        Path(self.log).write_bytes(b"")
        self.assertEqual(tap("--quiet", "--log", self.log, "--", "true").returncode, 0, "an empty file")
        self.assertEqual(tap("--quiet", "--log", "/dev/null", "--", "true").returncode, 0)
        for number in (1, 2, 3):
            tap("--quiet", "--log", self.log + "-{n}", "--", "true")
            self.assertEqual(sorted(os.path.basename(p) for p in glob.glob(self.log + "-*")),
                             [f"wire.jsonl-{i}" for i in range(1, number + 1)])

    def test_mistakes_in_the_usage(self):
        for words in ([], ["--fault", "lose:agent", "--", "cat"], ["--framing", "x", "--", "cat"]):
            self.assertEqual(tap(*words).returncode, 2, words)
        done = tap("--log", "/nowhere/log", "--", "cat")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"/nowhere/log", done.stderr)

    def test_stderr_passes(self):
        done = tap("--quiet", "--", "sh", "-c", "echo to stderr >&2")
        self.assertEqual(done.stderr, b"to stderr\n")

    def test_signals_are_passed_on(self):
        agent = "trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done"
        with subprocess.Popen([ACP, "tap", "--quiet", "--", "sh", "-c", agent], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as child:
            self.assertEqual(child.stdout.readline(), b"ready\n")
            child.send_signal(signal.SIGTERM)
            self.assertEqual(child.wait(LONG), 3)

    def test_the_agent_dies_with_the_tap(self):
        with subprocess.Popen([ACP, "tap", "--quiet", "--", "sh", "-c", "echo $$; exec sleep 1000"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            agent = int(child.stdout.readline())
            self.assertTrue(is_alive(agent))
            child.kill()
            child.wait(LONG)
        until(lambda: not is_alive(agent), "the agent ends")

    def test_a_client_that_does_not_read_blocks_only_its_own_direction(self):
        # The agent says more than all pipes hold, and reads its input only then.
        agent = "head -c 4000000 /dev/zero; cat >&2"
        with subprocess.Popen([ACP, "tap", "--quiet", "--", "sh", "-c", agent], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdin.write(b"x" * 60_000)
            child.stdin.flush()  # taken, although nobody reads the other side
            self.assertEqual(len(child.stdout.read(4_000_000)), 4_000_000)
            out, err = child.communicate(timeout=LONG)
            self.assertEqual((out, len(err)), (b"", 60_000))

    def test_a_slow_client_does_not_make_it_keep_what_has_passed(self):
        # Frames that are cheap to look at: it is the client that is slow.
        size, count = 1024 * 1024, 400
        agent = f"import sys\nfor _ in range({count}): sys.stdout.write(' ' * {size - 1} + '\\n')"
        with subprocess.Popen([ACP, "tap", "--quiet", "--", sys.executable, "-c", agent],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            left, peak = size * count, 0
            while left > 0:
                left -= len(os.read(process.stdout.fileno(), 512))
                if left % (8 * size) < 512:
                    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                        peak = next(int(line.split()[1]) for line in status if "VmHWM" in line)
        # 64 MiB is how far its observer may be behind, by design. Sanitizers have memory of their own.
        sanitized = "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ
        self.assertLess(peak, (960 if sanitized else 120) * 1024, "kB at the peak of 400 MiB")
        self.assertGreater(peak, 0)

    def test_what_an_agent_said_before_its_end_is_not_lost_on_a_slow_client(self):
        # It fills whatever there is to fill, and goes.
        agent = """
import os, select, sys
fd, sent = int(sys.argv[1]), 0
os.set_blocking(fd, False)
while select.select([], [fd], [], 0.5)[1]:
    try: sent += os.write(fd, b"x" * 999 + b"\\n")
    except BlockingIOError: pass
with open("sent.new", "w") as file: print(sent, os.getpid(), file=file)
os.rename("sent.new", "sent")
"""
        sent = os.path.join(self.folder.name, "sent")
        for fd, channel in (("1", "stdout"), ("2", "stderr")):
            with subprocess.Popen([ACP, "tap", "--quiet", "--", sys.executable, "-c", agent, fd],
                                  cwd=self.folder.name, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                until(lambda: os.path.exists(sent), "the agent has filled the pipes")
                with open(sent, encoding="ascii") as file:
                    size, pid = map(int, file.read().split())
                until(lambda pid=pid: not is_alive(pid), "the agent has ended")
                self.assertEqual(len(getattr(process, channel).read()), size, channel)
            os.remove(sent)

    def test_violations_are_told_and_recorded(self):
        done = tap("--log", self.log, "--", "sh", "-c", "echo Loading model; cat >/dev/null",
                   input=b'{"jsonrpc":"2.0","id":1,"method":"session/new"}\n')
        self.assertIn(b"must A-WIRE-1 (agent, frame ", done.stderr)
        self.assertIn(b"must C-ORDER-1 (client, frame ", done.stderr)
        self.assertIn(b"not answered: session/new", done.stderr)
        lines = read_log(self.log)
        self.assertEqual(lines[0]["recording"], 1)
        self.assertLessEqual({"A-WIRE-1", "C-ORDER-1"}, {line.get("violation") for line in lines})
        self.assertEqual(lines[-1]["end"], "the agent exited with code 0")

    def test_recordings_are_for_their_owner_alone(self):
        def mode(path):
            return stat.S_IMODE(os.stat(path).st_mode)
        # The first look is while the agent still runs.
        looks = f"stat -c %a {self.log}; cat >/dev/null"
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        done = tap("--quiet", "--log", self.log, "--", "sh", "-c", looks, input=b"{}\n")
        self.assertEqual(done.stdout, b"600\n")
        os.chmod(self.log, 0o666)
        tap("--quiet", "--force", "--log", self.log, "--", "cat", input=b"{}\n")
        self.assertEqual(mode(self.log), 0o600, "a file that was there")
        page = self.log + ".html"
        subprocess.run([ACP, "log", self.log, "--html", page], check=True, timeout=LONG)
        self.assertEqual(mode(page), 0o600, "the page")
        if os.geteuid() == 0:
            os.chown(self.log, 65534, 65534)
            done = tap("--force", "--log", self.log, "--", "cat", input=b"{}\n")
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"belongs to another user", done.stderr)

    def test_recordings_hold_no_secrets(self):
        frames = [
            {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/w", "mcpServers": [
                {"name": "a", "command": "/c", "args": ["--header", "Authorization: Bearer SECRET-1"], "env": []}]}},
            {"jsonrpc": "2.0", "method": "x", "params": {"text": "clone https://me:SECRET-2@host/x"}},
            {"jsonrpc": "2.0", "method": "x", "params": {"text": "OPENAI says SECRET-3-from-the-environment"}},
            {"jsonrpc": "2.0", "method": "x", "params": {"text": "SECRET-4-from-the-key-file"}}]
        data = b"".join(json.dumps(frame).encode() + b"\n" for frame in frames)
        data += b'{"jsonrpc":"2.0","params":{"a":1,"apiKey":"SECRET-5"\n'
        home = self.folder.name
        os.makedirs(home + "/.config/acp")
        with open(os.open(home + "/.config/acp/keys.toml", os.O_CREAT | os.O_WRONLY, 0o600), "w") as keys:
            keys.write('box = "SECRET-4-from-the-key-file"\n')
        env = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        env.update(HOME=home, OPENAI_API_KEY="SECRET-3-from-the-environment")
        done = tap("--quiet", "--log", self.log, "--", "cat", "-", input=data, env=env)
        self.assertEqual(done.stdout, data, "the bytes pass unchanged")
        with open(self.log, encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("SECRET", text)
        self.assertIn("OPENAI says ***", text)
        self.assertGreater(len(read_log(self.log)), 10, "it is still JSON, line by line")
        tap("--quiet", "--no-mask", "--force", "--log", self.log, "--", "cat", "-", input=data, env=env)
        with open(self.log, encoding="utf-8") as file:
            self.assertEqual(len(set(re.findall("SECRET-[1-5]", file.read()))), 5)

    def test_what_the_wire_says_does_not_steer_the_terminal(self):
        done = tap("--", "cat", input=rb'{"jsonrpc":"2.0","method":"x\u001b[2J"}')
        self.assertNotIn(b"\x1b", done.stderr)
        self.assertIn("␛[2J".encode(), done.stderr)

    def test_content_length_is_recorded(self):
        body = b'{"jsonrpc":"2.0","id":0,\n"method":"initialize","params":{"protocolVersion":1}}'
        frame = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        done = tap("--quiet", "--log", self.log, "--", "cat", input=frame + frame)
        self.assertEqual(done.stdout, frame + frame)
        self.assertEqual(sum("frame" in line and "n" in line for line in read_log(self.log)), 4)

    def test_faults_are_done_and_told(self):
        lines = b"".join(b'{"jsonrpc":"2.0","method":"_x/%d"}\n' % i for i in range(20))
        agent = ["sh", "-c", "cat; sleep 0"]
        for kind in ("delay=1ms", "split", "merge", "reorder", "drop", "duplicate", "corrupt", "truncate",
                     "noise", "stall=1ms"):
            done = tap("--force", "--log", self.log, "--fault", f"{kind}:agent@3", "--", *agent, input=lines)
            faults = [line for line in read_log(self.log) if "fault" in line]
            name = kind.split("=")[0]
            self.assertEqual([each["fault"] for each in faults], [name])
            self.assertIn(f"fault {name} (agent, frame ".encode(), done.stderr)
            if name in ("delay", "split", "merge", "stall"):
                self.assertEqual(done.stdout, lines, name)
            else:
                self.assertNotEqual(done.stdout, lines, name)
            if name == "reorder":
                self.assertEqual(sorted(done.stdout.splitlines()), sorted(lines.splitlines()))
        stays = ["sh", "-c", "cat; exec sleep 1000"]
        for _ in range(10):
            done = tap("--fault", "kill:agent@3", "--", *stays, input=lines)
            self.assertEqual(done.returncode, 128 + 9)
            self.assertEqual(done.stdout.splitlines(), lines.splitlines()[:2], "what passes after the kill")
        # What the client wrote after the frame that killed it does not reach an agent that is no longer there.
        done = tap("--fault", "kill:client@3", "--", *stays, input=lines)
        self.assertEqual(done.returncode, 128 + 9)
        self.assertLessEqual(len(done.stdout.splitlines()), 2)

    def test_the_same_seed_does_the_same(self):
        lines = b"".join(b'{"jsonrpc":"2.0","method":"_x/%d"}\n' % i for i in range(200))
        outs = [tap("--quiet", "--seed", seed, "--fault", "drop:agent:20%", "--fault",
                    "corrupt:agent:5%", "--", "cat", input=lines).stdout for seed in "112"]
        self.assertEqual(outs[0], outs[1])
        self.assertNotEqual(outs[0], outs[2])


def run_through_tap(words, prompt, cwd, env, timeout=None):
    limit = [] if timeout is None else ["--timeout", str(timeout), "--grace", "2"]
    return subprocess.run(
        [ACP, "run", "--policy", "allow", *limit, prompt, "--", ACP, "tap", *words, "--", ACP, "agent",
         "--model", "offline"], capture_output=True, timeout=LONG, cwd=cwd, env=env)


class WithAgent(Folder):
    def setUp(self):
        super().setUp()
        self.home = os.path.join(self.folder.name, "home")
        self.project = os.path.join(self.folder.name, "project")
        os.makedirs(self.home)
        os.makedirs(self.project)
        with open(os.path.join(self.project, "a.txt"), "w", encoding="utf-8") as file:
            file.write("some text\n")
        self.env = {**os.environ, "HOME": self.home, "XDG_STATE_HOME": self.home, "XDG_DATA_HOME": self.home,
                    "XDG_CONFIG_HOME": self.home}

    def record(self, prompt="list .; show a.txt; run echo hi", **more):
        done = run_through_tap(["--quiet", "--log", self.log], prompt, self.project, {**self.env, **more})
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_log(self.log)


class LogTest(WithAgent):
    def test_what_is_no_recording(self):
        done = subprocess.run([ACP, "log", self.folder.name], capture_output=True, text=True, timeout=LONG)
        self.assertEqual((done.returncode, done.stderr), (1, f"acp log: cannot read {self.folder.name}: Is a directory\n"))
        done = subprocess.run([ACP, "replay", "/none", "--as", "agent"], capture_output=True, text=True, timeout=LONG)
        self.assertEqual((done.returncode, done.stderr), (1, "acp replay: cannot read /none: No such file or directory\n"))

    def test_a_page_on_standard_output(self):
        line = b'{"jsonrpc":"2.0","method":"_x/1"}\n'
        tap("--quiet", "--log", self.log, "--", "cat", input=line)
        done = subprocess.run([ACP, "log", "--html", "-", self.log], capture_output=True, timeout=LONG, cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"<html", done.stdout.lower())
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "-")))

    def acp_log(self, *words):
        done = subprocess.run([ACP, "log", self.log, *words], capture_output=True, timeout=LONG, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_our_own_two_ends_break_nothing(self):
        self.assertEqual([line for line in self.record() if "violation" in line], [])
        self.assertTrue(self.acp_log("--violations").startswith("Nothing was broken.\n\nmethod "))

    def test_version_2_too(self):
        self.assertEqual([line for line in self.record(ACP_V2="1") if "violation" in line], [])
        story = self.acp_log()
        self.assertRegex(story, r"> initialize #0  version 2  = version 2 ")
        self.assertRegex(story, r"> session/prompt #\d+  .*  = end_turn  \(.*, inserted after .*\)")
        self.assertIn("| < tool call ", story)
        self.assertEqual(story.count("state_update"), 0, "the prompt's line says it")

    def test_a_recording_is_readable(self):
        self.record()
        story = self.acp_log()
        for wanted in ("> initialize #0", "> session/prompt #", "= end_turn", "| < tool call ", "completed",
                       "method", "p99"):
            self.assertIn(wanted, story)
        only = self.acp_log("--method", "session/prompt").split("method")[0]
        self.assertIn("session/prompt", only)
        self.assertNotIn("initialize", only)
        self.assertNotIn("> ", self.acp_log("--from", "agent").split("\nmethod")[0].replace("→ ", ""))
        self.assertTrue(self.acp_log("--stats").startswith("method"))
        self.assertEqual(self.acp_log("--method", "nosuch"), "Nothing in the recording matches --method nosuch.\n")
        self.assertEqual(self.acp_log("--session", "x", "--from", "agent", "--violations"),
                         "Nothing in the recording matches --session x --from agent --violations.\n")
        with open(self.log, encoding="utf-8") as file:
            read = subprocess.run([ACP, "log", "-"], stdin=file, capture_output=True, timeout=LONG, text=True, check=True)
        self.assertEqual(read.stdout, story)

    def test_what_is_no_recording_is_told(self):
        with open(self.log, "w", encoding="utf-8") as file:
            file.write("rubbish\n")
        done = subprocess.run([ACP, "log", self.log], capture_output=True, timeout=LONG)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"line 1: not JSON", done.stderr)


class ReplayTest(WithAgent):
    def replay(self, side, *command):
        return subprocess.run([ACP, "replay", self.log, "--as", side, "--", *command], capture_output=True,
                              timeout=LONG, cwd=self.project, env=self.env, text=True)

    def change(self, old, new):
        with open(self.log, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(self.log, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))

    def test_as_client(self):
        self.record("show a.txt")
        done = self.replay("client", ACP, "agent", "--model", "offline")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("as recorded", done.stderr)
        self.change('"stopReason":"end_turn"', '"stopReason":"refusal"')
        done = self.replay("client", ACP, "agent", "--model", "offline")
        self.assertEqual(done.returncode, 1)
        self.assertIn('result.stopReason: recorded "refusal", got "end_turn"', done.stderr)

    def test_an_agent_that_says_much_on_stderr_does_not_wait_for_us(self):
        self.record("show a.txt")
        noisy = f"head -c 300000 /dev/zero | tr '\\0' n >&2; exec '{ACP}' agent --model offline"
        done = self.replay("client", "sh", "-c", noisy)
        self.assertEqual(done.returncode, 0, done.stderr[-500:])
        self.assertEqual(done.stderr.count("n" * 1000), 300)

    def test_as_agent(self):
        self.record("show a.txt")
        client = [ACP, "run", "--policy", "allow", "show a.txt", "--", "{agent}"]
        done = self.replay("agent", *client)
        self.assertEqual(done.returncode, 0, done.stderr)
        client[4] = "another prompt"
        done = self.replay("agent", *client)
        self.assertEqual(done.returncode, 1)
        self.assertIn("session/prompt: params.prompt[0].text", done.stderr)


FAULTS = [
    "drop:both:8%", "duplicate:both:15%", "reorder:both:10%", "corrupt:both:6%", "truncate:both:6%",
    "noise:both:20%", "split:both:50%", "merge:both:30%", "delay=5ms:both:30%", "stall=200ms:both:5%",
    "stall:agent@7", "kill:agent@6", "drop:agent@10", "corrupt:agent@9", "drop:client@4", "truncate:client@3",
]
HARMLESS = {"split", "merge", "delay", "stall", "noise"}


class SeedsTest(WithAgent):
    def one(self, seed):
        """The exit code of `acp run`, and whether a loss was reported by the tap alone; raises for what is wrong."""
        spec = FAULTS[seed % len(FAULTS)]
        log = os.path.join(self.folder.name, f"{seed}.jsonl")
        done = run_through_tap(["--log", log, "--seed", str(seed), "--fault", spec],
                               "list .; show a.txt; run echo hi", self.project, self.env, timeout=3)
        lines = read_log(log)
        what = f"seed {seed}, {spec}: exit code {done.returncode}\n{done.stderr.decode()}"
        # An end by a signal is a crash; after one of the tap its recording has no end.
        self.assertGreaterEqual(done.returncode, 0, what)
        self.assertNotIn("runtime error", done.stderr.decode(), what)
        self.assertIn("end", lines[-1], what)
        if not any(line.get("fault") == "kill" for line in lines):
            self.assertNotRegex(lines[-1]["end"], "SIG(SEGV|ABRT|BUS|ILL|FPE)", what)
        # A loss is reported: by the client's exit code, by an error on the wire, or by the rules.
        lost = [line for line in lines if "fault" in line and line["fault"] not in HARMLESS]
        frames = {line["n"]: line.get("frame") for line in lines if "n" in line}
        told = (done.returncode != 0 or any("violation" in line for line in lines)
                or any("error" in frame for frame in frames.values() if isinstance(frame, dict)))
        if not lost or told:
            return done.returncode, False
        # What nobody can miss: a notification has no answer, and no number that would be missing. And what
        # came twice, or later, is not lost.
        for each in lost:
            frame = frames.get(each["frame"]) or {}
            if "id" in frame and each["fault"] not in ("reorder", "duplicate"):
                raise AssertionError(what + "\n" + json.dumps(each))
        return done.returncode, any(each["fault"] not in ("reorder", "duplicate") for each in lost)

    def test_a_hundred_seeds_no_hang_no_crash_and_no_silence(self):
        # They wait more than they work.
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            results = list(pool.map(self.one, range(100)))
        codes = collections.Counter(code for code, _ in results)
        print("exit codes of acp run over 100 seeds:", dict(sorted(codes.items())),
              "; lost notifications that only the tap can report:", sum(alone for _, alone in results))
        self.assertGreater(codes[0], 0)
        self.assertGreater(sum(codes.values()) - codes[0], 10)


if __name__ == "__main__":
    unittest.main(verbosity=2)
