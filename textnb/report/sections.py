"""The sections of a report but for its documents. Each is a heading and a body, or None where there is nothing to show.

A section never asks what the report is for: it shows what it is given.

The confusion matrix: a table whose cells are shaded by their share of the row, and lead to the mistakes in them.
"""

import math
from collections.abc import Iterator, Sequence

from textnb.evaluation import Evaluation
from textnb.language import Language
from textnb.markup import Html, element, joined, scrolling, shown, table
from textnb.numerics import Estimate
from textnb.report.charts import learning_curve_chart, rectangle, reliability_diagram, risk_coverage_chart
from textnb.report.values import ExplainedDocument, Report, Word

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


Section = tuple[str, Html]
_BAR = 96


def summary(report: Report, say: Language) -> Section | None:
    """What was done, and the numbers that say how well it went."""
    told = list(report.facts)
    if report.evaluation is not None:
        told.insert(0, ("documents", f"{report.evaluation.documents:,}"))
    facts = [element("div", element("dt", say.name(name)), element("dd", value)) for name, value in told]
    parts = [element("dl", *facts, class_="facts")] if facts else []
    parts += [element("p", note, class_="note") for note in report.notes]
    if report.evaluation is not None:
        parts.append(element("dl", *_numbers(report, report.evaluation, say), class_="cards"))
        unknown = report.evaluation.unknown
        if unknown:
            phrase = "{number} labels are unknown to the model and always count as mistakes: {names}"
            names = ", ".join(unknown)
            parts.append(element("p", say(phrase, number=str(len(unknown)), names=names), class_="note"))
    return (say("Summary"), joined(parts)) if parts else None


def _numbers(report: Report, evaluation: Evaluation, say: Language) -> Iterator[Html]:
    low, high = (f"{end:.4f}" for end in evaluation.accuracy_interval)
    rows: list[tuple[str, float, str]] = [
        ("accuracy", evaluation.accuracy, say("share answered rightly, with its 95 % interval")),
        ("macro F1", evaluation.macro_f1, say("mean of the classes' F1")),
        ("log loss", evaluation.log_loss, say("0 at best; dear where a sure answer is wrong")),
        ("Brier", evaluation.brier, say("squared error of the probabilities, 0 to 2")),
        ("ECE", evaluation.ece, say("how far probabilities are from what happens")),
        ("AURC", evaluation.risk_coverage.aurc, say("share of errors, the surest answered first")),
    ]
    if report.costs is not None:
        rows.append(("mean cost", report.costs.mean_cost, say("of a document, decided by least expected cost")))
    for name, value, meaning in rows:
        interval = [element("span", say("{low} to {high}", low=low, high=high), class_="interval")]
        yield element(
            "div",
            element("dt", say(name)),
            element("dd", element("strong", shown(value)), *(interval if name == "accuracy" else [])),
            element("dd", meaning, class_="meaning"),
        )


def models(report: Report, say: Language) -> Section | None:
    """The table of models."""
    if report.models is None:
        return None
    return say("Models"), table(say("Models"), report.models.columns, report.models.rows, say)


def curves(report: Report, say: Language) -> Section | None:
    """Learning curves as charts, with their numbers."""
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
    """How many documents of each class were learnt."""
    if not report.learnt:
        return None
    rows = list(report.learnt.items())
    return say("Documents learnt"), table(say("Documents learnt"), ["class", "documents"], rows, say)


def classes(report: Report, say: Language) -> Section | None:
    """Precision, recall and F1 of each class."""
    if report.evaluation is None:
        return None
    rows = [(say.of_class(row[0]), *row[1:]) for row in report.evaluation.per_class()]
    return say("Classes"), table(say("Classes"), ["class", "precision", "recall", "F1", "documents"], rows, say)


def confusion(report: Report, say: Language) -> Section | None:
    """Who is taken for whom."""
    if report.evaluation is None:
        return None
    return say("Confusion matrix"), confusion_matrix(report.evaluation, report.mistakes, say)


def reliability(report: Report, say: Language) -> Section | None:
    """The reliability diagram and its numbers."""
    if report.evaluation is None:
        return None
    bins = report.evaluation.reliability.bins
    columns = ["probability of the answer", "documents", "mean probability", "accuracy"]
    rows = [
        (f"{b.low:.2f}–{b.high:.2f}", b.documents, b.confidence, Estimate(b.accuracy, *b.accuracy_interval))
        for b in bins
    ]
    phrase = (
        "On the dashed line probabilities mean what they say; below it answers are too sure. Bars show 95 % intervals."
    )
    numbers = table(say("Numbers of the diagram"), columns, rows, say)
    figure = _figure(reliability_diagram(report.evaluation.reliability, say), numbers)
    return say("Reliability"), joined([element("p", say(phrase)), figure])


def coverage(report: Report, say: Language) -> Section | None:
    """Risk over coverage, and the thresholds to choose from."""
    if report.evaluation is None:
        return None
    curve = report.evaluation.risk_coverage
    columns = ["unsure below", "answered", "coverage", "errors", "accuracy of the answered"]
    rows = [
        (str(p.threshold), p.documents, f"{p.coverage:.1%}", p.errors, Estimate(p.accuracy, *p.accuracy_interval))
        for p in curve.points()
    ]
    title = say("Answering only the surest")
    phrase = "If documents below a probability are left unanswered (textnb predict --unsure), fewer answers are wrong."
    figure = _figure(risk_coverage_chart(curve, say), table(title, columns, rows, say))
    return title, joined([element("p", say(phrase)), figure])


def words(report: Report, say: Language) -> Section | None:
    """The words of each class, with what they add."""
    if not report.words:
        return None
    note = element("p", say("The words that add most to the score of the class in a typical document of it."))
    lists = [
        element("section", element("h3", name), element("ol", *_word_rows(of_class, say)), class_="words")
        for name, of_class in report.words.items()
    ]
    return say("Words of each class"), joined([note, element("div", *lists, class_="columns")])


def _word_rows(rows: Sequence[Word], say: Language) -> Iterator[Html]:
    most = max((word.value for word in rows), default=0.0)
    for term, value, documents in rows:
        width = _BAR * max(min(value / most, 1.0), 0.0) if 0 < most < float("inf") else 0.0
        bar = element(
            "svg",
            rectangle((0, 3), width, 6, "bar"),
            viewBox=f"0 0 {_BAR} 12",
            class_="chart meter",
            aria_hidden="true",
        )
        where = say("{number} documents of the class", number=f"{documents:,}")
        yield element("li", element("span", term, class_="term"), bar, element("small", shown(value), title=where))


def _figure(chart: Html, numbers: Html) -> Html:
    """A chart, and its numbers beside or below it."""
    return element("div", element("figure", chart), numbers, class_="figure")
