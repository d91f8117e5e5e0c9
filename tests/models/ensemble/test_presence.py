import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from textnb.errors import InputError
from textnb.models.ensemble.presence import ALPHA, MIN_RATIO, POWER, containing_by_class, left_out_ratios, ratio_scorer

ROWS = st.lists(
    st.tuples(st.lists(st.integers(0, 2), min_size=6, max_size=6), st.integers(0, 2)), min_size=3, max_size=12
)


def by_hand(train, row, k):
    """Eq. (1) to (4) of one row and class, from lists of (counts, class)."""
    mine, others = ([counts for counts, label in train if (label == k) is own] for own in (True, False))
    telling = []
    for j in range(len(row)):
        shares = [(sum(counts[j] > 0 for counts in part) + ALPHA) / (len(part) + 2 * ALPHA) for part in (mine, others)]
        ratio = math.log(shares[0]) - math.log(shares[1])
        if row[j] > 0 and abs(ratio) >= MIN_RATIO and mine and others:
            telling.append(ratio)
    return sum(telling) / len(telling) ** POWER if telling else 0.0


def scorer_of(train, n_classes=3):
    X, y = sparse.csr_array(np.array([counts for counts, _ in train])), np.array([label for _, label in train])
    return ratio_scorer(containing_by_class(X, y, n_classes), np.bincount(y, minlength=n_classes).astype(float))


@given(ROWS)
@settings(max_examples=30, deadline=None)
def test_scores_are_those_of_the_formula(train):
    labels = {label for _, label in train}
    X = sparse.csr_array(np.array([counts for counts, _ in train]))
    expected = [[by_hand(train, counts, k) if k in labels else -math.inf for k in range(3)] for counts, _ in train]
    np.testing.assert_allclose(scorer_of(train).joint_log_scores(X), expected, atol=1e-12)


@given(ROWS, st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_held_out_scores_are_those_of_the_rows_outside_the_fold(train, random):
    folds = np.array([random.randrange(3) for _ in train])
    X, y = sparse.csr_array(np.array([counts for counts, _ in train])), np.array([label for _, label in train])
    scores = left_out_ratios(X, y, 3, folds)
    for i, (counts, _) in enumerate(train):
        rest = [row for row, fold in zip(train, folds, strict=True) if fold != folds[i]]
        there = {label for _, label in rest}
        expected = [by_hand(rest, counts, k) if k in there else -math.inf for k in range(3)]
        np.testing.assert_allclose(scores[i], expected, atol=1e-12)


def test_two_classes_have_opposite_scores():
    train = [([1, 0, 1], 0), ([1, 1, 0], 0), ([0, 1, 1], 1), ([0, 0, 1], 1)]
    scores = scorer_of(train, 2).joint_log_scores(sparse.csr_array([[1, 0, 0], [0, 1, 0], [1, 1, 1]]))
    np.testing.assert_allclose(scores[:, 0], -scores[:, 1])
    assert scores[0, 0] > 0


def test_how_often_and_in_how_many_entries_a_term_is_stored_does_not_matter():
    scorer = scorer_of([([1, 0], 0), ([0, 1], 1)], 2)
    twice = sparse.csr_array((np.array([1, 4, 0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2))
    plain = scorer.joint_log_scores(sparse.csr_array([[1, 0]]))
    np.testing.assert_array_equal(scorer.joint_log_scores(twice), plain)


def test_one_class_has_no_scores_to_speak_of():
    assert not scorer_of([([1, 0], 0), ([0, 1], 0)], 1).joint_log_scores(sparse.csr_array([[1, 1]])).any()


def test_differences_sum_to_the_difference_of_scores():
    scorer = scorer_of([([1, 0, 1], 0), ([1, 1, 0], 0), ([0, 1, 1], 1), ([0, 0, 1], 2)])
    X = sparse.csr_array([[2, 1, 1]])
    scores = scorer.joint_log_scores(X)[0]
    assert scorer.differences(X, 0, 2).score == pytest.approx(scores[0] - scores[2])
    np.testing.assert_allclose(np.exp(scorer.log_posterior(X)).sum(), 1)


def test_a_matrix_of_other_terms_is_refused():
    with pytest.raises(InputError, match="3 columns"):
        scorer_of([([1, 0], 0), ([0, 1], 1)], 2).joint_log_scores(sparse.csr_array((1, 3)))
