"""Models that are fitted to the documents themselves, behind TextClassifier."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from small_models import rewritten

from textnb import Analyzer, TextClassifier
from textnb.errors import InputError, ModelFileError
from textnb.estimators import (
    BayesianLogistic,
    FisherDiscriminant,
    GaussianDiscriminant,
    LeastSquares,
    LogisticRegression,
    NBLogistic,
)
from textnb.models.model import Need
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of

RNG = np.random.default_rng(5)
WORDS = np.array([f"w{j}" for j in range(12)])
FITTED_AGAIN = {"bayes-logistic"}  # whose answers need the documents
MATRIX = [name for name in MODELS if Need.ROWS in model_of(name).needs]


def corpus(n=60, seed=0):
    """Texts of ten words and two labels of unequal size; each label has its words, and some in common."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(n) % 3 == 0, "rare", "usual")
    shares = {"rare": np.r_[np.full(6, 3.0), np.ones(6)], "usual": np.r_[np.ones(6), np.full(6, 3.0)]}
    texts = [" ".join(rng.choice(WORDS, 10, p=shares[label] / shares[label].sum())) for label in labels]
    return texts, labels.tolist()


TEXTS, LABELS = corpus()
ASKED = corpus(20, seed=1)[0]


def fitted(model, **settings):
    return TextClassifier(model, **{"tokenizer": "words", "analyzer": Analyzer(), **settings}).fit(TEXTS, LABELS)


def bytes_of(classifier, path):
    classifier.save(path)
    return path.read_bytes()


def test_logistic_is_scikit_learns_on_the_same_rows():
    mine = fitted(LogisticRegression(0.5), weighting="tfidf-l2", calibrate=False)
    texts = [*TEXTS, *ASKED]
    counts = np.array([[text.split().count(word) for word in mine.fitted.vocabulary.terms] for text in texts])
    seen = counts[: len(TEXTS)]
    weights = np.log1p(counts) * np.log(len(TEXTS) / (seen > 0).sum(axis=0))
    rows = weights / np.linalg.norm(weights, axis=1, keepdims=True)
    other = linear_model.LogisticRegression(C=2 / 0.5, tol=1e-10, max_iter=1000).fit(rows[: len(TEXTS)], LABELS)
    np.testing.assert_allclose(mine.predict_proba(ASKED), other.predict_proba(rows[len(TEXTS) :]), atol=1e-4)


@pytest.mark.parametrize("model", MATRIX)
def test_without_calibration_the_answer_is_the_models_own(model):
    mine = fitted(model, calibrate=False).fitted
    X = sparse.csr_array(RNG.poisson(1, (5, len(WORDS))))
    W = mine.weigher(X)
    np.testing.assert_array_equal(mine.log_posterior(X).argmax(axis=1), mine.scorer.joint_log_scores(W).argmax(axis=1))


@pytest.mark.parametrize("model", MATRIX)
def test_another_prior_changes_the_odds_by_its_own(model):
    shares = fitted(model, calibrate=False).predict_log_proba(ASKED)
    even = fitted(model, calibrate=False, prior="uniform").predict_log_proba(ASKED)
    change = (even[:, 0] - even[:, 1]) - (shares[:, 0] - shares[:, 1])
    np.testing.assert_allclose(change, np.log(2), atol=1e-9)  # a third of the documents are rare


@pytest.mark.parametrize("model", MATRIX)
def test_a_file_answers_without_fitting_again(model, tmp_path, monkeypatch):
    classifier = fitted(model)
    first = bytes_of(classifier, tmp_path / "m")
    if model not in FITTED_AGAIN:
        unfitted = replace(model_of(model), fit=None)
        monkeypatch.setattr("textnb.classifier.fitted.model", lambda _: unfitted)
    loaded = TextClassifier.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict_proba(ASKED), classifier.predict_proba(ASKED))
    assert loaded.fitted.fit.found == classifier.fitted.fit.found
    assert loaded.fitted.fit.facts == classifier.fitted.fit.facts
    assert bytes_of(loaded, tmp_path / "again") == first


@pytest.mark.parametrize("model", [name for name in MATRIX if name not in FITTED_AGAIN])
def test_a_model_that_keeps_no_documents_answers_and_refuses_to_change(model, tmp_path):
    classifier = fitted(model, sample=0)
    assert classifier.learnt.examples is None
    classifier.save(tmp_path / "m")
    loaded = TextClassifier.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict_proba(ASKED), fitted(model).predict_proba(ASKED))
    before = bytes_of(loaded, tmp_path / "before")
    for change in (
        lambda: loaded.update(["w1 w2"], ["rare"]),
        lambda: loaded.forget(TEXTS[:1], LABELS[:1]),
        lambda: loaded.merge(fitted(model, sample=0)),
    ):
        with pytest.raises(InputError, match=f"model '{model}' keeps no documents .* train it again"):
            change()
    assert bytes_of(loaded, tmp_path / "after") == before
    assert loaded.fit(TEXTS, LABELS).calibration_state == "calibrated"


