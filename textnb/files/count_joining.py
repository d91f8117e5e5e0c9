"""Count files joined into one, which is written piece by piece: a file at a time is in memory, and all terms.

The result is the file that counting all documents at once writes, byte for byte. Files are read twice: to check them
and to gather their terms, and to copy their documents.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts import TermsOf, Vocabulary
from textnb.counts.examples import SIZE
from textnb.counts.labels import places
from textnb.counts.matrix import in_bytes
from textnb.errors import InputError, ModelFileError
from textnb.files.arrays import (
    packed_strings,
    packed_vocabulary,
    smallest_type,
    unpacked_names,
    unpacked_vocabulary,
)
from textnb.files.bundle import Arrays, Streamed, content_of, open_bundle, write_streamed_bundle
from textnb.files.count_file import KIND, read_counts, recipe_of
from textnb.storage import KEEPS_OPEN

_BLOCK = 1 << 20  # entries copied at once
_NAMES = ("labels", "groups")


class Joined(NamedTuple):
    """Size of a count file that was written: its documents and its terms."""

    n_documents: int
    n_terms: int


class _File(NamedTuple):
    """A count file that has been checked, and its size."""

    path: str | Path
    n_documents: int
    n_entries: int
    n_id_bytes: int
    fits_bytes: bool
    has_days: bool
    names: dict[str, set[str]]

    def arrays(self) -> Arrays:
        """Arrays of the file, mapped."""
        return open_bundle(self.path, KIND, in_memory=not KEEPS_OPEN).answering


def merge_counts(paths: Sequence[str | Path], output: str | Path, trust: Collection[str] = ()) -> Joined:
    """Write the documents of several count files, one after the other, into one, which may be one of them.

    The result equals counting all documents at once. Files that were counted in different ways are refused.
    """
    files: list[_File] = []
    vocabulary, way = Vocabulary(), None
    for path in paths:
        file, terms_of, terms = _checked(path, trust)
        way = way or terms_of
        check_counted_alike(path, terms_of, paths[0], way)
        files.append(file)
        vocabulary = vocabulary | terms
        del terms
    assert way is not None
    n_documents = sum(file.n_documents for file in files)
    header = {"recipe": recipe_of(way), "documents": n_documents}
    write_streamed_bundle(output, KIND, header, _joined(files, vocabulary, n_documents))
    return Joined(n_documents, len(vocabulary))


def check_counted_alike(path: str | Path, terms_of: TermsOf, first: str | Path, way: TermsOf) -> None:
    """Refuse a file that was counted in another way than the first."""
    if recipe_of(terms_of) != recipe_of(way):
        template = "{path} was counted with another tokenizer or other options than {first}; count it again"
        raise InputError(template, path=path, first=first)


def size_of_counts(path: str | Path) -> Joined:
    """Return the number of documents and of terms of a count file, of which only the header is read."""
    bundle = open_bundle(path, KIND)
    with content_of(path):
        return Joined(int(bundle.header["documents"]), len(bundle.answering["vocabulary.ends"]))


def has_at(path: str | Path, start: int, parts: Sequence[str | Path]) -> bool:
    """Whether the documents of a count file from a number on are those of other files: ids, labels and digests."""
    whole = open_bundle(path, KIND).answering
    with content_of(path):
        labels, stop = unpacked_names(whole, "labels"), start
        for each in parts:
            part = open_bundle(each, KIND).answering
            start, stop = stop, stop + len(part["digests"])
            if not 0 <= start <= stop <= len(labels) or labels[start:stop] != unpacked_names(part, "labels"):
                return False
            if start == stop:
                continue
            if not np.array_equal(whole["digests"][start:stop], part["digests"]):
                return False
            pairs = zip(_ids(whole, start, stop), _ids(part, 0, stop - start), strict=True)
            if not all(np.array_equal(mine, theirs) for mine, theirs in pairs):
                return False
    return True


def _ids(arrays: Arrays, start: int, stop: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Bytes of the ids of some documents, and where each ends."""
    ends = arrays["ids.ends"][max(start - 1, 0) : stop]
    first = ends[0] if start else 0
    return arrays["ids.bytes"][first : ends[-1]], ends[start > 0 :] - first


