"""textnb predict."""

import sys
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path

import click
import numpy as np

from textnb.address import Location, location
from textnb.classifier.answer_cells import AnswerCells
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.answer_rows import Kept, WriteAnswer, noted, printed_rows, stored_rows
from textnb.cli.input_sources import InputSource, input_corpora, open_inputs
from textnb.cli.options import inputs
from textnb.cli.options.cluster import cluster_run
from textnb.cli.options.decision import Deciding
from textnb.cli.options.groups import FILE, check_unused, takes, verb
from textnb.cli.options.output import Writing
from textnb.cli.output_folder import OutputFolder
from textnb.cli.sources import check_not_among, check_not_input
from textnb.cli.terminal import Format, plural, say, warn
from textnb.cli.throughput import Input, Throughput
from textnb.counts.rows import row_sums
from textnb.distributed.prediction import Answered, opened_model, predict_on
from textnb.errors import ParameterError
from textnb.numerics import Codes, Floats
from textnb.readers import Document

Part = tuple[tuple[str, ...], Floats, Codes]
"""Ids of documents, their probabilities (D, C), and how many terms of each the model knows (D,)."""


@verb
@inputs.model_path
@inputs.input_names
@click.option("--output", "-o", metavar="FILE", type=FILE, help="Write a table: .csv, .tsv, .jsonl, .xlsx or .parquet.")
@click.option(
    "--output-dir",
    metavar="DIR",
    help="Write one table per input, as --format says, also to an address; finished ones are skipped.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["tsv", "csv", "jsonl", "parquet"]),
    default="tsv",
    help="Format of the output.",
)
@click.option("--all-scores", is_flag=True, help="Print the probability of every class.")
@click.option(
    "--top",
    metavar="K",
    type=click.IntRange(min=1),
    default=1,
    help="Print the K most probable classes, the label first.",
)
@click.option("--line-buffered", is_flag=True, help="Answer each document before reading the next.")
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="With --output-dir: answer on a Dask cluster, tcp://host:8786, or local: processes here, as many as --jobs.",
)
@inputs.trust
@takes(running=inputs.Running, writing=Writing, deciding=Deciding, reading=inputs.InputReading)
def predict(
    model: Path,
    inputs: Collection[str],
    output: Path | None,
    output_dir: str | None,
    form: Format,
    all_scores: bool,
    top: int,
    line_buffered: bool,
    dask: str | None,
    trust: Collection[str],
    running: inputs.Running,
    writing: Writing,
    deciding: Deciding,
    reading: inputs.InputReading,
) -> None:
    """Classify documents: one row per document, in their order.

    The column known_terms says how many terms of the document the model knows. With 0, as for an empty text, the
    probabilities are those of the classes in general, and a warning counts such documents. Of several inputs, the
    column file names the one that a document comes from.

    With -o FILE the rows of tables keep all their columns, and label, probability and the rest are added after them; a
    name that is there already becomes textnb_label and so on. The file is written as a whole or not at all. Its text is
    UTF-8 (--bom helps Excel to see that in .csv). In .xlsx text is never a formula. In .parquet the columns of Parquet
    and Arrow files keep their types.

    With --output-dir DIR each input has a file of its own there, with its name. The run can be repeated: finished files
    are skipped, and answers of another model or with other options are refused. DIR may be an address, such as s3://.

    The label is the most probable class. With --unsure P it is 'unsure', or the word of --unsure-label, if that class
    has a probability below P; the probability is still that of the class, which -o FILE has as most_probable, and which
    is the second label with --top 2. With --costs the label is the class of least expected cost, with its own
    probability, or 'unsure' if that costs less; the file gives the cost of being unsure.

    With --precision Q each class has a cut-off of its own: the smallest probability from which on a proportion Q of the
    answers to left-out training documents is correct, by a 95 % confidence bound. Below it the label is 'unsure', and a
    class with too few such documents is always 'unsure', with a warning; .98 takes 149 documents of a class without a
    mistake. It holds for documents like the training documents, in their proportions. The answers are in the model
    file, also in a stripped one. Only a model without a calibration, or calibrated on other documents, scores its kept
    documents once more. --unsure, --precision and --costs exclude one another.

    Examples:

        echo '明日は雨が降るでしょう' | textnb predict news.textnb
        textnb predict news.textnb inbox/ --format jsonl --all-scores
        textnb predict 部署.textnb 問い合わせ.csv --text 件名,本文 --unsure 0.8 --unsure-label 要確認 -o 結果.xlsx
        textnb predict news.textnb 'data/*.parquet' --output-dir answers/ --format parquet
        textnb predict news.textnb lines.txt --per-line
        textnb predict news.textnb inbox/ --unsure 0.9
        textnb predict news.textnb inbox/ --precision 0.98
        textnb predict mail.textnb inbox/ --costs costs.toml
        textnb predict news.textnb 'new/*.parquet' --dask local --output-dir answers/ --format parquet

    A costs.toml:

        unsure = 0.2     # optional: the cost of answering "unsure"
        default = 1.0    # any other mistake; a right answer costs 0
        [cost.ham]       # if ham is the true class
        spam = 10.0      # and the answer is spam
    """
    folder = _check_outputs(output, output_dir, form, writing)
    if output is not None:
        check_not_input(output, [str(model), *inputs])
    classifier = TextClassifier.load(model, trust, labels="text")
    typing = not inputs and sys.stdin is not None and sys.stdin.isatty()
    line_buffered = line_buffered or typing
    jobs = 1 if line_buffered else running.n_jobs
    if line_buffered and running.jobs > 1:
        check_unused("jobs", why="with --line-buffered, which answers one document at a time")
    is_stored, throughput = output is not None or folder is not None, Throughput()
    if dask is not None:
        check_unused("line_buffered", why="with --dask")
        if folder is None:
            raise ParameterError("--dask needs --output-dir DIR, a folder that every worker sees")
        cells = answer_cells(classifier, deciding, top, all_scores, names_guess=deciding.may_be_unsure)
        with cluster_run(dask, input_corpora(inputs, reading), running, labelled=False) as run:
            opened, suffix = opened_model(model, trust), f".{form}"
            _, answered = predict_on(run, opened, cells, location(folder), suffix, writing.style)
        _say_answered(answered, folder, running.quiet)
        return
    sources = open_inputs(inputs, reading, jobs, classifier.count_while_reading, is_stored)
    if output is not None:
        check_not_among(output, [source.corpus for source in sources if source.corpus is not None])
    names_guess = is_stored and deciding.may_be_unsure
    cells = answer_cells(classifier, deciding, top, all_scores, names_guess=names_guess)
    predicting = _Predicting(classifier, cells, writing, jobs, line_buffered, is_stored, throughput)
    if folder is None:
        throughput.begin(map(_as_input, sources), quiet=running.quiet or typing)
        n_documents = predicting.run(sources, form, output, running.quiet or typing)
        if output is not None and not running.quiet:
            say("wrote {rows} to {path}", rows=plural(n_documents, "row"), path=output)
    else:
        plan = OutputFolder.of(folder, form, model).plan(sources, inputs)
        throughput.begin([_as_input(source) for source, _ in plan], quiet=running.quiet)
        _fill(folder, plan, len(sources), predicting, running.quiet)
    throughput.say(quiet=running.quiet or typing)
    predicting.warn_of_guesses()


