"""Partitions and errors of runs, without a cluster."""

import pytest

from textnb import Document
from textnb.distributed.partitions import HeldColumns, HeldReader, as_source
from textnb.distributed.runs import Run
from textnb.errors import InputError, ParameterError

distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'textnb[dask]'")


def test_rows_of_a_frame_are_documents_with_their_cells():
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    frame = pandas.DataFrame({"body": ["a b", "c"], "kind": [1, 2]}, index=[7, 9])
    reader = HeldReader("partition 0", frame, HeldColumns("body", "kind"))
    found = list(reader.documents())
    assert [(d.text, d.label, d.id) for d in found] == [("a b", 1, "7"), ("c", 2, "9")]
    assert found[0].columns == {"body": "a b", "kind": 1}
    assert reader.columns() == ["body", "kind"]
    with pytest.raises(InputError, match="no column 'x'"):
        list(HeldReader("partition 0", frame, HeldColumns("x")).documents())
    with pytest.raises(InputError, match="name the column of the text"):
        list(HeldReader("partition 0", frame, HeldColumns()).documents())


def test_items_of_a_bag_are_texts_pairs_records_or_documents():
    items = ["a", ("b", "x"), {"text": "c", "label": "y", "n": 3}, Document("d", "z", "5")]
    found = list(HeldReader("partition 0", items, HeldColumns(id="n")).documents())
    assert [(d.text, d.label, d.id) for d in found] == [
        ("a", None, "0"),
        ("b", "x", "1"),
        ("c", "y", "3"),
        ("d", "z", "5"),
    ]
    with pytest.raises(InputError, match="item 0 of a bag must be a text"):
        list(HeldReader("partition 0", [3], HeldColumns()).documents())
    with pytest.raises(InputError, match="record '0' has no text in 'text'"):
        list(HeldReader("partition 0", [{"body": "a"}], HeldColumns()).documents())


def test_the_name_of_a_result_changes_with_the_input_and_the_recipe(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("text,label\na,x\n")
    (part,) = as_source(path).partitions
    name = part.file_name("recipe", ".counts")
    assert name.startswith("c.csv-")
    assert name == as_source(path).partitions[0].file_name("recipe", ".counts")
    path.write_text("text,label\na,x\nb,x\n")
    assert (
        len({name, part.file_name("other", ".counts"), as_source(path).partitions[0].file_name("recipe", ".counts")})
        == 3
    )


def test_a_worker_that_ends_again_and_again_is_an_error_with_the_name_of_the_part(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("text,label\na,x\n")
    run = Run(None, as_source(path))
    (leaf,) = run.leaves(len)
    with pytest.raises(InputError, match=r"c\.csv: each worker that processed it has ended, 4 times"), run.errors():
        raise distributed.KilledWorker(leaf.key, None, 3)
    with pytest.raises(InputError, match="connection to the Dask scheduler was lost"), run.errors():
        raise distributed.comm.CommClosedError


def test_split_every_is_a_whole_number(tmp_path):
    with pytest.raises(ParameterError, match="split_every must be a whole number of at least 2, not 1"):
        Run(None, as_source([]), split_every=1)
    with pytest.raises(InputError, match="no partitions"):
        Run(None, as_source([]))


def test_what_is_not_distributed_is_refused_with_what_makes_it_so():
    frames = [pytest.importorskip("pandas", reason="needs pandas").DataFrame({"text": ["a"]})]
    for documents, kind in [([Document("a", "x")], "Document"), (frames[0], "DataFrame"), ([("a", "x")], "tuple")]:
        with pytest.raises(InputError, match=rf"bag or data frame of Dask, not {kind}; dask\.bag\.from_sequence"):
            as_source(documents)


def test_an_error_before_the_first_document_names_the_partition_alone():
    from textnb import TextClassifier
    from textnb.distributed.workers import counted_part, run_task
    from textnb.version import __version__

    pandas = pytest.importorskip("pandas", reason="needs pandas")
    reader = HeldReader("partition 3", pandas.DataFrame({"body": ["a"]}), HeldColumns("body", "kind"))
    terms_of = TextClassifier("multinomial", tokenizer="words").asked.terms_of
    with pytest.raises(InputError, match=r"^partition 3: the data frame has no column 'kind'; its columns are body$"):
        run_task(__version__, counted_part, reader, terms_of, None)
