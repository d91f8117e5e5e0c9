"""Values as plain named arrays for a bundle, and back.

    strings, tables             UTF-8 bytes and ends; data, indices and indptr of a sparse matrix
    small tables                lengths of rows, gaps between columns and counts, as numbers stored small
    learnt value                vocabulary, counts per class and digests
    examples, sample            documents kept with a model: a table, class numbers, which of the learnt ones they are
    histograms                  one below the other, class by class

``packed_...`` makes the arrays, ``unpacked_...`` the value. A file may be damaged or hostile: unpacking checks that
everything fits together, within the ``content_of`` of ``bundle.py``, which turns any error into a ModelFileError.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts import ClassCounts, Digests, DocumentHistogram, Examples, Learnt, Vocabulary
from textnb.counts.histograms import ClassHistograms
from textnb.counts.labels import RELATIVE_ROUNDING, places
from textnb.counts.learnt import MOST_KEPT, Sample, is_below, level_bound
from textnb.counts.matrix import CSR, mapped
from textnb.counts.packed_vocabulary import PackedVocabulary, packed
from textnb.document import DIGEST_SIZE
from textnb.errors import ModelFileError
from textnb.extension import sparse
from textnb.files.bundle import Arrays
from textnb.files.numbers import MAX_NUMBER, packed_numbers, unpacked_numbers

_TERMS_PER_BLOCK = 1 << 16
_MAX_BYTES = 2**32 - 1  # of all terms
MAX_TOTAL = 2.0**62
"""Largest sum of a table; with a larger one whole numbers would overflow, and logarithms of sums soon be NaN."""


def packed_strings(name: str, strings: Sequence[str]) -> Arrays:
    """Arrays of strings: their UTF-8 bytes, concatenated, and the end of each."""
    coded = [string.encode("utf-8", "replace") for string in strings]
    ends = np.cumsum([len(data) for data in coded], dtype=np.int64)
    return {f"{name}.bytes": np.frombuffer(b"".join(coded), np.uint8), f"{name}.ends": ends}


def packed_vocabulary(name: str, vocabulary: Vocabulary) -> Arrays:
    """Arrays of ``packed_strings`` of the terms of a vocabulary; no string is made of packed terms."""
    terms = packed(vocabulary)
    return {f"{name}.bytes": terms.data, f"{name}.ends": terms.starts[1:].astype(np.int64)}


def unpacked_vocabulary(arrays: Arrays, name: str) -> Vocabulary:
    """Vocabulary from the arrays of ``packed_vocabulary``, checked; its terms stay packed."""
    data, ends = _bytes_and_ends(arrays, name)
    last = ""
    for first in range(0, len(ends), _TERMS_PER_BLOCK):  # so that not all terms are strings at once
        terms = _decoded(data, ends, slice(first, first + _TERMS_PER_BLOCK), name)
        Vocabulary.of_sorted([last, *terms] if first else terms)
        last = terms[-1]
    if len(data) > _MAX_BYTES:
        raise ModelFileError("the terms have more than {most:,} bytes", most=_MAX_BYTES)
    starts = np.zeros(len(ends) + 1, np.uint32)
    starts[1:] = ends
    return PackedVocabulary(data, starts)


def unpacked_strings(arrays: Arrays, name: str) -> list[str]:
    """Strings from the arrays of ``packed_strings``."""
    data, ends = _bytes_and_ends(arrays, name)
    return _decoded(data, ends, slice(0, len(ends)), name)


def packed_names(name: str, names: Sequence[str]) -> Arrays:
    """Arrays of strings of which many are equal: the distinct ones, and the number of each among them."""
    distinct = sorted(set(names))
    numbers = places(distinct, names)
    return {**packed_strings(name, distinct), f"{name}.numbers": numbers.astype(smallest_type(len(distinct)))}


def unpacked_names(arrays: Arrays, name: str) -> list[str]:
    """Strings from the arrays of ``packed_names``, or of ``packed_strings`` in older files; equal strings are one."""
    distinct = unpacked_strings(arrays, name)
    if f"{name}.numbers" not in arrays:
        known = {string: string for string in distinct}
        return [known[string] for string in distinct]
    numbers = array_of(arrays, f"{name}.numbers", 1, "u")
    if len(numbers) and numbers.max() >= len(distinct):
        raise ModelFileError("the strings {name!r} do not fit together", name=name)
    return [distinct[k] for k in numbers.tolist()]


def smallest_type(n: int) -> Any:
    """Smallest type of whole numbers from 0 to ``n``.

    >>> smallest_type(255).itemsize, smallest_type(256).itemsize
    (1, 2)
    """
    return next(dtype for dtype in map(np.dtype, ("|u1", "<u2", "<u4", "<u8")) if n <= np.iinfo(dtype).max)


def _bytes_and_ends(arrays: Arrays, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Bytes of strings, and where each ends; checked."""
    data, ends = array_of(arrays, f"{name}.bytes", 1, "u"), array_of(arrays, f"{name}.ends", 1, "i")
    if data.itemsize != 1 or (len(ends) and (ends[-1] != len(data) or ends[0] < 0 or (ends[1:] < ends[:-1]).any())):
        raise ModelFileError("the strings {name!r} do not end where they should", name=name)
    return data, ends


