"""Sections of a report, but for its documents: summary, models, curves, classes, confusion matrix, reliability, words.

Each is a heading and a body, or None if there is nothing to show. A section depends only on the values of the report,
not on the command that made it.
"""

from collections.abc import Iterator, Sequence

from textnb.evaluation import Evaluation
from textnb.language import Language
from textnb.markup import Html, element, joined, shown, table
from textnb.numerics import Estimate
from textnb.report.charts import learning_curve_chart, rectangle, reliability_diagram, risk_coverage_chart
from textnb.report.confusion_matrix import confusion_matrix
from textnb.report.values import Report, Word

_BAR_WIDTH = 96
"""Width of the longest bar beside a word."""

Section = tuple[str, Html]


def summary(report: Report, say: Language) -> Section | None:
    """What was done, and the metrics of the evaluation."""
    rows = list(report.facts)
    if report.evaluation is not None:
        rows.insert(0, ("documents", f"{report.evaluation.documents:,}"))
    facts = [element("div", element("dt", say.name(name)), element("dd", value)) for name, value in rows]
    parts = [element("dl", *facts, class_="facts")] if facts else []
    parts += [element("p", note, class_="note") for note in report.notes]
    if report.evaluation is not None:
        notes = group_notes(report.evaluation.documents, report.evaluation.groups, say)
        parts += [element("p", note, class_="note") for note in notes]
        parts.append(element("dl", *_metric_cards(report, report.evaluation, say), class_="cards"))
        unknown = report.evaluation.unknown
        if unknown:
            phrase = "Labels unknown to the model, always counted as mistakes: {names}"
            parts.append(element("p", say(phrase, names=", ".join(unknown)), class_="note"))
    return (say("Summary"), joined(parts)) if parts else None


def group_notes(documents: int, groups: int, say: Language) -> list[str]:
    """Note on copies, if there are any."""
    phrase = (
        "There are {groups} different documents or groups; copies of a document are one observation in the intervals."
    )
    return [say(phrase, groups=f"{groups:,}")] if groups < documents else []


def _metric_cards(report: Report, evaluation: Evaluation, say: Language) -> Iterator[Html]:
    low, high = (f"{end:.4f}" for end in evaluation.accuracy_interval)
    rows: list[tuple[str, float, str]] = [
        ("accuracy", evaluation.accuracy, say("proportion of correct answers, with its 95 % interval")),
        ("macro F1", evaluation.macro_f1, say("mean F1 of the classes")),
        ("log loss", evaluation.log_loss, say("0 is best; confident mistakes cost most")),
        ("Brier", evaluation.brier, say("squared error of the probabilities, from 0 to 2")),
        ("ECE", evaluation.ece, say("mean gap between confidence and accuracy")),
        ("AURC", evaluation.risk_coverage.aurc, say("area under the curve of risk over coverage; 0 is best")),
    ]
    if report.costs is not None:
        rows.append(("mean cost", report.costs.mean_cost, say("per document, decided by least expected cost")))
    for name, value, meaning in rows:
        interval = [element("span", say("{low} to {high}", low=low, high=high), class_="interval")]
        yield element(
            "div",
            element("dt", say(name)),
            element("dd", element("strong", shown(value)), *(interval if name == "accuracy" else [])),
            element("dd", meaning, class_="meaning"),
        )


def models(report: Report, say: Language) -> Section | None:
    """Table of compared recipes."""
    if report.models is None:
        return None
    return say("Models"), table(say("Models"), report.models.columns, report.models.rows, say)


def curves(report: Report, say: Language) -> Section | None:
    """Learning curves: charts and their numbers."""
    if not report.curves:
        return None
    figures = []
    for what, lines in report.curves.items():
        rows = [(line.name, n, each) for line in lines for n, each in zip(line.documents, line.values, strict=True)]
        title = say("Numbers of the curve")
        numbers = table(title, ["recipe", "training documents", what], rows, say)
        folded = element("details", element("summary", title), numbers)
        figures.append(_figure(learning_curve_chart(what, lines, say), folded))
    note = element("p", say("The band around each line is its 95 % interval."))
    return say("Learning curve"), joined([note, element("div", *figures, class_="figures")])


