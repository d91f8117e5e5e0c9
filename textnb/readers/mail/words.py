"""Words without a dictionary, for header fields and other short texts; Japanese in pairs of characters.

    "Re: 会議の件 on A-4"  ->  Re 会議 議の の件 on A-4

Letters, digits and the marks that stay in words; everything else parts them. Beyond ASCII, compatibility forms are
composed first (NFKC), so that ＳＡＬＥ is SALE and ｶﾅ is カナ.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from textnb.readers.mail.ascii_words import Rules, words_of

_IN_WORDS = "$'-_!%.@"
_PARTED = bytes(code if code < 128 and (chr(code).isalnum() or chr(code) in _IN_WORDS) else 32 for code in range(256))
_JAPANESE = re.compile("([々〆ぁ-ゖァ-ヺー㐀-䶿一-鿿豈-﫿]+)")
_WORD = re.compile(r"[\w$'!%.@-]+")
_EDGES = b".-'_!@"
LONGEST = 60
_MOST = 1000
IN_TEXT = Rules(_PARTED, _EDGES, LONGEST, _MOST)
"""Of the words of a text, where it is ASCII."""


def words_in(text: str, most: int = _MOST) -> list[str]:
    """The words of a text, in order, their case kept; those that are longer than any word are left out.

    >>> words_in("Re: 会議の件 on A-4 ＳＡＬＥ <taro@example.jp>")
    ['Re', '会議', '議の', 'の件', 'on', 'A-4', 'SALE', 'taro@example.jp']
    """
    if text.isascii():
        return words_of(text, IN_TEXT if most == _MOST else IN_TEXT._replace(most=most))
    words = islice(_mixed(unicodedata.normalize("NFKC", text[: most * LONGEST])), most)
    return [word for raw in words if (word := raw.strip(_EDGES.decode())) and len(word) <= LONGEST]


def _mixed(text: str) -> Iterator[str]:
    """The words of a text in several scripts; every second stretch is Japanese."""
    for i, stretch in enumerate(_JAPANESE.split(text)):
        if i % 2:
            yield from pairs(stretch)
        else:
            yield from _WORD.findall(stretch)


def pairs(stretch: str) -> list[str]:
    """Neighbouring characters two by two; a single one as it is.

    >>> pairs("東京都"), pairs("都")
    (['東京', '京都'], ['都'])
    """
    return [stretch[i : i + 2] for i in range(len(stretch) - 1)] or [stretch]


def japanese_apart(text: str) -> tuple[list[str], str]:
    """The Japanese stretches of a text, and the rest of it."""
    stretches = _JAPANESE.split(text)
    return stretches[1::2], " ".join(stretches[::2])
