"""textnb predict."""

import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import click
import numpy as np

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.decision import Deciding, answers
from textnb.cli.options.groups import check_unused, takes, verb
from textnb.cli.sources import check_inputs, input_documents
from textnb.cli.terminal import Format, OutputRows, progress, warn
from textnb.numerics import Codes, Floats
from textnb.readers import Document

Part = tuple[tuple[str, ...], Floats, Codes]
"""Ids of documents, their probabilities (D, C), and how many terms of each the model knows (D,)."""


@verb
@inputs.model_path
@inputs.input_names
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
@takes(running=inputs.Running, deciding=Deciding, reading=inputs.Reading)
def predict(
    model: Path,
    inputs: Collection[str],
    form: Format,
    all_scores: bool,
    top: int,
    line_buffered: bool,
    trust: Collection[str],
    running: inputs.Running,
    deciding: Deciding,
    reading: inputs.Reading,
) -> None:
    """Classify documents: one row per document, in their order.

    The last column, known_terms, says how many terms of the document the model knows. With 0, as for an empty text, the
    probabilities are those of the classes in general, and a warning counts such documents.

    The label is the most probable class. With --unsure P it is 'unsure' if that class has a probability below P; the
    probability is still that of the class, and with --top 2 the class is the second label. With --costs the label is
    the class of least expected cost, with its own probability, or 'unsure' if that costs less; the file gives the cost
    of being unsure.

    With --precision Q each class has a cut-off of its own: the smallest probability from which on a proportion Q of the
    answers to left-out training documents is correct, by a 95 % confidence bound. Below it the label is 'unsure', and a
    class with too few such documents is always 'unsure', with a warning; .98 takes 149 documents of a class without a
    mistake. It holds for documents like the training documents, in their proportions. The kept documents are scored
    once more, which takes less than a second for naive Bayes, and about as long as training for models that have to be
    fitted again to leave documents out. --unsure, --precision and --costs exclude one another.

    Examples:

        echo '明日は雨が降るでしょう' | textnb predict news.textnb
        textnb predict news.textnb inbox/ --format jsonl --all-scores
        textnb predict news.textnb inbox/ --unsure 0.9
        textnb predict news.textnb inbox/ --precision 0.98
        textnb predict mail.textnb inbox/ --costs costs.toml

    A costs.toml:

        unsure = 0.2     # optional: the cost of answering "unsure"
        default = 1.0    # any other mistake; a right answer costs 0
        [cost.ham]       # if ham is the true class
        spam = 10.0      # and the answer is spam
    """
    classifier = TextClassifier.load(model, trust)
    classes = classifier.classes_.tolist()
    rule = deciding.rule(classifier)
    typing = not inputs and sys.stdin is not None and sys.stdin.isatty()
    line_buffered = line_buffered or typing
    jobs = 1 if line_buffered else running.n_jobs
    if line_buffered and running.jobs > 1:
        check_unused("jobs", why="with --line-buffered, which answers one document at a time")
    check_inputs(inputs, reading)
    found = input_documents(inputs, reading, jobs, classifier.count_while_reading)
    documents = progress(found, "classifying", lambda: None, running.quiet or typing)
    parts = _one_by_one(classifier, documents) if line_buffered else _in_parts(classifier, documents, jobs)
    top = min(top, len(classes))
    if not line_buffered:
        parts = _begun(parts)
    rows = OutputRows(_columns(classes, top, all_scores), form)
    sys.stdout.flush()
    n_documents = without_known_terms = 0
    for ids, probabilities, known in parts:
        ranking = np.argsort(-probabilities, axis=1, kind="stable")[:, :top]
        decided = rule(probabilities)
        for name, row, label, ranked, n_known in zip(
            ids, probabilities.tolist(), decided.tolist(), ranking.tolist(), known.tolist(), strict=True
        ):
            rows.row([name, *answers(row, label, ranked, classes), *(row if all_scores else []), n_known])
        sys.stdout.flush()
        n_documents += len(ids)
        without_known_terms += int((known == 0).sum())
    if without_known_terms:
        template = "{n:,} of {all:,} documents have no known term (known_terms 0); their label is a guess"
        warn(template, n=without_known_terms, all=n_documents)


def _begun(parts: Iterator[Part]) -> Iterator[Part]:
    """Compute the first part now: an input that cannot be read is an error before the header is printed."""
    return chain(list(islice(parts, 1)), parts)


def _in_parts(classifier: TextClassifier, documents: Iterator[Document], jobs: int) -> Iterator[Part]:
    for part, rows in classifier.predict_parts(documents, jobs=jobs, entries=0):
        yield part.ids, np.exp(rows), np.asarray(part.X.sum(axis=1), np.intp)


def _one_by_one(classifier: TextClassifier, documents: Iterator[Document]) -> Iterator[Part]:
    for document in documents:
        yield from _in_parts(classifier, iter([document]), 1)


def _columns(classes: Sequence[str], top: int, all_scores: bool) -> list[str]:
    ranks = [""] + [f"_{rank}" for rank in range(2, top + 1)]
    answers = [name + rank for rank in ranks for name in ("label", "probability")]
    return ["id", *answers, *(f"p({name})" for name in classes if all_scores), "known_terms"]
