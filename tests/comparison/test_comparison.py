import json
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_corpora import documents, recipe, tokenised
from scipy import stats

from textnb.comparison import compare, cross_validated
from textnb.comparison.comparison import against_first, corrected_t, group_hits, holm, mcnemar, sign_flip
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


def flipped_in_whole_numbers(differences):
    """p-value of all 2^G choices of signs, by counting how many give each sum."""
    sums = Counter({0: 1})
    for d in differences:
        sums = sums_with(sums, abs(int(d)))
    observed = abs(int(sum(differences)))
    return float(Fraction(sum(n for total, n in sums.items() if abs(total) >= observed), 2 ** len(differences)))


def sums_with(sums, size):
    more = Counter()
    for total, number in sums.items():
        more[total + size] += number
        more[total - size] += number
    return more


def test_mcnemar_is_of_the_first_repeat_counts_groups_and_is_corrected_for_all_pairs(comparison, answers):
    right, _ = answers
    groups = tokenised(MADE).groups
    hits = [np.bincount(groups, right[row.name][0]).astype(int) for row in comparison.rows]
    raw = {(i, j): flipped_in_whole_numbers(hits[i] - hits[j]) for i, j in combinations(range(len(hits)), 2)}
    adjusted = dict(zip(raw, holm(list(raw.values())), strict=True))
    assert max(hits[0]) > 1
    assert [row.mcnemar for row in comparison.rows[1:]] == pytest.approx([adjusted[0, 1], adjusted[0, 2]], abs=1e-12)


@pytest.mark.parametrize("largest", [1, 2, 7, 200])
@pytest.mark.parametrize("n_groups", [1, 2, 5, 30, 120])
def test_sign_flips_are_those_of_all_choices_of_signs(largest, n_groups):
    rng = np.random.default_rng([largest, n_groups])
    for shift in (0.0, 0.3, 0.9):
        d = np.where(rng.random(n_groups) < (1 + shift) / 2, 1, -1) * rng.integers(0, largest + 1, n_groups)
        assert sign_flip(d) == sign_flip(-d) == pytest.approx(flipped_in_whole_numbers(d), abs=1e-12)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 1), (1, 4), (0, 6), (3, 3), (40, 61), (0, 1000), (500, 900)])
@pytest.mark.parametrize("copies", [1, 4, 1000])
def test_without_copies_or_with_equally_many_of_each_sign_flips_are_mcnemars_test(b, c, copies):
    assert sign_flip(copies * np.repeat([1, -1, 0], [b, c, 7])) == mcnemar(b, c)


def test_one_group_decides_nothing_and_many_with_one_sign_are_certain():
    assert sign_flip([]) == sign_flip([0, 0]) == sign_flip([1000]) == 1.0
    assert sign_flip([1000, 1]) == 0.5
    assert 0 < sign_flip(np.arange(1, 200)) < 1e-12


COPIES = {
    "no copies": lambda rng: np.ones(200, int),  # noqa: ARG005  # each draws the sizes of 200 groups
    "four copies of each": lambda rng: np.full(200, 4),  # noqa: ARG005
    "copies in unequal numbers": lambda rng: rng.integers(1, 9, 200),
    "very many of a few": lambda rng: rng.geometric(0.2, 200),
}


def is_at_most_five_per_cent(happened):
    """True unless so many would be less than one chance in a thousand if the probability were .05."""
    return sum(happened) <= stats.binom.ppf(0.999, len(happened), 0.05)


def equally_good(rng, n_recipes, sizes, accuracy=0.85):
    """Hits (k, D) of recipes that are equally good, the luckiest first, and groups (D,)."""
    n = len(sizes)
    agreed, alone = rng.random(n) < accuracy, rng.random((n_recipes, n)) < accuracy
    hits = np.where(rng.random(n) < 0.6, agreed, alone)
    groups = np.repeat(np.arange(n), sizes)
    return hits[np.argsort(-hits[:, groups].mean(axis=1), kind="stable")][:, groups], groups


@pytest.mark.parametrize("copies", COPIES)
@pytest.mark.parametrize("n_recipes", [2, 6, 13])
def test_of_equally_good_recipes_one_is_called_worse_in_at_most_five_per_cent(n_recipes, copies):
    rng = np.random.default_rng(n_recipes)
    made = [equally_good(rng, n_recipes, COPIES[copies](rng)) for _ in range(400)]
    falsely = [min(against_first(group_hits(hits, groups), sign_flip)) <= 0.05 for hits, groups in made]
    assert is_at_most_five_per_cent(falsely)
    of_documents = [[mcnemar((hits[0] & ~b).sum(), (b & ~hits[0]).sum()) for b in hits[1:]] for hits, _ in made]
    if n_recipes == 13 or copies != "no copies":  # tests of the best alone, document by document, do not hold 5 %
        assert not is_at_most_five_per_cent([min(holm(each)) <= 0.05 for each in of_documents])


@pytest.mark.parametrize("copies", [1, 4])
@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_the_t_calls_none_of_thirteen_equally_good_recipes_worse_in_more_than_five_per_cent(n_folds, copies):
    rng = np.random.default_rng(n_folds)
    test, falsely = partial(corrected_t, test_ratio=1 / (n_folds - 1), step=n_folds / 200), []
    for _ in range(100):
        hits, groups = equally_good(rng, 13, np.full(200, copies))
        fold = rng.permutation(np.arange(200) % n_folds)[groups]
        accuracies = [np.bincount(fold, each) / np.bincount(fold) for each in hits]
        falsely.append(min(against_first(accuracies, test)) <= 0.05)
    assert is_at_most_five_per_cent(falsely)


def test_a_recipe_that_is_worse_is_called_so_among_others_that_are_equal():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(50):
        hits, groups = equally_good(rng, 4, np.ones(500, int))
        worse = hits[3] & (rng.random(500) < 0.9)
        found.append(against_first(group_hits([*hits[:3], worse], groups), sign_flip))
    assert np.mean([p[2] <= 0.05 for p in found]) > 0.95
    assert is_at_most_five_per_cent([min(p[:2]) <= 0.05 for p in found])


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
    assert corrected_t([0.0, 0.0, 0.0], 0.25, step=0.01) == 1.0
    assert corrected_t([0.01, 0.01], 1.0, step=0.01) == pytest.approx(2 * stats.t.sf((12 / 1.5) ** 0.5, 1))
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
