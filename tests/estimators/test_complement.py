import itertools

import numpy as np
import pytest
from sklearn import naive_bayes

from textnb import TextClassifier
from textnb.counts import count_matrix
from textnb.estimators import ComplementNB, MultinomialNB
from textnb.text import Analyzer

RANDOM = np.random.default_rng(12)
X = RANDOM.poisson(0.9, (70, 8))
Y = RANDOM.choice([0, 1, 2], 70, p=[0.5, 0.3, 0.2])


def by_the_paper(X, y, asked, *, tf, idf, length_norm, complement, weight_norm, alpha):
    """The steps of table 4 of Rennie et al. (2003), one after the other, without a prior: the label of each row.

    Other than in the paper, the rows asked about are transformed as the training rows are.
    """

    def transformed(d):
        if tf:
            d = np.rint(np.log(d + 1) * 2**20) / 2**20  # logarithms are stored to 20 bits
        if idf:
            d = d * np.log(len(X) / (X > 0).sum(axis=0))
        if length_norm:
            lengths = np.sqrt((d**2).sum(axis=1, keepdims=True))
            d = d / np.where(lengths > 0, lengths, 1)
        return d

    d, weights = transformed(X), []
    for k in np.unique(y):
        rows = d[y != k] if complement else d[y == k]
        theta = (rows.sum(axis=0) + alpha) / (rows.sum() + alpha * X.shape[1])
        w = np.log(theta)
        weights.append(w / np.abs(w).sum() if weight_norm else w)
    scores = transformed(asked) @ np.array(weights).T
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
    ours = ComplementNB(alpha=0.4).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-9)


def test_without_the_complement_it_is_multinomial():
    ours = ComplementNB(alpha=0.4, complement=False, prior="empirical").fit(X, Y)
    np.testing.assert_allclose(ours.predict_log_proba(X), MultinomialNB(alpha=0.4).fit(X, Y).predict_log_proba(X))


def test_alphas_by_name():
    for name in ("evidence", "evidence-class", "evidence-unigram"):
        fitted = ComplementNB(alpha=name).fit(X, Y)
        np.testing.assert_allclose(fitted.alpha_, MultinomialNB(alpha=name).fit(X, Y).alpha_)
    with pytest.raises(ValueError, match="does not accept alpha='leave-one-out'"):
        ComplementNB(alpha="leave-one-out").fit(X, Y)
    with pytest.raises(ValueError, match="above 0"):
        ComplementNB(alpha=0).fit([[1, 2], [1, 0]], [0, 1])


def test_a_term_never_seen_is_no_trouble():
    wider = np.hstack([X, np.zeros((70, 1), int)])
    asked = wider + np.eye(9, dtype=int)[8]
    for idf in (False, True):
        assert np.isfinite(ComplementNB(idf=idf).fit(wider, Y).predict_log_proba(asked)).all()
        for name in ("evidence", "evidence-class"):  # it has no part in any class
            fitted = ComplementNB(alpha=name, idf=idf).fit(wider, Y)
            np.testing.assert_array_equal(fitted.predict_log_proba(asked), fitted.predict_log_proba(wider))


@pytest.mark.parametrize("weight_norm", [False, True])
@pytest.mark.parametrize("alpha", [0.3, "evidence"])
@pytest.mark.parametrize("length_norm", [False, True])
@pytest.mark.parametrize(("tf", "idf", "weighting"), [(0, 0, "raw"), (1, 0, "log"), (1, 1, "tfidf")])
def test_the_estimator_and_the_text_classifier_agree(tf, idf, weighting, length_norm, alpha, weight_norm):
    terms = [[f"t{j}" for j in range(8) for _ in range(row[j])] for row in X]
    texts, labels = [" ".join(row) for row in terms], [f"class {k}" for k in Y]
    counts, vocabulary = count_matrix(terms)
    asked = [*texts[:20], "t1 t1 t1 t5", "t0 never-seen", ""]
    X_asked, _ = count_matrix([text.split() for text in asked], vocabulary)
    model = ComplementNB(alpha, tf=tf, idf=idf, length_norm=length_norm, weight_norm=weight_norm, prior="empirical")
    if length_norm and alpha == "evidence":
        with pytest.raises(ValueError, match="'evidence' needs counts, not rows divided by their length; use a number"):
            model.fit(counts, labels)
        return
    expected = model.fit(counts, labels).predict_joint_log_proba(X_asked)
    expected = expected - expected[:, :1]  # the posteriors of long texts round to 0 and 1

    common = {"tokenizer": "whitespace", "analyzer": Analyzer(min_df=1), "calibrate": False}
    by_name = {"alpha": alpha, "weighting": weighting + ("-l2" if length_norm else "")}
    classifiers = [TextClassifier(model, **common)]
    classifiers += [] if weight_norm else [TextClassifier("complement", **by_name, **common)]
    for classifier in classifiers:
        log_p = classifier.fit(texts, labels).predict_log_proba(asked)
        np.testing.assert_allclose(log_p - log_p[:, :1], expected, rtol=0, atol=1e-9)


def test_a_text_classifier_of_the_default_has_no_prior_either():
    texts, labels = ["a b", "a c", "a a", "b c"], ["x", "x", "x", "y"]
    common = {"tokenizer": "whitespace", "analyzer": Analyzer(min_df=1), "calibrate": False}
    default, uniform = (TextClassifier(ComplementNB(prior=prior), **common) for prior in (None, "uniform"))
    np.testing.assert_array_equal(
        default.fit(texts, labels).predict_proba(texts), uniform.fit(texts, labels).predict_proba(texts)
    )
