"""The text of a header field: encoded words (RFC 2047) in all their broken forms, and bytes that were never encoded.

    =?charset?B?base64?=    =?charset?Q?quoted?=    blanks between two encoded words are no part of the text

Neighbours of one charset are joined as bytes before they are decoded, because senders cut inside a character; and as
base64 where they cut inside four letters of it.
"""

import binascii
import re
from itertools import groupby

from textnb.readers.mail.charsets import Texts
from textnb.readers.mail.defects import Defects
from textnb.readers.mail.transfer import from_base64

_WORD = re.compile(rb"=\?([^?\s]{1,60})\?([bBqQ])\?(.*?)\?=", re.DOTALL)
_CHARSET = re.compile(rb"=\?([^?\s*]{1,60})[^?\s]{0,20}\?[bBqQ]\?")

_Piece = tuple[str, bytes, bytes]
"""A charset and an encoding (B, Q, or nothing for bytes as they are), and the payload."""


def charsets_in(value: bytes) -> set[str]:
    """The charsets that the encoded words of a field name."""
    return {label.decode("ascii", "replace") for label in _CHARSET.findall(value)} if b"=?" in value else set()


def header_text(value: bytes, texts: Texts, where: str = "header") -> str:
    r"""The text of a field's value.

    >>> header_text(b"Re: =?utf-8?B?5pel?= =?utf-8?B?5pys?= ok", Texts([], Defects()))
    'Re: 日本 ok'
    """
    if b"=?" not in value:
        return value.decode("ascii") if value.isascii() and b"\x1b" not in value else texts.of(value, where=where)
    read = []
    for (label, encoding), run in groupby(_pieces(value), key=lambda piece: piece[:2]):
        payloads = [payload for *_, payload in run]
        read.append(texts.of(_joined(payloads, encoding, texts.defects), label, where))
    return "".join(read)


def _pieces(value: bytes) -> list[_Piece]:
    """Encoded words and what stands between them, in order; without an end nothing is searched for one."""
    pieces: list[_Piece] = []
    position, last = 0, value.rfind(b"?=") + 2
    for word in _WORD.finditer(value, 0, max(last, 0)):
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
    """The bytes of neighbouring words of one charset and encoding."""
    if encoding == b"Q":
        return b"".join(binascii.a2b_qp(payload.replace(b" ", b"_"), header=True) for payload in payloads)
    if encoding != b"B":
        return b"".join(payloads)
    if any(len(payload) % 4 for payload in payloads[:-1]):
        defects.add("encoded-word", "encoded words are cut within their base64")
        if not any(b"=" in payload for payload in payloads[:-1]):
            return from_base64(b"".join(payloads), defects)
    return b"".join(from_base64(payload, defects) for payload in payloads)
