import numpy as np
import pytest
from fitted_rows import covariance_of, fit_fisher, fit_gaussian
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from textnb.errors import InputError
from textnb.models.linear.discriminants import directions


def data(n_rows=90, n_columns=4, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.minimum(np.arange(n_rows) % (n_classes + 1), n_classes - 1)
    X = rng.normal(size=(n_rows, n_columns)) @ rng.normal(size=(n_columns, n_columns))
    X += rng.normal(size=(n_classes, n_columns))[y] * 2
    return X, y


def scatters(X, y):
    """S_W and S_B as sums over documents, from their definitions."""
    means = {k: X[y == k].mean(axis=0) for k in np.unique(y)}
    within = sum((X[y == k] - m).T @ (X[y == k] - m) for k, m in means.items())
    between = sum((y == k).sum() * np.outer(m - X.mean(axis=0), m - X.mean(axis=0)) for k, m in means.items())
    return within, between


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_two_classes_have_the_direction_of_the_formula(form):
    X, y = data()
    W = directions(covariance_of(form(X), y, shrinkage=0))
    within, _ = scatters(X, y)
    assert W.shape == (4, 1)
    wanted = np.linalg.solve(within, X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    assert cosine(W[:, 0], wanted) == pytest.approx(1, abs=1e-12)


def test_no_direction_in_the_plane_has_a_larger_quotient():
    X, y = data(n_columns=2)
    within, between = scatters(X, y)
    angles = np.linspace(0, np.pi, 20_001)
    around = np.array([np.cos(angles), np.sin(angles)])
    quotients = (around * (between @ around)).sum(axis=0) / (around * (within @ around)).sum(axis=0)
    (w,) = directions(covariance_of(X, y, shrinkage=0)).T
    assert w @ between @ w / (w @ within @ w) == pytest.approx(quotients.max(), rel=1e-6)
    assert w @ between @ w / (w @ within @ w) >= quotients.max() * (1 - 1e-12)
    assert abs(cosine(w, around[:, quotients.argmax()])) == pytest.approx(1, abs=1e-6)


def test_the_threshold_is_half_way_between_the_projected_means():
    X, y = data()
    scorer = fit_fisher(X, y, shrinkage=0)
    halfway = (X[y == 0].mean(axis=0) + X[y == 1].mean(axis=0)) / 2
    np.testing.assert_allclose(np.diff(scorer.joint_log_scores(halfway[np.newaxis])), 0, atol=1e-10)
    (w,) = directions(covariance_of(X, y, shrinkage=0)).T
    np.testing.assert_array_equal(scorer.joint_log_scores(X).argmax(axis=1), X @ w > halfway @ w)


@pytest.mark.parametrize("s", [0.0, 0.3])
def test_the_directions_of_more_classes_are_the_generalised_eigenvectors(s):
    X, y = data(n_classes=4)
    covariance = covariance_of(X, y, shrinkage=s)
    W = directions(covariance)
    within, between = (part / len(y) for part in scatters(X, y))
    within = (1 - s) * within + s * np.trace(within) / 4 * np.eye(4)
    assert W.shape == (4, 3)
    np.testing.assert_allclose(W.T @ within @ W, np.eye(3), atol=1e-10)
    ratios = W.T @ between @ W
    np.testing.assert_allclose(ratios, np.diag(np.diag(ratios)), atol=1e-12 * ratios.max())
    assert (np.diff(np.diag(ratios)) < 0).all()
    np.testing.assert_allclose(between @ W, within @ W @ ratios, atol=1e-9)


def test_without_shrinkage_the_directions_are_scikit_learns():
    X, y = data(n_classes=4)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    W = directions(covariance_of(X, y, shrinkage=0))
    for w, t in zip(W.T, theirs.scalings_[:, :3].T, strict=True):
        assert abs(cosine(w, t)) == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("shape", [(90, 4), (20, 60)], ids=str)
def test_with_all_directions_it_is_the_gaussian_discriminant_with_a_uniform_prior(shape):
    X, y = data(*shape, n_classes=4)
    for rows in (X, sparse.csr_array(X)):
        wanted = fit_gaussian(rows, y, prior="uniform").log_posterior(rows)
        np.testing.assert_allclose(fit_fisher(rows, y).log_posterior(rows), wanted, atol=1e-8)


def test_fewer_directions_put_a_row_to_the_nearest_projected_mean():
    X, y = data(n_classes=4)
    W = directions(covariance_of(X, y, shrinkage=0.1), 2)
    assert W.shape == (4, 2)
    means = np.array([X[y == k].mean(axis=0) for k in range(4)])
    distances = (((X @ W)[:, np.newaxis] - means @ W) ** 2).sum(axis=2)
    scores = fit_fisher(X, y, shrinkage=0.1, components=2).joint_log_scores(X)
    np.testing.assert_array_equal(scores.argmax(axis=1), distances.argmin(axis=1))
    np.testing.assert_allclose(scores[:, 1:] - scores[:, :1], (distances[:, :1] - distances[:, 1:]) / 2, atol=1e-9)


def test_a_direction_points_from_the_first_class_to_the_last():
    X, y = data(n_classes=4)
    W = directions(covariance_of(X, y))
    assert ((X[y == 3].mean(axis=0) - X[y == 0].mean(axis=0)) @ W > 0).all()


def test_without_differences_there_is_no_direction():
    X = [[0.0], [2.0], [0.0], [2.0]]
    assert directions(covariance_of(X, ["a", "a", "b", "b"])).shape == (1, 0)
    np.testing.assert_array_equal(fit_fisher(X, ["a", "a", "b", "b"]).joint_log_scores(np.array(X)), 0)
    np.testing.assert_array_equal(fit_fisher(X, ["a"] * 4).joint_log_scores(np.array(X)), 0)


def test_a_class_without_documents_never_wins():
    X, y = data()
    scorer = fit_fisher(X, y, classes=[0, 1, 7])
    assert np.isneginf(scorer.joint_log_scores(X)[:, 2]).all()
    np.testing.assert_allclose(scorer.by_term[:, :2], fit_fisher(X, y).by_term, atol=1e-12)


def test_a_singular_scatter_is_refused_without_shrinkage_and_answered_with_it():
    X, y = data(20, 60)
    with pytest.raises(InputError, match="use shrinkage > 0 or 'auto'"):
        fit_fisher(X, y, shrinkage=0)
    for shrinkage in (0.01, "auto", 1):
        assert (fit_fisher(X, y, shrinkage=shrinkage).joint_log_scores(X).argmax(axis=1) == y).mean() > 0.9


@pytest.mark.parametrize("components", [0, 1.5, "all", True])
def test_wrong_numbers_of_directions_are_refused(components):
    with pytest.raises(InputError, match="components must be a whole number of at least 1"):
        fit_fisher([[1.0], [2.0]], ["a", "b"], components=components)
