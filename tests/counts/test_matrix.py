from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from textnb.counts import Vocabulary, as_counts, count_matrix, matrix
from textnb.counts.matrix import MatrixBuilder, first_equal_rows
from textnb.errors import InputError

documents = st.lists(st.lists(st.sampled_from(["犬", "猫", "a", "b", "", "\x00"]), max_size=8), max_size=6)

DENSE = np.array([[0, 2, 0], [0, 0, 0], [1, 0, 3]])
FORMATS = [
    sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.lil_array, sparse.dok_array,
    sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix,
]  # fmt: skip


def csr(data, indices, indptr, shape):
    return sparse.csr_array((np.array(data), np.array(indices), np.array(indptr)), shape=shape)


@given(documents)
def test_a_row_is_the_counter_of_its_document(documents):
    X, vocabulary = count_matrix(documents)
    assert vocabulary.terms == tuple(sorted({term for terms in documents for term in terms}))
    assert X.toarray().tolist() == [[Counter(terms)[term] for term in vocabulary] for terms in documents]
    assert X.shape == (len(documents), len(vocabulary))
    assert X.has_canonical_format
    assert X.nnz == 0 or X.data.min() > 0


@given(documents)
def test_terms_outside_a_given_vocabulary_are_left_out(documents):
    given_one = Vocabulary(["a", "猫", "雪"])
    X, vocabulary = count_matrix(documents, given_one)
    assert vocabulary is given_one
    assert X.toarray().tolist() == [[Counter(terms)[term] for term in given_one] for terms in documents]
    assert X.has_canonical_format


@given(documents, documents, st.sampled_from([None, Vocabulary(["a", "猫", "雪"]), Vocabulary()]))
def test_rows_built_elsewhere_are_as_if_counted_here(first, second, vocabulary):
    builder = MatrixBuilder(vocabulary)
    for part in (first, second):
        builder.add_rows(*count_matrix(part))
    X, found = builder.build()
    expected, terms = count_matrix(first + second, vocabulary)
    assert found == terms
    assert X.toarray().tolist() == expected.toarray().tolist()


def test_many_terms_in_falling_order_find_their_columns():
    terms = [f"{n:06}" for n in range(40_000, 0, -1)]
    X, vocabulary = count_matrix([terms, terms[:1]])
    assert X.shape == (2, 40_000)
    assert (X.toarray()[0] == 1).all()
    assert X.toarray()[1].tolist() == [0] * 39_999 + [1]
    assert vocabulary.terms == tuple(reversed(terms))


def test_documents_may_be_iterators():
    X, vocabulary = count_matrix(iter(terms.split()) for terms in ("b a b", ""))
    assert (X.toarray().tolist(), vocabulary.terms) == ([[1, 2], [0, 0]], ("a", "b"))


@pytest.mark.parametrize("single", ["東京", b"tokyo"])
def test_a_single_string_in_place_of_terms_is_refused(single):
    with pytest.raises(InputError, match=str(single)[:4]):
        count_matrix([["a"], single])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint32, np.float32, np.float64])
def test_every_sparse_form_gives_the_same_counts(form, dtype):
    X = as_counts(form(DENSE.astype(dtype)))
    assert isinstance(X, sparse.csr_array)
    assert X.toarray().tolist() == DENSE.tolist()
    assert X.dtype == np.float64 if np.dtype(dtype).kind == "f" else X.dtype.kind == "i"


@pytest.mark.parametrize("dtype", ["int16", "uint64", "float16", "float32", "longdouble", ">i8", ">f8"])
def test_dense_numbers_of_any_kind_are_counts(dtype):
    X = as_counts(DENSE.astype(dtype))
    assert X.toarray().tolist() == DENSE.tolist()
    assert X.dtype == np.float64 if np.dtype(dtype).kind == "f" else X.dtype.kind == "i"


def test_lists_and_truth_values_are_counts():
    assert as_counts(DENSE.tolist()).toarray().tolist() == DENSE.tolist()
    X = as_counts(DENSE > 0)
    assert (X.dtype.kind, X.toarray().tolist()) == ("i", (DENSE > 0).astype(int).tolist())
    assert as_counts([[]]).shape == (1, 0)
    assert as_counts(np.zeros((0, 3))).shape == (0, 3)


