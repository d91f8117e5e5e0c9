import warnings

import numpy as np
import pytest
from fitted_rows import fit_nb_logistic as fit
from scipy import sparse
from sklearn import linear_model

from textnb.errors import ConvergenceWarning, InputError
from textnb.models.logistic import nb_logistic
from textnb.models.logistic.evidence import best_l2
from textnb.models.logistic.nb_logistic import L2_WITHOUT_FOLDS, NBLogisticSettings, solution
from textnb.models.logistic.solvers import minimum
from textnb.models.logistic.squared_hinge import SquaredHingeLoss

EXACT = {"tol": 1e-9}


def texts(n_rows=60, n_terms=25, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    rates = 0.3 + 0.8 * (np.arange(n_terms) % n_classes == y[:, np.newaxis])
    return sparse.csr_array(rng.poisson(0.6 * rates)), y


def found(X, y, folds=None, weight=None, costs=None, n_classes=None, **settings):
    weight = np.ones(len(y)) if weight is None else weight
    costs = weight if costs is None else costs
    return solution(X, y, weight, costs, n_classes or int(y.max()) + 1, NBLogisticSettings(**settings), folds)


def scaled_by_hand(X, y, a=1.0):
    """z of the rows, with the ratios of the terms a class and a term at a time."""
    b = (X.toarray() > 0).astype(float)
    n = np.array([b[y == k].sum(axis=0) for k in np.unique(y)])
    rest = n.sum(axis=0) - n
    n, rest = n + a, rest + a
    r = np.log(n / n.sum(axis=1, keepdims=True)) - np.log(rest / rest.sum(axis=1, keepdims=True))
    z = b * np.abs(r).max(axis=0)
    return z / np.linalg.norm(z, axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l2", [0.1, 3.0])
def test_the_optimum_is_scikit_learns_on_the_scaled_rows(n_classes, l2):
    X, y = texts(n_classes=n_classes)
    mine = found(X, y, l2=l2, min_df=1, **EXACT)
    Z = scaled_by_hand(X, y)
    np.testing.assert_allclose(mine.scorer.scaled(X).toarray(), Z, atol=1e-12)
    C = (2 if n_classes == 2 else 1) / l2  # of two classes it penalises one vector where the softmax has two
    theirs = linear_model.LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(Z, y)
    np.testing.assert_allclose(np.exp(mine.scorer.log_posterior(X)), theirs.predict_proba(Z), atol=1e-6)
    assert mine.converged
    scores = mine.scorer.joint_log_scores(X)
    log_p = scores[np.arange(60), y] - np.log(np.exp(scores).sum(axis=1))
    assert mine.value == pytest.approx(l2 / 2 * (mine.scorer.weights**2).sum() - log_p.sum())


def test_the_squared_hinge_is_minimised_over_the_scaled_rows():
    X, y = texts()
    mine = found(X, y, loss="squared-hinge", l2=0.5, min_df=1, **EXACT).scorer
    loss = SquaredHingeLoss.of(scaled_by_hand(X, y), y, np.ones(60), 0.5)
    plain = loss.scorer(minimum(loss, 1e-9, 200).point.theta)
    np.testing.assert_allclose(mine.weights, plain.weights, atol=1e-5)
    np.testing.assert_allclose(mine.bias, plain.bias, atol=1e-5)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
def test_many_terms_are_solved_step_by_step_to_the_tolerance(loss):
    X, y = texts(n_terms=600)
    exact = found(X, y, loss=loss, l2=0.1, **EXACT).scorer.weights
    for tol in (1e-1, 1e-3):
        near = found(X, y, loss=loss, l2=0.1, tol=tol).scorer.weights
        assert np.linalg.norm(near - exact) <= 1.1 * tol * np.linalg.norm(exact)


def test_the_fit_after_the_search_is_that_at_the_strength_it_found():
    X, y = texts(n_terms=400)
    searched = found(X, y, **EXACT)
    assert searched.l2 == searched.path.strengths[searched.path.best]
    given = found(X, y, l2=searched.l2, **EXACT)
    np.testing.assert_allclose(searched.scorer.weights, given.scorer.weights, atol=1e-6)
    assert given.path is None
    assert searched.path.scores.shape == (60, 3)


def test_folds_that_are_given_are_used_and_scores_held_out_are_told_for_a_given_strength_too():
    X, y = texts()
    folds = np.arange(60) // 20 * 10
    fixed = found(X, y, folds, l2=0.5)
    assert fixed.path.strengths == (0.5,)
    alone = found(X[folds != 10], y[folds != 10], l2=0.5, **EXACT)
    near = fixed.path.scores[folds == 10]
    answers = alone.scorer.joint_log_scores(X[folds == 10])
    np.testing.assert_array_equal(near.argmax(axis=1), answers.argmax(axis=1))
    assert np.linalg.norm(near - answers) < 0.3 * np.linalg.norm(answers)
    with pytest.raises(InputError, match="folds must be 60 whole numbers, one per row"):
        found(X, y, folds[:-1])


def test_evidence_takes_the_strength_under_which_the_labels_are_likeliest():
    X, y = texts()
    mine = found(X, y, l2="evidence")
    Z = mine.scorer.scaled(X)[:, mine.scorer.scale > 0]
    assert mine.l2 == best_l2(sparse.csr_array(Z), y, np.ones(60), 3).l2
    with pytest.raises(InputError, match="the squared hinge has no evidence"):
        NBLogisticSettings("evidence", "squared-hinge")


@pytest.mark.parametrize("min_df", [1, 3, 12])
def test_rare_terms_have_no_scale_and_no_weight(min_df):
    X, y = texts()
    mine = found(X, y, l2=1.0, min_df=min_df)
    rare = (X.toarray() > 0).sum(axis=0) < min_df
    assert not mine.scorer.scale[rare].any()
    assert not mine.scorer.weights[:, rare].any()
    assert mine.scorer.scale[~rare].all()


def test_terms_of_one_document_are_kept_only_where_too_little_else_is_left():
    long = sparse.csr_array(np.hstack([np.ones((12, 10), int), np.eye(12, dtype=int)]))
    short = long[:, 1:]
    y = np.arange(12) % 2
    assert found(long, y, l2=1.0).min_df == 2
    assert found(short, y, l2=1.0).min_df == 1
    assert found(short, y, l2=1.0, weight=np.full(12, 2.0)).min_df == 2  # each stands there twice


def test_pruning_keeps_the_terms_with_the_largest_weights_and_fits_again():
    X, y = texts()
    whole = found(X, y, l2=0.3, min_df=1, **EXACT).scorer
    pruned = found(X, y, l2=0.3, min_df=1, prune=0.2, **EXACT).scorer
    largest = np.argsort(-np.abs(whole.weights).max(axis=0))[:5]
    kept = np.flatnonzero(pruned.scale)
    assert sorted(largest) == kept.tolist()
    np.testing.assert_array_equal(pruned.scale[kept], whole.scale[kept])
    np.testing.assert_allclose(np.linalg.norm(pruned.scaled(X).toarray(), axis=1)[X[:, kept].sum(axis=1) > 0], 1)
    Z = pruned.scaled(X).toarray()[:, kept]
    theirs = linear_model.LogisticRegression(C=1 / 0.3, tol=1e-10, max_iter=10_000).fit(Z, y)
    np.testing.assert_allclose(pruned.weights[:, kept], theirs.coef_, atol=1e-4)


def test_keeping_all_terms_is_not_pruning():
    X, y = texts()
    a, b = (found(X, y, l2=0.3, prune=prune, **EXACT).scorer for prune in (None, 1.0))
    np.testing.assert_allclose(a.weights, b.weights, atol=1e-8)


def test_sample_weights_count_in_ratios_and_class_weights_in_the_loss_alone():
    X, y = texts()
    names = np.array(["a", "b", "c"])[y]
    twice = np.where(y == 1, 2.0, 1.0)
    settings = NBLogisticSettings(1.0, min_df=1, tol=1e-9)
    plain = fit(X, names, settings=settings)
    by_class = fit(X, names, class_weight={"b": 2}, settings=settings)
    by_row = fit(X, names, sample_weight=twice, settings=settings)
    repeated = fit(sparse.vstack([X, X[y == 1]]), np.append(names, names[y == 1]), settings=settings)
    np.testing.assert_array_equal(by_class.scale, plain.scale)
    assert (by_class.weights != plain.weights).any()
    np.testing.assert_allclose(by_row.scale, repeated.scale)
    np.testing.assert_allclose(by_row.weights, repeated.weights, atol=1e-8)
    assert (by_row.scale != plain.scale).any()


def test_one_class_has_weights_of_zero():
    X, y = texts()
    for settings in ({}, {"l2": 1.0}, {"loss": "squared-hinge"}, {"l2": "evidence"}):
        mine = found(X, y * 0, **settings)
        assert not mine.scorer.weights.any()
        assert mine.path is None
        assert mine.converged


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
def test_classes_that_are_alike_tie_to_the_last_digit(loss):
    X, y = texts(n_classes=2)
    twins = found(sparse.vstack([X, X[y == 1]], format="csr"), np.append(y, [2] * 30), loss=loss)
    scores = twins.scorer.joint_log_scores(X)
    np.testing.assert_array_equal(scores[:, 1], scores[:, 2])
    assert (scores[:, 0] != scores[:, 1]).any()


def test_a_class_without_rows_is_impossible():
    X, y = texts(n_classes=2)
    scores = found(X, y, n_classes=3, l2=1.0).scorer.joint_log_scores(X)
    assert np.isneginf(scores[:, 2]).all()
    assert np.isfinite(scores[:, :2]).all()
    assert np.isneginf(found(X, y, n_classes=3).path.scores[:, 2]).all()


def test_empty_rows_are_learnt_from_and_get_the_bias():
    X, y = texts()
    X = sparse.vstack([X, sparse.csr_array((6, 25), dtype=int)], format="csr")
    mine = found(X, np.append(y, [2] * 6)).scorer
    scores = mine.joint_log_scores(X)[-6:]
    np.testing.assert_array_equal(scores, np.tile(mine.bias, (6, 1)))
    assert (scores.argmax(axis=1) == 2).all()


def test_rows_that_say_nothing_leave_the_shares_of_the_classes():
    X, y = sparse.csr_array(np.ones((9, 4), int)), np.array([0] * 6 + [1] * 3)
    for prune in (None, 0.5):
        mine = found(X, y, prune=prune)
        assert not mine.scorer.scale.any()
        np.testing.assert_allclose(np.exp(mine.scorer.log_posterior(X))[0], [2 / 3, 1 / 3], atol=1e-6)
    none = found(sparse.csr_array((9, 4), dtype=int), y)
    np.testing.assert_allclose(np.exp(none.scorer.log_posterior(X))[0], [2 / 3, 1 / 3], atol=1e-6)


def test_fewer_rows_than_folds_are_searched_or_get_a_strength_all_the_same():
    X = sparse.csr_array([[1, 0], [0, 1], [1, 1]])
    assert found(X, np.array([0, 1, 1])).l2 > 0
    alone = found(X[:2], np.array([0, 1]))
    assert (alone.l2, alone.path) == (L2_WITHOUT_FOLDS, None)
    with pytest.raises(InputError, match="nothing to learn from"):
        fit(X, [0, 1, 1], sample_weight=[0, 0, 0])


def test_a_fit_that_does_not_end_says_so():
    X, y = texts(n_terms=600)
    with pytest.warns(ConvergenceWarning, match="not converged after 1 steps: the norm of the gradient is"):
        fit(X, y, settings=NBLogisticSettings(0.01, max_iter=1, tol=1e-6))


def test_a_search_never_warns_of_its_loose_steps():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(*texts())


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"l2": 0}, "l2 must be a number above 0, 'cv' or 'evidence', not 0"),
        ({"l2": "guess"}, "l2 must be a number above 0, 'cv' or 'evidence', not 'guess'"),
        ({"loss": "hinge"}, "unknown loss 'hinge'; use 'logistic' or 'squared-hinge'"),
        ({"a": 0}, "a must be a number above 0, not 0"),
        ({"min_df": "some"}, "min_df must be a number above 0 or 'auto', not 'some'"),
        ({"prune": 1.5}, "prune must be a number above 0 and at most 1, not 1.5"),
        ({"tol": -1}, "tol must be a number above 0, not -1"),
        ({"max_iter": 0.5}, "max_iter must be a whole number of at least 1, not 0.5"),
    ],
    ids=str,
)
def test_wrong_settings_are_refused(given, why):
    with pytest.raises(InputError, match=why):
        nb_logistic.NBLogisticSettings(**given)
