"""Learnt documents: their digests as a sorted multiset, and the documents themselves for models that need the matrix.

A digest is 16 bytes that identify a document together with its label. Digests are kept as one array of bytes (n, 16) in
ascending order, so equal documents learnt in any order are equal arrays. ``Digests`` and ``Examples`` have ``+`` and
``-`` with the laws of the statistics: ``(a + b) - b == a``, and ``-`` refuses what is not there.

Examples also have the day of each document (``Document.day``), 0 without one; it is no part of the digest. Of copies
with different days, ``-`` takes away those of the same days, then the oldest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from textnb.counts.labels import class_codes, places
from textnb.counts.matrix import CSR, as_counts, canonical, in_bytes, renumbered
from textnb.counts.packed_vocabulary import united
from textnb.counts.vocabulary import Vocabulary
from textnb.document import DIGEST_SIZE
from textnb.errors import InputError, NotLearntError
from textnb.extension import sparse
from textnb.numerics import Codes

SIZE = DIGEST_SIZE

_NEVER_LEARNT = (
    "{missing} of {number} document was never learnt under that label and cannot be forgotten; nothing was changed",
    "{missing} of {number} documents were never learnt under that label and cannot be forgotten; nothing was changed",
)

DigestArray = NDArray[np.uint8]
"""Digests as bytes, (n, 16)."""


def labelled_digest(digest: bytes, label: str) -> bytes:
    """Digest of a document under its label: one text learnt under two labels is two documents."""
    return blake2b(digest + label.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


def digest_array(digests: Iterable[bytes]) -> DigestArray:
    """Digests of 16 bytes each as an array (n, 16), in the order given."""
    listed = list(digests)
    if not (set(map(type, listed)) <= {bytes} and set(map(len, listed)) <= {SIZE}):
        raise InputError("digests must have {size} bytes each", size=SIZE)
    return np.frombuffer(b"".join(listed), np.uint8).reshape(-1, SIZE)


def sort_keys(digests: DigestArray) -> NDArray[np.bytes_]:
    """Digests as numpy strings, (n,), which sort and compare in the order of their bytes."""
    return np.ascontiguousarray(digests).view(f"S{SIZE}").reshape(-1)


class Digests:
    """Sorted multiset of digests with ``+``, ``-`` and ``==``; ``-`` refuses what is not in it. Immutable.

    ``array`` holds the digests, (n, 16), in ascending order.

    >>> a, b = (Digests.of([bytes([n]) * 16]) for n in (1, 2))
    >>> (a + b) - b == a, len(a + a), (a + b + a).n_copies
    (True, 2, 1)
    """

    def __init__(self, array: DigestArray) -> None:
        self.array = array
        self._keys = sort_keys(array)

    def __reduce__(self) -> tuple[object, ...]:
        return Digests, (self.array,)  # once, not with its keys

    @classmethod
    def of(cls, digests: Iterable[bytes] = ()) -> Digests:
        """The multiset of digests in any order."""
        return cls._sorted(sort_keys(digest_array(digests)))

    @classmethod
    def of_array(cls, array: DigestArray) -> Digests:
        """The multiset of an array (n, 16) that is in ascending order; checked."""
        if array.ndim != 2 or array.shape[1] != SIZE or array.dtype != np.uint8:
            raise InputError("digests must be bytes of shape (n, {size})", size=SIZE)
        digests = cls(array)
        if (digests._keys[1:] < digests._keys[:-1]).any():
            raise InputError("digests must be sorted")
        return digests

    @classmethod
    def _sorted(cls, keys: NDArray[np.bytes_]) -> Digests:
        return cls(np.sort(keys).view(np.uint8).reshape(-1, SIZE))

    def __len__(self) -> int:
        return len(self.array)

    @property
    def n_copies(self) -> int:
        """Number of digests that repeat another one."""
        return int((self._keys[1:] == self._keys[:-1]).sum())

    def __contains__(self, digest: bytes) -> bool:
        return self.times(digest) > 0

    def times(self, digest: bytes) -> int:
        """Return how often a digest is here."""
        return int(self._occurrences(sort_keys(digest_array([digest])))[0])

    def __add__(self, other: Digests) -> Digests:
        return self.total([self, other])

    @classmethod
    def total(cls, parts: Sequence[Digests]) -> Digests:
        """Sum of several multisets."""
        return cls._sorted(np.concatenate([each._keys for each in parts]))

    def __sub__(self, other: Digests) -> Digests:
        self.check_holds(other)
        return Digests(self.array[self.left_without(other)])

    def check_holds(self, other: Digests) -> None:
        """Refuse digests that are not here, or here less often; the error counts them."""
        theirs, times = np.unique(other._keys, return_counts=True)
        missing = int(np.maximum(times - self._occurrences(theirs), 0).sum())
        if missing:
            raise NotLearntError(_NEVER_LEARNT[missing != 1], missing=missing, number=len(other))

    def left_without(self, other: Digests) -> Codes:
        """Positions of the digests that are left when those of another multiset are taken away."""
        return _left_without(self._keys, other._keys)

    def places_of(self, part: Digests) -> Codes:
        """Places here of the digests of a part; those of copies are the first ones."""
        occurrence = np.arange(len(part)) - np.searchsorted(part._keys, part._keys)
        return np.asarray(np.searchsorted(self._keys, part._keys) + occurrence)

    def distance(self, other: Digests) -> int:
        """Number of digests to add or remove to turn one multiset into the other.

        >>> a, b = (Digests.of([bytes([n]) * 16]) for n in (1, 2))
        >>> (a + a).distance(a + b)
        2
        """
        every = np.unique(np.concatenate([self._keys, other._keys]))
        return int(np.abs(self._occurrences(every) - other._occurrences(every)).sum())

    def _occurrences(self, keys: NDArray[np.bytes_]) -> Codes:
        """Number of times that each key is here."""
        return _occurrences(self._keys, keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digests) and np.array_equal(self.array, other.array)

    __hash__ = None  # type: ignore[assignment]  # equal by value, and as large as its array


def _occurrences(sorted_keys: NDArray[np.bytes_], keys: NDArray[np.bytes_]) -> Codes:
    """Number of times that each key is among sorted ones."""
    return np.asarray(np.searchsorted(sorted_keys, keys, side="right") - np.searchsorted(sorted_keys, keys))


def _left_without(keys: NDArray[np.bytes_], others: NDArray[np.bytes_]) -> Codes:
    """Positions of the keys that are left when others are taken away, the first of equals first; both are sorted."""
    occurrence = np.arange(len(keys)) - np.searchsorted(keys, keys)
    return np.flatnonzero(occurrence >= _occurrences(others, keys))


Days = NDArray[np.int32]
"""Days of documents, (D,), as ``Document.day``; 0 for a document without a date."""


def _dated_keys(digests: DigestArray, days: Days) -> NDArray[np.bytes_]:
    """Sort keys of digests with their days, (n,); copies are in the order of their days."""
    joined = np.concatenate([digests, days.astype(">u4").view(np.uint8).reshape(-1, 4)], axis=1)
    return np.ascontiguousarray(joined).view(f"S{SIZE + 4}").reshape(-1)


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows X (D, V), class numbers y (D,), labelled digests (D, 16) and days (D,), in the order of the last two.

    Immutable. The order is canonical, so equal examples are equal values whatever their history. ``+`` is the union
    with repetition, ``-`` removes rows and refuses those that are not there.
    """

    vocabulary: Vocabulary
    classes: tuple[str, ...]
    X: CSR
    y: Codes
    digests: DigestArray
    days: Days

    @classmethod
    def of(
        cls,
        X: CSR,
        labels: list[str],
        digests: list[bytes],
        vocabulary: Vocabulary,
        days: Sequence[int | None] = (),
    ) -> Examples:
        """Examples from documents in any order; without days none of them has a date."""
        X = in_bytes(canonical(as_counts(X)))
        if not (X.shape[0] == len(labels) == len(digests)) or X.shape[1] != len(vocabulary):
            template = "the sizes differ: counts of shape {shape}, {labels} labels, {digests} digests, {terms} terms"
            sizes = {"labels": len(labels), "digests": len(digests), "terms": len(vocabulary)}
            raise InputError(template, shape=X.shape, **sizes)
        classes, y = class_codes(np.array(labels, object))
        known = np.array([day or 0 for day in days], np.int32) if days else np.zeros(len(labels), np.int32)
        return cls(vocabulary, classes, X, y, digest_array(digests), known)._in_order().trimmed()

    @classmethod
    def zero(cls) -> Examples:
        """No examples."""
        return cls.of(sparse.csr_array((0, 0), dtype=np.int32), [], [], Vocabulary())

    def __len__(self) -> int:
        return len(self.y)

    @classmethod
    def joined(cls, parts: Sequence[Examples]) -> Examples:
        """Union of several examples, with repetition; the rows are copied once to join them and once to order them."""
        parts = [part for part in parts if len(part)]
        if len(parts) < 2:
            return parts[0] if parts else cls.zero()
        vocabulary, columns = parts[0].vocabulary, [np.arange(len(parts[0].vocabulary))]
        for part in parts[1:]:
            vocabulary, before, added = united(vocabulary, part.vocabulary)
            columns = [*(before[each] for each in columns), added]
        classes = tuple(sorted({name for part in parts for name in part.classes}))
        tables = [renumbered(part.X, each, len(vocabulary)) for part, each in zip(parts, columns, strict=True)]
        X = sparse.vstack(tables, format="csr")
        del tables, columns  # before the rows are copied again
        y = np.concatenate([places(classes, part.classes)[part.y] for part in parts])
        digests, days = (np.concatenate([getattr(part, name) for part in parts]) for name in ("digests", "days"))
        return cls(vocabulary, classes, X, y, digests, days)._in_order()

    def __add__(self, other: Examples) -> Examples:
        return self.joined([self, other])

    def __sub__(self, other: Examples) -> Examples:
        Digests(self.digests).check_holds(Digests(other.digests))
        return self.without(other.digests, other.days)

    def without(self, digests: DigestArray, days: Days) -> Examples:
        """Examples without those of sorted digests, which have these days; what is not here is ignored."""
        if not self.days.any():
            return self.rows(_left_without(sort_keys(self.digests), sort_keys(digests)))
        mine, theirs = _dated_keys(self.digests, self.days), np.sort(_dated_keys(digests, days))
        left = _left_without(mine, theirs)
        others = theirs[_left_without(theirs, mine)]  # of another day, or not here
        digests_of_others = others.astype(f"S{SIZE}")
        return self.rows(left[_left_without(sort_keys(self.digests[left]), digests_of_others)])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Examples)
            and (self.vocabulary, self.classes) == (other.vocabulary, other.classes)
            and np.array_equal(self.digests, other.digests)
            and np.array_equal(self.y, other.y)
            and np.array_equal(self.days, other.days)
            and (self.X != other.X).nnz == 0
        )

    __hash__ = None  # type: ignore[assignment]  # equal by value, and as large as its arrays

    def rows(self, rows: Codes) -> Examples:
        """Some of the examples, by ascending row numbers, on the terms and classes that they have."""
        return (self if len(rows) == len(self) else self._with_rows(rows)).trimmed()

    def _with_rows(self, rows: Codes) -> Examples:
        taken = self.X[rows], self.y[rows], self.digests[rows], self.days[rows]
        return Examples(self.vocabulary, self.classes, *taken)

    def _in_order(self) -> Examples:
        keys = _dated_keys(self.digests, self.days) if self.days.any() else sort_keys(self.digests)
        return self._with_rows(np.argsort(keys, kind="stable"))

    @property
    def is_in_order(self) -> bool:
        """True if the order is canonical, as it is unless a file is damaged."""
        keys = _dated_keys(self.digests, self.days)
        return not (keys[1:] < keys[:-1]).any()

    def before(self, day: int, *, undated: bool = False) -> Codes:
        """Row numbers of the documents that are older than a day; undated: and of those without a date."""
        return np.flatnonzero((self.days < day) & ((self.days > 0) | undated))

    def within(self, vocabulary: Vocabulary) -> Examples:
        """Return these examples on a vocabulary, without the terms that are not in it."""
        columns = vocabulary.places_of(self.vocabulary)
        X = renumbered(self.X, columns, len(vocabulary))
        return replace(self, X=X, vocabulary=vocabulary)

    def trimmed(self) -> Examples:
        """These examples without the terms and classes that none of them has."""
        is_used = np.bincount(self.X.indices, minlength=len(self.vocabulary)) > 0
        columns, X = np.flatnonzero(is_used), self.X
        if len(columns) < len(self.vocabulary):
            X = renumbered(X, np.maximum(np.cumsum(is_used) - 1, 0), len(columns))  # several times faster than X[:, c]
        X = in_bytes(X)
        kept, y = np.unique(self.y, return_inverse=True)
        classes = tuple(self.classes[k] for k in kept)
        return Examples(self.vocabulary.selected(columns), classes, X, y, self.digests, self.days)
