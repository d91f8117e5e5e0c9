"""Bregman divergences, and multiplication and division of distributions in their sense (Fujimoto and Murata).

    D_U(p, q) = sum_x U(xi(q)) - U(xi(p)) - p (xi(q) - xi(p))                                                      (1)
    p (x) q   = u(xi(p) + xi(q) - c)                   joint distribution of x and y; c makes the mass 1           (2)
    r (/) q   = u(xi(r) - xi(q) - c')                  the factor whose product with q is r                        (3)

U = exp gives the Kullback-Leibler divergence, the ordinary product and the ordinary quotient. The families of U
are in ``families.py``; ``normaliser.py`` finds c.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from textnb.errors import InputError
from textnb.extension import dir_of
from textnb.models.bregman.families import FAMILIES, KL, Ex1, Ex2, Ex3, Ex4, Family, family_of
from textnb.models.bregman.independence import UIndependent, as_surprisals
from textnb.models.bregman.normaliser import Enumerated, check_mass, least_surprisal
from textnb.numerics import Floats

__all__ = [
    "FAMILIES",
    "KL",
    "Ex1",
    "Ex2",
    "Ex3",
    "Ex4",
    "Family",
    "divergence",
    "family_of",
    "independent",
    "product",
    "quotient",
]

__dir__ = dir_of(__name__)

_MAX_CELLS = 1 << 26


def divergence(p: ArrayLike, q: ArrayLike, family: str | Family = "kl", pi: float = 1.0) -> float:
    """Return the Bregman divergence D_U(p, q) of eq. (1).

    Parameters
    ----------
    p, q : array
        Values of one shape, none negative.
    family : str or Family, optional
        The family of U, one of ``FAMILIES``.
    pi : float, optional
        The parameter of the family.

    Returns
    -------
    float
        The divergence; it may be infinite where q is 0 and p is not.

    Examples
    --------
    >>> round(divergence([0.5, 0.5], [0.9, 0.1]), 12), round(divergence([0.5, 0.5], [0.9, 0.1], "ex2", pi=1.0), 12)
    (0.510825623766, 0.16)
    """
    family = family_of(family, pi)
    p, q = np.asarray(p, np.float64), np.asarray(q, np.float64)
    for values in (p, q):
        family.check_probabilities(values)
    if p.shape != q.shape:
        raise InputError("p has shape {p}, q has shape {q}", p=p.shape, q=q.shape)
    xi_p, xi_q = family.xi(p), family.xi(q)
    limit = family.name == "ex2" and family.pi <= -1  # otherwise p xi(p) vanishes with p
    with np.errstate(invalid="ignore"):
        products = np.where((p == 0) & np.isinf(xi_p), 0.0, p * (xi_q - xi_p))
        terms = family.U(xi_q) - family.U(xi_p) - products
    terms = np.where((p == 0) & (xi_p != xi_q) & limit, np.inf, terms)
    return float(np.where(p == q, 0.0, terms).sum())


def product(margins: Sequence[ArrayLike], family: str | Family = "ex1", pi: float = 1.0, norm: str = "u") -> Floats:
    """Return the U-product of distributions, eq. (2).

    Parameters
    ----------
    margins : sequence of arrays
        Distributions, each with the sum 1.
    family : str or Family, optional
        The family of U, one of ``FAMILIES``.
    pi : float, optional
        The parameter of the family.
    norm : {"u", "m"}, optional
        ``u`` subtracts c within u; ``m`` divides by the sum, and is not associative.

    Returns
    -------
    array
        The joint distribution, with one axis for each axis of each margin, in their order.

    Examples
    --------
    >>> product([[0.5, 0.3, 0.2], [0.7, 0.3]], family="ex1", pi=0.5).round(4)
    array([[0.4107, 0.1245],
           [0.2324, 0.0541],
           [0.1491, 0.0292]])
    """
    surprisals = as_surprisals(margins)
    shape = [size for a in surprisals for size in a.shape]
    n = np.prod(shape, dtype=float)
    if n > _MAX_CELLS:
        raise InputError("the joint would have {n:.3g} cells; ask UIndependent for single ones", n=n)
    return np.exp(independent(margins, family, pi, norm).log_joint()).reshape(shape)


def independent(
    margins: Sequence[ArrayLike], family: str | Family = "ex1", pi: float = 1.0, norm: str = "u"
) -> UIndependent:
    """Return the U-independent model with these margins, which answers for single cells, margins and c.

    Parameters
    ----------
    margins, family, pi, norm
        As in ``product``.

    Returns
    -------
    UIndependent

    Examples
    --------
    >>> model = independent([[0.5, 0.3, 0.2], [0.7, 0.3]], family="ex1", pi=0.5)
    >>> round(model.c, 8), np.exp(model.log_p(np.array([[0, 0], [0, -1]]))).round(8), model.normaliser
    (-0.4864155, array([0.41068388, 0.53519103]), 'enumerated')
    """
    return UIndependent.of([a.ravel() for a in as_surprisals(margins)], family_of(family, pi), norm)


def quotient(joint: ArrayLike, margin: ArrayLike, family: str | Family = "ex1", pi: float = 1.0) -> Floats:
    """Return the U-quotient of eq. (3), which undoes the product.

    Parameters
    ----------
    joint : array
        A U-product whose last axes are those of ``margin``; any other joint is refused.
    margin : array
        The distribution to divide by.
    family, pi
        As in ``product``.

    Returns
    -------
    array
        The joint distribution of the first variables.

    Examples
    --------
    >>> p, q = [0.5, 0.3, 0.2], [0.7, 0.3]
    >>> quotient(product([p, q], "ex1", 0.5), q, "ex1", 0.5)
    array([0.5, 0.3, 0.2])
    """
    family = family_of(family, pi)
    whole, a = as_surprisals([joint, margin])
    if whole.shape[-a.ndim :] != a.shape or whole.ndim == a.ndim:
        template = "the joint has shape {shape}, which does not end in a margin's {end}"
        raise InputError(template, shape=whole.shape, end=a.shape)
    rest = whole.shape[: -a.ndim]
    possible = np.isfinite(a.ravel())
    t = family.coordinate(whole.reshape(-1, a.size)[:, possible]) - family.coordinate(a.ravel()[possible])
    t -= t.max(axis=0)
    if not np.allclose(t, t[:, :1], rtol=1e-6, atol=1e-6, equal_nan=True):
        template = (
            "the joint is not a product of family {name} with that margin: its quotients differ from value to value"
        )
        raise InputError(template, name=family.name)
    likeliest = int(np.argmin(a.ravel()[possible]))
    return np.exp(_normalised(family, -t[:, likeliest])).reshape(rest)


def _normalised(family: Family, d: Floats) -> Floats:
    """log u(z - c) with z = -scale d and c such that the mass is 1; the least d is 0."""
    finite = d[np.isfinite(d)]
    check_mass(family, len(finite))
    return -family.shifted(least_surprisal(family, Enumerated.of([finite]), len(finite)), d)
