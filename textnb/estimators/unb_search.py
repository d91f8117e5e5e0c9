"""alpha, then pi, of U-NB by cross-validation on the training data.

alpha is searched with the ordinary product (naive Bayes), then pi with that alpha. Each fold is scored by a model of
the other folds; the values of a column are those of all the rows given, so that smoothing has a share for one that
the other folds do not have. A row whose class the other folds do not have has probability 0 whatever alpha and pi are,
and is not scored. What is minimised, over the rows of each fold and then over the folds by their rows:

    log-loss:   mean of -log p(y|x)                                                                                (1)
    joint-kl:   sum over (x, y) of q(x, y) log (q(x, y) / p(x, y)),   q the shares of rows of the fold             (2)

(2) is the paper's. It judges p(x) as well as p(y|x) and may be won by a flat p(x|y), which classifies badly; a search
that ends so is warned of.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.contingency import Contingency, as_categories
from textnb.counts.labels import class_codes
from textnb.counts.matrix import CSR
from textnb.errors import FitWarning, InputError
from textnb.estimators.unb import UNB
from textnb.models.bregman import unb
from textnb.models.bregman.families import FAMILIES, KL, family_of
from textnb.models.bregman.family import Family
from textnb.models.scorer import log_posterior

CRITERIA = ("log-loss", "joint-kl")
ALPHAS = tuple(k / 100 for k in range(101))
_FLAT = 0.1


class Grids(NamedTuple):
    """What is tried; without pis, those of ``PIS`` for the family."""

    alphas: Sequence[float] = ALPHAS
    pis: Sequence[float] | None = None


class Losses(NamedTuple):
    """Eq. (1) and (2), averaged over the folds; inf where a row has probability 0."""

    log_loss: float
    joint_kl: float


_NONE = Losses(float("inf"), float("inf"))
_DEFAULT = Grids()
PIS: dict[str, tuple[float, ...]] = {
    "kl": (1.0,),
    "ex1": tuple(k / 20 for k in range(1, 41)),
    "ex2": tuple(k / 10 for k in range(-10, 11) if k),
    "ex3": tuple(-(10.0**-k) for k in range(1, 7)) + tuple(10.0**-k for k in range(6, 1, -1)),
    "ex4": tuple(2.0**k for k in range(-8, 5)),
}


@dataclass(frozen=True)
class UNBSearch:
    """``params`` make the estimator: ``UNB(**search.params)``. ``by_alpha`` and ``by_pi``: the losses of each.

    They are inf where a row has probability 0, and where a pi leaves the family's domain. ``information``: how far
    p(x|y) is from uniform, as a share of the same with the ordinary product; ``flat``: it is below a tenth.
    """

    params: dict[str, Any]
    by_alpha: dict[float, Losses]
    by_pi: dict[float, Losses]
    information: float

    @property
    def flat(self) -> bool:
        """Whether p(x|y) has degenerated to almost uniform."""
        return self.information < _FLAT


def search_unb(
    X: Any,
    y: ArrayLike,
    model: UNB | None = None,
    *,
    grids: Grids = _DEFAULT,
    criterion: str = "log-loss",
    folds: int | NDArray[np.intp] = 10,
    progress: Callable[[int, int], None] | None = None,
) -> UNBSearch:
    """The best alpha and pi for ``model``, of which family, attributes, norm and prior are kept.

    folds: how many, of rows shuffled always alike; or the number of each row's fold, (D,). progress: called with the
    steps done and all steps. Of equal values the first of a grid is taken.

    >>> X = [["a", "x"], ["a", "y"], ["b", "y"], ["b", "x"], ["a", "x"], ["b", "y"]] * 5
    >>> search = search_unb(X, [0, 0, 1, 1, 0, 1] * 5, grids=Grids([0.1, 1.0], [0.5, 1.0, 1.5]), folds=3)
    >>> search.params["alpha"], UNB(**search.params).fit(X, [0, 0, 1, 1, 0, 1] * 5).predict([["a", "y"]])
    (0.1, array([0]))
    """
    model = UNB() if model is None else model
    if criterion not in CRITERIA:
        raise InputError(f"criterion {criterion!r} is not known; known: {', '.join(CRITERIA)}")
    if model.family not in FAMILIES:
        raise InputError(f"family {model.family!r} is not known; known: {', '.join(FAMILIES)}")
    pis = PIS[model.family] if grids.pis is None else grids.pis
    if not len(grids.alphas) or not len(pis):
        raise InputError("a grid is empty: there is nothing to try")
    trial = _Trial.of(X, y, folds, model)
    steps = _Steps(len(grids.alphas) + len(pis), progress)
    by_alpha = {float(alpha): steps.after(trial.losses(KL(), alpha)) for alpha in grids.alphas}
    alpha = _best(by_alpha, criterion)
    by_pi = {float(pi): steps.after(trial.losses_within(pi, alpha)) for pi in pis}
    pi = _best(by_pi, criterion)
    search = UNBSearch({**model.get_params(), "alpha": alpha, "pi": pi}, by_alpha, by_pi, trial.information(pi, alpha))
    if search.flat:
        warnings.warn(
            f"with pi = {pi:.6g} p(x|y) is almost uniform ({search.information:.1%} of what it says with the ordinary "
            f"product): {criterion} is best where the classes are hardly told apart",
            FitWarning,
            stacklevel=2,
        )
    return search


def _best(losses: dict[float, Losses], criterion: str) -> float:
    """The first with the least of the criterion."""
    found = {value: each[CRITERIA.index(criterion)] for value, each in losses.items()}
    best = min(found, key=lambda value: found[value])
    if found[best] == np.inf:
        raise InputError(f"none of {list(found)} gives every row a probability: {criterion} is infinite for all")
    return best


@dataclass
class _Steps:
    total: int
    progress: Callable[[int, int], None] | None
    done: int = 0

    def after(self, value: Losses) -> Losses:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)
        return value


@dataclass(frozen=True)
class _Trial:
    """What all rows teach, and the folds."""

    model: UNB
    tables: Contingency
    parts: tuple["_Part", ...]

    @classmethod
    def of(cls, X: Any, y: ArrayLike, folds: int | NDArray[np.intp], model: UNB) -> "_Trial":
        rows = as_categories(X)
        tables = Contingency.of(rows, y)
        indicators, labels = tables.indicators(rows), class_codes(y, tables.classes)[1]
        numbers = fold_numbers(len(labels), folds)
        held = [np.flatnonzero(numbers == k) for k in np.unique(numbers)]
        if len(held) < 2:
            raise InputError("cross-validation needs at least two folds with rows")
        parts = tuple(_Part.of(tables, indicators[rows], labels[rows]) for rows in held)
        if not any(len(part.y) for part in parts):
            raise InputError("no fold has a row of a class that the other folds have")
        return cls(model, tables, parts)

    def losses_within(self, pi: float, alpha: float) -> Losses:
        """Infinite where pi, or a product with it, is outside the family's domain."""
        try:
            return self.losses(family_of(self.model.family, pi), alpha)
        except InputError:
            return _NONE

    def losses(self, family: Family, alpha: float) -> Losses:
        model, totals = self.model, np.zeros(2)
        for part in self.parts:
            scorer = unb.fit(part.rest, family, alpha, model.attributes, model.norm, model.prior)
            scores, rows = scorer.joint_log_scores(part.X), np.arange(len(part.y))
            totals[0] -= log_posterior(scores, scorer.bias)[rows, part.y].sum()
            totals[1] += len(rows) * part.negentropy - scores[rows, part.y].sum()
        return Losses(*(totals / sum(len(part.y) for part in self.parts)).tolist())

    def information(self, pi: float, alpha: float) -> float:
        """sum_k p(k) (log M - H_k), with this pi as a share of the same with the ordinary product."""
        told = []
        for family in (family_of(self.model.family, pi), KL()):
            scorer = unb.fit(self.tables, family, alpha, self.model.attributes, self.model.norm)
            sizes = sum(float(np.log(len(self.tables.values[j]))) for j in scorer.columns)
            entropies = np.array([0.0 if part is None else part.entropy() for part in scorer.products])
            told.append(float(np.exp(scorer.bias) @ (sizes - entropies)))
        return told[0] / told[1] if told[1] > 1e-12 else 1.0


