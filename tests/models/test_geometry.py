import numpy as np
import pytest
from scipy import sparse

from textnb.counts import ClassCounts
from textnb.models import bernoulli
from textnb.models.scorer import LinearScorer

RNG = np.random.default_rng(0)


def test_going_the_distance_along_the_normal_leads_to_equal_scores():
    scorer = LinearScorer(RNG.normal(size=(5, 3)), RNG.normal(size=3))
    for _ in range(10):
        x = RNG.normal(size=5)
        for label, against in ((0, 1), (2, 0)):
            normal = scorer.by_term[:, label] - scorer.by_term[:, against]
            r = scorer.distance(sparse.csr_array(x[np.newaxis]), label, against)
            foot = x - r * normal / np.linalg.norm(normal)
            scores = scorer.joint_log_scores(sparse.csr_array(foot[np.newaxis]))[0]
            assert scores[label] == pytest.approx(scores[against], abs=1e-12)
            assert r == pytest.approx(np.linalg.norm(x - foot) * np.sign(r))


def test_a_shift_of_the_scores_moves_the_boundary():
    scorer = LinearScorer(np.array([[2.0, 0.0]]), np.zeros(2))
    x = sparse.csr_array([[3.0]])
    assert scorer.distance(x, 0, 1) == 3
    assert scorer.distance(x, 0, 1, shift=-2.0) == 2
    assert scorer.distance(x, 1, 0) == -3


def test_there_is_no_distance_where_there_is_no_boundary_or_no_straight_one():
    x = sparse.csr_array([[1.0]])
    assert LinearScorer(np.ones((1, 2)), np.array([0.0, 1.0])).distance(x, 0, 1) is None
    assert LinearScorer(np.array([[0.0, -np.inf]]), np.zeros(2)).distance(x, 0, 1) is None
    curved = bernoulli.fit(ClassCounts.of([[1], [0]], ["a", "b"]), 1.0, "empirical")
    assert curved.distance(x, 0, 1) is None
