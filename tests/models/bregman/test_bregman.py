import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.models.bregman import divergence, family_of, independent, product, quotient

P, Q, R = [0.5, 0.3, 0.2], [0.7, 0.3], [0.6, 0.1, 0.1, 0.2]
NAMES = [("kl", 1.0), ("ex1", 0.2), ("ex1", 0.7), ("ex1", 1.0), ("ex1", 1.8), ("ex2", -0.6), ("ex2", 0.05)]
NAMES += [("ex3", -0.001), ("ex3", 0.001), ("ex4", 0.4), ("ex4", 2.0)]
each_name = pytest.mark.parametrize(("name", "pi"), NAMES)


def distributions(n_max=4):
    weights = st.lists(st.floats(0.02, 1.0), min_size=2, max_size=n_max)
    return weights.map(lambda w: np.array(w) / sum(w))


@pytest.mark.parametrize(
    ("name", "pi", "c", "p11"),
    [("ex1", 0.5, -0.48641550, 0.41068388), ("ex1", 2.0, 1.17155461, 0.26345418), ("ex4", 1.0, -0.19885562, None)],
)
def test_worked_examples(name, pi, c, p11):
    assert independent([P, Q], name, pi).c == pytest.approx(c, abs=1e-8)
    assert p11 is None or product([P, Q], name, pi)[0, 0] == pytest.approx(p11, abs=1e-8)


@each_name
def test_a_product_is_u_of_the_sum_of_xi_less_c(name, pi):
    family, c = family_of(name, pi), independent([P, Q, R], name, pi).c
    joint = product([P, Q, R], name, pi)
    for cell in itertools.product(range(3), range(2), range(4)):
        z = sum(float(family.xi(margin[i])) for margin, i in zip((P, Q, R), cell, strict=True)) - c
        assert joint[cell] == pytest.approx(float(family.u(z)), rel=1e-9)
    assert joint.shape == (3, 2, 4)
    assert joint.sum() == pytest.approx(1, abs=1e-13)


@each_name
def test_uniform_margins_give_the_uniform_joint(name, pi):
    for norm in ("u", "m"):
        joint = product([np.full(3, 1 / 3), np.full(2, 1 / 2), np.full(5, 1 / 5)], name, pi, norm)
        np.testing.assert_allclose(joint, 1 / 30, rtol=1e-12)


@each_name
def test_the_product_is_associative_and_commutative(name, pi):
    whole = product([P, Q, R], name, pi)
    np.testing.assert_allclose(product([product([P, Q], name, pi), R], name, pi), whole, rtol=0, atol=1e-12)
    np.testing.assert_allclose(product([P, product([Q, R], name, pi)], name, pi), whole, rtol=0, atol=1e-12)
    np.testing.assert_allclose(product([R, P, Q], name, pi).transpose(1, 2, 0), whole, rtol=0, atol=1e-12)


def test_normalisation_by_division_is_not_associative():
    whole = product([P, Q, R], "ex1", 0.5, norm="m")
    assert whole.sum() == pytest.approx(1)
    in_parts = product([product([P, Q], "ex1", 0.5, norm="m"), R], "ex1", 0.5, norm="m")
    assert np.abs(whole - in_parts).max() > 0.01


def test_normalisation_by_division_divides_by_the_sum():
    family = family_of("ex1", 0.5)
    f = family.u(np.add.outer(family.xi(P), family.xi(Q)))
    np.testing.assert_allclose(product([P, Q], "ex1", 0.5, norm="m"), f / f.sum(), rtol=1e-12)
    family = family_of("ex3", -0.01)
    f = family.u(np.add.outer(family.xi(P), family.xi(Q)))
    np.testing.assert_allclose(product([P, Q], "ex3", -0.01, norm="m"), f / f.sum(), rtol=1e-12)


@each_name
def test_division_undoes_the_product(name, pi):
    np.testing.assert_allclose(quotient(product([P, Q], name, pi), Q, name, pi), P, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        quotient(product([P, Q, R], name, pi), R, name, pi), product([P, Q], name, pi), rtol=0, atol=1e-12
    )


