import tracemalloc
import warnings

import numpy as np
import pytest
from fitted_rows import fit_logistic as fit
from scipy import sparse
from sklearn import linear_model

from textnb import Document, TextClassifier
from textnb.errors import ConvergenceWarning, InputError
from textnb.estimators import LogisticRegression
from textnb.models.logistic import logistic, path
from textnb.models.logistic import solvers as solvers_module
from textnb.models.logistic.logistic import LogisticSettings, solution
from textnb.models.logistic.loss import SoftmaxLoss
from textnb.models.logistic.solvers import SOLVERS

forms = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
classes = pytest.mark.parametrize("n_classes", [2, 3, 6])
solvers = pytest.mark.parametrize("solver", SOLVERS)
EXACT = {"tol": 1e-7, "max_iter": 20_000}


def points(n_classes=3, n_rows=150, n_features=6, seed=0):
    """Rows of which no class can be separated, columns of several scales and one of zeros."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    X = rng.normal(0, 1, (n_rows, n_features)) + 0.6 * rng.normal(0, 1, (n_classes, n_features))[y] + 0.5
    X *= (rng.random(X.shape) < 0.7) * np.linspace(0.5, 2, n_features)
    X[:, 2] = 0
    return X, y, rng.random(n_rows) + 0.2


def found(X, y, weight=None, n_classes=None, **settings):
    weight = np.ones(len(y)) if weight is None else weight
    return solution(X, y, weight, n_classes or int(y.max()) + 1, LogisticSettings(**settings))


def loss_of(X, y, weight, weights, bias, l2):
    scores = np.asarray(X @ weights.T + bias)
    log_p = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return l2 / 2 * (weights**2).sum() - weight @ log_p[np.arange(len(y)), y]


def scikit_learns(X, y, weight, l2):
    """Its weights (C, V) and bias (C,); of two classes it penalises w_1 - w_0, where the softmax has two vectors."""
    n_classes = y.max() + 1
    C = (2 if n_classes == 2 else 1) / l2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = linear_model.LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, y, sample_weight=weight)
    if n_classes == 2:
        return np.vstack([-model.coef_, model.coef_]) / 2, np.append(-model.intercept_, model.intercept_) / 2
    return model.coef_, model.intercept_ - model.intercept_.mean()


@classes
@forms
@solvers
@pytest.mark.parametrize("l2", [0.1, 5.0])
def test_it_is_the_optimum_of_scikit_learn(n_classes, form, solver, l2):
    X, y, weight = points(n_classes)
    mine = found(form(X), y, weight, l2=l2, solver=solver, **EXACT)
    weights, bias = scikit_learns(form(X), y, weight, l2)
    assert mine.converged
    assert mine.value == pytest.approx(loss_of(X, y, weight, mine.scorer.weights, mine.scorer.bias, l2), rel=1e-12)
    assert mine.value <= loss_of(X, y, weight, weights, bias, l2) * (1 + 1e-6)
    np.testing.assert_allclose(mine.scorer.weights, weights, atol=1e-4)
    np.testing.assert_allclose(mine.scorer.bias, bias, atol=1e-4)


@classes
def test_all_solvers_find_one_optimum(n_classes):
    X, y, weight = points(n_classes)
    newton, lbfgs, gradient = (found(X, y, weight, l2=0.5, solver=solver, **EXACT) for solver in SOLVERS)
    for other in (lbfgs, gradient):
        np.testing.assert_allclose(other.scorer.weights, newton.scorer.weights, atol=1e-5)
        np.testing.assert_allclose(other.scorer.bias, newton.scorer.bias, atol=1e-5)
        assert newton.value <= other.value * (1 + 1e-13)
    assert newton.iterations < lbfgs.iterations < gradient.iterations


@forms
@pytest.mark.parametrize("l2", [0.0, 0.5])
def test_truncated_newton_finds_what_exact_newton_finds(form, l2, monkeypatch):
    X, y, weight = points(4)
    exact = found(form(X), y, weight, l2=l2, **EXACT)
    monkeypatch.setattr(solvers_module, "is_small", lambda _: False)
    monkeypatch.setattr(logistic, "is_small", lambda _: False)
    truncated = found(form(X), y, weight, l2=l2, **EXACT)
    assert exact.converged
    assert truncated.converged
    np.testing.assert_allclose(truncated.scorer.weights, exact.scorer.weights, atol=1e-6)


def test_a_truncated_direction_ends_in_the_exact_one():
    X, y, weight = points(4)
    loss = SoftmaxLoss.of(X, y, weight, 0.3)
    point = loss.at(loss.start)
    exact, truncated = solvers_module.exact(point), solvers_module.truncated(point, 1e-12)
    np.testing.assert_allclose(truncated.direction, exact.direction, atol=1e-10)
    np.testing.assert_allclose(truncated.scores, exact.scores, atol=1e-10)
    assert truncated.slope == pytest.approx(exact.slope)
    assert exact.slope < 0


def test_more_columns_than_rows_are_the_optimum_of_scikit_learn_too():
    rng = np.random.default_rng(0)
    X = sparse.random_array((60, 900), density=0.05, rng=rng, format="csr")
    y, weight = np.arange(60) % 3, np.ones(60)
    mine = found(X, y, l2=1.0, tol=1e-9)
    weights, bias = scikit_learns(X, y, weight, 1.0)
    np.testing.assert_allclose(mine.scorer.weights, weights, atol=1e-5)
    assert mine.value <= loss_of(X, y, weight, weights, bias, 1.0) * (1 + 1e-9)


@solvers
def test_without_a_penalty_expected_and_empirical_sums_of_features_agree(solver):
    X, y, weight = points()
    mine = found(X, y, weight, l2=0.0, solver=solver, **EXACT)
    p = np.exp(mine.scorer.log_posterior(X))
    empirical = np.array([weight[y == k] @ X[y == k] for k in range(3)])
    np.testing.assert_allclose((weight[:, np.newaxis] * p).T @ X, empirical, atol=1e-5)
    np.testing.assert_allclose(weight @ p, np.bincount(y, weight), atol=1e-5)
    assert mine.converged


def test_the_bias_is_not_penalised():
    X, y, _ = points()
    weight = np.array([1.0, 5.0, 20.0])[y]
    strong = found(X, y, weight, l2=1e9)
    np.testing.assert_allclose(strong.scorer.weights, 0, atol=1e-5)
    np.testing.assert_allclose(np.exp(strong.scorer.log_posterior(X))[0], np.array([1, 5, 20]) / 26, atol=1e-4)
    shifted = found(X + 3, y, l2=2.0)
    np.testing.assert_allclose(shifted.scorer.weights, found(X, y, l2=2.0).scorer.weights, atol=1e-9)


@forms
def test_class_weights_are_sample_weights(form):
    X, y, weight = points()
    names = np.array(["a", "b", "c"])[y]
    by_class = fit(form(X), names, class_weight={"a": 3, "c": 0.5})
    by_row = fit(form(X), names, sample_weight=np.array([3, 1, 0.5])[y])
    np.testing.assert_allclose(by_class.weights, by_row.weights, atol=1e-12)
    kept = weight + (y == 2)
    balanced = fit(form(X), names, sample_weight=kept, class_weight="balanced")
    sums = np.bincount(y, kept)
    by_row = fit(form(X), names, sample_weight=kept * (sums.sum() / 3 / sums)[y])
    np.testing.assert_allclose(balanced.weights, by_row.weights, atol=1e-12)


def test_repeated_rows_are_weights():
    X, y, _ = points()
    times = np.random.default_rng(1).integers(0, 3, len(y))
    once = fit(X, y, sample_weight=times)
    np.testing.assert_allclose(once.weights, fit(np.repeat(X, times, axis=0), np.repeat(y, times)).weights, atol=1e-11)


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_features_far_from_zero_are_fitted_as_well(offset):
    X, y, weight = points()
    near, far = found(X, y, weight), found(X + offset, y, weight)
    assert far.converged
    np.testing.assert_allclose(far.scorer.weights, near.scorer.weights, atol=1e-6)


def test_a_constant_column_weighs_nothing():
    X, y, _ = points()
    X[:, 1], X[:, 2] = 1.0, 1e5
    for form in (np.asarray, sparse.csr_array):
        for l2 in (0.0, 1.0):
            mine = found(form(X), y, l2=l2)
            assert mine.converged
            np.testing.assert_allclose(mine.scorer.by_term[1:3], 0, atol=1e-9)
    alike = found(np.full((6, 2), 0.1), np.arange(6) % 3)
    assert alike.converged
    np.testing.assert_allclose(np.exp(alike.scorer.log_posterior(np.full((1, 2), 0.1))), 1 / 3)


@solvers
def test_one_class_is_certain(solver):
    mine = found(np.array([[1.0, -2.0], [0.0, 1.0]]), np.zeros(2, np.intp), solver=solver, l2=0.0)
    assert mine.converged
    assert mine.scorer.weights.tolist() == [[0, 0]]
    assert mine.scorer.log_posterior(np.ones((3, 2))).tolist() == [[0]] * 3


def test_a_class_without_weight_has_the_probability_zero():
    X, y, weight = points()
    weight[y == 1] = 0
    mine, without = found(X, y, weight), found(X[y != 1], y[y != 1] // 2, weight[y != 1])
    p = np.exp(mine.scorer.log_posterior(X))
    assert (p[:, 1] == 0).all()
    np.testing.assert_allclose(p[:, [0, 2]], np.exp(without.scorer.log_posterior(X)), atol=1e-12)


@solvers
@pytest.mark.parametrize("truncated", [False, True])
@pytest.mark.parametrize("quasi", [False, True], ids=["separable", "separable but for ties"])
def test_rows_that_can_be_separated_have_no_optimum_without_a_penalty_and_that_is_said(
    solver, truncated, quasi, monkeypatch
):
    if truncated:
        monkeypatch.setattr(solvers_module, "is_small", lambda _: False)
        monkeypatch.setattr(logistic, "is_small", lambda _: False)
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = np.array([0, 0, 1, 1])
    if quasi:
        X, y = np.append(X, [[0.0], [0.0]], axis=0), np.append(y, [0, 1])
    mine = found(X, y, l2=0.0, solver=solver)
    assert not mine.converged
    assert "there is no finite optimum: the rows can be separated and l2 is 0; use l2 > 0" in mine.trouble
    assert mine.scorer.joint_log_scores(X[:4]).argmax(axis=1).tolist() == [0, 0, 1, 1]
    assert found(X, y, l2=1e-3, solver=solver).converged


def test_a_fit_that_did_not_converge_warns_with_the_norm_of_its_gradient():
    X, y, _ = points()
    words = r"not converged after 2 steps: the norm of the gradient is \d"
    with pytest.warns(ConvergenceWarning, match=words) as caught:
        fit(X, y, settings=LogisticSettings(solver="gradient", max_iter=2))
    assert caught[0].filename == __file__
    for solver in SOLVERS:
        mine = found(X, y, solver=solver, max_iter=1, l2=0.01)
        assert not mine.converged
        assert mine.iterations == 1
        assert mine.gradient_norm > 0


def test_columns_of_very_different_scale_converge_or_say_so():
    X, y, weight = points()
    scale = 10.0 ** np.arange(-6, 6, 2)
    for solver in SOLVERS:
        mine = found(X * scale, y, weight, solver=solver, l2=1e-3)
        assert mine.converged == (mine.gradient_norm <= 1e-5 * found(X * scale, y, weight, tol=10).gradient_norm)
    assert found(X * scale, y, weight, l2=1e-3).converged


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"l2": -1}, "l2 must be a number of at least 0, not -1"),
        ({"l2": np.nan}, "l2 must be"),
        ({"l2": "1"}, "l2 must be"),
        ({"l2": True}, "l2 must be"),
        ({"solver": "sgd"}, "unknown solver 'sgd'; use 'newton', 'lbfgs' or 'gradient'"),
        ({"tol": 0}, "tol must be a number above 0, not 0"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1, not 0"),
        ({"max_iter": 1.5}, "max_iter must be a whole"),
    ],
    ids=str,
)
def test_wrong_settings_are_refused(wrong, why):
    with pytest.raises(InputError, match=why):
        LogisticSettings(**wrong)


@pytest.mark.parametrize(
    ("arguments", "options", "why"),
    [
        (([[1.0], [np.nan]], [0, 1]), {}, "row 1, column 0 holds NaN"),
        ((sparse.csr_array([[0.0, np.inf]]), [0]), {}, "row 0, column 1 holds an infinite number"),
        ((np.zeros((0, 2)), []), {}, "nothing to learn from: no rows"),
        (([[1.0], [2.0]], [0, 1]), {"sample_weight": [0, 0]}, "every sample_weight is zero"),
        (([[1.0], [2.0]], [0, 1]), {"sample_weight": [1, -1]}, "not negative"),
        (([[1.0], [2.0]], [0]), {}, "X has 2 rows, y has 1 labels"),
        (([[1e300], [-1e300]], [0, 1]), {}, "too large for their squares: scale its columns"),
        (([[1.0], [2.0]], [0, 1]), {"class_weight": "fair"}, "unknown class_weight 'fair'; use 'balanced'"),
        (([[1.0], [2.0]], [0, 1]), {"class_weight": {2: 1}}, "class_weight names 2; the classes are 0, 1"),
        (([[1.0], [2.0]], [0, 1]), {"class_weight": {0: 0}}, "the class_weight of 0 must be a number above 0, not 0"),
        (([[1.0], [2.0]], [0, 1]), {"class_weight": [1, 2]}, "must be 'balanced' or numbers by class"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_learnt_from_is_refused(arguments, options, why):
    with pytest.raises(InputError, match=why):
        fit(*arguments, **options)


def test_no_columns_leave_the_shares_of_the_classes():
    scorer = fit(np.zeros((4, 0)), ["a", "b", "b", "b"])
    np.testing.assert_allclose(np.exp(scorer.log_posterior(np.zeros((1, 0)))), [[0.25, 0.75]])


@solvers
def test_a_sparse_matrix_never_becomes_a_dense_one(solver):
    n_rows, n_terms = 1_000, 200_000  # 1.6 GB as a dense matrix
    X = sparse.random_array((n_rows, n_terms), density=1e-4, rng=np.random.default_rng(0), format="csr")
    y = np.arange(n_rows) % 2
    tracemalloc.start()
    mine = found(X, y, solver=solver)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert mine.converged
    assert peak < 100e6


def made_texts(n_rows=60, n_terms=25, n_classes=3, seed=0):
    """Rows of length 1 of which most tell their class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    rates = 0.2 + 0.8 * (np.arange(n_terms) % n_classes == y[:, np.newaxis])
    X = rng.poisson(0.6 * rates).astype(float)
    X[:, 0] += 1
    return sparse.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True)), y


