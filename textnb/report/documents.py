"""Documents of a report: the text with its words highlighted, and a table of what each word adds to the score."""

from collections import defaultdict
from collections.abc import Sequence

from textnb.classifier.explanation import ABSENT, BIAS, REST, Explanation, Stretch, shaded
from textnb.language import Language, language_of
from textnb.markup import Html, element, joined, scrolling, shown, signed
from textnb.report.confusion_matrix import MatrixCell, confusion_cell, mistakes_anchor
from textnb.report.sections import Section
from textnb.report.values import ExplainedDocument, Report

_N_TERMS = 12
"""Terms in the table of contributions."""

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
    title = element("summary", element("strong", document.id), " ", element("span", chances, class_="chances"))
    return element("details", title, _explained(document, say, _MAX_CHARACTERS), class_="document")


def documents(report: Report, say: Language) -> Section | None:
    """Documents that the user asked for, each shown whole."""
    if not report.documents:
        return None
    parts = [
        element("section", element("h3", each.id), _explained(each, say, None), class_="document")
        for each in report.documents
    ]
    return say("Documents"), joined(parts)


def _explained(document: ExplainedDocument, say: Language, longest: int | None) -> Html:
    """Key of the colours, the text, and the table of contributions."""
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
    parts.append(_contributions(explanation, say))
    return joined([_key(explanation, say), element("div", *parts, class_="explained")])


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
