import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.text import tokenizer
from textnb.text.janome.tokenizer import Janome
from textnb.text.patterns import Words
from textnb.text.tokenizers import Auto, is_japanese


@pytest.mark.parametrize(
    "text",
    [
        "すもも",
        "スモモ",
        "ｽﾓﾓ",
        "李",
        "𠮷",
        "㐂",
        "Python で書く",
        "abcdefghi犬",
        "12345678901234567890犬",
        "!!!!!!!!!!!!!犬",
    ],
)
def test_a_text_with_a_tenth_of_kana_or_kanji_among_its_letters_is_japanese(text):
    assert is_japanese(text)
    assert Auto().choice(text) == Janome()
    assert Auto()(text) == Janome()(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "plain words",
        "abcdefghij犬",
        "Grüße",
        "Москва",
        "안녕하세요 세계",
        "ｆｕｌｌ ｗｉｄｔｈ",
        "123。",
        "、。「」",
        "😀",
        "ꀀꀁ",
    ],
)
def test_any_other_text_is_not_japanese(text):
    assert not is_japanese(text)
    assert Auto().choice(text) == Words()
    assert Auto()(text) == Words()(text)


@given(others=st.integers(0, 60), japanese=st.integers(0, 6), signs=st.integers(0, 20))
def test_the_share_is_counted_over_letters_only(others, japanese, signs):
    text = "é" * others + "犬" * japanese + "3、" * signs
    assert is_japanese(text) == (japanese > 0 and japanese / (japanese + others) >= 0.1)


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(st.sampled_from(["犬が走った", "a dog ran", "", "dog 犬", "walking dogs 犬"]), max_size=6))
def test_each_text_is_looked_at_by_itself(texts):
    auto = tokenizer("auto")
    assert [auto(text) for text in texts] == [(Janome() if is_japanese(t) else Words())(t) for t in texts]


def test_tokens_are_those_of_the_chosen_tokenizer():
    assert list(Auto().tokens("a dog")) == list(Words().tokens("a dog"))
    (token, *_) = Auto().tokens("走った")
    assert (token.base, token.pos.split(",")[0]) == ("走る", "動詞")


def test_its_version_is_janomes_because_its_tokens_are():
    assert Auto().version == Janome().version


def test_counting_many_texts_builds_no_tokenizer_per_text(monkeypatch):
    built = []
    check = Janome.__post_init__
    Auto().choice("犬")
    monkeypatch.setattr(Janome, "__post_init__", lambda janome: (built.append(janome), check(janome)))
    choices = [Auto().choice(text) for text in ["犬が走った", "a dog ran"] * 10]
    assert built == []
    assert [id(choice) for choice in choices] == [id(choice) for choice in choices[:2]] * 10
    if choices[0].counts_natively:
        assert len({id(choice.cutter) for choice in choices}) == 2
        assert built == []
