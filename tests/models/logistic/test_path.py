import numpy as np
import pytest
from scipy import sparse

from textnb.models.logistic import path as path_module
from textnb.models.logistic.path import (
    STRENGTHS,
    PresenceProblem,
    PresenceRows,
    Search,
    best_log_loss,
    cross_validated,
    left_out_loss,
)
from textnb.models.logistic.ratios import Presence
from textnb.numerics import log_softmax

losses = pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])


def rows_of(n_rows=60, n_terms=25, n_classes=3, seed=0):
    """Rows of which most tell their class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    rates = 0.3 + 0.8 * (np.arange(n_terms) % n_classes == y[:, np.newaxis])
    X = sparse.csr_array(rng.poisson(0.6 * rates))
    weight = rng.integers(1, 3, n_rows).astype(float)
    return PresenceRows(Presence.of(X), y, weight, weight * (1 + y), n_classes), rng.integers(0, 4, n_rows)


def maker(loss="logistic", min_df=2):
    return lambda rows: PresenceProblem.of(rows, loss, 1.0, min_df)


def scores_from_scratch(rows, folds, loss, l2):
    """Scores of every row by a model of the rows outside its fold, each sought alone and to the end."""
    scores = np.zeros((len(folds), 3))
    for f in np.unique(folds):
        problem = maker(loss)(rows.chosen(folds != f))
        linear = problem.linear(problem.minimum(l2, 1e-9, 1000).point.theta)
        Z = problem.scaled(rows.chosen(folds == f)).toarray()
        scores[folds == f] = Z @ linear.by_term + linear.bias
    return scores


@losses
def test_the_path_is_that_of_fitting_every_fold_from_scratch(loss, monkeypatch):
    monkeypatch.setattr(path_module, "_PATH_TOL", 1e-9)
    rows, folds = rows_of()
    path, _ = cross_validated(rows, folds, maker(loss), Search(STRENGTHS))
    for t, l2 in enumerate(path.strengths):
        scores = scores_from_scratch(rows, folds, loss, l2)
        assert path.losses[t] == pytest.approx(best_log_loss(scores, rows.y, rows.weight), rel=1e-6)
        if t == path.best:
            np.testing.assert_allclose(path.scores, scores, atol=1e-6)


@losses
@pytest.mark.parametrize("n_rows", [0, 1, 20, 40, 59, 60, 61])
def test_a_search_by_fewer_rows_takes_the_first_folds_that_hold_them_and_scores_all(loss, n_rows, monkeypatch):
    monkeypatch.setattr(path_module, "_PATH_TOL", 1e-9)
    rows, folds = rows_of()
    sizes = np.cumsum(np.bincount(folds))
    searched = folds <= np.argmax(sizes >= min(n_rows, 60))
    path, guess = cross_validated(rows, folds, maker(loss), Search(STRENGTHS, n_rows=n_rows))
    for l2, found in zip(path.strengths, path.losses, strict=True):
        scores = scores_from_scratch(rows, folds, loss, l2)[searched]
        assert found == pytest.approx(best_log_loss(scores, rows.y[searched], rows.weight[searched]), rel=1e-6)
    best = scores_from_scratch(rows, folds, loss, path.strengths[path.best])
    np.testing.assert_allclose(path.scores, best, atol=1e-5)
    _, whole = cross_validated(rows, folds, maker(loss), Search((path.strengths[path.best],)))
    np.testing.assert_allclose(guess, whole, atol=1e-5)


@pytest.mark.parametrize("n_rows", [1, 60])
def test_rows_of_a_class_in_one_fold_only_do_not_count_as_rows_to_choose_by(n_rows):
    rows, folds = rows_of()
    folds = np.where(rows.y == 2, 0, 1 + np.arange(60) // 3 % 2)  # the whole first fold cannot be scored
    path, guess = cross_validated(rows, folds, maker(), Search((3.0, 1.0), n_rows=n_rows))
    known = folds == 1 if n_rows == 1 else folds > 0
    only = cross_validated(rows, folds, maker(), Search((path.strengths[path.best],)))[0]
    loss = best_log_loss(only.scores[known], rows.y[known], rows.weight[known])
    assert path.losses[path.best] == pytest.approx(loss, rel=0.05)
    assert np.isfinite(path.scores[folds > 0]).all()
    assert guess is None


@losses
def test_the_path_with_its_loose_tolerance_is_close_to_the_exact_one(loss, monkeypatch):
    rows, folds = rows_of()
    loose, _ = cross_validated(rows, folds, maker(loss), Search(STRENGTHS))
    monkeypatch.setattr(path_module, "_PATH_TOL", 1e-9)
    exact, _ = cross_validated(rows, folds, maker(loss), Search(STRENGTHS))
    n = min(len(loose.losses), len(exact.losses))
    np.testing.assert_allclose(loose.losses[:n], exact.losses[:n], rtol=0.05)


@pytest.mark.parametrize("min_gain", [-np.inf, 0.0, 0.01, 0.1, 1.0])
def test_a_path_ends_where_little_is_won_and_takes_the_least_loss(min_gain):
    rows, folds = rows_of()
    path, _ = cross_validated(rows, folds, maker(), Search(STRENGTHS, min_gain))
    assert path.strengths == STRENGTHS[: len(path.losses)]
    assert path.best == int(np.argmin(path.losses))
    falls = np.array(path.losses[1:]) / path.losses[:-1]
    assert (falls[:-1] < 1 - min_gain).all()
    assert len(path.losses) == len(STRENGTHS) or falls[-1] >= 1 - min_gain


@pytest.mark.parametrize("min_gain", [0.01, 0.1, 1.0])
def test_a_strict_search_takes_the_last_strength_that_gained_enough_and_its_scores(min_gain):
    rows, folds = rows_of()
    path, _ = cross_validated(rows, folds, maker(), Search(STRENGTHS, min_gain, is_strict=True))
    assert len(path.losses) < len(STRENGTHS)
    assert path.best == len(path.losses) - 2
    shorter, _ = cross_validated(rows, folds, maker(), Search(path.strengths[:-1], min_gain))
    np.testing.assert_array_equal(path.scores, shorter.scores)


def test_what_is_held_out_is_not_heard_of():
    rows, folds = rows_of()
    known, _ = cross_validated(rows, folds, maker(), Search((0.3,)))
    mixed = rows._replace(y=np.where(folds == 0, (rows.y + 1) % 3, rows.y))
    other, _ = cross_validated(mixed, folds, maker(), Search((0.3,)))
    np.testing.assert_array_equal(known.scores[folds == 0], other.scores[folds == 0])
    assert (known.scores[folds == 1] != other.scores[folds == 1]).any()


def test_terms_and_ratios_are_learnt_anew_in_every_fold():
    X = sparse.csr_array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]] * 2)
    y, folds = np.array([0, 0, 1, 1] * 2), np.repeat([0, 1], 4)
    rows = PresenceRows(Presence.of(X), y, np.ones(8), np.ones(8), 2)
    parts = [path_module.Fold(rows, folds == f, maker(min_df=3)) for f in range(2)]
    assert [part.problem.columns.tolist() for part in parts] == [[], []]  # two rows are left, of three asked for
    parts = [path_module.Fold(rows, folds == f, maker(min_df=2)) for f in range(2)]
    assert [part.problem.columns.tolist() for part in parts] == [[0, 1], [0, 1]]  # the third has a ratio of 1


def test_scores_of_pruned_models_are_those_of_pruning_in_the_fold(monkeypatch):
    monkeypatch.setattr(path_module, "_PATH_TOL", 1e-9)
    rows, folds = rows_of()
    path, _ = cross_validated(rows, folds, maker(), Search((0.1,)), prune=0.3)
    problem = maker()(rows.chosen(folds != 2))
    few = problem.pruned(problem.minimum(0.1, 1e-9, 100).point.theta, 0.3)
    linear = few.linear(few.minimum(0.1, 1e-9, 100).point.theta)
    Z = few.scaled(rows.chosen(folds == 2)).toarray()
    np.testing.assert_allclose(path.scores[folds == 2], Z @ linear.by_term + linear.bias, atol=1e-6)


def test_a_class_in_one_fold_only_is_impossible_there_and_left_out_of_the_loss():
    rows, folds = rows_of()
    folds = np.where(rows.y == 2, 0, folds)
    path, guess = cross_validated(rows, folds, maker(), Search((1.0,)))
    assert np.isneginf(path.scores[folds == 0][:, 2]).all()
    assert np.isfinite(path.scores[folds != 0]).all()
    known = rows.y != 2
    assert path.losses[0] == pytest.approx(best_log_loss(path.scores[known], rows.y[known], rows.weight[known]))
    assert guess is None


def test_where_nothing_can_be_held_out_there_is_no_path():
    rows, folds = rows_of()
    assert cross_validated(rows, folds * 0, maker(), Search(STRENGTHS)) is None
    assert cross_validated(rows._replace(y=rows.y * 0, n_classes=1), folds, maker(), Search(STRENGTHS)) is None
    assert cross_validated(rows, rows.y, maker(), Search(STRENGTHS)) is None
    assert np.isnan(left_out_loss(rows.y, rows.weight, np.full((60, 3), -np.inf)))


def test_the_guess_is_close_to_the_minimum_of_all_rows():
    rows, folds = rows_of(200)
    problem = maker(min_df=1)(rows)
    path, guess = cross_validated(rows, folds, maker(min_df=1), Search((0.3,)))
    theta = problem.minimum(path.strengths[0], 1e-9, 100).point.theta
    assert np.linalg.norm(guess[np.append(problem.columns, -1)] - theta) < 0.5 * np.linalg.norm(theta)


def scores_of(seed=0, n_rows=40, n_classes=3, sure=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    scores = rng.normal(size=(n_rows, n_classes))
    scores[np.arange(n_rows), y] += sure
    return scores, y, rng.random(n_rows) + 0.2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [0.01, 1.0, 30.0])
def test_it_is_the_least_log_loss_on_a_fine_grid_of_temperatures(seed, size):
    scores, y, weight = scores_of(seed)
    grid = np.geomspace(0.01, 20, 4000)
    losses = [-weight @ log_softmax(t * scores)[np.arange(40), y] / weight.sum() for t in grid]
    assert best_log_loss(size * scores, y, weight) == pytest.approx(min(losses), rel=1e-6)
    assert best_log_loss(size * scores, y, weight) <= min(losses)


def test_a_number_added_to_a_rows_scores_changes_nothing():
    scores, y, weight = scores_of()
    shifted = scores + np.arange(40)[:, np.newaxis]
    assert best_log_loss(shifted, y, weight) == pytest.approx(best_log_loss(scores, y, weight))


def test_scores_that_lie_or_say_nothing_are_worth_a_guess():
    scores, y, weight = scores_of(sure=5.0)
    assert best_log_loss(-scores, y, weight) == pytest.approx(np.log(3))
    assert best_log_loss(scores * 0, y, weight) == pytest.approx(np.log(3))


def test_where_every_row_is_right_the_loss_is_next_to_nothing():
    scores, y, weight = scores_of(sure=20.0)
    assert 0 <= best_log_loss(scores, y, weight) < 1e-6


def test_a_class_that_is_impossible_is_as_if_it_were_not_there():
    scores, y, weight = scores_of(n_classes=2)
    with_third = np.column_stack([scores, np.full(40, -np.inf)])
    assert best_log_loss(with_third, y, weight) == pytest.approx(best_log_loss(scores, y, weight))
