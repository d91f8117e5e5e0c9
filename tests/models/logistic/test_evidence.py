import numpy as np
import pytest
from scipy import sparse

from textnb.errors import InputError
from textnb.models.logistic.evidence import _evenly, _searched, best_l2, evidence

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
    weighted = evidence(X, y, l2=0.5, sample_weight=times)
    repeated = evidence(np.repeat(X, times, axis=0), np.repeat(y, times), l2=0.5)
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


def rows(n_classes=3, n_rows=40, n_columns=5, seed=0, apart=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    return rng.normal(0, 1, (n_rows, n_columns)) + apart * rng.normal(0, 1, (n_classes, n_columns))[y], y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_columns", [3, 60], ids=["few columns", "more columns than rows"])
def test_no_l2_of_a_fine_grid_has_more_evidence(n_classes, n_columns):
    X, y = rows(n_classes, n_columns=n_columns, apart=0.4)
    weight = np.random.default_rng(1).random(len(y)) + 0.5
    found = best_l2(X, y, weight, n_classes)
    assert found.bounded
    mine = evidence(X, y, l2=found.l2, sample_weight=weight).log_evidence
    grid = [evidence(X, y, l2=l2, sample_weight=weight).log_evidence for l2 in np.geomspace(0.03, 30, 40) * found.l2]
    assert mine > max(grid) - 1e-3
    assert max(found.tried.values()) <= mine + 1e-3


def test_sparse_and_dense_rows_and_their_order_give_one_answer():
    X, y = rows(n_columns=50)
    X *= X > 0.5
    order = np.random.default_rng(0).permutation(len(y))
    found = [best_l2(form, y, np.ones(40), 3).l2 for form in (X, sparse.csr_array(X))]
    assert best_l2(X[order], y[order], np.ones(40), 3).l2 == found[0] == found[1]


def test_repeated_rows_are_weights_in_the_search_and_rows_without_weight_are_not_there():
    X, y = rows()
    times = np.random.default_rng(1).integers(0, 3, len(y))
    repeated = best_l2(np.repeat(X, times, axis=0), np.repeat(y, times), np.ones(times.sum()), 3)
    assert best_l2(X, y, times.astype(float), 3).l2 == repeated.l2
    assert best_l2(X, y, np.where(y == 1, 0.0, 1.0), 3).l2 == best_l2(X[y != 1], y[y != 1], np.ones(27), 3).l2


def test_labels_that_have_nothing_to_do_with_the_columns_leave_no_bound():
    X = np.repeat(np.arange(10.0), 2)[:, np.newaxis]  # every row once in each class
    found = best_l2(X, np.tile([0, 1], 10), np.ones(20), 2)
    assert not found.bounded
    assert np.log10(found.l2) == max(found.tried)


def test_rows_that_are_far_apart_leave_no_bound_either():
    found = _searched(lambda x: -x, first=3.0)
    assert (found.l2, found.bounded) == (1e-7, False)


@pytest.mark.parametrize(
    ("X", "y"),
    [(np.arange(4.0)[:, np.newaxis], [0, 0, 0, 0]), (np.ones((4, 2)), [0, 1, 0, 1])],
    ids=["class", "column"],
)
def test_where_every_l2_is_as_good_it_is_one(X, y):
    found = best_l2(X, np.array(y), np.ones(4), 2)
    assert (found.l2, found.bounded) == (1.0, False)


def test_of_two_maxima_it_is_the_higher_one_on_the_way():
    found = _searched(lambda x: -min((x - 2) ** 2, (x + 0.1) ** 2 - 1), first=4.0)
    assert found.l2 == pytest.approx(10**-0.1, rel=0.01)
    beyond_two_falls = _searched(lambda x: -min((x - 2) ** 2, (x + 4) ** 2 - 1), first=4.0)
    assert beyond_two_falls.l2 == pytest.approx(100)


def test_a_parabola_is_found_exactly():
    for peak in (-2.3, 0.111, 1.5, 4.9):
        found = _searched(lambda x, peak=peak: -((x - peak) ** 2), first=2.0)
        assert found.bounded
        assert found.l2 == float(f"{10**peak:.3g}")


def test_of_many_rows_some_of_every_class_are_looked_at():
    y = np.repeat([0, 1, 2], [900, 3, 97])
    weight = np.ones(1000)
    weight[:100] = 0
    kept = _evenly(y, weight, 3, 90)
    assert len(kept) == len(set(kept)) <= 93
    assert kept.min() >= 100
    assert np.bincount(y[kept]).tolist() == pytest.approx([80, 1, 10], abs=2)
    assert (np.bincount(y[_evenly(y, weight, 3, 3)]) > 0).all()
    np.testing.assert_array_equal(_evenly(y, weight, 3, None), np.arange(100, 1000))


def test_some_rows_have_nearly_the_precision_of_all():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 20))
    scores = X @ rng.normal(0, 0.5, (20, 3))
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    part, whole = (best_l2(X, y, np.ones(400), 3, most_rows=most).l2 for most in (150, None))
    assert part == pytest.approx(whole, rel=0.5)
    assert whole == pytest.approx(4, rel=0.5)  # the weights were drawn with the precision 1 / 0.5^2


def test_what_cannot_be_learnt_from_is_refused():
    with pytest.raises(InputError, match="nothing to learn from"):
        best_l2(np.ones((2, 1)), np.array([0, 1]), np.zeros(2), 2)
    with pytest.raises(InputError, match="too large for their squares"), np.errstate(all="ignore"):
        best_l2(np.array([[1e300], [-1e300]]), np.array([0, 1]), np.ones(2), 2)


def test_an_evidence_that_is_not_computed_is_refused(monkeypatch):
    monkeypatch.setattr("textnb.models.logistic.laplace.LARGEST", 10)
    with pytest.raises(InputError, match="l2 cannot be found by evidence for 6 documents in 2 classes; give a number"):
        best_l2(np.arange(24.0).reshape(6, 4) % 7, np.array([0, 0, 1, 0, 1, 1]), np.ones(6), 2)
