"""Files of Parquet and Arrow (Feather too), opened by pyarrow (extra ``parquet``): groups, batches and rows.

    file -> groups (row groups of Parquet, record batches of Arrow) -> batches of rows -> cells

A group is what can be read independently. No more than one is in memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from textnb.address import Address, Location
from textnb.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

EXTRA = "{path}: Parquet and Arrow files need another package; run: pip install 'textnb[parquet]'"
GROUP_NAMES = {"parquet": "row group", "arrow": "record batch"}
"""What a group is called, by the kind of the file."""

_KINDS = {"parquet": "Parquet", "arrow": "Arrow"}
_NOT_READABLE = "{path} cannot be read as {kind}: {why}"
_OLD_FEATHER = "it is Feather version 1; write it again with pandas or pyarrow"
_ARROW_FILE, _FEATHER_1 = b"ARROW1", b"FEA1"
_BATCH_BYTES, _MAX_BATCH_ROWS = 1 << 24, 8192  # of what becomes Python objects at a time
_READ_BYTES = 1 << 20  # of a column of a row group at a time


class Group(NamedTuple):
    """One group: its number from 0, the number of rows before it, its rows, and its bytes if the file says it."""

    number: int
    first_row: int
    n_rows: int
    n_bytes: int = 0


class ArrowRows:
    """Rows of a batch: their cells by column as Python's own values, converted when a column is asked for."""

    def __init__(self, batch: "pa.RecordBatch", places: Mapping[str, int]) -> None:
        self.batch, self.places = batch, places
        self.is_damaged = False  # whether a text in it was not UTF-8
        self._cells: dict[str, list[Any]] = {}

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column."""
        if name not in self._cells:
            self._cells[name] = self._plain(self.batch.column(self.places[name]))
        return self._cells[name]

    def _plain(self, array: "pa.Array") -> list[Any]:
        import pyarrow as pa

        if isinstance(array, pa.DictionaryArray):
            array = array.dictionary_decode()
        try:
            cells = array.to_pylist()
            if pa.types.is_float32(array.type) or pa.types.is_float16(array.type):
                cells = [None if cell is None else _short(cell, array.type) for cell in cells]
            return cast("list[Any]", cells)
        except UnicodeDecodeError:
            self.is_damaged = True
            cells = array.cast(pa.large_binary()).to_pylist()
            return [None if cell is None else cell.decode("utf-8", "replace") for cell in cells]
        except ValueError:  # dates and times that Python's own cannot hold
            return cast("list[Any]", array.cast(pa.large_string()).to_pylist())


def _short(number: float, kind: "pa.DataType") -> float:
    """Shortest number that is equal in a type of few bits: 0.1, not 0.10000000149011612."""
    return float(str(kind.to_pandas_dtype()(number)))


class ArrowRow(Mapping[str, object]):
    """Record of a Parquet or Arrow file: the cells of one row of a batch by column.

    It is pickled as a plain dictionary, without its batch.
    """

    __slots__ = ("number", "rows")

    def __init__(self, rows: ArrowRows, number: int) -> None:
        self.rows, self.number = rows, number

    def __getitem__(self, name: str) -> object:
        return self.rows.column(name)[self.number]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows.places)

    def __len__(self) -> int:
        return len(self.rows.places)

    def __reduce__(self) -> tuple[type, tuple[dict[str, object]]]:
        return dict, (dict(self),)


class ColumnarFile:
    """Open file: its schema, the number of its rows if it says it, its groups, and the batches of each."""

    schema: "pa.Schema"
    n_rows: int | None = None
    is_indexed = True
    """Whether a group can be read without those before it."""

    def groups(self) -> Iterator[Group]:
        """Yield the groups in order."""
        raise NotImplementedError

    def batches(self, group: Group, columns: Sequence[int] | None) -> Iterator["pa.RecordBatch"]:
        """Read the rows of a group in batches, of the columns with these numbers, None for all."""
        raise NotImplementedError


class _ParquetFile(ColumnarFile):
    def __init__(self, path: Location) -> None:
        from pyarrow import parquet

        is_far = isinstance(path, Address)  # there, few long reads are better than many short ones
        self.file = parquet.ParquetFile(
            _opened(path),
            buffer_size=0 if is_far else _READ_BYTES,
            pre_buffer=is_far,
            page_checksum_verification=True,
        )
        self.schema = self.file.schema_arrow
        self.n_rows = self.file.metadata.num_rows

    def groups(self) -> Iterator[Group]:
        first, metadata = 0, self.file.metadata
        for number in range(metadata.num_row_groups):
            found = metadata.row_group(number)
            yield Group(number, first, found.num_rows, found.total_byte_size)
            first += found.num_rows

    def batches(self, group: Group, columns: Sequence[int] | None) -> Iterator["pa.RecordBatch"]:
        names = self.schema.names
        is_unique = columns is not None and len(set(names)) == len(names)
        chosen = [names[j] for j in columns or ()] if is_unique else None
        size = _batch_rows(group.n_rows, group.n_bytes)
        found = self.file.iter_batches(size, row_groups=[group.number], columns=chosen, use_threads=False)
        return found if is_unique else map(partial(_selected, columns=columns), found)


class _ArrowFile(ColumnarFile):
    """File of Arrow, which is Feather version 2: record batches with an index."""

    def __init__(self, path: Location) -> None:
        import pyarrow as pa

        self.path, self.file = path, pa.ipc.open_file(_opened(path))
        self.schema = self.file.schema

    def groups(self) -> Iterator[Group]:
        first = 0
        for number, n_rows in enumerate(self._sizes()):
            yield Group(number, first, n_rows)
            first += n_rows

    def _sizes(self) -> list[int]:
        """Number of rows of each record batch, for which one column of it is read: the index does not have it."""
        import pyarrow as pa

        plain = (j for j, field in enumerate(self.schema) if pa.types.is_primitive(field.type))
        options = pa.ipc.IpcReadOptions(included_fields=[next(plain, 0)] if len(self.schema) else None)
        sizes: list[int | None] = []
        with pa.ipc.open_file(_opened(self.path), options=options) as file:
            for number in range(file.num_record_batches):
                try:
                    sizes.append(file.get_batch(number).num_rows)
                except (pa.ArrowException, OSError):
                    if None in sizes or not hasattr(file, "count_rows"):  # not every pyarrow has it
                        raise
                    sizes.append(None)
            known = sum(size or 0 for size in sizes)
            return [file.count_rows() - known if size is None else size for size in sizes]

    def batches(self, group: Group, columns: Sequence[int] | None) -> Iterator["pa.RecordBatch"]:
        return _slices(_selected(self.file.get_batch(group.number), columns))


class _ArrowStream(ColumnarFile):
    """Stream of Arrow, as Hugging Face's datasets keep it: record batches without an index."""

    is_indexed = False

    def __init__(self, path: Location) -> None:
        import pyarrow as pa

        self.file = pa.ipc.open_stream(_opened(path))
        self.schema = self.file.schema

    def groups(self) -> Iterator[Group]:
        first = 0
        for number, batch in enumerate(self.file):
            self.batch = batch
            yield Group(number, first, batch.num_rows)
            first += batch.num_rows

    def batches(self, _: Group, columns: Sequence[int] | None) -> Iterator["pa.RecordBatch"]:
        return _slices(_selected(self.batch, columns))


