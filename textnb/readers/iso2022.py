"""ISO-2022-JP with the characters that senders really put into it.

Python's codec knows JIS X 0208 only; mail and old files also carry the vendor rows (①, ㈱, 髙) of cp932. So a code of
the two-byte set is turned into its Shift_JIS form and read as cp932, which holds both. Every line begins in ASCII.
"""

import re

_ESCAPE = re.compile(rb"\x1b(\$[@B]|\$\([A-Z]|\([A-Z])")


def decoded_iso2022_jp(data: bytes) -> str:
    r"""The text, U+FFFD where a place could not be read.

    >>> decoded_iso2022_jp(b"\x1b$B-!F|K\\\x1b(B ok")
    '①日本 ok'
    """
    return "".join(_line(line) for line in data.splitlines(keepends=True))


def _line(line: bytes) -> str:
    first, *rest = _ESCAPE.split(line)
    bodies = zip(rest[::2], rest[1::2], strict=True)
    return _single_byte(first) + "".join(_text(escape, body) for escape, body in bodies)


def _text(escape: bytes, body: bytes) -> str:
    if escape in (b"$@", b"$B"):
        return _shift_jis(body).decode("cp932", "replace")
    if escape == b"(I":  # half-width katakana
        return bytes(byte | 0x80 if 0x21 <= byte <= 0x5F else byte for byte in body).decode("cp932", "replace")
    if escape == b"$(D":  # JIS X 0212
        return (b"\x1b" + escape + body).decode("iso2022_jp_ext", "replace")
    if escape.startswith(b"$("):  # JIS X 0213
        return (b"\x1b" + escape + body).decode("iso2022_jp_2004", "replace")
    return _single_byte(body)


def _shift_jis(body: bytes) -> bytes:
    """Pairs of JIS X 0208 bytes in their Shift_JIS form; other bytes (a line end, a space) stay."""
    out = bytearray()
    i = 0
    while i < len(body):
        high, low = body[i], body[i + 1] if i + 1 < len(body) else 0
        if not (0x21 <= high <= 0x7E and 0x21 <= low <= 0x7E):
            out.append(high if high < 0x21 else 0xFF)  # 0xFF is no cp932 character: it comes out as U+FFFD
            i += 1
            continue
        row = (high - 0x21) >> 1
        out.append(row + (0x81 if row < 0x1F else 0xC1))
        out.append(low + 0x1F + (low >= 0x60) if high & 1 else low + 0x7E)
        i += 2
    return bytes(out)


def _single_byte(body: bytes) -> str:
    return body.decode("utf-8", "replace")
