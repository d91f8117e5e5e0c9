"""The loops over rows in C and in Python give the same numbers to the bit, and those of dense arithmetic."""

import numpy as np
import pytest
from scipy import sparse

from textnb.counts import row_loops
from textnb.counts.row_loops import (
    best_classes,
    class_logs,
    class_table,
    n_threads,
    plain_class_logs,
    plain_class_table,
    plain_row_classes,
    plain_row_scores,
    row_classes,
    row_scores,
)
from textnb.extension import uses_extension

VALUES = [np.float64, np.float32, np.int32, np.int64]
INDICES = [np.int32, np.int64]
N_CLASSES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 40]
native = pytest.mark.skipif(not uses_extension(), reason="needs the extension")
of_values = pytest.mark.parametrize("dtype", VALUES, ids=lambda dtype: dtype.__name__)
of_indices = pytest.mark.parametrize("index", INDICES, ids=lambda dtype: dtype.__name__)


def rows(dtype=np.float64, index=np.int32, shape=(70, 30), seed=0):
    """Rows with empty rows, stored zeros and repeated and unsorted columns."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 12, shape[0]) * (rng.random(shape[0]) < 0.8) * (shape[1] > 0)
    n = int(lengths.sum())
    data = rng.integers(0, 5, n) if np.dtype(dtype).kind == "i" else rng.integers(0, 5, n) * rng.random(n)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    columns = rng.integers(0, max(shape[1], 1), n).astype(index)
    return sparse.csr_array((data.astype(dtype), columns, indptr), shape=shape)


def labels(n_rows, n_classes, seed=1):
    return np.random.default_rng(seed).integers(0, n_classes, n_rows)


def weights_and_bias(n_terms, n_classes, impossible=False):
    rng = np.random.default_rng(2)
    weights = rng.normal(size=(n_terms, n_classes))
    if impossible:
        weights[rng.random(weights.shape) < 0.4] = -np.inf
    return weights, rng.normal(size=n_classes)


@of_values
@of_indices
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("shape", [(70, 30), (1, 1), (0, 4), (5, 0)], ids=str)
def test_class_sums_are_those_of_dense_arithmetic(dtype, index, weighted, shape):
    X, y = rows(dtype, index, shape), labels(shape[0], 4)
    weight = np.random.default_rng(3).random(shape[0]) if weighted else None
    found = class_table(X, y, 4, weight)
    assert found.dtype == (np.int64 if np.dtype(dtype).kind == "i" and not weighted else np.float64)
    np.testing.assert_array_equal(found, plain_class_table(X, y, 4, weight))
    dense = X.astype(np.float64).toarray() * (1 if weight is None else weight[:, np.newaxis])
    np.testing.assert_allclose(found, [dense[y == k].sum(axis=0) for k in range(4)], rtol=1e-12)


@of_values
@of_indices
@pytest.mark.parametrize("n_classes", N_CLASSES)
@pytest.mark.parametrize("impossible", [False, True], ids=["", "impossible terms"])
def test_scores_are_those_of_dense_arithmetic(dtype, index, n_classes, impossible):
    X = rows(dtype, index)
    weights, bias = weights_and_bias(30, n_classes, impossible)
    scores = row_scores(X, weights, bias)
    np.testing.assert_array_equal(scores, plain_row_scores(X, weights, bias))
    dense = X.astype(np.float64).toarray()
    with np.errstate(invalid="ignore"):
        products = np.where(dense[:, :, np.newaxis] == 0, 0.0, dense[:, :, np.newaxis] * weights)
    np.testing.assert_allclose(scores, products.sum(axis=1) + bias, rtol=0, atol=1e-12)
    classes = row_classes(X, weights, bias)
    np.testing.assert_array_equal(classes, plain_row_classes(X, weights, bias))
    np.testing.assert_array_equal(classes, best_classes(scores, bias))


def class_sums_of(kind, shape, seed=4):
    """Dense table of class sums: most are 0, some beyond the logarithms that are looked up, some fractional."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 5, shape) * (rng.random(shape) < 0.5)
    table.flat[:3] = 2047, 2048, 10**9
    if kind == "fractional":
        return table * rng.random(shape)
    if kind == "few fractional":
        return np.where(rng.random(shape) < 0.01, table + 0.5, table)
    return table.astype(kind)


@pytest.mark.parametrize("kind", ["float64", "int64", "fractional", "few fractional"])
@pytest.mark.parametrize("alpha", [0.0, 1e-10, 0.01, 1.0, 1e6])
@pytest.mark.parametrize("unit", [1.0, 2.0**-20])
@pytest.mark.parametrize("shape", [(3, 5), (1, 3000), (9, 1000)], ids=str)
def test_logarithms_of_class_sums_are_those_of_dense_arithmetic(kind, alpha, unit, shape):
    table, log_totals = class_sums_of(kind, shape), np.arange(1.0, shape[0] + 1)
    found = class_logs(table, unit, alpha, log_totals)
    np.testing.assert_array_equal(found, plain_class_logs(table, unit, alpha, log_totals))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(found, np.log(table * unit + alpha).T - log_totals, rtol=1e-14)


