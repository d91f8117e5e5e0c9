import dataclasses
import inspect
import json
import pickle
import subprocess
import sys
from importlib.util import find_spec

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb.errors import InputError, RecipeWarning
from textnb.text import NOWHERE, TOKENIZERS, Tokenizer, UserDictionary, as_tokenizer, tokenizer, tokenizer_of
from textnb.text.janome.tokenizer import Janome
from textnb.text.morphemes import PACKAGES
from textnb.text.patterns import Chars, Words
from textnb.text.tokenizers import Imported

REQUIRED = {"python": {"path": "textwrap:wrap"}}
DICTIONARY = UserDictionary("走った,カスタム動詞,ハシッタ\n")
CHOSEN = [
    Chars(n=1),
    Chars(n=(1, 4)),
    Janome(form="base"),
    Janome(pos=["名詞", "動詞"], exclude_pos=["名詞,数"]),
    Janome(form="base", exclude_pos=["記号"], stop_words=["走る", " "]),
    Janome(stop_words=["犬", "a"]),
    Janome(user_dictionary=DICTIONARY, form="base"),
]
ABSENT = [name for name, packages in PACKAGES.items() if not all(map(find_spec, packages))]
TOKENIZERS_TO_TRY = [cls(**REQUIRED.get(name, {})) for name, cls in TOKENIZERS.items() if name not in ABSENT] + CHOSEN
if "mecab" not in ABSENT:
    TOKENIZERS_TO_TRY += [tokenizer("mecab", form="base", exclude_pos=["記号"], stop_words=["走る"])]
if "sudachi" not in ABSENT:
    TOKENIZERS_TO_TRY += [tokenizer("sudachi", mode="A"), tokenizer("sudachi", form="base", pos=["名詞", "動詞"])]
TEXTS = st.text(st.characters(codec="utf-8"), max_size=25) | st.text(
    st.sampled_from("庭で犬が走った。東京ABCß ﬁｶﾞ12.5'’\n\t　😀e\u0301か\u3099"), max_size=40
)
SKIPPED = [pytest.param(None, id=name, marks=pytest.mark.skip(f"needs textnb[{name}]")) for name in ABSENT]
every_tokenizer = pytest.mark.parametrize("each", TOKENIZERS_TO_TRY + SKIPPED, ids=lambda t: t.name)


@every_tokenizer
@settings(max_examples=25, deadline=None)
@given(text=TEXTS)
@example(text="")
@example(text=" \n　")
@example(text=" 庭で犬が 走った。\n\nI don't know 3.5 ｶﾞﾗｽ 𠮷😀 ")
def test_terms_are_those_of_the_tokens_and_tokens_are_pieces_of_the_text(each, text):
    tokens = list(each.tokens(text))
    assert each(text) == [each.term(token) for token in tokens]
    placed = [token for token in tokens if token.start != NOWHERE]
    assert all(text[token.start : token.end] == token.surface for token in placed)
    assert each.name == "python" or placed == tokens


@every_tokenizer
def test_a_recipe_is_json_and_rebuilds_the_tokenizer(each):
    recipe = json.loads(json.dumps(each.recipe))
    assert recipe == each.recipe
    again = tokenizer_of(recipe, trust=["textwrap:wrap"])
    assert again == each
    assert hash(again) == hash(each)
    assert again.recipe == each.recipe


@every_tokenizer
def test_a_tokenizer_survives_pickling_after_use(each):
    text = "庭で犬が走った I don't"
    terms = each(text)
    again = pickle.loads(pickle.dumps(each))
    assert again == each
    assert again(text) == terms


@every_tokenizer
def test_a_tokenizer_is_a_value_that_cannot_be_changed(each):
    with pytest.raises(dataclasses.FrozenInstanceError):
        each.n = 5
    assert as_tokenizer(each) is each


@every_tokenizer
def test_a_recipe_of_another_version_is_rebuilt_with_a_warning(each):
    older = {**each.recipe, "version": "0.0-older"}
    with pytest.warns(RecipeWarning, match=f"'{each.name}' was 0.0-older and is {each.version} here"):
        again = tokenizer_of(older, trust=["textwrap:wrap"])
    assert again == each


def test_every_tokenizer_of_the_package_is_in_the_table_under_its_name():
    def below(cls):
        return {cls, *(deeper for sub in cls.__subclasses__() for deeper in below(sub))}

    concrete = {cls for cls in below(Tokenizer) if not inspect.isabstract(cls)}
    own = {cls for cls in concrete if cls.__module__.startswith("textnb.")}
    assert own == set(TOKENIZERS.values())
    assert all(cls.name == name for name, cls in TOKENIZERS.items())


