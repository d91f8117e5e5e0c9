"""HTML and SVG elements and tables: every plain string is escaped, and only ``Html`` is not.

    element("td", "<b>", class_="term")  ->  <td class="term">&lt;b&gt;</td>

So a document that contains tags or a script is always shown as text. In tables every column and every row has a header,
and a wide table scrolls by itself, by keyboard too.
"""

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

from textnb.language import Language
from textnb.numerics import Estimate

_VOID = frozenset({"meta", "link", "br", "wbr", "input"})
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
Attribute = str | int | float | bool | None


Cell = str | int | float | Estimate | None


class Html(str):
    """Markup that is not escaped again. Made by ``element``, ``joined`` and ``text``, or by name from trusted text."""

    __slots__ = ()


def text(value: str) -> Html:
    """Markup that shows a string; characters that HTML forbids become U+FFFD.

    >>> text("<script>"), text(Html("<p>"))
    ('&lt;script&gt;', '<p>')
    """
    return value if isinstance(value, Html) else Html(escape(_UNPRINTABLE.sub("\ufffd", value)))


def joined(parts: Iterable[str]) -> Html:
    """Markup of several parts, one after the other."""
    return Html("".join(map(text, parts)))


def element(name: str, /, *children: str, **attributes: Attribute) -> Html:
    """Element with its children and attributes.

    The name of an attribute has _ for - and ends in _ if it is a Python keyword; None and False leave it out.

    >>> element("th", "<i>", scope="col", class_="a", data_x=1, hidden=True, title=None)
    '<th scope="col" class="a" data-x="1" hidden="">&lt;i&gt;</th>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{"" if value is True else text(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}>" if name in _VOID else f"<{name}{written}>{joined(children)}</{name}>")


def table(
    caption: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    say: Language,
    *,
    digits: int | Sequence[int] = 4,
    totals: Sequence[Cell] = (),
) -> Html:
    """Table whose first column names the rows; the totals are its last row.

    Fractions have so many digits, the same in all columns or as given for each column.
    """
    places = [digits] * len(columns) if isinstance(digits, int) else digits
    numbers = [all(not isinstance(row[i], str) for row in rows) for i in range(len(columns))]
    head = [
        element("th", say.name(column), scope="col", class_="number" if number else None)
        for column, number in zip(columns, numbers, strict=True)
    ]

    def row_of(row: Sequence[Cell]) -> Html:
        cells = map(_cell, row[1:], numbers[1:], places[1:])
        return element("tr", element("th", shown(row[0]), scope="row"), *cells)

    foot = [element("tfoot", row_of(totals))] if totals else []
    return scrolling(caption, element("thead", element("tr", *head)), element("tbody", *map(row_of, rows)), *foot)


def scrolling(caption: str, *parts: str, class_: str | None = None) -> Html:
    """Table in a region that scrolls by itself, so that the page never scrolls sideways."""
    whole = element("table", element("caption", caption), *parts, class_=class_)
    return element("div", whole, class_="scroll", role="region", aria_label=caption, tabindex="0")


def _cell(value: Cell, number: bool, digits: int) -> Html:
    return element("td", shown(value, digits), class_="number" if number else None)


def folded(title: str, *parts: str) -> Html:
    """Parts that a reader opens by their title."""
    return element("details", element("summary", title), *parts)


def digits_for(documents: int) -> int:
    """Digits of a proportion of so many documents: a step of the last digit is at least one document; from 2 to 4.

    >>> [digits_for(n) for n in (1, 40, 999, 1000, 1_000_000)]
    [2, 2, 2, 3, 4]
    """
    return min(max(len(str(documents)) - 1, 2), 4)


def shown(value: Cell, digits: int = 4) -> str:
    """Value in a few characters.

    >>> shown(0.91234), shown(12345), shown(Estimate(0.5, 0.4, 0.6), 2), shown(None)
    ('0.9123', '12,345', '0.50 <small>0.40–0.60</small>', '')
    """
    if value is None:
        return ""
    if isinstance(value, Estimate):
        ends = f"{value.low:.{digits}f}–{value.high:.{digits}f}"
        return joined([shown(value.value, digits), " ", element("small", ends)])
    if isinstance(value, float):
        return f"{value:.{digits}f}" if math.isfinite(value) else signed(value).lstrip("+")
    return value if isinstance(value, str) else f"{value:,}"


def signed(value: float) -> str:
    """Value with its sign.

    >>> signed(1.5), signed(-0.25), signed(float("inf"))
    ('+1.500', '−0.250', '+∞')
    """
    size = "∞" if math.isinf(value) else "?" if math.isnan(value) else f"{abs(value):.3f}"
    return f"{'−' if value < 0 else '+'}{size}"
