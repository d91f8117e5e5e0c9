import numpy as np
import pytest

from textnb.models.logistic.path import best_log_loss
from textnb.numerics import log_softmax


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
    assert best_log_loss(scores + np.arange(40)[:, np.newaxis], y, weight) == pytest.approx(
        best_log_loss(scores, y, weight)
    )


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
