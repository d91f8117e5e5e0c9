"""What train says about the model, and predict and test with a promised precision."""

import json

import numpy as np
import pytest
from on_words import OPTIONS

from textnb import TextClassifier


@pytest.fixture
def hard(tmp_path):
    """Two classes that share most of their words: a table to learn, and one to test."""
    for name, n, seed in (("hard", 400, 0), ("fresh", 150, 1)):
        rng = np.random.default_rng(seed)
        rows = ["text,label"]
        for _ in range(n):
            k = int(rng.integers(2))
            words = [f"own{k}x{rng.integers(20)}" if rng.random() < 0.2 else f"w{rng.integers(60)}" for _ in range(6)]
            rows.append(f"{' '.join(words)},c{k}")
        (tmp_path / f"{name}.csv").write_text("\n".join([*rows, ""]))
    return "hard.csv"


@pytest.fixture
def hard_model(run, hard):
    assert run("train", hard, *OPTIONS, "--tokenizer", "words", "-q", "-o", "hard.textnb").code == 0
    return "hard.textnb"


@pytest.mark.parametrize(("options", "number"), [((), 2), (OPTIONS, 1)])
def test_training_ends_with_the_left_out_accuracy_and_log_loss_with_intervals(run, hard, tmp_path, options, number):
    done = run("train", hard, *options, "--tokenizer", "words", "-o", "m.textnb").ok
    accuracy, log_loss = (
        TextClassifier.load(tmp_path / "m.textnb").facts()["left out"][k] for k in ("accuracy", "log_loss")
    )
    shown = ["{:.3f} ({:.3f} to {:.3f})".format(*each) for each in (accuracy, log_loss)]
    expected = f"left-out accuracy {shown[0]}, left-out log loss {shown[1]}; estimated on 400 training documents, each "
    assert done.err.splitlines()[number] == expected + "scored without itself; probabilities were fitted on the same"
    assert done.out == ""


def test_info_shows_the_left_out_accuracy_and_log_loss(run, hard_model, tmp_path):
    quality = TextClassifier.load(tmp_path / hard_model).facts()["left out"]
    assert json.loads(run("info", hard_model, "--json").ok.out)["left out"] == quality
    assert quality["documents"] == 400
    for name in ("accuracy", "log_loss"):
        assert "{:.3f} ({:.3f} to {:.3f})".format(*quality[name]) in run("info", hard_model).ok.out


def test_a_quiet_training_says_nothing(run, hard):
    assert run("train", hard, "--tokenizer", "words", "-q", "-o", "m.textnb").ok.err == ""


@pytest.mark.parametrize("options", [["--alpha", 0], ["--no-calibrate"]])
def test_training_says_where_the_accuracy_was_not_estimated(run, hard, options):
    done = run("train", hard, "--tokenizer", "words", *options, "-o", "m.textnb").ok
    assert "accuracy was not estimated: the probabilities are not calibrated on left-out documents" in done.err
    assert "left-out accuracy" not in done.err
    if options[0] == "--alpha":
        assert "probabilities are not calibrated: alpha is 0" in done.err


def test_one_class_has_no_estimate_and_the_reason_is_given(run, tmp_path):
    (tmp_path / "one.csv").write_text("text,label\na b,x\nb c,x\nc d,x\n")
    done = run("train", "one.csv", "-o", "m.textnb").ok
    assert "probabilities are not calibrated: fewer than two classes" in done.err
    assert "accuracy was not estimated" in done.err


