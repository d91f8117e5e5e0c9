"""Verbs with --dask: the files are those of one machine, and a cluster that is not there is one clear line."""

import json
import sys

import pytest
from small_clusters import small_cluster, threads_cluster, write_corpus, write_parquet

from textnb.distributed import clusters

pytest.importorskip("distributed", reason="needs Dask: pip install 'textnb[dask]'")

WORDS = ("--tokenizer", "words")


@pytest.fixture(scope="module")
def address():
    with small_cluster() as client:
        yield client.scheduler.address


def test_the_files_are_those_of_one_machine(run, tmp_path, address):
    write_corpus(tmp_path / "c")
    trained = [("train", (*WORDS, "--model", model)) for model in ("multinomial", "logistic")]
    for verb, options in (("count", WORDS), *trained):
        parts = ("--parts", "count" if verb == "count" else options[-1])
        on_cluster = run(verb, "c/*.csv", "-o", "many", "--dask", address, *parts, *options).ok
        assert on_cluster.err == run(verb, "c/*.csv", "-o", "one", *options).ok.err.replace("one", "many")
        assert (tmp_path / "many").read_bytes() == (tmp_path / "one").read_bytes()
        (tmp_path / "many").unlink()
        (tmp_path / "one").unlink()
    done = run("count", "c/*.csv", "--dask", address, "--parts", "count", *WORDS).ok
    assert done.err == "count has 4 count files; textnb merge joins them\n"


def test_recipes_are_compared_as_on_one_machine(run, tmp_path, address):
    write_corpus(tmp_path / "c", n_files=2)
    options = ("--models", "multinomial", "--folds", "2", "--json", *WORDS, "--exclude-class", "z")
    (many,), (one,) = (
        json.loads(run("compare", "c/*.csv", *options, *more).ok.out)["recipes"] for more in (("--dask", address), ())
    )
    assert many["log_loss"] == one["log_loss"]
    assert many["fold_accuracies"] == one["fold_accuracies"]


def test_answers_are_those_of_one_machine(run, tmp_path, address):
    write_corpus(tmp_path / "c", n_files=2)
    assert run("train", "c/*.csv", "-o", "m.textnb", *WORDS, "--model", "multinomial").code == 0
    inputs = ("predict", "m.textnb", "c/part0.csv", "c/part1.csv", "--format", "csv", "--unsure", "0.9")
    done = run(*inputs, "--output-dir", "many", "--dask", address).ok
    assert done.err == "answered 120 documents; many has the answers to every part of the inputs\n"
    assert run(*inputs, "--output-dir", "one").code == 0
    many, one = (sorted(each.read_bytes() for each in (tmp_path / name).glob("*.csv")) for name in ("many", "one"))
    assert many == one
    assert "--dask needs --output-dir" in run(*inputs, "--dask", address).misuse
    assert "not standard input" in run("predict", "m.textnb", "--dask", address, "--output-dir", "x").misuse


@pytest.mark.parametrize("name", ["memory://corpus/", "memory://corpus/*.parquet"])
def test_addresses_are_read_and_written_as_on_one_machine(run, tmp_path, memory, name):
    import pyarrow as pa
    from pyarrow import parquet

    write_parquet(memory)
    predicting = ("predict", "train.one", name, "--format", "parquet", "--output-dir")
    with threads_cluster() as client:
        there = ("--dask", client.scheduler.address)
        for verb, more in (("count", WORDS), ("train", (*WORDS, "--model", "multinomial"))):
            assert run(verb, name, "-o", f"{verb}.one", *more).code == 0
            assert run(verb, name, "-o", f"{verb}.many", *more, *there).ok.out == ""
            assert (tmp_path / f"{verb}.many").read_bytes() == (tmp_path / f"{verb}.one").read_bytes()
        assert run(*predicting, "memory://many", *there).ok.err.startswith("answered 120 documents; memory://many has")
        assert run(*predicting, "memory://one").code == 0
        refused = run("train", name, "-o", "x", *there, "--parts", "memory://parts").misuse
    assert refused.startswith("textnb: memory://parts: --parts (parts=) takes a folder that this machine and all")
    many, one = (
        pa.concat_tables(parquet.read_table(memory.open(each)) for each in memory.glob(f"/{folder}/*.parquet"))
        for folder in ("many", "one")
    )
    assert many.schema.equals(one.schema)
    assert str(many.schema.field("id").type) == "int16"
    key = [("id", "ascending"), ("probability", "ascending")]
    assert many.sort_by(key).equals(one.sort_by(key))


def test_a_cluster_that_is_not_there_is_one_clear_line(run, tmp_path, monkeypatch):
    write_corpus(tmp_path / "c")
    monkeypatch.setattr(clusters, "SECONDS_TO_ANSWER", 0.2)
    train = ("train", "c/*.csv", "-o", "m")
    assert "the Dask scheduler tcp://127.0.0.1:9 does not answer" in run(*train, "--dask", "tcp://127.0.0.1:9").refusal
    assert "local or the address of a scheduler" in run(*train, "--dask", "here").misuse
    assert "--parts would have no effect without --dask" in run(*train, "--parts", "x").misuse
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install 'textnb[dask]'" in run(*train, "--dask", "local").refusal