def _checked(path: str | Path, trust: Collection[str]) -> tuple[_File, TermsOf, Vocabulary]:
    """Read a file as a whole, which checks it; return what is needed of it."""
    part, terms_of = read_counts(path, trust)
    if part.X.dtype.kind == "f":
        raise ModelFileError("{path}: the counts are not whole numbers", path=path)
    names = {name: {each or "" for each in getattr(part, name)} for name in _NAMES}
    n_id_bytes = len(open_bundle(path, KIND).answering["ids.bytes"])
    fits_bytes = in_bytes(part.X).dtype == np.uint8
    file = _File(path, len(part), part.X.nnz, n_id_bytes, fits_bytes, bool(part.days), names)
    return file, terms_of, part.vocabulary


def _joined(files: list[_File], vocabulary: Vocabulary, n_documents: int) -> dict[str, Streamed]:
    """Arrays of ``write_counts`` of all documents."""
    n_entries = sum(file.n_entries for file in files)
    index = np.dtype("<i4" if max(len(vocabulary), n_entries) < 2**31 else "<i8")
    count = "|u1" if all(file.fits_bytes for file in files) else "<i8"
    names = {name: sorted(set().union(*(file.names[name] for file in files))) for name in _NAMES}
    whole = dict(packed_vocabulary("vocabulary", vocabulary))
    for name, distinct in names.items():
        whole |= packed_strings(name, distinct)
    arrays = {name: Streamed(array.dtype, array.shape, lambda array=array: [array]) for name, array in whole.items()}  # type: ignore[misc]

    def of_each(pieces: Callable[[_File], Iterator[NDArray[Any]]]) -> Callable[[], Iterator[NDArray[Any]]]:
        return lambda: (piece for file in files for piece in pieces(file))

    def columns(file: _File) -> Iterator[NDArray[Any]]:
        arrays = file.arrays()
        places = vocabulary.columns_of(unpacked_vocabulary(arrays, "vocabulary")).astype(index)
        return (places[block] for block in _blocks(arrays["counts.indices"]))

    arrays |= {
        "counts.data": Streamed(count, (n_entries,), of_each(lambda file: _blocks(file.arrays()["counts.data"]))),
        "counts.indices": Streamed(index, (n_entries,), of_each(columns)),
        "counts.indptr": Streamed(index, (n_documents + 1,), lambda: _ends(files, "counts.indptr", index, first=1)),
        "digests": Streamed("|u1", (n_documents, SIZE), of_each(lambda file: iter([file.arrays()["digests"]]))),
    }
    size = sum(file.n_id_bytes for file in files)
    arrays["ids.bytes"] = Streamed("|u1", (size,), of_each(lambda file: iter([file.arrays()["ids.bytes"]])))
    arrays["ids.ends"] = Streamed("<i8", (n_documents,), lambda: _ends(files, "ids.ends", np.dtype("<i8")))
    for name, distinct in names.items():
        numbers = of_each(
            lambda file, name=name, distinct=distinct: iter([places(distinct, unpacked_names(file.arrays(), name))])  # type: ignore[misc]
        )
        arrays[f"{name}.numbers"] = Streamed(smallest_type(len(distinct)), (n_documents,), numbers)
    if any(file.has_days for file in files):
        arrays["days"] = Streamed("<i4", (n_documents,), of_each(lambda file: iter([_days(file)])))
    return arrays


def _blocks(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    return (array[start : start + _BLOCK] for start in range(0, len(array), _BLOCK))


def _ends(files: list[_File], name: str, dtype: np.dtype[Any], first: int = 0) -> Iterator[NDArray[Any]]:
    """Ends of all files, one after the other; ``first``: number of leading zeros, which only the first file keeps."""
    before = 0
    yield np.zeros(first, dtype)
    for file in files:
        ends = file.arrays()[name][first:].astype(dtype)
        yield ends + dtype.type(before)
        before += int(ends[-1]) if len(ends) else 0


def _days(file: _File) -> NDArray[Any]:
    arrays = file.arrays()
    return arrays["days"] if "days" in arrays else np.zeros(file.n_documents, np.int32)
