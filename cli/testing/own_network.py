"""A network of a command's own, where nothing listens on the usual ports of model servers but what the test puts there.

own_network.py PORT COMMAND...: with the loopback of the network that this runs in, and the scripted model server of
docs_servers.py at that port of it (0: without one), runs COMMAND. Tests get the whole command line from alone()."""

import ctypes
import fcntl
import os
import signal
import socket
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve()


def alone(*command, server_at=0):
    """The command line that runs this one in a network of its own; its process is the one that is started."""
    return ["unshare", "--map-current-user", "--keep-caps", "--net", sys.executable, str(HERE), str(server_at),
            *map(str, command)]


def bring_up_loopback():
    set_flags, up_and_running = 0x8914, 0x41
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh22x", b"lo", up_and_running))


def serve(port):
    """The model server, in a child that dies with the command; it listens when this returns."""
    sys.path.insert(0, str(HERE.parent.parent.parent / "scripts"))
    from docs_servers import Handler
    from http.server import ThreadingHTTPServer
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    if os.fork() == 0:
        set_signal_of_parents_death = 1
        ctypes.CDLL(None).prctl(set_signal_of_parents_death, signal.SIGKILL)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # else who reads the command's output waits for the server, too
            os.dup2(nowhere, stream)
        server.serve_forever()
    server.socket.close()


if __name__ == "__main__":
    bring_up_loopback()
    if int(sys.argv[1]):
        serve(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
