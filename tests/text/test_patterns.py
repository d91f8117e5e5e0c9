import re
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.text.patterns import CharClass, Chars, Whitespace, Words, as_range

ASSIGNED = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) not in ("Cn", "Co")]
MARKS = [c for c in ASSIGNED if unicodedata.category(c)[0] == "M"]
LETTERS = [c for c in ASSIGNED if c.isalpha() and c <= "\uffff"]
TEXTS = st.text(st.characters() | st.sampled_from("東京タワーへ3回 walk　ｶﾞ\n'’_.é"), max_size=30)


@pytest.mark.parametrize("tokenizer", [CharClass(), Words(), Whitespace(), Chars(n=3)], ids=lambda t: t.name)
def test_terms_and_tokens_agree_around_every_script(tokenizer):
    text = "".join(f"a{c}b" for c in ASSIGNED if "IDEOGRAPH-" not in unicodedata.name(c, ""))
    tokens = list(tokenizer.tokens(text))
    assert tokenizer(text) == [token.surface for token in tokens]
    assert all(text[token.start : token.end] == token.surface == token.base for token in tokens)
    assert {(token.reading, token.pos) for token in tokens} == {("", "")}


@settings(max_examples=100)
@given(text=TEXTS)
def test_whitespace_is_what_python_splits_at(text):
    assert Whitespace()(text) == text.split()


@settings(max_examples=100)
@given(text=TEXTS, low=st.integers(1, 4), more=st.integers(0, 3))
def test_chars_are_all_substrings_of_each_stretch_shorter_ones_first(text, low, more):
    high = low + more
    expected = []
    for stretch in text.split():
        grams = [stretch[i:j] for i in range(len(stretch)) for j in range(i + 1, len(stretch) + 1)]
        wanted = [gram for gram in grams if low <= len(gram) <= high]
        expected += sorted(wanted, key=len) if len(stretch) >= low else [stretch]
    assert Chars(n=(low, high))(text) == expected


def test_chars_of_one_length_may_be_a_single_number():
    assert Chars(n=2) == Chars(n=(2, 2)) == Chars(n=[2, 2])
    assert Chars(n=2)("東京都 へ") == ["東京", "京都", "へ"]
    assert Chars(n=1)("") == Chars(n=1)(" \n　") == []


def test_a_long_stretch_with_an_unbounded_n_stops_at_its_own_length():
    assert Chars(n=(2, 10**12))("東京都") == ["東京", "京都", "東京都"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "0-0"),
        (-1, "-1--1"),
        ((3, 2), "3-2"),
        ((1, 2, 3), r"\(1, 2, 3\)"),
        ((), r"\(\)"),
        ("2", "'2'"),
        ("12", "'12'"),
        (None, "None"),
        (True, "True"),
        ((True, 2), r"\(True, 2\)"),
        (1.0, r"1\.0"),
        ((1, 2.0), r"\(1, 2\.0\)"),
        ({1, 2}, r"\{1, 2\}"),
    ],
)
def test_a_range_that_is_none_is_refused(value, message):
    with pytest.raises(InputError, match=f"^width must .*{message}$"):
        as_range(value, "width")


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("東京タワーへ3回 walk", ["東京", "タワー", "へ", "3", "回", "walk"]),
        ("佐々木さん、〇〇市", ["佐々木", "さん", "〇〇市"]),
        ("らーめんラーメンー", ["らーめん", "ラーメンー"]),
        ("ｶﾞﾗｽ・ガラス", ["ｶﾞﾗｽ", "ガラス"]),
        ("ＡＢＣｄ１２３４x", ["ＡＢＣｄ", "１２３４", "x"]),
        ("𠮷野家", ["𠮷野家"]),
        ("Größe_naïve", ["Größe", "naïve"]),
        ("Москва東京한국", ["Москва", "東京", "한국"]),
        ("3.14!?", ["3", "14"]),
        ("", []),
        ("、。！_ \n", []),
    ],
)
def test_charclass_worked_examples(text, runs):
    assert CharClass()(text) == runs


def is_kanji(c):
    return c in "々〆〇" or re.match("CJK (UNIFIED|COMPATIBILITY) IDEOGRAPH-", unicodedata.name(c)) is not None


@pytest.mark.parametrize(
    ("member", "belongs"),
    [
        ("東", is_kanji),
        ("タ", lambda c: "KATAKANA" in unicodedata.name(c)),
        ("へ", lambda c: "HIRAGANA" in unicodedata.name(c) and c != "ｰ"),
    ],
    ids=["kanji", "katakana", "hiragana"],
)
def test_charclass_runs_hold_the_letters_that_unicode_names_after_the_script(member, belongs):
    joined = {c for c in LETTERS if CharClass()(member + c) == [member + c]}
    assert joined == {c for c in LETTERS if belongs(c)}


@pytest.mark.parametrize("text", ["Azərbaycan", "oﬃce", "ꜳ"])
def test_charclass_knows_every_latin_letter(text):
    assert CharClass()(f"{text}z") == [f"{text}z"]


def test_charclass_leaves_out_no_letter_and_no_digit():
    kept = set("".join(CharClass()(" ".join(ASSIGNED))))
    assert {c for c in ASSIGNED if c.isalpha() or c.isdecimal()} <= kept


@pytest.mark.parametrize("word", ["ガラス", "がっこう", "パパ", "café", "naïve", "नमस्ते", "สวัสดี"])
def test_charclass_does_not_fall_apart_at_combining_marks(word):
    assert CharClass()(word) == [word]
    decomposed = unicodedata.normalize("NFD", word)
    assert CharClass()(decomposed) == [decomposed]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't know a thing.", ["I", "don't", "know", "a", "thing"]),
        ("l’été, aujourd’hui", ["l’été", "aujourd’hui"]),
        ("'quoted' rock'n'roll dogs'", ["quoted", "rock'n'roll", "dogs"]),
        ("a''b", ["a", "b"]),
        ("x-ray 3.14 e_mail", ["x", "ray", "3", "14", "e_mail"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("cafe\u0301s", ["cafe\u0301s"]),
        ("", []),
        (" !? ", []),
    ],
)
def test_words_worked_examples(text, words):
    assert Words()(text) == words


def test_words_keep_every_combining_mark_there_is_on_its_letter():
    words = [f"a{mark}b" for mark in MARKS]
    assert len(words) > 2000
    assert Words()(" ".join(words)) == words


@pytest.mark.parametrize("text", ["❤\ufe0f", "☺\ufe0f !", "\u0301", "-\u20dd-"])
def test_a_mark_that_stands_on_no_letter_is_no_word(text):
    assert Words()(text) == []


@settings(max_examples=100)
@given(text=TEXTS)
def test_words_of_a_text_without_marks_and_apostrophes_are_runs_of_letters_and_digits(text):
    plain = "".join(c for c in text if c not in "'’" and unicodedata.category(c)[0] != "M")
    assert Words()(plain) == re.findall(r"\w+", plain)
