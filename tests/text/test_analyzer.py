import json
from itertools import chain, pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb import Document, TextClassifier
from textnb.counts import TermsOf, counted
from textnb.errors import InputError
from textnb.text import FEATURES, NORMALISERS, NOWHERE, TERMS, Analyzer, tokenizer
from textnb.text.normalise import normalised

TEXTS = st.text(st.characters(), max_size=25) | st.text(
    st.sampled_from("庭で犬が走った。ABCßﬁ ｶﾞ12.5!!ー\n\t　😀e\u0301か\u3099각ᄀ\u1161\u11a8\ud800"), max_size=40
)
LINKED = st.lists(st.sampled_from(["http://a.jp/x", " ", "、", "www.ﬁ", "ＡＡＡＡ", "１,２", "ｶﾞｶﾞｶﾞ", "犬が"])).map(
    "".join
)
NAMES = st.lists(st.sampled_from(sorted(NORMALISERS)), max_size=5)
NGRAMS = st.tuples(st.integers(1, 3), st.integers(0, 2)).map(lambda pair: (pair[0], sum(pair)))
KINDS = st.lists(st.sampled_from(TERMS), min_size=1, unique=True)
CHOSEN = st.fixed_dictionaries({"ngram": NGRAMS}) | st.fixed_dictionaries({"terms": KINDS})
PLAIN = [tokenizer(name) for name in ("chars", "charclass", "words", "whitespace")]
OTHERS = [tokenizer("janome", form="base", exclude_pos=["記号"]), tokenizer("auto"), tokenizer("textwrap:wrap")]


def check_located(analyzer, text, each):
    located = analyzer.located(text, each)
    assert [place.term for place in located] == analyzer.terms_in(text, each)
    for _, start, end in located:
        assert 0 <= start < end <= len(text) or start == end == NOWHERE
    return located


@settings(max_examples=60, deadline=None)
@given(text=TEXTS | LINKED, names=NAMES, chosen=CHOSEN)
@example(text="", names=["nfkc"], chosen={"ngram": (1, 2)})
@example(text="ｶﾞ\ud800ｶﾞ", names=["nfkc", "squeeze"], chosen={"ngram": (1, 2)})
@example(text="ｶﾞ\ud800ｶﾞ ﬁ", names=["nfkc", "squeeze"], chosen={"terms": TERMS})
def test_located_gives_the_terms_in_their_order_within_the_text(text, names, chosen):
    for each in PLAIN + OTHERS:
        located = check_located(Analyzer(normalisers=names, **chosen), text, each)
        assert each.name == "python" or all(place.start != NOWHERE for place in located)


@settings(max_examples=80, deadline=None)
@given(text=st.text(st.characters(codec="utf-8"), max_size=25) | LINKED, names=NAMES)
def test_the_place_of_a_term_holds_what_it_was_made_from(text, names):
    for each in PLAIN:
        for term, start, end in Analyzer(normalisers=names).located(text, each):
            assert term in normalised(text[start:end], names)


@settings(max_examples=60)
@given(text=st.text(st.characters(codec="utf-8"), max_size=25) | LINKED)
def test_without_normalisers_the_place_is_the_term(text):
    for each in PLAIN:
        assert all(text[start:end] == term for term, start, end in Analyzer().located(text, each))


