"""From a charset's label to text: labels are misspelt, missing or false, and then the bytes decide.

``textnb.readers.decoding`` decides, in its order; what a message adds is decided here:
  1. a label that is misspelt or old is taken for the charset that was meant;
  2. ASCII without escapes is ASCII whatever the label (but for the few charsets whose every byte looks like ASCII);
  3. where the message names a Japanese charset somewhere, or the label is UTF-8, bytes that do not fit are looked at
     as Japanese; elsewhere only kana prove that, and the last resort is cp1252;
  4. bytes without a label are read in the charset that the message names elsewhere, where it is the only one.

Transfer encodings: base64, quoted-printable and uuencode back to bytes, whole or damaged.

A line of base64 that has lost a character spoils itself and not what follows: where the characters do not come out in
fours, each line is read by itself. What follows the padding is another piece of base64, or text that a mailing list
has put below it.
"""

import binascii
import re
from collections.abc import Iterable
from functools import lru_cache

from textnb.readers.decoding import Decoded, charset_named, decoded, passes_for_ascii, superset_of
from textnb.readers.message.headers import Defects

_LABEL = re.compile(r"[\w.:+-]+", re.ASCII)
_MISSPELT = {
    "xsjis": "cp932",
    "sjiswin": "cp932",
    "mssjis": "cp932",
    "xmscp932": "cp932",
    "windows932": "cp932",
    "windows31j": "cp932",
    "cswindows31j": "cp932",
    "shiftjisms": "cp932",
    "xeucjp": "euc_jp",
    "eucjpms": "euc_jp",
    "eucjpwin": "euc_jp",
    "iso2022jpms": "iso2022_jp",
    "iso2022jpascii": "iso2022_jp",
    "cp50220": "iso2022_jp",
    "cp50221": "iso2022_jp",
    "cp50222": "iso2022_jp",
    "jis": "iso2022_jp",
    "utf8n": "utf-8",
    "utf8mb4": "utf-8",
    "unicode11utf7": "utf-7",
    "unicode20utf7": "utf-7",
    "xunicode20utf7": "utf-7",
    "xgbk": "gbk",
    "ksc56011987": "cp949",
    "ksc5601": "cp949",
    "xbig5": "big5",
    "ansix341968": "ascii",
    "usascii": "ascii",
    "asciius": "ascii",
    "xmacroman": "mac_roman",
}
_JAPANESE = ("iso2022_jp", "cp932", "shift_jis", "euc_jp", "euc_jis_2004")
_SAYS_NOTHING = ("ascii", "iso8859-1", "cp1252")
_NOTHING_SAID = ("unknown", "unknown-8bit", "x-unknown", "8bit", "default", "user-defined", "x-user-defined", "binary")


@lru_cache(1024)
def charset_of(label: str) -> str | None:
    """The codec that a label means, None where it means none.

    >>> charset_of("X-SJIS"), charset_of('"utf8"'), charset_of("windows-31j"), charset_of("unknown-8bit")
    ('cp932', 'utf-8', 'cp932', None)
    """
    written = _LABEL.search(label[:100])
    if written is None or (name := written.group().lower()) in _NOTHING_SAID:
        return None
    squeezed = re.sub("[^a-z0-9]", "", name)
    return _MISSPELT.get(squeezed) or charset_named(name) or charset_named(squeezed)


_FEW = 8  # labels that are worth keeping


@lru_cache(1024)
def _telling(labels: tuple[str, ...]) -> tuple[bool, str | None]:
    """Whether one of the charsets is Japanese, and the charset where they are but one."""
    named = {charset for charset in map(charset_of, labels) if charset and charset not in _SAYS_NOTHING}
    return any(charset.startswith(_JAPANESE) for charset in named), named.pop() if len(named) == 1 else None


