"""Data frames of pandas, polars and pyarrow: their columns as plain values, and their rows as documents.

None of these packages is imported: a frame is what has names of columns, a column what can be turned into a list.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.records import UsedColumns, find_columns, record_document, shown_columns
from textnb.readers.settings import Settings, Troubles

_FRAME = "the data frame"
_AS_LIST = ("to_pylist", "to_list", "tolist")  # of pyarrow; of pandas and polars; of numpy
_LOOKED_AT = 100


def is_frame(items: Any) -> bool:
    """True for a data frame of pandas, polars or pyarrow."""
    return hasattr(type(items), "columns")


def column_names(frame: Any) -> list[Any]:
    """Names of the columns of a data frame; one that is only a plan, as the lazy ones of polars, is refused."""
    if hasattr(frame, "collect"):
        raise InputError("{frame} is not computed yet; call collect() first", frame=_FRAME)
    return list(getattr(frame, "column_names", frame.columns))


def text_columns(frame: Any) -> list[Any]:
    """Names of the columns whose first values are strings."""
    return [name for name in column_names(frame) if _holds_text(column(frame, name))]


def _holds_text(values: Iterable[Any]) -> bool:
    return any(isinstance(value, str) for value in islice(values, _LOOKED_AT))


def column(frame: Any, name: Any) -> Iterable[Any]:
    """Return the values of the column of that name; one that is not there is refused."""
    names = column_names(frame)
    if names.count(name) != 1:
        template = "{frame} has {what} {name!r}; its columns are {known}"
        what = "two columns" if name in names else "no column"
        raise InputError(template, frame=_FRAME, what=what, name=name, known=shown_columns([*map(str, names)]))
    return plain_values(frame[name])


def plain_values(items: Any) -> Iterable[Any]:
    """Return a column or an array as a list of Python's own values; anything else as it is."""
    if getattr(items, "ndim", 1) == 1 and not isinstance(items, type):
        for name in _AS_LIST:
            if hasattr(items, name):
                values: Iterable[Any] = getattr(items, name)()
                return values
    return items  # type: ignore[no-any-return]  # whatever it is, its items are looked at one by one


def read_frame(frame: Any, settings: Settings) -> Iterator[Document]:
    """Read the documents of a data frame, one per row; columns and bad rows as in a table (``records.py``)."""
    names = column_names(frame)
    used = find_columns([str(name) for name in names], settings)
    if isinstance(used, str):
        raise InputError("{frame}: {why}", frame=_FRAME, why=used)
    wanted = [name for name in names if name in (*used.text, used.label, used.id, "group")]
    troubles = Troubles(_FRAME, settings.skip_bad, settings.max_skipped)
    rows = zip(*(column(frame, name) for name in wanted), strict=True)
    return troubles.watch(_documents(wanted, rows, used, settings, troubles))


def _documents(
    names: list[Any], rows: Iterable[tuple[Any, ...]], used: UsedColumns, settings: Settings, troubles: Troubles
) -> Iterator[Document]:
    for number, cells in enumerate(rows):
        document = record_document(number, dict(zip(names, cells, strict=True)), used, settings)
        if isinstance(document, str):
            troubles.reject(f"{_FRAME}, row {number}", document)
        else:
            yield document
