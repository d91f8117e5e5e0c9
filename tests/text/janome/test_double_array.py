import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.text.janome.double_array import double_array

WORDS = st.text(st.sampled_from("abcあ漢😀"), min_size=1, max_size=6) | st.text(min_size=1, max_size=3)


def surfaces_at(text, slots, codes):
    """Those that begin the text, by the rule in the module's docstring."""
    place, found = 0, []
    for letter in text:
        code = int(codes[ord(letter)]) if ord(letter) < len(codes) else 0
        following = slots[place][0] + code
        if not code or following >= len(slots) or slots[following][1] != place:
            break
        place = following
        found += [slots[place][2]] if slots[place][2] >= 0 else []
    return found


@given(st.sets(WORDS.filter(lambda w: w.isprintable()), min_size=1, max_size=60), st.lists(WORDS, max_size=20))
def test_all_surfaces_that_begin_a_text_are_found_and_no_others(words, texts):
    surfaces = sorted(words)
    slots, codes = double_array(surfaces)
    for text in [*surfaces, *texts, *(a + b for a, b in zip(surfaces, texts, strict=False))]:
        expected = [surfaces.index(text[:n]) for n in range(1, len(text) + 1) if text[:n] in words]
        assert surfaces_at(text, slots.tolist(), codes) == expected


def test_places_do_not_grow_much_beyond_the_words():
    surfaces = sorted({f"{i:x}" for i in range(20_000)})
    slots, _ = double_array(surfaces)
    assert len(slots) < 2 * len(surfaces)


def test_many_words_that_branch_alike_are_found():
    draw = random.Random(0)
    surfaces = sorted(chr(0x4E00 + a) + chr(0x4E00 + b) for a in range(20) for b in draw.sample(range(1000), 100))
    slots, codes = double_array(surfaces)
    assert [surfaces_at(surface, slots, codes) for surface in surfaces] == [[i] for i in range(len(surfaces))]


def test_more_characters_than_there_are_codes_are_refused():
    with pytest.raises(InputError, match="65,535 different characters, not 65,536"):
        double_array([chr(0x20000 + i) for i in range(2**16)])
