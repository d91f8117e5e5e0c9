"""Tables: CSV, TSV and JSON lines files, plain or compressed, and .xlsx, one document per record; and plain lines.

Quotation marks around a cell of a CSV file must be right, or the file is refused. TSV files come with and without them,
so there a cell is quoted only if all of this holds; otherwise its quotation marks are a part of the text:

    1. it begins with a quotation mark, and ends with one before a tab, a line end or the end of the file
    2. between these, quotation marks are doubled
    3. read without quoting, at most one of its lines has as many cells as the first record; if it is one line with tabs
       in it, that line has not
"""

import csv
import io
import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

from textnb.address import Address, Location
from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.binary import START_BYTES, check_text
from textnb.readers.compression import open_bytes
from textnb.readers.decoding import (
    MAX_LINE_LENGTH,
    REPLACEMENT,
    Encoding,
    decoded_each,
    decoded_lines,
    encoding_of,
    pieces_of,
    undecodable,
)
from textnb.readers.position import note_stream
from textnb.readers.records import find_columns, record_document, unique_names
from textnb.readers.settings import Settings, Troubles
from textnb.readers.streamed import Pipe, StreamedLines, StreamedText
from textnb.readers.workbook import cell_text, sheet_rows

LABEL_PREFIX = "__label__"
_LABELLED_LINE = re.compile(rf"{LABEL_PREFIX}(\S+)(?:\s(.*))?", re.DOTALL)
_CELL = re.compile(r'"((?:[^"]++|"")*+)"(?=\t|\Z)|[^\t]*+')
_CELL_WITHOUT_TABS = re.compile(r'"((?:[^"\t]++|"")*+)"(?=\t|\Z)|[^\t]*+')
_OPEN_CELL = re.compile(r'"(?:[^"]++|"")*+\Z')
_LINE_OF_CELL = re.compile(r'(?:[^"]++|"")*+')
_CLOSING = re.compile(r'"(?=\t|\r?\n?\Z)')
_LINE_ENDS = ("\n", "\r\n", "\r")
_MAX_CELL_LENGTH = 2**31 - 1  # the largest limit that the csv module accepts on every platform

_BUFFER = 1 << 20  # bytes read at once: every reading lets other threads take the lock of the interpreter

Decided = Encoding | StreamedText | StreamedLines
"""Encoding of a file, or what is known of that of a stream so far."""
Found = tuple[str, Document | str]
"""The document of a record; or where a bad record ends, such as ``line 3``, and the reason why it is bad."""
Row = tuple[int, Sequence[Any]]
"""Number of the last line of a record, or of its row, and its cells."""


