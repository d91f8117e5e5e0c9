import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from textnb.counts import class_counts, matrix
from textnb.counts.class_counts import class_sums, weighted_rows
from textnb.counts.labels import as_weight, class_codes
from textnb.counts.matrix import presence
from textnb.errors import InputError


@pytest.fixture(params=["table by scipy", "table by numpy", "product"])
def path(request, monkeypatch):
    """One of the three ways to the same sums, whatever the shape."""
    monkeypatch.setattr(class_counts, "_SPARSE", -1.0 if request.param == "product" else float("inf"))
    if request.param == "table by numpy":
        monkeypatch.setattr(matrix, "_csc_matvec", None)


def brute_force(X, codes, n_classes):
    total = [[0] * X.shape[1] for _ in range(n_classes)]
    entries = zip(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices, X.data.tolist(), strict=True)
    for i, j, value in entries:
        total[codes[i]][j] += value
    return total


def random_csr(seed, dtype=np.int32, index=np.int32):
    """Rows that may be empty, indices out of order and repeated, zeros stored."""
    rng = np.random.default_rng(seed)
    n_documents, n_terms, n_classes = rng.integers(0, 12), rng.integers(1, 6), rng.integers(1, 5)
    lengths = rng.integers(0, 5, n_documents)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    indices = rng.integers(0, n_terms, indptr[-1]).astype(index)
    data = rng.integers(0, 4, indptr[-1]) * (1 if np.dtype(dtype).kind in "iu" else 0.1)
    X = sparse.csr_array((n_documents, n_terms), dtype=dtype)
    X.data, X.indices, X.indptr = data.astype(dtype), indices, indptr
    return X, rng.integers(0, n_classes, n_documents), int(n_classes)


def test_scipy_has_the_loop_that_the_quick_path_uses():
    assert matrix._csc_matvec is not None


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float64])
def test_sums_are_those_of_a_plain_loop(path, dtype, index):
    for seed in range(40):
        X, codes, n_classes = random_csr(seed, dtype, index)
        found = class_sums(X, codes, n_classes)
        np.testing.assert_allclose(found.toarray(), np.array(brute_force(X, codes, n_classes)), rtol=1e-14)
        assert found.shape == (n_classes, X.shape[1])
        assert found.dtype == (np.float64 if dtype == np.float64 else np.int64)
        assert found.has_canonical_format
        assert (found.data != 0).all()


@pytest.mark.parametrize("block", [1, 2, 7])
def test_the_size_of_a_block_does_not_matter(path, monkeypatch, block):
    monkeypatch.setattr(class_counts, "_BLOCK", block)
    for seed in range(40):
        X, codes, n_classes = random_csr(seed)
        assert class_sums(X, codes, n_classes).toarray().tolist() == brute_force(X, codes, n_classes)


def test_more_entries_than_a_block_holds_are_all_added(path):
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.integers(0, 3, (3000, 100)))
    codes = rng.integers(0, 4, 3000)
    assert X.nnz > class_counts._BLOCK
    expected = np.array([X.toarray()[codes == k].sum(axis=0) for k in range(4)])
    np.testing.assert_array_equal(class_sums(X, codes, 4).toarray(), expected)


def test_whole_sums_are_exact_beyond_the_reach_of_floats(path):
    X = sparse.csr_array([[2**53], [1], [2**60]])
    assert class_sums(X, np.array([0, 0, 1]), 2).toarray().tolist() == [[2**53 + 1], [2**60]]


def test_small_types_do_not_overflow(path):
    X = sparse.csr_array(np.full((10, 1), 100, np.int8))
    assert class_sums(X, np.zeros(10, np.intp), 1).toarray().tolist() == [[1000]]


@pytest.mark.parametrize(("shape", "n_classes"), [((0, 3), 2), ((3, 0), 2), ((0, 0), 2), ((0, 3), 0), ((0, 0), 0)])
def test_sums_of_nothing_are_empty_tables(path, shape, n_classes):
    found = class_sums(sparse.csr_array(shape, dtype=np.int64), np.zeros(shape[0], np.intp), n_classes)
    assert (found.shape, found.nnz) == ((n_classes, shape[1]), 0)


def test_presence_sees_through_duplicates_and_stored_zeros():
    for seed in range(40):
        X, _, _ = random_csr(seed)
        kept = X.data.copy(), X.indices.copy(), X.indptr.copy()
        assert presence(X).toarray().tolist() == (X.toarray() > 0).astype(int).tolist()
        assert all(map(np.array_equal, kept, (X.data, X.indices, X.indptr)))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.data())
def test_weighted_rows_are_rows_times_weights(seed, data):
    X, _, _ = random_csr(seed)
    weight = np.array(data.draw(st.lists(st.floats(0, 9), min_size=X.shape[0], max_size=X.shape[0])))
    np.testing.assert_allclose(weighted_rows(X, weight).toarray(), X.toarray() * weight[:, np.newaxis])


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        (np.array([3, 1, 3]), (1, 3), [1, 0, 1]),
        ([True, False], (False, True), [1, 0]),
        (np.array(["é", "e"], object), ("e", "é"), [1, 0]),
        ([], (), []),
    ],
)
def test_classes_are_the_sorted_labels(y, classes, codes):
    names, found = class_codes(y)
    assert (names, found.tolist()) == (classes, codes)


@pytest.mark.parametrize(("y", "classes"), [(["b", "a"], ("b", "c", "a")), ([7, 5], (7, 6, 5)), ([], ("x", "y"))])
@pytest.mark.parametrize("form", [tuple, list, np.array])
def test_given_classes_keep_their_order(y, classes, form):
    names, codes = class_codes(y, form(classes))
    assert names == classes
    assert [names[code] for code in codes] == y


def test_labels_that_end_in_a_null_character_are_labels_of_their_own():
    names, codes = class_codes(["a", "a\x00"])
    assert (names, codes.tolist()) == (("a", "a\x00"), [0, 1])


@pytest.mark.parametrize(("y", "classes", "named"), [(["a", "z"], ("a",), "'z'"), ([1, 9], (1, 2), "9")])
def test_a_label_outside_the_given_classes_is_refused_by_name(y, classes, named):
    with pytest.raises(InputError, match=f"{named} is not among the classes"):
        class_codes(y, classes)


def test_classes_given_twice_are_refused():
    with pytest.raises(InputError, match="'a'"):
        class_codes(["a", "b"], ("a", "b", "a"))


@pytest.mark.parametrize("y", [["a", None], [1.0, np.nan], np.array(["a", np.nan], object), ["a", 1]], ids=str)
def test_a_missing_label_or_one_of_another_kind_is_refused(y):
    with pytest.raises(InputError, match="label"):
        class_codes(y)


@pytest.mark.parametrize(("y", "n"), [([["a"]], 2), ("ab", 0)])
def test_labels_have_one_dimension(y, n):
    with pytest.raises(InputError, match=f"one dimension, not {n}"):
        class_codes(y)


@pytest.mark.parametrize("wrong", [[1.0], [[1.0, 2.0]], 1.0, [1.0, 2.0, 3.0]])
def test_weights_are_one_a_document(wrong):
    with pytest.raises(InputError, match=r"sample_weight must hold 2 weights, one per document, not shape \("):
        as_weight(wrong, 2)


@pytest.mark.parametrize("wrong", [[1, -1], [1, np.nan], [np.inf, 1], ["x", "y"], [1, None]], ids=str)
def test_impossible_weights_are_refused(wrong):
    with pytest.raises(InputError, match="sample_weight"):
        as_weight(wrong, 2)
