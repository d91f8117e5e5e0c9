"""Charsets and transfer encodings of a message: from the bytes of a part to text.

    body -> decode_transfer (base64, quoted-printable, uuencode) -> bytes -> MessageDecoder.decode (charset) -> text

Labels of charsets are often misspelt, missing or wrong. ``textnb.readers.decoding`` decides from the bytes, with what
the message says:

    1. a misspelt or old label is taken as the charset that was meant
    2. ASCII without escapes is ASCII whatever the label (except for a few charsets whose bytes all look like ASCII)
    3. if the message names a Japanese charset anywhere, or the label is UTF-8, bytes that do not fit are examined as
       Japanese; otherwise only kana are evidence of Japanese, and the last resort is cp1252
    4. bytes without a label are decoded in the charset that the message names elsewhere, if there is only one; else in
       cp932 or EUC-JP, if all unlabelled bytes of the message together are probably that (``unlabelled``)

Damaged transfer encodings are decoded as far as possible. If the letters of base64 are not a multiple of four, each
line is decoded by itself, so that a lost letter damages one line only. Bytes after the padding are more base64, or text
that a mailing list has added.
"""

import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from textnb.extension import cached_property
from textnb.readers.charset_names import charset_of, superset_of
from textnb.readers.decoding import Decoded, decoded, passes_for_ascii, resembles_utf8
from textnb.readers.message.headers import Defects
from textnb.readers.message.unlabelled import unlabelled_charset

_JAPANESE = ("iso2022_jp", "cp932", "shift_jis", "euc_jp", "euc_jis_2004")
_WEAK_CHARSETS = ("ascii", "iso8859-1", "cp1252")
_MAX_ENCODED_WORDS = 5000


def means_no_charset(charset: str | None) -> bool:
    """Whether bytes beyond ASCII have no charset by their label."""
    return charset in (None, "ascii")


class MessageDecoder:
    """Decoder of the texts of one message; it adds to the message's defects.

    ``labels`` are all charsets that the message names, in encoded words and in parts; ``unlabelled`` returns all its
    bytes without a label, or a sample of them. ``words_left`` is the number of encoded words that may still be decoded.
    """

    def __init__(self, labels: Iterable[str], defects: Defects, unlabelled: Callable[[], bytes] = bytes) -> None:
        named = {charset for charset in map(charset_of, labels) if charset and charset not in _WEAK_CHARSETS}
        self.japanese = [superset_of(charset) for charset in named if charset.startswith(_JAPANESE)]
        self.only = named.pop() if len(named) == 1 else None
        self.words_left = _MAX_ENCODED_WORDS
        self.defects = defects
        self._sample = unlabelled

    @cached_property
    def _unlabelled(self) -> str | None:
        """Japanese charset of all bytes without a label; None if they are probably not Japanese."""
        return unlabelled_charset(self._sample(), self.japanese)

    def decode(self, data: bytes, label: str = "", where: str = "text") -> str:
        """Decode bytes that have a label; ``where`` names the place in a defect."""
        charset = charset_of(label)
        if data.isascii() and b"\x1b" not in data and not passes_for_ascii(charset):
            return data.decode("ascii")
        content = self._decoded(data, charset)
        self._record(content, label, charset, where)
        return content.text

    def _decoded(self, data: bytes, charset: str | None) -> Decoded:
        is_unlabelled = means_no_charset(charset)
        is_certain = not self.japanese and self.only not in (None, "utf-8")
        if is_unlabelled and not is_certain and not resembles_utf8(data) and self._unlabelled is not None:
            with suppress(UnicodeDecodeError):
                return Decoded(data.decode(self._unlabelled), self._unlabelled, 0)
        if self.japanese and (is_unlabelled or charset in _WEAK_CHARSETS):
            return decoded(data)
        if is_unlabelled:
            charset = self.only
        believes_japanese = charset is not None and charset.startswith((*_JAPANESE, "utf-8"))
        return decoded(data, charset, western=not (self.japanese or believes_japanese))

    def _record(self, content: Decoded, label: str, charset: str | None, where: str) -> None:
        for words in content.defects:
            self.defects.add("charset", f"{where}: {words}")
        read = content.encoding
        if not label and read == "utf-8":  # the default of a text without a label
            return
        if charset is not None and read.removesuffix("-sig") in (charset, superset_of(charset), f"{charset}-le"):
            return
        if charset is not None and charset.startswith("iso2022_jp") and read == "iso2022_jp":
            return
        declared = f"declared as {label[:40]}" if label else "no charset declared"
        self.defects.add("charset", f"{where}: {declared}, read as {read}")


