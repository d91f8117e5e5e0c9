"""The head of a message or part: bytes to fields, without a copy of the body.

    head = field* [blank line]      field = name ":" value, further lines of the value begin with a blank or a tab

What real heads have besides is read too: a From_ line before the first field, LF or CRLF or both, no blank line at the
end, lines that are no fields. Such lines are not lost: they are the first lines of the body then.

The date of a message: aware, or none.

    [day-of-week ","] day month year hour ":" minute [":" second] zone

Old and broken forms are read too: two-digit years, names of zones, the order of asctime. A zone that is not given or
not known is taken for UTC.

What is wrong with a message: the kind in a word, for a token, and the case in words, for people.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from textnb.extension import in_extension

_MONTHS = dict(zip("jan feb mar apr may jun jul aug sep oct nov dec".split(), range(1, 13), strict=True))  # noqa: SIM905
_MONTH = r"([a-z]{3})[a-z]*\.?"
_TIME = r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?"
_ZONE = r"(?:\s*([+-]\d{4}|\(?[a-z]{1,5}\)?))?"
_USUAL = re.compile(rf"(\d{{1,2}})[\s-]+{_MONTH}[\s-]+(\d{{2,4}}),?\s+{_TIME}{_ZONE}", re.IGNORECASE)
_ASCTIME = re.compile(rf"{_MONTH}\s+(\d{{1,2}})\s+{_TIME}{_ZONE}\s+(\d{{4}})", re.IGNORECASE)
_HOURS = {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "jst": 9, "cet": 1}
_HOURS |= {"cest": 2, "bst": 1, "kst": 9, "hkt": 8, "msk": 3, "aest": 10}
_LONGEST = 200


def as_date(value: str) -> datetime | None:
    """The moment that a Date field names.

    >>> as_date("Fri, 14 Nov 2003 09:05:07 +0900").isoformat()
    '2003-11-14T09:05:07+09:00'
    >>> as_date("yesterday") is None
    True
    """
    if usual := _USUAL.search(value[:_LONGEST]):
        day, month, year, hour, minute, second, zone = usual.groups()
    elif asctime := _ASCTIME.search(value[:_LONGEST]):
        month, day, hour, minute, second, zone, year = asctime.groups()
    else:
        return None
    try:
        date = _full_year(int(year)), _MONTHS[month.lower()], int(day)
        return datetime(*date, int(hour), int(minute), min(int(second or 0), 59), tzinfo=_zone(zone or ""))
    except (KeyError, ValueError):
        return None


def _full_year(year: int) -> int:
    """Of two or three digits as RFC 5322 says."""
    if year < 50:
        return year + 2000
    return year + 1900 if year < 1000 else year


@lru_cache(256)
def _zone(name: str) -> timezone:
    if name[:1] in ("+", "-") and name:
        minutes = int(name[1:3]) * 60 + int(name[3:5])
        return timezone(timedelta(minutes=-minutes if name[0] == "-" else minutes))
    return timezone(timedelta(hours=_HOURS.get(name.strip("()").lower(), 0)))


_MOST = 20


@dataclass
class Defects:
    """A list that stays short whatever the message is.

    >>> defects = Defects()
    >>> defects.add("base64", "damaged base64")
    >>> defects.add("base64", "damaged base64")
    >>> defects.words, defects.kinds
    (('damaged base64',), ('base64',))
    """

    found: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, words: str) -> None:
        """One more, unless the same has been said."""
        if len(self.found) < _MOST:
            self.found.setdefault(words, kind)

    @property
    def words(self) -> tuple[str, ...]:
        """All of them, in the order in which they were met."""
        return tuple(self.found)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Their kinds, each once."""
        return tuple(dict.fromkeys(self.found.values()))


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
