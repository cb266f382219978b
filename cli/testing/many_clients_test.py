#!/usr/bin/env python3
"""acp serve with many clients, one after the other and at a time: what is left of them.
many_clients_test.py ACP; ACP_LONG=1 takes ten times as many."""

import base64
import json
import os
import signal
import socket
import struct
import time

import remote_place
from remote_place import PATIENCE, Server, initialize

CLIENTS = 1000 if os.environ.get("ACP_LONG") else 100
AT_A_TIME = 20

# Each agent is two processes.
AGENT = """sleep 1000 &
while read -r line; do
  echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
done
"""


class HttpClient:
    def __init__(self, place, server):
        self.server = server
        self.headers = {"Authorization": f"Bearer {place.token}", "Content-Type": "application/json"}
        answer = server.ask(body=initialize(), headers=self.headers)
        assert answer.status == 200, (answer.status, answer.text)
        self.headers["Acp-Connection-Id"] = answer.headers["Acp-Connection-Id"]
        self.stream = server.connection()
        self.stream.request("GET", "/acp", headers=self.headers | remote_place.EVENTS)
        self.answer = self.stream.getresponse()
        assert self.answer.status == 200, self.answer.status

    def end(self):
        assert self.server.ask("DELETE", headers=self.headers).status == 202
        while self.answer.readline():  # the stream ends as well
            pass
        self.answer.close()
        self.stream.close()


class WebSocketClient:
    def __init__(self, place, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /acp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {place.token}\r\n"
                             "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                             f"Sec-WebSocket-Key: {key}\r\n\r\n").encode())
        came = b""
        while b"\r\n\r\n" not in came:
            came += self.socket.recv(4096)
        assert b" 101 " in came.split(b"\r\n")[0], came
        text = json.dumps(initialize()).encode()  # between 126 and 65535 bytes
        self.socket.sendall(b"\x81" + struct.pack(">BH", 0x80 | 126, len(text)) + bytes(4) + text)
        came = came.split(b"\r\n\r\n")[1]
        while b"agentCapabilities" not in came:
            more = self.socket.recv(4096)
            assert more, came
            came += more

    def end(self):
        self.socket.close()  # without a farewell


class ManyClients(remote_place.Place):
    def counts(self):
        """Descriptors and threads of the server, and all processes of the test."""
        process = f"/proc/{self.server.process.pid}"
        return len(os.listdir(f"{process}/fd")), len(os.listdir(f"{process}/task")), len(self.processes())

    def processes(self):
        """Those with the home directory of this test."""
        mine = f"HOME={self.home}".encode()
        found = set()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as environment:
                    if mine in environment.read().split(b"\0"):
                        found.add(pid)
            except OSError:
                pass  # it has ended
        return found

    def until_there_are(self, counts):
        end = time.monotonic() + PATIENCE
        while (now := self.counts()) != counts and time.monotonic() < end:
            self.server.ask("GET", "/health")  # the server's thread has gone round once more
        self.assertEqual(now, counts)

    def come_and_go(self, number):
        kinds = (HttpClient, WebSocketClient)
        clients = [kinds[i % 2](self, self.server) for i in range(number)]
        open_now = self.counts()
        for client in clients:
            client.end()
        return open_now

    def test_nothing_of_them_stays(self):
        script = self.folder / "agent.sh"
        script.write_text(AGENT)
        self.server = Server(self, "--token-file", self.token_file, "--log", "none", command=["sh", str(script)])
        self.server.ask("GET", "/health")
        before = (*self.counts()[:2], 1)
        self.until_there_are(before)
        for _ in range(CLIENTS // AT_A_TIME):
            descriptors, _, processes = self.come_and_go(AT_A_TIME)
            self.assertGreaterEqual(processes, 1 + 2 * AT_A_TIME)
            # What acp serve counts with, and its sockets of requests that have just ended.
            self.assertLessEqual(descriptors - before[0], 16 * AT_A_TIME)
            self.until_there_are(before)
        # And with clients that are there when it ends.
        WebSocketClient(self, self.server)
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(timeout=PATIENCE), 0)
        self.assertEqual(self.processes(), set())


if __name__ == "__main__":
    remote_place.main()
