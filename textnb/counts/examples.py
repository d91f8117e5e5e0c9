"""Examples: the documents themselves, for models that need the matrix; with the same arithmetic as the statistics."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.counts.digests import SIZE, Digests
from textnb.counts.matrix import CSR, as_counts
from textnb.counts.sums import canonical, class_codes, places
from textnb.counts.vocabulary import Columns, Vocabulary
from textnb.errors import InputError


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows X (D, V), classes y (D,) as numbers and labelled digests (D, 16), in the order of the digests.

    The order is canonical, so a union of examples is equal however it came about. ``+`` is the union with
    repetition, ``-`` takes rows away and refuses those that are not there.
    """

    vocabulary: Vocabulary
    classes: tuple[str, ...]
    X: CSR
    y: NDArray[np.intp]
    digests: NDArray[np.uint8]

    @classmethod
    def of(cls, X: CSR, labels: list[str], digests: list[bytes], vocabulary: Vocabulary) -> "Examples":
        """Examples in any order, brought into the canonical one."""
        X = canonical(as_counts(X))
        if not (X.shape[0] == len(labels) == len(digests)) or X.shape[1] != len(vocabulary):
            raise InputError(f"{X.shape} counts, {len(labels)} labels, {len(digests)} digests, {len(vocabulary)} terms")
        classes, y = class_codes(np.array(labels, object))
        array = np.frombuffer(b"".join(digests), np.uint8).reshape(-1, SIZE)
        order = _order(array)
        return cls(vocabulary, classes, X[order], y[order], array[order])._trimmed()

    @classmethod
    def zero(cls) -> "Examples":
        """None."""
        return cls.of(sparse.csr_array((0, 0), dtype=np.int32), [], [], Vocabulary())

    def __len__(self) -> int:
        return len(self.y)

    def __add__(self, other: "Examples") -> "Examples":
        vocabulary = self.vocabulary | other.vocabulary
        classes = tuple(sorted({*self.classes, *other.classes}))
        a, b = self._on(vocabulary, classes), other._on(vocabulary, classes)
        digests = np.concatenate([a.digests, b.digests])
        order = _order(digests)
        X = sparse.vstack([a.X, b.X], format="csr")[order]
        return Examples(vocabulary, classes, X, np.concatenate([a.y, b.y])[order], digests[order])

    def __sub__(self, other: "Examples") -> "Examples":
        Digests.of_array(self.digests) - Digests.of_array(other.digests)  # refuses what is not there
        here, there = _keys(self.digests), _keys(other.digests)
        occurrence = np.arange(len(here)) - np.searchsorted(here, here)
        leaving = np.searchsorted(there, here, side="right") - np.searchsorted(there, here)
        return self.rows(np.flatnonzero(occurrence >= leaving))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Examples)
            and (self.vocabulary, self.classes) == (other.vocabulary, other.classes)
            and np.array_equal(self.digests, other.digests)
            and np.array_equal(self.y, other.y)
            and (self.X != other.X).nnz == 0
        )

    __hash__ = None  # type: ignore[assignment]  # equal by value, and as large as its arrays

    def rows(self, rows: Columns) -> "Examples":
        """Some of them, in ascending order, on the terms and classes that they have."""
        return Examples(self.vocabulary, self.classes, self.X[rows], self.y[rows], self.digests[rows])._trimmed()

    def _on(self, vocabulary: Vocabulary, classes: tuple[str, ...]) -> "Examples":
        columns = vocabulary.columns_of(self.vocabulary)
        rows = places(classes, self.classes)
        X = sparse.csr_array((self.X.data, columns[self.X.indices], self.X.indptr), shape=(len(self), len(vocabulary)))
        return Examples(vocabulary, classes, X, rows[self.y], self.digests)

    def _trimmed(self) -> "Examples":
        columns = np.flatnonzero(np.bincount(self.X.indices, minlength=len(self.vocabulary)))
        kept, y = np.unique(self.y, return_inverse=True)
        classes = tuple(self.classes[k] for k in kept)
        return Examples(self.vocabulary.selected(columns), classes, self.X[:, columns], y, self.digests)


def _keys(digests: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    return np.ascontiguousarray(digests).view(f"S{SIZE}").reshape(-1)


def _order(digests: NDArray[np.uint8]) -> Columns:
    return np.argsort(_keys(digests), kind="stable")
