import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from textnb.errors import InputError
from textnb.estimators import NBLogistic


def texts(n_classes=3, n_terms=12):
    rng = np.random.default_rng(0)
    y = np.arange(60) % n_classes
    rates = 0.3 + 0.8 * (np.arange(n_terms) % n_classes == y[:, np.newaxis])
    return sparse.csr_array(rng.poisson(rates)), np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
def test_what_was_fitted_makes_the_scores(loss):
    X, y = texts()
    fitted = NBLogistic(loss=loss).fit(X, y)
    b = (X.toarray() > 0) * fitted.scale_
    Z = b / np.linalg.norm(b, axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.decision_function(X), Z @ fitted.coef_.T + fitted.intercept_, atol=1e-12)
    assert fitted.path_.strengths[fitted.path_.best] == fitted.l2_
    assert len(fitted.path_.losses) == len(fitted.path_.strengths)
    assert fitted.path_.scores.shape == (60, 3)
    assert fitted.converged_
    assert fitted.n_iter_ >= 0
    assert fitted.min_df_ == 1


def test_only_the_logistic_loss_has_probabilities():
    X, y = texts(2)
    for name in ("predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        assert hasattr(NBLogistic(), name)
        assert not hasattr(NBLogistic(loss="squared-hinge"), name)
    with pytest.raises(AttributeError, match=r"NBLogistic.*squared-hinge.* has no predict_proba"):
        NBLogistic(loss="squared-hinge").fit(X, y).predict_proba(X)
    fitted = NBLogistic().fit(X, y)
    odds = np.log(fitted.predict_proba(X)[:, 1] / fitted.predict_proba(X)[:, 0])
    np.testing.assert_allclose(fitted.decision_function(X), odds, atol=1e-9)


def test_a_given_strength_is_not_searched_for():
    fitted = NBLogistic(0.7).fit(*texts())
    assert (fitted.l2_, fitted.path_) == (0.7, None)
    assert NBLogistic("evidence").fit(*texts()).path_ is None


def test_a_fit_that_does_not_end_warns_at_the_callers_line_as_scikit_learn_does():
    X, y = texts(n_terms=600)
    with pytest.warns(ConvergenceWarning, match="not converged after 1 steps") as caught:
        fitted = NBLogistic(0.01, max_iter=1, tol=1e-6).fit(X, y)
    assert caught[0].filename == __file__
    assert not fitted.converged_


def test_class_weights_draw_answers_to_a_class():
    X, y = texts()
    drawn = NBLogistic(1.0, class_weight={"b": 50}).fit(X, y).predict(X)
    assert (drawn == "b").sum() > (NBLogistic(1.0).fit(X, y).predict(X) == "b").sum()
    with pytest.raises(InputError, match="class_weight names z; the classes are a, b, c"):
        NBLogistic(class_weight={"z": 2}).fit(X, y)


def test_what_is_negative_is_no_count():
    with pytest.raises(InputError, match="Negative values in data passed to NBLogistic"):
        NBLogistic().fit([[1, -1], [0, 2]], ["a", "b"])
