import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from textnb.counts import rows as rows_module
from textnb.models.logistic import ratios
from textnb.models.logistic.ratios import Presence, frequent, largest_ratio, log_count_ratios


def counts_of(seed=0, n_rows=30, n_terms=12, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.5, (n_rows, n_terms)) * rng.integers(1, 4, (n_rows, n_terms))
    return X, np.arange(n_rows) % n_classes, rng.integers(1, 4, n_rows).astype(float)


def by_hand(X, y, weight, a):
    """r (V, C) of eq. (1) to (4), a term and a class at a time."""
    n_terms, classes = X.shape[1], np.unique(y)
    n = np.array(
        [
            [sum(w for x, k, w in zip(X[:, j], y, weight, strict=True) if x > 0 and k == c) for c in classes]
            for j in range(n_terms)
        ],
        float,
    )
    r = np.zeros((n_terms, len(classes)))
    for k in range(len(classes)):
        rest = [c for c in range(len(classes)) if c != k]
        for j in range(n_terms):
            p = (n[j, k] + a) / (sum(n[:, k]) + a * n_terms)
            q = (sum(n[j, rest]) + a) / (sum(n[:, rest].ravel()) + a * n_terms)
            r[j, k] = np.log(p / q)
    return n, r


@pytest.mark.parametrize("a", [0.3, 1.0])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("cells", [1, 7, 1000])
def test_ratios_are_those_of_the_formula(a, n_classes, cells, monkeypatch):
    monkeypatch.setattr(ratios, "_CELLS", cells)  # several blocks of terms
    X, y, weight = counts_of(n_classes=n_classes)
    counts = Presence.of(sparse.csr_array(X)).by_class(y, weight, n_classes)
    n, r = by_hand(X, y, weight, a)
    np.testing.assert_array_equal(counts, n)
    np.testing.assert_allclose(log_count_ratios(counts, a), r, atol=1e-12)
    np.testing.assert_allclose(largest_ratio(counts, a), np.abs(r).max(axis=1), atol=1e-12)


def test_the_ratios_of_two_classes_are_each_others_negative():
    X, y, weight = counts_of(n_classes=2)
    r = log_count_ratios(Presence.of(sparse.csr_array(X)).by_class(y, weight, 2))
    np.testing.assert_allclose(r[:, 0], -r[:, 1], atol=1e-12)


def test_a_single_class_has_no_other_to_differ_from():
    assert largest_ratio(np.array([[2.0], [1.0]])).tolist() == [0, 0]


@pytest.mark.parametrize("min_df", [1, 2, 15, 1000])
@pytest.mark.parametrize("whole", [True, False])
def test_counts_of_classes_leave_out_rows_of_weight_0(min_df, whole, monkeypatch):
    monkeypatch.setattr(rows_module, "_BLOCK", 7)  # several blocks of rows
    X, y, weight = counts_of()
    X[:, 3] = 0
    weight = np.where(np.arange(30) % 4 == 0, 0.0, 1.0 if whole else weight)
    b = Presence.of(sparse.csr_array(X))
    counts, df = b.by_class(y, weight, 3), weight @ (X > 0)
    np.testing.assert_array_equal(counts, [[weight[y == k] @ (X[y == k, j] > 0) for k in range(3)] for j in range(12)])
    np.testing.assert_array_equal(b.containing(weight), df)
    np.testing.assert_array_equal(frequent(df, min_df), np.flatnonzero(df >= min_df))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 12), st.integers(1, 8))
def test_terms_are_picked_as_from_a_plain_matrix(seed, n_rows, n_terms):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, (n_rows, n_terms))
    columns = np.flatnonzero(rng.random(n_terms) < 0.6)
    Z = Presence.of(sparse.csr_array(X)).of_terms(columns).scaled(np.ones(len(columns)))
    b = (X[:, columns] > 0).astype(float)
    lengths = np.sqrt(b.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(Z.toarray(), b / np.where(lengths > 0, lengths, 1), atol=1e-15)


@pytest.mark.parametrize("block", [1, 5, 1000])
def test_scaling_in_blocks_of_rows_and_in_single_precision_gives_the_same_rows(block, monkeypatch):
    X, _, _ = counts_of()
    b, scale = Presence.of(sparse.csr_array(X)), np.random.default_rng(0).random(12)
    whole = b.scaled(scale)
    monkeypatch.setattr(rows_module, "_BLOCK", block)
    np.testing.assert_array_equal(b.scaled(scale).data, whole.data)
    np.testing.assert_array_equal(b.scaled(scale, np.float32).data, whole.data.astype(np.float32))
    assert np.shares_memory(b.scaled(scale).indices, b.columns)


def test_scaled_rows_have_length_one_unless_they_are_empty():
    X = sparse.csr_array([[1, 2, 0], [0, 0, 0], [0, 5, 1]])
    Z = Presence.of(X).scaled(np.array([3.0, 4.0, 0.0])).toarray()
    np.testing.assert_allclose(Z, [[0.6, 0.8, 0], [0, 0, 0], [0, 1, 0]])


def test_stored_zeros_and_repeated_entries_are_told_from_presence():
    X = sparse.csr_array(([1, 1, 0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    kept = X.copy()
    b = Presence.of(X)
    assert (b.columns.tolist(), b.starts.tolist()) == ([0], [0, 1, 1])
    np.testing.assert_array_equal(X.data, kept.data)
