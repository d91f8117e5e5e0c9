import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import betaln

from textnb.counts import ClassCounts, as_counts
from textnb.models import bernoulli

RANDOM = np.random.default_rng(5)
X = RANDOM.poisson(0.6, (60, 8))
Y = RANDOM.choice(["x", "y", "z"], 60)


@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_equals_scikit_learn(alpha):
    from sklearn.naive_bayes import BernoulliNB

    ours = bernoulli.fit(ClassCounts.of(X, Y), alpha)
    theirs = BernoulliNB(alpha=alpha).fit(X, Y)
    np.testing.assert_allclose(ours.log_posterior(as_counts(X)), theirs.predict_log_proba(X), atol=1e-9)
    np.testing.assert_allclose(ours.present.T, theirs.feature_log_prob_, atol=1e-12)


def test_all_documents_of_a_class_have_probability_one():
    scorer = bernoulli.fit(ClassCounts.of(X[:, :4], Y), 0.3, "uniform")
    every = as_counts(np.array(list(itertools.product([0, 1], repeat=4))))
    likelihood = np.exp(scorer.joint_log_scores(every) - scorer.bias)
    np.testing.assert_allclose(likelihood.sum(axis=0), 1, atol=1e-12)


def test_maximum_likelihood_knows_the_impossible():
    scorer = bernoulli.fit(ClassCounts.of([[1, 0], [1, 0], [0, 1]], ["x", "x", "y"]), 0.0)
    assert np.exp(scorer.log_posterior(as_counts([[3, 0], [0, 1]]))).tolist() == [[1, 0], [0, 1]]
    impossible = scorer.log_posterior(as_counts([[1, 1]]))
    np.testing.assert_allclose(np.exp(impossible), [[2 / 3, 1 / 3]])


def test_differences_sum_to_the_difference_of_scores():
    scorer = bernoulli.fit(ClassCounts.of(X, Y))
    for row in (
        as_counts(X[[0]]),
        as_counts(np.zeros((1, 8), int)),
        sparse.csr_array(([0, 2], [1, 3], [0, 2]), (1, 8)),
    ):
        scores = scorer.joint_log_scores(row)[0]
        parts = scorer.differences(row, 0, 2)
        assert parts.score == pytest.approx(scores[0] - scores[2], abs=1e-12)
        assert parts.values[row.data == 0].tolist() == [0] * int((row.data == 0).sum())


def test_evidence_is_the_beta_binomials_maximum():
    counts = ClassCounts.of(X, Y)
    c, d = counts.containing.toarray(), counts.documents[:, np.newaxis]

    def log_evidence(alpha):
        return (betaln(c + alpha, d - c + alpha) - betaln(alpha, alpha)).sum()

    found = bernoulli.evidence(counts)
    best = minimize_scalar(
        lambda u: -log_evidence(np.exp(u)), bounds=(-6, 8), method="bounded", options={"xatol": 1e-9}
    )
    assert found.alpha == pytest.approx(np.exp(best.x), rel=1e-5)
    assert found.solution.log_evidence == pytest.approx(-best.fun, rel=1e-12)


def test_evidence_of_fractions_is_that_of_beta_functions():
    weight = RANDOM.random(60) + 0.1
    counts = ClassCounts.of(X, Y, sample_weight=weight)
    c, d = counts.containing.toarray(), counts.documents[:, np.newaxis]
    found = bernoulli.evidence(counts)
    at = [
        (betaln(c + a, d - c + a) - betaln(a, a)).sum() for a in (found.alpha * 0.999, found.alpha, found.alpha * 1.001)
    ]
    assert at[1] == pytest.approx(found.solution.log_evidence, rel=1e-10)
    assert at[1] > at[0]
    assert at[1] > at[2]


def test_no_terms_leave_the_prior():
    scorer = bernoulli.fit(ClassCounts.of(np.zeros((3, 0), int), ["x", "x", "y"]))
    np.testing.assert_allclose(np.exp(scorer.log_posterior(as_counts(np.zeros((1, 0), int)))), [[2 / 3, 1 / 3]])
