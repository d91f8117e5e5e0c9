"""ClassCounts is a commutative monoid with a partial inverse: exactly for whole counts, to rounding for fractions."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import check_laws, dealt_out
from scipy import sparse

from textnb.counts import ClassCounts, Vocabulary
from textnb.errors import NotLearntError

WORDS = Vocabulary(["犬", "猫", "雨", "雪"])
CLASSES = ("x", "y", "z")
ZERO = ClassCounts.zero(WORDS, CLASSES)


def batches(values):
    document = st.tuples(st.sampled_from(CLASSES), st.lists(values, min_size=4, max_size=4), values)
    return st.lists(document, max_size=7)


whole = batches(st.integers(0, 4))
fractional = batches(st.just(0.0) | st.floats(0.01, 10.0))


def counted(documents):
    rows = np.array([row for _, row, _ in documents], np.int64).reshape(-1, 4)
    return ClassCounts.of(rows, [label for label, _, _ in documents], WORDS, CLASSES)


def weighed(documents):
    rows = np.array([row for _, row, _ in documents], np.float64).reshape(-1, 4)
    weight = [weight for _, _, weight in documents]
    return ClassCounts.of(rows, [label for label, _, _ in documents], WORDS, CLASSES, sample_weight=weight)


def tables(counts):
    return counts.documents, counts.terms.toarray(), counts.containing.toarray()


def copied(counts):
    return [table.copy() for table in tables(counts)]


def close(a, b):
    return all(np.allclose(x, y, rtol=1e-9, atol=1e-10) for x, y in zip(tables(a), tables(b), strict=True))


@given(whole, whole, whole)
def test_whole_counts_obey_the_laws_exactly(a, b, c):
    a, b, c = map(counted, (a, b, c))
    check_laws(a, b, c, ZERO)
    assert {table.dtype for table in tables((a + b) - b)} == {np.dtype(np.int64)}


@given(fractional, fractional, fractional)
def test_fractions_obey_the_laws_to_rounding(a, b, c):
    check_laws(*map(weighed, (a, b, c)), ZERO, close)


@given(dealt_out(whole), dealt_out(fractional))
def test_parts_in_any_order_make_the_whole(of_whole, of_fractional):
    documents, parts = of_whole
    assert reduce(add, map(counted, parts), ZERO) == counted(documents)
    documents, parts = of_fractional
    assert close(reduce(add, map(weighed, parts)), weighed(documents))


@given(whole, whole)
def test_taking_away_is_exact_or_refused_and_changes_neither(a, b):
    a, b = counted(a), counted(b)
    before = copied(a), copied(b)
    expected = [x - y for x, y in zip(*before, strict=True)]
    if min(table.min() for table in expected) < 0:
        with pytest.raises(NotLearntError, match=r"class '[xyz]' has (fewer documents|seen '[犬猫雨雪]' less often)"):
            a - b
    else:
        assert all(map(np.array_equal, tables(a - b), expected))
    assert all(map(np.array_equal, (*tables(a), *tables(b)), (*before[0], *before[1])))


@given(fractional, fractional)
def test_fractions_that_are_not_there_are_refused(a, b):
    a, b = weighed(a), weighed(b)
    before = copied(a), copied(b)
    lacking = min((x - y).min() for x, y in zip(*before, strict=True))
    if lacking < -1e-3:
        with pytest.raises(NotLearntError, match=r"class '[xyz]' has"):
            a - b
    assert all(map(np.array_equal, (*tables(a), *tables(b)), (*before[0], *before[1])))


def test_the_refusal_names_the_class_and_the_term():
    more = counted([("y", [0, 0, 3, 0], 1)])
    with pytest.raises(NotLearntError, match="class 'y' has seen '雨' less often"):
        counted([("y", [5, 0, 2, 0], 1)]) - more
    with pytest.raises(NotLearntError, match="class 'y' has fewer documents"):
        counted([("x", [5, 0, 9, 0], 1)]) - more
    nameless = [ClassCounts.of([row], ["y"]) for row in ([1, 0], [0, 1])]
    with pytest.raises(NotLearntError, match="class 'y' has seen 1 less often"):
        nameless[0] - nameless[1]


def test_equal_term_totals_in_fewer_documents_are_refused():
    """Taking away one document of 2 from two of 1 and 1 would leave a document that contains nothing."""
    with pytest.raises(NotLearntError, match="class 'x' has seen '犬' less often"):
        counted([("x", [2, 0, 0, 0], 1), ("x", [0, 0, 0, 0], 1)]) - counted([("x", [1, 0, 0, 0], 1)] * 2)


def test_fractions_taken_away_one_by_one_leave_nothing():
    parts = [weighed([("x", [0.1 * n, 0, 0, 0.3], 0.1 * n)]) for n in range(1, 8)]
    rest = reduce(add, parts)
    for part in parts:
        rest = rest - part
    assert rest == ZERO
    assert rest.trimmed() == ClassCounts.zero(Vocabulary(), ())


@pytest.mark.parametrize("row", [[1e12, 5.0, 0.0, 1e-3], [1e-10, 5e-11, 0.0, 1e-12]])
def test_small_fractions_survive_a_subtraction_that_is_none_of_theirs(row):
    counts = weighed([("x", row, 1.0), ("y", [2.0, 0.0, 0.0, 0.0], 1.0)])
    np.testing.assert_allclose((counts - ZERO).terms.toarray(), counts.terms.toarray())


def test_weights_that_were_summed_in_another_order_can_be_forgotten():
    n, step = 100_000, 1_000
    X, y, weight = sparse.csr_array(np.ones((n, 1))), np.zeros(n, int), np.full(n, 0.1)
    cuts = [slice(start, start + step) for start in range(0, n, step)]
    parts = reduce(add, (ClassCounts.of(X[cut], y[cut], sample_weight=weight[cut]) for cut in cuts))
    at_once = ClassCounts.of(X, y, sample_weight=weight)
    assert (at_once - parts).documents == pytest.approx(0, abs=1e-6)
    assert (parts - at_once).documents == pytest.approx(0, abs=1e-6)


def test_thousands_of_parts_may_be_added_before_anything_is_asked():
    part = counted([("x", [1, 0, 2, 0], 1)])
    total = reduce(add, [part] * 3000, ZERO)
    assert total.containing.toarray()[0].tolist() == [3000, 0, 3000, 0]


@pytest.mark.parametrize("dtype", [int, float])
def test_the_laws_hold_without_any_term(dtype):
    counts = ClassCounts.of(np.zeros((2, 0), dtype), ["x", "y"])
    assert (counts + counts) - counts == counts
