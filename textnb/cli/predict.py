"""textnb predict."""

import sys
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click
import numpy as np

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.input_sources import InputSource, open_inputs
from textnb.cli.options import inputs
from textnb.cli.options.decision import Deciding, answers
from textnb.cli.options.groups import FILE, check_unused, takes, verb
from textnb.cli.options.output import Writing
from textnb.cli.sources import check_not_input
from textnb.cli.terminal import Format, OutputRows, plural, progress, say, warn
from textnb.cli.throughput import Throughput, size_of
from textnb.counts.rows import row_sums
from textnb.files.table_file import added_names, table_writer
from textnb.numerics import Codes, Floats
from textnb.readers import Document
from textnb.readers.corpus import TABLES
from textnb.readers.mailboxes import MAIL_COLUMNS

Part = tuple[tuple[str, ...], Floats, Codes]
"""Ids of documents, their probabilities (D, C), and how many terms of each the model knows (D,)."""

WriteAnswer = Callable[[str, list[Any]], None]
"""Function that writes the answer to the next document: its id, and the cells of the answer."""


@verb
@inputs.model_path
@inputs.input_names
@click.option("--output", "-o", metavar="FILE", type=FILE, help="Write a table: .csv, .tsv, .jsonl or .xlsx.")
@inputs.row_format
@click.option("--all-scores", is_flag=True, help="Print the probability of every class.")
@click.option(
    "--top",
    metavar="K",
    type=click.IntRange(min=1),
    default=1,
    help="Print the K most probable classes, the label first.",
)
@click.option("--line-buffered", is_flag=True, help="Answer each document before reading the next.")
@inputs.trust
@takes(running=inputs.Running, writing=Writing, deciding=Deciding, reading=inputs.InputReading)
def predict(
    model: Path,
    inputs: Collection[str],
    output: Path | None,
    form: Format,
    all_scores: bool,
    top: int,
    line_buffered: bool,
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
    UTF-8 (--bom helps Excel to see that in .csv). In .xlsx text is never a formula.

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
        textnb predict news.textnb lines.txt --per-line
        textnb predict news.textnb inbox/ --unsure 0.9
        textnb predict news.textnb inbox/ --precision 0.98
        textnb predict mail.textnb inbox/ --costs costs.toml

    A costs.toml:

        unsure = 0.2     # optional: the cost of answering "unsure"
        default = 1.0    # any other mistake; a right answer costs 0
        [cost.ham]       # if ham is the true class
        spam = 10.0      # and the answer is spam
    """
    writing.check(output)
    if output is not None:
        check_not_input(output, [str(model), *inputs])
    classifier = TextClassifier.load(model, trust, labels="text")
    classes = classifier.classes_.tolist()
    rule = deciding.rule(classifier)
    typing = not inputs and sys.stdin is not None and sys.stdin.isatty()
    line_buffered = line_buffered or typing
    jobs = 1 if line_buffered else running.n_jobs
    if line_buffered and running.jobs > 1:
        check_unused("jobs", why="with --line-buffered, which answers one document at a time")
    throughput = Throughput()
    sources = open_inputs(inputs, reading, jobs, classifier.count_while_reading)
    read: deque[_Kept] = deque()
    documents = progress(
        _noted(sources, read, output is not None), "classifying", lambda: None, running.quiet or typing
    )
    parts = _one_by_one(classifier, documents) if line_buffered else _in_parts(classifier, documents, jobs)
    top = min(top, len(classes))
    if not line_buffered:
        parts = _begun(parts)
    guesses = output is not None and deciding.may_be_unsure
    columns = _columns(classes, top, all_scores, guesses)
    n_documents = without_known_terms = 0
    with _rows(output, writing, form, columns, sources, read) as write:
        sys.stdout.flush()
        for ids, probabilities, known in parts:
            ranking = np.argsort(-probabilities, axis=1, kind="stable")[:, :top]
            decided = rule(probabilities)
            for name, row, label, ranked, n_known in zip(
                ids, probabilities.tolist(), decided.tolist(), ranking.tolist(), known.tolist(), strict=True
            ):
                answer = answers(row, label, ranked, classes, deciding.unsure_label)
                guess = [classes[ranked[0]]] if guesses else []
                write(name, [*answer[:2], *guess, *answer[2:], *(row if all_scores else []), n_known])
            sys.stdout.flush()
            n_documents += len(ids)
            without_known_terms += int((known == 0).sum())
    if output is not None and not running.quiet:
        say("wrote {rows} to {path}", rows=plural(n_documents, "row"), path=output)
    throughput.n_documents, throughput.n_bytes = n_documents, sum(map(size_of, map(Path, inputs)))
    throughput.say(quiet=running.quiet or typing)
    if without_known_terms:
        template = "{n:,} of {all:,} documents have no known term (known_terms 0); their label is a guess"
        warn(template, n=without_known_terms, all=n_documents)


_Kept = tuple[str, Mapping[str, Any]]
"""Name of the input that a document comes from, and the cells of its record."""


def _noted(sources: Sequence[InputSource], read: deque[_Kept], keep: bool) -> Iterator[Document]:
    """Yield the documents of all inputs, and append to `read` what a row has of each: cells only if they are kept."""
    for source in sources:
        for document in source.documents():
            read.append((source.name, document.columns if keep or source.kind == "mail" else {}))
            yield document


@contextmanager
def _rows(
    output: Path | None,
    writing: Writing,
    form: Format,
    answer: Sequence[str],
    sources: Sequence[InputSource],
    read: deque[_Kept],
) -> Iterator[WriteAnswer]:
    """Give a function that writes answers: rows on standard output, or rows of a table with all columns of the inputs.

    Rows on standard output also show date, sender and subject of mails. The last column is the input, if there are
    several.
    """
    several = len(sources) > 1
    last = ["file"] if several else []
    if output is None:
        shown = MAIL_COLUMNS if any(source.kind == "mail" for source in sources) else ()
        rows = OutputRows(["id", *answer, *shown, *last], form, writing.digits)

        def print_row(name: str, cells: list[Any]) -> None:
            file, record = read.popleft()
            rows.row([name, *cells, *(record.get(column, "") for column in shown), *([file] if several else [])])

        yield print_row
        return
    kept = list(dict.fromkeys(column for source in sources for column in source.columns()))
    ids = [] if all(source.kind in TABLES for source in sources) else added_names(kept, ["id"])
    columns = [*ids, *kept]
    columns += added_names(columns, [*answer, *last])
    with table_writer(output, columns, writing.style) as write:

        def write_row(name: str, cells: list[Any]) -> None:
            file, record = read.popleft()
            write([*([name] if ids else []), *map(record.get, kept)], [*cells, *([file] if several else [])])

        yield write_row


def _begun(parts: Iterator[Part]) -> Iterator[Part]:
    """Compute the first part now: an input that cannot be read is an error before the header is printed."""
    return chain(list(islice(parts, 1)), parts)


def _in_parts(classifier: TextClassifier, documents: Iterator[Document], jobs: int) -> Iterator[Part]:
    for part, rows in classifier.predict_parts(documents, jobs=jobs, entries=0):
        yield part.ids, np.exp(rows), row_sums(part.counts).astype(np.intp)


def _one_by_one(classifier: TextClassifier, documents: Iterator[Document]) -> Iterator[Part]:
    for document in documents:
        yield from _in_parts(classifier, iter([document]), 1)


def _columns(classes: Sequence[str], top: int, all_scores: bool, guesses: bool) -> list[str]:
    """Names of the columns of an answer; they do not depend on the language."""
    others = [f"{name}_{rank}" for rank in range(2, top + 1) for name in ("label", "probability")]
    scores = [f"p({name})" for name in classes if all_scores]
    return ["label", "probability", *(["most_probable"] if guesses else []), *others, *scores, "known_terms"]
