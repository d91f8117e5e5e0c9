from fractions import Fraction
from math import prod

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

from textnb.counts import ClassCounts, Vocabulary
from textnb.counts.weighting import weighting
from textnb.errors import InputError
from textnb.models.multinomial import fit
from textnb.models.prior import as_alpha

X = np.array([[2, 0, 1], [0, 1, 0], [1, 1, 0]])
Y = ["x", "y", "x"]
IMPOSSIBLE = -np.inf


def random_corpus(seed, n_documents=60, n_terms=25, n_classes=4):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n_documents, n_terms), density=0.2, rng=rng, format="csr")
    X.data = np.ceil(X.data * 5)
    return X, rng.integers(0, n_classes, n_documents), rng


def one_document(*row):
    return sparse.csr_array([row])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0.01, 1.0, "vector"])
@pytest.mark.parametrize("prior", ["empirical", "uniform", "given"])
@pytest.mark.parametrize("weighted", [False, True])
def test_log_probabilities_are_those_of_scikit_learn(seed, alpha, prior, weighted):
    X, y, rng = random_corpus(seed)
    unseen = random_corpus(seed + 100)[0]
    alpha = rng.random(25) + 0.01 if alpha == "vector" else alpha
    given = rng.dirichlet(np.ones(4))
    weight = rng.random(60) * 3 if weighted else None
    oracle = MultinomialNB(
        alpha=alpha, fit_prior=prior == "empirical", class_prior=given if prior == "given" else None
    ).fit(X, y, sample_weight=weight)
    scorer = fit(ClassCounts.of(X, y, sample_weight=weight), alpha, given if prior == "given" else prior)
    np.testing.assert_allclose(scorer.weights, oracle.feature_log_prob_, atol=1e-10)
    np.testing.assert_allclose(scorer.bias, oracle.class_log_prior_, atol=1e-10)
    np.testing.assert_allclose(scorer.joint_log_scores(unseen), oracle.predict_joint_log_proba(unseen), atol=1e-10)
    np.testing.assert_allclose(scorer.log_posterior(unseen), oracle.predict_log_proba(unseen), atol=1e-10)


@pytest.mark.parametrize("alpha", [0, Fraction(1, 2), 1, [Fraction(1, 2), 2, Fraction(1, 4)]])
def test_posteriors_are_those_of_exact_fractions(alpha):
    by_term = alpha if isinstance(alpha, list) else [alpha] * 3
    tau = {"x": [3, 1, 1], "y": [0, 1, 0]}
    share = {"x": Fraction(2, 3), "y": Fraction(1, 3)}

    def joint(name, document):
        total = sum(tau[name]) + sum(by_term)
        terms = zip(tau[name], by_term, document, strict=True)
        return share[name] * prod(((t + a) / Fraction(total)) ** n for t, a, n in terms)

    scorer = fit(ClassCounts.of(X, Y), np.array(alpha, float))
    for document in ([0, 1, 0], [2, 1, 3], [0, 5, 0], [0, 0, 0]):
        joints = [joint(name, document) for name in "xy"]
        expected = [float(p / sum(joints)) for p in joints]
        np.testing.assert_allclose(np.exp(scorer.log_posterior(one_document(*document)))[0], expected, rtol=1e-12)


def test_alpha_zero_is_exact_maximum_likelihood():
    scorer = fit(ClassCounts.of(X, Y), alpha=0)
    with np.errstate(divide="ignore"):
        expected = np.log([[3 / 5, 1 / 5, 1 / 5], [0, 1, 0]])
    np.testing.assert_allclose(scorer.weights, expected, rtol=1e-14)
    assert scorer.weights[1].tolist() == [IMPOSSIBLE, 0.0, IMPOSSIBLE]
    assert scorer.log_posterior(one_document(1, 0, 0)).tolist() == [[0.0, IMPOSSIBLE]]


def test_alpha_may_be_zero_for_some_terms_only():
    scorer = fit(ClassCounts.of([[2, 0, 0], [0, 1, 0]], ["x", "y"]), alpha=[0, 1, 0])
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(scorer.weights, np.log([[2 / 3, 1 / 3, 0], [0, 1, 0]]), rtol=1e-14)


