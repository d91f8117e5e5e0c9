import numpy as np
import pytest
from scipy import sparse

from textnb.errors import InputError
from textnb.models.logistic.evidence import evidence

NORMAL = 1 / np.sqrt(2 * np.pi)


def integral(function, centre, wide):
    """Over a square of the plane, by Gauss' rule of 100 points a side; the function takes arrays."""
    at, weight = np.polynomial.legendre.leggauss(100)
    s, t = (c + wide * at for c in centre)
    return wide**2 * (weight @ function(*np.meshgrid(s, t)) @ weight)


def points(n_rows, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    return rng.normal(0.8 * y, 1.0)[:, np.newaxis], y


@pytest.mark.parametrize(("n_rows", "close"), [(20, 0.1), (1000, 0.002)])
@pytest.mark.parametrize("l2", [0.2, 4.0])
def test_it_is_the_integral_over_weight_and_bias(n_rows, close, l2):
    """Two classes, one column: scores (u, -u)/sqrt(2) with u = t (x - m) + b, t ~ N(0, 1/l2), b ~ N(0, 100)."""
    X, y = points(n_rows)
    sign = np.where(y == 0, 1.0, -1.0) * np.sqrt(2)
    found = evidence(X, y, l2=l2).log_evidence

    def density(b, t):
        likelihood = sum(-np.log1p(np.exp(-s * (t * x + b))) for s, x in zip(sign, X[:, 0] - X.mean(), strict=True))
        return np.exp(likelihood - l2 / 2 * t * t - b * b / 200 - found) * NORMAL * np.sqrt(l2) * NORMAL / 10

    assert np.log(integral(density, (0.0, -0.6), 25 / np.sqrt(n_rows))) == pytest.approx(0, abs=close)


@pytest.mark.parametrize(("n_rows", "close"), [(30, 0.1), (600, 0.005)])
def test_without_columns_it_is_the_integral_over_the_bias(n_rows, close):
    """Three classes, and so two contrasts, b = Q (s, t), each N(0, 100)."""
    _, y = points(n_rows, 3)
    sizes = np.bincount(y)
    Q = np.array([[1, 1], [-1, 1], [0, -2]]) / np.sqrt([2, 6])
    found = evidence(np.zeros((n_rows, 0)), y, l2=1.0).log_evidence

    def density(s, t):
        b = np.tensordot(Q, [s, t], 1)
        likelihood = np.tensordot(sizes, b - np.log(np.exp(b).sum(axis=0)), 1)
        return np.exp(likelihood - (s * s + t * t) / 200 - found) * (NORMAL / 10) ** 2

    assert np.log(integral(density, (0, 0), 30 / np.sqrt(n_rows))) == pytest.approx(0, abs=close)


def test_bic_is_the_log_likelihood_less_half_a_logarithm_a_parameter():
    X, y = points(30, 3)
    found = evidence(X, y, l2=0.5)
    assert found.n_parameters == 2 * 2
    assert found.bic == pytest.approx(found.log_likelihood - 4 / 2 * np.log(30))
    even = evidence(np.zeros((4, 0)), [0, 0, 1, 1], l2=1.0)
    assert even.log_likelihood == pytest.approx(4 * np.log(1 / 2))
    assert even.bic == pytest.approx(4 * np.log(1 / 2) - 1 / 2 * np.log(4))


def test_with_much_data_and_a_broad_prior_both_differ_by_what_does_not_grow():
    gaps = []
    for n_rows in (500, 5000):
        found = evidence(*points(n_rows), l2=0.1)
        gaps.append(found.log_evidence - found.bic)
    assert gaps[0] == pytest.approx(gaps[1], abs=0.1)


def test_a_column_that_matters_has_evidence_and_one_of_noise_has_not():
    X, y = points(200)
    noise = np.random.default_rng(5).normal(size=(200, 1))
    none, real, both = (
        evidence(rows, y, l2=1.0).log_evidence for rows in (np.zeros((200, 0)), X, np.column_stack([X, noise]))
    )
    assert real > none + 3
    assert real > both + 1


def test_the_labels_of_rows_that_can_be_separated_are_never_more_than_certain():
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    found = [evidence(X, y, l2=10.0**-exponent).log_evidence for exponent in (2, 4, 6, 8)]
    assert max(found) < 0
    assert np.ptp(found) < 2


def test_rows_far_from_zero_and_sparse_rows_have_the_same_evidence():
    X, y = points(40, 3)
    expected = evidence(X, y, l2=0.7).log_evidence
    assert evidence(X + 1000, y, l2=0.7).log_evidence == pytest.approx(expected, rel=1e-9)
    assert evidence(sparse.csr_array(X), y, l2=0.7).log_evidence == pytest.approx(expected, rel=1e-9)
    assert evidence(X * 10, y, l2=0.7 * 100).log_evidence == pytest.approx(expected, rel=1e-9)


def test_repeated_rows_are_weights():
    X, y = points(30, 3)
    times = np.random.default_rng(1).integers(0, 3, 30)
    times[:3] = 1
    weighted, repeated = (
        evidence(X, y, l2=0.5, sample_weight=times),
        evidence(np.repeat(X, times, axis=0), np.repeat(y, times), l2=0.5),
    )
    for name in ("log_evidence", "bic", "log_likelihood"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=1e-9)


def test_a_class_without_weight_is_not_there_and_one_class_is_certain():
    X, y = points(30, 3)
    kept = y != 1
    assert evidence(X, y, l2=0.5, sample_weight=kept) == evidence(X[kept], y[kept], l2=0.5)
    alone = evidence(X, np.zeros(30), l2=0.5)
    assert (alone.log_evidence, alone.bic, alone.n_parameters) == (0, 0, 0)


def test_without_a_prior_there_is_no_evidence():
    with pytest.raises(InputError, match=r"l2 must be above 0, not 0: without a prior there is no evidence"):
        evidence(*points(10), l2=0)
    with pytest.raises(InputError, match="l2 must be a number of at least 0"):
        evidence(*points(10), l2=-1)
    with pytest.raises(InputError, match="nothing to learn from"):
        evidence(np.zeros((0, 1)), [], l2=1)
