"""Answers in Parquet, and in a folder with one table per input."""

import gzip
import json
import os
import threading
from datetime import date, datetime
from decimal import Decimal
from itertools import islice

import pyarrow as pa
import pytest
from corrected_models import saved
from pyarrow import parquet

from textnb.cli.output_folder import _choices
from textnb.files import parquet_table

FIRST = pa.table(
    {
        "no": pa.array([7, 8, 9], pa.int16()),
        "text": pa.array(["dog", "egg", ""], pa.large_string()),
        "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
        "on": pa.array([datetime(2026, 11, 18, 9), None, datetime(2026, 1, 1)], pa.timestamp("ns")),
        "tags": [["x"], [], None],
        "price": [Decimal("1.50"), None, Decimal("2.25")],
        "day": [date(2026, 1, 1), None, date(2026, 1, 2)],
    }
)
ADDED = ["label", "probability", "known_terms"]


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    parquet.write_table(FIRST, folder / "a.parquet", row_group_size=2)
    parquet.write_table(FIRST.slice(1), folder / "b.parquet")
    return folder


def answers(run, model, *names):
    return [
        tuple(json.loads(line).values())[1:4] for line in run("predict", model, *names, "--format", "jsonl").ok.lines
    ]


@pytest.mark.parametrize("rows", [1, 2, 1 << 16])
def test_parquet_keeps_all_columns_and_types_and_adds_the_answers(run, model, parts, tmp_path, monkeypatch, rows):
    monkeypatch.setattr(parquet_table, "ROWS", rows)
    assert "wrote 3 rows to o.parquet" in run("predict", model, "in/a.parquet", "-o", "o.parquet").ok.err
    found = parquet.read_table(tmp_path / "o.parquet")
    assert found.select(FIRST.column_names).cast(FIRST.schema) == FIRST
    assert found.schema.names == [*FIRST.schema.names, *ADDED]
    assert [found.schema.field(name).type for name in FIRST.schema.names] == FIRST.schema.types
    assert found.schema.types[-3:] == [pa.string(), pa.float64(), pa.int64()]
    assert list(zip(*(found[name].to_pylist() for name in ADDED), strict=True)) == answers(run, model, "in/a.parquet")
    assert parquet.ParquetFile(tmp_path / "o.parquet").num_row_groups == -(-3 // rows)


@pytest.mark.parametrize("name", ["o.csv", "o.jsonl", "o.xlsx"])
def test_cells_of_parquet_go_into_every_other_format(run, model, parts, tmp_path, name):
    assert run("predict", model, "in/a.parquet", "-o", name).ok
    again = run("predict", model, name, "--format", "jsonl").ok.lines
    assert [json.loads(line)["label"] for line in again] == [label for label, *_ in answers(run, model, "in/a.parquet")]
    if name == "o.jsonl":
        first = json.loads((tmp_path / name).read_text(encoding="utf-8").splitlines()[0])
        assert (first["no"], first["on"], first["tags"], first["price"]) == (7, "2026-11-18 09:00:00", ["x"], "1.50")


def test_text_tables_and_folders_become_columns_of_text(run, model, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "dog", "n": 1}\n{"text": "egg", "more": [2]}\n', encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x.txt").write_text("cat", encoding="utf-8")
    assert run("predict", model, "t.jsonl", "folder", "-o", "o.parquet").ok
    found = parquet.read_table(tmp_path / "o.parquet")
    assert found.select(["id", "text", "n", "more", "file"]).to_pydict() == {
        "id": ["1", "2", "x.txt"],
        "text": ["dog", "egg", None],
        "n": ["1", None, None],
        "more": [None, "[2]", None],
        "file": ["t.jsonl", "t.jsonl", "folder"],
    }


def test_inputs_with_other_types_are_joined_or_refused(run, model, parts, tmp_path):
    parquet.write_table(pa.table({"text": ["dog"], "no": [2.5], "kind": ["c"]}), tmp_path / "c.parquet")
    assert run("predict", model, "in/a.parquet", "c.parquet", "-o", "o.parquet").ok
    found = parquet.read_table(tmp_path / "o.parquet")
    assert found["no"].to_pylist() == [7.0, 8.0, 9.0, 2.5] and found["kind"].to_pylist() == ["a", "b", "a", "c"]
    parquet.write_table(pa.table({"text": ["dog"], "no": [[1]]}), tmp_path / "d.parquet")
    refusal = run("predict", model, "in/a.parquet", "d.parquet", "-o", "p.parquet").refusal
    assert "column 'no' is int16 and list<" in refusal and "--output-dir" in refusal
    assert not (tmp_path / "p.parquet").exists()


def test_an_empty_table_has_its_columns(run, model, tmp_path):
    (tmp_path / "t.csv").write_text("text,n\n", encoding="utf-8")
    assert run("predict", model, "t.csv", "-o", "o.parquet").ok
    assert parquet.read_table(tmp_path / "o.parquet").schema.names == ["text", "n", *ADDED]


@pytest.mark.parametrize("form", ["parquet", "csv", "tsv", "jsonl"])
def test_a_folder_has_one_table_per_input_and_finished_ones_are_skipped(run, model, parts, tmp_path, form):
    options = ["in", "--output-dir", "out", "--format", form]
    assert "wrote 5 rows to 2 files in out" in run("predict", model, *options).ok.err
    tables = [tmp_path / "out" / f"{name}.{form}" for name in "ab"]
    first = [path.read_bytes() for path in tables]
    tables[0].unlink()
    error = run("predict", model, *options).ok.err
    assert "skipped 1 input that out has already" in error and "wrote 3 rows to 1 file in out" in error
    assert [path.read_bytes() for path in tables] == first
    found = answers(run, model, "out")
    assert [found[0][0], found[3][0]] == [answers(run, model, "in")[0][0], answers(run, model, "in")[3][0]]


def test_an_error_in_one_input_names_it_and_leaves_the_finished_ones(run, model, parts, tmp_path):
    (parts / "c.parquet").write_bytes(b"PAR1")
    refusal = run("predict", model, "in", "--output-dir", "out", "--format", "parquet").refusal
    assert "c.parquet cannot be read as Parquet" in refusal
    assert sorted(path.name for path in (tmp_path / "out").glob("[!.]*")) == ["_textnb.json", "a.parquet", "b.parquet"]


def test_answers_of_another_model_or_with_other_options_are_refused(run, model, corpus, parts, tmp_path):
    options = ["in", "--output-dir", "out", "--format", "csv"]
    assert "wrote" not in run("predict", model, *options, "-q").ok.err
    assert "other values of --top" in run("predict", model, *options, "--top", 2).refusal
    assert run("predict", model, *options, "--jobs", 1).ok
    other = tmp_path / "other.textnb"
    assert run("train", corpus, "--model", "complement", "--tokenizer", "words", "-o", other, "-q").ok
    assert "out has answers of another model" in run("predict", other, *options).refusal


def test_answers_without_the_latest_correction_are_refused(run, parts, tmp_path):
    path, options = saved(tmp_path), ["in", "--output-dir", "out"]
    assert run("learn", path, "--as", "spam", stdin=b"Subject: one\n\nw1\n").ok
    assert run("predict", path, *options).ok
    assert run("predict", path, *options).ok
    assert run("learn", path, "--as", "spam", stdin=b"Subject: two\n\nw2\n").ok  # in the same pages of the journal
    assert "out has answers of another model" in run("predict", path, *options).refusal


def test_bad_records_may_be_skipped_later_and_not_read_again_as_errors(run, model, tmp_path):
    (tmp_path / "a.csv").write_text("text,n\ndog,1\n")
    (tmp_path / "b.csv").write_text("text,n\ndog\negg,2\n")
    options = ["a.csv", "b.csv", "--output-dir", "out"]
    assert "b.csv, line 2" in run("predict", model, *options).refusal
    skipping = [*options, "--skip-bad", "--max-skipped", "0.5"]
    assert "skipped 1 input that out has already" in run("predict", model, *skipping).ok.err
    assert "other values of --max-skipped, --skip-bad" in run("predict", model, *options).refusal


@pytest.mark.parametrize("form", ["parquet", "csv", "tsv", "jsonl"])
def test_a_finished_table_whose_end_was_lost_is_written_again(run, model, parts, tmp_path, form):
    options = ["in", "--output-dir", "out", "--format", form]
    assert run("predict", model, *options).ok
    table = tmp_path / "out" / f"a.{form}"
    whole = table.read_bytes()
    for left in (0, 9, len(whole) // 2, len(whole) - 1):
        table.write_bytes(whole[:left])
        assert "wrote 3 rows to 1 file in out" in run("predict", model, *options).ok.err
        assert table.read_bytes() == whole


def test_answers_to_an_input_before_it_changed_do_not_pass_for_finished_if_the_next_run_is_killed(
    run, model, parts, tmp_path, monkeypatch
):
    options = ["in", "--output-dir", "out", "--format", "csv"]
    assert run("predict", model, *options).ok
    parquet.write_table(pa.table({"text": ["dog"] * 9}), parts / "b.parquet")
    with monkeypatch.context() as patch:
        patch.setattr("textnb.cli.predict._fill", lambda *_: None)
        assert run("predict", model, *options).ok
    assert "wrote 9 rows to 1 file" in run("predict", model, *options).ok.err


def test_a_file_that_is_no_answer_is_neither_replaced_nor_taken_for_one(run, model, parts, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.csv").write_text("mine")
    refusal = run("predict", model, "in", "--output-dir", "out", "--format", "csv").refusal
    assert "a.csv exists already, and _textnb.json beside it does not name it" in refusal
    assert (tmp_path / "out" / "a.csv").read_text() == "mine"


def test_an_input_that_has_changed_is_answered_again(run, model, parts, tmp_path):
    options = ["in", "--output-dir", "out", "--format", "csv"]
    assert run("predict", model, *options).ok
    parquet.write_table(pa.table({"text": ["dog"] * 9}), parts / "b.parquet")
    assert "wrote 9 rows to 1 file" in run("predict", model, *options).ok.err


def test_inputs_of_one_name_get_their_folders_before_it(run, model, parts, tmp_path):
    (tmp_path / "other").mkdir()
    for name in ("other/a.csv", "other/c.csv.gz"):
        (tmp_path / name).write_text("text\ndog\n", encoding="utf-8")
    (tmp_path / "other/c.csv.gz").unlink()
    assert run(
        "predict", model, "in/a.parquet", "other/a.csv", "in/b.parquet", "--output-dir", "out", "--format", "csv"
    ).ok
    assert sorted(path.name for path in (tmp_path / "out").glob("*.csv")) == ["b.csv", "in-a.csv", "other-a.csv"]
    assert "is named twice" in run("predict", model, "in", "in", "--output-dir", "out2").refusal


def test_the_table_of_an_input_keeps_its_name_whatever_is_answered_later(run, model, tmp_path):
    for name in ("x/a.csv", "y/a.csv"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(f"text\ndog {name}\n")
    for inputs in (["x/a.csv"], ["y/a.csv"], ["y/a.csv", "x/a.csv"], [f"{tmp_path}/x/../y/a.csv"]):
        assert run("predict", model, *inputs, "--output-dir", "out", "--format", "csv").ok
    texts = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out").glob("*.csv")}
    assert {name: text.count("dog x/a.csv") for name, text in texts.items()} == {"a.csv": 1, "y-a.csv": 0}
    assert {name: text.count("dog y/a.csv") for name, text in texts.items()} == {"a.csv": 0, "y-a.csv": 1}


def test_inputs_that_differ_in_suffixes_alone_keep_them(run, model, tmp_path):
    (tmp_path / "a.csv").write_text("text\ndog\n")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"text\ndog\n"))
    (tmp_path / "a.tsv").write_text("text\ndog\n")
    assert run("predict", model, "a.csv", "a.csv.gz", "a.tsv", "--output-dir", "out", "--format", "csv").ok
    names = sorted(path.name for path in (tmp_path / "out").glob("*.csv"))
    assert names == ["a.csv.csv", "a.csv.gz.csv", "a.tsv.csv"]


def test_tables_with_hidden_names_have_answers_that_are_not_hidden(run, model, tmp_path):
    for name in (".a.csv", "_b.csv"):
        (tmp_path / name).write_text("text\ndog\n")
    assert run("predict", model, ".a.csv", "_b.csv", "--output-dir", "out", "--format", "csv").ok
    assert "wrote 2 rows" in run("predict", model, "out", "-o", "o.csv").ok.err


def test_the_query_of_a_web_address_is_no_part_of_the_name_of_a_table():
    choices = _choices(
        "https://example.org/news/a.csv.gz?version=2", ["https://example.org/news/a.csv.gz?version=2"], "csv"
    )
    assert list(islice(choices, 2)) == ["a.csv", "news-a.csv"]


def test_links_to_one_file_are_inputs_with_names_of_their_own(run, model, tmp_path):
    (tmp_path / "blob").write_text("text\ndog\n")
    for name in ("1.csv", "2.csv"):
        (tmp_path / name).symlink_to("blob")
    assert run("predict", model, "1.csv", "2.csv", "--output-dir", "out", "--format", "csv").ok
    assert sorted(path.name for path in (tmp_path / "out").glob("*.csv")) == ["1.csv", "2.csv"]


@pytest.mark.parametrize("inputs", [["in"], ["in/*"], ["in/a.parquet", "in/o.parquet"]])
def test_an_output_among_the_files_of_an_input_is_refused(run, model, parts, inputs):
    assert run("predict", model, "in", "-o", "in/o.parquet").ok
    assert "in/o.parquet is an input itself" in run("predict", model, *inputs, "-o", "in/o.parquet").refusal


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--output-dir", "out", "-o", "o.csv"], "leave out one of them"),
        (["--format", "parquet"], "--output-dir DIR, or use -o FILE.parquet"),
        (["--output-dir", "out", "--bom"], "--bom"),
        (["-o", "s3://bucket/o.csv"], "write to an address with --output-dir"),
    ],
)
def test_outputs_that_contradict_each_other_are_misuse(run, model, parts, options, why):
    form = ["--format", "jsonl"] if "--bom" in options else []
    assert why in run("predict", model, "in", *options, *form).misuse


