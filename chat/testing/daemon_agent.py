"""daemon_agent.py FIFO: an agent that starts daemons when it is prompted, and goes on until it is killed.

A daemon holds an open end of FIFO: its reader sees the end when the last one has gone.
"""

import json
import os
import sys


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        end = os.open(sys.argv[1], os.O_WRONLY)
        os.write(end, b".")
        for fd in range(3):
            os.close(fd)
        os.execve("/bin/sleep", ["sleep", "1000"], {})
    os.wait()


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        send({"id": message["id"], "result": {"protocolVersion": 1, "agentCapabilities": {}}})
    elif method == "session/new":
        send({"id": message["id"], "result": {"sessionId": "s"}})
    elif method == "session/prompt":
        for _ in range(40):  # no fork bomb: the test looks for those that are missed
            daemon()
        for fd in range(3):  # and whatever happens to its own ends, it stays
            os.close(fd)
        os.execv("/bin/sleep", ["sleep", "1000"])
