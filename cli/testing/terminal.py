"""A program in a terminal of so many columns, for the tests."""

import os
import pty
import shlex
import signal


def output_in(columns, command, env, until=None):
    """What it prints, with \\n as line ends, and its exit code. It is ended once it has printed `until`."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve("/bin/sh", ["sh", "-c", f"stty cols {columns}; exec {shlex.join(command)}"], env)
    seen = b""
    try:
        while piece := os.read(terminal, 65536):
            seen += piece
            if until and until.encode() in seen:
                os.kill(pid, signal.SIGTERM)
                until = None
    except OSError:  # closed
        pass
    os.close(terminal)
    return seen.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
