"""Tables from the command line: several inputs, columns, results, and the extra that reads workbooks."""

import csv
import json
import sys

import openpyxl
import pytest


def rows_of(path):
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.reader(stream))


@pytest.fixture
def table(tmp_path):
    (tmp_path / "t.csv").write_text("no,text,label\n007,dog,x\n008,egg,y\n", encoding="utf-8")
    return "t.csv"


def test_names_of_columns_and_keys_do_not_depend_on_the_locale(run, model, table, tmp_path):
    found = set()
    for locale in ("C", "ja_JP.UTF-8"):
        for name in ("o.csv", "o.jsonl"):
            options = ["--unsure", 0.9, "--top", 2, "--all-scores"]
            assert run("predict", model, table, *options, "-o", name, env={"LC_ALL": locale, "TEXTNB_LANG": "ja"}).ok
        assert run("predict", model, table, "-o", "o.xlsx", env={"LC_ALL": locale}).ok
        header = [cell.value for cell in openpyxl.load_workbook(tmp_path / "o.xlsx").active[1]]
        printed = run("predict", model, table, *options, env={"LC_ALL": locale}).ok.out
        found.add(((tmp_path / "o.csv").read_bytes(), (tmp_path / "o.jsonl").read_bytes(), *header, printed))
    assert len(found) == 1


def test_all_columns_stay_and_added_ones_do_not_collide(run, model, table, tmp_path):
    assert run("predict", model, table, "-o", "o.csv", "--top", 2).ok
    header, *rows = rows_of(tmp_path / "o.csv")
    added = ["textnb_label", "probability", "label_2", "probability_2", "known_terms"]
    assert header == ["no", "text", "label", *added]
    assert [row[:3] for row in rows] == [["007", "dog", "x"], ["008", "egg", "y"]]


def test_tables_with_other_columns_are_joined_by_name(run, model, table, tmp_path):
    (tmp_path / "u.jsonl").write_text('{"text": "cat", "more": [1]}\n{"text": "oil", "no": 9}\n', encoding="utf-8")
    assert run("predict", model, table, "u.jsonl", "-o", "o.csv").ok
    header, *rows = rows_of(tmp_path / "o.csv")
    assert header[:4] == ["no", "text", "label", "more"] and header[-1] == "file"
    assert [(row[0], row[1], row[3], row[-1]) for row in rows] == [
        ("007", "dog", "", "t.csv"),
        ("008", "egg", "", "t.csv"),
        ("", "cat", "[1]", "u.jsonl"),
        ("9", "oil", "", "u.jsonl"),
    ]


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.jsonl", "o.xlsx"])
def test_a_result_has_the_answers_that_are_printed(run, model, table, tmp_path, name):
    printed = [json.loads(line) for line in run("predict", model, table, "--format", "jsonl").ok.lines]
    assert run("predict", model, table, "-o", name).ok.out == ""
    again = run("predict", model, name, "--format", "jsonl").ok.lines  # the result is a table of the same texts
    assert [json.loads(line) for line in again] == printed


def test_inputs_without_columns_have_ids_and_lines_have_their_text(run, model, corpus, tmp_path):
    assert run("predict", model, corpus, "-o", "o.csv").ok
    header, first, *_ = rows_of(tmp_path / "o.csv")
    assert (header[:2], first[0]) == (["id", "label"], "food/0.txt")
    assert run("predict", model, "-", "-o", "o.csv", stdin="dog\negg\n").ok
    assert [row[:2] for row in rows_of(tmp_path / "o.csv")] == [["id", "text"], ["1", "dog"], ["2", "egg"]]


def test_the_word_for_unsure_is_chosen_and_must_not_be_a_class(run, model, table, tmp_path):
    assert run("predict", model, table, "--unsure", 1.0, "--unsure-label", "要確認", "-o", "o.csv").ok
    header, *rows = rows_of(tmp_path / "o.csv")
    at = header.index("textnb_label")
    assert [(row[at], row[at + 2]) for row in rows] == [("要確認", "pets"), ("要確認", "food")]
    refused = run("predict", model, table, "--unsure", 1.0, "--unsure-label", "pets").refusal
    assert "the model has a class named 'pets'" in refused and "--unsure-label" in refused


@pytest.mark.parametrize("name", ["t.csv", "model.textnb"])
def test_an_input_is_never_the_output(run, model, table, tmp_path, name):
    (tmp_path / "model.csv").write_bytes((tmp_path / "model.textnb").read_bytes())
    output = name if name.endswith("csv") else "model.csv"
    source = "model.csv" if output == "model.csv" else model
    assert "is an input itself; choose another name" in run("predict", source, table, "-o", output).refusal


@pytest.mark.parametrize(("module", "arguments"), [
    ("python_calamine", ["train", "a.xlsx", "-o", "m.textnb"]),
    ("xlsxwriter", ["predict", "model.textnb", "t.csv", "-o", "o.xlsx"]),
])  # fmt: skip
def test_without_the_extra_one_line_says_what_to_install(run, model, table, tmp_path, monkeypatch, module, arguments):
    openpyxl.Workbook().save(tmp_path / "a.xlsx")
    monkeypatch.setitem(sys.modules, module, None)
    assert "Excel files need another package; run: pip install 'textnb[excel]'" in run(*arguments).refusal
    assert not (tmp_path / "o.xlsx").exists()


def test_every_verb_of_a_corpus_takes_several_and_standard_input(run, model, tmp_path):
    lines = "".join(f"__label__{k} {t} {n}\n" for n in range(4) for k, t in (("pets", "dog cat"), ("food", "egg oil")))
    (tmp_path / "a.txt").write_text(lines)
    (tmp_path / "b.csv").write_text("text,label\nbird,pets\npan,food\n")
    options = ["--tokenizer", "words", "--terms", "words"]
    for command in (
        ["train", "a.txt", "b.csv", "-o", "m1.textnb", *options],
        ["train", "-", "b.csv", "-o", "m2.textnb", *options],
        ["count", "-", "b.csv", "-o", "c.counts", *options],
        ["train", "c.counts", "-o", "m3.textnb"],
        ["test", "m1.textnb", "-", "b.csv"],
        ["compare", "-", "b.csv", "--models", "multinomial", "--folds", 2, *options],
        ["curve", "-", "b.csv", "--models", "multinomial", "--folds", 2, *options],
        ["tune", "-", "b.csv", "--by", "accuracy", "--vary", "alpha=0.1,1", "--folds", 2, *options],
        ["update", "m1.textnb", "-", "b.csv", "-o", "m4.textnb"],
        ["forget", "m4.textnb", "b.csv", "-", "-o", "m5.textnb"],
        ["corpus", "check", "-", "b.csv"],
    ):
        assert run(*command, stdin=lines).ok
    first, *others = [(tmp_path / f"m{n}.textnb").read_bytes() for n in (1, 2, 3, 5)]
    assert all(other == first for other in others)


def test_most_of_the_corpora_are_named_where_a_mistake_is(run, model, tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("text,label\ndog,food\negg,food\n")
    done = run("test", model, "a.csv", "b.csv").ok
    assert "a.csv:1" in done.out and "b.csv:1" in done.out


def test_a_corpus_that_is_named_twice_is_warned_of(run, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("text,label\ngood,x\nbad,y\n")
    error = run("count", "a.csv", "?.csv", "-o", "c").ok.err
    assert "warning" in error and "a.csv is named 2 times, and its documents count as often" in error
    assert "b.csv" not in error and "counted 6 documents" in error
    assert "warning" not in run("count", "?.csv", "-o", "c").ok.err
