"""A model whose labels are numbers, on the command line: classes are text, and the file keeps the kind."""

import json

import pytest
from small_models import BY_EVIDENCE

from textnb import TextClassifier

TEXTS, LABELS = ["a b", "c", "a a", "c d", "e", "e f"], [10, 9, 10, 9, -1, -1]


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.textnb"
    TextClassifier(**BY_EVIDENCE, tokenizer="whitespace").fit(TEXTS, LABELS).save(path)
    return path


def table(folder, rows):
    path = folder / "more.tsv"
    path.write_text("text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in rows), encoding="utf-8")
    return path


def test_answers_words_and_evaluations_are_those_of_the_labels_as_text(run, model, tmp_path):
    corpus = table(tmp_path, zip(TEXTS, LABELS, strict=True))
    rows = [json.loads(line) for line in run("predict", model, corpus, "--format", "jsonl").ok.lines]
    assert [row["label"] for row in rows] == ["10", "9", "10", "9", "-1", "-1"]
    assert json.loads(run("test", model, corpus, "--json").ok.out)["accuracy"] == 1.0
    assert "10" in run("words", model).ok.out
    explained = [json.loads(line) for line in run("explain", model, "--json", "--label", "10", corpus).ok.lines]
    assert {row["label"] for row in explained} == {"10"}


def test_a_verb_that_learns_keeps_the_kind_of_the_labels(run, model, tmp_path):
    assert run("update", model, table(tmp_path, [("g", 100)])).ok
    assert TextClassifier.load(model).classes_.tolist() == [-1, 9, 10, 100]
    assert run("forget", model, table(tmp_path, [("g", 100)])).ok
    assert run("merge", model, model, "-o", tmp_path / "merged.textnb").ok
    assert TextClassifier.load(tmp_path / "merged.textnb").classes_.tolist() == [-1, 9, 10]


def test_a_class_of_another_kind_is_refused(run, model, tmp_path):
    before = model.read_bytes()
    done = run("update", model, table(tmp_path, [("g", "spam")]))
    assert done.code == 1
    assert "class 'spam' does not fit: the labels of this model are whole numbers" in done.err
    assert model.read_bytes() == before
