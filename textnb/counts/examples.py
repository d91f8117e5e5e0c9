"""Examples: the documents themselves, for models that need the matrix; with the same arithmetic as the statistics.

Which documents have been learnt: a sorted multiset of 16-byte digests.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.counts.labels import class_codes, places
from textnb.counts.matrix import CSR, as_counts, canonical
from textnb.counts.vocabulary import Columns, Vocabulary
from textnb.document import DIGEST_SIZE
from textnb.errors import InputError, NotLearntError

SIZE = DIGEST_SIZE
_DTYPE = f"S{SIZE}"


def labelled_digest(digest: bytes, label: str) -> bytes:
    """The digest of a document under its label: the same text learnt as another class is another thing learnt."""
    return blake2b(digest + label.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


class Digests:
    """A multiset with ``+`` and ``-``; ``-`` refuses what is not in it. Immutable.

    >>> a, b = (Digests.of([bytes([n]) * 16]) for n in (1, 2))
    >>> (a + b) - b == a, len(a + a)
    (True, 2)
    """

    def __init__(self, sorted_digests: NDArray[np.bytes_]) -> None:
        self._sorted = sorted_digests

    @classmethod
    def of(cls, digests: Iterable[bytes] = ()) -> "Digests":
        """The multiset of some digests, in any order."""
        listed = list(digests)
        if not (set(map(type, listed)) <= {bytes} and set(map(len, listed)) <= {SIZE}):
            raise InputError(f"digests must be of {SIZE} bytes each")
        return cls(np.sort(np.frombuffer(b"".join(listed), _DTYPE)))

    @classmethod
    def of_array(cls, array: NDArray[np.uint8]) -> "Digests":
        """The multiset from its bytes (n, 16), which must be in order."""
        if array.ndim != 2 or array.shape[1] != SIZE or array.dtype != np.uint8:
            raise InputError(f"digests must be bytes of shape (n, {SIZE})")
        digests = np.ascontiguousarray(array).view(_DTYPE).reshape(-1)
        if (digests[1:] < digests[:-1]).any():
            raise InputError("digests must be sorted")
        return cls(digests)

    @property
    def array(self) -> NDArray[np.uint8]:
        """The bytes, (n, 16), in order."""
        return self._sorted.view(np.uint8).reshape(-1, SIZE)

    def __len__(self) -> int:
        return len(self._sorted)

    def __contains__(self, digest: bytes) -> bool:
        place = np.searchsorted(self._sorted, np.frombuffer(digest, _DTYPE)[0])
        return bool(place < len(self._sorted) and self._sorted[place] == np.frombuffer(digest, _DTYPE)[0])

    def __add__(self, other: "Digests") -> "Digests":
        return Digests(np.sort(np.concatenate([self._sorted, other._sorted])))

    def __sub__(self, other: "Digests") -> "Digests":
        here, counts = np.unique(self._sorted, return_counts=True)
        gone, less = np.unique(other._sorted, return_counts=True)
        known = np.isin(gone, here, assume_unique=True)
        places = np.searchsorted(here, gone[known])
        missing = int(less[~known].sum() + np.maximum(less[known] - counts[places], 0).sum())
        if missing:
            what = "document was" if missing == 1 else "documents were"
            raise NotLearntError(
                f"{missing} of {len(other)} {what} never learnt under that label and cannot be forgotten; "
                "nothing was changed"
            )
        counts[places] -= less
        return Digests(np.repeat(here, counts))

    def distance(self, other: "Digests") -> int:
        """How many digests must be added or taken away to come from one to the other.

        >>> a, b = (Digests.of([bytes([n]) * 16]) for n in (1, 2))
        >>> (a + a).distance(a + b)
        2
        """
        every, number = np.unique(np.concatenate([self._sorted, other._sorted]), return_inverse=True)
        mine, theirs = (np.bincount(part, minlength=len(every)) for part in np.split(number, [len(self)]))
        return int(np.abs(mine - theirs).sum())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digests) and np.array_equal(self._sorted, other._sorted)

    __hash__ = None  # type: ignore[assignment]  # equal by value, and as large as its array


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
