"""Documents of a report: the text with its words highlighted, and a table of what each word adds to the score."""

from collections import defaultdict
from collections.abc import Sequence

from textnb.classifier.explanation import ABSENT, BIAS, REST, Explanation, Stretch, shaded
from textnb.evaluation.charts import probability_bars
from textnb.language import Language, language_of
from textnb.markup import Html, element, folded, joined, scrolling, shown, signed, table
from textnb.report.confusion_matrix import MatrixCell, confusion_cell, mistakes_anchor
from textnb.report.figures import figure
from textnb.report.sections import Section
from textnb.report.values import ExplainedDocument, Report

_N_TERMS = 12
"""Terms in the table of contributions."""

_EXCERPT = 40
"""Characters of the text of a mistake beside its name."""

_MAX_BARS = 8
"""Classes of which the probability is a bar; the others are one bar together."""

_MAX_CHARACTERS = 10_000
"""Characters of a mistake that are shown; a document that the user asked for is shown whole."""


def mistakes(report: Report, say: Language) -> Section | None:
    """Most confident mistakes, folded, under a heading for each pair of true and predicted class."""
    if report.evaluation is None or not (report.mistakes or report.evaluation.accuracy == 1):
        return None
    if not report.mistakes:
        return say("Mistakes"), element("p", say("There are no mistakes."))
    evaluation = report.evaluation
    groups: dict[MatrixCell, list[ExplainedDocument]] = defaultdict(list)
    for document in report.mistakes:
        groups[confusion_cell(document, evaluation.classes)].append(document)
    phrase = "The {shown} most confident of {all} mistakes, by true and predicted class. Open one to see why."
    wrong = sum(number for *_, number in evaluation.confusions())
    note = say(phrase, shown=f"{len(report.mistakes):,}", all=f"{wrong:,}")
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    parts = [_group(cell, documents, evaluation.classes, say) for cell, documents in ordered]
    return say("Mistakes"), joined([element("p", note), *parts])


def _group(cell: MatrixCell, documents: Sequence[ExplainedDocument], classes: Sequence[str], say: Language) -> Html:
    true, predicted = (say.of_class(classes[k]) for k in cell)
    heading = element("h3", say("{true} predicted as {predicted}", true=true, predicted=predicted))
    return element(
        "section", heading, *(_mistake(each, say) for each in documents), id=mistakes_anchor(cell), class_="pair"
    )


def _mistake(document: ExplainedDocument, say: Language) -> Html:
    mistake = document.mistake
    assert mistake is not None
    chances = say(
        "{predicted} {probability}, {true} {of_true}",
        predicted=mistake.predicted,
        true=mistake.true,
        probability=f"{mistake.probability:.1%}",
        of_true=f"{mistake.probability_of_true:.1%}",
    )
    name = element("strong", document.title or document.id, title=document.id)
    begin = (
        [element("span", some, class_="excerpt", lang=language_of(some)), " "] if (some := _excerpt(document)) else []
    )
    title = element("summary", name, " ", *begin, element("span", chances, class_="chances"))
    return element("details", title, _explained(document, say, _MAX_CHARACTERS), class_="document")


def _excerpt(document: ExplainedDocument) -> str:
    """First characters of the text, on one line; without the title, which stands beside them."""
    words = " ".join((document.text or "").removeprefix(document.title).split())
    return words if len(words) <= _EXCERPT else words[:_EXCERPT] + "…"


def suspects(report: Report, say: Language) -> Section | None:
    """Training documents whose left-out answer contradicts their label."""
    if not report.suspects:
        return None
    phrase = "The answers to these training documents, each scored without itself, contradict their labels. Check them."
    columns = ["document", "label", "answer", "probability", "text", "words against the label"]
    rows = [
        (each.id, each.label, each.predicted, each.probability, each.excerpt, each.reasons) for each in report.suspects
    ]
    return say("Suspect labels"), joined([element("p", say(phrase)), table(say("Suspect labels"), columns, rows, say)])


def documents(report: Report, say: Language) -> Section | None:
    """Documents that the user asked for, each shown whole."""
    if not report.documents:
        return None
    parts = [_whole(number, each, say) for number, each in enumerate(report.documents, 1)]
    return say("Documents"), joined(parts)


