"""textnb curve."""

from typing import Annotated

import typer

from textnb.cli import options
from textnb.cli.comparing import Choosing, Folding, Repeats, Source, interval_cell
from textnb.cli.output import print_json, print_table
from textnb.comparison.curve import learning_curve
from textnb.errors import InputError

Sizes = Annotated[
    str | None,
    typer.Option(
        "--sizes",
        metavar="N,N,...",
        help="Numbers of training documents.  [default: all outside a fold, half, a quarter, ...]",
        show_default=False,
    ),
]


def curve(
    corpus: options.CorpusPath,
    choosing: Choosing,
    folding: Folding,
    cutting: options.Cutting,
    reading: options.LabelledReading,
    running: options.Running,
    sizes: Sizes = None,
    repeats: Repeats = 1,
    as_json: options.Json = False,
    trust: options.Trust = None,
) -> None:
    """Show how accuracy and log loss change with the number of training documents.

    Every size is tested on the same folds, and the documents of a smaller one are among those of a larger one. Each
    number has its 95 % interval.

    Examples:

        textnb curve news/ --models multinomial,complement

        textnb curve news.counts --recipes recipes.toml --sizes 100,300,1000,3000
    """
    source = Source(corpus, cutting, reading, running, trust)
    numbers = None if sizes is None else _as_sizes(sizes)
    recipes = choosing.chosen(source)
    documents = source.tokenised(recipes)
    curves = learning_curve(
        recipes,
        documents,
        sizes=numbers,
        folds=folding.folds,
        repeats=repeats,
        seed=folding.seed,
        jobs=running.n_jobs,
        watch=lambda learning: source.watched(learning, recipes, folding.folds, repeats),
    )
    if as_json:
        print_json({"curves": [each.json for each in curves]})
        return
    for each in curves:
        rows = [(point.documents, *map(interval_cell, (point.accuracy, point.log_loss))) for point in each.points]
        print_table(["training documents", "accuracy", "log loss"], rows, each.name)


def _as_sizes(value: str) -> list[int]:
    parts = [part.strip() for part in value.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InputError(f"--sizes takes whole numbers with commas, as in 100,1000, not {value!r}")
    return [int(part) for part in parts]
