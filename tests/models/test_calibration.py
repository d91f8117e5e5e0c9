"""Calibration: the optimum of eq. (3) by brute force, known parameters found again, and the edges."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from textnb.errors import InputError
from textnb.models.calibration import (
    MAX_CLASSES_WITH_BIAS,
    HeldOut,
    OldCalibration,
    Sizes,
    TermCalibration,
    calibration_of,
    fit_calibration,
    joined,
)


def sizes_of(terms, n, weight=None):
    terms = np.broadcast_to(terms, n).astype(float)
    return Sizes(terms, terms, terms if weight is None else np.broadcast_to(weight, n).astype(float))


def held_out(scores, y, terms=50.0, weights=1.0, log_prior=None, weight=None):
    scores = np.asarray(scores, float)
    n, k = scores.shape
    prior = np.full((n, k), -np.log(k)) if log_prior is None else np.broadcast_to(log_prior, (n, k)).astype(float)
    weights = np.broadcast_to(weights, n).astype(float)
    return HeldOut(scores, prior, sizes_of(terms, n, weight), np.asarray(y, np.intp), weights)


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def factor(found, scores, terms, weight):
    """Eq. (1), for one document."""
    possible = [score for score in scores if score > -math.inf]
    u = (max(possible) - sum(possible) / len(possible)) / weight
    f = found.scale * terms / weight * (max(terms, found.least_terms) / found.mean_terms + 0.1) ** -found.terms_power
    return f * (u / found.mean_advantage + 0.01) ** -found.advantage_power


def drawn(n, a, g, h, b, *, seed, log_prior=None, spread=30.0):
    """Documents whose classes are drawn from eq. (2) itself."""
    rng = np.random.default_rng(seed)
    terms = rng.integers(1, 400, n).astype(float)
    weight = terms * rng.uniform(1, 2, n)
    scores = rng.normal(0, spread, (n, len(b))) * rng.gamma(2, 0.5, (n, 1))
    prior = np.full(len(b), -np.log(len(b))) if log_prior is None else log_prior
    advantage = (scores.max(axis=1) - scores.mean(axis=1)) / weight
    made = TermCalibration(a, 0.0, terms.mean(), g, advantage.mean(), h, np.asarray(b))
    P = np.exp(made.log_posterior(scores, np.tile(prior, (n, 1)), sizes_of(terms, n, weight)))
    y = (P.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return held_out(scores, y, terms, log_prior=prior, weight=weight), made


def objective(given, found):
    """Eq. (3), document by document; documents without a known term have the prior, whatever the parameters."""
    loss = 0.0
    for i in np.flatnonzero(given.sizes.terms > 0):
        f = factor(found, given.scores[i], given.sizes.terms[i], given.sizes.weight[i])
        z = [
            prior + f * score + shift
            for prior, score, shift in zip(given.log_prior[i], given.scores[i], found.bias, strict=True)
            if score > -math.inf
        ]
        own = given.log_prior[i, given.y[i]] + f * given.scores[i, given.y[i]] + found.bias[given.y[i]]
        most = max(z)
        loss -= given.weights[i] * (own - most - math.log(sum(math.exp(value - most) for value in z)))
    powers = found.terms_power**2 + found.advantage_power**2
    return loss + (math.log(found.scale) ** 2 + powers + float(np.sum(np.square(found.bias)))) / 20


CASES = {
    "too sure": held_out([[0, -90], [-50, 0], [-3, -1], [-60, 0]], [0, 1, 0, 1]),
    "three classes": drawn(80, 0.4, 0.6, 0.3, [0.5, -0.5, 0.0], seed=1)[0],
    "a prior": drawn(60, 1.5, 0.1, 0.1, [0.0, 0.0], seed=2, log_prior=np.log([0.9, 0.1]), spread=2.0)[0],
    "weights": replace(drawn(50, 0.2, 0.5, 0.5, np.zeros(2), seed=3)[0], weights=np.tile([1.0, 4.0], 25)),
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
    best = objective(given, found)
    rng = np.random.default_rng(7)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        steps = [*np.eye(3 + len(found.bias)), *-np.eye(3 + len(found.bias))]
        steps += list(rng.normal(size=(20, 3 + len(found.bias))))
        for step in steps:
            other = replace(
                found,
                scale=found.scale * math.exp(size * step[0]),
                terms_power=min(max(found.terms_power + size * step[1], 0.0), 0.95),
                advantage_power=min(max(found.advantage_power + size * step[2], 0.0), 0.95),
                bias=found.bias + size * step[3:],
            )
            assert objective(given, other) >= best - 1e-8 * (1 + best)


@pytest.mark.parametrize(
    ("a", "g", "h", "b"),
    [(0.3, 0.5, 0.3, [0.7, -0.7]), (1.0, 0.9, 0.0, [0.0, 0.4, -0.4]), (0.05, 0.0, 0.8, [0.0, 0.0])],
)
def test_the_parameters_that_made_the_data_are_found_again(a, g, h, b):
    given, made = drawn(20_000, a, g, h, b, seed=4)
    found = fit_calibration(given)
    few = given.rows(np.arange(50))
    expected = made.factors(few.scores, few.sizes)
    np.testing.assert_allclose(found.factors(few.scores, few.sizes), expected, rtol=0.2)
    assert (found.terms_power, found.advantage_power) == pytest.approx((g, h), abs=0.06)
    np.testing.assert_allclose(found.bias - found.bias.mean(), b, atol=0.1)


def test_scores_that_mean_what_they_say_stay_as_they_are():
    given, _ = drawn(20_000, 1.0, 0.0, 0.0, np.zeros(3), seed=5, spread=2.0)
    found = fit_calibration(given)
    assert found.scale == pytest.approx(1, abs=0.06)
    assert (found.terms_power, found.advantage_power) == pytest.approx((0, 0), abs=0.05)
    np.testing.assert_allclose(found.bias, 0, atol=0.05)


def test_without_any_evidence_nothing_is_changed():
    found = fit_calibration(held_out([[0, 0], [0, 0]], [0, 1]))
    assert (found.scale, found.terms_power, found.advantage_power, found.bias.tolist()) == (1, 0, 0, [0, 0])


def test_weights_are_repetitions():
    plain, _ = drawn(40, 0.3, 0.4, 0.2, np.zeros(3), seed=6)
    times = np.arange(40) % 3 + 1
    repeated = fit_calibration(plain.rows(np.repeat(np.arange(40), times)))
    weighted = fit_calibration(replace(plain, weights=times.astype(float)))
    assert_same(repeated, weighted)


def test_the_order_and_the_parts_of_the_documents_do_not_matter():
    given, _ = drawn(60, 0.3, 0.4, 0.2, np.zeros(3), seed=8)
    shuffled = given.rows(np.random.default_rng(9).permutation(60))
    assert_same(fit_calibration(given), fit_calibration(shuffled))
    parts = joined([given.rows(np.arange(20)), given.rows(np.arange(20, 60))])
    assert fit_calibration(parts).json == fit_calibration(given).json


def assert_same(one, other):
    numbers = [[*(each.json | {"bias": 0}).values(), *each.bias] for each in (one, other)]
    np.testing.assert_allclose(*numbers, rtol=1e-4, atol=1e-4)


def test_a_class_without_scored_documents_keeps_a_bias_of_zero():
    given, _ = drawn(50, 0.3, 0.4, 0.2, [0.5, -0.5], seed=10)
    wide = np.insert(given.scores, 1, given.scores.mean(axis=1), axis=1)
    prior = np.insert(given.log_prior, 1, -9.0, axis=1)
    found = fit_calibration(replace(given, scores=wide, log_prior=prior, y=np.where(given.y == 1, 2, 0)))
    without = fit_calibration(given)
    assert found.bias[1] == 0
    np.testing.assert_allclose(found.bias[[0, 2]], without.bias, rtol=1e-3, atol=1e-3)


def test_documents_without_a_known_term_teach_nothing():
    given, _ = drawn(50, 0.3, 0.4, 0.2, np.zeros(2), seed=11)
    empty = held_out(np.zeros((20, 2)), [0] * 20, 0.0)
    assert_same(fit_calibration(joined([given, empty])), fit_calibration(given))


CALIBRATIONS = {
    "new": TermCalibration(0.5, 0.0, 20.0, 0.4, 0.3, 0.2, np.array([1.0, -1.0])),
    "old": OldCalibration(0.5, 0.01, np.array([1.0, -1.0])),
}


@pytest.mark.parametrize("calibration", CALIBRATIONS.values(), ids=CALIBRATIONS.keys())
def test_empty_and_impossible_documents_get_the_prior(calibration):
    prior = np.log([0.3, 0.7])
    scores = np.array([[0.0, 0.0], [-3.0, -8.0], [-np.inf, -np.inf], [-2.0, -np.inf]])
    found = np.exp(calibration.log_posterior(scores, prior, sizes_of([0.0, 0.0, 5.0, 5.0], 4)))
    np.testing.assert_allclose(found[:3], [[0.3, 0.7]] * 3)
    np.testing.assert_allclose(found[3], [1.0, 0.0])


def test_a_posterior_by_hand():
    found = CALIBRATIONS["new"].log_posterior(np.array([[-30.0, -20.0]]), np.log([0.3, 0.7]), sizes_of(40.0, 1, 50.0))
    f = 0.5 * 40 / 50 * 2.1**-0.4 * (5 / 50 / 0.3 + 0.01) ** -0.2
    z = np.log([0.3, 0.7]) + np.array([-30.0, -20.0]) * f + [1, -1]
    np.testing.assert_allclose(np.exp(found), softmax(z[np.newaxis]))


def test_a_posterior_of_the_old_formula_by_hand():
    found = CALIBRATIONS["old"].log_posterior(np.array([[-30.0, -20.0]]), np.log([0.3, 0.7]), sizes_of(100.0, 1, 7.0))
    z = np.log([0.3, 0.7]) + np.array([-30.0, -20.0]) * 0.5 / 2 + [1, -1]
    np.testing.assert_allclose(np.exp(found), softmax(z[np.newaxis]))


@pytest.mark.parametrize("power", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("other", [0.0, 0.5, 0.95])
def test_confidence_grows_without_bound_with_terms_and_with_the_lead_of_a_class(power, other):
    calibration = TermCalibration(1.0, 0.0, 20.0, power, 0.3, other, np.zeros(2))
    terms = 10.0 ** np.arange(1, 60)
    scores = terms[:, np.newaxis] * [-0.1, -0.3]  # the same evidence per term
    z = calibration.factors(scores, sizes_of(terms, len(terms))) * (scores[:, 0] - scores[:, 1])
    assert (np.diff(z) > 0).all()
    assert z[-1] > 50 * z[0]
    lead = np.stack([np.zeros(59), -(10.0 ** np.arange(-29, 30))], axis=1)
    z = calibration.factors(lead, sizes_of(30.0, 59)) * (lead[:, 0] - lead[:, 1])
    assert (np.diff(z) > 0).all()
    assert z[0] < 1e-9
    assert z[-1] > 1


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
def test_without_enough_documents_the_reason_is_given(given, complaint):
    with pytest.raises(InputError, match=complaint):
        fit_calibration(given)


@pytest.mark.parametrize("found", [fit_calibration(CASES["three classes"]), OldCalibration(0.5, 0.01, np.arange(3.0))])
def test_a_calibration_comes_back_from_its_json(found):
    again = calibration_of(json.loads(json.dumps(found.json)), 3)
    assert type(again) is type(found)
    assert again.json == found.json


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        *((kind, {"scale": value}) for kind in CALIBRATIONS for value in (math.nan, math.inf, 0.0, -1.0)),
        *(
            (kind, {"bias": value})
            for kind in CALIBRATIONS
            for value in ([], [0.0], [0.0, 1.0, 2.0], [[0.0, 1.0]], 0.5, [0.0, math.nan], [0.0, None])
        ),
        *(("old", {"shortening": value}) for value in (-0.1, math.nan, math.inf)),
        *(("new", {"terms_power": value}) for value in (-0.1, 0.96, math.nan)),
        *(("new", {"advantage_power": value}) for value in (-0.1, 1.5, math.inf)),
        *(("new", {"least_terms": value}) for value in (-1.0, math.nan, math.inf)),
        *(("new", {name: value}) for name in ("mean_terms", "mean_advantage") for value in (-1.0, 0.0, math.inf)),
    ],
)
def test_numbers_that_no_fit_could_give_are_refused(kind, facts):
    sound = CALIBRATIONS[kind].json
    calibration_of(sound, 2)
    with pytest.raises(InputError, match="calibration needs a finite bias per class"):
        calibration_of({**sound, **facts}, 2)


def test_scores_that_do_not_grow_with_the_document_have_no_part_of_length():
    random = np.random.default_rng(0)
    y = random.integers(2, size=200)
    terms = random.integers(1, 400, size=200).astype(float)
    scores = (np.eye(2)[y] + random.normal(size=(200, 2))) * terms[:, np.newaxis] / 20
    assert fit_calibration(held_out(scores, y, terms)).terms_power > 0
    found = fit_calibration(held_out(scores, y, terms), smoothed_targets=True)
    assert (found.terms_power, found.advantage_power) == (0, 0)


def test_bounded_scores_are_calibrated_by_how_far_a_class_stands_out_and_not_by_the_number_of_terms():
    rng = np.random.default_rng(0)
    y, terms = rng.integers(3, size=600), rng.integers(10, 400, size=600).astype(float)
    scores = (np.eye(3)[y] + rng.standard_t(2, size=(600, 3))) * 2  # heavy tails: some mistakes stand out far
    given = held_out(scores, y, terms)
    found = fit_calibration(given, bounded_scores=True)
    assert found.terms_power == found.advantage_power > 0.1
    long, short = (found.factors(scores, sizes_of(n, 600, n)) for n in (400.0, 40.0))
    np.testing.assert_allclose(long, short, rtol=0.5)
    free, straight = fit_calibration(given), fit_calibration(given, smoothed_targets=True)
    log_p = [each.log_posterior(given.scores, given.log_prior, given.sizes) for each in (free, found, straight)]
    losses = [-each[np.arange(600), y].sum() for each in log_p]
    assert losses[0] < losses[1] + 0.5 < losses[2]


@pytest.mark.parametrize("n_short", [0, 4, 20])
def test_where_absence_is_scored_documents_shorter_than_those_seen_are_no_more_confident(n_short):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    terms = np.concatenate([rng.integers(1, 5, n_short), rng.integers(30, 400, 200 - n_short)]).astype(float)
    scores = (np.eye(2)[y] + rng.normal(size=(200, 2))) * 300
    given = held_out(scores, y, terms)
    found = fit_calibration(given, scores_absence=True)
    assert found.least_terms == np.quantile(terms, 0.05)
    assert fit_calibration(given).least_terms == 0
    short = np.arange(1.0, 500.0)
    factors = found.factors(np.tile(scores[:1], (len(short), 1)), sizes_of(short, len(short), 40.0)) / short
    below = short <= found.least_terms
    np.testing.assert_allclose(factors[below], factors[np.flatnonzero(below)[-1]])
    assert (np.diff(factors[~below]) < 0).all()


def many_classes(n_classes, n_documents, seed=0):
    """Scores in which the own class stands out by 4 of a deviation of 1, times 3: three times too confident."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_documents)
    scores = rng.normal(size=(n_documents, n_classes))
    scores[np.arange(n_documents), y] += 4
    return held_out(3 * scores, y, np.full(n_documents, 10.0))


@pytest.mark.parametrize("n_documents", [100, 800])
def test_with_many_classes_there_are_no_biases_and_those_without_documents_take_part(n_documents):
    n_classes = MAX_CLASSES_WITH_BIAS + 1
    found = fit_calibration(many_classes(n_classes, n_documents))
    assert np.count_nonzero(found.bias) == 0
    assert np.count_nonzero(fit_calibration(many_classes(n_classes - 1, n_documents)).bias) > n_documents // 4
    given, rows = many_classes(n_classes, 800, seed=1), np.arange(800)

    def loss(log_p):
        return -log_p[rows, given.y].mean()

    least = min(loss(np.log(softmax(factor * given.scores))) for factor in np.geomspace(0.01, 1, 41))
    assert loss(found.log_posterior(given.scores, given.log_prior, given.sizes)) < 1.03 * least
