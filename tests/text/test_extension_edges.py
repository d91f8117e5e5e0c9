"""Arguments that no part of textnb gives to the extension."""

import gc
import importlib.util
import os
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest

from textnb.text import Token, tokenizer
from textnb.text.janome import engine_for

native = pytest.importorskip("textnb._native")
SEED = bytes(16)
ROOT = Path(__file__).parents[2]


def counted(counter, cutter, text, extras=()):
    lengths, numbers, counts = (
        np.frombuffer(data, np.int32).tolist() for data in counter.count((cutter,), (text,), (extras,))
    )
    assert lengths == [len(numbers)]
    terms = counter.strings()
    return {terms[number]: count for number, count in zip(numbers, counts, strict=True)}


@pytest.mark.parametrize(("n", "terms"), [((1, 10**30), ["a", "b", "ab"]), ((10**30, 10**30), ["ab"])], ids=str)
def test_character_grams_without_an_end(n, terms):
    chars = tokenizer("chars", n=n)
    assert sorted(counted(native.Counter(SEED, 1, 1, []), chars.cutter, "ab")) == sorted(terms) == sorted(chars("ab"))


def test_ngrams_without_an_end_take_no_memory_in_advance():
    found = counted(native.Counter(SEED, 2, 2**62, []), tokenizer("words").cutter, "a b c")
    assert found == {"a b": 1, "b c": 1, "a b c": 1}


def test_the_empty_term_is_a_term():
    assert counted(native.Counter(SEED, 1, 1, []), tokenizer("words").cutter, "", ["", ""]) == {"": 2}


@pytest.mark.parametrize("prefix", ["", "chars:", "a" * 3000, "𠮷犬"])
@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 500])
def test_terms_are_sorted_as_python_sorts_them(prefix, n):
    random = Random(n)
    letters = ["", "\0", "a", "b", "犬", "\ufffd", "\uffff", "𠮷", "\U0010ffff"]
    terms = list(dict.fromkeys(prefix + "".join(random.choices(letters, k=random.randint(0, 7))) for _ in range(n)))
    counter = native.Counter(SEED, 1, 1, [], terms)
    data, starts, order = counter.sorted()
    found = [data[start:end].decode() for start, end in pairwise(np.frombuffer(starts, np.uint32))]
    assert found == sorted(terms) == [terms[number] for number in np.frombuffer(order, np.int32)]
    assert counter.sorted(True) == (data, starts, order)


def test_a_counter_whose_terms_were_taken_is_empty_and_counts_no_more():
    chars = tokenizer("chars")
    counter = native.Counter(SEED, 1, 2, ["x"], None, 1, 3)
    counter.count((chars.cutter,), ("犬と猫",), ([],))
    assert counter.sorted(True)[0].decode().startswith("chars:と")
    assert counter.strings() == []
    assert counter.sorted() == counter.sorted(True) == (b"", bytes(4), b"")
    with pytest.raises(ValueError, match="have been taken"):
        counter.count((chars.cutter,), ("犬",), ([],))


@pytest.mark.parametrize("ranges", [(0, 0), (2, 1), (1, 4), (4, 4), (-1, 0), (1, -1)], ids=str)
def test_lengths_of_character_n_grams_are_refused_beyond_three(ranges):
    with pytest.raises(ValueError, match="chars_high is 3 at most"):
        native.Counter(SEED, 1, 1, [], None, *ranges)


def test_a_counter_without_n_grams_counts_only_further_terms():
    counter = native.Counter(SEED, 1, 0, [])
    assert counted(counter, tokenizer("janome").cutter, "犬が", ["x"]) == {"x": 1}


def test_a_term_given_beside_the_text_is_the_n_gram_of_the_same_letters():
    counter = native.Counter(SEED, 1, 1, [], None, 2, 3)
    for _ in range(2):
        found = counted(counter, tokenizer("whitespace").cutter, "chars:ab", ["chars:ab", ("chars:", ["ab"])])
        assert found["chars:ab"] == 4


def test_a_group_stands_for_its_tokens_behind_a_prefix():
    counter, cutter = native.Counter(SEED, 1, 1, []), tokenizer("words").cutter
    extras = ["f:a", ("f:", ["a", "", "犬\ud800"]), ("", ("a",)), ("g", [])]
    assert counted(counter, cutter, "a", extras) == {"a": 2, "f:a": 2, "f:": 1, "f:犬\ufffd": 1}
    for wrong in ([(1, ["a"])], [("f:", [1])], [("f:", [("a", ["b"])])], [("a", "b", "c")], [("f:", 1)]):
        with pytest.raises(TypeError):
            counter.count((cutter,), ("a",), (wrong,))
    assert counted(counter, cutter, "a") == {"a": 1}


def test_terms_that_are_known_keep_their_numbers_and_others_have_none():
    counter = native.Counter(SEED, 1, 1, [], ["c", "", "a"])
    cutter = tokenizer("words").cutter
    rows = counter.count((cutter, cutter), ("a b c a", "b"), (["b", ""], []))
    assert [np.frombuffer(part, np.int32).tolist() for part in rows] == [[3, 0], [2, 0, 1], [2, 1, 1]]
    assert counter.strings() == ["c", "", "a"]
    with pytest.raises(TypeError, match="a text must be a str"):
        native.Counter(SEED, 1, 1, [], ["a", 1])
    assert counted(native.Counter(SEED, 1, 1, [], []), cutter, "a") == {}


