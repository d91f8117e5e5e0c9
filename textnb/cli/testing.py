"""A model on a labelled corpus: its answers, and the mistakes it was surest of with their reasons."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textnb.classifier import TextClassifier
from textnb.cli.options import LabelledReading, Running
from textnb.cli.sources import corpus_documents, counted_before
from textnb.counts import Counted
from textnb.evaluation.mistakes import Mistake, surest_mistakes
from textnb.explanation import Explanation
from textnb.fitted import Fitted
from textnb.numerics import Floats
from textnb.readers import Document
from textnb.report.values import ExplainedDocument

_ENTRIES = 1_000_000
"""Non-zero counts, and so documents, held at once."""
REASONS = 8


class Answers(NamedTuple):
    """The true labels, the log probabilities (D, C), and the surest mistakes."""

    labels: list[str]
    log_probabilities: Floats
    mistakes: list[ExplainedDocument]


class _Found(NamedTuple):
    mistake: Mistake
    id: str
    text: str | None
    why: Callable[[str, str | None], Explanation]


def answers(
    classifier: TextClassifier,
    corpus: Path,
    reading: LabelledReading,
    running: Running,
    trust: Collection[str] | None,
    most: int,
) -> Answers:
    """All answers, and at most so many mistakes. Only documents that may be among these are kept."""
    fitted = classifier.fitted
    labels: list[str] = []
    logs = [np.empty((0, len(fitted.classes)))]
    found: list[_Found] = []
    for part, rows, documents in _scored(fitted, corpus, reading, running, trust):
        labels += part.named_labels
        logs.append(rows)
        found += _mistakes_in(fitted, part, rows, documents, most)
        found = sorted(found, key=lambda each: -each.mistake.probability)[:most]
    return Answers(labels, np.concatenate(logs), [_explained(each, fitted) for each in found])


def _scored(
    fitted: Fitted, corpus: Path, reading: LabelledReading, running: Running, trust: Collection[str] | None
) -> Iterator[tuple[Counted, Floats, Sequence[Document] | None]]:
    """The corpus in parts, each with its log probabilities and its documents, if there is more of them than counts."""
    before = counted_before(corpus, fitted.recipe.terms_of, trust)
    if before is not None:
        yield before, fitted.log_proba_counted(before), None
        return
    read: deque[Document] = deque()
    documents = _noted(corpus_documents(corpus, reading, running), read)
    for part, rows in fitted.scored(documents, running.n_jobs, _ENTRIES):
        yield part, rows, [read.popleft() for _ in range(len(part))]


def _noted(documents: Iterable[Document], read: deque[Document]) -> Iterator[Document]:
    for document in documents:
        read.append(document)
        yield document


def _mistakes_in(
    fitted: Fitted, part: Counted, rows: Floats, documents: Sequence[Document] | None, most: int
) -> Iterator[_Found]:
    for mistake in surest_mistakes(part.named_labels, rows, fitted.classes, most):
        i = mistake.row
        if documents is None:
            yield _Found(mistake, part.ids[i], None, partial(fitted.explanation_counted, part, i))
        else:
            yield _Found(mistake, part.ids[i], documents[i].text, partial(fitted.explanation, documents[i]))


def _explained(found: _Found, fitted: Fitted) -> ExplainedDocument:
    """The reasons for the predicted class over the true one, or over the next if that is not known to the model."""
    mistake = found.mistake
    against = mistake.true if mistake.true in fitted.classes else None
    why = found.why(mistake.predicted, against) if len(fitted.classes) > 1 else None
    return ExplainedDocument(found.id, found.text, why, mistake)


def mistake_json(document: ExplainedDocument) -> dict[str, Any]:
    """A mistake as plain JSON values; the reasons sum to the score."""
    mistake, explanation = document.mistake, document.explanation
    assert mistake is not None
    told: dict[str, Any] = {"id": document.id, **mistake._asdict()}
    del told["row"]
    if explanation is not None:
        rows = explanation.rows(REASONS)
        told |= {"against": explanation.against, "score": explanation.score}
        told["reasons"] = [{"term": term, "times": times, "value": value} for term, times, value in rows]
    return told


def mistake_row(document: ExplainedDocument) -> tuple[str, str, str, float, str]:
    """A mistake in a row: (document, true, predicted, probability, words that spoke for it)."""
    mistake, explanation = document.mistake, document.explanation
    assert mistake is not None
    terms = [] if explanation is None else explanation.by_term()
    reasons = ", ".join(f"{term} {value:+.2f}" for term, _, value in terms[:REASONS] if value > 0)
    return document.id, mistake.true, mistake.predicted, mistake.probability, reasons