@pytest.mark.parametrize("folder", ["in", "in/answers", "in/../in"])
def test_a_folder_of_answers_inside_an_input_is_refused(run, model, parts, folder):
    options = ["--output-dir", folder, "--format", "parquet"]
    assert f"{folder} is a part of the input in; choose" in run("predict", model, "in", *options).refusal
    assert run("predict", model, "in/a.parquet", *options[:1], "in/answers", "--format", "csv").ok
    refusal = run("predict", model, "in/**/*.*", *options[:1], "in/answers", "--format", "csv").refusal
    assert "a.csv has the answers of an earlier run, and is no input" in refusal


def test_a_pipe_has_no_table_of_its_own(run, model):
    assert "--output-dir takes files and folders" in run("predict", model, "-", "--output-dir", "out").misuse


def test_inputs_and_outputs_may_be_addresses(run, model, parts, memory):
    for name in "ab":
        memory.put_file(str(parts / f"{name}.parquet"), f"/in/{name}.parquet")
    options = ["memory://in/*.parquet", "--output-dir", "memory://out", "--format", "parquet"]
    assert "wrote 5 rows to 2 files in memory://out" in run("predict", model, *options).ok.err
    assert "skipped 2 inputs" in run("predict", model, *options).ok.err
    memory.pipe("/in/b.parquet", (parts / "b.parquet").read_bytes())
    assert "skipped 1 input" in run("predict", model, *options).ok.err
    assert "is a part of the input" in run("predict", model, "memory://in", *options[1:2], "memory://in/out").refusal
    with memory.open("/out/a.parquet") as stream:
        assert parquet.read_table(stream)["no"].to_pylist() == [7, 8, 9]
    assert [row[0] for row in answers(run, model, "memory://out")][:3] == [row[0] for row in answers(run, model, "in")][
        :3
    ]


