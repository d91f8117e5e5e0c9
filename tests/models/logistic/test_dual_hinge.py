import weakref
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, sparse

from textnb.errors import InputError
from textnb.extension import VARIABLE
from textnb.models.logistic import squared_hinge
from textnb.models.logistic.path import near_minimum
from textnb.models.logistic.solvers import minimum
from textnb.models.logistic.squared_hinge import (
    Descent,
    HingeRows,
    SquaredHingeLoss,
    balanced,
    best_bias,
    descended,
    is_for_passes,
)

native = pytest.importorskip("textnb._native", reason="the C extension is not built")
classes = pytest.mark.parametrize("n_classes", [2, 4])


@pytest.fixture(autouse=True)
def with_the_extension(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


def problem(n_classes=4, l2=0.3, n_rows=120, n_terms=1200):
    """Rows of length 1 with more terms than rows, of weights that differ, and the loss over them."""
    rng = np.random.default_rng(5)
    y = np.arange(n_rows) % n_classes
    rates = 0.01 + 0.1 * (np.arange(n_terms) % n_classes == y[:, np.newaxis])
    X = (rng.random((n_rows, n_terms)) < rates).astype(float)
    X[:, :3] = 1
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return SquaredHingeLoss.of(sparse.csr_array(X), y, rng.random(n_rows) + 0.5, l2)


def exact(loss):
    return minimum(loss, 1e-9, 500).point.theta


def pass_by_formula(loss, descent, order):
    """Eqs. (8) and (9), a row and a class at a time."""
    alpha, theta, X = descent.alpha.copy(), descent.theta.copy(), loss.Z.columns.toarray()
    for i in order:
        f = X[i] @ theta[:-1] + theta[-1]
        for m, t in enumerate(loss.targets[i]):
            e = loss.l2 / (2 * loss.Z.weight[i])
            new = max(0, alpha[i, m] - (t * f[m] - 1 + e * alpha[i, m]) / (X[i] @ X[i] + 1 + e))
            theta[:-1, m] += (new - alpha[i, m]) * t * X[i]
            theta[-1, m] += (new - alpha[i, m]) * t
            alpha[i, m] = new
    return alpha, theta


@classes
def test_a_pass_is_that_of_the_formulas(n_classes):
    loss = problem(n_classes, n_rows=30, n_terms=80)
    descent = Descent.at(loss.at(loss.start))
    for _ in range(2):  # the second pass begins where the first has ended
        order = np.random.default_rng(0).permutation(30)
        descent.chance = np.random.default_rng(0)
        alpha, theta = pass_by_formula(loss, descent, order)
        descent.go_on()
        theta[-1] += (alpha * loss.targets).sum(axis=0)
        np.testing.assert_allclose(descent.alpha, alpha, atol=1e-12)
        np.testing.assert_allclose(descent.theta, theta, atol=1e-12)


def test_one_theta_is_certified_at_a_time(monkeypatch):
    made, certified = [], Descent.certified

    def watched(descent):
        assert not any(theta() is not None for theta in made)
        found = certified(descent)
        made.append(weakref.ref(found.theta))
        return found

    monkeypatch.setattr(Descent, "certified", watched)
    loss = problem()
    descended(loss.at(loss.start), 1e-6, 200)
    assert len(made) > 2


@classes
@pytest.mark.parametrize("l2", [0.05, 3.0])
def test_passes_end_at_the_minimum_that_newton_finds(n_classes, l2):
    loss = problem(n_classes, l2)
    assert is_for_passes(loss)
    found = descended(loss.at(loss.start), 1e-6, 200)
    assert found.is_close
    assert found.point.value == pytest.approx(loss.at(exact(loss)).value, rel=1e-9)
    np.testing.assert_allclose(found.point.theta, exact(loss), atol=1e-4)


@classes
def test_the_minimum_is_never_farther_than_is_told(n_classes):
    loss = problem(n_classes, 0.02)
    truth, descent = exact(loss)[:-1], Descent.at(loss.at(loss.start))
    told = []
    for _ in range(12):
        descent.go_on()
        found = descent.certified()
        assert np.linalg.norm(found.weights - truth) <= found.distance
        told.append(found.distance)
    assert told[-1] < told[0] / 4


def test_what_is_told_of_a_point_is_the_loss_there():
    loss = problem()
    descent = Descent.at(loss.at(loss.start))
    descent.go_on()
    found = descent.certified()
    again = loss.at(np.vstack([found.weights, found.bias + loss.Z.means[0] @ found.weights]))
    assert found.value == pytest.approx(again.value, rel=1e-12)
    np.testing.assert_allclose(found.scores, again.scores, atol=1e-10)
    np.testing.assert_allclose(again.gradient[-1], 0, atol=1e-9)  # no bias is better for these weights


def test_a_minimum_at_another_strength_is_where_the_passes_begin():
    loss = problem()
    theta = exact(loss)
    descent = Descent.at(replace(loss, l2=0.1).at(theta))
    np.testing.assert_allclose(descent.theta[:-1], theta[:-1], atol=1e-8)
    np.testing.assert_allclose(descent.theta[-1], theta[-1] - loss.Z.means[0] @ theta[:-1], atol=1e-12)
    np.testing.assert_allclose(descent.alpha, 2 / loss.l2 * loss.Z.weight[:, np.newaxis] * loss.at(theta).missing)


def test_passes_that_are_too_few_say_so():
    loss = problem(l2=0.01)
    found = descended(loss.at(loss.start), 1e-9, 3)
    assert (found.passes, found.is_close) == (3, False)


def test_newton_goes_on_where_passes_do_not_get_there(monkeypatch):
    loss = problem(l2=0.01)
    monkeypatch.setattr(squared_hinge, "_MAX_PASSES", 2)
    found = near_minimum(loss, 1e-8, 500, None)
    assert not found.trouble
    assert found.steps > 2
    few = near_minimum(loss, 1e-8, 50, None)  # its own steps are not those of the passes
    assert not few.trouble
    np.testing.assert_allclose(found.point.theta, exact(loss), atol=1e-6)


def test_passes_are_for_many_sparse_rows_and_the_extension_only(monkeypatch):
    loss = problem()
    dense = SquaredHingeLoss.of(loss.Z.columns.toarray(), np.arange(120) % 4, loss.Z.weight, 0.3)
    assert is_for_passes(loss)
    assert not any(is_for_passes(some) for some in (replace(loss, l2=0.0), dense, problem(n_terms=50)))
    monkeypatch.setenv(VARIABLE, "python")
    assert not is_for_passes(loss)


def test_a_row_that_weighs_next_to_nothing_is_left_to_newton():
    loss = problem()
    weight = loss.Z.weight.copy()
    weight[0] = 1e-320
    assert not is_for_passes(SquaredHingeLoss.of(loss.Z.columns, np.arange(120) % 4, weight, 0.3))


def test_nothing_is_told_where_the_bound_is_no_number(monkeypatch):
    loss = problem()
    monkeypatch.setattr(squared_hinge, "balanced", lambda alpha, _: alpha * np.inf)
    with np.errstate(invalid="ignore"):
        assert Descent.at(loss.at(loss.start)).certified().distance == np.inf


def test_numbers_whose_squares_are_too_large_are_refused():
    loss = problem()
    huge = SquaredHingeLoss.of(loss.Z.columns * 1e200, np.arange(120) % 4, loss.Z.weight, 0.3)
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(InputError, match="too large for their squares"):
        near_minimum(huge, 0.1, 100, None)


def test_both_sides_of_a_column_weigh_the_same_once_balanced():
    rng = np.random.default_rng(2)
    alpha, targets = rng.random((9, 4)), rng.choice([-1.0, 1.0], (9, 4))
    targets[:, 3] = 1  # one side is empty: nothing is left of the other
    found = balanced(alpha, targets)
    np.testing.assert_allclose((found * targets).sum(axis=0), 0, atol=1e-12)
    assert ((found <= alpha) & (found >= 0)).all()
    assert not found[:, 3].any()
    smaller = np.where((alpha * targets).sum(axis=0) > 0, targets < 0, targets > 0)
    np.testing.assert_allclose(found[smaller], alpha[smaller])


def test_the_best_bias_is_that_of_a_search():
    rng = np.random.default_rng(3)
    scores, targets, weight = rng.normal(size=(20, 3)), rng.choice([-1.0, 1.0], (20, 3)), rng.random(20) + 0.1
    found = best_bias(scores, targets, weight, np.zeros(3))
    for m in range(3):
        s, t = scores[:, m], targets[:, m]
        truth = optimize.minimize_scalar(lambda b, s=s, t=t: weight @ np.maximum(0, 1 - t * (s + b)) ** 2, tol=1e-12).x
        assert found[m] == pytest.approx(truth, abs=1e-6)


def arguments(**changed):
    given = {
        "starts": np.array([0, 1, 2], np.int32),
        "columns": np.array([0, 1], np.int32),
        "values": np.ones(2),
        "targets": np.ones(2),
        "slack": np.ones(2),
        "curvature": np.ones(2),
        "order": np.array([0, 1], np.int32),
        "alpha": np.zeros(2),
        "theta": np.zeros(3),
        "n_columns": 2,
        "n_targets": 1,
        "size": 8,
    }
    return (given | changed).values()


def test_the_arguments_that_others_are_made_from_are_good():
    assert native.hinge_pass(*arguments()) is None


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"starts": np.empty(0, np.int32)}, "starts: there must be one more than rows"),
        ({"starts": np.array([0, 1, 3], np.int32)}, "out of range"),
        ({"starts": np.array([0, 2, 1], np.int32)}, "out of range"),
        ({"starts": np.array([0, -1, 2], np.int32)}, "out of range"),
        ({"columns": np.array([0, 2], np.int32)}, "out of range"),
        ({"columns": np.array([0, -1], np.int32)}, "out of range"),
        ({"order": np.array([0, 2], np.int32)}, "out of range"),
        ({"order": np.array([-1], np.int32)}, "out of range"),
        ({"values": np.ones(1)}, "values: 8 bytes"),
        ({"values": np.ones(3, np.float32)[1:]}, "values: 8 bytes"),
        ({"targets": np.ones(3)}, "targets: 24 bytes"),
        ({"slack": np.ones(1)}, "slack: 8 bytes"),
        ({"curvature": b""}, "curvature: 0 bytes"),
        ({"alpha": np.zeros(1)}, "alpha: 8 bytes"),
        ({"theta": np.zeros(2)}, "theta: 16 bytes"),
        ({"theta": np.zeros(25, np.uint8)[1:]}, "theta: 24 bytes at .* are not 3 numbers"),
        ({"n_targets": 0}, "out of range"),
        ({"n_columns": -1}, "out of range"),
        ({"n_targets": 1 << 40}, "out of range"),
        ({"size": 2}, "values have 4 or 8 bytes, not 2"),
        ({"size": 4}, "values: 16 bytes"),
        ({"size": 4, "values": np.ones(2, np.float32)}, "theta: 24 bytes"),
    ],
    ids=str,
)
def test_the_pass_refuses_memory_that_does_not_fit(changed, why):
    with pytest.raises(ValueError, match=why):
        native.hinge_pass(*arguments(**changed))


