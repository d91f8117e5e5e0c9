"""textnb explain."""

import sys
from collections.abc import Collection, Iterable
from pathlib import Path

import click

from textnb.classifier.explanation import ABSENT, BIAS, REST, Explanation, shaded
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.input_sources import input_documents, open_inputs
from textnb.cli.options import inputs
from textnb.cli.options.groups import check_unused, takes, verb
from textnb.cli.options.report import Reporting
from textnb.cli.terminal import print_json, print_table, visible
from textnb.language import spoken
from textnb.readers import Document
from textnb.report.mistakes import subject_of
from textnb.report.values import ExplainedDocument, Report

# Weak words are coloured, strong words have a coloured background: the same order on light and dark terminals.
_FOR = ("", "#3d82c4", "underline bold #3d82c4", "#ffffff on #4a83bd", "bold #ffffff on #0f58ae")
_AGAINST = ("", "#c4661f", "underline bold #c4661f", "#ffffff on #bd7038", "bold #ffffff on #a83f08")


@verb
@inputs.model_path
@inputs.input_names
@click.option("--label", metavar="CLASS", help="Explain this class instead of the most probable one.")
@click.option("--against", metavar="CLASS", help="Compare with this class instead of the next most probable one.")
@inputs.top_option(15)
@inputs.as_json
@inputs.trust
@takes(reading=inputs.InputReading, reporting=Reporting)
def explain(
    model: Path,
    inputs: Collection[str],
    label: str | None,
    against: str | None,
    top: int,
    as_json: bool,
    trust: Collection[str],
    reading: inputs.InputReading,
    reporting: Reporting,
) -> None:
    """Show what each word of a document adds to the score of its class.

    The text is printed with words for the class in blue and words against it in orange; strong words have the stronger
    colour. An n-gram divides its value among its characters. The rows of the table sum to the difference between the
    scores of the two classes. --json lists every occurrence with its position.

    Examples:

        echo '明日は雨が降るでしょう' | textnb explain news.textnb
        textnb explain news.textnb article.txt --html why.html
    """
    if as_json:
        check_unused("top", why="with --json, which lists every term")
    reporting.check(model)
    sources = open_inputs(inputs, reading)
    classifier = TextClassifier.load(model, trust, labels="text")
    explained: Iterable[tuple[Document, Explanation]] = (
        (document, classifier.explain(document, label, against)) for document in input_documents(sources)
    )
    if reporting.html is not None:  # before anything is printed: a closed pipe ends the verb
        explained = list(explained)
        shown = [_on_page(document, explanation, classifier) for document, explanation in explained]
        title = reporting.language("Explained by {model}", model=model.name)
        reporting.write(Report(title, documents=shown), quiet=False)
    for document, explanation in explained:
        if as_json:
            print_json({"id": document.id, **_as_json(explanation)}, indent=None)
        else:
            _print_explanation(document, explanation, top)


def _on_page(document: Document, explanation: Explanation, classifier: TextClassifier) -> ExplainedDocument:
    """Return a document as its page shows it: with its subject or file name, and the probabilities of the classes."""
    classes, (row,) = classifier.classes_.tolist(), classifier.predict_proba([document]).tolist()
    return ExplainedDocument(
        document.id,
        document.text,
        explanation,
        title=subject_of(document) or Path(document.id).name,
        probabilities=list(zip(classes, row, strict=True)),
    )


def _print_explanation(document: Document, explanation: Explanation, top: int) -> None:
    _print_text(document.text, explanation)
    language = spoken()
    title = f"{document.id}: {explanation.label} over {explanation.against}, {explanation.score:+.3f}"
    if explanation.distance is not None:
        title += f"; {language.name('distance from the boundary')} {explanation.distance:.3g}"
    own = {name: language.name(name) for name in (BIAS, REST, ABSENT)}
    rows = [(own.get(term, term), times, value) for term, times, value in explanation.rows(top)]
    print_table(["term", "times", "value"], [*rows, (language.name("sum"), None, explanation.score)], title)


def _print_text(text: str, explanation: Explanation) -> None:
    """Print the text, in colours if the terminal has them."""
    from rich.console import Console
    from rich.text import Text

    shown = Text()
    for stretch in shaded(text, explanation):
        style = _FOR[stretch.level] if stretch.level >= 0 else _AGAINST[-stretch.level]
        shown.append(visible(stretch.text), style)
    Console(file=sys.stdout).print(shown, soft_wrap=True)


def _as_json(explanation: Explanation) -> dict[str, object]:
    facts = {name: getattr(explanation, name) for name in ("label", "against", "score", "bias", "distance")}
    return {**facts, "contributions": [contribution._asdict() for contribution in explanation.contributions]}
