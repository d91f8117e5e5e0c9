import os
import shutil
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest
from on_words import OPTIONS

from textnb import Analyzer, TextClassifier, read_corpus


@pytest.mark.parametrize(
    ("options", "settings", "n_terms"),
    [
        ((), {}, 46),
        (("--alpha", 0.5, "--weighting", "raw"), {"alpha": 0.5, "weighting": "raw"}, 46),
        (
            ("--model", "multinomial", "--terms", "words", "--alpha", 0.5),
            {"model": "multinomial", "analyzer": Analyzer(), "alpha": 0.5},
            7,
        ),
    ],
)
def test_training_writes_the_model_that_the_library_writes(run_alone, corpus, tmp_path, options, settings, n_terms):
    done = run_alone("train", corpus, "-o", "cli.textnb", "--tokenizer", "words", *options)
    assert done.code == 0
    assert done.out == ""
    classifier = TextClassifier(tokenizer="words", **settings).fit(read_corpus(corpus))
    classifier.save(tmp_path / "lib.textnb")
    assert f"learnt 5 documents; cli.textnb has 5 documents, 2 classes, {n_terms} terms" in done.err
    assert (tmp_path / "cli.textnb").read_bytes() == (tmp_path / "lib.textnb").read_bytes()


def test_every_option_reaches_the_recipe(run, corpus, tmp_path):
    (tmp_path / "stop.txt").write_text("salt\n")
    done = run(
        *("train", corpus, "-o", "m.textnb", "--tokenizer", "janome", "--base-form", "--pos", "名詞", "--pos", "動詞"),
        *("--exclude-pos", "名詞,数", "--stop-words", "stop.txt", "--normalise", "nfkc,casefold", "--ngram", "1-2"),
        *("--min-df", 2, "--max-df", 0.9, "--max-terms", 100, "--prior", "food=0.3,pets=0.7"),
    )
    assert done.code == 0, done.err
    recipe = TextClassifier.load(tmp_path / "m.textnb").recipe
    assert recipe.analyzer == Analyzer(("nfkc", "casefold"), (1, 2), 2, 0.9, 100)
    assert recipe.prior == {"food": 0.3, "pets": 0.7}
    assert recipe.tokenizer.recipe["params"] == {
        "form": "base",
        "pos": ["動詞", "名詞"],
        "exclude_pos": ["名詞,数"],
        "stop_words": ["salt"],
        "user_dictionary": None,
    }


@pytest.mark.parametrize(("copies", "warns"), [(0, False), (1, False), (2, True), (20, True)])
def test_training_warns_of_many_copies(run, tmp_path, copies, warns):
    rows = [f"word{i} word{i + 1},{label}" for i in range(9) for label in ("x", "y")]
    (tmp_path / "c.csv").write_text("\n".join(["text,label", *rows, *[rows[0]] * copies, ""]), encoding="utf-8")
    result = run("train", tmp_path / "c.csv", "-o", tmp_path / "m.textnb")
    warning = f"warning: {copies} of {18 + copies} documents repeat another and count again"
    assert (warning in result.err) is warns


def test_two_processes_give_the_same_bytes_as_one(run, ja_mini, tmp_path):
    for jobs in (1, 2):
        assert run("train", ja_mini / "train", "-o", f"{jobs}.textnb", "--jobs", jobs).code == 0
    assert (tmp_path / "1.textnb").read_bytes() == (tmp_path / "2.textnb").read_bytes()


@pytest.mark.parametrize(
    ("counted_terms", "terms"), [("words", ["--terms", "words"]), ("words,pairs,chars", ["--terms", "words,chars"])]
)
@pytest.mark.parametrize("model", [[], ["--model", "multinomial"]])
def test_a_count_file_trains_and_tests_like_its_corpus(run, corpus, tmp_path, counted_terms, terms, model):
    common = (*terms, *model, "--min-df", 2)
    assert run("count", corpus, "-o", "c.counts", "--tokenizer", "words", "--terms", counted_terms).code == 0
    assert run("train", "c.counts", "-o", "counted.textnb", *common).code == 0
    assert run("train", corpus, "-o", "plain.textnb", "--tokenizer", "words", *common).code == 0
    assert (tmp_path / "counted.textnb").read_bytes() == (tmp_path / "plain.textnb").read_bytes()
    counted, plain = (run("test", "plain.textnb", source, "--json") for source in ("c.counts", corpus))
    assert counted == plain
    assert counted.code == 0
    assert run("update", "plain.textnb", "c.counts", "-o", "twice.textnb").code == 0
    assert run("forget", "twice.textnb", corpus).code == 0
    assert (tmp_path / "twice.textnb").read_bytes() == (tmp_path / "plain.textnb").read_bytes()


