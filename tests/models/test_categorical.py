from fractions import Fraction
from math import prod

import numpy as np
import pytest
from sklearn import naive_bayes

from textnb.counts import Contingency
from textnb.errors import InputError
from textnb.models.categorical import fit
from textnb.readers import read_columns

X = [["sun", "hot"], ["sun", "cool"], ["rain", "cool"], ["rain", "hot"], ["sun", "hot"], ["snow", "cool"]]
Y = ["out", "out", "in", "in", "in", "in"]
IMPOSSIBLE = -np.inf


def posterior(tables, rows, **settings):
    return np.exp(fit(tables, **settings).log_posterior(tables.indicators(rows)))


def by_hand(rows, labels, asked, alpha=0):
    """p(y|x) = p(y) prod_j p(x_j|y) over its sum over y, in fractions, from counts of matching rows."""
    joint = {}
    for name in sorted(set(labels)):
        own = [row for row, label in zip(rows, labels, strict=True) if label == name]
        factors = [
            Fraction(sum(row[j] == value for row in own) + alpha, len(own) + alpha * len({row[j] for row in rows}))
            for j, value in enumerate(asked)
        ]
        joint[name] = Fraction(len(own), len(labels)) * prod(factors)
    return [float(p / sum(joint.values())) for p in joint.values()]


@pytest.mark.parametrize("alpha", [0, 1, 2])
@pytest.mark.parametrize("asked", [["sun", "hot"], ["sun", "cool"], ["rain", "hot"], ["snow", "cool"]], ids="-".join)
def test_posteriors_are_those_of_the_formula_by_hand(alpha, asked):
    found = posterior(Contingency.of(X, Y), [asked], alpha=alpha)
    np.testing.assert_allclose(found[0], by_hand(X, Y, asked, alpha), rtol=1e-12)


@pytest.mark.parametrize("asked", [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], ids=str)
def test_two_classes_and_binary_features_are_a_case_of_it(asked):
    rows = [[0, 1, 1], [1, 1, 0], [0, 0, 1], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1], [0, 0, 0]]
    labels = [0, 0, 0, 0, 0, 1, 1, 1]
    tables = Contingency.of(rows, labels)
    n_0, n_1 = 5, 3
    counts_0 = [sum(row[j] == asked[j] for row in rows[:5]) for j in range(3)]
    counts_1 = [sum(row[j] == asked[j] for row in rows[5:]) for j in range(3)]
    joint_0 = Fraction(n_0, 8) * prod(Fraction(n, n_0) for n in counts_0)
    joint_1 = Fraction(n_1, 8) * prod(Fraction(n, n_1) for n in counts_1)
    expected = [float(joint / (joint_0 + joint_1)) for joint in (joint_0, joint_1)]
    np.testing.assert_allclose(posterior(tables, [asked], alpha=0)[0], expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0.01, 1.0])
@pytest.mark.parametrize("prior", ["empirical", "uniform", [0.2, 0.3, 0.5]], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_scikit_learn(seed, alpha, prior, weighted):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, [2, 3, 4, 5], (80, 4)), np.arange(80) % 3
    weight = rng.random(80) if weighted else None
    oracle = naive_bayes.CategoricalNB(
        alpha=alpha, fit_prior=prior == "empirical", class_prior=prior if isinstance(prior, list) else None
    ).fit(X, y, sample_weight=weight)
    tables = Contingency.of(X, y, sample_weight=weight)
    scorer = fit(tables, alpha, prior)
    np.testing.assert_allclose(scorer.weights, np.concatenate(oracle.feature_log_prob_, axis=1), atol=1e-9)
    unseen = rng.integers(0, [2, 3, 4, 5], (40, 4))
    rows = tables.indicators(unseen)
    np.testing.assert_allclose(scorer.joint_log_scores(rows), oracle.predict_joint_log_proba(unseen), atol=1e-9)
    np.testing.assert_allclose(scorer.log_posterior(rows), oracle.predict_log_proba(unseen), atol=1e-9)


