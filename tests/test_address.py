"""Addresses: tables of every kind through fsspec, and what can go wrong there."""

import gzip
import io
import os
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fsspec
import openpyxl
import pyarrow as pa
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from pyarrow import parquet

from textnb.address import Address, location, uploaded
from textnb.errors import InputError
from textnb.readers import open_corpora, open_corpus, read_corpus

CSV = "text,label\n犬,動物\n雨,天気\n".encode("cp932")
RECORDS = [("犬", "動物"), ("雨", "天気")]
TABLE = pa.table({"text": ["犬", "雨"], "label": ["動物", "天気"]})


@pytest.fixture(autouse=True)
def memory():
    """The files of memory://, gone after the test."""
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


@pytest.fixture
def files(memory):
    workbook, book = io.BytesIO(), openpyxl.Workbook()
    for row in [["text", "label"], *RECORDS]:
        book.active.append(row)
    book.save(workbook)
    columns, stream = io.BytesIO(), io.BytesIO()
    parquet.write_table(TABLE, columns)
    with pa.ipc.new_file(stream, TABLE.schema) as file:
        file.write_table(TABLE)
    contents = {
        "a.csv": CSV,
        "a.tsv": CSV.replace(b",", b"\t"),
        "a.jsonl": '{"text": "犬", "label": "動物"}\n{"text": "雨", "label": "天気"}\n'.encode(),
        "a.txt": "__label__動物 犬\n__label__天気 雨\n".encode(),
        "a.xlsx": workbook.getvalue(),
        "a.parquet": columns.getvalue(),
        "a.feather": stream.getvalue(),
    }
    for name, data in contents.items():
        memory.pipe(f"/data/{name}", data)
    return contents


def found(documents):
    return [(document.text, document.label) for document in documents]


def test_every_kind_of_table_is_read_from_an_address(files):
    for name in files:
        assert found(read_corpus(f"memory://data/{name}")) == RECORDS, name


def test_patterns_and_folders_of_tables_stand_for_their_files(memory):
    for name in ("b.csv", "a.csv", "_SUCCESS"):
        memory.pipe(f"/data/{name}", CSV)
    for name in ("memory://data/*.csv", "memory://data", "memory://data/"):
        assert [str(corpus.path) for corpus in open_corpora(name)] == ["memory:///data/a.csv", "memory:///data/b.csv"]
    with pytest.raises(InputError, match=r"memory://data/\*\.tsv matches no file"):
        open_corpora("memory://data/*.tsv")


def test_parts_of_a_parquet_file_at_an_address(files):
    corpus = open_corpus("memory://data/a.parquet")
    assert [found(part.documents()) for part in corpus.parts()] == [RECORDS]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("memory://data/b.csv", r"memory://data/b\.csv does not exist"),
        ("nowhere://data/b.csv", r"nowhere://data/b\.csv: nowhere:// is not known to fsspec"),
        (
            "memory://data",
            "memory://data: folders of documents and mail are read from this machine only; ",
        ),
        ("memory://data/mail.mbox", "mail are read from this machine only"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_the_address(memory, name, why):
    memory.pipe("/data/mail.mbox", b"From x\n\n")
    memory.pipe("/data/a.txt", b"")
    with pytest.raises(InputError, match=rf"\A[^\n]*{why}[^\n]*\Z"):
        list(read_corpus(name))


@pytest.mark.parametrize("protocol", ["s3", "gs", "https"])
def test_an_absent_file_system_names_the_pip_command(monkeypatch, protocol):
    for name in ("s3fs", "gcsfs", "aiohttp"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, protocol, raising=False)
    package = {"s3": "s3fs", "gs": "gcsfs", "https": "aiohttp"}[protocol]
    with pytest.raises(InputError, match=rf"{protocol}:// needs another package; run: pip install {package}"):
        open_corpus(f"{protocol}://bucket/a.csv")


def test_without_fsspec_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(InputError, match=r"pip install 'textnb\[remote\]'"):
        open_corpus("s3://bucket/a.csv")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (PermissionError("Forbidden"), "no permission \\(Forbidden\\); check the credentials"),
        (RuntimeError("no answer\nat all"), "cannot be read: no answer"),
    ],
)
def test_errors_of_a_file_system_are_one_line(memory, monkeypatch, error, why):
    memory.pipe("/a.csv", CSV)

    def failing(*_, **__):
        raise error

    monkeypatch.setattr(MemoryFileSystem, "open", failing)
    with pytest.raises(InputError, match=rf"memory://a\.csv[^\n]*{why}\Z"):
        list(read_corpus("memory://a.csv"))


