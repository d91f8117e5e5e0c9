import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_models import BY_EVIDENCE

from textnb import Analyzer, Document, TextClassifier
from textnb.errors import InputError
from textnb.text import tokenizer

WEIGHTINGS = ["raw", "binary", "log"]
CORPUS = (["a a b", "b c", "a d d d", "c c e"], ["x", "x", "y", "z"])


def fitted(texts=CORPUS[0], labels=CORPUS[1], **settings):
    return TextClassifier(**{**BY_EVIDENCE, "tokenizer": "whitespace", **settings}).fit(texts, labels)


def total(explanation):
    return explanation.bias + math.fsum(c.value for c in explanation.contributions)


@settings(max_examples=60)
@given(
    text=st.lists(st.sampled_from(["a", "b", "c", "d", "e", "unknown"]), max_size=8).map(" ".join),
    weighting=st.sampled_from(WEIGHTINGS),
    ngram=st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    pair=st.permutations(["x", "y", "z"]),
)
def test_bias_and_contributions_sum_to_the_difference_of_the_scores(text, weighting, ngram, pair):
    classifier = fitted(weighting=weighting, analyzer=Analyzer(ngram=ngram))
    explanation = classifier.explain(text, pair[0], pair[1])
    scores = dict(zip(classifier.classes_, classifier.predict_log_proba([text])[0], strict=True))
    assert total(explanation) == pytest.approx(explanation.score, abs=1e-12)
    assert explanation.score == pytest.approx(scores[pair[0]] - scores[pair[1]], abs=1e-9)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_bias_is_the_difference_of_the_log_priors(weighting):
    explanation = fitted(weighting=weighting).explain("unknown", "x", "y")
    assert explanation.contributions == ()
    assert explanation.score == explanation.bias == pytest.approx(math.log(2))


def test_a_contribution_by_hand():
    classifier = fitted(["a a", "b"], ["x", "y"], weighting="raw", alpha=1.0)
    explanation = classifier.explain("a b a", "x", "y")
    for_a, for_b = math.log((3 / 4) / (1 / 3)), math.log((1 / 4) / (2 / 3))
    assert [(c.term, c.start, c.end) for c in explanation.contributions] == [("a", 0, 1), ("b", 2, 3), ("a", 4, 5)]
    np.testing.assert_allclose([c.value for c in explanation.contributions], [for_a, for_b, for_a])


@pytest.mark.parametrize(("weighting", "weight"), [("raw", 3), ("binary", 1), ("log", math.log(4))])
def test_occurrences_share_the_weight_of_their_term(weighting, weight):
    classifier = fitted(weighting=weighting)
    once, thrice = classifier.explain("d", "y", "x"), classifier.explain("d d d", "y", "x")
    per_unit = once.contributions[0].value / {"log": math.log(2)}.get(weighting, 1)
    assert [c.value for c in thrice.contributions] == pytest.approx([weight * per_unit / 3] * 3, rel=1e-6)


def test_by_term_gathers_occurrences_and_puts_the_weightiest_first():
    rows = fitted().explain("a d a b", "y", "x").by_term()
    assert {(term, occurrences) for term, occurrences, _ in rows} == {("a", 2), ("b", 1), ("d", 1)}
    assert [abs(value) for *_, value in rows] == sorted((abs(value) for *_, value in rows), reverse=True)
    assert math.fsum(value for *_, value in rows) == pytest.approx(
        math.fsum(c.value for c in fitted().explain("a d a b", "y", "x").contributions)
    )


@pytest.mark.parametrize("name", ["whitespace", "words", "charclass", "chars", "janome"])
def test_spans_point_into_the_text(name):
    text = " 梅を 塩で 漬けた。\nThe plum, 梅!"
    explanation = fitted([text, "試合 game"], ["cooking", "sport"], tokenizer=name).explain(text)
    terms = [c.term for c in explanation.contributions]
    assert terms == [term for term in tokenizer(name)(text) if not term.isspace()]
    assert terms == [text[c.start : c.end] for c in explanation.contributions]


