from itertools import pairwise

import pytest

from textnb import Analyzer, TextClassifier
from textnb.cli.options.inputs import Tokenizing
from textnb.cli.options.model import Modelling, train_options


def recipe(**analyzer):
    usual = {"ngram": (1, 2), "min_df": "auto", "features": ["first-line", "short-chars"]}
    return TextClassifier("nb-logistic", analyzer=Analyzer(**usual | analyzer)).recipe


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({}, []),
        ({"features": []}, ["--features", "none"]),
        ({"features": ["chars", "length"]}, ["--features", "chars,length"]),
        ({"ngram": (1, 1)}, ["--ngram", "1"]),
    ],
    ids=str,
)
def test_what_suits_the_model_needs_no_word(wanted, told):
    given = Tokenizing(ngram="2", features="chars")  # asked for, but not what came out
    base = recipe(ngram=(2, 2), features=["chars"])
    assert train_options(recipe(**wanted), base, given, Modelling())[: len(told) + 1] == [*told, "--model"]


@pytest.mark.parametrize("asked", [{}, {"terms": "words"}, {"ngram": "1"}, {"terms": "words,chars"}], ids=str)
@pytest.mark.parametrize("kinds", [("words",), ("words", "pairs"), ("chars",), ("words", "pairs", "chars")], ids=str)
def test_options_for_terms_give_the_terms_that_came_out(asked, kinds):
    given = Tokenizing(**asked)
    suiting = {"ngram": (1, 2), "min_df": "auto", "features": ["first-line", "short-chars"]}
    base = TextClassifier("nb-logistic", analyzer=given.suited(suiting).analyzer).recipe
    wanted = TextClassifier("nb-logistic", analyzer=base.analyzer.changed(terms=kinds)).recipe
    options = train_options(wanted, base, given, Modelling())
    told = {option.removeprefix("--"): value for option, value in pairwise(options) if option in ("--terms", "--ngram")}
    assert Tokenizing(**told).suited(suiting).analyzer == wanted.analyzer


def test_a_model_without_the_normalisers_that_suit_it_is_said_so_and_understood():
    base = TextClassifier("mail").recipe
    bare = TextClassifier("mail", analyzer=Analyzer()).recipe
    options = train_options(bare, base, Tokenizing(), Modelling())
    assert options[:2] == ["--normalise", "none"]
    assert Tokenizing(normalise="none").suited({"normalisers": ("nfkc",)}).analyzer.normalisers == ()
