"""Confusion matrix of a report: a table of true and predicted classes, shaded, with links to the mistakes."""

import math
from collections.abc import Sequence

from textnb.evaluation import Evaluation
from textnb.language import Language
from textnb.markup import Html, element, joined, scrolling, table
from textnb.report.values import ExplainedDocument

MAX_MATRIX_CLASSES = 40
"""Classes up to which the confusion matrix is drawn; beyond that the most frequent confusions are listed."""

_MAX_CONFUSIONS = 50
_N_SHADES = 8
"""Shades of the cells of the confusion matrix in page.css."""

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
    """Confusion matrix with cells shaded by their proportion of the row and linked to mistakes.

    More than ``MAX_MATRIX_CLASSES`` classes are shown by their most frequent confusions.
    """
    if len(evaluation.classes) > MAX_MATRIX_CLASSES:
        rows = [
            (say.of_class(true), say.of_class(other), n) for true, other, n in evaluation.confusions()[:_MAX_CONFUSIONS]
        ]
        return table(say("Most frequent confusions"), ["true", "predicted", "documents"], rows, say)
    linked = {confusion_cell(document, evaluation.classes) for document in mistakes}
    notes = ["Rows are true classes, columns are predicted classes."]
    notes += ["Underlined numbers link to the mistakes."] if linked else []
    return joined([element("p", say.sentences(*notes)), _matrix(evaluation, linked, say)])


def _matrix(evaluation: Evaluation, linked: set[MatrixCell], say: Language) -> Html:
    names = list(map(say.of_class, evaluation.classes))
    columns = [element("th", element("span", name), scope="col") for name in names]
    over = element("th", say("predicted class"), scope="colgroup", colspan=len(names), class_="over")
    head = [element("tr", element("td", say("true class"), rowspan=2), over), element("tr", *columns)]
    body = []
    for k, (name, row) in enumerate(zip(names, evaluation.confusion.tolist(), strict=True)):
        cells = [_cell((k, j), n, n / max(sum(row), 1), (k, j) in linked) for j, n in enumerate(row)]
        body.append(element("tr", element("th", name, scope="row"), *cells))
    return scrolling(say("Confusion matrix"), element("thead", *head), element("tbody", *body), class_="confusion")


def _cell(cell: MatrixCell, documents: int, proportion: float, linked: bool) -> Html:
    right = cell[0] == cell[1]
    shade = math.ceil(math.sqrt(proportion) * _N_SHADES)  # the root makes rare confusions visible
    shown = f"{documents:,}" if documents else "·"
    inside = element("a", shown, href=f"#{mistakes_anchor(cell)}") if linked else shown
    kind = f"{'right' if right else 'wrong'} shade{shade}"
    return element("td", inside, class_=kind, title=f"{proportion:.1%}" if documents else None)
