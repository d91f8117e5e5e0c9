"""Tables of categories: a CSV or TSV file in which every column but the label is a feature, as arrays of strings."""

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError, ReadingWarning
from textnb.readers.charset_names import check_charset
from textnb.readers.compression import COMPRESSED
from textnb.readers.decoding import REPLACEMENT, undecodable
from textnb.readers.records import shown_columns
from textnb.readers.tables import csv_records, number_of_cells, open_lines

Strings = NDArray[np.object_]
Record = tuple[int, list[str]]
"""Number of the last line of a record, and its cells."""


class Columns(NamedTuple):
    """Table of categories: cells X (D, F) and labels y (D,) as strings, and the names of the columns of X."""

    X: Strings
    y: Strings | None
    names: tuple[str, ...]


def read_columns(
    path: str | Path,
    label: str | int | None = None,
    *,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Columns:
    """Read a table of categories: a CSV or TSV file in which every column but the label is a feature.

    It may be compressed: .gz, .bz2, .xz or .zst.

    Blanks around a cell and blank lines are dropped. An empty cell is the empty string; a label must not be empty.

    Parameters
    ----------
    path : str or Path
        The file.
    label : str or int, optional
        Column of the labels, by name or by number from 0 (-1 is the last). Without it, y is None.
    header : bool, default=True
        Whether the first record has the names of the columns; otherwise the names are their numbers.
    delimiter : str, optional
        One character, " " for any number of blanks; by default a tab for .tsv, also compressed, else a comma.
    encoding : str, optional
        Charset of the file, if it is not UTF-8.

    Returns
    -------
    Columns
        X (D, F), y (D,) or None, and the names of the columns of X.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "play.csv").write_text("sky,heat,play\\nsun,hot,no\\n", encoding="utf-8")
    ...     read_columns(Path(folder, "play.csv"), label="play").X.tolist()
    [['sun', 'hot']]
    """
    path = Path(path)
    check_charset(encoding)
    records = _records(path, delimiter, encoding)
    if header:
        names = [cell for _, cells in records[:1] for cell in cells]
        records = records[1:]
    else:
        names = [str(j) for _, cells in records[:1] for j in range(len(cells))]
    if not records:
        raise InputError("{path} has no records", path=path)
    for number, cells in records:
        if len(cells) != len(names):
            template = "{path}, line {line}: {cells}, but the first line has {expected}"
            raise InputError(template, path=path, line=number, cells=number_of_cells(cells), expected=len(names))
    X = _array([cells for _, cells in records], len(names))
    if label is None:
        return Columns(X, None, tuple(names))
    place = _find_label_column(path, names, label)
    for number, cells in records:
        if not cells[place]:
            template = "{path}, line {line}: no label in column {column!r}"
            raise InputError(template, path=path, line=number, column=names[place])
    return Columns(np.delete(X, place, axis=1), X[:, place], tuple(names[:place] + names[place + 1 :]))


def _records(path: Path, delimiter: str | None, encoding: str | None) -> list[Record]:
    """Read the records of a file; blank lines are left out."""
    if delimiter is None:
        delimiter = "\t" if path.name.lower().endswith((".tsv", *(f".tsv{each}" for each in COMPRESSED))) else ","
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise InputError("delimiter must be one character, such as ',' or ' ', not {given!r}", given=delimiter)
    with open_lines(path, encoding) as (decided, lines):
        cut = enumerate(map(str.split, lines), 1) if delimiter == " " else csv_records(path, lines, delimiter)
        records = [(number, [cell.strip() for cell in cells]) for number, cells in cut if cells]
    gaps = 0 if decided.fits else sum(cell.count(REPLACEMENT) for _, cells in records for cell in cells)
    if gaps:
        template = "{path}: {what}; U+FFFD marks the gaps"
        what = undecodable(gaps, decided.name)
        warnings.warn(template.format(path=path, what=what), ReadingWarning, stacklevel=3)
    return records


def _array(rows: list[list[str]], width: int) -> Strings:
    """Array of the cells as objects: numpy's own strings drop NULs at the end."""
    X = np.empty((len(rows), width), object)
    X[:] = rows
    return X


def _find_label_column(path: Path, names: list[str], label: str | int) -> int:
    """Number of the column of the labels."""
    template = "{path} has no column {label!r}; use one of its {number} columns: {shown}"
    if isinstance(label, str):
        if names.count(label) == 1:
            return names.index(label)
        if label in names:
            template = "{path} has two columns {label!r}; its {number} columns: {shown}; give the label by its number"
    elif -len(names) <= label < len(names):
        return label % len(names)
    raise InputError(template, path=path, label=label, number=len(names), shown=shown_columns(names))
