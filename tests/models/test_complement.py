import numpy as np
import pytest

from textnb import TextClassifier
from textnb.comparison.recipes import recipe_of
from textnb.counts import ClassCounts, as_counts
from textnb.models import complement, multinomial

RANDOM = np.random.default_rng(6)
X = RANDOM.poisson(0.8, (50, 7))
Y = RANDOM.choice(["x", "y", "z"], 50, p=[0.6, 0.3, 0.1])


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.05])
def test_equals_scikit_learn_but_for_prior_and_scale(alpha, normalise):
    from sklearn.naive_bayes import ComplementNB

    ours = complement.fit(ClassCounts.of(X, Y), alpha, "uniform", normalise=normalise)
    theirs = ComplementNB(alpha=alpha, norm=normalise).fit(X, Y)
    scale = ours.weights.sum(axis=1) if normalise else 1.0
    assert not normalise or np.ptp(scale) == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(ours.weights / np.reshape(scale, (-1, 1)), theirs.feature_log_prob_, atol=1e-12)
    expected = theirs.classes_.searchsorted(theirs.predict(X))
    assert ours.log_posterior(as_counts(X)).argmax(axis=1).tolist() == expected.tolist()
    if not normalise:
        np.testing.assert_allclose(ours.log_posterior(as_counts(X)), theirs.predict_log_proba(X), atol=1e-9)


def test_by_hand():
    counts = ClassCounts.of([[3, 0, 1], [0, 2, 0], [1, 1, 4]], ["x", "y", "z"])
    scorer = complement.fit(counts, 0.5)
    others = np.array([1, 3, 4]) + 0.5  # what y and z have together
    np.testing.assert_allclose(scorer.weights[0], -np.log(others / others.sum()))
    np.testing.assert_allclose(np.exp(scorer.bias), [1 / 3] * 3)


def test_without_the_complement_it_is_multinomial():
    counts = ClassCounts.of(X, Y)
    plain = complement.fit(counts, 0.3, complement=False)
    np.testing.assert_allclose(plain.weights, multinomial.fit(counts, 0.3).weights, atol=1e-12)


def test_priors_are_honoured():
    counts = ClassCounts.of(X, Y)
    for normalise in (False, True):
        sure = complement.fit(counts, 1.0, [0.998, 0.001, 0.001], normalise=normalise).log_posterior(as_counts(X))
        flat = complement.fit(counts, 1.0, "uniform", normalise=normalise).log_posterior(as_counts(X))
        np.testing.assert_allclose((sure - flat)[:, 0] - (sure - flat)[:, 1], np.log(998), rtol=1e-9)


def test_alpha_zero_is_refused_where_a_term_does_not_occur_in_two_classes():
    for rows in ([[1, 2], [1, 0]], [[1, 0], [1, 0]]):
        with pytest.raises(ValueError, match="above 0"):
            complement.fit(ClassCounts.of(rows, ["x", "y"]), 0.0)


def test_alpha_zero_is_the_frequency_where_every_term_occurs_in_two_classes():
    scorer = complement.fit(ClassCounts.of([[1, 3], [2, 2]], ["x", "y"]), 0.0)
    np.testing.assert_allclose(np.exp(-scorer.weights), [[2 / 4, 2 / 4], [1 / 4, 3 / 4]])


def test_normalised_to_one_the_weights_of_a_class_sum_to_one():
    counts = ClassCounts.of(X, Y)
    to_one = complement.fit(counts, 0.3, normalise=complement.TO_ONE).weights
    evened = complement.fit(counts, 0.3, normalise=True).weights
    np.testing.assert_allclose(to_one.sum(axis=1), 1)
    np.testing.assert_allclose(to_one, evened / evened.sum(axis=1, keepdims=True))


def test_one_class_is_certain():
    scorer = complement.fit(ClassCounts.of([[1, 2]], ["x"]), 1.0)
    assert scorer.log_posterior(as_counts([[5, 0]])).tolist() == [[0.0]]


@pytest.mark.parametrize("weight_norm", [False, True])
@pytest.mark.parametrize("alpha", ["evidence-class", "evidence-unigram"])
def test_a_term_of_every_document_is_as_if_it_were_absent(alpha, weight_norm):
    texts, labels = ["dog cat dog", "cat tail dog", "rain wind", "wind sun cat", "sun rain"], ["a", "a", "w", "w", "w"]
    chosen = {
        "terms": ["words"],
        "alpha": alpha,
        "weight_norm": weight_norm,
        "weighting": "tfidf",
        "prior": "empirical",
    }
    default = TextClassifier("complement", tokenizer="words").recipe
    plain, with_it = (TextClassifier.from_recipe(recipe_of(chosen, default)) for _ in range(2))
    plain.fit(texts, labels)
    with_it.fit([f"in {text}" for text in texts], labels)
    asked = ["dog sun", "tail", "rain rain cat", ""]
    np.testing.assert_allclose(
        with_it.predict_log_proba([f"in {text}" for text in asked]), plain.predict_log_proba(asked), rtol=1e-9
    )
    parts = {part.term: part.value for part in with_it.explain("in dog sun").contributions}
    assert parts.pop("in") == 0.0
    assert parts == pytest.approx({part.term: part.value for part in plain.explain("dog sun").contributions})
