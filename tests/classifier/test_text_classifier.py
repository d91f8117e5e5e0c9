from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from small_models import WEIGHTINGS, columns, learn, untrained

from textnb import Analyzer, Document, TextClassifier, read_corpus
from textnb.errors import InputError, NotFittedError
from textnb.evaluation import Costs
from textnb.text import tokenizer

JA_MINI = Path(__file__).parents[2] / "corpora" / "ja-mini"


@pytest.fixture(scope="module")
def ja_mini():
    return list(read_corpus(JA_MINI / "train")), list(read_corpus(JA_MINI / "test"))


@pytest.mark.parametrize(("name", "step"), [("charclass", 1), ("janome", 10)])
def test_answers_are_those_of_scikit_learn_on_the_same_tokens(ja_mini, name, step):
    train, test = (documents[::step] for documents in ja_mini)
    words = Analyzer()
    ours = TextClassifier("multinomial", tokenizer=name, analyzer=words, weighting="raw", alpha=1.0, calibrate=False)
    ours.fit(train)
    vectorizer = CountVectorizer(analyzer=lambda text: [term for term in tokenizer(name)(text) if not term.isspace()])
    X = vectorizer.fit_transform([d.text for d in train])
    theirs = MultinomialNB(alpha=1.0).fit(X, [d.label for d in train])
    X_test = vectorizer.transform([d.text for d in test])
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    assert ours.predict(test).tolist() == theirs.predict(X_test).tolist()
    np.testing.assert_allclose(ours.predict_proba(test), theirs.predict_proba(X_test), rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours.predict_log_proba(test), theirs.predict_log_proba(X_test), atol=1e-10)


def test_log_weighting_sums_log_one_plus_tf_as_a_sum_by_hand_does():
    classifier = learn([("a a b", "x"), ("a", "x"), ("c", "y")], "log", alpha=0.5)
    two, three = np.log(2), np.log(3)
    in_x = np.array([three + two, two, 0.0]) + 0.5
    in_y = np.array([0.0, 0.0, two]) + 0.5
    joint = [
        np.log(2 / 3) + two * np.log(in_x / in_x.sum())[0] + three * np.log(in_x / in_x.sum())[2],
        np.log(1 / 3) + two * np.log(in_y / in_y.sum())[0] + three * np.log(in_y / in_y.sum())[2],
    ]
    expected = np.exp(joint) / np.exp(joint).sum()
    np.testing.assert_allclose(classifier.predict_proba(["a c c"])[0], expected, rtol=1e-6)


def test_binary_weighting_ignores_repetition():
    repeated, once = learn([("a a a b", "x"), ("c c", "y")], "binary"), learn([("a b", "x"), ("c", "y")], "binary")
    np.testing.assert_array_equal(repeated.predict_proba(["a a c"]), once.predict_proba(["a c"]))


@pytest.mark.parametrize("selection", [{"min_df": 2}, {"max_df": 1}, {"max_df": 0.5}, {"max_terms": 1}])
def test_the_choice_of_terms_is_made_anew_after_update_and_forget(selection):
    first, later = [("a b", "x"), ("a c", "y")], [("b c", "x"), ("c b", "y"), ("d", "y")]
    chosen = {"analyzer": Analyzer(**selection)}
    classifier = learn(first, **chosen)
    before = classifier.fitted.vocabulary.terms
    classifier.update(*columns(later))
    assert classifier.fitted.vocabulary.terms == learn(first + later, **chosen).fitted.vocabulary.terms != before
    np.testing.assert_array_equal(
        classifier.predict_proba(["a b c"]), learn(first + later, **chosen).predict_proba(["a b c"])
    )
    classifier.forget(*columns(later))
    assert classifier.fitted.vocabulary.terms == before


def test_the_choice_of_terms_by_hand():
    corpus = [("a b", "x"), ("a c", "y"), ("b", "x")]
    assert learn(corpus, analyzer=Analyzer(min_df=2)).fitted.vocabulary.terms == ("a", "b")
    assert learn(corpus, analyzer=Analyzer(max_df=0.5)).fitted.vocabulary.terms == ("c",)
    assert learn(corpus, analyzer=Analyzer(max_terms=1)).fitted.vocabulary.terms == ("a",)


