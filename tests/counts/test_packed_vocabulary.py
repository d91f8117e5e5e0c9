"""A packed vocabulary finds the same columns as a plain one, in Python and in the extension."""

import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb import Analyzer, Document
from textnb.counts import Vocabulary
from textnb.counts.documents import NativeRows, TermsOf
from textnb.counts.matrix import count_matrix
from textnb.counts.packed_vocabulary import PackedVocabulary, pack_terms, united
from textnb.counts.rows import as_matrix
from textnb.counts.term_union import _native_union, plain_union
from textnb.errors import InputError
from textnb.extension import has_extension, uses_extension
from textnb.text import tokenizer

TERMS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))


def packed(terms):
    return PackedVocabulary.of_arrays(pack_terms(Vocabulary(terms)))


@given(TERMS, TERMS)
def test_every_term_has_its_column_and_no_other_string_has_one(terms, others):
    plain, found = Vocabulary(terms), packed(terms)
    assert len(found) == len(plain)
    assert [found.find(term) for term in plain.terms] == list(range(len(plain)))
    assert [found.term(column) for column in range(len(plain))] == list(plain.terms)
    assert [found.find(term) for term in others] == [plain.find(term) for term in others]
    assert [term in found for term in others] == [term in plain for term in others]
    assert found.terms == plain.terms


@given(TERMS, TERMS)
def test_a_packed_vocabulary_does_what_a_plain_one_does(terms, others):
    plain, found, other = Vocabulary(terms), packed(terms), Vocabulary(others)
    assert found == plain
    assert plain == found
    assert hash(found) == hash(plain)
    assert found | other == plain | other
    assert found.fingerprint == plain.fingerprint
    assert np.array_equal(found.places_of(other), plain.places_of(other))
    assert pickle.loads(pickle.dumps(found)) == plain


@given(TERMS, st.randoms(use_true_random=False))
def test_a_selection_of_packed_terms_is_packed_and_equal_to_that_of_plain_ones(terms, chance):
    plain, found = Vocabulary(terms), packed(terms)
    columns = np.array(sorted(chance.sample(range(len(plain)), chance.randint(0, len(plain)))), np.intp)
    assert (found.selected(columns) == found) == (len(columns) == len(plain))
    assert np.array_equal(found.selected(columns).places_of(found), plain.selected(columns).places_of(plain))
    assert isinstance(found.selected(columns), PackedVocabulary)
    assert "terms" not in found.__dict__
    assert found.selected(columns) == plain.selected(columns)


@given(TERMS, st.text(st.characters(exclude_categories=["Cs"]), max_size=4))
def test_the_place_of_a_string_is_the_number_of_terms_before_it(terms, string):
    assert packed(terms).place(string) == sum(term < string for term in set(terms))


def test_few_terms_are_looked_up_without_creating_the_others():
    found = packed([f"term {i}" for i in range(1000)])
    assert found.places_of(Vocabulary(["term 5", "other"])).tolist() == [-1, found["term 5"]]
    assert not {"terms", "columns"} & found.__dict__.keys()
    with pytest.raises(KeyError):
        found["other"]


def test_equal_terms_are_equal_arrays_in_whatever_order_they_come():
    one, two = pack_terms(Vocabulary(["b", "a", "塩"])), pack_terms(Vocabulary(["塩", "b", "a"]))
    assert all(np.array_equal(one[name], two[name]) for name in one)
    again = pack_terms(PackedVocabulary.of_arrays(one))
    assert all(again[name] is one[name] for name in one)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 1000])
def test_the_table_has_every_term_at_or_after_its_home_with_no_free_place_between(n):
    arrays = pack_terms(Vocabulary([f"w{i}" for i in range(n)]))
    n_homes, places = int(arrays["table"][1]), arrays["table"][2:]
    assert n_homes >= n
    assert places[-1] == 0
    assert sorted((places[places > 0] & np.uint64(0xFFFFFFFF)).tolist()) == [*range(1, n + 1)]


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays.update(starts=arrays["starts"][:0]),
        lambda arrays: arrays.update(starts=arrays["starts"] + np.uint32(1)),
        lambda arrays: arrays.update(starts=arrays["starts"][:-1]),
        lambda arrays: arrays.update(starts=arrays["starts"].astype(np.int64)),
        lambda arrays: arrays.update(table=arrays["table"][:1]),
        lambda arrays: arrays.update(table=arrays["table"].astype(np.float64)),
        lambda arrays: arrays.update(bytes=arrays["bytes"][:-1]),
        lambda arrays: arrays.update(bytes=arrays["bytes"].reshape(1, -1)),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(change):
    arrays = pack_terms(Vocabulary(["a", "bc"]))
    change(arrays)
    with pytest.raises(InputError, match="do not fit together"):
        PackedVocabulary.of_arrays(arrays)


