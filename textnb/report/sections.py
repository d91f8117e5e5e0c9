"""Sections of a report, but for its documents: summary, models, curves, classes, confusion matrix, reliability, words.

Each is a heading and a body, or None if there is nothing to show. A section depends only on the values of the report,
not on the command that made it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from textnb.evaluation import Evaluation
from textnb.evaluation.charts import dot_plot, learning_curve_chart, rectangle, reliability_diagram, risk_coverage_chart
from textnb.language import Language
from textnb.markup import Cell, Html, digits_for, element, folded, joined, shown, table
from textnb.numerics import Estimate
from textnb.report.confusion_matrix import MAX_TABLE_CLASSES, confusion_matrix
from textnb.report.figures import csv_link, figure
from textnb.report.values import Report, Table, Word

_BAR_WIDTH = 96
"""Width of the longest bar beside a word."""

_PLOTTED = ("accuracy", "log loss")
"""Measures of compared recipes that are plotted."""

_FOLDED = ("Brier", "ECE", "fit, s", "predict, s")
"""Columns of compared recipes that are folded away."""

_MAX_OPEN_LISTS = 12
"""Classes up to which lists of words are open."""

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
    """Yield a card for each measure; losses, which may be small, have one digit more than proportions."""
    digits = digits_for(evaluation.documents)
    low, high = (f"{end:.{digits}f}" for end in evaluation.accuracy_interval)
    interval = element("span", say("{low} to {high}", low=low, high=high), class_="interval")
    correct = say("proportion of correct answers, with its 95 % interval")
    yield _card(say("accuracy"), shown(evaluation.accuracy, digits), correct, interval)
    yield _baseline_card(evaluation, digits, say)
    yield _card(say("macro F1"), shown(evaluation.macro_f1, digits), say("mean F1 of the classes"))
    rows = [
        ("log loss", evaluation.log_loss, say("0 is best; confident mistakes cost most")),
        ("Brier", evaluation.brier, say("squared error of the probabilities, from 0 to 2")),
        ("ECE", evaluation.ece, say("mean gap between confidence and accuracy")),
        ("AURC", evaluation.risk_coverage.aurc, say("area under the curve of risk over coverage; 0 is best")),
    ]
    if report.costs is not None:
        rows.append(("mean cost", report.costs.mean_cost, say("per document, decided by least expected cost")))
    for name, value, meaning in rows:
        yield _card(say(name), shown(value, min(digits + 1, 4)), meaning)


def _baseline_card(evaluation: Evaluation, digits: int, say: Language) -> Html:
    """Accuracy of the same answer to all documents, the most frequent class."""
    documents = evaluation.confusion.sum(axis=1)
    most = int(documents.argmax())
    meaning = say("accuracy of always answering {name}", name=say.of_class(evaluation.classes[most]))
    return _card(say("baseline"), shown(float(documents[most]) / evaluation.documents, digits), meaning)


def _card(name: str, value: str, meaning: str, *beside: Html) -> Html:
    return element(
        "div",
        element("dt", name),
        element("dd", element("strong", value), *beside),
        element("dd", meaning, class_="meaning"),
    )


def models(report: Report, say: Language) -> Section | None:
    """Compared recipes: a dot plot of each measure, a table, and a folded table of the other measures."""
    if report.models is None:
        return None
    columns, rows, documents = report.models
    of_recipe = [digits_for(documents) if _is_measure(report.models, i) else 4 for i in range(len(columns))]
    plots = [
        figure(f"comparison-{what.replace(' ', '-')}", dot_plot(what, values, say), ["recipe", what], values, say)
        for what in _PLOTTED
        if what in columns
        for values in [_column(report.models, what)]
    ]
    title, more = say("Models"), say("Other measures, and seconds per fold")
    at = [i for i, name in enumerate(columns) if name in _FOLDED]
    main = [i for i in range(len(columns)) if i not in at]
    parts = [element("div", *plots, class_="figures")] if plots else []
    for name, some in ((title, main), (more, [0, *at])):
        cells = [_picked(row, some) for row in rows]
        numbers = table(name, _picked(columns, some), cells, say, digits=_picked(of_recipe, some))
        parts += [numbers] if some is main else [folded(name, numbers)] if at else []
    parts.append(element("p", csv_link("comparison", columns, rows, say)))
    return title, joined(parts)


def _column(compared: Table, name: str) -> list[tuple[str, Estimate]]:
    """Names of the rows with their estimates of one measure."""
    at = list(compared.columns).index(name)
    return [(str(row[0]), cell) for row in compared.rows if isinstance(cell := row[at], Estimate)]


def _is_measure(compared: Table, column: int) -> bool:
    return any(isinstance(row[column], Estimate) for row in compared.rows)


def _picked(cells: Sequence[Any], at: Sequence[int]) -> list[Any]:
    return [cells[i] for i in at]


def curves(report: Report, say: Language) -> Section | None:
    """Learning curves: charts and their numbers."""
    if not report.curves:
        return None
    figures = []
    for what, lines in report.curves.items():
        rows = [(line.name, n, each) for line in lines for n, each in zip(line.documents, line.values, strict=True)]
        title = say("Numbers of the curve")
        columns = ["recipe", "training documents", what]
        drawn = figure(f"curve-{what.replace(' ', '-')}", learning_curve_chart(what, lines, say), columns, rows, say)
        figures.append(_beside(drawn, folded(title, table(title, columns, rows, say))))
    note = element("p", say("The band around each line is its 95 % interval."))
    return say("Learning curve"), joined([note, element("div", *figures, class_="figures")])


def learnt(report: Report, say: Language) -> Section | None:
    """Number of training documents of each class."""
    if not report.learnt:
        return None
    rows = list(report.learnt.items())
    title, totals = say("Training documents"), (say("all classes"), sum(report.learnt.values()))
    return title, table(title, ["class", "documents"], rows, say, totals=totals)


def classes(report: Report, say: Language) -> Section | None:
    """Precision, recall and F1 of each class, and their means."""
    if report.evaluation is None:
        return None
    own = report.evaluation.per_class()
    means = [sum(of_class) / len(own) for of_class in list(zip(*own, strict=True))[1:3]]
    totals: list[Cell] = [say("mean or sum"), *means, report.evaluation.macro_f1, report.evaluation.documents]
    columns = ["class", "precision", "recall", "F1", "documents"]
    rows = [(say.of_class(row[0]), *row[1:]) for row in own]
    digits = digits_for(max(row[-1] for row in own))
    title = say("Classes")
    numbers = table(title, columns, rows, say, digits=digits, totals=totals)
    many = len(own) > MAX_TABLE_CLASSES
    shown_numbers = folded(say("{number} classes", number=f"{len(own):,}"), numbers) if many else numbers
    return title, joined([shown_numbers, element("p", csv_link("classes", columns, own, say))])


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
    digits = digits_for(report.evaluation.documents)
    numbers = table(say("Numbers of the diagram"), columns, rows, say, digits=digits)
    chart = reliability_diagram(report.evaluation.reliability, say)
    drawn = _beside(figure("reliability", chart, columns, rows, say), numbers)
    return say("Reliability"), joined([element("p", say(phrase)), drawn])


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
    numbers = table(title, columns, rows, say, digits=digits_for(report.evaluation.documents))
    drawn = _beside(figure("coverage", risk_coverage_chart(curve, say), columns, rows, say), numbers)
    return title, joined([element("p", say(phrase)), drawn])


def words(report: Report, say: Language) -> Section | None:
    """Typical words of each class; n-grams that contain one of them are folded below it."""
    if not report.words:
        return None
    phrase = (
        "Words that the class has more often than the others: the value is the z-score of the log odds ratio. Longer "
        "terms that contain a word of the list are folded below it."
    )
    many = len(report.words) > _MAX_OPEN_LISTS
    lists = [_word_list(name, some, many, say) for name, some in report.words.items()]
    columns = ["class", "term", "value", "documents"]
    rows = [(name, *each[:3]) for name, some in report.words.items() for word in some for each in (word, *word.longer)]
    link = element("p", csv_link("words", columns, rows, say))
    return say("Words of each class"), joined(
        [element("p", say(phrase)), element("div", *lists, class_="columns"), link]
    )


def _word_list(name: str, words: Sequence[Word], closed: bool, say: Language) -> Html:
    """Words of a class under its name; folded if there are many classes."""
    most = max((word.value for word in words), default=0.0)
    rows = element("ol", *(_word_row(word, most, say) for word in words))
    if closed:
        return element("section", folded(name, rows), class_="words")
    return element("section", element("h3", name), rows, class_="words")


def _word_row(word: Word, most: float, say: Language) -> Html:
    width = _BAR_WIDTH * max(min(word.value / most, 1.0), 0.0) if 0 < most < float("inf") else 0.0
    size = f"0 0 {_BAR_WIDTH} 12"
    bar = element("svg", rectangle((0, 3), width, 6, "bar"), viewBox=size, class_="chart meter", aria_hidden="true")
    where = say("{number} documents of the class", number=f"{word.documents:,}")
    cells = [element("span", word.term, class_="term"), bar, element("small", f"{word.value:.1f}", title=where)]
    if not word.longer:
        return element("li", element("div", *cells, class_="word"))
    longer = element("ol", *(_word_row(each, most, say) for each in word.longer))
    return element("li", element("details", element("summary", *cells, class_="word"), longer))


def _beside(drawn: Html, numbers: Html) -> Html:
    """Figure with its numbers beside or below it."""
    return element("div", drawn, numbers, class_="figure")