def test_a_count_file_of_all_kinds_of_terms_gives_the_choice_that_its_corpus_gives(run, corpus, tmp_path):
    assert run("count", corpus, "-o", "c.counts", "--tokenizer", "words", "--terms", "words,pairs,chars").code == 0
    assert run("train", "c.counts", "-o", "counted.textnb").code == 0
    assert run("train", corpus, "-o", "plain.textnb", "--tokenizer", "words").code == 0
    assert (tmp_path / "counted.textnb").read_bytes() == (tmp_path / "plain.textnb").read_bytes()


def test_update_and_forget_change_the_model_in_place_and_back(run, model, tmp_path):
    before = model.read_bytes()
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "weather").mkdir()
    (tmp_path / "more" / "weather" / "1.txt").write_text("rain snow")
    assert run("update", model, "more").code == 0
    assert TextClassifier.load(model).classes_.tolist() == ["food", "pets", "weather"]
    assert run("forget", model, "more").code == 0
    assert model.read_bytes() == before
    assert "never learnt" in run("forget", model, "more").refusal
    assert model.read_bytes() == before


def test_merging_halves_equals_training_on_all(run, ja_mini, tmp_path):
    for half, pattern in (("a", "*[02468].txt"), ("b", "*[13579].txt")):
        assert run("train", ja_mini / "test", *OPTIONS, "-o", f"{half}.textnb", "--glob", pattern).code == 0
    assert run("merge", "a.textnb", "b.textnb", "-o", "ab.textnb").code == 0
    assert run("merge", "b.textnb", "a.textnb", "-o", "ba.textnb").code == 0
    assert run("train", ja_mini / "test", *OPTIONS, "-o", "all.textnb").code == 0
    whole = (tmp_path / "all.textnb").read_bytes()
    assert (tmp_path / "ab.textnb").read_bytes() == whole == (tmp_path / "ba.textnb").read_bytes()


def test_a_corpus_trained_like_a_model_has_its_recipe_and_merges_with_it(run, ja_mini, tmp_path):
    half, other_half = (("train", ja_mini / "test", "--glob", pattern) for pattern in ("*[02468].txt", "*[13579].txt"))
    assert run(*half, "-o", "one.textnb").code == 0
    assert run(*other_half, "-o", "other.textnb").code == 0
    assert "--like MODEL" in run("merge", "one.textnb", "other.textnb", "-o", "both.textnb").refusal
    assert "auto chose" not in run(*other_half, "--like", "one.textnb", "-o", "alike.textnb").ok.err
    one, alike = (TextClassifier.load(tmp_path / f"{name}.textnb") for name in ("one", "alike"))
    assert alike.recipe == one.recipe
    assert run("merge", "alike.textnb", "one.textnb", "-o", "both.textnb").code == 0
    assert run("train", ja_mini / "test", "--like", "one.textnb", "-o", "all.textnb").code == 0
    assert (tmp_path / "both.textnb").read_bytes() == (tmp_path / "all.textnb").read_bytes()


@pytest.mark.parametrize(
    "option", [["--model", "auto"], ["--alpha", 1], ["--terms", "words"], ["--min-df", 2], ["--tokenizer", "words"]]
)
def test_an_option_that_would_change_the_recipe_of_like_is_refused(run, model, corpus, tmp_path, option):
    assert option[0] in run("train", corpus, "--like", model, *option, "-o", "alike.textnb").misuse
    assert not (tmp_path / "alike.textnb").exists()


