"""A first look at a corpus: how many documents of which class, and what is odd about them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from textnb.readers import Document


@dataclass(frozen=True)
class CorpusCheck:
    """What one pass over a corpus found."""

    documents: int
    classes: dict[str, int]
    characters: int
    empty: tuple[str, ...]
    damaged: tuple[str, ...]
    repeated: tuple[tuple[str, str], ...]
    contradictory: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "CorpusCheck":
        """Count a corpus; repeated and contradictory are pairs (first id, later id) of the same text."""
        classes: Counter[str] = Counter()
        first: dict[bytes, Document] = {}
        empty: list[str] = []
        damaged: list[str] = []
        repeated: list[tuple[str, str]] = []
        contradictory: list[tuple[str, str]] = []
        characters = 0
        for document in documents:
            classes[document.label or ""] += 1
            characters += len(document.text)
            if not document.text.strip():
                empty.append(document.id)
            if document.defects:
                damaged.append(document.id)
            earlier = first.get(document.digest)
            if earlier is None:
                first[document.digest] = Document("", document.label, document.id)
            else:
                same = earlier.label == document.label
                (repeated if same else contradictory).append((earlier.id, document.id))
        return cls(
            sum(classes.values()),
            dict(sorted(classes.items())),
            characters,
            tuple(empty),
            tuple(damaged),
            tuple(repeated),
            tuple(contradictory),
        )
