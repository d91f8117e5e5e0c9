"""Calibration of posteriors: naive Bayes counts every word as independent evidence and is far too confident.

With s_ik the log likelihood (or other score) of document i under class k, pi_k the prior and n_i the number of tokens
of the document that the model knows,

    z_ik = log pi_k + a s_ik / (1 + n_i / n_0) + b_k,    p(k | i) = exp z_ik / sum_k' exp z_ik'              (1)

a, 1/n_0 and the b_k minimise, over documents scored by statistics without them,

    sum_i -w_i log p(y_i | i) + (log^2 a + (m / n_0)^2 + sum_k b_k^2) / 20,   m the mean of n_i              (2)

The penalty pulls towards a = 1, b = 0 and no effect of length. w_i is the number of documents that i represents. A
class without scored documents is left out and keeps b_k = 0. A document without known tokens gets the prior and is not
part of (2).

Smoothed targets replace log p(y_i | i) in (2) by sum_k t_ik log p(k | i), with N_k the weight of class k:

    t_ik = 1 - 1 / (N_k + 2) for the class of document i, the rest in equal parts for the others (Platt)     (3)
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError
from textnb.numerics import Codes, Floats, log_softmax

_PENALTY = 0.1  # twice the weight of the penalty in eq. (2)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Documents scored by statistics that had not seen them.

    scores (D, C) without the prior, log_prior (D, C), lengths (D,) in known tokens, y (D,), weights (D,).
    """

    scores: Floats
    log_prior: Floats
    lengths: Floats
    y: Codes
    weights: Floats

    def rows(self, kept: NDArray[Any]) -> "HeldOut":
        """Selected rows."""
        return HeldOut(*(getattr(self, each.name)[kept] for each in fields(self)))


def joined(parts: Sequence[HeldOut]) -> HeldOut:
    """Documents of all parts; there is at least one part."""
    return HeldOut(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(HeldOut)))


@dataclass(frozen=True, eq=False)
class Calibration:
    """Parameters of eq. (1): a (``scale``), 1/n_0 (``shortening``) and b (C,) (``bias``)."""

    scale: float
    shortening: float
    bias: Floats

    def factors(self, lengths: Floats) -> Floats:
        """Factors of the scores of documents of these lengths, (D,)."""
        return np.asarray(self.scale / (1 + self.shortening * lengths))

    def log_posterior(self, scores: Floats, log_prior: Floats, lengths: Floats) -> Floats:
        """Log posterior of eq. (1), (D, C), from scores without prior; an impossible document gets the prior."""
        scaled = scores * self.factors(lengths)[:, np.newaxis] + self.bias + log_prior
        nothing = (lengths == 0) | np.isneginf(scores.max(axis=1))
        return log_softmax(np.where(nothing[:, np.newaxis], log_prior, scaled))

    @property
    def json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"scale": self.scale, "shortening": self.shortening, "bias": self.bias.tolist()}

    @classmethod
    def of(cls, json: Any, n_classes: int) -> "Calibration":
        """Calibration from ``json``; refuses numbers that no fit could give."""
        scale, shortening, bias = json["scale"], json["shortening"], np.array(json["bias"], np.float64)
        sound = bias.shape == (n_classes,) and np.isfinite([scale, shortening, *bias]).all()
        if not sound or scale <= 0 or shortening < 0:
            raise InputError("the calibration needs one finite bias per class, a positive scale and a shortening >= 0")
        return cls(float(scale), float(shortening), bias)


def fit_calibration(held_out: HeldOut, *, smoothed_targets: bool = False) -> Calibration:
    """Fit a calibration by the minimum of eq. (2); InputError if there is nothing to learn from.

    smoothed_targets: use Platt's smoothed targets (3) and no length term; for scores that do not grow with length.

    >>> scores = np.array([[0.0, -90.0], [-50.0, 0.0], [-3.0, -1.0], [-60.0, 0.0]])
    >>> even = np.log(np.full((4, 2), 0.5))
    >>> found = fit_calibration(HeldOut(scores, even, np.full(4, 50.0), np.array([0, 1, 0, 1]), np.ones(4)))
    >>> bool(found.factors(np.array([50.0]))[0] < 0.5)
    True
    """
    from scipy.optimize import minimize  # slow to import; prediction does not need it

    held_out = held_out.rows(held_out.lengths > 0)
    taking_part = np.unique(held_out.y)
    if len(taking_part) < 2:
        raise InputError("fewer than two classes have two documents or more, with words of other documents in them")
    scores, log_prior = held_out.scores[:, taking_part], held_out.log_prior[:, taking_part]
    y = np.searchsorted(taking_part, held_out.y)
    rows = np.arange(len(y))
    if not np.isfinite(scores[rows, y] + log_prior[rows, y]).all():
        raise InputError("the model considers some unseen documents impossible")
    possible = np.isfinite(scores)
    scores, log_prior = np.where(possible, scores, 0.0), np.where(possible, log_prior, -np.inf)
    own = (np.arange(len(taking_part)) == y[:, np.newaxis]).astype(float)
    targets = platt_targets(y, held_out.weights, possible) if smoothed_targets else own
    mean_length = max(float(np.average(held_out.lengths, weights=held_out.weights)), 1.0)
    relative = held_out.lengths / mean_length

    def loss(parameters: Floats) -> tuple[float, Floats]:
        log_scale, shortening, bias = parameters[0], parameters[1], parameters[2:]
        factors = np.exp(log_scale) / (1 + shortening * relative)
        log_p = log_softmax(log_prior + scores * factors[:, np.newaxis] + bias)
        wrong = np.exp(log_p) - targets
        wrong *= held_out.weights[:, np.newaxis]
        by_factor = (wrong * scores).sum(axis=1) * factors
        slopes = [by_factor.sum(), -(by_factor * relative / (1 + shortening * relative)).sum(), *wrong.sum(axis=0)]
        products = (targets * np.where(targets > 0, log_p, 0.0)).sum(axis=1)
        value = -(held_out.weights * products).sum() + _PENALTY / 2 * (parameters @ parameters)
        return float(value), np.array(slopes) + _PENALTY * parameters

    bounds = [(-20.0, 20.0), (0.0, 0.0 if smoothed_targets else None), *((None, None) for _ in taking_part)]
    found = minimize(loss, np.zeros(2 + len(taking_part)), jac=True, method="L-BFGS-B", bounds=bounds).x
    bias = np.zeros(held_out.scores.shape[1])
    bias[taking_part] = found[2:]
    return Calibration(float(np.exp(found[0])), float(found[1] / mean_length), bias)


def platt_targets(y: Codes, weights: Floats, known: NDArray[np.bool_]) -> Floats:
    """Platt's smoothed targets of eq. (3), (D, C), for classes y (D,); known (D, C): which classes take part.

    >>> platt_targets(np.array([0, 0, 1]), np.ones(3), np.ones((3, 2), bool)).round(3).tolist()
    [[0.75, 0.25], [0.75, 0.25], [0.333, 0.667]]
    """
    n_classes = known.shape[1]
    short = 1 / (np.bincount(y, weights, n_classes)[y] + 2)
    own = np.arange(n_classes) == y[:, np.newaxis]
    others = known & ~own
    share = others * (short / np.maximum(others.sum(axis=1), 1))[:, np.newaxis]
    return np.asarray(np.where(own, 1 - share.sum(axis=1, keepdims=True), share))
