import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import chi2_contingency
from sklearn.feature_selection import chi2

from textnb import TextClassifier
from textnb.classifier.facts import chi_squared, contributions, log_odds, term_scores
from textnb.counts import ClassCounts
from textnb.errors import InputError
from textnb.models import bernoulli, multinomial
from textnb.models.ensemble.presence import RatioScorer
from textnb.models.registry import MODELS
from textnb.text import Analyzer

X = np.array([[2, 1, 0, 0, 1], [1, 0, 0, 3, 1], [0, 2, 1, 0, 1], [0, 1, 4, 0, 1], [1, 0, 1, 1, 1], [0, 1, 0, 2, 1]])
Y = np.array(["x", "x", "y", "y", "y", "z"])
COUNTS = ClassCounts.of(X, Y)


@pytest.mark.parametrize(
    ("scorer", "weights", "rows"),
    [
        (multinomial.fit(COUNTS, 0.5), lambda scorer: scorer.weights, X),
        (bernoulli.fit(COUNTS, 0.5), lambda scorer: scorer.present.T, X > 0),
    ],
    ids=["multinomial", "bernoulli"],
)
def test_contributions_are_the_mean_over_other_classes_and_documents_of_what_the_term_adds(scorer, weights, rows):
    for k, name in enumerate(COUNTS.classes):
        own = rows[name == Y]
        others = [weights(scorer)[k] - weights(scorer)[other] for other in range(3) if other != k]
        assert np.allclose(contributions(scorer, COUNTS, k), own.mean(axis=0) * np.mean(others, axis=0), rtol=1e-12)


def test_a_scorer_of_presence_weighs_a_term_by_the_documents_that_have_it():
    by_term = np.array([[1.0, -1.0, 0.0], [0.5, 0.0, -0.5], [0.0, 0.0, 0.0], [0.2, 0.1, -0.3], [0, 1, 2]])
    scorer = RatioScorer(by_term, np.zeros(3))
    own = X[COUNTS.classes[0] == Y]
    has = np.flatnonzero(own.sum(axis=0))
    document = sparse.csr_array(own.sum(axis=0)[np.newaxis])
    whole = np.mean([scorer.differences(document, 0, other).values for other in (1, 2)], axis=0)
    shares = (own > 0).mean(axis=0)[has]
    assert np.allclose(contributions(scorer, COUNTS, 0)[has], shares * whole, rtol=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_names_the_terms_of_its_classes(model):
    texts = ["dog cat dog", "cat dog the", "egg salt the", "salt egg oil"]
    classifier = TextClassifier(model, tokenizer="words", analyzer=Analyzer(ngram=(1, 1)), calibrate=False)
    classifier.fit(texts, ["pets"] * 2 + ["food"] * 2)
    for label, wanted in (("food", {"egg", "salt"}), ("pets", {"cat", "dog"})):
        found = classifier.words(label, top=2)
        assert {word.term for word in found} == wanted
        assert all(word.value > 0 for word in found)


def test_a_term_that_another_class_cannot_have_is_infinitely_typical():
    scorer = multinomial.fit(COUNTS, 0.0)
    found = term_scores(contributions(scorer, COUNTS, 1), COUNTS, 1, 2)
    assert [(word.term, word.value) for word in found] == [("0", math.inf), ("2", math.inf)]


def log_odds_one_by_one(counts, k):
    y, r = counts[k], counts.sum(axis=0) - counts[k]
    alpha = counts.sum(axis=0)
    values = []
    for j in range(len(y)):
        mine = (y[j] + alpha[j]) / (y.sum() + alpha.sum() - y[j] - alpha[j])
        rest = (r[j] + alpha[j]) / (r.sum() + alpha.sum() - r[j] - alpha[j])
        variance = 1 / (y[j] + alpha[j]) + 1 / (r[j] + alpha[j])
        values.append((math.log(mine) - math.log(rest)) / math.sqrt(variance))
    return values


@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=2, max_size=4))
def test_log_odds_are_the_formula_term_by_term(rows):
    table = np.array(rows) + (np.arange(4) < 2)  # at least two terms there are
    table = table[:, table.any(axis=0)]
    for k in range(len(table)):
        found = log_odds(ClassCounts.of(table, np.arange(len(table))), k)
        assert np.allclose(found, log_odds_one_by_one(table, k), rtol=1e-9, atol=1e-12)


def test_log_odds_of_two_classes_are_opposite_and_of_a_term_alone_nothing():
    two = ClassCounts.of(X, Y == "x")
    assert np.allclose(log_odds(two, 0), -log_odds(two, 1), rtol=1e-12)
    assert log_odds(ClassCounts.of([[3], [1]], ["x", "y"]), 0).tolist() == [
        pytest.approx(math.log(7 / 5) / math.sqrt(1 / 7 + 1 / 5))
    ]
    assert log_odds(ClassCounts.of([[3, 0], [1, 0]], ["x", "y"]), 0)[1] == 0


def test_weighted_counts_are_told_by_their_unit():
    halves = ClassCounts.of(X * 2, Y, unit=0.5)
    assert np.allclose(log_odds(halves, 0), log_odds(COUNTS, 0), rtol=1e-12)
    assert term_scores(log_odds(halves, 0), halves, 0, 9) == [
        (word[0], *map(pytest.approx, word[1:])) for word in term_scores(log_odds(COUNTS, 0), COUNTS, 0, 9)
    ]


def test_chi_squared_is_scipys_of_each_table():
    for k, name in enumerate(COUNTS.classes):
        found = chi_squared(COUNTS, k)
        for j in range(4):
            having, own = X[:, j] > 0, name == Y
            table = [[np.sum(own & having), np.sum(own & ~having)], [np.sum(~own & having), np.sum(~own & ~having)]]
            assert abs(found[j]) == pytest.approx(chi2_contingency(table, correction=False).statistic, rel=1e-12)
            assert np.sign(found[j]) == np.sign(having[own].mean() - having[~own].mean())
        assert found[4] == 0  # in every document


def test_chi_squared_is_scikit_learns_of_presence_and_absence_together():
    present = (X > 0).astype(int)
    for k, name in enumerate(COUNTS.classes):
        presence, absence = (chi2(part[:, :4], name == Y)[0] for part in (present, 1 - present))
        assert np.allclose(abs(chi_squared(COUNTS, k)[:4]), presence + absence, rtol=1e-12)


def test_words_carry_their_counts_in_the_class_and_elsewhere_and_are_those_that_the_class_has():
    (word, *_) = term_scores(chi_squared(COUNTS, 0), COUNTS, 0, 3)
    assert (word.term, *word[2:]) == ("0", 2, 1, 3, 1)
    assert [word.term for word in term_scores(np.zeros(5), COUNTS, 2, 9)] == ["1", "3", "4"]


@pytest.mark.parametrize("measure", [log_odds, chi_squared])
def test_with_one_class_alone_no_term_speaks_for_it(measure):
    counts = ClassCounts.of(X, ["x"] * len(X))
    with pytest.raises(InputError, match="no term is typical of 'x': it is the only class"):
        measure(counts, 0)
    with pytest.raises(InputError, match="it is the only class"):
        contributions(multinomial.fit(counts), counts, 0)
