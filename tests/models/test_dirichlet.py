"""The evidence of a Dirichlet prior: against an urn, a grid, a generic optimiser, and draws whose alpha is known."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import optimize, sparse

from textnb.counts import ClassCounts, DocumentHistogram
from textnb.counts.histograms import ClassHistograms
from textnb.errors import InputError
from textnb.models.dirichlet import best_alpha, best_left_out_alpha, log_evidence
from textnb.models.draws import Draws
from textnb.numerics import log_rising

COUNTS = hnp.arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=st.integers(0, 12))
ALPHAS = st.floats(0.01, 50)


def by_urn(X, alpha):
    """Polya's urn, a token at a time: each is drawn with probability (alpha_j + seen_j) / (A + seen)."""
    total = 0.0
    for row in np.asarray(X):
        seen = np.zeros(len(row))
        for j, count in enumerate(row):
            for _ in range(count):
                total += np.log((alpha[j] + seen[j]) / (alpha.sum() + seen.sum()))
                seen[j] += 1
    return total


def draws_of(X):
    return Draws.of_documents(DocumentHistogram.of(X))


@given(COUNTS, st.data())
def test_the_evidence_is_that_of_polyas_urn(X, data):
    alpha = np.array(data.draw(st.lists(ALPHAS, min_size=X.shape[1], max_size=X.shape[1])))
    assert log_evidence(X, alpha) == pytest.approx(by_urn(X, alpha), rel=1e-10, abs=1e-10)
    assert log_evidence(sparse.csr_array(X), 0.7) == pytest.approx(by_urn(X, np.full(X.shape[1], 0.7)), abs=1e-9)


@given(COUNTS, st.data())
def test_the_draws_know_the_evidence_and_its_slopes(X, data):
    assume(X.any())
    alpha = np.array(data.draw(st.lists(ALPHAS, min_size=X.shape[1], max_size=X.shape[1])))
    for draws in (draws_of(X), Draws.of_reals(sparse.csr_array(X), np.ones(len(X)))):
        of_groups = np.zeros(len(draws.totals))
        of_groups[draws.group[draws.group >= 0]] = alpha[draws.group >= 0]  # one alpha a group
        full = draws.spread(of_groups, absent=1.0)
        total = float(full.sum())
        assert draws.log_evidence(of_groups, total) == pytest.approx(by_urn(X, full), rel=1e-9, abs=1e-9)
        check_slopes(draws, of_groups, total)


def check_slopes(draws, alpha, total):
    """f, f', S and S' are derivatives, by central differences."""
    h = 1e-6

    def difference(function, x):
        return (function(x * (1 + h)) - function(x * (1 - h))) / (2 * h * x)

    def close(a, b):
        return a == pytest.approx(b, rel=1e-4, abs=1e-5)

    f, f_slope = draws.slopes(alpha)
    s, s_slope = draws.length_slopes(total)
    for g in range(len(f)):
        one = np.arange(len(f)) == g
        assert close(
            f_slope[g], difference(lambda x, one=one: draws.slopes(np.where(one, x, alpha))[0][one][0], alpha[g])
        )
        evidence = difference(lambda x, one=one: draws.log_evidence(np.where(one, x, alpha), total), alpha[g])
        assert close(draws.multiplicity[g] * f[g], evidence)
    assert close(s_slope, difference(lambda a: draws.length_slopes(a)[0], total))
    assert close(s, -difference(lambda a: draws.log_evidence(alpha, a), total))


def test_terms_alike_share_a_group():
    X = np.array([[1, 1, 0, 2, 0], [0, 0, 1, 3, 0], [2, 2, 2, 0, 0]])
    draws = draws_of(X)
    assert draws.group.tolist() == [draws.group[0]] * 3 + [draws.group[3], -1]
    assert sorted(draws.multiplicity) == [1, 3]


