"""Metrics of predictions with 95 % intervals, in which copies of a document count as one observation.

D_eff is the number of independent documents that are as much evidence as the documents given (eq. (6) of
``metrics.py``).

accuracy          Wilson's interval for D_eff documents
log loss, Brier   mean +- t s / (D_eff)^(1/2), s the standard deviation of the losses, t of Student's distribution with
                  D_eff - 1 degrees of freedom, within the range of the metric; all of the range if D_eff < 2
macro F1          Wilson's interval for the number of documents of eq. (3)
ECE               eq. (3) of ``reliability.py``

Documents with weights w_i (``Quality``) are as much evidence as D_eff = (sum_i w_i)^2 / sum_g (sum_{i in g} w_i)^2
independent ones; accuracy, mean and variance of the losses are weighted by w_i.

Macro F1 changes with document i, to first order, by z_i / D. With F_k the F1 of class k, n_k the number of documents
that are of class k plus the number predicted as k, and K classes that occur:

(1)  z_i = 2 (1 - F_k) D / (K n_k) for a correct answer k;  - F_k D / (K n_k) - F_l D / (K n_l) for k mistaken for l
(2)  variance of macro F1 = mean of z_i^2 / D_eff
(3)  min(F (1 - F) / variance, K^2 / sum_k 1 / (n_k / 2), D_eff)

Among so many documents a proportion F would vary as much. The second number is that of K proportions, averaged, each of
n_k / 2 documents (its effective number); it counts if there are too few mistakes to see how F1 varies.

An interval always contains its estimate. Repeats of cross-validation answer for the same documents, so they are no
further evidence: estimates and ends are averaged. The intervals do not include what another training set would change.
Those of log loss and Brier rest on the mistakes that were seen, and macro F1 is too low on average if many classes are
rare: below about 100 documents, or with many rare classes, these three are too narrow.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError
from textnb.evaluation import metrics
from textnb.evaluation.metrics import accuracy_interval, squared_sizes, wilson_interval
from textnb.evaluation.reliability import Reliability
from textnb.numerics import Codes, Estimate, Floats, most_probable

MEASURES = ("accuracy", "macro_f1", "log_loss", "brier", "ece")
MEASURE_NAMES = {"macro_f1": "macro F1", "log_loss": "log loss", "brier": "Brier", "ece": "ECE"}
"""Names of measures as column headings, where they differ."""


def estimate_measures(y: Codes, repeats: Iterable[Floats], groups: Codes) -> dict[str, Estimate]:
    """Each metric with its interval, of log probabilities (D, C) in each repeat, for true classes y (D,).

    Documents with equal numbers in groups (D,) are one observation.
    """
    found = [_estimates(y, log_probabilities, groups) for log_probabilities in repeats]
    return {name: Estimate(*np.mean([each[name] for each in found], axis=0).tolist()) for name in MEASURES}


class Quality(NamedTuple):
    """Accuracy and log loss with 95 % intervals, estimated on a number of documents.

    >>> Quality.of(np.array([True, True, False]), np.array([0.1, 0.2, 1.2]), np.ones(3), np.arange(3)).accuracy.value
    0.6666666666666666
    """

    documents: int
    accuracy: Estimate
    log_loss: Estimate

    @classmethod
    def of(cls, correct: NDArray[np.bool_], losses: Floats, weights: Floats, groups: Codes) -> "Quality":
        """Estimate from answers that are correct or not (D,), their log losses, weights and groups of copies."""
        total = float(weights.sum())
        effective = total**2 / float((np.bincount(groups, weights) ** 2).sum())
        accuracy = float(weights[correct].sum()) / total
        interval = wilson_interval(accuracy * effective, effective)
        return cls(len(correct), _estimate(accuracy, interval), _mean(losses, effective, math.inf, weights))

    @property
    def json(self) -> dict[str, Any]:
        """Quality as plain JSON values: an estimate is its value and both ends of its interval; null if infinite."""
        log_loss = [value if math.isfinite(value) else None for value in self.log_loss]
        return {"documents": self.documents, "accuracy": list(self.accuracy), "log_loss": log_loss}

    @classmethod
    def from_json(cls, json: Mapping[str, Any]) -> "Quality":
        """Quality from its ``json``; refuses numbers that no estimate could give."""
        estimates = (
            [math.inf if end is None else float(end) for end in json[name]] for name in ("accuracy", "log_loss")
        )
        accuracy, log_loss = (Estimate(*ends) for ends in estimates)
        number = json["documents"]
        ordered = all(0 <= each.low <= each.value <= each.high for each in (accuracy, log_loss))
        if not ordered or accuracy.high > 1 or type(number) is not int or number < 1:
            raise InputError("the accuracy, log loss or number of left-out documents is impossible")
        return cls(number, accuracy, log_loss)


def _estimates(y: Codes, log_probabilities: Floats, groups: Codes) -> dict[str, Estimate]:
    P, predicted = np.exp(log_probabilities), most_probable(log_probabilities)
    correct = predicted == y
    squared = float(squared_sizes(groups, np.zeros(len(y), np.intp), 1)[0])
    effective = len(y) ** 2 / squared
    reliability = Reliability.of(P.max(axis=1), correct, groups=groups)
    return {
        "accuracy": _estimate(float(correct.mean()), accuracy_interval(int(correct.sum()), len(y), squared)),
        "macro_f1": _macro_f1(y, predicted, P.shape[1], groups, effective),
        "log_loss": _mean(metrics.log_losses(y, log_probabilities), effective, math.inf),
        "brier": _mean(metrics.brier_losses(y, P), effective, 2.0),
        "ece": _estimate(reliability.ece, reliability.ece_interval),
    }


def _estimate(value: float, interval: tuple[float, float]) -> Estimate:
    """Estimate whose interval contains it, whatever was rounded."""
    return Estimate(value, min(interval[0], value), max(interval[1], value))


def _mean(losses: Floats, effective: float, most: float, weights: Floats | None = None) -> Estimate:
    """Mean of losses (D,) from 0 to ``most`` with the interval of Student's t; infinite if a loss is."""
    from scipy.special import stdtrit

    value = float(np.average(losses, weights=weights))
    if math.isinf(value):
        return Estimate(value, value, value)
    if effective < 2:
        return Estimate(value, 0.0, most)
    half = float(stdtrit(effective - 1, 0.975)) * math.sqrt(
        np.average((losses - value) ** 2, weights=weights) / (effective - 1)
    )
    return _estimate(value, (max(0.0, value - half), min(most, value + half)))


def _macro_f1(y: Codes, predicted: Codes, n_classes: int, groups: Codes, effective: float) -> Estimate:
    """Macro F1 with Wilson's interval for the number of documents of eq. (3)."""
    correct: NDArray[np.bool_] = predicted == y
    hits, true, named = (np.bincount(each, minlength=n_classes) for each in (y[correct], y, predicted))
    n, F = true + named, metrics.f1(hits, true, named)
    occurs = n > 0
    value, scale = float(metrics.macro_f1(hits, true, named)), len(y) / (occurs.sum() * np.maximum(n, 1))
    z = np.where(correct, 2 * (scale - scale * F)[y], -(scale * F)[y] - (scale * F)[predicted])  # eq. (1)
    variance = float(np.mean(z**2)) / effective
    by_class = (squared_sizes(groups, y, n_classes) + squared_sizes(groups, predicted, n_classes))[occurs]
    number = min(occurs.sum() ** 2 / (2 * by_class / n[occurs].astype(np.float64) ** 2).sum(), effective)
    if variance > 0:
        number = min(number, value * (1 - value) / variance)
    return _estimate(value, wilson_interval(value * number, number))
