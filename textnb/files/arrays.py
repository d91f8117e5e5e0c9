"""Values as plain named arrays for a bundle, and back.

    strings, tables             UTF-8 bytes and ends; data, indices and indptr of a sparse matrix
    learnt value                vocabulary, counts per class and digests
    examples, sample            documents kept with a model; one byte per count, larger counts in a separate array
    histograms                  one below the other, class by class

``packed_...`` makes the arrays, ``unpacked_...`` the value. A file may be damaged or hostile: unpacking checks that
everything fits together, within the ``content_of`` of ``bundle.py``, which turns any error into a ModelFileError.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.counts import ClassCounts, Digests, DocumentHistogram, Examples, Learnt, Vocabulary
from textnb.counts.histograms import ClassHistograms
from textnb.counts.labels import places
from textnb.counts.learnt import Sample
from textnb.counts.matrix import CSR
from textnb.errors import ModelFileError
from textnb.files.bundle import Arrays


def packed_strings(name: str, strings: Sequence[str]) -> Arrays:
    """Arrays of strings: their UTF-8 bytes, concatenated, and the end of each."""
    coded = [string.encode("utf-8", "replace") for string in strings]
    ends = np.cumsum([len(data) for data in coded], dtype=np.int64)
    return {f"{name}.bytes": np.frombuffer(b"".join(coded), np.uint8), f"{name}.ends": ends}


def unpacked_strings(arrays: Arrays, name: str) -> list[str]:
    """Strings from the arrays of ``packed_strings``."""
    data, ends = array_of(arrays, f"{name}.bytes", 1, "u").tobytes(), array_of(arrays, f"{name}.ends", 1, "i")
    if len(ends) == 0:
        return []
    if ends[-1] != len(data) or ends[0] < 0 or (ends[1:] < ends[:-1]).any():
        raise ModelFileError("the strings {name!r} do not end where they should", name=name)
    starts = [0, *ends[:-1].tolist()]
    try:
        return [data[start:end].decode("utf-8") for start, end in zip(starts, ends.tolist(), strict=True)]
    except UnicodeDecodeError as error:
        raise ModelFileError("the strings {name!r} are not UTF-8: {error}", name=name, error=error) from error


def packed_table(name: str, table: CSR) -> Arrays:
    """Arrays of a sparse matrix whose rows are sorted and free of zeros, in the smallest index type that holds it."""
    index = np.int32 if max(table.shape[1], table.nnz) < 2**31 else np.int64
    data = table.data.astype("<f8" if table.dtype.kind == "f" else "<i8", copy=False)
    return {
        f"{name}.data": data,
        f"{name}.indices": table.indices.astype(index, copy=False),
        f"{name}.indptr": table.indptr.astype(index, copy=False),
    }


def unpacked_table(arrays: Arrays, name: str, shape: tuple[int, int]) -> CSR:
    """Sparse matrix from the arrays of ``packed_table``: columns in range and in order, entries positive."""
    data = array_of(arrays, f"{name}.data", 1, "iuf")
    indices, indptr = (array_of(arrays, f"{name}.{part}", 1, "i") for part in ("indices", "indptr"))
    sound = (
        len(indptr) == shape[0] + 1
        and indptr[0] == 0
        and indptr[-1] == len(indices) == len(data)
        and (indptr[1:] >= indptr[:-1]).all()
        and (len(indices) == 0 or (indices.min() >= 0 and indices.max() < shape[1]))
    )
    if not sound:
        raise ModelFileError("the table {name!r} is not a sparse matrix of shape {shape}", name=name, shape=shape)
    table = sparse.csr_array((data, indices, indptr), shape=shape)
    if not table.has_canonical_format or not (data > 0).all() or not np.isfinite(data).all():
        raise ModelFileError("the table {name!r} has entries out of order or not positive", name=name)
    return table


def packed_learnt(learnt: Learnt) -> Arrays:
    """Arrays of a learnt value; its classes are in the header."""
    counts = learnt.counts
    assert counts.vocabulary is not None
    return {
        **packed_strings("vocabulary", counts.vocabulary.terms),
        **packed_table("terms", counts.terms),
        **packed_table("containing", counts.containing),
        "documents": counts.documents.astype("<f8" if counts.documents.dtype.kind == "f" else "<i8"),
        "digests": learnt.digests.array,
    }


def unpacked_learnt(arrays: Arrays, classes: Sequence[str], unit: float) -> Learnt:
    """Learnt value from the arrays of ``packed_learnt``."""
    vocabulary = Vocabulary.of_sorted(unpacked_strings(arrays, "vocabulary"))
    shape = (len(classes), len(vocabulary))
    documents = array_of(arrays, "documents", 1, "if")
    if len(documents) != len(classes) or not (documents > 0).all():
        raise ModelFileError("the numbers of documents are not those of {number} classes", number=len(classes))
    terms, containing = unpacked_table(arrays, "terms", shape), unpacked_table(arrays, "containing", shape)
    if not (np.array_equal(terms.indices, containing.indices) and np.array_equal(terms.indptr, containing.indptr)):
        raise ModelFileError("the terms that were counted are not those that documents contain")
    if (containing.data > np.repeat(documents, np.diff(containing.indptr))).any():
        raise ModelFileError("more documents contain a term than there are")
    counts = ClassCounts(vocabulary, tuple(classes), documents, terms, containing, unit)
    digests = Digests.of_array(array_of(arrays, "digests", 2, "u"))
    if len(digests) != documents.sum():
        raise ModelFileError("there are {n} digests of {all} documents", n=len(digests), all=documents.sum())
    return Learnt(counts, digests)


def array_of(arrays: Arrays, name: str, ndim: int, kinds: str) -> NDArray[Any]:
    """Array of that name, which must have ``ndim`` dimensions and a dtype of one of these kinds."""
    if name not in arrays or arrays[name].ndim != ndim or arrays[name].dtype.kind not in kinds:
        raise ModelFileError("the array {name!r} is missing or of another kind", name=name)
    return arrays[name]


_LARGE_COUNT = 255  # in a byte it means: the count is in the array of large counts


def packed_examples(name: str, examples: Examples, vocabulary: Vocabulary, classes: Sequence[str]) -> Arrays:
    """Arrays of examples: their terms as columns of the vocabulary, their classes as numbers of the header's."""
    table = packed_table(name, examples.X)
    data = table[f"{name}.data"]
    return {
        **table,
        f"{name}.data": np.minimum(data, _LARGE_COUNT).astype(np.uint8),
        f"{name}.large": data[data >= _LARGE_COUNT].astype("<i8"),
        f"{name}.columns": vocabulary.columns_of(examples.vocabulary).astype("<i8"),
        f"{name}.classes": places(classes, examples.classes)[examples.y].astype("<i4"),
        f"{name}.digests": examples.digests,
    }


