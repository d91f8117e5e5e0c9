import numpy as np
import pytest
from scipy import sparse
from sklearn import naive_bayes

from textnb.errors import InputError
from textnb.estimators import GaussianNB


def points(seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    y = np.arange(90) % 3
    return rng.normal(y[:, np.newaxis], 1 + y[:, np.newaxis], (90, 4)) + offset, y


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_probabilities_are_those_of_scikit_learn(offset):
    X, y = points(offset=offset)
    mine, theirs = GaussianNB().fit(X, y), naive_bayes.GaussianNB().fit(X, y)
    tolerance = 1e-9 if offset == 0 else 1e-6
    np.testing.assert_allclose(mine.predict_log_proba(X), theirs.predict_log_proba(X), atol=tolerance)
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))


def test_weighted_probabilities_are_those_of_scikit_learn_with_the_same_floor():
    X, y = points()
    weight = np.random.default_rng(1).random(90)
    mine, theirs = GaussianNB(floor=1e-12), naive_bayes.GaussianNB(var_smoothing=1e-12)
    np.testing.assert_allclose(
        mine.fit(X, y, weight).predict_log_proba(X), theirs.fit(X, y, weight).predict_log_proba(X), atol=1e-9
    )


def test_rows_by_parts_are_those_of_scikit_learn_as_a_whole():
    X, y = points(offset=1e6)
    parts = GaussianNB(floor=1e-9)
    for rows in np.array_split(np.argsort(y, kind="stable"), 7):
        parts.partial_fit(X[rows], y[rows], classes="any")
    whole = naive_bayes.GaussianNB().fit(X, y)
    np.testing.assert_allclose(parts.scorer_.means, whole.theta_, rtol=1e-15)
    np.testing.assert_allclose(parts.scorer_.variances, whole.var_, rtol=1e-9)


def test_one_variance_a_class_is_the_mean_over_its_features():
    X, y = points()
    fitted = GaussianNB(variance="class", floor=0).fit(X, y)
    expected = [((X[y == k] - X[y == k].mean(axis=0)) ** 2).mean() for k in range(3)]
    np.testing.assert_allclose(fitted.scorer_.variances, np.repeat(expected, 4).reshape(3, 4))


def test_sparse_and_dense_rows_get_one_answer():
    X, y = points()
    X[X < 1] = 0
    fitted = GaussianNB().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        fitted.predict_log_proba(sparse.csc_array(X)), GaussianNB().fit(X, y).predict_log_proba(X), atol=1e-10
    )


def test_negative_numbers_are_measurements_too_and_nan_is_none():
    assert GaussianNB().fit([[-1.0], [-3.0], [1.0], [4.0]], [0, 0, 1, 1]).predict([[-2]]) == 0
    with pytest.raises(InputError, match="row 1, column 0 holds NaN"):
        GaussianNB().fit([[1.0], [np.nan]], [0, 1])


@pytest.mark.parametrize(
    "params", [{"variance": "full"}, {"floor": -1}, {"var_smoothing": -1}, {"prior": "best"}], ids=str
)
def test_wrong_parameters_are_refused_by_fit(params):
    with pytest.raises(InputError, match=r"variance|floor|var_smoothing must be|prior"):
        GaussianNB(**params).fit(*points())
