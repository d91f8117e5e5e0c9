"""Answers of a classifier to a labelled corpus, and its most confident mistakes with their reasons."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from textnb.classifier.inputs import note_digests
from textnb.classifier.suspects import SeenDocuments, Suspect
from textnb.classifier.text_classifier import TextClassifier
from textnb.counts import Counted
from textnb.counts.examples import labelled_digest
from textnb.errors import InputError
from textnb.evaluation.evaluation import Mistake, confident_mistakes
from textnb.evaluation.splits import document_groups
from textnb.numerics import Codes, Floats
from textnb.readers import Document
from textnb.report.values import ExplainedDocument

PART_ENTRIES = 1_000_000
"""Non-zero counts of one part: its documents are held while it is answered."""
REASONS = 8
"""Terms that explain a mistake."""


class CorpusAnswers(NamedTuple):
    """True labels, log probabilities (D, C), groups of copies (D,), the most confident mistakes, learnt documents.

    suspects: learnt documents of the corpus whose left-out answer contradicts their label.
    """

    labels: list[str]
    log_probabilities: Floats
    groups: Codes
    mistakes: list[ExplainedDocument]
    n_learnt: int
    suspects: list[Suspect]


class _FoundMistake(NamedTuple):
    mistake: Mistake
    id: str
    document: Document | Counted


def answer_corpus(
    classifier: TextClassifier, corpus: Iterable[Document] | Iterable[Counted], most: int, *, jobs: int = 1
) -> CorpusAnswers:
    """Answer a labelled corpus and explain at most `most` mistakes, the most confident first.

    Only documents that may be among these mistakes are held. A mistake of a counted part has no text.
    """
    classes = classifier.classes_.tolist()
    labels: list[str] = []
    logs = [np.empty((0, len(classes)))]
    found: list[_FoundMistake] = []
    read: deque[Document] = deque()
    digests: list[bytes] = []
    names: list[str | None] = []
    seen = SeenDocuments()
    source = note_digests(seen.watch(_noted(corpus, read)), digests)
    for part, rows in classifier.predict_parts(source, jobs=jobs, entries=PART_ENTRIES):
        documents = [read.popleft() for _ in range(len(part))] if read else None
        labels += part.named_labels
        names += part.groups
        logs.append(rows)
        for mistake in confident_mistakes(part.named_labels, rows, classes, most):
            i = mistake.row
            document = part.rows(np.array([i])) if documents is None else documents[i]
            found.append(_FoundMistake(mistake, part.ids[i], document))
        found = sorted(found, key=lambda each: -each.mistake.probability)[:most]
    mistakes = [_explained(each, classifier) for each in found]
    is_learnt = (labelled_digest(*each) in classifier.learnt.digests for each in zip(digests, labels, strict=True))
    n_learnt = sum(is_learnt)
    suspects: list[Suspect] = []
    if n_learnt and most:
        with suppress(InputError):  # nothing is known without kept documents
            suspects = classifier.suspects(seen, top=most)
    groups = document_groups(digests, names)
    return CorpusAnswers(labels, np.concatenate(logs), groups, mistakes, n_learnt, suspects)


def _noted(corpus: Iterable[Any], read: deque[Document]) -> Iterator[Any]:
    """Yield what is in the corpus, and append its documents to `read`."""
    for each in corpus:
        if isinstance(each, Document):
            read.append(each)
        yield each


def _explained(found: _FoundMistake, classifier: TextClassifier) -> ExplainedDocument:
    """Explain the predicted class over the true class, or over the next one if the true class is unknown."""
    mistake, document, classes = found.mistake, found.document, classifier.classes_
    against = mistake.true if mistake.true in classes else None
    explanation = classifier.explain(document, mistake.predicted, against) if len(classes) > 1 else None
    if isinstance(document, Counted):
        return ExplainedDocument(found.id, None, explanation, mistake)
    return ExplainedDocument(found.id, document.text, explanation, mistake, subject_of(document))


def subject_of(document: Document) -> str:
    """Return the subject of a mail, which is the first line of its text; nothing for any other document.

    >>> subject_of(Document("会議の件\\n本文", fields={"subject": ["会議の件"]})), subject_of(Document("会議の件"))
    ('会議の件', '')
    """
    return document.text.partition("\n")[0].strip() if document.fields.get("subject") else ""


def mistake_json(document: ExplainedDocument) -> dict[str, Any]:
    """Return a mistake as plain JSON values; the reasons sum to the score."""
    mistake, explanation = document.mistake, document.explanation
    assert mistake is not None
    values: dict[str, Any] = {"id": document.id, **mistake._asdict()}
    del values["row"]
    if explanation is not None:
        rows = explanation.rows(REASONS)
        values |= {"against": explanation.against, "score": explanation.score}
        values["reasons"] = [{"term": term, "times": times, "value": value} for term, times, value in rows]
    return values
