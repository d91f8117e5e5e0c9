import tracemalloc

import numpy as np
import pytest
from fitted_rows import fit_bayes_logistic as fit
from fitted_rows import fit_logistic
from scipy import sparse

from textnb.errors import ConvergenceWarning, InputError
from textnb.models.logistic import laplace as laplace_module
from textnb.models.logistic import logistic, solvers
from textnb.models.logistic.bayes_logistic import ModeratedScorer, solution
from textnb.models.logistic.evidence import best_l2
from textnb.models.logistic.loss import SoftmaxLoss, contrasts
from textnb.models.scorer import LinearScorer
from textnb.numerics import log_softmax

classes = pytest.mark.parametrize("n_classes", [2, 3, 5])


def points(n_classes=3, n_rows=60, n_columns=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    return rng.normal(0, 1, (n_rows, n_columns)) + rng.normal(0, 0.7, (n_classes, n_columns))[y], y


def sigma(a):
    return 1 / (1 + np.exp(-a))


def test_of_two_classes_it_is_the_moderated_sigmoid():
    X, y = points(2)
    scorer = fit(X, y, l2=0.5)
    a = scorer.linear.joint_log_scores(X) @ [-1, 1]
    moderated = sigma(a / np.sqrt(1 + np.pi * scorer.spread(X) / 8))
    np.testing.assert_allclose(np.exp(scorer.log_posterior(X))[:, 1], moderated, rtol=1e-12)


@pytest.mark.parametrize("variance", [0.3, 2.0, 20.0])
def test_the_moderated_sigmoid_is_about_the_sigmoid_averaged_over_a_normal_distribution(variance):
    linear = LinearScorer(np.array([[0.0, 1.0]]), np.zeros(2))
    scorer = ModeratedScorer(linear, lambda X: np.full(X.shape[0], variance))
    for mean in (-6.0, -1.0, 0.0, 0.5, 3.0):
        a, spacing = np.linspace(mean - 60, mean + 60, 10_001, retstep=True)
        density = np.exp(-((a - mean) ** 2) / 2 / variance) / np.sqrt(2 * np.pi * variance)
        p = np.exp(scorer.log_posterior(np.array([[mean]])))[0, 1]
        assert p == pytest.approx(spacing * sigma(a) @ density, abs=0.02)


@classes
def test_it_is_about_the_mean_over_weights_drawn_from_the_posterior(n_classes):
    X, y = points(n_classes, 40)
    asked = 2 * points(n_classes, 20, seed=1)[0]
    scorer = fit(X, y, l2=0.5)
    Q, mean = contrasts(n_classes), X.mean(axis=0)
    loss = SoftmaxLoss.of(X, y, np.ones(40), 0.5)
    centre = np.vstack([scorer.linear.by_term @ Q, scorer.linear.bias @ Q + mean @ scorer.linear.by_term @ Q])
    bias = np.zeros(centre.shape)
    bias[-1] = 0.01
    covariance = np.linalg.inv(loss.at(centre).hessian() + np.diag(bias.ravel()))
    drawn = np.random.default_rng(0).multivariate_normal(centre.ravel(), covariance, 4000)
    rows = np.column_stack([asked - mean, np.ones(20)])
    average = np.mean([np.exp(log_softmax(rows @ one.reshape(centre.shape) @ Q.T)) for one in drawn], axis=0)
    moderated, at_peak = np.exp(scorer.log_posterior(asked)), np.exp(scorer.linear.log_posterior(asked))
    assert np.abs(moderated - average).max() < (0.03 if n_classes == 2 else 0.15)
    assert np.abs(moderated - average).mean() < np.abs(at_peak - average).mean() / 2


@pytest.mark.parametrize("n_classes", [2, 3])
def test_few_labels_drawn_from_the_model_are_told_better_than_by_the_peak(n_classes):
    gains = []
    for seed in range(100, 140):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(340, 20))
        scores = X @ rng.normal(0, 2, (20, n_classes))
        y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
        scorer = fit(X[:40], y[:40], l2=1 / 2**2)
        asked, true = X[40:], (np.arange(300), y[40:])
        gains.append((scorer.log_posterior(asked)[true] - scorer.linear.log_posterior(asked)[true]).mean())
    assert np.mean(gains) > 3 * np.std(gains, ddof=1) / np.sqrt(40) > 0


@classes
def test_the_likeliest_class_is_that_of_the_peak_and_less_sure(n_classes):
    X, y = points(n_classes)
    scorer, peak = fit(X, y, l2=0.5), fit_logistic(X, y, settings=logistic.LogisticSettings(0.5))
    np.testing.assert_array_equal(scorer.weights, peak.weights)
    p, at_peak = np.exp(scorer.log_posterior(X)), np.exp(peak.log_posterior(X))
    np.testing.assert_array_equal(p.argmax(axis=1), at_peak.argmax(axis=1))
    assert (p.max(axis=1) < at_peak.max(axis=1)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)


def test_far_from_all_rows_it_is_never_certain():
    X, y = points(2)
    scorer = fit(X, y, l2=0.5)
    p = np.exp(scorer.log_posterior(np.outer([1, 10, 1e3, 1e6], X[0])))
    assert p.max() < 0.999
    assert np.abs(p[3] - p[2]).max() < 0.01


