import numpy as np
import pytest
from scipy import sparse

from textnb.errors import InputError
from textnb.models.scorer import LinearScorer, ScaledScorer


@pytest.fixture
def scorer():
    rng = np.random.default_rng(0)
    scale = np.array([1.0, 0.0, 2.0, 0.5, 3.0])
    return ScaledScorer(scale, LinearScorer(rng.normal(size=(5, 3)), rng.normal(size=3)))


X = sparse.csr_array([[1, 0, 4, 0, 1], [0, 7, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 2, 0]])


def test_scores_are_those_of_the_formula(scorer):
    expected = []
    for x in X.toarray():
        z = (x > 0) * scorer.scale
        length = np.sqrt(z @ z)
        expected.append(scorer.bias + scorer.weights @ (z / length if length else z))
    np.testing.assert_allclose(scorer.joint_log_scores(X), expected, atol=1e-14)
    np.testing.assert_allclose(np.exp(scorer.log_posterior(X)).sum(axis=1), 1)


def test_without_a_term_of_a_scale_the_scores_are_the_bias(scorer):
    np.testing.assert_array_equal(scorer.joint_log_scores(X)[1:3], [scorer.bias, scorer.bias])


def test_how_often_a_term_stands_there_does_not_matter(scorer):
    np.testing.assert_array_equal(scorer.joint_log_scores(X), scorer.joint_log_scores(X * 0.25))


@pytest.mark.parametrize("row", range(4))
def test_differences_sum_to_the_difference_of_the_scores(scorer, row):
    one = X[[row]]
    parts = scorer.differences(one, 2, 0)
    scores = scorer.joint_log_scores(one)[0]
    assert len(parts.values) == one.nnz
    assert parts.score == pytest.approx(scores[2] - scores[0])


def test_entries_of_zero_add_nothing_and_entries_stored_twice_are_one(scorer):
    zero = sparse.csr_array(([1.0, 0.0, 2.0], [0, 2, 3], [0, 3]), shape=(1, 5))
    assert scorer.differences(zero, 0, 1).values[1] == 0
    twice = sparse.csr_array(([1, 1, 2], [0, 0, 3], [0, 3]), shape=(1, 5))
    np.testing.assert_allclose(scorer.joint_log_scores(zero), scorer.joint_log_scores(twice))
    assert twice.nnz == 3


def test_another_width_is_refused(scorer):
    with pytest.raises(InputError, match="X has 4 columns, the model was fitted on 5"):
        scorer.joint_log_scores(X[:, :4])
