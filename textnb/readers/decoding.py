"""Decoding of bytes to text: the encoding of every file and message is decided here.

The encoding is the first of these that applies:

    1. the encoding of a byte order mark
    2. ISO-2022-JP, if there are its escapes (such text is valid ASCII and UTF-8 too, so this comes before UTF-8)
    3. UTF-8, if the bytes are valid
    4. the superset of the declared charset, then the declared charset, if the bytes fit
    5. cp932 or EUC-JP, whichever gives the more plausible Japanese text
    6. the most plausible of cp932, EUC-JP and UTF-8; bytes that cannot be decoded become U+FFFD and are counted

No bytes raise an error. If the caller expects western text (mail that names no Japanese charset), only kana are
evidence of Japanese, and the last resort is cp1252.

A line is read whole, so it has a longest length: a longer one is an error, before more of it is in memory.
"""

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import AnyStr, BinaryIO, NamedTuple

from textnb.errors import InputError
from textnb.readers.binary import check_text
from textnb.readers.charset_names import charset_named, superset_of
from textnb.readers.iso2022 import decoded_iso2022_jp, decoded_iso2022_jp_lines

REPLACEMENT = "\ufffd"
MAX_LINE_LENGTH = 1 << 26
"""Number of characters, or of bytes that are not decoded yet, that a line may have."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MARKS = tuple(bom for bom, _ in _BOMS)
MAX_BOM_LENGTH = 4
"""Number of bytes of the longest byte order mark."""
_WIDE = {"utf-16": 2, "utf-32": 4}  # bytes per unit
_WITHOUT_BOM = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}
# Designation of a Japanese character set; ESC ( B alone is what terminals send to reset themselves.
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]|\x1b\$\([DOPQ]|\x1b\([IJ]")
_MAX_ESCAPE_LENGTH = 4
_LIKE_UTF8 = ("utf-16", "utf-32", "utf-7", "iso2022_kr", "hz")  # their bytes can be valid UTF-8: trust the declaration
_JAPANESE = ("cp932", "euc_jp", "euc_jis_2004")
# Characters that Python makes of the bytes 80, A0 and FD to FF in cp932, and of stray bytes in EUC-JP.
_NO_TEXT = re.compile("[\x80-\xa0\uf8f0-\uf8f3]")
_STRAYS = {"cp932": _NO_TEXT, "utf-7": re.compile("[\ud800-\udfff]")}
_ORDINARY = re.compile("[、。ぁ-ゖァ-ヶー一-鿿]")
_KANA = re.compile("[ぁ-ゖァ-ヶ]")
_MAY_BE_KANA = re.compile(rb"[\x82\x83\xa4\xa5]")  # the first bytes of kana in cp932 and in EUC-JP
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_ODD = re.compile("[\x80-\xa0\ue000-\uf8ff｡-ﾟ]")
_TWO_BYTES, _THREE_BYTES = re.compile("[\x80-\u07ff]"), re.compile("[^\x00-\u07ff]")
_PIECE_BYTES = 1 << 16  # read at a time
_SAMPLE_BYTES = 1 << 20  # kept as evidence, from the first byte that is not ASCII


class Encoding(NamedTuple):
    """Name of a codec, and whether all bytes that were examined fit it."""

    name: str
    fits: bool


class Decoded(NamedTuple):
    """Decoded text, its encoding, and the number of places that were replaced by U+FFFD."""

    text: str
    encoding: str
    replaced: int

    @property
    def defects(self) -> tuple[str, ...]:
        """Description of the replaced places, for Document.defects."""
        return (undecodable(self.replaced, self.encoding),) if self.replaced else ()


def undecodable(places: int, encoding: str) -> str:
    """Description of a number of replaced places."""
    return f"{places} undecodable {'place' if places == 1 else 'places'} in {encoding}"


def decoded(data: bytes, declared: str | None = None, *, western: bool = False) -> Decoded:
    r"""Decode bytes in the encoding that fits best; never raises an error.

    Parameters
    ----------
    data : bytes
        Bytes of a whole text.
    declared : str, optional
        Charset that the text is said to have.
    western : bool, default=False
        Whether text that is not UTF-8 is probably western; by default, probably Japanese.

    Returns
    -------
    Decoded
        Text, encoding, and number of places replaced by U+FFFD.

    Examples
    --------
    >>> decoded("日本語です".encode("shift_jis")).encoding
    'cp932'
    >>> decoded(b"caf\xe9", declared="latin-1").text
    'café'
    >>> decoded(b"caf\xe9!").replaced
    1
    >>> decoded(b"caf\xe9!", western=True).text
    'café!'
    """
    if (plain := _plain_utf8(data, declared)) is not None:
        return Decoded(plain, "utf-8", 0)
    encoding = encoding_of([data], declared, western=western)
    if encoding.name == "iso2022_jp":
        text = decoded_iso2022_jp(data)
        return Decoded(text, encoding.name, text.count(REPLACEMENT))
    text = data.decode(encoding.name, "replace")
    if encoding.fits:
        return Decoded(text, encoding.name, 0)
    text = without_strays(text, encoding.name)
    return Decoded(text, encoding.name, text.count(REPLACEMENT))


def _plain_utf8(data: bytes, declared: str | None) -> str | None:
    """Text of valid UTF-8 without escapes and byte order mark, for which ``encoding_of`` finds UTF-8 too; else None."""
    if b"\x1b" in data or data.startswith(_MARKS) or (declared is not None and passes_for_ascii(declared)):
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def limited_lines(readline: Callable[[int], AnyStr], source: object) -> Iterator[AnyStr]:
    """Read lines; one that is longer than MAX_LINE_LENGTH is an error that names the source and its number."""
    number = 0
    while line := readline(MAX_LINE_LENGTH + 1):
        number += 1
        check_line_length(len(line), source, number)
        yield line


def check_line_length(length: int, source: object, number: int) -> None:
    """Refuse a line that is longer than MAX_LINE_LENGTH."""
    if length > MAX_LINE_LENGTH:
        template = "{source}, line {number}: the line is longer than {limit:,} characters; is this a file of lines?"
        raise InputError(template, source=source, number=number, limit=MAX_LINE_LENGTH)


def decoded_lines(
    stream: BinaryIO, encoding: Encoding, newline: str = "", source: object = "the stream"
) -> Iterator[str]:
    """Decode the lines of a stream, with their line ends; ``newline`` as in open(), ``source`` for error messages."""
    if encoding.name == "iso2022_jp":
        return decoded_iso2022_jp_lines(limited_lines(stream.readline, source))
    lines = _text_lines(stream, encoding.name, newline, source)
    return lines if encoding.fits else map(partial(without_strays, encoding=encoding.name), lines)


def _text_lines(stream: BinaryIO, codec: str, newline: str, source: object) -> Iterator[str]:
    text = io.TextIOWrapper(stream, codec, errors="replace", newline=newline)
    try:
        yield from limited_lines(text.readline, source)
    finally:
        with suppress(ValueError):  # the stream has been closed already
            text.detach()  # the stream belongs to the caller


def decoded_each(stream: BinaryIO, declared: str | None = None, source: object = "the stream") -> Iterator[Decoded]:
    """Decode each line of a stream by itself, as soon as it has arrived; UTF-16 and UTF-32 hold for all lines."""
    lines = limited_lines(stream.readline, source)
    first = next(lines, b"")
    check_text(first, source)
    codec = _wide_codec(first, declared)
    if codec is None:
        yield from (decoded(line, declared) for line in chain([first] if first else [], lines))
        return
    pieces = chain([first.removeprefix("\ufeff".encode(codec))], lines)
    for number, line in enumerate(_wide_lines(pieces, stream, codec), 1):
        check_line_length(len(line), source, number)
        text = line.decode(codec, "replace")
        yield Decoded(text, codec, 0 if _fits([line], codec) else text.count(REPLACEMENT))


def _wide_codec(first: bytes, declared: str | None) -> str | None:
    """UTF-16 or UTF-32 with its byte order, by the byte order mark or the declaration; None for any other encoding."""
    name = _of_bom(first, declared)
    if name in _WIDE:
        return f"{name}-le" if first.startswith(codecs.BOM_UTF16_LE) else f"{name}-be"
    name = name or _like_utf8(declared)
    return name if name is not None and name.startswith(tuple(_WIDE)) else None


def _wide_lines(pieces: Iterable[bytes], stream: BinaryIO, codec: str) -> Iterator[bytes]:
    """Lines in UTF-16 or UTF-32; reads to the next byte 0A, then to the end of its unit, which may be a line end."""
    unit, end = _WIDE[codec[:6]], "\n".encode(codec)
    line = bytearray()
    for piece in pieces:
        line += piece
        line += stream.read(-len(line) % unit)
        if line.endswith(end) or len(line) > MAX_LINE_LENGTH:
            yield bytes(line)
            line.clear()
    if line:
        yield bytes(line)


def without_strays(text: str, encoding: str) -> str:
    """Text with U+FFFD for characters that Python makes of invalid bytes in cp932, and for surrogates in UTF-7."""
    stray = _STRAYS.get(encoding)
    return text if stray is None else stray.sub(REPLACEMENT, text)


def pieces_of(stream: BinaryIO) -> Iterator[bytes]:
    """Read the bytes of a stream in pieces."""
    return iter(partial(stream.read, _PIECE_BYTES), b"")


def encoding_of(pieces: Iterable[bytes], declared: str | None = None, *, western: bool = False) -> Encoding:
    """Decide the encoding of bytes that come in pieces, in the order of the module docstring."""
    pieces = iter(pieces)
    first = b""
    while len(first) < MAX_BOM_LENGTH and (piece := next(pieces, None)) is not None:
        first += piece
    name = encoding_of_start(first, declared)
    if name is not None:
        return Encoding(name, name != "utf-7" and _fits(chain([first], pieces), name))
    utf8, valid = codecs.getincrementaldecoder("utf-8")(), True
    sample, tail = bytearray(), b""
    for piece in chain([first], pieces):
        seen = tail + piece
        if b"\x1b" in seen and _ISO_2022_JP.search(seen):
            return Encoding("iso2022_jp", False)
        tail = seen[1 - _MAX_ESCAPE_LENGTH :]
        valid = valid and _accepts(utf8, piece)
        start = 0 if sample else _ascii_length(piece)
        sample += piece[start : start + _SAMPLE_BYTES - len(sample)]
    if valid and _accepts(utf8, b"", final=True):
        return Encoding("utf-8", True)
    return _by_evidence(bytes(sample), declared, western)


def encoding_of_start(first: bytes, declared: str | None) -> str | None:
    """Encoding that the first bytes or the declaration alone decide; None if it depends on more."""
    return _of_bom(first, declared) or _like_utf8(declared)


def _of_bom(first: bytes, declared: str | None) -> str | None:
    """Encoding of a byte order mark; that of UTF-32 is also one of UTF-16 before U+0000."""
    names = [name for bom, name in _BOMS if first.startswith(bom)]
    if len(names) > 1 and (charset_named(declared) or "").startswith("utf-16"):
        return "utf-16"
    return names[0] if names else None


def _ascii_length(piece: bytes) -> int:
    """Number of ASCII bytes at the beginning."""
    try:
        return len(piece.decode("ascii"))
    except UnicodeDecodeError as beyond:
        return beyond.start


def passes_for_ascii(declared: str | None) -> bool:
    """Whether ASCII bytes can encode characters beyond ASCII in this charset."""
    return _like_utf8(declared) is not None


def _like_utf8(declared: str | None) -> str | None:
    charset = charset_named(declared)
    return _WITHOUT_BOM.get(charset, charset) if charset is not None and charset.startswith(_LIKE_UTF8) else None


def _by_evidence(sample: bytes, declared: str | None, western: bool) -> Encoding:
    """Decide the encoding of bytes that are not UTF-8 (steps 4 to 6); the sample starts at the first non-ASCII byte."""
    whole = len(sample) < _SAMPLE_BYTES
    charset = charset_named(declared)
    for name in (superset_of(charset), charset) if charset is not None else ():
        if _fits([sample], name, whole):
            return Encoding(name, whole)
    if _is_damaged_utf8(sample):
        return Encoding("utf-8", False)
    if western and not _MAY_BE_KANA.search(sample):  # then there is no evidence of Japanese
        return Encoding("cp1252", False)
    proof = _KANA if western else _ORDINARY
    texts = {name: sample.decode(name, "replace") for name in _JAPANESE if _fits([sample], name, whole)}
    fitting = [name for name, text in texts.items() if _is_plausible(text, name)]
    if fitting and (not western or any(proof.search(texts[name]) for name in fitting)):
        return Encoding(max(fitting, key=lambda name: _likeness(texts[name])), whole)
    texts = {name: sample.decode(name, "replace") for name in (*_JAPANESE[:2], "utf-8")}
    readable = [name for name in _JAPANESE[:2] if proof.search(texts[name])]
    likeliest = max(["utf-8", *readable], key=lambda name: _likeness(texts[name]))
    is_western = western and (likeliest == "utf-8" or _likeness(texts[likeliest]) <= 0)
    return Encoding("cp1252" if is_western else likeliest, False)


def resembles_utf8(data: bytes) -> bool:
    """Whether bytes beyond ASCII are UTF-8 or damaged UTF-8, or text has escapes of ISO-2022-JP."""
    return _plain_utf8(data, None) is not None or _ISO_2022_JP.search(data) is not None or _is_damaged_utf8(data)


def _is_damaged_utf8(sample: bytes) -> bool:
    """Whether there are more valid characters of UTF-8 beyond ASCII than invalid places."""
    if sample.decode("utf-8", "ignore").isascii():
        return False
    text = sample.decode("utf-8", "replace")
    broken = text.count(REPLACEMENT)
    long, short = len(_THREE_BYTES.findall(text)) - broken, len(_TWO_BYTES.findall(text))
    return long > broken or long + short > 4 * broken  # EUC-JP has pairs of bytes that pass for two-byte characters


def _is_plausible(text: str, name: str) -> bool:
    """Whether decoded text is probably right: western bytes can fit too, as rare kanji or private-use characters."""
    if _NO_TEXT.search(text) or (name == "euc_jis_2004" and not _KANA.search(text)):
        return False
    return not _PRIVATE.search(text) or _ORDINARY.search(text) is not None


def _likeness(text: str) -> int:
    """Score of how Japanese a text looks; decoded in the wrong charset, it has half-width katakana and gaps."""
    return len(_ORDINARY.findall(text)) - 3 * len(_ODD.findall(text)) - 3 * text.count(REPLACEMENT)


def _fits(pieces: Iterable[bytes], encoding: str, whole: bool = True) -> bool:
    """Whether bytes are valid in an encoding; if not ``whole``, they may end within a character."""
    decoder = codecs.getincrementaldecoder(encoding)()
    return all(_accepts(decoder, piece) for piece in pieces) and (not whole or _accepts(decoder, b"", final=True))


def _accepts(decoder: codecs.IncrementalDecoder, piece: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(piece, final)
    except UnicodeError:
        return False
    return True
