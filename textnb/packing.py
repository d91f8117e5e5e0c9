"""Values as plain arrays and back: vocabularies, sparse tables and the learnt value; what comes back is checked."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.bundle import Arrays
from textnb.counts import ClassCounts, Digests, Learnt, Vocabulary
from textnb.counts.matrix import CSR
from textnb.errors import InputError, ModelFileError


def packed_strings(name: str, strings: Sequence[str]) -> Arrays:
    """Strings as UTF-8 bytes one after the other, and where each ends."""
    coded = [string.encode("utf-8", "replace") for string in strings]
    ends = np.cumsum([len(data) for data in coded], dtype=np.int64)
    return {f"{name}.bytes": np.frombuffer(b"".join(coded), np.uint8), f"{name}.ends": ends}


def unpacked_strings(arrays: Arrays, name: str) -> list[str]:
    """The strings again."""
    data, ends = array_of(arrays, f"{name}.bytes", 1, "u").tobytes(), array_of(arrays, f"{name}.ends", 1, "i")
    if len(ends) == 0:
        return []
    if ends[-1] != len(data) or ends[0] < 0 or (ends[1:] < ends[:-1]).any():
        raise ModelFileError(f"the strings {name!r} do not end where they should")
    starts = [0, *ends[:-1].tolist()]
    try:
        return [data[start:end].decode("utf-8") for start, end in zip(starts, ends.tolist(), strict=True)]
    except UnicodeDecodeError as error:
        raise ModelFileError(f"the strings {name!r} are not UTF-8: {error}") from error


def packed_table(name: str, table: CSR) -> Arrays:
    """A sparse matrix, its rows sorted and free of zeros, in the smallest index type that holds it."""
    index = np.int32 if max(table.shape[1], table.nnz) < 2**31 else np.int64
    data = table.data.astype("<f8" if table.dtype.kind == "f" else "<i8", copy=False)
    return {
        f"{name}.data": data,
        f"{name}.indices": table.indices.astype(index, copy=False),
        f"{name}.indptr": table.indptr.astype(index, copy=False),
    }


def unpacked_table(arrays: Arrays, name: str, shape: tuple[int, int]) -> CSR:
    """The matrix again: no column out of range, no row out of order, nothing negative."""
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
        raise ModelFileError(f"the table {name!r} is not a sparse matrix of shape {shape}")
    table = sparse.csr_array((data, indices, indptr), shape=shape)
    if not table.has_canonical_format or not (data > 0).all() or not np.isfinite(data).all():
        raise ModelFileError(f"the table {name!r} has entries out of order or not positive")
    return table


def packed_learnt(learnt: Learnt) -> Arrays:
    """The arrays of a learnt value; its classes are the header's."""
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
    """The learnt value again."""
    vocabulary = checked(lambda: Vocabulary.of_sorted(unpacked_strings(arrays, "vocabulary")))
    shape = (len(classes), len(vocabulary))
    documents = array_of(arrays, "documents", 1, "if")
    if len(documents) != len(classes) or not (documents > 0).all():
        raise ModelFileError(f"the numbers of documents are not those of {len(classes)} classes")
    terms, containing = unpacked_table(arrays, "terms", shape), unpacked_table(arrays, "containing", shape)
    if not (np.array_equal(terms.indices, containing.indices) and np.array_equal(terms.indptr, containing.indptr)):
        raise ModelFileError("the terms that were counted are not those that documents contain")
    if (containing.data > np.repeat(documents, np.diff(containing.indptr))).any():
        raise ModelFileError("more documents contain a term than there are")
    counts = ClassCounts(vocabulary, tuple(classes), documents, terms, containing, unit)
    digests = checked(lambda: Digests.of_array(array_of(arrays, "digests", 2, "u")))
    if len(digests) != documents.sum():
        raise ModelFileError(f"{len(digests)} digests stand beside {documents.sum()} documents")
    return Learnt(counts, digests)


def array_of(arrays: Arrays, name: str, ndim: int, kinds: str) -> NDArray[Any]:
    """An array of the file, of so many dimensions and one of these kinds."""
    if name not in arrays or arrays[name].ndim != ndim or arrays[name].dtype.kind not in kinds:
        raise ModelFileError(f"the array {name!r} is missing or of another kind")
    return arrays[name]


def checked(build: Callable[[], Any]) -> Any:
    """What ``build`` makes of a file's content; its refusal is the file's fault."""
    try:
        return build()
    except ModelFileError:
        raise
    except (InputError, TypeError, KeyError, ValueError, AttributeError, OverflowError) as error:
        raise ModelFileError(f"the file's content does not fit together: {error}") from error