def test_training_names_a_model_that_is_clearly_better_and_how_to_train_it(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = ["text,label"]
    for k, size in enumerate([600, *[30] * 12]):
        for _ in range(size):
            words = [*(f"own{k}x{rng.integers(40)}" for _ in range(2)), *(f"w{j}" for j in rng.integers(0, 60, 4))]
            rows.append(f"{' '.join(words)},c{k:02}")
    (tmp_path / "skewed.csv").write_text("\n".join([*rows, ""]))
    common = ("train", "skewed.csv", "--tokenizer", "words", "--terms", "words", "--alpha", 1, "--weighting", "raw")
    common += ("--html", "p.html")
    worse = run(*common, "--model", "multinomial", "-o", "m.textnb").ok
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    better = run(*common, "--model", "complement", "-o", "c.textnb").ok
    mine, theirs = (TextClassifier.load(tmp_path / name).facts()["left out"] for name in ("m.textnb", "c.textnb"))
    theirs, mine = theirs["accuracy"][0], mine["accuracy"][0]
    line = f"complement would be better: left-out accuracy {theirs:.3f} instead of {mine:.3f}; use --model complement"
    assert line in worse.err.splitlines()
    assert f"complement would be better: left-out accuracy {theirs:.3f}." in page
    assert "would be better" not in better.err
    assert "left-out log loss" in page


def test_the_page_says_which_documents_its_numbers_are_of_if_only_a_part_is_equally_likely(run, hard, tmp_path):
    lines = (tmp_path / hard).read_text().splitlines()
    common, rare = ([line for line in lines if line.endswith(",c1") is is_rare] for is_rare in (False, True))
    (tmp_path / "rare.csv").write_text("\n".join([*common, *rare[:30], ""]))
    english, japanese = "Left-out accuracy and log loss are of all", "除いて判定した正解率と対数損失は"
    for language, phrase in (("en", english), ("ja", japanese)):
        for sample, is_part in ((40, True), (3000, False)):
            options = ("--tokenizer", "words", "-q", "--sample", sample, "--html", "p.html", "--lang", language)
            assert run("train", "rare.csv", *options, "-o", "m.textnb").code == 0
            page = (tmp_path / "p.html").read_text(encoding="utf-8")
            assert (phrase in page) is is_part
            quality = TextClassifier.load(tmp_path / "m.textnb").facts()["left out"]
            shown = "{:.3f} ({:.3f} to {:.3f})" if language == "en" else "{:.3f} ({:.3f} ～ {:.3f})"
            assert shown.format(*quality["accuracy"]) in page


def test_a_promised_precision_is_decided_as_in_python(run, hard_model, tmp_path):
    classifier = TextClassifier.load(tmp_path / hard_model)
    texts = [line.split(",")[0] for line in (tmp_path / "fresh.csv").read_text().splitlines()[1:]]
    rows = [
        line.split("\t") for line in run("predict", hard_model, "--precision", 0.8, stdin="\n".join(texts)).ok.lines
    ]
    decided = [label or "unsure" for label in classifier.decide(texts, precision=0.8)]
    assert [row[1] for row in rows[1:]] == decided
    assert 0 < decided.count("unsure") < len(decided)
    probabilities = classifier.predict_proba(texts).max(axis=1)
    assert [row[2] for row in rows[1:]] == [f"{each:.4f}" for each in probabilities]
    options = ("--precision", 0.8, "--format", "jsonl")
    exact = list(map(json.loads, run("predict", hard_model, *options, stdin="\n".join(texts)).ok.lines))
    assert [each["label"] for each in exact] == decided
    np.testing.assert_allclose([each["probability"] for each in exact], probabilities)


def test_test_shows_what_a_promised_precision_keeps(run, hard_model, tmp_path):
    classifier = TextClassifier.load(tmp_path / hard_model)
    lines = [line.split(",") for line in (tmp_path / "fresh.csv").read_text().splitlines()[1:]]
    decided = classifier.decide([text for text, _ in lines], precision=0.8)
    true = np.array([label for _, label in lines], object)
    kept = json.loads(run("test", hard_model, "fresh.csv", "--precision", 0.8, "--json").ok.out)["kept"]
    answered = decided != None  # noqa: E711  # elementwise
    assert (kept["promised"], kept["answered"]) == (0.8, int(answered.sum()))
    assert kept["coverage"] == answered.mean()
    assert kept["precision"] == (decided[answered] == true[answered]).mean()
    least = classifier.precision_rule(0.8).least
    for k, each in enumerate(kept["classes"]):
        own = decided == each["name"]
        assert each["cutoff"] == least[k]
        assert (each["answered"], each["correct"]) == (own.sum(), (true[own] == each["name"]).sum())
        assert each["precision"] == each["correct"] / each["answered"]
        assert each["interval"][0] <= each["precision"] <= each["interval"][1]
    shown = run("test", hard_model, "fresh.csv", "--precision", 0.8).ok.out
    assert "answering only with a promised precision of 0.8" in shown
    assert "kept" not in json.loads(run("test", hard_model, "fresh.csv", "--json").ok.out)


def test_classes_without_enough_left_out_documents_are_always_unsure_and_named(run, hard_model):
    for verb in (["predict", hard_model], ["test", hard_model, "fresh.csv"]):
        done = run(*verb, "--precision", 0.999999, stdin="own0x1\nown1x2").ok
        assert "2 of 2 classes are always unsure" in done.err
        assert "c0, c1" in done.err
    rows = run("predict", hard_model, "--precision", 0.999999, stdin="own0x1\nown1x2").lines[1:]
    assert [row.split("\t")[1] for row in rows] == ["unsure", "unsure"]


@pytest.mark.parametrize("wrong", [0, 1, 1.5, -1, "nan", "inf"])
def test_a_precision_that_is_not_between_0_and_1_is_wrong_usage(run, hard_model, wrong):
    for verb in (["predict", hard_model], ["test", hard_model, "fresh.csv"]):
        assert "precision must be a number above 0 and below 1" in run(*verb, "--precision", wrong, stdin="a").misuse


def test_a_precision_excludes_unsure_and_costs(run, hard_model, tmp_path):
    (tmp_path / "costs.toml").write_text("unsure = 0.2\n")
    for other in (("--unsure", 0.5), ("--costs", "costs.toml")):
        line = run("predict", hard_model, "--precision", 0.9, *other, stdin="a").misuse
        assert f"--precision cannot be combined with {other[0]}" in line
    line = run("test", hard_model, "fresh.csv", "--precision", 0.9, "--costs", "costs.toml").misuse
    assert "--precision cannot be combined with --costs" in line


def test_a_model_that_keeps_no_documents_promises_what_one_that_keeps_them_promises(run, hard, tmp_path):
    texts = [line.split(",")[0] for line in (tmp_path / "fresh.csv").read_text().splitlines()[1:]]
    answers = []
    for name, options in (("all.textnb", ()), ("none.textnb", ("--sample", 0))):
        assert run("train", hard, *OPTIONS, "--tokenizer", "words", "-q", *options, "-o", name).code == 0
        answers.append(run("predict", name, "--precision", 0.8, stdin="\n".join(texts)).ok.lines)
    assert answers[0] == answers[1]
    assert 0 < sum("\tunsure\t" in line for line in answers[1]) < len(texts)


def test_a_model_without_left_out_documents_refuses_to_promise(run, hard):
    assert run("train", hard, "--tokenizer", "words", "-q", "--no-calibrate", "-o", "m.textnb").code == 0
    line = run("predict", "m.textnb", "--precision", 0.9, stdin="a").refusal
    assert "a precision cannot be promised without left-out documents: no documents were kept" in line


def test_a_class_named_unsure_goes_with_no_promised_precision(run, tmp_path):
    (tmp_path / "u.csv").write_text("text,label\n" + "a b,unsure\nc d,x\n" * 3)
    assert run("train", "u.csv", "-q", "-o", "m.textnb").code == 0
    assert "the model has a class named 'unsure'" in run("predict", "m.textnb", "--precision", 0.9, stdin="a").refusal
