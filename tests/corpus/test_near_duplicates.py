from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from textnb.corpus import near_duplicates
from textnb.corpus.near_duplicates import SHINGLE_SIZE, find_duplicate_groups, jaccard, shingle_matrix, shingles
from textnb.errors import InputError

ROWS = st.lists(st.lists(st.integers(0, 2), min_size=8, max_size=8), min_size=1, max_size=14)
TEXTS = st.text(st.characters(codec=None, categories=["L", "Z", "Cc", "Cs"]), max_size=30)


def brute_force_groups(X, threshold):
    """Every pair compared, and every row given the least row that it is connected with."""
    sets = [set(np.flatnonzero(row)) for row in np.asarray(X)]
    groups = list(range(len(sets)))
    for a, b in combinations(range(len(sets)), 2):
        if sets[a] | sets[b] and len(sets[a] & sets[b]) / len(sets[a] | sets[b]) >= threshold:
            low, high = sorted([groups[a], groups[b]])
            groups = [low if group == high else group for group in groups]
    return groups


def families(rng, n_families, size, n_terms=400):
    """Rows in families: of each, a first row of 40 terms and others with a few terms exchanged."""
    X = np.zeros((n_families * size, n_terms), int)
    for row in range(len(X)):
        if row % size == 0:
            own = rng.choice(n_terms, 40, replace=False)
        kept = rng.permutation(own)[: 40 - rng.integers(0, 8)]
        X[row, kept] = 1
        X[row, rng.choice(n_terms, rng.integers(0, 5), replace=False)] = 1
    return X[rng.permutation(len(X))]


@settings(max_examples=50)
@given(ROWS, st.sampled_from([0.3, 0.5, 0.6, 2 / 3, 0.75, 0.8, 1.0]))
def test_the_groups_are_those_of_comparing_every_pair(X, threshold):
    assert find_duplicate_groups(X, threshold=threshold).tolist() == brute_force_groups(X, threshold)


@pytest.mark.parametrize("threshold", [0.6, 0.7, 0.8, 0.9])
def test_families_of_similar_rows_are_found_as_by_comparing_every_pair(threshold):
    X = families(np.random.default_rng(0), n_families=25, size=6)
    groups = find_duplicate_groups(sparse.csr_array(X), threshold=threshold)
    assert groups.tolist() == brute_force_groups(X, threshold)
    assert 25 <= len(set(groups.tolist())) < 150


@pytest.mark.parametrize("n", range(1, 31))
def test_a_pair_at_the_threshold_itself_is_near(n):
    """Sets of n terms, of which m are common: J = m / (2n - m), without a slip of rounding either way."""
    for m in range(1, n + 1):
        X = np.zeros((2, 2 * n), int)
        X[0, :n] = X[1, n - m : 2 * n - m] = 1
        assert find_duplicate_groups(X, threshold=m / (2 * n - m)).tolist() == [0, 0]
        if m < n:
            assert find_duplicate_groups(X, threshold=(m + 0.5) / (2 * n - m)).tolist() == [0, 1]


def test_how_often_a_term_occurs_does_not_matter_nor_the_order_of_rows():
    rng = np.random.default_rng(1)
    X = families(rng, n_families=10, size=4)
    groups, order = find_duplicate_groups(X), rng.permutation(len(X))
    assert find_duplicate_groups(X * rng.integers(1, 9, X.shape)).tolist() == groups.tolist()
    shuffled = find_duplicate_groups(X[order])
    assert np.array_equal(shuffled[:, None] == shuffled, groups[order][:, None] == groups[order])


def compared(monkeypatch, X):
    """The groups, and how many pairs were compared for them."""
    pairs = []
    plain = near_duplicates._similarity
    monkeypatch.setattr(near_duplicates, "_similarity", lambda *given: (pairs.append(len(given[2])), plain(*given))[1])
    return find_duplicate_groups(X), sum(pairs)


def test_thousands_of_equal_rows_are_one_group_and_cost_no_comparison(monkeypatch):
    groups, pairs = compared(monkeypatch, np.tile([1, 1, 0], (3000, 1)))
    assert not groups.any()
    assert pairs == 0