def test_training_and_testing_read_parquet_and_addresses(run, memory, tmp_path):
    table = pa.table({"text": ["dog cat", "egg ham"] * 20, "label": ["animal", "food"] * 20})
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=10)
    memory.put_file(str(tmp_path / "t.parquet"), "/t/t.parquet")
    models = []
    for name in ("t.parquet", "memory://t/*.parquet"):
        assert run("train", name, "--tokenizer", "words", "--model", "multinomial", "-o", "m.textnb").ok
        models.append((tmp_path / "m.textnb").read_bytes())
    assert models[0] == models[1]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("named", [False, True])
def test_a_pipe_keeps_its_columns(run, model, tmp_path, kind, named):
    lines = {"csv": "n,text\n1,dog\n2,egg\n", "jsonl": '{"n": "1", "text": "dog"}\n{"n": "2", "text": "egg"}\n'}[kind]
    if not named:
        assert run("predict", model, "-", "--reader", kind, "-o", "o.csv", stdin=lines).ok
    else:
        os.mkfifo(tmp_path / "pipe")
        writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=[lines])
        writer.start()
        done = run("predict", model, "pipe", "--reader", kind, "-o", "o.csv")
        if kind == "jsonl":
            (tmp_path / "pipe").read_text() if writer.is_alive() else None
            assert "pipe: only the end of JSON lines shows all columns" in done.refusal
        writer.join()
    if kind == "csv" or not named:
        rows = (tmp_path / "o.csv").read_text(encoding="utf-8").splitlines()
        assert rows[0].startswith("n,text,label,") and [row[:6] for row in rows[1:]] == ["1,dog,", "2,egg,"]


