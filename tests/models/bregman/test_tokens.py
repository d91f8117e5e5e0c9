"""The formulas of a product over tokens."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from textnb.errors import InputError
from textnb.models.bregman.sequences import normaliser
from textnb.models.bregman.tokens import TokenProduct, check_range, gaps, log_surprisal, rise

P = np.array([0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
DOCUMENT = [0, 0, 1, 2, 3, 5]
PIS = (1e-6, 1e-3, 0.05, 0.5, 0.9, 1.0, 1.1, 2.0, 8.0, 50.0)


def log_p(product, found, document):
    """log p of a document given by its surprisals."""
    sums = gaps(document, product.pi, product.a[0], product.r).sum()
    return -float(product.rise(found.log_v, sums)) - found.excess - len(document) * product.log_n_tokens


@pytest.mark.parametrize("pi", PIS)
def test_surprisals_are_the_formula_in_exact_arithmetic(pi):
    product, surprisals = TokenProduct.of(np.log(P), pi), -np.log(P)[DOCUMENT]
    sums = gaps(surprisals, pi, product.a[0], product.r).sum()
    with localcontext(prec=60):
        power, exact = Decimal(pi), [Decimal(float(a)) for a in surprisals]
        for c in (Decimal(0), Decimal("0.7")):
            log_h = ((sum(a**power for a in exact) + c).ln() / power) - Decimal(product.r).ln()
            v_power = 6 * Decimal(product.a[0]) ** power + c
            log_v = v_power.ln() / power - Decimal(product.r).ln()
            difference = log_h.exp() - log_v.exp() if log_h < 700 else Decimal("inf")
            assert float(log_surprisal(float(log_v), sums, pi)) == pytest.approx(float(log_h), rel=1e-9)
            assert float(rise(float(log_v), sums, pi)) == pytest.approx(float(difference), rel=2e-9)


def test_a_sum_without_the_most_probable_token_may_be_below_its_own():
    """Left-out probabilities are larger or smaller than those that the constants were computed for."""
    assert float(rise(0.0, -0.2, 0.5)) == pytest.approx(0.9**2 - 1)
    assert float(rise(0.0, -5.0, 0.5)) == -1


def test_the_worked_examples():
    for pi, expected in ((0.5, -14.30846960), (1.2, -10.36627941)):
        product = TokenProduct.of(np.log(P), pi)
        assert log_p(product, normaliser(product, 6, "u"), -np.log(P)[DOCUMENT]) == pytest.approx(expected, abs=1e-8)


def test_powers_beyond_the_floats_are_refused_and_negligible_ones_are_not():
    with pytest.raises(InputError, match=r"pi = 1000 is too large: .* from 2 to 10.* use a pi of at most 428\.7"):
        check_range(np.array([2.0, 10.0]), 1000.0)
    check_range(np.array([2.0, 10.0]), 428.0)
    check_range(np.array([0.0, 10.0]), 29.0)
    check_range(np.array([2.0, np.inf]), 1000.0)


@pytest.mark.parametrize("wrong", [[0.5, 0.0], [np.nan], [1.5]])
def test_probabilities_must_be_above_zero(wrong):
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match="above 0 for all tokens: use an alpha above 0"):
        TokenProduct.of(np.log(wrong), 0.5)
