"""textnb predict."""

import sys
from collections.abc import Iterator
from typing import Annotated

import numpy as np
import typer

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.console import progress
from textnb.cli.output import Format, Rows
from textnb.cli.sources import input_documents
from textnb.numerics import Floats
from textnb.readers import Document


def predict(
    model: options.ModelPath,
    reading: options.Reading,
    running: options.Running,
    inputs: options.Inputs = None,
    form: Annotated[Format, typer.Option("--format", help="The form of the output.")] = "tsv",
    all_scores: Annotated[bool, typer.Option("--all-scores", help="The probability of every class.")] = False,
    top: Annotated[int, typer.Option("--top", min=1, help="The K likeliest classes.", metavar="K")] = 1,
    line_buffered: Annotated[
        bool, typer.Option("--line-buffered", help="Answer each document before reading the next.")
    ] = False,
    trust: options.Trust = None,
) -> None:
    """Classify documents: one row each, in their order, none left out.

    Examples:

        echo '明日は雨が降るでしょう' | textnb predict news.textnb

        textnb predict news.textnb inbox/ --format jsonl --all-scores
    """
    classifier = TextClassifier.load(model, trust or ())
    typing = not inputs and sys.stdin is not None and sys.stdin.isatty()
    line_buffered = line_buffered or typing
    documents = progress(input_documents(inputs, reading), "classifying", lambda: None, running.quiet or typing)
    parts = _one_by_one(classifier, documents) if line_buffered else _in_parts(classifier, documents, running.n_jobs)
    classes = classifier.fitted.classes
    top = min(top, len(classes))
    rows = Rows(_columns(classes, top, all_scores), form)
    sys.stdout.flush()
    for ids, probabilities in parts:
        best = np.argsort(-probabilities, axis=1, kind="stable")[:, :top]
        for name, row, ranked in zip(ids, probabilities.tolist(), best.tolist(), strict=True):
            answers = [cell for k in ranked for cell in (classes[k], row[k])]
            rows.row([name, *answers, *(row if all_scores else [])])
        sys.stdout.flush()


def _in_parts(
    classifier: TextClassifier, documents: Iterator[Document], jobs: int
) -> Iterator[tuple[tuple[str, ...], Floats]]:
    for part, rows in classifier.fitted.scored(documents, jobs, 0):
        yield part.ids, np.exp(rows)


def _one_by_one(classifier: TextClassifier, documents: Iterator[Document]) -> Iterator[tuple[tuple[str, ...], Floats]]:
    for document in documents:
        yield (document.id,), classifier.predict_proba([document])


def _columns(classes: tuple[str, ...], top: int, all_scores: bool) -> list[str]:
    ranks = [""] + [f"_{rank}" for rank in range(2, top + 1)]
    answers = [name + rank for rank in ranks for name in ("label", "probability")]
    return ["id", *answers, *(f"p({name})" for name in classes if all_scores)]