class Texts:
    """Decodes the pieces of one message, and records what was done.

    labels: every charset that the message names, in encoded words and in parts.
    """

    def __init__(self, labels: Iterable[str], defects: Defects) -> None:
        named = tuple(labels)
        self.japanese, self.only = (_telling if len(named) <= _FEW else _telling.__wrapped__)(named)
        self.defects = defects

    def of(self, data: bytes, label: str = "", where: str = "text") -> str:
        r"""The text of some bytes under a label.

        >>> defects = Defects()
        >>> Texts(["iso-2022-jp"], defects).of("会議".encode("cp932"), "utf-8")
        '会議'
        >>> defects.words
        ('text: utf-8 is said, cp932 was read',)
        """
        charset = charset_of(label)
        if data.isascii() and b"\x1b" not in data and not passes_for_ascii(charset):
            return data.decode("ascii")
        content = self._decoded(data, charset)
        self._record(content, label, charset, where)
        return content.text

    def _decoded(self, data: bytes, charset: str | None) -> Decoded:
        if self.japanese and (charset is None or charset in _SAYS_NOTHING):
            return decoded(data)
        if charset in (None, "ascii"):
            charset = self.only
        believes_japanese = charset is not None and charset.startswith((*_JAPANESE, "utf-8"))
        return decoded(data, charset, western=not (self.japanese or believes_japanese))

    def _record(self, content: Decoded, label: str, charset: str | None, where: str) -> None:
        for words in content.defects:
            self.defects.add("charset", f"{where}: {words}")
        read = content.encoding
        if not label and read == "utf-8":  # what is meant where nothing is said
            return
        if charset is not None and read.removesuffix("-sig") in (charset, superset_of(charset)):
            return
        if charset is not None and charset.startswith("iso2022_jp") and read == "iso2022_jp":
            return
        said = f"{label[:40]} is said" if label else "no charset is said"
        self.defects.add("charset", f"{where}: {said}, {read} was read")


_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
_PADDED = re.compile(rb"=[=\s]*")
_BAD_QUOTED = re.compile(rb"=(?![0-9A-Fa-f]{2}|[ \t]*\r?\n|[ \t]*\Z)")
_MOST_PIECES = 1000
_PLAIN = (b"", b"7bit", b"8bit", b"binary", b"7-bit", b"8-bit", b"none", b"plain")
_UU = (b"x-uuencode", b"uuencode", b"x-uue", b"uue")


def transferred(body: bytes, encoding: bytes, defects: Defects) -> bytes:
    r"""The bytes that were to be transferred.

    >>> transferred(b"5pel5pys", b"base64", Defects()).decode(), transferred(b"=E6=97=A5=\n!", b"quoted-printable",
    ... Defects()).decode()
    ('日本', '日!')
    """
    if encoding == b"base64":
        return from_base64(body, defects)
    if encoding == b"quoted-printable":
        if _BAD_QUOTED.search(body):
            defects.add("quoted-printable", "damaged quoted-printable")
        return binascii.a2b_qp(body)
    if encoding in _UU:
        return _from_uu(body, defects)
    if encoding not in _PLAIN:
        defects.add("encoding", f"the transfer encoding {encoding[:40].decode('ascii', 'replace')!r} is not known")
    return body


def from_base64(body: bytes, defects: Defects) -> bytes:
    """The bytes of some base64, as many as can be had."""
    written = body.translate(None, b" \t\r\n=")
    if len(_NO_BASE64.sub(b"", written)) * 10 < len(written) * 9:
        defects.add("base64", "text that is said to be base64 is none")
        return body
    pieces = _PADDED.split(body, _MOST_PIECES)
    whole = _from_piece(pieces[0], defects)
    for piece in pieces[1:]:
        if not piece.strip():
            continue
        defects.add("base64", "more follows the end of the base64")
        whole += _from_piece(piece, defects) if not re.search(rb"[^A-Za-z0-9+/\r\n]", piece.strip()) else b"\n" + piece
    return whole


def _from_piece(piece: bytes, defects: Defects) -> bytes:
    """The bytes of base64 without its padding."""
    letters = _NO_BASE64.sub(b"", piece)
    if len(letters) % 4:
        lines = [_NO_BASE64.sub(b"", line) for line in piece.splitlines()]
        odd = sum(len(line) % 4 > 0 for line in lines[:-1])
        if odd or len(letters) % 4 == 1:
            defects.add("base64", "damaged base64")
        if 0 < 2 * odd < len(lines):
            return b"".join(map(_quads, lines))
    return _quads(letters)


def _quads(letters: bytes) -> bytes:
    """Clean base64, a last letter dropped that is no byte."""
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))


def _from_uu(body: bytes, defects: Defects) -> bytes:
    """The lines between ``begin`` and ``end``."""
    lines = body.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith(b"begin ")), -1)
    out = []
    for line in lines[begin + 1 :]:
        if line.rstrip() == b"end":
            break
        try:
            out.append(binascii.a2b_uu(line))
        except binascii.Error:
            length = ((line[0] - 32) & 63) * 4 // 3 + 1  # some programs write more than they say
            defects.add("uuencode", "damaged uuencode")
            try:
                out.append(binascii.a2b_uu(line[: length + 1]))
            except binascii.Error:
                continue
    return b"".join(out)