def test_division_of_what_is_no_product_is_refused():
    with pytest.raises(InputError, match="not a product of family ex1 with that margin"):
        quotient([[0.5, 0.1], [0.1, 0.3]], [0.6, 0.4], "ex1", 0.5)
    with pytest.raises(InputError, match=r"does not end in a margin's \(3,\)"):
        quotient([[0.5, 0.1], [0.1, 0.3]], P, "ex1", 0.5)


def test_the_ordinary_product_is_exact():
    for name, pi in (("kl", 7.0), ("ex1", 1.0), ("ex3", 0.0)):
        model = independent([P, Q, R], name, pi)
        assert (model.c, model.normaliser) == (0.0, "exact")
        np.testing.assert_allclose(product([P, Q, R], name, pi), np.multiply.outer(np.outer(P, Q), R), rtol=1e-15)


@given(st.lists(distributions(), min_size=2, max_size=4), st.floats(0.05, 3), st.sampled_from(["ex1", "ex4"]))
@settings(max_examples=60, deadline=None)
def test_mass_is_one_and_order_is_kept(margins, pi, name):
    joint = product(margins, name, pi)
    assert joint.sum() == pytest.approx(1, abs=1e-9)  # what is promised; 6e-12 has been met with pi near .05
    likeliest = tuple(int(np.argmax(margin)) for margin in margins)
    assert joint[likeliest] == joint.max()


@given(distributions(), distributions(), st.floats(0.1, 3))
@settings(max_examples=60, deadline=None)
def test_division_undoes_any_product(p, q, pi):
    np.testing.assert_allclose(quotient(product([p, q], "ex1", pi), q, "ex1", pi), p, atol=1e-11)


def test_probabilities_of_1e_300_and_of_nearly_one():
    rare = [1.0, 1e-300]
    for pi in (0.5, 1.0, 2.0):
        assert product([rare, Q], "ex1", pi).sum() == pytest.approx(1, abs=1e-14)
        joint = product([[1.0, 1e-200], Q], "ex1", pi)
        np.testing.assert_allclose(quotient(joint, Q, "ex1", pi), [1.0, 1e-200], rtol=1e-9)
    np.testing.assert_allclose(product([rare, rare], "ex1", 1.0), [[1, 1e-300], [1e-300, 0]])
    assert independent([rare, rare], "ex1", 0.9).log_p(np.array([[1, 1]]))[0] < -1000


def test_a_pi_near_zero_has_a_limit():
    np.testing.assert_allclose(product([P, Q], "ex1", 1e-9), product([P, Q], "ex1", 1e-7), atol=1e-6)
    np.testing.assert_allclose(product([P, Q], "ex4", 1e-9), np.outer(P, Q), atol=1e-8)
    np.testing.assert_allclose(product([P, Q], "ex2", -1e-9), np.outer(P, Q), atol=1e-8)


def test_variables_that_are_not_known_are_summed_out():
    for norm in ("u", "m"):
        model, joint = independent([P, Q, R], "ex1", 0.6, norm), product([P, Q, R], "ex1", 0.6, norm)
        np.testing.assert_allclose(model.margin([0]), joint.sum(axis=(1, 2)), rtol=1e-12)
        np.testing.assert_allclose(model.margin([2, 0]), joint.sum(axis=1).T, rtol=1e-12)
        cells = np.array([[0, 1, 2], [-1, 1, 2], [2, -1, -1], [-1, -1, -1]])
        expected = [joint[0, 1, 2], joint[:, 1, 2].sum(), joint[2].sum(), 1.0]
        np.testing.assert_allclose(np.exp(model.log_p(cells)), expected, rtol=1e-12)
        assert model.entropy() == pytest.approx(-(joint * np.log(joint)).sum(), rel=1e-12)