def _slices(batch: "pa.RecordBatch") -> Iterator["pa.RecordBatch"]:
    """Yield a batch in smaller ones, after a check that its offsets and texts are valid."""
    batch.validate(full=True)
    size = _batch_rows(batch.num_rows, batch.nbytes)
    return (batch.slice(start, size) for start in range(0, batch.num_rows, size))


def _selected(batch: "pa.RecordBatch", columns: Sequence[int] | None) -> "pa.RecordBatch":
    return batch if columns is None else batch.select(list(columns))


def _batch_rows(n_rows: int, n_bytes: int) -> int:
    """Number of rows to convert at a time."""
    return min(max(_BATCH_BYTES * n_rows // max(n_bytes, 1), 1), _MAX_BATCH_ROWS)


@contextmanager
def reading(path: Location, kind: str) -> Iterator[None]:
    """Raise what pyarrow finds wrong with a file, or that it is absent, as an error of one line."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise InputError(EXTRA, path=path) from error
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(_NOT_READABLE, path=path, kind=_KINDS[kind], why=first_line(error)) from error


def open_columnar(path: Location, kind: str) -> ColumnarFile:
    """Open a parquet or arrow file; to be called in a block of ``reading``."""
    if kind == "parquet":
        return _ParquetFile(path)
    with _opened(path) as stream:
        start = stream.read(len(_ARROW_FILE))
    if start.startswith(_FEATHER_1):
        raise InputError(_NOT_READABLE, path=path, kind=_KINDS[kind], why=_OLD_FEATHER)
    return _ArrowFile(path) if start == _ARROW_FILE else _ArrowStream(path)


def _opened(path: Location) -> "pa.NativeFile":
    import pyarrow as pa

    return pa.PythonFile(path.open(), "r") if isinstance(path, Address) else pa.OSFile(str(path))


def first_line(error: BaseException) -> str:
    """First line of a message of pyarrow."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
