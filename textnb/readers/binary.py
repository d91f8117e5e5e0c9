"""Files that are not text, such as spreadsheets, PDF, images and archives, recognised by their first bytes.

A file that begins like one of these is refused, because its bytes read as text would be a document without sense. The
first bytes of most formats are no text in any encoding. For those that could begin a text (``PAR1``, ``GIF89a``), a NUL
byte must follow, which text in UTF-8 and in the Japanese encodings does not have.
"""

import re

from textnb.errors import InputError

START_BYTES = 1024
"""Number of bytes at the beginning of a file that are enough to recognise it."""

_TABLE = "export it as CSV in UTF-8"
_TEXT = "export it as plain text in UTF-8"
_EITHER = "export it as CSV or text in UTF-8"
_UNPACK = "unpack it first"
_FORMATS = (  # first bytes, name, remedy
    (
        rb"PK(?:\x03\x04|\x05\x06|\x07\x08)",
        "a ZIP file, such as .xlsx, .docx or .zip",
        "give an Excel workbook a name that ends in .xlsx; export others as text in UTF-8",
    ),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an OLE file, such as .xls or .doc", _EITHER),
    (rb"PAR1(?=.*\0)", "a Parquet file", "give it a name that ends in .parquet"),
    (rb"ARROW1\0\0", "an Arrow file", "give it a name that ends in .arrow"),
    (rb"Obj\x01", "an Avro file", _TABLE),
    (rb"SQLite format 3\0", "an SQLite database", _TABLE),
    (rb"\x89HDF\r\n", "an HDF5 file", _TABLE),
    (rb"%PDF-\d\.\d\s", "a PDF file", _TEXT),
    (rb"\x89PNG\r\n", "a PNG image", _TEXT),
    (rb"\xff\xd8\xff[\xc0-\xfe]", "a JPEG image", _TEXT),
    (rb"GIF8[79]a(?=.*\0)", "a GIF image", _TEXT),
    (rb"RIFF....WEBP(?=.*\0)", "a WebP image", _TEXT),
    (rb"BM....\0\0\0\0", "a BMP image", _TEXT),
    (rb"II\*\0|MM\0\*", "a TIFF image", _TEXT),
    (rb"\x1f\x8b\x08", "a gzip file", "unpack it first, or give it a name that ends in .gz"),
    (rb"BZh[1-9]1AY&SY", "a bzip2 file", "unpack it first, or give it a name that ends in .bz2"),
    (rb"\xfd7zXZ\0", "an xz file", "unpack it first, or give it a name that ends in .xz"),
    (rb"\x28\xb5\x2f\xfd", "a Zstandard file", "unpack it first, or give it a name that ends in .zst"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7-Zip file", _UNPACK),
    (rb"Rar!\x1a\x07", "a RAR file", _UNPACK),
    (rb"(?=.{0,99}\0).{257}ustar[\0 ]", "a tar file", _UNPACK),
)
_COMPILED = tuple((re.compile(start, re.DOTALL), name, remedy) for start, name, remedy in _FORMATS)


def not_text(start: bytes) -> str | None:
    r"""Reason why a file that begins with these bytes is no text, and what to do; None if it may be text.

    >>> not_text(b"%PDF-1.7\n%\xe2\xe3")
    'this is a PDF file, not text; export it as plain text in UTF-8'
    >>> not_text(b"GIF89a is an image format.") is None
    True
    """
    start = start[:START_BYTES]
    found = next(((name, remedy) for pattern, name, remedy in _COMPILED if pattern.match(start)), None)
    return None if found is None else f"this is {found[0]}, not text; {found[1]}"


def check_text(start: bytes, source: object) -> None:
    """Refuse a file or stream that begins with the bytes of a format that is not text."""
    if (why := not_text(start)) is not None:
        raise InputError("{source}: {why}", source=source, why=why)