@settings(max_examples=12, deadline=None)
@given(COUNTS)
def test_the_scalar_maximum_is_that_of_a_grid_of_20001_points(X):
    assume(X.any())
    draws = draws_of(X)
    found = best_alpha(draws, "scalar")
    grid = np.logspace(-8, 8, 20_001) * X.sum() / (X.sum(axis=1) > 0).sum() / X.shape[1]
    entries, lengths, column = X[X > 0], X.sum(axis=1), grid[:, np.newaxis]
    values = log_rising(column, entries).sum(axis=1) - log_rising(column * X.shape[1], lengths).sum(axis=1)
    best = int(values.argmax())
    if found.outcome == "converged":
        assert found.log_evidence >= values[best] - 1e-12
        flat = values >= values[best] - 1e-9  # where the grid cannot tell
        assert grid[flat][0] / 1.01 <= found.alpha <= grid[flat][-1] * 1.01
    else:
        edge = values[-1] if found.outcome == "unbounded" else values[0]
        assert edge >= values[best] - 1e-9 * (1 + abs(values[best]))


def test_two_maxima_are_told_apart():
    found = best_alpha(Draws.of_rows(sparse.csr_array([[0, 13], [90, 90]])), "scalar")
    assert (found.outcome, round(found.alpha, 2)) == ("converged", 0.36)


@pytest.mark.parametrize("solver", ["newton", "fixed-point"])
def test_true_alphas_are_recovered(solver):
    rng = np.random.default_rng(0)
    true = np.array([0.5, 2.0, 1.0, 0.1])
    X = np.array([rng.multinomial(40, rng.dirichlet(true)) for _ in range(4_000)])
    found = best_alpha(draws_of(X), "vector", solver)
    assert found.outcome == "converged"
    assert np.allclose(found.alpha, true, rtol=0.08)
    assert found.log_evidence == pytest.approx(log_evidence(X, found.alpha), rel=1e-12)
    assert found.iterations == len(found.trace) - 1


def test_the_fixed_point_never_lowers_the_evidence_and_needs_many_more_steps():
    rng = np.random.default_rng(1)
    X = np.array([rng.multinomial(30, rng.dirichlet([0.3, 1, 2])) for _ in range(500)])
    plain, newton = (best_alpha(draws_of(X), "vector", solver) for solver in ("fixed-point", "newton"))
    assert np.all(np.diff(plain.trace) > -1e-9)
    assert np.allclose(plain.alpha, newton.alpha, rtol=1e-6)
    assert newton.iterations * 5 < plain.iterations


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_the_vector_maximum_is_that_of_a_generic_optimiser(seed, n_terms):
    rng = np.random.default_rng(seed)
    X = np.array([rng.multinomial(rng.integers(5, 40), rng.dirichlet(rng.uniform(0.3, 2, n_terms))) for _ in range(12)])
    assume((X.sum(axis=0) > 0).all())
    found = best_alpha(draws_of(X))
    assume(found.outcome == "converged")
    options = {"xatol": 1e-9, "fatol": 1e-11, "maxiter": 20_000, "maxfev": 40_000}
    start = np.zeros(n_terms)
    generic = optimize.minimize(lambda u: -log_evidence(X, np.exp(u)), start, method="Nelder-Mead", options=options)
    assert found.log_evidence >= -generic.fun - 1e-7


@pytest.mark.parametrize(
    "X",
    [
        [[0, 3], [0, 2], [2, 1], [0, 1], [2, 0]],
        [[4, 0, 0], [0, 2, 3], [0, 2, 5], [0, 0, 1], [1, 0, 0]],
    ],
)
def test_newtons_method_does_not_go_in_circles(X):
    newton, plain = (best_alpha(draws_of(X), solver=solver) for solver in ("newton", "fixed-point"))
    assert (newton.outcome, plain.outcome) == ("converged", "converged")
    assert newton.iterations < 20
    np.testing.assert_allclose(newton.alpha, plain.alpha, rtol=1e-6)


@pytest.mark.parametrize("shape", ["vector", "scalar", "unigram"])
@pytest.mark.parametrize(
    ("X", "outcome"),
    [
        ([[5, 5], [5, 5], [5, 5]], "unbounded"),
        ([[10, 20], [10, 20]], "unbounded"),
        ([[5, 0], [0, 7]], "one-sided"),
        ([[9, 0, 0], [0, 4, 0], [0, 0, 1]], "one-sided"),
    ],
)
def test_without_a_finite_maximum_the_outcome_says_so_soon(X, outcome, shape):
    if shape == "scalar" and X[0] == [10, 20]:
        outcome = "converged"  # one alpha for unequal terms cannot follow them to the limit
    found = best_alpha(draws_of(X), shape)
    assert found.outcome == outcome
    assert found.iterations <= 100
    assert np.all(np.isfinite(found.alpha)) and np.all(np.asarray(found.alpha) >= 0)


