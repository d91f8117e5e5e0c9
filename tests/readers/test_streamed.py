"""Streams that are read once: pipes and standard input give what the same bytes in a file give."""

import io
import json
import os
import threading

import pytest

from textnb.errors import InputError, ReadingWarning
from textnb.readers import Settings, open_corpus, open_input
from textnb.readers.streamed import Pipe, StreamedText

ROWS = [(f"今日は、良い天気です{j}", "天気" if j % 2 else "仕事") for j in range(40)]
CSV = "text,label\n" + "".join(f'"{text}",{label}\n' for text, label in ROWS)
TABLES = {
    "csv": CSV,
    "tsv": "text\tlabel\r\n" + "".join(f"{text}\t{label}\r\n" for text, label in ROWS),
    "jsonl": "".join(json.dumps({"text": text, "label": label}, ensure_ascii=False) + "\n" for text, label in ROWS),
    "lines": "".join(f"__label__{label} {text}\n" for text, label in ROWS),
}


class Trickle(io.RawIOBase):
    """A stream from which a few bytes arrive at a time."""

    def __init__(self, data, size=7):
        self.data, self.size, self.given = data, size, 0

    def readable(self):
        return True

    def readinto(self, target):
        n = min(self.size, len(target), len(self.data) - self.given)
        target[:n] = self.data[self.given : self.given + n]
        self.given += n
        return n


def pipe(data, size=7):
    return Pipe("the pipe", lambda: io.BufferedReader(Trickle(data, size), 16))


def found(corpus):
    return [(document.text, document.label, document.id) for document in corpus.documents()]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp932", "euc_jp", "iso2022_jp"])
@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_in_every_encoding(kind, codec):
    corpus = open_corpus(pipe(TABLES[kind].encode(codec)), kind)
    columns = corpus.columns() if kind != "jsonl" else []
    assert columns in ([], ["text"], ["text", "label"])
    assert found(corpus) == [(*row, str(j)) for j, row in enumerate(ROWS, 1)]


@pytest.mark.parametrize("codec", ["cp932", "euc_jp", "iso2022_jp"])
def test_an_encoding_that_shows_late_is_decided_there(codec):
    data = b"text,label\n" + b"abc,x\n" * 20_000 + CSV.encode(codec)[11:]
    documents = found(open_corpus(pipe(data, 1 << 15), "csv"))
    assert len(documents) == 20_040 and documents[-1][:2] == ROWS[-1]


def test_damage_after_the_start_is_counted():
    data = b"text,label\n" + ("犬" * 400 + ",x\n").encode() * 1000 + b"\xff\xfe,x\n" + "猫,x\n".encode()
    with pytest.warns(ReadingWarning, match="1 of 1002 documents could not be decoded"):
        assert found(open_corpus(pipe(data, 1 << 16), "csv"))[-1][0] == "猫"


def test_valid_text_with_a_replacement_character_is_no_damage():
    assert found(open_corpus(pipe("text,label\n\ufffd犬,x\n".encode()), "csv")) == [("\ufffd犬", "x", "1")]


@pytest.mark.parametrize(("kind", "encoding"), [("jsonl", None), ("csv", "utf-8"), ("csv", None)])
def test_documents_come_before_the_end_of_the_stream(kind, encoding):
    ascii_only = encoding is None and kind == "csv"
    line = {"csv": "{},x\n", "jsonl": '{{"text": "{}", "label": "x"}}\n'}[kind].format("dog" if ascii_only else "犬")
    start = "text,label\n" if kind == "csv" else ""
    stream = Trickle((start + line * 100_000).encode(), 1 << 10)
    documents = open_corpus(Pipe("p", lambda: io.BufferedReader(stream)), kind, Settings(encoding=encoding)).documents()
    next(documents)
    assert stream.given < 100_000


def test_no_more_than_a_bounded_start_is_looked_at():
    stream = Trickle(("犬,x\n" * 1_000_000).encode("cp932"), 1 << 16)
    text = io.BufferedReader(StreamedText(io.BufferedReader(stream), None, "p"))
    assert text.readline() == "犬,x\n".encode() and stream.given < 1_200_000


def test_a_pipe_is_read_once():
    corpus = open_corpus(pipe(CSV.encode()), "csv")
    found(corpus)
    with pytest.raises(InputError, match="the pipe can be read only once"):
        found(corpus)


@pytest.mark.parametrize("kind", ["xlsx", "parquet", "arrow", "mail", "folder"])
def test_kinds_that_need_a_file_say_so(kind):
    with pytest.raises(InputError, match="the pipe is a pipe, which is read as csv, tsv, jsonl, lines; copy"):
        open_corpus(pipe(b""), kind)


def test_a_binary_stream_is_refused():
    with pytest.raises(InputError, match="the pipe: this is a gzip file, not text"):
        found(open_corpus(pipe(b"\x1f\x8b\x08\0\0\0\0\0"), "csv"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
@pytest.mark.parametrize(("name", "kind"), [("a.csv", None), ("a", "tsv"), ("a", None)])
def test_a_named_pipe_is_read_without_a_copy(tmp_path, never_hangs, name, kind):
    path, form = tmp_path / name, "lines" if name == "a" and kind is None else kind or "csv"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[TABLES[form].encode()])
    writer.start()
    assert [row[:2] for row in found(open_corpus(path, kind))] == ROWS
    writer.join()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_named_pipe_to_classify_is_one_document_or_a_table(tmp_path, never_hangs):
    path = tmp_path / "a"
    os.mkfifo(path)
    for kind, expected in ((None, ["two\nlines\n"]), ("lines", ["two", "lines"])):
        writer = threading.Thread(target=path.write_bytes, args=[b"two\nlines\n"])
        writer.start()
        assert [d.text for d in open_input(path, kind, Settings(labelled=False)).documents()] == expected
        writer.join()
