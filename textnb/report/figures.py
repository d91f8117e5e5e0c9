"""Figures of a report: a chart, its numbers, and links that save it as SVG and its numbers as CSV.

The links hold the files themselves (``data:``), so a page still loads nothing and runs no script. Column names of the
CSV files do not depend on the language of the page; the files begin with a byte order mark, for spreadsheets.
"""

import csv
import io
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from textnb.evaluation.charts import svg_file
from textnb.language import Language
from textnb.markup import Cell, Html, element, joined
from textnb.numerics import Estimate

BYTE_ORDER_MARK = "\ufeff"


def figure(name: str, chart: Html, columns: Sequence[str], rows: Sequence[Sequence[Cell]], say: Language) -> Html:
    """Chart with links that save it and its numbers as files of this name."""
    caption = element("figcaption", saving_links(name, chart, columns, rows, say))
    return element("figure", chart, caption)


def saving_links(name: str, chart: Html, columns: Sequence[str], rows: Sequence[Sequence[Cell]], say: Language) -> Html:
    """Links that save a chart as SVG and its numbers as CSV."""
    drawn = _link(f"{name}.svg", "image/svg+xml", svg_file(chart), say("Save as SVG"))
    return joined([drawn, " ", csv_link(name, columns, rows, say)])


def csv_link(name: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], say: Language) -> Html:
    """Link that saves numbers as CSV."""
    return _link(f"{name}.csv", "text/csv", as_csv(columns, rows), say("Save numbers as CSV"))


def _link(name: str, kind: str, content: str, words: str) -> Html:
    coded = b64encode(content.encode("utf-8", "replace")).decode()
    return element("a", words, href=f"data:{kind};charset=utf-8;base64,{coded}", download=name, class_="save")


def as_csv(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    r"""Return rows as CSV; an estimate has two more columns, for the ends of its interval.

    >>> as_csv(["recipe", "accuracy"], [("a", Estimate(0.5, 0.25, 0.75))])
    '\ufeffrecipe,accuracy,accuracy_low,accuracy_high\r\na,0.5,0.25,0.75\r\n'
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    wide = [any(isinstance(row[i], Estimate) for row in rows) for i in range(len(columns))]
    ends = [["", "_low", "_high"] if estimates else [""] for estimates in wide]
    writer.writerow([column + end for column, some in zip(columns, ends, strict=True) for end in some])
    for row in rows:
        writer.writerow([number for cell, several in zip(row, wide, strict=True) for number in _numbers(cell, several)])
    return BYTE_ORDER_MARK + stream.getvalue()


def _numbers(cell: Cell, several: bool) -> list[Any]:
    if isinstance(cell, Estimate):
        return list(cell)
    return [cell, None, None] if several else [cell]
