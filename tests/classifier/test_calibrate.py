"""Calibration by documents that were not learnt."""

from pathlib import Path

import numpy as np
import pytest
from made_corpora import documents
from small_models import rewritten

from textnb import TextClassifier
from textnb.classifier.facts import fact_lines
from textnb.errors import FitWarning, InputError, ModelFileError
from textnb.estimators import TextUNB
from textnb.files.model_file import KIND
from textnb.models.calibration import HeldOut, fit_calibration
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of
from textnb.readers import Document

GOLDEN = Path(__file__).parents[1] / "golden" / "models"

LEARNT, HELD_OUT = documents(45), [*documents(30, seed=3), *documents(30, seed=4)]


def trained(**settings):
    return TextClassifier(tokenizer="whitespace", **settings).fit(LEARNT)


def log_loss(classifier, these):
    log_p = classifier.predict_log_proba(these)
    y = [list(classifier.classes_).index(each.label) for each in these]
    return -log_p[np.arange(len(y)), y].mean()


def test_it_is_the_calibration_fitted_to_the_scores_of_these_documents():
    clf = trained(calibrate=False)
    fitted = clf.fitted
    ((part, _),) = fitted.score_parts(HELD_OUT)
    y = np.array([fitted.number_of(each.label) for each in HELD_OUT])
    scores = fitted.scorer.joint_log_scores(fitted.weigher(part.X)) - fitted.scorer.bias
    log_prior = np.tile(fitted.scorer.bias, (len(y), 1))
    sizes = fitted.sizes(part.X, fitted.weigher(part.X))
    expected = fit_calibration(HeldOut(scores, log_prior, sizes, y, np.ones(len(y))))
    found = clf.calibrate(HELD_OUT).fitted.calibration
    np.testing.assert_allclose([*found.json.pop("bias")], expected.bias, atol=1e-9)
    for name, value in found.json.items():
        assert value == pytest.approx(expected.json[name], rel=1e-9)


def test_probabilities_of_such_documents_become_better():
    clf = trained(calibrate=False)
    before = log_loss(clf, HELD_OUT)
    assert log_loss(clf.calibrate(HELD_OUT), HELD_OUT) < before


def test_labels_may_be_given_beside_texts():
    texts, labels = [each.text for each in HELD_OUT], [each.label for each in HELD_OUT]
    one, other = trained().calibrate(HELD_OUT), trained().calibrate(texts, labels)
    np.testing.assert_array_equal(one.predict_proba(["w1 w9"]), other.predict_proba(["w1 w9"]))


@pytest.mark.parametrize("calibrate", [True, False])
def test_a_file_keeps_it(tmp_path, calibrate):
    clf = trained(calibrate=calibrate).calibrate(HELD_OUT)
    clf.save(tmp_path / "m.textnb")
    again = TextClassifier.load(tmp_path / "m.textnb")
    assert clf.calibration_state == again.calibration_state == "held-out"
    np.testing.assert_array_equal(clf.predict_proba(HELD_OUT), again.predict_proba(HELD_OUT))
    again.save(tmp_path / "again.textnb")
    assert (tmp_path / "m.textnb").read_bytes() == (tmp_path / "again.textnb").read_bytes()


def test_what_is_learnt_or_forgotten_later_leaves_it_stale():
    clf = trained().calibrate(HELD_OUT)
    calibration = clf.fitted.calibration
    clf.update(["w1 w2 w3"], ["x"])
    assert clf.calibration_state == "stale"
    assert clf.fitted.calibration is calibration
    clf.forget(["w1 w2 w3"], ["x"])
    assert clf.calibration_state == "held-out"
    assert clf.calibrate(HELD_OUT).calibration_state == "held-out"


def test_a_new_class_makes_it_void():
    clf = trained().calibrate(HELD_OUT)
    with pytest.warns(FitWarning, match=f"calibration on {len(HELD_OUT)} held-out documents has ended: the classes"):
        clf.update(["new words", "other words"], ["new", "new"])
    assert clf.calibration_state == "calibrated"
    assert len(clf.fitted.calibration.bias) == 4


@pytest.mark.parametrize(
    ("these", "message"),
    [
        ([], "no documents to calibrate with"),
        (LEARNT[:2] + HELD_OUT, "2 of 62 documents have been learnt"),
        ([("w1", "unheard")], "unknown class 'unheard'; the model has x, y, z"),
        ([("w1", "x"), ("w2", "x")], "fewer than two classes"),
    ],
)
def test_what_says_nothing_is_refused_and_nothing_changes(these, message):
    clf = trained()
    state = clf.calibration_state, clf.fitted.calibration
    texts, labels = (
        ([], []) if not these else zip(*these, strict=True) if isinstance(these[0], tuple) else (these, None)
    )
    with pytest.raises(InputError, match=message):
        clf.calibrate(list(texts), labels)
    assert (clf.calibration_state, clf.fitted.calibration) == state


