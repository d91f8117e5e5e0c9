"""Excel workbooks: the rows of one sheet of an .xlsx file, by python-calamine (extra ``excel``).

The header is the first row that is not empty. Cells keep their kind (number, date, truth value, text), so that a result
can have them as they were; ``cell_text`` is how a text, a label or a CSV file has them.
"""

import io
import warnings
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from textnb.address import Address, Location
from textnb.errors import InputError, ReadingWarning, did_you_mean, fill_in
from textnb.readers.binary import START_BYTES, check_text

EXTRA = "{path}: Excel files need another package; run: pip install 'textnb[excel]'"

Row = tuple[int, list[Any]]
"""Number of a row in its sheet, from 1, and its cells."""

_ZIP = b"PK"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "{path} is encrypted, or an old .xls file; save it in Excel as .xlsx without a password"
_DAMAGED = "{path} cannot be read as .xlsx ({why}); open it in a spreadsheet program and save it again"
_SEVERAL = "{path} has {n} sheets; read the first, {name!r}; --sheet or sheet= chooses another of {names}"
_UNNAMED = (
    "{path}, sheet {sheet!r}, row {row}: column {column} has cells but no name; the header must be one row with a name "
    "for each column, without merged cells"
)


def sheet_rows(path: Location, sheet: str | int | None = None) -> Iterator[Row]:
    """Yield the rows of a sheet that are not empty, the header first; columns without name and cells are left out.

    Parameters
    ----------
    sheet : str or int, optional
        Name of the sheet, or its number from 1. By default the first, with a ReadingWarning if others have cells.
    """
    name, rows = _cells(path, sheet)
    filled = [(number, cells) for number, cells in enumerate(rows, 1) if any(cell != "" for cell in cells)]
    if not filled:
        return
    number, header = filled[0]
    used = [j for j in range(len(header)) if any(cells[j] != "" for _, cells in filled)]
    unnamed = next((j for j in used if header[j] == ""), None)
    if unnamed is not None:
        raise InputError(_UNNAMED, path=path, sheet=name, row=number, column=column_letters(unnamed))
    yield number, [cell_text(header[j]) for j in used]
    for number, cells in filled[1:]:
        yield number, [cells[j] for j in used]


def _cells(path: Location, sheet: str | int | None) -> tuple[str, list[list[Any]]]:
    """Name of a sheet, and its cells from A1 on; an empty cell is the empty string."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise InputError(EXTRA, path=path) from error
    try:
        with path.open() if isinstance(path, Address) else path.open("rb") as stream:
            start = stream.read(START_BYTES)
            source = path if isinstance(path, Path) else io.BytesIO(start + stream.read())
        if start.startswith(_OLE):
            raise InputError(_ENCRYPTED, path=path)
        if not start.startswith(_ZIP):
            check_text(start, path)
        with CalamineWorkbook.from_object(source) as workbook:
            name = _sheet_name(path, workbook.sheet_names, sheet)
            rows = workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)
            others = sheet is None and any(
                workbook.get_sheet_by_name(each).total_height for each in workbook.sheet_names[1:]
            )
            names = list(workbook.sheet_names)
    except (CalamineError, OSError) as error:
        raise InputError(_DAMAGED, path=path, why=error) from error
    if others:
        message = fill_in(_SEVERAL, path=path, n=len(names), name=name, names=", ".join(names))
        warnings.warn(message, ReadingWarning, stacklevel=2)
    return name, rows


def _sheet_name(path: Location, names: list[str], sheet: str | int | None) -> str:
    if sheet is None and names:
        return names[0]
    if sheet in names:
        return str(sheet)
    if str(sheet).isdecimal() and 1 <= int(str(sheet)) <= len(names):
        return names[int(str(sheet)) - 1]
    question = did_you_mean(str(sheet), names) or f"use its name or a number from 1 to {len(names)}"
    template = "{path} has no sheet {sheet!r} among {names}; {question}"
    raise InputError(template, path=path, sheet=sheet, names=", ".join(names), question=question)


def cell_text(cell: object) -> str:
    """Text of a cell: numbers without a needless .0, dates as in 2026-11-18, times as in 09:30:00.

    >>> cell_text(12.0), cell_text(0.5), cell_text(True), cell_text(datetime(2026, 11, 18)), cell_text(None)
    ('12', '0.5', 'TRUE', '2026-11-18', '')
    """
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime):
        return str(cell.date()) if cell.time() == time() else cell.isoformat(" ")
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)


def column_letters(number: int) -> str:
    """Letters of a column by its number from 0.

    >>> column_letters(0), column_letters(27)
    ('A', 'AB')
    """
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
