"""Search for alpha and pi of U-NB by cross-validation on the training data.

alpha is searched with the ordinary product (naive Bayes), then pi with that alpha. Each fold is scored by a model of
the other folds. The values of a column are those of all rows, so that smoothing gives some probability to a value that
the other folds do not have. A row whose class the other folds do not have has probability 0 for every alpha and pi, and
is not scored. The criterion, averaged over the rows of all folds, is one of

    log-loss:   mean of -log p(y|x)                                                                                (1)
    joint-kl:   sum over (x, y) of q(x, y) log (q(x, y) / p(x, y)),   q the frequencies of rows in the fold        (2)

(2) is the paper's. It measures p(x) as well as p(y|x), and its minimum may have an almost uniform p(x|y), which
classifies badly; the search then warns.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from textnb.counts.contingency import Contingency, as_categories
from textnb.counts.labels import Labels, class_codes
from textnb.counts.matrix import CSR, Matrix
from textnb.errors import FitWarning, InputError
from textnb.estimators.unb import UNB
from textnb.models.bregman import unb
from textnb.models.bregman.families import FAMILIES, KL, Family, family_of
from textnb.models.scorer import log_posterior
from textnb.numerics import Codes, as_number

CRITERIA = ("log-loss", "joint-kl")
_MIN_INFORMATION = 1e-12
ALPHAS = tuple(k / 100 for k in range(101))
MIN_RELATIVE_INFORMATION = 0.1
"""Below this p(x|y) counts as almost uniform."""


class Grids(NamedTuple):
    """Values to try; without pis, those of ``PIS`` for the family."""

    alphas: Sequence[float] = ALPHAS
    pis: Sequence[float] | None = None


class Losses(NamedTuple):
    """Values of (1) and (2), averaged over the rows of all folds; inf if a row has probability 0."""

    log_loss: float
    joint_kl: float


_INFINITE = Losses(float("inf"), float("inf"))
_DEFAULT_GRIDS = Grids()
_FLAT_WARNING = (
    "with pi = {pi:.6g} p(x|y) is almost uniform ({information:.1%} of its information with the ordinary product): "
    "{criterion} is smallest where the classes hardly differ"
)
PIS: dict[str, tuple[float, ...]] = {
    "kl": (1.0,),
    "ex1": tuple(k / 20 for k in range(1, 41)),
    "ex2": tuple(k / 10 for k in range(-10, 11) if k),
    "ex3": tuple(-(10.0**-k) for k in range(1, 7)) + tuple(10.0**-k for k in range(6, 1, -1)),
    "ex4": tuple(2.0**k for k in range(-8, 5)),
}


@dataclass(frozen=True)
class UNBSearch:
    """Result of ``search_unb``.

    The best estimator is ``UNB(**search.params)``; ``by_alpha`` and ``by_pi`` have the losses of each value, inf if a
    row has probability 0 or a pi leaves the family's domain; ``information`` is the distance of p(x|y) from uniform,
    relative to that with the ordinary product.
    """

    params: dict[str, Any]
    by_alpha: dict[float, Losses]
    by_pi: dict[float, Losses]
    information: float

    @property
    def flat(self) -> bool:
        """True if p(x|y) is almost uniform: ``information`` is below 0.1."""
        return self.information < MIN_RELATIVE_INFORMATION


def search_unb(
    X: Matrix,
    y: Labels,
    model: UNB | None = None,
    *,
    grids: Grids = _DEFAULT_GRIDS,
    criterion: str = "log-loss",
    folds: int | Codes = 10,
    progress: Callable[[int, int], None] | None = None,
) -> UNBSearch:
    """Find the best alpha and pi for a model.

    Parameters
    ----------
    X, y
        As in ``UNB.fit``.
    model : UNB, optional
        Its family, attributes, norm and prior are kept.
    grids : Grids
        Values of alpha and pi to try; of equally good values the first is taken.
    criterion : {"log-loss", "joint-kl"}
        What to minimise.
    folds : int or array (D,)
        Number of folds, of rows shuffled with a fixed seed; or the fold of each row.
    progress : callable, optional
        Called with the number of steps done and the number of all steps.

    Examples
    --------
    >>> X = [["a", "x"], ["a", "y"], ["b", "y"], ["b", "x"], ["a", "x"], ["b", "y"]] * 5
    >>> search = search_unb(X, [0, 0, 1, 1, 0, 1] * 5, grids=Grids([0.1, 1.0], [0.5, 1.0, 1.5]), folds=3)
    >>> search.params["alpha"], UNB(**search.params).fit(X, [0, 0, 1, 1, 0, 1] * 5).predict([["a", "y"]])
    (0.1, array([0]))
    """
    model = UNB() if model is None else model
    if criterion not in CRITERIA:
        raise InputError("unknown criterion {name!r}; use {known}", name=criterion, known=" or ".join(CRITERIA))
    if model.family not in FAMILIES:
        raise InputError("unknown family {name!r}; use {known}", name=model.family, known=", ".join(FAMILIES))
    pis = PIS[model.family] if grids.pis is None else grids.pis
    if not len(grids.alphas) or not len(pis):
        raise InputError("a grid is empty; give at least one value")
    trial = _Trial.of(X, y, folds, model)
    steps, total = count(1), len(grids.alphas) + len(pis)

    def after_step(losses: Losses) -> Losses:
        if progress is not None:
            progress(next(steps), total)
        return losses

    by_alpha = {float(alpha): after_step(trial.losses(KL(), alpha)) for alpha in grids.alphas}
    alpha = _best(by_alpha, criterion)
    by_pi = {float(pi): after_step(trial.losses_within(pi, alpha)) for pi in pis}
    pi = _best(by_pi, criterion)
    search = UNBSearch({**model.get_params(), "alpha": alpha, "pi": pi}, by_alpha, by_pi, trial.information(pi, alpha))
    if search.flat:
        message = _FLAT_WARNING.format(pi=pi, information=search.information, criterion=criterion)
        warnings.warn(message, FitWarning, stacklevel=2)
    return search


def _best(losses: dict[float, Losses], criterion: str) -> float:
    """The first value with the smallest criterion."""
    found = {value: each[CRITERIA.index(criterion)] for value, each in losses.items()}
    best = min(found, key=lambda value: found[value])
    if found[best] == np.inf:
        template = "{name} is infinite for all of {values}: each gives some row probability 0"
        raise InputError(template, name=criterion, values=list(found))
    return best


@dataclass(frozen=True)
class _Trial:
    """Statistics of all rows, and the folds."""

    model: UNB
    tables: Contingency
    parts: tuple[_Part, ...]

    @classmethod
    def of(cls, X: Matrix, y: Labels, folds: int | Codes, model: UNB) -> _Trial:
        rows = as_categories(X)
        tables = Contingency.of(rows, y)
        indicators, labels = tables.indicators(rows), class_codes(y, tables.classes)[1]
        numbers = fold_numbers(len(labels), folds)
        held = [np.flatnonzero(numbers == k) for k in np.unique(numbers)]
        if len(held) < 2:
            raise InputError("cross-validation needs rows in at least two folds")
        parts = tuple(_Part.of(tables, indicators[rows], labels[rows]) for rows in held)
        if not any(len(part.y) for part in parts):
            raise InputError("no fold has a row of a class that the other folds have")
        return cls(model, tables, parts)

    def losses_within(self, pi: float, alpha: float) -> Losses:
        """Losses of a pi; infinite if pi, or a product with it, is outside the family's domain."""
        try:
            return self.losses(family_of(self.model.family, pi), alpha)
        except InputError:
            return _INFINITE

    def losses(self, family: Family, alpha: float) -> Losses:
        model, totals = self.model, np.zeros(2)
        for part in self.parts:
            scorer = unb.fit(part.rest, family, alpha, model.attributes, model.norm, model.prior)
            scores, rows = scorer.joint_log_scores(part.X), np.arange(len(part.y))
            totals[0] -= log_posterior(scores, scorer.bias)[rows, part.y].sum()
            totals[1] += len(rows) * part.negentropy - scores[rows, part.y].sum()
        return Losses(*(totals / sum(len(part.y) for part in self.parts)).tolist())

    def information(self, pi: float, alpha: float) -> float:
        """sum_k p(k) (log M - H_k) with this pi, relative to that with the ordinary product."""
        informations = []
        for family in (family_of(self.model.family, pi), KL()):
            scorer = unb.fit(self.tables, family, alpha, self.model.attributes, self.model.norm)
            sizes = sum(float(np.log(len(self.tables.values[j]))) for j in scorer.columns)
            entropies = np.array([0.0 if part is None else part.entropy() for part in scorer.products])
            informations.append(float(np.exp(scorer.bias) @ (sizes - entropies)))
        with_pi, ordinary = informations
        return with_pi / ordinary if ordinary > _MIN_INFORMATION else 1.0


