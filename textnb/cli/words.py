"""textnb words."""

from typing import Annotated

import typer

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.output import Format, Rows
from textnb.models.words import typical_terms


def words(
    model: options.ModelPath,
    classes: Annotated[list[str] | None, typer.Option("--class", help="Only this class; may be repeated.")] = None,
    top: options.Top = 20,
    form: Annotated[Format, typer.Option("--format", help="The form of the output.")] = "tsv",
    trust: options.Trust = None,
) -> None:
    """List the terms that speak for each class most.

    value: what the term adds to the class's score over the mean of the other classes, in a typical document of it.

    Example:

        textnb words news.textnb --class sport --top 10
    """
    classifier = TextClassifier.load(model, trust or ())
    fitted = classifier.fitted
    rows = Rows(["class", "term", "value", "documents"], form)
    for k in [fitted.number_of(name) for name in classes] if classes else range(len(fitted.classes)):
        containing = fitted.counts.containing[[k]].toarray()[0]
        for column, value in typical_terms(fitted.scorer, fitted.counts, k, top):
            rows.row([fitted.classes[k], fitted.vocabulary.terms[column], round(value, 6), int(containing[column])])
