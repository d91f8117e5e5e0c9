import gzip
from pathlib import Path

import pytest

from textnb.errors import InputError, ReadingWarning
from textnb.readers import READERS, Settings, open_corpus, open_input, read_corpus, read_input, read_table
from textnb.readers import settings as settings_module
from textnb.readers.corpus import open_corpora

CSV = "text,label\nhello,en\nこんにちは,ja\n"
UNLABELLED = Settings(labelled=False)


def found(documents):
    return [(document.text, document.label) for document in documents]


EXPECTED = [("hello", "en"), ("こんにちは", "ja")]
CONTENTS = {
    "csv": CSV,
    "tsv": CSV.replace(",", "\t"),
    "jsonl": '{"text": "hello", "label": "en"}\n{"label": "ja", "text": "こんにちは"}\n',
    "lines": "__label__en hello\n__label__ja こんにちは\n",
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(
    ("suffix", "kind"), [("csv", "csv"), ("tsv", "tsv"), ("jsonl", "jsonl"), ("ndjson", "jsonl"), ("CSV", "csv")]
)
def test_the_kind_is_recognised_by_the_name(table, suffix, kind, zipped):
    data = CONTENTS[kind].encode()
    path = table(f"my.data.{suffix}{'.gz' * zipped}", gzip.compress(data) if zipped else data)
    assert found(read_corpus(path)) == found(read_table(str(path))) == EXPECTED


@pytest.mark.parametrize("name", ["data", "data.txt", "data.txt.gz", "data.gz", ".csv", "csv"])
def test_a_name_that_does_not_tell_is_refused_with_the_readers_there_are(table, name):
    with pytest.raises(InputError, match=rf"{name}: the name does not show.*{', '.join(READERS)}"):
        read_corpus(table(name, CSV))


def test_an_unknown_reader_is_refused_by_name(table):
    with pytest.raises(InputError, match=r"unknown reader 'parquett'; use folder, csv"):
        read_corpus(table("a.csv", CSV), reader="parquett")


def test_a_reader_that_does_not_suit_the_path_is_refused(table, corpus):
    with pytest.raises(InputError, match=r"a\.csv is a file; reader 'folder'"):
        read_corpus(table("a.csv", CSV), reader="folder")
    with pytest.raises(InputError, match=r"corpus is a folder; reader 'csv'"):
        read_corpus(corpus({"a/1.txt": "x"}), reader="csv")


@pytest.mark.parametrize("name", ["nowhere", "nowhere.csv", "no\0where", "long text in place of a path " * 200])
@pytest.mark.parametrize("read", [read_corpus, read_table, lambda path: read_input(path, None, UNLABELLED)])
def test_a_path_that_does_not_exist_is_refused_at_once_by_name(tmp_path, read, name):
    with pytest.raises(InputError, match="does not exist"):
        read(tmp_path / name)


def test_a_dangling_link_does_not_exist(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match=r"a\.csv does not exist"):
        read_corpus(tmp_path / "a.csv")


@pytest.mark.parametrize("kind", CONTENTS)
def test_an_empty_file_has_no_documents(table, kind):
    assert list(read_corpus(table("empty", ""), kind)) == []
    assert list(read_corpus(table("empty.gz", gzip.compress(b"")), kind)) == []


def test_an_input_that_is_no_table_is_one_document_with_its_path_as_id(table):
    path = table("letter.txt", "line 1\n\nline 3".encode("utf-16"))
    (document,) = read_input(path, None, UNLABELLED)
    assert (document.text, document.label, document.id) == ("line 1\n\nline 3", None, str(path))


@pytest.mark.parametrize("name", ["a.csv", "A.CSV"])
def test_an_input_that_is_a_table_gives_its_records_without_labels(table, name):
    documents = read_input(table(name, "id,text,label\nx,hello,en\n\ny,,\n"), None, UNLABELLED)
    assert [(d.id, d.text, d.label) for d in documents] == [("x", "hello", None), ("y", "", None)]


def test_an_input_of_lines_keeps_every_line_blank_ones_too(table):
    documents = read_input(table("a.txt", "one\n\nthree"), "lines", UNLABELLED)
    assert [(document.id, document.text) for document in documents] == [("1", "one"), ("2", ""), ("3", "three")]


def test_an_input_folder_is_walked(corpus):
    root = corpus({"1.txt": "one", "a/2.txt": "two"})
    documents = read_input(root, None, UNLABELLED)
    assert [(d.id, d.label, d.text) for d in documents] == [("1.txt", None, "one"), ("a/2.txt", None, "two")]


def test_a_damaged_input_is_warned_about(table):
    with pytest.warns(ReadingWarning, match=r"1 of 1 documents.*a\.txt: 1 undecodable place"):
        (document,) = read_input(table("a.txt", b"caf\xe9!"), None, UNLABELLED)
    assert document.defects == ("1 undecodable place in utf-8",)


@pytest.mark.parametrize("name", ["a.txt", "a.csv"])
def test_an_input_that_cannot_be_read_is_an_error_that_names_it(tmp_path, name):
    (tmp_path / name).symlink_to("/proc/self/mem")
    with pytest.raises(InputError, match=f"{name}: "):
        list(read_input(tmp_path / name, None, UNLABELLED))


def test_a_corpus_is_looked_at_once(corpus, monkeypatch):
    root = corpus({"corpus.toml": '[reader]\nkind = "mail"\nglob = "*.txt"\n', "a/1.txt": "To: x\n\nhello", "a/2": ""})
    read, calls = settings_module.read_toml, []
    monkeypatch.setattr(settings_module, "read_toml", lambda path: calls.append(path) or read(path))
    opened = open_corpus(root, settings=Settings(skip_bad=True))
    assert (opened.kind, opened.is_mail) == ("mail", True)
    assert opened.settings == Settings(kind="mail", glob="*.txt", skip_bad=True)
    assert found(opened.documents()) == found(opened.documents()) == [("hello", "a")]
    assert calls == [root / "corpus.toml"]


def test_an_input_is_opened_as_what_it_is(table, corpus):
    mbox = "From a Fri Jan  2 03:04:05 2026\nTo: x\n\nhello\n"
    paths = [table("a.txt", "x"), table("a.csv", CSV), table("box", mbox), corpus({"a/1.txt": "x"})]
    assert [open_input(path, None, UNLABELLED).kind for path in paths] == ["document", "csv", "mail", "folder"]
    assert open_input(paths[2], "lines", UNLABELLED).kind == "lines"


def test_tables_that_begin_with_an_underscore_are_read_and_hidden_ones_only_if_they_are_named(tmp_path):
    for name in ("_a.csv", "b.csv", ".c.csv", "_SUCCESS", ".b.csv.crc"):
        (tmp_path / name).write_text("" if name.endswith(("S", "c")) else "text,label\na,x\n")
    names = [Path(str(each.path)).name for each in open_corpora([tmp_path, tmp_path / "*.csv", tmp_path / ".c.csv"])]
    assert names == ["_a.csv", "b.csv", "_a.csv", "b.csv", ".c.csv"]