def _check_outputs(output: Path | None, output_dir: str | None, form: str, writing: Writing) -> str | None:
    """Refuse outputs that contradict each other or cannot be written; the folder of --output-dir, if it is given."""
    if output_dir is None:
        if form == "parquet" and output is None:
            raise ParameterError("--format parquet is for files; add --output-dir DIR, or use -o FILE.parquet")
        writing.check(output)
        return None
    if output is not None:
        raise ParameterError("--output-dir writes one file per input, -o one for all; leave out one of them")
    if form not in ("csv", "tsv"):
        check_unused("bom", "safe_cells", why=f"with --format {form}")
    return output_dir


def _fill(
    folder: str, plan: Sequence[tuple[InputSource, Location]], n_inputs: int, predicting: "_Predicting", quiet: bool
) -> None:
    """Write one table per input of a plan, which leaves out those of all inputs that are finished."""
    n_rows = sum(predicting.run([source], "tsv", path, quiet) for source, path in plan)
    if quiet:
        return
    if skipped := n_inputs - len(plan):
        say("skipped {files} that {folder} has already", files=plural(skipped, "input"), folder=folder)
    if plan:
        template = "wrote {rows} to {files} in {folder}"
        say(template, rows=plural(n_rows, "row"), files=plural(len(plan), "file"), folder=folder)