@pytest.mark.parametrize(
    ("estimator", "model", "options"),
    [
        (LogisticRegression(3.0, class_weight="balanced"), "logistic", {"l2": 3.0, "balanced": True}),
        (BayesianLogistic(2.0), "bayes-logistic", {"l2": 2.0, "balanced": False}),
        (
            NBLogistic(loss="squared-hinge", prune=0.1),
            "nb-logistic",
            {"l2": "cv", "loss": "squared-hinge", "prune": 0.1, "balanced": False},
        ),
        (LeastSquares(2.0), "least-squares", {"l2": 2.0}),
        (FisherDiscriminant(0.5), "fisher", {"shrinkage": 0.5}),
        (GaussianDiscriminant(), "gaussian-discriminant", {"shrinkage": "auto"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_estimator_says_which_model_it_is(estimator, model, options):
    recipe = TextClassifier(estimator).recipe
    assert (recipe.model, recipe.options) == (model, options)


@pytest.mark.parametrize(
    ("estimator", "said"),
    [
        (LogisticRegression(class_weight={"rare": 2}), "class_weight is None or 'balanced'"),
        (FisherDiscriminant(components=1), "leave components"),
        (BayesianLogistic(class_weight={"rare": 2}), "class_weight is None or 'balanced'"),
        (NBLogistic(class_weight={"rare": 2}), "class_weight is None or 'balanced'"),
        (NBLogistic(a=0.5), "leave a and min_df at their defaults"),
    ],
)
def test_what_texts_cannot_have_is_refused(estimator, said):
    texts = iter(TEXTS)
    with pytest.raises(InputError, match=said):
        TextClassifier(estimator).fit(texts, LABELS)
    assert next(texts) == TEXTS[0]  # refused before a text is read


def test_what_answers_by_its_documents_cannot_do_without_them():
    with pytest.raises(InputError, match=r"'bayes-logistic' needs the learnt documents .* sample=0 forbids that"):
        TextClassifier("bayes-logistic", sample=0).fit(TEXTS, LABELS)


def test_the_flagship_has_the_terms_that_suit_it_and_calibrates_by_its_own_folds():
    classifier = TextClassifier("nb-logistic", tokenizer="words").fit(TEXTS, LABELS)
    assert classifier.recipe.analyzer == Analyzer(ngram=(1, 2), min_df="auto", features=["first-line", "short-chars"])
    held_out = classifier.fitted.fit.left_out_scores
    assert held_out.shape == (len(TEXTS), 2)
    y = [classifier.fitted.classes.index(name) for name in classifier.learnt.examples.classes]
    right = held_out.argmax(axis=1) == np.array(y)[classifier.learnt.examples.y]
    assert 0.5 < right.mean() < 1  # by fits without them
    assert classifier.calibration_state == "calibrated"


def test_classes_of_equal_weight_are_told_apart_better_when_balanced():
    plain, balanced = (fitted(LogisticRegression(10.0, class_weight=w), calibrate=False) for w in (None, "balanced"))
    rare = [k for k, label in enumerate(LABELS) if label == "rare"]
    assert np.mean(plain.predict(TEXTS)[rare] == "rare") < np.mean(balanced.predict(TEXTS)[rare] == "rare")


def test_a_linear_model_tells_the_distance_to_the_boundary():
    explanation = fitted("least-squares", calibrate=False).explain(ASKED[0])
    mine = fitted("least-squares", calibrate=False).fitted
    label, against = (mine.number_of(name) for name in (explanation.label, explanation.against))
    normal = mine.scorer.by_term[:, label] - mine.scorer.by_term[:, against]
    assert explanation.distance == pytest.approx(explanation.score / np.linalg.norm(normal))
    calibrated = fitted("least-squares").explain(ASKED[0], explanation.label, explanation.against)
    assert calibrated.distance == pytest.approx(explanation.distance)  # it is of the model, not of the calibration
    assert fitted("bernoulli").explain(ASKED[0]).distance is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda header, _: header["fit"].update(scorer="curved"), "describe a fitted model"),
        (lambda header, _: header["fit"].update(found=3), "describe a fitted model"),
        (lambda header, _: header["fit"].pop("facts"), "does not fit together"),
        (lambda _, arrays: arrays.pop("scorer.bias"), "'scorer.bias' is missing"),
        (lambda _, arrays: arrays.update({"scorer.bias": np.zeros(3)}), "does not have 2 classes"),
        (
            lambda _, arrays: arrays.update({"scorer.by_term": np.zeros((3, 2))}),
            "does not have 12 terms",
        ),
        (lambda _, arrays: arrays.update({"scorer.by_term": np.zeros(2)}), "missing or of another kind"),
    ],
)
def test_weights_that_no_fit_could_give_are_refused(change, said, tmp_path):
    fitted("logistic").save(tmp_path / "m")
    rewritten(tmp_path / "m", "model", change)
    with pytest.raises(ModelFileError, match=said):
        TextClassifier.load(tmp_path / "m")
