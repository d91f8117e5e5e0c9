import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb import Analyzer, Document, TextClassifier
from textnb.classifier.recipe import SAMPLE, ClassifierRecipe
from textnb.counts import Learnt, counted
from textnb.counts.learnt import MOST_CALIBRATED, Keeps
from textnb.counts.weighting import WEIGHTINGS
from textnb.errors import InputError, UntrustedError
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of
from textnb.models.smoothing import ALPHAS
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
    st.floats(0, 1e6) | st.sampled_from(["evidence", "evidence-class", "evidence-unigram", "leave-one-out"]),
    st.one_of(st.sampled_from(["empirical", "uniform"]), SHARES, SHARES.map(lambda shares: list(shares.values()))),
    TOKENIZERS,
    ANALYZERS,
    st.sampled_from(["raw", "binary", "log"]),
    st.sampled_from([{}, {"estimate": "map"}]),
    st.booleans(),
    st.integers(0, 10_000),
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
        ({"model": "bernoulli", "analyzer": None}, {"model": "bernoulli", "analyzer": Analyzer()}),
    ],
)
def test_two_spellings_of_one_recipe_are_equal(one, other):
    assert recipe(**one) == recipe(**other)
    assert recipe(**one).json == recipe(**other).json


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (
            {"model": "multinominal"},
            r"unknown model 'multinominal' \(did you mean .*\); use auto, multinomial, ",
        ),
        ({"weighting": "sqrt"}, "unknown weighting 'sqrt'; use 'raw', 'raw-l2', 'binary', .*'tfidf-l2'"),
        ({"tokenizer": "word"}, "unknown tokenizer 'word'"),
        ({"tokenizer": 5}, "not 5"),
        ({"analyzer": "casefold"}, "analyzer must be an Analyzer, not 'casefold'"),
        *(
            (
                {"alpha": wrong},
                f"number of at least 0, 'evidence', .*'log-loss', not {re.escape(repr(wrong))}",
            )
            for wrong in ("1", True, [1.0], -0.5, math.nan, math.inf)
        ),
        ({"alpha": 10**400}, "number from 0 to 1e\\+100, 'evidence', .*'log-loss', not 10000.*\\.\\.\\."),
        ({"alpha": 1.1e100}, "number from 0 to 1e\\+100, 'evidence', .*'log-loss', not 1.1e\\+100"),
        ({"prior": "flat"}, "unknown prior 'flat'; use empirical, uniform"),
        ({"prior": None}, "prior .*None"),
        ({"prior": 0.5}, "prior .*0.5"),
        ({"prior": ["half", "half"]}, "prior .*half"),
        ({"prior": {"x": None}}, "prior .*None"),
        ({"prior": [-0.5, 1.5]}, "prior .*-0.5"),
        ({"prior": [math.nan, 1.0]}, "prior .*nan"),
        ({"prior": {"x": 0.5, "y": 0.6}}, "prior .*sum to 1"),
        ({"calibrate": 1}, "calibrate must be True or False, not 1"),
        ({"calibrate": "yes"}, "calibrate must be True or False, not 'yes'"),
        ({"sample": -1}, "sample must be a whole number of documents, 0 for none, not -1"),
        ({"sample": 2.5}, "sample must be a whole number .* not 2.5"),
        ({"sample": True}, "sample must be a whole number .* not True"),
        ({"sample": None}, "sample must be a whole number .* not None"),
        ({"sample": 0, "weighting": "tfidf-l2"}, "'tfidf-l2' keeps the counts of the documents; sample=0 forbids"),
        *(
            (
                {"alpha": name, "weighting": weighting},
                f"alpha='{name}' does not go with weighting='{weighting}': it needs",
            )
            for name in ALPHAS
            for weighting in WEIGHTINGS
            if weighting.endswith("-l2")
        ),
        ({"alpha": "log-loss"}, "'log-loss' does not go with weighting='log'; use 'raw-l2', 'binary-l2', 'log-l2' or"),
        ({"alpha": "log-loss", "model": "unb"}, "model 'unb' does not accept alpha='log-loss'"),
        ({"model": "bernoulli", "weighting": "log"}, "'bernoulli' does not accept weighting='log'; use 'binary'"),
        (
            {"model": "compound", "weighting": "tfidf"},
            "model 'compound' does not accept weighting='tfidf'; use 'raw' or 'binary'",
        ),
        ({"model": "compound", "alpha": 1}, "model 'compound' does not accept alpha=1; use 'evidence'"),
        (
            {"model": "bernoulli", "alpha": "leave-one-out"},
            "model 'bernoulli' does not accept alpha='leave-one-out'; use a number or 'evidence'",
        ),
        (
            {"alpha": "evidence-document"},
            "alpha='evidence-document' does not go with weighting='log'; use 'raw' or 'binary'",
        ),
        (
            {"alpha": "leave-one-out", "weighting": "tfidf"},
            "does not go with weighting='tfidf'; use 'log', 'raw' or 'binary'",
        ),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_by_name(settings, complaint):
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
    monkeypatch.setattr("textnb.classifier.recipe.PART_CHARACTERS", 100)
    assert recipe().learnt(iter(documents)) == at_once


