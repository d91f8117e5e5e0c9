"""Count files joined into one, which is written piece by piece: a file at a time is in memory, and all terms.

The result is the file that counting all documents at once writes, byte for byte. Files are read twice: to check them
and to gather their terms, and to copy their documents.

With a term budget B the terms that the fewest documents contain are left out, and no more than B and those of a file
are in memory. After each file the B most frequent of the terms so far stay (``counts/pruning.py``). Let t_i be the
number of documents that contain the most frequent term dropped after file i, and T = sum_i t_i. Then

    a term of the result has all counts that the files have;  any other is in at most T documents             (1)

since its count began anew, at 0, whenever it had been dropped. What the files themselves lack adds to T.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts import Counted, TermsOf, Vocabulary
from textnb.counts.examples import SIZE
from textnb.counts.labels import places
from textnb.counts.matrix import in_bytes
from textnb.counts.packed_vocabulary import united
from textnb.counts.pruning import NOTHING_DROPPED, Dropped, most_frequent
from textnb.counts.rows import kept_before
from textnb.counts.vocabulary import Columns
from textnb.errors import InputError, ModelFileError
from textnb.files.arrays import (
    packed_strings,
    packed_vocabulary,
    smallest_type,
    unpacked_names,
    unpacked_vocabulary,
)
from textnb.files.bundle import Arrays, Streamed, content_of, open_bundle, write_streamed_bundle
from textnb.files.count_file import KIND, header_of, read_counts, recipe_of
from textnb.storage import KEEPS_OPEN

_BLOCK = 1 << 20  # entries copied at once
_NAMES = ("labels", "groups")


class Joined(NamedTuple):
    """Size of a count file that was written: its documents and its terms."""

    n_documents: int
    n_terms: int
    dropped: Dropped = NOTHING_DROPPED


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

    def places(self, vocabulary: Vocabulary) -> Columns:
        """Return the columns of the terms of this file in a vocabulary, -1 for those that are not in it."""
        return vocabulary.places_of(unpacked_vocabulary(self.arrays(), "vocabulary"))

    def bounds(self, vocabulary: Vocabulary) -> NDArray[Any]:
        """Return the row bounds of the entries of terms in a vocabulary, (D + 1,)."""
        arrays, is_known = self.arrays(), self.places(vocabulary) >= 0
        return kept_before(is_known[arrays["counts.indices"]], np.asarray(arrays["counts.indptr"], np.int64))


class _Terms:
    """Terms of the files so far, ``budget`` at most, and what was dropped for it, eq. (1)."""

    def __init__(self, budget: int | None) -> None:
        self.vocabulary, self.dropped = Vocabulary(), NOTHING_DROPPED
        self._budget, self._containing = budget, np.zeros(0, np.int64)

    def add(self, part: Counted) -> None:
        """Add the terms of a file."""
        if self._budget is None:
            self.vocabulary = self.vocabulary | part.vocabulary
            return
        whole, mine, theirs = united(self.vocabulary, part.vocabulary)
        containing = np.zeros(len(whole), np.int64)
        containing[mine] = self._containing
        for block in _blocks(part.X.indices):  # of which bincount makes a copy
            containing[theirs] += np.bincount(block, minlength=len(part.vocabulary))
        columns, dropped = most_frequent(containing, self._budget)
        self.vocabulary = whole.selected(columns) if dropped.terms else whole
        self._containing, self.dropped = containing[columns], self.dropped.and_then(dropped)


def merge_counts(
    paths: Sequence[str | Path], output: str | Path, trust: Collection[str] = (), term_budget: int | None = None
) -> Joined:
    """Write the documents of several count files, one after the other, into one, which may be one of them.

    The result equals counting all documents at once. Files that were counted in different ways are refused.

    term_budget: number of terms that the result has at most; what the files themselves have dropped is added up.
    """
    files: list[_File] = []
    terms, way, before = _Terms(term_budget), None, NOTHING_DROPPED
    for path in paths:
        file, terms_of, part = _checked(path, trust)
        way = way or terms_of
        check_counted_alike(path, terms_of, paths[0], way)
        files.append(file)
        terms.add(part)
        before = before.and_then(part.dropped)
        del part
    assert way is not None
    n_documents, dropped, vocabulary = sum(file.n_documents for file in files), terms.dropped, terms.vocabulary
    if dropped.terms:
        kept = [file._replace(n_entries=int(file.bounds(vocabulary)[-1])) for file in files]
        dropped = dropped._replace(pairs=sum(file.n_entries for file in files) - sum(file.n_entries for file in kept))
        files = kept
    dropped = before.and_then(dropped)
    arrays = _joined(files, vocabulary, n_documents, is_whole=not terms.dropped.terms)
    write_streamed_bundle(output, KIND, header_of(way, n_documents, dropped), arrays)
    return Joined(n_documents, len(vocabulary), dropped)


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


def _checked(path: str | Path, trust: Collection[str]) -> tuple[_File, TermsOf, Counted]:
    """Read a file as a whole, which checks it; return what is needed of it, and its content, mapped."""
    part, terms_of = read_counts(path, trust)
    if part.X.dtype.kind == "f":
        raise ModelFileError("{path}: the counts are not whole numbers", path=path)
    names = {name: {each or "" for each in getattr(part, name)} for name in _NAMES}
    n_id_bytes = len(open_bundle(path, KIND).answering["ids.bytes"])
    fits_bytes = in_bytes(part.X).dtype == np.uint8
    file = _File(path, len(part), part.X.nnz, n_id_bytes, fits_bytes, bool(part.days), names)
    return file, terms_of, part


def _joined(files: list[_File], vocabulary: Vocabulary, n_documents: int, *, is_whole: bool) -> dict[str, Streamed]:
    """Arrays of ``write_counts`` of all documents; is_whole: whether the vocabulary has all their terms."""
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
        places = file.places(vocabulary).astype(index)
        found = (places[block] for block in _blocks(file.arrays()["counts.indices"]))
        return found if is_whole else (block[block >= 0] for block in found)

    def numbers(file: _File) -> Iterator[NDArray[Any]]:
        arrays = file.arrays()
        blocks = _blocks(arrays["counts.data"])
        if is_whole:
            return blocks
        is_known = file.places(vocabulary) >= 0
        masks = (is_known[block] for block in _blocks(arrays["counts.indices"]))
        return (block[mask] for block, mask in zip(blocks, masks, strict=True))

    def bounds(file: _File) -> NDArray[Any]:
        return file.arrays()["counts.indptr"] if is_whole else file.bounds(vocabulary)

    arrays |= {
        "counts.data": Streamed(count, (n_entries,), of_each(numbers)),
        "counts.indices": Streamed(index, (n_entries,), of_each(columns)),
        "counts.indptr": Streamed(index, (n_documents + 1,), lambda: _ends(map(bounds, files), index, first=1)),
        "digests": Streamed("|u1", (n_documents, SIZE), of_each(lambda file: iter([file.arrays()["digests"]]))),
    }
    size = sum(file.n_id_bytes for file in files)
    arrays["ids.bytes"] = Streamed("|u1", (size,), of_each(lambda file: iter([file.arrays()["ids.bytes"]])))

    def id_ends(file: _File) -> NDArray[Any]:
        return file.arrays()["ids.ends"]

    arrays["ids.ends"] = Streamed("<i8", (n_documents,), lambda: _ends(map(id_ends, files), np.dtype("<i8")))
    for name, distinct in names.items():
        of_names = of_each(
            lambda file, name=name, distinct=distinct: iter([places(distinct, unpacked_names(file.arrays(), name))])  # type: ignore[misc]
        )
        arrays[f"{name}.numbers"] = Streamed(smallest_type(len(distinct)), (n_documents,), of_names)
    if any(file.has_days for file in files):
        arrays["days"] = Streamed("<i4", (n_documents,), of_each(lambda file: iter([_days(file)])))
    return arrays


def _blocks(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    return (array[start : start + _BLOCK] for start in range(0, len(array), _BLOCK))


def _ends(all_ends: Iterable[NDArray[Any]], dtype: np.dtype[Any], first: int = 0) -> Iterator[NDArray[Any]]:
    """Ends of all files, one after the other; ``first``: number of leading zeros, which only the first file keeps."""
    before = 0
    yield np.zeros(first, dtype)
    for each in all_ends:
        ends = each[first:].astype(dtype)
        yield ends + dtype.type(before)
        before += int(ends[-1]) if len(ends) else 0


def _days(file: _File) -> NDArray[Any]:
    arrays = file.arrays()
    return arrays["days"] if "days" in arrays else np.zeros(file.n_documents, np.int32)