def _whole(number: int, document: ExplainedDocument, say: Language) -> Html:
    """Document with its title, the probabilities of the classes, and its text."""
    heading = element("h3", document.title or document.id, title=document.id)
    parts = [heading]
    if document.probabilities:
        chart = probability_bars(_shortened(document.probabilities, say), say)
        parts.append(figure(f"probabilities-{number}", chart, ["class", "probability"], document.probabilities, say))
    return element("section", *parts, _explained(document, say, None, fold=True), class_="document")


def _shortened(probabilities: Sequence[tuple[str, float]], say: Language) -> list[tuple[str, float]]:
    """Most probable classes, and the others together."""
    ranked = sorted(probabilities, key=lambda each: -each[1])
    if len(ranked) <= _MAX_BARS + 1:
        return ranked
    others = ranked[_MAX_BARS:]
    name = say("{number} other classes", number=f"{len(others):,}")
    return [*ranked[:_MAX_BARS], (name, sum(probability for _, probability in others))]


def _explained(document: ExplainedDocument, say: Language, longest: int | None, *, fold: bool = False) -> Html:
    """Key of the colours, the text, and the table of contributions, folded or beside the text."""
    explanation = document.explanation
    if document.text is None:
        reading = element("p", say("Only the word counts of this document are stored, so its text cannot be shown."))
    elif not document.text:
        reading = element("p", say("The text is empty."))
    else:
        reading = _text(document, document.text, say, longest)
    parts = [element("div", reading, class_="reading")]
    if explanation is None:
        return joined(parts)
    numbers = _contributions(explanation, say)
    if fold:
        return joined([_key(explanation, say), *parts, folded(say("Numbers of the words"), numbers)])
    return joined([_key(explanation, say), element("div", *parts, numbers, class_="explained")])


def _key(explanation: Explanation, say: Language) -> Html:
    """Key of the colours, and the score."""
    meant, other = (say("supports {label}", label=name) for name in (explanation.label, explanation.against))
    score = say(
        "{label} over {against}: {score}",
        label=explanation.label,
        against=explanation.against,
        score=signed(explanation.score),
    )
    marks = [element("mark", meant, class_="for3"), " ", element("mark", other, class_="against3")]
    return element("p", *marks, " ", element("span", score, class_="score"), class_="key")


def _text(document: ExplainedDocument, text: str, say: Language, longest: int | None) -> Html:
    """Text in a region that scrolls by itself, by keyboard too; at most ``longest`` characters."""
    why = document.explanation
    stretches = [Stretch(text, 0.0, 0)] if why is None else shaded(text, why)
    end = len(text) if longest is None else min(longest, len(text))
    parts, done = [], 0
    for stretch in stretches:
        if done < end:
            parts.append(_stretch(stretch._replace(text=stretch.text[: end - done])))
        done += len(stretch.text)
    more = [element("p", "… ", say("{number} more characters", number=f"{len(text) - end:,}"), class_="note")]
    region = {"role": "region", "aria_label": document.id, "tabindex": "0"}
    whole = element("div", *parts, class_="text", dir="auto", lang=language_of(text), **region)
    return joined([whole, *(more if end < len(text) else [])])


def _stretch(stretch: Stretch) -> Html | str:
    """Stretch of text, highlighted by the sign and size of its value; plain if the value is 0."""
    if not stretch.level:
        return stretch.text
    kind = "for" if stretch.level > 0 else "against"
    return element("mark", stretch.text, class_=f"{kind}{abs(stretch.level)}", title=signed(stretch.value))


def _contributions(explanation: Explanation, say: Language) -> Html:
    """Table of the terms that add most, and the rest; the last row is the sum."""
    own = {BIAS, REST, ABSENT}
    rows = [
        element(
            "tr",
            element("th", say(term) if term in own else term, scope="row"),
            element("td", shown(times), class_="number"),
            element("td", signed(value), class_="number"),
        )
        for term, times, value in explanation.rows(_N_TERMS)
    ]
    head = [element("th", say("term"), scope="col")]
    head += [element("th", say(name), scope="col", class_="number") for name in ("times", "value")]
    last = [
        element("th", say("sum"), scope="row"),
        element("td"),
        element("td", signed(explanation.score), class_="number"),
    ]
    phrase = "What each word adds to the score of {label} over {against}"
    caption = say(phrase, label=explanation.label, against=explanation.against)
    parts = (element("thead", element("tr", *head)), element("tbody", *rows), element("tfoot", element("tr", *last)))
    return scrolling(caption, *parts, class_="contributions")
