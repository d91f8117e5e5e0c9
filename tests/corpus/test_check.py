import pytest

from textnb import Document
from textnb.corpus import Limits, check_corpus
from textnb.corpus.check import find_damage
from textnb.counts import TermsOf
from textnb.text import Analyzer, tokenizer

WORDS = TermsOf(tokenizer("words"), Analyzer())
LONG = (
    "明日の天気は晴れのち曇りで、気温は平年並みになる見込みです。夕方からは風が強まるおそれがあります。"
    "海岸では高い波に注意してください。週末は前線が近づき、広い範囲で雨になるでしょう。"
)


def check(*documents, **limits):
    return check_corpus({"all": documents}, WORDS, Limits(**limits))


def ids(places):
    return [place.id for place in places]


def test_documents_and_classes_are_counted_by_split():
    train = [Document("a cat", "x", "1"), Document("b", "y", "2")]
    result = check_corpus({"train": train, "test": [Document("c", "x", "3")], "dev": []}, WORDS)
    assert result.splits == {"train": {"x": 1, "y": 1}, "test": {"x": 1}, "dev": {}}
    assert result.classes == {"x": 2, "y": 1}
    assert (result.documents, result.characters) == (3, 7)


def test_documents_that_say_nothing_or_little_are_named():
    texts = ["", " \n\u3000", "short", "  nine  char s ", "ten  letters"]
    result = check(*(Document(text, "x", str(i)) for i, text in enumerate(texts)))
    assert ids(result.empty) == ["0", "1"]
    assert ids(result.tiny) == ["2", "3"]
    assert ids(check(Document("short", "x", "2"), tiny=5).tiny) == []


def test_the_same_text_is_one_group_whatever_the_number_of_copies():
    result = check(
        *(Document(LONG, label, str(i)) for i, label in enumerate("xxyx")), Document("other words", "x", "4")
    )
    (group,) = result.exact_duplicates
    assert ids(group.places) == ["0", "1", "2", "3"]
    assert (group.similarity, group.across_labels, group.across_splits) == (1.0, True, False)
    assert result.near_duplicates == ()


def test_a_text_with_slips_is_a_near_duplicate_and_its_copies_are_in_the_group():
    other = LONG.replace("夕方", "夜")
    result = check(*(Document(text, "x", str(i)) for i, text in enumerate([LONG, other, other, LONG[:20]])))
    (group,) = result.near_duplicates
    assert ids(group.places) == ["0", "1", "2"]
    assert 0.8 <= group.similarity < 1
    assert [ids(exact.places) for exact in result.exact_duplicates] == [["1", "2"]]
    assert check(Document(LONG, "x", "0"), Document(other, "x", "1"), similarity=0.95).near_duplicates == ()


def test_white_space_alone_makes_a_near_duplicate_of_similarity_one():
    (group,) = check(Document("one two three", "x", "0"), Document("one  two\nthree", "y", "1")).near_duplicates
    assert (group.similarity, group.across_labels) == (1.0, True)


def test_a_document_of_one_split_in_another_is_a_leak():
    splits = {"train": [Document(LONG, "x", "1")], "test": [Document(LONG, "x", "1"), Document(LONG + "ね", "x", "2")]}
    result = check_corpus(splits, WORDS)
    assert [group.across_splits for group in (*result.exact_duplicates, *result.near_duplicates)] == [True, True]
    assert result.faults == {"duplicates in several splits": 2}


def test_empty_documents_are_no_duplicates_of_each_other():
    result = check(Document("", "x", "1"), Document("", "y", "2"))
    assert (result.exact_duplicates, result.near_duplicates) == ((), ())
    assert result.faults == {"empty documents": 2}


def test_a_term_that_gives_its_class_away_is_named():
    news = [Document(f"{word} example.com", "news", word) for word in ("rain", "sport", "money")]
    mail = [Document(f"{word} today", "mail", word * 2) for word in ("rain", "sport", "hello")]
    found = {(one.label, one.term): one.recall for one in check(*news, *mail, recall=0.5).giveaways}
    assert found == {("news", "example"): 1, ("news", "com"): 1, ("mail", "today"): 1}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain text\twith\r\nlines\u0085and 日本語", ()),
        ("lost \ufffd", ("U+FFFD in place of lost characters",)),
        ("\x1b$B8@8l\x1b(B", ("stray U+001B",)),
        ("日本".encode().decode("latin-1"), ("stray U+0097, U+009C",)),
        ("\x00\udc80", ("stray U+0000, U+DC80",)),
    ],
)
def test_characters_that_no_text_has_are_trouble(text, found):
    assert find_damage(Document(text)) == found


def test_defects_of_reading_are_trouble_told_once():
    assert find_damage(Document("\ufffd", defects=("byte 0 is not UTF-8",))) == ("byte 0 is not UTF-8",)
    result = check(Document("\ufffd", "x", "1", defects=("byte 0 is not UTF-8",)))
    assert [(place.id, found) for place, found in result.damaged] == [("1", ("byte 0 is not UTF-8",))]
    assert result.faults == {"damaged documents": 1}


def test_no_documents_are_a_corpus_without_faults():
    result = check()
    assert (result.documents, result.classes, result.faults, result.giveaways) == (0, {}, {}, ())
