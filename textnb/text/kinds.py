"""Kinds of characters as a table of bits, made from the same classes that the regular expressions are made of."""

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from textnb.text.characters import HIRAGANA, KANJI, KATAKANA, LATIN, characters, marks

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
