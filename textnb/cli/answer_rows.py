"""Rows of answers: on standard output, in a table with all columns of the inputs, or in one table per input."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from textnb.address import Location
from textnb.cli.input_sources import InputSource
from textnb.cli.options.output import Writing
from textnb.cli.terminal import Format, OutputRows
from textnb.files.parquet_table import kept_schema, parquet_rows
from textnb.files.table_file import added_names, new_file, table_format, table_writer
from textnb.readers import Document
from textnb.readers.corpus import TABLES
from textnb.readers.mailboxes import MAIL_COLUMNS

WriteAnswer = Callable[[str, list[Any]], None]
"""Function that writes the answer to the next document: its id, and the cells of the answer."""

Kept = tuple[str, Mapping[str, Any]]
"""Name of the input that a document comes from, and the cells of its record."""


def noted(source: InputSource, read: deque[Kept], keep: bool) -> Iterator[Document]:
    """Yield the documents of an input, and append to `read` what a row has of each: cells only if they are kept."""
    for document in source.documents():
        read.append((source.name, document.columns if keep or source.kind == "mail" else {}))
        yield document


def _type_of(name: str) -> type:
    """Type of a column of an answer."""
    if name == "known_terms":
        return int
    return float if name.startswith(("probability", "p(")) else str


@contextmanager
def printed_rows(
    form: Format, digits: int, answer: Sequence[str], sources: Sequence[InputSource], read: deque[Kept]
) -> Iterator[WriteAnswer]:
    """Give a function that prints answers, with date, sender and subject of mails and, of several inputs, the input."""
    several = len(sources) > 1
    shown = MAIL_COLUMNS if any(source.kind == "mail" for source in sources) else ()
    rows = OutputRows(["id", *answer, *shown, *(["file"] if several else [])], form, digits)

    def write(name: str, cells: list[Any]) -> None:
        file, record = read.popleft()
        rows.row([name, *cells, *(record.get(column, "") for column in shown), *([file] if several else [])])

    yield write


@contextmanager
def stored_rows(
    output: Location, writing: Writing, answer: Sequence[str], sources: Sequence[InputSource], read: deque[Kept]
) -> Iterator[WriteAnswer]:
    """Give a function that writes answers to a table with all columns of the inputs.

    The first column is the id, unless all inputs are tables; the last is the input, if there are several.
    """
    several = len(sources) > 1
    columns_of = [source.columns() for source in sources]
    kept = list(dict.fromkeys(column for columns in columns_of for column in columns))
    ids = [] if all(source.kind in TABLES for source in sources) else added_names(kept, ["id"])
    last = ["file"] if several else []
    added = added_names([*ids, *kept], [*answer, *last])
    with _open_table(output, writing, sources, columns_of, (ids, kept, added), [*answer, *last]) as write_row:

        def write(name: str, cells: list[Any]) -> None:
            file, record = read.popleft()
            write_row([name] if ids else [], record, [*cells, *([file] if several else [])])

        yield write


_WriteRecord = Callable[[Sequence[str], Mapping[str, Any], Sequence[Any]], None]
"""Function that writes a row: the id, if there is such a column, the record and the cells of the answer."""


@contextmanager
def _open_table(
    output: Location,
    writing: Writing,
    sources: Sequence[InputSource],
    columns_of: Sequence[Sequence[str]],
    columns: tuple[list[str], list[str], list[str]],
    answer: Sequence[str],
) -> Iterator[_WriteRecord]:
    ids, kept, added = columns
    if table_format(output) != "parquet":
        with table_writer(output, [*ids, *kept, *added], writing.style) as write:
            yield lambda name, record, cells: write([*name, *map(record.get, kept)], cells)
        return
    schemas = [source.schema() for source in sources]
    schema = kept_schema([*ids, *kept], list(zip(columns_of, schemas, strict=True)))
    types = {name: _type_of(column) for name, column in zip(added, answer, strict=True)}
    with new_file(output) as stream, parquet_rows(stream, schema, types) as table:
        yield lambda name, record, cells: table.write({ids[0]: name[0], **record} if ids else record, cells)
