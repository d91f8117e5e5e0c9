"""textnb train, info, explain and update with the linear models: their options, what is found, what is refused."""

import json

import pytest

from textnb import TextClassifier

WORDS = ["--tokenizer", "words"]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--model", "logistic", "--l2", "0.5", "--balanced"], {"l2": 0.5, "balanced": True}),
        (["--model", "bayes-logistic", "--l2", "evidence"], {"l2": "evidence", "balanced": False}),
        (
            ["--model", "nb-logistic", "--loss", "squared-hinge", "--prune", "0.5", "--l2", "0.1"],
            {"l2": 0.1, "loss": "squared-hinge", "prune": 0.5, "balanced": False},
        ),
        (["--model", "least-squares", "--l2", "2"], {"l2": 2.0}),
        (["--model", "fisher", "--shrinkage", "0.3"], {"shrinkage": 0.3}),
        (["--model", "gaussian-discriminant", "--shrinkage", "auto"], {"shrinkage": "auto"}),
    ],
    ids=lambda value: value[1] if isinstance(value, list) else "",
)
def test_options_reach_the_recipe(run, corpus, tmp_path, arguments, options):
    done = run("train", corpus, "-o", "m.textnb", *WORDS, *arguments)
    assert done.code == 0, done.err
    assert TextClassifier.load(tmp_path / "m.textnb").recipe.options == options


def test_terms_are_those_that_suit_the_model_unless_others_are_asked_for(run, corpus, tmp_path):
    title = ("first-line", "short-chars")
    for arguments, *expected in (
        (["--model", "nb-logistic"], (1, 2), "auto", title),
        (["--model", "nb-logistic", "--ngram", "1"], (1, 1), "auto", title),
        (["--model", "nb-logistic", "--min-df", "1"], (1, 2), 1, title),
        (["--model", "nb-logistic", "--features", "none"], (1, 2), "auto", ()),
        (["--model", "nb-logistic", "--terms", "words"], (1, 1), "auto", title),
        (["--model", "nb-logistic", "--terms", "pairs,chars"], (2, 2), "auto", title),
        (["--model", "nb-logistic", "--terms", "chars"], None, "auto", title),
        (["--model", "logistic", "--min-df", "auto"], (1, 1), "auto", ()),
    ):
        assert run("train", corpus, "-o", "m.textnb", *WORDS, *arguments).code == 0
        analyzer = TextClassifier.load(tmp_path / "m.textnb").recipe.analyzer
        assert [analyzer.ngram, analyzer.min_df, analyzer.features] == expected


def test_a_count_file_settles_how_texts_are_cut_and_not_which_terms_are_used(run, corpus, tmp_path):
    assert run("count", corpus, "-o", "c.counts", *WORDS).code == 0
    assert run("train", "c.counts", "-o", "m.textnb", "--model", "nb-logistic").code == 0
    analyzer = TextClassifier.load(tmp_path / "m.textnb").recipe.analyzer
    assert (analyzer.ngram, analyzer.features, analyzer.min_df) == ((1, 1), (), "auto")
    assert run("train", "c.counts", "-o", "m.textnb", "--model", "nb-logistic", "--min-df", "1").code == 0
    assert TextClassifier.load(tmp_path / "m.textnb").recipe.analyzer.min_df == 1


def test_groups_of_features_are_counted_and_explained(run, corpus, tmp_path):
    for file in corpus.rglob("*.txt"):
        file.write_text("title\n" + file.read_text("utf-8"), "utf-8")
    done = run("train", corpus, "-o", "m.textnb", *WORDS, "--model", "logistic", "--features", "first-line,length")
    assert done.code == 0, done.err
    terms = TextClassifier.load(tmp_path / "m.textnb").fitted.vocabulary.terms
    assert [term for term in terms if term.startswith("first-line:")] == ["first-line:title"]
    assert any(term.startswith("length:") for term in terms)


def test_info_shows_the_evidence_and_bic_that_a_fit_has_computed(run, corpus):
    assert run("train", corpus, "-o", "m.textnb", *WORDS, "--model", "bayes-logistic", "--l2", "1").code == 0
    facts = json.loads(run("info", "m.textnb", "--json").out)["fit"]
    assert facts["bic"] < facts["log_evidence"] < 0
    assert "log evidence" in run("info", "m.textnb").out


def test_explain_tells_the_distance_to_the_boundary_of_a_linear_model(run, corpus, tmp_path):
    (tmp_path / "cat.txt").write_text("a cat")
    for model, linear in (("nb-logistic", True), ("bernoulli", False)):
        assert run("train", corpus, "-o", "m.textnb", *WORDS, "--model", model).code == 0
        assert ("from the boundary" in run("explain", "m.textnb", "cat.txt").out) is linear
        explained = json.loads(run("explain", "m.textnb", "cat.txt", "--json").out)
        assert (explained["distance"] is not None) is linear


def test_a_model_without_documents_refuses_to_learn_more_and_stays_as_it_is(run, corpus, tmp_path):
    assert run("train", corpus, "-o", "m.textnb", *WORDS, "--model", "nb-logistic", "--sample", "0").code == 0
    before = (tmp_path / "m.textnb").read_bytes()
    for verb in ("update", "forget"):
        assert "model 'nb-logistic' keeps no documents (sample=0)" in run(verb, "m.textnb", corpus).refusal
    assert (tmp_path / "m.textnb").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "logistic", "--l2", "much"], "l2 must be a number of at least 0 or 'cv', not 'much'"),
        (["--model", "logistic", "--shrinkage", "0.5"], "model 'logistic' has no option 'shrinkage'"),
        (["--model", "nb-logistic", "--l2", "0"], "l2 must be a number above 0, 'cv' or 'evidence'"),
        (["--model", "nb-logistic", "--prune", "2"], "prune must be a number above 0 and at most 1"),
        (["--model", "nb-logistic", "--loss", "hinge"], "unknown loss 'hinge'; use 'squared-hinge' or 'logistic'"),
        (["--model", "nb-logistic", "--weighting", "log"], "does not accept weighting='log'; use 'binary'"),
        (["--model", "bayes-logistic", "--sample", "0"], "needs the learnt documents"),
        (["--model", "fisher", "--shrinkage", "2"], "shrinkage must be a number from 0 to 1 or 'auto'"),
        (["--model", "fisher", "--alpha", "1"], "model 'fisher' does not accept alpha=1.0"),
        (["--features", "title"], "unknown feature 'title'"),
    ],
)
def test_what_a_linear_model_does_not_have_is_one_clear_line(run, corpus, tmp_path, arguments, words):
    assert words in run("train", corpus, "-o", "m.textnb", *arguments).misuse
    assert not (tmp_path / "m.textnb").exists()
