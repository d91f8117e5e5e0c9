import pytest

from textnb import Analyzer, Document, TextClassifier
from textnb.counts import TermsOf, counted
from textnb.errors import InputError
from textnb.text import FEATURES, tokenizer

WORDS = tokenizer("words")
TEXT = "\n  Ｔokyo rain\nmore of it"


def places(analyzer, text, cut=WORDS):
    return {(term, text[start:end] if start >= 0 else None) for term, start, end in analyzer.located(text, cut)}


def test_the_first_line_is_the_first_that_has_a_word():
    found = Analyzer(features=["first-line"]).feature_terms(TEXT, WORDS)
    assert found == ["first-line:Ｔokyo", "first-line:rain"]
    assert Analyzer(features=["first-line"]).feature_terms(" \n ", WORDS) == []


@pytest.mark.parametrize("text", ["Tokyo rain", "\n Tokyo rain \n \n"])
def test_a_text_of_one_line_has_no_first_line(text):
    assert Analyzer(features=["first-line"]).feature_terms(text, WORDS) == []


def test_character_n_grams_are_those_of_the_tokenizer_for_them():
    found = Analyzer(features=["chars"]).feature_terms("東京都 へ", WORDS)
    assert found == [f"chars:{term}" for term in tokenizer("chars", n=(2, 3))("東京都 へ")]


@pytest.mark.parametrize(("text", "length"), [("", 0), ("a", 1), ("a" * 255, 8), ("a" * 256, 9), ("a" * 511, 9)])
def test_the_length_is_a_power_of_two(text, length):
    assert Analyzer(features=["length"]).feature_terms(text, WORDS) == [f"length:{length}"]


def test_features_are_found_where_they_stand_before_normalisation():
    found = places(Analyzer(["nfkc", "casefold"], features=["first-line", "length", "chars"]), TEXT)
    assert {("first-line:tokyo", "Ｔokyo"), ("length:5", None), ("chars:to", "Ｔo"), ("tokyo", "Ｔokyo")} <= found


@pytest.mark.parametrize("cut", ["words", "janome", "chars"])
def test_counting_and_locating_find_the_same_terms(cut):
    analyzer = Analyzer(ngram=(1, 2), features=FEATURES)
    terms_of = TermsOf(tokenizer(cut), analyzer)
    document = Document(TEXT + "東京の雨", fields={"to": ["x"]})
    located = sorted(place.term for place in terms_of.located(document))
    assert sorted(terms_of(document)) == located
    (part,) = counted([document], terms_of)
    assert part.X.sum() == len(located)
    assert set(part.vocabulary.terms) == set(located)


def test_a_classifier_learns_from_features_and_keeps_them_in_its_file(tmp_path):
    texts, labels = ["a b\nc", "c d\na", "a\nd c", "c\nb a"] * 3, ["x", "y", "x", "y"] * 3
    classifier = TextClassifier("logistic", tokenizer="words", analyzer=Analyzer(features=["first-line"]))
    classifier.fit(texts, labels)
    assert classifier.predict(["a\nc", "c\na"]).tolist() == ["x", "y"]
    classifier.save(tmp_path / "m")
    loaded = TextClassifier.load(tmp_path / "m")
    assert loaded.recipe.analyzer.features == ("first-line",)
    assert loaded.predict(["a\nc", "c\na"]).tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("features", "said"),
    [(["title"], "unknown feature 'title'; use chars"), ("chars", "single string"), (["chars", "chars"], "twice")],
)
def test_groups_that_are_not_there_are_refused(features, said):
    with pytest.raises(InputError, match=said):
        Analyzer(features=features)
