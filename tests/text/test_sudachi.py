import importlib.metadata

import pytest

from textnb.errors import InputError
from textnb.text import tokenizer
from textnb.text.janome.tokenizer import Janome
from textnb.text.morphemes import PACKAGES
from textnb.text.sudachi import MODES, Sudachi, _dictionary, _tokenizer
from textnb.text.sudachi_pos import ipadic_names

for package in PACKAGES["sudachi"]:
    pytest.importorskip(package, reason="needs textnb[sudachi]")

IPADIC = {"名詞", "接頭詞", "動詞", "形容詞", "副詞", "連体詞", "接続詞"}
IPADIC |= {"助詞", "助動詞", "感動詞", "フィラー", "記号"}


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
    with pytest.raises(InputError, match=r"mode .* is not known; known: A, B, C"):
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
    assert Sudachi(exclude_pos=["記号,空白"])(" 犬　が\r\n走る\t") == ["犬", "が", "走る"]


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


@pytest.mark.parametrize(
    ("pos", "names"),
    [
        ("代名詞,*,*,*,*,*", ["名詞,代名詞,一般"]),
        ("形状詞,一般,*,*,*,*", ["名詞,形容動詞語幹"]),
        ("形状詞,助動詞語幹,*,*,*,*", ["名詞,非自立,助動詞語幹"]),
        ("接頭辞,*,*,*,*,*", ["接頭詞"]),
        ("接尾辞,名詞的,一般,*,*,*", ["名詞,接尾,一般"]),
        ("接尾辞,名詞的,助数詞,*,*,*", ["名詞,接尾,助数詞"]),
        ("接尾辞,動詞的,*,*,五段-ラ行,連用形-促音便", ["動詞,接尾"]),
        ("接尾辞,形容詞的,*,*,形容詞,終止形-一般", ["形容詞,接尾", "形容詞,非自立"]),
        ("補助記号,句点,*,*,*,*", ["記号,句点"]),
        ("補助記号,括弧開,*,*,*,*", ["記号,括弧開"]),
        ("補助記号,ＡＡ,顔文字,*,*,*", ["記号,一般"]),
        ("空白,*,*,*,*,*", ["記号,空白"]),
        ("感動詞,フィラー,*,*,*,*", ["フィラー"]),
        ("感動詞,一般,*,*,*,*", ["感動詞"]),
        ("名詞,固有名詞,地名,国,*,*", ["名詞,固有名詞,地域,国"]),
        ("名詞,普通名詞,一般,*,*,*", ["名詞,一般"]),
        ("名詞,普通名詞,副詞可能,*,*,*", ["名詞,副詞可能"]),
        ("名詞,普通名詞,サ変可能,*,*,*", ["名詞,サ変接続"]),
        ("名詞,数詞,*,*,*,*", ["名詞,数"]),
        ("動詞,一般,*,*,五段-ラ行,連用形-促音便", ["動詞,自立"]),
        ("動詞,非自立可能,*,*,サ行変格,連用形-一般", ["動詞,自立", "動詞,非自立"]),
        ("名詞,固有名詞,人名,姓,*,*", []),
        ("助詞,格助詞,*,*,*,*", []),
        ("副詞,*,*,*,*,*", []),
    ],
)
def test_a_part_of_speech_has_ipadics_name_too(pos, names):
    found = ipadic_names(pos)
    assert len(found) == len(names)
    for full, name in zip(found, names, strict=True):
        assert full == name or full.startswith(name + ",")
        kept = Sudachi(pos=[name])
        assert kept.keeps_pos(pos)
        assert not Sudachi(exclude_pos=[name]).keeps_pos(pos)
    assert Sudachi(pos=[pos.partition(",")[0]]).keeps_pos(pos)


def test_every_part_of_speech_of_sudachis_is_one_of_ipadics():
    seen, number = set(), 0
    while parts := _dictionary().pos_of(number):
        seen.add(parts[0])
        pos = ",".join(parts)
        assert {name.partition(",")[0] for name in ipadic_names(pos) or [pos]} <= IPADIC
        number += 1
    assert len(seen - IPADIC) > 5  # else there is nothing to translate


@pytest.mark.parametrize(
    ("pos", "least"),
    [
        ("名詞", 0.95),
        ("動詞", 0.9),
        ("形容詞", 0.9),
        ("助詞", 0.95),
        ("記号", 0.95),
        ("接頭詞", 0.85),
        ("名詞,代名詞", 0.9),
        ("名詞,サ変接続", 0.85),
        ("名詞,数", 0.9),
        ("動詞,自立", 0.8),
        ("記号,句点", 0.95),
    ],
)
def test_a_filter_keeps_what_it_keeps_with_janome(pos, least, ja_mini):
    both = either = 0
    for text in ja_mini[::18]:
        shared = places(Sudachi(mode="A"), text) & places(Janome(), text)
        ours, janomes = places(Sudachi(mode="A", pos=[pos]), text) & shared, places(Janome(pos=[pos]), text) & shared
        both += len(ours & janomes)
        either += max(len(ours), len(janomes))
    assert either > 10
    assert both / either >= least


def places(cut, text):
    return {(token.start, token.end) for token in cut.tokens(text)}


def test_the_version_is_the_dictionarys_and_sudachis():
    dictionary, engine = map(importlib.metadata.version, ("sudachidict_core", "sudachipy"))
    assert Sudachi().version == f"sudachidict_core-{dictionary}-sudachipy-{engine}"
