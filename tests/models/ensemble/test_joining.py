import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from textnb.models.calibration import platt_targets
from textnb.models.ensemble.joining import joint


def made_up(seed, n=60, n_classes=3):
    random = np.random.default_rng(seed)
    y = random.integers(n_classes, size=n)
    signal = np.eye(n_classes)[y] * 2
    return np.array([signal + random.normal(size=signal.shape), signal / 2 + random.normal(size=signal.shape)]), y


def loss(scores, y, factors, shift):
    z = np.log(np.bincount(y) / len(y)) + np.tensordot(factors, scores, 1) + shift
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    targets = np.empty(log_p.shape)
    for i, k in enumerate(y):
        short = 1 / (np.count_nonzero(y == k) + 2)
        targets[i] = short / (log_p.shape[1] - 1)
        targets[i, k] = 1 - short
    return -(targets * log_p).sum() + (((factors - 1 / len(factors)) ** 2).sum() + (shift**2).sum()) / 20


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_every_step_away_from_the_minimum_costs_more(seed):
    scores, y = made_up(seed)
    found = joint(scores, y)
    shift = found.bias - np.log(np.bincount(y) / len(y))
    least = loss(scores, y, found.factors, shift)
    for step in np.random.default_rng(seed).normal(size=(10, 5)) * 0.01:
        assert loss(scores, y, np.maximum(found.factors + step[:2], 0), shift + step[2:]) >= least - 1e-9


def test_two_classes_are_joined_like_logistic_regression_of_the_differences():
    scores, y = made_up(1, n=4000, n_classes=2)
    found = joint(scores, y)
    features = (scores[:, :, 1] - scores[:, :, 0]).T
    reference = LogisticRegression(C=1e8).fit(features, y)
    np.testing.assert_allclose(found.factors, reference.coef_[0], rtol=0.02)
    assert found.bias[1] - found.bias[0] == pytest.approx(reference.intercept_[0], abs=0.02)


def test_a_score_that_is_never_right_is_left_out():
    scores, y = made_up(2)
    assert joint(np.array([scores[0], -scores[0]]), y).factors[1] == 0


def test_rows_whose_class_was_not_known_have_no_part():
    scores, y = made_up(3)
    scores[:, :5][:, np.arange(5), y[:5]] = -np.inf
    found, of_others = joint(scores, y), joint(scores[:, 5:], y[5:])
    np.testing.assert_allclose(found.factors, of_others.factors, atol=0.05)  # but for the classes' shares
    joined = found.scores(scores)
    assert np.isneginf(joined[np.arange(5), y[:5]]).all()
    assert np.isfinite(joined[5:]).all()


def test_without_rows_to_learn_from_scores_are_averaged():
    scores = np.full((2, 2, 2), -np.inf)
    scores[:, [0, 1], [1, 0]] = 3.0
    found = joint(scores, np.array([0, 1]))
    assert found.factors.tolist() == [0.5, 0.5]
    np.testing.assert_allclose(found.bias, np.log([0.5, 0.5]))


def test_scores_that_tell_all_rows_apart_do_not_make_for_certainty():
    y = np.arange(200) % 2
    found = joint(np.array([np.eye(2)[y] * 10]), y)
    log_odds = found.factors[0] * 10
    assert log_odds == pytest.approx(np.log(101), rel=0.02)  # none of 100 has gone wrong: 1/102 may


def test_targets_are_shared_by_the_classes_that_take_part():
    known = np.array([[True, True, True], [True, False, True], [True, False, False]])
    targets = platt_targets(np.array([0, 0, 0]), np.ones(3), known)
    np.testing.assert_allclose(targets, [[0.8, 0.1, 0.1], [0.8, 0, 0.2], [1, 0, 0]])
