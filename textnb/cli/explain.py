"""textnb explain."""

import sys
from typing import Annotated

import typer

from textnb.classifier.explanation import Explanation, shaded
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.report import Reporting
from textnb.cli.sources import input_documents
from textnb.cli.terminal import print_json, print_table, visible
from textnb.report.values import ExplainedDocument, Report

# Weak words have a coloured letter, strong ones a coloured ground: so they rank alike on light and dark terminals.
_FOR = ("", "#3d82c4", "underline bold #3d82c4", "#ffffff on #4a83bd", "bold #ffffff on #0f58ae")
_AGAINST = ("", "#c4661f", "underline bold #c4661f", "#ffffff on #bd7038", "bold #ffffff on #a83f08")


def explain(
    model: inputs.ModelPath,
    reading: inputs.Reading,
    reporting: Reporting,
    inputs: inputs.Inputs = None,
    label: Annotated[str | None, typer.Option("--label", help="Explain this class, not the likeliest.")] = None,
    against: Annotated[str | None, typer.Option("--against", help="Compare with this class, not the next.")] = None,
    top: inputs.Top = 15,
    as_json: inputs.Json = False,
    trust: inputs.Trust = None,
) -> None:
    """Show what each word of a document adds to the score of its class over the next.

    The text is shown as it was written, words that speak for the class in blue, words against it in orange, the
    stronger the more they say; an n-gram shares its value out over its letters. The rows of the table sum to the
    difference of the two scores. `--json` has every occurrence with its place.

    Examples:

        echo '明日は雨が降るでしょう' | textnb explain news.textnb

        textnb explain news.textnb article.txt --html why.html
    """
    reporting.check(model)
    classifier = TextClassifier.load(model, trust or ())
    explained = []
    for document in input_documents(inputs, reading):
        explanation = classifier.explain(document, label, against)
        if as_json:
            print_json({"id": document.id, **_as_json(explanation)}, indent=None)
        else:
            _print_text(document.text, explanation)
            title = f"{document.id}: {explanation.label} over {explanation.against}, {explanation.score:+.3f}"
            if explanation.distance is not None:
                title += f"; {explanation.distance:.3g} from the boundary"
            rows = [*explanation.rows(top), ("sum", None, explanation.score)]
            print_table(["term", "times", "value"], rows, title)
        if reporting.html is not None:
            explained.append(ExplainedDocument(document.id, document.text, explanation))
    if reporting.html is not None:
        title = reporting.language("Explained by {model}", model=model.name)
        reporting.write(Report(title, documents=explained), quiet=False)


def _print_text(text: str, explanation: Explanation) -> None:
    """The text, coloured if that is a terminal that shows colours."""
    from rich.console import Console
    from rich.text import Text

    shown = Text()
    for stretch in shaded(text, explanation):
        style = _FOR[stretch.level] if stretch.level >= 0 else _AGAINST[-stretch.level]
        shown.append(visible(stretch.text), style)
    Console(file=sys.stdout).print(shown, soft_wrap=True)


def _as_json(explanation: Explanation) -> dict[str, object]:
    return {
        "label": explanation.label,
        "against": explanation.against,
        "score": explanation.score,
        "bias": explanation.bias,
        "distance": explanation.distance,
        "contributions": [contribution._asdict() for contribution in explanation.contributions],
    }
