"""Weights beyond the range that sums and products allow are refused, at training and when a file is loaded."""

import numpy as np
import pytest
from small_models import put, rewritten

from textnb import TextClassifier
from textnb.errors import InputError, ModelFileError
from textnb.files.model_file import verify_model
from textnb.models.registry import MODELS
from textnb.models.scorer import LinearScorer, ScaledScorer, check_weights

TEXTS, LABELS = ["a b", "a c c", "d e", "d f f"], ["x", "x", "y", "y"]


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e101, -1e101, np.finfo(float).max])
@pytest.mark.parametrize("place", ["by_term", "bias", "scale"])
def test_weights_that_would_overflow_are_refused(value, place):
    arrays = {"by_term": np.zeros((2, 2)), "bias": np.zeros(2), "scale": np.ones(2)}
    arrays[place].flat[0] = value
    with pytest.raises(InputError, match=rf"\({place}\) exceed the range of floats"):
        check_weights(ScaledScorer(arrays["scale"], LinearScorer(arrays["by_term"], arrays["bias"])))


@pytest.mark.parametrize("value", [0.0, 1e100, -1e100, -np.inf])
def test_all_other_weights_are_accepted(value):
    check_weights(LinearScorer(np.full((2, 2), value), np.zeros(2)))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_passes_the_check_of_weights(name):
    classifier = TextClassifier(name, tokenizer="words").fit(TEXTS, LABELS)
    check_weights(classifier.fitted.scorer)
    assert not np.isnan(classifier.predict_proba(["a d " * 1000, ""])).any()


@pytest.mark.parametrize("alpha", [0.0, 1e-320, 1e-100, 1.0, 1e100])
@pytest.mark.parametrize("name", ["multinomial", "bernoulli", "complement"])
def test_no_alpha_gives_a_probability_that_is_not_a_number(name, alpha):
    try:
        classifier = TextClassifier(name, alpha=alpha, tokenizer="words").fit(TEXTS, LABELS)
    except InputError as error:
        assert "alpha" in str(error) or "weights" in str(error)
        return
    assert not np.isnan(classifier.predict_proba(["a d " * 1000, "a", "f", ""])).any()


@pytest.mark.parametrize(
    ("kind", "weight"),
    [("<f8", 1e101), ("<f8", 1e308), *((kind, w) for kind in ("<f8", "<f4") for w in (np.nan, np.inf))],
)
def test_a_file_with_such_weights_is_refused_by_verifying_and_gives_no_answer_that_is_not_a_number(
    tmp_path, kind, weight
):
    def with_weight(by_term):
        changed = by_term.astype(kind)  # models are written in single precision; a file may have double
        changed[0] = weight
        return changed

    TextClassifier("logistic", tokenizer="words").fit(TEXTS, LABELS).save(tmp_path / "m.textnb")
    rewritten(tmp_path / "m.textnb", "model", put("scorer.by_term", with_weight))
    with pytest.raises(ModelFileError, match=r"m\.textnb: the array 'scorer.by_term' holds NaN"):
        verify_model(tmp_path / "m.textnb")
    loaded = TextClassifier.load(tmp_path / "m.textnb")
    try:
        found = loaded.predict_proba(["a a a b"])
    except ModelFileError as error:
        assert "not numbers" in str(error)
    else:
        assert weight < np.inf
        assert not np.isnan(found).any()