def learnt(report: Report, say: Language) -> Section | None:
    """Number of training documents of each class."""
    if not report.learnt:
        return None
    rows = list(report.learnt.items())
    return say("Training documents"), table(say("Training documents"), ["class", "documents"], rows, say)


def classes(report: Report, say: Language) -> Section | None:
    """Precision, recall and F1 of each class."""
    if report.evaluation is None:
        return None
    rows = [(say.of_class(row[0]), *row[1:]) for row in report.evaluation.per_class()]
    return say("Classes"), table(say("Classes"), ["class", "precision", "recall", "F1", "documents"], rows, say)


def confusion(report: Report, say: Language) -> Section | None:
    """Confusion matrix."""
    if report.evaluation is None:
        return None
    return say("Confusion matrix"), confusion_matrix(report.evaluation, report.mistakes, say)


def reliability(report: Report, say: Language) -> Section | None:
    """Reliability diagram and its numbers."""
    if report.evaluation is None:
        return None
    bins = report.evaluation.reliability.bins
    columns = ["confidence", "documents", "mean confidence", "accuracy"]
    rows = [
        (f"{b.low:.2f}–{b.high:.2f}", b.documents, b.confidence, Estimate(b.accuracy, *b.accuracy_interval))
        for b in bins
    ]
    phrase = (
        "Confidence is the probability of the predicted class. On the dashed line it equals accuracy; below the line "
        "answers are overconfident. Vertical bars are 95 % intervals."
    )
    numbers = table(say("Numbers of the diagram"), columns, rows, say)
    figure = _figure(reliability_diagram(report.evaluation.reliability, say), numbers)
    return say("Reliability"), joined([element("p", say(phrase)), figure])


def coverage(report: Report, say: Language) -> Section | None:
    """Risk over coverage: chart and table of thresholds."""
    if report.evaluation is None:
        return None
    curve = report.evaluation.risk_coverage
    columns = ["unsure below", "answered", "coverage", "errors", "accuracy of the answered"]
    rows = [
        (str(p.threshold), p.documents, f"{p.coverage:.1%}", p.errors, Estimate(p.accuracy, *p.accuracy_interval))
        for p in curve.points()
    ]
    title = say("Risk and coverage")
    phrase = "If documents of low confidence are left unanswered (textnb predict --unsure), fewer answers are wrong."
    figure = _figure(risk_coverage_chart(curve, say), table(title, columns, rows, say))
    return title, joined([element("p", say(phrase)), figure])


def words(report: Report, say: Language) -> Section | None:
    """Words that add most to the score of each class."""
    if not report.words:
        return None
    note = element("p", say("Words that add most to the score of the class in a typical document of the class."))
    lists = [
        element("section", element("h3", name), element("ol", *_word_rows(of_class, say)), class_="words")
        for name, of_class in report.words.items()
    ]
    return say("Words of each class"), joined([note, element("div", *lists, class_="columns")])


def _word_rows(rows: Sequence[Word], say: Language) -> Iterator[Html]:
    most = max((word.value for word in rows), default=0.0)
    for term, value, documents in rows:
        width = _BAR_WIDTH * max(min(value / most, 1.0), 0.0) if 0 < most < float("inf") else 0.0
        bar = element(
            "svg",
            rectangle((0, 3), width, 6, "bar"),
            viewBox=f"0 0 {_BAR_WIDTH} 12",
            class_="chart meter",
            aria_hidden="true",
        )
        where = say("{number} documents of the class", number=f"{documents:,}")
        yield element("li", element("span", term, class_="term"), bar, element("small", shown(value), title=where))


def _figure(chart: Html, numbers: Html) -> Html:
    """Chart with its numbers beside or below it."""
    return element("div", element("figure", chart), numbers, class_="figure")
