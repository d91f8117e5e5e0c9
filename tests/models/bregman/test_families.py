import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from textnb.errors import InputError
from textnb.models.bregman.families import KL, Ex1, Ex2, Ex3, Ex4, family_of

FAMILIES = [
    KL(),
    *map(Ex1, (1e-3, 0.3, 0.5, 1.0, 2.0, 3.5)),
    *map(Ex2, (-2.0, -1.0, -0.5, -1e-3, 1e-3, 0.3, 1.0, 2.0)),
    *map(Ex3, (-1.0, -0.05, 0.0, 1e-4)),
    *map(Ex4, (1e-3, 0.5, 1.0, 3.0)),
]
each_family = pytest.mark.parametrize("family", FAMILIES, ids=str)
P = np.array([1e-3, 0.01, 0.2, 0.5, 0.9, 0.999])


def nearby(family, z):
    """A small step from z that stays in the domain."""
    return 1e-4 * np.minimum(np.abs(z) * min(family.scale, 1), np.maximum(z - family.z_domain.low, 0))


@each_family
def test_u_is_the_derivative_of_capital_u(family):
    z = family.xi(P[:-1])
    h = nearby(family, z)
    slope = (family.U(z + h) - family.U(z - h)) / (2 * h)
    np.testing.assert_allclose(slope, P[:-1], rtol=1e-5, atol=2e-6)


@each_family
def test_xi_is_the_numerical_inverse_of_u(family):
    for p, z in zip(P, family.xi(P), strict=True):
        width = nearby(family, z)
        found = brentq(lambda x, p=p: float(family.u(x)) - p, z - width, z + width, xtol=1e-15)
        assert found == pytest.approx(z, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(family.u(family.xi(P)), P, rtol=1e-9)


@each_family
def test_u_rises_and_capital_u_is_convex(family):
    z = family.xi(np.linspace(0.001, 0.999, 400))
    assert (np.diff(z) > 0).all()
    slopes = np.diff(family.U(z)) / np.diff(z)
    assert (np.diff(slopes) > -1e-9).all()


@each_family
def test_the_coordinate_is_xi_up_to_scale_and_offset(family):
    np.testing.assert_allclose(
        family.scale * family.coordinate(-np.log(P)) + family.offset, family.xi(P), rtol=1e-14, atol=1e-13
    )


@each_family
def test_shifting_is_done_within_u(family):
    a, d = -np.log(P[2:]), np.array([0.0, 0.003, 0.01, 0.02])
    expected = family.u(family.xi(P[2:]) - family.scale * d)
    np.testing.assert_allclose(np.exp(-family.shifted(a, d)), expected, rtol=1e-9)
    np.testing.assert_allclose(family.shifted(a, 0.0), a, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    "family", [f for f in FAMILIES if f.name != "ex3" and not (f.name == "ex2" and f.pi > 0)], ids=str
)
def test_the_least_probabilities_keep_their_digits(family):
    tiny = np.array([1e-300, 3e-300, 1e-20])
    a = -np.log(tiny)
    if np.isfinite(family.coordinate(a)).all():
        t = family.coordinate(a)
        np.testing.assert_allclose(family.shifted(a[2], t[2] - t), a, rtol=1e-11)
        np.testing.assert_allclose(np.log(family.u(family.xi(tiny))), -a, rtol=1e-9)


def test_probability_zero_is_a_limit_where_u_has_one():
    for family in (KL(), Ex1(0.5), Ex1(2.0), Ex2(-0.5), Ex4(1.0)):
        assert family.xi(0.0) == -np.inf
        assert family.u(-np.inf) == 0
        assert not family.p_domain.holds(0.0)
    assert Ex2(0.5).xi(0.0) == -2
    assert Ex2(0.5).p_domain.holds(0.0)
    assert Ex3(-0.5).xi(0.0) == np.log(0.5)


@given(st.floats(1e-9, 1e-7), st.floats(1e-12, 1 - 1e-9), st.floats(0, 3))
def test_near_zero_pi_goes_over_into_the_limit(pi, p, d):
    a = -np.log(p)
    assert Ex1(pi).shifted(a, d) == pytest.approx(a * np.exp(d), rel=1e-4)
    assert Ex4(pi).shifted(a, d) == pytest.approx(a + d, rel=1e-4)
    for sign in (1, -1):
        assert Ex2(sign * pi).shifted(a, d) == pytest.approx(a + d, rel=1e-4)


def test_pi_one_of_ex1_is_the_ordinary_product():
    assert Ex1(1.0).ordinary
    np.testing.assert_array_equal(Ex1(1.0).shifted(0.3, np.array([0.0, 1.5])), [0.3, 1.8])


@pytest.mark.parametrize(
    ("name", "pi", "allowed"),
    [
        ("ex1", 0, r"ex1: pi = 0 is outside \(0, inf\)"),
        ("ex1", -0.5, r"ex1: pi = -0.5 is outside \(0, inf\)"),
        ("ex1", float("nan"), "pi must be a finite number, not nan"),
        ("ex1", float("inf"), "pi must be a finite number, not inf"),
        ("ex2", 0, r"ex2: pi = 0 is outside \(-inf, 0\) and \(0, inf\)"),
        ("ex3", 1.5, r"ex3: pi = 1.5 is outside \(-inf, 1\)"),
        ("ex4", -1, r"ex4: pi = -1 is outside \(0, inf\)"),
        ("ex1", "half", "pi must be a finite number, not 'half'"),
        ("ex5", 1, r"unknown family 'ex5' \(did you mean 'ex4'\?\); use 'kl', 'ex1', 'ex2', 'ex3' or 'ex4'"),
    ],
)
def test_parameters_outside_their_domain_are_named_with_it(name, pi, allowed):
    with pytest.raises(InputError, match=allowed):
        family_of(name, pi)


def test_domains_are_those_of_the_table():
    assert str(Ex2(0.5).z_domain) == "[-2, inf)"
    assert str(Ex2(-0.5).z_domain) == "(-inf, 2)"
    assert str(Ex3(-0.05).p_domain) == "(-0.05, inf)"
    assert Ex4(2.0).p_domain.high == pytest.approx(np.exp(0.5))
    assert Ex4(1e-6).p_domain.high == np.inf


def test_families_are_immutable_values():
    assert Ex1(0.5) == family_of("ex1", 0.5) != Ex1(0.6)
    with pytest.raises(AttributeError):
        Ex1(0.5).pi = 2.0
