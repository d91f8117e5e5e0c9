"""Shingles: the set of all stretches of k characters of a text, by which texts that are nearly the same are known.

    text      c_1 ... c_n, each run of white space as one space
    shingles  { c_i ... c_(i+k-1) : i = 1 ... n-k+1 };  { text } where n < k;  { } where n = 0
    number    sum_i c_i m^(k-i) mod 2^64, with m odd: a shingle is known by this number alone

Characters, not words: they need no dictionary, and a text copied with slips keeps most of them in any language.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.counts.matrix import CSR
from textnb.numerics import distinct

SIZE = 5
"""Characters of a shingle: in Japanese two or three words, in English about one."""

Shingles = NDArray[np.uint64]
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def shingle_matrix(texts: Iterable[str]) -> CSR:
    """X (D, V), 1 where a text has a shingle; a column for each shingle of any text.

    >>> shingle_matrix(["abcdef", "abcde", ""]).toarray().sum(axis=1)
    array([2, 1, 0])
    """
    return matrix_of_shingles([shingles(text) for text in texts])


def shingles(text: str) -> Shingles:
    """The numbers of a text's shingles, each once, in ascending order.

    >>> len(shingles("aaaaaaaaaa")), len(shingles("a  b")), len(shingles(" "))
    (1, 1, 0)
    """
    coded = " ".join(text.split()).encode("utf-32-le", "surrogatepass")
    characters = np.frombuffer(coded, np.uint32).astype(np.uint64)
    if not len(characters):
        return characters
    number = max(len(characters) - SIZE + 1, 1)
    numbers = np.zeros(number, np.uint64)
    for start in range(min(SIZE, len(characters))):
        numbers = numbers * _MULTIPLIER + characters[start : start + number]
    return distinct(numbers)


def matrix_of_shingles(rows: list[Shingles]) -> CSR:
    """The matrix of texts whose shingles have been numbered."""
    columns, indices = np.unique(np.concatenate([np.empty(0, np.uint64), *rows]), return_inverse=True)
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    index = np.int32 if len(indices) < 2**31 else np.int64
    ones = np.ones(len(indices), np.int32)
    shape = (len(rows), len(columns))
    return sparse.csr_array((ones, indices.astype(index), indptr.astype(index)), shape=shape)
