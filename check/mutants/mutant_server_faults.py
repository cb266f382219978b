"""The faults of mutant_server.py, and which one this process has."""

import sys

# name: the requirement that is broken. Those with "silent" end in somebody's time being over.
FAULTS = {
    # initialize
    "initialize-as-text": "A-HTTP-1",
    "initialize-without-header": "A-HTTP-2",
    "one-id-for-all": "A-HTTP-3",
    "ids-counted": "A-HTTP-4",
    "initialize-without-id": "A-HTTP-5",
    "initialize-again": "A-HTTP-6",
    "refusal-is-400": "A-HTTP-7",
    # POST
    "any-content-type": "A-HTTP-8",
    "content-type-to-the-letter": "A-HTTP-9",
    "takes-no-json": "A-HTTP-10",
    "takes-numbers": "A-HTTP-11",
    "takes-batches": "A-HTTP-12",
    "takes-large-bodies": "A-HTTP-13",
    "takes-long-ids": "A-HTTP-14",
    "no-connection-is-404": "A-HTTP-15",
    "unknown-connection-is-400": "A-HTTP-16",
    "accepted-with-a-body": "A-HTTP-17",
    "session-method-without-header": "A-HTTP-18",
    "session-id-without-header": "A-HTTP-19",
    "session-id-mismatched": "A-HTTP-20",
    "answer-without-header": "A-HTTP-21",
    "answer-of-another-session": "A-HTTP-22",
    "answer-is-200": "A-HTTP-23",
    # GET
    "any-accept": "A-HTTP-24",
    "get-without-connection-is-404": "A-HTTP-25",
    "get-unknown-is-400": "A-HTTP-26",
    "stream-as-json": "A-HTTP-27",
    "stream-may-be-cached": "A-HTTP-28",
    "headers-held-back": "A-HTTP-29 silent",
    "two-readers": "A-HTTP-30",
    "unknown-session-is-404": "A-HTTP-31",
    "reader-for-ever": "A-HTTP-32 silent",
    "event-without-message": "A-HTTP-33",
    "answer-on-session-stream": "A-HTTP-34",
    "new-on-session-stream": "A-HTTP-35 silent",
    "resume-on-connection-stream": "A-HTTP-36",
    "updates-on-connection-stream": "A-HTTP-37",
    "load-on-session-stream": "A-HTTP-38",
    "unread-is-dropped": "A-HTTP-39 silent",
    "answers-to-all": "A-HTTP-40",
    # DELETE and the rest
    "delete-without-connection-is-404": "A-HTTP-41",
    "delete-unknown-is-400": "A-HTTP-42",
    "delete-is-200": "A-HTTP-43",
    "deleted-is-known": "A-HTTP-44",
    "delete-keeps-streams": "A-HTTP-45 silent",
    "put-is-taken": "A-HTTP-46",
    "words-of-its-own": "A-HTTP-47",
    # WebSocket
    "ws-wrong-key": "A-WS-1",
    "ws-without-header": "A-WS-2",
    "ws-answer-in-array": "A-WS-3",
    "ws-newline": "A-WS-4",
    "ws-any-first": "A-WS-5",
    "ws-null-id": "A-WS-6",
    "ws-broken-json-ignored": "A-WS-7",
    "ws-batch-ignored": "A-WS-8",
    "ws-number-ignored": "A-WS-9",
    "ws-answer-refused": "A-WS-10",
    "ws-initialize-again": "A-WS-11",
    "ws-closed-by-initialize": "A-WS-12",
    "ws-binary-is-read": "A-WS-13",
    "ws-empty-pong": "A-WS-14",
    "ws-no-fragments": "A-WS-15",
    "ws-close-without-answer": "A-WS-16",
    "ws-session-is-lost": "A-WS-17 silent",
}

FAULT = sys.argv[sys.argv.index("--fault") + 1] if "--fault" in sys.argv else None
if FAULT is not None and FAULT not in FAULTS:
    sys.exit(f"no fault {FAULT}")


def bad(name):
    assert name in FAULTS, name
    return name == FAULT
