import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import special

from textnb.numerics import bracketed_root, log_of, log_softmax, trigamma

shapes = st.tuples(st.integers(0, 5), st.integers(1, 5))
scores = arrays.arrays(np.float64, shapes, elements=st.floats(-1e6, 1e6))


@settings(max_examples=30, deadline=None)
@given(scores)
def test_log_softmax_is_that_of_scipy(scores):
    np.testing.assert_allclose(log_softmax(scores), special.log_softmax(scores, axis=1), atol=1e-9)
    np.testing.assert_allclose(np.exp(log_softmax(scores)).sum(axis=1), 1, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(scores, st.floats(-1e6, 1e6))
def test_log_softmax_does_not_see_a_shift_of_a_row(scores, shift):
    np.testing.assert_allclose(log_softmax(scores + shift), log_softmax(scores), atol=1e-8)


def test_log_softmax_keeps_what_is_impossible_impossible():
    logs = log_softmax(np.array([[0.0, -np.inf, 0.0], [-np.inf, -1e308, -np.inf]]))
    np.testing.assert_array_equal(logs, [[-np.log(2), -np.inf, -np.log(2)], [-np.inf, 0.0, -np.inf]])


def test_log_softmax_leaves_its_argument_alone():
    scores = np.array([[1.0, 2.0]])
    log_softmax(scores)
    assert scores.tolist() == [[1.0, 2.0]]


def test_log_of_zero_is_minus_infinity_without_a_warning():
    np.testing.assert_array_equal(log_of([[0, 1], [2, 0]]), [[-np.inf, 0], [np.log(2), -np.inf]])
    assert log_of(0) == -np.inf
    assert log_of([]).shape == (0,)
    assert log_of(np.array([1, 2], np.int32)).dtype == np.float64


@pytest.mark.parametrize(
    ("function", "low", "high", "root"),
    [
        (lambda x: x - 0.3, -1.0, 5.0, 0.3),
        (lambda x: x**9, -1.0, 1.5, 0.0),
        (lambda x: np.exp(x) - 1e6, -50.0, 50.0, np.log(1e6)),
        (lambda x: 1 - np.tanh(50 * (x - 2)) - 1, -10.0, 10.0, 2.0),
        (lambda x: -x, 0.0, 1.0, 0.0),
    ],
)
def test_a_bracketed_root_is_found(function, low, high, root):
    assert bracketed_root(function, low, high) == pytest.approx(root, abs=2e-2 if root == 0 else 1e-10)


@given(st.floats(-5, 5), st.floats(0.1, 10), st.floats(0.5, 3))
def test_bracketed_roots_are_those_of_scipy(root, scale, power):
    def function(x):
        return scale * np.sign(x - root) * abs(x - root) ** power + 0.01 * (x - root)

    assert bracketed_root(function, -6.0, 6.0) == pytest.approx(root, abs=1e-6)


def test_trigamma_is_that_of_scipy_from_the_smallest_numbers_to_the_largest():
    x = np.concatenate([10.0 ** np.arange(-150, 150, 0.25), np.linspace(0.01, 120, 5000)])
    np.testing.assert_allclose(trigamma(x), special.polygamma(1, x), rtol=2e-14)
