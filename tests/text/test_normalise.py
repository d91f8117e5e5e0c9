import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.text.normalise import NORMALISERS, _joins, _long_run, as_normalisers, normalised, normalised_spans

ANY = st.text(st.characters(), max_size=40)  # lone surrogates and unassigned characters included
JOINING = st.text(
    st.sampled_from("かｶハﾊﾞﾟ゛゜\u3099\u309aeßﬁİ각ᄀ\u1161\u11a8가\u0301\u0323\u0327ο̈ا\u0653ࣰ㎏①⑽½"), max_size=12
)
MATCHING = st.text(st.sampled_from("ab1２3.,:/ htpsfw-_~!あ。\n\r 　Ａ"), max_size=30)
LINKS = st.lists(st.sampled_from(["http://", "https://", "ftp://", "www.", "a.jp", "/x?y=1,5", "、", " ", "１", "!!!"]))
TEXTS = ANY | JOINING | MATCHING | LINKS.map("".join)
SEQUENCES = st.lists(st.sampled_from(sorted(NORMALISERS)), max_size=5)


def joined(normaliser, text):
    """The text with each unit changed on its own and what lies between them untouched."""
    parts, done = [], 0
    for start, end in normaliser.units(text):
        assert done <= start < end <= len(text)
        parts += [text[done:start], normaliser(text[start:end])]
        done = end
    return "".join([*parts, text[done:]])


def check_spans(spans, text, result):
    assert len(spans) == len(result)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(spans))


@settings(max_examples=120, deadline=None)
@given(text=TEXTS)
@example(text="")
@example(text="か\u3099き\u0301\u0323")
@example(text="각\u11a8ᄀ\u1161\u11a8")
@example(text="1.2.,3http://a.jp/1,2 www.www.x")
@example(text="aaaa\n\n\n\nbbb")
def test_units_changed_one_by_one_give_the_whole_text_changed(text):
    for normaliser in NORMALISERS.values():
        assert joined(normaliser, text) == normaliser(text), normaliser.name


@settings(max_examples=120, deadline=None)
@given(text=TEXTS)
def test_a_character_is_made_from_its_span_alone(text):
    for normaliser in NORMALISERS.values():
        check_spans(normaliser.spans(text), text, normaliser(text))
        for character, (start, end) in zip(normaliser(text), normaliser.spans(text), strict=True):
            assert character in normaliser(text[start:end]), normaliser.name


@pytest.mark.parametrize("before", ["e", "か", "ｶ", "ᄀ", "가", "\u09c7", "\U00011131"])
def test_nfkc_units_hold_for_every_character_after_a_starter(before):
    ideographs = (*range(0x3400, 0xA000), *range(0x17000, 0x18D00), *range(0x20000, 0x2F800), *range(0x2FA20, 0x323B0))
    private = (*range(0xD800, 0xF900), *range(0xE0200, sys.maxunicode + 1))
    characters = map(chr, sorted(set(range(sys.maxunicode + 1)) - {*ideographs, *private}))
    text = "".join(before + c for c in characters if unicodedata.category(c) != "Cn")
    assert joined(NORMALISERS["nfkc"], text) == unicodedata.normalize("NFKC", text)


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, names=SEQUENCES)
def test_a_sequence_gives_the_same_text_with_and_without_spans(text, names):
    result, spans = normalised_spans(text, names)
    assert result == normalised(text, names)
    check_spans(spans, text, result)


