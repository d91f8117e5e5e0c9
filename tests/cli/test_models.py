"""textnb train and info with every model: what is said, what is found, what is refused."""

import json
import re
from dataclasses import fields

import click
import pytest
from click.testing import CliRunner
from on_words import OPTIONS

from textnb import TextClassifier
from textnb.cli import app
from textnb.cli.options.model import Modelling
from textnb.models.registry import AUTO, MODELS
from textnb.models.registry import model as model_of


def facts_of(run, path):
    done = run("info", path, "--json").ok
    return json.loads(done.out)


@pytest.mark.parametrize("name", [name for name in MODELS if name != AUTO])
def test_every_model_is_trained_by_its_name_and_tells_what_it_found(run, corpus, tmp_path, name):
    done = run("train", corpus, "-o", "m.textnb", "--tokenizer", "words", "--ngram", 1, "--model", name, "-v").ok
    assert done.out == ""
    words = {word for path in corpus.rglob("*.txt") for word in path.read_text().split()}
    grams = {word[i : i + n] for word in words for n in (1, 2, 3) for i in range(len(word) - n + 1)}
    n_terms = len(words) + (len(grams) if "short-chars" in model_of(name).analyzer.get("features", ()) else 0)
    assert f"m.textnb has 5 documents, 2 classes, {n_terms} terms" in done.err
    assert "probabilities: calibrated: scores times " in done.err
    assert "documents kept: 5" in done.err
    classifier = TextClassifier.load(tmp_path / "m.textnb")
    assert (classifier.recipe.model, classifier.recipe.alpha) == (name, model_of(name).default_alpha)
    facts = facts_of(run, "m.textnb")
    assert facts["model"] == name
    assert facts["weighting"] == model_of(name).weightings[0]
    calibration = facts["calibration"]
    assert list(calibration["bias"]) == ["food", "pets"]
    found = {**calibration, "bias": list(calibration["bias"].values())}
    assert found == {"state": "calibrated", **classifier.fitted.calibration.json}
    assert facts["documents kept"] == 5
    shown = run("info", "m.textnb").ok
    assert "calibrated: scores times" in " ".join(shown.out.split())


@pytest.mark.parametrize("arguments", [[], ["--model", AUTO], ["--alpha", 0.5], ["--terms", "words"]])
def test_without_a_model_training_says_what_was_chosen_and_info_what_was_tried(run, corpus, tmp_path, arguments):
    done = run("train", corpus, "-o", "m.textnb", "--tokenizer", "words", "-v", *arguments).ok
    recipe = TextClassifier.load(tmp_path / "m.textnb").recipe
    chosen, *others = [
        f"{each['model']} on {each['terms']}, alpha {each['alpha']}; log loss {each['log_loss']:.3f}".replace(
            "1.0;", "1;"
        )
        for each in recipe.choice
    ]
    its = {"model": recipe.model, "terms": ",".join(recipe.analyzer.terms or ["words"]), "alpha": recipe.alpha}
    assert its.items() <= recipe.choice[0].items()
    lines = done.err.splitlines()
    assert lines[1] == f"auto chose {chosen}"
    assert f"auto chose: {chosen}" in lines
    tried = [re.sub(r", (worse|better) by .*", "", line) for line in lines if line.startswith("instead of: ")]
    assert tried == [f"instead of: {other}" for other in others]
    assert len(others) > 0
    facts = facts_of(run, "m.textnb")
    assert facts["model"] == recipe.model != AUTO


def test_one_alpha_is_told_with_the_way_to_it(run, corpus, tmp_path):
    done = run("train", corpus, *OPTIONS, "-o", "m.textnb", "-v")
    found = TextClassifier.load(tmp_path / "m.textnb").fitted.fit.smoothing
    (line,) = [line for line in done.err.splitlines() if line.startswith("alpha found: ")]
    assert line.startswith(f"alpha found: {found.alpha:.6g}; {found.solution.outcome} after ")
    smoothing = facts_of(run, "m.textnb")["smoothing"]
    assert smoothing["alpha"] == found.alpha
    assert smoothing["outcome"] == found.solution.outcome
    assert smoothing["log evidence"] == found.solution.log_evidence
    assert smoothing["trace"] == list(found.solution.trace)


