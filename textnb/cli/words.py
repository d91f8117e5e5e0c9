"""textnb words."""

from typing import Annotated

import typer

from textnb.classifier.facts import MEASURES, TermScore, contributions, words_of
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.terminal import Format, OutputRows, print_json
from textnb.counts import ClassCounts
from textnb.errors import InputError

_CONTRIBUTION = "contribution"
_BY = (_CONTRIBUTION, *MEASURES)


def words(
    model: inputs.ModelPath,
    classes: Annotated[list[str] | None, typer.Option("--class", help="Only this class; may be repeated.")] = None,
    by: Annotated[str, typer.Option("--by", help=f"The order: {', '.join(_BY)}.")] = _CONTRIBUTION,
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
    if by not in _BY:
        raise InputError(f"--by takes one of {', '.join(_BY)}, not {by!r}")
    classifier = TextClassifier.load(model, trust or ())
    fitted = classifier.fitted
    numbers = [fitted.number_of(name) for name in classes] if classes else range(len(fitted.classes))
    found = {fitted.classes[k]: _words(classifier, k, by, top) for k in numbers}
    rows = [(name, _row(classifier, word)) for name, some in found.items() for word in some]
    if as_json:
        print_json({"by": by, "classes": {name: [row for own, row in rows if own == name] for name in found}})
        return
    table = OutputRows(["class", "term", *TermScore._fields[1:]], form)
    for name, row in rows:
        table.row([name, *row.values()])


def _words(classifier: TextClassifier, label: int, by: str, top: int) -> list[TermScore]:
    fitted = classifier.fitted
    stored = _stored(classifier)
    by_model = by == _CONTRIBUTION
    values = contributions(fitted.scorer, fitted.counts, label) if by_model else MEASURES[by](stored, label)
    return words_of(values, stored, label, top)


def _stored(classifier: TextClassifier) -> ClassCounts:
    """What has been counted of the terms that the model uses, before any idf."""
    counts, vocabulary = classifier.learnt.counts, classifier.fitted.vocabulary
    assert counts.vocabulary is not None
    return counts.selected(counts.vocabulary.columns_of(vocabulary))


def _row(classifier: TextClassifier, word: TermScore) -> dict[str, object]:
    term = classifier.fitted.vocabulary.terms[word.column]
    return {"term": term, **{key: round(value, 6) for key, value in word._asdict().items() if key != "column"}}