def test_refit_chooses_again_as_the_library_does(run, corpus, tmp_path):
    assert run("train", corpus, *OPTIONS, "-o", "m.textnb").code == 0
    TextClassifier.load(tmp_path / "m.textnb").refit(choose=True).save(tmp_path / "expected.textnb")
    assert run("refit", "m.textnb", "--choose").code == 0
    assert (tmp_path / "m.textnb").read_bytes() == (tmp_path / "expected.textnb").read_bytes()
    assert "auto chose" in run("info", "m.textnb").ok.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--tokenizer", "word"], "unknown tokenizer 'word' (did you mean 'words'?); use auto"),
        (["--tokenizer", "words", "--base-form"], "tokenizer 'words' has no parameter 'form'"),
        (["--tokenizer", "janome", "--mode", "A"], "tokenizer 'janome' has no parameter 'mode'"),
        (["--tokenizer", "sudachi", "--mode", "D"], "unknown mode 'D'; use A, B, C"),
        (
            ["--base-form"],
            "--base-form depends on the tokenizer; add --tokenizer janome or mecab or sudachi",
        ),
        (["--mode", "A"], "--mode depends on the tokenizer; add --tokenizer sudachi"),
        (["--mode", "A", "--chars-n", "2"], "no tokenizer has all of --mode, --chars-n"),
        (["--alpha", "-1"], "alpha must be a number of at least 0"),
        (
            ["--model", "svm"],
            "unknown model 'svm'; use auto, multinomial, bernoulli, complement, compound, gaussian",
        ),
        (["--normalise", "lower"], "unknown normaliser 'lower'; use casefold"),
        (["--ngram", "2-1"], "ngram must have 1 <= low <= high"),
        (["--ngram", "x"], "--ngram takes a number or a range"),
        (["--min-df", "many"], "--min-df takes a number of documents or a proportion"),
        (
            ["--weighting", "tf"],
            "unknown weighting 'tf'; use 'raw', 'raw-l2', 'binary', 'binary-l2', 'log', 'log-l2', 'tfidf' or",
        ),
        (["--encoding", "klingon"], "unknown encoding 'klingon'"),
    ],
)
def test_a_wrong_value_of_an_option_is_one_line_and_exit_code_2(run, corpus, tmp_path, arguments, words):
    assert words in run("train", corpus, *arguments, "-o", "m.textnb").misuse
    assert not list(Path(tmp_path).glob("*.textnb*"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["{corpus}", "--prior", "food=1"], "the prior names ['food'], the classes are ['food', 'pets']"),
        (["{corpus}", "--glob", "*.xml"], "has no documents to learn from"),
    ],
)
def test_a_fault_of_the_data_is_one_line_and_exit_code_1(run, corpus, tmp_path, arguments, words):
    assert words in run("train", *(part.format(corpus=corpus) for part in arguments), "-o", "m.textnb").refusal
    assert not list(Path(tmp_path).glob("*.textnb*"))


def test_a_wrong_option_is_exit_code_2(run, corpus):
    assert run("train", corpus, "-o", "m.textnb", "--colour", "red").code == 2
    assert run("train", corpus, "-o", "m.textnb", "--reader", "xml").code == 2
    assert run("train", corpus).code == 2
    assert run("dance").code == 2


def test_help_has_examples_for_every_verb(run):
    verbs = ["train", "predict", "test", "explain", "words", "info", "tokenize", "update", "forget", "merge", "count"]
    for verb in verbs:
        done = run(verb, "--help", env={"COLUMNS": "100"}).ok
        assert "Example" in done.out
        assert f"textnb {verb}" in done.out


def test_the_version_is_the_packages(run):
    from textnb import __version__

    assert run("--version").out == f"textnb {__version__}\n"


def test_a_place_that_cannot_be_written_is_refused_before_the_work(run, corpus):
    for verb in ("train", "count"):
        assert "nowhere/m.textnb cannot be written" in run(verb, corpus / "missing", "-o", "nowhere/m.textnb").refusal


