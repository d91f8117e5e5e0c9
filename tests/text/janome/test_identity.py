"""Token for token Janome's: every attribute of Janome's tokens, and the place."""

import random
import tarfile
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textnb import read_corpus
from textnb.extension import has_extension
from textnb.text.janome import engine_for
from textnb.text.janome.user_dictionary import UserDictionary

ROOT = Path(__file__).parents[3]
FAST = [name for name in ("native", "python") if name == "python" or has_extension()]

JAPANESE = (
    "のにはをたがでてとしれさいなもるあ、。一二三十百千万日本人大東京都国会社年月火水木金土"
    "私君山田走食行来見新古高安長短ーアイウスタンプルドゴェッャ々〆〇"
)
ASCII = "abcXYZ019 .,!?-_/:@#()[]'\"\n\t\r\\~"
SYMBOLS = "「」『』（）【】・…―〜！？＠＃１２ＡＢａｂ℃№①Ⅳ㈱㍿♪★→■　※〒"
RARE = (
    "ｱｲｳﾞﾟ゛゜ゝヽヾ㐂𠮷𩸽😀👨‍👩‍👧é́がαβЖжőñ가中文𝒳ﷺ"
    "\u0000\u0001\u0085\u00a0\u1680\u2028\u3000\u200b\ufeff\ufffd\ud800ヴヷㇰ𛀁"
)
ALPHABET = JAPANESE * 4 + ASCII + SYMBOLS + RARE
STRINGS = st.text(st.sampled_from(ALPHABET), max_size=30)
MIXED = STRINGS | st.text(max_size=12) | st.builds(str.__mul__, st.sampled_from(ALPHABET), st.integers(1, 40))


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.lists(MIXED, min_size=20, max_size=20))
def test_five_thousand_random_strings_are_cut_as_janome_cuts_them(of_janome, texts):
    for text in texts:
        expected = of_janome(text)
        for name in FAST:
            engine = engine_for(None, name)
            tokens = list(engine.tokens(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))
            assert tokens == expected, (name, text)


HARD = {
    "empty": "",
    "white space": " \t\n\r\x0b\x1c\x85　\u2028",
    "white space between": " \t\n\r\x0b\x1c\x85　\u2028庭で 犬が　走った \t\n\r\x0b\x1c\x85　\u2028",
    "byte order mark": "\ufeff庭で犬が",
    "white space around": "　\n 犬が走る \t\n",
    **{f"東京, one {char!a}, 都": f"東京{char * 1_100}都" for char in "Ａー。\n 　𠮷ｶ\ufffd"},
    "one symbol": "！" * 1_500,
    "one hiragana": "あ" * 1_100,
    "one katakana": "ア" * 2_100,
    "one letter": "a" * 1_600,
    "one digit": "7" * 1_030,
    "one kanji": "亜" * 1_030,
    "one emoji": "😀" * 1_030,
    "one combining mark": "\u3099" * 1_030,
    "one NUL": "\0" * 1_030,
    "2,000 kanji without punctuation": "東京都民主党員国際連合軍事力学校長野県知事務所在地" * 80,
    "half-width kana": "ｶﾞﾝﾊﾞｯﾃ ｺﾝﾋﾟｭｰﾀｰ ｦ ﾂｶｳ｡" * 60 + "ﾊﾝｶｸｶﾞﾗｽﾉｳｻｷﾞｰ",
    "kanji numerals": "一九八四年三月二十一日、一〇〇〇万円と二〇二六人。" * 50,
    "combining": "か\u3099き\u3099 e\u0301 は\u309a",
    "lone surrogates": "犬\ud800が\udfff走る",
    "surrogate pairs": "𠮷野家で𩸽を食べる😀👨‍👩‍👧\U0010ffff",
    "mixed": "iPhone12を￥98,000(税込)で買った！？ Привет мир, γειά 안녕 你好",
    "blank lines": ("あ" * 520 + "\n\n") * 3,
    "carriage returns": ("い" * 520 + "\r\n\r\n") * 3,
    "no blank line": ("う" * 520 + "\n \n") * 3,
    "longest unknown": "ﾍ" * 1_024 + "ﾎ" * 1_024,
    "the word that was added": "九九九",
}


@pytest.mark.parametrize("text", HARD.values(), ids=HARD)
def test_hard_cases_are_cut_as_janome_cuts_them(engine, of_janome, text):
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert list(engine().tokens(clean)) == of_janome(text)
    assert list(engine().surfaces(clean)) == [token.surface for token in of_janome(text)]


