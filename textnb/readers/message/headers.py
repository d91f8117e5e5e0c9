"""The head of a message or part: its fields and its date; and the list of defects of a message.

    head = field* [blank line]
    field = name ":" value; further lines of the value begin with a space or a tab
    date = [day-of-week ","] day month year hour ":" minute [":" second] zone

Common deviations are read too: a From_ line before the first field, LF or CRLF or both, no blank line at the end, and
lines that are not fields, which become the first lines of the body. Dates may have two-digit years, names of zones, or
the order of asctime; a missing or unknown zone is taken as UTC.

Each defect has a kind, one word that is used as a token, and a description for people.
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
_RFC_DATE = re.compile(rf"(\d{{1,2}})[\s-]+{_MONTH}[\s-]+(\d{{2,4}}),?\s+{_TIME}{_ZONE}", re.IGNORECASE)
_ASCTIME_DATE = re.compile(rf"{_MONTH}\s+(\d{{1,2}})\s+{_TIME}{_ZONE}\s+(\d{{4}})", re.IGNORECASE)
_HOURS_OF_ZONE = {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7}
_HOURS_OF_ZONE |= {"jst": 9, "cet": 1, "cest": 2, "bst": 1, "kst": 9, "hkt": 8, "msk": 3, "aest": 10}
_MAX_DATE_LENGTH = 200


def as_date(value: str) -> datetime | None:
    """Parse the value of a Date field into an aware datetime; None if it is not a date."""
    if usual := _RFC_DATE.search(value[:_MAX_DATE_LENGTH]):
        day, month, year, hour, minute, second, zone = usual.groups()
    elif asctime := _ASCTIME_DATE.search(value[:_MAX_DATE_LENGTH]):
        month, day, hour, minute, second, zone, year = asctime.groups()
    else:
        return None
    try:
        date = _full_year(int(year)), _MONTHS[month.lower()], int(day)
        return datetime(*date, int(hour), int(minute), min(int(second or 0), 59), tzinfo=_zone(zone or ""))
    except (KeyError, ValueError):
        return None


def _full_year(year: int) -> int:
    """Year of a number of two, three or four digits, as in RFC 5322."""
    if year < 50:
        return year + 2000
    return year + 1900 if year < 1000 else year


@lru_cache(256)
def _zone(name: str) -> timezone:
    if name[:1] in ("+", "-") and name:
        minutes = int(name[1:3]) * 60 + int(name[3:5])
        return timezone(timedelta(minutes=-minutes if name[0] == "-" else minutes))
    return timezone(timedelta(hours=_HOURS_OF_ZONE.get(name.strip("()").lower(), 0)))


_MAX_DEFECTS = 20


@dataclass
class Defects:
    """Defects of a message, each once, up to a maximum number.

    >>> defects = Defects()
    >>> defects.add("base64", "damaged base64")
    >>> defects.add("base64", "damaged base64")
    >>> defects.words, defects.kinds
    (('damaged base64',), ('base64',))
    """

    found: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, words: str) -> None:
        """Add a defect: its kind, and its description."""
        if len(self.found) < _MAX_DEFECTS:
            self.found.setdefault(words, kind)

    @property
    def words(self) -> tuple[str, ...]:
        """Descriptions, in the order in which they were added."""
        return tuple(self.found)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds, each once."""
        return tuple(dict.fromkeys(self.found.values()))


_MAX_HEAD_LENGTH = 1 << 18
_MAX_FIELDS = 1000
_MAX_NAME_LENGTH = 100
_NAME = re.compile(rb"[!-9;-~]+")
_BEFORE_HEAD_STARTS = (b"\n", b"\r", b" ", b"\t", b"From ", b">From ")
_BEFORE_HEAD = re.compile(rb"(?>[ \t]*+\r?\n)*+(?:>?From [^\n]*\n)?")

Field = tuple[bytes, bytes]
"""Name in lower case, and value on one line."""


@dataclass
class Head:
    """Head of a message: fields in order, lines that are not fields (``strays``), and the offset of the body."""

    fields: list[Field]
    strays: bytes
    body: int
    has_encoded_words: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._firsts = dict(reversed(self.fields))

    def first(self, name: bytes) -> bytes:
        """Value of the first field of that name; empty if there is none."""
        return self._firsts.get(name, b"")


def message_start(data: bytes, start: int, end: int) -> int:
    """Offset of the head of a whole message, after blank lines and a From_ line."""
    if not data.startswith(_BEFORE_HEAD_STARTS, start, end):
        return start
    before = _BEFORE_HEAD.match(data, start, end)
    return start if before is None else before.end()


def read_head(data: bytes, start: int, end: int, defects: Defects) -> Head:
    """Read the head at an offset; it is empty if the first line is not a field."""
    fields, strays, length, body, encoded = _split(data, start, end, _MAX_HEAD_LENGTH, _MAX_NAME_LENGTH)
    if length > _MAX_HEAD_LENGTH:
        defects.add("header", f"the header has {length} bytes; the first {_MAX_HEAD_LENGTH} were read")
    if strays and not fields:
        return Head([], b"", start)
    if strays:
        defects.add("header", f"lines in the header that are not fields: {len(strays)}")
    if len(fields) > _MAX_FIELDS:
        defects.add("header", f"the header has {len(fields)} fields; the first {_MAX_FIELDS} were read")
        del fields[_MAX_FIELDS:]
    return Head(fields, b"\n".join(strays), body, encoded)


Split = tuple[list[Field], list[bytes], int, int, bool]
"""Fields, lines that are not fields, length of the head, offset of the body, and whether the head contains "=?"."""


def split_head(data: bytes, start: int, end: int, longest: int, longest_name: int) -> Split:
    """Split at most ``longest`` bytes of a head into fields; stop if the first line is not a field."""
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
    """Offsets of the end of the fields and of the body.

    The blank line is searched first with the line end of the first line, then with the other one, only before what was
    found: so the time is proportional to the head and not to the message.
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