_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_BASE64 = bytes(set(range(256)).difference(_BASE64))
_LINE = re.compile(rb"[^\r\n]*+(?:\r\n|[\r\n])|[^\r\n]++")
_PADDED = re.compile(rb"=[=\s]*")
_BAD_QUOTED = re.compile(rb"=(?![0-9A-Fa-f]{2}|[ \t]*\r?\n|[ \t]*\Z)")
_MAX_BASE64_PIECES = 1000
_IDENTITY_ENCODINGS = (b"", b"7bit", b"8bit", b"binary", b"7-bit", b"8-bit", b"none", b"plain")
_UUENCODE_NAMES = (b"x-uuencode", b"uuencode", b"x-uue", b"uue")


def decode_transfer(body: bytes, encoding: bytes, defects: Defects) -> bytes:
    """Decode a transfer encoding: base64, quoted-printable or uuencode."""
    if encoding == b"base64":
        return decode_base64(body, defects)
    if encoding == b"quoted-printable":
        if _BAD_QUOTED.search(body):
            defects.add("quoted-printable", "damaged quoted-printable")
        return binascii.a2b_qp(body)
    if encoding in _UUENCODE_NAMES:
        return _from_uu(body, defects)
    if encoding not in _IDENTITY_ENCODINGS:
        defects.add("encoding", f"unknown transfer encoding {encoding[:40].decode('ascii', 'replace')!r}")
    return body


def decode_base64(body: bytes, defects: Defects) -> bytes:
    """Decode base64, as much of it as possible."""
    written = body.translate(None, b" \t\r\n=")
    if len(_letters(written)) * 10 < len(written) * 9:
        defects.add("base64", "text declared as base64 is not base64")
        return body
    pieces = _PADDED.split(body, _MAX_BASE64_PIECES)
    whole = bytearray(_from_piece(pieces[0], defects))
    for piece in pieces[1:]:
        if not piece.strip():
            continue
        defects.add("base64", "text after the end of base64")
        whole += _from_piece(piece, defects) if not re.search(rb"[^A-Za-z0-9+/\r\n]", piece.strip()) else b"\n" + piece
    return bytes(whole)


def _from_piece(piece: bytes, defects: Defects) -> bytes:
    """Decode base64 without padding."""
    letters = _letters(piece)
    if len(letters) % 4:
        is_odd = bytearray(len(line) % 4 > 0 for line in _lines_of_letters(piece))
        odd = sum(is_odd[:-1])
        if odd or len(letters) % 4 == 1:
            defects.add("base64", "damaged base64")
        if 0 < 2 * odd < len(is_odd):
            whole = bytearray()
            for line in _lines_of_letters(piece):
                whole += _quads(line)
            return bytes(whole)
    return _quads(letters)


def _letters(written: bytes) -> bytes:
    """Letters of base64 alone."""
    return written.translate(None, _NOT_BASE64)


def _lines_of_letters(piece: bytes) -> Iterator[bytes]:
    """Letters of each line; one line at a time, because there may be millions."""
    return (_letters(line[0]) for line in _LINE.finditer(piece))


def _quads(letters: bytes) -> bytes:
    """Decode clean base64; a last letter that is not a whole byte is dropped."""
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))


def _from_uu(body: bytes, defects: Defects) -> bytes:
    """Decode the lines of uuencode between ``begin`` and ``end``."""
    lines = body.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith(b"begin ")), -1)
    out = []
    for line in lines[begin + 1 :]:
        if line.rstrip() == b"end":
            break
        try:
            out.append(binascii.a2b_uu(line))
        except binascii.Error:
            length = ((line[0] - 32) & 63) * 4 // 3 + 1  # some programs write more than the length they declare
            defects.add("uuencode", "damaged uuencode")
            try:
                out.append(binascii.a2b_uu(line[: length + 1]))
            except binascii.Error:
                continue
    return b"".join(out)
