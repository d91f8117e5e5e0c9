import json
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_corpora import documents, recipe, tokenised
from scipy import stats

from textnb.comparison import compare, cross_validated
from textnb.comparison.comparison import corrected_t, holm, mcnemar
from textnb.errors import InputError
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


def test_the_same_seed_gives_the_same_comparison_and_the_order_of_the_documents_does_not_matter(comparison):
    again = compare(RECIPES, tokenised(MADE), folds=4, repeats=2, seed=3)
    for a, b in zip(comparison.rows, again.rows, strict=True):
        assert (a.name, a.measures, a.mcnemar, a.corrected_t) == (b.name, b.measures, b.mcnemar, b.corrected_t)
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


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 1), (1, 4), (0, 6), (3, 3), (2, 7), (2, 9), (40, 61), (0, 12)])
def test_mcnemar_is_the_exact_binomial_test(b, c):
    expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar(b, c) == mcnemar(c, b) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("b", "c"), [(1, 4), (0, 6), (3, 3), (2, 7)])
def test_mcnemar_counts_the_outcomes_that_are_as_far_apart(b, c):
    throws = [sum(coins) for coins in product((0, 1), repeat=b + c)]
    far = sum(abs(2 * heads - b - c) >= abs(b - c) for heads in throws)
    assert mcnemar(b, c) == pytest.approx(far / len(throws), abs=1e-12)


def test_the_corrected_t_is_the_formula_of_nadeau_and_bengio_and_without_correction_students():
    d = np.random.default_rng(0).normal(0.01, 0.02, 10)
    t = d.mean() / np.sqrt((1 / 10 + 1 / 4) * d.var(ddof=1))
    assert corrected_t(d, 1 / 4) == pytest.approx(2 * stats.t.sf(abs(t), 9), abs=1e-12)
    assert corrected_t(d, 1 / 4) == corrected_t(-d, 1 / 4) > corrected_t(d, 0.0)
    assert corrected_t(d, 0.0) == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=1e-12)


def test_no_difference_is_no_significance_and_a_constant_one_is_certain():
    assert corrected_t([0.0, 0.0, 0.0], 0.25) == 1.0
    assert corrected_t([0.01, 0.01, 0.01], 0.25) == 0.0
    assert corrected_t([0.01, -0.01], 0.25) == 1.0
    with pytest.raises(InputError, match="two folds or more"):
        corrected_t([0.1], 0.25)


def closed_testing(p_values):
    """Holm by definition: a hypothesis falls at the level at which all intersections with it fall by Bonferroni."""
    m = len(p_values)
    subsets = [chosen for chosen in product((False, True), repeat=m) if any(chosen)]
    return [
        max(min(1.0, sum(s) * min(p for p, inside in zip(p_values, s, strict=True) if inside)) for s in subsets if s[i])
        for i in range(m)
    ]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_closed_testing_with_bonferroni(p_values):
    np.testing.assert_allclose(holm(p_values), closed_testing(p_values), atol=1e-12)


def test_holm_does_not_depend_on_the_order_and_of_none_is_none():
    p = [0.01, 0.2, 0.04]
    by_value = dict(zip(p, holm(p), strict=True))
    for order in permutations(p):
        assert holm(order) == [by_value[value] for value in order]
    assert holm([]) == []