def test_terms_that_are_no_text_or_out_of_order_are_refused_when_all_are_created():
    arrays = pack_terms(Vocabulary(["a", "b"]))
    for data, complaint in ((b"\xff\xfe", "not UTF-8"), (b"ba", "sorted by code point")):
        changed = {**arrays, "bytes": np.frombuffer(data, np.uint8)}
        with pytest.raises(InputError, match=complaint):
            PackedVocabulary.of_arrays(changed).terms  # noqa: B018


needs_extension = pytest.mark.skipif(not has_extension(), reason="the extension is not installed")
ALPHABET = "ab éж塩🎉 -"


def rows_of(terms_of, vocabulary, documents):
    rows = NativeRows(terms_of, vocabulary)
    rows.add(rows.count(documents))
    return as_matrix(rows.build()[0])


@needs_extension
@pytest.mark.parametrize(
    "analyzer", [Analyzer(), Analyzer(ngram=(1, 3)), Analyzer(terms=("words", "chars")), Analyzer(terms=("chars",))]
)
def test_the_extension_counts_packed_terms_as_it_counts_plain_ones(analyzer):
    rng = random.Random(4)
    texts = ["".join(rng.choice(ALPHABET) for _ in range(rng.randrange(200))) for _ in range(60)]
    documents = [Document(text, fields={"to": ["me", "塩"]}) for text in texts]
    terms_of = TermsOf(tokenizer("words"), analyzer)
    every = count_matrix(map(terms_of, documents))[1]
    for some in (every, every.selected(np.arange(0, len(every), 2)), Vocabulary(), Vocabulary(["absent"])):
        plain = rows_of(terms_of, some, documents)
        found = rows_of(terms_of, PackedVocabulary.of_arrays(pack_terms(some)), documents)
        assert plain.shape == found.shape
        assert (plain != found).nnz == 0
        expected = count_matrix(map(terms_of, documents), some)[0]
        assert (found != expected).nnz == 0


@needs_extension
def test_damaged_arrays_give_other_counts_at_worst():
    rng = np.random.default_rng(5)
    terms_of = TermsOf(tokenizer("words"), Analyzer(terms=("words", "chars")))
    documents = [Document(f"the cat sat on the mat 塩 {i}") for i in range(20)]
    arrays = pack_terms(count_matrix(map(terms_of, documents))[1])
    for _ in range(300):
        damaged = {name: array.copy() for name, array in arrays.items()}
        for array in damaged.values():
            raw = array.view(np.uint8)
            raw[rng.integers(0, len(raw), 20)] = rng.integers(0, 256, 20)
        vocabulary = PackedVocabulary(*damaged.values())
        X = rows_of(terms_of, vocabulary, documents)
        assert len(X.indices) == 0 or 0 <= X.indices.min() <= X.indices.max() < len(vocabulary)
        assert -1 <= vocabulary.find("cat") < len(vocabulary)


@needs_extension
def test_a_counter_of_packed_terms_has_no_strings():
    from textnb._native import Counter

    counter = Counter(bytes(16), 1, 1, (), packed(["a"]).known)
    for give in (counter.strings, counter.sorted):
        with pytest.raises(ValueError, match="packed"):
            give()
    for wrong in ((b"", b"", b""), (b"", bytes(4), bytes(8)), (b"", bytes(3), bytes(16))):
        with pytest.raises(ValueError, match=r"packed terms need|cannot hold"):
            Counter(bytes(16), 1, 1, (), wrong)


def arrays_of(terms):
    vocabulary = packed(terms)
    return vocabulary.data, vocabulary.starts


@given(TERMS, TERMS)
def test_the_union_of_packed_terms_is_that_of_plain_ones(terms, others):
    whole, columns, their_columns = united(packed(terms), packed(others))
    assert whole == Vocabulary([*terms, *others])
    assert columns.tolist() == [whole.find(term) for term in sorted(set(terms))]
    assert their_columns.tolist() == [whole.find(term) for term in sorted(set(others))]
    for union in (united(Vocabulary(terms), Vocabulary(others)), united(Vocabulary(terms), packed(others))):
        assert union.vocabulary == whole
        assert np.array_equal(union.columns, columns)
        assert np.array_equal(union.others, their_columns)
    assert packed(terms) | Vocabulary(others) == Vocabulary(terms) | packed(others) == whole