def test_leaving_the_domain_is_an_error_with_family_value_and_range():
    with pytest.raises(InputError, match=r"ex2 with pi = 0.3: .* z = -4.84259, outside \[-3.33333, inf\)"):
        product([(0.9, 0.1), (0.8, 0.2), (0.95, 0.05)], "ex2", 0.3)
    with pytest.raises(InputError, match=r"ex3 with pi = -0.05: .* outside \[-2.99573, inf\)"):
        product([(1.0, 0.0), Q], "ex3", -0.05)
    with pytest.raises(InputError, match=r"ex2 with pi = 0.3"):
        product([(1.0, 0.0), Q], "ex2", 0.3, norm="m")
    with pytest.raises(InputError, match=r"ex3 with pi = 0.3: p = 0.3 is outside \(0.3, inf\)"):
        product([P, Q], "ex3", 0.3)
    with pytest.raises(InputError, match=r"ex3 with pi = 0.1: 16 cells above 0.1 .* \(-inf, 0.0625\)"):
        product([[0.25] * 4, [0.25] * 4], "ex3", 0.1)
    with pytest.raises(InputError, match="ex1: pi = 120 is too extreme for a probability of 1e-300"):
        product([(1.0, 1e-300), Q], "ex1", 120)


@pytest.mark.parametrize(
    ("margins", "why"),
    [
        ([], "no margins"),
        ([[0.5, 0.6]], "margin 0 must be probabilities that sum to 1, not 1.1"),
        ([P, [1.5, -0.5]], "margin 1 must be probabilities"),
        ([P, ["a"]], "margin 1 must be numbers"),
        ([[np.nan, 1.0]], "margin 0 must be probabilities"),
        ([np.full(10_000, 1e-4)] * 2, "the joint would have 1e"),
    ],
)
def test_what_is_no_distribution_is_refused(margins, why):
    with pytest.raises(InputError, match=why):
        product(margins)


def test_an_unknown_norm_is_refused():
    with pytest.raises(InputError, match="unknown norm 'x'; use 'u' or 'm'"):
        product([P, Q], norm="x")


@each_name
def test_a_divergence_is_least_and_zero_where_both_are_equal(name, pi):
    p, q = np.outer(P, Q), product([P, Q], "ex1", 0.5)
    assert divergence(p, p, name, pi) == 0
    assert divergence(p, q, name, pi) > 0
    family = family_of(name, pi)
    direct = family.U(family.xi(q)) - family.U(family.xi(p)) - p * (family.xi(q) - family.xi(p))
    assert divergence(p, q, name, pi) == pytest.approx(direct.sum(), rel=1e-12)


def test_kullback_leibler_is_recovered():
    p, q = np.array(P), np.array([0.1, 0.2, 0.7])
    kl = (p * np.log(p / q)).sum()
    for name, pi in (("kl", 1.0), ("ex1", 1.0), ("ex3", 0.0)):
        assert divergence(p, q, name, pi) == pytest.approx(kl, rel=1e-14)
    assert divergence(p, q, "ex2", 1e-8) == pytest.approx(kl, rel=1e-6)
    assert divergence(p, q, "ex2", 1.0) == pytest.approx(((p - q) ** 2).sum() / 2, rel=1e-14)
    itakura = (p / q - np.log(p / q) - 1).sum()
    assert divergence(p, q, "ex2", -1.0) == pytest.approx(itakura, rel=1e-12)


def test_divergences_where_a_probability_is_zero():
    assert divergence([1.0, 0.0], [0.5, 0.5]) == pytest.approx(np.log(2))
    assert divergence([0.5, 0.5], [1.0, 0.0]) == np.inf
    assert divergence([1.0, 0.0], [1.0, 0.0], "ex4", 1.0) == 0
    assert divergence([1.0, 0.0], [0.5, 0.5], "ex2", -1.0) == np.inf
    assert np.isfinite(divergence([0.5, 0.5], [1.0, 0.0], "ex2", 0.5))
    with pytest.raises(InputError, match=r"ex3 with pi = 0.1: p = 0 is outside \(0.1, inf\)"):
        divergence([1.0, 0.0], [0.5, 0.5], "ex3", 0.1)
