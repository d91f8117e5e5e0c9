"""Tables: every column and every row has its header, and a wide one scrolls by itself, by keyboard too."""

import math
from collections.abc import Sequence

from textnb.report.language import Language
from textnb.report.markup import Html, element, joined
from textnb.report.values import Cell, Estimate


def table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], say: Language) -> Html:
    """A table whose first column names the rows."""
    numbers = [all(not isinstance(row[i], str) for row in rows) for i in range(len(columns))]
    head = [
        element("th", say.name(column), scope="col", class_="number" if number else None)
        for column, number in zip(columns, numbers, strict=True)
    ]
    body = [element("tr", element("th", shown(row[0]), scope="row"), *map(_cell, row[1:], numbers[1:])) for row in rows]
    return scrolling(caption, element("thead", element("tr", *head)), element("tbody", *body))


def scrolling(caption: str, *parts: str, class_: str | None = None) -> Html:
    """A table in a region of its own, so that the page itself never has to scroll sideways."""
    whole = element("table", element("caption", caption), *parts, class_=class_)
    return element("div", whole, class_="scroll", role="region", aria_label=caption, tabindex="0")


def _cell(value: Cell, number: bool) -> Html:
    return element("td", shown(value), class_="number" if number else None)


def shown(value: Cell) -> str:
    """A value in a few characters.

    >>> shown(0.91234), shown(12345), shown(Estimate(0.5, 0.4, 0.6)), shown(None)
    ('0.9123', '12,345', '0.5000 <small>0.4000–0.6000</small>', '')
    """
    if value is None:
        return ""
    if isinstance(value, Estimate):
        return joined([shown(value.value), " ", element("small", f"{value.low:.4f}–{value.high:.4f}")])
    if isinstance(value, float):
        return f"{value:.4f}" if math.isfinite(value) else signed(value).lstrip("+")
    return value if isinstance(value, str) else f"{value:,}"


def signed(value: float) -> str:
    """A value with its sign.

    >>> signed(1.5), signed(-0.25), signed(float("inf"))
    ('+1.500', '−0.250', '+∞')
    """
    size = "∞" if math.isinf(value) else "?" if math.isnan(value) else f"{abs(value):.3f}"
    return f"{'−' if value < 0 else '+'}{size}"
