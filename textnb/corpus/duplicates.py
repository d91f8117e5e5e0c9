"""Groups of documents with the same text, or nearly the same: those that learning or testing should see once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from textnb.counts.shingles import Shingles, matrix_of_shingles
from textnb.evaluation.near_duplicates import duplicate_groups, jaccard


class Place(NamedTuple):
    """Where a document stands."""

    id: str
    label: str
    split: str


@dataclass(frozen=True)
class DuplicateGroup:
    """Documents that are the same, or nearly; ``similarity`` is the least that one of them has with the first."""

    places: tuple[Place, ...]
    similarity: float = 1.0

    @property
    def across_labels(self) -> bool:
        """Whether the same text stands under several labels."""
        return len({place.label for place in self.places}) > 1

    @property
    def across_splits(self) -> bool:
        """Whether it stands in several splits: what is learnt from one is tested on the other."""
        return len({place.split for place in self.places}) > 1


def exact_duplicates(places: Sequence[Place], digests: Sequence[bytes]) -> tuple[DuplicateGroup, ...]:
    """The documents of one digest, where there are several, in the order of the first of each group.

    >>> a, b, c = (Place(name, "news", "") for name in "abc")
    >>> [len(group.places) for group in exact_duplicates([a, b, c], [b"1", b"2", b"1"])]
    [2]
    """
    groups: dict[bytes, list[Place]] = defaultdict(list)
    for place, digest in zip(places, digests, strict=True):
        groups[digest].append(place)
    return tuple(DuplicateGroup(tuple(group)) for group in groups.values() if len(group) > 1)


def near_duplicates(
    places: Sequence[Place], digests: Sequence[bytes], shingles: list[Shingles], threshold: float
) -> tuple[DuplicateGroup, ...]:
    """The groups that pairs of a Jaccard similarity of at least ``threshold`` connect, but for those of one digest.

    Texts that differ in white space alone have the similarity 1. The exact copies of a member are members too.
    """
    X = matrix_of_shingles(shingles)
    first = duplicate_groups(X, threshold=threshold)
    order = np.argsort(first, kind="stable")
    starts = np.flatnonzero(np.diff(first[order], prepend=-1))
    found = [rows for rows in np.split(order, starts[1:]) if _differ(digests[row] for row in rows)]
    return tuple(
        DuplicateGroup(tuple(places[row] for row in rows), float(jaccard(X, np.full_like(rows, rows[0]), rows).min()))
        for rows in found
    )


def _differ(digests: Iterable[bytes]) -> bool:
    return len(set(digests)) > 1
