"""Rows to standard output: TSV with escapes, CSV, JSON lines."""

import csv
import json
import math
import sys
from collections.abc import Sequence
from types import NoneType
from typing import Any, Literal

Format = Literal["tsv", "csv", "jsonl"]

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class Rows:
    """A header, then one row for each call; flushed when told."""

    def __init__(self, columns: Sequence[str], form: Format) -> None:
        self.columns, self.form = tuple(columns), form
        self._csv = csv.writer(sys.stdout, lineterminator="\n")
        if form != "jsonl":
            self._line(columns)

    def row(self, values: Sequence[Any]) -> None:
        """One row; floats keep every digit that matters."""
        if self.form == "jsonl":
            print_json(dict(zip(self.columns, values, strict=True)), indent=None)
        else:
            self._line(values)

    def _line(self, values: Sequence[Any]) -> None:
        if self.form == "csv":
            self._csv.writerow(values)
        else:
            sys.stdout.write("\t".join(map(_cell, values)) + "\n")


def _cell(value: Any) -> str:
    text = str(value)
    return text if text.isprintable() and "\\" not in text else text.translate(_ESCAPES)


def print_json(value: Any, indent: int | None = 1) -> None:
    """A value as JSON; what JSON has no number for (infinity, NaN) is null."""
    sys.stdout.write(json.dumps(_finite(value), ensure_ascii=False, indent=indent) + "\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str | None = None) -> None:
    """A table for reading."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 120)
    if title is not None:
        console.print(Text(title), soft_wrap=True)
    table = Table()
    numbers = [all(isinstance(row[i], (int, float, NoneType)) for row in rows) for i in range(len(columns))]
    for column, number in zip(columns, numbers, strict=True):
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_shown(value)) for value in row))
    console.print(table)


def visible(text: str) -> str:
    """The text with nothing in it that would steer a terminal; line ends and tabs stay.

    >>> visible("a\x1b[31m\tb")
    'a\ufffd[31m\tb'
    """
    return "".join(c if c.isprintable() or c in "\n\t\u3000" else "\ufffd" for c in text)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else visible(str(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