@pytest.mark.parametrize(
    ("text", "name", "normalisers", "expected"),
    [
        ("赤いｶﾞﾗｽの", "janome", ["nfkc"], [("赤い", "赤い"), ("ガラス", "ｶﾞﾗｽ"), ("の", "の")]),
        ("赤いｶﾞﾗｽの", "auto", ["nfkc"], [("赤い", "赤い"), ("ガラス", "ｶﾞﾗｽ"), ("の", "の")]),
        ("か\u3099くせい 来た", "whitespace", ["nfkc"], [("がくせい", "か\u3099くせい"), ("来た", "来た")]),
        ("an oﬃce ﬁn", "words", ["nfkc"], [("an", "an"), ("office", "oﬃce"), ("fin", "ﬁn")]),
        ("DIE STRAßE!", "words", ["casefold"], [("die", "DIE"), ("strasse", "STRAßE")]),
        ("sooooo gooood", "words", ["squeeze"], [("soo", "sooooo"), ("good", "gooood")]),
        ("see http://a.jp/?q=1 ok", "words", ["urls"], [("see", "see"), ("URL", "http://a.jp/?q=1"), ("ok", "ok")]),
        ("計１，２３４円", "charclass", ["nfkc", "numbers"], [("計", "計"), ("0", "１，２３４"), ("円", "円")]),
        ("㍿Ａ", "charclass", ["nfkc", "casefold"], [("株式会社", "㍿"), ("a", "Ａ")]),
        (" \ud800 b", "whitespace", [], [("\ufffd", "\ud800"), ("b", "b")]),
    ],
)
def test_worked_examples_point_at_the_text_as_it_was_written(text, name, normalisers, expected):
    located = check_located(Analyzer(normalisers=normalisers), text, tokenizer(name))
    assert [(place.term, text[place.start : place.end]) for place in located] == expected


def test_pieces_of_one_ligature_all_point_at_it():
    located = Analyzer(normalisers=["nfkc"]).located("aﬁ", tokenizer("chars", n=(1, 2)))
    assert located == [("a", 0, 1), ("f", 1, 2), ("i", 1, 2), ("af", 0, 2), ("fi", 1, 2)]


def test_ngrams_span_from_their_first_token_to_their_last():
    text = "To  be, ｶﾞ"
    located = Analyzer(normalisers=["nfkc", "casefold"], ngram=(2, 3)).located(text, tokenizer("words"))
    assert located == [("to be", 0, 6), ("be ガ", 4, 10), ("to be ガ", 0, 10)]
    assert text[4:10] == "be, ｶﾞ"


def test_an_ngram_with_tokens_that_stand_nowhere_spans_the_others(module):
    module("own_analyzer", "def half(text): return [w if w.islower() else f'<{w}>' for w in text.split()]")
    each = tokenizer("own_analyzer:half")
    located = check_located(Analyzer(ngram=(1, 2)), "A b C D", each)
    found = {"<A>": (-1, -1), "b": (2, 3), "<C>": (-1, -1), "<D>": (-1, -1)}
    found |= {"<A> b": (2, 3), "b <C>": (2, 3), "<C> <D>": (-1, -1)}
    assert {term: (start, end) for term, start, end in located} == found


@given(tokens=st.lists(st.sampled_from("abc"), max_size=8), ngram=NGRAMS)
def test_ngrams_are_all_windows_in_the_order_of_their_ends_shorter_ones_first(tokens, ngram):
    low, high = ngram
    windows = [
        " ".join(tokens[end - n : end]) for end in range(len(tokens) + 1) for n in range(low, high + 1) if n <= end
    ]
    assert Analyzer(ngram=ngram).terms_in(" ".join(tokens), tokenizer("whitespace")) == windows


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters() | st.sampled_from("\ud800\udfff a"), max_size=20), names=NAMES)
def test_terms_can_always_be_written_as_utf8(text, names):
    for each in PLAIN + OTHERS:
        "".join(Analyzer(normalisers=names).terms_in(text, each)).encode("utf-8")


def test_a_recipe_is_json_and_rebuilds_the_analyzer():
    analyzers = [
        Analyzer(),
        Analyzer(normalisers=["urls", "nfkc"], ngram=(1, 3), min_df=2, max_df=0.5, max_terms=1000),
        Analyzer(normalisers=("nfkc", "urls"), ngram=2, min_df=0.01, max_df=10),
        Analyzer(terms=["chars"]),
        Analyzer(terms=["words", "chars"]),
        Analyzer(terms=TERMS, features=["length"]),
        Analyzer(features=["chars"]),
    ]
    for analyzer in analyzers:
        again = Analyzer.of(json.loads(json.dumps(analyzer.recipe)))
        assert again == analyzer
        assert hash(again) == hash(analyzer)
        assert json.dumps(again.recipe) == json.dumps(analyzer.recipe)
    assert all(a != b for a, b in pairwise(analyzers))


