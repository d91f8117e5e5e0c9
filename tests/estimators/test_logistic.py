import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from textnb.errors import InputError
from textnb.estimators import BayesianLogistic, LogisticRegression, NBLogistic


def points(n_classes=3):
    rng = np.random.default_rng(0)
    y = np.arange(90) % n_classes
    return rng.normal(y[:, np.newaxis], 1.5, (90, 4)) * [1, -1, 0.5, 1], y


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_answers_are_those_of_scikit_learn(n_classes, form):
    X, y = points(n_classes)
    weight = np.random.default_rng(1).random(90)
    mine = LogisticRegression(0.5).fit(form(X), y, weight)
    theirs = linear_model.LogisticRegression(C=4.0 if n_classes == 2 else 2.0, tol=1e-9).fit(X, y, weight)
    np.testing.assert_allclose(mine.predict_proba(form(X)), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(mine.predict(form(X)), theirs.predict(X))
    if n_classes == 2:
        np.testing.assert_allclose(mine.decision_function(X), theirs.decision_function(X), atol=1e-5)
        np.testing.assert_allclose(mine.coef_[1] - mine.coef_[0], theirs.coef_[0], atol=1e-5)
    else:
        np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-5)


def test_class_weights_are_those_of_scikit_learn():
    X, y = points()
    kept = np.flatnonzero((y != 1) | (np.arange(90) < 20))
    for given in ("balanced", {0: 3, 1: 0.5, 2: 1}):
        mine = LogisticRegression(class_weight=given).fit(X[kept], y[kept])
        theirs = linear_model.LogisticRegression(class_weight=given, tol=1e-9).fit(X[kept], y[kept])
        np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_weights_and_bias_make_the_scores_and_sum_to_zero():
    X, y = points()
    fitted = LogisticRegression().fit(X, y)
    assert (fitted.coef_.shape, fitted.intercept_.shape) == ((3, 4), (3,))
    np.testing.assert_allclose(fitted.decision_function(X), X @ fitted.coef_.T + fitted.intercept_)
    np.testing.assert_allclose(fitted.coef_.sum(axis=0), 0, atol=1e-12)
    assert fitted.converged_
    assert fitted.n_iter_ >= 1
    p = fitted.predict_proba(X)[np.arange(90), y]
    assert fitted.loss_ == pytest.approx((fitted.coef_**2).sum() / 2 - np.log(p).sum())


@pytest.mark.parametrize("model", [LogisticRegression, BayesianLogistic, NBLogistic])
def test_before_fit_there_are_no_weights_and_no_parts_are_learnt_nor_rows_kept(model):
    for name in ("coef_", "intercept_", *(["scale_"] if model is NBLogistic else [])):
        with pytest.raises(NotFittedError, match="has not been fitted; call fit first"):
            getattr(model(), name)
        assert not hasattr(model(), name)
    assert not hasattr(model(), "partial_fit")
    assert not hasattr(model().fit(abs(points()[0]), points()[1]), "statistics_")


def test_a_fit_that_does_not_end_warns_at_the_callers_line_as_scikit_learn_does():
    X, y = points()
    with pytest.warns(ConvergenceWarning, match="not converged after 1 steps: the norm of the gradient is") as caught:
        fitted = LogisticRegression(max_iter=1).fit(X, y)
    assert caught[0].filename == __file__
    assert not fitted.converged_
    with pytest.warns(ConvergenceWarning, match="no finite optimum: the rows can be separated and l2 is 0; use l2 > 0"):
        LogisticRegression(0).fit([[0.0], [1.0]], [0, 1])


def test_one_class_and_a_class_without_weight_are_answered():
    X, y = points()
    alone = LogisticRegression().fit(X, y * 0 + 7)
    assert alone.predict_proba(X).tolist() == [[1.0]] * 90
    assert alone.decision_function(X).shape == (90, 1)
    fitted = LogisticRegression().fit(X, y, y != 1)
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert (fitted.predict_proba(X)[:, 1] == 0).all()


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"l2": -1}, "l2 must be"),
        ({"solver": "sag"}, "unknown solver 'sag'; use 'newton', 'lbfgs' or 'gradient'"),
        ({"tol": None}, "tol must be"),
        ({"max_iter": "many"}, "max_iter must be"),
        ({"class_weight": {"cat": 2}}, "class_weight names cat; the classes are 0, 1, 2"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_by_fit(params, why):
    with pytest.raises(InputError, match=why):
        LogisticRegression(**params).fit(*points())


def test_what_is_no_finite_number_is_refused():
    with pytest.raises(InputError, match="row 1, column 0 holds NaN"):
        LogisticRegression().fit([[1.0], [np.nan]], [0, 1])
