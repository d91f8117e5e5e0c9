"""Results as Parquet: the cells that were read, in the types of the input, and those that were computed.

Rows are gathered and written as row groups, so that no more than one is in memory. Cells of Parquet and Arrow files are
copied as they are, without Python's own values between; cells of other tables are text.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import groupby
from typing import IO, TYPE_CHECKING, Any

from textnb.errors import InputError
from textnb.files.cells import plain_text
from textnb.readers.arrow_files import EXTRA, ArrowRow
from textnb.readers.texts import is_missing

if TYPE_CHECKING:
    import pyarrow as pa

ROWS, BYTES = 1 << 16, 1 << 26
"""Rows, or bytes of them, that a row group ends with."""

_CONFLICT = "column {column!r} is {types} in different inputs; write one file per input (--output-dir), or .csv"


class ParquetTable:
    """Open table, to which records are written one by one.

    Parameters
    ----------
    stream : file object
        Where it is written.
    kept : pyarrow.Schema
        Columns that are taken from the records.
    added : Mapping[str, type]
        Names and types (str, int or float) of the computed columns.
    """

    def __init__(self, stream: IO[bytes], kept: "pa.Schema", added: Mapping[str, type]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        kinds = {str: pa.string(), int: pa.int64(), float: pa.float64()}
        self._kept, self._added = kept, [pa.field(name, kinds[kind]) for name, kind in added.items()]
        self._schema = pa.schema([*kept, *self._added], kept.metadata)
        self._writer = parquet.ParquetWriter(stream, self._schema)
        self._rows: list[tuple[Mapping[str, Any], Sequence[Any]]] = []
        self._n_bytes = 0
        self._batch: Any = None  # of the last row

    def write(self, record: Mapping[str, Any], added: Sequence[Any]) -> None:
        """Write a row: the record that was read, and the computed cells."""
        self._rows.append((record, added))
        if not isinstance(record, ArrowRow):
            self._n_bytes += sum(len(cell) for cell in record.values() if isinstance(cell, str))
        elif record.rows is not self._batch:
            self._batch = record.rows
            self._n_bytes += record.rows.batch.nbytes
        if len(self._rows) >= ROWS or self._n_bytes >= BYTES:
            self._write_group()

    def write_rest(self) -> None:
        """Write the rows that are left."""
        if self._rows:
            self._write_group()

    def close(self) -> None:
        """Write the end of the file, without rows that are left."""
        self._writer.close()

    def _write_group(self) -> None:
        import pyarrow as pa

        runs = [[record for record, _ in run] for _, run in groupby(self._rows, lambda row: _batch_of(row[0]))]
        kept = pa.Table.from_batches([self._batch_of_run(run) for run in runs], self._kept)
        columns = zip(*(added for _, added in self._rows), strict=True)
        added = [pa.array(cells, field.type) for cells, field in zip(columns, self._added, strict=True)]
        table = pa.Table.from_arrays([*kept.columns, *added], schema=self._schema)
        self._writer.write_table(table, row_group_size=len(self._rows))
        self._rows.clear()
        self._n_bytes, self._batch = 0, None

    def _batch_of_run(self, run: Sequence[Mapping[str, Any]]) -> "pa.RecordBatch":
        """Kept columns of records that come from one batch, or from none."""
        import pyarrow as pa

        first = run[0]
        if not isinstance(first, ArrowRow):
            arrays = [_array([record.get(field.name) for record in run], field.type) for field in self._kept]
        else:
            numbers = [record.number for record in run if isinstance(record, ArrowRow)]
            batch, places = first.rows.batch, first.rows.places
            whole = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            batch = batch.slice(numbers[0], len(numbers)) if whole else batch.take(pa.array(numbers))
            arrays = [
                _cast(batch.column(places[field.name]), field)
                if field.name in places
                else pa.nulls(len(run), field.type)
                for field in self._kept
            ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._kept.remove_metadata())


def _batch_of(record: Mapping[str, Any]) -> int:
    return id(record.rows) if isinstance(record, ArrowRow) else 0


def _array(cells: list[Any], kind: "pa.DataType") -> "pa.Array":
    import pyarrow as pa

    if pa.types.is_string(kind):
        cells = [None if is_missing(cell) else plain_text(cell).encode("utf-8", "replace").decode() for cell in cells]
    return pa.array(cells, kind, from_pandas=True)


def _cast(array: "pa.Array", field: "pa.Field") -> "pa.Array":
    return array if array.type == field.type else array.cast(field.type)


def kept_schema(names: Sequence[str], inputs: Sequence[tuple[Sequence[str], "pa.Schema | None"]]) -> "pa.Schema":
    """Return the schema of the columns that are kept of several inputs.

    Parameters
    ----------
    names : sequence of str
        The columns.
    inputs : sequence of pairs
        Names of the columns of each input, and its schema; None for an input whose cells are text.
    """
    pa = _pyarrow()
    fields = []
    for name in names:
        found = [pa.field(name, pa.string()) if schema is None else schema.field(columns.index(name)).with_name(name)
                 for columns, schema in inputs if name in columns]  # fmt: skip
        fields.append(_common(name, found or [pa.field(name, pa.string())]))
    metadata = (inputs[0][1].metadata or {}) if len(inputs) == 1 and inputs[0][1] is not None else {}
    return pa.schema(fields, {key: value for key, value in metadata.items() if key == b"pandas"} or None)


def text_schema(names: Sequence[str]) -> "pa.Schema":
    """Return the schema of columns of text."""
    pa = _pyarrow()
    return pa.schema([pa.field(name, pa.string()) for name in names])


def _pyarrow() -> Any:
    try:
        return import_module("pyarrow")
    except ImportError as error:
        raise InputError(EXTRA, path="the .parquet file") from error


def _common(name: str, found: Sequence["pa.Field"]) -> "pa.Field":
    """Field that holds the values of all fields of a name; text if one of them is text."""
    import pyarrow as pa

    kinds = list(dict.fromkeys(each.type for each in found))
    if len(kinds) == 1:
        return found[0].with_nullable(True).with_type(_writable(kinds[0]))
    plain = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in kinds]
    if any(pa.types.is_string(kind) or pa.types.is_large_string(kind) for kind in plain):
        return pa.field(name, pa.string())
    try:
        schemas = [pa.schema([pa.field(name, kind)]) for kind in plain]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0)
    except pa.ArrowException as error:
        raise InputError(_CONFLICT, column=name, types=" and ".join(map(str, kinds))) from error


def _writable(kind: "pa.DataType") -> "pa.DataType":
    """Type of a column in the file; Parquet has no views."""
    import pyarrow as pa

    return {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}.get(kind, kind)


@contextmanager
def parquet_rows(stream: IO[bytes], kept: "pa.Schema", added: Mapping[str, type]) -> Iterator[ParquetTable]:
    """Give a table to write records to; the file is complete when the block ends."""
    table = ParquetTable(stream, kept, added)
    try:
        yield table
        table.write_rest()
    finally:
        table.close()