@pytest.mark.parametrize("text", ["", "   ", "\n", "unknown words", Document("", fields={"to": ["nobody"]})])
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_a_text_without_any_known_word_gets_the_prior(text, weighting):
    classifier = learn([("a", "x"), ("b", "x"), ("", "x"), ("c", "y")], weighting)
    np.testing.assert_allclose(classifier.predict_proba([text]), [[0.75, 0.25]])
    assert classifier.predict([text]).tolist() == ["x"]


def test_a_choice_of_terms_that_leaves_none_is_refused():
    with pytest.raises(InputError, match="none of 3 terms is left by min_df=5"):
        learn([("a", "x"), ("b", "y"), ("c", "y")], analyzer=Analyzer(min_df=5))


def test_where_there_is_no_term_at_all_every_text_gets_the_prior():
    classifier = learn([("", "x"), ("", "y"), ("", "y")])
    np.testing.assert_allclose(classifier.predict_proba(["a", ""]), [[1 / 3, 2 / 3]] * 2)


def test_one_class_is_certain_of_itself():
    classifier = learn([("a", "x")])
    assert classifier.predict(["a", "b", ""]).tolist() == ["x"] * 3
    assert classifier.predict_proba(["a", "b"]).tolist() == [[1.0], [1.0]]


def test_with_alpha_zero_a_text_impossible_under_every_class_gets_the_prior():
    classifier = learn([("a", "x"), ("b", "y"), ("b", "y")], "raw", alpha=0)
    np.testing.assert_allclose(classifier.predict_proba(["a b", "a", "b"]), [[1 / 3, 2 / 3], [1, 0], [0, 1]])


def test_no_texts_have_no_answers():
    classifier = learn([("a", "x"), ("b", "y")])
    assert classifier.predict([]).shape == (0,)
    assert classifier.predict_proba([]).shape == classifier.predict_log_proba(iter([])).shape == (0, 2)


@pytest.mark.parametrize("question", ["predict", "predict_proba", "predict_log_proba", "explain"])
@pytest.mark.parametrize("classifier", [untrained(), learn([("a", "x")]).forget(["a"], ["x"])])
def test_a_question_before_anything_was_learnt_is_refused(question, classifier):
    with pytest.raises(NotFittedError, match="nothing has been learnt"):
        getattr(classifier, question)("a" if question == "explain" else ["a"])


@pytest.mark.parametrize(
    ("prior", "expected"), [("uniform", [0.5, 0.5]), ({"y": 0.9, "x": 0.1}, [0.1, 0.9]), ([0.2, 0.8], [0.2, 0.8])]
)
def test_the_prior_is_the_one_asked_for(prior, expected):
    classifier = learn([("a", "x"), ("a", "x"), ("b", "y")], prior=prior)
    np.testing.assert_allclose(classifier.predict_proba([""])[0], expected)


def test_a_prior_for_other_classes_is_refused_by_name():
    with pytest.raises(InputError, match=r"names.*'z'.*classes are.*'y'"):
        learn([("a", "x"), ("b", "y")], prior={"x": 0.5, "z": 0.5}).predict(["a"])


def test_a_decision_is_a_label_or_none():
    classifier = learn([("a", "x"), ("b", "y"), ("c", "y")])
    texts = ["a", "a b", "", "b c"]
    P = classifier.predict_proba(texts)
    assert classifier.decide(texts).tolist() == classifier.predict(texts).tolist()
    least = np.unique(P.max(axis=1))[-2:].mean()
    decided, sure = classifier.decide(texts, unsure=least), P.max(axis=1) >= least
    assert decided.dtype == object
    assert decided.tolist() == [
        label if known else None for label, known in zip(classifier.predict(texts), sure, strict=True)
    ]
    assert sorted(set(sure.tolist())) == [False, True]
    dear = classifier.decide(texts, costs=Costs({"x": {"y": 1000}}))
    assert dear.tolist() == ["y" if 1000 * p[0] < p[1] else "x" for p in P]
    assert classifier.decide([], unsure=0.5).shape == (0,)


@pytest.mark.parametrize("given", [{"unsure": 2}, {"costs": {"x": {"y": 1}}}, {"costs": Costs({"z": {"y": 1}})}])
def test_a_decision_by_what_is_no_rule_is_refused(given):
    with pytest.raises(InputError):
        learn([("a", "x"), ("b", "y")]).decide(["a"], **given)
