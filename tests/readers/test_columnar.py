"""Parquet and Arrow files: columns, kinds of values, groups that cannot be read, and parts."""

import pickle
import subprocess
import sys
import warnings
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from textnb.errors import InputError, ReadingWarning
from textnb.readers import open_corpus, read_corpus, read_table
from textnb.readers.settings import Settings

N = 100
RANDOM = np.random.default_rng(0)
TEXTS = [" ".join(map(str, RANDOM.integers(0, 10**6, 40))) for _ in range(N)]
LABELS = ["犬" if j % 3 else "猫" for j in range(N)]
TABLE = pa.table({"本文": TEXTS, "部署": LABELS, "n": range(N)})
ROWS = [(text, label, str(j)) for j, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True), 1)]
STRINGS = [pa.string(), pa.large_string()]
KINDS = ["a.parquet", "a.feather", "a.arrow"]
kinds = pytest.mark.parametrize("name", KINDS)


@pytest.fixture
def columnar(tmp_path):
    """A function that writes a table in groups of ten rows, as the name says, and gives its path."""

    def write(name, table=TABLE, rows=10, **options):
        path = tmp_path / name
        if name.endswith(".parquet"):
            parquet.write_table(table, path, row_group_size=rows, **options)
        elif name.endswith(".feather"):
            feather.write_feather(table, path, chunksize=rows, **options)
        else:
            with pa.ipc.new_stream(path, table.schema) as stream:
                stream.write_table(table, max_chunksize=rows)
        return path

    return write


def damage(path, marker):
    """Overwrite bytes of a file from a marker on."""
    data = bytearray(path.read_bytes())
    start = data.index(marker)
    data[start : start + 40] = b"\xff" * 40
    path.write_bytes(data)


def found(documents):
    return [(document.text, document.label, document.id) for document in documents]


@kinds
def test_a_document_is_a_row_with_all_its_cells_and_its_number_is_the_id(columnar, name):
    documents = list(read_corpus(columnar(name), label="部署"))
    assert found(documents) == ROWS
    assert documents[41].columns == {"本文": TEXTS[41], "部署": LABELS[41], "n": 41}
    assert pickle.loads(pickle.dumps(documents[41])) == documents[41]


@kinds
def test_columns_are_chosen_as_in_other_tables(columnar, name):
    path = columnar(name)
    with pytest.raises(InputError, match="no column '部所' among 本文, 部署, n; did you mean '部署'"):
        list(read_corpus(path, label="部所"))
    assert [d.id for d in read_corpus(path, text="本文", label="部署", id="n")] == [str(j) for j in range(N)]
    assert next(read_corpus(path, text=["部署", "本文"], label="n")).text == f"猫\n{TEXTS[0]}"
    assert open_corpus(path).columns() == ["本文", "部署", "n"]


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), *(pa.dictionary(pa.int8(), each) for each in STRINGS)]
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.feather", "a.arrow", "a.parquet"])
def test_strings_of_every_type_are_read(columnar, name, kind):
    values = ["雨", "犬", "雨"]
    array = pa.array(values).dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else pa.array(values, kind)
    path = columnar(name, pa.table({"text": array, "label": array}))
    assert [(d.text, d.label) for d in read_corpus(path)] == [(each, each) for each in values]


