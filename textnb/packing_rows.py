"""Documents kept with a model, and histograms of documents, as plain arrays and back; what comes back is checked."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.bundle import Arrays
from textnb.counts import ClassCounts, DocumentHistogram, Examples, Vocabulary
from textnb.counts.class_histograms import ClassHistograms
from textnb.counts.digests import Digests
from textnb.counts.matrix import CSR
from textnb.counts.sample import Sample
from textnb.errors import ModelFileError
from textnb.packing import array_of, packed_table, unpacked_table

_LARGE = 255  # what a byte holds


def packed_examples(name: str, examples: Examples, vocabulary: Vocabulary, classes: Sequence[str]) -> Arrays:
    """Examples, their terms as columns of the vocabulary and their classes as numbers of the header's."""
    table = packed_table(name, examples.X)
    data = table[f"{name}.data"]
    numbers = np.array([classes.index(label) for label in examples.classes], np.int32)
    return {
        **table,
        f"{name}.data": np.minimum(data, _LARGE).astype(np.uint8),
        f"{name}.large": data[data >= _LARGE].astype("<i8"),
        f"{name}.columns": vocabulary.columns_of(examples.vocabulary).astype("<i8"),
        f"{name}.classes": numbers[examples.y].astype("<i4"),
        f"{name}.digests": examples.digests,
    }


def unpacked_examples(
    arrays: Arrays, name: str, vocabulary: Vocabulary, classes: Sequence[str], learnt: Digests
) -> Examples:
    """The examples again; each must be among the learnt documents."""
    columns, y = (array_of(arrays, f"{name}.{part}", 1, "i") for part in ("columns", "classes"))
    digests = array_of(arrays, f"{name}.digests", 2, "u")
    if len(columns) and not (columns.min() >= 0 and columns.max() < len(vocabulary)):
        raise ModelFileError(f"the terms of {name!r} are not in the vocabulary")
    if len(y) and not (y.min() >= 0 and y.max() < len(classes)):
        raise ModelFileError(f"the classes of {name!r} are not those of the model")
    if len(y) != len(digests) or (np.diff(columns) <= 0).any():
        raise ModelFileError(f"the documents of {name!r} are not in order")
    X = unpacked_table({**arrays, f"{name}.data": _counts(arrays, name)}, name, (len(y), len(columns)))
    learnt - Digests.of_array(digests)  # refuses what was never learnt
    kept, numbers = np.unique(y, return_inverse=True)
    names = tuple(classes[k] for k in kept)
    whole = X.astype(np.int32 if X.nnz == 0 or X.data.max() < 2**31 else np.int64)
    return Examples(vocabulary.selected(columns.astype(np.intp)), names, whole, numbers, digests)


def _counts(arrays: Arrays, name: str) -> NDArray[np.int64]:
    """Counts from a byte each; those that need more stand apart, in their order."""
    data = array_of(arrays, f"{name}.data", 1, "u").astype(np.int64)
    large = array_of(arrays, f"{name}.large", 1, "i")
    if (data == _LARGE).sum() != len(large):
        raise ModelFileError(f"the large counts of {name!r} are not as many as they should be")
    data[data == _LARGE] = large
    return data


def packed_sample(sample: Sample, vocabulary: Vocabulary, classes: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
    """What the header says of a sample, and its arrays."""
    facts = {"most": sample.most, "levels": sample.levels}
    return facts, packed_examples("sample", sample.examples, vocabulary, classes)


def unpacked_sample(
    facts: Mapping[str, Any], arrays: Arrays, vocabulary: Vocabulary, classes: Sequence[str], learnt: Digests
) -> Sample:
    """The sample again."""
    most, levels = facts["most"], facts["levels"]
    sound = type(most) is int and most > 0 and all(type(n) is int and 0 < n <= 64 for n in levels.values())
    if not sound or not set(levels) <= set(classes):
        raise ModelFileError("the header does not describe the sample")
    return Sample(unpacked_examples(arrays, "sample", vocabulary, classes, learnt), dict(levels), most)


def packed_histograms(histograms: ClassHistograms) -> Arrays:
    """The histograms of the classes, one below the other."""
    tables = {
        "times": [part.times for part in histograms.parts],
        "lengths": [part.lengths for part in histograms.parts],
    }
    return {
        key: array
        for name, parts in tables.items()
        for key, array in packed_table(f"histograms.{name}", _stacked(parts)).items()
    }


def unpacked_histograms(arrays: Arrays, counts: ClassCounts) -> ClassHistograms:
    """The histograms again; they must be those of the documents that were counted."""
    times = _unpacked_wide(arrays, "histograms.times", counts.n_classes * counts.n_terms)
    lengths = _unpacked_wide(arrays, "histograms.lengths", counts.n_classes)
    rows = np.repeat(np.arange(counts.n_classes), np.diff(counts.terms.indptr)) * counts.n_terms + counts.terms.indices
    sound = (
        np.array_equal(np.flatnonzero(np.diff(times.indptr)), rows)
        and np.array_equal(_row_sums(times, times.data), counts.containing.data)
        and np.array_equal(_row_sums(times, times.data * (times.indices + 1.0)), counts.terms.data)
        and np.array_equal(_row_sums(lengths, lengths.data), counts.documents)
        and np.array_equal(_row_sums(lengths, lengths.data * lengths.indices.astype(float)), counts.terms.sum(axis=1))
    )
    if not sound:
        raise ModelFileError("the histograms are not those of the documents that were counted")
    tables = zip(_cut(times, counts.n_terms, counts.n_classes), _cut(lengths, 1, counts.n_classes), strict=True)
    parts = (DocumentHistogram(counts.vocabulary, *pair, counts.unit) for pair in tables)
    return ClassHistograms(tuple(counts.classes), tuple(parts))


def _stacked(parts: list[CSR]) -> CSR:
    width = max((part.shape[1] for part in parts), default=0)
    wide = [sparse.csr_array((part.data, part.indices, part.indptr), shape=(part.shape[0], width)) for part in parts]
    return sparse.vstack(wide, format="csr") if wide else sparse.csr_array((0, 0), dtype=np.int64)


def _unpacked_wide(arrays: Arrays, name: str, n_rows: int) -> CSR:
    """A table of so many rows that is as wide as it needs to be."""
    indices = array_of(arrays, f"{name}.indices", 1, "i")
    return unpacked_table(arrays, name, (n_rows, int(indices.max()) + 1 if len(indices) else 0))


def _row_sums(table: CSR, values: NDArray[Any]) -> NDArray[Any]:
    """The sums of the values of each row that has any."""
    return np.add.reduceat(values, table.indptr[:-1][np.diff(table.indptr) > 0]) if len(values) else values


def _cut(table: CSR, n_rows: int, n_parts: int) -> list[CSR]:
    """Parts of so many rows, each as wide as it needs to be."""
    parts = [table[k * n_rows : (k + 1) * n_rows] for k in range(n_parts)]
    widths = [int(part.indices.max()) + 1 if part.nnz else 0 for part in parts]
    return [
        sparse.csr_array((part.data, part.indices, part.indptr), shape=(n_rows, used))
        for part, used in zip(parts, widths, strict=True)
    ]
