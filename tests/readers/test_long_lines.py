import gzip
import io
import tracemalloc

import pytest

from textnb.errors import InputError
from textnb.readers import Settings, corpus, decoding, read_input, read_lines, tables

UNLABELLED = Settings(labelled=False)
LIMIT = 1000
KINDS = {
    "csv": "text\nfirst\n{}\n",
    "tsv": "text\nfirst\n{}\n",
    "jsonl": '{{"text":"first"}}\n{{"text":""}}\n{{"text":"{}"}}\n',
    "lines": "first\nsecond\n{}\n",
}


@pytest.fixture
def short_limit(monkeypatch):
    for module in (decoding, tables, corpus):
        monkeypatch.setattr(module, "MAX_LINE_LENGTH", LIMIT)


def texts(path, kind=None):
    return [document.text for document in read_input(path, kind, UNLABELLED)]


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "utf-32", "cp932"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("beyond", [-1, 0, 1, 2, 5000])
def test_a_line_up_to_the_limit_is_read_and_a_longer_one_is_refused_with_its_number(
    table, short_limit, codec, kind, zipped, beyond
):
    around = len(KINDS[kind].format("").splitlines()[2]) + 1  # the line end counts
    text = "日" * (LIMIT + beyond - around)
    data = KINDS[kind].format(text).encode(codec)
    path = table(f"a.{kind}{'.gz' * zipped}", gzip.compress(data) if zipped else data)
    if beyond <= 0:
        assert texts(path, kind)[-1] == text
    else:
        with pytest.raises(InputError, match=rf"a\.{kind}(\.gz)?, line 3: the line is longer than 1,000 characters"):
            texts(path, kind)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "utf-32", "utf-16-be", "iso2022_jp", "cp932", "euc_jp"])
@pytest.mark.parametrize("beyond", [-1, 0, 1, 2, 5000])
def test_a_line_of_standard_input_has_the_same_limit_in_bytes(short_limit, codec, beyond):
    unit = len("a".encode(codec.removesuffix("-be") + "-le" * (codec in ("utf-16", "utf-32")))) if "utf" in codec else 1
    text = "a" * ((LIMIT + beyond) // unit - 1)
    data = f"first\nsecond\n{text}\n".encode(codec)
    settings = Settings(labelled=False, encoding=codec)
    if len(text) * unit + unit <= LIMIT:
        assert [document.text for document in read_lines(io.BytesIO(data), settings)][-1] == text
    else:
        with pytest.raises(InputError, match="standard input, line 3: the line is longer than 1,000"):
            list(read_lines(io.BytesIO(data), settings))


@pytest.mark.parametrize("beyond", [-1, 0, 1, 5000])
def test_the_lines_of_a_quoted_cell_have_the_limit_together(table, short_limit, beyond):
    cell = "a\n" * ((LIMIT + beyond) // 2 - 2)
    cell += "b" * (LIMIT + beyond - len(cell) - len('""\n'))
    path = table("a.csv", f'text\nfirst\n"{cell}"\n')
    if beyond <= 0:
        assert texts(path) == ["first", cell]
    else:
        with pytest.raises(InputError, match=r"a\.csv, line \d+: the record has more than 1,000 characters; look for"):
            texts(path)


def test_a_quoted_cell_of_a_tsv_file_ends_at_the_limit(table, short_limit):
    path = table("a.tsv", 'text\n"' + "word\n" * 300 + '"\n')
    assert texts(path) == ['"word', *["word"] * 299, '"']


@pytest.mark.parametrize("kind", [*KINDS, "document", "iso2022_jp"])
def test_a_packed_line_of_any_length_is_refused_in_little_memory(table, monkeypatch, kind):
    for module in (decoding, tables, corpus):
        monkeypatch.setattr(module, "MAX_LINE_LENGTH", 1 << 16)
    start = {"jsonl": b"\n", "iso2022_jp": b"text\n\x1b$B"}.get(kind, b"text\n")
    name = "a.txt.gz" if kind == "document" else f"a.{kind}.gz"
    path = table(name, gzip.compress(start + b"a" * (1 << 25)))
    tracemalloc.start()
    with pytest.raises(InputError, match=r"(more|longer) than 65,536"):
        texts(path, {"document": None, "iso2022_jp": "lines"}.get(kind, kind))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000


def test_the_documented_limit_holds():
    line = b"a" * (2**26 - 1)
    assert len(next(decoding.limited_lines(io.BytesIO(line + b"\n").readline, "a"))) == 67_108_864
    with pytest.raises(InputError, match="a, line 1: the line is longer than 67,108,864 characters"):
        next(decoding.limited_lines(io.BytesIO(line + b"a\n").readline, "a"))
