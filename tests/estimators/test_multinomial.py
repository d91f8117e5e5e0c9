import numpy as np
import pytest
from scipy import sparse
from sklearn import naive_bayes

from textnb.counts import ClassCounts
from textnb.errors import InputError
from textnb.estimators import MultinomialNB
from textnb.models import multinomial

X = np.array([[2, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 4]])
Y = ["x", "y", "x", "z"]


@pytest.mark.parametrize("alpha", [0.1, 1.0, [0.5, 1.0, 2.0]], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_probabilities_are_those_of_scikit_learn(alpha, weighted):
    rng = np.random.default_rng(0)
    X, y = rng.poisson(1, (60, 3)), np.arange(60) % 4
    weight = rng.random(60) if weighted else None
    mine = MultinomialNB(alpha).fit(X, y, sample_weight=weight)
    theirs = naive_bayes.MultinomialNB(alpha=alpha).fit(X, y, sample_weight=weight)
    for method in ("predict_log_proba", "predict_proba", "predict_joint_log_proba"):
        np.testing.assert_allclose(getattr(mine, method)(X), getattr(theirs, method)(X), atol=1e-10)
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    assert mine.score(X, y) == theirs.score(X, y)
    assert mine.score(X, y, weight) == pytest.approx(theirs.score(X, y, weight))


def test_the_scorer_is_that_of_the_statistics():
    fitted = MultinomialNB(alpha=0.5).fit(X, Y)
    assert fitted.statistics_ == ClassCounts.of(X, Y, containing=False)
    np.testing.assert_array_equal(fitted.scorer_.weights, multinomial.fit(ClassCounts.of(X, Y), 0.5).weights)
    assert fitted.classes_.tolist() == ["x", "y", "z"]
    assert fitted.n_features_in_ == 3
    assert not hasattr(fitted, "feature_names_in_")


@pytest.mark.parametrize("alpha", [1, 0.5, np.float32(0.5), np.array(2)], ids=str)
def test_a_number_for_alpha_is_a_number_after_fit(alpha):
    found = MultinomialNB(alpha).fit(X, Y).alpha_
    assert type(found) is float
    assert found == alpha


def test_one_alpha_a_term_is_an_array_after_fit():
    assert MultinomialNB([1, 2, 3]).fit(X, Y).alpha_.tolist() == [1.0, 2.0, 3.0]
    assert MultinomialNB([2.0]).fit(X[:, :1] + 1, Y).alpha_.tolist() == [2.0]


def test_the_map_estimate_is_the_models():
    fitted = MultinomialNB(1.5, estimate="map").fit(X, Y)
    np.testing.assert_array_equal(fitted.scorer_.weights, multinomial.fit(ClassCounts.of(X, Y), 0.5).weights)
    with pytest.raises(InputError, match="there is no MAP estimate"):
        MultinomialNB(0.5, estimate="map").fit(X, Y)


def test_alpha_zero_is_maximum_likelihood():
    fitted = MultinomialNB(alpha=0).fit(X, Y)
    assert fitted.predict_proba([[0, 0, 1], [1, 0, 0]])[:, 1].tolist() == [0, 0]
    np.testing.assert_allclose(np.exp(fitted.scorer_.weights[0]), [3 / 5, 1 / 5, 1 / 5])


def test_a_prior_may_be_given_by_class():
    fitted = MultinomialNB(prior={"x": 0.2, "y": 0.3, "z": 0.5}).fit(X, Y)
    np.testing.assert_allclose(fitted.predict_proba([[0, 0, 0]]), [[0.2, 0.3, 0.5]])


def test_classes_named_in_advance_are_there_from_the_beginning():
    parts = MultinomialNB().partial_fit(X[:2], Y[:2], classes=["z", "y", "x"])
    assert parts.classes_.tolist() == ["x", "y", "z"]
    assert parts.predict_proba(X)[:, 2].tolist() == [0.0] * 4
    smoothed = MultinomialNB(prior="uniform").partial_fit(X[:2], Y[:2], classes=["x", "y", "z"])
    np.testing.assert_allclose(np.exp(smoothed.scorer_.weights[2]), 1 / 3)


def test_labels_outside_the_classes_of_the_same_call_are_refused():
    with pytest.raises(InputError, match=r"'z' in y do not exist in the initial classes 'x', 'y'; use .*'any'"):
        MultinomialNB().partial_fit(X, Y, classes=["x", "y"])


def test_labels_of_two_kinds_are_refused():
    with pytest.raises(InputError, match="labels must be of one kind"):
        MultinomialNB().fit(X, Y).partial_fit(X, [1, 2, 1, 2], classes="any")


def test_whole_weights_of_whole_counts_are_learnt_exactly():
    big = sparse.csr_array(np.array([[2**40, 1], [3, 2**41]]))
    weighted = MultinomialNB().fit(big, [0, 1], sample_weight=[3, 5]).statistics_
    assert weighted.terms.toarray().tolist() == [[3 * 2**40, 3], [15, 5 * 2**41]]


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"alpha": -1}, "alpha must be finite and not negative"),
        ({"alpha": [1, 2]}, "alpha must be a number or 3 of them"),
        ({"alpha": "much"}, "unknown alpha 'much'; use 'evidence'"),
        ({"estimate": "median"}, "unknown estimate 'median'"),
        ({"prior": [0.5, 0.5]}, "the prior must hold 3 numbers"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_by_fit(params, why):
    with pytest.raises(InputError, match=why):
        MultinomialNB(**params).fit(X, Y)