def weighted_rows(X, y, n_classes=None, weight=None, *, normalised=True):
    weight = np.ones(len(y)) if weight is None else weight
    return logistic.WeightedRows(sparse.csr_array(X), y, weight, n_classes or int(y.max()) + 1, normalised)


def left_out_by_scikit_learn(X, y, folds, l2):
    """Scores of rows without terms that the other folds lack, made of length 1, by a fit to the other folds."""
    scores = np.zeros((len(y), y.max() + 1))
    for f in np.unique(folds):
        known = X[folds != f].sum(axis=0) > 0
        held = np.where(known, X[folds == f], 0.0)
        held /= np.linalg.norm(held, axis=1, keepdims=True)
        fitted = linear_model.LogisticRegression(C=1 / l2, tol=1e-10, max_iter=10_000).fit(X[folds != f], y[folds != f])
        scores[folds == f] = fitted.decision_function(held)
    return scores


def test_the_strength_is_the_one_that_left_out_rows_favour_and_their_scores_are_kept(monkeypatch):
    monkeypatch.setattr(path, "_PATH_TOL", 1e-8)
    monkeypatch.setattr(logistic, "SEARCH", path.Search((10.0, 1.0, 0.1, 0.01), min_gain=-np.inf))
    X, y = made_texts()
    X = sparse.csr_array(sparse.hstack([X, sparse.eye_array(60) / 2]))  # each row has a term of its own
    X = sparse.csr_array(X / np.sqrt(X.power(2).sum(axis=1))[:, np.newaxis])
    folds = np.arange(60) // 3 % 4
    found, l2, searched = logistic.searched(weighted_rows(X, y), folds)
    for tried, loss in zip(searched.strengths, searched.losses, strict=True):
        scores = left_out_by_scikit_learn(X.toarray(), y, folds, tried)
        assert loss == pytest.approx(path.best_log_loss(scores, y, np.ones(60)), rel=1e-4)
    assert l2 == searched.strengths[int(np.argmin(searched.losses))]
    best = left_out_by_scikit_learn(X.toarray(), y, folds, l2)
    centred = searched.scores - searched.scores.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(centred, best - best.mean(axis=1, keepdims=True), atol=1e-3)
    exact = logistic.solution(X, y, np.ones(60), 3, logistic.LogisticSettings(l2, tol=1e-10))
    np.testing.assert_allclose(found.scorer.weights, exact.scorer.weights, atol=1e-4)