def test_tokenizers_of_different_parameters_differ():
    assert len(set(TOKENIZERS_TO_TRY)) == len(TOKENIZERS_TO_TRY)
    assert len({json.dumps(each.recipe) for each in TOKENIZERS_TO_TRY}) == len(TOKENIZERS_TO_TRY)


def test_names_and_functions_give_tokenizers():
    assert as_tokenizer("words") == tokenizer("words") == Words()
    assert tokenizer("textwrap:wrap") == tokenizer("python", path="textwrap:wrap") == Imported("textwrap:wrap")
    assert tokenizer("janome", form="base", pos=["名詞"]) == Janome(form="base", pos=("名詞",))


def test_janome_is_not_imported_before_a_text_is_cut():
    code = (
        "import sys; from textnb.text import tokenizer, tokenizer_of, Analyzer\n"
        "for name in 'janome', 'auto': tokenizer_of(tokenizer(name).recipe)\n"
        "assert tokenizer('auto')('plain words') == ['plain', 'words']\n"
        "assert not any(name.split('.')[0] == 'janome' for name in sys.modules), 'imported'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["word", "", "Janome", "MeCab", "words "])
def test_an_unknown_name_is_refused_and_the_known_ones_are_listed(name):
    with pytest.raises(InputError, match=f"unknown tokenizer '{name}'; use auto, charclass, .*whitespace, words"):
        tokenizer(name)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("chars", {"m": 2}, "'chars' has no parameter 'm'; it has: n"),
        ("words", {"n": 2}, "'words' has no parameter 'n'; it has: none"),
        (
            "janome",
            {"wakati": True},
            "'janome' has no parameter 'wakati'; it has: engine, exclude_pos, form, pos, stop_words",
        ),
        ("words", {"mode": "A"}, "'words' has no parameter 'mode'; it has: none"),
        ("mecab", {"mode": "A"}, "'mecab' has no parameter 'mode'; it has: exclude_pos, form, pos, stop_words"),
        ("sudachi", {"n": 2}, "'sudachi' has no parameter 'n'; it has: exclude_pos, form, mode, pos, stop_words"),
        ("python", {}, "'python': .*'path'"),
        ("textwrap:wrap", {"width": 5}, "'textwrap:wrap' is a Python function and has no parameter 'width'"),
        ("textwrap:wrap", {"path": "shlex:split"}, "path"),
        ("python", {"path": None}, "None"),
        ("chars", {"n": None}, "n of the tokenizer 'chars'.*None"),
    ],
)
def test_a_parameter_that_a_tokenizer_does_not_have_is_refused(name, params, message):
    with pytest.raises(InputError, match=message):
        tokenizer(name, **params)


@pytest.mark.parametrize(
    "recipe",
    [
        {},
        {"name": "words"},
        {"name": "words", "params": {}},
        {"name": "words", "version": "1", "params": None},
        {"name": "words", "version": "1", "params": 5},
        {"name": "words", "version": "1", "params": "n"},
        {"name": "words", "version": "1", "params": ["n"]},
        [],
        None,
        "words",
    ],
    ids=str,
)
def test_a_recipe_with_something_missing_is_refused(recipe):
    with pytest.raises(InputError, match="a tokenizer recipe has name, version and params, not"):
        tokenizer_of(recipe)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("word", {}, "unknown tokenizer 'word'"),
        (None, {}, "None"),
        (["words"], {}, "words"),
        ("words", {"n": 1}, "'words' has no parameter 'n'"),
        ("words", {"name": "chars"}, "'words' has no parameter 'name'"),
        ("chars", {"n": [1, 2, 3]}, r"\[1, 2, 3\]"),
        ("chars", {"n": [1.0, 2.0]}, r"\[1\.0, 2\.0\]"),
        ("chars", {"n": {"low": 1}}, "low"),
        ("janome", {"stop_words": {"a": 1}}, "stop_words must be a list of strings"),
        ("janome", {"form": ["base"]}, "form"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(name, params, message):
    with pytest.raises(InputError, match=message):
        tokenizer_of({"name": name, "version": "1", "params": params})


@every_tokenizer
def test_a_stream_gives_the_terms_of_a_call(each, monkeypatch):
    monkeypatch.setattr("textnb.text.patterns._PIECE_LENGTH", 7)
    text = "東京タワーへ行く。I don't know why!\n\n  長い長い一続きの文字列 a b c dddddddddddd\u3000終わり "
    assert list(each.stream(text)) == each(text)


def test_terms_of_a_long_text_are_not_held_all_at_once(monkeypatch):
    import tracemalloc

    monkeypatch.setattr("textnb.text.patterns._PIECE_LENGTH", 1 << 16)
    text = "word " * 200_000
    tracemalloc.start()
    assert sum(1 for _ in tokenizer("words").stream(text)) == 200_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000  # all the terms together are 12 MB
