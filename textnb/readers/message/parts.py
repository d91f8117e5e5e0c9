"""The parts of a message (MIME), found by their offsets: nothing is copied but what will be read.

A message is walked once. Its leaves come out in order, each with the branch of the alternative that it belongs to:
    multipart/alternative  -> branches 0, 1, ... of one choice; the reader takes the richest
    multipart/*            -> its parts, one after the other
    message/rfc822         -> the message within, its subject first
Nesting, the number of parts and all sizes are limited; what is beyond is named among the defects.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from textnb.readers.message.charsets import transferred
from textnb.readers.message.field_values import Parametrised, Value, parametrised
from textnb.readers.message.headers import Defects, Head, message_start, read_head

_DEEPEST = 20
_MOST_PARTS = 500
_MOST_LINES = 10_000  # that begin like a boundary
_NEAR = 1 << 20
_REST = re.compile(rb"(--)?[ \t\r]*+(?=\n|\Z)")
_GUESSED = re.compile(rb"^--([^\r\n]{1,200})\r?\nContent-", re.MULTILINE | re.IGNORECASE)
_WHOLE_MESSAGES = ("message/rfc822", "message/global", "message/news")
_ENCODED = (b"base64", b"quoted-printable")

Branch = tuple[int, int] | None
"""The number of an alternative, and which of its branches; None outside."""


class Leaf(NamedTuple):
    """A part that has no parts: what is said about it, and where its body lies in which bytes."""

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
        """How many bytes it is about, decoded."""
        return (self.end - self.start) * 3 // 4 if self.encoding == b"base64" else self.end - self.start

    @property
    def is_attached(self) -> bool:
        """Whether a reader of mail would have to open it."""
        return self.disposition.main == "attachment" or not self.type.startswith(("text/", "message/"))

    @property
    def name(self) -> Value | None:
        """The name of its file, where one is given."""
        return self.disposition.parameters.get("filename") or self.content.parameters.get("name")

    def body(self, longest: int, defects: Defects) -> bytes:
        """Its bytes, decoded, at most about so many."""
        end = self.end
        longest *= 3 if self.encoding in _ENCODED else 1
        if end - self.start > longest:
            defects.add("size", f"a text of {end - self.start} bytes; the first {longest} were read")
            end = self.start + longest
        decoded = transferred(self.data[self.start : end], self.encoding, defects)
        return self.strays + b"\n" + decoded if self.strays else decoded


@dataclass
class Walk:
    """The head of a message, its leaves, and what holds them: the types of all parts, the heads of messages within."""

    head: Head
    defects: Defects
    leaves: list[Leaf] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    within: dict[int, Head] = field(default_factory=dict)
    alternatives: int = 0

    @classmethod
    def of(cls, data: bytes, defects: Defects) -> "Walk":
        """The walk over a whole message."""
        walk = cls(read_head(data, message_start(data, 0, len(data)), len(data), defects), defects)
        if not walk.head.fields and data:
            defects.add("header", "it has no header")
        walk._enter(data, walk.head, len(data), "text/plain", None, 0)
        return walk

    def _enter(self, data: bytes, head: Head, end: int, default: str, branch: Branch, depth: int) -> None:
        """One part with its head."""
        if len(self.types) >= _MOST_PARTS:
            self.defects.add("parts", f"it has more than {_MOST_PARTS} parts; the rest was not read")
            return
        if depth > _DEEPEST:
            self.defects.add("parts", f"its parts are nested more than {_DEEPEST} deep; what is below was not read")
            return
        content = parametrised(head.first(b"content-type"))
        kind = content.main if "/" in content.main else default
        encoding = head.first(b"content-transfer-encoding").strip(b" \t;\"'").lower()
        self.types.append(kind)
        leaf = Leaf(kind, content, encoding, _disposition(head), branch, data, head.body, end, head.strays)
        if kind.startswith("multipart/") and self._multipart(leaf, depth):
            return
        if kind in _WHOLE_MESSAGES:
            self._message(leaf, depth)
            return
        self.leaves.append(leaf._replace(type="text/plain") if kind.startswith("multipart/") else leaf)

    def _multipart(self, whole: Leaf, depth: int) -> bool:
        """The parts between boundaries; false where there are none, and it is read as text then."""
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
        boundary = whole.content.plain("boundary").rstrip()
        sections, closed = _between(whole.data, whole.start, whole.end, boundary) if boundary else ([], True)
        if not sections and (guessed := _GUESSED.search(whole.data, whole.start, min(whole.end, whole.start + _NEAR))):
            self.defects.add("boundary", "the boundary is not the one that is named")
            sections, closed = _between(whole.data, whole.start, whole.end, guessed[1].rstrip())
        if sections and not closed:
            self.defects.add("boundary", "the last boundary is missing")
        return sections

    def _message(self, whole: Leaf, depth: int) -> None:
        """A message within a message."""
        data, start, end = whole.data, whole.start, whole.end
        if whole.encoding in _ENCODED:  # forbidden, and done
            data = transferred(data[start:end], whole.encoding, self.defects)
            start, end = 0, len(data)
        head = read_head(data, message_start(data, start, end), end, self.defects)
        self.within[len(self.leaves)] = head
        self._enter(data, head, end, "text/plain", whole.branch, depth + 1)


def _disposition(head: Head) -> Parametrised:
    return parametrised(head.first(b"content-disposition"))


def _between(data: bytes, start: int, end: int, boundary: bytes) -> tuple[list[tuple[int, int]], bool]:
    """Where the parts lie between lines of ``--boundary``, and whether ``--boundary--`` ends them."""
    sections: list[tuple[int, int]] = []
    begun = -1
    for at, rest in _delimiters(data, start, end, b"\n--" + boundary):
        if begun >= 0:
            sections.append((begun, max(begun, _before_line_end(data, at + 1))))
        if rest[1] or len(sections) >= _MOST_PARTS:
            return sections, True
        begun = min(rest.end() + 1, end)
    if begun >= 0:
        sections.append((begun, end))
    return sections, False


def _delimiters(data: bytes, start: int, end: int, line: bytes) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Where a line end is followed by a line of a boundary, and what ends that line: ``--`` after the last part."""
    at = data.find(line, max(start - 1, 0), end)
    for _ in range(_MOST_LINES):
        if at < 0:
            return
        rest = _REST.match(data, at + len(line), end)
        if rest is not None:
            yield at, rest
        at = data.find(line, at + len(line), end)


def _before_line_end(data: bytes, position: int) -> int:
    """The line end before a boundary belongs to the boundary."""
    if data[position - 1 : position] != b"\n":
        return position
    return position - 2 if data[position - 2 : position - 1] == b"\r" else position - 1
