r"""What ``textnb filterd`` and its clients say to each other over a Unix socket; one message a connection.

    request     the bytes of the message; then the client ends its half of the connection
    reply       "textnb/1 CODE LENGTH REASON\n", then LENGTH bytes: the message with its verdict; then the end

CODE is 0 for the class of spam, 1 for another, 2 for unsure; 3 where the message could not be filtered: REASON tells
why, in one line, and the message comes back as it went or, where it is too long to be read at all, LENGTH is 0. Who
does not get a whole reply keeps the message as it was.

A message from standard input, and on to standard output: all of it, or an error.
"""

import os
import re
import socket
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

SPAM, OTHER, UNSURE, FAILED = range(4)
"""The codes, and exit codes of ``textnb filter -e``; bogofilter has the same."""

MAX_MESSAGE_BYTES = 1 << 25
"""Bytes of a message that the service takes."""

_LINE = re.compile(rb"textnb/1 ([0-3]) (\d{1,12}) ([^\n]*)\n")
_PIECE = 1 << 16


class Reply(NamedTuple):
    """What the service answers."""

    code: int
    message: bytes
    reason: str = ""

    @property
    def line(self) -> bytes:
        """The first line.

        >>> Reply(1, b"To: a").line
        b'textnb/1 1 5 \\n'
        """
        reason = "".join(c if c.isprintable() else " " for c in self.reason)
        return f"textnb/1 {self.code} {len(self.message)} {reason}\n".encode("utf-8", "replace")

    @classmethod
    def of(cls, data: bytes) -> "Reply":
        """The reply from its bytes; ConnectionError where they are not a whole one."""
        line = _LINE.match(data)
        if line is None or len(data) - line.end() != int(line[2]):
            raise ConnectionError("the service did not give a whole answer")
        return cls(int(line[1]), data[line.end() :], line[3].decode("utf-8", "replace"))


Answer = tuple[Reply, Callable[[], object] | None]
"""The reply to a message, and what is to be done once the client has it."""


def ask_service(path: str, message: bytes, seconds: float = 60.0) -> Reply:
    """The service's reply to a message; the message as it is, and why, where there is none or none in time."""
    try:
        reply = _asked(path, message, seconds)
    except Exception as error:  # whatever it is, the mail goes on
        return Reply(FAILED, message, f"{path}: {error}")
    return reply._replace(message=message) if reply.code == FAILED else reply


def _asked(path: str, message: bytes, seconds: float) -> Reply:
    if len(message) > MAX_MESSAGE_BYTES:
        raise OSError(f"the message has {len(message):,} bytes, more than the service takes")
    until = time.monotonic() + seconds
    pieces = []
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(seconds)
        line.connect(path)
        line.sendall(message)
        line.shutdown(socket.SHUT_WR)
        while piece := line.recv(_PIECE):
            pieces.append(piece)
            line.settimeout(max(until - time.monotonic(), 0.001))
    return Reply.of(b"".join(pieces))


def read_stdin() -> bytes:
    """What standard input holds."""
    return b"" if sys.stdin is None else sys.stdin.buffer.read()


def write_stdout(message: bytes) -> None:
    """Write a message and see it off; OSError where it does not go."""
    if sys.stdout is None:
        raise OSError("standard output is closed")
    try:
        sys.stdout.buffer.write(message)
        sys.stdout.buffer.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains again when it ends
        raise