def test_rows_that_are_not_divided_by_their_length_are_left_as_they_are():
    X, y = made_texts()
    problem = logistic.WeightedProblem.of(weighted_rows(X[:, :20], y, normalised=False))
    assert problem.columns.tolist() == list(range(20))
    np.testing.assert_array_equal(problem.scaled(weighted_rows(X, y, normalised=False)).toarray(), X.toarray()[:, :20])
    lengths = np.linalg.norm(problem.scaled(weighted_rows(X, y)).toarray(), axis=1)
    np.testing.assert_allclose(lengths, 1)
    assert not problem.scaled(weighted_rows(X * 0, y)).toarray().any()


@pytest.mark.parametrize(
    ("y", "folds"),
    [
        ([0, 0, 0, 0], [0, 1, 2, 3]),  # one class
        ([0, 1], [0, 1]),  # two rows
        ([0, 1, 2, 3], [0, 1, 2, 3]),  # classes of one row
        ([0, 0, 1, 1], [0, 0, 0, 0]),  # all are copies
    ],
    ids=str,
)
def test_where_no_row_can_be_left_out_the_strength_is_a_fixed_one(y, folds):
    X, _ = made_texts(len(y))
    found, l2, searched = logistic.searched(weighted_rows(X, np.array(y)), np.array(folds))
    assert (l2, searched) == (logistic.L2_WITHOUT_FOLDS, None)
    plain = logistic.solution(X, np.array(y), np.ones(len(y)), max(y) + 1, logistic.LogisticSettings(l2))
    np.testing.assert_array_equal(found.scorer.weights, plain.scorer.weights)


