"""For tests of what happens without a model."""

import socket


def server_on_this_machine():
    """Whether a model server may answer at one of its usual ports: acp would take it."""
    for port in (8080, 11434, 1234, 8000):
        with socket.socket() as one:
            one.settimeout(5)
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return True
    return False
