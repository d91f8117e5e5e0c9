import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from textnb.counts import WEIGHTINGS, ClassCounts
from textnb.counts.weighting import weighting
from textnb.errors import InputError

X = sparse.csr_array(np.array([[0, 1, 5], [3, 0, 0]], np.int32))
FORMULA = {"raw": lambda tf: tf, "binary": lambda tf: min(tf, 1), "log": lambda tf: math.log(1 + tf)}
FORMULA["tfidf"] = FORMULA["log"]  # before the idf
LEARNT = np.array([[2, 0, 1, 4], [0, 1, 1, 0], [3, 0, 1, 0], [0, 0, 1, 7]])  # of one term all documents have some
LABELS = ["x", "y", "x", "y"]


def by_hand(name, counts, learnt=LEARNT):
    """The weights of counts (D, V) beside what was learnt, in numpy."""
    counts = np.asarray(counts, float)
    plain, _, l2 = name.partition("-")
    weights = {"raw": counts, "binary": np.minimum(counts, 1)}.get(plain, np.log(1 + counts))
    if plain == "tfidf":
        weights = weights * np.log(len(learnt) / (learnt > 0).sum(axis=0))
    if not l2:
        return weights
    lengths = np.sqrt((weights**2).sum(axis=1, keepdims=True))
    return np.divide(weights, lengths, out=np.zeros_like(weights), where=lengths > 0)


def statistics(name, learnt=LEARNT):
    chosen = weighting(name)
    return ClassCounts.of(chosen.stored(sparse.csr_array(learnt)), LABELS, unit=chosen.unit)


def test_there_are_eight_weightings_and_every_one_has_its_formula_tested():
    plain = ["raw", "binary", "log", "tfidf"]
    assert list(WEIGHTINGS) == [name + end for name in plain for end in ("", "-l2")]
    assert FORMULA.keys() == set(plain)
    assert all(WEIGHTINGS[name].name == name for name in WEIGHTINGS)


@pytest.mark.parametrize("name", WEIGHTINGS)
@given(row=st.lists(st.integers(0, 10**6), min_size=1, max_size=6))
def test_weights_are_those_of_the_formula(name, row):
    weights = weighting(name).weights(sparse.csr_array([row]))
    assert weights.dtype == np.float64
    formula = FORMULA[name.removesuffix("-l2")]  # length normalisation comes after the idf
    np.testing.assert_allclose(weights.toarray()[0], [formula(tf) for tf in row], atol=2**-21)


@pytest.mark.parametrize("name", WEIGHTINGS)
@settings(max_examples=20)
@given(rows=st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1, max_size=3))
def test_with_what_was_learnt_they_are_those_of_plain_numpy(name, rows):
    weigh = weighting(name).on(statistics(name))
    counts = sparse.csr_array(np.array(rows))
    found = weigh(counts)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found.toarray(), by_hand(name, rows), atol=1e-5)
    if name.endswith("-l2"):
        lengths = np.linalg.norm(found.toarray(), axis=1)
        assert all(length == 0 or length == pytest.approx(1) for length in lengths)
    assert counts.toarray().tolist() == rows


@pytest.mark.parametrize("name", [name for name in WEIGHTINGS if not name.endswith("-l2")])
def test_class_counts_are_the_sums_of_the_weighted_documents(name):
    stored = statistics(name)
    counts = weighting(name).on(stored).class_counts(stored)
    of_class = [[label == kind for label in LABELS] for kind in "xy"]
    summed = [by_hand(name, LEARNT[rows]).sum(axis=0) for rows in of_class]
    np.testing.assert_allclose(counts.terms.toarray() * counts.unit, summed, atol=1e-5)
    assert counts.documents.tolist() == [2, 2]
    assert counts.containing.toarray().tolist() == stored.containing.toarray().tolist()
    assert (counts.terms.data > 0).all()


def test_the_idf_is_that_of_all_classes_together_and_changes_with_what_is_learnt():
    weigher = weighting("tfidf").on(statistics("tfidf"))
    np.testing.assert_allclose(weigher.idf, np.log([4 / 2, 4 / 1, 4 / 4, 4 / 2]))
    more = statistics("tfidf") + statistics("tfidf", np.array([[1, 0, 0, 0]] * 4))
    np.testing.assert_allclose(weighting("tfidf").on(more).idf, np.log([8 / 6, 8 / 1, 8 / 4, 8 / 2]))
    assert weighting("log").on(statistics("log")).idf is None


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_stored_weights_are_whole_numbers_times_the_unit(name):
    chosen = weighting(name)
    stored = chosen.stored(X)
    assert stored.dtype.kind == "i"
    assert (stored.toarray() * chosen.unit).tolist() == chosen.weights(X).toarray().tolist()


def test_a_log_weight_is_the_nearest_multiple_of_its_unit():
    stored = weighting("log").stored(sparse.csr_array([list(range(1, 200))])).toarray()[0]
    for tf, whole in enumerate(stored.tolist(), start=1):
        assert abs(Fraction(whole) - Fraction(math.log1p(tf)) * 2**20) <= Fraction(1, 2)


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.float64])
def test_a_log_weight_does_not_depend_on_the_counts_beside_it(dtype):
    counts = np.arange(1, 256).astype(dtype)
    one_by_one = [weighting("log").weights(sparse.csr_array([[n]])).data[0] for n in counts.tolist()]
    for row in (counts, np.tile(counts, 3), np.tile(counts[:7], 30)):
        found = weighting("log").weights(sparse.csr_array([row])).data
        assert found.tolist() == [one_by_one[int(n) - 1] for n in row]


@given(st.permutations(list(range(1, 9))), st.integers(1, 7))
def test_log_weights_add_up_exactly_in_any_order(order, cut):
    chosen = weighting("log")

    def counts(rows):
        stored = chosen.stored(sparse.csr_array(np.array(rows).reshape(-1, 1)))
        return ClassCounts.of(stored, ["x"] * len(rows), unit=chosen.unit)

    whole = counts(sorted(order))
    assert counts(order[:cut]) + counts(order[cut:]) == whole
    assert whole - counts(order[cut:]) == counts(order[:cut])


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_a_count_stored_in_two_parts_has_the_weight_of_their_sum_and_is_left_as_it_is(name):
    parts = sparse.csr_array((np.array([2, 1, 0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 3))
    whole = sparse.csr_array([[0, 3, 0]])
    kept = [part.copy() for part in (parts.data, parts.indices, parts.indptr)]
    assert weighting(name).weights(parts).toarray().tolist() == weighting(name).weights(whole).toarray().tolist()
    assert all(map(np.array_equal, kept, (parts.data, parts.indices, parts.indptr)))


@pytest.mark.parametrize("name", WEIGHTINGS)
@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_nothing_weighs_nothing(name, shape):
    assert weighting(name).weights(sparse.csr_array(shape, dtype=np.int32)).shape == shape


def test_an_unknown_weighting_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"unknown weighting 'tf'; use 'raw', 'raw-l2', .*'tfidf' or 'tfidf-l2'"):
        weighting("tf")
