"""Products of distributions at the ends of pi: uniform and nearly uniform margins, few cells and very many."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

from textnb.errors import InputError
from textnb.models.bregman import family_of, independent

PIS = {
    "kl": (1.0,),
    "ex1": (0.001, 0.01, 0.05, 0.3, 0.9, 1.0, 1.1, 3.0, 20.0, 50.0),
    "ex2": (-50.0, -5.0, -1.0, -0.05, -0.001, 0.001, 0.05, 0.5, 2.0, 50.0),
    "ex3": (-50.0, -1.0, -0.001, -1e-12, 0.0, 1e-12, 0.001),
    "ex4": (0.001, 0.05, 0.5, 1.0, 5.0, 20.0, 50.0),
}
FAMILIES = [(name, pi) for name, pis in PIS.items() for pi in pis]
REASONS = (
    r"^.* the least likely cell has z = .*, where u\(z\) is a probability$"
    r"|^.* of every cell is 0 or exceeds the range of floats; use norm='u'$"
    r"|^.* cells above .* have a mass above 1; use a pi in .*$"
    r"|^.* is too extreme for a probability of .*$"
    r"|^.* cells cannot be summed accurately, their probabilities lie too far apart; use .*$"
)
every_family = pytest.mark.parametrize(("name", "pi"), FAMILIES)
both_norms = pytest.mark.parametrize("norm", ["u", "m"])


def answered(given, name, pi, norm):
    """The product, or None if it is refused for one of the reasons that are known."""
    try:
        return independent(given, name, pi, norm)
    except InputError as error:
        with pytest.raises(InputError, match=REASONS):
            raise error
        return None


def margins(kind, n, m):
    rng = np.random.default_rng(n)
    if kind == "nearly uniform":
        drawn = [1 + 1e-9 * rng.random(m) for _ in range(n)]
    elif kind == "half uniform":
        drawn = [np.ones(m) if i % 2 else rng.dirichlet(np.ones(m)) + 0.03 for i in range(n)]
    else:
        drawn = [rng.dirichlet(np.ones(m)) + 0.01 for _ in range(n)]
    return [p / p.sum() for p in drawn]


@both_norms
@every_family
def test_uniform_margins_have_a_uniform_product(name, pi, norm):
    family, n_answers = family_of(name, pi), 0
    for n, m in [(n, 2) for n in range(1, 26)] + [(1, 7), (13, 3), (40, 5), (300, 4)]:
        model, log_cells = answered([np.full(m, 1 / m)] * n, name, pi, norm), n * np.log(m)
        if model is None:
            continue
        n_answers += 1
        cells = np.array([[0] * n, [m - 1] * n, [0] + [-1] * (n - 1)])
        np.testing.assert_allclose(model.log_p(cells), [-log_cells, -log_cells, -np.log(m)], rtol=1e-12, atol=1e-12)
        if norm == "u" and log_cells < 30:
            given, own = n * float(family.xi(1 / m)), float(family.xi(np.exp(-log_cells)))
            assert model.c == pytest.approx(given - own, abs=1e-10 * max(1, abs(given), abs(own)))
    assert n_answers == 29 or (name, norm) in (("ex2", "m"), ("ex1", "m"), ("ex4", "m")) or name == "ex3"
    assert n_answers > 0


@pytest.mark.parametrize("kind", ["nearly uniform", "half uniform", "random"])
@both_norms
@every_family
def test_all_cells_sum_to_one(name, pi, norm, kind):
    for n, m in [(1, 2), (1, 5), (2, 2), (3, 3), (5, 4), (7, 3), (13, 2)]:
        model = answered(margins(kind, n, m), name, pi, norm)
        if model is not None:
            assert logsumexp(model.log_joint()) == pytest.approx(0, abs=1e-9), (n, m)


def exact_xi(name, pi, p):
    if name == "ex1":
        return -((-p.ln()) ** pi)
    if name == "ex2":
        return (p**pi - 1) / pi
    return (p - pi).ln() if name == "ex3" else -(1 - pi * p.ln()).ln()


def exact_log_u(name, pi, z):
    if name == "ex1":
        return -((-z) ** (1 / pi))
    if name == "ex2":
        return (pi * z + 1).ln() / pi
    return (z.exp() + pi).ln() if name == "ex3" else (1 - (-z).exp()) / pi


@every_family
def test_they_are_the_formulas_in_exact_arithmetic(name, pi):
    given = margins("random", 3, 3)
    models = {norm: answered(given, name, pi, norm) for norm in "um"}
    if family_of(name, pi).ordinary:
        return
    with localcontext(prec=80):
        power, cells = Decimal(pi), list(np.ndindex(3, 3, 3))
        xi = [[exact_xi(name, power, Decimal(float(x))) for x in p] for p in given]
        z = [sum(xi[i][x] for i, x in enumerate(cell)) for cell in cells]
        if models["m"] is not None:
            logs = [exact_log_u(name, power, one) for one in z]
            total = sum((x - max(logs)).exp() for x in logs).ln() + max(logs)
            expected = [float(max(x - total, Decimal(-1_000_000))) for x in logs]
            ours = np.maximum(models["m"].log_p(np.array(cells)), -1e6)
            np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)
        if models["u"] is not None:
            p = [Decimal(x) for x in models["u"].log_p(np.array(cells)).tolist()]
            kept = [(one, exact_xi(name, power, x.exp())) for one, x in zip(z, p, strict=True) if x > -700]
            c = kept[0][0] - kept[0][1]
            for one, own in kept:  # c is the same for all cells
                assert float((one - c - own) / max(abs(one), abs(own))) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("p", [0.5 + 1e-9, 0.501, 0.7, 0.97])
@both_norms
@every_family
def test_more_than_a_million_cells_sum_to_one(name, pi, norm, p):
    """Of n equal margins with two values, k have the second value in n over k cells."""
    for n in (20, 25):
        model = answered([np.array([p, 1 - p])] * n, name, pi, norm)
        if model is not None:
            k = np.arange(n + 1)
            log_number = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
            assert logsumexp(log_number + model.log_p(np.tri(n + 1, n, -1, int))) == pytest.approx(0, abs=1e-9), n


@pytest.mark.parametrize("pi", [0.6, 1.05, 2.0])
def test_equal_margins_by_the_hundred_are_right_to_a_billionth(pi):
    n, p = 200, np.array([0.8, 0.2])
    model, k = independent([p] * n, "ex1", pi), np.arange(n + 1)
    log_number = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    log_p = model.log_p(np.tri(n + 1, n, -1, int))
    assert model.normaliser == "approximated"
    assert abs(logsumexp(log_number + log_p)) <= 1e-9 * max(1, model.v)