def test_a_document_impossible_under_every_class_gets_the_prior():
    scorer = fit(ClassCounts.of([[1, 0, 0], [0, 1, 0], [0, 1, 0]], ["x", "y", "y"]), alpha=0)
    for row in ([1, 1, 0], [0, 0, 1]):
        np.testing.assert_allclose(np.exp(scorer.log_posterior(one_document(*row))), [[1 / 3, 2 / 3]])
    assert (scorer.joint_log_scores(one_document(1, 1, 0)) == IMPOSSIBLE).all()


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize(
    ("prior", "shares"), [("empirical", [2 / 3, 1 / 3]), ("uniform", [0.5, 0.5]), ([0, 1], [0, 1])]
)
def test_an_empty_document_gets_the_prior(alpha, prior, shares):
    scorer = fit(ClassCounts.of(X, Y), alpha, prior)
    np.testing.assert_allclose(np.exp(scorer.log_posterior(one_document(0, 0, 0)))[0], shares)


def test_a_class_of_empty_documents_spreads_alpha_and_without_alpha_allows_no_term():
    counts = ClassCounts.of([[1, 3], [0, 0]], ["x", "empty"])
    np.testing.assert_allclose(np.exp(fit(counts, alpha=[1, 3]).weights[0]), [0.25, 0.75])
    scorer = fit(counts, alpha=0)
    assert scorer.weights[0].tolist() == [IMPOSSIBLE, IMPOSSIBLE]
    assert np.exp(scorer.log_posterior(sparse.csr_array([[0, 0], [1, 0]]))).tolist() == [[0.5, 0.5], [0.0, 1.0]]


@pytest.mark.parametrize("alpha", [0, 1])
def test_one_class_is_certain(alpha):
    scorer = fit(ClassCounts.of([[1, 0]], ["only"]), alpha)
    assert scorer.log_posterior(sparse.csr_array([[1, 0], [0, 1], [0, 0]])).tolist() == [[0.0]] * 3


@pytest.mark.parametrize("alpha", [0, 1, []])
def test_without_any_term_the_prior_decides(alpha):
    scorer = fit(ClassCounts.of(np.zeros((3, 0)), ["x", "y", "y"]), alpha)
    assert scorer.weights.shape == (2, 0)
    np.testing.assert_allclose(np.exp(scorer.log_posterior(sparse.csr_array((1, 0)))), [[1 / 3, 2 / 3]])


def test_no_documents_to_classify_give_no_rows():
    assert fit(ClassCounts.of(X, Y)).log_posterior(sparse.csr_array((0, 3))).shape == (0, 2)


@pytest.mark.parametrize("alpha", [0, 0.5])
@pytest.mark.parametrize("n_terms", [3, 300])
def test_stored_zeros_teach_nothing_and_give_no_nan(alpha, n_terms):
    entries = (np.array([2, 0, 1, 0]), np.array([0, 1, 1, 2]), np.array([0, 2, 4]))
    stored = sparse.csr_array(entries, shape=(2, n_terms))
    clean = sparse.csr_array(stored.toarray())
    a, b = (fit(ClassCounts.of(some, ["x", "y"]), alpha) for some in (stored, clean))
    np.testing.assert_array_equal(a.weights, b.weights)
    np.testing.assert_array_equal(a.log_posterior(stored), b.log_posterior(clean))
    assert not np.isnan(a.joint_log_scores(stored)).any()


@pytest.mark.parametrize("alpha", [0, 1])
def test_a_document_of_weight_zero_teaches_nothing(alpha):
    scorer = fit(ClassCounts.of(X, Y, sample_weight=[0, 1, 1]), alpha)
    np.testing.assert_array_equal(scorer.weights, fit(ClassCounts.of(X[1:], Y[1:]), alpha).weights)


def test_a_unit_is_what_a_stored_one_is_worth():
    log, counts = weighting("log"), sparse.csr_array(X)
    whole = fit(ClassCounts.of(log.stored(counts), Y, unit=log.unit), alpha=0.5)
    fractional = fit(ClassCounts.of(log.weights(counts), Y), alpha=0.5)
    np.testing.assert_allclose(whole.weights, fractional.weights, rtol=1e-14)


def test_a_constant_vector_is_the_number():
    counts = ClassCounts.of(X, Y)
    np.testing.assert_allclose(fit(counts, [0.3] * 3).weights, fit(counts, 0.3).weights, rtol=1e-14)


@pytest.mark.parametrize("wrong", [-1, np.nan, np.inf, [1, -1, 1], [1, np.nan, 1], None], ids=str)
def test_an_impossible_alpha_is_refused(wrong):
    with pytest.raises(InputError, match=r"alpha must be finite and not negative, not .*(-1|nan|inf|None)"):
        fit(ClassCounts.of(X, Y), wrong)


@pytest.mark.parametrize(("wrong", "shape"), [([1, 2], r"\(2,\)"), ([[1, 2, 3]], r"\(1, 3\)"), ([], r"\(0,\)")])
def test_alpha_is_a_number_or_one_a_term(wrong, shape):
    with pytest.raises(InputError, match=f"a number or 3 of them, one per term, not shape {shape}"):
        fit(ClassCounts.of(X, Y), wrong)


