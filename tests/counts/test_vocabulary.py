import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.counts import Vocabulary
from textnb.errors import InputError

terms = st.lists(st.text("ab:01\x00 犬\ud800\U0001f600", max_size=4), max_size=6)


@given(terms)
def test_terms_are_distinct_and_sorted_by_code_point_and_the_place_of_each_is_its_column(some):
    vocabulary = Vocabulary(some)
    assert vocabulary.terms == tuple(sorted(set(some), key=lambda term: [ord(letter) for letter in term]))
    assert Vocabulary.of_sorted(sorted(set(some))) == vocabulary
    assert [vocabulary[term] for term in vocabulary] == list(range(len(vocabulary)))
    assert [vocabulary.terms[vocabulary[term]] for term in some] == some


def test_what_is_not_in_it_is_not_found():
    vocabulary = Vocabulary(["犬", "猫"])
    assert ("犬" in vocabulary, "雨" in vocabulary, None in vocabulary, 0 in vocabulary) == (True, False, False, False)
    with pytest.raises(KeyError, match="雨"):
        vocabulary["雨"]


def test_an_iterator_of_terms_is_enough_and_a_single_string_is_not():
    assert Vocabulary(iter(["b", "a"])).terms == ("a", "b")
    assert len(Vocabulary()) == 0
    with pytest.raises(InputError, match="cat"):
        Vocabulary("cat")


@pytest.mark.parametrize("wrong", [["b", "a"], ["a", "a"], ["a", "c", "b"]])
def test_terms_that_claim_to_be_sorted_are_checked(wrong):
    with pytest.raises(InputError, match="distinct and sorted by code point"):
        Vocabulary.of_sorted(wrong)


@given(terms, terms, terms)
def test_union_is_that_of_sets(a, b, c):
    a, b, c = map(Vocabulary, (a, b, c))
    assert set(a | b) == set(a) | set(b)
    assert a | b == b | a
    assert (a | b) | c == a | (b | c)
    assert a | a == a | Vocabulary() == a


@given(terms, terms)
def test_columns_of_a_part_lead_to_the_same_terms(some, more):
    part, whole = Vocabulary(some), Vocabulary(some + more)
    columns = whole.columns_of(part)
    assert tuple(whole.terms[column] for column in columns) == part.terms
    assert whole.selected(columns) == part
    assert columns.dtype == np.intp


def test_a_part_with_a_foreign_term_is_refused_by_that_term():
    with pytest.raises(InputError, match="'雨'"):
        Vocabulary(["犬", "猫"]).columns_of(Vocabulary(["犬", "雨"]))


@given(terms, terms)
def test_fingerprints_are_equal_exactly_when_the_terms_are(a, b):
    a, b = Vocabulary(a), Vocabulary(b)
    assert (a.fingerprint == b.fingerprint) == (a.terms == b.terms) == (a == b)
    assert len(a.fingerprint) == 32


def test_fingerprints_tell_apart_terms_that_imitate_the_separator():
    imitations = [["a", "b"], ["a\x001:b"], ["a\x00", "b"], ["ab"], [""], []]
    assert len({Vocabulary(terms).fingerprint for terms in imitations}) == len(imitations)


def test_it_travels_between_processes():
    vocabulary = Vocabulary(["犬", "\ud800"])
    assert pickle.loads(pickle.dumps(vocabulary)) == vocabulary


@pytest.mark.parametrize("ready", ["neither", "mine", "theirs", "both"])
def test_places_are_the_same_whichever_side_has_its_columns_ready(ready):
    mine, theirs = Vocabulary(["a", "c", "d", "x"]), Vocabulary(["b", "c", "x", "z"])
    for name, vocabulary in (("mine", mine), ("theirs", theirs)):
        if ready in {name, "both"}:
            assert vocabulary.columns
    assert mine.places_of(theirs).tolist() == [-1, 1, 3, -1]


@pytest.mark.parametrize("columns", [[], [0], [1, 3], [0, 1, 2, 3]])
def test_the_places_in_a_selection_are_those_in_a_vocabulary_of_its_terms(columns):
    whole = Vocabulary("abcd"[i : i + 1] for i in range(4))
    selection = whole.selected(np.array(columns, int))
    other, again = Vocabulary(selection.terms), Vocabulary(whole.terms)
    assert selection.places_of(whole).tolist() == other.places_of(again).tolist()
    assert selection.places_of(again).tolist() == other.places_of(again).tolist()


@pytest.mark.parametrize(("a", "b"), [("", ""), ("", "ab"), ("ab", ""), ("bd", "ace"), ("abc", "bc"), ("z", "a")])
def test_a_union_is_the_vocabulary_of_all_terms(a, b):
    union = Vocabulary(list(a)) | Vocabulary(list(b))
    assert union.terms == tuple(sorted({*a, *b}))
    assert union.columns_of(union).tolist() == list(range(len(union)))
    assert union.columns_of(Vocabulary(list(b))).tolist() == [union.terms.index(term) for term in sorted(b)]


def test_all_columns_are_the_vocabulary_itself_and_others_are_not_and_their_order_is_ascending():
    vocabulary = Vocabulary(["a", "b", "c"])
    with pytest.raises(InputError, match="distinct and in ascending order"):
        vocabulary.selected(np.array([1, 0]))
    assert vocabulary.selected(np.arange(3)) is vocabulary
    assert vocabulary.selected(np.array([0, 2])).terms == ("a", "c")
    assert Vocabulary().selected(np.arange(0)) == Vocabulary()


def test_equal_vocabularies_are_one_key_and_large_ones_that_differ_in_one_term_are_two():
    assert {Vocabulary(["a", "b"]), Vocabulary(["b", "a"])} == {Vocabulary(["a", "b"])}
    assert Vocabulary(["a"]) != ("a",)
    words = [f"{number:04}" for number in range(1000)]
    assert len({Vocabulary(words), Vocabulary(words), Vocabulary([*words[:500], "x", *words[501:]])}) == 2