def test_a_given_alpha_is_told_and_nothing_was_found(run, corpus):
    done = run("train", corpus, "-o", "m.textnb", "--alpha", 0.25, "-v")
    assert "\nalpha: 0.25\n" in done.err
    assert facts_of(run, "m.textnb")["smoothing"] == {"alpha": 0.25}


def test_an_alpha_a_term_is_told_by_its_sum_and_quartiles(run, corpus, tmp_path):
    done = run("train", corpus, "-o", "m.textnb", "--alpha", "leave-one-out", "-v")
    assert "alpha found: per term: sum " in done.err
    alpha = facts_of(run, "m.textnb")["smoothing"]["alpha"]
    found = TextClassifier.load(tmp_path / "m.textnb").fitted.fit.smoothing.alpha
    assert alpha["sum"] == pytest.approx(found.sum())
    assert (alpha["quartiles"][0], alpha["quartiles"][-1]) == (found.min(), found.max())


def test_a_compound_model_tells_of_each_class_whatever_it_is_called(run, tmp_path):
    rows = [
        ("a a b", "alpha"),
        ("b b a", "alpha"),
        ("...", "empty"),
        ("c c", "all documents"),
        ("c d d", "all documents"),
    ]
    (tmp_path / "c.csv").write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    done = run("train", "c.csv", "-o", "m.textnb", "--model", "compound", "-v", "--tokenizer", "words").ok
    for name in ("all documents", "class alpha", "class all documents"):
        assert f"alpha found, {name}: per term: sum " in done.err
    assert "alpha found, class empty: none: all documents are empty" in done.err
    smoothing = facts_of(run, "m.textnb")["smoothing"]
    assert list(smoothing["classes"]) == ["all documents", "alpha", "empty"]
    assert smoothing["classes"]["empty"] == {}
    scorer = TextClassifier.load(tmp_path / "m.textnb").refit().fitted.scorer
    assert smoothing["classes"]["alpha"]["alpha"]["sum"] == pytest.approx(scorer.solutions[2].alpha.sum())
    assert run("info", "m.textnb").code == 0


def test_without_a_sample_no_words_are_kept_and_what_comes_later_makes_it_stale(run, corpus, tmp_path):
    assert run("train", corpus, "-o", "m.textnb", "--sample", 0).code == 0
    facts = facts_of(run, "m.textnb")
    assert (facts["documents kept"], facts["calibration"]["state"]) == (0, "calibrated")
    (tmp_path / "more.csv").write_text("text,label\ndog egg,pets\n")
    done = run("update", "m.textnb", "more.csv").ok
    assert "the calibration is older than this change" in done.err
    assert facts_of(run, "m.textnb")["calibration"]["state"] == "stale"
    assert "stale: scores times" in " ".join(run("info", "m.textnb").out.split())


def test_without_a_sample_a_new_class_and_a_merge_end_the_calibration_with_a_warning(run, corpus, tmp_path):
    for name in ("m.textnb", "other.textnb"):
        assert run("train", corpus, "-o", name, "--sample", 0).code == 0
    done = run("merge", "m.textnb", "other.textnb", "-o", "both.textnb").ok
    assert "warning: probabilities are no longer calibrated: models were merged" in done.err
    assert facts_of(run, "both.textnb")["calibration"]["state"] == "none"
    (tmp_path / "more.csv").write_text("text,label\ndog egg,a new class\n")
    done = run("update", "m.textnb", "more.csv").ok
    assert "warning: probabilities are no longer calibrated: the classes changed" in done.err
    assert facts_of(run, "m.textnb")["calibration"]["state"] == "none"


@pytest.mark.parametrize("sample", [1, 2, 3, 4])
def test_a_sample_of_n_keeps_at_most_n_documents_and_info_says_what_is_exact(run, corpus, sample):
    assert run("train", corpus, "-o", "m.textnb", "--sample", sample).code == 0
    facts = facts_of(run, "m.textnb")
    assert facts["documents kept"] <= sample < facts["documents"]
    shown = " ".join(run("info", "m.textnb").ok.out.replace("│", " ").split())  # a narrow table breaks its lines
    line = f"{facts['documents kept']} of {facts['documents']}: forgetting is exact for counts, not for the calibration"
    assert (line in shown) == (facts["documents kept"] > 0) == (sample > 1)  # one document cannot be of both classes


