"""Confusion matrix of a report: true and predicted classes, shaded by row, with links to the mistakes.

The shade of a cell is its proportion of the row. A few classes are a table of numbers, many are a heat map; both are
shown in the order of the names or of F1, whichever the reader chooses.
"""

import math
from collections.abc import Sequence

import numpy as np

from textnb.evaluation import Evaluation
from textnb.evaluation.charts import cut, drawing, label, rectangle
from textnb.language import Language, cells_of
from textnb.markup import Html, element, folded, joined, scrolling, table
from textnb.report.figures import saving_links
from textnb.report.values import ExplainedDocument

MAX_TABLE_CLASSES = 16
"""Classes up to which the confusion matrix is a table of numbers; beyond that it is a heat map."""

_MAX_CONFUSIONS = 50
_N_SHADES = 8
"""Shades of the cells of the confusion matrix in page.css."""

_CELL = 14
"""Width and height of a cell of the heat map."""

_LABEL_CELLS, _CHARACTER = 22, 6.6
"""Longest label of the heat map in characters of half width, and the width of one."""

MatrixCell = tuple[int, int]
"""Row and column of the confusion matrix."""


def confusion_cell(document: ExplainedDocument, classes: Sequence[str]) -> MatrixCell:
    """Cell of the confusion matrix that counts a mistake; the last row is for true classes that are not known."""
    assert document.mistake is not None
    true, predicted = document.mistake.true, document.mistake.predicted
    return classes.index(true) if true in classes else len(classes) - 1, classes.index(predicted)


def mistakes_anchor(cell: MatrixCell) -> str:
    """Id of the element with the mistakes of a cell of the confusion matrix."""
    return f"mistakes-{cell[0] + 1}-{cell[1] + 1}"


def confusion_matrix(evaluation: Evaluation, mistakes: Sequence[ExplainedDocument], say: Language) -> Html:
    """Confusion matrix with cells shaded by their proportion of the row and linked to mistakes, in two orders."""
    linked = {confusion_cell(document, evaluation.classes) for document in mistakes}
    many = len(evaluation.classes) > MAX_TABLE_CLASSES
    notes = ["Rows are true classes, columns are predicted classes.", "A row is shaded by its proportions."]
    if linked:
        notes.append("Cells with a frame link to the mistakes." if many else "Underlined numbers link to the mistakes.")
    by_name = list(range(len(evaluation.classes)))
    by_f1 = sorted(by_name, key=lambda k: (-evaluation.per_class()[k][3], k))
    draw = _map_in_order if many else _table_in_order
    orders = [draw(evaluation, order, linked, say) for order in (by_name, by_f1)]
    links = _links(evaluation, by_f1, say)
    parts = [element("p", say.sentences(*notes)), _ordered(orders, say), element("p", links), _list(evaluation, say)]
    return joined(parts)


def _ordered(orders: Sequence[Html], say: Language) -> Html:
    """Views of the matrix of which the reader chooses one; the first is shown."""
    names = (("order-name", say("by name")), ("order-f1", say("by F1")))
    choice = [
        part
        for number, (id_, name) in enumerate(names)
        for part in (
            element("input", type="radio", name="order", id=id_, checked=number == 0),
            element("label", name, for_=id_),
        )
    ]
    views = [element("div", view, class_=f"by-{id_}") for view, (id_, _) in zip(orders, names, strict=True)]
    return element("div", element("span", say("Order of the classes:")), *choice, *views, class_="orders")


def _list(evaluation: Evaluation, say: Language) -> Html:
    """Most frequent confusions, folded; nothing if there are none."""
    rows = [(say.of_class(true), say.of_class(other), n) for true, other, n in evaluation.confusions()]
    title = say("Most frequent confusions")
    numbers = table(title, ["true class", "predicted class", "documents"], rows[:_MAX_CONFUSIONS], say)
    return folded(title, numbers) if rows else joined([])


def _links(evaluation: Evaluation, order: Sequence[int], say: Language) -> Html:
    rows = [
        (true, predicted, n)
        for true, row in zip(evaluation.classes, evaluation.confusion.tolist(), strict=True)
        for predicted, n in zip(evaluation.classes, row, strict=True)
    ]
    chart = _heat_map(evaluation, order, set(), say)
    return saving_links("confusion", chart, ["true", "predicted", "documents"], rows, say)


