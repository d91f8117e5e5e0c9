import itertools

import numpy as np
import pytest
from sklearn import naive_bayes

from textnb.estimators import ComplementNB, MultinomialNB

RANDOM = np.random.default_rng(12)
X = RANDOM.poisson(0.9, (70, 8))
Y = RANDOM.choice([0, 1, 2], 70, p=[0.5, 0.3, 0.2])


def by_the_paper(X, y, asked, *, tf, idf, length_norm, complement, weight_norm, alpha):
    """The steps of table 4 of Rennie et al. (2003), one after the other, without a prior: the label of each row."""
    d = X.astype(float)
    if tf:
        d = np.log(d + 1)
    if idf:
        d = d * np.log(len(X) / (X > 0).sum(axis=0))
    if length_norm:
        d = d / np.sqrt((d**2).sum(axis=1, keepdims=True))
    weights = []
    for k in np.unique(y):
        rows = d[y != k] if complement else d[y == k]
        theta = (rows.sum(axis=0) + alpha) / (rows.sum() + alpha * X.shape[1])
        w = np.log(theta)
        weights.append(w / np.abs(w).sum() if weight_norm else w)
    scores = asked @ np.array(weights).T
    return scores.argmin(axis=1) if complement else scores.argmax(axis=1), scores


@pytest.mark.parametrize("switches", list(itertools.product([False, True], repeat=5)), ids=str)
def test_every_combination_of_steps_is_that_of_the_paper(switches):
    names = ("tf", "idf", "length_norm", "complement", "weight_norm")
    steps = dict(zip(names, switches, strict=True))
    asked = RANDOM.poisson(0.9, (40, 8))
    labels, scores = by_the_paper(X, Y, asked, **steps, alpha=0.7)
    fitted = ComplementNB(alpha=0.7, **steps, prior="uniform").fit(X, Y)
    assert fitted.predict(asked).tolist() == labels.tolist()
    ours = fitted.predict_joint_log_proba(asked) - np.log(1 / 3)
    scale = ours[0, 0] / scores[0, 0]
    np.testing.assert_allclose(ours, scale * scores, rtol=1e-8)
    if not steps["weight_norm"]:
        assert scale == pytest.approx(-1 if steps["complement"] else 1, rel=1e-9)


def test_equals_scikit_learn_without_a_prior():
    weight = RANDOM.random(70)
    theirs = naive_bayes.ComplementNB(alpha=0.4).fit(X, Y, sample_weight=weight)
    ours = ComplementNB(alpha=0.4, prior="uniform").fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-9)


def test_without_the_complement_it_is_multinomial():
    ours = ComplementNB(alpha=0.4, complement=False).fit(X, Y)
    np.testing.assert_allclose(ours.predict_log_proba(X), MultinomialNB(alpha=0.4).fit(X, Y).predict_log_proba(X))


def test_alphas_by_name():
    for name in ("evidence", "evidence-class", "evidence-unigram"):
        fitted = ComplementNB(alpha=name).fit(X, Y)
        np.testing.assert_allclose(fitted.alpha_, MultinomialNB(alpha=name).fit(X, Y).alpha_)
    with pytest.raises(ValueError, match="looks at single documents"):
        ComplementNB(alpha="leave-one-out").fit(X, Y)
    with pytest.raises(ValueError, match="above 0"):
        ComplementNB(alpha=0).fit(X, Y)


def test_a_term_never_seen_is_no_trouble():
    wider = np.hstack([X, np.zeros((70, 1), int)])
    asked = wider + np.eye(9, dtype=int)[8]
    for idf in (False, True):
        assert np.isfinite(ComplementNB(idf=idf).fit(wider, Y).predict_log_proba(asked)).all()
        for name in ("evidence", "evidence-class"):  # it has no part in any class
            fitted = ComplementNB(alpha=name, idf=idf).fit(wider, Y)
            np.testing.assert_array_equal(fitted.predict_log_proba(asked), fitted.predict_log_proba(wider))