def test_a_sample_of_fewer_documents_than_classes_says_why_nothing_is_calibrated(run, corpus):
    done = run("train", corpus, "-o", "m.textnb", "--sample", 1).ok
    assert "probabilities are not calibrated: no documents were kept to calibrate with" in done.err


def test_without_calibration_the_probabilities_are_the_models_own(run, corpus, tmp_path):
    done = run("train", corpus, "-o", "m.textnb", "--no-calibrate", "-v")
    assert "probabilities: not calibrated\n" in done.err
    facts = facts_of(run, "m.textnb")
    assert facts["calibration"] == {"state": "none"}
    assert facts["documents kept"] == 0
    assert TextClassifier.load(tmp_path / "m.textnb").recipe.calibrate is False


def test_where_there_is_no_calibrating_a_line_says_why(run, tmp_path):
    (tmp_path / "c.csv").write_text("text,label\ndog,pets\negg,food\n")
    done = run("train", "c.csv", "-o", "m.textnb").ok
    assert "textnb: probabilities are not calibrated: no class has two different documents or more\n" in done.err


def test_documents_of_equal_length_are_kept_and_told(run, corpus):
    assert run("train", corpus, "-o", "m.textnb", "--weighting", "tfidf-l2", "--model", "complement").code == 0
    assert facts_of(run, "m.textnb")["documents kept"] == 5


@pytest.mark.parametrize(
    ("arguments", "option", "value"),
    [
        (["--model", "multinomial", "--estimate", "map", "--alpha", 2], "estimate", "map"),
        (["--model", "complement", "--weight-norm"], "weight_norm", True),
        (["--model", "gaussian", "--variance", "class"], "variance", "class"),
    ],
)
def test_an_option_of_the_model_reaches_it_and_is_told(run, corpus, tmp_path, arguments, option, value):
    done = run("train", corpus, "-o", "m.textnb", *arguments)
    assert done.code == 0, done.err
    assert TextClassifier.load(tmp_path / "m.textnb").recipe.options == {option: value}
    assert facts_of(run, "m.textnb")[option] == value


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--model", "bernoulli", "--weighting", "log"],
            "model 'bernoulli' does not accept weighting='log'; use 'binary'",
        ),
        (
            ["--model", "compound", "--weighting", "log"],
            "model 'compound' does not accept weighting='log'; use 'raw' or 'binary'",
        ),
        (["--model", "compound", "--alpha", "1"], "model 'compound' does not accept alpha=1.0; use 'evidence'"),
        (["--model", "gaussian", "--alpha", "1"], "model 'gaussian' does not accept alpha=1.0; use 'evidence'"),
        (
            ["--model", "bernoulli", "--alpha", "evidence-class"],
            "model 'bernoulli' does not accept alpha='evidence-class'; use a number or 'evidence'",
        ),
        (
            ["--model", "complement", "--estimate", "map"],
            "model 'complement' has no option 'estimate'; it has weight",
        ),
        (["--model", "bernoulli", "--weight-norm"], "model 'bernoulli' has no option 'weight_norm'; it has none"),
        (["--weight-norm"], "model 'auto' has no option 'weight_norm'; it has none"),
        (["--variance", "class"], "model 'auto' has no option 'variance'; it has none"),
        (
            ["--model", "multinomial", "--weight-norm"],
            "model 'multinomial' has no option 'weight_norm'; it has estimate",
        ),
        (
            ["--model", "multinomial", "--estimate", "mode"],
            "model 'multinomial': unknown estimate 'mode'; use 'mean' or 'map'",
        ),
        (
            ["--alpha", "evidence-document"],
            "alpha='evidence-document' does not go with weighting='log'; use 'raw' or 'binary'",
        ),
        (
            ["--alpha", "evidence-document", "--weighting", "tfidf-l2"],
            "does not go with weighting='tfidf",
        ),
        (["--alpha", "leave-one-out", "--weighting", "tfidf"], "with weighting='tfidf'; use 'log', 'raw' or 'binary'"),
        (["--alpha", "evidense"], "--alpha takes a number or one of evidence, evidence-document"),
        (["--alpha", "nan"], "alpha must be a number of at least 0"),
        (["--alpha", "0", "--model", "complement"], "complement naive Bayes needs an alpha above 0"),
        (
            ["--sample", "0", "--weighting", "log-l2"],
            "'log-l2' keeps the counts of the documents; sample=0 forbids that",
        ),
    ],
)
def test_what_does_not_go_together_is_one_clear_line_and_exit_code_2(run, corpus, tmp_path, arguments, words):
    assert words in run("train", corpus, "-o", "m.textnb", *arguments).misuse
    assert not (tmp_path / "m.textnb").exists()


