"""textnb words."""

from collections.abc import Collection
from pathlib import Path

import click

from textnb.classifier.facts import CONTRIBUTION, WORD_MEASURES, TermScore
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.groups import check_unused, verb
from textnb.cli.terminal import Format, OutputRows, print_json
from textnb.errors import ParameterError


@verb
@inputs.model_path
@click.option("--class", "classes", metavar="CLASS", multiple=True, help="Show only this class; repeatable.")
@click.option("--by", metavar="MEASURE", default=CONTRIBUTION, help=f"Order: {', '.join(WORD_MEASURES)}.")
@inputs.top_option(20)
@inputs.row_format
@inputs.as_json
@inputs.trust
def words(
    model: Path, classes: Collection[str], by: str, top: int, form: Format, as_json: bool, trust: Collection[str]
) -> None:
    """List the terms that are most typical of each class.

    The value is, with --by contribution, what the term adds to the score of the class over the mean of the other
    classes in an average document of the class; with log-odds, the z-score of the log odds ratio between the class and
    the others, under a Dirichlet prior from all documents; with chi-squared, Pearson's statistic of the documents that
    contain the term. The first is the view of the model; the other two depend on the counts alone.

    The column documents counts the documents of the class that contain the term. The column weight sums the weights of
    the term there: with the weighting raw its occurrences, with log (the default) log(1 + occurrences).

    Examples:

        textnb words news.textnb --class sport --top 10
        textnb words news.textnb --by log-odds
    """
    if as_json:
        check_unused("form", why="with --json")
    if by not in WORD_MEASURES:
        raise ParameterError("--by takes one of {measures}, not {by!r}", measures=", ".join(WORD_MEASURES), by=by)
    classifier = TextClassifier.load(model, trust, labels="text")
    found = {name: classifier.words(name, by=by, top=top) for name in classes or classifier.classes_.tolist()}
    rows = [(name, _row(word)) for name, some in found.items() for word in some]
    if as_json:
        print_json({"by": by, "classes": {name: [row for own, row in rows if own == name] for name in found}})
        return
    table = OutputRows(["class", *TermScore._fields], form)
    for name, row in rows:
        table.row([name, *row.values()])


def _row(word: TermScore) -> dict[str, object]:
    return {"term": word.term, **{key: round(value, 6) for key, value in word._asdict().items() if key != "term"}}
