import math

import numpy as np
import pytest

from textnb.evaluation import Evaluation
from textnb.evaluation.intervals import MEASURES, GroupSums, estimate_measures
from textnb.evaluation.metrics import wilson_interval


def answers(seed, n=60, n_classes=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    scores = rng.normal(0, 1, (n, n_classes)) + 2 * np.eye(n_classes)[y]
    return y, scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def estimated(y, log_p, copies=1):
    y, log_p, groups = (np.repeat(each, copies, axis=0) for each in (y, log_p, np.arange(len(y))))
    return estimate_measures([GroupSums.of(y, log_p, groups)])


def evaluated(y, log_p):
    evaluation = Evaluation.of([f"{k}" for k in y], log_p, [f"{k}" for k in range(log_p.shape[1])])
    return [getattr(evaluation, name) for name in MEASURES]


@pytest.mark.parametrize("seed", range(5))
def test_measures_of_all_documents_are_those_of_an_evaluation(seed):
    y, log_p = answers(seed)
    found = GroupSums.of(y, log_p, np.arange(len(y))).measures(np.ones((1, len(y))))
    np.testing.assert_allclose(found[0], evaluated(y, log_p), atol=1e-12)


def test_measures_of_a_resample_are_those_of_its_documents_repeated():
    y, log_p = answers(7)
    groups = np.arange(len(y)) // 3
    W = np.random.default_rng(0).integers(0, 3, (4, 20)).astype(float)
    found = GroupSums.of(y, log_p, groups).measures(W)
    for times, row in zip(W, found, strict=True):
        rows = np.repeat(np.arange(len(y)), times[groups].astype(int))
        np.testing.assert_allclose(row, evaluated(y[rows], log_p[rows]), atol=1e-12)


def test_intervals_hold_their_estimates_and_keep_to_the_range_of_the_measure():
    for seed in range(5):
        y, log_p = answers(seed)
        for name, (value, low, high) in estimated(y, log_p).items():
            assert 0 <= low <= value <= high, name


def test_accuracy_has_wilsons_interval_of_as_many_documents_as_there_are_groups():
    y, log_p = answers(1)
    alone = estimated(y, log_p)["accuracy"]
    hits = int((log_p.argmax(axis=1) == y).sum())
    assert tuple(alone)[1:] == pytest.approx(wilson_interval(hits, len(y)), abs=1e-12)
    copies = estimated(y, log_p, copies=3)
    assert copies["accuracy"] == pytest.approx(alone, abs=1e-12)


def test_copies_of_documents_do_not_narrow_any_interval():
    y, log_p = answers(2)
    alone = estimated(y, log_p)
    copies = estimated(y, log_p, copies=3)
    for name in MEASURES:
        assert copies[name] == pytest.approx(alone[name], abs=1e-12)


def test_the_interval_of_a_mean_is_about_that_of_the_normal_distribution():
    y, log_p = answers(3, n=2000)
    losses = -log_p[np.arange(len(y)), y]
    _, low, high = estimated(y, log_p)["log_loss"]
    half = 1.96 * losses.std() / math.sqrt(len(y))
    assert (low, high) == pytest.approx((losses.mean() - half, losses.mean() + half), abs=0.15 * half)


def test_the_same_seed_gives_the_same_intervals_and_another_one_others():
    y, log_p = answers(4)
    sums = [GroupSums.of(y, log_p, np.arange(len(y)))]
    assert estimate_measures(sums, 1) == estimate_measures(sums, 1) != estimate_measures(sums, 2)


def test_repeats_are_averaged_and_a_repeat_of_the_same_changes_nothing():
    (y, a), (_, b) = answers(5), answers(6)
    sums = [GroupSums.of(y, log_p, np.arange(len(y))) for log_p in (a, b)]
    one, other = (estimated(y, log_p)["brier"] for log_p in (a, b))
    assert estimate_measures(sums)["brier"].value == pytest.approx((one.value + other.value) / 2)
    assert estimate_measures(sums[:1] * 2)["brier"] == pytest.approx(one)


def test_a_truth_held_impossible_makes_log_loss_infinite_and_nothing_else():
    y, log_p = np.array([0, 1, 0]), np.log([[0.5, 0.5], [0.5, 0.5], [0.25, 0.75]])
    log_p[1] = [0.0, -np.inf]
    found = estimated(y, log_p)
    assert found["log_loss"].value == found["log_loss"].high == math.inf
    assert all(math.isfinite(found[name].high) for name in MEASURES if name != "log_loss")
