import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.text.janome.tokenizer import Janome, without_surrogates

PIECES = ["庭で犬が走った", "すもももももも", "\n\n", "\r\n\r\n", "ｶﾞﾗｽ", "ガラス", "𠮷野家", *"。、!？\n 　😀ﬁ\x00"]
PIECES += ["abc", "12.5", "a\u0301", "か\u3099", "々々", "ーーー", "亜亜亜亜", "株式会社", "東京特許許可局"]


def check_equals_janome(text, reference):
    expected = list(reference.tokenize(text))
    tokens = list(Janome().tokens(text))
    assert [(t.surface, t.base, t.reading, t.pos) for t in tokens] == [
        (t.surface, t.base_form, t.reading, t.part_of_speech) for t in expected
    ]
    assert Janome()(text) == [t.surface for t in expected]
    assert all(text[t.start : t.end] == t.surface for t in tokens)


@settings(max_examples=15, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), min_size=1, max_size=12), length=st.integers(400, 1500))
def test_tokens_are_janomes_on_any_long_text(pieces, length, reference):
    once = "".join(pieces)
    check_equals_janome((once * (length // len(once) + 1))[:length], reference)


@pytest.mark.parametrize("text", ["\ud800", "東京\udfff都へ", "\ud83d\ude00 犬", "\udcff" * 3, " \udc80 "], ids=ascii)
def test_a_lone_surrogate_is_read_as_the_replacement_character(text, reference):
    with pytest.raises(UnicodeEncodeError):
        list(reference.tokenize(text))
    tokens = list(Janome().tokens(text))
    assert (
        Janome()(text) == [t.surface for t in tokens] == list(reference.tokenize(without_surrogates(text), wakati=True))
    )
    assert all(without_surrogates(text)[t.start : t.end] == t.surface for t in tokens)


@given(text=st.text(st.characters() | st.characters(categories=["Cs"]), max_size=20))
def test_without_surrogates_keeps_the_length_and_can_be_encoded(text):
    clean = without_surrogates(text)
    clean.encode("utf-8")
    assert [(a, b) for a, b in zip(text, clean, strict=True) if a != b] == [
        (c, "\ufffd") for c in text if "\ud800" <= c <= "\udfff"
    ]


def test_cost_of_a_long_text_does_not_grow_with_its_square(monkeypatch):
    from janome.tokenizer import Tokenizer

    handed = []
    partial = Tokenizer._Tokenizer__tokenize_partial

    def counted(self, text, *rest):
        handed.append(len(text))
        return partial(self, text, *rest)

    monkeypatch.setattr(Tokenizer, "_Tokenizer__tokenize_partial", counted)
    text = "😀" * 150_000 + "\n\n" + "ア" * 149_998  # runs that Janome itself reads quickly
    assert "".join(Janome(engine="reference")(text)) == text
    assert max(handed) <= Tokenizer.MAX_CHUNK_SIZE
    assert sum(handed) <= 2 * len(text)


@pytest.mark.parametrize(
    ("pos", "exclude_pos"),
    [
        (["名詞"], []),
        (["名詞,固有名詞", "動詞"], []),
        ([], ["助詞", "記号"]),
        (["名詞"], ["名詞,数", "名詞,接尾"]),
        (["名詞,固"], []),
        (["名詞,"], []),
        (["名詞,固有名詞,地域,一般"], []),
        (["名詞"], ["名詞"]),
    ],
)
def test_filters_keep_what_begins_with_whole_parts_of_speech(pos, exclude_pos, reference, ja_mini):
    def begins(token, parts):
        cells = token.part_of_speech.split(",")
        return any(cells[: len(part.split(","))] == part.split(",") for part in parts)

    text = ja_mini[0] + ja_mini[60] + "東京で2人がPythonを書いた。"
    kept = [t for t in reference.tokenize(text) if (not pos or begins(t, pos)) and not begins(t, exclude_pos)]
    for form, expected in (("surface", [t.surface for t in kept]), ("base", [t.base_form for t in kept])):
        assert Janome(form=form, pos=pos, exclude_pos=exclude_pos)(text) == expected


def test_one_part_of_speech_may_be_a_string():
    assert Janome(pos="名詞", exclude_pos="名詞,数") == Janome(pos=["名詞"], exclude_pos=["名詞,数"])
    assert Janome(pos="名詞")("庭で犬が走った") == ["庭", "犬"]


def test_filtered_tokens_keep_their_places():
    text = " 庭で犬が走った "
    tokens = Janome(form="base", pos=["名詞", "動詞"], stop_words=["犬"]).tokens(text)
    assert [(t.surface, t.base, t.start, t.end) for t in tokens] == [("庭", "庭", 1, 2), ("走っ", "走る", 5, 7)]


def test_stop_words_are_compared_with_what_is_counted():
    text = "庭で犬が走った"
    assert Janome(stop_words=["走る", "で"])(text) == ["庭", "犬", "が", "走っ", "た"]
    assert Janome(form="base", stop_words=["走る", "で"])(text) == ["庭", "犬", "が", "た"]
    assert Janome(form="base", stop_words=["走っ"])(text) == ["庭", "で", "犬", "が", "走る", "た"]


def test_order_and_repeats_in_a_list_of_words_make_no_difference():
    assert Janome(stop_words=["で", "が", "で"]) == Janome(stop_words={"が", "で"}) == Janome(stop_words=("が", "で"))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"form": "Base"}, "unknown form 'Base'; use surface, base"),
        ({"form": None}, "unknown form None"),
        ({"pos": 5}, "pos must be a list of strings, not 5"),
        ({"pos": "名刺"}, "unknown part of speech '名刺'; use 名詞, 動詞"),
        ({"stop_words": "犬"}, "stop_words must be a list of strings, not '犬'"),
        ({"exclude_pos": ["助詞", 5]}, r"exclude_pos must contain only strings, not 5"),
        ({"stop_words": None}, "stop_words must be a list of strings, not None"),
        ({"stop_words": [["a"]]}, r"stop_words must contain only strings, not \['a'\]"),
        ({"pos": ["名"]}, "unknown part of speech '名'; use 名詞, 動詞"),
        ({"pos": "名詞,動詞"}, "'名詞,動詞' is several parts of speech; give one by one, as in --pos 名詞 --pos 動詞"),
        ({"exclude_pos": ["名刺,数"]}, "unknown part of speech '名刺,数'"),
        (
            {"user_dictionary": 5},
            r"user_dictionary must be a path, a list of \(surface, pos, reading\) or a UserDictionary, not 5",
        ),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(params, message):
    with pytest.raises(InputError, match=message):
        Janome(**params)
