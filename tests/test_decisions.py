import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.decisions import UNSURE, LeastLoss, Threshold, expected_losses
from textnb.errors import InputError

SEEDS = range(8)


def zero_one(n_classes):
    return 1 - np.eye(n_classes)


def random_case(seed, n_documents=60):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(1, 6))
    return rng.dirichlet(np.full(n_classes, 0.7), n_documents), rng.exponential(size=(n_classes, n_classes))


def decided_by_a_plain_loop(p, L, cost=math.inf):
    losses = [math.fsum(p[k] * L[k][d] for k in range(len(p))) for d in range(len(p))]
    return UNSURE if min(losses) > cost else losses.index(min(losses))


@st.composite
def probabilities(draw, max_classes=5):
    """Rows with ties, zeros, certainty and underflow among them."""
    n_classes = draw(st.integers(1, max_classes))
    weight = st.sampled_from([0.0, 1e-300, 1e-17, 1e-6, 0.1, 0.2, 0.3, 1.0, 1.0000000000000002]) | st.floats(0, 1)
    rows = draw(st.lists(st.lists(weight, min_size=n_classes, max_size=n_classes).filter(any), min_size=1, max_size=6))
    P = np.array(rows)
    return P / P.sum(axis=1, keepdims=True)


@st.composite
def probabilities_and_losses(draw):
    P = draw(probabilities())
    n = P.shape[1]
    loss = st.sampled_from([0.0, 0.5, 1.0, 10.0]) | st.floats(0, 1e6)
    return P, np.array(draw(st.lists(loss, min_size=n * n, max_size=n * n))).reshape(n, n)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_least_loss_is_that_of_a_plain_loop_over_decisions(seed):
    P, L = random_case(seed)
    assert LeastLoss(L)(P).tolist() == [decided_by_a_plain_loop(p, L) for p in P]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cost", [0.0, 0.1, 0.5, 3.0])
def test_unsure_is_said_where_a_plain_loop_says_so(seed, cost):
    P, L = random_case(seed)
    assert LeastLoss(L, cost)(P).tolist() == [decided_by_a_plain_loop(p, L, cost) for p in P]


@given(probabilities())
def test_losses_of_zero_and_one_decide_for_the_most_probable_class(P):
    assert LeastLoss(zero_one(P.shape[1]))(P).tolist() == P.argmax(axis=1).tolist() == Threshold()(P).tolist()


@pytest.mark.parametrize("n_classes", [2, 300, 1000])
def test_many_classes_are_no_other_matter(n_classes):
    P = np.random.default_rng(0).dirichlet(np.full(n_classes, 50.0), 20)
    P[:, -1] = np.nextafter(P.max(axis=1), 1)  # the likeliest by the least there is
    assert LeastLoss(zero_one(n_classes))(P).tolist() == [n_classes - 1] * 20


@pytest.mark.parametrize("hundredths", range(51))
def test_chows_rule_a_cost_of_c_is_a_threshold_of_one_minus_c_to_the_very_edge(hundredths):
    p = np.arange(50, 101) / 100
    P = np.column_stack([1 - p, p])
    threshold, cost = (100 - hundredths) / 100, hundredths / 100
    expected = [1 if 100 - hundredths <= percent else UNSURE for percent in range(50, 101)]
    expected[0] = 0 if expected[0] == 1 else UNSURE  # one half: the first of equals
    assert Threshold(threshold)(P).tolist() == expected
    assert LeastLoss(zero_one(2), cost)(P).tolist() == expected


@given(probabilities(), st.floats(0, 1))
def test_chows_rule_holds_for_any_number_of_classes(P, cost):
    by_cost, by_threshold = LeastLoss(zero_one(P.shape[1]), cost)(P), Threshold(1 - cost)(P)
    at_the_edge = np.abs(P.max(axis=1) - (1 - cost)) < 1e-9
    assert np.array_equal(by_cost[~at_the_edge], by_threshold[~at_the_edge])


