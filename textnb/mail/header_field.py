r"""The X-Textnb header field of a mail: formatted, added to a message and removed from it; bytes to bytes.

    message = From_ line* head [empty line body]        head = lines up to the first empty one

(1)  remove_field(m)        m without any X-Textnb field in its head, continuation lines included
(2)  add_field(m, field)    remove_field(m) with the field as the first one of the head

All other bytes stay as they are, and no message raises an error. Time and memory are proportional to the message: the
patterns are possessive, and at most about three copies of the message exist at once. Lines end in LF, with or without
CR before it; in CR if the message has no LF. If the head starts with a line that would continue our field, the field
goes after that line.

The field follows RFC 2045, and RFC 2231 for a class name that cannot be quoted:

    X-Textnb: class=spam; probability=0.998877; unsure=no
"""

import re
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import quote

NAME = b"X-Textnb"

_TOKEN = re.compile(r"[A-Za-z0-9!#$&+.^_`{|}~-]+")
_QUOTABLE = re.compile(r"[ !#-;=?-\[\]-~]+")  # programs differ in how they read quotes, backslashes and <>
_UNENCODED = "!#$&+-.^_`{|}~"  # characters that RFC 2231 does not encode, besides letters and digits
_MAX_VALUE_LENGTH, _MAX_LINE_LENGTH = 60, 78


def format_field(label: str, probability: float, unsure: bool) -> bytes:
    """Header field that states a decision, without a line end; a folded field has LF and a blank inside.

    >>> format_field("spam", 0.99887712, False)
    b'X-Textnb: class=spam; probability=0.998877; unsure=no'
    >>> format_field("仕事", 0.5, True)
    b"X-Textnb: class*=utf-8''%E4%BB%95%E4%BA%8B; probability=0.500000; unsure=yes"
    """
    name = _format_parameter("class", label)
    rest = f"probability={probability:.6f}; unsure={'yes' if unsure else 'no'}"
    separator = "; " if len(name) + len(rest) <= _MAX_LINE_LENGTH else ";\n "
    return NAME + f": {name}{separator}{rest}".encode("ascii")


def _format_parameter(name: str, value: str) -> str:
    """One parameter of a header field; a long value is cut into several, one per line."""
    if len(value) <= _MAX_VALUE_LENGTH and _TOKEN.fullmatch(value):
        return f"{name}={value}"
    if len(value) <= _MAX_VALUE_LENGTH and _QUOTABLE.fullmatch(value):
        return f'{name}="{value}"'
    encoded = "utf-8''" + quote(value, safe=_UNENCODED, errors="surrogatepass")
    if len(encoded) <= _MAX_VALUE_LENGTH:
        return f"{name}*={encoded}"
    characters, step = re.findall("%..|.", encoded), _MAX_VALUE_LENGTH // 3
    pieces = ("".join(characters[i : i + step]) for i in range(0, len(characters), step))
    return ";\n ".join(f"{name}*{number}*={piece}" for number, piece in enumerate(pieces))


class _LineRules(NamedTuple):
    """Patterns of lines, for messages whose lines end in one of certain bytes."""

    ends: tuple[bytes, ...]
    from_lines: re.Pattern[bytes]
    own_field: re.Pattern[bytes]
    continuation: re.Pattern[bytes]

    @classmethod
    def ending_in(cls, *ends: bytes) -> "_LineRules":
        any_of = b"".join(ends)
        end, within, start = b"[%b]" % any_of, b"[^%b]*+" % any_of, b"(?<![^%b])" % any_of
        further = b"[ \t]" + within
        return cls(
            ends,
            re.compile(b"(?:>?From (?![ \t]*:)%b%b)*+" % (within, end)),
            re.compile(b"%b%b[ \t]*+:%b(?:%b%b)*+%b?" % (start, re.escape(NAME), within, end, further, end), re.I),
            re.compile(b"(?:%b%b)*+" % (further, end)),
        )


_LF, _CR = _LineRules.ending_in(b"\n"), _LineRules.ending_in(b"\r", b"\n")


def remove_field(message: bytes) -> bytes:
    """Message without any X-Textnb field in its head; formula (1)."""
    rules = _line_rules(message)
    start = _head_start(message, rules)
    end = _head_end(message, start, rules)
    if NAME.lower() not in message[start:end].lower():
        return message
    kept, position = bytearray(), 0
    with memoryview(message) as whole:
        for own in rules.own_field.finditer(message, start, end):
            kept += whole[position : own.start()]
            position = own.end()
        kept += whole[position:]
    return bytes(kept)


def add_field(message: bytes, field: bytes) -> bytes:
    """Message with a field as the first of its head, in place of earlier X-Textnb fields; formula (2)."""
    line_end = _line_end(message)
    message = remove_field(message)
    rules = _line_rules(message)
    place = _field_place(message, rules)
    line = field.replace(b"\n", line_end)
    is_unended = place == len(message) > 0 and not message.endswith(rules.ends)
    addition = line_end + line if is_unended else line + line_end
    return b"".join([message[:place], addition, message[place:]])


def message_digest(message: bytes) -> str:
    r"""Digest that identifies a message; the X-Textnb field makes no difference.

    >>> message_digest(b"To: a\n\nb") == message_digest(b"X-Textnb: class=ham\nTo: a\n\nb")
    True
    """
    return blake2b(remove_field(message), digest_size=16).hexdigest()


def _field_place(message: bytes, rules: _LineRules) -> int:
    """Offset of the new field: after continuation lines; at the end if the last of those has no line end."""
    begun = rules.continuation.match(message, _head_start(message, rules))
    place = 0 if begun is None else begun.end()
    return len(message) if message.startswith((b" ", b"\t"), place) else place


def _head_start(message: bytes, rules: _LineRules) -> int:
    found = rules.from_lines.match(message)
    return 0 if found is None else found.end()


def _head_end(message: bytes, start: int, rules: _LineRules) -> int:
    """Offset of the first empty line, or of the end of the message."""
    empty_lines = (b"\n", b"\r\n") if rules is _LF else (b"\r",)
    if message.startswith(empty_lines, start):
        return start
    end = len(message)
    for line in empty_lines:
        before = message.find(rules.ends[0] + line, start, end)
        end = end if before < 0 else before + 1
    return end


def _line_rules(message: bytes) -> _LineRules:
    return _CR if _line_end(message) == b"\r" else _LF


def _line_end(message: bytes) -> bytes:
    """Line end of the first line."""
    first = message.find(b"\n")
    if first >= 0:
        return b"\r\n" if first > 0 and message[first - 1] == ord("\r") else b"\n"
    return b"\r" if b"\r" in message else b"\n"
