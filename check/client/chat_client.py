#!/usr/bin/env python3
"""chat_client.py ACP [--protocol VERSION] COMMAND…: acp chat in a terminal, with somebody who types.

Says hello, answers what is asked, cancels when SIGINT comes, and leaves when the turn is over. The exit code is
that of acp chat.
"""

import os
import re
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "chat" / "testing"))
from screen import Chat  # noqa: E402

FORM = {"1": "Ada", "2": "36", "3": "1"}


class Person:
    def __init__(self, chat):
        self.chat = chat
        self.said = self.cancel = False
        self.answered = set()
        self.asked_at = None
        self.quiet_since = time.monotonic()
        signal.signal(signal.SIGINT, self.interrupted)

    def interrupted(self, *_):
        self.cancel = True

    def look(self):
        text = self.chat.screen.text(40)
        now = time.monotonic()
        if self.cancel:
            self.cancel = False
            self.chat.type("\x1b")
            return
        form = re.search(r"(\d)/3 ", text)
        if form and form[1] not in self.answered:
            self.answered.add(form[1])
            return self.chat.type(FORM[form[1]] + "\r")
        if "asks for permission" in text and "Esc stops" in text:
            # Somebody thinks about it.
            self.asked_at = self.asked_at or now
            if now - self.asked_at > 1.5:
                self.asked_at = None
                self.chat.type("y\r")
            return
        self.asked_at = None
        if "/help" not in text:
            self.quiet_since = now
        elif not self.said:
            self.said = True
            self.quiet_since = now
            self.chat.type("hello\r")
        elif now - self.quiet_since > 0.4:
            self.quiet_since = now
            self.chat.type("\x04")


def main():
    home = Path(os.getcwd()) / ".home"
    home.mkdir(exist_ok=True)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ACP_")) and k != "NO_COLOR"}
    env |= {"HOME": str(home), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    words = sys.argv[2:]
    options, command = (words[:2], words[2:]) if words[0] == "--protocol" else ([], words)
    chat = Chat([sys.argv[1], "chat", *options, "--", *command], columns=100, rows=30, env=env)
    person = Person(chat)
    while True:
        pid, status = os.waitpid(chat.pid, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            # Leaving a chat is a success. An error is seen on the screen.
            if code == 0 and "The model is out of order" in chat.screen.text(200):
                code = 1
            if code != 0:
                print(chat.screen.text(10), file=sys.stderr)
            sys.exit(code if code >= 0 else 128 - code)
        try:
            chat.read(time.monotonic() + 0.1)
        except OSError:  # the terminal is closed: the end is near
            time.sleep(0.02)
            continue
        person.look()


main()