def test_learning_what_has_been_counted_equals_learning_the_documents():
    documents = [Document("a b a", "x"), Document("", "y"), Document("c", "x", fields={"to": ["me"]})]
    for weighting in ("raw", "binary", "log"):
        value = recipe(weighting=weighting)
        (part,) = counted(documents, value.terms_of)
        assert value.learnt([part]) == value.learnt(documents)


def test_no_documents_teach_nothing():
    assert recipe(weighting="log").learnt([]) == Learnt.zero(2.0**-20, Keeps(sample=SAMPLE))
    assert recipe(weighting="log", calibrate=False).learnt([]) == Learnt.zero(2.0**-20)


@pytest.mark.parametrize(
    ("settings", "keeps"),
    [
        ({}, Keeps(sample=SAMPLE)),
        ({"sample": 7}, Keeps(sample=7)),
        ({"sample": 0}, Keeps(sample=MOST_CALIBRATED)),  # while the calibration is fitted
        ({"calibrate": False}, Keeps()),
        ({"weighting": "tfidf"}, Keeps(sample=SAMPLE)),
        ({"weighting": "log-l2"}, Keeps(examples=True)),
        ({"weighting": "log-l2", "calibrate": False}, Keeps(examples=True)),
        ({"alpha": "evidence-class"}, Keeps(sample=SAMPLE)),
        ({"alpha": "leave-one-out"}, Keeps(histograms=True, sample=SAMPLE)),
        ({"alpha": "evidence-document", "weighting": "raw"}, Keeps(histograms=True, sample=SAMPLE)),
        ({"model": "compound", "calibrate": False}, Keeps(histograms=True)),
    ],
)
def test_what_is_kept_is_what_model_alpha_weighting_and_calibration_need(settings, keeps):
    assert recipe(**settings).keeps == keeps


@pytest.mark.parametrize(
    ("model", "options", "complaint"),
    [
        ("complement", {"estimate": "map"}, "model 'complement' has no option 'estimate'; it has weight_norm"),
        ("bernoulli", {"estimate": "map"}, "model 'bernoulli' has no option 'estimate'; it has none"),
        ("multinomial", {"estimate": "mode"}, "model 'multinomial': unknown estimate 'mode'; use 'mean' or 'map'"),
        ("complement", {"weight_norm": 1}, "model 'complement': weight_norm must be True or False, not 1"),
        ("multinomial", {"estimate": []}, r"unknown estimate \[\]; use 'mean' or 'map'"),
    ],
)
def test_an_option_that_the_model_has_not_is_refused_by_name(model, options, complaint):
    plain = recipe(model=model)
    with pytest.raises(InputError, match=complaint):
        replace(plain, options=options)


def test_a_model_of_every_name_has_the_weighting_that_suits_it():
    found = {name: recipe(model=name).weighting for name in MODELS}
    assert found == {name: model_of(name).weightings[0] for name in MODELS}
    assert (found["multinomial"], found["bernoulli"], found["compound"]) == ("log", "binary", "raw")


def test_a_recipe_of_format_1_has_no_calibration():
    old = {
        name: value
        for name, value in recipe(model="multinomial", alpha=0.5).json.items()
        if name not in ("calibrate", "sample")
    }
    del old["model"]["params"]["estimate"]
    assert ClassifierRecipe.of(old) == recipe(model="multinomial", alpha=0.5, calibrate=False)
