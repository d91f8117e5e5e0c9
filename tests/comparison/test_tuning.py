import json
from dataclasses import replace

import numpy as np
import pytest
from made_corpora import documents, recipe, tokenised

from textnb import Document, TextClassifier
from textnb.comparison import candidates, cross_validated, tune
from textnb.counts.weighting import WEIGHTINGS
from textnb.errors import InputError
from textnb.evaluation import Evaluation
from textnb.evaluation.splits import nested_folds
from textnb.models.registry import MODELS

MADE = documents(45)


def test_a_model_with_evidence_is_tuned_by_it():
    found = tune(candidates(recipe(), {"alpha": [0.001, 2.0, 900.0]}), tokenised(MADE))
    assert (found.by, found.estimate) == ("evidence", None)
    assert found.name == max(found.values, key=found.values.get)
    assert found.recipe == recipe(alpha=2.0)


def test_without_an_evidence_for_every_candidate_it_is_tuned_by_log_loss(monkeypatch):
    assert tune(candidates(recipe(), {"alpha": [0.0, 0.5]}), tokenised(MADE), folds=2).by == "log_loss"
    monkeypatch.setattr("textnb.models.logistic.laplace.LARGEST", 10)
    recipes = candidates(recipe(model="logistic"), {"l2": [0.1, 1.0]})
    assert tune(recipes, tokenised(documents(30)), folds=2).by == "log_loss"


@pytest.mark.parametrize("by", ["log_loss", "accuracy"])
def test_the_choice_is_the_best_of_the_cross_validated(by):
    recipes = candidates(recipe("complement"), {"alpha": [0.01, 1.0, 80.0]})
    corpus = tokenised(MADE)
    found = tune(recipes, corpus, by=by, folds=3, seed=1)
    row = nested_folds(corpus.labels, corpus.groups, 3, 1)[:1]
    for one in cross_validated(recipes, corpus, row):
        evaluation = Evaluation.of(corpus.labels, one.log_probabilities[0], corpus.classes)
        assert found.values[one.name] == pytest.approx(getattr(evaluation, by), abs=1e-12)
    best = max if by == "accuracy" else min
    assert found.values[found.name] == best(found.values.values())


def test_the_estimate_is_of_choices_that_never_saw_the_documents():
    """The same by hand: for each outer fold choose within the others, fit on them, and answer for the fold."""
    recipes, corpus = candidates(recipe("complement"), {"alpha": [0.01, 1.0]}), tokenised(MADE)
    rows = nested_folds(corpus.labels, corpus.groups, 3)
    answers = np.empty((45, 3))
    for fold in range(3):
        inside = np.flatnonzero(rows[0] != fold)
        part = tokenised([MADE[i] for i in inside])
        inner = cross_validated(recipes, part, rows[1 + fold : 2 + fold, inside])
        losses = [Evaluation.of(part.labels, one.log_probabilities[0], part.classes).log_loss for one in inner]
        chosen = inner[int(np.argmin(losses))].recipe
        fitted = TextClassifier.from_recipe(chosen).fit([MADE[i] for i in inside])
        test = np.flatnonzero(rows[0] == fold)
        answers[test] = fitted.predict_log_proba([MADE[i] for i in test])
    expected = Evaluation.of(corpus.labels, answers, corpus.classes)
    found = tune(recipes, corpus, folds=3).estimate
    assert found["log_loss"].value == pytest.approx(expected.log_loss, abs=1e-12)
    assert found["accuracy"].value == pytest.approx(expected.accuracy, abs=1e-12)


def test_the_same_seed_gives_the_same_choice_as_plain_json():
    recipes = candidates(recipe("complement"), {"alpha": [0.01, 1.0], "weight_norm": [True, False]})
    one, again = (tune(recipes, tokenised(MADE), folds=2, seed=9) for _ in range(2))
    assert json.dumps(one.json) == json.dumps(again.json)


def test_parts_of_text_and_selection_can_be_varied():
    recipes = candidates(recipe(), {"ngram": [1, "1-2"], "min_df": [1, 2]})
    assert [each.analyzer.ngram for each in recipes.values()] == [(1, 1), (1, 1), (1, 2), (1, 2)]
    assert tune(recipes, tokenised(MADE, *recipes.values()), by="accuracy", folds=2).recipe in recipes.values()


@pytest.mark.parametrize("model", [name for name in MODELS if name != "auto"])
def test_every_model_has_something_to_tune(model):
    assert len(candidates(recipe(model))) > 1


def test_auto_which_tunes_itself_is_tuned_in_named_options_only():
    with pytest.raises(InputError, match="model 'auto' has no default tuning grid; name the options to vary"):
        candidates(recipe("auto"))
    found = candidates(recipe("auto"), {"weighting": ["raw", "log"]})
    assert [(each.model, each.alpha, each.weighting) for each in found.values()] == [
        ("auto", None, "raw"),
        ("auto", None, "log"),
    ]


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("model", ["multinomial", "complement"])
def test_leave_one_out_is_among_what_is_tried_with_every_weighting_that_it_goes_with(model, weighting):
    alphas = {each.alpha for each in candidates(recipe(model, weighting=weighting)).values()}
    assert ("leave-one-out" in alphas) == (weighting in ("raw", "binary", "log"))
    assert 1.0 in alphas


def test_leave_one_out_is_chosen_over_evidence_where_classes_are_many_and_small():
    """Words of a class occur three times in it, others everywhere: one number cannot smooth both kinds."""
    rng = np.random.default_rng(0)
    common = [" ".join(rng.choice(["the", "of", "and"], 6)) for _ in range(120)]
    corpus = tokenised([Document(f"{common[i]} own{i // 3}", f"{i // 3:02}") for i in range(120)])
    recipes = candidates(recipe(), {"alpha": ["evidence", "leave-one-out"]})
    for given in ({"by": "evidence"}, {"by": "log_loss", "folds": 3}):
        assert tune(recipes, corpus, **given).name == "alpha=leave-one-out"


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"alpha": []}, "the grid has 0 candidates, but 1 to 200 are allowed; vary more"),
        ({"alpha": range(201)}, "the grid has 201 candidates, but 1 to 200 are allowed; vary fewer"),
        ({"pi": [1]}, "pi=1: unknown option 'pi'"),
        ({"alpha": ["much"]}, "alpha=much: alpha must be a number of at least 0, 'evidence'"),
    ],
)
def test_grids_that_cannot_be_are_refused(grid, message):
    with pytest.raises(InputError, match=message):
        candidates(recipe(), grid)


def test_something_else_to_tune_by_is_refused():
    with pytest.raises(InputError, match="unknown criterion 'f1'; use evidence, log_loss or accuracy"):
        tune({"it": recipe()}, tokenised(MADE), by="f1")


def test_weightings_in_l2_are_tuned_by_log_loss_and_without_evidence():
    base = recipe(weighting="raw-l2")
    recipes = candidates(base)
    assert next(iter(recipes.values())).alpha == "log-loss"
    assert not {"evidence", "evidence-unigram"} & {each.alpha for each in recipes.values()}
    few = candidates(base, {"alpha": ["log-loss", 100.0]})
    assert tune(few, tokenised(MADE, *few.values()), folds=2).by == "log_loss"
    mixed = candidates(replace(recipe(), alpha=None), {"weighting": ["raw", "raw-l2"]})
    assert [each.alpha for each in mixed.values()] == ["leave-one-out", "log-loss"]
