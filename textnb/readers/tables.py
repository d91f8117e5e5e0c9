"""Tables: CSV, TSV and JSON lines, plain or gzipped, one document a record; and plain lines."""

import csv
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from textnb.errors import InputError
from textnb.readers.decoding import REPLACEMENT, decoded, decoded_lines, encoding_of, pieces_of, undecodable
from textnb.readers.document import Document
from textnb.readers.settings import Settings
from textnb.readers.trouble import Troubles

TEXT_COLUMNS = ("text", "body", "content", "document", "message", "sentence", "本文", "テキスト", "文書", "文章")
LABEL_COLUMNS = ("label", "class", "category", "target", "y", "ラベル", "クラス", "カテゴリ", "分類")
ID_COLUMNS = ("id", "doc_id", "docid", "name", "filename", "file")
LABEL_PREFIX = "__label__"
_LONGEST_CELL = 2**31 - 1  # the most that every platform's csv module takes

Record = tuple[int, Mapping[str, Any] | str]
"""The number of a line and the cells of the record that ends there, or what is wrong with it."""


def read_records(path: Path, kind: str, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    """The documents of a csv, tsv, jsonl or lines file, in its order."""
    try:
        with _open(path) as stream:
            encoding = encoding_of(pieces_of(stream), settings.encoding)
        with _open(path) as stream:
            lines = decoded_lines(stream, encoding)
            for document in _documents(path, kind, lines, settings, troubles):
                places = 0 if encoding.fits else document.text.count(REPLACEMENT)
                yield replace(document, defects=(undecodable(places, encoding.name),)) if places else document
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: {error}") from error


def read_lines(stream: BinaryIO, settings: Settings) -> Iterator[Document]:
    """The lines of a stream that can be read only once, such as standard input; each is decoded by itself."""
    for number, line in enumerate(stream, 1):
        content = decoded(line, settings.encoding)
        yield replace(_line(number, content.text), defects=content.defects)


def _open(path: Path) -> BinaryIO:
    return cast("BinaryIO", gzip.open(path) if path.suffix == ".gz" else path.open("rb"))


def _documents(
    path: Path, kind: str, lines: Iterable[str], settings: Settings, troubles: Troubles
) -> Iterator[Document]:
    if kind == "lines":
        for number, line in enumerate(lines, 1):
            document = _line(number, line)
            if settings.labelled and document.label is None:
                troubles.bad(f"{path}, line {number}", f"no {LABEL_PREFIX}... at its beginning")
            else:
                yield document
        return
    records = _json_records(lines) if kind == "jsonl" else _csv_records(path, lines, "\t" if kind == "tsv" else ",")
    for number, record in records:
        found = record if isinstance(record, str) else _document(path, number, record, settings)
        if isinstance(found, str):
            troubles.bad(f"{path}, line {number}", found)
        else:
            yield found


def _line(number: int, line: str) -> Document:
    """A line as a document; fastText's ``__label__x `` at its beginning is its label."""
    text = line.removesuffix("\n").removesuffix("\r")
    if text.startswith(LABEL_PREFIX):
        label, _, text = text.removeprefix(LABEL_PREFIX).partition(" ")
        return Document(text, label or None, str(number))
    return Document(text, None, str(number))


def _csv_records(path: Path, lines: Iterable[str], delimiter: str) -> Iterator[Record]:
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    try:
        for cells in reader:
            if header is None:
                header = [cell.strip() for cell in cells]
            elif len(cells) != len(header):
                if cells:  # a blank line is no record
                    yield reader.line_num, f"{len(cells)} cells where the header has {len(header)}"
            else:
                yield reader.line_num, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}; is a quotation mark left open?") from error


def _json_records(lines: Iterable[str]) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, _json_record(line)


def _json_record(line: str) -> Mapping[str, Any] | str:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"not JSON ({error})"
    return record if isinstance(record, dict) else "not a JSON object"


def _document(path: Path, number: int, record: Mapping[str, Any], settings: Settings) -> Document | str:
    text_column = _column(path, record, settings.text, TEXT_COLUMNS, "text")
    text = record.get(text_column)
    if not isinstance(text, str):
        return f"no text in {text_column!r}"
    label = None
    if settings.labelled:
        label_column = _column(path, record, settings.label, LABEL_COLUMNS, "label")
        label = _label(record.get(label_column))
        if label is None:
            return f"no label in {label_column!r}"
        if not text:
            return f"no text in {text_column!r}"
    return Document(text, label, str(_first(record, ID_COLUMNS, number)), group=_label(record.get("group")))


def _column(path: Path, record: Mapping[str, Any], given: str | None, guesses: Sequence[str], what: str) -> str:
    """The name of the column: as given, or the first common one."""
    names = {name.casefold(): name for name in record}
    for guess in [given.casefold()] if given else guesses:
        if guess in names:
            return names[guess]
    wanted = f"no column {given!r}" if given else f"no column that looks like the {what}"
    raise InputError(f"{path} has {wanted}; its columns: {', '.join(record)}; name it with --{what} or {what}=")


def _first(record: Mapping[str, Any], columns: Sequence[str], default: object) -> object:
    names = {name.casefold(): name for name in record}
    return next((record[names[column]] for column in columns if column in names), default)


def _label(value: object) -> str | None:
    """A label as a string: numbers as they are written, nothing for an empty cell or null."""
    return None if value is None or value == "" else str(value)
