"""--terms: kinds of terms in count files and models."""

import json
import re
import shlex
import tomllib

import pytest

from textnb import Analyzer, TextClassifier
from textnb.comparison.recipes import recipe_of
from textnb.files.count_file import read_counts

WORDS = ("--tokenizer", "words")


def terms(path):
    return TextClassifier.load(path).learnt.counts.vocabulary.terms


@pytest.mark.parametrize(
    "kinds", ["words", "pairs", "chars", "words,pairs", "words,chars", "pairs,chars", "words,pairs,chars"]
)
@pytest.mark.parametrize("model", ["multinomial", "nb-logistic", "bernoulli"])
def test_training_on_some_terms_of_a_count_file_is_training_on_the_corpus(run, corpus, tmp_path, kinds, model):
    own = ("--model", model, "--features", "none", "-q")
    assert run("count", corpus, "-o", "all.counts", *WORDS, "--terms", "words,pairs,chars").code == 0
    assert run("train", "all.counts", "-o", "chosen.textnb", "--terms", kinds, "--model", model).code == 0
    assert run("train", corpus, "-o", "direct.textnb", *WORDS, "--terms", kinds, *own).code == 0
    assert (tmp_path / "chosen.textnb").read_bytes() == (tmp_path / "direct.textnb").read_bytes()
    counted, read = (run("test", "chosen.textnb", each).ok.out for each in ("all.counts", corpus))
    assert counted.partition("most confident mistakes")[0].partition("suspect labels")[0] in read
    counted, read = (json.loads(run("test", "chosen.textnb", each, "--json").ok.out) for each in ("all.counts", corpus))
    for suspect in read.get("suspects", []):  # a count file has no texts to show
        assert suspect.pop("excerpt")
    for suspect in counted.get("suspects", []):
        assert suspect.pop("excerpt") == ""
    assert counted == read


def test_n_grams_from_1_to_2_are_words_and_pairs(run, corpus, tmp_path):
    assert run("train", corpus, "-o", "a.textnb", *WORDS, "--terms", "pairs,words").code == 0
    assert run("train", corpus, "-o", "b.textnb", *WORDS, "--ngram", "1-2").code == 0
    assert (tmp_path / "a.textnb").read_bytes() == (tmp_path / "b.textnb").read_bytes()
    assert run("count", corpus, "-o", "all.counts", *WORDS, "--terms", "words,pairs,chars").code == 0
    assert run("train", "all.counts", "-o", "c.textnb", "--ngram", "1-2").code == 0
    assert (tmp_path / "a.textnb").read_bytes() == (tmp_path / "c.textnb").read_bytes()


def test_a_count_file_holds_the_terms_that_were_asked_for(run, corpus, tmp_path):
    assert run("count", corpus, "-o", "c.counts", *WORDS, "--terms", "pairs,chars").code == 0
    counted, terms_of = read_counts(tmp_path / "c.counts")
    assert terms_of.analyzer.terms == ("pairs", "chars")
    assert all(term.startswith("chars:") or " " in term for term in counted.vocabulary)
    assert run("train", "c.counts", "-o", "m.textnb").code == 0
    assert terms(tmp_path / "m.textnb") == counted.vocabulary.terms


@pytest.mark.parametrize(
    ("stored", "asked", "missing"),
    [
        (["--terms", "words"], ["--terms", "words,pairs"], "no pairs; count the corpus again with --terms words,pairs"),
        (["--terms", "words"], ["--terms", "pairs,chars"], "no pairs and no chars; count .* with --terms pairs,chars"),
        (["--terms", "pairs,chars"], ["--ngram", "1"], "no words; count the corpus again with --terms words"),
        (["--ngram", "1-3"], ["--terms", "words"], r"differently from the model: ngram \(\(1, 3\) and \(1, 1\)\)"),
        (["--terms", "words"], ["--ngram", "1-3"], r"differently from the model: ngram \(\(1, 1\) and \(1, 3\)\)"),
        (["--terms", "words"], ["--normalise", "nfkc"], "tokenized already; leave out the options for text, except"),
    ],
)
def test_terms_that_a_count_file_lacks_are_refused_in_one_line(run, corpus, stored, asked, missing):
    assert run("count", corpus, "-o", "c.counts", *WORDS, *stored).code == 0
    done = run("train", "c.counts", "-o", "m.textnb", *asked)
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert re.search(missing, done.err)


@pytest.mark.parametrize("kinds", [["words"], ["words", "pairs"], ["words", "chars"], ["chars"]])
def test_tune_varies_kinds_of_terms_and_prints_a_command_that_gives_them(run, corpus, tmp_path, kinds):
    common = ("tune", corpus, *WORDS, "--by", "evidence", "--vary", f"terms={'+'.join(kinds)}")
    for given in (("--ngram", "1-2"), ("--terms", "pairs")):
        assert run(*common, *given).code == 2
    shown, toml = run(*common).ok.out.split("\n\n", 1)
    command = shlex.split(shown.splitlines()[-1])
    assert run(*command[1:-1], "m.textnb").code == 0
    expected = Analyzer(terms=kinds)
    assert TextClassifier.load(tmp_path / "m.textnb").recipe.analyzer == expected
    (parts,) = tomllib.loads(toml)["recipe"]
    del parts["name"]
    assert recipe_of(parts, TextClassifier().recipe).analyzer == expected


def test_explain_places_characters_in_the_text(run, corpus):
    assert run("train", corpus, "-o", "m.textnb", *WORDS, "--terms", "chars").code == 0
    text = next(corpus.rglob("*.txt")).read_text("utf-8").split()[0]
    assert f"chars:{text[:2]}" in run("explain", "m.textnb", stdin=text + "\n").ok.out