def test_labels_may_be_numbers_and_categories_of_pandas(columnar, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": ["a", "b"], "label": pd.Categorical(["x", "y"]), "stars": [1, 5]})
    frame.to_parquet(tmp_path / "p.parquet")
    assert [d.label for d in read_corpus(tmp_path / "p.parquet")] == ["x", "y"]
    assert [d.label for d in read_corpus(tmp_path / "p.parquet", label="stars")] == ["1", "5"]


DAY, NOON = date(2026, 11, 18), datetime(2026, 11, 18, 12, 30)
AS_TEXT = {
    "bool": (pa.array([True, False]), ["True", "False"]),
    "int8": (pa.array([1, -2], pa.int8()), ["1", "-2"]),
    "uint64": (pa.array([2**63, 0], pa.uint64()), ["9223372036854775808", "0"]),
    "float64": (pa.array([1.0, 2.5]), ["1.0", "2.5"]),
    "float32": (pa.array([0.1, 3.0], pa.float32()), ["0.1", "3.0"]),
    "decimal": (pa.array([Decimal("1.50"), Decimal("2.00")]), ["1.50", "2.00"]),
    "date": (pa.array([DAY, date(2027, 1, 1)]), ["2026-11-18", "2027-01-01"]),
    "timestamp": (pa.array([NOON, None], pa.timestamp("ns")), ["2026-11-18 12:30:00", None]),
    "time zone": (pa.array([NOON, None], pa.timestamp("s", "Asia/Tokyo")), ["2026-11-18 21:30:00+09:00", None]),
    "time": (pa.array([time(9), time(10, 5)]), ["09:00:00", "10:05:00"]),
    "duration": (pa.array([timedelta(1), timedelta(2)]), ["1 day, 0:00:00", "2 days, 0:00:00"]),
    "dictionary": (pa.array(["x", None]).dictionary_encode(), ["x", None]),
    "dictionary of numbers": (pa.array([7, 8]).dictionary_encode(), ["7", "8"]),
    "null": (pa.nulls(2), [None, None]),
    "nan": (pa.array([float("nan"), 1.0]), [None, "1.0"]),
}


@pytest.mark.parametrize(("values", "expected"), AS_TEXT.values(), ids=AS_TEXT)
@kinds
def test_labels_ids_and_groups_of_every_type_become_text(columnar, name, values, expected):
    table = pa.table({"text": ["a", "b"], "label": values, "key": values, "group": values})
    path = columnar(name, table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingWarning)
        documents = list(read_corpus(path, id="key", skip_bad=True, max_skipped=1))
    labelled = [(number, text) for number, text in enumerate(expected, 1) if text is not None]
    assert [(each.label, each.id, each.group) for each in documents] == [(text, text, text) for _, text in labelled]
    without = [each.id for each in read_corpus(path, label="text", id="key")]
    assert without == [text or str(number) for number, text in enumerate(expected, 1)]


@pytest.mark.parametrize(
    "values", [[b"x"], [["x"]], [{"x": 1}], [[]]], ids=["binary", "list", "struct", "list of nothing"]
)
def test_labels_and_ids_that_are_no_single_value_are_refused_by_their_type(columnar, values):
    path = columnar("a.parquet", pa.table({"id": values, "text": ["a"], "label": ["x"]}))
    for given in ({"label": "id"}, {"id": "id"}):
        (what,) = given
        with pytest.raises(InputError, match=rf"column 'id' are [^;]+; name another with --{what} or {what}="):
            list(read_corpus(path, **given))
    assert [each.id for each in read_corpus(path)] == ["1"]  # nobody named it


@kinds
def test_a_null_is_named_by_its_row_and_skip_bad_leaves_it_out(columnar, name):
    path = columnar(name, pa.table({"text": ["a", None, "c"], "label": ["x", "x", None]}))
    with pytest.raises(InputError, match=rf"{name}, row 2: no text in 'text'; correct it, or skip"):
        list(read_corpus(path))
    with pytest.warns(
        ReadingWarning, match=r"2 bad records were skipped \(.*row 2: .*; .*row 3: no label in 'label'\)"
    ):
        assert found(read_corpus(path, skip_bad=True, max_skipped=1)) == [("a", "x", "1")]


def test_a_text_column_without_text_is_refused_by_its_type(columnar):
    path = columnar("a.parquet")
    with pytest.raises(InputError, match="the values of column 'n' are int64, not text"):
        list(read_corpus(path, text="n", label="部署"))


def test_texts_that_are_not_utf8_are_read_with_gaps_and_counted(columnar):
    array = pa.array(["a", b"caf\xe9", None], pa.binary()).view(pa.string())
    path = columnar("a.parquet", pa.table({"text": array, "label": ["x", "x", "x"]}))
    with pytest.warns(ReadingWarning) as warned:
        assert [d.text for d in read_corpus(path, skip_bad=True, max_skipped=1)] == ["a", "caf\ufffd"]
    assert "1 of 2 documents could not be decoded" in str(warned[0].message)


@pytest.mark.parametrize("name", KINDS[:2])
def test_a_bad_group_is_one_error_with_its_name_and_skip_bad_counts_its_rows(columnar, name):
    path = columnar(name, compression="zstd" if name == "a.feather" else "none", **_checked(name))
    damage(path, TEXTS[30].encode() if name == "a.parquet" else _frame(path, 3))
    group = "row group 3" if name == "a.parquet" else "record batch 3"
    with pytest.raises(InputError, match=rf"{name}, {group}, rows 31 to 40: cannot be read \([^\n]*\); [^\n]*\Z"):
        list(read_corpus(path, label="部署"))
    with pytest.warns(ReadingWarning, match=rf"10 bad records were skipped \(.*{group}, rows 31 to 40"):
        documents = found(read_corpus(path, label="部署", skip_bad=True))
    assert documents == ROWS[:30] + ROWS[40:]
    with pytest.raises(InputError, match=r"10 of 100 records are bad, more than a proportion of 0\.05"):
        list(read_corpus(path, label="部署", skip_bad=True, max_skipped=0.05))


def _checked(name):
    return {"write_page_checksum": True, "use_dictionary": False} if name == "a.parquet" else {}


def _frame(path, number):
    """The first bytes of a Zstandard frame: that of the texts in a batch, whose offsets are the frame before it."""
    data, starts = path.read_bytes(), []
    while (start := data.find(b"\x28\xb5\x2f\xfd", starts[-1] + 1 if starts else 0)) >= 0:
        starts.append(start)
    return data[starts[number * len(starts) // 10] :][:60]


@kinds
def test_parts_give_the_same_documents_with_the_same_ids(columnar, name, monkeypatch):
    monkeypatch.setattr("textnb.readers.columnar.PART_ROWS", 25)
    corpus = open_corpus(columnar(name), settings=Settings(label="部署"))
    parts = pickle.loads(pickle.dumps(corpus.parts()))
    assert len(parts) == (1 if name == "a.arrow" else 4)
    assert [document for part in reversed(parts) for document in list(part.documents())[::-1]] == list(
        corpus.documents()
    )[::-1]
    assert [part.parts() for part in parts] == [[part] for part in parts]


def test_every_other_corpus_is_one_part(table):
    corpus = open_corpus(table("a.csv", "text,label\na,x\n"))
    assert corpus.parts() == [corpus] and pickle.loads(pickle.dumps(corpus)) == corpus


def test_the_bad_records_of_a_part_are_compared_with_the_whole_file(columnar, monkeypatch):
    monkeypatch.setattr("textnb.readers.columnar.PART_ROWS", 10)
    path = columnar("a.parquet", compression="none", **_checked("a.parquet"))
    damage(path, TEXTS[30].encode())
    parts = open_corpus(path, settings=Settings(label="部署", skip_bad=True)).parts()
    with pytest.warns(ReadingWarning, match="10 bad records were skipped"):
        assert sum(len(list(part.documents())) for part in parts) == 90


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather"])
@pytest.mark.parametrize("data", [b"", b"text,label\na,x\n", b"PAR1" + b"\0" * 50, b"ARROW1\0\0" + b"\0" * 50, b"FEA1"])
def test_what_is_no_such_file_is_refused_in_one_line(table, name, data):
    with pytest.raises(InputError, match=rf"{name} cannot be read as (Parquet|Arrow): [^\n]+\Z"):
        list(read_corpus(table(name, data)))


def test_only_the_columns_that_are_used_are_read_if_that_is_enough(columnar):
    settings = Settings(label="部署", whole_records=False)
    assert [*next(open_corpus(columnar("a.parquet"), settings=settings).documents()).columns] == ["本文", "部署"]


def test_a_folder_of_parquet_files_as_spark_writes_it_is_read(columnar, tmp_path):
    (tmp_path / "out").mkdir()
    for name in ("out/_SUCCESS", "out/.part-1.crc", "out/_metadata"):
        (tmp_path / name).write_bytes(b"")
    columnar("out/part-1.parquet")
    columnar("out/part-2.parquet")
    assert len(list(read_corpus(tmp_path / "out", label="部署"))) == 2 * N


def test_a_name_that_stands_twice_is_refused_only_where_it_is_used(columnar):
    path = columnar("a.arrow", pa.table([["a"], [1], [2], ["x"]], names=["text", "n", "n", "label"]))
    assert next(read_table(path)).columns == {"text": "a", "n": 1, "n_2": 2, "label": "x"}
    with pytest.raises(InputError, match="there are two columns 'n'"):
        list(read_table(path, label="n"))


def test_other_readers_do_not_import_pyarrow(table):
    path = str(table("a.csv", "text,label\na,x\n"))
    code = f"import sys, textnb; list(textnb.read_corpus({path!r})); print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
