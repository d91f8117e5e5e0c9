"""Bytes to text: the one place where an encoding is decided.

In this order: a byte order mark; ISO-2022 escapes (such text is valid ASCII and UTF-8 too, so it comes first);
valid UTF-8; the declared charset, by its superset; cp932 against EUC-JP, by evidence; at last the likeliest of the
three, with whatever cannot be decoded as U+FFFD, and counted. No bytes raise an error.

Where the caller expects western text (mail that names no Japanese charset), only kana are evidence of Japanese, and
the last resort is cp1252.
"""

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
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
_MARKS = tuple(bom for bom, _ in _BOMS)
_LONGEST_BOM = 4
# A designation of a Japanese set; ESC ( B alone is what terminals send to reset themselves.
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]|\x1b\$\([DOPQ]|\x1b\([IJ]")
_LONGEST_ESCAPE = 4
_SUPERSETS = {
    "shift_jis": "cp932",
    "iso8859-1": "cp1252",
    "euc_jp": "euc_jis_2004",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "big5": "cp950",
}
_LIKE_UTF8 = ("utf-16", "utf-32", "utf-7", "iso2022_kr", "hz")  # their bytes pass for UTF-8: a declaration is believed
_PYTHON_ONLY = ("unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined")
_JAPANESE = ("cp932", "euc_jp", "euc_jis_2004")
# What Python reads the bytes 80, A0 and FD to FF as in cp932, and stray bytes in EUC-JP.
_NO_TEXT = re.compile("[\x80-\xa0\uf8f0-\uf8f3]")
_STRAYS = {"cp932": _NO_TEXT, "utf-7": re.compile("[\ud800-\udfff]")}
_ORDINARY = re.compile("[、。ぁ-ゖァ-ヶー一-鿿]")
_KANA = re.compile("[ぁ-ゖァ-ヶ]")
_MAY_BE_KANA = re.compile(rb"[\x82\x83\xa4\xa5]")  # the first bytes of kana in cp932 and in EUC-JP
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_ODD = re.compile("[\x80-\xa0\ue000-\uf8ff｡-ﾟ]")
_TWO_BYTES, _THREE_BYTES = re.compile("[\x80-\u07ff]"), re.compile("[^\x00-\u07ff]")
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


def decoded(data: bytes, declared: str | None = None, *, western: bool = False) -> Decoded:
    r"""The text of some bytes; never an error. western: whether that is what they are likely to be.

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
    text = _without_strays(text, encoding.name)
    return Decoded(text, encoding.name, text.count(REPLACEMENT))


def _plain_utf8(data: bytes, declared: str | None) -> str | None:
    """The text, where there is nothing to decide: what encoding_of would find too, in one look."""
    if b"\x1b" in data or data.startswith(_MARKS) or passes_for_ascii(declared):
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def decoded_lines(stream: BinaryIO, encoding: Encoding, newline: str = "") -> Iterator[str]:
    """The lines of a stream, their ends kept, in an encoding that has been decided; newline as open() has it."""
    if encoding.name == "iso2022_jp":
        return map(decoded_iso2022_jp, stream)
    lines = io.TextIOWrapper(stream, encoding.name, errors="replace", newline=newline)
    return lines if encoding.fits else map(partial(_without_strays, encoding=encoding.name), lines)


def _without_strays(text: str, encoding: str) -> str:
    """Python reads bytes that cp932 does not have as characters of its own, and UTF-7 can hold half a character."""
    stray = _STRAYS.get(encoding)
    return text if stray is None else stray.sub(REPLACEMENT, text)


def pieces_of(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a stream, a little at a time."""
    return iter(partial(stream.read, _PIECE), b"")


def encoding_of(pieces: Iterable[bytes], declared: str | None = None, *, western: bool = False) -> Encoding:
    """The encoding of bytes that come in pieces and are not kept; the order is the module's."""
    pieces = iter(pieces)
    first = b""
    while len(first) < _LONGEST_BOM and (piece := next(pieces, None)) is not None:
        first += piece
    name = next((name for bom, name in _BOMS if first.startswith(bom)), None) or _like_utf8(declared)
    if name is not None:
        return Encoding(name, name != "utf-7" and _fits(chain([first], pieces), name))
    utf8, valid = codecs.getincrementaldecoder("utf-8")(), True
    sample, tail = bytearray(), b""
    for piece in chain([first], pieces):
        seen = tail + piece
        if b"\x1b" in seen and _ISO_2022_JP.search(seen):
            return Encoding("iso2022_jp", False)
        tail = seen[1 - _LONGEST_ESCAPE :]
        valid = valid and _accepts(utf8, piece)
        start = 0 if sample else _ascii_length(piece)
        sample += piece[start : start + _SAMPLE - len(sample)]
    if valid and _accepts(utf8, b"", final=True):
        return Encoding("utf-8", True)
    return _by_evidence(bytes(sample), declared, western)


def _ascii_length(piece: bytes) -> int:
    try:
        return len(piece.decode("ascii"))
    except UnicodeDecodeError as beyond:
        return beyond.start


def as_charset(name: str | None) -> str | None:
    """The name of a charset that Python can read text in, or an error that names it."""
    if name is not None and charset_named(name) is None:
        raise InputError(f"encoding {name!r} is not known; utf-8, cp932, euc-jp and latin-1 are examples")
    return name


@lru_cache(256)
def charset_named(name: str | None) -> str | None:
    """The codec that a name stands for, None where it is no charset."""
    try:
        b"a".decode(name or "", "replace")  # refuses codecs from bytes to bytes, such as hex
        charset = codecs.lookup(name or "").name
    except (LookupError, ValueError):
        return None
    return None if charset in _PYTHON_ONLY else charset


def superset_of(charset: str) -> str:
    """The charset that senders mean by this one.

    >>> superset_of("shift_jis"), superset_of("koi8-r")
    ('cp932', 'koi8-r')
    """
    return _SUPERSETS.get(charset, charset)


def passes_for_ascii(declared: str | None) -> bool:
    """Whether text in that charset can consist of ASCII bytes and mean something else."""
    return _like_utf8(declared) is not None


def _like_utf8(declared: str | None) -> str | None:
    charset = charset_named(declared)
    return charset if charset is not None and charset.startswith(_LIKE_UTF8) else None


def _by_evidence(sample: bytes, declared: str | None, western: bool) -> Encoding:
    """The encoding of bytes that are not UTF-8, from those at the first that is not ASCII and after it."""
    whole = len(sample) < _SAMPLE
    charset = charset_named(declared)
    for name in (superset_of(charset), charset) if charset is not None else ():
        if _fits([sample], name, whole):
            return Encoding(name, whole)
    if _is_damaged_utf8(sample):
        return Encoding("utf-8", False)
    if western and not _MAY_BE_KANA.search(sample):  # then what follows would find no proof
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


def _is_damaged_utf8(sample: bytes) -> bool:
    """Whether more characters beyond ASCII are valid UTF-8 than places are not; other charsets hardly give any."""
    if sample.decode("utf-8", "ignore").isascii():
        return False
    text = sample.decode("utf-8", "replace")
    broken = text.count(REPLACEMENT)
    long, short = len(_THREE_BYTES.findall(text)) - broken, len(_TWO_BYTES.findall(text))
    return long > broken or long + short > 4 * broken  # EUC-JP has pairs of bytes that pass for two-byte characters


def _is_plausible(text: str, name: str) -> bool:
    """Whether a text that fits is likely meant: western bytes fit too, as rare kanji or characters of private use."""
    if _NO_TEXT.search(text) or (name == "euc_jis_2004" and not _KANA.search(text)):
        return False
    return not _PRIVATE.search(text) or _ORDINARY.search(text) is not None


def _likeness(text: str) -> int:
    """How much a text looks Japanese: read in the wrong charset, it is full of half-width katakana or gaps."""
    return len(_ORDINARY.findall(text)) - 3 * len(_ODD.findall(text)) - 3 * text.count(REPLACEMENT)


def _fits(pieces: Iterable[bytes], encoding: str, whole: bool = True) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    return all(_accepts(decoder, piece) for piece in pieces) and (not whole or _accepts(decoder, b"", final=True))


def _accepts(decoder: codecs.IncrementalDecoder, piece: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(piece, final)
    except UnicodeError:
        return False
    return True