@classes
def test_passes_in_single_precision_end_near_the_minimum_and_say_how_near(n_classes):
    loss = problem(n_classes)
    rows = HingeRows(loss.Z.by_rows.astype(np.float32), loss.targets, loss.Z.weight, loss.l2)
    found, _, is_close = Descent(rows, np.zeros(loss.targets.shape), loss.start_bias).run(0.01, 200)
    assert is_close
    assert found.weights.dtype == np.float32
    truth = exact(loss)[:-1]
    assert np.linalg.norm(found.weights - truth) <= found.distance <= 0.01 * np.linalg.norm(truth) * 1.02


@classes
@pytest.mark.parametrize("n_left_out", [1, 40])
def test_rows_of_weight_0_are_scored_and_not_learnt_from(n_classes, n_left_out):
    loss = problem(n_classes)
    kept = np.arange(120) >= n_left_out
    weight, targets, X = np.where(kept, loss.Z.weight, 0.0), loss.targets, loss.Z.by_rows
    start = Descent(HingeRows(X, targets, weight, 0.3), np.zeros(targets.shape), np.zeros(targets.shape[1]))
    found, _, is_close = start.run(1e-6, 200)
    assert is_close
    rest = SquaredHingeLoss.of(X[kept], loss.y[kept], weight[kept], 0.3)
    theta = exact(rest)
    np.testing.assert_allclose(found.weights, theta[:-1], atol=1e-4)
    bias = theta[-1] - rest.Z.means[0] @ theta[:-1]
    np.testing.assert_allclose(found.scores, X @ theta[:-1] + bias, atol=1e-4)


def test_the_pass_refuses_memory_that_must_not_change():
    theta = np.zeros(3)
    theta.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        native.hinge_pass(*arguments(theta=theta))
