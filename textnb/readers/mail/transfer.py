"""Transfer encodings: base64, quoted-printable and uuencode back to bytes, whole or damaged.

A line of base64 that has lost a character spoils itself and not what follows: where the characters do not come out in
fours, each line is read by itself. What follows the padding is another piece of base64, or text that a mailing list
has put below it.
"""

import binascii
import re

from textnb.readers.mail.defects import Defects

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
