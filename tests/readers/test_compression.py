"""Compressed tables, and those whose end is missing or whose bytes are wrong."""

import bz2
import gzip
import lzma
import sys

import pytest
import zstandard

from textnb.errors import InputError
from textnb.readers import read_corpus
from textnb.readers.columns import read_columns

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard.compress}
TABLES = {
    "a.csv": "text,label\n犬,動物\n雨,天気\n",
    "a.tsv": "text\tlabel\n犬\t動物\n雨\t天気\n",
    "a.jsonl": '{"text": "犬", "label": "動物"}\n{"text": "雨", "label": "天気"}\n',
    "a.txt": "__label__動物 犬\n__label__天気 雨\n",
}
LONG = "text,label\n" + "".join(f"{j * j % 1009} {j * j % 997},x\n" for j in range(50_000))
suffixes = pytest.mark.parametrize("suffix", PACK)


@suffixes
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("codec", ["utf-8", "cp932", "utf-16"])
def test_every_table_is_read_from_every_compression(table, suffix, name, codec):
    path = table(name + suffix, PACK[suffix](TABLES[name].encode(codec)))
    reader = "lines" if name == "a.txt" else None  # begins with a byte order mark
    assert [(d.text, d.label) for d in read_corpus(path, reader)] == [
        ("犬", "動物"),
        ("雨", "天気"),
    ]


@suffixes
def test_pieces_that_were_compressed_one_after_the_other_are_all_read(table, suffix):
    half = len(LONG) // 2
    data = PACK[suffix](LONG[:half].encode()) + PACK[suffix](LONG[half:].encode())
    assert sum(1 for _ in read_corpus(table(f"a.csv{suffix}", data))) == 50_000


@suffixes
@pytest.mark.parametrize("harm", ["cut", "overwritten", "no such file"])
def test_a_damaged_file_is_one_line(table, suffix, harm):
    data = PACK[suffix](LONG.encode())
    cut = data[: len(data) // 2]
    data = {"cut": cut, "overwritten": cut + b"\xff" * 99 + data[len(cut) + 99 :], "no such file": b"text"}[harm]
    with pytest.raises(InputError, match=rf"a\.csv{suffix}[:,] [^\n]+\Z"):
        list(read_corpus(table(f"a.csv{suffix}", data)))


def test_an_absent_package_for_zstandard_is_named(table, monkeypatch):
    for name in ("zstandard", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=r"a\.csv\.zst: .*; run: pip install 'textnb\[zst\]'"):
        list(read_corpus(table("a.csv.zst", PACK[".zst"](b"text,label\na,x\n"))))


def test_a_compressed_table_of_categories_has_its_delimiter(table):
    assert read_columns(table("a.tsv.xz", PACK[".xz"](b"a\tb\n1\t2\n"))).names == ("a", "b")
