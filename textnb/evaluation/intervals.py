"""Measures of predictions with 95 % intervals: documents in, each number with how far it can be trusted.

Every measure of ``metrics.py`` is a function of sums over documents: of hits, of losses, of gaps by bin, of true,
predicted and right answers by class. A resample draws as many groups of documents as there are, with replacement, and
has other sums; its measures come from one product, W (B, G) S (G, M), with W how often each group was drawn.

accuracy    Wilson's interval, with the number of groups for the number of documents: copies are no further evidence
macro F1, log loss, Brier    from the 2.5th to the 97.5th percentile of the resamples
ECE         the same, mirrored at the estimate and not below 0: a resample has a larger ECE than the sample, by about as
            much as the sample's is larger than the truth

An interval always holds its estimate. Several repeats of cross-validation answer for the same documents: their measures
are averaged, in each resample too. What another training set would change is not in these intervals.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.evaluation.metrics import wilson_interval
from textnb.numerics import Floats, most_probable

MEASURES = ("accuracy", "macro_f1", "log_loss", "brier", "ece")
BETTER_HIGH = ("accuracy", "macro_f1")
_BINS = 15
_CELLS = 1 << 21  # of W held at once


class Measured(NamedTuple):
    """A measure and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Sums:
    """What the measures are made of: one row a group of documents, S (G, 5 + bins + 3 C), for predictions P (D, C).

    Columns: documents, hits, impossible truths, log losses, Brier losses; gaps by bin; true, predicted, right by class.
    """

    table: sparse.csr_array
    n_classes: int

    @classmethod
    def of(cls, y: NDArray[np.intp], log_probabilities: Floats, groups: NDArray[np.intp]) -> "Sums":
        """y (D,) and groups (D,) are numbers, the groups from 0 on."""
        P, rows = np.exp(log_probabilities), np.arange(len(y))
        predicted, sure = most_probable(log_probabilities), P.max(axis=1)
        right, log_truth = predicted == y, log_probabilities[rows, y]
        possible = np.isfinite(log_truth)
        n_classes = P.shape[1]
        values = [
            (0, np.ones(len(y))),
            (1, right),
            (2, ~possible),
            (3, np.where(possible, -log_truth, 0.0)),
            (4, np.einsum("ik,ik->i", P, P) - 2 * P[rows, y] + 1),
            (5 + np.minimum((sure * _BINS).astype(np.intp), _BINS - 1), right - sure),
            (5 + _BINS + y, np.ones(len(y))),
            (5 + _BINS + n_classes + predicted, np.ones(len(y))),
            (5 + _BINS + 2 * n_classes + y, right),
        ]
        columns = np.concatenate([np.broadcast_to(column, len(y)) for column, _ in values])
        data = np.concatenate([np.asarray(value, np.float64) for _, value in values])
        shape = (int(groups.max()) + 1, 5 + _BINS + 3 * n_classes)
        return cls(sparse.csr_array((data, (np.tile(groups, len(values)), columns)), shape=shape), n_classes)

    def measures(self, W: Floats) -> Floats:
        """The measures (B, 5), in the order of MEASURES, of the documents drawn W (B, G) times."""
        sums = np.asarray(self.table.T @ W.T).T
        n = sums[:, 0]
        true, predicted, right = np.split(sums[:, 5 + _BINS :], 3, axis=1)
        occurring = true + predicted > 0
        f1 = np.divide(2 * right, true + predicted, out=np.zeros_like(right), where=occurring)
        log_loss = np.where(sums[:, 2] > 0, math.inf, sums[:, 3] / n)
        gaps = np.abs(sums[:, 5 : 5 + _BINS]).sum(axis=1)
        macro_f1 = f1.sum(axis=1) / occurring.sum(axis=1)
        return np.stack([sums[:, 1] / n, macro_f1, log_loss, sums[:, 4] / n, gaps / n], axis=1)


def measured(repeats: Sequence[Sums], seed: int = 0, resamples: int = 1000) -> dict[str, Measured]:
    """Each measure with its interval, from the predictions of each repeat for the same documents."""
    n_groups = repeats[0].table.shape[0]
    estimates = np.mean([sums.measures(np.ones((1, n_groups)))[0] for sums in repeats], axis=0)
    drawn = np.concatenate(
        [np.mean([sums.measures(W) for sums in repeats], axis=0) for W in _draws(n_groups, resamples, seed)]
    )
    drawn.sort(axis=0)
    tail = int(0.025 * resamples)
    ends = {name: (drawn[tail, m], drawn[-1 - tail, m]) for m, name in enumerate(MEASURES)}
    values = dict(zip(MEASURES, estimates.tolist(), strict=True))
    ends["accuracy"] = wilson_interval(values["accuracy"] * n_groups, n_groups)
    low, high = ends["ece"]
    ends["ece"] = (max(0.0, 2 * values["ece"] - high), 2 * values["ece"] - low)
    return {
        name: Measured(value, float(min(ends[name][0], value)), float(max(ends[name][1], value)))
        for name, value in values.items()
    }


def _draws(n_groups: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each group is drawn in each resample, (B, G), a block at a time."""
    rng = np.random.default_rng([seed, n_groups])
    block = max(1, _CELLS // n_groups)
    for first in range(0, resamples, block):
        number = min(block, resamples - first)
        chosen = rng.integers(n_groups, size=(number, n_groups)) + np.arange(number)[:, np.newaxis] * n_groups
        yield np.bincount(chosen.ravel(), minlength=number * n_groups).reshape(number, n_groups).astype(np.float64)
