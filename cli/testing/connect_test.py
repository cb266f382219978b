#!/usr/bin/env python3
"""acp connect, as an editor starts it: connect_test.py ACP"""

import json
import os
import signal
import socket
import time

import remote_place
from remote_place import PATIENCE, Connected, has_ended, initialize
from remote_way import Way

INVALID, INTERNAL = -32602, -32603


class Connect(remote_place.Place):
    def websocket(self, server):
        return server.url.replace("http", "ws", 1)

    # ---- at the start
    def test_a_server_that_is_not_there(self):
        taken = socket.socket()  # nobody listens there, and nobody will
        self.addCleanup(taken.close)
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        for scheme in ("http", "ws"):
            editor = Connected(self, f"{scheme}://127.0.0.1:{port}/acp", begins=False)
            error = editor.call("initialize", **initialize()["params"])
            self.assertIn(f"cannot reach {scheme}://127.0.0.1:{port}/acp", error["message"])
            code, said = editor.ends()
            self.assertEqual((code, len(said.splitlines())), (3, 1), said)
            self.assertIn(f"127.0.0.1:{port}", said)
            self.assertIn("refused", said.lower())

    def test_an_editor_that_writes_late_gets_the_reason(self):
        taken = socket.socket()
        self.addCleanup(taken.close)
        taken.bind(("127.0.0.1", 0))
        editor = Connected(self, f"ws://127.0.0.1:{taken.getsockname()[1]}/acp", begins=False)
        # An editor takes a moment after the start; the connection is refused long before.
        time.sleep(0.5)
        error = editor.call("initialize", **initialize()["params"])
        self.assertIn("cannot reach", error["message"])
        self.assertEqual(editor.ends()[0], 3)

    def test_a_wrong_token(self):
        server = self.serve()
        wrong = self.token_in("wrong", "a-wrong-token")
        for url in (server.url, self.websocket(server)):
            editor = Connected(self, url, token=wrong, begins=False)
            error = editor.call("initialize", **initialize()["params"])
            self.assertIn("token", error["message"])
            code, said = editor.ends()
            self.assertEqual((code, len(said.splitlines())), (3, 1), said)
            self.assertIn("token", said)
            self.assertNotIn("a-wrong-token", said)

    def test_another_path(self):
        server = self.serve()
        editor = Connected(self, server.url + "/other", begins=False)
        self.assertIn("404", editor.call("initialize", **initialize()["params"])["message"])
        self.assertEqual(editor.ends()[0], 3)

    def test_tls(self):
        cert, key = self.certificate()
        server = self.serve("--tls-cert", cert, "--tls-key", key)
        self.assertTrue(server.url.startswith("https://"))
        at_home = server.url.replace("127.0.0.1", "localhost")
        for url in (server.url, at_home, self.websocket(server)):
            editor = Connected(self, url, "--ca-file", cert)
            self.assertEqual(editor.says(editor.session(), "say hello"), "hello")
        for url in (server.url, self.websocket(server)):
            editor = Connected(self, url, begins=False)
            self.assertIn("certificate", editor.call("initialize", **initialize()["params"])["message"])
            code, said = editor.ends()
            self.assertEqual(code, 3)
            self.assertIn("the certificate is signed by nobody whom the system trusts", said)
            self.assertIn("--ca-file FILE", said)

    # ---- what the editor sees
    def test_two_names_for_a_directory(self):
        server = self.serve("--root", str(self.root))
        here = self.folder / "my project"
        editor = Connected(self, server.url, "--map", f"{here}={self.root}")
        session = editor.session(here)
        number = editor.prompt(session, f"directory {self.root}/a b")
        update = editor.until_asked("session/update")["params"]["update"]
        self.assertEqual(update["locations"], [{"path": f"{here}/a b"}])
        link = update["content"][0]["content"]["uri"]
        self.assertEqual(link, "file://" + f"{here}/a b".replace(" ", "%20"))
        editor.answer(number)
        number = editor.prompt(session, f"read {self.root}/notes")
        question = editor.until_asked("fs/read_text_file")
        self.assertEqual(question["params"]["path"], f"{here}/notes")
        editor.post(id=question["id"], result={"content": "read here"})
        self.assertIn("read here", editor.until_said())
        editor.answer(number)
        # What has no name on the other side.
        said = editor.says(session, "read /etc/passwd")
        self.assertIn("/etc/passwd has no name on the editor's machine", said)
        said = editor.says(session, f"read {self.root}/../../etc/passwd")
        self.assertIn("has no name on the editor's machine", said)
        for cwd in ("/elsewhere", f"{here}/..", f"{here}x"):
            error = editor.call("session/new", cwd=cwd, mcpServers=[])
            self.assertEqual(error["code"], INVALID, cwd)
            self.assertIn(f"{cwd} has no name on the agent's machine: acp connect --map", error["message"])

    def test_the_home_directory_without_a_shell(self):
        server = self.serve("--root", str(self.root))
        (self.home / "the-token").write_text(self.token)
        (self.home / "the-token").chmod(0o600)
        editor = Connected(self, server.url, "--map", f"~/work={self.root}", token="~/the-token")
        self.assertEqual(editor.says(editor.session(self.home / "work"), "say hello"), "hello")

    def test_what_is_hidden(self):
        server = self.serve()
        for options, fs, terminal in (((), True, True), (("--no-files",), False, True),
                                      (("--no-terminals",), True, False)):
            editor = Connected(self, server.url, *options)
            can = json.loads(editor.says(editor.session(), "can"))
            self.assertEqual((bool(can.get("fs", {}).get("readTextFile")), bool(can.get("terminal"))), (fs, terminal))

    # ---- a break
    def test_the_server_is_started_again(self):
        for scheme in ("http", "ws"):
            server = self.serve()
            url = server.url.replace("http", scheme, 1)
            editor = Connected(self, url)
            session = editor.session()
            running = editor.prompt(session, "ask")
            question = editor.until_asked("session/request_permission")
            server.process.kill()
            taken_back = editor.until_asked("$/cancel_request")
            self.assertEqual(taken_back["params"]["requestId"], question["id"])
            error = editor.answer(running)["error"]
            self.assertEqual(error["code"], INTERNAL)
            self.assertRegex(error["message"], "the connection to the remote agent was lost: |the session's stream: ")
            editor.log.until("the connection was lost: .*; trying again")
            editor.log.until(r"lost: the answers to \d+ requests; taken back: 1 questions")
            server.process.wait()
            # What is asked meanwhile waits; the late answer goes nowhere.
            number = editor.prompt(session, "say here again")
            editor.post(id=question["id"], result={"outcome": {"outcome": "cancelled"}})
            server = self.serve(port=server.port)
            self.assertEqual(editor.until_said(), "here again")
            self.assertEqual(editor.answer(number)["result"], {"stopReason": "end_turn"})
            editor.log.until("connected again, with 1 session")
            self.assertFalse([m for m in editor.seen if "replayed" in json.dumps(m)])
            server.stop()
            editor.process.kill()

    # The server does not see the end of the first connection for a minute, and its agent holds the session.
    def breaks(self, how, *options):
        for scheme in ("http", "ws"):
            agent = [remote_place.ACP, "agent", "--model", "offline", "--mode", "code"]
            way = Way(self, self.serve(command=agent).port)
            editor = Connected(self, f"{scheme}://127.0.0.1:{way.port}/acp", "--no-terminals", *options)
            session = editor.session()
            editor.says(session, "say the first turn")
            running = editor.prompt(session, "run sleep 1000")
            editor.until_asked("session/request_permission")
            how(way)
            self.assertIn("error", editor.answer(running), scheme)
            why = editor.log.until("the connection was lost: (.*); trying again")[1]
            answer = editor.answer(editor.prompt(session, "say here again"))
            self.assertEqual(answer.get("result", {}).get("stopReason"), "end_turn", (scheme, answer))
            editor.log.until("connected again, with 1 session")
            editor.process.kill()
            yield why

    def test_the_network_is_cut(self):
        self.assertEqual(len(list(self.breaks(Way.cut))), 2)

    def test_the_network_forgets_the_connection(self):
        for why in self.breaks(Way.forget, "--silence", "0.5"):
            self.assertRegex(why, "gone without a word|timed out")

    def broken(self, scheme, mode, *options, sessions=1):
        """An editor whose agent dies; what comes after it behaves like this. With a prompt that waits."""
        said = self.folder / "mode"
        said.write_text("")
        self.server = self.serve(environment={"AGENT_MODE": str(said)})
        editor = Connected(self, self.server.url.replace("http", scheme, 1), *options)
        session = [editor.session() for _ in range(sessions)][0]
        editor.prompt(session, "family")
        pid = int(editor.until_said().split()[0])
        said.write_text(mode)
        os.kill(pid, signal.SIGKILL)
        editor.log.until("the connection was lost: .*; trying again")
        return editor, session, editor.prompt(session, "say here again")

    def test_an_agent_that_asks_while_it_is_restored(self):
        for scheme in ("http", "ws"):
            editor, _, number = self.broken(scheme, "asks")
            question = editor.until_asked("fs/read_text_file")
            editor.post(id=question["id"], result={"content": "x"})
            self.assertEqual(editor.until_said(), "here again")
            self.assertEqual(editor.answer(number)["result"], {"stopReason": "end_turn"})

    def test_a_session_is_tried_again_while_the_agent_asks(self):
        editor, _, number = self.broken("http", "busy", sessions=2)
        question = editor.until_asked("fs/read_text_file")
        self.server.log.until("s1 is resumed")  # nobody has answered yet
        editor.post(id=question["id"], result={"content": "x"})
        self.assertEqual(editor.until_said(), "here again")
        self.assertEqual(editor.answer(number)["result"], {"stopReason": "end_turn"})

    def test_an_agent_that_does_not_restore(self):
        # Its patience is also the time in which a new agent must have begun.
        editor, _, number = self.broken("http", "deaf", "--patience", "5")
        self.assertIn("the agent did not answer in time", editor.answer(number)["error"]["message"])
        self.assertEqual(editor.says(editor.session(), "say another"), "another")
        editor, _, number = self.broken("ws", "dumb", "--patience", "0.2")
        self.server.log.until("it says nothing to initialize")
        editor.process.stdin.close()
        self.assertIn("does not answer initialize", editor.answer(number)["error"]["message"])
        self.assertEqual(editor.ends()[0], 1)

    def test_a_server_that_stays_away(self):
        server = self.serve()
        editor = Connected(self, server.url, "--patience", "0.3")
        session = editor.session()
        server.process.kill()
        message = editor.answer(editor.prompt(session, "say x"))["error"]["message"]
        self.assertRegex(message, "was lost|the session.s stream: ")
        code, said = editor.ends()
        self.assertEqual(code, 1, said)

    def test_a_token_that_is_good_no_more(self):
        for scheme in ("http", "ws"):
            server = self.serve()
            editor = Connected(self, server.url.replace("http", scheme, 1))
            session = editor.session()
            server.process.kill()
            server.process.wait()
            editor.log.until("the connection was lost: .*; trying again")
            server = remote_place.Server(self, "--token-file", self.token_in("new", "another-token"), port=server.port)
            self.assertIn("does not take the token", editor.answer(editor.prompt(session, "say x"))["error"]["message"])
            self.assertEqual(editor.ends()[0], 1)
            server.stop()

    def test_a_reason(self):
        server = self.serve("--drain", "0.2")
        for url in (server.url, self.websocket(server)):
            editor = Connected(self, url)
            number = editor.prompt(editor.session(), "forever")
            editor.until_said("before")
            if url == server.url:
                other, waiting = editor, number
        server.process.send_signal(signal.SIGTERM)
        for client, asked in ((other, waiting), (editor, number)):
            self.assertIn("the server is shutting down, and its time is over",
                          client.answer(asked)["error"]["message"])
        self.assertEqual(server.process.wait(timeout=PATIENCE), 0)

    # ---- its end
    def test_an_editor_that_goes(self):
        server = self.serve()
        for url in (server.url, self.websocket(server)):
            for end in ("SIGTERM", "SIGINT", "closed"):
                editor = Connected(self, url)
                editor.prompt(editor.session(), "family")
                family = editor.until_said()
                if end == "closed":
                    editor.output.shutdown(socket.SHUT_RDWR)  # nobody reads any more
                else:
                    editor.process.send_signal(getattr(signal, end))
                self.assertEqual(editor.process.wait(timeout=PATIENCE), 0, end)
                for pid in map(int, family.split()):
                    self.assertTrue(has_ended(pid), (url, end))

    def test_an_answer_that_is_outstanding(self):
        gate = self.fifo()
        editor = Connected(self, self.serve().url)
        number = editor.prompt(editor.session(), f"gate {gate}")
        editor.until_said("before")
        editor.process.stdin.close()
        with open(gate, "w", encoding="utf-8"):
            pass
        editor.until_said("after")
        self.assertEqual(editor.answer(number)["result"], {"stopReason": "end_turn"})
        self.assertEqual(editor.process.wait(timeout=PATIENCE), 0)


if __name__ == "__main__":
    remote_place.main()
