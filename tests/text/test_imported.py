import functools
import importlib
import itertools
import sys

import pytest

from textnb.errors import InputError, UntrustedError
from textnb.text import NOWHERE, as_tokenizer, tokenizer, tokenizer_of
from textnb.text.tokenizers import Imported

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


def test_tokens_are_looked_for_one_after_the_other(functions):
    tokens = list(as_tokenizer(functions.spaced).tokens(" to be  or to be"))
    assert [(t.surface, t.start, t.end) for t in tokens] == [
        ("to", 1, 3),
        ("be", 4, 6),
        ("or", 8, 10),
        ("to", 11, 13),
        ("be", 14, 16),
    ]


def test_a_token_that_is_not_in_the_text_stands_nowhere(functions):
    tokens = list(as_tokenizer(functions.marked).tokens("a b"))
    assert [(t.surface, t.start, t.end) for t in tokens] == [("<a>", NOWHERE, NOWHERE), ("<b>", NOWHERE, NOWHERE)]


def test_an_empty_token_does_not_upset_the_places_of_the_others(functions):
    tokens = list(as_tokenizer(functions.empties).tokens("a a"))
    assert [t.surface for t in tokens] == ["", "a", "a", ""]
    assert [(t.start, t.end) for t in tokens[1:3]] == [(0, 1), (2, 3)]


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
def test_a_function_that_has_no_import_path_is_refused(function, message):
    with pytest.raises(InputError, match=message):
        as_tokenizer(function)


def test_bound_methods_and_replaced_functions_are_refused(functions, monkeypatch):
    with pytest.raises(InputError, match="method"):
        as_tokenizer(functions.Named().method)
    original = functions.spaced
    monkeypatch.setattr(functions, "spaced", functions.lowered)
    with pytest.raises(InputError, match=r"cannot be imported as .*:spaced"):
        as_tokenizer(original)


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


def test_a_trusted_recipe_gives_the_same_tokenizer(functions):
    given = as_tokenizer(functions.spaced)
    again = tokenizer_of(given.recipe, trust=[given.path])
    assert again == given
    assert again("a b") == ["a", "b"]


def test_a_single_string_of_trust_does_not_trust_every_part_of_itself():
    with pytest.raises((UntrustedError, InputError), match=r"string:capwords|trust"):
        tokenizer_of(recipe_of("string:capwords"), trust="my_string:capwords_of")


@pytest.mark.parametrize("path", [None, 5, ["own:f"], {"own": "f"}])
@pytest.mark.parametrize("trust", [(), {"own:f"}], ids=["nothing", "something"])
def test_a_path_in_a_recipe_that_is_no_string_is_refused(path, trust):
    with pytest.raises((UntrustedError, InputError), match=r"path|function"):
        tokenizer_of(recipe_of(path), trust)