@classes
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_differences_sum_to_the_difference_of_scores(n_classes, form):
    X, y = points(n_classes)
    X *= X > 0
    scorer = fit(form(X), y, l2=0.5)
    for i in range(4):
        row = sparse.csr_array(X[i : i + 1])
        parts, scores = scorer.differences(row, 1, 0), scorer.joint_log_scores(row)[0]
        assert len(parts.values) == row.nnz
        assert parts.score == pytest.approx(scores[1] - scores[0])
        log_p = scorer.log_posterior(row)[0]
        assert parts.score == pytest.approx(log_p[1] - log_p[0])
    empty = sparse.csr_array((1, 4))
    np.testing.assert_allclose(scorer.bias, scorer.joint_log_scores(empty)[0])
    assert scorer.differences(empty, 1, 0).score == pytest.approx(scorer.bias[1] - scorer.bias[0])


def test_l2_by_evidence_is_the_best_one():
    X, y = points()
    found = solution(X, y, np.ones(60), 3)
    assert found.l2 == best_l2(X, y, np.ones(60), 3).l2
    others = [solution(X, y, np.ones(60), 3, l2 * found.l2).evidence.log_evidence for l2 in (0.3, 0.8, 1.2, 3)]
    assert found.evidence.log_evidence > max(others)


def test_many_columns_answer_as_the_same_rows_turned_into_few(monkeypatch):
    X, y = points(3, 20, 5)
    wide = X @ np.linalg.qr(np.random.default_rng(0).normal(size=(90, 5)))[0].T
    few, many = (solution(rows, y, np.ones(20), 3, 0.5) for rows in (X, wide))
    np.testing.assert_allclose(many.scorer.log_posterior(wide), few.scorer.log_posterior(X), atol=1e-6)
    assert many.evidence.log_evidence == pytest.approx(few.evidence.log_evidence, rel=1e-7)
    monkeypatch.setattr(laplace_module, "LARGEST", 10)
    sampled = solution(wide, y, np.ones(20), 3, 0.5)
    assert sampled.evidence.log_evidence is None
    assert sampled.evidence.bic == pytest.approx(many.evidence.bic)
    np.testing.assert_allclose(
        np.exp(sampled.scorer.log_posterior(wide)), np.exp(few.scorer.log_posterior(X)), atol=0.05
    )


def test_class_weights_are_sample_weights():
    X, y = points()
    names = np.array(["a", "b", "c"])[y]
    by_class = fit(X, names, l2=0.5, class_weight={"a": 3, "c": 0.5})
    by_row = fit(X, names, l2=0.5, sample_weight=np.array([3, 1, 0.5])[y])
    np.testing.assert_allclose(by_class.log_posterior(X), by_row.log_posterior(X), atol=1e-12)


def test_one_class_is_certain_and_a_class_without_weight_has_the_probability_zero():
    X, y = points()
    assert fit(X, y * 0).log_posterior(X).tolist() == [[0.0]] * 60
    weight = (y != 1).astype(float)
    found = solution(X[y != 1], y[y != 1], np.ones(40), 3, 0.5)
    for scorer in (found.scorer, fit(X, y, l2=0.5, sample_weight=weight)):
        p = np.exp(scorer.log_posterior(X))
        assert (p[:, 1] == 0).all()
        np.testing.assert_allclose(p[:, [0, 2]], np.exp(fit(X[y != 1], y[y != 1], l2=0.5).log_posterior(X)))


def test_rows_that_can_be_separated_and_constant_columns_are_answered_modestly():
    X, y = np.array([[-2.0, 1], [-1.0, 1], [1.0, 1], [2.0, 1]]), [0, 0, 1, 1]
    for l2 in ("evidence", 1e-6):
        p = np.exp(fit(X, y, l2=l2).log_posterior(X))
        assert (p.argmax(axis=1) == y).all()
        assert p.max() < 0.95


def test_sparse_rows_of_many_terms_never_become_dense():
    n_rows, n_terms = 200, 100_000  # 160 MB as a dense matrix
    X = sparse.random_array((n_rows, n_terms), density=2e-4, rng=np.random.default_rng(0), format="csr")
    y = np.arange(n_rows) % 3
    tracemalloc.start()
    scorer = fit(X, y, l2=1.0)
    scorer.log_posterior(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"l2": "best"}, "l2 must be a number above 0 or 'evidence', not 'best'"),
        ({"l2": 0}, "l2 must be a number above 0 or 'evidence', not 0"),
        ({"l2": -1}, "l2 must be a number above 0 or 'evidence', not -1"),
        ({"l2": None}, "l2 must be a number above 0 or 'evidence', not None"),
        ({"sample_weight": np.zeros(60)}, "nothing to learn from"),
        ({"class_weight": "fair"}, "unknown class_weight 'fair'"),
    ],
    ids=str,
)
def test_what_is_wrong_is_refused(options, why):
    with pytest.raises(InputError, match=why):
        fit(*points(), **options)
    with pytest.raises(InputError, match="tol must be a number above 0"):
        solution(*points(), np.ones(60), 3, tol=0)


def test_a_peak_that_is_not_reached_is_told_of(monkeypatch):
    monkeypatch.setattr(solvers, "SOLVERS", {"newton": lambda start, *_: (start, 0)})
    with pytest.warns(ConvergenceWarning, match="not converged after 0 steps") as caught:
        fit(*points(), l2=1.0)
    assert caught[0].filename == __file__
