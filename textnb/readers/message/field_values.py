"""Values of header fields: text with encoded words (RFC 2047), and parameters (RFC 2045, 2231).

    =?charset?B?base64?=    =?charset?Q?quoted?=      encoded words; blanks between two of them are not text
    text/plain; charset=utf-8; name*0*=utf-8''%E6; name*1*=%97%A5                                 parameters

Neighbouring encoded words of one charset, however it is spelt and encoded, are joined as bytes before they are decoded,
because some senders cut inside a character; and as base64, because some cut inside a group of four letters. Bytes that
were never encoded are decoded too. In parameters, encoded words and raw bytes are wrong but common, so they are
decoded; a missing semicolon is accepted.
"""

import binascii
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from textnb.readers.charset_names import charset_of, superset_of
from textnb.readers.message.charsets import MessageDecoder, decode_base64
from textnb.readers.message.headers import Defects

_ENCODED_WORD = re.compile(rb"=\?([^?\s]{1,60})\?([bBqQ])\?(.*?)\?=", re.DOTALL)
_CHARSET_OF_WORD = re.compile(rb"=\?([^?\s*]{1,60})[^?\s]{0,20}\?[bBqQ]\?")

_Piece = tuple[str, bytes, bytes]
"""Charset, encoding (B, Q, or empty for bytes that are not encoded), and payload."""


def charsets_in(value: bytes) -> Iterator[str]:
    """Charsets of the encoded words in a value, in order."""
    return (word[1].decode("ascii", "replace") for word in _CHARSET_OF_WORD.finditer(value))


def header_text(value: bytes, decoder: MessageDecoder, where: str = "header") -> str:
    """Decode the value of a header field into text."""
    if b"=?" not in value:
        return value.decode("ascii") if value.isascii() and b"\x1b" not in value else decoder.decode(value, where=where)
    read = []
    for _, neighbours in groupby(_pieces(value, decoder), key=_charset):
        pieces = list(neighbours)
        runs = groupby(pieces, key=lambda piece: piece[1])
        data = [_joined([payload for *_, payload in run], encoding, decoder.defects) for encoding, run in runs]
        read.append(decoder.decode(b"".join(data), pieces[0][0], where))
    return "".join(read)


def _charset(piece: _Piece) -> tuple[bool, str]:
    """Whether a piece is encoded, and its charset; the same for all spellings and supersets of a charset."""
    label, encoding, _ = piece
    charset = superset_of(charset_of(label) or label)
    return encoding != b"", "iso2022_jp" if charset.startswith("iso2022_jp") else charset


def _pieces(value: bytes, decoder: MessageDecoder) -> list[_Piece]:
    """Encoded words and the bytes between them, in order; nothing is searched after the last "?="."""
    pieces: list[_Piece] = []
    position, last = 0, value.rfind(b"?=") + 2
    for word in _ENCODED_WORD.finditer(value, 0, max(last, 0)):
        if decoder.words_left == 0:
            decoder.defects.add("encoded-word", "there are too many encoded words; the rest was not decoded")
            break
        decoder.words_left -= 1
        between = value[position : word.start()]
        if between.strip() or (between and not pieces):
            pieces.append(("", b"", between))
        label = word[1].partition(b"*")[0].decode("ascii", "replace").lower()
        pieces.append((label, word[2].upper(), word[3]))
        position = word.end()
    if rest := value[position:]:
        pieces.append(("", b"", rest))
    return pieces


def _joined(payloads: list[bytes], encoding: bytes, defects: Defects) -> bytes:
    """Bytes of neighbouring words of one encoding."""
    if encoding == b"Q":
        return b"".join(binascii.a2b_qp(payload.replace(b" ", b"_"), header=True) for payload in payloads)
    if encoding != b"B":
        return b"".join(payloads)
    if any(len(payload) % 4 for payload in payloads[:-1]):
        defects.add("encoded-word", "encoded words are cut inside a group of base64")
        if not any(b"=" in payload for payload in payloads[:-1]):
            return decode_base64(b"".join(payloads), defects)
    return b"".join(decode_base64(payload, defects) for payload in payloads)


_MAX_VALUE_LENGTH = 4096
_PARAMETER = re.compile(
    rb'[;\s]([^\s=;*"]{1,60})(?:\*(\d{1,3}))?(\*)?[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"?|[^;\s][^;]*|)', re.DOTALL
)
_ESCAPED = re.compile(rb'\\(["\\])')


class Value(NamedTuple):
    """Bytes of a parameter, and its charset if RFC 2231 gives one."""

    data: bytes
    charset: str | None

    def text(self, decoder: MessageDecoder) -> str:
        """Decode the parameter into text."""
        if self.charset is None:
            return header_text(self.data, decoder, "parameter")
        return decoder.decode(self.data, self.charset, "parameter")


class Parametrised(NamedTuple):
    """Value of a field with parameters: first word in lower case, parameters, and the parameter charset as written."""

    main: str
    parameters: dict[str, Value]
    charset: str

    def plain(self, name: str) -> bytes:
        """Bytes of a parameter; empty if it is missing."""
        return self.parameters[name].data if name in self.parameters else b""


def parse_parameters(value: bytes) -> Parametrised:
    """Parse the value of a field with parameters; of a very long one the beginning."""
    return _parametrised(value[:_MAX_VALUE_LENGTH])


@lru_cache(512)
def _parametrised(value: bytes) -> Parametrised:
    main = re.split(rb"[;\s]", value.lstrip(), maxsplit=1)[0].lower()
    segments: dict[bytes, dict[int, tuple[bytes, bytes]]] = {}
    for name, number, star, content in _PARAMETER.findall(value):
        segments.setdefault(name.lower(), {}).setdefault(int(number or b"0"), (star, content))
    parameters = {name.decode("ascii", "replace"): _value(segments[name]) for name in segments}
    charset = parameters["charset"].data.decode("ascii", "replace") if "charset" in parameters else ""
    return Parametrised(main.decode("ascii", "replace"), parameters, charset)


def _value(segments: dict[int, tuple[bytes, bytes]]) -> Value:
    """Join the numbered segments of a parameter (RFC 2231)."""
    charset = None
    joined = []
    for number in sorted(segments):
        star, content = segments[number]
        content = _unquoted(content)
        if star:
            if charset is None:
                label, quote, rest = content.partition(b"'")
                charset = label.decode("ascii", "replace") if quote else ""
                content = rest.partition(b"'")[2] if quote else content
            content = unquote_to_bytes(content)
        joined.append(content)
    return Value(b"".join(joined), charset)


def _unquoted(content: bytes) -> bytes:
    if content.startswith(b'"'):
        return _ESCAPED.sub(rb"\1", content[1:].removesuffix(b'"'))
    return content.strip()
