import numpy as np
import pytest
from fitted_rows import covariance_of, fit_fisher, fit_gaussian
from scipy import sparse
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from textnb.errors import InputError
from textnb.models.linear.discriminants import directions


def data(n_rows=80, n_columns=4, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.minimum(np.arange(n_rows) % (n_classes + 2), n_classes - 1)
    mixing = rng.normal(size=(n_columns, n_columns))
    X = rng.normal(size=(n_rows, n_columns)) @ mixing + y[:, np.newaxis] * np.linspace(-1, 2, n_columns)
    X[rng.random(X.shape) < 0.2] = 0
    return X, y, rng.random(n_rows) + 0.2


def shrunk(X, y, weight, s):
    """The covariance from its definition: the weighted mean of the class covariances, shrunk."""
    parts = [weight[y == k].sum() * np.cov(X[y == k].T, aweights=weight[y == k], bias=True) for k in range(y.max() + 1)]
    S = sum(parts) / weight.sum()
    return (1 - s) * S + s * np.trace(S) / len(S) * np.eye(len(S))


@pytest.mark.parametrize("s", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("prior", ["empirical", "uniform", [0.2, 0.5, 0.3]], ids=str)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_posterior_is_that_of_the_explicit_densities(s, prior, form):
    X, y, weight = data()
    means = [np.average(X[y == k], axis=0, weights=weight[y == k]) for k in range(3)]
    shares = {"empirical": np.bincount(y, weight) / weight.sum(), "uniform": np.ones(3) / 3}
    p = shares[prior] if isinstance(prior, str) else np.array(prior)
    S = shrunk(X, y, weight, s)
    joint = np.column_stack([p[k] * multivariate_normal(means[k], S).pdf(X) for k in range(3)])
    scorer = fit_gaussian(form(X), y, sample_weight=weight, shrinkage=s, prior=prior)
    found = np.exp(scorer.log_posterior(form(X)))
    np.testing.assert_allclose(found, joint / joint.sum(axis=1, keepdims=True), atol=1e-10)


def test_two_classes_are_the_sigmoid_of_a_linear_function():
    X, y, _ = data(n_classes=2)
    scorer = fit_gaussian(X, y, shrinkage=0)
    S, (m0, m1) = shrunk(X, y, np.ones(len(y)), 0), (X[y == k].mean(axis=0) for k in range(2))
    w = np.linalg.solve(S, m1 - m0)
    w0 = (m0 @ np.linalg.solve(S, m0) - m1 @ np.linalg.solve(S, m1)) / 2 + np.log((y == 1).mean() / (y == 0).mean())
    np.testing.assert_allclose(np.exp(scorer.log_posterior(X))[:, 1], 1 / (1 + np.exp(-(X @ w + w0))), atol=1e-10)


@pytest.mark.parametrize(("shape", "s"), [((80, 4), None), ((80, 4), 0.3), ((20, 50), 0.4)], ids=str)
def test_it_is_scikit_learns_linear_discriminant_analysis(shape, s):
    X, y, _ = data(*shape)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=s).fit(X, y)
    scorer = fit_gaussian(sparse.csr_array(X), y, shrinkage=s or 0)
    np.testing.assert_allclose(np.exp(scorer.log_posterior(sparse.csr_array(X))), theirs.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("shape", [(80, 4), (20, 50)], ids=str)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_auto_is_ledoit_and_wolfs_of_rows_less_their_class_means(shape, form):
    X, y, _ = data(*shape)
    rows = X - np.array([X[y == k].mean(axis=0) for k in range(3)])[y]
    _, wanted = ledoit_wolf(rows, assume_centered=True)
    assert covariance_of(form(X), y).shrinkage == pytest.approx(wanted, rel=1e-9)
    whole = np.arange(len(y)) % 3 + 1
    weighted = covariance_of(form(X), y, None, whole).shrinkage
    repeated = covariance_of(form(np.repeat(X, whole, axis=0)), np.repeat(y, whole)).shrinkage
    assert weighted == pytest.approx(repeated, rel=1e-9)


def test_auto_of_classes_that_do_not_vary_is_the_identity():
    covariance = covariance_of([[0.0, 1.0], [3.0, 1.0]], ["a", "b"])
    assert (covariance.shrinkage, covariance.scale) == (1.0, 1.0)
    np.testing.assert_allclose(fit_gaussian([[0.0, 1.0], [3.0, 1.0]], ["a", "b"]).weights, [[-1.5, 0], [1.5, 0]])


def test_auto_has_an_inverse_even_where_ledoit_and_wolfs_is_zero():
    covariance = covariance_of([[0.0, 0], [2, 2], [5, 0], [7, 2]], ["a", "a", "b", "b"])
    assert covariance.shrinkage == 1e-6
    assert np.isfinite(covariance.inverse_times(np.eye(2))).all()


def test_a_covariance_without_inverse_is_refused_only_where_the_classes_differ_in_what_does_not_vary():
    X, y, _ = data()
    plain = fit_gaussian(X, y, shrinkage=0)
    constant, collinear = np.full((len(y), 1), 0.1), X[:, :1] * 3
    telling = np.where(y == 1, 2.0, 1.0)[:, np.newaxis]
    for more in (constant, collinear):
        for form in (np.asarray, sparse.csr_array):
            wider = form(np.column_stack([X, more]))
            found = fit_gaussian(wider, y, shrinkage=0).log_posterior(wider)
            np.testing.assert_allclose(found, plain.log_posterior(X), atol=1e-8)
    for more in (telling, collinear + telling):
        for form in (np.asarray, sparse.csr_array):
            wider = form(np.column_stack([X, more]))
            with pytest.raises(InputError, match=r"differ where none of them varies .*use shrinkage > 0 or 'auto'"):
                fit_gaussian(wider, y, shrinkage=0)
            assert np.isfinite(fit_gaussian(wider, y).by_term).all()


def test_more_columns_than_rows_need_shrinkage():
    X, y, _ = data(20, 50)
    for rows in (X, sparse.csr_array(X)):
        with pytest.raises(InputError, match="differ where none of them varies"):
            fit_gaussian(rows, y, shrinkage=0)
        assert (fit_gaussian(rows, y).joint_log_scores(rows).argmax(axis=1) == y).mean() > 0.9


def test_units_of_columns_do_not_matter_without_shrinkage():
    X, y, _ = data()
    units = np.array([1e-8, 1.0, 1e8, 1e3])
    wanted = fit_gaussian(X, y, shrinkage=0).log_posterior(X)
    np.testing.assert_allclose(fit_gaussian(X * units, y, shrinkage=0).log_posterior(X * units), wanted, atol=1e-8)


def test_one_class_and_a_class_without_documents():
    X, y, _ = data()
    one = fit_gaussian(X, ["a"] * len(X))
    np.testing.assert_array_equal(one.by_term, 0)
    np.testing.assert_array_equal(one.bias, 0)
    wider = fit_gaussian(X, y, classes=[0, 1, 2, 3], prior="uniform")
    assert np.isneginf(wider.joint_log_scores(X)[:, 3]).all()
    np.testing.assert_allclose(
        wider.log_posterior(X)[:, :3], fit_gaussian(X, y, prior="uniform").log_posterior(X), atol=1e-12
    )
    with pytest.raises(InputError, match="the prior allows only classes that have no documents"):
        fit_gaussian(X, y, classes=[0, 1, 2, 3], prior=[0, 0, 0, 1])


@pytest.mark.parametrize("shrinkage", [-0.1, 1.1, "much", None, np.nan, True])
def test_wrong_shrinkages_are_refused(shrinkage):
    with pytest.raises(InputError, match="shrinkage must be a number from 0 to 1 or 'auto'"):
        fit_gaussian([[1.0], [2.0]], ["a", "b"], shrinkage=shrinkage)


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
    X, y, _ = data(n_classes=2)
    W = directions(covariance_of(form(X), y, shrinkage=0))
    within, _ = scatters(X, y)
    assert W.shape == (4, 1)
    wanted = np.linalg.solve(within, X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    assert cosine(W[:, 0], wanted) == pytest.approx(1, abs=1e-12)


def test_no_direction_in_the_plane_has_a_larger_quotient():
    X, y, _ = data(n_columns=2, n_classes=2)
    within, between = scatters(X, y)
    angles = np.linspace(0, np.pi, 20_001)
    around = np.array([np.cos(angles), np.sin(angles)])
    quotients = (around * (between @ around)).sum(axis=0) / (around * (within @ around)).sum(axis=0)
    (w,) = directions(covariance_of(X, y, shrinkage=0)).T
    assert w @ between @ w / (w @ within @ w) == pytest.approx(quotients.max(), rel=1e-6)
    assert w @ between @ w / (w @ within @ w) >= quotients.max() * (1 - 1e-12)
    assert abs(cosine(w, around[:, quotients.argmax()])) == pytest.approx(1, abs=1e-6)


def test_the_threshold_is_half_way_between_the_projected_means():
    X, y, _ = data(n_classes=2)
    scorer = fit_fisher(X, y, shrinkage=0)
    halfway = (X[y == 0].mean(axis=0) + X[y == 1].mean(axis=0)) / 2
    np.testing.assert_allclose(np.diff(scorer.joint_log_scores(halfway[np.newaxis])), 0, atol=1e-10)
    (w,) = directions(covariance_of(X, y, shrinkage=0)).T
    np.testing.assert_array_equal(scorer.joint_log_scores(X).argmax(axis=1), X @ w > halfway @ w)


@pytest.mark.parametrize("s", [0.0, 0.3])
def test_the_directions_of_more_classes_are_the_generalised_eigenvectors(s):
    X, y, _ = data(n_classes=4)
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
    X, y, _ = data(n_classes=4)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    W = directions(covariance_of(X, y, shrinkage=0))
    for w, t in zip(W.T, theirs.scalings_[:, :3].T, strict=True):
        assert abs(cosine(w, t)) == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("shape", [(90, 4), (20, 60)], ids=str)
def test_with_all_directions_it_is_the_gaussian_discriminant_with_a_uniform_prior(shape):
    X, y, _ = data(*shape, n_classes=4)
    for rows in (X, sparse.csr_array(X)):
        wanted = fit_gaussian(rows, y, prior="uniform").log_posterior(rows)
        np.testing.assert_allclose(fit_fisher(rows, y).log_posterior(rows), wanted, atol=1e-8)


def test_fewer_directions_put_a_row_to_the_nearest_projected_mean():
    X, y, _ = data(n_classes=4)
    W = directions(covariance_of(X, y, shrinkage=0.1), 2)
    assert W.shape == (4, 2)
    means = np.array([X[y == k].mean(axis=0) for k in range(4)])
    distances = (((X @ W)[:, np.newaxis] - means @ W) ** 2).sum(axis=2)
    scores = fit_fisher(X, y, shrinkage=0.1, components=2).joint_log_scores(X)
    np.testing.assert_array_equal(scores.argmax(axis=1), distances.argmin(axis=1))
    np.testing.assert_allclose(scores[:, 1:] - scores[:, :1], (distances[:, :1] - distances[:, 1:]) / 2, atol=1e-9)


def test_a_direction_points_from_the_first_class_to_the_last():
    X, y, _ = data(n_classes=4)
    W = directions(covariance_of(X, y))
    assert ((X[y == 3].mean(axis=0) - X[y == 0].mean(axis=0)) @ W > 0).all()


def test_without_differences_there_is_no_direction():
    X = [[0.0], [2.0], [0.0], [2.0]]
    assert directions(covariance_of(X, ["a", "a", "b", "b"])).shape == (1, 0)
    np.testing.assert_array_equal(fit_fisher(X, ["a", "a", "b", "b"]).joint_log_scores(np.array(X)), 0)
    np.testing.assert_array_equal(fit_fisher(X, ["a"] * 4).joint_log_scores(np.array(X)), 0)


def test_a_class_without_documents_never_wins_by_fisher():
    X, y, _ = data(n_classes=2)
    scorer = fit_fisher(X, y, classes=[0, 1, 7])
    assert np.isneginf(scorer.joint_log_scores(X)[:, 2]).all()
    np.testing.assert_allclose(scorer.by_term[:, :2], fit_fisher(X, y).by_term, atol=1e-12)


def test_a_singular_scatter_is_refused_without_shrinkage_and_answered_with_it():
    X, y, _ = data(20, 60, 2)
    with pytest.raises(InputError, match="use shrinkage > 0 or 'auto'"):
        fit_fisher(X, y, shrinkage=0)
    for shrinkage in (0.01, "auto", 1):
        assert (fit_fisher(X, y, shrinkage=shrinkage).joint_log_scores(X).argmax(axis=1) == y).mean() > 0.9


@pytest.mark.parametrize("components", [0, 1.5, "all", True])
def test_wrong_numbers_of_directions_are_refused(components):
    with pytest.raises(InputError, match="components must be a whole number of at least 1"):
        fit_fisher([[1.0], [2.0]], ["a", "b"], components=components)
