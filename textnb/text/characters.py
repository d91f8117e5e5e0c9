"""Scripts, as the inside of a character class of regular expressions, and combining marks."""

import unicodedata
from functools import cache

KANJI = "々-〇㐀-䶿一-鿿\uf900-\ufaff\U00020000-\U000323af"
KATAKANA = "゠-ヺー-ヿㇰ-ㇿｦ-ﾟ"
HIRAGANA = "ぁ-ゟ"
LATIN = "A-Za-zªºÀ-ÖØ-öø-ʯḀ-ỿⱠ-Ɀ꜠-ꟿꬰ-ꭤﬀ-ﬆＡ-Ｚａ-ｚ"


@cache
def marks() -> tuple[str, str]:
    """The combining marks of the BMP, and those beyond."""
    near, far = (
        "".join(c for c in map(chr, codes) if unicodedata.category(c)[0] == "M")
        for codes in (range(0x10000), (*range(0x10000, 0x20000), *range(0xE0100, 0xE01F0)))
    )
    return near, far
