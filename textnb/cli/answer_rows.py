"""Rows of answers: on standard output, in a table with all columns of the inputs, or in one table per input."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from textnb.address import Location
from textnb.classifier.answer_cells import column_type
from textnb.cli.input_sources import InputSource
from textnb.cli.options.output import Writing
from textnb.cli.terminal import Format, OutputRows
from textnb.files.table_file import record_writer
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
    added = {name: column_type(name) for name in answer}
    last = {"file": str} if len(sources) > 1 else {}
    has_ids = not all(source.kind in TABLES for source in sources)
    with record_writer(output, sources, added | last, writing.style, has_ids=has_ids) as write_row:

        def write(name: str, cells: list[Any]) -> None:
            file, record = read.popleft()
            write_row(name, record, [*cells, *([file] if last else [])])

        yield write
