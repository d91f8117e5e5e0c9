import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from textnb.counts import WEIGHTINGS, ClassCounts, weighting
from textnb.errors import InputError

X = sparse.csr_array(np.array([[0, 1, 5], [3, 0, 0]], np.int32))
FORMULA = {"raw": lambda tf: tf, "binary": lambda tf: min(tf, 1), "log": lambda tf: math.log(1 + tf)}


def test_every_weighting_has_its_formula_tested():
    assert FORMULA.keys() == WEIGHTINGS.keys()


@pytest.mark.parametrize("name", WEIGHTINGS)
@settings(max_examples=30, deadline=None)
@given(row=st.lists(st.integers(0, 10**6), min_size=1, max_size=6))
def test_weights_are_those_of_the_formula(name, row):
    weights = weighting(name).weights(sparse.csr_array([row]))
    assert weights.dtype == np.float64
    np.testing.assert_allclose(weights.toarray()[0], [FORMULA[name](tf) for tf in row], atol=2**-21)


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


@settings(max_examples=30, deadline=None)
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
def test_a_count_stored_in_two_parts_has_the_weight_of_their_sum(name):
    parts = sparse.csr_array((np.array([2, 1, 0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 3))
    whole = sparse.csr_array([[0, 3, 0]])
    assert weighting(name).weights(parts).toarray().tolist() == weighting(name).weights(whole).toarray().tolist()


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_the_counts_are_left_as_they_are(name):
    stored = sparse.csr_array((np.array([2, 1, 0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 3))
    kept = [part.copy() for part in (stored.data, stored.indices, stored.indptr)]
    weighting(name).weights(stored)
    assert all(map(np.array_equal, kept, (stored.data, stored.indices, stored.indptr)))


@pytest.mark.parametrize("name", WEIGHTINGS)
@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_nothing_weighs_nothing(name, shape):
    assert weighting(name).weights(sparse.csr_array(shape, dtype=np.int32)).shape == shape


def test_an_unknown_weighting_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="'tf' is not known; known: binary, log, raw"):
        weighting("tf")
