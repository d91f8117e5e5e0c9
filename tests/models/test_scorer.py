import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from textnb.counts import ClassCounts
from textnb.errors import InputError
from textnb.models import bernoulli
from textnb.models.multinomial import fit
from textnb.models.scorer import LinearScorer, ScaledScorer
from textnb.numerics import most_probable

laws = settings(max_examples=30, deadline=None)
numbers = st.floats(-50, 50)
counts = arrays.arrays(np.int64, (3, 4), elements=st.integers(0, 5))


@st.composite
def scorers(draw):
    return LinearScorer(
        draw(arrays.arrays(np.float64, (4, 3), elements=numbers)), np.array(draw(st.tuples(*[numbers] * 3)))
    )


def stored(data, indices, n_terms):
    return sparse.csr_array((np.array(data, float), np.array(indices), np.array([0, len(data)])), shape=(1, n_terms))


@laws
@given(scorers(), counts)
def test_scores_are_those_of_a_plain_loop(scorer, X):
    expected = [
        [scorer.bias[k] + sum(X[i, j] * scorer.weights[k, j] for j in range(4)) for k in range(3)] for i in range(3)
    ]
    np.testing.assert_allclose(scorer.joint_log_scores(sparse.csr_array(X)), expected, atol=1e-9)
    assert scorer.weights.shape == (3, 4)


@laws
@given(scorers(), counts)
def test_posteriors_are_scores_shifted_to_sum_to_one(scorer, X):
    logs, scores = scorer.log_posterior(sparse.csr_array(X)), scorer.joint_log_scores(sparse.csr_array(X))
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(logs - logs[:, :1], scores - scores[:, :1], atol=1e-9)


@laws
@given(scorers(), counts, st.integers(0, 2), st.integers(0, 2))
def test_differences_sum_to_the_difference_of_scores(scorer, X, label, against):
    for row in X:
        document = sparse.csr_array([row])
        bias, values, _ = scorer.differences(document, label, against)
        scores = scorer.joint_log_scores(document)[0]
        assert len(values) == document.nnz
        assert bias + values.sum() == pytest.approx(scores[label] - scores[against], abs=1e-9)


def test_each_difference_belongs_to_its_entry():
    scorer = LinearScorer(np.array([[1.0, 2.0], [5.0, 1.0], [0.0, 0.5]]), np.array([0.25, 0.5]))
    bias, values, _ = scorer.differences(stored([2, 3], [2, 0], 3), 0, 1)
    assert (bias, values.tolist()) == (-0.25, [-1.0, -3.0])


def test_a_term_impossible_under_both_classes_makes_no_difference():
    scorer = fit(ClassCounts.of([[1, 0, 0], [0, 1, 0], [0, 0, 1]], ["x", "y", "z"]), alpha=0)
    _, values, _ = scorer.differences(stored([1, 1, 2], [0, 1, 2], 3), 0, 1)
    assert values.tolist() == [np.inf, -np.inf, 0.0]


def test_a_stored_zero_makes_no_difference():
    scorer = fit(ClassCounts.of([[1, 0], [0, 1]], ["x", "y"]), alpha=0)
    _, values, _ = scorer.differences(stored([0, 2], [0, 1], 2), 0, 1)
    assert values.tolist() == [0.0, -np.inf]


def test_two_classes_of_prior_zero_do_not_differ_by_their_prior():
    scorer = fit(ClassCounts.of([[1, 0], [0, 1], [1, 1]], ["x", "y", "z"]), prior=[0, 0, 1])
    bias, values, _ = scorer.differences(stored([1], [0], 2), 0, 1)
    assert bias == 0.0
    assert values == pytest.approx([np.log(2)])


def test_a_class_of_prior_zero_is_never_chosen():
    scorer = fit(ClassCounts.of([[9, 0], [0, 9]], ["x", "y"]), prior=[0, 1])
    assert scorer.log_posterior(stored([9], [0], 2)).tolist() == [[-np.inf, 0.0]]


def test_a_document_possible_only_under_a_class_of_prior_zero_gets_the_prior():
    scorer = fit(ClassCounts.of([[1, 0], [0, 1], [0, 1]], ["x", "y", "z"]), alpha=0, prior=[0, 0.25, 0.75])
    np.testing.assert_allclose(np.exp(scorer.log_posterior(stored([1], [0], 2))), [[0, 0.25, 0.75]])