def test_every_verb_takes_a_pattern_of_addresses(run, memory, tmp_path):
    for name in ("a", "b"):
        lines = "".join(f"dog {name}{n},pets\negg {name}{n},food\n" for n in range(4))
        memory.pipe(f"/t/{name}.csv", f"text,label\n{lines}".encode())
    there, options = "memory://t/*.csv", ["--tokenizer", "words", "--terms", "words"]
    for command in (
        ["train", there, "-o", "m.textnb", *options],
        ["count", there, "-o", "c.counts", *options],
        ["test", "m.textnb", there],
        ["compare", there, "--models", "multinomial", "--folds", 2, *options],
        ["curve", there, "--models", "multinomial", "--folds", 2, *options],
        ["tune", there, "--by", "accuracy", "--vary", "alpha=0.1,1", "--folds", 2, *options],
        ["update", "m.textnb", "memory://t", "-o", "m2.textnb"],
        ["forget", "m2.textnb", there, "-o", "m3.textnb"],
        ["corpus", "check", there],
        ["predict", "m.textnb", there, "-o", "o.csv"],
        ["explain", "m.textnb", there],
        ["tokenize", there],
    ):
        assert run(*command).ok, command
    assert (tmp_path / "m3.textnb").read_bytes() == (tmp_path / "m.textnb").read_bytes()
