"""Bytes to text: the one place where an encoding is decided.

In this order: a byte order mark; ISO-2022 escapes (such text is valid ASCII and UTF-8 too, so it comes first);
valid UTF-8; the declared charset, by its superset; cp932 against EUC-JP, by evidence; at last UTF-8 with whatever
cannot be decoded as U+FFFD, and counted. No bytes raise an error.
"""

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import BinaryIO, NamedTuple

from textnb.errors import InputError
from textnb.readers.iso2022 import decoded_iso2022_jp

REPLACEMENT = "\ufffd"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# A designation of a Japanese set; ESC ( B alone is what terminals send to reset themselves.
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]|\x1b\$\([DOPQ]|\x1b\([IJ]")
_LONGEST_ESCAPE = 4
_SUPERSETS = {
    "shift_jis": "cp932",
    "shift_jisx0213": "cp932",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "big5": "cp950",
}
_JAPANESE = ("cp932", "euc_jp")
# What Python reads the bytes 80, A0 and FD to FF as in cp932, and stray bytes in EUC-JP.
_NO_TEXT = re.compile("[\x80-\xa0\uf8f0-\uf8f3]")
_ORDINARY = re.compile("[、。ぁ-ゖァ-ヶー一-鿿]")
_ODD = re.compile("[\ue000-\uf8ff｡-ﾟ]")
_PIECE = 1 << 16
_SAMPLE = 1 << 20


class Encoding(NamedTuple):
    """A codec's name, and whether all bytes that were looked at fit it."""

    name: str
    fits: bool


class Decoded(NamedTuple):
    """A text, the encoding it was read in, and how many places were replaced by U+FFFD."""

    text: str
    encoding: str
    replaced: int

    @property
    def defects(self) -> tuple[str, ...]:
        """The trouble in words, for Document.defects."""
        return (undecodable(self.replaced, self.encoding),) if self.replaced else ()


def undecodable(places: int, encoding: str) -> str:
    """The words for a text with replaced places."""
    return f"{places} undecodable {'place' if places == 1 else 'places'} in {encoding}"


def decoded(data: bytes, declared: str | None = None) -> Decoded:
    r"""The text of some bytes; never an error.

    >>> decoded("日本語です".encode("shift_jis")).encoding
    'cp932'
    >>> decoded(b"caf\xe9", declared="latin-1").text
    'café'
    >>> decoded(b"caf\xe9!").replaced
    1
    """
    encoding = encoding_of([data], declared)
    if encoding.name == "iso2022_jp":
        text = decoded_iso2022_jp(data)
        return Decoded(text, encoding.name, text.count(REPLACEMENT))
    text = data.decode(encoding.name, "replace")
    return Decoded(text, encoding.name, 0 if encoding.fits else text.count(REPLACEMENT))


def decoded_lines(stream: BinaryIO, encoding: Encoding) -> Iterator[str]:
    """The lines of a stream, their ends kept, in an encoding that has been decided."""
    if encoding.name == "iso2022_jp":
        return map(decoded_iso2022_jp, stream)
    return io.TextIOWrapper(stream, encoding.name, errors="replace", newline="")


def pieces_of(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a stream, a little at a time."""
    return iter(partial(stream.read, _PIECE), b"")


def encoding_of(pieces: Iterable[bytes], declared: str | None = None) -> Encoding:
    """The encoding of bytes that come in pieces and are not kept; the order is the module's."""
    pieces = iter(pieces)
    first = b"".join(piece for piece, _ in zip(pieces, range(4), strict=False))
    for bom, name in _BOMS:
        if first.startswith(bom):
            return Encoding(name, _fits(first, name, final=False))
    utf8 = codecs.getincrementaldecoder("utf-8")()
    valid, sample, tail = True, bytearray(), b""
    for piece in chain([first], pieces):
        if _ISO_2022_JP.search(tail + piece):
            return Encoding("iso2022_jp", False)
        tail = piece[-_LONGEST_ESCAPE:]
        valid = valid and _accepts(utf8, piece)
        if len(sample) < _SAMPLE and (sample or not piece.isascii()):
            sample += piece[: _SAMPLE - len(sample)]
    if valid and _accepts(utf8, b"", final=True):
        return Encoding("utf-8", True)
    found = _declared(declared, bytes(sample)) or _japanese(bytes(sample))
    return Encoding(found, len(sample) < _SAMPLE) if found else Encoding("utf-8", False)


def as_charset(name: str | None) -> str | None:
    """A charset that Python knows, or an error that names it."""
    try:
        return codecs.lookup(name).name if name is not None else None
    except LookupError:
        raise InputError(f"encoding {name!r} is not known; utf-8, cp932, euc-jp and latin-1 are examples") from None


def _accepts(decoder: codecs.IncrementalDecoder, piece: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        return False
    return True


def _fits(sample: bytes, encoding: str, final: bool) -> bool:
    return _accepts(codecs.getincrementaldecoder(encoding)(), sample, final)


def _declared(charset: str | None, sample: bytes) -> str | None:
    try:
        known = codecs.lookup(charset or "").name
    except LookupError:
        return None
    encoding = _SUPERSETS.get(known, known)
    return encoding if _fits(sample, encoding, final=len(sample) < _SAMPLE) else None


def _japanese(sample: bytes) -> str | None:
    final = len(sample) < _SAMPLE
    texts = {name: sample.decode(name, "replace") for name in _JAPANESE if _fits(sample, name, final)}
    possible = [name for name, text in texts.items() if not _NO_TEXT.search(text)]
    return max(possible, key=lambda name: _likeness(texts[name]), default=None)


def _likeness(text: str) -> int:
    """How much a text looks Japanese: read in the wrong one of the two, it is full of half-width katakana."""
    return len(_ORDINARY.findall(text)) - 2 * len(_ODD.findall(text))
