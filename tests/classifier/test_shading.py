"""The shares of a text: put together they are the text, and with the rest their values are the score."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb import Analyzer, Document, TextClassifier
from textnb.classifier.explanation import BIAS, REST, Contribution, Explanation, shaded


def rest(explanation):
    """The part of the score that has no place in the text."""
    return explanation.bias + sum(each.value for each in explanation.contributions if each.start < 0)


def explained(text, *contributions):
    parts = tuple(Contribution(text[start:end], start, end, value) for start, end, value in contributions)
    return shaded(text, Explanation("x", "y", 0.0, 0.0, parts))


def trained(*texts, **settings):
    labels = [f"class{number}" for number in range(len(texts))]
    return TextClassifier(**{"tokenizer": "whitespace", **settings}).fit(texts, labels)


@given(
    text=st.lists(st.sampled_from(["a", "ｶﾞ", "ＡＢＣ", "㍿", "unknown", " ", "\n", "　", "2.50"]), max_size=10).map(
        "".join
    ),
    ngram=st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    tokenizer=st.sampled_from(["whitespace", "chars", "words"]),
)
def test_the_stretches_are_the_text_and_with_the_rest_sum_to_the_score(text, ngram, tokenizer):
    analyzer = Analyzer(normalisers=["nfkc", "casefold", "numbers"], ngram=ngram)
    classifier = trained("a ガ abc 株式会社 0", "b ガ 0 a abc", tokenizer=tokenizer, analyzer=analyzer)
    explanation = classifier.explain(text)
    stretches = shaded(text, explanation)
    assert "".join(each.text for each in stretches) == text
    total = math.fsum(each.value for each in stretches) + rest(explanation)
    assert total == pytest.approx(explanation.score, abs=1e-9)


def test_a_word_alone_has_its_own_value_and_what_is_between_words_none():
    assert explained("ab, cd", (0, 2, 1.0), (4, 6, -0.1)) == [
        ("ab", 1.0, 4),
        (",", 0.0, 0),
        (" ", 0.0, 0),
        ("cd", -0.1, -1),
    ]


def test_overlapping_ngrams_share_their_values_over_their_letters():
    found = explained("a bb c", (0, 4, 3.0), (2, 6, 6.0))
    assert [(each.text, each.value) for each in found] == [("a", 1.0), (" ", 0.0), ("bb", 6.0), (" ", 0.0), ("c", 2.0)]


def test_folded_characters_are_highlighted_as_they_were_written():
    text = "ｶﾞｽ代 １２３"
    classifier = trained("ガス代 0", "b", analyzer=Analyzer(normalisers=["nfkc", "numbers"]))
    assert [each.text for each in shaded(text, classifier.explain(text)) if each.level] == ["ｶﾞｽ代", "１２３"]


def test_two_terms_made_from_one_character_both_count_for_it():
    found = explained("㍿", (0, 1, 1.0), (0, 1, 0.5))
    assert found == [("㍿", 1.5, 4)]


def test_levels_rise_with_the_share_of_the_weightiest():
    values = [1.0, 0.7, 0.5, 0.3, 0.1, 0.04, 0.0, -1.0, -0.1]
    text = "abcdefghi"
    found = explained(text, *((i, i + 1, value) for i, value in enumerate(values)))
    assert [each.level for each in found] == [4, 4, 3, 2, 1, 0, 0, -4, -1]


def test_infinite_words_stand_out_and_leave_the_others_their_shades():
    found = explained("abc", (0, 1, math.inf), (1, 2, 2.0), (2, 3, -math.inf))
    assert [each.level for each in found] == [4, 4, -4]
    (both,) = explained("a", (0, 1, math.inf), (0, 1, -math.inf))
    assert both.level == 0


def test_a_term_of_white_space_alone_has_its_place():
    assert explained("a \t b", (1, 4, 3.0))[1] == (" \t ", 3.0, 4)


def test_nothing_is_shaded_of_an_empty_text():
    assert explained("") == []


def test_what_has_no_place_in_the_text_is_the_rest():
    mail = Document("a", fields={"to": ["me"]})
    classifier = TextClassifier(tokenizer="whitespace").fit([mail, "b"], ["x", "y"])
    explanation = classifier.explain(mail)
    (stretch,) = shaded("a", explanation)
    assert stretch.value + rest(explanation) == pytest.approx(explanation.score)
    assert rest(explanation) != explanation.bias


@pytest.mark.parametrize("top", [1, 2, 3, 10])
def test_the_rows_of_the_table_sum_to_the_score(top):
    explanation = trained("a b c d", "a a e").explain("a b b c e", "class0", "class1")
    rows = explanation.rows(top)
    assert math.fsum(value for *_, value in rows) == pytest.approx(explanation.score)
    assert sum(times or 0 for _, times, _ in rows) == 5
    assert rows[0][0] == BIAS
    assert (rows[-1][0] == REST) == (top < 4)
