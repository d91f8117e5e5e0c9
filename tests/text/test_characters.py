"""Tables of characters are made by shortcuts; here each is compared with a look at every character."""

import re
import sys
import unicodedata

import numpy as np
import pytest

from textnb.text import normalise
from textnb.text.characters import (
    HIRAGANA,
    KANJI,
    KATAKANA,
    LATIN,
    characters_between,
    letter_kinds,
    marks,
    run_kinds,
    word_kinds,
)

SCRIPTS = (KANJI, KATAKANA, HIRAGANA, LATIN)
EVERY = [chr(code) for code in range(sys.maxunicode + 1)]
MARKS = [c for c in EVERY if unicodedata.category(c)[0] == "M"]


def bits(*classes):
    table = np.zeros(len(EVERY), np.uint8)
    for k, one in enumerate(classes):
        places = re.finditer(one, "".join(EVERY)) if one else ()
        table[[ord(mark) for mark in MARKS] if one is None else [place.start() for place in places]] |= 1 << k
    return table


def test_the_characters_of_a_range_are_all_of_them_in_order():
    assert characters_between(0xD7FF, 0xE001) == "".join(map(chr, range(0xD7FF, 0xE001)))


def test_marks_are_all_marks_of_unicode():
    assert "".join(marks()) == "".join(MARKS)
    assert max(marks()[0]) < "\U00010000" <= min(marks()[1])


@pytest.mark.parametrize(
    ("table", "classes"),
    [
        (word_kinds, [r"\w", None, "['’]"]),
        (letter_kinds, [f"[{KANJI}{KATAKANA}{HIRAGANA}]", r"[^\W\d_]"]),
        (
            run_kinds,
            [*(f"[{script}]" for script in SCRIPTS), r"\d", rf"[^\W\d_{''.join(SCRIPTS)}]", None, "ー"],
        ),
    ],
    ids=["words", "letters", "runs"],
)
def test_a_table_of_kinds_is_right_for_every_character(table, classes):
    assert np.array_equal(table(), bits(*classes))


def test_what_joins_backwards_is_found_among_all_characters():
    long_run = normalise._long_run()
    found = [c for c in EVERY if long_run.fullmatch(c * normalise._LONGEST_RUN)]
    assert found == [c for c in EVERY if normalise._joins(c)]
    assert [*normalise._decomposing()] == [c for c in EVERY[:0x20000] if unicodedata.decomposition(c)]
