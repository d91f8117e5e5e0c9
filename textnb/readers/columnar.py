"""Documents of Parquet and Arrow files (Feather too), one per row.

Columns are found by name, as in other tables. A group of rows that cannot be read is one error that names it, or its
rows are skipped and counted. ``parts_of`` cuts a file into runs of groups that can be read independently.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from textnb.address import Location
from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.arrow_files import (
    GROUP_NAMES,
    ArrowRow,
    ArrowRows,
    ColumnarFile,
    Group,
    first_line,
    open_columnar,
    reading,
)
from textnb.readers.decoding import REPLACEMENT, undecodable
from textnb.readers.records import UsedColumns, find_columns, record_document, unique_names
from textnb.readers.settings import Settings, Troubles

if TYPE_CHECKING:
    import pyarrow as pa

PART_ROWS, PART_BYTES = 10_000, 1 << 25
"""A part ends with the group that reaches one of these; the bytes are known for Parquet."""

_NO_TEXT_TYPE = (
    "{path}: the values of column {column!r} are {type}, not text; name another with --text or text=, or convert it"
)
_NO_LABEL_TYPE = (
    "{path}: the values of column {column!r} are {type}; name another with --{what} or {what}=, or convert it to text"
)


class Part(NamedTuple):
    """Run of groups of a file: numbers of the first group and of the one after the last, and rows before and in all."""

    start: int
    stop: int
    first_row: int
    n_rows_of_file: int


def read_columnar(
    path: Location, kind: str, settings: Settings, troubles: Troubles, part: Part | None
) -> Iterator[Document]:
    """Read the documents of a parquet or arrow file, or of a part of it, one per row.

    The id of a document is its cell in the id column, or else the number of its row from 1.
    """
    with reading(path, kind):
        file = open_columnar(path, kind)
        names = unique_names(file.schema.names)
    used = find_columns(file.schema.names, settings)
    if isinstance(used, str):
        raise InputError("{path}: {why}", path=path, why=used)
    types = dict(zip(names, file.schema.types, strict=True))
    for name in used.text:
        _check_holds_text(path, name, types[name])
    if used.label is not None and not _is_plain(types[used.label]):
        raise InputError(_NO_LABEL_TYPE, path=path, column=used.label, type=str(types[used.label]), what="label")
    if used.id is not None and not _is_plain(types[used.id]):
        if settings.id is not None:
            raise InputError(_NO_LABEL_TYPE, path=path, column=used.id, type=str(types[used.id]), what="id")
        used = used._replace(id=None)
    if part is not None:
        troubles.total = part.n_rows_of_file
    columns = None
    if not settings.whole_records:
        names = [name for name in names if name in (*used.text, used.label, used.id, "group")]
        columns = [j for j, name in enumerate(unique_names(file.schema.names)) if name in names]
    read = _Reading(path, kind, file, columns, {name: j for j, name in enumerate(names)})
    for first, rows in read.rows(part, troubles):
        yield from _documents(path, first, rows, used, settings, troubles)


def _documents(
    path: Location, first: int, rows: ArrowRows, used: UsedColumns, settings: Settings, troubles: Troubles
) -> Iterator[Document]:
    """Yield the documents of a batch, before which there are so many rows."""
    for name in (*used.text, used.label):
        if name is not None:
            rows.column(name)  # tells whether there is damage
    for j in range(rows.batch.num_rows):
        record: Mapping[str, object] = ArrowRow(rows, j)
        record = record if settings.whole_records else dict(record)
        document = record_document(first + j + 1, record, used, settings)
        if isinstance(document, str):
            troubles.reject(f"{path}, row {first + j + 1}", document)
            continue
        places = f"{document.text}{document.label}".count(REPLACEMENT) if rows.is_damaged else 0
        yield replace(document, defects=(undecodable(places, "utf-8"),)) if places else document


class _Reading(NamedTuple):
    """How a file is read: the numbers of the columns to read, None for all, and the places of their names."""

    path: Location
    kind: str
    file: ColumnarFile
    columns: Sequence[int] | None
    places: Mapping[str, int]

    def rows(self, part: Part | None, troubles: Troubles) -> Iterator[tuple[int, ArrowRows]]:
        """Yield the rows in batches, each with the number of rows before it; a bad group is an error or is counted."""
        with reading(self.path, self.kind):
            for group in self.file.groups():
                if part is None or part.start <= group.number < part.stop:
                    yield from self._rows_of(group, troubles)

    def _rows_of(self, group: Group, troubles: Troubles) -> Iterator[tuple[int, ArrowRows]]:
        import pyarrow as pa

        done = 0
        try:
            for batch in self.file.batches(group, self.columns):
                yield group.first_row + done, ArrowRows(batch, self.places)
                done += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            first, last = group.first_row + done + 1, group.first_row + group.n_rows
            where = f"{self.path}, {GROUP_NAMES[self.kind]} {group.number}, rows {first} to {last}"
            troubles.reject(where, f"cannot be read ({first_line(error)})", last - first + 1)


def _check_holds_text(path: Location, name: str, kind: "pa.DataType") -> None:
    """Refuse a text column whose type holds no text."""
    from pyarrow import types

    value = _value_type(kind)
    if not any(
        is_text(value) for is_text in (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    ):
        raise InputError(_NO_TEXT_TYPE, path=path, column=name, type=str(kind))


def _is_plain(kind: "pa.DataType") -> bool:
    """Whether each value of a type is one text, number, truth value, date or time, which may be a label or an id."""
    from pyarrow import types

    value = _value_type(kind)
    return not (types.is_nested(value) or _is_bytes(value) or types.is_interval(value))


def _is_bytes(kind: "pa.DataType") -> bool:
    from pyarrow import types

    tests = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_binary_view)
    return any(is_bytes(kind) for is_bytes in tests)


def _value_type(kind: "pa.DataType") -> "pa.DataType":
    """Type of the values of a dictionary or of an extension type."""
    from pyarrow import types

    value = kind.value_type if types.is_dictionary(kind) else kind
    return getattr(value, "storage_type", value)


def schema_of(path: Location, kind: str) -> "pa.Schema":
    """Names and types of the columns of a parquet or arrow file."""
    with reading(path, kind):
        return open_columnar(path, kind).schema


def columnar_names(path: Location, kind: str) -> list[str]:
    """Names of the columns of a parquet or arrow file."""
    return unique_names(schema_of(path, kind).names)


def n_rows_of(path: Location, kind: str) -> int | None:
    """Number of rows of a parquet file; None for an arrow file, which does not say it."""
    with reading(path, kind):
        return open_columnar(path, kind).n_rows


def parts_of(path: Location, kind: str) -> list[Part]:
    """Runs of groups of a parquet or arrow file that can be read independently, in their order."""
    with reading(path, kind):
        file = open_columnar(path, kind)
        groups = list(file.groups()) if file.is_indexed else []
    n_rows = sum(group.n_rows for group in groups)
    runs: list[list[Group]] = []
    for group in groups:
        if not runs or _is_full(runs[-1]):
            runs.append([])
        runs[-1].append(group)
    return [Part(run[0].number, run[-1].number + 1, run[0].first_row, n_rows) for run in runs]


def _is_full(run: list[Group]) -> bool:
    return sum(each.n_rows for each in run) >= PART_ROWS or sum(each.n_bytes for each in run) >= PART_BYTES