@pytest.mark.parametrize("length", [*range(496, 504), *range(1_020, 1_030)])
@pytest.mark.parametrize("end", ["。", "\n\n", "\r\n\r\n", "\n", "、っ", ""])
def test_chunks_are_cut_where_janome_cuts_them(engine, of_janome, length, end):
    text = ("国会議事堂前駅から" * 120)[: length - len(end)] + end + "東京都庁へ行った。また来た" * 3
    assert list(engine().tokens(text)) == of_janome(text)


def test_every_document_of_the_bundled_corpus(engine, of_janome):
    documents = list(read_corpus(ROOT / "corpora" / "ja-mini" / "test"))[::4]
    assert len(documents) == 32
    for document in documents:
        assert list(engine().tokens(document.text)) == of_janome(document.text)


def test_a_hundred_articles_of_livedoor(public_corpora, of_janome):
    with tarfile.open(public_corpora / "livedoor.tar.xz", "r|xz") as archive:  # read once, front to back
        articles = (file for file in archive if file.name.endswith(".txt") and "-" in Path(file.name).name)
        chosen = islice(articles, 0, None, 73)
        texts = [archive.extractfile(file).read().decode("utf-8")[:600] for file in chosen]
    assert len(texts) > 100
    for text in texts:
        expected = of_janome(text)
        for name in FAST:
            assert list(engine_for(None, name).tokens(text)) == expected


WORDS = st.text(st.sampled_from("東京都駅国会アイaB1😀ー行く"), min_size=1, max_size=4)
LINES = st.tuples(WORDS, st.integers(0, 1_315), st.integers(0, 1_315), st.integers(-20_000, 20_000))


@settings(max_examples=40, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6), st.lists(LINES, min_size=1, max_size=6), st.data())
def test_words_of_the_users_own_are_cut_as_janome_cuts_them(janome_with, simple, ipadic, data):
    text = data.draw(
        st.lists(st.sampled_from(simple + [line[0] for line in ipadic]) | STRINGS, max_size=6).map("".join)
    )
    rows = [f"{word},{left},{right},{cost}" for word, left, right, cost in ipadic]
    dictionaries = [
        UserDictionary("".join(f"{word},名詞,ヨミ{i}\n" for i, word in enumerate(simple))),
        UserDictionary(
            "".join(f"{row},名詞,一般,*,*,型{i % 2},形,基{i},ヨ,ヨー\n" for i, row in enumerate(rows)), "ipadic"
        ),
    ]
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for words in dictionaries:
        expected = janome_with(words, clean)
        for name in FAST:
            assert list(engine_for(words, name).tokens(clean)) == expected, name


@pytest.mark.parametrize("shift", range(12))
def test_a_user_word_across_a_chunk_cut_is_cut_as_janome_cuts_it(engine, janome_with, shift):
    words = UserDictionary("国会議事堂前駅,駅名,コッカイギジドウマエエキ\n。国,記号,マル\n")
    text = "あ" * (490 + shift) + "。国会議事堂前駅。" + "い" * (505 + shift) + "国会議事堂前駅へ行く。"
    assert list(engine(words).tokens(text)) == janome_with(words, text)


def test_a_user_word_longer_than_janome_looks_ahead_is_never_found(engine, janome_with):
    long = "寿限無" * 17
    words = UserDictionary(f"{long},名詞,ジュゲム\n{long[:50]},名詞,ジュゲム\n")
    text = f"{long}、{long[:50]}"
    assert list(engine(words).tokens(text)) == janome_with(words, text)
    assert long not in list(engine(words).surfaces(text))
    assert long[:50] in list(engine(words).surfaces(text))
    endless = UserDictionary(f"{'寿' * 2_000},名詞,ジュ\n")
    assert list(engine(endless).tokens(text)) == list(engine().tokens(text))


def test_fifty_thousand_of_one_character_are_cut_in_order():
    for name in FAST:
        for char in ("。", "漢", "a"):
            text = char * 50_000
            assert "".join(engine_for(None, name).surfaces(text)) == text


def test_many_user_words_that_branch_alike_are_cut_alike_by_the_engines():
    numbers = random.Random(0).sample(range(3000), 500)
    words = UserDictionary("".join(f"亜{chr(0x4E00 + number)},犬,ヨ\n" for number in numbers))
    text = "".join("亜" + chr(0x4E00 + number) for number in range(0, 3000, 7))
    first, *others = [list(engine_for(words, name).surfaces(text)) for name in FAST]
    assert "亜" + chr(0x4E00 + next(n for n in numbers if n % 7 == 0)) in first
    assert all(other == first for other in others)
