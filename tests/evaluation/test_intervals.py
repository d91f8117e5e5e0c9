import math

import numpy as np
import pytest

from textnb.evaluation import metrics
from textnb.evaluation.intervals import MEASURES, Sums, measured


def answers(seed, n=60, n_classes=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    scores = rng.normal(0, 1, (n, n_classes)) + 2 * np.eye(n_classes)[y]
    return y, scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def by_metrics(y, log_p):
    table = metrics.confusion(y, log_p.argmax(axis=1), log_p.shape[1])
    P = np.exp(log_p)
    return [
        metrics.accuracy(table),
        metrics.macro_f1(table),
        metrics.log_loss(y, log_p),
        metrics.brier(y, P),
        metrics.calibration_error(y, P),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_measures_of_all_documents_are_those_of_metrics(seed):
    y, log_p = answers(seed)
    found = Sums.of(y, log_p, np.arange(len(y))).measures(np.ones((1, len(y))))
    np.testing.assert_allclose(found[0], by_metrics(y, log_p), atol=1e-12)


def test_measures_of_a_resample_are_those_of_its_documents_repeated():
    y, log_p = answers(7)
    groups = np.arange(len(y)) // 3
    W = np.random.default_rng(0).integers(0, 3, (4, 20)).astype(float)
    found = Sums.of(y, log_p, groups).measures(W)
    for times, row in zip(W, found, strict=True):
        rows = np.repeat(np.arange(len(y)), times[groups].astype(int))
        np.testing.assert_allclose(row, by_metrics(y[rows], log_p[rows]), atol=1e-12)


def test_intervals_hold_their_estimates_and_keep_to_the_range_of_the_measure():
    for seed in range(5):
        y, log_p = answers(seed)
        for name, (value, low, high) in measured([Sums.of(y, log_p, np.arange(len(y)))]).items():
            assert 0 <= low <= value <= high, name


def test_accuracy_has_wilsons_interval_of_as_many_documents_as_there_are_groups():
    y, log_p = answers(1)
    alone = measured([Sums.of(y, log_p, np.arange(len(y)))])["accuracy"]
    hits = int((log_p.argmax(axis=1) == y).sum())
    assert tuple(alone)[1:] == pytest.approx(metrics.wilson_interval(hits, len(y)), abs=1e-12)
    copies = measured([Sums.of(np.repeat(y, 3), np.repeat(log_p, 3, axis=0), np.repeat(np.arange(len(y)), 3))])
    assert copies["accuracy"] == pytest.approx(alone, abs=1e-12)


def test_copies_of_documents_do_not_narrow_any_interval():
    y, log_p = answers(2)
    alone = measured([Sums.of(y, log_p, np.arange(len(y)))])
    copies = measured([Sums.of(np.repeat(y, 3), np.repeat(log_p, 3, axis=0), np.repeat(np.arange(len(y)), 3))])
    for name in MEASURES:
        assert copies[name] == pytest.approx(alone[name], abs=1e-12)


def test_the_interval_of_a_mean_is_about_that_of_the_normal_distribution():
    y, log_p = answers(3, n=2000)
    losses = -log_p[np.arange(len(y)), y]
    _, low, high = measured([Sums.of(y, log_p, np.arange(len(y)))])["log_loss"]
    half = 1.96 * losses.std() / math.sqrt(len(y))
    assert (low, high) == pytest.approx((losses.mean() - half, losses.mean() + half), abs=0.15 * half)


def test_the_same_seed_gives_the_same_intervals_and_another_one_others():
    y, log_p = answers(4)
    sums = [Sums.of(y, log_p, np.arange(len(y)))]
    assert measured(sums, 1) == measured(sums, 1) != measured(sums, 2)


def test_repeats_are_averaged_and_a_repeat_of_the_same_changes_nothing():
    (y, a), (_, b) = answers(5), answers(6)
    one, other = (Sums.of(y, log_p, np.arange(len(y))) for log_p in (a, b))
    both = measured([one, other])
    assert both["brier"].value == pytest.approx((measured([one])["brier"].value + measured([other])["brier"].value) / 2)
    assert measured([one, one])["brier"] == pytest.approx(measured([one])["brier"])


def test_a_truth_held_impossible_makes_log_loss_infinite_and_nothing_else():
    y, log_p = np.array([0, 1, 0]), np.log([[0.5, 0.5], [0.5, 0.5], [0.25, 0.75]])
    log_p[1] = [0.0, -np.inf]
    found = measured([Sums.of(y, log_p, np.arange(3))])
    assert found["log_loss"].value == found["log_loss"].high == math.inf
    assert all(math.isfinite(found[name].high) for name in MEASURES if name != "log_loss")