def test_an_estimate_that_these_counts_do_not_have_is_exit_code_1(run, corpus, tmp_path):
    done = run("train", corpus, "-o", "m.textnb", "--model", "multinomial", "--alpha", "0.5", "--estimate", "map")
    assert "there is no MAP estimate" in done.refusal
    assert not (tmp_path / "m.textnb").exists()


@pytest.mark.parametrize("sample", ["-1", "many", "2.5"])
def test_a_sample_that_is_no_number_of_documents_is_a_wrong_option(run, corpus, sample):
    assert run("train", corpus, "-o", "m.textnb", f"--sample={sample}").code == 2


def test_the_help_names_every_model_weighting_and_alpha(run):
    shown = "".join(run("train", "--help").out.split())  # lines are broken at hyphens
    for name in (*MODELS, "tfidf-l2", "leave-one-out", "--no-calibrate", "--sample"):
        assert name in shown


def test_the_help_of_train_fits_on_a_screen_and_hides_options_of_single_models():
    shown = CliRunner().invoke(app, ["train", "--help"], terminal_width=100).output
    options = [line.split()[0] for line in shown.splitlines() if line.startswith("  -")]
    assert len(options) <= 25
    assert len(shown.splitlines()) <= 65
    assert "--set" in options
    assert "--estimate" not in shown and "--shrinkage" not in shown


def own_options(*arguments):
    """What `textnb train` makes of the options of a model."""
    command = app.get_command(click.Context(app), "train")
    given = command.make_context("train", ["corpus", "-o", "m.textnb", *arguments]).params
    return Modelling(**{each.name: given[each.name] for each in fields(Modelling)}).own_options


@pytest.mark.parametrize("name", MODELS)
def test_every_option_of_a_model_is_taken_by_set_and_by_its_long_name(name):
    for option, its in model_of(name).options.items():
        long = f"--{option.replace('_', '-')}"
        assert own_options("--model", name, "--set", f"{option}={its.default}") == {option: its.default}
        if its.default is False:
            assert own_options("--model", name, long) == {option: True}
        else:
            assert own_options("--model", name, long, str(its.default)) == {option: its.default}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--set", "pi=2"], "Model 'auto' has no option 'pi'; it has none."),
        (["--model", "multinomial", "--set", "pi=2"], "Model 'multinomial' has no option 'pi'; it has estimate."),
        (["--model", "bernoulli", "--set", "pi=2"], "Model 'bernoulli' has no option 'pi'; it has none."),
        (["--model", "logistic", "--set", "l2"], "--set takes NAME=VALUE, not 'l2'."),
        (["--model", "logistic", "--l2"], "Option '--l2' requires an argument."),
    ],
)
def test_a_wrong_name_after_set_is_a_usage_error_that_names_the_right_ones(run, corpus, tmp_path, arguments, words):
    done = run("train", corpus, "-o", "m.textnb", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.startswith("Usage: textnb train ")
    assert not (tmp_path / "m.textnb").exists()


def test_a_wrong_value_after_set_is_refused(run, corpus):
    done = run("train", corpus, "-o", "m.textnb", "--model", "logistic", "--set", "l2=much")
    assert "model 'logistic': l2 must be a number of at least 0 or 'cv', not 'much'" in done.misuse


def test_models_are_listed_one_line_each_and_the_options_of_one_in_a_table(run):
    assert [line.split()[0] for line in run("models").lines] == list(MODELS)
    assert json.loads(run("models", "--json").out)["logistic"] == model_of("logistic").help
    shown = run("models", "nb-logistic").out
    for option, its in model_of("nb-logistic").options.items():
        assert f"--set {option}=" in shown and str(its.default) in shown
    assert json.loads(run("models", "gaussian", "--json").out)[-1]["option"] == "--set variance="
    assert run("models", "nosuch").code == 2
