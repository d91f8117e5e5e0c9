import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb import Analyzer, Document, TextClassifier
from textnb.counts import Learnt, counted
from textnb.errors import InputError, UntrustedError
from textnb.recipe import ClassifierRecipe
from textnb.text import tokenizer

SHARES = st.integers(1, 9).map(lambda n: {"x": n / 10, "y": 1 - n / 10})
TOKENIZERS = st.one_of(
    st.sampled_from(["auto", "words", "whitespace", "charclass"]).map(tokenizer),
    st.tuples(st.integers(1, 2), st.integers(2, 4)).map(lambda n: tokenizer("chars", n=n)),
    st.lists(st.text(max_size=3), max_size=2).map(lambda words: tokenizer("janome", form="base", stop_words=words)),
)
ANALYZERS = st.builds(
    Analyzer,
    normalisers=st.lists(st.sampled_from(["nfkc", "casefold", "urls"]), unique=True),
    ngram=st.sampled_from([(1, 1), 2, (1, 3)]),
    min_df=st.one_of(st.integers(0, 3), st.floats(0, 0.5)),
    max_df=st.one_of(st.integers(3, 9), st.floats(0.5, 1)),
    max_terms=st.one_of(st.none(), st.integers(1, 9)),
)
RECIPES = st.builds(
    ClassifierRecipe,
    st.just("multinomial"),
    st.floats(0, 1e6),
    st.one_of(st.sampled_from(["empirical", "uniform"]), SHARES, SHARES.map(lambda shares: list(shares.values()))),
    TOKENIZERS,
    ANALYZERS,
    st.sampled_from(["raw", "binary", "log"]),
)


def recipe(**settings):
    return TextClassifier(**{"tokenizer": "whitespace", **settings}).recipe


@settings(max_examples=60)
@given(RECIPES)
def test_a_recipe_comes_back_from_its_json(value):
    again = ClassifierRecipe.of(json.loads(json.dumps(value.json)))
    assert again == value
    assert again.json == value.json


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"alpha": 1}, {"alpha": 1.0}),
        ({"prior": {"x": 0.25, "y": 0.75}}, {"prior": {"y": 0.75, "x": 0.25}}),
        ({"prior": [0.5, 0.5]}, {"prior": np.array([0.5, 0.5])}),
        ({"analyzer": Analyzer(ngram=2)}, {"analyzer": Analyzer(ngram=(2, 2))}),
        ({"tokenizer": "whitespace"}, {"tokenizer": tokenizer("whitespace")}),
        ({"analyzer": None}, {"analyzer": Analyzer()}),
    ],
)
def test_two_spellings_of_one_recipe_are_equal(one, other):
    assert recipe(**one) == recipe(**other)
    assert recipe(**one).json == recipe(**other).json


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"model": "multinominal"}, "model 'multinominal' is not known; known: .*multinomial"),
        ({"weighting": "sqrt"}, "weighting 'sqrt' is not known; known: binary, log, raw"),
        ({"tokenizer": "word"}, "tokenizer 'word' is not known"),
        ({"tokenizer": 5}, "not 5"),
        ({"tokenizer": lambda text: text.split()}, "cannot be imported"),
        ({"analyzer": "casefold"}, "analyzer must be an Analyzer, not 'casefold'"),
        ({"alpha": "1"}, "alpha must be a number, not '1'"),
        ({"alpha": True}, "alpha must be a number, not True"),
        ({"alpha": None}, "alpha must be a number, not None"),
        ({"alpha": -0.5}, "alpha must be finite and not negative, not -0.5"),
        ({"alpha": math.nan}, "alpha must be finite and not negative, not nan"),
        ({"alpha": math.inf}, "alpha must be finite and not negative, not inf"),
        ({"alpha": 10**400}, "alpha must be finite"),
        ({"prior": "flat"}, "prior 'flat' is not known; known: empirical, uniform"),
        ({"prior": None}, "prior .*None"),
        ({"prior": 0.5}, "prior .*0.5"),
        ({"prior": ["half", "half"]}, "prior .*half"),
        ({"prior": {"x": None}}, "prior .*None"),
        ({"prior": [-0.5, 1.5]}, "prior .*-0.5"),
        ({"prior": [math.nan, 1.0]}, "prior .*nan"),
        ({"prior": {"x": 0.5, "y": 0.6}}, "prior .*sum to 1"),
        ({"calibrate": True}, "calibrate"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_by_name_when_it_is_given(settings, complaint):
    with pytest.raises(InputError, match=complaint):
        recipe(**settings)


@pytest.mark.parametrize("alpha", [np.float64(0.5), np.float32(0.5), np.int64(2)])
def test_a_number_of_numpys_is_a_number(alpha):
    value = recipe(alpha=alpha)
    assert type(value.alpha) is float
    assert value.alpha == alpha


def test_a_python_tokenizer_must_be_trusted_by_its_whole_name():
    value = recipe(tokenizer="textwrap:wrap")
    for trust in [(), ("textwrap",), ("textwrap:fill",)]:
        with pytest.raises(UntrustedError, match="'textwrap:wrap'"):
            ClassifierRecipe.of(value.json, trust)
    with pytest.raises((InputError, UntrustedError), match="trust"):
        ClassifierRecipe.of(value.json, "my_textwrap:wrapper")
    assert ClassifierRecipe.of(value.json, ["textwrap:wrap"]) == value


@pytest.mark.parametrize("name", ["builtins:eval", {"builtins": "eval"}])
def test_a_python_tokenizer_under_the_disguise_of_a_name_must_be_trusted_too(name):
    disguised = {**recipe().json, "tokenizer": {"name": name, "version": "1", "params": {}}}
    with pytest.raises((InputError, UntrustedError), match="eval"):
        ClassifierRecipe.of(disguised)


def test_learning_in_parts_equals_learning_at_once(monkeypatch):
    documents = [Document(f"a{i % 7} b{i % 11}", "xyz"[i % 3]) for i in range(1200)]
    at_once = recipe().learnt(documents)
    monkeypatch.setattr("textnb.recipe.ENTRIES", 1)
    assert recipe().learnt(iter(documents)) == at_once


def test_learning_what_has_been_counted_equals_learning_the_documents():
    documents = [Document("a b a", "x"), Document("", "y"), Document("c", "x", fields={"to": ["me"]})]
    for weighting in ("raw", "binary", "log"):
        value = recipe(weighting=weighting)
        (part,) = counted(documents, value.terms_of)
        assert value.learnt_counted([part]) == value.learnt(documents)


def test_no_documents_teach_nothing():
    assert recipe(weighting="log").learnt([]) == Learnt.zero(2.0**-20)
