"""Records of tables: which columns are text, label and id, and the Document that a record becomes.

Several text columns are one text, in the order in which they are named, separated by line ends; empty cells are left
out. Their terms are counted together, whichever column they are in: on titles and bodies of livedoor this was more
accurate than terms per column in all settings but one (scripts/experiments/text_columns.py).
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from typing import NamedTuple

from textnb.document import Document
from textnb.errors import did_you_mean
from textnb.readers.settings import Settings
from textnb.readers.workbook import cell_text

TEXT_COLUMNS = ("text", "body", "content", "document", "message", "sentence", "本文", "テキスト", "文書", "文章")
LABEL_COLUMNS = ("label", "class", "category", "target", "y", "ラベル", "クラス", "カテゴリ", "分類")
ID_COLUMNS = ("id", "doc_id", "docid", "name", "filename", "file")

Record = Mapping[str, object]
"""Cells of a record by column."""

_PLAIN = (str, int, float, Decimal)
_TIMES = (date, time, timedelta)  # a datetime is a date
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which no file can hold
_MAX_SHOWN_COLUMNS = 12


class UsedColumns(NamedTuple):
    """Names of the text columns, and of the label and id columns if there are any."""

    text: tuple[str, ...]
    label: str | None
    id: str | None


def unique_names(header: Sequence[str]) -> list[str]:
    """Names of columns, stripped; a repeated name gets a number, so that no column is lost.

    >>> unique_names(["a", " b", "a", ""])
    ['a', 'b', 'a_2', '']
    """
    names: list[str] = []
    for name in map(str.strip, header):
        number, unique = 1, name
        while unique in names:
            number += 1
            unique = f"{name}_{number}"
        names.append(unique)
    return names


def find_columns(header: Sequence[str], settings: Settings) -> UsedColumns | str:
    """Columns that the settings name, or common ones; or the reason why they cannot be found."""
    names = [name.strip() for name in header]
    text = list(_text_columns(names, settings))
    label = _find_column(names, settings.label, LABEL_COLUMNS) if settings.labelled else None
    identity = _find_column(names, settings.id, ID_COLUMNS)
    for what, given, found in (
        *(("text", given, column) for given, column in text),
        *([("label", settings.label, label)] if settings.labelled else []),
        *([("id", settings.id, identity)] if settings.id is not None else []),
    ):
        if found is None:
            return _not_found(what, given, names)
        if names.count(found) > 1:
            return f"there are two columns {found!r}"
    columns = tuple(column for _, column in text if column is not None)
    if twice := [name for name, times in Counter(columns).items() if times > 1]:
        return f"the text column {twice[0]!r} is named twice"
    return UsedColumns(columns, label, identity)


def _text_columns(names: Sequence[str], settings: Settings) -> Iterable[tuple[str | None, str | None]]:
    """Yield each text column as it is given, and its name in the header, or None if there is none."""
    if not settings.text_columns:
        yield None, _find_column(names, None, TEXT_COLUMNS)
    for given in settings.text_columns:
        whole = _find_column(names, given, ())  # a name may have a comma in it
        for part in [given] if whole is not None else given.split(","):
            yield part, whole or _find_column(names, part.strip(), ())


def _find_column(names: Sequence[str], given: str | None, guesses: Sequence[str]) -> str | None:
    """Column of the given name, or the first common one; case matters only if names differ in case alone."""
    if given is not None and given in names:
        return given
    folded = {name.casefold(): name for name in reversed(names)}
    return next((folded[guess] for guess in ([given.casefold()] if given else guesses) if guess in folded), None)


def _not_found(what: str, given: str | None, names: Sequence[str]) -> str:
    wanted = f"no {what} column found" if given is None else f"no column {given.strip()!r}"
    question = did_you_mean(given.strip(), names) if given else ""
    return f"{wanted} among {shown_columns(names)}; {question or f'name it with --{what} or {what}='}"


def shown_columns(names: Sequence[str]) -> str:
    """Names of columns for a message, the first few of many."""
    return ", ".join(names[:_MAX_SHOWN_COLUMNS]) + (", ..." if len(names) > _MAX_SHOWN_COLUMNS else "")


def record_document(number: int, record: Record, used: UsedColumns, settings: Settings) -> Document | str:
    """Document of the record of a number, or the reason why it is bad."""
    text = record[used.text[0]]
    if len(used.text) > 1 or type(text) is not str:
        cells = [record[column] for column in used.text]
        for column, cell in zip(used.text, cells, strict=True):
            if not isinstance(cell, str) and not (cell is None and (len(cells) > 1 or not settings.labelled)):
                return f"no text in {column!r}"
        text = "\n".join(cell for cell in cells if isinstance(cell, str) and cell)
    label = None
    if used.label is not None:
        label = as_label(record[used.label])
        if label is None:
            return f"no label in {used.label!r}"
        if not text:
            return f"no text in {' or '.join(map(repr, used.text))}"
    name = None if used.id is None else as_label(record[used.id])
    group = record.get("group")
    group = None if group is None else as_label(group)
    return Document(text, label, name or str(number), group=group, columns=record)


def as_label(value: object) -> str | None:
    """Label or id as a string: numbers and truth values as Python writes them, dates and times as in a workbook.

    None for a blank cell, null or anything that is no label.

    >>> as_label(1), as_label(1.0), as_label(True), as_label(date(2026, 11, 18)), as_label(Decimal("1.50"))
    ('1', '1.0', 'True', '2026-11-18', '1.50')
    >>> as_label(None), as_label(float("nan")), as_label(" "), as_label(["a"])
    (None, None, None, None)
    """
    if type(value) is not str:
        if value != value or (isinstance(value, float) and math.isinf(value)):  # noqa: PLR0124  # NaN, NaT
            return None
        value = str(value) if isinstance(value, _PLAIN) else cell_text(value) if isinstance(value, _TIMES) else ""
    return value if value.strip() and (value.isascii() or not _SURROGATE.search(value)) else None
