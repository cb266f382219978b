#!/usr/bin/env python3
"""A model's server that only streams, in the format of OpenAI's chat completions. It prints its port.

The last message says what is wanted: "tokens N RATE" is N tokens of 4 bytes, RATE of them a second and each a
packet of its own, or all at once where RATE is 0. The first of them is "<when the request was here> <when this
token was written> ", both in nanoseconds of the monotonic clock, which all processes share; it comes a little
after the head of the answer, and the others a little after it."""

import json
import re
import socket
import threading
import time

THINKING = 0.02  # seconds until the first token, and from there to the second


def event(delta, reason=None):
    body = json.dumps({"id": "chatcmpl-9wQ2fZ8s", "object": "chat.completion.chunk", "created": 1763200000,
                       "model": "bench", "system_fingerprint": "fp_bench",
                       "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]})
    return chunk(f"data: {body}\n\n".encode())


def chunk(data):
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


TOKEN = event({"content": " tok"})
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
END = event({}, "stop") + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


def answer(connection, tokens, rate, arrived):
    connection.sendall(HEAD)
    time.sleep(THINKING)
    connection.sendall(event({"role": "assistant", "content": f"{arrived} {time.monotonic_ns()} "}))
    time.sleep(THINKING)
    if rate == 0:
        connection.sendall(TOKEN * (tokens - 1) + END)
        return
    begun = time.monotonic()
    for i in range(1, tokens):
        pause = begun + i / rate - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        connection.sendall(TOKEN)
    connection.sendall(END)


def get(connection, path):
    body = b'{"object":"list","data":[{"id":"bench","object":"model"}]}' if path.endswith("/models") else b"{}"
    status = b"200 OK" if path.endswith("/models") else b"404 Not Found"
    connection.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Type: application/json\r\nContent-Length: " +
                       str(len(body)).encode() + b"\r\n\r\n" + body)


def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    got = b""
    try:
        while True:
            while b"\r\n\r\n" not in got:
                more = connection.recv(65536)
                if not more:
                    return
                got += more
            head, got = got.split(b"\r\n\r\n", 1)
            method, path = head.split(b" ", 2)[:2]
            if method == b"GET":
                get(connection, path.decode())
                continue
            size = int(re.search(rb"content-length: *(\d+)", head, re.I).group(1))
            while len(got) < size:
                got += connection.recv(1 << 20)
            arrived = time.monotonic_ns()
            body, got = got[:size], got[size:]
            tokens, rate = re.findall(rb"tokens (\d+) (\d+)", body)[-1]
            answer(connection, int(tokens), int(rate), arrived)
    except OSError:
        pass
    finally:
        connection.close()


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