@needs_extension
@given(TERMS, TERMS)
def test_the_extension_and_python_give_the_same_union(terms, others):
    arrays = *arrays_of(terms), *arrays_of(others)
    for mine, theirs in zip(_native_union(*arrays), plain_union(*arrays), strict=True):
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("union", [pytest.param(_native_union, marks=needs_extension), plain_union])
def test_terms_that_are_out_of_order_or_out_of_range_are_no_part_of_a_union(union):
    sound = np.frombuffer(b"xyz", np.uint8), np.array([0, 1, 3], np.uint32)
    for data, starts, complaint in (
        (b"ba", [0, 1, 2], "distinct and sorted"),
        (b"aa", [0, 1, 2], "distinct and sorted"),
        (b"ab", [0, 1, 3], "out of range"),
        (b"ab", [0, 2, 1], "out of range"),
        (b"ab", [0, 2**32 - 1, 2], "out of range"),
    ):
        damaged = np.frombuffer(data, np.uint8), np.array(starts, np.uint32)
        for arrays in ((*damaged, *sound), (*sound, *damaged)):
            with pytest.raises(ValueError, match=complaint):
                union(*arrays)


@needs_extension
def test_random_arrays_give_a_union_or_are_refused():
    rng = np.random.default_rng(6)
    for _ in range(2000):
        arrays = []
        for n_terms, n_bytes in rng.integers(0, 12, (2, 2)):
            starts = np.sort(rng.integers(0, n_bytes + 1 + (rng.random() < 0.2), n_terms + 1))
            arrays += [rng.integers(0, 3, n_bytes).astype(np.uint8), starts.astype(np.uint32)]
        results = []
        for union in (_native_union, plain_union):
            try:
                results.append([part.tolist() for part in union(*arrays)])
            except ValueError:
                results.append(None)
        assert results[0] == results[1]


@needs_extension
def test_buffers_of_a_union_that_do_not_fit_are_refused():
    from textnb._native import term_union

    data, starts, places = np.zeros(2, np.uint8), np.arange(3, dtype=np.uint32), np.zeros(2, np.int64)
    data[1] = 1
    fits = [data, starts, places, data, starts, places.copy(), np.zeros(4, np.uint8), np.zeros(5, np.uint32)]
    assert term_union(*fits) == 2
    for number, wrong in ((1, starts[:2].copy()), (2, places[:1].copy()), (6, data[:1].copy()), (7, starts)):
        with pytest.raises(ValueError, match=r"items, expected|no room"):
            term_union(*fits[:number], wrong, *fits[number + 1 :])
    with pytest.raises(BufferError):
        term_union(*fits[:6], bytes(4), fits[7])


def test_terms_with_lone_surrogates_are_joined_as_strings():
    whole, columns, others = united(Vocabulary(["a", "\ud800"]), packed(["b", "\ue000"]))
    assert whole.terms == ("a", "b", "\ud800", "\ue000")
    assert (columns.tolist(), others.tolist()) == ([0, 2], [1, 3])


def test_many_terms_are_mapped_without_creating_strings():
    whole, part = packed([f"w{i:05}" for i in range(5000)]), packed([f"w{i:05}" for i in range(0, 5000, 2)])
    assert np.array_equal(whole.columns_of(part), np.arange(0, 5000, 2))
    if uses_extension():
        assert not {"terms", "columns"} & (whole.__dict__.keys() | part.__dict__.keys())
    with pytest.raises(InputError, match="'other' is not in the vocabulary"):
        whole.columns_of(packed([*part, "other"]))


@pytest.mark.parametrize("n", [1, 7, 800, 4000])
@pytest.mark.parametrize("known", ["nothing", "columns"])
def test_places_are_equal_by_look_up_by_union_and_by_dictionary(n, known):
    terms = [f"w{i:05}" for i in range(3000)]
    whole, others = packed(terms), [f"w{i:05}" for i in range(1, 2 * n, 2)]
    if known == "columns":
        assert whole.columns["w00001"] == 1
    expected = [terms.index(term) if term in terms else -1 for term in others]
    for part in (Vocabulary(others), packed(others)):
        assert whole.places_of(part).tolist() == expected
