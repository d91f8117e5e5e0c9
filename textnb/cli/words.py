"""textnb words."""

from typing import Annotated

import typer

from textnb.classifier.facts import CONTRIBUTION, WORD_MEASURES, TermScore
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.terminal import Format, OutputRows, print_json
from textnb.errors import InputError


def words(
    model: inputs.ModelPath,
    classes: Annotated[list[str] | None, typer.Option("--class", help="Only this class; may be repeated.")] = None,
    by: Annotated[str, typer.Option("--by", help=f"The order: {', '.join(WORD_MEASURES)}.")] = CONTRIBUTION,
    top: inputs.Top = 20,
    form: Annotated[Format, typer.Option("--format", help="The form of the output.")] = "tsv",
    as_json: inputs.Json = False,
    trust: inputs.Trust = None,
) -> None:
    """List the terms that speak for each class most.

    value: with `--by contribution`, what the term adds to the class's score over the mean of the other classes, in a
    typical document of it; with `log-odds`, how many standard errors its log odds in the class are above those
    elsewhere, under a Dirichlet prior from all documents; with `chi-squared`, Pearson's statistic of the documents that
    have it. The first is the model's own view, the other two are of what it has counted.

    documents: those of the class with the term, and elsewhere. weight: the sum of its weights there; with the
    weighting `raw` its number of occurrences, with `log` (the default) that of log(1 + occurrences).

    Examples:

        textnb words news.textnb --class sport --top 10

        textnb words news.textnb --by log-odds
    """
    if by not in WORD_MEASURES:
        raise InputError(f"--by takes one of {', '.join(WORD_MEASURES)}, not {by!r}")
    classifier = TextClassifier.load(model, trust or ())
    fitted = classifier.fitted
    found = {name: classifier.words(name, by=by, top=top) for name in classes or fitted.classes}
    rows = [(name, _row(word)) for name, some in found.items() for word in some]
    if as_json:
        print_json({"by": by, "classes": {name: [row for own, row in rows if own == name] for name in found}})
        return
    table = OutputRows(["class", *TermScore._fields], form)
    for name, row in rows:
        table.row([name, *row.values()])


def _row(word: TermScore) -> dict[str, object]:
    return {"term": word.term, **{key: round(value, 6) for key, value in word._asdict().items() if key != "term"}}
