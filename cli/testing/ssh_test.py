"""--ssh, with a real sshd on loopback: its own keys, port and directory. ssh_test.py ACP ECHO_AGENT"""

import json
import os
import pwd
import signal
import socket
import subprocess
import unittest

from run_place import ACP, END, KEPT, Place

SSHD = "/usr/sbin/sshd"
USER = pwd.getpwuid(os.getuid())


def children_of(parent):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended meanwhile
        if int(fields[1]) == parent:
            found.append(int(name))
    return found


class Ssh(Place):
    def setUp(self):
        super().setUp()
        self.there = self.home + "/there"  # of "the other machine"
        for folder in ("/keys", "/bin", "/there/home", "/there/work"):
            os.makedirs(self.home + folder)
        os.symlink(ACP, self.home + "/bin/acp")
        for key in ("host", "user", "other"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.home}/keys/{key}"], check=True)
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        variables = {"HOME": self.there + "/home", "PATH": f"{self.home}/bin:/usr/bin:/bin", "ACP_MODEL": "offline",
                     **{k: v for k, v in KEPT.items() if k == "ASAN_OPTIONS"}}
        config = self.write("sshd_config", "\n".join([
            f"Port {self.port}", "ListenAddress 127.0.0.1", f"HostKey {self.home}/keys/host", "PidFile none",
            "UsePAM no", "StrictModes no", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password", f"AuthorizedKeysFile {self.home}/keys/user.pub",
            "SetEnv " + " ".join(f"{name}={value}" for name, value in variables.items()), ""]))
        if os.getuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)  # sshd insists on it
        self.sshd = subprocess.Popen([SSHD, "-D", "-e", "-f", config], stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end_sshd)
        for line in self.sshd.stderr:
            if "Server listening" in line:
                break
        else:
            self.fail("sshd does not start")
        known = self.write("known_hosts", f"[127.0.0.1]:{self.port} " + self.read("keys/host.pub"))
        self.options = {"Port": self.port, "IdentityFile": self.home + "/keys/user", "IdentitiesOnly": "yes",
                        "IdentityAgent": "none", "UserKnownHostsFile": known, "GlobalKnownHostsFile": "/dev/null"}

    def end_sshd(self):
        for process in children_of(self.sshd.pid):
            os.kill(process, signal.SIGKILL)
        self.sshd.kill()
        self.sshd.wait()
        self.sshd.stderr.close()

    def read(self, name):
        with open(os.path.join(self.home, name)) as file:
            return file.read()

    def ssh(self, host="127.0.0.1", **options):
        words = ["--ssh", host]
        for name, value in {**self.options, **options}.items():
            words += ["--ssh-option", f"{name}={value}"]
        return words

    def fails(self, told, *words, code=3, **how):
        failed = self.run_it("say x", *words, code=code, **how)
        self.assertIn("acp run: " + told, failed.stderr)
        self.assertEqual(len(failed.stderr.splitlines()), 1, failed.stderr)
        self.assertEqual(failed.stdout, "")
        return failed.stderr

    def test_a_turn(self):
        events = self.events("say hello; run pwd", *self.ssh(), "--policy", "allow")
        self.assertIn("hello", self.said(events))
        session = next(e for e in events if e["event"] == "start" and e["phase"] == "session")
        self.assertEqual(session["cwd"], USER.pw_dir, "the home directory, unless it is said otherwise")
        # A command whose words a shell would take apart, in a directory that is named.
        strange = self.there + "/it's a $HOME"
        word = """*; it's "$HOME" `pwd` \\ !"""
        self.write("there/it's a $HOME/word", word)
        agent = self.write("there/it's a $HOME/agent",
                           '#!/bin/sh\n[ "$1" = "$(cat word)" ] || exit 9\nexec acp agent --model offline\n')
        os.chmod(agent, 0o755)
        turn = ["run pwd", *self.ssh(), "--policy", "allow", "--cwd", strange, "--", agent]
        self.assertIn("it's a $HOME", json.dumps(self.events(*turn, word)))
        self.assertIn("exited with code 9", self.events(*turn, "x", code=3)[-1]["message"])
        # Names of this machine for directories there.
        said = json.dumps(self.events("run pwd", *self.ssh(), "--policy", "allow", "--map",
                                      f"{self.project}={self.there}/work"))
        self.assertIn(f'"cwd": "{self.project}"', said)
        self.assertIn(self.there + "/work", said)

    def test_what_goes_wrong_at_the_start(self):
        self.fails("127.0.0.1 refused the login (", *self.ssh(IdentityFile=self.home + "/keys/other"))
        unknown = self.write("none", "")
        self.fails("this machine does not know the key of 127.0.0.1: log in once with 'ssh 127.0.0.1'",
                   *self.ssh(UserKnownHostsFile=unknown))
        changed = self.write("changed", f"[127.0.0.1]:{self.port} " + self.read("keys/other.pub"))
        self.fails("the key of 127.0.0.1 is not the one that this machine knows",
                   *self.ssh(UserKnownHostsFile=changed))
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))  # and does not listen
            self.fails("127.0.0.1 cannot be reached (", *self.ssh(Port=one.getsockname()[1]))
        self.fails("127.0.0.1 has no program no-such-agent in the PATH", *self.ssh(), "--", "no-such-agent", "--acp")
        self.fails("there is no directory /no/such on 127.0.0.1", *self.ssh(), "--cwd", "/no/such")
        self.fails("the agent on 127.0.0.1 exited with code 7", *self.ssh(), "--", "sh", "-c", "exit 7")
        self.fails("ssh to 127.0.0.1 failed (", *self.ssh(NoSuchOption="x"))
        self.environment["PATH"] = self.home + "/keys"
        self.fails("there is no ssh on this machine", *self.ssh())

    def test_a_link_that_dies(self):
        """The turn ends with the reason; in a chat the session goes on when ssh has come back."""
        # One for each turn: the command of the first may still have its own open when the second begins.
        fifo, another = self.there + "/fifo", self.there + "/another"
        os.mkfifo(fifo)
        os.mkfifo(another)
        rules = self.write("rules.toml", '[[rule]]\nkind = "execute"\ndecision = "allow"\n')

        def started(*words, **how):
            return subprocess.Popen([ACP, *words, *self.ssh(), "--policy", rules], cwd=self.project, text=True,
                                    env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)

        def break_the_link(fifo):
            writer = os.open(fifo, os.O_WRONLY)  # waits until the command of the turn reads
            for process in children_of(self.sshd.pid):
                for inner in children_of(process):
                    if "sshd" in self.name_of(inner):
                        os.kill(inner, signal.SIGKILL)
                os.kill(process, signal.SIGKILL)
            return writer

        run = started("run", f"run cat {fifo}", stdin=subprocess.DEVNULL)
        writer = break_the_link(fifo)
        out, err = run.communicate(timeout=END)
        os.close(writer)
        self.assertEqual(run.returncode, 1, err)
        self.assertIn("acp run: the connection to the remote agent was lost: the ssh connection to 127.0.0.1 broke",
                      err)
        chat = started("chat", stdin=subprocess.PIPE)
        chat.stdin.write(f"say before\nrun cat {another}\nsay after; run pwd\n")
        chat.stdin.close()
        chat.stdin = None
        writer = break_the_link(another)
        out, err = chat.communicate(timeout=END)
        os.close(writer)
        self.assertEqual(chat.returncode, 0, (out, err))
        out = " ".join(out.split())
        self.assertIn("the ssh connection to 127.0.0.1 broke", out)
        self.assertIn("after", out.split("broke")[-1])

    @staticmethod
    def name_of(process):
        try:
            with open(f"/proc/{process}/comm") as name:
                return name.read()
        except OSError:
            return ""

    def test_tap_and_check(self):
        done = self.acp("check", "agent", "--only", "A-INIT", *self.ssh())
        self.assertIn("0 failed", done.stdout)
        log = self.home + "/wire.jsonl"
        hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                            "params": {"protocolVersion": 1, "clientCapabilities": {}}})
        tapped = self.acp("tap", "--log", log, *self.ssh(), "--", "acp", "agent", said=hello + "\n")
        self.assertEqual(json.loads(tapped.stdout)["id"], 1)
        self.assertNotIn("libacp/cwd", tapped.stdout)
        self.assertIn("agentCapabilities", self.read("wire.jsonl"))


if __name__ == "__main__":
    unittest.main(argv=["ssh_test.py"])
