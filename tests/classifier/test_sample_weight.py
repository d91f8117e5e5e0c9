"""Weights of texts: whole ones repeat a text, fractions weigh its counts."""

import pickle

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from textnb import Analyzer, Document, TextClassifier
from textnb.errors import InputError, NotLearntError
from textnb.models.model import Need
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of

TEXTS = ["a b", "b c", "a a d", "c d", "d e", "b e"]
LABELS = ["x", "x", "x", "y", "y", "y"]
WHOLE = [2, 1, 3, 0, 1, 2]
FRACTIONS = [0.5, 0.25, 1.0, 1.5, 0.0, 0.1]


def untrained(model="multinomial", **params):
    alpha = {"alpha": "evidence"} if model == "multinomial" else {}
    return TextClassifier(model, **{"tokenizer": "whitespace", "analyzer": Analyzer(), **alpha, **params})


def repeated(values):
    return [value for value, weight in zip(values, WHOLE, strict=True) for _ in range(weight)]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore::textnb.errors.ConvergenceWarning")
def test_a_whole_weight_is_the_number_of_times_a_text_is_learnt(model):
    weighted = untrained(model).fit(TEXTS, LABELS, sample_weight=WHOLE)
    plain = untrained(model).fit(repeated(TEXTS), repeated(LABELS))
    assert weighted.learnt == plain.learnt
    np.testing.assert_array_equal(weighted.predict_proba(TEXTS), plain.predict_proba(TEXTS))
    weighted.forget(["a b", "a b"], ["x", "x"])
    with pytest.raises(NotLearntError):
        weighted.forget(["a b"], ["x"])


def test_fractions_are_the_weights_of_scikit_learn():
    ours = untrained(weighting="raw", alpha=0.5, calibrate=False).fit(TEXTS, LABELS, FRACTIONS)
    vectorizer = CountVectorizer(analyzer=str.split)
    theirs = MultinomialNB(alpha=0.5).fit(vectorizer.fit_transform(TEXTS), LABELS, FRACTIONS)
    X = vectorizer.transform(TEXTS)
    np.testing.assert_allclose(ours.predict_proba(TEXTS), theirs.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1.0, np.pi * 1e6])
def test_no_term_is_lost_because_weights_are_small(scale):
    classifier = untrained(analyzer=Analyzer(min_df="auto"), calibrate=False).fit(
        TEXTS, LABELS, np.array(FRACTIONS) * scale
    )
    assert list(classifier.vocabulary_) == ["a", "b", "c", "d", "e"]


def test_weighted_class_counts_add_up_to_rounding():
    whole = untrained(calibrate=False).fit(TEXTS, LABELS, FRACTIONS).learnt.counts
    first, second = (
        untrained(calibrate=False).fit(TEXTS[part], LABELS[part], FRACTIONS[part])
        for part in (slice(0, 4), slice(4, 6))
    )
    total = first.merge(second).learnt.counts
    assert total.vocabulary == whole.vocabulary
    np.testing.assert_allclose(total.documents, whole.documents, rtol=1e-15)
    np.testing.assert_allclose(total.terms.toarray(), whole.terms.toarray(), rtol=1e-15)


def test_what_was_learnt_with_fractions_is_saved_and_not_forgotten(tmp_path):
    classifier = untrained().fit(TEXTS, LABELS, FRACTIONS)
    assert classifier.calibration_state == "none"
    classifier.save(tmp_path / "m.textnb")
    for again in (TextClassifier.load(tmp_path / "m.textnb"), pickle.loads(pickle.dumps(classifier))):
        assert again.learnt == classifier.learnt
        np.testing.assert_array_equal(again.predict_proba(TEXTS), classifier.predict_proba(TEXTS))
        with pytest.raises(NotLearntError):
            again.forget(TEXTS[:1], LABELS[:1])
        more = again.update(["z"], ["z"])
        assert more.classes_.tolist() == ["x", "y", "z"]
        assert more.forget(["z"], ["z"]).learnt.counts == classifier.learnt.counts


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore::textnb.errors.ConvergenceWarning")
def test_fractions_are_refused_by_models_that_need_single_documents(model):
    classifier = untrained(model)
    if model == "auto" or not (classifier.recipe.keeps.histograms or classifier.recipe.keeps.examples):
        assert Need.ROWS not in model_of(model).needs
        assert np.isfinite(classifier.fit(TEXTS, LABELS, FRACTIONS).predict_proba(TEXTS)).all()
    else:
        with pytest.raises(InputError, match=f"model '{model}' .* needs single documents; use whole numbers"):
            classifier.fit(TEXTS, LABELS, FRACTIONS)


def test_an_alpha_that_needs_single_documents_is_refused_with_fractions():
    with pytest.raises(InputError, match=r"alpha='leave-one-out' .* or alpha='evidence'"):
        untrained(alpha=None).fit(TEXTS, LABELS, FRACTIONS)


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([1, 1], "one weight per text; it holds 2"),
        ([0.5] * 2, "one weight per text; it holds 2"),
        ([1] * 7, "one weight per text; it holds 7"),
        ([0.5] * 7, "one weight per text; it holds 7"),
        ([0] * 6, "every sample_weight is zero"),
        ([-1, 1, 1, 1, 1, 1], "finite and not negative"),
        ([np.nan, 1, 1, 1, 1, 1], "finite and not negative"),
        (["much"] * 6, "sample_weight must be numbers"),
        ([[1]] * 6, "sample_weight must hold 6 weights"),
        ([1e6, 1, 1, 1, 1, 1], "sums to 1e.06 documents; divide the weights"),
    ],
)
def test_wrong_weights_are_refused(weights, complaint):
    with pytest.raises(InputError, match=complaint):
        untrained().fit(TEXTS, LABELS, weights)


def test_texts_of_weight_zero_leave_no_trace():
    classifier = untrained(calibrate=False).fit(["a", "b", "z"], ["x", "y", "only"], [0.5, 0.5, 0])
    assert classifier.classes_.tolist() == ["x", "y"]
    assert list(classifier.vocabulary_) == ["a", "b"]
    whole = untrained().fit(["a", "b", "z"], ["x", "y", "only"], [1, 1, 0])
    assert whole.classes_.tolist() == ["x", "y"]
    assert whole.score(["a", "b"], ["x", "x"], sample_weight=[3, 1]) == 0.75


def test_documents_and_iterators_may_have_weights():
    documents = (Document(text, label) for text, label in zip(TEXTS, LABELS, strict=True))
    assert (
        untrained().fit(documents, sample_weight=np.array(WHOLE, np.int32)).learnt
        == untrained().fit(TEXTS, LABELS, WHOLE).learnt
    )
