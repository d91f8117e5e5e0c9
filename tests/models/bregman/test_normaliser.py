import numpy as np
import pytest

from textnb.errors import InputError
from textnb.models.bregman import independent, normaliser, product
from textnb.models.bregman.normaliser import Enumerated, lattice_sums

FAMILIES = [("ex1", 0.2), ("ex1", 0.7), ("ex1", 1.5), ("ex1", 3.0), ("ex2", -0.5), ("ex3", -1e-12), ("ex4", 1.0)]


def margins(n, m=3, concentration=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return [0.97 * rng.dirichlet(np.full(m, concentration)) + 0.03 / m for _ in range(n)]


@pytest.fixture
def few_cells(monkeypatch):
    """As if more than a hundred cells were too many to visit."""
    monkeypatch.setattr(normaliser, "MOST_CELLS", 100)


@pytest.mark.parametrize(("name", "pi"), FAMILIES)
@pytest.mark.parametrize("concentration", [0.5, 5.0])
@pytest.mark.parametrize("norm", ["u", "m"])
def test_the_lattice_agrees_with_every_cell(name, pi, concentration, norm, monkeypatch):
    given = margins(7, concentration=concentration)
    exact = independent(given, name, pi, norm)
    monkeypatch.setattr(normaliser, "MOST_CELLS", 100)
    nearly = independent(given, name, pi, norm)
    few_matter = (name, pi, norm) == ("ex1", 0.2, "m")  # all but the most probable cells are negligible
    assert (exact.normaliser, nearly.normaliser) == ("enumerated", "enumerated" if few_matter else "approximated")
    assert nearly.c == pytest.approx(exact.c, rel=1e-8, abs=1e-8)
    cells = np.array([[0] * 7, [2, 1, 0, 1, 2, 0, 1]])
    np.testing.assert_allclose(nearly.log_p(cells), exact.log_p(cells), atol=1e-7)
    assert nearly.entropy() == pytest.approx(exact.entropy(), rel=1e-7, abs=1e-8)


def test_the_lattice_sums_out_what_is_not_known(few_cells):
    given = margins(7)
    joint = product(given, "ex1", 0.6)
    model = independent(given, "ex1", 0.6)
    cells = np.array([[0, 1, -1, -1, -1, -1, -1], [-1] * 7, [0, 1, 2, 0, -1, 0, 1]])
    expected = [joint[0, 1].sum(), 1.0, joint[0, 1, 2, 0, :, 0, 1].sum()]
    np.testing.assert_allclose(np.exp(model.log_p(cells)), expected, rtol=1e-7)


def test_many_more_cells_than_floats_can_count():
    given, cell = margins(345, m=8, concentration=5.0), np.zeros((1, 345), int)
    model = independent(given, "ex1", 1.05)
    assert model.normaliser == "approximated"
    ordinary = independent(given, "ex1", 1.0).log_p(cell)[0]
    assert model.log_p(cell)[0] > ordinary + 1
    assert independent(given, "ex1", 1 + 1e-9).log_p(cell)[0] == pytest.approx(ordinary, rel=1e-6)


def test_equal_margins_have_the_binomial_sum():
    """With two values, T is a multiple of one number: the mass is a sum of n + 1 terms."""
    n, p = 30, np.array([0.8, 0.2])
    for pi in (0.6, 1.4):
        model = independent([p] * n, "ex1", pi)
        ks = np.arange(n + 1)
        a = (-np.log(p[0])) ** pi * (n - ks) + (-np.log(p[1])) ** pi * ks + model.c
        log_choose = np.cumsum(np.log(np.r_[1.0, (n - ks[:-1]) / (ks[:-1] + 1)]))
        assert np.exp(log_choose - a ** (1 / pi)).sum() == pytest.approx(1, abs=1e-7)
        assert model.normaliser == "approximated"


def test_cells_too_far_apart_to_sum_are_refused():
    rare = [np.array([0.7, 0.3, 1e-300])] * 13
    with pytest.raises(InputError, match=r"Ex1\(pi=3.0\): 10\^6.2 cells cannot be summed accurately"):
        independent(rare, "ex1", 3.0)


def test_enumeration_visits_every_cell_in_bounded_blocks():
    numbers = [np.arange(9.0) * 10.0**i for i in range(6)]
    blocks = [block.values for block in Enumerated.of(numbers).blocks()]
    assert max(map(len, blocks)) <= 1 << 17
    cells = np.sort(np.concatenate(blocks))
    assert len(cells) == 9**6 == len(np.unique(cells))


def test_a_lattice_keeps_the_moments_of_its_numbers():
    numbers = [np.array([0.0, 0.7, 1.9, 4.2]), np.array([0.0, 3.3])]
    (lattice,) = lattice_sums(numbers, 0.3, 50).blocks()
    (cells,) = Enumerated.of(numbers).blocks()
    weights = lattice.weights * np.exp(lattice.log_factor)
    for power in range(4):
        assert weights @ lattice.values**power == pytest.approx((cells.values**power).sum(), rel=1e-10)


@pytest.mark.parametrize("most", [100, 1_000_000])
def test_impossible_values_stay_impossible_when_others_are_summed_out(most, monkeypatch):
    monkeypatch.setattr(normaliser, "MOST_CELLS", most)
    given = [np.array([0.6, 0.4, 0.0]), *margins(6)]
    for name, pi in (("ex1", 0.6), ("ex1", 1.6), ("ex2", -0.5), ("ex4", 1.0)):
        model = independent(given, name, pi)
        sums = np.exp(model.log_p(np.array([[k, *[-1] * 6] for k in (0, 1, 2, -1)])))
        assert sums[2] == 0
        assert sums[0] + sums[1] == pytest.approx(1, abs=1e-8)
        assert sums[3] == pytest.approx(1, abs=1e-8)
