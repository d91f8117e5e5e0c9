"""Decoding of ISO-2022-JP with the vendor characters and half-width katakana of real mail.

Python's codec knows JIS X 0208 only; mail and old files also have the vendor rows (①, ㈱, 髙) of cp932. So a code of
the two-byte set is converted to Shift_JIS and decoded as cp932, which has both. Half-width katakana come in three ways:
after ESC ( I, between SO and SI, and as 8-bit bytes.

Every line begins in ASCII, except after a line that ends in the two-byte set: there a sender has either broken a line
without a new escape, or lost the escape back to ASCII. The two-byte set continues for at most 100 lines:

    1. up to the next escape, if that goes back to ASCII and all bytes before it are characters of the set
    2. else for as many lines as consist of characters of the set, of which three and at least half are kana
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

_SET = r"\$[@AB]|\$\([A-Z]|\([A-Z]"
_RUN = re.compile(  # an escape or a shift, and the bytes up to the next one or to the end of the line
    rf"(?:(?:\x1b&@)?\x1b({_SET})|([\x0e\x0f]))"
    rf"((?:[^\x1b\x0e\x0f\r\n]++|\x1b(?!(?:&@\x1b)?(?:{_SET})))*+)".encode()
)
_USUAL = re.compile(rb"(?>[^\x1b\x0e\x0f\x80-\xff]++|\x1b\$[@B][!-~]*+\x1b\([BJ])*+")
_AS_IN_CP932 = tuple(zip("〜‖−¢£¬", "～∥－￠￡￢", strict=True))  # all differences between Python's codec and cp932
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")
_CODECS = {b"$A": "iso2022_jp_2", b"$(C": "iso2022_jp_2", b"$(D": "iso2022_jp_ext", b"$(O": "iso2022_jp_3"}
_CODECS |= {b"$(P": "iso2022_jp_2004", b"$(Q": "iso2022_jp_2004"}
_HALF_WIDTH = (b"(I", b"\x0e")
_EIGHT_BIT_KANA = re.compile(rb"[\x00-\x7f\xa1-\xdf]*")
_LEFT_HALF = range(0x21, 0x7F)
_WHOLE_PAIRS = re.compile(rb"(?:[!-~]{2})*")
_TWO_BYTE_SETS, _TO_ASCII = (b"$@", b"$B"), (b"(B", b"(J")
_ESCAPE = re.compile(rf"(?:\x1b&@)?\x1b({_SET})|[\x0e\x0f]".encode())
_PAIRS_IN_LINES = re.compile(rb"(?>[!-~]{2}|[ \t\r\n])*+")
_LINE_IN_PAIRS = re.compile(rb"[\r\n]+(?:[!-~]{2}|[ \t])++(?=[\r\n]|\Z)")
_MAX_CONTINUED_LINES = 100


def decoded_iso2022_jp(data: bytes) -> str:
    """Decode ISO-2022-JP, with U+FFFD for bytes that cannot be decoded."""
    if (usual := _usual(data)) is not None:
        return usual
    texts, position = [], 0
    for run in _RUN.finditer(data):
        escape = run[1] or run[2]
        further = _continued(data, run.end()) if escape in _TWO_BYTE_SETS else b""
        texts += [_single_byte(data[position : run.start()]), _text(escape, run[3]), _text(escape, further)]
        position = run.end() + len(further)
    return "".join([*texts, _single_byte(data[position:])])


def decoded_iso2022_jp_lines(lines: Iterable[bytes]) -> Iterator[str]:
    """Decode lines of ISO-2022-JP; joined, they are what ``decoded_iso2022_jp`` makes of the whole."""
    block, n_open = bytearray(), 0  # lines that are decoded together; how many since the two-byte set began
    for line in lines:
        block += line
        if escapes := _ESCAPE.findall(line):
            n_open = 1 if escapes[-1] in _TWO_BYTE_SETS else 0
        elif n_open:
            n_open += 1
        if not 0 < n_open <= _MAX_CONTINUED_LINES:
            yield from _text_lines(bytes(block))
            block, n_open = bytearray(), 0
    yield from _text_lines(bytes(block))


def _text_lines(block: bytes) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", decoded_iso2022_jp(block))


def _continued(data: bytes, start: int) -> bytes:
    """Bytes of the following lines in which the two-byte set continues; none unless a line end comes next."""
    if data[start : start + 1] not in (b"\r", b"\n"):
        return b""
    escape = _ESCAPE.search(data, start)
    rest = data[start : escape.start() if escape else len(data)]
    is_closed = escape is not None and escape[1] in _TO_ASCII
    if rest.count(b"\n") > _MAX_CONTINUED_LINES:
        rest, is_closed = b"\n".join(rest.split(b"\n", _MAX_CONTINUED_LINES + 1)[:-1]), False
    if is_closed and _PAIRS_IN_LINES.fullmatch(rest) and "\ufffd" not in _text(b"$B", rest):
        return rest
    end = 0
    while (line := _LINE_IN_PAIRS.match(rest, end)) and _is_mostly_kana(line[0]):
        end = line.end()
    return rest[:end]


def _is_mostly_kana(line: bytes) -> bool:
    """Whether three characters and at least half of a line are kana, and the others are characters too."""
    leads = line.translate(None, b" \t\r\n")[::2]
    n_kana = leads.count(b"$") + leads.count(b"%")
    return n_kana >= 3 and 2 * n_kana >= len(leads) and "\ufffd" not in _text(b"$B", line)


def _usual(data: bytes) -> str | None:
    """Text of well-formed ASCII and JIS X 0208, which most mail is, decoded by Python's codec; else None."""
    if not _USUAL.fullmatch(data):
        return None
    try:
        text = data.replace(b"\x1b(J", b"\x1b(B").decode("iso2022_jp")
    except UnicodeDecodeError:  # a vendor's character, or half of one
        return None
    for other, ours in _AS_IN_CP932:
        text = text.replace(other, ours)
    return text


def _text(escape: bytes, body: bytes) -> str:
    if escape in (b"$@", b"$B"):
        return "".join(map(_character, body[::2], body[1::2]) if _WHOLE_PAIRS.fullmatch(body) else _pairs(body))
    if escape in _HALF_WIDTH:
        return bytes(byte | 0x80 if 0x21 <= byte <= 0x5F else byte for byte in body).decode("cp932", "replace")
    if escape in _CODECS:
        return (b"\x1b" + escape + body).decode(_CODECS[escape], "replace")
    return _single_byte(body)


def _pairs(body: bytes) -> list[str]:
    """Characters of pairs of JIS X 0208; spaces and controls between them stay, anything else becomes U+FFFD."""
    characters = []
    i = 0
    while i < len(body):
        high, low = body[i], body[i + 1] if i + 1 < len(body) else 0
        if high in _LEFT_HALF and low in _LEFT_HALF:
            characters.append(_character(high, low))
            i += 2
        else:
            characters.append(chr(high) if high <= 0x20 else "\ufffd")
            i += 1
    return characters


@cache
def _character(high: int, low: int) -> str:
    """Character of a pair of JIS X 0208; the cache has at most 94 times 94 entries."""
    row = (high - 0x21) >> 1
    lead, trail = row + (0x81 if row < 0x1F else 0xC1), low + 0x1F + (low >= 0x60) if high & 1 else low + 0x7E
    return bytes([lead, trail]).decode("cp932", "replace")[:1]


def _single_byte(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(map(_damaged_line, _LINE.findall(body)))


def _damaged_line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp932" if _EIGHT_BIT_KANA.fullmatch(line) else "utf-8", "replace")
