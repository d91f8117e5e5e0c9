import itertools

import numpy as np
import pytest

from textnb.counts.contingency import Contingency
from textnb.errors import InputError
from textnb.models import categorical
from textnb.models.bregman import unb
from textnb.models.bregman.families import family_of

RNG = np.random.default_rng(7)
Y = np.arange(60) % 3
X = (RNG.integers(0, [2, 3, 4], (60, 3)) + (RNG.random((60, 3)) < 0.4) * Y[:, np.newaxis]) % [2, 3, 4]
TABLES = Contingency.of(X, Y)
CELLS = np.array(list(itertools.product(range(2), range(3), range(4))))
EX1 = family_of("ex1", 0.6)


def scores(scorer, rows=CELLS):
    return scorer.joint_log_scores(TABLES.indicators(rows))


def by_hand(family, alpha, attributes, norm):
    """Eq. (3) and (4) over all cells, by sums over lists."""
    expected = np.empty((len(CELLS), 3))
    for k in range(3):
        own = X[k == Y]
        p = [
            [(np.sum(own[:, j] == v) + alpha) / (len(own) + alpha * m) for v in range(m)]
            for j, m in enumerate((2, 3, 4))
        ]
        z = np.array([sum(float(family.xi(p[j][cell[j]])) for j in attributes) for cell in CELLS])
        if norm == "m":
            joint = family.u(z)
        else:
            n_cells = np.prod([m for j, m in enumerate((2, 3, 4)) if j in attributes])
            low, high = z.max() - family.xi(1.0), z.max() - family.xi(1 / n_cells)
            for _ in range(200):
                c = (low + high) / 2
                low, high = (c, high) if _mass(family, z, c, attributes) > 1 else (low, c)
            joint = family.u(z - c)
        rest = np.prod([[p[j][cell[j]] for j in range(3) if j not in attributes] for cell in CELLS], axis=1)
        total = joint.sum() / np.prod([m for j, m in enumerate((2, 3, 4)) if j not in attributes])
        expected[:, k] = len(own) / 60 * joint / total * rest
    return np.log(expected)


def _mass(family, z, c, attributes):
    return family.u(z - c).sum() / np.prod([m for j, m in enumerate((2, 3, 4)) if j not in attributes])


@pytest.mark.parametrize(("name", "pi"), [("ex1", 0.4), ("ex1", 1.7), ("ex2", -0.5), ("ex4", 0.8), ("ex3", -1e-3)])
@pytest.mark.parametrize("attributes", [(0, 1, 2), (0, 2), (1,)])
@pytest.mark.parametrize("norm", ["u", "m"])
def test_scores_are_the_formula_over_all_cells(name, pi, attributes, norm):
    family = family_of(name, pi)
    fitted = unb.fit(TABLES, family, 0.5, attributes, norm)
    np.testing.assert_allclose(scores(fitted), by_hand(family, 0.5, attributes, norm), atol=1e-9)
    assert np.exp(scores(fitted)).sum() == pytest.approx(1, abs=1e-12)
    assert fitted.normaliser == "enumerated"


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_ordinary_products_are_naive_bayes(alpha):
    expected = categorical.fit(TABLES, alpha).joint_log_scores(TABLES.indicators(CELLS))
    for family in (family_of("ex1", 1.0), family_of("kl")):
        fitted = unb.fit(TABLES, family, alpha)
        np.testing.assert_allclose(scores(fitted), expected, rtol=0, atol=1e-10)
        assert fitted.normaliser == "exact"
    np.testing.assert_allclose(scores(unb.fit(TABLES, EX1, alpha, [])), expected, atol=1e-10)
    np.testing.assert_allclose(scores(unb.fit(TABLES, EX1, alpha, [1])), expected, atol=1e-10)
    np.testing.assert_allclose(scores(unb.fit(TABLES, family_of("ex1", 1 + 1e-9), alpha)), expected, atol=1e-6)


def test_an_unseen_value_is_summed_out():
    fitted = unb.fit(TABLES, EX1)
    joint = np.exp(scores(fitted)).reshape(2, 3, 4, 3)
    unseen = np.exp(scores(fitted, [[1, 9, 2], [9, 9, 3], [9, 9, 9]]))
    np.testing.assert_allclose(unseen, [joint[1, :, 2].sum(axis=0), joint[:, :, 3].sum(axis=(0, 1)), [1 / 3] * 3])


def test_a_class_without_documents_is_impossible():
    tables = TABLES.on_classes((0, 1, 2, 3))
    for alpha in (0.0, 1.0):
        found = unb.fit(tables, EX1, alpha).joint_log_scores(tables.indicators(CELLS))
        assert np.isneginf(found[:, 3]).all()
        np.testing.assert_allclose(found[:, :3], scores(unb.fit(TABLES, EX1, alpha)), atol=1e-12)


def test_values_a_class_never_had_are_impossible_without_smoothing():
    tables = Contingency.of([["a", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1])
    found = np.exp(unb.fit(tables, EX1, 0.0).joint_log_scores(tables.indicators([["b", "y"], ["a", "x"]])))
    np.testing.assert_allclose(found, [[0, 1 / 3], [1 / 3, 0]])


def test_differences_add_up_to_the_difference_of_scores():
    fitted = unb.fit(TABLES, EX1, 0.5, [0, 2])
    for row in CELLS[::5]:
        document = TABLES.indicators([row])
        joint = fitted.joint_log_scores(document)[0]
        differences = fitted.differences(document, 2, 0)
        assert differences.score == pytest.approx(joint[2] - joint[0], abs=1e-12)
        assert differences.bias == pytest.approx(0, abs=1e-12)
        assert len(differences.values) == 3


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ([0, 3], "name column 3; the columns are 0 to 2"),
        ([-1], "column -1"),
        ([1, 1], "a column twice"),
        (0.5, "numbers of"),
    ],
)
def test_attributes_that_are_no_columns_are_refused(attributes, why):
    with pytest.raises(InputError, match=why):
        unb.fit(TABLES, EX1, attributes=attributes)


def test_leaving_the_domain_is_refused():
    with pytest.raises(InputError, match=r"ex2 with pi = 2: .* outside \[-0.5, inf\)"):
        unb.fit(TABLES, family_of("ex2", 2.0), 0.1)
    with pytest.raises(InputError, match=r"ex3 with pi = 0.2: 24 cells above 0.2 .* \(-inf, 0.0416667\)"):
        unb.fit(TABLES, family_of("ex3", 0.2), 0.1)
