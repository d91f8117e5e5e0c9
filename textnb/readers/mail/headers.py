"""The head of a message or part: bytes to fields, without a copy of the body.

    head = field* [blank line]      field = name ":" value, further lines of the value begin with a blank or a tab

What real heads have besides is read too: a From_ line before the first field, LF or CRLF or both, no blank line at the
end, lines that are no fields. Such lines are not lost: they are the first lines of the body then.
"""

import re
from dataclasses import dataclass, field

from textnb.extension import in_extension
from textnb.readers.mail.defects import Defects

_LONGEST_HEAD = 1 << 18
_MOST_FIELDS = 1000
_LONGEST_NAME = 100
_NAME = re.compile(rb"[!-9;-~]+")
_MAY_STAND_BEFORE = (b"\n", b"\r", b" ", b"\t", b"From ", b">From ")
_BEFORE = re.compile(rb"(?>[ \t]*+\r?\n)*+(?:>?From [^\n]*\n)?")

Field = tuple[bytes, bytes]
"""A name in lower case, and the value on one line."""


@dataclass
class Head:
    """The fields in their order, lines among them that are none, and where the body begins."""

    fields: list[Field]
    strays: bytes
    body: int
    has_encoded_words: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._firsts = dict(reversed(self.fields))

    def first(self, name: bytes) -> bytes:
        """The value of the first field of that name; nothing where there is none."""
        return self._firsts.get(name, b"")

    def all(self, *names: bytes) -> list[bytes]:
        """The values of all fields of some names, in their order."""
        if self._firsts.keys().isdisjoint(names):
            return []
        return [value for name, value in self.fields if name in names]


def message_start(data: bytes, start: int, end: int) -> int:
    """Where the head of a whole message begins: after blank lines and a From_ line."""
    if not data.startswith(_MAY_STAND_BEFORE, start, end):
        return start
    before = _BEFORE.match(data, start, end)
    return start if before is None else before.end()


def read_head(data: bytes, start: int, end: int, defects: Defects) -> Head:
    r"""The head that begins at ``start``; a first line that is no field means that there is none.

    >>> read_head(b"Subject: a\n b\nTo: c\n\nhello", 0, 27, Defects())
    Head(fields=[(b'subject', b'a b'), (b'to', b'c')], strays=b'', body=21)
    """
    fields, strays, length, body, encoded = _split(data, start, end, _LONGEST_HEAD, _LONGEST_NAME)
    if length > _LONGEST_HEAD:
        defects.add("header", f"its header is longer than {_LONGEST_HEAD} bytes; the rest of it was not read")
    if strays and not fields:
        return Head([], b"", start)
    if strays:
        defects.add("header", f"{len(strays)} of its header lines are no fields")
    if len(fields) > _MOST_FIELDS:
        defects.add("header", f"its header has {len(fields)} fields; the first {_MOST_FIELDS} were read")
        del fields[_MOST_FIELDS:]
    return Head(fields, b"\n".join(strays), body, encoded)


Split = tuple[list[Field], list[bytes], int, int, bool]
"""The fields, the lines that are none, the length of a head, where the body begins, whether "=?" stands in it."""


def split_head(data: bytes, start: int, end: int, longest: int, longest_name: int) -> Split:
    """A head taken apart, no more than ``longest`` bytes of it; a first line that is no field is all that is read."""
    stop, body = _end_of_head(data, start, end)
    block = data[start : min(stop, start + longest)]
    fields: list[Field] = []
    strays: list[bytes] = []
    for line in block.replace(b"\r\n", b"\n").replace(b"\n\t", b" ").replace(b"\n ", b" ").split(b"\n"):
        name, colon, value = line.partition(b":")
        name = name.rstrip(b" \t")
        if colon and len(name) <= longest_name and _NAME.fullmatch(name):
            fields.append((name.lower(), value.strip()))
        elif line.strip():
            strays.append(line)
            if not fields:
                break
    return fields, strays, stop - start, body, b"=?" in block


_split = in_extension(split_head)


def _end_of_head(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Where the fields end and where the body begins.

    The blank line is looked for first in the way in which the first line ends, then only before it in the other way:
    so a head costs its own length, however long the message is.
    """
    if data.startswith((b"\n", b"\r\n"), start, end):
        return start, data.index(b"\n", start, end) + 1
    first = data.find(b"\n", start, end)
    if first < 0:
        return end, end
    likely, other = (b"\n\r\n", b"\n\n") if data[first - 1 : first] == b"\r" else (b"\n\n", b"\n\r\n")
    stop = data.find(likely, start, end)
    earlier = data.find(other, start, end if stop < 0 else stop + 1)
    if earlier >= 0:
        stop, likely = earlier, other
    return (stop, stop + len(likely)) if stop >= 0 else (end, end)