@given(probabilities_and_losses(), st.integers(-30, 30), st.sampled_from([math.inf, 0.0, 0.3, 2.0]))
def test_scaling_all_losses_changes_nothing(case, exponent, cost):
    P, L = case
    scale = 2.0**exponent
    assert LeastLoss(scale * L, scale * cost)(P).tolist() == LeastLoss(L, cost)(P).tolist()


@given(probabilities_and_losses())
def test_no_decision_costs_less_than_the_one_made(case):
    P, L = case
    expected = expected_losses(P, L)
    made = expected[np.arange(len(P)), LeastLoss(L)(P)]
    assert (made <= expected.min(axis=1) * (1 + 1e-11)).all()


@given(probabilities_and_losses(), st.floats(0, 10), st.floats(0, 10))
def test_the_cheaper_being_unsure_the_more_often_it_is_said(case, one, other):
    P, L = case
    low, high = (LeastLoss(L, cost)(P) == UNSURE for cost in sorted((one, other)))
    assert (low | ~high).all()


@settings(max_examples=300)
@given(probabilities(), st.data())
def test_a_huge_cost_is_risked_only_in_certainty(P, data):
    n_classes = P.shape[1]
    if n_classes == 1:
        return
    true, taken = data.draw(st.permutations(range(n_classes)))[:2]
    L = zero_one(n_classes)
    L[true, taken] = 1e12
    risked = LeastLoss(L)(P) == taken
    assert (P[risked, true] <= 1.0000001e-12).all()


def test_of_equal_losses_the_most_probable_class_is_decided_and_then_the_first():
    P = np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4], [1 / 3, 1 / 3, 1 / 3]])
    assert LeastLoss(np.zeros((3, 3)))(P).tolist() == [1, 0, 0]
    assert Threshold()(P).tolist() == [1, 0, 0]


def test_an_answer_as_dear_as_being_unsure_or_as_probable_as_the_threshold_is_given():
    P = np.array([[0.7, 0.3]])
    assert 1 - P[0, 0] > 0.3  # by rounding
    assert LeastLoss(zero_one(2), 0.3)(P).tolist() == [0]
    assert Threshold(0.7)(P).tolist() == [0]
    assert Threshold(np.nextafter(0.7, 1))(P).tolist() == [UNSURE]


def test_where_being_unsure_is_free_only_free_answers_are_given():
    P = np.array([[1.0, 0.0], [0.999, 0.001]])
    assert LeastLoss(zero_one(2), 0)(P).tolist() == [0, UNSURE]


def test_no_documents_have_no_decisions():
    empty = np.empty((0, 3))
    assert Threshold(0.5)(empty).shape == LeastLoss(zero_one(3), 0.5)(empty).shape == (0,)


def test_losses_are_kept_as_they_were():
    L = zero_one(2)
    rule = LeastLoss(L)
    L[:] = 7
    assert rule(np.array([[0.1, 0.9]])).tolist() == [1]
    with pytest.raises(ValueError, match="read-only"):
        rule.losses[0, 0] = 1


@pytest.mark.parametrize("least", [-0.1, 1.1, math.nan, "0.5", True, None])
def test_a_threshold_that_is_no_probability_is_refused(least):
    with pytest.raises(InputError, match="from 0 to 1"):
        Threshold(least)


@pytest.mark.parametrize("loss", [-1.0, math.nan, math.inf, 1e101])
def test_a_loss_that_is_none_is_refused(loss):
    with pytest.raises(InputError, match="a loss must be a number from 0 to"):
        LeastLoss([[0, loss], [1, 0]])


@pytest.mark.parametrize("cost", [-1.0, math.nan, 1e101, "1", True])
def test_a_cost_of_being_unsure_that_is_none_is_refused(cost):
    with pytest.raises(InputError, match="being unsure must be a number from 0 to"):
        LeastLoss([[0, 1], [1, 0]], cost)


def test_losses_of_another_shape_are_refused():
    with pytest.raises(InputError, match=r"square.*\(1, 2\)"):
        LeastLoss([[0, 1]])
    with pytest.raises(InputError, match="of 2 classes, the probabilities of 3"):
        LeastLoss(zero_one(2))(np.full((1, 3), 1 / 3))
