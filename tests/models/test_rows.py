import numpy as np
import pytest
from scipy import sparse

from textnb.errors import InputError
from textnb.models.rows import as_folds, dealt_folds


def rows(n_rows=60, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    return sparse.csr_array(rng.poisson(0.3, (n_rows, 40))), np.arange(n_rows) % n_classes


def test_every_fold_has_its_share_of_every_class():
    X, y = rows()
    folds = dealt_folds(X, y, 5)
    assert (np.array([np.bincount(folds[y == k], minlength=5) for k in range(3)]) == 4).all()


def test_the_order_of_rows_and_the_names_of_classes_do_not_matter():
    X, y = rows()
    order = np.random.default_rng(1).permutation(60)
    np.testing.assert_array_equal(dealt_folds(X[order], y[order], 5), dealt_folds(X, y, 5)[order])
    np.testing.assert_array_equal(dealt_folds(X, 2 - y, 5), dealt_folds(X, y, 5))


def test_rows_with_the_same_terms_stay_together_and_move_no_other():
    X, y = rows()
    folds = dealt_folds(X, y, 5)
    twice = dealt_folds(sparse.vstack([X, X * 3], format="csr"), np.tile(y, 2), 5)
    np.testing.assert_array_equal(twice, np.tile(folds, 2))


@pytest.mark.parametrize("n_both", [0, 1, 20, 60])
def test_equal_rows_of_several_classes_stay_together_whatever_the_classes_are_called(n_both):
    X, y = rows()
    both, labels = sparse.vstack([X, X[:n_both]], format="csr"), np.concatenate([y, (y[:n_both] + 1) % 3])
    folds = dealt_folds(both, labels, 5)
    np.testing.assert_array_equal(folds[60:], folds[:n_both])
    np.testing.assert_array_equal(dealt_folds(both, (labels + 1) % 3, 5), folds)
    assert np.bincount(folds[:60], minlength=5).min() >= (60 - n_both) // 5 - 3 + n_both // 5


def test_two_corpora_are_dealt_differently():
    (X, y), (other, _) = rows(), rows(seed=1)
    assert (dealt_folds(X, y, 5) != dealt_folds(other, y, 5)).any()


def test_fewer_rows_than_folds_are_so_many_folds_and_none_is_empty():
    X, y = rows(3, 1)
    assert sorted(dealt_folds(X, y, 5)) == [0, 1, 2]
    assert dealt_folds(sparse.csr_array((2, 4)), np.zeros(2, int), 5).tolist() == [0, 0]


def test_folds_that_are_given_are_numbered_without_gaps():
    assert as_folds([7, 3, 7], 3).tolist() == [1, 0, 1]
    for wrong in ([0, 1], [[0], [1], [2]], [0.5, 1, 2], ["a", "b", "c"]):
        with pytest.raises(InputError, match="folds must be 3 whole numbers, one per row"):
            as_folds(wrong, 3)