def _decoded(data: NDArray[Any], ends: NDArray[Any], part: slice, name: str) -> list[str]:
    """Some of the strings."""
    stops = ends[part].tolist()
    if not stops:
        return []
    begin = int(ends[part.start - 1]) if part.start else 0
    whole = data[begin : stops[-1]].tobytes()
    try:
        return [whole[a - begin : b - begin].decode() for a, b in pairwise([begin, *stops])]
    except UnicodeDecodeError as error:
        raise ModelFileError("the strings {name!r} are not UTF-8: {error}", name=name, error=error) from error


def packed_table(name: str, table: CSR) -> Arrays:
    """Arrays of a sparse matrix whose rows are sorted and free of zeros, in the smallest index type that holds it.

    Counts of one byte each (``in_bytes``) stay so.
    """
    index = np.int32 if max(table.shape[1], table.nnz) < 2**31 else np.int64
    data = table.data.astype({"f": "<f8", "u": "|u1"}.get(table.dtype.kind, "<i8"), copy=False)
    return {
        f"{name}.data": data,
        f"{name}.indices": table.indices.astype(index, copy=False),
        f"{name}.indptr": table.indptr.astype(index, copy=False),
    }


def packed_small(name: str, table: CSR) -> Arrays:
    """Arrays of a sparse matrix whose rows are sorted and free of zeros, stored small.

    ``lengths`` of the rows, ``gaps`` (columns skipped before each entry) and ``counts`` less 1 are numbers stored
    small; entries that are not whole are in ``data``.
    """
    table_arrays = {
        f"{name}.lengths": packed_numbers(np.diff(table.indptr)),
        f"{name}.gaps": packed_numbers(_gaps(table)),
    }
    if table.dtype.kind == "f":
        return {**table_arrays, f"{name}.data": table.data.astype("<f8", copy=False)}
    return {**table_arrays, f"{name}.counts": packed_numbers(table.data - 1)}


def unpacked_table(arrays: Arrays, name: str, shape: tuple[int, int | None]) -> CSR:
    """Sparse matrix from the arrays of ``packed_table`` or ``packed_small``.

    Without a number of columns it is as wide as its last one needs.

    Columns are in range and in order, entries are positive.
    """
    if f"{name}.indptr" in arrays:
        return _unpacked_plain(arrays, name, shape)
    indices, indptr = _columns(arrays, name, *shape)
    if f"{name}.data" in arrays:
        data = array_of(arrays, f"{name}.data", 1, "f")
        _check_entries(data, len(indices), name)
    else:
        data = numbers_of(arrays, f"{name}.counts", len(indices)) + 1
    return sparse.csr_array((data, indices, indptr), shape=(shape[0], _width(indices, shape[1])))


def _gaps(table: CSR) -> NDArray[Any]:
    """Columns between each entry and the one before it in its row, or the beginning of the row."""
    columns, first = table.indices, table.indptr[:-1][np.diff(table.indptr) > 0]
    gaps = np.diff(columns, prepend=columns[:1]) - 1
    gaps[first] = columns[first]
    return np.asarray(gaps)