@pytest.mark.parametrize("shape", [(0, 4), (5, 0), (3, 1)], ids=str)
def test_no_rows_and_no_columns_have_scores(shape):
    X = rows(shape=shape)
    weights, bias = weights_and_bias(shape[1], 3)
    assert row_scores(X, weights, bias).shape == (shape[0], 3)
    np.testing.assert_array_equal(row_scores(X, weights, bias), plain_row_scores(X, weights, bias))
    np.testing.assert_array_equal(row_classes(X, weights, bias), plain_row_classes(X, weights, bias))


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("n_classes", [1, 2, 5])
def test_the_numbers_do_not_depend_on_the_threads(monkeypatch, threads, n_classes):
    X, y = rows(shape=(300, 30)), labels(300, n_classes)
    weight = np.random.default_rng(3).random(300)
    weights, bias = weights_and_bias(30, n_classes)
    monkeypatch.setattr(row_loops, "MIN_ENTRIES_PER_THREAD", 1)
    monkeypatch.setattr(row_loops, "MIN_SUMMED_PER_THREAD", 1)
    monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
    assert n_threads() == threads
    np.testing.assert_array_equal(class_table(X, y, n_classes, weight), plain_class_table(X, y, n_classes, weight))
    np.testing.assert_array_equal(row_scores(X, weights, bias), plain_row_scores(X, weights, bias))
    np.testing.assert_array_equal(row_classes(X, weights, bias), plain_row_classes(X, weights, bias))


@pytest.mark.parametrize("given", ["", "many", "-1", "0"])
def test_threads_are_at_least_one_whatever_the_environment_says(monkeypatch, given):
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert n_threads() >= 1


def test_of_equal_scores_the_first_class_is_taken():
    X = sparse.csr_array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    weights = np.array([[1.0, 1.0, 0.0], [0.0, 3.0, 3.0]])
    for classes in (row_classes, plain_row_classes):
        assert classes(X, weights, np.zeros(3)).tolist() == [0, 1, 0]


def test_a_row_that_no_class_allows_gets_the_class_of_the_largest_bias():
    X = sparse.csr_array([[1.0], [0.0]])
    weights, bias = np.full((1, 3), -np.inf), np.array([0.0, 2.0, 1.0])
    for classes in (row_classes, plain_row_classes):
        assert classes(X, weights, bias).tolist() == [1, 1]


@pytest.mark.parametrize("dtype", [np.int16, np.uint64, bool], ids=str)
def test_other_types_take_the_loops_in_python(dtype):
    X, y = rows().astype(dtype), labels(70, 3)
    weights, bias = weights_and_bias(30, 3)
    np.testing.assert_allclose(row_scores(X, weights, bias), X.toarray().astype(float) @ weights + bias)
    np.testing.assert_array_equal(class_table(X, y, 3)[1], X.toarray()[y == 1].astype(float).sum(axis=0))


def test_weights_in_any_order_of_memory_give_the_same_scores():
    X = rows()
    weights, bias = weights_and_bias(30, 4)
    np.testing.assert_array_equal(
        row_scores(X, np.asfortranarray(weights), bias[::-1]), row_scores(X, weights, bias[::-1].copy())
    )


def broken(**parts):
    """Rows whose arrays point outside."""
    X = rows()
    for name, change in parts.items():
        array = getattr(X, name).copy()
        array[change[0]] = change[1]
        setattr(X, name, array)
    return X


@native
@of_indices
@pytest.mark.parametrize(
    "parts",
    [
        {"indices": (5, 30)},
        {"indices": (5, -1)},
        {"indices": (-1, 2**31 - 1)},
        {"indptr": (3, 10_000)},
        {"indptr": (3, -5)},
        {"indptr": (-1, 10_000)},
    ],
    ids=str,
)
def test_indices_out_of_range_are_refused(parts, index):
    X = broken(**parts)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    weights, bias = weights_and_bias(30, 3)
    table, y = np.zeros((3, 30)), labels(70, 3)
    from textnb import _native

    shape = (30, 3)
    with pytest.raises(ValueError, match="out of range"):
        _native.class_sums(X.indptr, X.indices, X.data, y, None, table, 0, 3, *shape)
    for fill, out in ((_native.row_scores, np.empty((70, 3))), (_native.row_classes, np.empty(70, np.int64))):
        with pytest.raises(ValueError, match="out of range"):
            fill(X.indptr, X.indices, X.data, weights, bias, out, 0, 70, *shape)


@native
def test_classes_out_of_range_are_left_out():
    X, y = rows(), labels(70, 3)
    from textnb import _native

    for wrong in (-1, 3, 2**62):
        table = np.zeros((3, 30))
        _native.class_sums(X.indptr, X.indices, X.data, np.where(y == 1, wrong, y), None, table, 0, 3, 30, 3)
        np.testing.assert_array_equal(table, class_table(X, y, 3) * [[1], [0], [1]])


