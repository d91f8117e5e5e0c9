import importlib.metadata

import pytest

from textnb.text.janome.tokenizer import Janome
from textnb.text.mecab import Mecab
from textnb.text.morphemes import LONGEST, PACKAGES

for package in PACKAGES["mecab"]:
    pytest.importorskip(package, reason="needs textnb[mecab]")


@pytest.fixture(scope="module")
def mecab():
    """MeCab itself."""
    import fugashi
    import ipadic

    return fugashi.GenericTagger(ipadic.MECAB_ARGS)


def test_tokens_are_mecabs(mecab, ja_mini):
    for text in ja_mini[::3]:
        expected = [(node.surface, node.feature, node.is_unk) for node in mecab(text)]
        tokens = list(Mecab().tokens(text))
        assert [token.surface for token in tokens] == [surface for surface, *_ in expected]
        for token, (surface, columns, is_unknown) in zip(tokens, expected, strict=True):
            assert token.pos == ",".join(columns[:4])
            known = len(columns) == 9
            assert token.base == (columns[6] if known and columns[6] != "*" else surface)
            assert token.reading == (columns[7] if known else "*")
            assert (token.infl_type, token.infl_form) == (columns[4], columns[5])
            assert token.phonetic == (columns[8] if known else "*")
            assert token.is_unknown is bool(is_unknown)


def test_tokens_are_janomes_but_for_a_few(ja_mini):
    both = either = 0
    for text in ja_mini[::9]:
        ours = set(Mecab().tokens(text))
        janomes = {token for token in Janome().tokens(text) if token.surface not in " \n"}
        both += len(ours & janomes)
        either += max(len(ours), len(janomes))
    assert either > 10_000
    assert both / either >= 0.99


@pytest.mark.parametrize("word", ["ブロゴスフィア", "😀", "Python", "*", "zzz"])
def test_an_unknown_word_is_its_own_base_form_and_has_janomes_reading(word):
    for cut in Mecab(), Janome():
        *_, token = cut.tokens(f"犬、{word}")
        assert (token.surface, token.base, token.reading) == (word, word, "*")


def test_white_space_between_words_is_passed_over_and_counted():
    text = "\n 犬 \t\n が\x0b　走る \n"
    assert [(t.surface, t.start) for t in Mecab().tokens(text)] == [("犬", 2), ("が", 7), ("　", 9), ("走る", 10)]


def test_a_nul_is_a_word_and_does_not_end_the_text():
    words = [("犬", "名詞,一般,*,*"), ("\0", "記号,一般,*,*"), ("猫", "名詞,一般,*,*")]
    assert [(t.surface, t.pos) for t in Mecab().tokens("犬\0猫")] == words
    assert Mecab()("犬\0猫") == [t.base for t in Mecab().tokens("犬\0猫")] == ["犬", "\0", "猫"]


def test_words_after_much_white_space_are_not_lost(mecab):
    text = " " * 70_000 + "犬が" + "\n" * 70_000 + "走る"
    assert Mecab()(text) == ["犬", "が", "走る"]
    assert [node.surface for node in mecab(text)] != ["犬", "が", "走る"], "no need for pieces any more"


def test_mecab_never_gets_more_than_a_piece(monkeypatch):
    from textnb.text import mecab

    handed = []
    tagger = mecab._tagger()

    def counted(text):
        handed.append(len(text))
        return tagger(text)

    monkeypatch.setattr(mecab, "_tagger", lambda: counted)
    text = "亜" * 100_000
    assert "".join(Mecab()(text)) == "".join(token.surface for token in Mecab().tokens(text)) == text
    assert max(handed) == LONGEST
    assert sum(handed) == 2 * len(text)


def test_the_version_is_the_dictionarys():
    assert Mecab().version == f"ipadic-{importlib.metadata.version('ipadic')}"
