"""The faults of mutant_agent.py, and which one this process has."""

import json
import os
import sys

# name: the requirement that is broken. Those with "silent" end in somebody's time being over.
FAULTS = {
    # what can be seen by looking on
    "banner-on-stdout": "A-WIRE-1",
    "latin1-text": "A-WIRE-2",
    "no-jsonrpc": "A-WIRE-3",
    "batch": "A-WIRE-4",
    "fractional-id": "A-WIRE-5",
    "same-id-twice": "A-WIRE-6",
    "answers-nothing-asked": "A-WIRE-7",
    "answers-twice": "A-WIRE-8",
    "answers-notification": "A-WIRE-9",
    "result-and-error": "A-WIRE-10",
    "no-message": "A-WIRE-11",
    "params-misfit": "A-SCHEMA-1",
    "result-misfit": "A-SCHEMA-2",
    "error-without-message": "A-SCHEMA-3",
    "own-root-field": "A-SCHEMA-4",
    "own-method-unmarked": "A-SCHEMA-5",
    "update-as-request": "A-SCHEMA-6",
    "value-to-be-replaced": "A-SCHEMA-7",
    "unknown-update": "A-SCHEMA-8",
    "update-before-initialize": "A-ORDER-1",
    "update-for-nobody": "A-ORDER-2",
    "update-before-new": "A-ORDER-3",
    "update-after-answer": "A-ORDER-4",
    "update-after-load": "A-ORDER-5",
    "resume-replays": "A-ORDER-6",
    "session-id-again": "A-ORDER-7",
    "tool-unannounced": "A-ORDER-8",
    "tool-announced-twice": "A-ORDER-9",
    "tool-goes-back": "A-ORDER-10",
    "writes-after-turn": "A-ORDER-11",
    "relative-terminal-cwd": "A-PATH-1",
    "relative-location": "A-PATH-2",
    "relative-listed-cwd": "A-PATH-3",
    "line-zero": "A-PATH-4",
    "reads-unadvertised": "A-CAP-1",
    "elicits-by-url": "A-CAP-2",
    "notice-unadvertised": "A-CAP-3",
    "mode-unavailable": "A-CAP-4",
    "boolean-unadvertised": "A-CAP-5",
    "cancel-ends-turn": "A-CANCEL-1",
    "update-after-cancel": "A-CANCEL-2",
    "writes-after-cancel": "A-CANCEL-3",
    "cancels-itself": "A-CANCEL-4",
    "terminal-of-nobody": "A-TERM-1",
    "terminal-after-release": "A-TERM-2",
    "terminal-kept": "A-TERM-3",
    "shows-no-terminal": "A-TERM-4",
    "no-options": "A-PERM-1",
    "option-id-twice": "A-PERM-2",
    "impatient": "A-PERM-3",
    "begins-while-asking": "A-PERM-4",
    "rejected-is-completed": "A-PERM-5",
    "nothing-but-yes": "A-PERM-6",
    "asks-afterwards": "A-PERM-7",
    "question-left-open": "A-PERM-8",
    "runs-another-command": "A-PERM-9",
    "changes-by-reading": "A-PERM-10",
    "tool-left-open": "A-STOP-1",
    # what must be tried
    "version-three": "A-INIT-1",
    "version-0-refused": "A-INIT-2",
    "version-echoed": "A-INIT-3",
    "version-text-taken": "A-INIT-4",
    "version-not-needed": "A-INIT-5",
    "nameless": "A-INIT-6",
    "wants-capabilities": "A-INIT-7",
    "unknown-capability-refused": "A-INIT-8",
    "session-before-initialize": "A-INIT-9",
    "auth-ids-twice": "A-AUTH-1",
    "any-auth-method": "A-AUTH-2",
    "auth-forgotten": "A-AUTH-3",
    "auth-wrong-code": "A-AUTH-4",
    "logout-fails": "A-AUTH-5",
    "no-sessions": "A-SESSION-1",
    "relative-cwd-taken": "A-SESSION-2",
    "cwd-not-needed": "A-SESSION-3",
    "any-session": "A-SESSION-4",
    "one-session-at-a-time": "A-SESSION-5 silent",
    "directories-refused": "A-SESSION-6",
    "load-fails": "A-LOAD-1",
    "user-not-replayed": "A-LOAD-2",
    "agent-not-replayed": "A-LOAD-3",
    "any-session-loaded": "A-LOAD-4",
    "resume-fails": "A-RESUME-1",
    "any-session-resumed": "A-RESUME-2",
    "list-fails": "A-LIST-1",
    "list-incomplete": "A-LIST-2",
    "list-ignores-cwd": "A-LIST-3",
    "page-repeated": "A-LIST-4",
    "any-cursor": "A-LIST-5",
    "close-fails": "A-CLOSE-1",
    "closed-is-open": "A-CLOSE-2",
    "close-drops-turn": "A-CLOSE-3 silent",
    "delete-fails": "A-DELETE-1",
    "deleted-is-listed": "A-DELETE-2",
    "delete-unknown-fails": "A-DELETE-3",
    "turn-fails": "A-TURN-1",
    "one-text-only": "A-TURN-2",
    "no-links": "A-TURN-3",
    "picture-refused": "A-TURN-4",
    "sound-refused": "A-TURN-5",
    "resource-refused": "A-TURN-6",
    "needs-files": "A-TURN-7 silent",
    "deaf-at-once": "A-CANCEL-11 silent",
    "deaf-while-reporting": "A-CANCEL-12 silent",
    "deaf-while-asking": "A-CANCEL-13 silent",
    "deaf-while-running": "A-CANCEL-14 silent",
    "idle-cancel-kept": "A-CANCEL-15",
    "cancel-sticks": "A-CANCEL-16",
    "mode-refused": "A-MODE-1",
    "any-mode": "A-MODE-2",
    "option-not-set": "A-CONFIG-1",
    "any-option": "A-CONFIG-2",
    "any-value": "A-CONFIG-3",
    "value-not-offered": "A-CONFIG-4",
    "command-twice": "A-COMMAND-1",
    "command-with-slash": "A-COMMAND-2",
    "plan-in-parts": "A-PLAN-1",
    "rejected-and-done": "A-PERM-11",
    "undecided-and-done": "A-PERM-12",
    "any-option-allows": "A-PERM-13",
    "unasked-and-done": "A-PERM-14",
    "allowed-not-done": "A-PERM-15",
    "rejected-and-run": "A-PERM-16",
    "rejected-and-run-unnamed": "A-PERM-16",
    "rejected-and-run-itself": "A-PERM-16",
    "undecided-and-run": "A-PERM-17",
    "unasked-and-run": "A-PERM-18",
    "goes-around": "A-PERM-19",
    "once-is-always": "A-PERM-20",
    "always-is-yes": "A-PERM-21",
    "lost-by-read": "A-FS-1 silent",
    "lost-by-write": "A-FS-2 silent",
    "lost-by-terminal": "A-TERM-11 silent",
    "no-mcp": "A-MCP-1 silent",
    "mcp-without-env": "A-MCP-2",
    "mcp-without-tools": "A-MCP-3 silent",
    "lost-by-mcp": "A-MCP-4 silent",
    "no-mcp-over-http": "A-MCP-5 silent",
    "no-mcp-over-sse": "A-MCP-6 silent",
    "mcp-without-headers": "A-MCP-7",
    "extension-wrong-code": "A-EXT-1",
    "dies-of-event": "A-EXT-2",
    "unknown-wrong-code": "A-EXT-3",
    "dies-of-dollar": "A-EXT-4",
    "meta-refused": "A-META-1",
    "field-refused": "A-META-2",
    "mute-at-bad-json": "A-INPUT-1",
    "mute-at-bad-utf8": "A-INPUT-2",
    "mute-at-batch": "A-INPUT-3",
    "mute-at-scalar": "A-INPUT-4",
    "mute-at-number-method": "A-INPUT-5",
    "any-version-of-rpc": "A-INPUT-6",
    "params-wrong-code": "A-INPUT-7",
    "answers-an-answer": "A-INPUT-8",
    "pieces-lost": "A-INPUT-9 silent",
    "blank-line-is-an-error": "A-INPUT-10",
    "dies-of-length": "A-INPUT-11",
    "dies-of-depth": "A-INPUT-12",
    "numeric-text-id": "A-ID-1",
    "zero-id": "A-ID-2",
    "rounded-id": "A-ID-3",
    "numeric-text-id-in-result": "A-ID-4",
    "text-id-changed-in-result": "A-ID-4",
    "zero-id-in-result": "A-ID-5",
    "ids-confused": "A-ID-6 silent",
    "stays": "A-EXIT-1 silent",
    "leaves-a-child": "A-EXIT-2",
    "stays-with-turn": "A-EXIT-3 silent",
}

if os.path.basename(os.path.dirname(os.path.abspath(sys.argv[0]))) == "version2":
    from mutant_faults_2 import FAULTS


def chosen():
    """`--fault NAME`; `--faults` lists them all, and ends."""
    arguments = sys.argv[1:]
    if arguments == ["--faults"]:
        print(json.dumps(FAULTS))
        sys.exit()
    if arguments[:1] != ["--fault"]:
        return None
    if arguments[1] not in FAULTS:
        sys.exit("there is no fault " + arguments[1])
    return arguments[1]


FAULT = chosen()


def bad(name):
    return FAULT == name


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.data = None


class Cancelled(Exception):
    pass


class Lost(Exception):
    """A turn that will never be answered."""


class Subprocess:
    """Loaded when it is needed: most of these processes live for a few milliseconds."""

    def __getattr__(self, name):
        import subprocess as module

        return getattr(module, name)


subprocess = Subprocess()
