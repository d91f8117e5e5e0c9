"""Scripts, as the inside of a character class of regular expressions, and combining marks.

Kinds of characters as a table of bits, made from the same classes that the regular expressions are made of.

How the extension cuts texts that need no dictionary.
"""

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from textnb._native import Cutter

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


Kinds = NDArray[np.uint8]
_MARKS = "combining marks"  # no class of regular expressions has them
_SCRIPTS = (KANJI, KATAKANA, HIRAGANA, LATIN)
_LETTERS_END = 0x40000  # the planes beyond have no letters and no digits


@cache
def run_kinds() -> Kinds:
    """For ``charclass``: kanji, katakana, hiragana, latin, digits, other letters, marks, what may end hiragana."""
    other = rf"[^\W\d_{''.join(_SCRIPTS)}]"
    return _table(*(f"[{script}]" for script in _SCRIPTS), r"\d", other, _MARKS, "ー")


@cache
def word_kinds() -> Kinds:
    """For ``words``: letters and digits, marks, apostrophes."""
    return _table(r"\w", _MARKS, "['’]")


@cache
def letter_kinds() -> Kinds:
    """For ``auto``: kana and kanji, letters."""
    return _table(f"[{KANJI}{KATAKANA}{HIRAGANA}]", r"[^\W\d_]")


def _table(*classes: str) -> Kinds:
    """Bit k of a code point says whether the k-th class has it."""
    every = characters(0, _LETTERS_END)
    table = np.zeros(0x110000, np.uint8)
    for k, one in enumerate(classes):
        if one == _MARKS:
            table[[ord(mark) for chars in marks() for mark in chars]] |= 1 << k
            continue
        for run in re.finditer(f"(?:{one})+", every):
            table[run.start() : run.end()] |= 1 << k
    table.flags.writeable = False
    return table


_ENDLESS = 2**31  # longer than any text the extension takes


@cache
def runs() -> "Cutter":
    """Runs of one kind of character."""
    from textnb._native import Cutter

    return Cutter("runs", run_kinds())


@cache
def words() -> "Cutter":
    """Words of spaced languages."""
    from textnb._native import Cutter

    return Cutter("words", word_kinds())


@cache
def grams(low: int, high: int) -> "Cutter":
    """Character n-grams."""
    from textnb._native import Cutter

    return Cutter("grams", min(low, _ENDLESS), min(high, _ENDLESS))


def stretches() -> "Cutter":
    """What stands between white space: every stretch is shorter than such an n-gram, and so kept whole."""
    return grams(_ENDLESS, _ENDLESS)