def test_a_class_of_one_row_is_impossible_where_it_is_left_out_and_nowhere_else():
    X, y = made_texts()
    y = np.where(np.arange(60) == 7, 3, y)
    _, _, searched = logistic.searched(weighted_rows(X, y), np.arange(60) % 4)
    impossible = np.isneginf(searched.scores)
    assert impossible[np.arange(60) % 4 == 3, 3].all()
    assert not impossible[:, :3].any()
    assert not impossible[np.arange(60) % 4 != 3].any()


def text_documents(n=60):
    rng = np.random.default_rng(0)
    words = [[f"w{j}" for j in rng.integers(0, 12, 6) + 6 * (i % 3)] for i in range(n)]
    return [Document(" ".join(terms), "xyz"[i % 3]) for i, terms in enumerate(words)]


def test_a_classifier_finds_l2_by_left_out_documents_and_a_number_fixes_it():
    searched = TextClassifier("logistic", tokenizer="whitespace").fit(text_documents())
    found = searched.state.fitted.fit
    assert searched.recipe.options["l2"] == "cv"
    assert found.found["l2"] in path.STRENGTHS
    assert found.left_out_scores.shape == (60, 3)
    fixed = TextClassifier(LogisticRegression(l2=found.found["l2"]), tokenizer="whitespace").fit(text_documents())
    assert fixed.state.fitted.fit.left_out_scores is None
    np.testing.assert_allclose(
        fixed.state.fitted.scorer.weights, searched.state.fitted.scorer.weights, atol=1e-3
    )  # both to the tolerance of the solver


def test_left_out_scores_are_of_the_document_they_belong_to_whatever_the_order():
    documents = text_documents()
    one, other = (TextClassifier("logistic", tokenizer="whitespace").fit(some) for some in (documents, documents[::-1]))
    assert one.state.fitted.fit.found == other.state.fitted.fit.found
    probes = documents[:5]
    np.testing.assert_allclose(one.predict_log_proba(probes), other.predict_log_proba(probes), atol=1e-6)