def unpacked_examples(
    arrays: Arrays, name: str, vocabulary: Vocabulary, classes: Sequence[str], learnt: Digests
) -> Examples:
    """Examples from the arrays of ``packed_examples``; each must be among the learnt documents."""
    columns, y = (array_of(arrays, f"{name}.{part}", 1, "i") for part in ("columns", "classes"))
    digests = array_of(arrays, f"{name}.digests", 2, "u")
    if len(columns) and not (columns.min() >= 0 and columns.max() < len(vocabulary)):
        raise ModelFileError("the terms of {name!r} are not in the vocabulary", name=name)
    if len(y) and not (y.min() >= 0 and y.max() < len(classes)):
        raise ModelFileError("the classes of {name!r} are not those of the model", name=name)
    if len(y) != len(digests) or (np.diff(columns) <= 0).any():
        raise ModelFileError("the documents of {name!r} are not in order", name=name)
    X = unpacked_table({**arrays, f"{name}.data": _counts(arrays, name)}, name, (len(y), len(columns)))
    learnt.check_holds(Digests.of_array(digests))
    kept, numbers = np.unique(y, return_inverse=True)
    names = tuple(classes[k] for k in kept)
    whole = X.astype(np.int32 if X.nnz == 0 or X.data.max() < 2**31 else np.int64)
    return Examples(vocabulary.selected(columns.astype(np.intp)), names, whole, numbers, digests)


