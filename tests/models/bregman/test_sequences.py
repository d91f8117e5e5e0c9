"""The normalisers of Text U-NB against sums over all sequences, and against draws where there are too many."""

import itertools

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import logsumexp

from textnb.errors import InputError
from textnb.models.bregman import sequences
from textnb.models.bregman.sequences import between, multisets, normaliser
from textnb.models.bregman.tokens import TokenProduct, gaps

SHAPES = [(2, 1), (2, 9), (3, 2), (3, 7), (4, 5), (5, 3), (5, 6)]
PIS = (0.05, 0.1, 0.3, 0.5, 0.6, 0.9, 0.99, 1.0, 1.01, 1.2, 2.0, 3.0, 8.0, 20.0, 50.0)
REFUSED = ("m", 50.0, 5)
ZIPF = 1 / np.arange(1, 2001) / (1 / np.arange(1, 2001)).sum()


def distribution(size, seed=0, concentration=1.0):
    p = np.random.default_rng(seed).dirichlet(np.full(size, concentration))
    return 0.99 * p + 0.01 / size


def every_sequence(product, p, length):
    """Sums D of all V^N sequences."""
    d = gaps(-np.log(p), product.pi, product.a[0], product.r)
    total = np.zeros(1)
    for _ in range(length):
        total = np.add.outer(total, d).ravel()
    return total


def log_p(product, found, sums, length):
    return -product.rise(found.log_v, sums) - found.excess - length * product.log_n_tokens


@pytest.mark.parametrize("norm", ["u", "m"])
@pytest.mark.parametrize("pi", PIS)
def test_all_sequences_sum_to_one(pi, norm):
    for size, length in (*SHAPES, (5, 9))[: None if pi in (0.05, 3.0, 50.0) else -1]:
        p = distribution(size)
        product = TokenProduct.of(np.log(p), pi)
        found = normaliser(product, length, norm)
        logs = log_p(product, found, every_sequence(product, p, length), length)
        assert logsumexp(logs) == pytest.approx(0, abs=1e-9), (size, length)


@pytest.mark.parametrize("pi", [0.3, 0.9, 1.2, 3.0, 8.0])
def test_they_are_the_constants_of_the_definition(pi):
    for size, length in SHAPES:
        p = distribution(size, seed=1)
        product, x = TokenProduct.of(np.log(p), pi), (-np.log(p)) ** pi
        total = np.zeros(1)
        for _ in range(length):
            total = np.add.outer(total, x).ravel()

        def excess(c, total=total):
            return logsumexp(-(np.maximum(total + c, 0.0) ** (1 / pi)))

        high = (length * np.log(size)) ** pi
        c = 0.0 if length == 1 else brentq(excess, -total.min() + 1e-13, high, xtol=1e-15, rtol=1e-14)
        v = product.v(normaliser(product, length, "u").log_v)
        assert v**pi - total.min() == pytest.approx(c, rel=1e-7, abs=1e-8 * high)
        m = normaliser(product, length, "m")
        log_z = m.excess + length * product.log_n_tokens - product.v(m.log_v)
        assert log_z == pytest.approx(logsumexp(-(total ** (1 / pi))), rel=1e-9, abs=1e-9)


def test_the_example_that_summed_to_141():
    product = TokenProduct.of(np.log([0.3, 0.7]), 3.0)
    sums = every_sequence(product, np.array([0.3, 0.7]), 10)
    assert np.exp(log_p(product, normaliser(product, 10, "u"), sums, 10)).sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("norm", ["u", "m"])
@pytest.mark.parametrize("pi", [0.05, 0.2, 0.45, 0.55, 0.7, 0.99, 1.01, 1.5, 3.0, 8.0, 20.0, 50.0])
@pytest.mark.parametrize("concentration", [0.3, 5.0])
def test_bounds_hold_where_all_sequences_can_be_summed(pi, norm, concentration, monkeypatch):
    refused = 0
    for size, length in ((2, 5), (5, 4), (5, 9), (3, 30)):
        product = TokenProduct.of(np.log(distribution(size, 2, concentration)), pi)
        exact = multisets(product, length)
        with monkeypatch.context() as patch:
            patch.setattr(sequences, "_MAX_MULTISETS", 0)
            try:
                found = normaliser(product, length, norm)
            except InputError:
                refused += 1
                continue
        error = exact.excess(found.log_v) - found.excess
        assert found.method == "bounded"
        assert found.low - 1e-9 <= error <= found.high + 1e-9
        assert -1e-3 <= found.low <= found.high <= 1e-3
    assert refused == 0 or (norm == "m" and pi >= 8)


