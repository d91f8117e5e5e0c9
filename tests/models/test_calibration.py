"""Calibration: the optimum of eq. (2) by brute force, known parameters found again, and the edges."""

import json
import math
from dataclasses import fields, replace

import numpy as np
import pytest

from textnb.errors import InputError
from textnb.models.calibration import Calibration, HeldOut, fit_calibration


def held_out(scores, y, lengths=50.0, weights=1.0, log_prior=None):
    scores = np.asarray(scores, float)
    n, k = scores.shape
    prior = np.full((n, k), -np.log(k)) if log_prior is None else np.broadcast_to(log_prior, (n, k)).astype(float)
    full = [np.broadcast_to(values, n).astype(float) for values in (lengths, weights)]
    return HeldOut(scores, prior, full[0], np.asarray(y, np.intp), full[1])


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def drawn(n, a, n_0, b, seed=0, log_prior=None, spread=30.0):
    """Documents whose classes are drawn from eq. (1) itself."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 400, n).astype(float)
    scores = rng.normal(0, spread, (n, len(b)))
    prior = np.full(len(b), -np.log(len(b))) if log_prior is None else log_prior
    P = softmax(prior + scores * (a / (1 + lengths / n_0))[:, np.newaxis] + b)
    y = (P.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return held_out(scores, y, lengths, log_prior=prior)


def objective(given, scale, shortening, bias):
    """Eq. (2), document by document; documents without a known token have the prior, whatever the parameters."""
    loss, used = 0.0, [i for i, n in enumerate(given.lengths) if n > 0]
    for i in used:
        factor = scale / (1 + shortening * given.lengths[i])
        z = [
            prior + factor * score + shift
            for prior, score, shift in zip(given.log_prior[i], given.scores[i], bias, strict=True)
            if score > -math.inf
        ]
        own = given.log_prior[i, given.y[i]] + factor * given.scores[i, given.y[i]] + bias[given.y[i]]
        most = max(z)
        loss -= given.weights[i] * (own - most - math.log(sum(math.exp(value - most) for value in z)))
    mean = max(np.average(given.lengths[used], weights=given.weights[used]), 1.0)
    return loss + (math.log(scale) ** 2 + (mean * shortening) ** 2 + float(np.sum(np.square(bias)))) / 20


CASES = {
    "too sure": held_out([[0, -90], [-50, 0], [-3, -1], [-60, 0]], [0, 1, 0, 1]),
    "three classes": drawn(80, 0.4, 60.0, np.array([0.5, -0.5, 0.0]), seed=1),
    "a prior": drawn(60, 1.5, 500.0, np.array([0.0, 0.0]), seed=2, log_prior=np.log([0.9, 0.1]), spread=2.0),
    "weights": replace(drawn(50, 0.2, 100.0, np.zeros(2), seed=3), weights=np.tile([1.0, 4.0], 25)),
    "empty documents among them": held_out(
        [[0, -9], [-9, 0], [-4, -3], [0, 0], [0, 0]], [0, 1, 0, 0, 0], [9, 20, 4, 0, 0]
    ),
    "impossible classes": held_out([[-3, -np.inf, -5], [-9, -2, -1], [-4, -3, -2], [-8, -5, -1]], [0, 1, 0, 2]),
    "always right": held_out([[0, -5], [-5, 0], [0, -6], [-3, 0]], [0, 1, 0, 1]),
    "always wrong": held_out([[0, -5], [-5, 0], [0, -6], [-3, 0]], [1, 0, 1, 0]),
}


@pytest.mark.parametrize("given", CASES.values(), ids=CASES.keys())
def test_no_parameters_nearby_do_better(given):
    found = fit_calibration(given)
    best = objective(given, found.scale, found.shortening, found.bias)
    mean = np.average(given.lengths, weights=given.weights)
    rng = np.random.default_rng(7)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        steps = [*np.eye(2 + len(found.bias)), *-np.eye(2 + len(found.bias))]
        steps += list(rng.normal(size=(20, 2 + len(found.bias))))
        for step in steps:
            scale = found.scale * math.exp(size * step[0])
            shortening = max(found.shortening + size * step[1] / mean, 0.0)
            assert objective(given, scale, shortening, found.bias + size * step[2:]) >= best - 1e-9 * (1 + best)


@pytest.mark.parametrize(
    ("a", "n_0", "b"), [(0.3, 100.0, [0.7, -0.7]), (1.0, 40.0, [0.0, 0.4, -0.4]), (0.05, 1000.0, [0.0, 0.0])]
)
def test_the_parameters_that_made_the_data_are_found_again(a, n_0, b):
    found = fit_calibration(drawn(20_000, a, n_0, np.array(b), seed=4))
    lengths = np.array([10.0, 100.0, 300.0])
    np.testing.assert_allclose(found.factors(lengths), a / (1 + lengths / n_0), rtol=0.1)
    np.testing.assert_allclose(found.bias - found.bias.mean(), b, atol=0.1)


def test_scores_that_mean_what_they_say_stay_as_they_are():
    found = fit_calibration(drawn(20_000, 1.0, math.inf, np.zeros(3), seed=5, spread=2.0))
    assert found.scale == pytest.approx(1, abs=0.05)
    assert found.shortening * 200 == pytest.approx(0, abs=0.05)
    np.testing.assert_allclose(found.bias, 0, atol=0.05)


def test_where_there_is_nothing_to_go_by_nothing_is_changed():
    found = fit_calibration(held_out([[0, 0], [0, 0]], [0, 1]))
    assert (found.scale, found.shortening, found.bias.tolist()) == (1, 0, [0, 0])


def test_weights_are_repetitions():
    plain = drawn(40, 0.3, 100.0, np.zeros(3), seed=6)
    times = np.arange(40) % 3 + 1
    columns = [np.repeat(values, times, axis=0) for values in (plain.scores, plain.log_prior, plain.lengths, plain.y)]
    repeated = fit_calibration(HeldOut(*columns, np.ones(times.sum())))
    weighted = fit_calibration(replace(plain, weights=times.astype(float)))
    assert_same(repeated, weighted)


def test_the_order_of_the_documents_does_not_matter():
    given = drawn(60, 0.3, 100.0, np.zeros(3), seed=8)
    shuffled = given.rows(np.random.default_rng(9).permutation(60))
    assert_same(fit_calibration(given), fit_calibration(shuffled))


def assert_same(one, other):
    assert one.scale == pytest.approx(other.scale, rel=1e-6)
    assert one.shortening == pytest.approx(other.shortening, rel=1e-5, abs=1e-9)
    np.testing.assert_allclose(one.bias, other.bias, atol=1e-6)


def test_a_class_of_which_no_document_was_scored_keeps_its_bias_of_zero():
    given = drawn(50, 0.3, 100.0, np.array([0.5, -0.5]), seed=10)
    without = fit_calibration(given)
    wide = np.insert(given.scores, 1, -1.0, axis=1)
    prior = np.insert(given.log_prior, 1, -9.0, axis=1)
    found = fit_calibration(HeldOut(wide, prior, given.lengths, np.where(given.y == 1, 2, 0), given.weights))
    assert found.bias[1] == 0
    np.testing.assert_allclose(found.bias[[0, 2]], without.bias, rtol=1e-6)
    assert found.scale == pytest.approx(without.scale, rel=1e-6)


def test_documents_without_a_known_token_teach_nothing():
    given = drawn(50, 0.3, 100.0, np.zeros(2), seed=11)
    empty = held_out(np.zeros((20, 2)), [0] * 20, 0.0)
    both = (np.concatenate([getattr(part, each.name) for part in (given, empty)]) for each in fields(HeldOut))
    assert_same(fit_calibration(HeldOut(*both)), fit_calibration(given))


def test_empty_and_impossible_documents_get_the_prior():
    calibration = Calibration(0.5, 0.01, np.array([1.0, -1.0]))
    prior = np.log([0.3, 0.7])
    scores = np.array([[0.0, 0.0], [-3.0, -8.0], [-np.inf, -np.inf], [-2.0, -np.inf]])
    found = np.exp(calibration.log_posterior(scores, prior, np.array([0.0, 0.0, 5.0, 5.0])))
    np.testing.assert_allclose(found[:3], [[0.3, 0.7]] * 3)
    np.testing.assert_allclose(found[3], [1.0, 0.0])


def test_a_posterior_by_hand():
    calibration = Calibration(0.5, 0.01, np.array([1.0, -1.0]))
    found = calibration.log_posterior(np.array([[-30.0, -20.0]]), np.log([0.3, 0.7]), np.array([100.0]))
    z = np.log([0.3, 0.7]) + np.array([-30.0, -20.0]) * 0.5 / 2 + [1, -1]
    np.testing.assert_allclose(np.exp(found), softmax(z[np.newaxis]))
    assert calibration.factors(np.array([0.0, 100.0])).tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (held_out(np.zeros((0, 2)), []), "fewer than two classes"),
        (held_out([[0.0, -1.0]], [0]), "fewer than two classes"),
        (held_out([[0.0, -1.0], [0.0, -2.0]], [0, 0]), "fewer than two classes"),
        (held_out([[0.0, -1.0], [0.0, -2.0]], [0, 1], [5.0, 0.0]), "fewer than two classes"),
        (held_out([[-np.inf, 0.0], [-1.0, 0.0]], [0, 1]), "impossible"),
        (held_out([[0.0, -1.0], [-1.0, 0.0]], [0, 1], log_prior=[-np.inf, 0.0]), "impossible"),
    ],
)
def test_where_there_is_nothing_to_learn_from_the_reason_is_told(given, complaint):
    with pytest.raises(InputError, match=complaint):
        fit_calibration(given)


def test_a_calibration_comes_back_from_its_json():
    found = fit_calibration(CASES["three classes"])
    again = Calibration.of(json.loads(json.dumps(found.json)), 3)
    assert (again.scale, again.shortening, again.bias.tolist()) == (found.scale, found.shortening, found.bias.tolist())
    assert again.json == found.json


SOUND = {"scale": 0.5, "shortening": 0.0, "bias": [0.0, 1.0]}


@pytest.mark.parametrize(
    "facts",
    [
        {"scale": math.nan},
        {"scale": math.inf},
        {"scale": 0.0},
        {"scale": -1.0},
        {"shortening": -0.1},
        {"shortening": math.nan},
        {"shortening": math.inf},
        {"bias": []},
        {"bias": [0.0]},
        {"bias": [0.0, 1.0, 2.0]},
        {"bias": [[0.0, 1.0]]},
        {"bias": 0.5},
        {"bias": [0.0, math.nan]},
        {"bias": [0.0, None]},
    ],
)
def test_numbers_that_no_fit_could_give_are_refused(facts):
    Calibration.of(SOUND, 2)
    with pytest.raises(InputError, match="one finite bias per class, a positive scale"):
        Calibration.of({**SOUND, **facts}, 2)


def test_scores_that_do_not_grow_with_the_document_have_no_part_of_length():
    random = np.random.default_rng(0)
    y = random.integers(2, size=200)
    lengths = random.integers(1, 400, size=200).astype(float)
    scores = (np.eye(2)[y] + random.normal(size=(200, 2))) * lengths[:, np.newaxis] / 20
    assert fit_calibration(held_out(scores, y, lengths)).shortening > 0
    assert fit_calibration(held_out(scores, y, lengths), smoothed_targets=True).shortening == 0