def test_a_lexicon_that_is_no_tuple_is_refused():
    dictionary = engine_for(None, "native")._dictionary
    kinds = dictionary.categories
    rest = (dictionary.connections, *(getattr(kinds, name) for name in list(vars(kinds))[:6]), int(kinds.beyond[0]))
    native.Lattice(dictionary.system.arrays, None, *rest)
    for system, user in ((list(dictionary.system.arrays), None), (dictionary.system.arrays, 5)):
        with pytest.raises(TypeError, match="a lexicon is a tuple"):
            native.Lattice(system, user, *rest)


def test_tokens_of_a_wrong_kind_or_with_too_little_known_are_refused():
    lattice, word = engine_for(None, "native")._lattice, (None, "r", "p", "i", "f", "s", False)
    (token,) = lattice.tokens(" 犬 ", Token, defaultdict(lambda: word))
    assert token == Token("犬", "犬", "r", "p", 1, 2, "i", "f", "s", False)
    for known, error in (({}, KeyError), (defaultdict(list), TypeError), (defaultdict(lambda: word[1:]), TypeError)):
        with pytest.raises(error):
            lattice.tokens("犬", Token, known)
    for kind in (list, tuple, int, "Token"):
        with pytest.raises(TypeError):
            lattice.tokens("犬と猫", kind, defaultdict(lambda: word))


def test_tokens_hash_as_the_tuples_that_they_are():
    tokens = list(tokenizer("janome").tokens("庭で犬が走った" * 3))
    assert [hash(token) for token in tokens] == [hash(tuple(token)) for token in tokens]
    assert len(set(tokens)) == len(tokens)


@pytest.mark.parametrize("units", [[0xD842], [0xDFB7], [0xDFB7, 0xD842], [0x4E00, 0xD842, 0x4E00]], ids=str)
def test_half_a_character_among_the_strings_of_a_dictionary_is_refused(units):
    engine = engine_for(None, "native")
    strings = np.zeros(len(engine._dictionary.features.base), np.int32)

    def cutter(units):
        offsets, pool = np.array([0, len(units)], np.int32), np.array(units, np.uint16)
        return native.Cutter("lattice", engine._lattice, strings, offsets, pool)

    assert counted(native.Counter(SEED, 1, 1, []), cutter([0xD842, 0xDFB7]), "犬") == {"𠮷": 1}
    with pytest.raises(ValueError, match="strings of the dictionary are damaged"):
        cutter(units)


def test_a_finalizer_that_runs_while_terms_are_listed_may_use_the_same_counter():
    counter, cutter = native.Counter(SEED, 1, 1, []), tokenizer("words").cutter

    class Garbage:
        def __init__(self):
            self.cycle = self

        def __del__(self):
            counted(counter, cutter, "b")

    counted(counter, cutter, "a")
    strings, enable, kept = counter.strings, gc.enable, [[] for _ in range(500)]  # no spare list is left to be reused
    thresholds = gc.get_threshold()
    try:
        for _ in range(20):
            gc.disable()
            kept.append([Garbage() for _ in range(5)] and [])
            gc.set_threshold(3)
            enable()
            kept.append(strings())
    finally:
        gc.enable()
        gc.set_threshold(*thresholds)
    assert counter.strings() == ["a", "b"]


@pytest.mark.skipif(sys.platform == "win32", reason="the flags are gcc's")
@pytest.mark.skipif(not (ROOT / "setup.py").is_file(), reason="needs the sources, which are not here")
def test_more_buffers_than_there_is_room_for_are_refused(tmp_path):
    """No caller needs more than the 16 there is room for; this builds an extension with room for three."""
    into = [f"--build-lib={tmp_path}", f"--build-temp={tmp_path / 'temp'}"]
    command = [sys.executable, "setup.py", "-q", "build_ext", *into]
    flags = {"TEXTNB_CFLAGS": "-O0 -DBUFFERS=3"}
    done = subprocess.run(command, cwd=ROOT, env=os.environ | flags, capture_output=True, text=True, check=False)
    built = tmp_path / "textnb" / Path(native.__file__).name
    if not built.is_file():
        pytest.skip(f"cannot build the extension here: {done.stderr[-200:]}")
    spec = importlib.util.spec_from_file_location("textnb._native", built)
    small = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(small)
    starts = bytearray(np.array([0, 1], np.int32))
    columns, values = np.array([0], np.int32), np.ones(1)
    arguments = (starts, columns, values, values, values, values, columns, np.zeros(1), np.zeros(2), 1, 1, 8)
    native.hinge_pass(*arguments)
    with pytest.raises(ValueError, match="targets: more than 3 buffers at once"):
        small.hinge_pass(*arguments)
    with pytest.raises(ValueError, match="codes: more than 3 buffers at once"):
        small.Lattice((columns.repeat(3), columns.repeat(2), columns, columns), *[None] * 8, 0)
    starts.append(0)  # BufferError if it were still lent


RETURNING = """
from textnb._native import return_memory

def resident():
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * 4096 >> 20

del [b"x" * (20 << 20)][:]  # glibc takes blocks up to this size from the heap from now on
blocks, between = [], []
for _ in range(50):
    blocks.append(b"x" * (2 << 20))
    between.append(b"y" * 200_000)
before = resident()
blocks.clear()
kept = before - resident()
print(return_memory(), kept, before - resident())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the resident size is read from /proc")
def test_freed_memory_goes_back_to_the_system():
    done = subprocess.run([sys.executable, "-c", RETURNING], check=True, capture_output=True, text=True)
    returned, kept, given_back = done.stdout.split()
    if returned == "False":
        pytest.skip("the C library keeps nothing, or cannot give it back")
    assert int(kept) < 20
    assert int(given_back) >= 95
