"""Standard input in place of a file: every kind of table, and what messages, ids and answers say of it."""

import io

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from textnb.files.count_file import read_counts

ROWS = [("dog cat", "animal"), ("egg ham", "food")] * 5
TABLE = pa.table({"text": [text for text, _ in ROWS], "label": [label for _, label in ROWS], "n": range(10)})
KINDS = ["csv", "tsv", "jsonl", "xlsx", "parquet", "arrow"]


def packed(kind):
    """The bytes of the table in a kind of file."""
    stream = io.BytesIO()
    if kind == "parquet":
        parquet.write_table(TABLE, stream)
    elif kind == "arrow":
        feather.write_feather(TABLE, stream)
    elif kind == "xlsx":
        book = openpyxl.Workbook()
        for row in [["text", "label"], *ROWS]:
            book.active.append(row)
        book.save(stream)
    elif kind == "jsonl":
        stream.write("".join(f'{{"text": "{text}", "label": "{label}"}}\n' for text, label in ROWS).encode())
    else:
        delimiter = {"csv": ",", "tsv": "\t"}[kind]
        stream.write("".join(f"{delimiter.join(row)}\n" for row in [("text", "label"), *ROWS]).encode())
    return stream.getvalue()


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_is_read_and_its_ids_name_no_other_file(run, tmp_path, kind, several):
    (tmp_path / f"a.{kind}").write_bytes(packed(kind))
    words = ("-", f"a.{kind}") if several else ("-",)
    assert run("count", *words, "--reader", kind, "-o", "c", stdin=packed(kind)).ok
    first = read_counts(tmp_path / "c")[0].ids[:2]
    assert first == (("standard input:1", "standard input:2") if several else ("1", "2"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", ["train", "count", "predict", "predict -o"])
def test_errors_name_standard_input_and_no_other_file(run, model, kind, verb):
    words = {"predict": ("predict", model, "-"), "predict -o": ("predict", model, "-", "-o", "o.csv")}
    refusal = run(*words.get(verb, (verb, "-", "-o", "out")), "--reader", kind, stdin=b"%PDF-1.7\n").refusal
    assert "standard input" in refusal and "tmp" not in refusal


def test_a_corpus_without_documents_and_one_class_are_named(run):
    assert "standard input has no documents" in run("count", "-", "--reader", "csv", "-o", "c").refusal
    error = run("train", "-", "--reader", "csv", "-o", "m", stdin=b"text,label\na,x\nb,x\n").ok.err
    assert "standard input has only one class" in error


def test_columns_keep_their_types(run, model, tmp_path):
    assert run("predict", model, "-", "--reader", "parquet", "-o", "o.parquet", stdin=packed("parquet")).ok
    found = parquet.read_table(tmp_path / "o.parquet")
    assert found.schema.field("n").type == pa.int64() and found["n"].to_pylist() == list(range(10))


@pytest.mark.parametrize("reader", ["lines", "csv", "jsonl", "parquet"])
def test_a_folder_of_answers_needs_files(run, model, reader):
    words = ("predict", model, "-", "--reader", reader, "--output-dir", "out")
    stdin = b"dog" if reader == "lines" else packed(reader)
    assert "--output-dir takes files and folders" in run(*words, stdin=stdin).misuse


def test_it_is_read_once(run, model):
    assert "only once" in run("count", "-", "-", "--reader", "csv", "-o", "c", stdin=packed("csv")).misuse
    assert "only once" in run("predict", model, "-", "-", stdin=b"dog").misuse


@pytest.mark.parametrize("reader", ["mail", "folder"])
def test_what_is_no_single_file_is_refused(run, reader):
    refusal = run("count", "-", "--reader", reader, "-o", "c", stdin=b"From x").refusal
    assert "standard input" in refusal and "tmp" not in refusal