@pytest.mark.parametrize(
    ("text", "names", "result", "origins"),
    [
        ("ｶﾞス", ["nfkc"], "ガス", ["ｶﾞ", "ス"]),
        ("ｶﾞｽ", ["nfkc"], "ガス", ["ｶﾞ", "ｽ"]),
        ("か\u3099く", ["nfkc"], "がく", ["か\u3099", "く"]),
        ("ᄀ\u1161\u11a8가", ["nfkc"], "각가", ["ᄀ\u1161\u11a8", "가"]),
        ("aﬁb", ["nfkc"], "afib", ["a", "ﬁ", "ﬁ", "b"]),
        ("㍿Ａ", ["nfkc"], "株式会社A", ["㍿"] * 4 + ["Ａ"]),
        ("Maße", ["casefold"], "masse", ["M", "a", "ß", "ß", "e"]),
        ("ﬁN", ["casefold"], "fin", ["ﬁ", "ﬁ", "N"]),
        ("えーーーー!!", ["squeeze"], "えーー!!", ["え", "ーーーー", "ーーーー", "!", "!"]),
        ("見てhttp://a.jp/x?1、", ["urls"], "見てURL、", ["見", "て", *["http://a.jp/x?1"] * 3, "、"]),
        ("約1,234.5円", ["numbers"], "約0円", ["約", "1,234.5", "円"]),
        ("約１２３円", ["nfkc", "numbers"], "約0円", ["約", "１２３", "円"]),
        ("ｶﾞｶﾞｶﾞｶﾞ", ["nfkc", "squeeze"], "ガガ", ["ｶﾞｶﾞｶﾞｶﾞ"] * 2),
        ("ＷＷＷ．ａ．ｊｐ", ["nfkc", "casefold", "urls"], "URL", ["ＷＷＷ．ａ．ｊｐ"] * 3),
        ("ẞﬀ", ["casefold", "squeeze"], "ssff", ["ẞ", "ẞ", "ﬀ", "ﬀ"]),
        ("sß", ["casefold", "squeeze"], "ss", ["sß", "sß"]),
    ],
)
def test_worked_examples_point_at_the_characters_they_came_from(text, names, result, origins):
    changed, spans = normalised_spans(text, names)
    assert changed == result
    assert [text[start:end] for start, end in spans] == origins


@pytest.mark.parametrize(
    ("name", "text", "result"),
    [
        ("squeeze", "aa", "aa"),
        ("squeeze", "\n\n\n\n", "\n\n\n\n"),
        ("squeeze", "😀😀😀", "😀😀"),
        ("numbers", "1. 2,", "0. 0,"),
        ("numbers", "v2.0b3", "v0b0"),
        ("urls", "httpx://a wwwa.jp", "httpx://a wwwa.jp"),
        ("urls", "ftp://a https://b。", "URL URL。"),
        ("casefold", "ΣΑΣ İ", "σασ i̇"),
    ],
)
def test_each_normaliser_does_what_its_name_says(name, text, result):
    assert NORMALISERS[name](text) == result


def test_order_of_normalisers_is_kept():
    assert as_normalisers(["urls", "nfkc", "casefold"]) == ("urls", "nfkc", "casefold")
    assert normalised("ｈｔｔｐ://a.jp", ["urls", "nfkc"]) == "http://a.jp"
    assert normalised("ｈｔｔｐ://a.jp", ["nfkc", "urls"]) == "URL"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("nfkc", "single string 'nfkc'"),
        (["nfkc", "lower"], "unknown normaliser 'lower'; use casefold, nfkc, numbers, squeeze, urls"),
        ([5], "unknown normaliser 5"),
        ([["nfkc"]], r"unknown normaliser \['nfkc'\]"),
        (None, "None"),
        (5, "5"),
        ({"nfkc", "urls"}, "list of names"),  # a set has no order, and order matters
        (iter(["nfkc", "urls"]), "list of names"),
    ],
)
def test_names_that_are_no_list_of_known_names_are_refused(names, message):
    with pytest.raises(InputError, match=message):
        as_normalisers(names)


def test_what_joins_backwards_is_what_its_decomposition_begins_with():
    firsts = {code: unicodedata.normalize("NFKD", chr(code))[0] for code in range(0x20000)}
    joining = {first for first in set(firsts.values()) if _joins(first)}
    assert all(_joins(chr(code)) == (first in joining) for code, first in firsts.items())
    assert all(unicodedata.combining(first) == 0 or first in joining for first in firsts.values())


@settings(max_examples=50)
@given(
    st.text(st.sampled_from("aé。か\u3099\u0301\U0001d165ﾞ가"), max_size=10),
    st.sampled_from(["\u3099", "\U0001d165ﾞ"]),
)
def test_a_long_run_is_one_of_thirty_marks(around, marks):
    for n in (29, 30, 31):
        text = around + "x" + (marks * 31)[:n] + "x" + around
        assert (_long_run().search(text) is not None) == (n >= 30)
