import bz2
import gzip
import io
import lzma
import sqlite3
import tarfile
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.corpus import corpus_path
from textnb.errors import InputError, ReadingWarning
from textnb.readers import Settings, read_columns, read_corpus, read_input, read_lines
from textnb.readers.binary import not_text

UNLABELLED = Settings(labelled=False)


def zipped(*names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "<xml/>")
    return out.getvalue()


def taped(**options):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", **options) as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size = 5
        archive.addfile(entry, io.BytesIO(b"hello"))
    return out.getvalue()


def database():
    with sqlite3.connect(":memory:") as connection:
        connection.execute("create table a (b)")
        return connection.serialize()


BINARY = {
    "xlsx": (zipped("[Content_Types].xml", "xl/workbook.xml"), "a ZIP file, such as .xlsx"),
    "zip without files": (zipped(), "a ZIP file"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504), "an OLE file, such as .xls"),
    "parquet": (b"PAR1\x15\x04\x15\x14\x15\x18L\x15\x02\x15\x00\x12\x00\x00" + b"x" * 90 + b"PAR1", "a Parquet file"),
    "feather": (b"ARROW1\0\0\xff\xff\xff\xff", "an Arrow file"),
    "avro": (b"Obj\x01\x04\x14avro.codec", "an Avro file"),
    "sqlite": (database(), "an SQLite database"),
    "hdf5": (b"\x89HDF\r\n\x1a\n\0\0", "an HDF5 file"),
    "pdf": (b"%PDF-1.7\r\n%\xe2\xe3\xcf\xd3\r\n1 0 obj", "a PDF file"),
    "pdf of ASCII": (b"%PDF-1.4\n1 0 obj\n<< >>\nendobj\n", "a PDF file"),
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
    "jpeg": (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "a JPEG image"),
    "gif": (b"GIF89a\x01\x00\x01\x00\x80\x00\x00", "a GIF image"),
    "webp": (b"RIFF\x24\x10\0\0WEBPVP8 \0\0", "a WebP image"),
    "bmp": (b"BM\x46\x10\0\0\0\0\0\0\x36\0\0\0", "a BMP image"),
    "tiff": (b"II*\0\x08\0\0\0", "a TIFF image"),
    "tiff, big-endian": (b"MM\0*\0\0\0\x08", "a TIFF image"),
    "gzip": (gzip.compress(b"text,label\na,x\n"), "a gzip file"),
    "bzip2": (bz2.compress(b"text,label\na,x\n"), "a bzip2 file"),
    "xz": (lzma.compress(b"text,label\na,x\n"), "an xz file"),
    "zstd": (b"\x28\xb5\x2f\xfd\x04\x00", "a Zstandard file"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\x04", "a 7-Zip file"),
    "rar": (b"Rar!\x1a\x07\x01\0", "a RAR file"),
    "tar": (taped(format=tarfile.USTAR_FORMAT), "a tar file"),
    "GNU tar": (taped(format=tarfile.GNU_FORMAT), "a tar file"),
}
each_format = pytest.mark.parametrize(("data", "what"), BINARY.values(), ids=BINARY)


OF_ZIP = r"give an Excel workbook a name that ends in \.xlsx; export others as text"
AS_WORKBOOK = {  # what is said of these as a table named .xlsx
    "xlsx": r"a\.xlsx cannot be read as \.xlsx \(.+\); open it in a spreadsheet program and save it again",
    "zip without files": r"a\.xlsx cannot be read as \.xlsx \(.+\); open it in a spreadsheet program and save it again",
    "xls": r"a\.xlsx is encrypted, or an old \.xls file; save it in Excel as \.xlsx without a password",
}


@pytest.mark.parametrize("kind", BINARY)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.txt", "a.xlsx", "a.csv.gz", "a.txt.gz"])
def test_a_file_that_is_not_text_is_refused_by_name_with_a_remedy(table, kind, name):
    data, what = BINARY[kind]
    path = table(name, gzip.compress(data) if name.endswith(".gz") else data)
    remedy = OF_ZIP if what.startswith("a ZIP file") else "(export|unpack|give it a name)"
    said = rf"{name}: this is {what}.*, not text; {remedy}"
    as_table = AS_WORKBOOK.get(kind, said) if name == "a.xlsx" else said
    with pytest.raises(InputError, match=as_table):
        list(read_input(path, None, UNLABELLED))
    with pytest.raises(InputError, match=as_table):
        list(read_corpus(path))
    with pytest.raises(InputError, match=said):
        list(read_corpus(path, "lines"))
    with pytest.raises(InputError, match=said):
        read_columns(path)


@each_format
def test_standard_input_that_is_not_text_is_refused(data, what):
    with pytest.raises(InputError, match=f"standard input: this is {what}"):
        list(read_lines(io.BytesIO(data), UNLABELLED))


@each_format
def test_a_file_of_a_folder_that_is_not_text_is_a_bad_record(corpus, data, what):
    root = corpus({"a/1.txt": "x", "a/2.bin": data, "b/1.txt": "y"})
    with pytest.raises(InputError, match=rf"a/2\.bin: this is {what}.*--skip-bad"):
        list(read_corpus(root))
    with pytest.warns(ReadingWarning, match=rf"1 bad record was skipped .*2\.bin: this is {what}"):
        documents = list(read_corpus(root, skip_bad=True, max_skipped=0.4))
    assert [document.id for document in documents] == ["a/1.txt", "b/1.txt"]


CODECS = [
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "cp932",
    "euc_jp",
    "iso2022_jp",
    "latin-1",
]
BEGINNINGS = ["", "PK", "PAR1", "ARROW1", "Obj", "SQLite format 3", "%PDF-", "%PDF-1.7", "GIF89a", "RIFF1234WEBP"]
BEGINNINGS += ["BM", "BM1234", "II*", "MM", "BZh9", "7z", "Rar!", "x" * 257 + "ustar ", "ustar", "PNG\r\n", "JFIF"]
TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("あいう日本 \t\r\n"))


@given(text=TEXTS, codec=st.sampled_from(CODECS))
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_no_text_in_any_encoding_is_refused(beginning, codec, text):
    if beginning.startswith("%PDF-1.7"):
        text = "x" + text  # a line of its own would be the first line of a PDF file
    assert not_text((beginning + text).encode(codec, "replace")) is None


@given(st.binary())
def test_odd_bytes_after_text_are_not_refused(data):
    for start in (b"Hello, ", "こんにちは".encode("cp932"), "こんにちは".encode("euc_jp"), b"caf\xe9 ", b"\0\0a"):
        assert not_text(start + data) is None


@pytest.mark.parametrize("name", ["ja-mini", "ja-mail"])
def test_no_document_of_the_bundled_corpora_is_refused(name):
    files = [path for path in corpus_path(name).rglob("*") if path.is_file()]
    assert len(files) > 60
    assert [path for path in files if not_text(path.read_bytes()) is not None] == []
