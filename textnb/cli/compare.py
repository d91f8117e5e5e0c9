"""textnb compare and textnb curve."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from textnb.cli.options.cluster import Clustering
from textnb.cli.options.comparison import Comparing, comparing, interval_cell, measure_names
from textnb.cli.options.groups import FILE, check_unused, takes, verb
from textnb.cli.options.output import check_output_table
from textnb.cli.terminal import OutputRows, plural, print_json, print_table, print_text, say
from textnb.comparison.comparison import Compared, Comparison, comparison_of
from textnb.comparison.comparison import compare as compared
from textnb.comparison.criteria import Scored, score_recipes
from textnb.comparison.cross_validation import TokenizedDocuments
from textnb.comparison.curve import learning_curve
from textnb.distributed.cross_validation import CountedOnCluster, cross_validated_on
from textnb.errors import ParameterError
from textnb.evaluation.intervals import MEASURES
from textnb.evaluation.splits import repeated_folds
from textnb.files.table_file import table_writer
from textnb.language import spoken
from textnb.report.contents import advice_lines, comparison_report, curves_report


@verb
@click.option("--criterion", metavar="NAME", default="cv", help="cv; evidence or bic for models that have it.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option(
    "--answers",
    metavar="FILE",
    type=FILE,
    help="Write the answers to held-out documents: .csv, .tsv, .jsonl or .xlsx.",
)
@takes(clustering=Clustering)
@comparing
def compare(given: Comparing, criterion: str, as_csv: bool, answers: Path | None, clustering: Clustering) -> None:
    """Cross-validate models or recipes on a corpus, side by side.

    Each measure has a 95 % interval; with fewer than about 100 documents, or with many rare classes, those of macro F1,
    log loss and Brier are too narrow. The p-values are of paired tests against the most accurate recipe: McNemar's
    exact test, and the t-test corrected for overlapping training sets. The most accurate of recipes that answer equally
    well is ahead by luck, so all pairs are tested and the p-values corrected for their number (Holm): if recipes answer
    equally well, a p-value falls to .05 or below in at most 5 % of comparisons. Copies of a document, and documents of
    one group, are never on both sides of a split, and count as one observation in intervals and in McNemar's test.
    Texts are tokenized once. The last line says which model to use. A class that the folds cannot split, because it has
    too few different documents, is left out with a warning; --min-documents and --exclude-class leave out more.

    --answers FILE has one row per document: its id, its label, and label and probability by each recipe, learnt without
    the fold of the document (in the first repeat).

    A file of recipes has one [[recipe]] each, with name, model, and the options of textnb train: alpha, weighting,
    tokenizer, normalise, ngram, min_df, max_df, max_terms, prior, calibrate, and the model's own options.

    Examples:

        textnb compare news/ --models multinomial,complement
        textnb compare news.counts --recipes recipes.toml --folds 10 --repeats 3 --csv
        textnb compare news.counts --recipes alphas.toml --criterion evidence
        textnb compare 問い合わせ.csv --label 担当部署 --min-documents 10 --answers answers.xlsx
        textnb compare news/ --html comparison.html --lang ja
        textnb compare 'news/*.parquet' --dask local
    """
    clustering.check()
    if given.as_json and as_csv:
        raise ParameterError("--json and --csv exclude each other; use one of them")
    reporting = given.reporting
    if criterion != "cv" and reporting.html is not None:
        raise ParameterError("--html needs a cross-validation; leave out --html or --criterion {name}", name=criterion)
    if criterion != "cv":
        check_unused("folds", "repeats", "seed", "calibrate", "answers", "dask", why=f"with --criterion {criterion}")
    reporting.check(*map(Path, given.corpora))
    check_output_table(answers, given.corpora)
    if criterion != "cv":
        recipes, documents = given.recipes_and_documents(by_folds=False)
        _print_scored(score_recipes(recipes, documents, criterion), criterion, given.as_json, as_csv)
        return
    documents, comparison = _compared(given) if clustering.dask is None else _compared_on_cluster(given, clustering)
    if reporting.html is not None:  # before anything is printed: a closed pipe ends the verb
        reporting.write(comparison_report(comparison, given.corpus, reporting.language), given.running.quiet)
    if answers is not None:
        _write_answers(answers, comparison, documents, given.running.quiet)
    if given.as_json:
        print_json(comparison.json)
    elif as_csv:
        _print_csv(comparison)
    else:
        _print_comparison(comparison)
    if not given.running.quiet:
        _say_uncalibrated(comparison)


def _compared(given: Comparing) -> tuple[TokenizedDocuments, Comparison]:
    recipes, documents = given.recipes_and_documents()
    return documents, compared(recipes, documents, **given.cross_validation(recipes))


def _compared_on_cluster(given: Comparing, clustering: Clustering) -> tuple[TokenizedDocuments, Comparison]:
    """Compare the recipes on a cluster; return what is known of the documents, without their counts, as well."""
    source, folding = given.source, given.folding
    recipes = given.choosing.chosen(source, given.tokenizing, given.trust)
    with clustering.run(source, given.running) as run:
        counted = CountedOnCluster(run, recipes, clustering.folder)
        documents = folding.chosen(counted.documents, repeats=given.repeats)
        fold_of = repeated_folds(documents.labels, documents.groups, folding.folds, given.repeats, folding.seed)
        validated = cross_validated_on(counted, recipes, documents, fold_of)
    return documents, comparison_of(validated, documents, fold_of, folding.seed)


def _say_uncalibrated(comparison: Comparison) -> None:
    uncalibrated = [row.name for row in comparison.rows if row.recipe.calibrate and not row.is_calibrated]
    if uncalibrated:
        say("the probabilities of {recipes} could not be calibrated", recipes=spoken()(", ").join(uncalibrated))


def _print_comparison(comparison: Comparison) -> None:
    language = spoken()
    about = [plural(comparison.documents, "document"), plural(comparison.folds, "fold")]
    if comparison.groups < comparison.documents:
        groups = plural(comparison.groups, "group")
        about[0] += language(" in {groups} (copies of a document are one group)", groups=groups)
    if comparison.repeats > 1:
        about.append(plural(comparison.repeats, "repeat"))
    rows = [(row.name, *(interval_cell(row.measures[name]) for name in MEASURES)) for row in comparison.rows]
    print_table(["recipe", *measure_names()], rows, language(", ").join(about))
    columns = ["recipe", "fit, s", "predict, s", "p, McNemar", "p, corrected t"]
    print_table(columns, [_tested(row) for row in comparison.rows], "time per fold, and tests against the best recipe")
    print_text(language.sentences(*advice_lines(comparison.advice, language)))


def _write_answers(path: Path, comparison: Comparison, documents: TokenizedDocuments, quiet: bool) -> None:
    """Write the answers of the first repeat, one row per document."""
    columns = [f"{what}({row.name})" for row in comparison.rows for what in ("label", "probability")]
    predicted = [row.predicted.tolist() for row in comparison.rows]
    probability = [row.probability.tolist() for row in comparison.rows]
    with table_writer(path, ["id", "label", *columns]) as write:
        for i, (name, label) in enumerate(zip(documents.ids, documents.labels, strict=True)):
            pairs = zip(predicted, probability, strict=True)
            write([name, label], [cell for y, p in pairs for cell in (documents.classes[y[i]], p[i])])
    if not quiet:
        say("wrote {rows} to {path}", rows=plural(len(documents.labels), "row"), path=path)


def _tested(row: Compared) -> tuple[Any, ...]:
    tests = ("" if p is None else f"{p:.3g}" for p in (row.mcnemar, row.corrected_t))
    return row.name, f"{row.fit_seconds:.3f}", f"{row.predict_seconds:.3f}", *tests


def _print_csv(comparison: Comparison) -> None:
    ends = [f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high")]
    rows = OutputRows(["recipe", "model", *ends, "fit_seconds", "predict_seconds", "mcnemar_p", "corrected_t_p"], "csv")
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
        table = OutputRows(columns, "csv")
        for row in shown:
            table.row(row)
    else:
        print_table(columns, shown)


@verb
@click.option(
    "--sizes", metavar="N,N,...", help="Numbers of training documents.  [default: all outside a fold, 1/2, 1/4 ...]"
)
@comparing
def curve(given: Comparing, sizes: str | None) -> None:
    """Show how accuracy and log loss change with the number of training documents.

    Every size is tested on the same folds, and the documents of a smaller size are among those of a larger one. Each
    number has a 95 % interval, in which copies of a document are one observation; with fewer than about 100 documents
    that of log loss is too narrow.

    Examples:

        textnb curve news/ --models multinomial,complement
        textnb curve news.counts --recipes recipes.toml --sizes 100,300,1000,3000 --html curve.html
    """
    reporting = given.reporting
    reporting.check(*map(Path, given.corpora))
    numbers = None if sizes is None else _as_sizes(sizes)
    recipes, documents = given.recipes_and_documents()
    curves = learning_curve(recipes, documents, sizes=numbers, **given.cross_validation(recipes))
    if reporting.html is not None:
        reporting.write(curves_report(curves, given.corpus, reporting.language), given.running.quiet)
    if given.as_json:
        print_json({"curves": [each.json for each in curves]})
        return
    for each in curves:
        rows = [(point.documents, *map(interval_cell, (point.accuracy, point.log_loss))) for point in each.points]
        print_table(["training documents", "accuracy", "log loss"], rows, each.name)


def _as_sizes(value: str) -> list[int]:
    with suppress(ValueError):  # not digits, or more of them than int takes
        return [int(part) for part in value.split(",")]
    raise ParameterError("--sizes takes whole numbers separated by commas, as in 100,1000, not {value!r}", value=value)
