import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import gammaln

from textnb.counts import ClassCounts, as_counts
from textnb.counts.histograms import ClassHistograms
from textnb.counts.weighting import weighting
from textnb.models import smoothing as module
from textnb.models.dirichlet import log_evidence
from textnb.models.smoothing import ALPHAS, smoothing

RANDOM = np.random.default_rng(8)
SHARES = RANDOM.dirichlet(np.full(6, 0.6), 3)
Y = RANDOM.integers(0, 3, 80)
X = np.array([RANDOM.multinomial(RANDOM.integers(3, 25), RANDOM.dirichlet(4 * SHARES[k] + 0.05)) for k in Y])
COUNTS = ClassCounts.of(X, Y)
HISTOGRAMS = ClassHistograms.of(X, Y)


def best(objective, start):
    """A generic optimiser on logarithms."""
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 60_000, "maxfev": 60_000, "adaptive": True}
    found = minimize(lambda u: -objective(np.exp(u)), np.log(start), method="Nelder-Mead", options=options)
    return np.exp(found.x)


def left_out_likelihood(X, y, alpha):
    total = 0.0
    for i in range(len(y)):
        others = X[(y == y[i]) & (np.arange(len(y)) != i)].sum(axis=0)
        total += (X[i] * np.log((others + alpha) / (others + alpha).sum())).sum()
    return total


def test_evidence_is_the_classes_pooled():
    tau = COUNTS.terms.toarray()
    expected = best(lambda a: log_evidence(tau, a[0]), np.ones(1))[0]
    assert smoothing("evidence", COUNTS).alpha == pytest.approx(expected, rel=1e-6)


def test_evidence_class_is_a_vector_for_the_classes_pooled():
    alpha = smoothing("evidence-class", COUNTS).alpha
    expected = best(lambda a: log_evidence(COUNTS.terms.toarray(), a), alpha * 1.3)
    np.testing.assert_allclose(alpha, expected, rtol=1e-4)


def test_evidence_unigram_is_proportional_to_the_counts():
    tau = COUNTS.terms.toarray()
    shares = tau.sum(axis=0) / tau.sum()
    alpha = smoothing("evidence-unigram", COUNTS).alpha
    expected = best(lambda a: log_evidence(tau, a[0] * shares), np.ones(1))[0]
    np.testing.assert_allclose(alpha, expected * shares, rtol=1e-6)


def test_evidence_document_is_a_vector_for_the_documents():
    alpha = smoothing("evidence-document", COUNTS, HISTOGRAMS).alpha
    expected = best(lambda a: log_evidence(X, a), alpha * 0.8)
    np.testing.assert_allclose(alpha, expected, rtol=1e-4)


def test_leave_one_out_leaves_one_document_out():
    found = smoothing("leave-one-out", COUNTS, HISTOGRAMS)
    assert found.solution.outcome == "converged"
    assert found.solution.log_evidence == pytest.approx(
        left_out_likelihood(X, Y, np.maximum(found.solution.alpha, 1e-300)), rel=1e-9
    )
    expected = best(lambda a: left_out_likelihood(X, Y, a), np.maximum(found.alpha, 1e-3) * 1.2)
    positive = found.solution.alpha > 1e-6
    assert positive.any()
    np.testing.assert_allclose(found.solution.alpha[positive], expected[positive], rtol=1e-3)
    assert (expected[~positive] < 1e-3).all()


def test_leave_one_out_of_log_weights():
    log = weighting("log")
    stored = log.stored(as_counts(X))
    counts = ClassCounts.of(stored, Y, unit=log.unit)
    found = smoothing("leave-one-out", counts, ClassHistograms.of(stored, Y, unit=log.unit))
    expected = left_out_likelihood(stored.toarray() * log.unit, Y, np.maximum(found.solution.alpha, 1e-300))
    assert found.solution.log_evidence == pytest.approx(expected, rel=1e-9)


def test_no_left_out_alpha_is_zero():
    X = np.array([[4, 2, 1], [5, 3, 0], [4, 0, 2], [0, 3, 1]])
    y = ["x", "x", "y", "y"]
    found = smoothing("leave-one-out", ClassCounts.of(X, y), ClassHistograms.of(X, y))
    assert (found.alpha > 0).all()
    assert found.alpha.min() >= module._LEFT_OUT_FLOOR * 1e-8


def test_evidence_of_log_weights_is_that_of_gamma_functions():
    log = weighting("log")
    counts = ClassCounts.of(log.stored(as_counts(X)), Y, unit=log.unit)
    tau = counts.terms.toarray() * log.unit

    def log_evidence_of(a):
        ends = gammaln(6 * a) - gammaln(6 * a + tau.sum(axis=1))
        return (gammaln(a + tau) - gammaln(a)).sum() + ends.sum()

    expected = best(lambda a: log_evidence_of(a[0]), np.ones(1))[0]
    found = smoothing("evidence", counts)
    assert found.alpha == pytest.approx(expected, rel=1e-6)
    assert found.solution.log_evidence == pytest.approx(log_evidence_of(found.alpha), rel=1e-10)


def test_without_a_maximum_there_is_an_answer():
    alike = ClassCounts.of([[5, 5], [5, 5]], ["x", "y"])
    found = smoothing("evidence", alike)
    assert (found.alpha, found.solution.outcome) == (1.0, "unbounded")
    vector = smoothing("evidence-class", alike)
    assert (vector.alpha.tolist(), vector.solution.outcome) == ([0.5, 0.5], "unbounded")


@pytest.mark.parametrize("name", ALPHAS)
def test_no_counts_at_all_have_an_answer(name):
    empty = np.zeros((2, 3), int)
    found = smoothing(name, ClassCounts.of(empty, ["x", "y"]), ClassHistograms.of(empty, ["x", "y"]))
    assert np.all(np.asarray(found.alpha) == 1.0)


@pytest.mark.parametrize("name", ["evidence-class", "evidence-unigram", "evidence-document", "leave-one-out"])
def test_terms_never_seen_have_alpha_zero(name):
    wider = np.hstack([X, np.zeros((len(X), 2), int)])
    found = smoothing(name, ClassCounts.of(wider, Y), ClassHistograms.of(wider, Y))
    assert found.alpha[-2:].tolist() == [0, 0]
    np.testing.assert_allclose(found.alpha[:-2], smoothing(name, COUNTS, HISTOGRAMS).alpha)


def test_document_evidence_needs_whole_counts_and_histograms():
    log = weighting("log")
    stored = log.stored(as_counts(X))
    counts = ClassCounts.of(stored, Y, unit=log.unit)
    with pytest.raises(ValueError, match="'raw'"):
        smoothing("evidence-document", counts, ClassHistograms.of(stored, Y, unit=log.unit))
    with pytest.raises(ValueError, match="histograms"):
        smoothing("leave-one-out", COUNTS)


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match=r"unknown alpha 'evidense' \(did you mean 'evidence'\?\); use 'evidence', "):
        smoothing("evidense", COUNTS)


def test_facts_tell_how_it_was_found():
    assert smoothing(0.5, COUNTS).facts == {"alpha": 0.5}
    facts = smoothing("evidence-class", COUNTS).facts
    assert facts["outcome"] == "converged"
    assert len(facts["trace"]) == facts["iterations"] + 1
    assert facts["alpha"]["quartiles"][0] <= facts["alpha"]["quartiles"][4]
