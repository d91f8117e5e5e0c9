import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from textnb.errors import InputError
from textnb.estimators import BayesianLogistic, LogisticRegression
from textnb.models.logistic.evidence import evidence


def points(n_classes=3, n_rows=90):
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % n_classes
    return rng.normal(y[:, np.newaxis], 1.5, (n_rows, 4)) * [1, -1, 0.5, 1], y


def test_after_fit_it_tells_the_evidence_and_the_weights():
    X, y = points()
    fitted = BayesianLogistic().fit(X, y)
    expected = evidence(X, y, l2=fitted.l2_)
    assert fitted.log_evidence_ == pytest.approx(expected.log_evidence)
    assert fitted.bic_ == pytest.approx(expected.bic)
    peak = LogisticRegression(fitted.l2_).fit(X, y)
    np.testing.assert_array_equal(fitted.coef_, peak.coef_)
    np.testing.assert_array_equal(fitted.intercept_, peak.intercept_)
    np.testing.assert_array_equal(fitted.predict(X), peak.predict(X))
    assert fitted.converged_
    assert fitted.n_iter_ == peak.n_iter_
    assert BayesianLogistic(3).fit(X, y).l2_ == 3


def test_a_row_unlike_all_others_gets_a_modest_answer():
    X, y = points(2)
    fitted, peak = BayesianLogistic(1.0).fit(X, y), LogisticRegression(1.0).fit(X, y)
    far = 100 * X[:1]
    assert peak.predict_proba(far).max() > 0.99999
    assert fitted.predict_proba(far).max() < 0.999
    np.testing.assert_allclose(1 / (1 + np.exp(-fitted.decision_function(X))), fitted.predict_proba(X)[:, 1])


def test_a_fit_that_does_not_end_warns_at_the_callers_line():
    with pytest.warns(ConvergenceWarning, match="not converged after 1 steps") as caught:
        assert not BayesianLogistic(0.1, max_iter=1).fit(*points()).converged_
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("params", "why"),
    [({"l2": 0}, "l2 must be a number above 0"), ({"tol": 0}, "tol must be"), ({"max_iter": 0}, "max_iter must be")],
    ids=str,
)
def test_wrong_parameters_are_refused_at_fit(params, why):
    with pytest.raises(InputError, match=why):
        BayesianLogistic(**params).fit(*points())
