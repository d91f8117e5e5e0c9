from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from textnb.comparison.comparison import corrected_t, holm, mcnemar
from textnb.errors import InputError

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=6)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 1), (3, 3), (2, 9), (40, 61), (0, 12)])
def test_mcnemar_is_the_exact_binomial_test(b, c):
    expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar(b, c) == pytest.approx(expected, abs=1e-12)
    assert mcnemar(b, c) == mcnemar(c, b)


@pytest.mark.parametrize(("b", "c"), [(1, 4), (0, 6), (3, 3), (2, 7)])
def test_mcnemar_counts_the_outcomes_that_are_as_far_apart(b, c):
    throws = [sum(coins) for coins in product((0, 1), repeat=b + c)]
    far = sum(abs(2 * heads - b - c) >= abs(b - c) for heads in throws)
    assert mcnemar(b, c) == pytest.approx(far / len(throws), abs=1e-12)


def test_the_corrected_t_without_correction_is_students():
    d = np.array([0.02, -0.01, 0.03, 0.015, 0.0])
    assert corrected_t(d, 0.0) == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=1e-12)


def test_the_corrected_t_is_the_formula_of_nadeau_and_bengio():
    d = np.random.default_rng(0).normal(0.01, 0.02, 10)
    t = d.mean() / np.sqrt((1 / 10 + 1 / 4) * d.var(ddof=1))
    assert corrected_t(d, 1 / 4) == pytest.approx(2 * stats.t.sf(abs(t), 9), abs=1e-12)
    assert corrected_t(d, 1 / 4) == corrected_t(-d, 1 / 4) > corrected_t(d, 0.0)


def test_no_difference_is_no_significance_and_a_constant_one_is_certain():
    assert corrected_t([0.0, 0.0, 0.0], 0.25) == 1.0
    assert corrected_t([0.01, 0.01, 0.01], 0.25) == 0.0
    assert corrected_t([0.01, -0.01], 0.25) == 1.0


def test_a_t_test_of_one_fold_is_refused():
    with pytest.raises(InputError, match="two folds or more"):
        corrected_t([0.1], 0.25)


def closed_testing(p_values):
    """Holm by definition: a hypothesis falls at the level at which all intersections with it fall by Bonferroni."""
    m = len(p_values)
    subsets = [chosen for chosen in product((False, True), repeat=m) if any(chosen)]
    return [
        max(min(1.0, sum(s) * min(p for p, inside in zip(p_values, s, strict=True) if inside)) for s in subsets if s[i])
        for i in range(m)
    ]


@given(SHARES)
@settings(max_examples=40, deadline=None)
def test_holm_is_closed_testing_with_bonferroni(p_values):
    np.testing.assert_allclose(holm(p_values), closed_testing(p_values), atol=1e-12)


def test_holm_does_not_depend_on_the_order_and_of_none_is_none():
    p = [0.01, 0.2, 0.04]
    by_value = dict(zip(p, holm(p), strict=True))
    for order in permutations(p):
        assert holm(order) == [by_value[value] for value in order]
    assert holm([]) == []