def test_a_stream_that_breaks_off_is_one_line(memory, monkeypatch):
    class Broken(io.RawIOBase):
        def read(self, *_):
            raise RuntimeError("connection lost\nat 5")

    memory.pipe("/a.csv", CSV)
    monkeypatch.setattr(MemoryFileSystem, "open", lambda *_, **__: Broken())
    with pytest.raises(InputError, match=r"memory://a\.csv: connection lost\Z"):
        list(read_corpus("memory://a.csv"))


def test_two_readers_of_one_file_do_not_disturb_each_other(files):
    first, second = Address("memory://data/a.csv").open(), Address("memory://data/a.csv").open()
    assert first.read(3) == second.read(3) == CSV[:3] and first.read() == second.read() == CSV[3:]


def test_file_addresses_are_paths_and_drive_letters_no_addresses(tmp_path):
    (tmp_path / "a.csv").write_bytes(CSV)
    assert found(read_corpus(f"file://{tmp_path}/a.csv")) == RECORDS
    assert location("file:///C:/data/a.csv") == Path("C:/data/a.csv")
    assert location("C:\\data\\a.csv") == Path("C:\\data\\a.csv")
    assert location("https://example.org/a.csv?x=1.txt").suffix == ".csv"
    assert not location("https://example.org/a.csv?x=[1]").is_pattern


@pytest.mark.parametrize("fails", [False, True])
def test_an_output_is_there_as_a_whole_or_not_at_all(memory, fails):
    try:
        with uploaded(Address("memory://new/a.txt")) as stream:
            stream.write(b"all")
            if fails:
                raise KeyError
    except KeyError:
        pass
    assert memory.exists("/new/a.txt") != fails


def test_an_output_that_cannot_be_written_names_its_address():
    with (
        pytest.raises(InputError, match=r"nowhere://a/b\.csv: nowhere:// is not known"),
        uploaded(Address("nowhere://a/b.csv")),
    ):
        pass


@pytest.fixture
def web(tmp_path):
    """The address of a folder of files on a server that knows no ranges, and the folder."""
    pytest.importorskip("aiohttp")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", tmp_path
        server.shutdown()


def test_tables_are_read_from_a_server_as_they_are_from_a_file(files, web):
    address, folder = web
    for name, data in files.items():
        (folder / name).write_bytes(data)
        if name != "a.feather":
            assert found(read_corpus(f"{address}/{name}")) == RECORDS, name
    (folder / "b.csv.gz").write_bytes(gzip.compress(CSV))
    assert found(read_corpus(f"{address}/b.csv.gz?version=2#x")) == RECORDS
    with pytest.raises(InputError, match=r"a\.feather cannot be read as Arrow: the server sends files only from their"):
        list(read_corpus(f"{address}/a.feather"))
    with pytest.raises(InputError, match=r"none\.csv does not exist\Z"):
        open_corpus(f"{address}/none.csv")


def test_the_state_of_a_file_on_a_server_changes_with_it(web):
    address, folder = web
    states = []
    for data in (CSV, CSV, CSV + CSV[:6]):
        (folder / "a.csv").write_bytes(data)
        os.utime(folder / "a.csv", (1e9, 1e9))
        states.append(Address(f"{address}/a.csv").state())
    os.utime(folder / "a.csv", (1e9, 2e9))
    states.append(Address(f"{address}/a.csv").state())
    assert [states[0] == state for state in states] == [True, True, False, False] and states[2] != states[3]


def test_a_server_that_does_not_answer_is_no_absent_file(web):
    with pytest.raises(InputError, match=r"http://127\.0\.0\.1:1/a\.csv cannot be read: [^\n]*connect"):
        open_corpus("http://127.0.0.1:1/a.csv")


def test_patterns_leave_out_hidden_files_as_those_of_this_machine_do(memory):
    for name in (".a.csv", "b.csv", ".b.csv.crc"):
        memory.pipe(f"/data/{name}", CSV)
    assert [str(corpus.path) for corpus in open_corpora("memory://data/*")] == ["memory:///data/b.csv"]
    assert [str(corpus.path) for corpus in open_corpora("memory://data/.*.csv")] == ["memory:///data/.a.csv"]
