from dataclasses import replace

import numpy as np
import pytest
from made_corpora import documents, recipe, tokenised

from textnb import TextClassifier
from textnb.comparison.criteria import score_recipes
from textnb.counts import ClassCounts
from textnb.errors import InputError
from textnb.models import bernoulli
from textnb.models.dirichlet import log_evidence
from textnb.models.logistic.evidence import evidence

MADE = documents(30)


def test_the_evidence_of_multinomial_is_that_of_its_classes_counts():
    recipes = {
        name: recipe(alpha=alpha, weighting="raw") for name, alpha in (("a", 0.1), ("b", 1.0), ("c", "evidence"))
    }
    found = score_recipes(recipes, tokenised(MADE), "evidence")
    part = tokenised(MADE).of_recipe(recipe())
    counts = ClassCounts.of(part.X, part.named_labels)
    values = {one.name: one.value for one in found}
    assert values["a"] == pytest.approx(log_evidence(counts.terms, 0.1), abs=1e-9)
    assert values["b"] == pytest.approx(log_evidence(counts.terms, 1.0), abs=1e-9)
    assert found[0].name == "c"
    assert [one.behind for one in found] == pytest.approx([values["c"] - one.value for one in found])


def test_the_evidence_of_bernoulli_is_its_formula_one_document_after_the_other():
    X = np.random.default_rng(0).integers(0, 2, (7, 4))
    labels = list("xyxxyxy")
    expected = 0.0
    for name in "xy":
        seen = np.zeros(4)
        for number, row in enumerate(X[np.array(labels) == name]):
            p = (seen + 0.3) / (number + 0.6)
            expected += np.log(np.where(row > 0, p, 1 - p)).sum()
            seen += row
    assert bernoulli.log_evidence(ClassCounts.of(X, labels), 0.3) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("criterion", "part"), [("evidence", "log_evidence"), ("bic", "bic")])
def test_the_criteria_of_logistic_are_those_of_its_weighted_documents(criterion, part):
    recipes = {
        "a": recipe("logistic"),
        "b": recipe("logistic", weighting="raw"),
        "c": recipe("bayes-logistic", weighting="raw"),
    }
    found = {one.name: one.value for one in score_recipes(recipes, tokenised(MADE), criterion)}
    counted = tokenised(MADE).of_recipe(recipe())
    expected = getattr(evidence(counted.X.astype(float), counted.named_labels, l2=1.0), part)
    assert found["b"] == pytest.approx(expected, abs=1e-6)
    assert found["c"] == pytest.approx(expected, abs=1e-4)
    assert found["a"] != found["b"]


def test_the_alpha_by_evidence_has_the_most_of_it():
    recipes = {str(alpha): recipe("bernoulli", alpha=alpha) for alpha in ("evidence", 0.01, 0.1, 0.5, 1.0, 3.0)}
    assert score_recipes(recipes, tokenised(MADE), "evidence")[0].name == "evidence"


@pytest.mark.parametrize(
    ("recipes", "criterion", "message"),
    [
        (
            [recipe("complement")],
            "evidence",
            "0: model 'complement' with alpha=evidence, weight_norm=False has no evidence",
        ),
        ([recipe(alpha=0.0)], "evidence", "model 'multinomial' with alpha=0.0, estimate=mean has no evidence"),
        ([recipe(), recipe(weighting="raw")], "evidence", "0 and 1 differ in weighting"),
        ([recipe(), recipe("bernoulli")], "evidence", "0 and 1 differ in what they predict"),
        ([recipe(), recipe("logistic")], "evidence", "0 and 1 differ in what they predict"),
        ([recipe()], "bic", "has no bic; use cross-validation, or one of bayes-logistic, logistic"),
        ([recipe()], "aic", "unknown criterion 'aic'; use cv, evidence or bic"),
    ],
)
def test_what_cannot_be_compared_is_refused(recipes, criterion, message):
    with pytest.raises(InputError, match=message):
        score_recipes({str(i): each for i, each in enumerate(recipes)}, tokenised(MADE, *recipes), criterion)


@pytest.mark.parametrize("model", ["logistic", "bayes-logistic"])
def test_an_evidence_that_is_not_computed_is_refused_and_bic_is_there(model, monkeypatch):
    monkeypatch.setattr("textnb.models.logistic.laplace.LARGEST", 10)
    given = {"made": recipe(model)}
    with pytest.raises(InputError, match="is not computed for 30 documents; use cross-validation or bic"):
        score_recipes(given, tokenised(MADE), "evidence")
    assert score_recipes(given, tokenised(MADE), "bic")[0].value < 0


def test_the_evidence_of_logistic_is_that_at_the_l2_it_finds():
    searching = TextClassifier("logistic", tokenizer="whitespace", calibrate=False).recipe
    assert searching.options["l2"] == "cv"
    corpus = tokenised(documents(36), searching)
    l2 = TextClassifier.from_recipe(searching).fit(documents(36)).fitted.fit.found["l2"]
    given = replace(searching, options={**searching.options, "l2": l2})
    searched, fixed = (score_recipes({"it": each}, corpus, "evidence")[0].value for each in (searching, given))
    assert searched == pytest.approx(fixed, rel=1e-9)
