r"""The protocol between ``textnb filterd`` and its clients over a Unix socket, one message per connection; the client.

    request     the bytes of the message; then the client shuts down its sending side
    reply       "textnb/1 CODE LENGTH REASON\n", then LENGTH bytes: the message with its header field; then the end

CODE is 0 for the class of spam, 1 for another class, 2 for unsure, 3 if the message could not be filtered. Then REASON
says why, in one line, and the message comes back unchanged or, if it is too long to be read at all, LENGTH is 0. A
client that does not get a whole reply keeps the message unchanged.

To correct the model, a line goes before the message. It starts with a zero byte, which no message does:

    request     "\0textnb/1 LESSON\n", LESSON a JSON object: do ("learn" or "unlearn"), as, and for learn was and new
    reply       CODE 0, LENGTH 0 once the correction is on disk, with what was done as REASON; CODE 3 if it was refused
"""

import json
import os
import re
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

SPAM, OTHER, UNSURE, FAILED = range(4)
"""Codes of replies and exit codes of ``textnb filter -e``, equal to those of bogofilter."""

MAX_MESSAGE_BYTES = 1 << 25
"""Largest message that the service accepts, and that ``textnb filter`` examines by default."""

_REPLY_LINE = re.compile(rb"textnb/1 ([0-3]) (\d{1,12}) ([^\n]*)\n")
_LESSON = b"\0textnb/1 "
_READ_BYTES = 1 << 16
_RETRY_SECONDS = 0.02


class Reply(NamedTuple):
    """Reply of the service to one message."""

    code: int
    message: bytes
    reason: str = ""

    @property
    def line(self) -> bytes:
        """First line of the reply."""
        reason = "".join(c if c.isprintable() else " " for c in self.reason)
        return f"textnb/1 {self.code} {len(self.message)} {reason}\n".encode("utf-8", "replace")

    @classmethod
    def of(cls, data: bytes) -> "Reply":
        """Parse a reply; raise ConnectionError if it is not whole."""
        line = _REPLY_LINE.match(data)
        if line is None or len(data) - line.end() != int(line[2]):
            raise ConnectionError("the reply of the service is incomplete")
        return cls(int(line[1]), data[line.end() :], line[3].decode("utf-8", "replace"))


class Lesson(NamedTuple):
    """Correction of the model by one message: learn it as a class, or unlearn it."""

    do: str
    label: str
    was: str | None = None
    new: bool = False

    def request(self, message: bytes) -> bytes:
        """Return the request with this correction by a message."""
        facts = {"do": self.do, "as": self.label, "was": self.was, "new": self.new}
        return _LESSON + json.dumps(facts).encode() + b"\n" + message


def split_request(request: bytes) -> tuple[Lesson | None, bytes]:
    """Return the lesson of a request, None if there is none, and the message; ValueError if there is half a lesson.

    >>> split_request(Lesson("learn", "spam").request(b"Subject: x"))
    (Lesson(do='learn', label='spam', was=None, new=False), b'Subject: x')
    """
    if not request.startswith(_LESSON):
        return None, request
    line, _, message = request.removeprefix(_LESSON).partition(b"\n")
    try:
        facts: dict[str, Any] = json.loads(line)
        lesson = Lesson(facts["do"], facts["as"], facts.get("was"), facts.get("new", False))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("the line before the message is not a lesson") from None
    kinds = type(lesson.label) is str and type(lesson.was) in (str, type(None)) and type(lesson.new) is bool
    if lesson.do not in ("learn", "unlearn") or not kinds:
        raise ValueError("the line before the message is not a lesson")
    return lesson, message


Answer = tuple[Reply, Callable[[], object] | None]
"""Reply to a message, and what to do once the client has received it."""


def ask_service(path: str, message: bytes, seconds: float = 60.0) -> Reply:
    """Send a message to the service and return its reply; without one in time, FAILED with the unchanged message."""
    try:
        if message.startswith(_LESSON):
            raise ValueError("the message starts as a correction of the model does")
        reply = _exchange(path, message, seconds)
    except Exception as error:  # on any error the mail is passed on
        return Reply(FAILED, message, f"{path}: {error}")
    return reply._replace(message=message) if reply.code == FAILED else reply


def ask_to_correct(path: str, lesson: Lesson, message: bytes, seconds: float = 60.0) -> Reply:
    """Send a correction to the service and return its reply; without one in time, FAILED."""
    try:
        return _exchange(path, lesson.request(message), seconds)
    except (OSError, ValueError) as error:
        return Reply(FAILED, b"", f"{path}: {error}")


def _exchange(path: str, message: bytes, seconds: float) -> Reply:
    if len(message) > MAX_MESSAGE_BYTES:
        raise OSError(f"the message has more than {MAX_MESSAGE_BYTES:,} bytes")
    until = time.monotonic() + seconds
    pieces = []
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(seconds)
        _connect(line, path, until)
        line.sendall(message)
        line.shutdown(socket.SHUT_WR)
        while piece := line.recv(_READ_BYTES):
            pieces.append(piece)
            line.settimeout(max(until - time.monotonic(), 0.001))
    return Reply.of(b"".join(pieces))


def _connect(line: socket.socket, path: str, until: float) -> None:
    """Connect to the service; while too many others wait to be accepted, try again."""
    while True:
        try:
            return line.connect(path)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise TimeoutError("the service is busy") from None
            time.sleep(_RETRY_SECONDS)


def read_stdin(most: int = -1) -> bytes:
    """Read a message from standard input; at most ``most`` bytes of it."""
    return b"" if sys.stdin is None else sys.stdin.buffer.read(most)


def write_stdout(message: bytes, rest: bool = False) -> None:
    """Write a message, and if ``rest`` what standard input still has, to standard output; raise OSError on failure."""
    if sys.stdout is None:
        raise OSError("standard output is closed")
    try:
        sys.stdout.buffer.write(message)
        while rest and (piece := read_stdin(_READ_BYTES)):
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python reports the error again at exit
        raise
