"""textnb curve."""

from pathlib import Path
from typing import Annotated

import typer

from textnb.cli import options
from textnb.cli.comparing import Choosing, Folding, Repeats, Source, interval_cell
from textnb.cli.output import print_json, print_table
from textnb.cli.pages import curves_report, plotted
from textnb.cli.reporting import Reporting
from textnb.comparison.curve import MEASURES as OF_CURVES
from textnb.comparison.curve import learning_curve
from textnb.errors import InputError
from textnb.report.charts import learning_curve_svg
from textnb.storage import atomic, check_writable

Sizes = Annotated[
    str | None,
    typer.Option(
        "--sizes",
        metavar="N,N,...",
        help="Numbers of training documents.  [default: all outside a fold, half, a quarter, ...]",
        show_default=False,
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw the curves, SVG.", rich_help_panel="Report", show_default=False),
]
PlotOf = Annotated[str, typer.Option("--plot-of", help="accuracy or log_loss.", rich_help_panel="Report")]


def curve(
    corpus: options.CorpusPath,
    choosing: Choosing,
    folding: Folding,
    cutting: options.Cutting,
    reading: options.LabelledReading,
    running: options.Running,
    reporting: Reporting,
    sizes: Sizes = None,
    repeats: Repeats = 1,
    plot: Plot = None,
    plot_of: PlotOf = "accuracy",
    as_json: options.Json = False,
    trust: options.Trust = None,
) -> None:
    """Show how accuracy and log loss change with the number of training documents.

    Every size is tested on the same folds, and the documents of a smaller one are among those of a larger one. Each
    number has its 95 % interval.

    Examples:

        textnb curve news/ --models multinomial,complement

        textnb curve news.counts --recipes recipes.toml --sizes 100,300,1000,3000 --plot curve.svg
    """
    reporting.check(corpus)
    if plot is not None:
        _check_plot(plot, plot_of)
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
    if plot is not None:
        with atomic(plot) as stream:
            stream.write(learning_curve_svg(plot_of.replace("_", " "), plotted(curves, plot_of)).encode())
    if reporting.html is not None:
        reporting.write(curves_report(curves, corpus, reporting.language), running.quiet)
    if as_json:
        print_json({"curves": [each.json for each in curves]})
        return
    for each in curves:
        rows = [(point.documents, *map(interval_cell, (point.accuracy, point.log_loss))) for point in each.points]
        print_table(["training documents", "accuracy", "log loss"], rows, each.name)


def _check_plot(plot: Path, plot_of: str) -> None:
    """Refuse, before any work, a plot of nothing or in the place of something else."""
    if plot_of not in OF_CURVES:
        raise InputError(f"--plot-of takes {' or '.join(OF_CURVES)}, not {plot_of!r}")
    check_writable(plot)
    if plot.exists() and plot.stat().st_size and not plot.read_bytes()[:4] == b"<svg":
        raise InputError(f"{plot} is there already and no SVG drawing; remove it, or choose another name")


def _as_sizes(value: str) -> list[int]:
    parts = [part.strip() for part in value.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InputError(f"--sizes takes whole numbers with commas, as in 100,1000, not {value!r}")
    return [int(part) for part in parts]
