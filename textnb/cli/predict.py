"""textnb predict."""

import sys
from collections.abc import Iterator
from typing import Annotated

import numpy as np
import typer

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.decision import Deciding, answers
from textnb.cli.sources import input_documents
from textnb.cli.terminal import Format, OutputRows, progress
from textnb.numerics import Floats
from textnb.readers import Document


def predict(
    model: inputs.ModelPath,
    reading: inputs.Reading,
    running: inputs.Running,
    deciding: Deciding,
    inputs: inputs.Inputs = None,
    form: Annotated[Format, typer.Option("--format", help="The form of the output.")] = "tsv",
    all_scores: Annotated[bool, typer.Option("--all-scores", help="The probability of every class.")] = False,
    top: Annotated[
        int, typer.Option("--top", min=1, help="The label, then the likeliest others: K in all.", metavar="K")
    ] = 1,
    line_buffered: Annotated[
        bool, typer.Option("--line-buffered", help="Answer each document before reading the next.")
    ] = False,
    trust: inputs.Trust = None,
) -> None:
    """Classify documents: one row each, in their order, none left out.

    Examples:

        echo '明日は雨が降るでしょう' | textnb predict news.textnb

        textnb predict news.textnb inbox/ --format jsonl --all-scores

        textnb predict news.textnb inbox/ --unsure 0.9

        textnb predict mail.textnb inbox/ --costs costs.toml

    The label is the likeliest class. With `--unsure P` it is `unsure` where that class has a probability below P; the
    probability shown stays that of the class, and with `--top 2` the class is the second label. With `--costs` the
    label is the one of least expected cost, shown with its own probability, or `unsure` where that costs less. Not
    both: with costs, the file says what it costs to be unsure. A costs.toml:

        unsure = 0.2     # optional: the cost of answering "unsure"

        default = 1.0    # any other mistake; a right answer costs 0

        [cost.ham]       # where ham is true

        spam = 10.0      # and it is taken for spam
    """
    classifier = TextClassifier.load(model, trust or ())
    classes = classifier.fitted.classes
    rule = deciding.rule(classes)
    typing = not inputs and sys.stdin is not None and sys.stdin.isatty()
    line_buffered = line_buffered or typing
    jobs = 1 if line_buffered else running.n_jobs
    found = input_documents(inputs, reading, jobs, classifier.count_while_reading)
    documents = progress(found, "classifying", lambda: None, running.quiet or typing)
    parts = _one_by_one(classifier, documents) if line_buffered else _in_parts(classifier, documents, jobs)
    top = min(top, len(classes))
    rows = OutputRows(_columns(classes, top, all_scores), form)
    sys.stdout.flush()
    for ids, probabilities in parts:
        ranking = np.argsort(-probabilities, axis=1, kind="stable")[:, :top]
        decided = rule(probabilities)
        for name, row, label, ranked in zip(
            ids, probabilities.tolist(), decided.tolist(), ranking.tolist(), strict=True
        ):
            rows.row([name, *answers(row, label, ranked, classes), *(row if all_scores else [])])
        sys.stdout.flush()


def _in_parts(
    classifier: TextClassifier, documents: Iterator[Document], jobs: int
) -> Iterator[tuple[tuple[str, ...], Floats]]:
    for part, rows in classifier.predict_parts(documents, jobs=jobs, entries=0):
        yield part.ids, np.exp(rows)


def _one_by_one(classifier: TextClassifier, documents: Iterator[Document]) -> Iterator[tuple[tuple[str, ...], Floats]]:
    for document in documents:
        yield (document.id,), classifier.predict_proba([document])


def _columns(classes: tuple[str, ...], top: int, all_scores: bool) -> list[str]:
    ranks = [""] + [f"_{rank}" for rank in range(2, top + 1)]
    answers = [name + rank for rank in ranks for name in ("label", "probability")]
    return ["id", *answers, *(f"p({name})" for name in classes if all_scores)]