def drawn(product, found, length, theta, n=5_000):
    """log Z - N log V - excess from draws of a tilted distribution, and its standard error."""
    q = np.exp(product.log_number - theta * product.d)
    rng = np.random.default_rng(5)
    ends = np.cumsum(q) / q.sum()
    places = np.minimum(np.searchsorted(ends, rng.random((n, length))), len(q) - 1)
    sums = product.d[places].sum(axis=1)
    logs = theta * sums - product.rise(found.log_v, sums)
    weights = np.exp(logs - logs.max())
    log_z = np.log(weights.mean()) + logs.max() + length * (np.log(q.sum()) - product.log_n_tokens)
    return log_z - found.excess, weights.std() / weights.mean() / n**0.5


ZIPF_CASES = set(itertools.product(("u", "m"), (0.2, 0.7, 0.95, 1.05, 1.5, 2.0, 5.0, 50.0), (5, 100))) - {REFUSED}


@pytest.mark.parametrize(("norm", "pi", "length"), sorted(ZIPF_CASES))
def test_two_thousand_tokens_of_zipf_agree_with_draws(norm, pi, length):
    product = TokenProduct.of(np.log(ZIPF), pi)
    found = normaliser(product, length, norm)
    with np.errstate(all="ignore"):
        theta, _, typical = sequences._saddle(product, length, norm)
    error, standard_error = drawn(product, found, length, theta)
    assert found.method == "bounded"
    assert max(-found.low, found.high) <= max(1e-3, 1e-6 * typical)
    assert standard_error < 0.05
    assert abs(error) <= 5 * standard_error + 1e-3
    if norm == "u":
        assert found.excess + length * product.log_n_tokens == pytest.approx(product.v(found.log_v), abs=1e-6)


def test_what_cannot_be_bounded_is_refused_in_one_line():
    with pytest.raises(InputError, match=r"^norm='m': pi = 50 .* of 5 tokens .*; use norm='none' or a pi nearer 1$"):
        normaliser(TokenProduct.of(np.log(ZIPF), REFUSED[1]), REFUSED[2], REFUSED[0])
    with pytest.raises(InputError, match=r"^norm='u': pi = 2 .* of 1000000 tokens"):
        normaliser(TokenProduct.of(np.log(ZIPF), 2.0), 1_000_000, "u")


@pytest.mark.parametrize("norm", ["u", "m"])
def test_one_token_pi_one_and_equal_tokens_need_no_sum(norm):
    uniform = np.full(7, 1 / 7)
    cases = [(distribution(4), pi, 1) for pi in PIS] + [(distribution(4), 1.0, 9)]
    for p, pi, length in cases + [(uniform, pi, 5) for pi in PIS]:
        product = TokenProduct.of(np.log(p), pi)
        found = normaliser(product, length, norm)
        assert found.method == "exact"
        sums = every_sequence(product, p, length)
        assert logsumexp(log_p(product, found, sums, length)) == pytest.approx(0, abs=1e-10)


def test_a_token_of_probability_one_among_others():
    product = TokenProduct.of(np.array([0.0, -40.0, -50.0, -60.0]), 0.5)
    found = normaliser(product, 4, "u")
    assert np.exp(log_p(product, found, np.zeros(1), 4)) == pytest.approx([1.0])


@pytest.mark.parametrize("norm", ["u", "m"])
@pytest.mark.parametrize("pi", [0.05, 0.5, 0.9, 1.0, 1.3, 3.0, 20.0])
def test_lengths_that_are_not_whole_lie_between_the_whole_ones(pi, norm):
    p = distribution(6)
    product = TokenProduct.of(np.log(p), pi)
    for below in (1, 2, 7):
        ends = [normaliser(product, below + i, norm) for i in (0, 1)]
        places = np.linspace(0, 1, 21)[1:-1]
        found = [ends[0], *(between(product, below + x, ends, norm) for x in places), ends[1]]
        for own in (product.d[0], product.d[1], product.d[-1]):  # a document of one token, N times
            lengths = below + np.r_[0, places, 1]
            values = [float(log_p(product, one, n * own, n)) for one, n in zip(found, lengths, strict=True)]
            assert (np.diff(values) < 1e-12).all() or (np.diff(values) > -1e-12).all()
        assert {one.method for one in found[1:-1]} == {"interpolated"}


def test_for_pi_one_lengths_between_need_no_special_case():
    p = distribution(6)
    product = TokenProduct.of(np.log(p), 1.0)
    ends = [normaliser(product, n, "u") for n in (3, 4)]
    found = between(product, 3.3, ends, "u")
    assert log_p(product, found, 3.3 * product.d, 3.3) == pytest.approx(-3.3 * product.a)
