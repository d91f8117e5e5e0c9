import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from textnb.counts import ClassCounts
from textnb.errors import InputError
from textnb.models.multinomial import fit
from textnb.models.registry import MODELS, model
from textnb.models.scorer import LinearScorer
from textnb.models.smoothing import ALPHAS
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


def test_models_are_known_by_name():
    assert {name: model(name).name for name in MODELS} == {name: name for name in MODELS}
    assert model("multinomial").alphas == ALPHAS
    with pytest.raises(InputError, match=r"unknown model 'naive'; use multinomial, "):
        model("naive")
