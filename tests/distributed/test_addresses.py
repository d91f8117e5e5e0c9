"""Corpora and answers at addresses, and answers in Parquet, on a cluster."""

import pytest
from made_corpora import documents
from small_clusters import small_cluster, threads_cluster, typed_table, write_corpus, write_parquet

from textnb import Analyzer, TextClassifier
from textnb.address import Address
from textnb.errors import InputError, ParameterError
from textnb.readers import columnar, read_corpus

distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'textnb[dask]'")
fsspec = pytest.importorskip("fsspec", reason="needs fsspec: pip install 'textnb[remote]'")
pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'textnb[parquet]'")
from pyarrow import parquet  # noqa: E402

from textnb.distributed import count, cross_validate, fit, predict  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with threads_cluster() as connected:
        yield connected


@pytest.fixture
def memory(monkeypatch):
    monkeypatch.setattr(columnar, "PART_ROWS", 1)  # so that each row group is a partition
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


def model():
    return TextClassifier("multinomial", tokenizer="words", analyzer=Analyzer())


def saved(classifier, path):
    classifier.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("name", ["memory://corpus/", "memory://corpus/*.parquet"])
@pytest.mark.parametrize("of", ["multinomial", "logistic"])
def test_a_folder_of_tables_at_an_address_is_learnt_by_row_groups(client, memory, tmp_path, name, of):
    write_parquet(memory)
    many, shown = TextClassifier(of, tokenizer="words"), []
    fit(client, many, name, progress=lambda items, total: shown.append(total) or items)
    one = TextClassifier(of, tokenizer="words").fit(read_corpus(name))
    assert saved(many, tmp_path / "many") == saved(one, tmp_path / "one")
    assert shown == [8]


def test_answers_at_an_address_keep_types_and_stay(client, memory):
    write_parquet(memory, n_files=1)
    one = model().fit(documents(60))
    tables = predict(client, one, "memory://corpus/", "memory://answers")
    assert tables == [Address(f"memory://answers/{table.name}") for table in tables]
    found = pyarrow.concat_tables(parquet.read_table(memory.open(f"/answers/{each.name}")) for each in tables)
    asked = typed_table()
    assert found.select(asked.schema.names).cast(asked.schema).equals(asked)
    assert found.schema.field("tags").type == asked.schema.field("tags").type
    assert found.schema.names[6:] == ["textnb_label", "probability", "known_terms"]
    assert [str(field.type) for field in found.schema][6:] == ["string", "double", "int64"]
    with memory.open(f"/answers/{tables[0].name}", "wb") as stream:
        stream.write(b"finished")
    predict(client, one, "memory://corpus/", "memory://answers")
    assert memory.cat_file(f"/answers/{tables[0].name}") == b"finished"
    memory.pipe_file("/answers/other.parquet", b"")
    with pytest.raises(InputError, match=r"memory://answers holds 1 files that are no part of this run"):
        predict(client, one, "memory://corpus/", "memory://answers")


def test_answers_to_a_frame_keep_types_also_of_a_partition_without_rows(client, tmp_path):
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    dataframe = pytest.importorskip("dask.dataframe", reason="needs dask.dataframe")
    frame = pandas.DataFrame(
        {"n": range(40), "x": [None, 0.5] * 20, "nothing": None, "text": [d.text for d in documents(40)]}
    )
    frame["when"] = pandas.Timestamp("2026-01-01")
    whole = dataframe.from_pandas(frame, npartitions=2)
    tables = predict(client, model().fit(documents(60)), whole[whole.n >= 20], tmp_path / "answers", text="text")
    first, second = map(parquet.read_table, tables)
    assert (first.num_rows, second.num_rows) == (0, 20)
    assert second.column("n").to_pylist() == [*range(20, 40)]
    assert second.column("x").to_pylist() == [None, 0.5] * 10
    for table in (first, second):
        names = [table.schema.field(name).type for name in ("n", "x", "when", "probability", "known_terms")]
        assert list(map(str, names)) == ["int64", "double", "timestamp[us]", "double", "int64"]


def test_count_files_are_not_written_to_an_address(client, tmp_path):
    paths = write_corpus(tmp_path / "c", n_files=2)
    for work in (
        lambda: count(client, model(), paths, "memory://parts"),
        lambda: fit(client, model(), paths, parts="s3://bucket/parts"),
        lambda: cross_validate(client, {"m": model()}, paths, parts="s3://bucket/parts"),
    ):
        with pytest.raises(ParameterError, match=r"parts: --parts \(parts=\) takes a folder .* not an address"):
            work()


def test_answers_that_only_the_workers_see_are_an_error(memory, tmp_path):
    paths = write_corpus(tmp_path / "c", n_files=2)
    with (
        small_cluster() as apart,
        pytest.raises(InputError, match=r"part0\.csv-\S+, which a worker .* not in memory://a"),
    ):
        predict(apart, model().fit(documents(60)), paths, "memory://a", form="csv")