def read_records(path: Location | Pipe, kind: str, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    """Read the documents of a csv, tsv, jsonl, xlsx or lines file, in the order of the file.

    The id of a document is its cell in the id column, or else the number of its record.
    """
    if kind == "xlsx":
        assert not isinstance(path, Pipe)
        yield from _accepted(path, _sheet_documents(path, settings), troubles)
        return
    with open_lines(path, settings.encoding, "\n" if kind in ("lines", "jsonl") else "", kind) as (encoding, lines):
        documents = _accepted(path, _documents(path, kind, lines, settings), troubles)
        fits = isinstance(encoding, Encoding) and encoding.fits
        yield from documents if fits else _noting_gaps(documents, encoding)


def _noting_gaps(documents: Iterable[Document], encoding: Decided) -> Iterator[Document]:
    """Yield documents, with a defect if something in them could not be decoded."""
    for document in documents:
        places = 0 if encoding.fits else f"{document.text}{document.label}".count(REPLACEMENT)
        yield replace(document, defects=(undecodable(places, encoding.name),)) if places else document


def column_names(path: Location | Pipe, kind: str, settings: Settings) -> list[str]:
    """Names of the columns of a csv, tsv or xlsx file, or of the keys in all records of a jsonl file."""
    if kind == "xlsx":
        assert not isinstance(path, Pipe)
        return unique_names(next((cells for _, cells in sheet_rows(path, settings.sheet)), []))
    if kind == "jsonl" and isinstance(path, Pipe):
        template = "{path}: only the end of JSON lines shows all columns; copy it to a file to write a table"
        raise InputError(template, path=path)
    with open_lines(path, settings.encoding, "\n" if kind == "jsonl" else "", kind, look=True) as (_, lines):
        if kind == "jsonl":
            found = (record for _, record in _json_records(lines) if isinstance(record, dict))
            return list(dict.fromkeys(key for record in found for key in record))
        return unique_names(next((cells for _, cells in csv_records(path, lines, _delimiter(kind)) if cells), []))


def read_lines(stream: BinaryIO, settings: Settings, source: str = "standard input") -> Iterator[Document]:
    r"""Read each line of a stream as a document; each line is decoded by itself (UTF-16 and UTF-32 hold for all).

    Parameters
    ----------
    stream : BinaryIO
        Stream of bytes, such as standard input.
    settings : Settings
        Only ``encoding`` is used.
    source : str, default="standard input"
        Name of the stream in error messages.

    Returns
    -------
    Iterator[Document]
        One document per line; its id is the number of the line.

    Examples
    --------
    >>> import io
    >>> [document.text for document in read_lines(io.BytesIO(b"one\ntwo\n"), Settings())]
    ['one', 'two']
    """
    for number, content in enumerate(decoded_each(stream, settings.encoding, source), 1):
        document = _line_document(number, content.text)
        yield replace(document, defects=content.defects) if content.defects else document


@contextmanager
def open_lines(
    path: Location | Pipe, encoding: str | None, newline: str = "", kind: str = "csv", look: bool = False
) -> Iterator[tuple[Decided, Iterable[str]]]:
    """Decide the encoding of a file and open its lines; raise InputError if it cannot be read.

    A file is read twice, a pipe or an address once; ``look`` leaves a pipe to be read.
    """
    try:
        if not isinstance(path, Path):
            with open_stream(path, look) as stream:
                if not look:
                    note_stream(stream)
                streamed = (StreamedLines if kind == "jsonl" else StreamedText)(stream, encoding, path)
                if isinstance(streamed, StreamedLines):
                    yield streamed, streamed
                else:
                    recoded = cast("BinaryIO", io.BufferedReader(streamed))
                    yield streamed, decoded_lines(recoded, Encoding("utf-8", True), newline, path)
            return
        with open_bytes(path) as stream:
            start = stream.read(START_BYTES)
            check_text(start, path)
            decided = encoding_of(chain([start], pieces_of(stream)), encoding)
        with open_bytes(path, _BUFFER) as stream:
            note_stream(stream)
            lines = decoded_lines(stream, decided, newline, path)  # named, to live as long as the stream
            yield decided, lines
    except OSError as error:
        raise InputError("{path}: {why}", path=path, why=error) from error


def open_stream(path: Address | Pipe, look: bool = False) -> BinaryIO:
    """Open what is read once, to look at its start or to read all of it."""
    if isinstance(path, Address):
        return open_bytes(path)
    return path.look() if look else path.open()


def _accepted(path: Location | Pipe, found: Iterable[Found], troubles: Troubles) -> Iterator[Document]:
    """Yield the good documents; the others are errors, or are counted."""
    for where, document in found:
        if isinstance(document, str):
            troubles.reject(f"{path}, {where}", document)
        else:
            yield document


def _documents(path: Location | Pipe, kind: str, lines: Iterable[str], settings: Settings) -> Iterator[Found]:
    if kind == "lines":
        return _line_documents(lines, settings)
    if kind == "jsonl":
        return _json_documents(lines, settings)
    return _row_documents(path, "line", csv_records(path, lines, _delimiter(kind)), settings)


def _delimiter(kind: str) -> str:
    return "\t" if kind == "tsv" else ","


def _line_documents(lines: Iterable[str], settings: Settings) -> Iterator[Found]:
    for number, line in enumerate(lines, 1):
        document, where = _line_document(number, line), f"line {number}"
        if not settings.labelled:
            yield where, document
        elif document.label is None:
            if line.strip():  # a blank line of a labelled file is no record
                yield where, f"the line does not start with {LABEL_PREFIX}x"
        elif document.text.startswith(LABEL_PREFIX):
            yield where, "more than one label"
        else:
            yield where, document if document.text else f"no text after {LABEL_PREFIX}{document.label}"


def _line_document(number: int, line: str) -> Document:
    """Document of one line; fastText's ``__label__x `` at its beginning is the label."""
    text = _without_end(line)
    labelled = _LABELLED_LINE.fullmatch(text)
    text, label = (labelled[2] or "", labelled[1]) if labelled else (text, None)
    return Document(text, label, str(number), columns={"text": text})


def _sheet_documents(path: Location, settings: Settings) -> Iterator[Found]:
    """Documents of a sheet; their columns have the cells as they are."""
    rows = list(sheet_rows(path, settings.sheet))
    texts = ((number, [cell_text(cell) for cell in cells]) for number, cells in rows)
    names, found = unique_names([str(cell) for _, cells in rows[:1] for cell in cells]), iter(rows[1:])
    for (where, read), (_, cells) in zip(_row_documents(path, "row", texts, settings), found, strict=True):
        yield where, read if isinstance(read, str) else replace(read, columns=dict(zip(names, cells, strict=True)))


def _row_documents(path: Location | Pipe, unit: str, rows: Iterable[Row], settings: Settings) -> Iterator[Found]:
    """Documents of the rows of a table, whose first row is the header; ``unit`` is what rows are numbered by."""
    rows = iter(rows)
    header = next((cells for _, cells in rows if cells), [])
    if not header:
        return
    used, names = find_columns(header, settings), unique_names(header)
    if isinstance(used, str):
        raise InputError("{path}: {why}", path=path, why=used)
    n_records = 0
    width = len(header)
    for number, found in rows:
        cells = found or [""] * (width == 1)
        if width > 1 and not any(cells):
            continue  # a blank line, or a row of empty cells, is no record where a record has several cells
        n_records += 1
        read: Document | str
        if len(cells) == width:
            read = record_document(n_records, dict(zip(names, cells)), used, settings)  # noqa: B905  # slower if strict
        else:
            read = f"{number_of_cells(cells)}, but the header has {width}"
        if type(read) is str:  # only then is it of interest where
            same = number == n_records + 1
            yield f"{unit} {number}" if same else f"{unit} {number} (record {n_records})", read
        else:
            yield "", read


def csv_records(path: Location | Pipe, lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Read the records of a CSV or TSV file: the number of the last line, and the cells; a blank line has no cells."""
    if delimiter == "\t":
        yield from _TabbedLines(lines).records()
        return
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_CELL_LENGTH))
    length = 0

    def limited() -> Iterator[str]:
        nonlocal length
        for line in lines:
            length += len(line)
            if length > MAX_LINE_LENGTH:
                raise csv.Error(f"the record has more than {MAX_LINE_LENGTH:,} characters")
            yield line

    reader = csv.reader(limited(), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
            length = 0
    except csv.Error as error:
        template = "{path}, line {line}: {why}; look for a quotation mark that is not closed"
        raise InputError(template, path=path, line=reader.line_num, why=error) from error


class _TabbedLines:
    """Lines of a TSV file; some are read ahead to find the end of a quoted cell."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = iter(lines)
        self.ahead: deque[str] = deque()
        self.number = 0  # of lines that were taken
        self.width = 0  # cells of the first record

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Read the records: the number of the last line, and the cells; a blank line has no cells."""
        while line := self._take():
            if line in _LINE_ENDS:
                yield self.number, []
                continue
            cells = self._cells(line) if '"' in line else _without_end(line).split("\t")
            self.width = self.width or len(cells)
            yield self.number, cells

    def _take(self) -> str:
        """Take the next line; empty at the end."""
        line = self.ahead.popleft() if self.ahead else next(self.lines, "")
        self.number += bool(line)
        return line

    def _cells(self, line: str) -> list[str]:
        """Cells of the record that begins with this line; the other lines of its quoted cells are taken."""
        cells: list[str] = []
        text, start = _without_end(line), 0
        pattern = usual = self._pattern(line)
        while start <= len(text):
            if _OPEN_CELL.match(text, start) and (further := self._further(line)):
                line_end = line[len(_without_end(line)) :]
                text, start, line = _without_end("".join([text[start:], line_end, *further])), 0, further[-1]
                pattern, usual = _CELL, self._pattern(line)
            cell = cast("re.Match[str]", pattern.match(text, start))
            cells.append(cell[0] if cell[1] is None else cell[1].replace('""', '"'))
            start, pattern = cell.end() + 1, usual
        return cells

    def _pattern(self, line: str) -> re.Pattern[str]:
        """Pattern of the cells that begin on a line; rule 3."""
        return _CELL_WITHOUT_TABS if self._is_whole(line) else _CELL

    def _further(self, line: str) -> list[str]:
        """Take the lines up to the one that closes a quoted cell begun on this line; none if it is not quoted."""
        further: list[str] = []
        n_whole, length = int(self._is_whole(line)), len(line)
        while more := self._take():
            further.append(more)
            n_whole, length = n_whole + self._is_whole(more), length + len(more)
            if n_whole > 1 or length > MAX_LINE_LENGTH:
                break
            end = cast("re.Match[str]", _LINE_OF_CELL.match(more)).end()
            if end < len(more) and _CLOSING.match(more, end):
                return further
            if end < len(more):
                break
        self.number -= len(further)
        self.ahead.extendleft(reversed(further))
        return []

    def _is_whole(self, line: str) -> bool:
        """Whether a line has as many cells by itself as the first record, if that is several."""
        return self.width > 1 and line.count("\t") == self.width - 1


def _without_end(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _json_documents(lines: Iterable[str], settings: Settings) -> Iterator[Found]:
    for n_records, (number, record) in enumerate(_json_records(lines), 1):
        where = f"line {number}"
        if isinstance(record, str):
            yield where, record
            continue
        used = find_columns(list(record), settings)
        yield where, used if isinstance(used, str) else record_document(n_records, record, used, settings)


def _json_records(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Number of each line that is not blank, and its object or the reason why there is none."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, f"not JSON ({error})"
            continue
        yield number, record if isinstance(record, dict) else "not a JSON object"


def number_of_cells(cells: Sequence[str]) -> str:
    """Number of cells for a message: "1 cell", "2 cells"."""
    return f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'}"
