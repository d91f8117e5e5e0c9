import dataclasses
import functools
import importlib
import inspect
import itertools
import json
import pickle
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import textnb
from textnb.errors import InputError, RecipeWarning, UntrustedError
from textnb.text import NOWHERE, TOKENIZERS, Token, Tokenizer, UserDictionary, as_tokenizer, tokenizer, tokenizer_of
from textnb.text.janome.tokenizer import Janome
from textnb.text.morphemes import PACKAGES
from textnb.text.patterns import Chars, Words
from textnb.text.stop_words import WithoutStopWords
from textnb.text.tokenizers import Auto, Imported, Local, check_savable, is_japanese

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
    assert all(type(token) is Token for token in tokens)
    assert all(text[token.start : token.end] == token.surface for token in placed)
    assert each.name == "python" or placed == tokens


@every_tokenizer
def test_a_tokenizer_is_a_frozen_value_that_its_recipe_and_a_pickle_after_use_rebuild(each):
    text = "庭で犬が走った I don't"
    terms, recipe = each(text), json.loads(json.dumps(each.recipe))
    assert recipe == each.recipe
    for again in (tokenizer_of(recipe, trust=["textwrap:wrap"]), pickle.loads(pickle.dumps(each))):
        assert (again, hash(again), again.recipe, again(text)) == (each, hash(each), recipe, terms)
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
    assert own == {*TOKENIZERS.values(), Local, WithoutStopWords}  # the last two are named by no file
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
    with pytest.raises(InputError, match=f"unknown tokenizer '{name}'.*; use auto, charclass, .*whitespace, words"):
        tokenizer(name)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("chars", {"m": 2}, "'chars' has no parameter 'm'; it has: n"),
        ("words", {"n": 2}, "'words' has no parameter 'n'; it has: none"),
        (
            "janome",
            {"mode": "A"},
            "'janome' has no parameter 'mode'; it has: engine, exclude_pos, form, pos, stop",
        ),
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
        *({"name": "words", "version": "1", "params": params} for params in (None, 5, "n", ["n"])),
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


JAPANESE = ["すもも", "スモモ", "ｽﾓﾓ", "李", "𠮷", "㐂", "Python で書く", "走った"]
JAPANESE += ["abcdefghi犬", "12345678901234567890犬", "!!!!!!!!!!!犬"]
OTHER = ["", " \n", "plain words", "abcdefghij犬", "Grüße", "Москва", "안녕하세요 세계", "ｆｕｌｌ ｗｉｄｔｈ"]
OTHER += ["123。", "、。「」", "😀", "ꀀꀁ"]


@pytest.mark.parametrize("text", JAPANESE + OTHER)
def test_a_text_with_a_tenth_of_kana_or_kanji_among_its_letters_is_japanese(text):
    assert is_japanese(text) == (text in JAPANESE)
    chosen = Janome() if text in JAPANESE else Words()
    assert Auto().choice(text) == chosen
    assert (Auto()(text), list(Auto().tokens(text))) == (chosen(text), list(chosen.tokens(text)))
    assert Auto().version == Janome().version


@given(others=st.integers(0, 60), japanese=st.integers(0, 6), signs=st.integers(0, 20))
def test_the_share_is_counted_over_letters_only(others, japanese, signs):
    text = "é" * others + "犬" * japanese + "3、" * signs
    assert is_japanese(text) == (japanese > 0 and japanese / (japanese + others) >= 0.1)


def test_counting_many_texts_builds_no_tokenizer_per_text(monkeypatch):
    built = []
    check = Janome.__post_init__
    Auto().choice("犬")
    monkeypatch.setattr(Janome, "__post_init__", lambda janome: (built.append(janome), check(janome)))
    choices = [Auto().choice(text) for text in ["犬が走った", "a dog ran"] * 10]
    assert built == []
    assert [id(choice) for choice in choices] == [id(choice) for choice in choices[:2]] * 10
    if choices[0].counts_natively:
        assert len({id(choice.cutter) for choice in choices}) == 2
        assert built == []


