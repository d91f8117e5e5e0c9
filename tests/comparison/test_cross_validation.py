import pickle
from dataclasses import replace

import numpy as np
import pytest
from made_corpora import documents, recipe, tokenised

from textnb import Analyzer, TextClassifier
from textnb.comparison import cross_validated
from textnb.comparison.cross_validation import FoldRunner, list_trials
from textnb.errors import InputError
from textnb.evaluation.splits import nested_folds, repeated_folds
from textnb.models.registry import MODELS

MADE = documents()
ANALYZERS = {"all terms": Analyzer(), "some terms": Analyzer(min_df=2, max_df=0.9, max_terms=15)}


def folds_of(made, n_folds=3, repeats=1, seed=0):
    corpus = tokenised(made)
    return repeated_folds(corpus.labels, corpus.groups, n_folds, repeats, seed)


def refitted(settings, made, row, fold):
    """A classifier that never heard of the fold."""
    training = [document for document, its in zip(made, row, strict=True) if its not in {fold, -1}]
    return TextClassifier.from_recipe(settings).fit(training)


def check_against_refitting(settings, made, folds):
    (one,) = cross_validated({"it": settings}, tokenised(made, settings), folds)
    for repeat, row in enumerate(folds):
        for fold in range(row.max() + 1):
            test = np.flatnonzero(row == fold)
            expected = refitted(settings, made, row, fold).predict_log_proba([made[i] for i in test])
            np.testing.assert_array_equal(one.log_probabilities[repeat, test], expected)


@pytest.mark.parametrize("analyzer", ANALYZERS.values(), ids=ANALYZERS)
@pytest.mark.parametrize("model", MODELS)
def test_subtracting_a_fold_equals_refitting_to_the_bit(model, analyzer):
    check_against_refitting(recipe(model, analyzer=analyzer), MADE, folds_of(MADE))


@pytest.mark.parametrize(
    "settings",
    [
        *({"weighting": name} for name in ("raw", "binary", "tfidf", "log-l2")),
        *({"alpha": alpha, "weighting": "raw"} for alpha in ("evidence-document", "leave-one-out", 0.0)),
        *({"calibrate": True, "sample": sample} for sample in (3000, 12)),
    ],
    ids=str,
)
def test_it_does_so_for_every_weighting_alpha_and_calibration(settings):
    check_against_refitting(recipe(**settings), MADE, folds_of(MADE, 2 if "sample" in settings else 3))


def test_it_does_so_for_folds_within_folds():
    corpus = tokenised(MADE)
    check_against_refitting(recipe(), MADE, nested_folds(corpus.labels, corpus.groups, 2))


def test_recipes_that_share_statistics_answer_as_each_does_alone():
    recipes = {"a": recipe(alpha=0.1), "b": recipe("complement"), "c": recipe(weighting="raw"), "d": recipe(alpha=1.0)}
    folds = folds_of(MADE, repeats=2)
    together = cross_validated(recipes, tokenised(MADE, *recipes.values()), folds)
    assert [one.name for one in together] == [*recipes]
    for one in together:
        (alone,) = cross_validated({"x": one.recipe}, tokenised(MADE, one.recipe), folds)
        np.testing.assert_array_equal(one.log_probabilities, alone.log_probabilities)


def test_texts_are_cut_once_for_each_way_of_cutting():
    ways = [
        recipe(),
        recipe("complement"),
        recipe(analyzer=Analyzer(min_df=2)),
        recipe(analyzer=Analyzer(ngram=(1, 2))),
    ]
    corpus = tokenised(MADE, *ways)
    assert len(corpus.parts) == 2
    assert corpus.of_recipe(ways[0]) is corpus.of_recipe(ways[2]) is not corpus.of_recipe(ways[3])


def test_answers_do_not_depend_on_who_makes_which_trial_and_when():
    """So they do not depend on the number of jobs: each job has a laboratory of its own and some of the trials."""
    recipes = {"a": recipe(alpha=0.1), "b": recipe("complement"), "c": recipe("compound")}
    corpus, folds = tokenised(MADE), folds_of(MADE, repeats=2)
    alone = FoldRunner(recipes, corpus, folds)
    jobs = [pickle.loads(pickle.dumps(alone)) for _ in range(2)]
    in_order = list_trials(recipes, folds)
    expected = {trial: alone(trial).log_probabilities for trial in in_order}
    for number, trial in enumerate(reversed(in_order)):
        np.testing.assert_array_equal(jobs[number % 2](trial).log_probabilities, expected[trial])


def test_those_who_watch_see_every_recipe_and_fold():
    seen = []

    def watch(answers):
        for each in answers:
            seen.append(each.trial)
            yield each

    cross_validated({"a": recipe(), "b": recipe("complement")}, tokenised(MADE), folds_of(MADE, 3, 2), watch=watch)
    assert sorted(seen) == [(name, repeat, fold) for name in "ab" for repeat in range(2) for fold in range(3)]


def test_a_recipe_says_whether_all_its_folds_were_calibrated():
    recipes = {"mine": recipe(calibrate=True), "own": recipe(), "impossible": recipe(alpha=0.0, calibrate=True)}
    found = cross_validated(recipes, tokenised(MADE, *recipes.values()), folds_of(MADE, 2))
    assert [one.is_calibrated for one in found] == [True, False, False]


def test_documents_without_label_and_no_recipes_are_refused():
    with pytest.raises(InputError, match="document '3' has no label"):
        tokenised([*MADE[:3], replace(MADE[3], label=None)])
    with pytest.raises(InputError, match="no documents"):
        tokenised([])
    with pytest.raises(InputError, match="no recipes"):
        cross_validated({}, tokenised(MADE), folds_of(MADE))
    with pytest.raises(InputError, match=r"folds must have shape \(repeats, 36\)"):
        cross_validated({"a": recipe()}, tokenised(MADE), np.zeros((1, 5), np.intp))
