"""The normaliser of a product over tokens, against the enumeration of all sequences."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import logsumexp
from token_products import by_fft

from textnb.models.bregman.tokens import Expansion, TokenProduct, box_cox, box_cox_inverse

P = np.array([0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
DOCUMENT = [0, 0, 1, 2, 3, 5]
PIS = (0.3, 0.5, 0.9, 1.1, 1.5, 2.0)


def sums(p, length, pi):
    """S of every sequence, V^N of them."""
    s = box_cox(-np.log(p), pi)
    total = s
    for _ in range(length - 1):
        total = np.add.outer(total, s).ravel()
    return total


def enumerated(p, length, pi):
    every = sums(p, length, pi)
    return brentq(lambda b: logsumexp(-box_cox_inverse(every + b, pi)), -1 / pi - every.min() + 1e-12, 100, xtol=1e-14)


@pytest.mark.parametrize(("pi", "expected"), [(0.5, -14.30846960), (1.2, -10.36627941)])
def test_the_worked_example(pi, expected):
    product = TokenProduct.of(np.log(P), pi)
    own = box_cox(-np.log(P), pi)[DOCUMENT].sum()
    assert -box_cox_inverse(own + enumerated(P, 6, pi), pi) == pytest.approx(expected, abs=1e-8)
    assert -box_cox_inverse(own + by_fft(product, 6), pi) == pytest.approx(expected, abs=1e-6)
    expanded = Expansion(product, 6).shift(np.array([6.0]))[0]
    assert -box_cox_inverse(own + expanded, pi) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("pi", PIS)
@pytest.mark.parametrize("length", [2, 4, 7])
def test_the_fourier_transform_is_the_enumeration(pi, length):
    product = TokenProduct.of(np.log(P), pi)
    assert by_fft(product, length) == pytest.approx(enumerated(P, length, pi), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("pi", PIS)
def test_the_expansion_is_the_fourier_transform_on_longer_documents(pi):
    p = np.random.default_rng(1).dirichlet(np.full(300, 0.3)) * 0.9 + 0.1 / 300
    product = TokenProduct.of(np.log(p), pi)
    for length in (20, 80):
        found = Expansion(product, length).shift(np.array([float(length)]))[0]
        exact = by_fft(product, length, 1 << 13)
        typical = length * product.cumulants(1.0)[1]
        log_p = [box_cox_inverse(np.array(typical + b), pi) for b in (found, exact)]
        assert log_p[0] == pytest.approx(log_p[1], rel=2e-5), length


@pytest.mark.parametrize("pi", [0.5, 0.9, 1.2, 2.0])
def test_the_sum_without_a_constant_is_that_of_all_sequences(pi):
    every = np.maximum(pi * sums(P, 6, pi) + 6, 0) ** (1 / pi)
    found = Expansion(TokenProduct.of(np.log(P), pi), 10).log_sum(np.array([1.0, 6.0]))
    assert found[0] == 0
    assert found[1] == pytest.approx(logsumexp(-every), abs=2e-3)


def test_one_token_and_pi_one_are_exact():
    for pi in PIS:
        assert Expansion(TokenProduct.of(np.log(P), pi), 5).shift(np.array([1.0])).tolist() == [0]
        assert by_fft(TokenProduct.of(np.log(P), pi), 1) == 0
    ordinary = Expansion(TokenProduct.of(np.log(P), 1.0), 5)
    own = box_cox(-np.log(P), 1.0)[[0, 1, 1]].sum()
    assert -box_cox_inverse(own + ordinary.shift(np.array([3.0]))[0], 1.0) == pytest.approx(np.log(0.4 * 0.25 * 0.25))
    assert ordinary.log_sum(np.array([3.0])).tolist() == [0]


def test_equal_tokens_share_the_mass():
    for pi in (0.5, 1.7):
        product = TokenProduct.of(np.log(np.full(5, 0.2)), pi)
        own = 3 * box_cox(np.array([np.log(5)]), pi)[0]
        assert box_cox_inverse(own + by_fft(product, 3), pi) == pytest.approx(3 * np.log(5))
        expanded = Expansion(product, 3).shift(np.array([3.0]))[0]
        assert box_cox_inverse(own + expanded, pi) == pytest.approx(3 * np.log(5), rel=1e-6)


@pytest.mark.parametrize("wrong", [[0.5, 0.0], [1.0], [np.nan]])
def test_probabilities_must_lie_between_zero_and_one(wrong):
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match="between 0 and 1"):
        TokenProduct.of(np.log(wrong), 0.5)


@pytest.mark.parametrize("pi", [0.5, 1.3])
def test_many_lengths_give_what_few_give(pi):
    p = np.random.default_rng(2).dirichlet(np.full(200, 0.4)) * 0.9 + 0.1 / 200
    expansion = Expansion(TokenProduct.of(np.log(p), pi), 100)
    lengths = np.arange(1.0, 101.0)
    for of in (expansion.shift, expansion.log_sum):
        np.testing.assert_allclose(of(lengths)[[1, 20, 99]], of(lengths[[1, 20, 99]]), rtol=1e-5, atol=1e-5)