@pytest.mark.parametrize("wrong", ["evidence", "1x", 1j, {"a": 1}, [1, "b", 2]], ids=str)
def test_an_alpha_that_is_no_number_is_refused(wrong):
    with pytest.raises(InputError, match="alpha"):
        as_alpha(wrong, 3)


def test_nothing_learnt_cannot_be_fitted():
    with pytest.raises(InputError, match="positive weight"):
        fit(ClassCounts.of(np.zeros((0, 2)), [], classes=("x", "y")))


def log_posterior_density(p, tau, alpha):
    """log of the Dirichlet posterior of the probabilities p, up to a constant."""
    powers = tau + alpha - 1
    return (powers * np.log(np.where(powers == 0, 1, p))).sum(axis=-1)


@pytest.mark.parametrize("alpha", [1.0, 1.5, 2.0, [1.0, 3.0, 1.25], [0.5, 1.0, 1.0]], ids=str)
def test_the_map_estimate_maximises_the_posterior_density_on_the_simplex(alpha):
    tau = np.array([[3, 1, 1], [1, 4, 0]])
    scorer = fit(ClassCounts.of(tau, ["x", "y"]), alpha, estimate="map")
    p = np.exp(scorer.weights)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    steps = np.arange(1, 100) / 100
    first, second = (axis.ravel() for axis in np.meshgrid(steps, steps))
    inside = first + second < 1
    grid = np.stack([first, second, 1 - first - second], axis=1)[inside]
    for k in range(2):
        densities = log_posterior_density(grid, tau[k], np.asarray(alpha))
        assert log_posterior_density(p[k], tau[k], np.asarray(alpha)) >= densities.max() - 1e-12
        np.testing.assert_allclose(grid[densities.argmax()], p[k], atol=0.011)


@pytest.mark.parametrize("alpha", [1, 1.5, [1, 2, 3]], ids=str)
def test_the_map_estimate_is_the_mean_of_one_less(alpha):
    counts = ClassCounts.of(X, Y)
    np.testing.assert_array_equal(
        fit(counts, alpha, estimate="map").weights, fit(counts, np.asarray(alpha) - 1).weights
    )


def test_an_alpha_below_one_has_a_mode_where_every_class_has_the_term():
    counts = ClassCounts.of([[2, 3], [1, 1]], ["x", "y"])
    np.testing.assert_allclose(np.exp(fit(counts, 0.5, estimate="map").weights), [[1.5 / 4, 2.5 / 4], [0.5, 0.5]])
    np.testing.assert_allclose(np.exp(fit(counts, [0, 1], estimate="map").weights), [[1 / 4, 3 / 4], [0, 1]])


def test_where_the_posterior_has_no_mode_the_map_estimate_is_refused():
    with pytest.raises(InputError, match=r"column 0 in class 'y' has count \+ alpha - 1 below 0; use alpha >= 1"):
        fit(ClassCounts.of(X, Y), 0.5, estimate="map")
    words = Vocabulary(["a", "b", "c"])
    with pytest.raises(InputError, match="'c' in class 'y'"):
        fit(ClassCounts.of(X, Y, words), [1, 1, 0.9], estimate="map")
    with pytest.raises(InputError, match="class 'empty' has no terms and alpha is 1"):
        fit(ClassCounts.of([[1, 3], [0, 0]], ["x", "empty"]), 1, estimate="map")


def test_an_unknown_estimate_is_refused():
    with pytest.raises(InputError, match=r"unknown estimate 'median' \(did you mean 'mean'\?\); use 'mean' or 'map'"):
        fit(ClassCounts.of(X, Y), estimate="median")


@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0, 50.0])
@pytest.mark.parametrize("unit", [1.0, 0.25])
@pytest.mark.parametrize("fractions", [False, True])
def test_a_dense_table_of_counts_gives_the_weights_of_a_sparse_one(alpha, unit, fractions):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.8, (60, 40)) * (rng.random((60, 40)) if fractions else 1)
    y = np.arange(60) % 3
    dense, made_sparse = (ClassCounts.of(X, y, None, range(4), unit=unit) for _ in range(2))
    assert made_sparse.terms.nnz
    assert dense.dense_terms is not None
    assert made_sparse.dense_terms is None
    one, two = fit(dense, alpha), fit(made_sparse, alpha)
    np.testing.assert_allclose(one.by_term, two.by_term, rtol=1e-15 if fractions else 0)
    assert dense == made_sparse
