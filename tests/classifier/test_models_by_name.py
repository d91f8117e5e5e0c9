"""What holds for every model by name, with every weighting that it takes and several alphas."""

import math
import pickle

import numpy as np
import pytest
from small_models import bytes_of

from textnb import Analyzer, Document, TextClassifier
from textnb.classifier.recipe import ClassifierRecipe
from textnb.errors import NotLearntError
from textnb.models.model import Choice, Flag, Need
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of

TEXTS = ["good fun day", "good good film", "fun film film", "bad sad day", "sad film bad bad", "bad day day", "rain"]
LABELS = ["pos", "pos", "pos", "neg", "neg", "neg", "none"]
MORE = ["good sad new", "rain rain film"], ["neg", "none"]
ASKED = ["good day", "sad sad new", "film fun unknown", "rain good bad", "day"]
TINY = [
    ([""], ["x"]),
    (["", ""], ["x", "y"]),
    (["a a a"], ["x"]),
    (["a", "a"], ["x", "y"]),
    (["a", "b"], ["x", "y"]),
    (["a", ""], ["x", "y"]),
    (["a", "", "b", ""], ["x", "x", "y", "y"]),
    (["a", "a", "a", "a"], ["x", "x", "y", "y"]),
    (["a b", "a b", "b a", "a b"], ["x", "x", "y", "y"]),
]

OTHER_NUMBERS = {"pi": (0.6, 1.7), "l2": (0.01, 0.5), "shrinkage": (0.3, 1.0), "prune": (0.4,), "stacked_from": (0,)}


def other_values(option):
    match option.kind:
        case Choice(values):
            return [value for value in values if value != option.default]
        case Flag():
            return [not option.default]
        case _:
            return OTHER_NUMBERS[option.name]


def allowed():
    """(model, weighting, alpha, options): every model with every weighting, every alpha and every option."""
    for model in map(model_of, MODELS):
        for weighting in model.weightings[: 2 if Need.ROWS in model.needs else None]:  # weighted rows are rows
            yield model.name, weighting, None, {}
        for alpha in (*([0.3] if model.accepts_number else []), *model.alphas[1:]):
            plain = "raw" if "raw" in model.weightings else model.weightings[0]
            yield model.name, "raw-l2" if alpha == "log-loss" else plain, alpha, {}
        for name, option in model.options.items():
            for value in other_values(option):
                yield model.name, model.weightings[0], 2.0 if model.accepts_number else "evidence", {name: value}


every = pytest.mark.parametrize("told", list(allowed()), ids=lambda told: "-".join(map(str, told)))
every_model = pytest.mark.parametrize("told", [(name, None, "evidence", {}) for name in MODELS], ids=MODELS)


def untrained(told, **settings):
    model, weighting, alpha, options = told
    plain = TextClassifier(model, weighting=weighting, alpha=alpha, tokenizer="whitespace", **settings).recipe
    recipe = ClassifierRecipe.of({**plain.json, "model": with_options(plain.json["model"], options)})
    return TextClassifier.from_recipe(recipe)


def with_options(model, options):
    return {**model, "params": {**model["params"], **options}}


def untrained_like(classifier):
    """A classifier of the same recipe; for ``auto`` that is the recipe it has chosen, which is kept from then on."""
    return TextClassifier.from_recipe(classifier.recipe)


def fitted(told, **settings):
    return untrained(told, **settings).fit(TEXTS, LABELS)


_KEPT = {}


def fitted_once(told, **settings):
    """A classifier for tests that only ask it."""
    key = repr((told, settings))
    if key not in _KEPT:
        _KEPT[key] = fitted(told, **settings)
    return _KEPT[key]


@every
def test_probabilities_sum_to_one_and_favour_the_right_class(told):
    classifier = fitted_once(told)
    P = classifier.predict_proba([*TEXTS, *ASKED, ""])
    assert P.shape == (13, 3)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert classifier.calibration_state == "calibrated"
    if told[0] != "gaussian":  # so few documents have no variances to speak of
        assert (P > 0).all()
        assert np.mean(classifier.predict(TEXTS[:6]) == LABELS[:6]) > 0.8


@every
def test_what_is_saved_comes_back_and_is_saved_the_same(told, tmp_path):
    classifier = fitted_once(told)
    classifier.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.recipe == classifier.recipe
    assert loaded.learnt == classifier.learnt
    assert loaded.calibration_state == "calibrated"
    np.testing.assert_array_equal(loaded.predict_proba(ASKED), classifier.predict_proba(ASKED))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes() == bytes_of(classifier)