def test_thousands_of_rows_that_are_nearly_equal_cost_about_one_comparison_each(monkeypatch):
    n = 2000
    X = sparse.hstack([sparse.csr_array(np.ones((n, 30), int)), sparse.eye_array(n, dtype=int)]).tocsr()
    groups, pairs = compared(monkeypatch, X)
    assert not groups.any()
    assert pairs < 2 * n


def test_thousands_of_rows_that_fall_short_of_the_threshold_cost_no_more_than_the_window(monkeypatch):
    n = 500  # of 17 terms each, 15 in common, J = 15/19; the prefix of 4 reaches into what all have
    unique = sparse.kron(sparse.eye_array(n, dtype=int), np.ones((1, 2), int))
    X = sparse.hstack([sparse.csr_array(np.ones((n, 15), int)), unique]).tocsr()
    groups, pairs = compared(monkeypatch, X)
    assert groups.tolist() == list(range(n))
    assert n < pairs <= near_duplicates.WINDOW * n


def test_a_narrow_window_may_miss_pairs_and_never_makes_one_up(monkeypatch):
    X = families(np.random.default_rng(3), n_families=3, size=20, n_terms=60)
    monkeypatch.setattr(near_duplicates, "WINDOW", 1)
    found, wanted = find_duplicate_groups(X, threshold=0.7), np.array(brute_force_groups(X, 0.7))
    assert (wanted[found] == wanted).all()
    assert len(set(found.tolist())) > len(set(wanted.tolist()))


def test_similarity_of_pairs_in_blocks_is_that_of_pairs_at_once(monkeypatch):
    X = families(np.random.default_rng(2), n_families=4, size=3)
    a, b = (np.array(side) for side in zip(*combinations(range(len(X)), 2), strict=True))
    sets = [set(np.flatnonzero(row)) for row in X]
    wanted = [len(sets[i] & sets[j]) / len(sets[i] | sets[j]) for i, j in zip(a, b, strict=True)]
    assert np.allclose(jaccard(X, a, b), wanted, rtol=1e-15)
    monkeypatch.setattr(near_duplicates, "_MAX_COMPARED_ENTRIES", 100)
    assert np.allclose(jaccard(X, a, b), wanted, rtol=1e-15)


def test_empty_rows_are_like_no_other():
    assert find_duplicate_groups(np.zeros((3, 2), int)).tolist() == [0, 1, 2]
    assert find_duplicate_groups(np.zeros((0, 2), int)).tolist() == []
    assert jaccard([[0, 0]], np.array([0]), np.array([0])).tolist() == [0.0]


@pytest.mark.parametrize("threshold", [0, -1, 1.01, float("nan"), True, "0.8"])
def test_a_threshold_that_is_no_share_is_refused(threshold):
    with pytest.raises(InputError, match="above 0 and at most 1"):
        find_duplicate_groups([[1]], threshold=threshold)


def sets_of(text):
    """The shingles as strings, one by one."""
    text = " ".join(text.split())
    if len(text) < SHINGLE_SIZE:
        return {text} if text else set()
    return {text[i : i + SHINGLE_SIZE] for i in range(len(text) - SHINGLE_SIZE + 1)}


@settings(max_examples=50)
@given(st.lists(TEXTS, max_size=5))
def test_the_matrix_has_the_shingles_of_each_text_and_those_in_common(texts):
    X = shingle_matrix([shingles(text) for text in texts])
    wanted = [sets_of(text) for text in texts]
    assert X.shape == (len(texts), len(set().union(*wanted)))
    assert X.sum(axis=1).tolist() == [len(own) for own in wanted]
    assert (X @ X.T).toarray().tolist() == [[len(a & b) for b in wanted] for a in wanted]


@given(TEXTS)
@settings(max_examples=20)
def test_white_space_does_not_matter_where_it_is_of_another_kind(text):
    assert np.array_equal(shingles(text), shingles("\n " + "\t\u3000".join(text.split(" ")) + " "))


def test_no_texts_are_a_matrix_without_rows():
    assert shingle_matrix([]).shape == (0, 0)