@pytest.mark.parametrize("number", [-1, "many"])
def test_a_file_with_a_senseless_number_of_held_out_documents_is_refused(tmp_path, number):
    trained().calibrate(HELD_OUT).save(tmp_path / "m.textnb")
    rewritten(tmp_path / "m.textnb", KIND, lambda header, _: header["calibration"].update(held_out=number))
    with pytest.raises(ModelFileError, match="held-out documents"):
        TextClassifier.load(tmp_path / "m.textnb")


PRIORS = ["uniform", *({"a": p, "b": (1 - p) / 2, "c": (1 - p) / 2} for p in (1e-9, 0.01, 0.5, 0.99, 1 - 1e-9))]


def three_classes(model, **settings):
    rng = np.random.default_rng(3)
    words = {"a": "red blue green", "b": "one two three four", "c": "up down left"}
    labels = [*"aaaaaaaaaaaabbbbbbccccc"]
    texts = [" ".join(rng.choice([*words[name].split(), "the", "of", "red", "one"], 5)) for name in labels]
    return TextClassifier(model, tokenizer="words", **settings).fit(texts, labels)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
@pytest.mark.parametrize("model", MODELS)
def test_a_prior_has_its_full_effect(model, prior):
    texts = ["red the one", "one two two down", "left", "green of up"]
    empirical, other = three_classes(model), three_classes(model, prior=prior)
    assert other.calibration_state == empirical.calibration_state == "calibrated"
    given = np.full(3, 1 / 3) if prior == "uniform" else np.array([prior[name] for name in "abc"])
    moved = other.predict_log_proba(texts) - empirical.predict_log_proba(texts)
    expected = np.log(given) - np.log(np.array([12, 6, 5]) / 23)
    np.testing.assert_allclose(moved - moved[:, :1], [expected - expected[0]] * 4, rtol=1e-6, atol=1e-6)


def test_after_calibrating_on_documents_a_prior_replaces_their_class_frequencies():
    held = [Document(text, label) for text, label in [("red one", "a"), ("one two", "b"), ("left up", "c")] * 3]
    held += [Document("three", "b"), Document("two red", "b")]
    one = three_classes("multinomial", prior="uniform").calibrate(held)
    other = three_classes("multinomial", prior={"a": 0.2, "b": 0.7, "c": 0.1}).calibrate(held)
    moved = other.predict_log_proba(["red the", "two"]) - one.predict_log_proba(["red the", "two"])
    np.testing.assert_allclose(np.exp(moved - moved[:, :1]), [[1, 3.5, 0.5]] * 2, rtol=1e-6)


REPEATED = ("raw", "binary", "raw-l2", "binary-l2")
"""Weightings under which the weights of a repeated text are in proportion to those of the text."""


@pytest.mark.parametrize("times", [2, 10, 200, 10_000])
@pytest.mark.parametrize(
    ("model", "weighting"),
    [
        *((name, each) for name in ("multinomial", "complement", "bernoulli") for each in model_of(name).weightings),
        *((name, each) for name in ("logistic", "least-squares", "fisher") for each in ("raw-l2", "tfidf-l2")),
    ],
)
def test_a_repeated_text_stays_as_confident_as_the_text(model, weighting, times):
    classifier = three_classes(model, weighting=weighting)
    texts = ["red the blue blue", "one two of", "left red up"]
    once, found = classifier.predict_proba(texts), classifier.predict_proba([f"{text} " * times for text in texts])
    if weighting in REPEATED:
        np.testing.assert_allclose(found, once, rtol=1e-9)
    else:  # rare and frequent terms of the text come nearer to each other
        assert (found.max(axis=1) > 0.8 * once.max(axis=1)).all()


@pytest.mark.parametrize("times", [2, 10, 200])
@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("pi", [0.1, 0.5, 1.0, 2.0, 20.0])
def test_a_repeated_text_stays_as_confident_as_the_text_for_every_product_of_u_nb(pi, complement, times):
    classifier = three_classes(TextUNB(pi=pi, alpha=0.5, complement=complement), weighting="raw")
    texts = ["red the blue blue", "one two of", "left red up"]
    once, found = classifier.predict_proba(texts), classifier.predict_proba([f"{text} " * times for text in texts])
    np.testing.assert_allclose(found, once, rtol=1e-7)


def test_a_model_of_version_0_1_answers_by_its_formula_until_it_is_fitted_again():
    old = TextClassifier.load(GOLDEN / "multinomial.textnb")
    assert not old.fitted.calibration.is_current
    assert "formula of textnb 0.1" in dict(fact_lines(old.facts()))["probabilities"]
    assert old.refit().fitted.calibration.is_current
    assert old.calibration_state == "calibrated"
    assert "formula" not in dict(fact_lines(old.facts()))["probabilities"]
    learnt = TextClassifier.load(GOLDEN / "multinomial.textnb")
    label = learnt.classes_[0]
    assert learnt.update(["a new document"], [label]).fitted.calibration.is_current