def _as_input(source: InputSource) -> Input:
    return Input(source.kind, source.documents, source.corpus)


@dataclass
class _Predicting:
    """How documents are answered, and how many have been answered without a known term."""

    classifier: TextClassifier
    cells: AnswerCells
    writing: Writing
    jobs: int
    line_buffered: bool
    is_stored: bool
    throughput: Throughput
    n_documents: int = 0
    n_guesses: int = 0

    def run(self, sources: Sequence[InputSource], form: Format, output: Location | None, quiet: bool) -> int:
        """Answer the documents of inputs, on standard output or in a file; the number of documents."""
        read: deque[Kept] = deque()
        inputs = [_as_input(each)._replace(documents=partial(noted, each, read, self.is_stored)) for each in sources]
        documents = self.throughput.watch(inputs, "classifying", quiet=quiet)
        columns = self.cells.columns
        if self.line_buffered:
            parts = _one_by_one(self.classifier, documents)
        else:
            parts = _begun(_in_parts(self.classifier, documents, self.jobs))
        if output is None:
            rows = printed_rows(form, self.writing.digits, columns, sources, read)
        else:
            rows = stored_rows(output, self.writing, columns, sources, read)
        before = self.n_documents
        with rows as write:
            sys.stdout.flush()
            for part in parts:
                self._write(part, write)
                sys.stdout.flush()
        return self.n_documents - before

    def _write(self, part: Part, write: WriteAnswer) -> None:
        ids, probabilities, known = part
        for name, answer in zip(ids, self.cells.rows(probabilities, known), strict=True):
            write(name, answer)
        self.n_documents += len(ids)
        self.n_guesses += int((known == 0).sum())

    def warn_of_guesses(self) -> None:
        """Warn about documents without a known term."""
        warn_of_guesses(self.n_guesses, self.n_documents)


def answer_cells(
    classifier: TextClassifier, deciding: Deciding, top: int, all_scores: bool, *, names_guess: bool
) -> AnswerCells:
    """Return what a row of answers has."""
    classes, rule = tuple(classifier.classes_.tolist()), deciding.rule(classifier)
    return AnswerCells(classes, rule, min(top, len(classes)), all_scores, names_guess, deciding.unsure_label)


def warn_of_guesses(n_guesses: int, n_documents: int) -> None:
    """Warn about documents without a known term."""
    if n_guesses:
        template = "{n:,} of {all:,} documents have no known term (known_terms 0); their label is a guess"
        warn(template, n=n_guesses, all=n_documents)


def _say_answered(answered: Answered, folder: str, quiet: bool) -> None:
    """Say how many documents a cluster has answered; those of tables that were there are not counted."""
    if not quiet:
        template = "answered {documents}; {folder} has the answers to every part of the inputs"
        say(template, documents=plural(answered.documents, "document"), folder=folder)
    warn_of_guesses(answered.without_known_terms, answered.documents)


def _begun(parts: Iterator[Part]) -> Iterator[Part]:
    """Compute the first part now: an input that cannot be read is an error before the header is printed."""
    return chain(list(islice(parts, 1)), parts)


def _in_parts(classifier: TextClassifier, documents: Iterator[Document], jobs: int) -> Iterator[Part]:
    for part, rows in classifier.predict_parts(documents, jobs=jobs, entries=0):
        yield part.ids, np.exp(rows), row_sums(part.counts).astype(np.intp)


def _one_by_one(classifier: TextClassifier, documents: Iterator[Document]) -> Iterator[Part]:
    for document in documents:
        yield from _in_parts(classifier, iter([document]), 1)