def test_merging_waits_for_its_turn_and_keeps_the_update(run_alone, model, tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    (tmp_path / "more" / "weather").mkdir(parents=True)
    (tmp_path / "more" / "weather" / "1.txt").write_text("rain")
    (tmp_path / "other.textnb").write_bytes(model.read_bytes())
    with ThreadPoolExecutor(2) as pool:
        update = pool.submit(run_alone, "update", model, "more")
        merge = pool.submit(run_alone, "merge", model, "other.textnb", "-o", model)
    assert update.result().code == merge.result().code == 0
    assert TextClassifier.load(model).recipe == TextClassifier.load(tmp_path / "other.textnb").recipe
    assert len(TextClassifier.load(model).learnt.digests) == 11


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_leaves_the_old_model_and_nothing_else(model, corpus, tmp_path, jobs):
    (tmp_path / "slow.py").write_text(
        "import pathlib, time\n"
        "def cut(text):\n"
        "    pathlib.Path('begun').touch()\n"
        "    time.sleep(2.5)\n"
        "    return text.split()\n"
    )
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    hearing = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # background jobs are deaf to it
    )
    code = f"{hearing}; from textnb.__main__ import main; main()"
    command = [sys.executable, "-c", code, "train", str(corpus), "-o", str(model), "--tokenizer", "slow:cut"]
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "TEXTNB_LANG": "en"}
    with subprocess.Popen([*command, "--jobs", jobs], cwd=tmp_path, env=env, stderr=subprocess.PIPE) as process:
        while not (tmp_path / "begun").exists():
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert err.split(b"\n")[-2:] == [b"textnb: interrupted", b""]
    assert b"Traceback" not in err
    (tmp_path / "begun").unlink()
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_what_is_not_textnbs_is_never_overwritten(run, tmp_path):
    (tmp_path / "data.csv").write_text("text,label\ndog,pets\negg,food\n")
    for verb in ("train", "count"):
        assert "data.csv is an input itself" in run(verb, "data.csv", "-o", "data.csv").refusal
    (tmp_path / "notes.txt").write_text("mine")
    done = run("train", "data.csv", "-o", "notes.txt")
    assert done.code == 1
    assert "notes.txt already exists and is not a textnb file" in done.err
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_count_file_and_the_description_of_a_corpus_are_read_once(run, corpus, monkeypatch):
    (corpus / "corpus.toml").write_text("[reader]\nglob = '*.txt'\n")
    read = []
    for place in ("textnb.cli.sources.read_counts", "textnb.readers.settings.read_toml"):
        module, _, name = place.rpartition(".")
        function = getattr(import_module(module), name)
        monkeypatch.setattr(place, lambda path, *more, own=function: read.append(path.name) or own(path, *more))
    assert run("train", corpus, "-o", "m.textnb").code == run("count", corpus, "-o", "c.counts").code == 0
    assert read == ["corpus.toml"] * 2
    assert run("train", "c.counts", "-o", "n.textnb").code == run("tune", "c.counts").code == 0
    assert read[2:] == ["c.counts"] * 2
    assert "c.counts holds counts already" in run("count", "c.counts", "-o", "d.counts").refusal


def test_training_on_one_class_warns_that_there_is_nothing_to_decide(run, corpus, tmp_path):
    (tmp_path / "one.csv").write_text("text,label\ndog,pets\ncat,pets\n")
    warning = "warning: one.csv has only one class, 'pets', which will be the answer to every document\n"
    assert warning in run("train", "one.csv", "-o", "m.textnb", "-q").ok.err
    assert "only one class" not in run("train", corpus, "-o", "m.textnb", "-q").ok.err


@pytest.mark.parametrize(
    ("classes", "warned"),
    [(["ab", "ab"], []), (["ab", "bc"], []), (["ab", "cd"], [1]), (["ab", "cd", "ac"], [1]), (["a", "b", "c"], [1, 2])],
)
def test_merging_models_without_a_class_in_common_warns(run, tmp_path, classes, warned):
    for number, labels in enumerate(classes):
        (tmp_path / "t.csv").write_text("text,label\n" + "".join(f"word {number},{label}\n" for label in labels))
        assert run("train", "t.csv", "-o", f"{number}.textnb", "-q").ok
    done = run("merge", *(f"{number}.textnb" for number in range(len(classes))), "-o", "all.textnb", "-q").ok
    found = [int(line.split()[2][0]) for line in done.err.splitlines() if "has no class in common" in line]
    assert found == warned
    assert TextClassifier.load(tmp_path / "all.textnb").classes_.tolist() == sorted(set("".join(classes)))
