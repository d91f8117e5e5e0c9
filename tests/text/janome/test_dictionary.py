"""The compiled dictionary says what Janome's does."""

import random

import numpy as np
import pytest

from textnb.text.janome import engine_for, janome_version
from textnb.text.janome.compiled import _entries, load_dictionary
from textnb.text.janome.dictionary import Lexicon
from textnb.text.janome.installed import dictionary_digest
from textnb.text.janome.lattice import CharacterKinds
from textnb.text.janome.user_dictionary import Entry


@pytest.fixture(scope="module")
def janome():
    from janome.system_dic import MMapSystemDictionary  # its 900 MB of objects are not for every worker

    return MMapSystemDictionary.instance()


@pytest.fixture(scope="module")
def compiled():
    return load_dictionary(janome_version())


def test_entries_are_those_that_janome_reads(janome):
    entries = list(_entries())
    assert len(entries) == 392_127
    for number in [0, 1, len(entries) - 1, *random.Random(0).sample(range(len(entries)), 2_000)]:
        assert entries[number][:4] == janome._find_entry(number)
        pos, infl_type, infl_form, base, reading, phonetic = janome.lookup_extra(number)
        assert entries[number][4:] == (pos, base, reading, infl_type, infl_form, phonetic)


def test_what_is_known_of_an_entry_is_what_janome_knows(compiled, janome):
    numbers = compiled.system.numbers
    for entry in [0, len(numbers) - 1, *random.Random(2).sample(range(len(numbers)), 2_000)]:
        pos, infl_type, infl_form, base, reading, phonetic = janome.lookup_extra(int(numbers[entry]))
        surface = janome._find_entry(int(numbers[entry]))[0]
        found = compiled.known[entry]
        assert (found[0] or surface, *found[1:]) == (base, reading, pos, infl_type, infl_form, phonetic, False)


def test_words_are_found_that_janome_finds(janome):
    from janome.fst import Matcher
    from janome.sysdic import all_fstdata

    matcher, words = Matcher(all_fstdata()), engine_for(None, "python")._lexicons[-1]
    surfaces = sorted(surface for surface, known in words.items() if known)
    assert len(surfaces) == 325_872
    for surface in random.Random(1).sample(surfaces, 1_500):
        found = {number for number, *_ in janome.lookup(surface.encode(), matcher)}
        ours = {word[3] for n in range(1, len(surface) + 1) for word in words.get(surface[:n], ())}
        assert ours <= found
        for number in found - ours:  # left out, because another is at least as good wherever it stands
            text, left, right, cost = janome._find_entry(number)
            better = [word for word in words[text] if word[:2] == (left, right)]
            assert [(word[2], word[3]) < (cost, number) for word in better] == [True]


def test_connection_costs_are_janomes(compiled, janome):
    assert np.array_equal(compiled.connections.T, np.array(janome.connections))
    assert compiled.connections.dtype == np.int16


def test_kinds_of_all_characters_are_janomes(compiled, janome):
    kinds, names = CharacterKinds(compiled.categories), list(janome.char_categories)
    for code in [*range(0xD800), *range(0xE000, 0x10000), 0x10000, 0x1F600, 0x20BB7, 0x10FFFF]:
        found = janome.get_char_categories.__wrapped__(janome, chr(code))
        own, accepts = kinds[chr(code)]
        assert [kind[0] for kind in own] == [1 << names.index(name) for name in found], hex(code)
        expected = set(found).union(*found.values())
        assert {name for k, name in enumerate(names) if accepts >> k & 1} == expected, hex(code)
        for _, limit, always, unknowns in own:
            assert len(unknowns) > 0 and limit >= 0 and always in (True, False)


def test_of_entries_alike_only_the_one_that_can_win_is_kept():
    def entry(cost, left=1, right=2, surface="犬"):
        return Entry(surface, left, right, cost, "名詞", surface, "イヌ")

    entries = [entry(5), entry(3), entry(3), entry(9, left=7), entry(9, right=8), entry(4, surface="犬小屋")]
    lexicon, kept = Lexicon.of(entries)
    assert kept == [entries[1], entries[4], entries[3], entries[5]]
    assert lexicon.numbers.tolist() == [1, 4, 3, 5]
    assert lexicon.is_last.tolist() == [False, False, True, True]


def test_the_digest_stands_for_the_installed_files(monkeypatch, tmp_path):
    from textnb.text.janome import installed

    assert dictionary_digest() == dictionary_digest()
    before = dictionary_digest()
    (tmp_path / "chardef.py").write_text("DATA = 1")
    monkeypatch.setattr(installed, "dictionary_folder", lambda: tmp_path)
    other = dictionary_digest()
    (tmp_path / "chardef.py").write_text("DATA = 12")
    assert len({before, other, dictionary_digest()}) == 3
