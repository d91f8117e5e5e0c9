import numpy as np
import pytest
from scipy.special import gammaln

from textnb.counts import as_counts
from textnb.counts.histograms import ClassHistograms
from textnb.counts.weighting import weighting
from textnb.models import compound
from textnb.models.dirichlet import best_alpha, log_evidence
from textnb.models.draws import Draws

RANDOM = np.random.default_rng(7)
TRUE = np.array([[0.5, 0.2, 1.0, 0.1], [0.1, 1.5, 0.2, 0.4]])
Y = np.repeat([0, 1], 200)
X = np.array([RANDOM.multinomial(RANDOM.integers(5, 30), RANDOM.dirichlet(TRUE[k])) for k in Y])


def test_each_class_has_its_own_alpha():
    scorer = compound.fit(ClassHistograms.of(X, Y))
    for k in (0, 1):
        np.testing.assert_allclose(scorer.alpha[k], best_alpha(Draws.of_rows(as_counts(X[k == Y]))).alpha)
        np.testing.assert_allclose(scorer.alpha[k], TRUE[k], rtol=0.35)


def test_scores_are_log_evidences():
    scorer = compound.fit(ClassHistograms.of(X, Y))
    scores = scorer.joint_log_scores(as_counts(X[:20]))
    for i in range(20):
        for k in (0, 1):
            assert scores[i, k] == pytest.approx(log_evidence(X[[i]], scorer.alpha[k]) + np.log(0.5), abs=1e-9)


def test_a_repeated_term_says_less_than_a_new_one():
    scorer = compound.fit(ClassHistograms.of(X, Y))
    once, twice = scorer.joint_log_scores(as_counts([[1, 0, 0, 0], [2, 0, 0, 0]])) - scorer.bias
    by_hand = gammaln(scorer.alpha[0, 0] + 2) - gammaln(scorer.alpha[0, 0])
    total = scorer.alpha[0].sum()
    assert twice[0] == pytest.approx(by_hand - np.log(total * (total + 1)))
    assert abs(twice[0] - twice[1]) < 2 * abs(once[0] - once[1])


def test_terms_of_other_classes_have_a_floor():
    scorer = compound.fit(ClassHistograms.of([[3, 1, 0], [4, 0, 0], [0, 1, 5], [0, 2, 9]], ["x", "x", "y", "y"]))
    shared = scorer.solutions[0].alpha
    assert scorer.alpha[0, 2] == pytest.approx(0.1 * shared[2])
    assert (scorer.alpha >= 0.1 * shared).all()


def test_differences_sum_to_the_difference_of_scores():
    scorer = compound.fit(ClassHistograms.of(X, Y))
    row = as_counts([[0, 3, 1, 0]])
    scores = scorer.joint_log_scores(row)[0]
    assert scorer.differences(row, 1, 0).score == pytest.approx(scores[1] - scores[0], abs=1e-12)


def test_terms_never_seen_are_left_out():
    scorer = compound.fit(ClassHistograms.of([[3, 1, 0], [1, 4, 0]], ["x", "y"]))
    assert (scorer.alpha[:, 2] == 0).all()
    scores = scorer.joint_log_scores(as_counts([[1, 0, 0], [1, 0, 7]]))
    assert scores[0].tolist() == scores[1].tolist()
    assert scorer.differences(as_counts([[1, 0, 7]]), 0, 1).values[1] == 0


def test_classes_without_a_maximum_take_the_shared_concentration():
    scorer = compound.fit(ClassHistograms.of([[9, 0, 1], [0, 8, 1], [1, 1, 1]], ["x", "x", "y"]))
    outcome = scorer.solutions[-1].outcome
    assert outcome == "unbounded"
    assert scorer.alpha[1].sum() == pytest.approx(scorer.solutions[0].alpha.sum())


def test_empty_documents_and_no_terms_have_an_answer():
    scorer = compound.fit(ClassHistograms.of([[0, 0], [1, 1]], ["x", "y"]))
    assert scorer.alpha[0].tolist() == scorer.solutions[0].alpha.tolist()
    nothing = compound.fit(ClassHistograms.of([[0], [0]], ["x", "y"]))
    np.testing.assert_allclose(np.exp(nothing.log_posterior(as_counts([[0]]))), [[0.5, 0.5]])


def test_weights_that_are_no_counts_are_refused():
    log = weighting("log")
    with pytest.raises(ValueError, match="raw"):
        compound.fit(ClassHistograms.of(log.stored(as_counts(X)), Y, unit=log.unit))
