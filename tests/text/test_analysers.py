"""What holds for every analyser of Japanese that runs outside Python."""

import doctest
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.parallel import map_ordered
from textnb.text import tokenizer, tokenizer_of, without_surrogates
from textnb.text.morphemes import LONGEST, PACKAGES

CHOSEN = [("mecab", {}), ("sudachi", {"mode": "A"}), ("sudachi", {"mode": "B"}), ("sudachi", {"mode": "C"})]
WORDS = "庭で犬が走った/国家公務員/徳島（とくしま）/すごーーーい/ｶﾞﾗｽ/𠮷野家/㍿/ﷺ/㌖/12.5/１２/Ða"
MARKED = ["a\u0301", "か\u3099", "👨\u200d👩\u200d👧"]
MARKS = "。「」\n\r 　\t\x0b\x0c\x00\x1c\x85\u2028\ufeff"
PIECES = [*WORDS.split("/"), *MARKED, *MARKS]
TEXTS = st.text(max_size=30) | st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
TEXTS |= st.text(st.characters(categories=["Cs", "Lo", "Zs", "Mn", "So"]), max_size=15)


@pytest.fixture(scope="module", params=CHOSEN, ids=lambda chosen: chosen[0] + chosen[1].get("mode", ""))
def each(request):
    name, params = request.param
    for package in PACKAGES[name]:
        pytest.importorskip(package, reason=f"needs textnb[{name}]")
    return tokenizer(name, **params)


def with_form(analyser, form):
    return tokenizer_of({**analyser.recipe, "params": {**analyser.recipe["params"], "form": form}})


def check_tokens(analyser, text):
    """Every token is a piece of the text, in its order, and nothing but white space lies between two of them."""
    clean = without_surrogates(text)
    tokens = list(analyser.tokens(text))
    between, end = [], 0
    for token in tokens:
        assert end <= token.start < token.end
        assert clean[token.start : token.end] == token.surface
        assert token.base
        between.append(clean[end : token.start])
        end = token.end
    assert not "".join([*between, clean[end:]]).strip()
    assert analyser(text) == [token.surface for token in tokens]
    return tokens


@settings(max_examples=150, deadline=None)
@given(text=TEXTS)
@example(text="")
@example(text=" \t\n\x0b")
@example(text="\x00")
@example(text="犬\x00\x00猫 \x00")
@example(text="\ud800東京\udfff都\ud83d\ude00")
def test_tokens_are_the_pieces_of_any_text(each, text):
    tokens = check_tokens(each, text)
    base = with_form(each, "base")
    assert list(base.tokens(text)) == tokens
    assert base(text) == [token.base for token in tokens]


def test_tokens_are_the_pieces_of_the_bundled_texts(each, ja_mini):
    for text in ja_mini[::5]:
        assert len(check_tokens(each, text)) > 10


@pytest.mark.parametrize("each", CHOSEN[::3], ids=["mecab", "sudachi"], indirect=True)  # the mode is of no matter
@pytest.mark.parametrize("character", "あaー\n😀\x00\u3099\u200dﷺ", ids=ascii)
def test_seventy_kilobytes_of_one_character_are_cut(each, character):
    text = f"犬が{character * (70_000 // len(character.encode()))}"
    assert len(check_tokens(each, text)) >= 2


def test_a_long_text_is_cut_like_its_lines(each):
    line = "庭で犬が走った。\n"
    once = list(each.tokens(line))
    times = 3 * LONGEST // len(line)
    starts = [i * len(line) for i in range(times)]
    expected = [token._replace(start=token.start + at, end=token.end + at) for at in starts for token in once]
    assert list(each.tokens(line * times)) == expected


def test_one_tokenizer_serves_several_threads_at_once(each, ja_mini):
    texts = ja_mini[::27]
    expected = [list(each.tokens(text)) for text in texts]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda text: list(each.tokens(text)), texts * 5))
            terms = list(threads.map(each, texts * 5))
    finally:
        sys.setswitchinterval(interval)
    assert found == expected * 5
    assert terms == [[token.surface for token in tokens] for tokens in expected] * 5


def test_two_texts_may_be_read_in_turns(each, ja_mini):
    one, other = "".join(ja_mini[:6]), "".join(ja_mini[6:12])
    expected = list(each.tokens(one)), list(each.tokens(other))
    pairs = list(zip_longest(each.tokens(one), each.tokens(other)))
    assert [a for a, _ in pairs if a] == expected[0]
    assert [b for _, b in pairs if b] == expected[1]


def test_processes_cut_as_this_one_does(each, ja_mini):
    texts = ja_mini[::40]
    assert list(map_ordered(each, texts, jobs=2, patience=0)) == [each(text) for text in texts]


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_forked_process_cuts_on_where_its_parent_has_cut_before(each):
    code = (
        "import multiprocessing; from textnb.text import tokenizer\n"
        f"cut = tokenizer({each.name!r}); before = cut('庭で犬が走った')\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    assert pool.map(cut, ['庭で犬が走った'] * 8) == [before] * 8\n"
        "print(before == cut('庭で犬が走った'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_part_of_speech_that_there_is_not_is_refused(each):
    with pytest.raises(InputError, match="unknown part of speech '名刺'; use 名詞, "):
        tokenizer(each.name, pos=["名刺"])


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"pos": ["名詞"]}, "私 それ 東京 3 静か 研究"),
        ({"pos": ["名詞,代名詞"]}, "私 それ"),
        ({"pos": ["名詞,代名詞,一般,*"]}, "私 それ"),
        ({"pos": ["名詞"], "exclude_pos": ["名詞,代名詞", "名詞,数", "名詞,形容動詞語幹"]}, "東京 研究"),
        ({"pos": ["名詞,固有名詞,地域"]}, "東京"),
        ({"pos": ["名詞,サ変接続", "動詞,自立"]}, "研究 走っ"),
        ({"exclude_pos": ["名詞", "動詞", "助動詞"]}, "は を で 、 へ 。"),
        ({"exclude_pos": ["名詞", "動詞", "助動詞", "助詞"]}, "、 。"),
        ({"pos": ["記号,読点"]}, "、"),
        ({"pos": ["名詞,固", "名詞,", "記号,句"]}, ""),
        ({"pos": ["名詞", "動詞"], "form": "base", "stop_words": ["走る", "東京"]}, "私 それ 3 静か 研究"),
    ],
)
@pytest.mark.parametrize("name", ["janome", "mecab"])
def test_a_filter_means_the_same_to_the_analysers_with_ipadic(name, params, expected):
    if name == "mecab":
        pytest.importorskip("fugashi", reason="needs textnb[mecab]")
    assert tokenizer(name, **params)("私はそれを東京で3、静かな研究へ走った。") == expected.split()


def test_base_forms_and_readings_are_the_dictionarys(each):
    tokens = list(each.tokens(" 美しい庭で 犬が走った。"))
    words = [token for token in tokens if not token.surface.isspace()]
    assert [token.base for token in words] == ["美しい", "庭", "で", "犬", "が", "走る", "た", "。"]
    assert [token.reading for token in words[:6]] == ["ウツクシイ", "ニワ", "デ", "イヌ", "ガ", "ハシッ"]
    assert [(token.start, token.end) for token in words[:4]] == [(1, 4), (4, 5), (5, 6), (7, 8)]


def test_the_example_in_its_docstring_holds(each):
    (example,) = doctest.DocTestParser().get_examples(type(each).__doc__)
    assert repr(eval(example.source, {type(each).__name__: type(each)})) == example.want.strip()