@pytest.mark.parametrize("field", ["min_df", "max_df"])
def test_one_document_and_every_document_are_not_the_same(field):
    assert Analyzer(**{field: 1}) != Analyzer(**{field: 1.0})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"normalisers": "nfkc"}, "normalisers must be a list of names"),
        ({"normalisers": ["lower"]}, "unknown normaliser 'lower'"),
        ({"features": ["title"]}, "unknown feature 'title'; use first-line, length, short-chars"),
        ({"terms": ["bytes"]}, "unknown kind of terms 'bytes'; use chars, pairs, words"),
        ({"terms": "words"}, "terms must be a list of names, not 'words'"),
        ({"terms": None}, "terms must be a list of names, not None"),
        ({"terms": []}, "terms must name one or more of chars, pairs, words, each once, not ''"),
        ({"terms": ["chars", "chars"]}, "terms must name one or more of .*, each once, not 'chars,chars'"),
        ({"terms": ["words"], "ngram": (1, 2)}, r"ngram=\(1, 2\) and terms=words disagree; give one of them"),
        ({"terms": ["chars"], "ngram": 1}, r"ngram=\(1, 1\) and terms=chars disagree; give one of them"),
        ({"terms": ["chars"], "features": ["chars"]}, "the feature 'chars' is among the terms already"),
        ({"features": "chars"}, "features must be a list of names, not the single string 'chars'"),
        ({"features": ["chars", "chars"]}, "features must not contain a name twice: chars, chars"),
        ({"ngram": 0}, "ngram must have 1 <= low <= high <= 100, not 0-0"),
        ({"ngram": (1, 101)}, "ngram must have 1 <= low <= high <= 100, not 1-101"),
        ({"ngram": (1, 10**24)}, "ngram must have 1 <= low <= high <= 100, not 1-1000000000000000000000000"),
        ({"ngram": [2, 1]}, "ngram .*2-1"),
        ({"ngram": "1-2"}, "ngram must be .*'1-2'"),
        ({"ngram": None}, "ngram must be .*None"),
        ({"min_df": -1}, "min_df must be .*-1"),
        ({"min_df": 1.5}, r"min_df must be .*1\.5"),
        ({"min_df": True}, "min_df must be .*True"),
        ({"min_df": "2"}, "min_df must be .*'2'"),
        ({"max_df": float("nan")}, "max_df must be .*nan"),
        ({"max_df": -0.1}, r"max_df must be .*-0\.1"),
        ({"max_df": None}, "max_df must be .*None"),
        ({"max_terms": 0}, "max_terms must be .*0"),
        ({"max_terms": 2.0}, r"max_terms must be .*2\.0"),
        ({"max_terms": True}, "max_terms must be .*True"),
        ({"min_df": 5, "max_df": 2}, "min_df.*max_df"),
        ({"min_df": 0.5, "max_df": 0.2}, "min_df.*max_df"),
        ({"stop_words": []}, "an analyzer has no parameter 'stop_words'; it has: normalisers, ngram, min_df"),
        *((recipe, "the recipe of an analyzer must be a table") for recipe in (None, [], "nfkc", 5)),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(params, message):
    with pytest.raises(InputError, match=message):
        Analyzer.of(params)


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
    found = Analyzer(terms=["chars"]).terms_in("東京都 へ", WORDS)
    assert found == [f"chars:{term}" for term in tokenizer("chars", n=(1, 3))("東京都 へ")]
    found = Analyzer(features=["chars"]).terms_in("東京都 へ", WORDS)
    assert found == ["東京都", "へ", *(f"chars:{term}" for term in tokenizer("chars", n=(2, 3))("東京都 へ"))]


