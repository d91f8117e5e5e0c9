"""MIME parts of a message, found by their offsets; only bytes that will be read are copied.

One walk over the message gives its leaves in order, each with its branch of a multipart/alternative:

    multipart/alternative  -> branches 0, 1, ..., of which ``content`` chooses one
    multipart/*            -> its parts, one after the other
    message/rfc822         -> the message inside, its subject first

Depth, number of parts and all sizes are limited; a message beyond the limits has a defect.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from textnb.readers.message.charsets import decode_transfer
from textnb.readers.message.field_values import Parametrised, Value, parse_parameters
from textnb.readers.message.headers import Defects, Head, message_start, read_head

MAX_TEXT_BYTES = 1 << 20
"""Number of bytes of text that are read of one message, and of the encoded messages inside it."""

_MAX_DEPTH = 20
_MAX_PARTS = 500
_MAX_BOUNDARY_LINES = 10_000  # lines that begin like a boundary
_BOUNDARY_SEARCH_BYTES = 1 << 20
_AFTER_BOUNDARY = re.compile(rb"(--)?[ \t\r]*+(?=\n|\Z)")
_LIKELY_BOUNDARY = re.compile(rb"^--([^\r\n]{1,200})\r?\nContent-", re.MULTILINE | re.IGNORECASE)
_WHOLE_MESSAGES = ("message/rfc822", "message/global", "message/news")
_ENCODED = (b"base64", b"quoted-printable")

Branch = tuple[int, int] | None
"""Number of an alternative, and number of the branch; None outside of an alternative."""


class Leaf(NamedTuple):
    """Part without parts: its type and other fields, and the offsets of its body in ``data``."""

    type: str
    content: Parametrised
    encoding: bytes
    disposition: Parametrised
    branch: Branch
    data: bytes
    start: int
    end: int
    strays: bytes

    @property
    def size(self) -> int:
        """Approximate number of decoded bytes."""
        return (self.end - self.start) * 3 // 4 if self.encoding == b"base64" else self.end - self.start

    @property
    def is_attached(self) -> bool:
        """Whether the part is an attachment, which is not displayed as text."""
        return self.disposition.main == "attachment" or not self.type.startswith(("text/", "message/"))

    @property
    def name(self) -> Value | None:
        """Name of the file, if there is one."""
        return self.disposition.parameters.get("filename") or self.content.parameters.get("name")

    def body(self, longest: int, defects: Defects) -> bytes:
        """Decode the transfer encoding of at most about ``longest`` bytes."""
        end = self.end
        longest *= 3 if self.encoding in _ENCODED else 1
        if end - self.start > longest:
            defects.add("size", f"a part has {end - self.start} bytes; the first {longest} were read")
            end = self.start + longest
        decoded = decode_transfer(self.data[self.start : end], self.encoding, defects)
        return self.strays + b"\n" + decoded if self.strays else decoded


@dataclass
class Walk:
    """Walk over a message: its head, its leaves, the types of all parts, and the heads of messages inside.

    ``encoded_left``: number of bytes that may still be decoded of messages inside in base64 or quoted-printable.
    """

    head: Head
    defects: Defects
    leaves: list[Leaf] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    within: dict[int, Head] = field(default_factory=dict)
    alternatives: int = 0
    encoded_left: int = MAX_TEXT_BYTES

    @classmethod
    def of(cls, data: bytes, defects: Defects) -> "Walk":
        """Walk over a whole message."""
        walk = cls(read_head(data, message_start(data, 0, len(data)), len(data), defects), defects)
        if not walk.head.fields and data:
            defects.add("header", "the message has no header")
        walk._enter(data, walk.head, len(data), "text/plain", None, 0)
        return walk

    def _enter(self, data: bytes, head: Head, end: int, default: str, branch: Branch, depth: int) -> None:
        """Add one part, or the parts inside it."""
        if len(self.types) >= _MAX_PARTS:
            self.defects.add("parts", f"there are more than {_MAX_PARTS} parts; the rest was not read")
            return
        if depth > _MAX_DEPTH:
            self.defects.add("parts", f"parts are nested more than {_MAX_DEPTH} deep; deeper ones were not read")
            return
        content = parse_parameters(head.first(b"content-type"))
        kind = content.main if "/" in content.main else default
        encoding = head.first(b"content-transfer-encoding").strip(b" \t;\"'").lower()
        self.types.append(kind)
        disposition = parse_parameters(head.first(b"content-disposition"))
        leaf = Leaf(kind, content, encoding, disposition, branch, data, head.body, end, head.strays)
        if kind.startswith("multipart/") and self._multipart(leaf, depth):
            return
        if kind in _WHOLE_MESSAGES:
            self._message(leaf, depth)
            return
        self.leaves.append(leaf._replace(type="text/plain") if kind.startswith("multipart/") else leaf)

    def _multipart(self, whole: Leaf, depth: int) -> bool:
        """Add the parts between boundaries; False if there are none, and the part is text then."""
        sections = self._sections(whole)
        if not sections:
            self.defects.add("boundary", f"{whole.type[:60]} without parts")
            return False
        default = "message/rfc822" if whole.type == "multipart/digest" else "text/plain"
        chooses = whole.type == "multipart/alternative" and whole.branch is None
        self.alternatives += chooses
        number = self.alternatives
        for i, (start, end) in enumerate(sections):
            head = read_head(whole.data, start, end, self.defects)
            self._enter(whole.data, head, end, default, (number, i) if chooses else whole.branch, depth + 1)
        return True

    def _sections(self, whole: Leaf) -> list[tuple[int, int]]:
        data, start, end = whole.data, whole.start, whole.end
        boundary = whole.content.plain("boundary").rstrip()
        sections, closed = _between(data, start, end, boundary) if boundary else ([], True)
        searched = min(end, start + _BOUNDARY_SEARCH_BYTES)
        if not sections and (guessed := _LIKELY_BOUNDARY.search(data, start, searched)):
            self.defects.add("boundary", "the boundary is not the declared one")
            sections, closed = _between(data, start, end, guessed[1].rstrip())
        if sections and not closed:
            self.defects.add("boundary", "the last boundary is missing")
        return sections

    def _message(self, whole: Leaf, depth: int) -> None:
        """Add a message inside the message."""
        data, start, end = whole.data, whole.start, whole.end
        if whole.encoding in _ENCODED:  # forbidden, but common
            data = whole._replace(strays=b"").body(self.encoded_left, self.defects)
            self.encoded_left = max(self.encoded_left - len(data), 0)
            start, end = 0, len(data)
        head = read_head(data, message_start(data, start, end), end, self.defects)
        self.within[len(self.leaves)] = head
        self._enter(data, head, end, "text/plain", whole.branch, depth + 1)


def _between(data: bytes, start: int, end: int, boundary: bytes) -> tuple[list[tuple[int, int]], bool]:
    """Offsets of the parts between lines of ``--boundary``, and whether ``--boundary--`` ends them."""
    sections: list[tuple[int, int]] = []
    begun = -1
    for at, rest in _delimiters(data, start, end, b"\n--" + boundary):
        if begun >= 0:
            sections.append((begun, max(begun, _before_line_end(data, at + 1))))
        if rest[1] or len(sections) >= _MAX_PARTS:
            return sections, True
        begun = min(rest.end() + 1, end)
    if begun >= 0:
        sections.append((begun, end))
    return sections, False


def _delimiters(data: bytes, start: int, end: int, line: bytes) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Offsets of lines of a boundary, each with the match of its end: ``--`` after the last part."""
    at = data.find(line, max(start - 1, 0), end)
    for _ in range(_MAX_BOUNDARY_LINES):
        if at < 0:
            return
        rest = _AFTER_BOUNDARY.match(data, at + len(line), end)
        if rest is not None:
            yield at, rest
        at = data.find(line, at + len(line), end)


def _before_line_end(data: bytes, position: int) -> int:
    """Offset before the line end that precedes a boundary and belongs to it."""
    if data[position - 1 : position] != b"\n":
        return position
    return position - 2 if data[position - 2 : position - 1] == b"\r" else position - 1
