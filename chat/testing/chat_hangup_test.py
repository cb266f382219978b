#!/usr/bin/env python3
"""chat_hangup_test.py ACP: a terminal that is closed leaves no daemon of the agent's.

Some rounds, and 50 where ACP_LONG is set, as ./test --long does.
"""

import os
import select
import sys
import time

from chat_case import ACP, HERE, IDLE, ChatCase, main
from screen import Chat

ROUNDS = 50 if os.environ.get("ACP_LONG") else 4
PATIENCE = 60


def read(end, count):
    """What is there: None for nothing yet, nothing at all once nobody has the FIFO open."""
    try:
        return os.read(end, count) if select.select([end], [], [], 0.05)[0] else None
    except BlockingIOError:
        return None


class Hangup(ChatCase):
    def daemons(self, name):
        """A FIFO that each daemon has open, and the agent that starts them."""
        fifo = self.work / name
        os.mkfifo(fifo)
        end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, end)
        return end, [sys.executable, str(HERE / "daemon_agent.py"), str(fifo)]

    def wait_for_daemons(self, end, count, chat):
        while count > 0:
            chat.read(time.monotonic())  # or its terminal becomes full
            count -= len(read(end, count) or b"")

    def gone(self, end):
        """Whether the last one has gone: nobody has the FIFO open any more."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if read(end, 4096) == b"":
                return True
        return False

    def hang_up(self, chat):
        os.close(chat.master)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            pid, _ = os.waitpid(chat.pid, os.WNOHANG)
            if pid:
                chat.ended = 0
                chat.master = os.open("/dev/null", os.O_RDWR)  # for its close()
                return
            time.sleep(0.01)
        self.fail("it does not end when its terminal is closed")

    def test_a_closed_terminal_leaves_no_daemon(self):
        for number in range(ROUNDS):
            # While they are being started, at any number of them; and when all of them run.
            count = 1 + number * 7 % 40
            with self.subTest(number=number):
                end, agent = self.daemons(f"chat{number}")
                chat = self.chat("--", *agent)
                chat.wait(IDLE)
                chat.type("go\r")
                self.wait_for_daemons(end, count, chat)
                self.hang_up(chat)
                self.assertTrue(self.gone(end))

    def test_a_closed_terminal_of_run_leaves_no_daemon(self):
        for number in range(max(2, ROUNDS // 5)):
            with self.subTest(number=number):
                end, agent = self.daemons(f"run{number}")
                run = Chat([ACP, "run", "go", "--", *agent], env=self.env, cwd=self.work)
                self.addCleanup(run.close)
                self.wait_for_daemons(end, 1 + number * 13 % 40, run)
                self.hang_up(run)
                self.assertTrue(self.gone(end))


if __name__ == "__main__":
    main()
