"""ClassHistograms: a DocumentHistogram for each class, with the same laws."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.histogram import DocumentHistogram, as_whole
from textnb.counts.matrix import are_whole
from textnb.counts.sums import labelled_rows, places
from textnb.counts.vocabulary import Columns, Vocabulary
from textnb.errors import InputError


@dataclass(frozen=True)
class ClassHistograms:
    """``parts`` are in the order of the ``classes``; ``+`` merges, ``-`` forgets, on equal axes. Immutable.

    >>> histograms = ClassHistograms.of([[2, 0], [1, 1]], ["x", "y"])
    >>> [part.times.toarray().tolist() for part in histograms.parts], histograms.total.n_documents
    ([[[0, 1], [0, 0]], [[1], [1]]], 2)
    """

    classes: tuple[Any, ...]
    parts: tuple[DocumentHistogram, ...]

    @classmethod
    def of(
        cls,
        X: Any,
        y: ArrayLike,
        vocabulary: Vocabulary | None = None,
        classes: Sequence[Any] | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        unit: float = 1.0,
    ) -> "ClassHistograms":
        """The histograms of documents X (D, V), whole numbers, with labels y (D,); weights are repetitions."""
        X = as_whole(X)
        names, codes, weight = labelled_rows(X.shape[0], y, classes, sample_weight)
        times = np.ones(len(codes), np.int64)
        if weight is not None:
            if not are_whole(weight):
                raise InputError("single documents are looked at here: sample_weight must be whole numbers")
            times = weight.astype(np.int64)
        rows = (X[np.repeat(np.flatnonzero(codes == k), times[codes == k])] for k in range(len(names)))
        return cls(names, tuple(DocumentHistogram.of(part, vocabulary, unit) for part in rows))

    @property
    def documents(self) -> NDArray[np.int64]:
        """The number of documents of each class, (C,)."""
        return np.array([part.n_documents for part in self.parts], np.int64)

    def on_classes(self, classes: Sequence[Any]) -> "ClassHistograms":
        """The same among more classes."""
        part = self.parts[0]
        wide = [DocumentHistogram.zero(part.vocabulary, part.n_terms, part.unit)] * len(classes)
        for k, mine in zip(places(classes, self.classes), self.parts, strict=True):
            wide[k] = mine
        return ClassHistograms(tuple(classes), tuple(wide))

    @property
    def total(self) -> DocumentHistogram:
        """That of all documents, whatever their class."""
        if not self.parts:
            raise InputError("there are no classes: nothing has been learnt")
        return reduce(add, self.parts)

    def on(self, vocabulary: Vocabulary, classes: Sequence[Any], unit: float = 1.0) -> "ClassHistograms":
        """The same on wider axes; ``unit`` is that of the counts, and of the classes that have none yet."""
        if any(part.unit != unit for part in self.parts):
            raise InputError(f"the histograms are of another unit than {unit}")
        wide = [DocumentHistogram.zero(vocabulary, unit=unit)] * len(classes)
        columns = vocabulary.columns_of(self.parts[0].vocabulary or vocabulary) if self.parts else None
        for k, part in zip(places(classes, self.classes), self.parts, strict=True):
            wide[k] = part.on(vocabulary, columns)
        return ClassHistograms(tuple(classes), tuple(wide))

    def selected(self, columns: Columns, classes: Sequence[Any]) -> "ClassHistograms":
        """Those of some terms and some classes."""
        kept = [self.parts[k] for k in places(self.classes, classes)]
        terms = kept[0].vocabulary if kept else None
        vocabulary = None if terms is None else terms.selected(columns)
        return ClassHistograms(tuple(classes), tuple(part.selected(columns, vocabulary) for part in kept))

    def __add__(self, other: "ClassHistograms") -> "ClassHistograms":
        self._check_classes(other)
        return ClassHistograms(self.classes, tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __sub__(self, other: "ClassHistograms") -> "ClassHistograms":
        self._check_classes(other)
        return ClassHistograms(self.classes, tuple(a - b for a, b in zip(self.parts, other.parts, strict=True)))

    def _check_classes(self, other: "ClassHistograms") -> None:
        if self.classes != other.classes:
            raise InputError(f"the classes differ: {self.classes} and {other.classes}; map them onto one with on()")