def test_fractions_explicit_zeros_duplicates_and_minus_zero_are_counts():
    assert as_counts([[0.5, 0.25]]).toarray().tolist() == [[0.5, 0.25]]
    X = csr([0.0, 2.0, 3.0, -0.0], [1, 0, 0, 2], [0, 3, 4], (2, 3))
    assert as_counts(X).toarray().tolist() == [[5, 0, 0], [0, 0, 0]]
    assert as_counts([[-0.0, 1.0]]).toarray().tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("kind", "value"),
    [("negative", -1), ("negative", -0.5), ("NaN", np.nan), ("infinite", np.inf), ("negative", -np.inf)],
)
@pytest.mark.parametrize("form", [np.asarray, *FORMATS])
def test_an_impossible_count_is_refused_by_row_and_column(form, kind, value):
    wrong = DENSE.astype(float if isinstance(value, float) else int)
    wrong[2, 1] = value
    with pytest.raises(InputError, match=rf"not be {kind}: row 2, column 1 holds {value}"):
        as_counts(form(wrong))


def test_the_offender_is_found_behind_empty_rows_and_minus_zeros():
    X = csr([-0.0, 1.0, np.nan], [0, 1, 2], [0, 0, 1, 1, 3, 3], (5, 3))
    with pytest.raises(InputError, match="NaN: row 3, column 2"):
        as_counts(X)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ([["a", "b"]], "<U1"),
        ([[1, None]], "object"),
        ([[1 + 2j]], "complex128"),
        (sparse.csr_array([[1 + 2j]]), "complex128"),
        (np.array([["2020-01-01"]], "M8[D]"), "datetime64"),
        ({"a": 1}, "object"),
        (None, "object"),
    ],
    ids=str,
)
def test_what_is_not_numeric_is_refused_by_its_type(wrong, named):
    with pytest.raises(InputError, match=f"must be numbers, not {named}"):
        as_counts(wrong)


def test_counts_have_two_dimensions_and_rows_of_equal_length():
    for wrong in (3, [1, 2], np.ones((1, 2, 3)), sparse.coo_array(np.ones(3)), sparse.coo_array(np.ones((1, 2, 2)))):
        with pytest.raises(InputError, match=f"two dimensions .* not {np.ndim(wrong)}"):
            as_counts(wrong)
    with pytest.raises(InputError, match="every row of one length"):
        as_counts([[1, 2], [3]])


def test_a_whole_number_beyond_int64_is_not_called_negative():
    with pytest.raises(InputError, match=f"row 0, column 1 holds {2**63}"):
        as_counts(np.array([[1, 2**63]], np.uint64))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_adding_at_cells_is_the_same_with_and_without_scipys_private_loop(dtype, index, monkeypatch):
    assert matrix._csc_matvec() is not None, "scipy has no csc_matvec any more: the slow path is in use"
    rng = np.random.default_rng(0)
    cells, values = rng.integers(0, 7, 50).astype(index), rng.integers(0, 5, 50).astype(dtype)
    expected = np.zeros(8, dtype)
    for cell, value in zip(cells, values, strict=True):
        expected[cell] += value
    tables = np.zeros((2, 8), dtype)
    matrix.add_at(tables[0], cells, values)
    monkeypatch.setattr(matrix, "_csc_matvec", lambda: None)
    matrix.add_at(tables[1], cells, values)
    np.testing.assert_array_equal(tables, [expected, expected])


@pytest.mark.parametrize("seed", range(20))
def test_the_first_equal_row_is_the_one_that_comparing_all_rows_finds(seed):
    chance = np.random.default_rng(seed)
    dense = chance.integers(0, 3, (60, 1 + seed % 4))  # few columns: many rows are equal, or have equal sums
    equal = (dense[:, np.newaxis] == dense).all(axis=2)
    wanted = np.where(dense.any(axis=1), equal.argmax(axis=1), np.arange(60))
    assert first_equal_rows(sparse.csr_array(dense)).tolist() == wanted.tolist()