@dataclass(frozen=True)
class _Part:
    """The rows of a fold that are scored, as indicators, their classes by number, and what the other folds teach."""

    X: CSR
    y: NDArray[np.intp]
    rest: Contingency
    negentropy: float

    @classmethod
    def of(cls, tables: Contingency, X: CSR, y: NDArray[np.intp]) -> "_Part":
        rest = _rest(tables, X, y)
        scored = np.flatnonzero(rest.documents[y] > 0)
        X, y = X[scored], y[scored]
        counts = np.unique(np.column_stack([X.toarray(), y]), axis=0, return_counts=True)[1]
        return cls(X, y, rest, float((counts * np.log(counts / max(len(y), 1))).sum() / max(len(y), 1)))


def fold_numbers(n_rows: int, folds: int | NDArray[np.intp]) -> NDArray[np.intp]:
    """The fold of each row: as given, or dealt out after a shuffle that is always the same."""
    if np.ndim(folds):
        numbers = np.asarray(folds)
        if numbers.shape != (n_rows,):
            raise InputError(f"folds must hold {n_rows} numbers, one a row, not shape {numbers.shape}")
        return numbers
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or not 2 <= folds <= n_rows:
        raise InputError(f"folds must be a whole number from 2 to the {n_rows} rows, not {folds!r}")
    return np.asarray(np.random.default_rng(0).permutation(n_rows) % folds, np.intp)


def _rest(tables: Contingency, held: CSR, y: NDArray[np.intp]) -> Contingency:
    """What is learnt from the rows that are not held out, on the values of all."""
    documents = tables.documents - np.bincount(y, minlength=len(tables.classes))
    table = np.concatenate(tables.tables, axis=1).copy()
    rows = np.repeat(y, np.diff(held.indptr))
    np.subtract.at(table, (rows, held.indices), 1)
    cuts = np.cumsum([part.shape[1] for part in tables.tables])[:-1]
    return Contingency(tables.classes, documents, tables.values, tuple(np.split(table, cuts, axis=1)))
