"""Scripts, as the inside of a character class of regular expressions, and combining marks."""

import re
import unicodedata
from functools import cache

import numpy as np

KANJI = "々-〇㐀-䶿一-鿿\uf900-\ufaff\U00020000-\U000323af"
KATAKANA = "゠-ヺー-ヿㇰ-ㇿｦ-ﾟ"
HIRAGANA = "ぁ-ゟ"
LATIN = "A-Za-zªºÀ-ÖØ-öø-ʯḀ-ỿⱠ-Ɀ꜠-ꟿꬰ-ꭤﬀ-ﬆＡ-Ｚａ-ｚ"


def characters(start: int, end: int) -> str:
    """Every character from one code point to another, which is left out."""
    return np.arange(start, end, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def marks() -> tuple[str, str]:
    """The combining marks of the BMP, and those beyond."""
    near, far = (
        "".join(c for c in re.sub(r"\w+", "", chars) if unicodedata.category(c)[0] == "M")  # no letter is a mark
        for chars in (characters(0, 0x10000), characters(0x10000, 0x20000) + characters(0xE0100, 0xE01F0))
    )
    return near, far
