"""A terminal for tests: runs a program in a pty and keeps what a person would see.

Knows the sequences that acp chat uses; anything else that begins with ESC is a fault, since it could
only have come from an agent.
"""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")
CALL = re.compile(r"\x1b\]9;([^\x00-\x1f]*)\a")  # OSC 9: the person is called
NARROW = re.compile(r"[ -~]+")  # each takes one column


def columns_of(char):
    if unicodedata.combining(char) or char == "\u200d" or 0xFE00 <= ord(char) <= 0xFE0F:
        return 0
    if 0x1F3FB <= ord(char) <= 0x1F3FF:  # the colour of the emoji before it
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class Cell(str):
    """A character, with the parameters of the SGR sequence before it."""

    style = ""


class Screen:
    """Rows and a scrollback. A row that is too wide for a narrower window is wrapped, as most do."""

    def __init__(self, columns, rows):
        self.columns, self.height = columns, rows
        self.lines = [[]]  # cells; scrollback and screen together
        self.row = self.column = 0
        self.faults = []
        self.settled = True  # the program knows the size: see Chat.resize
        self.bells = 0
        self.calls = []
        self.modes = set()
        self.rest = ""
        self.style = ""
        self.cells = {}  # of the style

    def top(self):
        return max(0, len(self.lines) - self.height)

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        i = 0
        while i < len(text):
            char = text[i]
            if match := NARROW.match(text, i):
                self.put_narrow(match.group())
                i = match.end()
                continue
            if char == "\x1b":
                match = SEQUENCE.match(text, i)
                if match:
                    self.control(*match.groups())
                    i = match.end()
                    continue
                if match := CALL.match(text, i):
                    self.calls.append(match.group(1))
                    i = match.end()
                    continue
                if len(text) - i < (100 if text.startswith("\x1b]9;", i) else 16):
                    self.rest = text[i:]
                    return
                self.faults.append(text[i:i + 16])
            elif char == "\r":
                self.column = 0
            elif char == "\n":
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append([])
            elif char == "\a":
                self.bells += 1
            elif ord(char) < 32 or 0x7F <= ord(char) < 0xA0:
                self.faults.append(char)
            else:
                self.put(char)
            i += 1

    def put(self, char):
        width = columns_of(char)
        line = self.lines[self.row]
        if width == 0:
            if line:
                line[-1] += char
            return
        line = self.line_for(char, width)
        line[self.column:self.column + width] = [self.cell(char)] + [""] * (width - 1)
        self.column += width

    def put_narrow(self, text):
        """Many at once: megabytes are printed, too."""
        while text:
            line = self.line_for(text[0], 1)
            piece, text = text[:self.columns - self.column], text[self.columns - self.column:]
            line[self.column:self.column + len(piece)] = map(self.cell, piece)
            self.column += len(piece)

    def line_for(self, char, width):
        """The line that the next character goes to, filled up to there."""
        if self.column + width > self.columns:
            if self.settled:
                self.faults.append(f"beyond the last column: {char!r}")
            self.row += 1
            self.column = 0
            if self.row == len(self.lines):
                self.lines.append([])
        line = self.lines[self.row]
        if len(line) < self.column:
            line += " " * (self.column - len(line))
        return line

    def cell(self, char):
        cell = self.cells.get(char)
        if cell is None:
            cell = self.cells[char] = Cell(char)
            cell.style = self.style
        return cell

    def control(self, private, numbers, final):
        count = int(numbers.split(";")[0] or 1) if numbers.split(";")[0] != "0" else 0
        line = self.lines[self.row]
        if private:
            (self.modes.add if final == "h" else self.modes.discard)(numbers)
        elif final == "A":
            self.row = max(self.top(), self.row - count)
        elif final == "C":
            self.column = min(self.columns - 1, self.column + count)
        elif final == "K":
            del line[self.column:]
        elif final == "J":
            if numbers == "2":
                for one in self.lines[self.top():]:
                    one.clear()
            else:
                del line[self.column:]
                del self.lines[self.row + 1:]
        elif final == "H":
            self.row, self.column = self.top(), 0
        elif final == "m":
            self.style = numbers
            self.cells = {}
        else:
            self.faults.append(f"CSI {private}{numbers}{final}")

    def resize(self, columns, rows):
        lines, row, column = [], 0, 0
        for i, line in enumerate(self.lines):
            pieces = [line[at:at + columns] for at in range(0, len(line), columns)] or [[]]
            if i == self.row:
                row, column = len(lines) + self.column // columns, self.column % columns
                while row >= len(lines) + len(pieces):
                    pieces.append([])
            lines += pieces
        self.columns, self.height, self.lines, self.row, self.column = columns, rows, lines, row, column

    def text(self, last=0):
        return "\n".join("".join(line).rstrip() for line in self.lines[-last:])


class Chat:
    """The program in a terminal of its own."""

    def __init__(self, argv, columns=80, rows=24, env=None, cwd=None, patience=60):
        self.screen = Screen(columns, rows)
        self.patience = patience
        self.raw = bytearray()
        self.master, slave = pty.openpty()
        self.slave = slave
        self.size(columns, rows)
        self.before = termios.tcgetattr(slave)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.master)
                login(slave)
                if cwd:
                    os.chdir(cwd)
                os.execvpe(argv[0], argv, env or os.environ)
            finally:
                os._exit(127)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.ended = None

    def size(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        """What the program wrote before it could know of the new size may still come, and is wrapped; once the
        test has seen what it waits for next, everything must fit."""
        self.screen.settled = False
        self.screen.resize(columns, rows)
        self.size(columns, rows)
        os.kill(self.pid, signal.SIGWINCH)

    def type(self, text):
        os.write(self.master, text.encode())

    def type_at_once(self, text):
        """More than the terminal takes at a time: what it shows meanwhile is read."""
        data = text.encode()
        os.set_blocking(self.master, False)
        try:
            while data:
                _, ready, _ = select.select([], [self.master], [], 0)
                if ready:
                    data = data[os.write(self.master, data[:4096]):]
                self.read(time.monotonic() + (0 if ready else 0.2))
        finally:
            os.set_blocking(self.master, True)

    def read(self, deadline):
        ready, _, _ = select.select([self.master], [], [], max(0, min(deadline - time.monotonic(), 0.2)))
        if not ready:
            return
        data = os.read(self.master, 65536)
        self.raw += data
        if len(self.raw) > 2000000:
            del self.raw[:-1000000]
        self.screen.feed(self.decoder.decode(data))

    def until(self, condition, what):
        deadline = time.monotonic() + self.patience
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not come; the screen:\n{self.screen.text()}")
            self.read(deadline)
        self.screen.settled = True
        return self.screen.text()

    def wait(self, text, times=1):
        return self.until(lambda: self.screen.text(200).count(text) >= times, f"{text!r}")

    def wait_gone(self, text):
        return self.until(lambda: text not in self.screen.text(200), f"the end of {text!r}")

    def end(self):
        """Waits for the program's end; gives its exit code, or minus the signal."""
        deadline = time.monotonic() + self.patience
        while self.ended is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.ended = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"it does not end; the screen:\n{self.screen.text()}")
            self.read(time.monotonic() + 0.02)
        while select.select([self.master], [], [], 0)[0]:
            self.read(time.monotonic())
        return self.ended

    def sane(self):
        return termios.tcgetattr(self.slave) == self.before and "2004" not in self.screen.modes

    def close(self):
        if self.ended is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)
        os.close(self.slave)


def login(slave):
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for descriptor in (0, 1, 2):
        os.dup2(slave, descriptor)
    if slave > 2:
        os.close(slave)
