import numpy as np
import pytest

from textnb.counts import as_counts
from textnb.counts.histograms import ClassHistograms
from textnb.estimators import DirichletCompoundNB
from textnb.models import compound

RANDOM = np.random.default_rng(13)
Y = np.arange(60) % 3
RATES = RANDOM.dirichlet(np.full(7, 0.5), 3)
X = np.array([RANDOM.multinomial(15, RANDOM.dirichlet(5 * RATES[k] + 0.02)) for k in Y])


def test_is_the_model_of_the_histograms():
    fitted = DirichletCompoundNB().fit(X, Y)
    scorer = compound.fit(ClassHistograms.of(X, Y))
    np.testing.assert_array_equal(fitted.alpha_, scorer.alpha)
    np.testing.assert_array_equal(fitted.predict_log_proba(X), scorer.log_posterior(as_counts(X)))
    assert [solution.outcome for solution in fitted.solutions_] == ["converged"] * 4


def test_counts_that_are_nearly_whole_give_nearly_the_same():
    whole = DirichletCompoundNB().fit(X, Y)
    nearly = DirichletCompoundNB().fit(X + 1e-9 * (X > 0), Y)
    np.testing.assert_allclose(nearly.alpha_, whole.alpha_, rtol=1e-5)
    np.testing.assert_allclose(nearly.predict_log_proba(X), whole.predict_log_proba(X), atol=1e-4)


def test_weights_need_not_be_whole():
    doubled = DirichletCompoundNB().fit(X, Y, sample_weight=np.full(60, 2.0))
    nearly = DirichletCompoundNB().fit(X, Y, sample_weight=np.full(60, 2.0 + 1e-9))
    np.testing.assert_allclose(nearly.alpha_, doubled.alpha_, rtol=1e-6)


def test_it_learns_to_tell_them_apart():
    assert DirichletCompoundNB().fit(X[:40], Y[:40]).score(X[40:], Y[40:]) > 0.6


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="Negative"):
        DirichletCompoundNB().fit(-X, Y)
