"""textnb explain."""

from typing import Annotated

import typer

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.output import print_json, print_table
from textnb.cli.sources import input_documents
from textnb.explanation import Explanation


def explain(
    model: options.ModelPath,
    reading: options.Reading,
    inputs: options.Inputs = None,
    label: Annotated[str | None, typer.Option("--label", help="Explain this class, not the likeliest.")] = None,
    against: Annotated[str | None, typer.Option("--against", help="Compare with this class, not the next.")] = None,
    top: options.Top = 15,
    as_json: options.Json = False,
    trust: options.Trust = None,
) -> None:
    """Show what each word of a document adds to the score of its class over the next.

    The values and the bias sum to the difference of the two scores. `--json` has every occurrence with its place.

    Example:

        echo '明日は雨が降るでしょう' | textnb explain news.textnb
    """
    classifier = TextClassifier.load(model, trust or ())
    for document in input_documents(inputs, reading):
        explanation = classifier.explain(document, label, against)
        if as_json:
            print_json({"id": document.id, **_as_json(explanation)}, indent=None)
        else:
            title = f"{document.id}: {explanation.label} over {explanation.against}, {explanation.score:+.3f}"
            if explanation.distance is not None:
                title += f"; {explanation.distance:.3g} from the boundary"
            rows = [("(bias)", "", explanation.bias), *explanation.by_term()[:top]]
            print_table(["term", "times", "value"], rows, title)


def _as_json(explanation: Explanation) -> dict[str, object]:
    return {
        "label": explanation.label,
        "against": explanation.against,
        "score": explanation.score,
        "bias": explanation.bias,
        "distance": explanation.distance,
        "contributions": [contribution._asdict() for contribution in explanation.contributions],
    }
