"""textnb compare."""

from typing import Annotated, Any

import typer

from textnb.cli import options
from textnb.cli.comparing import Choosing, Folding, Repeats, Source, interval_cell, measure_names
from textnb.cli.console import plural, say
from textnb.cli.output import Rows, print_json, print_table
from textnb.cli.pages import comparison_report
from textnb.cli.reporting import Reporting
from textnb.comparison.comparison import Compared, Comparison
from textnb.comparison.comparison import compare as compared
from textnb.comparison.criteria import Scored, scored
from textnb.errors import InputError
from textnb.evaluation.intervals import MEASURES

Criterion = Annotated[
    str, typer.Option("--criterion", metavar="NAME", help="cv, or for models that have it: evidence, bic.")
]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]


def compare(
    corpus: options.CorpusPath,
    choosing: Choosing,
    folding: Folding,
    cutting: options.Cutting,
    reading: options.LabelledReading,
    running: options.Running,
    reporting: Reporting,
    repeats: Repeats = 1,
    criterion: Criterion = "cv",
    as_json: options.Json = False,
    as_csv: Csv = False,
    trust: options.Trust = None,
) -> None:
    """Cross-validate models or recipes on a corpus, side by side.

    Each measure has its 95 % interval. The p are of paired tests against the most accurate recipe, after Holm's
    correction: McNemar's, exact, and the t-test corrected for overlapping training sets. Copies of a document, and
    documents of one group, are never on both sides of a split. Texts are cut into terms once.

    A file of recipes has for each a `[[recipe]]` with name, model, and what `textnb train` can be told: alpha,
    weighting, tokenizer, normalise, ngram, min_df, max_df, max_terms, prior, calibrate, and the model's own options.

    Examples:

        textnb compare news/ --models multinomial,complement

        textnb compare news.counts --recipes recipes.toml --folds 10 --repeats 3 --csv

        textnb compare news.counts --recipes alphas.toml --criterion evidence

        textnb compare news/ --html comparison.html --lang ja
    """
    if as_json and as_csv:
        raise InputError("--json and --csv do not go together")
    if criterion != "cv" and reporting.html is not None:
        raise InputError(f"--html shows what was cross-validated; leave it out, or --criterion {criterion}")
    reporting.check(corpus)
    source = Source(corpus, cutting, reading, running, trust)
    recipes = choosing.chosen(source)
    documents = source.tokenised(recipes)
    if criterion != "cv":
        _print_scored(scored(recipes, documents, criterion), criterion, as_json, as_csv)
        return
    comparison = compared(
        recipes,
        documents,
        folds=folding.folds,
        repeats=repeats,
        seed=folding.seed,
        jobs=running.n_jobs,
        watch=lambda answers: source.watched(answers, recipes, folding.folds, repeats),
    )
    if as_json:
        print_json(comparison.json)
    elif as_csv:
        _print_csv(comparison)
    else:
        _print_comparison(comparison)
    if reporting.html is not None:
        reporting.write(comparison_report(comparison, corpus, reporting.language), running.quiet)
    uncalibrated = [row.name for row in comparison.rows if row.recipe.calibrate and not row.is_calibrated]
    if uncalibrated and not running.quiet:
        say(f"the probabilities of {', '.join(uncalibrated)} could not be calibrated")


def _print_comparison(comparison: Comparison) -> None:
    about = [plural(comparison.documents, "document"), plural(comparison.folds, "fold")]
    if comparison.groups < comparison.documents:
        about[0] += f" in {plural(comparison.groups, 'group')} (copies are of one)"
    if comparison.repeats > 1:
        about.append(plural(comparison.repeats, "repeat"))
    rows = [(row.name, *(interval_cell(row.measures[name]) for name in MEASURES)) for row in comparison.rows]
    print_table(["recipe", *measure_names()], rows, ", ".join(about))
    columns = ["recipe", "fit, s", "predict, s", "p, McNemar", "p, corrected t"]
    print_table(columns, [_tested(row) for row in comparison.rows], "a fold's time, and tests against the best")


def _tested(row: Compared) -> tuple[Any, ...]:
    tests = ("" if p is None else f"{p:.3g}" for p in (row.mcnemar, row.corrected_t))
    return row.name, f"{row.fit_seconds:.3f}", f"{row.predict_seconds:.3f}", *tests


def _print_csv(comparison: Comparison) -> None:
    ends = [f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high")]
    rows = Rows(["recipe", "model", *ends, "fit_seconds", "predict_seconds", "mcnemar_p", "corrected_t_p"], "csv")
    for row in comparison.rows:
        numbers = [number for name in MEASURES for number in row.measures[name]]
        tests = ["" if p is None else p for p in (row.mcnemar, row.corrected_t)]
        rows.row([row.name, row.recipe.model, *numbers, row.fit_seconds, row.predict_seconds, *tests])


def _print_scored(rows: list[Scored], criterion: str, as_json: bool, as_csv: bool) -> None:
    shown = [(row.name, row.recipe.model, str(row.recipe.alpha), row.value, row.behind) for row in rows]
    columns = ["recipe", "model", "alpha", f"log {criterion}" if criterion == "evidence" else criterion, "behind"]
    if as_json:
        print_json({"criterion": criterion, "recipes": [row.json for row in rows]})
    elif as_csv:
        table = Rows(columns, "csv")
        for row in shown:
            table.row(row)
    else:
        print_table(columns, shown)
