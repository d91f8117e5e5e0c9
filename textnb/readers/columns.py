"""Tables whose every column is a feature: CSV and its kin to an array of strings and a list of labels."""

import warnings
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError, ReadingWarning
from textnb.readers.decoding import REPLACEMENT, as_charset, decoded_lines, encoding_of, pieces_of, undecodable
from textnb.readers.tables import csv_records, open_bytes

_SHOWN = 12

Strings = NDArray[np.object_]
Record = tuple[int, list[str]]
"""The number of the line that a record ends on, and its cells."""


class Columns(NamedTuple):
    """The cells X (D, F) and the labels y (D,), as strings, and the names of the columns of X."""

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
    """A table of categories: a CSV or TSV file, plain or .gz, in which every column but the label is a feature.

    label: the column of the labels, by name or by number from 0 (-1 is the last); None where there is none, and y is
    None then. header: whether the first record names the columns; otherwise they are named by their numbers.
    delimiter: a character, " " for any number of blanks; where it is not given, a tab for names that end in .tsv or
    .tsv.gz, and otherwise a comma. encoding: the charset to believe where bytes are not UTF-8.

    Blanks round a cell are dropped, and blank lines. An empty cell is the empty string; a label must not be empty.

    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "play.csv")
    >>> _ = path.write_text("sky,heat,play\\nsun,hot,no\\nrain,cool,yes\\n", encoding="utf-8")
    >>> X, y, names = read_columns(path, label="play")
    >>> X.tolist(), y.tolist(), names
    ([['sun', 'hot'], ['rain', 'cool']], ['no', 'yes'], ('sky', 'heat'))
    >>> folder.cleanup()
    """
    path = Path(path)
    records = _records(path, delimiter, as_charset(encoding))
    if header:
        names = [cell for _, cells in records[:1] for cell in cells]
        records = records[1:]
    else:
        names = [str(j) for _, cells in records[:1] for j in range(len(cells))]
    if not records:
        raise InputError(f"{path} has no records")
    for number, cells in records:
        if len(cells) != len(names):
            raise InputError(f"{path}, line {number}: {len(cells)} cells where the first line has {len(names)}")
    X = _array([cells for _, cells in records], len(names))
    if label is None:
        return Columns(X, None, tuple(names))
    place = _place(path, names, label)
    for number, cells in records:
        if not cells[place]:
            raise InputError(f"{path}, line {number}: no label in column {names[place]!r}")
    return Columns(np.delete(X, place, axis=1), X[:, place], tuple(names[:place] + names[place + 1 :]))


def _records(path: Path, delimiter: str | None, encoding: str | None) -> list[Record]:
    """The number of the line and the cells of each record."""
    if delimiter is None:
        delimiter = "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise InputError(f"delimiter must be one character, such as ',' or ' ', not {delimiter!r}")
    try:
        with open_bytes(path) as stream:
            decided = encoding_of(pieces_of(stream), encoding)
        with open_bytes(path) as stream:
            lines = decoded_lines(stream, decided)  # named, to live as long as the stream
            found = _cut(path, lines, delimiter)
            records = [(number, [cell.strip() for cell in cells]) for number, cells in found if cells]
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: {error}") from error
    gaps = 0 if decided.fits else sum(cell.count(REPLACEMENT) for _, cells in records for cell in cells)
    if gaps:
        warnings.warn(f"{path}: {undecodable(gaps, decided.name)}; U+FFFD stands there", ReadingWarning, stacklevel=3)
    return records


def _cut(path: Path, lines: Iterable[str], delimiter: str) -> Iterable[Record]:
    if delimiter == " ":
        return ((number, line.split()) for number, line in enumerate(lines, 1))
    return csv_records(path, lines, delimiter)


def _array(rows: list[list[str]], width: int) -> Strings:
    """The cells as they are: numpy's own strings end at a NUL."""
    X = np.empty((len(rows), width), object)
    X[:] = rows
    return X


def _place(path: Path, names: list[str], label: str | int) -> int:
    """The number of the column of the labels."""
    if isinstance(label, str):
        if names.count(label) == 1:
            return names.index(label)
        what = "the column {!r} twice" if label in names else "no column {!r}"
    else:
        if -len(names) <= label < len(names):
            return label % len(names)
        what = "no column {!r}"
    shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    raise InputError(f"{path} has {what.format(label)}; its {len(names)} columns: {shown}")
