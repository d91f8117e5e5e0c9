"""Union of two sorted lists of packed terms (``packed_vocabulary.py``), and the place of each term in it.

UTF-8 bytes sort as code points do, so both lists are merged in one pass over their bytes, without a Python string. The
C extension does that without the lock of the interpreter; ``plain_union`` gives the same arrays without it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError
from textnb.extension import uses_extension
from textnb.numerics import Codes

MAX_BYTES = 2**32 - 1
"""Bytes of all terms together."""
_MAX_NATIVE = 2**31 - 1
_OUT_OF_ORDER = "the terms are not distinct and sorted"

Bytes = NDArray[np.uint8]
Starts = NDArray[np.uint32]


class TermUnion(NamedTuple):
    """Packed terms of a union, and the places in it of the terms of either list."""

    data: Bytes
    starts: Starts
    places: Codes
    others: Codes


def term_union(data: Bytes, starts: Starts, others: Bytes, their_starts: Starts) -> TermUnion:
    """Return the union of two lists of packed terms; terms that are not distinct and sorted are refused.

    >>> a, b = np.frombuffer(b"ac", np.uint8), np.frombuffer(b"bc", np.uint8)
    >>> union = term_union(a, np.arange(3, dtype=np.uint32), b, np.arange(3, dtype=np.uint32))
    >>> union.data.tobytes(), union.places.tolist(), union.others.tolist()
    (b'abc', [0, 2], [1, 2])
    """
    merge = _native_union if uses_extension() and len(data) + len(others) <= _MAX_NATIVE else plain_union
    try:
        return merge(data, starts, others, their_starts)
    except ValueError as error:
        raise InputError("the packed terms do not fit together: {error}", error=error) from error


def _native_union(data: Bytes, starts: Starts, others: Bytes, their_starts: Starts) -> TermUnion:
    from textnb._native import term_union as merge

    n, m = len(starts) - 1, len(their_starts) - 1
    places, their_places = np.empty(n, np.int64), np.empty(m, np.int64)
    whole, all_starts = np.empty(len(data) + len(others), np.uint8), np.empty(n + m + 1, np.uint32)
    mine, theirs = (
        (np.ascontiguousarray(terms), np.ascontiguousarray(bounds), columns)
        for terms, bounds, columns in ((data, starts, places), (others, their_starts, their_places))
    )
    n_terms = merge(*mine, *theirs, whole, all_starts)
    n_bytes = int(all_starts[n_terms])
    whole.resize(n_bytes, refcheck=False)  # in place, so that no second copy is made
    all_starts.resize(n_terms + 1, refcheck=False)
    return TermUnion(whole, all_starts, places.astype(np.intp, copy=False), their_places.astype(np.intp, copy=False))


def plain_union(data: Bytes, starts: Starts, others: Bytes, their_starts: Starts) -> TermUnion:
    """``term_union`` without the extension."""
    mine, theirs = _cut(data, starts), _cut(others, their_starts)
    whole = sorted({*mine, *theirs})
    numbers = dict(zip(whole, range(len(whole)), strict=True))
    places = [np.fromiter(map(numbers.__getitem__, terms), np.intp, len(terms)) for terms in (mine, theirs)]
    if any((np.diff(each) <= 0).any() for each in places):
        raise ValueError(_OUT_OF_ORDER)
    return TermUnion(*packed_bytes(whole), *places)


def packed_bytes(terms: list[bytes]) -> tuple[Bytes, Starts]:
    """Return terms one after the other, and where each starts and the last ends."""
    starts = np.zeros(len(terms) + 1, np.uint64)
    np.cumsum(np.fromiter(map(len, terms), np.uint64, len(terms)), out=starts[1:])
    if starts[-1] > MAX_BYTES:
        raise InputError("the terms have more than {most:,} bytes; use fewer (max_terms, min_df)", most=MAX_BYTES)
    return np.frombuffer(b"".join(terms), np.uint8), starts.astype(np.uint32)


def _cut(data: Bytes, starts: Starts) -> list[bytes]:
    """Return the terms, each by itself."""
    whole: Any = data.tobytes()
    bounds = starts.tolist()
    if any(end > len(whole) or start > end for start, end in pairwise(bounds)):
        raise ValueError("a start is out of range")
    return [whole[start:end] for start, end in pairwise(bounds)]