@native
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"table": np.zeros(3)}, "table: 3 items, expected 90"),
        ({"table": np.zeros((3, 30), np.int64)}, "table: numbers of another kind"),
        ({"codes": np.zeros(69, np.int64)}, "codes: 69 items, expected 70"),
        ({"codes": np.zeros(70, np.int32)}, "codes: numbers of another kind"),
        ({"weight": np.zeros(69)}, "weight: 69 items, expected 70"),
        ({"values": np.zeros(3)}, "columns: .* items, expected 3"),
        ({"values": np.zeros(3, np.int16)}, "values: the numbers are of a kind that is not supported"),
        ({"starts": np.zeros(71, np.int64)}, "integers of one kind"),
        ({"starts": np.zeros(0, np.int32)}, "integers of one kind"),
        ({"last": 4}, "the number of classes or columns is out of range"),
        ({"first": -1}, "the number of classes or columns is out of range"),
        ({"n_columns": 2**62}, "the number of classes or columns is out of range"),
    ],
    ids=str,
)
def test_wrong_arguments_of_class_sums_are_refused(changed, words):
    from textnb import _native

    X = rows()
    given = {"starts": X.indptr, "columns": X.indices, "values": X.data, "codes": labels(70, 3), "weight": None}
    given |= {"table": np.zeros((3, 30)), "first": 0, "last": 3, "n_columns": 30, "n_classes": 3} | changed
    with pytest.raises(ValueError, match=words):
        _native.class_sums(*given.values())


@native
def test_the_extension_lists_the_sums_whose_logarithms_it_was_not_given():
    from textnb import _native

    table, logs = np.array([[0.0, 0.5, 7.0], [2.0, 1.0, np.nan]]), np.array([10.0, 11.0, 12.0])
    out, others = np.zeros((3, 2)), np.zeros(3, np.int64)
    assert _native.table_logs(table, logs, np.array([0.0, 1.0]), out, others, 2, 3) == 3
    assert others.tolist() == [2, 4, 5]
    assert out.tolist() == [[10.0, 11.0], [0.0, 10.0], [0.0, 0.0]]
    assert _native.table_logs(table, logs, np.array([0.0, 1.0]), out, others[:2], 2, 3) == -1
    assert _native.table_logs(-table, logs, np.zeros(2), out, np.zeros(6, np.int64), 2, 3) == 5


@native
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"table": np.zeros(3)}, "table: 3 items, expected 90"),
        ({"table": np.zeros((3, 30), np.float32)}, "numbers of another kind"),
        ({"logs": np.zeros(5, np.int64)}, "numbers of another kind"),
        ({"log_totals": np.zeros(2)}, "log_totals: 2 items, expected 3"),
        ({"out": np.zeros((30, 2))}, "out: 60 items, expected 90"),
        ({"others": np.zeros(5)}, "numbers of another kind"),
        ({"n_classes": -1}, "the number of classes or columns is out of range"),
        ({"n_columns": 2**62}, "the number of classes or columns is out of range"),
    ],
    ids=str,
)
def test_wrong_arguments_of_table_logs_are_refused(changed, words):
    from textnb import _native

    given = {"table": np.zeros((3, 30)), "logs": np.zeros(5), "log_totals": np.zeros(3), "out": np.zeros((30, 3))}
    given |= {"others": np.zeros(5, np.int64), "n_classes": 3, "n_columns": 30} | changed
    with pytest.raises(ValueError, match=words):
        _native.table_logs(*given.values())


@native
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"weights": np.zeros((30, 2))}, "weights: 60 items, expected 90"),
        ({"weights": np.zeros((30, 3), np.float32)}, "weights: numbers of another kind"),
        ({"bias": np.zeros(2)}, "bias: 2 items, expected 3"),
        ({"out": np.zeros((69, 3))}, "scores: 207 items, expected 210"),
        ({"last": 71}, "the rows are out of range"),
        ({"first": 5, "last": 4}, "the number of rows, columns or classes is out of range"),
        ({"n_classes": 0}, "the number of rows, columns or classes is out of range"),
    ],
    ids=str,
)
def test_wrong_arguments_of_row_scores_are_refused(changed, words):
    from textnb import _native

    X = rows()
    weights, bias = weights_and_bias(30, 3)
    given = {"starts": X.indptr, "columns": X.indices, "values": X.data, "weights": weights, "bias": bias}
    given |= {"out": np.zeros((70, 3)), "first": 0, "last": 70, "n_columns": 30, "n_classes": 3} | changed
    with pytest.raises(ValueError, match=words):
        _native.row_scores(*given.values())


@native
def test_memory_that_cannot_be_written_is_refused():
    from textnb import _native

    X, table = rows(), np.zeros((3, 30))
    table.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        _native.class_sums(X.indptr, X.indices, X.data, labels(70, 3), None, table, 0, 3, 30, 3)
