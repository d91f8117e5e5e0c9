"""Tables as results: CSV, TSV, JSON lines, .xlsx and Parquet files, each written as a whole or not at all.

A row has cells that were read (``kept``), which stay as they are, and cells that were computed (``added``), whose
fractions have a number of decimals in CSV and TSV, and all digits in JSON lines and .xlsx. Text in .xlsx is always
text, never a formula, a link or a number, with LF as its line ends; CSV and TSV are unchanged unless ``safe_cells``
asks for an apostrophe before text that a spreadsheet program would take for a formula.

xlsxwriter (extra ``excel``) writes workbooks: it streams rows, and says of every cell which kind it is.
"""

import csv
import io
import json
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import date, datetime, time
from typing import IO, Any, NamedTuple, Protocol

from textnb.address import Address, Location, uploaded
from textnb.errors import InputError, ParameterError, ReadingWarning, fill_in
from textnb.files.cells import as_decimal, json_value, plain_text
from textnb.files.parquet_table import kept_schema, parquet_rows, text_schema
from textnb.readers.workbook import EXTRA
from textnb.storage import atomic

FORMATS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".xlsx": "xlsx", ".parquet": "parquet"}
"""Formats by the suffix of a file's name."""
DIGITS = 4
"""Decimals of computed fractions in CSV and TSV, unless another number is given."""

WriteRow = Callable[[Sequence[Any], Sequence[Any]], None]
"""Function that writes a row: the cells that are kept, and those that are added."""
WriteRecord = Callable[[str, Mapping[str, Any], Sequence[Any]], None]
"""Function that writes a row: the id of a document, its record, and the cells that are added."""

_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?[\d.,]+%?")
_MAX_ROWS, _MAX_CELL = 1_048_576, 32_767  # of a sheet, and characters of a cell
_MAX_WHOLE = 2**53  # whole numbers beyond it are not exact in a spreadsheet
_CUT = "{path}: {number} cells were cut to {most:,} characters, the most that a cell of .xlsx holds"
_ADDED = "textnb_"
_PARQUET_END = b"PAR1"


class TableStyle(NamedTuple):
    """How cells are written: decimals of fractions, a byte order mark, and apostrophes before formulas."""

    digits: int = DIGITS
    bom: bool = False
    safe_cells: bool = False


def table_format(path: Location) -> str:
    """Format of a table by the name of its file; ParameterError if it shows none."""
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        template = "{path}: the name must end in one of {known}, which decides the format"
        raise ParameterError(template, path=path, known=", ".join(FORMATS)) from None


def added_names(kept: Sequence[str], added: Sequence[str]) -> list[str]:
    """Names of added columns; one that is there already begins with ``textnb_``.

    >>> added_names(["text", "label"], ["label", "probability"])
    ['textnb_label', 'probability']
    """
    names = list(kept)
    for name in added:
        unique = name
        while unique in names:
            unique = _ADDED + unique
        names.append(unique)
    return names[len(kept) :]


@contextmanager
def table_writer(path: Location, columns: Sequence[str], style: TableStyle | None = None) -> Iterator[WriteRow]:
    """Give a function that writes rows; the file gets its name when the block ends, and is not written if it fails.

    Parameters
    ----------
    path : Path or Address
        The file; its suffix decides the format.
    columns : sequence of str
        Names of all columns, the kept ones first.
    style : TableStyle, optional
        How cells are written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with table_writer(Path(folder, "a.csv"), ["text", "label", "probability"]) as write:
    ...         write(["meow"], ["cat", 0.98765])
    ...     Path(folder, "a.csv").read_text()
    'text,label,probability\\nmeow,cat,0.9877\\n'
    """
    rows_of: dict[str, Callable[..., AbstractContextManager[WriteRow]]]
    rows_of = {
        "csv": _delimited_rows,
        "tsv": _delimited_rows,
        "jsonl": _json_rows,
        "xlsx": _sheet_rows,
        "parquet": _text_rows,
    }
    opened = rows_of[table_format(path)]
    with new_file(path) as stream, opened(stream, path, columns, style or TableStyle()) as write:
        yield write


