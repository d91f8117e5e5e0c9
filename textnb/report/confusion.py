"""The confusion matrix: a table whose cells are shaded by their share of the row, and lead to the mistakes in them."""

import math
from collections.abc import Sequence

from textnb.evaluation import Evaluation
from textnb.report.language import Language
from textnb.report.markup import Html, element, joined
from textnb.report.tables import scrolling, table
from textnb.report.values import ExplainedDocument

_MOST_CLASSES = 40
_MOST_PAIRS = 50
_SHADES = 8
Pair = tuple[int, int]


def place_of(document: ExplainedDocument, classes: Sequence[str]) -> Pair:
    """The row and the column that a mistake is counted in; a true class that is none of them is the last."""
    assert document.mistake is not None
    true, predicted = document.mistake.true, document.mistake.predicted
    return classes.index(true) if true in classes else len(classes) - 1, classes.index(predicted)


def anchor(pair: Pair) -> str:
    """The address on the page of the mistakes of a true and a predicted class."""
    return f"mistakes-{pair[0] + 1}-{pair[1] + 1}"


def confusion_matrix(evaluation: Evaluation, mistakes: Sequence[ExplainedDocument], say: Language) -> Html:
    """The matrix, or of very many classes the most frequent confusions."""
    if len(evaluation.classes) > _MOST_CLASSES:
        rows = [
            (say.of_class(true), say.of_class(other), n) for true, other, n in evaluation.confusions()[:_MOST_PAIRS]
        ]
        return table(say("Most frequent confusions"), ["true", "predicted", "documents"], rows, say)
    linked = {place_of(document, evaluation.classes) for document in mistakes}
    notes = ["A row is a true class, a column what was answered."]
    notes += ["Underlined numbers lead to the mistakes."] if linked else []
    return joined([element("p", say.sentences(*notes)), _matrix(evaluation, linked, say)])


def _matrix(evaluation: Evaluation, linked: set[Pair], say: Language) -> Html:
    names = list(map(say.of_class, evaluation.classes))
    columns = [element("th", element("span", name), scope="col") for name in names]
    over = element("th", say("predicted class"), scope="colgroup", colspan=len(names), class_="over")
    head = [element("tr", element("td", say("true class"), rowspan=2), over), element("tr", *columns)]
    body = []
    for k, (name, row) in enumerate(zip(names, evaluation.confusion.tolist(), strict=True)):
        cells = [_cell((k, j), n, n / max(sum(row), 1), (k, j) in linked) for j, n in enumerate(row)]
        body.append(element("tr", element("th", name, scope="row"), *cells))
    return scrolling(say("Confusion matrix"), element("thead", *head), element("tbody", *body), class_="confusion")


def _cell(pair: Pair, documents: int, share: float, linked: bool) -> Html:
    right = pair[0] == pair[1]
    shade = math.ceil(math.sqrt(share) * _SHADES)  # so that rare confusions differ to the eye
    shown = f"{documents:,}" if documents else "·"
    inside = element("a", shown, href=f"#{anchor(pair)}") if linked else shown
    kind = f"{'right' if right else 'wrong'} shade{shade}"
    return element("td", inside, class_=kind, title=f"{share:.1%}" if documents else None)
