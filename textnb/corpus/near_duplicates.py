"""Near duplicates: groups of documents with almost the same text, found in almost linear time.

A document is the set x of its shingles, the substrings of k characters (or of its terms):

    text      c_1 ... c_n, each run of white space as one space
    shingles  x = { c_i ... c_(i+k-1) : i = 1 ... n-k+1 };  { text } if n < k;  { } if n = 0
    number    sum_i c_i m^(k-i) mod 2^64, with m odd, identifies a shingle                            (1)

Shingles of characters need no dictionary, and a copied text with small changes keeps most of them in any language. Two
documents are near duplicates if

    J(x, y) = |x & y| / |x | y| >= t                                                                  (2)

and such pairs connect documents to groups. Then |x & y| >= t max(|x|, |y|), so that, with all terms in one order, the
rarest first, x and y share one of the

    |x| - ceil(t |x|) + 1   first terms of x                                                          (3)

and one of as many of y (the prefix filter of Chaudhuri, Ganti and Kaushik 2006). Most of these terms are in one
document only, so only documents that share a rare term are compared, and these by (2) itself: nothing is sampled or
estimated.

For each term, the documents with the term under (3) are sorted by size, and each is compared with the next ``WINDOW``
ones whose size allows (2). So there are at most ``WINDOW`` comparisons per entry, and no pair is missed that has a
common term under (3) with fewer documents than that between the two. Equal sets count once, and pairs that are
connected already are skipped: a thousand exact or near copies cost little more than one document.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.matrix import CSR, as_counts, first_equal_rows, presence
from textnb.errors import ParameterError
from textnb.extension import sparse
from textnb.numerics import GOLDEN_RATIO_64, Floats, distinct, is_number

MIN_SIMILARITY = 0.8
WINDOW = 64
_ROUNDING = 1e-9
_MAX_COMPARED_ENTRIES = 1 << 22  # at once, about 100 MB

Rows = NDArray[np.intp]


def find_duplicate_groups(X: Any, *, threshold: float = MIN_SIMILARITY) -> Rows:
    """Find for each row of X (D, V) the first row of its group of near duplicates; itself if there is none before.

    Only which entries of X are not 0 matters. A row of zeros is in no group. The result can be the groups of a
    cross-validation, so that near duplicates are in the same fold.

    >>> find_duplicate_groups([[1, 1, 1, 1, 1], [0, 0, 0, 0, 1], [2, 1, 1, 1, 0], [0, 0, 0, 0, 0]]).tolist()
    [0, 1, 0, 3]
    """
    if not is_number(threshold) or not 0 < threshold <= 1:
        raise ParameterError("similarity must be above 0 and at most 1, not {given!r}", given=threshold)
    sets = presence(as_counts(X))
    first = first_equal_rows(sets)
    kept = distinct(first)
    group = kept[_connected(sets[kept], float(threshold))]
    return np.asarray(group[np.searchsorted(kept, first)])


def jaccard(X: Any, a: Rows, b: Rows) -> Floats:
    """Jaccard similarity (P,), eq. (2), of the rows a (P,) of X with the rows b (P,); 0 for two rows of zeros.

    >>> jaccard([[1, 1, 0], [0, 3, 1]], np.array([0, 0]), np.array([1, 0]))
    array([0.33333333, 1.        ])
    """
    sets = presence(as_counts(X))
    sizes = np.diff(sets.indptr)
    return _similarity(sets, sizes, a, b)


def _connected(sets: CSR, threshold: float) -> Rows:
    """First row of its group for each of some distinct rows (D,)."""
    from scipy.sparse.csgraph import connected_components

    n = sets.shape[0]
    sizes, lists = np.diff(sets.indptr), _Lists.of(sets, threshold)
    shared = sets[:, np.flatnonzero(np.bincount(sets.indices, minlength=sets.shape[1]) > 1)]
    group, links, compared = np.arange(n), np.empty(0, np.int64), np.empty(0, np.int64)
    here = np.arange(len(lists.rows))
    for step in range(1, WINDOW + 1):
        here = lists.with_fellow(here, step, sizes, threshold)
        if not len(here):
            break
        a, b = lists.rows[here], lists.rows[here + step]
        apart = group[a] != group[b]
        pairs = _not_in(compared, distinct(np.minimum(a, b)[apart] * n + np.maximum(a, b)[apart]))
        compared = np.sort(np.concatenate([compared, pairs]))
        near = pairs[_similarity(shared, sizes, *np.divmod(pairs, n)) >= threshold]
        if len(near):
            links = np.concatenate([links, near])
            graph = sparse.coo_array((np.ones(len(links), bool), np.divmod(links, n)), shape=(n, n))
            _, component = connected_components(graph, directed=False)
            _, at, number = np.unique(component, return_index=True, return_inverse=True)
            group = at[number]
    return group


class _Lists(NamedTuple):
    """Entries of terms under eq. (3), sorted by term and by the size of the document."""

    terms: NDArray[Any]
    rows: Rows

    @classmethod
    def of(cls, sets: CSR, threshold: float) -> "_Lists":
        """Lists without the terms that are in one document only."""
        frequencies = np.bincount(sets.indices, minlength=sets.shape[1])
        rank = np.empty(sets.shape[1], sets.indices.dtype)
        rank[np.argsort(frequencies, kind="stable")] = np.arange(sets.shape[1])
        ordered = sparse.csr_array((sets.data, rank[sets.indices], sets.indptr), shape=sets.shape)
        ordered.sort_indices()
        sizes = np.diff(sets.indptr)
        rows = np.repeat(np.arange(sets.shape[0]), sizes)
        place = np.arange(sets.nnz) - sets.indptr[rows]
        first = sizes - np.ceil(threshold * sizes - _ROUNDING) + 1
        kept = (place < first[rows]) & (ordered.indices >= np.count_nonzero(frequencies <= 1))
        terms, rows = ordered.indices[kept], rows[kept]
        order = np.lexsort((rows, sizes[rows], terms))
        return cls(terms[order], rows[order])

    def with_fellow(self, here: Rows, step: int, sizes: NDArray[Any], threshold: float) -> Rows:
        """Entries whose fellow ``step`` places later has the same term, and a size that allows eq. (2).

        After a fellow that is too large there are only larger ones, so an entry left out here stays out.
        """
        here = here[here + step < len(self.terms)]
        here = here[self.terms[here] == self.terms[here + step]]
        smaller, larger = sizes[self.rows[here]], sizes[self.rows[here + step]]
        return here[smaller >= threshold * larger - _ROUNDING]


def _not_in(known: Rows, numbers: Rows) -> Rows:
    """Numbers that are not among the known ones; both are sorted."""
    if not len(known):
        return numbers
    places = np.searchsorted(known, numbers).clip(max=len(known) - 1)
    return np.asarray(numbers[known[places] != numbers])


def _similarity(sets: CSR, sizes: NDArray[Any], a: Rows, b: Rows) -> Floats:
    """Similarity |x & y| / (|x| + |y| - |x & y|) of pairs of rows; sizes may include terms that no other row has."""
    common = np.zeros(len(a))
    ends = np.cumsum(np.diff(sets.indptr)[a] + np.diff(sets.indptr)[b])
    limits = np.arange(_MAX_COMPARED_ENTRIES, ends[-1] if len(a) else 0, _MAX_COMPARED_ENTRIES)
    cuts = np.unique([0, *np.searchsorted(ends, limits), len(a)])
    for begin, end in pairwise(cuts):
        common[begin:end] = sets[a[begin:end]].multiply(sets[b[begin:end]]).sum(axis=1)
    union = sizes[a] + sizes[b] - common
    return np.asarray(np.divide(common, union, out=np.zeros(len(a)), where=union > 0))


SHINGLE_SIZE = 5
"""Number of characters of a shingle: two or three words in Japanese, about one in English."""

Shingles = NDArray[np.uint64]


def shingles(text: str) -> Shingles:
    """Numbers of the shingles of a text, eq. (1), each once, in ascending order.

    >>> len(shingles("aaaaaaaaaa")), len(shingles("a  b")), len(shingles(" "))
    (1, 1, 0)
    """
    coded = " ".join(text.split()).encode("utf-32-le", "surrogatepass")
    characters = np.frombuffer(coded, np.uint32).astype(np.uint64)
    if not len(characters):
        return characters
    number = max(len(characters) - SHINGLE_SIZE + 1, 1)
    numbers = np.zeros(number, np.uint64)
    for start in range(min(SHINGLE_SIZE, len(characters))):
        numbers = numbers * GOLDEN_RATIO_64 + characters[start : start + number]
    return distinct(numbers)


def shingle_matrix(rows: list[Shingles]) -> CSR:
    """Matrix X (D, V) with 1 where a text has a shingle; one column per shingle of any text."""
    columns, indices = np.unique(np.concatenate([np.empty(0, np.uint64), *rows]), return_inverse=True)
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    index = np.int32 if len(indices) < 2**31 else np.int64
    ones = np.ones(len(indices), np.int32)
    shape = (len(rows), len(columns))
    return sparse.csr_array((ones, indices.astype(index), indptr.astype(index)), shape=shape)
