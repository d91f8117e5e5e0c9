"""DocumentHistogram: laws, and what it says of a matrix, counted by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from textnb.counts import DocumentHistogram, Vocabulary
from textnb.errors import InputError, NotLearntError

COUNTS = st.integers(0, 4) | st.sampled_from([7, 8, 9, 10, 400])


def matrices(n_terms=3):
    return hnp.arrays(np.int64, st.tuples(st.integers(0, 6), st.just(n_terms)), elements=COUNTS)


@given(matrices())
def test_it_tells_how_many_documents_have_a_term_so_often(X):
    histogram = DocumentHistogram.of(X)
    for j, column in enumerate(X.T):
        expected = Counter(column[column > 0].tolist())
        row = histogram.times[[j]].tocoo()
        assert dict(zip((row.col + 1).tolist(), row.data.tolist(), strict=True)) == expected
    lengths = histogram.lengths.tocoo()
    assert dict(zip(lengths.col.tolist(), lengths.data.tolist(), strict=True)) == Counter(X.sum(axis=1).tolist())
    assert histogram.n_documents == len(X)


@given(matrices(), matrices(), matrices())
def test_the_laws(a, b, c):
    of = DocumentHistogram.of
    x, y, z = of(a), of(b), of(c)
    zero = DocumentHistogram.zero(n_terms=3)
    assert x + zero == x == zero + x
    assert x + y == y + x == of(np.concatenate([a, b]))
    assert (x + y) + z == x + (y + z)
    assert (x + y) - y == x
    assert x - x == zero
    assert (x == y) == (Counter(of_rows(a)) == Counter(of_rows(b)))


def of_rows(X):
    """What a histogram knows: each column's values, and the lengths."""
    return [
        *((j, value) for row in X.tolist() for j, value in enumerate(row) if value),
        *(("length", sum(row)) for row in X.tolist()),
    ]


@pytest.mark.parametrize("other", [[[2, 0]], [[0, 2]], [[1, 1], [1, 1]]])
def test_what_was_never_learnt_cannot_be_forgotten(other):
    with pytest.raises(NotLearntError, match="fewer documents have"):
        DocumentHistogram.of([[1, 1]]) - DocumentHistogram.of(other)


def test_axes():
    words = Vocabulary(["a", "c"])
    histogram = DocumentHistogram.of([[1, 2], [0, 2]], words)
    wider = histogram.on(Vocabulary(["a", "b", "c"]))
    assert wider == DocumentHistogram.of([[1, 0, 2], [0, 0, 2]], Vocabulary(["a", "b", "c"]))
    assert wider.selected(np.array([0, 2])) == histogram
    with pytest.raises(InputError, match="map them onto one vocabulary"):
        wider + histogram
    with pytest.raises(InputError, match="2 columns, the vocabulary 3 terms"):
        DocumentHistogram.of([[1, 2]], Vocabulary(["a", "b", "c"]))


def test_counts_must_be_whole_and_may_be_stored_in_any_way():
    with pytest.raises(InputError, match=r"whole counts here, and one is 0\.5"):
        DocumentHistogram.of([[1.0, 0.5]])
    dense = np.array([[3, 0], [1, 1]])
    twice = sparse.csr_array((np.array([1, 2, 0, 1, 1]), np.array([0, 0, 1, 0, 1]), np.array([0, 3, 5])), shape=(2, 2))
    for X in (dense.astype(float), sparse.csr_array(dense), sparse.csc_array(dense), twice):
        assert DocumentHistogram.of(X) == DocumentHistogram.of(dense)