def _columns(arrays: Arrays, name: str, n_rows: int, n_columns: int | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Indices and indptr of a table from the lengths of its rows and its gaps."""
    lengths = numbers_of(arrays, f"{name}.lengths", n_rows)
    n_entries = int(lengths.sum(dtype=object)) if n_rows else 0  # Python's numbers do not overflow
    gaps = numbers_of(arrays, f"{name}.gaps", n_entries)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    width = MAX_NUMBER // max(n_entries, 1) if n_columns is None else n_columns
    if n_entries and gaps.max() >= width:
        raise ModelFileError("the table {name!r} has columns out of range", name=name)
    passed = np.concatenate([[0], np.cumsum(gaps + 1)])
    columns = passed[1:] - np.repeat(passed[indptr[:-1]], lengths) - 1
    if n_columns is not None and n_entries and columns.max() >= n_columns:
        raise ModelFileError("the table {name!r} has columns out of range", name=name)
    index = np.int32 if max(n_entries, _width(columns, n_columns)) < 2**31 else np.int64
    return columns.astype(index), indptr.astype(index)


def _width(indices: NDArray[Any], n_columns: int | None) -> int:
    return n_columns if n_columns is not None else int(indices.max()) + 1 if len(indices) else 0


def _check_entries(data: NDArray[Any], number: int, name: str) -> None:
    if len(data) != number or not (data > 0).all() or not np.isfinite(data).all():
        raise ModelFileError("the table {name!r} needs {number} positive entries", name=name, number=number)


def _unpacked_plain(arrays: Arrays, name: str, shape: tuple[int, int | None]) -> CSR:
    """Sparse matrix from the arrays of ``packed_table``."""
    data = array_of(arrays, f"{name}.data", 1, "iuf")
    indices, indptr = (array_of(arrays, f"{name}.{part}", 1, "i") for part in ("indices", "indptr"))
    shape = (shape[0], _width(indices, shape[1]))
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
    if data.sum(dtype=np.float64) > MAX_TOTAL:
        raise ModelFileError("the sum of the table {name!r} exceeds {most:g}", name=name, most=MAX_TOTAL)
    return table


def packed_learnt(learnt: Learnt) -> Arrays:
    """Arrays of a learnt value; its classes are in the header."""
    counts = learnt.counts
    assert counts.vocabulary is not None
    return {
        **packed_vocabulary("vocabulary", counts.vocabulary),
        **packed_small("terms", counts.terms),
        **_packed_containing(counts.containing.data),
        "documents": counts.documents.astype("<f8" if counts.documents.dtype.kind == "f" else "<i8"),
        "digests": learnt.digests.array,
    }


def _packed_containing(number: NDArray[Any]) -> Arrays:
    if number.dtype.kind == "f":
        return {"containing.data": number.astype("<f8", copy=False)}
    return {"containing.counts": packed_numbers(number - 1)}


def unpacked_learnt(arrays: Arrays, classes: Sequence[str], unit: float) -> Learnt:
    """Learnt value from the arrays of ``packed_learnt``."""
    vocabulary = unpacked_vocabulary(arrays, "vocabulary")
    documents = array_of(arrays, "documents", 1, "if")
    if len(documents) != len(classes) or not (documents > 0).all():
        raise ModelFileError("the numbers of documents are not those of {number} classes", number=len(classes))
    terms = unpacked_table(arrays, "terms", (len(classes), len(vocabulary)))
    containing = _containing(arrays, terms)
    if (containing.data > np.repeat(documents, np.diff(containing.indptr)) * (1 + RELATIVE_ROUNDING)).any():
        raise ModelFileError("more documents contain a term than there are")
    counts = ClassCounts(vocabulary, tuple(classes), documents, terms, containing, unit)
    digests = Digests.of_array(array_of(arrays, "digests", 2, "u"))
    is_weighted = containing.dtype.kind == "f" and np.isfinite(documents).all()  # such documents have no digests
    if not is_weighted and len(digests) != documents.sum():
        raise ModelFileError("there are {n} digests of {all} documents", n=len(digests), all=documents.sum())
    return Learnt(counts, digests)


def _containing(arrays: Arrays, terms: CSR) -> CSR:
    """Numbers of documents that contain each term, at the places of the counted terms."""
    if "containing.indptr" in arrays:  # formats 1 and 2
        containing = unpacked_table(arrays, "containing", terms.shape)
        if not (np.array_equal(terms.indices, containing.indices) and np.array_equal(terms.indptr, containing.indptr)):
            raise ModelFileError("the terms that were counted are not those that documents contain")
        return containing
    if "containing.data" in arrays:
        number = array_of(arrays, "containing.data", 1, "f")
        _check_entries(number, terms.nnz, "containing")
    else:
        number = numbers_of(arrays, "containing.counts", terms.nnz) + 1
    return sparse.csr_array((number, terms.indices, terms.indptr), shape=terms.shape)


def array_of(arrays: Arrays, name: str, ndim: int, kinds: str) -> NDArray[Any]:
    """Array of that name, which must have ``ndim`` dimensions and a dtype of one of these kinds."""
    if name not in arrays or arrays[name].ndim != ndim or arrays[name].dtype.kind not in kinds:
        raise ModelFileError("the array {name!r} is missing or of another kind", name=name)
    return arrays[name]


def numbers_of(arrays: Arrays, name: str, n: int) -> NDArray[np.int64]:
    """Numbers of that name, stored small, which must be ``n``."""
    return unpacked_numbers(array_of(arrays, name, 1, "u"), n, name)


def packed_examples(name: str, examples: Examples, learnt: Learnt) -> Arrays:
    """Arrays of examples: rows on the learnt vocabulary, their class numbers, and which learnt documents they are."""
    vocabulary, classes = learnt.counts.vocabulary, learnt.counts.classes
    assert vocabulary is not None
    X = examples.X if examples.vocabulary == vocabulary else mapped(examples.X, examples.vocabulary, vocabulary)
    is_kept = np.zeros(len(learnt.digests), np.uint8)
    is_kept[learnt.digests.places_of(Digests(examples.digests))] = 1
    days = {f"{name}.days": packed_numbers(examples.days)} if examples.days.any() else {}
    return {
        **packed_small(name, X),
        **days,
        f"{name}.classes": packed_numbers(places(classes, examples.classes)[examples.y]),
        f"{name}.kept": packed_numbers(is_kept),
    }


def unpacked_examples(arrays: Arrays, name: str, learnt: Learnt) -> Examples:
    """Examples from the arrays of ``packed_examples``."""
    if f"{name}.indptr" in arrays:
        return _unpacked_plain_examples(arrays, name, learnt)
    vocabulary, classes = learnt.counts.vocabulary, tuple(learnt.counts.classes)
    assert vocabulary is not None
    is_kept = numbers_of(arrays, f"{name}.kept", len(learnt.digests))
    n_kept = int((is_kept == 1).sum())
    if n_kept + int((is_kept == 0).sum()) != len(is_kept):
        raise ModelFileError("the numbers '{name}.kept' must be 0 or 1", name=name)
    y = numbers_of(arrays, f"{name}.classes", n_kept)
    if n_kept and y.max() >= len(classes):
        raise ModelFileError("the classes of {name!r} are not those of the model", name=name)
    X = _whole(unpacked_table(arrays, name, (n_kept, len(vocabulary))), name)
    found = Examples(vocabulary, classes, X, y, learnt.digests.array[is_kept == 1], _days(arrays, name, n_kept))
    if not found.is_in_order:
        raise ModelFileError("the documents of {name!r} are not in order", name=name)
    return found.trimmed()


def _days(arrays: Arrays, name: str, n: int) -> NDArray[np.int32]:
    """Days of kept documents; files without any have no array of them."""
    if f"{name}.days" not in arrays:
        return np.zeros(n, np.int32)
    days = numbers_of(arrays, f"{name}.days", n)
    if n and days.max() > date.max.toordinal():
        raise ModelFileError("the numbers '{name}.days' are not days", name=name)
    return days.astype(np.int32)


def _whole(X: CSR, name: str) -> CSR:
    """Counts in the type that counting gives them."""
    if X.dtype.kind == "f":
        raise ModelFileError("the counts of {name!r} are not whole numbers", name=name)
    return X.astype(np.int32 if X.nnz == 0 or X.data.max() < 2**31 else np.int64)


PLAIN_MOST = 3000
"""Default number of kept documents in formats 1 and 2, which stands for the present default."""

_LARGE_COUNT = 255  # in a byte of formats 1 and 2 it means: the count is in the array of large counts


def _unpacked_plain_examples(arrays: Arrays, name: str, learnt: Learnt) -> Examples:
    """Examples of formats 1 and 2; each must be among the learnt documents."""
    vocabulary, classes = learnt.counts.vocabulary, learnt.counts.classes
    assert vocabulary is not None
    columns, y = (array_of(arrays, f"{name}.{part}", 1, "i") for part in ("columns", "classes"))
    digests = array_of(arrays, f"{name}.digests", 2, "u")
    if len(columns) and not (columns.min() >= 0 and columns.max() < len(vocabulary)):
        raise ModelFileError("the terms of {name!r} are not in the vocabulary", name=name)
    if len(y) and not (y.min() >= 0 and y.max() < len(classes)):
        raise ModelFileError("the classes of {name!r} are not those of the model", name=name)
    if len(y) != len(digests) or (np.diff(columns) <= 0).any():
        raise ModelFileError("the documents of {name!r} are not in order", name=name)
    X = unpacked_table({**arrays, f"{name}.data": _plain_counts(arrays, name)}, name, (len(y), len(columns)))
    learnt.digests.check_holds(Digests.of_array(digests))
    kept, numbers = np.unique(y, return_inverse=True)
    names = tuple(classes[k] for k in kept)
    no_days = np.zeros(len(numbers), np.int32)
    return Examples(vocabulary.selected(columns.astype(np.intp)), names, _whole(X, name), numbers, digests, no_days)


def _plain_counts(arrays: Arrays, name: str) -> NDArray[np.int64]:
    """Counts of formats 1 and 2: a byte each and, in their order, the large counts."""
    data = array_of(arrays, f"{name}.data", 1, "u").astype(np.int64)
    large = array_of(arrays, f"{name}.large", 1, "i")
    if (data == _LARGE_COUNT).sum() != len(large):
        raise ModelFileError("the number of large counts of {name!r} is wrong", name=name)
    data[data == _LARGE_COUNT] = large
    return data


def packed_sample(sample: Sample, learnt: Learnt) -> tuple[dict[str, Any], Arrays]:
    """Header entries and arrays of a sample."""
    bounds = {name: bound.hex() for name, bound in sample.bounds.items()}
    return {"most": sample.most, "bounds": bounds}, packed_examples("sample", sample.examples, learnt)


def unpacked_sample(facts: Mapping[str, Any], arrays: Arrays, learnt: Learnt) -> Sample:
    """Sample from the header entries and arrays of ``packed_sample``."""
    most, bounds = facts["most"], _plain_bounds(facts) if "levels" in facts else _bounds(facts)
    if most == PLAIN_MOST and "levels" in facts:
        most = MOST_KEPT
    if type(most) is not int or most <= 0 or not set(bounds) <= set(learnt.counts.classes):
        raise ModelFileError("the header does not describe the sample")
    sample = Sample(unpacked_examples(arrays, "sample", learnt), bounds, most)
    _check_sample(sample, learnt)
    return sample


def _bounds(facts: Mapping[str, Any]) -> dict[str, bytes]:
    bounds = {name: bytes.fromhex(bound) for name, bound in facts["bounds"].items()}
    if not all(len(bound) == DIGEST_SIZE and any(bound) for bound in bounds.values()):
        raise ModelFileError("the header does not describe the sample")
    return bounds


def _plain_bounds(facts: Mapping[str, Any]) -> dict[str, bytes]:
    """Bounds of formats 1 and 2, which have levels."""
    levels = facts["levels"]
    if not all(type(level) is int and 0 < level <= 64 for level in levels.values()):
        raise ModelFileError("the header does not describe the sample")
    return {name: level_bound(level) for name, level in levels.items()}


def _check_sample(sample: Sample, learnt: Learnt) -> None:
    """Refuse a sample with documents above their bound, or without documents that should be there."""
    examples, kept = sample.examples, sample.documents
    is_sound = is_below(examples.digests, examples.y, examples.classes, sample.bounds).all() and all(
        kept.get(name, 0) == number or (name in sample.bounds and kept.get(name, 0) < number)
        for name, number in learnt.documents.items()
    )
    if not is_sound:
        raise ModelFileError("the kept documents are not those that the header describes")


def packed_histograms(histograms: ClassHistograms) -> Arrays:
    """Arrays of the histograms of the classes, one below the other."""
    times, lengths = (_stacked([getattr(part, name) for part in histograms.parts]) for name in ("times", "lengths"))
    return {**packed_small("histograms.times", times), **packed_small("histograms.lengths", lengths)}


def unpacked_histograms(arrays: Arrays, counts: ClassCounts) -> ClassHistograms:
    """Histograms from the arrays of ``packed_histograms``; they must agree with the counts."""
    times = unpacked_table(arrays, "histograms.times", (counts.n_classes * counts.n_terms, None))
    lengths = unpacked_table(arrays, "histograms.lengths", (counts.n_classes, None))
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
