import importlib.metadata

import pytest
from small_models import fitted, rewritten

from textnb import TextClassifier
from textnb.errors import InputError, ModelFileError, RecipeWarning
from textnb.text.morphemes import PACKAGES
from textnb.text.sudachi import MODES, SUDACHI_PARTS, Sudachi, _dictionary, _tokenizer

for package in PACKAGES["sudachi"]:
    pytest.importorskip(package, reason="needs textnb[sudachi]")


@pytest.mark.parametrize("mode", MODES)
def test_tokens_are_sudachis(mode, ja_mini):
    for text in ja_mini[::5]:
        for token, word in zip(Sudachi(mode=mode).tokens(text), _tokenizer(mode).tokenize(text), strict=True):
            assert token[:3] == (word.surface(), word.dictionary_form(), word.reading_form())
            pos = word.part_of_speech()
            assert token[3:] == (",".join(pos), word.begin(), word.end(), pos[4], pos[5], "", word.is_oov())


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("A", "国家 公務 員 と 選挙 管理 委員 会"),
        ("B", "国家 公務員 と 選挙 管理 委員会"),
        ("C", "国家公務員 と 選挙管理委員会"),
    ],
)
def test_a_mode_is_the_length_of_words(mode, expected):
    assert Sudachi(mode=mode)("国家公務員と選挙管理委員会") == expected.split()
    assert (Sudachi(mode=mode) == Sudachi()) == (mode == "C")


@pytest.mark.parametrize("mode", ["c", "D", "", None, 1, ["A"], "ABC"])
def test_an_unknown_mode_is_refused(mode):
    with pytest.raises(InputError, match=r"unknown mode .*; use A, B, C"):
        Sudachi(mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_a_character_spelt_out_as_several_words_is_one_token(mode):
    tokens = list(Sudachi(mode=mode).tokens("犬㍿ﷺと"))
    assert [(t.surface, t.base, t.start, t.end) for t in tokens] == [
        ("犬", "犬", 0, 1),
        ("㍿", "株式会社", 1, 2),
        ("ﷺ", "صلى الله عليه وسلم", 2, 3),
        ("と", "と", 3, 4),
    ]
    assert Sudachi(mode=mode)("犬㍿ﷺと") == ["犬", "㍿", "ﷺ", "と"]


def test_white_space_is_a_token():
    assert Sudachi()(" 犬　が\r\n走る\t") == [" ", "犬", "　", "が", "\r\n", "走る", "\t"]
    assert Sudachi(exclude_pos=["空白"])(" 犬　が\r\n走る\t") == ["犬", "が", "走る"]


@pytest.mark.parametrize("text", ["あ" * 16_384, "ﷺ" * 10_000, "㌖" * 12_000], ids=lambda text: text[0])
def test_a_text_that_sudachi_refuses_is_cut_all_the_same(text):
    with pytest.raises(Exception, match="Input is too long"):
        _tokenizer("C").tokenize(text)
    assert "".join(Sudachi()(text)) == text


def test_an_error_that_no_cutting_mends_is_raised(monkeypatch):
    from textnb.text import sudachi

    class Broken:
        def tokenize(self, _):
            raise RuntimeError("broken")

    monkeypatch.setattr(sudachi, "_tokenizer", lambda _: Broken())
    with pytest.raises(RuntimeError, match="broken"):
        Sudachi()("犬が走る")


def test_parts_of_speech_are_those_of_the_dictionary():
    seen, number = set(), 0
    while parts := _dictionary().pos_of(number):
        seen.add(parts[0])
        number += 1
    assert seen == set(SUDACHI_PARTS)


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"pos": ["名詞"]}, "東京 3 研究"),
        ({"pos": ["代名詞"]}, "私 それ"),
        ({"pos": ["名詞,固有名詞,地名"]}, "東京"),
        ({"pos": ["名詞,固有名詞,地名,一般,*,*"]}, "東京"),
        ({"pos": ["名詞"], "exclude_pos": ["名詞,数詞", "名詞,固有名詞"]}, "研究"),
        ({"pos": ["形状詞", "動詞,一般"]}, "静か 走っ"),
        ({"exclude_pos": ["名詞", "代名詞", "形状詞", "動詞", "助動詞", "助詞"]}, "、 。"),
        ({"pos": ["補助記号,読点"]}, "、"),
        ({"pos": ["名詞,固", "名詞,"]}, ""),
        ({"pos": ["名詞", "動詞"], "form": "base", "stop_words": ["走る", "東京"]}, "3 研究"),
    ],
)
def test_a_filter_takes_sudachis_names(params, expected):
    for mode in MODES:
        assert Sudachi(mode=mode, **params)("私はそれを東京で3、静かな研究へ走った。") == expected.split()


@pytest.mark.parametrize("part", ["フィラー", "接頭詞", "その他", "接頭詞,名詞接続"])
def test_a_name_that_only_ipadic_has_is_refused(part):
    with pytest.raises(InputError, match=f"unknown part of speech '{part}'; use .*代名詞"):
        Sudachi(exclude_pos=[part])


def test_the_version_is_the_dictionarys_and_sudachis():
    dictionary, engine = map(importlib.metadata.version, ("sudachidict_core", "sudachipy"))
    assert Sudachi().version == f"sudachidict_core-{dictionary}-sudachipy-{engine}"
    assert Sudachi(pos=["名詞"]).version == Sudachi(exclude_pos=["助詞"]).version == f"{Sudachi().version}-filters-2"


def test_a_model_of_the_first_version_loads_with_a_warning_if_it_has_a_filter(tmp_path):
    """Filters took IPADIC's names too, and the version did not depend on them."""

    def saved(**params):
        fitted(tokenizer="sudachi").save(tmp_path / "m")
        rewritten(tmp_path / "m", "model", lambda header, _: header["recipe"]["tokenizer"]["params"].update(params))
        return tmp_path / "m"

    assert TextClassifier.load(saved(form="base")).recipe.tokenizer == Sudachi(form="base")  # warnings are errors
    with pytest.warns(RecipeWarning, match=r"'sudachi' was .* and is .*-filters-2 here; some tokens may differ"):
        assert TextClassifier.load(saved(pos=["名詞"])).recipe.tokenizer == Sudachi(pos=["名詞"])
    with pytest.raises(ModelFileError, match="接頭詞"):
        TextClassifier.load(saved(exclude_pos=["接頭詞"]))
