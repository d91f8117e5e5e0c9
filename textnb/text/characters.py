"""Classes of characters: scripts for regular expressions, combining marks, and tables of bits for the C extension.

The tables are made from the same classes as the regular expressions, so that the extension and Python agree.
"""

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from textnb._native import Cutter

# The inside of a character class of regular expressions.
KANJI = "々-〇㐀-䶿一-鿿\uf900-\ufaff\U00020000-\U000323af"
KATAKANA = "゠-ヺー-ヿㇰ-ㇿｦ-ﾟ"
HIRAGANA = "ぁ-ゟ"
LATIN = "A-Za-zªºÀ-ÖØ-öø-ʯḀ-ỿⱠ-Ɀ꜠-ꟿꬰ-ꭤﬀ-ﬆＡ-Ｚａ-ｚ"
SCRIPTS = (KANJI, KATAKANA, HIRAGANA, LATIN)
OTHER_LETTER = rf"[^\W\d_{''.join(SCRIPTS)}]"

JAPANESE_BIT, LETTER_BIT = 1, 2
"""Bits of ``letter_kinds``."""

_MARKS = "combining marks"  # placeholder for a class that regular expressions do not have
_LETTERS_END = 0x40000  # the planes beyond have no letters and no digits
_LONGER_THAN_ANY_TEXT = 2**31  # more characters than the extension accepts

Kinds = NDArray[np.uint8]
"""Table (0x110000,): bit k of a code point is set if the k-th class contains it."""


def characters_between(start: int, end: int) -> str:
    """All characters from code point ``start`` up to ``end``, which is excluded."""
    return np.arange(start, end, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def marks() -> tuple[str, str]:
    """All combining marks: those of the BMP, and those beyond."""
    near, far = (
        "".join(c for c in re.sub(r"\w+", "", chars) if unicodedata.category(c)[0] == "M")  # no letter is a mark
        for chars in (
            characters_between(0, 0x10000),
            characters_between(0x10000, 0x20000) + characters_between(0xE0100, 0xE01F0),
        )
    )
    return near, far


@cache
def letter_kinds() -> Kinds:
    """Table for ``auto``: kana and kanji, letters."""
    return _table(f"[{KANJI}{KATAKANA}{HIRAGANA}]", r"[^\W\d_]")


@cache
def run_kinds() -> Kinds:
    """Table for ``charclass``: kanji, katakana, hiragana, latin, digits, other letters, marks, long vowel mark."""
    return _table(*(f"[{script}]" for script in SCRIPTS), r"\d", OTHER_LETTER, _MARKS, "ー")


@cache
def word_kinds() -> Kinds:
    """Table for ``words``: letters and digits, marks, apostrophes."""
    return _table(r"\w", _MARKS, "['’]")


@cache
def cutter_of(tokenizer: str, low: int = _LONGER_THAN_ANY_TEXT, high: int = _LONGER_THAN_ANY_TEXT) -> "Cutter":
    """Cutter for a tokenizer; ``whitespace`` keeps whole stretches, because they are shorter than its n-grams."""
    from textnb._native import Cutter

    if tokenizer == "charclass":
        return Cutter("runs", run_kinds())
    if tokenizer == "words":
        return Cutter("words", word_kinds())
    return Cutter("grams", min(low, _LONGER_THAN_ANY_TEXT), min(high, _LONGER_THAN_ANY_TEXT))


def _table(*classes: str) -> Kinds:
    every = characters_between(0, _LETTERS_END)
    table = np.zeros(0x110000, np.uint8)
    for k, one in enumerate(classes):
        if one == _MARKS:
            table[[ord(mark) for chars in marks() for mark in chars]] |= 1 << k
            continue
        for run in re.finditer(f"(?:{one})+", every):
            table[run.start() : run.end()] |= 1 << k
    table.flags.writeable = False
    return table