def test_unbounded_ends_in_the_unigram():
    found = best_alpha(draws_of([[10, 20], [10, 20]]))
    assert np.allclose(found.alpha, [1 / 3, 2 / 3])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])  # few have a maximum
@given(COUNTS)
def test_concentration_times_unigram_is_the_best_along_its_line(X):
    assume(X.any())
    draws = draws_of(X)
    found = best_alpha(draws, "unigram")
    assume(found.outcome == "converged")
    share = X.sum(axis=0) / X.sum()
    total = found.alpha.sum()
    assert np.allclose(found.alpha, total * share)
    own = log_evidence(X, found.alpha)
    for factor in (0.5, 0.9, 0.999, 1.001, 1.1, 2):
        assert log_evidence(X, found.alpha * factor) <= own + 1e-9


def test_rows_need_not_be_whole():
    X = np.array([[5.5, 0.25, 0], [0.5, 7.75, 1], [0.25, 0.5, 6.125]])
    found = best_alpha(Draws.of_rows(sparse.csr_array(X)))
    assert found.outcome == "converged"
    for factor in (0.99, 1.01):
        for j in range(3):
            other = found.alpha.copy()
            other[j] *= factor
            assert log_evidence(X, other) < found.log_evidence
    assert found.log_evidence == pytest.approx(log_evidence(X, found.alpha), rel=1e-12)


@pytest.mark.parametrize("shape", ["vector", "scalar", "unigram"])
def test_huge_counts_take_no_memory_and_have_the_same_maximum(shape, monkeypatch):
    X = np.array([[90, 2, 0], [10, 30, 5], [0, 7, 60]])
    as_they_are = best_alpha(draws_of(X), shape)
    monkeypatch.setattr("textnb.models.draws._MAX_TAILS", 10)
    assert not draws_of(X).whole
    np.testing.assert_allclose(best_alpha(draws_of(X), shape).alpha, as_they_are.alpha, rtol=1e-6)
    assert np.isfinite(best_alpha(draws_of(X * 2**45), shape).alpha).all()


def test_edges():
    assert log_evidence([[0, 0]], 1.0) == 0.0
    assert log_evidence([[1, 0]], [0.0, 1.0]) == -np.inf
    with pytest.raises(InputError, match="no counts to fit alpha on"):
        best_alpha(draws_of([[0, 0]]))
    with pytest.raises(InputError, match="unknown shape 'matrix'; use "):
        best_alpha(draws_of([[1, 2]]), "matrix")
    with pytest.raises(InputError, match="unknown solver 'bfgs'"):
        best_alpha(draws_of([[1, 2]]), solver="bfgs")


def test_grouped_left_out_draws_are_those_of_single_terms_and_have_equal_alpha():
    rng = np.random.default_rng(3)
    X, y = rng.poisson(0.15, (40, 300)), rng.integers(3, size=40)
    single = Draws.of_left_out(ClassCounts.of(X, y), ClassHistograms.of(X, y))
    grouped = single.grouped()
    assert len(grouped.starts) < len(single.starts) / 2
    assert grouped.multiplicity.sum() == len(single.starts)
    alpha = rng.gamma(1.0, size=len(grouped.starts))
    of_terms = alpha[grouped.group[single.group >= 0]]
    for one, other in zip(grouped.slopes(alpha), single.slopes(of_terms), strict=True):
        np.testing.assert_allclose(one[grouped.group[single.group >= 0]], other, rtol=1e-12)
    total = float(of_terms.sum())
    np.testing.assert_allclose(grouped.log_evidence(alpha, total), single.log_evidence(of_terms, total), rtol=1e-12)
    found, expected = best_left_out_alpha(grouped), best_left_out_alpha(single)
    assert found.outcome == expected.outcome
    np.testing.assert_allclose(found.alpha, expected.alpha, rtol=1e-6, atol=1e-9)