@every
def test_training_changes_the_recipe_of_auto_only(told):
    asked, found = untrained(told).recipe, fitted_once(told).recipe
    if told[0] == "auto":
        assert found.model in ("multinomial", "complement")
        assert (found.weighting, found.prior, found.calibrate) == (asked.weighting, asked.prior, asked.calibrate)
        assert found.alpha == asked.alpha or asked.alpha is None
    else:
        assert found == asked


@every
def test_updating_equals_fitting_all_at_once_and_forgetting_equals_never_having_seen(told):
    before = bytes_of(fitted(told))
    classifier = fitted(told).update(*MORE)
    assert bytes_of(classifier) == bytes_of(untrained_like(classifier).fit(TEXTS + MORE[0], LABELS + MORE[1]))
    assert bytes_of(classifier.forget(*MORE)) == before
    with pytest.raises(NotLearntError, match="never learnt"):
        classifier.forget(*MORE)
    assert bytes_of(classifier) == before
    assert bytes_of(classifier.forget(TEXTS, LABELS)) == bytes_of(untrained_like(classifier))


@every
def test_merging_halves_in_either_order_equals_fitting_all(told):
    classifier = fitted(told)
    one, other = (untrained_like(classifier).fit(TEXTS[part::2], LABELS[part::2]) for part in (0, 1))
    before, whole = bytes_of(one), bytes_of(classifier)
    assert bytes_of(one.merge(other)) == whole
    assert bytes_of(one.forget(TEXTS[1::2], LABELS[1::2])) == before
    assert bytes_of(other.merge(one)) == whole


@pytest.mark.parametrize("calibrate", [True, False], ids=["calibrated", "plain"])
@every
def test_bias_and_contributions_sum_to_the_difference_of_log_probabilities(told, calibrate):
    classifier = fitted_once(told, calibrate=calibrate)
    for text in [*ASKED, "", "unknown"]:
        log_proba = dict(zip(classifier.classes_, classifier.predict_log_proba([text])[0], strict=True))
        for label, against in (("pos", "neg"), ("neg", "none")):
            explanation = classifier.explain(text, label, against)
            total = explanation.bias + math.fsum(part.value for part in explanation.contributions)
            assert total == pytest.approx(explanation.score, rel=1e-12, abs=1e-12)
            assert total == pytest.approx(log_proba[label] - log_proba[against], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("calibrate", [True, False], ids=["calibrated", "plain"])
@every
def test_a_text_without_known_words_gets_the_prior(told, calibrate):
    classifier = fitted_once(told, calibrate=calibrate)
    for text in ("", "whet the text"):  # none of its characters is known
        np.testing.assert_allclose(classifier.predict_proba([text])[0], [3 / 7, 1 / 7, 3 / 7])
        explanation = classifier.explain(text, "pos", "none")
        assert explanation.contributions == ()
        assert explanation.score == pytest.approx(math.log(3))


@every
def test_a_choice_of_terms_is_minded(told):
    settings = {"analyzer": Analyzer(min_df=2)}
    classifier = fitted(told, **settings)
    assert classifier.fitted.vocabulary.terms == ("bad", "day", "film", "fun", "good", "sad")
    np.testing.assert_allclose(classifier.predict_proba(["rain"])[0], [3 / 7, 1 / 7, 3 / 7])
    np.testing.assert_allclose(classifier.predict_proba(ASKED).sum(axis=1), 1)
    before = bytes_of(classifier)
    assert bytes_of(classifier.update(*MORE).forget(*MORE)) == before


@every
def test_next_to_nothing_has_an_answer(told):
    for texts, labels in TINY:
        classifier = untrained(told).fit(texts, labels)
        P = classifier.predict_proba(["", "a", "a b c"])
        np.testing.assert_allclose(P.sum(axis=1), 1)
        np.testing.assert_allclose(P[0], [labels.count(name) / len(labels) for name in classifier.classes_])
        assert bytes_of(pickle.loads(pickle.dumps(classifier))) == bytes_of(classifier)


@every_model
def test_fields_count_like_words(told):
    documents = [Document(text, label, fields={"to": [label]}) for text, label in zip(TEXTS, LABELS, strict=True)]
    classifier = untrained(told).fit(documents)
    assert classifier.predict([Document("day", fields={"to": ["neg"]})]).tolist() == ["neg"]


@every_model
def test_a_class_of_prior_zero_is_never_answered_and_can_be_explained(told):
    prior = {"neg": 0.5, "none": 0.0, "pos": 0.5}
    classifier = fitted(told, prior=prior)
    assert classifier.calibration_state == "calibrated"
    assert classifier.predict_proba(["rain rain", ""])[:, 1].tolist() == [0, 0]
    assert classifier.explain("rain day", "none", "pos").score == -math.inf
    assert classifier.explain("rain day", "pos", "none").score == math.inf
    assert math.isfinite(classifier.explain("rain day", "pos", "neg").score)