@dataclass(frozen=True)
class _Part:
    """Scored rows of a fold as indicators, their class numbers, and the statistics of the other folds."""

    X: CSR
    y: Codes
    rest: Contingency
    negentropy: float

    @classmethod
    def of(cls, tables: Contingency, X: CSR, y: Codes) -> _Part:
        rest = _rest(tables, X, y)
        scored = np.flatnonzero(rest.documents[y] > 0)
        X, y = X[scored], y[scored]
        counts = np.unique(np.column_stack([X.toarray(), y]), axis=0, return_counts=True)[1]
        return cls(X, y, rest, float((counts * np.log(counts / max(len(y), 1))).sum() / max(len(y), 1)))


def fold_numbers(n_rows: int, folds: int | Codes) -> Codes:
    """Fold of each row, (D,): as given, or dealt out after a shuffle with a fixed seed."""
    if np.ndim(folds):
        numbers = np.asarray(folds)
        if numbers.shape != (n_rows,):
            shape = numbers.shape
            raise InputError("folds must hold {n} numbers, one per row, not shape {shape}", n=n_rows, shape=shape)
        return numbers
    number = int(as_number(folds, "folds", low=2, high=n_rows, whole=True))
    return np.asarray(np.random.default_rng(0).permutation(n_rows) % number, np.intp)


def _rest(tables: Contingency, held: CSR, y: Codes) -> Contingency:
    """Statistics of the rows that are not held out, on the values of all rows."""
    documents = tables.documents - np.bincount(y, minlength=len(tables.classes))
    table = np.concatenate(tables.tables, axis=1).copy()
    rows = np.repeat(y, np.diff(held.indptr))
    np.subtract.at(table, (rows, held.indices), 1)
    cuts = np.cumsum([part.shape[1] for part in tables.tables])[:-1]
    return Contingency(tables.classes, documents, tables.values, tuple(np.split(table, cuts, axis=1)))