def test_spans_of_changed_letters_point_at_the_letters_as_they_were():
    text = "ｶﾞｽ代 ＡＢＣ"
    analyzer = Analyzer(normalisers=["nfkc", "casefold"])
    explanation = fitted([text, "b"], ["x", "y"], analyzer=analyzer).explain(text)
    assert [(c.term, text[c.start : c.end]) for c in explanation.contributions] == [
        ("ガス代", "ｶﾞｽ代"),
        ("abc", "ＡＢＣ"),
    ]


def test_an_ngram_spans_from_its_first_word_to_its_last():
    text = "a  b c"
    explanation = fitted([text, "d"], ["x", "y"], analyzer=Analyzer(ngram=(2, 2))).explain(text)
    assert [(c.term, text[c.start : c.end]) for c in explanation.contributions] == [("a b", "a  b"), ("b c", "b c")]


def test_terms_of_fields_stand_nowhere_in_the_text():
    mail = Document("a", fields={"to": ["me"]})
    explanation = fitted([mail, "b"], ["x", "y"]).explain(mail)
    assert [c[:3] for c in explanation.contributions] == [("a", 0, 1), ("to:me", -1, -1)]
    assert total(explanation) == pytest.approx(explanation.score)


def test_terms_that_the_model_does_not_use_are_left_out():
    explanation = fitted(analyzer=Analyzer(min_df=2)).explain("a e b unknown")
    assert [c.term for c in explanation.contributions] == ["a", "b"]


def test_by_default_the_two_likeliest_labels_are_compared():
    classifier = fitted(prior=[0.2, 0.3, 0.5])
    for text in ["", "a a b", "d d", "c e"]:
        order = classifier.classes_[np.argsort(-classifier.predict_proba([text])[0])].tolist()
        explanation = classifier.explain(text)
        assert [explanation.label, explanation.against] == order[:2]
        assert explanation.label == classifier.predict([text])[0]


def test_a_label_named_is_compared_with_the_likeliest_other():
    classifier = fitted(prior=[0.2, 0.3, 0.5])
    assert [(e.label, e.against) for e in (classifier.explain("", label=name) for name in "xyz")] == [
        ("x", "z"),
        ("y", "z"),
        ("z", "y"),
    ]
    assert [(e.label, e.against) for e in (classifier.explain("", against=name) for name in "xz")] == [
        ("z", "x"),
        ("y", "z"),
    ]
    swapped, straight = classifier.explain("a", "x", "y"), classifier.explain("a", "y", "x")
    assert swapped.score == pytest.approx(-straight.score)


@pytest.mark.parametrize(
    ("classifier", "names", "message"),
    [
        (fitted(), {"label": "nobody"}, "unknown class 'nobody'; the model has x, y, z"),
        (fitted(), {"against": "nobody"}, "unknown class 'nobody'; the model has x, y, z"),
        (fitted(), {"label": "x", "against": "x"}, "label and against are both 'x'"),
        (fitted(["a"], ["x"]), {}, "'x' is the only class"),
    ],
)
def test_labels_that_cannot_be_compared_are_refused(classifier, names, message):
    with pytest.raises(InputError, match=message):
        classifier.explain("a", **names)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_with_alpha_zero_a_word_of_one_class_only_is_infinitely_for_it(weighting):
    classifier = fitted(["a b", "b c"], ["x", "y"], alpha=0, weighting=weighting)
    explanation = classifier.explain("a b", "x", "y")
    assert [(c.term, c.value) for c in explanation.contributions] == [("a", math.inf), ("b", 0.0)]
    assert explanation.score == math.inf


def test_words_infinitely_for_and_against_are_listed_and_one_that_neither_class_has_says_nothing():
    explanation = fitted(["a", "c"], ["x", "y"], alpha=0).explain("c a", "x", "y")
    assert [(c.term, c.value) for c in explanation.contributions] == [("c", -math.inf), ("a", math.inf)]
    explanation = fitted(["a", "b", "c"], ["x", "y", "z"], alpha=0).explain("c", "x", "y")
    assert [(c.term, c.value) for c in explanation.contributions] == [("c", 0.0)]
    assert explanation.score == 0.0


def test_classes_of_no_prior_probability_can_be_compared_without_a_warning():
    classifier = fitted(["a", "b", "c"], ["x", "y", "z"], prior={"x": 0, "y": 0, "z": 1})
    assert [c.term for c in classifier.explain("a", "x", "y").contributions] == ["a"]