def _table_in_order(evaluation: Evaluation, order: Sequence[int], linked: set[MatrixCell], say: Language) -> Html:
    names = [say.of_class(evaluation.classes[k]) for k in order]
    columns = [element("th", element("span", name), scope="col") for name in [*names, say("sum")]]
    over = element("th", say("predicted class"), scope="colgroup", colspan=len(names), class_="over")
    head = [element("tr", element("td", say("true class"), rowspan=2), over, element("td")), element("tr", *columns)]
    counts = evaluation.confusion[np.ix_(order, order)]
    body = []
    for k, name, row in zip(order, names, counts.tolist(), strict=True):
        total = sum(row)
        cells = [_cell((k, j), n, n / max(total, 1), (k, j) in linked) for j, n in zip(order, row, strict=True)]
        sum_cell = element("td", f"{total:,}", class_="sum")
        body.append(element("tr", element("th", name, scope="row"), *cells, sum_cell))
    sums = [element("td", f"{n:,}") for n in [*counts.sum(axis=0).tolist(), evaluation.documents]]
    foot = element("tfoot", element("tr", element("th", say("sum"), scope="row"), *sums))
    parts = (element("thead", *head), element("tbody", *body), foot)
    return scrolling(say("Confusion matrix"), *parts, class_="confusion")


def _cell(cell: MatrixCell, documents: int, proportion: float, linked: bool) -> Html:
    right = cell[0] == cell[1]
    shade = math.ceil(_strength(proportion) * _N_SHADES)
    shown = f"{documents:,}" if documents else "·"
    inside = element("a", shown, href=f"#{mistakes_anchor(cell)}") if linked else shown
    kind = f"{'right' if right else 'wrong'} shade{shade}"
    return element("td", inside, class_=kind, title=f"{proportion:.1%}" if documents else None)


def _strength(proportion: float) -> float:
    """Strength of a colour, from 0 to 1; the root makes rare confusions visible."""
    return math.sqrt(proportion)


def _map_in_order(evaluation: Evaluation, order: Sequence[int], linked: set[MatrixCell], say: Language) -> Html:
    chart = _heat_map(evaluation, order, linked, say)
    region = {"role": "region", "aria_label": say("Confusion matrix"), "tabindex": "0"}
    return element("div", chart, class_="scroll", **region)


def _heat_map(evaluation: Evaluation, order: Sequence[int], linked: set[MatrixCell], say: Language) -> Html:
    """Heat map of the matrix; only cells that count a document are drawn."""
    names = [cut(say.of_class(evaluation.classes[k]), _LABEL_CELLS) for k in order]
    margin, size = 24 + max(map(cells_of, names)) * _CHARACTER, _CELL * len(order)
    parts = [rectangle((margin, margin), size, size, "rail")]
    for i, name in enumerate(names):
        middle = margin + _CELL * (i + 0.5) + 4
        turned = f"rotate(-90 {middle:.1f} {margin - 6:.1f})"
        parts.append(label(margin - 6, middle, name, "y"))
        parts.append(element("text", name, x=f"{middle:.1f}", y=f"{margin - 6:.1f}", class_="top", transform=turned))
    for i, k in enumerate(order):
        row = evaluation.confusion[k].tolist()
        parts += [
            _heat_cell((margin + _CELL * j, margin + _CELL * i), evaluation, (k, m), row[m] / sum(row), linked, say)
            for j, m in enumerate(order)
            if row[m]
        ]
    parts.append(label(margin + size / 2, 12, say("predicted class"), "name"))
    turned = f"rotate(-90 12 {margin + size / 2:.1f})"
    parts.append(
        element("text", say("true class"), x=12, y=f"{margin + size / 2:.1f}", class_="name", transform=turned)
    )
    width = margin + size + 4
    name = say("Confusion matrix")
    return drawing(name, *parts, width=width, height=width, kind="chart heat")


def _heat_cell(
    corner: tuple[float, float],
    evaluation: Evaluation,
    cell: MatrixCell,
    proportion: float,
    linked: set[MatrixCell],
    say: Language,
) -> Html:
    true, predicted = (say.of_class(evaluation.classes[k]) for k in cell)
    documents = int(evaluation.confusion[cell])
    tip = f"{true} → {predicted}: {documents:,} ({proportion:.1%})"
    kind = "right" if cell[0] == cell[1] else "wrong linked" if cell in linked else "wrong"
    drawn = rectangle(corner, _CELL, _CELL, kind, tip, opacity=_strength(proportion))
    return element("a", drawn, href=f"#{mistakes_anchor(cell)}") if cell in linked else drawn