NUMBERS = itertools.count()  # a module is imported once, so each test has one of its own
FUNCTIONS = """
def spaced(text): return text.split()
def lowered(text): return text.lower().split()
def marked(text): return [f"<{word}>" for word in text.split()]
def empties(text): return ["", *text.split(), ""]
def generated(text): yield from text.split()
def whole(text): return text
def nothing(text): return None
def number(text): return 5
def mixed(text): return ["a", 5]
def encoded(text): return [text.encode()]
class Named:
    @staticmethod
    def inner(text): return text.split("/")
    def method(self, text): return [text]
constant = 5
"""


def recipe_of(path):
    return {"name": "python", "version": "1", "params": {"path": path}}


@pytest.fixture
def functions(module):
    """A freshly written module of tokenizers, imported."""
    name = f"own_functions_{next(NUMBERS)}"
    module(name, FUNCTIONS)
    return importlib.import_module(name)


def test_a_function_is_found_again_by_its_path(functions):
    given = as_tokenizer(functions.spaced)
    assert given == tokenizer(f"{functions.__name__}:spaced") == Imported(f"{functions.__name__}:spaced")
    assert given("a b  a") == ["a", "b", "a"]
    assert as_tokenizer(functions.Named.inner)("a/b") == ["a", "b"]
    assert as_tokenizer(functions.generated)("a b") == ["a", "b"]


@pytest.mark.parametrize(
    ("function", "text", "places"),
    [
        ("spaced", " to be  or to be", [("to", 1), ("be", 4), ("or", 8), ("to", 11), ("be", 14)]),
        ("marked", "a b", [("<a>", NOWHERE), ("<b>", NOWHERE)]),
        ("empties", "a a", [("", 0), ("a", 0), ("a", 2), ("", 3)]),
    ],
)
def test_tokens_are_looked_for_one_after_the_other(functions, function, text, places):
    tokens = list(as_tokenizer(getattr(functions, function)).tokens(text))
    assert [(t.surface, t.start) for t in tokens] == places
    assert all(t.end == (NOWHERE if t.start == NOWHERE else t.start + len(t.surface)) for t in tokens)


def test_looking_for_tokens_that_are_not_there_does_not_cost_the_square_of_the_length(functions):
    class Counted(str):
        scanned = 0

        def find(self, term, start=0, end=sys.maxsize):
            found = str.find(self, term, start, end)
            Counted.scanned += (found if found >= 0 else min(end, len(self))) - start
            return found

    def cost(words):
        Counted.scanned = 0
        assert len(list(as_tokenizer(functions.marked).tokens(Counted("word " * words)))) == words
        return Counted.scanned

    assert cost(8000) <= 2.5 * cost(4000)


@pytest.mark.parametrize("name", ["whole", "nothing", "number", "mixed", "encoded"])
def test_a_function_that_returns_no_list_of_strings_is_refused_by_name(functions, name):
    with pytest.raises(InputError, match=f"the tokenizer {functions.__name__}:{name} must return"):
        tokenizer(f"{functions.__name__}:{name}")("a b")


@pytest.mark.parametrize(
    "path", ["", "own", ":f", "own:", ":", "..:f", ".own:f", "own:f:g", "own:.", "no_such_module:f"]
)
def test_a_path_that_leads_nowhere_is_refused(path):
    with pytest.raises(InputError, match=f"{path!r}"):
        Imported(path)("a text")


@pytest.mark.parametrize(
    ("name", "message"), [("missing", "no attribute 'missing'"), ("constant", "is not a function")]
)
def test_a_name_that_is_no_function_of_its_module_is_refused(functions, name, message):
    with pytest.raises(InputError, match=f"{functions.__name__}:{name}.*{message}"):
        Imported(f"{functions.__name__}:{name}")("a text")


def of_main(text):
    return text.split()


of_main.__module__ = "__main__"