@given(text=TEXTS, kinds=KINDS)
def test_the_terms_are_those_of_each_kind_together(text, kinds):
    for each in PLAIN:
        alone = [Analyzer(terms=[kind]).terms_in(text, each) for kind in kinds]
        assert sorted(Analyzer(terms=kinds).terms_in(text, each)) == sorted(chain.from_iterable(alone))


@pytest.mark.parametrize(
    ("ngram", "terms"), [(1, ("words",)), (2, ("pairs",)), ((1, 2), ("words", "pairs")), ((2, 3), None)]
)
def test_a_range_of_n_grams_is_kinds_of_terms_where_these_can_say_it(ngram, terms):
    assert Analyzer(ngram=ngram).terms == terms
    assert terms is None or Analyzer(terms=terms[::-1]) == Analyzer(ngram=ngram)
    assert Analyzer(terms=TERMS).changed(ngram=ngram) == Analyzer(ngram=ngram)
    assert Analyzer(ngram=ngram).changed(terms=TERMS) == Analyzer(terms=TERMS)
    assert Analyzer(ngram=ngram).changed(min_df=2).terms == terms


def test_a_recipe_without_chars_is_written_as_0_1_0_wrote_it():
    first = {"normalisers": [], "ngram": [1, 2], "min_df": 1, "max_df": 1.0, "max_terms": None, "features": []}
    assert Analyzer(terms=["words", "pairs"]).recipe == first
    assert Analyzer(features=["chars"]).recipe == first | {"ngram": [1, 1], "features": ["chars"]}


@pytest.mark.parametrize(("text", "length"), [("", 0), ("a", 1), ("a" * 255, 8), ("a" * 256, 9), ("a" * 511, 9)])
def test_the_length_is_a_power_of_two(text, length):
    assert Analyzer(features=["length"]).feature_terms(text, WORDS) == [f"length:{length}"]


@pytest.mark.parametrize("length", [0, 1, 2, 3, 399, 400, 401, 5000])
def test_a_short_text_has_its_characters_and_a_longer_one_has_none(length):
    text = "東京 の雨" * (length // 5) + "東京 の雨"[: length % 5]
    found = Analyzer(features=["short-chars"]).feature_terms(text, WORDS)
    expected = tokenizer("chars", n=(1, 3))(text) if length <= 400 else []
    assert found == [f"short-chars:{term}" for term in expected]


def test_what_is_short_is_decided_after_normalisation():
    analyzer = Analyzer(["nfkc"], features=["short-chars"])
    assert "short-chars:ガ" in analyzer.feature_terms("ｶﾞ" * 400, WORDS)  # two characters become one
    assert analyzer.feature_terms("㍻" * 201, WORDS) == []  # and one becomes two


def test_features_are_found_where_they_stand_before_normalisation():
    found = places(Analyzer(["nfkc", "casefold"], features=["first-line", "length", "chars"]), TEXT)
    assert {("first-line:tokyo", "Ｔokyo"), ("length:5", None), ("chars:to", "Ｔo"), ("tokyo", "Ｔokyo")} <= found


@pytest.mark.parametrize("cut", ["words", "janome", "chars"])
def test_counting_and_locating_find_the_same_terms(cut):
    analyzer = Analyzer(terms=TERMS, features=FEATURES)
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


def test_an_analyzer_can_be_called_with_a_text_and_a_tokenizer():
    analyzer = Analyzer(normalisers=["nfkc"], terms=["words", "pairs"], features=["length"])
    assert analyzer("ｶﾞﾗｽ の 犬") == [*analyzer.terms_in("ｶﾞﾗｽ の 犬", tokenizer("auto")), "length:3"]
    assert analyzer("東京都", "chars") == analyzer("東京都", tokenizer("chars"))
    with pytest.raises(TypeError, match="one text, not a list"):
        analyzer(["a"])
