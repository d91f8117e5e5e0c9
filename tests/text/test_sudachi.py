import importlib.metadata
import warnings

import pytest
from small_models import fitted, rewritten

from textnb import TextClassifier
from textnb.errors import InputError, ModelFileError, RecipeWarning
from textnb.text import tokenizer
from textnb.text.morphemes import PACKAGES
from textnb.text.sudachi import MODES, SUDACHI_PARTS, Sudachi, _dictionary, _tokenizer

for package in PACKAGES["sudachi"]:
    pytest.importorskip(package, reason="needs textnb[sudachi]")


@pytest.mark.parametrize("mode", MODES)
def test_tokens_are_sudachis(mode, ja_mini):
    for text in ja_mini[::5]:
        assert [tuple(token) for token in Sudachi(mode=mode).tokens(text)] == [
            (
                word.surface(),
                word.dictionary_form(),
                word.reading_form(),
                ",".join(word.part_of_speech()),
                word.begin(),
                word.end(),
            )
            for word in _tokenizer(mode).tokenize(text)
        ]


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


def test_the_longest_words_are_the_default():
    assert Sudachi() == Sudachi(mode="C")
    assert Sudachi() != Sudachi(mode="B")


@pytest.mark.parametrize("mode", ["c", "D", "", None, 1, ["A"], "ABC"])
def test_an_unknown_mode_is_refused(mode):
    with pytest.raises(InputError, match=r"unknown mode .*; use A, B, C"):
        Sudachi(mode=mode)


def test_only_sudachi_has_a_mode():
    with pytest.raises(InputError, match="'janome' has no parameter 'mode'"):
        tokenizer("janome", mode="A")


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
        ({"pos": ["名詞,固", "名詞,", "名詞,代名詞"]}, ""),
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


def saved_by_the_first_version(path, **params):
    """A model file of the time when filters took IPADIC's names too: its version does not depend on them."""
    fitted(tokenizer="sudachi").save(path)
    rewritten(path, "model", lambda header, _: header["recipe"]["tokenizer"]["params"].update(params))
    return path


def test_a_saved_model_with_a_filter_of_the_first_version_loads_with_a_warning(tmp_path):
    path = saved_by_the_first_version(tmp_path / "m", pos=["名詞"])
    with pytest.warns(RecipeWarning, match=r"'sudachi' was .* and is .*-filters-2 here; some tokens may differ"):
        assert TextClassifier.load(path).recipe.tokenizer == Sudachi(pos=["名詞"])


def test_a_saved_model_without_a_filter_loads_without_a_warning(tmp_path):
    path = saved_by_the_first_version(tmp_path / "m", form="base")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert TextClassifier.load(path).recipe.tokenizer == Sudachi(form="base")


def test_a_saved_model_with_a_name_that_sudachi_does_not_have_is_refused(tmp_path):
    path = saved_by_the_first_version(tmp_path / "m", exclude_pos=["接頭詞"])
    with pytest.raises(ModelFileError, match="接頭詞"):
        TextClassifier.load(path)
