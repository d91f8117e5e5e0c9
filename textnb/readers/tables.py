"""Tables: CSV, TSV and JSON lines, plain or gzipped, one document a record; and plain lines."""

import csv
import gzip
import json
import math
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.decoding import REPLACEMENT, decoded, decoded_lines, encoding_of, pieces_of, undecodable
from textnb.readers.settings import Settings, Troubles

TEXT_COLUMNS = ("text", "body", "content", "document", "message", "sentence", "本文", "テキスト", "文書", "文章")
LABEL_COLUMNS = ("label", "class", "category", "target", "y", "ラベル", "クラス", "カテゴリ", "分類")
ID_COLUMNS = ("id", "doc_id", "docid", "name", "filename", "file")
LABEL_PREFIX = "__label__"
_LABELLED = re.compile(rf"{LABEL_PREFIX}(\S+)(?:\s(.*))?", re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")  # half a character, which no file can hold
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_LONGEST_CELL = 2**31 - 1  # the most that every platform's csv module takes

_SHOWN = 12

Found = tuple[int, Document | str]
"""The number of a line and the document that ends there, or what is wrong with it."""


def read_records(path: Path, kind: str, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    """The documents of a csv, tsv, jsonl or lines file, in its order."""
    try:
        with open_bytes(path) as stream:
            encoding = encoding_of(pieces_of(stream), settings.encoding)
        with open_bytes(path) as stream:
            lines = decoded_lines(stream, encoding, "\n" if kind in ("lines", "jsonl") else "")
            for document in _documents(path, kind, lines, settings, troubles):
                places = 0 if encoding.fits else f"{document.text}{document.label}".count(REPLACEMENT)
                yield replace(document, defects=(undecodable(places, encoding.name),)) if places else document
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: {error}") from error


def read_lines(stream: BinaryIO, settings: Settings) -> Iterator[Document]:
    """The lines of a stream that can be read only once, such as standard input; each is decoded by itself."""
    for number, line in enumerate(stream, 1):
        content = decoded(line, settings.encoding)
        yield replace(_line(number, content.text), defects=content.defects)


def open_bytes(path: Path | str, buffering: int = -1) -> BinaryIO:
    """The bytes of a file, unpacked where its name ends in .gz; buffering as open() has it, for what is read whole."""
    packed = str(path).lower().endswith(".gz")
    return cast("BinaryIO", gzip.open(path) if packed else open(path, "rb", buffering))  # noqa: PTH123


def _documents(
    path: Path, kind: str, lines: Iterable[str], settings: Settings, troubles: Troubles
) -> Iterator[Document]:
    if kind == "lines":
        found = _line_documents(lines, settings)
    elif kind == "jsonl":
        found = _json_documents(lines, settings)
    else:
        found = _csv_documents(path, lines, "\t" if kind == "tsv" else ",", settings)
    for number, document in found:
        if isinstance(document, str):
            troubles.bad(f"{path}, line {number}", document)
        else:
            yield document


def _line_documents(lines: Iterable[str], settings: Settings) -> Iterator[Found]:
    for number, line in enumerate(lines, 1):
        document = _line(number, line)
        if not settings.labelled:
            yield number, document
        elif document.label is None:
            if line.strip():  # a blank line of a labelled file is no record
                yield number, f"no {LABEL_PREFIX}x at its beginning"
        elif document.text.startswith(LABEL_PREFIX):
            yield number, "more than one label"
        else:
            yield number, document if document.text else f"no text after {LABEL_PREFIX}{document.label}"


def _line(number: int, line: str) -> Document:
    """A line as a document; fastText's ``__label__x `` at its beginning is its label."""
    text = line.removesuffix("\n").removesuffix("\r")
    labelled = _LABELLED.fullmatch(text)
    return Document(labelled[2] or "", labelled[1], str(number)) if labelled else Document(text, None, str(number))


def _csv_documents(path: Path, lines: Iterable[str], delimiter: str, settings: Settings) -> Iterator[Found]:
    records = csv_records(path, lines, delimiter)
    header = [cell.strip() for cell in next((cells for _, cells in records if cells), [])]
    if not header:
        return
    columns = _columns(header, settings)
    if isinstance(columns, str):
        raise InputError(f"{path} {columns}")
    for number, found in records:
        cells = found or [""] * (len(header) == 1)
        if not cells:
            continue  # a blank line is no record, where a record has several cells
        if len(cells) != len(header):
            yield number, f"{len(cells)} cells where the header has {len(header)}"
        else:
            yield number, _document(number, dict(zip(header, cells, strict=True)), columns, settings)


def csv_records(path: Path, lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each record of a CSV or TSV file, after the number of the line it ends on; none of a blank line."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    plain = delimiter == "\t"  # tabs cannot stand in a cell, so quotation marks are only what they are
    reader = csv.reader(lines, delimiter=delimiter, strict=True, quoting=csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL)
    try:
        for cells in reader:
            yield reader.line_num, list(map(_unquoted, cells)) if plain else cells
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}; is a quotation mark left open?") from error


def _unquoted(cell: str) -> str:
    """A cell of a TSV file; programs that write CSV put quotation marks round some."""
    return cell[1:-1].replace('""', '"') if _QUOTED.fullmatch(cell) else cell


def _json_documents(lines: Iterable[str], settings: Settings) -> Iterator[Found]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, f"not JSON ({error})"
            continue
        columns = _columns(list(record), settings) if isinstance(record, dict) else "not a JSON object"
        yield number, columns if isinstance(columns, str) else _document(number, record, columns, settings)


def _columns(names: Sequence[str], settings: Settings) -> tuple[str, str] | str:
    """The names of the text and label columns, or what is wrong with them."""
    text = _column(names, settings.text, TEXT_COLUMNS)
    label = _column(names, settings.label, LABEL_COLUMNS) if settings.labelled else text
    shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    for what, given, found in (("text", settings.text, text), ("label", settings.label, label)):
        if found is None:
            wanted = f"no column {given!r}" if given else f"no column that looks like the {what}"
            return f"has {wanted}; its columns: {shown}; name it with --{what} or {what}="
        if names.count(found) > 1:
            return f"has the column {found!r} twice"
    return cast("tuple[str, str]", (text, label))


def _column(names: Sequence[str], given: str | None, guesses: Sequence[str]) -> str | None:
    """The column as it is given, or the first common one; the case of letters matters only where it must."""
    if given is not None and given in names:
        return given
    folded = {name.casefold(): name for name in reversed(names)}
    return next((folded[guess] for guess in ([given.casefold()] if given else guesses) if guess in folded), None)


def _document(number: int, record: Mapping[str, Any], columns: tuple[str, str], settings: Settings) -> Document | str:
    text, label = record[columns[0]], None
    if not isinstance(text, str):
        return f"no text in {columns[0]!r}"
    if settings.labelled:
        label = _label(record[columns[1]])
        if label is None:
            return f"no label in {columns[1]!r}"
        if not text:
            return f"no text in {columns[0]!r}"
    names = {name.casefold(): name for name in reversed(list(record))}
    given = next((record[names[column]] for column in ID_COLUMNS if column in names), None)
    return Document(text, label, _label(given) or str(number), group=_label(record.get("group")))


def _label(value: object) -> str | None:
    """A label as a string, numbers as they are written; nothing for a blank cell, null or what is no label."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    label = str(value) if isinstance(value, (str, int, float)) else ""
    return label if label.strip() and not _HALF.search(label) else None
