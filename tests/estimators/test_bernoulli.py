import numpy as np
import pytest
from sklearn import naive_bayes

from textnb.estimators import BernoulliNB
from textnb.models import bernoulli

RANDOM = np.random.default_rng(11)
X = RANDOM.poisson(0.7, (80, 9))
Y = RANDOM.choice(["x", "y", "z"], 80, p=[0.5, 0.3, 0.2])


@pytest.mark.parametrize("prior", ["empirical", "uniform", [0.2, 0.3, 0.5]], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_scikit_learn(prior, weighted):
    weight = RANDOM.random(80) if weighted else None
    given = {"class_prior": prior} if isinstance(prior, list) else {"fit_prior": prior == "empirical"}
    theirs = naive_bayes.BernoulliNB(alpha=0.4, **given).fit(X, Y, sample_weight=weight)
    ours = BernoulliNB(alpha=0.4, prior=prior).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-9)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), atol=1e-9)


def test_the_evidence_sets_alpha():
    fitted = BernoulliNB(alpha="evidence").fit(X, Y)
    assert fitted.alpha_ == bernoulli.evidence(fitted.statistics_).alpha == fitted.smoothing_.alpha


def test_other_names_are_refused():
    with pytest.raises(ValueError, match="does not accept alpha='evidence-class'; use a number"):
        BernoulliNB(alpha="evidence-class").fit(X, Y)
