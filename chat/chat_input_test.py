#!/usr/bin/env python3
"""chat_input_test.py ACP: what is typed into acp chat, in a real terminal."""

import hashlib

from chat_case import IDLE, ChatCase, main


class Input(ChatCase):
    def test_what_comes_in_one_burst_is_not_cut(self):
        """tmux send-keys, expect and dictation do not paste: their text comes as keys."""
        chat = self.hostile("digest", columns=120, rows=40)
        chat.wait(IDLE)
        text = "".join(f"word {i} é漢 " for i in range(70000))[:64 * 1024].strip()
        chat.type_at_once(text + "\r")
        data = text.encode()
        chat.wait(f"{len(data)} bytes, {hashlib.sha256(data).hexdigest()[:16]}")
        chat.wait(IDLE)
        self.leave(chat)


if __name__ == "__main__":
    main()
