"""Evaluation as HTML for notebooks: measures, classes, confusion matrix, reliability, risk and coverage."""

import math
from typing import Any

from textnb.display import cut, display, pairs
from textnb.evaluation.charts import chart_style, reliability_diagram, risk_coverage_chart
from textnb.language import Language
from textnb.markup import Html, element, scrolling, shown, table
from textnb.numerics import Estimate

_MAX_CLASSES = 40
"""Classes up to which the confusion matrix is shown; beyond that, the most frequent confusions."""

_MAX_CONFUSIONS = 20
_N_SHADES = 8
_SAY = Language("en")


def evaluation_html(evaluation: Any) -> Html:
    """Markup of an Evaluation."""
    low, high = evaluation.accuracy_interval
    measures = [
        ("documents", f"{evaluation.documents:,}"),
        ("accuracy", f"{evaluation.accuracy:.4f} ({low:.4f} to {high:.4f})"),
        ("macro F1", shown(evaluation.macro_f1)),
        ("log loss", shown(evaluation.log_loss)),
        ("Brier", shown(evaluation.brier)),
        ("ECE", shown(evaluation.ece)),
        ("AURC", shown(evaluation.risk_coverage.aurc)),
    ]
    unknown = [("labels unknown to the model", cut(", ".join(evaluation.unknown), 200))] if evaluation.unknown else []
    classes = [(cut(row[0]), *row[1:]) for row in evaluation.per_class()]
    return display(
        element("p", element("strong", "Evaluation")),
        pairs([*measures, *unknown]),
        element("h4", "Classes"),
        table("Classes", ["class", "precision", "recall", "F1", "documents"], classes, _SAY),
        element("h4", "Confusion matrix"),
        _confusion(evaluation),
        element("h4", "Reliability, and risk over coverage"),
        element("div", *_charts(evaluation), class_="figure"),
        element("details", element("summary", "Numbers of risk and coverage"), _coverage(evaluation)),
        style=chart_style(),
    )


def _confusion(evaluation: Any) -> Html:
    if len(evaluation.classes) > _MAX_CLASSES:
        rows = [(cut(true), cut(other), n) for true, other, n in evaluation.confusions()[:_MAX_CONFUSIONS]]
        return table("Most frequent confusions", ["true", "predicted", "documents"], rows, _SAY)
    names = [cut(name, 24) for name in evaluation.classes]
    columns = [element("th", element("span", name), scope="col") for name in names]
    head = element("tr", element("td", "true \\ predicted"), *columns)
    body = []
    for k, (name, row) in enumerate(zip(names, evaluation.confusion.tolist(), strict=True)):
        cells = [_cell(n, n / max(sum(row), 1), is_right=k == j) for j, n in enumerate(row)]
        body.append(element("tr", element("th", name, scope="row"), *cells))
    return scrolling("Confusion matrix", element("thead", head), element("tbody", *body), class_="confusion")


def _cell(documents: int, proportion: float, *, is_right: bool) -> Html:
    shade = math.ceil(math.sqrt(proportion) * _N_SHADES)  # the root makes rare confusions visible
    kind = f"{'right' if is_right else 'wrong'} shade{shade}"
    return element("td", f"{documents:,}" if documents else "·", class_=kind)


def _charts(evaluation: Any) -> tuple[Html, Html]:
    return reliability_diagram(evaluation.reliability, _SAY), risk_coverage_chart(evaluation.risk_coverage, _SAY)


def _coverage(evaluation: Any) -> Html:
    rows = [
        (str(p.threshold), p.documents, f"{p.coverage:.1%}", p.errors, Estimate(p.accuracy, *p.accuracy_interval))
        for p in evaluation.risk_coverage.points()
    ]
    columns = ["unsure below", "answered", "coverage", "errors", "accuracy of the answered"]
    return table("Risk and coverage", columns, rows, _SAY)
