import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn import naive_bayes

from textnb.counts.moments import ClassMoments
from textnb.errors import InputError
from textnb.models.gaussian import fit

IMPOSSIBLE = -np.inf


def random_rows(seed, n_rows=60, n_columns=5, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    X = rng.normal(y[:, np.newaxis] - 1, 0.5 + y[:, np.newaxis], (n_rows, n_columns)) * [1, 10, 0.1, 1, 5]
    X[rng.random(X.shape) < 0.3] = 0
    return X, y


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("floor", [1e-9, 0.1])
@pytest.mark.parametrize("prior", [None, [0.2, 0.3, 0.5]])
def test_scores_are_those_of_scikit_learn(seed, floor, prior):
    X, y = random_rows(seed)
    unseen = random_rows(seed + 100)[0]
    oracle = naive_bayes.GaussianNB(priors=prior, var_smoothing=floor).fit(X, y)
    scorer = fit(ClassMoments.of(X, y), floor=floor, prior=prior or "empirical")
    np.testing.assert_allclose(scorer.means, oracle.theta_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scorer.variances, oracle.var_, rtol=1e-9)
    np.testing.assert_allclose(scorer.joint_log_scores(unseen), oracle.predict_joint_log_proba(unseen), rtol=1e-9)
    np.testing.assert_allclose(scorer.log_posterior(unseen), oracle.predict_log_proba(unseen), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("variance", ["feature", "class"])
def test_scores_are_sums_of_normal_log_densities(variance):
    X, y = random_rows(1)
    scorer = fit(ClassMoments.of(X, y), variance, floor=0)
    assert scorer.means.shape == scorer.variances.shape == (3, 5)
    for k in range(3):
        rows = X[y == k]
        squares = (rows - rows.mean(axis=0)) ** 2
        deviation = np.sqrt(squares.mean() if variance == "class" else squares.mean(axis=0))
        expected = np.log(1 / 3) + norm.logpdf(X, rows.mean(axis=0), deviation).sum(axis=1)
        np.testing.assert_allclose(scorer.joint_log_scores(X)[:, k], expected, rtol=1e-12)


@pytest.mark.parametrize("variance", ["feature", "class"])
def test_means_and_variances_maximise_the_likelihood_of_the_training_rows(variance):
    X, y = random_rows(2)
    scorer = fit(ClassMoments.of(X, y), variance, floor=0)

    def likelihood(k, means, variances):
        return norm.logpdf(X[y == k], means, np.sqrt(variances)).sum()

    for k in range(3):
        best = likelihood(k, scorer.means[k], scorer.variances[k])
        for factor in (0.9, 0.99, 1.01, 1.1):
            assert likelihood(k, scorer.means[k], scorer.variances[k] * factor) < best
            assert likelihood(k, scorer.means[k] + factor - 1, scorer.variances[k]) < best
    assert (len(np.unique(scorer.variances[0])) == 1) == (variance == "class")


@pytest.mark.parametrize("variance", ["feature", "class"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_and_dense_rows_score_alike(variance, weighted):
    X, y = random_rows(3)
    X[:, 1] = 1e6 + np.random.default_rng(0).normal(0, 1, len(y))  # far from 0: scored as a dense column
    weight = np.random.default_rng(1).random(len(y)) if weighted else None
    dense = fit(ClassMoments.of(X, y, sample_weight=weight), variance)
    stored = fit(ClassMoments.of(sparse.csr_array(X), y, sample_weight=weight), variance)
    np.testing.assert_allclose(stored.variances, dense.variances, rtol=1e-9)
    unseen = X[::-1] * 1.0000001
    expected = dense.joint_log_scores(unseen)
    for scorer in (dense, stored):
        for rows in (unseen, sparse.csr_array(unseen)):
            np.testing.assert_allclose(scorer.joint_log_scores(rows), expected, rtol=1e-8)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_an_offset_of_a_million_changes_nothing(container):
    X, y = random_rows(4)
    moved = X + 1e6
    scores = fit(ClassMoments.of(X, y)).joint_log_scores(X)
    np.testing.assert_allclose(
        fit(ClassMoments.of(container(moved), y)).joint_log_scores(container(moved)), scores, atol=1e-6
    )


def test_sparse_rows_are_never_made_dense_as_a_whole():
    X = sparse.random_array((2_000, 200_000), density=1e-5, rng=np.random.default_rng(0), format="csr")
    scorer = fit(ClassMoments.of(X, np.arange(2_000) % 2))
    tracemalloc.start()
    scores = scorer.joint_log_scores(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert scores.shape == (2_000, 2)
    assert peak < 100e6  # dense it has 3.2 GB


def test_differences_sum_to_the_difference_of_scores():
    X, y = random_rows(5)
    scorer = fit(ClassMoments.of(X, y))
    for row in X[:5]:
        one = sparse.csr_array(row[np.newaxis])
        found = scorer.differences(one, 2, 0)
        scores = scorer.joint_log_scores(one)[0]
        assert len(found.values) == one.nnz
        np.testing.assert_allclose(found.score, scores[2] - scores[0], rtol=1e-9)


def test_a_constant_feature_has_the_floor_for_its_variance():
    X = np.array([[1.0, 0.0], [1.0, 2.0], [1.0, 5.0], [1.0, 9.0]])
    scorer = fit(ClassMoments.of(X, ["x", "x", "y", "y"]), floor=0.5)
    floor = 0.5 * X[:, 1].var()
    np.testing.assert_allclose(scorer.variances, [[floor, 1 + floor], [floor, 4 + floor]])
    with pytest.raises(InputError, match="column 0 is constant in class 'x': its variance is 0; use floor > 0"):
        fit(ClassMoments.of(X, ["x", "x", "y", "y"]), floor=0)


def test_where_all_rows_are_equal_the_prior_decides():
    scorer = fit(ClassMoments.of([[2.0]] * 3, ["x", "x", "y"]))
    np.testing.assert_allclose(np.exp(scorer.log_posterior(np.array([[2.0], [2.1]]))), [[2 / 3, 1 / 3]] * 2)


@pytest.mark.parametrize("prior", ["empirical", "uniform"])
def test_a_class_without_documents_is_never_the_answer(prior):
    scorer = fit(ClassMoments.of([[1.0], [2.0]], ["x", "x"], classes=("w", "x")), prior=prior)
    assert scorer.log_posterior(np.array([[0.0]])).tolist() == [[IMPOSSIBLE, 0.0]]
    assert scorer.log_posterior(sparse.csr_array([[0.0]])).tolist() == [[IMPOSSIBLE, 0.0]]
    with pytest.raises(InputError, match="only classes that have no documents"):
        fit(ClassMoments.of([[1.0], [2.0]], ["x", "x"], classes=("w", "x")), prior=[1, 0])


def test_a_row_beyond_all_numbers_gets_the_prior():
    scorer = fit(ClassMoments.of([[0.0], [1e-3], [1e-2]], ["x", "x", "y"]), floor=1e-3)
    for rows in (np.array([[1e200]]), sparse.csr_array([[1e200]])):
        np.testing.assert_allclose(np.exp(scorer.log_posterior(rows)), [[2 / 3, 1 / 3]])


def test_no_rows_give_no_rows():
    scorer = fit(ClassMoments.of(*random_rows(0)))
    assert (
        scorer.log_posterior(np.zeros((0, 5))).shape == scorer.log_posterior(sparse.csr_array((0, 5))).shape == (0, 3)
    )


def test_wrong_settings_and_other_columns_are_refused():
    moments = ClassMoments.of(*random_rows(0))
    with pytest.raises(InputError, match="unknown variance 'shared'; use 'feature' or 'class'"):
        fit(moments, "shared")
    for floor in (-1, np.nan, np.inf, "small", None, True):
        with pytest.raises(InputError, match="floor must be a number of at least 0"):
            fit(moments, floor=floor)
    with pytest.raises(InputError, match="X has 2 columns, the model was fitted on 5"):
        fit(moments).joint_log_scores(np.zeros((1, 2)))
