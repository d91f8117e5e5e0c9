import json

import numpy as np
import pytest
from made_corpora import documents, recipe, tokenised
from scipy import stats

from textnb.comparison import compare, cross_validated
from textnb.comparison.comparison import holm
from textnb.evaluation.intervals import MEASURES
from textnb.evaluation.splits import repeated_folds

MADE = documents(60)
RECIPES = {
    "flat": recipe(alpha=50.0),
    "evidence": recipe(),
    "complement": recipe("complement"),
}


@pytest.fixture(scope="module")
def comparison():
    return compare(RECIPES, tokenised(MADE), folds=4, repeats=2, seed=3)


@pytest.fixture(scope="module")
def answers():
    corpus = tokenised(MADE)
    folds = repeated_folds(corpus.labels, corpus.groups, 4, 2, 3)
    right = {
        one.name: one.log_probabilities.argmax(axis=2) == corpus.y for one in cross_validated(RECIPES, corpus, folds)
    }
    return right, folds


def test_the_most_accurate_is_first_and_is_not_tested_against_itself(comparison):
    values = [row.measures["accuracy"].value for row in comparison.rows]
    assert values == sorted(values, reverse=True)
    assert comparison.rows[0].mcnemar is comparison.rows[0].corrected_t is None
    assert all(0 <= row.mcnemar <= 1 and 0 <= row.corrected_t <= 1 for row in comparison.rows[1:])


def test_accuracy_is_that_of_the_answers_of_all_repeats(comparison, answers):
    right, _ = answers
    for row in comparison.rows:
        assert row.measures["accuracy"].value == pytest.approx(right[row.name].mean(), abs=1e-12)


def test_mcnemar_is_of_the_first_repeat_with_holms_correction(comparison, answers):
    right, _ = answers
    best, *others = [right[row.name][0] for row in comparison.rows]
    raw = [
        stats.binomtest(int((best & ~its).sum()), int((best ^ its).sum())).pvalue if (best ^ its).any() else 1.0
        for its in others
    ]
    assert [row.mcnemar for row in comparison.rows[1:]] == pytest.approx(holm(raw), abs=1e-12)


def test_the_t_is_of_every_fold_of_every_repeat(comparison, answers):
    right, folds = answers
    for row in comparison.rows:
        by_fold = [right[row.name][r][folds[r] == f].mean() for r in range(2) for f in range(4)]
        np.testing.assert_allclose(row.fold_accuracies, by_fold, atol=1e-12)


def test_the_same_seed_gives_the_same_comparison(comparison):
    again = compare(RECIPES, tokenised(MADE), folds=4, repeats=2, seed=3)
    for a, b in zip(comparison.rows, again.rows, strict=True):
        assert (a.name, a.measures, a.mcnemar, a.corrected_t) == (b.name, b.measures, b.mcnemar, b.corrected_t)


def test_the_order_of_the_documents_does_not_matter(comparison):
    turned = compare(RECIPES, tokenised(MADE[::-1]), folds=4, repeats=2, seed=3)
    for a, b in zip(comparison.rows, turned.rows, strict=True):
        assert [a.measures[name].value for name in MEASURES] == pytest.approx(
            [b.measures[name].value for name in MEASURES]
        )


def test_it_counts_documents_and_groups_and_is_plain_json(comparison):
    values = json.loads(json.dumps(comparison.json))
    assert (values["documents"], values["folds"], values["repeats"], values["seed"]) == (60, 4, 2, 3)
    assert values["groups"] == tokenised(MADE).groups.max() + 1 < 60
    assert {row["name"] for row in values["recipes"]} == set(RECIPES)
    assert values["recipes"][0]["accuracy"].keys() == {"value", "low", "high"}


def test_one_recipe_alone_has_nobody_to_be_tested_against():
    (row,) = compare({"it": recipe()}, tokenised(MADE), folds=2).rows
    assert row.mcnemar is None