class Columned(Protocol):
    """Input with named columns."""

    def columns(self) -> list[str]:
        """Names of the columns."""

    def schema(self) -> Any:
        """Types of the columns, as pyarrow has them; None if cells are text."""


@contextmanager
def record_writer(
    path: Location, inputs: Sequence[Columned], added: Mapping[str, type], style: TableStyle, *, has_ids: bool
) -> Iterator[WriteRecord]:
    """Give a function that writes rows with all columns of the inputs, and others after them.

    Parameters
    ----------
    path, style
        As of ``table_writer``.
    inputs : sequence of Columned
        Where the records come from; in Parquet their columns keep their types.
    added : Mapping[str, type]
        Names and types (str, int or float) of the computed columns; a name that is there already gets another.
    has_ids : bool
        Whether the first column is the id.
    """
    columns_of = [each.columns() for each in inputs]
    kept = list(dict.fromkeys(column for columns in columns_of for column in columns))
    ids = added_names(kept, ["id"]) if has_ids else []
    types = dict(zip(added_names([*ids, *kept], [*added]), added.values(), strict=True))
    if table_format(path) != "parquet":
        with table_writer(path, [*ids, *kept, *types], style) as write:
            yield lambda name, record, cells: write([*([name] if ids else []), *map(record.get, kept)], cells)
        return
    schema = kept_schema([*ids, *kept], list(zip(columns_of, [each.schema() for each in inputs], strict=True)))
    with new_file(path) as stream, parquet_rows(stream, schema, types) as table:
        yield lambda name, record, cells: table.write({ids[0]: name, **record} if ids else record, cells)


def new_file(path: Location) -> AbstractContextManager[IO[bytes]]:
    """Open a file that gets its name, or is sent to its address, when the block ends without an error."""
    return uploaded(path) if isinstance(path, Address) else atomic(path)


def is_whole(path: Location) -> bool:
    """Whether a table is there with its end; one that is cut off behind a whole line is not noticed."""
    if not path.exists():
        return False
    end = _PARQUET_END if table_format(path) == "parquet" else b"\n"
    with path.open() if isinstance(path, Address) else path.open("rb") as stream:
        size = stream.seek(0, io.SEEK_END)
        stream.seek(max(size - len(end), 0))
        return stream.read() == end


@contextmanager
def _text_rows(stream: IO[bytes], _: Location, columns: Sequence[str], __: TableStyle) -> Iterator[WriteRow]:
    """Rows of Parquet whose kept cells are text; the first row shows the types of the others."""
    rows: Callable[[Mapping[str, Any], Sequence[Any]], None] | None = None
    with ExitStack() as stack:

        def write(kept: Sequence[Any], added: Sequence[Any]) -> None:
            nonlocal rows
            if rows is None:
                types = dict(zip(columns[len(kept) :], map(type, added), strict=True))
                rows = stack.enter_context(parquet_rows(stream, text_schema(columns[: len(kept)]), types)).write
            rows(dict(zip(columns, kept, strict=False)), added)

        yield write
        if rows is None:
            stack.enter_context(parquet_rows(stream, text_schema(columns), {}))


@contextmanager
def _delimited_rows(stream: IO[bytes], path: Location, columns: Sequence[str], style: TableStyle) -> Iterator[WriteRow]:
    text = io.TextIOWrapper(stream, "utf-8-sig" if style.bom else "utf-8", errors="replace", newline="")
    delimiter = "\t" if table_format(path) == "tsv" else ","
    rows = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    safe = _safe if style.safe_cells else str

    def write(kept: Sequence[Any], added: Sequence[Any]) -> None:
        rows.writerow(
            [safe(plain_text(cell)) for cell in kept] + [safe(as_decimal(cell, style.digits)) for cell in added]
        )

    try:
        write(columns, [])
        yield write
    finally:
        text.detach()  # writes what is left; the stream belongs to the caller


