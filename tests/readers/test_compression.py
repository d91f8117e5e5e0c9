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
from textnb.readers.position import position

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


@suffixes
@pytest.mark.parametrize("behind", [b"x", b"text,label\n" * 9, b"\0\0\0\0x" * 2000])
def test_what_follows_compressed_data_is_not_dropped_in_silence(table, suffix, behind):
    data = PACK[suffix](LONG.encode())
    with pytest.raises(InputError, match=rf"a\.csv{suffix}: (something else follows|the end of) the \w+ data [^\n]+\Z"):
        list(read_corpus(table(f"a.csv{suffix}", data + behind)))


@suffixes
@pytest.mark.parametrize("zeros", [4, 512, 8192])
def test_zeros_may_pad_gzip_and_xz_and_are_refused_elsewhere(table, suffix, zeros):
    path = table(f"a.csv{suffix}", PACK[suffix](LONG.encode()) + bytes(zeros) + PACK[suffix](b"1,x\n") + bytes(zeros))
    if suffix in (".gz", ".xz"):
        assert sum(1 for _ in read_corpus(path)) == 50_001
    else:
        with pytest.raises(InputError, match="something else follows the"):
            list(read_corpus(path))


@suffixes
def test_an_empty_file_is_no_compressed_file_but_an_empty_part_is(table, suffix):
    assert list(read_corpus(table(f"b.csv{suffix}", PACK[suffix](b"")))) == []
    with pytest.raises(InputError, match=rf"a\.csv{suffix}: the end of the \w+ data is missing"):
        list(read_corpus(table(f"a.csv{suffix}", b"")))


@suffixes
def test_parts_may_be_empty_and_longer_than_what_is_read_at_a_time(table, suffix):
    pieces = [LONG.encode(), b"", b"1,x\n", b""]
    path = table(f"a.csv{suffix}", b"".join(map(PACK[suffix], pieces)))
    assert sum(1 for _ in read_corpus(path)) == 50_001


@suffixes
def test_progress_of_a_compressed_file_counts_its_own_bytes(table, suffix):
    path = table(f"a.csv{suffix}", PACK[suffix](LONG.encode()))
    positions = [position() for _ in read_corpus(path)]
    assert 0 < positions[0] <= positions[-1] <= path.stat().st_size


@suffixes
@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet", "a.feather"])
def test_files_that_are_not_read_in_order_must_be_unpacked_first(table, suffix, name):
    with pytest.raises(InputError, match=rf"{name}{suffix}: (xlsx|parquet|arrow) files are not unpacked while"):
        list(read_corpus(table(f"{name}{suffix}", PACK[suffix](b"PAR1"))))
