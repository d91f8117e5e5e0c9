r"""The field that tells what was decided, put into a message and taken out of it again; bytes to bytes.

    message = From_ line* head [empty line body]        head = lines, up to the first that is empty

(1)  unmarked(m)        m less every X-Textnb field of its head, further lines of the field included
(2)  marked(m, field)   unmarked(m) plus the field, as the first of the head

Nothing else changes, whatever the bytes are, and nothing raises. Lines end in LF, with or without a CR before it; in CR
where the message has no LF at all. Lines of the head that are no fields are left as they are. Where a head begins with
a line that would continue our field, the field stands after it.
"""

import re
from hashlib import blake2b
from typing import NamedTuple

NAME = b"X-Textnb"


class _Lines(NamedTuple):
    """The shapes of lines that end in one of certain bytes."""

    ends: tuple[bytes, ...]
    before: re.Pattern[bytes]
    empty: re.Pattern[bytes]
    own: re.Pattern[bytes]
    continued: re.Pattern[bytes]

    @classmethod
    def ending_in(cls, *ends: bytes) -> "_Lines":
        any_of = b"".join(ends)
        end, within, start = b"[%b]" % any_of, b"[^%b]*" % any_of, b"(?<![^%b])" % any_of
        further = b"[ \t]" + within
        return cls(
            ends,
            re.compile(b"(?:>?From (?![ \t]*:)%b%b)*" % (within, end)),
            re.compile(start + b"\r?" + end),
            re.compile(b"%b%b[ \t]*:%b(?:%b%b)*%b?" % (start, re.escape(NAME), within, end, further, end), re.I),
            re.compile(b"(?:%b%b)*" % (further, end)),
        )


_LF, _CR = _Lines.ending_in(b"\n"), _Lines.ending_in(b"\r", b"\n")


def unmarked(message: bytes) -> bytes:
    r"""Formula (1).

    >>> unmarked(b"Subject: a\nx-textnb: class=ham;\n probability=1\n\nX-Textnb: text")
    b'Subject: a\n\nX-Textnb: text'
    """
    lines = _lines(message)
    start = _start(message, lines)
    empty = lines.empty.search(message, start)
    end = len(message) if empty is None else empty.start()
    head = message[start:end]
    if NAME.lower() not in head.lower():
        return message
    return b"".join([message[:start], lines.own.sub(b"", head), message[end:]])


def marked(message: bytes, field: bytes) -> bytes:
    r"""Formula (2). field: name, colon and value without a line end; a folded one has LF inside, then a blank.

    >>> marked(b"From a Fri Jan  2 03:04:05 2026\r\nSubject: b\r\n\r\n", b"X-Textnb: class=ham")
    b'From a Fri Jan  2 03:04:05 2026\r\nX-Textnb: class=ham\r\nSubject: b\r\n\r\n'
    """
    line_end = _line_end(message)
    message = unmarked(message)
    lines = _lines(message)
    place = _place(message, lines)
    line = field.replace(b"\n", line_end)
    unended = place == len(message) > 0 and not message.endswith(lines.ends)
    addition = line_end + line if unended else line + line_end
    return b"".join([message[:place], addition, message[place:]])


def _place(message: bytes, lines: _Lines) -> int:
    """Where the field goes; at the very end, if nothing but a line without an end is there to be continued."""
    begun = lines.continued.match(message, _start(message, lines))
    place = 0 if begun is None else begun.end()
    return len(message) if message.startswith((b" ", b"\t"), place) else place


def _start(message: bytes, lines: _Lines) -> int:
    before = lines.before.match(message)
    return 0 if before is None else before.end()


def _lines(message: bytes) -> _Lines:
    return _CR if _line_end(message) == b"\r" else _LF


def _line_end(message: bytes) -> bytes:
    """How the first line ends."""
    first = message.find(b"\n")
    if first >= 0:
        return b"\r\n" if message[:first].endswith(b"\r") else b"\n"
    return b"\r" if b"\r" in message else b"\n"


def message_digest(message: bytes) -> str:
    r"""What tells messages apart; the filter's own field makes no difference.

    >>> message_digest(b"To: a\n\nb") == message_digest(b"X-Textnb: class=ham\nTo: a\n\nb")
    True
    """
    return blake2b(unmarked(message), digest_size=16).hexdigest()