@contextmanager
def _json_rows(stream: IO[bytes], _: Location, columns: Sequence[str], __: TableStyle) -> Iterator[WriteRow]:
    def write(kept: Sequence[Any], added: Sequence[Any]) -> None:
        record = dict(zip(columns, map(json_value, (*kept, *added)), strict=True))
        stream.write((json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "replace"))

    yield write


@contextmanager
def _sheet_rows(stream: IO[bytes], path: Location, columns: Sequence[str], style: TableStyle) -> Iterator[WriteRow]:
    try:
        from xlsxwriter import Workbook
    except ImportError as error:
        raise InputError(EXTRA, path=path) from error
    packed = io.BytesIO()
    workbook = Workbook(packed, {"constant_memory": True, "default_date_format": "yyyy-mm-dd"})
    try:
        sheet = _Sheet(workbook, path, style)
        sheet.write_header(columns)
        yield sheet.write
    finally:
        workbook.close()
    if sheet.n_cut:
        warnings.warn(fill_in(_CUT, path=path, number=sheet.n_cut, most=_MAX_CELL), ReadingWarning, stacklevel=2)
    stream.write(packed.getbuffer())


class _Sheet:
    """The one sheet of a workbook, written row by row."""

    def __init__(self, workbook: Any, path: Location, style: TableStyle) -> None:
        self.path, self.n_rows, self.n_cut = path, 0, 0
        self._sheet = workbook.add_worksheet()
        self._bold = workbook.add_format({"bold": True})
        self._fraction = workbook.add_format({"num_format": "0." + "0" * style.digits if style.digits else "0"})
        self._dates = {
            datetime: workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
            date: workbook.add_format({"num_format": "yyyy-mm-dd"}),
            time: workbook.add_format({"num_format": "hh:mm:ss"}),
        }

    def write_header(self, columns: Sequence[str]) -> None:
        """Write the names of the columns, which stay in sight."""
        self._sheet.freeze_panes(1, 0)
        for j, name in enumerate(columns):
            self._sheet.write_string(0, j, self._cut(name), self._bold)
        self.n_rows = 1

    def write(self, kept: Sequence[Any], added: Sequence[Any]) -> None:
        """Write one row."""
        if self.n_rows == _MAX_ROWS:
            template = "{path}: a sheet holds {most:,} rows; write .csv instead, or divide the input"
            raise InputError(template, path=self.path, most=_MAX_ROWS)
        for j, cell in enumerate(kept):
            self._write_cell(j, cell, None)
        for j, cell in enumerate(added, len(kept)):
            self._write_cell(j, cell, self._fraction)
        self.n_rows += 1

    def _write_cell(self, j: int, cell: Any, fraction: Any) -> None:
        if isinstance(cell, bool):
            self._sheet.write_boolean(self.n_rows, j, cell)
        elif isinstance(cell, (int, float)) and math.isfinite(cell) and abs(cell) <= _MAX_WHOLE:
            self._sheet.write_number(self.n_rows, j, cell, fraction if isinstance(cell, float) else None)
        elif type(cell) in self._dates:
            self._sheet.write_datetime(self.n_rows, j, cell, self._dates[type(cell)])
        elif text := plain_text(cell):
            self._sheet.write_string(self.n_rows, j, self._cut(text))

    def _cut(self, text: str) -> str:
        """Text that fits into a cell, whose line ends are LF; a character beyond U+FFFF counts twice there."""
        whole = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-16-le", "replace")
        if len(whole) <= 2 * _MAX_CELL:
            return whole.decode("utf-16-le")
        self.n_cut += 1
        return whole[: 2 * _MAX_CELL].decode("utf-16-le", "ignore")


def _safe(text: str) -> str:
    """Text with an apostrophe before it if a spreadsheet program would take it for a formula; numbers stay."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