def local():
    def inner(text):
        return text.split()

    return inner


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda text: text.split(), "<lambda>"),
        (local(), "local.<locals>.inner"),
        (of_main, "__main__:of_main"),
        (functools.partial(str.split, sep=","), "partial"),
        ("a b".split, "split"),
        (str.split, "split"),
    ],
    ids=["lambda", "local", "main", "partial", "bound", "method"],
)
def test_a_function_that_has_no_import_path_is_used_and_never_saved(function, message):
    made = as_tokenizer(function)
    assert made == Local(function) == as_tokenizer(made)
    assert made("a b") == list(function("a b"))
    check_is_not_saved(made, message)
    assert not made.can_be_sent


def check_is_not_saved(made, message):
    for save in (check_savable, pickle.dumps):
        with pytest.raises(InputError, match="cannot be saved: it cannot be imported as") as refused:
            save(made)
        assert message in str(refused.value)
    with pytest.raises((InputError, UntrustedError)):
        tokenizer_of(made.recipe)


def test_bound_methods_and_replaced_functions_are_never_saved(functions, monkeypatch):
    check_is_not_saved(as_tokenizer(functions.Named().method), "method")
    original = functions.spaced
    monkeypatch.setattr(functions, "spaced", functions.lowered)
    check_is_not_saved(as_tokenizer(original), ":spaced")


@pytest.mark.parametrize("value", [5, None, ["words"], b"words"])
def test_what_is_neither_name_nor_tokenizer_nor_function_is_refused(value):
    with pytest.raises(InputError, match=r"a tokenizer must be a name, a Tokenizer or a function, not"):
        as_tokenizer(value)


def test_an_untrusted_recipe_is_refused_before_anything_is_imported(module):
    mark = module("own_untrusted", FUNCTIONS)
    for trust in ((), ["own_untrusted:lowered"], {"own_untrusted"}, ["own_untrusted:spaced "]):
        with pytest.raises(UntrustedError, match="'own_untrusted:spaced'; trust it by name"):
            tokenizer_of(recipe_of("own_untrusted:spaced"), trust)
    assert not mark.exists()
    assert "own_untrusted" not in sys.modules


@pytest.mark.parametrize("params", [{}, {"path": "own_renamed:spaced"}])
def test_a_recipe_cannot_get_round_trust_by_naming_the_function_as_the_tokenizer(module, params):
    mark = module("own_renamed", FUNCTIONS)
    with pytest.raises(UntrustedError, match="own_renamed:spaced"):
        tokenizer_of({"name": "own_renamed:spaced", "version": "1", "params": params})("a b")
    assert not mark.exists()


def test_a_single_string_of_trust_does_not_trust_every_part_of_itself():
    with pytest.raises((UntrustedError, InputError), match=r"string:capwords|trust"):
        tokenizer_of(recipe_of("string:capwords"), trust="my_string:capwords_of")


@pytest.mark.parametrize("path", [None, 5, ["own:f"], {"own": "f"}])
@pytest.mark.parametrize("trust", [(), {"own:f"}], ids=["nothing", "something"])
def test_a_path_in_a_recipe_that_is_no_string_is_refused(path, trust):
    with pytest.raises((UntrustedError, InputError), match=r"path|function"):
        tokenizer_of(recipe_of(path), trust)


@every_tokenizer
@pytest.mark.parametrize("texts", [["犬が走る", "b"], ("a",), [], np.array(["a", "b"])], ids=repr)
def test_a_tokenizer_refuses_a_list_of_texts_and_says_what_to_do(each, texts):
    for cut in (each, lambda texts: list(each.tokens(texts))):
        with pytest.raises(
            InputError, match=r"one text, not a list of them; use \[tokenizer\(text\) for text in texts\]"
        ):
            cut(texts)


@every_tokenizer
@pytest.mark.parametrize("text", [b"a", None, 5])
def test_a_tokenizer_refuses_what_is_no_text(each, text):
    with pytest.raises(TypeError, match=f"a tokenizer takes a text, not {type(text).__name__}"):
        each(text)


def test_the_package_itself_has_the_tokenizer():
    assert textnb.tokenizer is tokenizer
