"""A way to a server, between two machines: it can be cut, and it can forget what passes, as a router does."""

import ctypes
import socket
import struct
import threading


def stop_taking(end):
    """What comes is neither taken nor confirmed, not even an end: as on a machine that has lost its power."""
    attach_filter, nothing_passes = 26, ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
    end.setsockopt(socket.SOL_SOCKET, attach_filter, struct.pack("HL", 1, ctypes.addressof(nothing_passes)))


class Way:
    """To this port. What comes later, after a break, passes again."""

    def __init__(self, place, port):
        self.to, self.pairs, self.forgotten = port, [], set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        place.addCleanup(self.end)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                pair = (client, socket.create_connection(("127.0.0.1", self.to)))
            except OSError:
                return  # closed by us
            self.pairs.append(pair)
            for one, other in (pair, pair[::-1]):
                threading.Thread(target=self.pass_on, args=(pair, one, other), daemon=True).start()

    def pass_on(self, pair, one, other):
        try:
            while data := one.recv(65536):
                if pair not in self.forgotten:
                    other.sendall(data)
        except OSError:
            pass
        if pair not in self.forgotten:
            self.shut([pair])

    def shut(self, pairs):
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # it has ended

    def cut(self):
        self.shut(self.pairs)

    def forget(self):
        """No side hears of it."""
        for pair in self.pairs:
            self.forgotten.add(pair)
            for end in pair:
                stop_taking(end)

    def end(self):
        self.listener.close()
        self.shut(self.pairs)
