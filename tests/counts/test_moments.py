import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from textnb.counts.moments import ClassMoments, as_reals
from textnb.errors import InputError

X = np.array([[1.0, -2.0, 0.0], [0.0, 1.5, 0.0], [3.0, 0.0, 0.0], [2.0, 0.5, 4.0]])
Y = ["x", "y", "x", "y"]


def assert_close(a, b, tolerance=1e-12):
    assert a.classes == b.classes
    for mine, theirs in ((a.documents, b.documents), (a.means, b.means), (a.squares, b.squares)):
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)


def exact_moments(rows, weights):
    """Mean and squared deviations of one column, in fractions."""
    rows, weights = [Fraction(float(x)) for x in rows], [Fraction(float(w)) for w in weights]
    if not sum(weights):
        return 0.0, 0.0
    mean = sum(w * x for w, x in zip(weights, rows, strict=True)) / sum(weights)
    return float(mean), float(sum(w * (x - mean) ** 2 for w, x in zip(weights, rows, strict=True)))


def random_rows(seed, n_rows=40, n_columns=7, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(3, 2, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.4)
    return X, rng.integers(0, n_classes, n_rows), rng


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csc_array, sparse.coo_matrix])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_are_those_of_fractions(seed, container, weighted):
    X, y, rng = random_rows(seed)
    weight = rng.random(40) * (rng.random(40) < 0.8) if weighted else np.ones(40)
    moments = ClassMoments.of(container(X), y, classes=range(4), sample_weight=weight if weighted else None)
    assert moments.means.shape == moments.squares.shape == (4, 7)
    for k in range(4):
        np.testing.assert_allclose(moments.documents[k], weight[y == k].sum())
        for j in range(7):
            mean, squares = exact_moments(X[y == k, j], weight[y == k])
            np.testing.assert_allclose(moments.means[k, j], mean, rtol=1e-12, atol=1e-13)
            np.testing.assert_allclose(moments.squares[k, j], squares, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_far_from_zero_no_digits_cancel(container, weighted):
    rng = np.random.default_rng(0)
    X = 1e6 + rng.normal(0, 1, (500, 1))
    weight = rng.random(500) if weighted else np.ones(500)
    moments = ClassMoments.of(container(X), np.zeros(500, int), sample_weight=weight)
    parts = [
        ClassMoments.of(container(X[rows]), np.zeros(len(rows), int), sample_weight=weight[rows])
        for rows in np.array_split(np.arange(500), 100)
    ]
    mean, squares = exact_moments(X[:, 0], weight)
    for found in (moments, sum(parts[1:], parts[0])):
        np.testing.assert_allclose(found.means[0, 0], mean, rtol=1e-15)
        np.testing.assert_allclose(found.squares[0, 0], squares, rtol=1e-10)


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=12), st.data()
)
def test_parts_give_the_moments_of_the_whole(rows, data):
    X, y, weight = np.array([[x] for x, _, _ in rows]), [k for _, k, _ in rows], [w for _, _, w in rows]
    cut = data.draw(st.integers(0, len(rows)))
    a, b = (
        ClassMoments.of(X[part], y[part], classes=(0, 1), sample_weight=weight[part])
        for part in (slice(cut), slice(cut, None))
    )
    assert_close(a + b, ClassMoments.of(X, y, classes=(0, 1), sample_weight=weight))
    assert_close(a + b, b + a)
    assert ClassMoments.zero(1, (0, 1)) + a == a == a + ClassMoments.zero(1, (0, 1))


def test_merging_is_associative_beyond_rounding():
    a, b, c = (ClassMoments.of(*random_rows(seed)[:2], classes=range(3)) for seed in range(3))
    assert_close((a + b) + c, a + (b + c))


def test_a_weight_is_a_repetition():
    weight = [2, 0, 3, 1]
    repeated = ClassMoments.of(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    assert_close(ClassMoments.of(X, Y, sample_weight=weight), repeated)
    assert_close(ClassMoments.of(sparse.csr_array(X), Y, sample_weight=weight), repeated)


def test_more_classes_change_nothing_but_their_number():
    moments = ClassMoments.of(X, Y)
    wider = moments.on_classes(("w", "x", "y"))
    assert wider == ClassMoments.of(X, Y, classes=("w", "x", "y"))
    assert wider.documents.tolist() == [0, 2, 2]
    assert moments.on_classes(("x", "y")) == moments


def test_variances_of_all_are_those_without_classes():
    X, y, rng = random_rows(5)
    weight = rng.random(40)
    moments = ClassMoments.of(X, y, classes=range(5), sample_weight=weight)
    mean = np.average(X, axis=0, weights=weight)
    np.testing.assert_allclose(moments.variances_of_all, np.average((X - mean) ** 2, axis=0, weights=weight))
    assert ClassMoments.zero(2, ("x",)).variances_of_all.tolist() == [0, 0]


def test_whole_rows_have_whole_weights():
    assert ClassMoments.of(X, Y).documents.dtype == np.int64
    assert repr(ClassMoments.of(X, Y)) == "<ClassMoments of 4 documents, 2 classes, 3 columns>"


def test_sparse_rows_are_never_made_dense():
    X = sparse.random_array((2_000, 200_000), density=1e-5, rng=np.random.default_rng(0), format="csr")
    tracemalloc.start()
    ClassMoments.of(X, np.arange(2_000) % 2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6  # dense it has 3.2 GB


def test_other_axes_do_not_add():
    for other in (ClassMoments.of(X, ["x", "z"] * 2), ClassMoments.of(X[:, :2], Y)):
        with pytest.raises(InputError, match="differ in classes or columns"):
            ClassMoments.of(X, Y) + other
    with pytest.raises(TypeError):
        ClassMoments.of(X, Y) + 1


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ([[1.0, np.inf]], "row 0, column 1 holds an infinite number"),
        (sparse.csr_array([[0.0, 1.0], [0.0, np.nan]]), "row 1, column 1 holds NaN"),
        ([["a"]], "must hold numbers"),
        ([1.0], "two dimensions"),
        ([[1.0], [1.0, 2.0]], "every row of one length"),
    ],
    ids=["inf", "nan", "strings", "one dimension", "ragged"],
)
def test_what_is_no_matrix_of_finite_numbers_is_refused(wrong, why):
    with pytest.raises(InputError, match=why):
        as_reals(wrong)


def test_rows_and_labels_must_be_as_many():
    with pytest.raises(InputError, match="X has 4 rows, y has 3 labels"):
        ClassMoments.of(X, Y[:3])
