"""Suspect labels: learnt documents whose left-out answer contradicts their label, the most confident first.

Each kept document is answered by what was learnt from the others (``held_out.py``), so that a wrong label does not
speak for itself. The words against the label are those that favour the answer in the whole model.

A model keeps counts, not texts. ``SeenDocuments`` notes id and beginning of the documents that pass by, so that a
suspect can be shown.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from textnb.classifier.explanation import ABSENT
from textnb.classifier.fitted import Fitted
from textnb.classifier.held_out import left_out_examples
from textnb.classifier.recipe import ClassifierRecipe
from textnb.counts import Counted, Learnt
from textnb.counts.examples import labelled_digest
from textnb.document import Document
from textnb.text.analyzer import CHARS_PREFIX

WORDS = 6
"""Words against a label that are listed."""
_EXCERPT = 40  # characters
_NO_WORDS = (CHARS_PREFIX, f"short-{CHARS_PREFIX}", ABSENT)


class Seen(NamedTuple):
    """Id of a document and the beginning of its text; of a counted document there is no text."""

    id: str
    excerpt: str


class SeenDocuments:
    """Ids and excerpts of labelled documents, by digest.

    >>> seen = SeenDocuments()
    >>> _ = list(seen.watch([Document("Buy   now", "ham", "7")]))
    >>> list(seen.documents.values())
    [Seen(id='7', excerpt='Buy now')]
    """

    def __init__(self) -> None:
        self.documents: dict[bytes, Seen] = {}

    def watch(self, source: Iterable[Any]) -> Iterator[Any]:
        """Yield Documents or counted parts unchanged, and note what is labelled; of copies, the first."""
        for item in source:
            if isinstance(item, Document) and item.label is not None:
                self._note(item.digest, item.label, item.id, excerpt_of(item.text))
            elif isinstance(item, Counted):
                for digest, label, name in zip(item.digests, item.labels, item.ids, strict=False):
                    if label is not None:
                        self._note(digest, label, name, "")
            yield item

    def _note(self, digest: bytes, label: str, name: str, excerpt: str) -> None:
        self.documents.setdefault(labelled_digest(digest, label), Seen(name, excerpt))


def excerpt_of(text: str) -> str:
    """Beginning of a text on one line."""
    line = " ".join(text[: 4 * _EXCERPT].split())
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"


class Suspect(NamedTuple):
    """A learnt document whose label the left-out answer contradicts.

    id, excerpt: empty if the document was not seen. predicted, probability: the answer. probability_of_label: that of
    its own label. words: those that favour the answer over the label, with what they add to the score; n-grams of
    characters are not listed.
    """

    id: str
    excerpt: str
    label: str
    predicted: str
    probability: float
    probability_of_label: float
    words: tuple[tuple[str, float], ...]

    @property
    def json(self) -> dict[str, Any]:
        """Suspect as plain JSON values."""
        return {**self._asdict(), "words": dict(self.words)}

    @property
    def reasons(self) -> str:
        """The words on one line."""
        return ", ".join(f"{term} {value:+.2f}" for term, value in self.words)


def find_suspects(
    recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, seen: SeenDocuments | None, top: int
) -> list[Suspect]:
    """Suspects among the kept documents, or among those of them that were seen; InputError says why there are none."""
    examples, numbers, answers = left_out_examples(recipe, learnt, fitted)
    found: list[Suspect] = []
    for i in np.argsort(-answers.probability, kind="stable").tolist():
        row = int(numbers[i])
        digest = examples.digests[row].tobytes()
        if answers.correct[i] or (seen is not None and digest not in seen.documents):
            continue
        if len(found) == top:
            break
        label, predicted = fitted.classes[answers.y[i]], fitted.classes[answers.predicted[i]]
        document = Counted(examples.X[[row]], examples.vocabulary, (label,), (), ("",), (None,))
        terms = fitted.explain(document, predicted, label).by_term()
        words = [(term, value) for term, _, value in terms if value > 0 and not term.startswith(_NO_WORDS)]
        shown = Seen("", "") if seen is None else seen.documents[digest]
        chances = float(answers.probability[i]), float(np.exp(-answers.losses[i]))
        found.append(Suspect(*shown, label, predicted, *chances, tuple(words[:WORDS])))
    return found