def test_the_probabilities_of_a_column_sum_to_one():
    weights = np.exp(fit(Contingency.of(X, Y), alpha=0.7).weights)
    assert weights.shape == (2, 5)
    np.testing.assert_allclose([weights[:, :3].sum(axis=1), weights[:, 3:].sum(axis=1)], 1)


@pytest.mark.parametrize("alpha", [0, 1])
def test_an_unseen_value_is_as_if_its_column_were_not_there(alpha):
    tables, without = Contingency.of(X, Y), Contingency.of([[heat] for _, heat in X], Y)
    np.testing.assert_allclose(
        posterior(tables, [["hail", "hot"]], alpha=alpha), posterior(without, [["hot"]], alpha=alpha)
    )
    np.testing.assert_allclose(posterior(tables, [["hail", "mild"]], alpha=alpha), [[2 / 3, 1 / 3]])


def test_alpha_zero_forbids_what_a_class_never_had_and_the_impossible_gets_the_prior():
    tables = Contingency.of(X, Y)
    scorer = fit(tables, alpha=0)
    assert scorer.log_posterior(tables.indicators([["rain", "hot"]])).tolist() == [[0.0, IMPOSSIBLE]]
    apart = Contingency.of([["a", "b"], ["c", "d"], ["c", "d"]], ["x", "y", "y"])
    np.testing.assert_allclose(posterior(apart, [["a", "d"]], alpha=0), [[1 / 3, 2 / 3]])


@pytest.mark.parametrize("alpha", [0, 1])
def test_a_class_without_documents_is_possible_only_by_alpha_and_prior(alpha):
    tables = Contingency.of(X, Y, classes=("in", "none", "out"))
    assert posterior(tables, [["sun", "hot"]], alpha=alpha)[0, 1] == 0
    assert (posterior(tables, [["sun", "hot"]], alpha=alpha, prior="uniform")[0, 1] > 0) == (alpha > 0)


def test_one_class_is_certain_and_nothing_learnt_cannot_be_fitted():
    assert posterior(Contingency.of(X, ["only"] * 6), [["sun", "hot"]]).tolist() == [[1.0]]
    with pytest.raises(InputError, match="positive weight"):
        fit(Contingency.zero(2, ("x",)))


@pytest.mark.parametrize("wrong", [-1, np.nan, "evidence", [1, 2]], ids=str)
def test_an_alpha_that_is_no_number_or_negative_is_refused(wrong):
    with pytest.raises(InputError, match="alpha"):
        fit(Contingency.of(X, Y), wrong)


@pytest.mark.parametrize("name", ["car.data", "nursery.data"])
def test_public_tables_give_the_posteriors_of_scikit_learn(public_corpora, name):
    path = public_corpora / "uci" / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    X, y, _ = read_columns(path, label=-1, header=False)
    tables = Contingency.of(X, y)
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in X.T.astype(str)], axis=1)
    oracle = naive_bayes.CategoricalNB().fit(codes, y.astype(str))
    scorer = fit(tables)
    assert tables.classes == tuple(oracle.classes_)
    np.testing.assert_allclose(
        scorer.log_posterior(tables.indicators(X[:500])), oracle.predict_log_proba(codes[:500]), atol=1e-9
    )


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_monks_posteriors_are_those_of_the_formula_by_hand(public_corpora, number):
    folder = public_corpora / "uci"
    if not (folder / f"monks-{number}.train").is_file():
        pytest.skip(f"{folder} has no monks-{number}.train")
    (X, y, _), (asked, _, _) = (
        read_columns(folder / f"monks-{number}.{part}", label=0, header=False, delimiter=" ")
        for part in ("train", "test")
    )
    X, asked = X[:, :6], asked[:40, :6]  # the last column names the row
    found = posterior(Contingency.of(X, y), asked, alpha=1)
    np.testing.assert_allclose(found, [by_hand(X.tolist(), y.tolist(), row, 1) for row in asked.tolist()], rtol=1e-10)