@pytest.mark.parametrize("alpha", [0, 1])
def test_the_callers_matrix_is_never_modified(alpha):
    X = stored([0, 2, 1, -0.0], [1, 0, 0, 1], 2)
    kept = [part.copy() for part in (X.data, X.indices, X.indptr)]
    corpus = ClassCounts.of([[1, 0], [0, 1]], ["x", "y"])
    fit(corpus, alpha).log_posterior(X)
    fit(corpus, alpha=1).differences(X, 0, 1)
    assert all(map(np.array_equal, kept, (X.data, X.indices, X.indptr)))


def test_the_scorer_is_left_as_it_is_by_impossible_documents():
    scorer = fit(ClassCounts.of([[1, 0], [0, 1]], ["x", "y"]), alpha=0)
    first, second = (scorer.log_posterior(sparse.csr_array([[1, 1], [1, 0]])).tolist() for _ in range(2))
    assert first == second == [[np.log(0.5), np.log(0.5)], [0.0, -np.inf]]


def test_other_columns_are_refused_with_both_numbers():
    scorer = fit(ClassCounts.of([[1, 0]], ["x"]))
    for ask in (scorer.joint_log_scores, scorer.log_posterior):
        with pytest.raises(InputError, match="X has 3 columns, the model was fitted on 2"):
            ask(sparse.csr_array([[1, 0, 0]]))


def test_of_equals_the_first_is_chosen():
    assert most_probable(np.array([[0.5, 0.5], [-np.inf, 0.0]])).tolist() == [0, 1]


def test_going_the_distance_along_the_normal_leads_to_equal_scores():
    rng = np.random.default_rng(0)
    scorer = LinearScorer(rng.normal(size=(5, 3)), rng.normal(size=3))
    for _ in range(10):
        x = rng.normal(size=5)
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


@pytest.fixture
def scaled():
    rng = np.random.default_rng(0)
    scale = np.array([1.0, 0.0, 2.0, 0.5, 3.0])
    return ScaledScorer(scale, LinearScorer(rng.normal(size=(5, 3)), rng.normal(size=3)))


TERMS = sparse.csr_array([[1, 0, 4, 0, 1], [0, 7, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 2, 0]])


def test_scores_are_those_of_the_formula(scaled):
    expected = []
    for x in TERMS.toarray():
        z = (x > 0) * scaled.scale
        length = np.sqrt(z @ z)
        expected.append(scaled.bias + scaled.weights @ (z / length if length else z))
    np.testing.assert_allclose(scaled.joint_log_scores(TERMS), expected, atol=1e-14)
    np.testing.assert_allclose(np.exp(scaled.log_posterior(TERMS)).sum(axis=1), 1)


def test_without_a_term_of_a_scale_the_scores_are_the_bias(scaled):
    np.testing.assert_array_equal(scaled.joint_log_scores(TERMS)[1:3], [scaled.bias, scaled.bias])


def test_how_often_a_term_stands_there_does_not_matter(scaled):
    np.testing.assert_array_equal(scaled.joint_log_scores(TERMS), scaled.joint_log_scores(TERMS * 0.25))


@pytest.mark.parametrize("row", range(4))
def test_differences_sum_to_the_difference_of_the_scores(scaled, row):
    one = TERMS[[row]]
    parts = scaled.differences(one, 2, 0)
    scores = scaled.joint_log_scores(one)[0]
    assert len(parts.values) == one.nnz
    assert parts.score == pytest.approx(scores[2] - scores[0])


def test_entries_of_zero_add_nothing_and_entries_stored_twice_are_one(scaled):
    zero = sparse.csr_array(([1.0, 0.0, 2.0], [0, 2, 3], [0, 3]), shape=(1, 5))
    assert scaled.differences(zero, 0, 1).values[1] == 0
    twice = sparse.csr_array(([1, 1, 2], [0, 0, 3], [0, 3]), shape=(1, 5))
    np.testing.assert_allclose(scaled.joint_log_scores(zero), scaled.joint_log_scores(twice))
    assert twice.nnz == 3


def test_another_width_is_refused(scaled):
    with pytest.raises(InputError, match="X has 4 columns, the model was fitted on 5"):
        scaled.joint_log_scores(TERMS[:, :4])