def _counts(arrays: Arrays, name: str) -> NDArray[np.int64]:
    """Counts from a byte each and, in their order, the large counts."""
    data = array_of(arrays, f"{name}.data", 1, "u").astype(np.int64)
    large = array_of(arrays, f"{name}.large", 1, "i")
    if (data == _LARGE_COUNT).sum() != len(large):
        raise ModelFileError("the number of large counts of {name!r} is wrong", name=name)
    data[data == _LARGE_COUNT] = large
    return data


def packed_sample(sample: Sample, vocabulary: Vocabulary, classes: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
    """Header entries and arrays of a sample."""
    facts = {"most": sample.most, "levels": sample.levels}
    return facts, packed_examples("sample", sample.examples, vocabulary, classes)


def unpacked_sample(
    facts: Mapping[str, Any], arrays: Arrays, vocabulary: Vocabulary, classes: Sequence[str], learnt: Digests
) -> Sample:
    """Sample from the header entries and arrays of ``packed_sample``."""
    most, levels = facts["most"], facts["levels"]
    sound = type(most) is int and most > 0 and all(type(n) is int and 0 < n <= 64 for n in levels.values())
    if not sound or not set(levels) <= set(classes):
        raise ModelFileError("the header does not describe the sample")
    return Sample(unpacked_examples(arrays, "sample", vocabulary, classes, learnt), dict(levels), most)


def packed_histograms(histograms: ClassHistograms) -> Arrays:
    """Arrays of the histograms of the classes, one below the other."""
    times, lengths = (_stacked([getattr(part, name) for part in histograms.parts]) for name in ("times", "lengths"))
    return {**packed_table("histograms.times", times), **packed_table("histograms.lengths", lengths)}


def unpacked_histograms(arrays: Arrays, counts: ClassCounts) -> ClassHistograms:
    """Histograms from the arrays of ``packed_histograms``; they must agree with the counts."""
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
        raise ModelFileError("the histograms do not agree with the counts")
    tables = zip(_cut(times, counts.n_terms, counts.n_classes), _cut(lengths, 1, counts.n_classes), strict=True)
    parts = (DocumentHistogram(counts.vocabulary, *pair, counts.unit) for pair in tables)
    return ClassHistograms(tuple(counts.classes), tuple(parts))


def _stacked(parts: list[CSR]) -> CSR:
    """Tables of different widths, one below the other."""
    width = max((part.shape[1] for part in parts), default=0)
    wide = [_widened(part, width) for part in parts]
    return sparse.vstack(wide, format="csr") if wide else sparse.csr_array((0, 0), dtype=np.int64)


def _unpacked_wide(arrays: Arrays, name: str, n_rows: int) -> CSR:
    """Table with ``n_rows`` rows, as wide as its last entry needs."""
    indices = array_of(arrays, f"{name}.indices", 1, "i")
    return unpacked_table(arrays, name, (n_rows, int(indices.max()) + 1 if len(indices) else 0))


def _row_sums(table: CSR, values: NDArray[Any]) -> NDArray[Any]:
    """Sums of the values of each row that has entries."""
    return np.add.reduceat(values, table.indptr[:-1][np.diff(table.indptr) > 0]) if len(values) else values


def _cut(table: CSR, n_rows: int, n_parts: int) -> list[CSR]:
    """Table cut into parts of ``n_rows`` rows, each as wide as its last entry needs."""
    parts = [table[k * n_rows : (k + 1) * n_rows] for k in range(n_parts)]
    widths = [int(part.indices.max()) + 1 if part.nnz else 0 for part in parts]
    return [_widened(part, width) for part, width in zip(parts, widths, strict=True)]


def _widened(table: CSR, width: int) -> CSR:
    """Table with another number of columns."""
    return sparse.csr_array((table.data, table.indices, table.indptr), shape=(table.shape[0], width))
