#!/usr/bin/env python3
"""nginx with TLS before acp serve, with the example of docs/remote.md: nginx_test.py ACP"""

import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import remote_place
from remote_place import PATIENCE, Connected

PAGE = Path(__file__).resolve().parent.parent.parent / "docs/remote.md"
NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")


class Nginx(remote_place.Place):
    def setUp(self):
        super().setUp()
        self.cert, key = self.certificate()
        self.server = self.serve("--trusted-proxy", "127.0.0.1")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        example = re.search(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1]
        for word, instead in (("listen 443 ", f"listen 127.0.0.1:{self.port} "), ("127.0.0.1:8787", f"127.0.0.1:{self.server.port}"),
                              ("/etc/ssl/agents.example.org.pem", self.cert), ("/etc/ssl/agents.example.org.key", key)):
            self.assertEqual(example.count(word), 1, word)
            example = example.replace(word, instead)
        folder = self.folder / "nginx"
        folder.mkdir()
        kept = "".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config = folder / "nginx.conf"
        config.write_text(f"daemon off; master_process off; pid {folder}/pid; error_log stderr; events {{}}\n"
                          f"http {{ access_log off; {kept}\n{example}\n}}\n")
        process = subprocess.Popen([NGINX, "-p", str(folder), "-e", "stderr", "-c", str(config)],
                                   stdin=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port), PATIENCE).close()
            except ConnectionRefusedError:
                self.assertIsNone(process.poll())

    def test_a_turn_is_seen_as_it_comes(self):
        for scheme in ("https", "wss"):
            editor = Connected(self, f"{scheme}://localhost:{self.port}/acp", "--ca-file", self.cert)
            session = editor.session()
            gate = str(self.folder / scheme)
            os.mkfifo(gate)
            number = editor.prompt(session, f"gate {gate}")
            editor.until_said("before")  # the turn goes on only after this
            with open(gate, "w", encoding="utf-8"):
                pass
            editor.until_said("after")
            self.assertEqual(editor.answer(number)["result"], {"stopReason": "end_turn"})
            # Questions, and a large message in both directions.
            number = editor.prompt(session, "ask")
            question = editor.until_asked("session/request_permission")
            editor.post(id=question["id"], result={"outcome": {"outcome": "selected", "optionId": "yes"}})
            self.assertIn("selected", editor.until_said())
            editor.answer(number)
            large = "x" * 3_000_000
            self.assertEqual(editor.says(session, f"say {large}"), large)

    def test_who_it_was(self):
        """Each client has an address of its own there, and its guesses are its own."""
        context = ssl.create_default_context(cafile=self.cert)
        def status(token, address):
            client = http.client.HTTPSConnection("localhost", self.port, timeout=PATIENCE, context=context,
                                                 source_address=(address, 0))
            # What it says about itself does not count.
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "X-Forwarded-For": "192.0.2.1"}
            client.request("POST", "/acp", body='{"jsonrpc":"2.0","method":"x"}', headers=headers)
            answer = client.getresponse()
            answer.read()
            client.close()
            return answer.status
        self.assertEqual([status("guess", "127.0.0.5") for _ in range(10)], [401] * 10)
        self.assertEqual(status("guess", "127.0.0.5"), 429)
        self.assertEqual(status("guess", "127.0.0.6"), 401)
        self.assertEqual(status(self.token, "127.0.0.6"), 400)  # it names no connection
        self.server.log.until(r" 127\.0\.0\.5 POST /acp 429 ")
        self.server.log.until(r" 127\.0\.0\.6 POST /acp 400 ")


if __name__ == "__main__":
    remote_place.main()
