"""Which recipe is best, by how much, and whether that is more than chance.

Is a difference more than chance: tests of two classifiers on the same documents, and Holm's correction for many.

McNemar, exact. Of n documents that just one of the two gets right, b are the first one's. If neither were better, b
would be a fair coin's number of heads in n throws:

    p = min(1, 2 P(heads <= min(b, n - b)))                                                                     (1)

Corrected resampled t (Nadeau and Bengio 2003). d_j is the difference of accuracy in test fold j of J. Training sets of
different folds overlap, so the variance of the mean is larger than s^2 / J:

    t = mean(d) / sqrt((1/J + n_test / n_train) s^2),   Student's t with J - 1 degrees of freedom               (2)

Holm. With p_(1) <= ... <= p_(m): adjusted p_(i) = max over l <= i of min(1, (m - l + 1) p_(l)). Whatever is true, all
that is called significant at .05 is so with a probability of at least .95.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textnb.classifier.recipe import ClassifierRecipe
from textnb.comparison.cross_validation import CrossValidated, Recipes, Tokenised, Watch, cross_validated
from textnb.errors import InputError
from textnb.evaluation.intervals import MEASURES, GroupSums, estimate_measures
from textnb.evaluation.splits import Numbers, repeated_folds
from textnb.numerics import Estimate, Floats, most_probable


def mcnemar(first_only: int, second_only: int) -> float:
    """The p of eq. (1) for documents that only the first, or only the second classifier gets right.

    >>> round(mcnemar(1, 5), 12)
    0.21875
    """
    from scipy.special import bdtr

    n = first_only + second_only
    return min(1.0, 2.0 * float(bdtr(min(first_only, second_only), n, 0.5))) if n else 1.0


def corrected_t(differences: ArrayLike, test_share: float) -> float:
    """The two-sided p of eq. (2); test_share: n_test / n_train.

    1 for a mean of 0, whatever the variance; 0 if all differences are one other number.

    >>> round(corrected_t([0.02, 0.01, 0.03, 0.02, 0.01], 1 / 4), 4)
    0.0327
    """
    from scipy.special import stdtr

    d = np.asarray(differences, np.float64)
    if d.ndim != 1 or len(d) < 2:
        raise InputError(f"a t-test needs differences of two folds or more, not an array of shape {d.shape}")
    mean, variance = float(d.mean()), float(d.var(ddof=1))
    if mean == 0:
        return 1.0
    spread = np.sqrt((1 / len(d) + test_share) * variance)
    return float(2 * stdtr(len(d) - 1, -abs(mean) / spread)) if spread > 0 else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """The adjusted p of each, in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(np.minimum((len(p) - np.arange(len(p))) * p[order], 1.0))
    return [float(value) for value in adjusted]


@dataclass(frozen=True, eq=False)
class Compared:
    """A recipe's measures with their intervals, the accuracy of each fold (R K,), seconds a fold, and p-values.

    The p are those of the paired tests against the best, after Holm's correction; None for the best itself.
    """

    name: str
    recipe: ClassifierRecipe
    measures: dict[str, Estimate]
    fold_accuracies: Floats
    fit_seconds: float
    predict_seconds: float
    is_calibrated: bool
    mcnemar: float | None
    corrected_t: float | None

    @property
    def json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "name": self.name,
            "recipe": self.recipe.json,
            **{name: self.measures[name]._asdict() for name in MEASURES},
            "fold_accuracies": self.fold_accuracies.tolist(),
            "fit_seconds": self.fit_seconds,
            "predict_seconds": self.predict_seconds,
            "calibrated": self.is_calibrated,
            "mcnemar_p": self.mcnemar,
            "corrected_t_p": self.corrected_t,
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """The recipes, the most accurate first; among equals that of the least log loss."""

    rows: tuple[Compared, ...]
    documents: int
    groups: int
    folds: int
    repeats: int
    seed: int

    @property
    def json(self) -> dict[str, Any]:
        """Plain JSON values."""
        about = {name: getattr(self, name) for name in ("documents", "groups", "folds", "repeats", "seed")}
        return {**about, "recipes": [row.json for row in self.rows]}


def compare(
    recipes: Recipes,
    documents: Tokenised,
    *,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    jobs: int = 1,
    watch: Watch = iter,
) -> Comparison:
    """The recipes cross-validated on the same folds.

    Intervals are those of ``intervals.py``. McNemar's test takes the answers of the first repeat, since it wants each
    document once; the corrected t takes the accuracy of every fold of every repeat.
    """
    fold_of = repeated_folds(documents.labels, documents.groups, folds, repeats, seed)
    validated = cross_validated(recipes, documents, fold_of, jobs, watch)
    rows = [_measured(one, documents, seed) for one in validated]
    order = sorted(range(len(rows)), key=lambda i: (-rows[i]["accuracy"].value, rows[i]["log_loss"].value, i))
    right = [_right(validated[i], documents.y) for i in order]
    accuracies = [_by_fold(hits, fold_of) for hits in right]
    exact = holm([_mcnemar(right[0][0], hits[0]) for hits in right[1:]])
    resampled = holm([corrected_t(accuracies[0] - others, 1 / (folds - 1)) for others in accuracies[1:]])
    tests = zip(order, accuracies, [None, *exact], [None, *resampled], strict=True)
    compared = [_compared(validated[i], rows[i], accuracy, p, t) for i, accuracy, p, t in tests]
    n_groups = int(documents.groups.max()) + 1
    return Comparison(tuple(compared), len(documents.labels), n_groups, folds, repeats, seed)


def _measured(one: CrossValidated, documents: Tokenised, seed: int) -> dict[str, Estimate]:
    return estimate_measures(
        [GroupSums.of(documents.y, log_p, documents.groups) for log_p in one.log_probabilities], seed
    )


def _compared(
    one: CrossValidated, measures: dict[str, Estimate], accuracies: Floats, exact: float | None, t: float | None
) -> Compared:
    seconds = float(one.fit_seconds.mean()), float(one.predict_seconds.mean())
    return Compared(one.name, one.recipe, measures, accuracies, *seconds, one.is_calibrated, exact, t)


def _right(one: CrossValidated, y: Numbers) -> Sequence[Any]:
    """Whether each document was answered rightly, in each repeat, (R, D)."""
    return [most_probable(log_p) == y for log_p in one.log_probabilities]


def _by_fold(right: Sequence[Any], folds: Numbers) -> Floats:
    """The accuracy of every fold of every repeat, (R K,)."""
    shares = [np.bincount(row, hits) / np.bincount(row) for hits, row in zip(right, folds, strict=True)]
    return np.concatenate(shares)


def _mcnemar(a: Any, b: Any) -> float:
    return mcnemar(int((a & ~b).sum()), int((b & ~a).sum()))
