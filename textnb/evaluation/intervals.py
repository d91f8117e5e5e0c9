"""Metrics of predictions with 95 % intervals.

Every metric of ``metrics.py`` is a function of sums over documents: of hits, of losses, of gaps by bin, of true,
predicted and correct answers by class. A resample draws as many groups of documents as there are, with replacement. The
sums of B resamples are one product, W (B, G) S (G, M), where W counts how often each group was drawn.

accuracy    Wilson's interval with the number of groups in place of documents, since copies are no further evidence
macro F1, log loss, Brier    from the 2.5th to the 97.5th percentile of the resamples
ECE         these percentiles mirrored at the estimate, and at least 0: the ECE of a resample exceeds that of the sample
            by about as much as that of the sample exceeds the true one

An interval always contains its estimate. Repeats of cross-validation answer for the same documents: their metrics are
averaged, in each resample too. The intervals do not include what another training set would change.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from textnb.evaluation import metrics
from textnb.evaluation.metrics import wilson_interval
from textnb.evaluation.reliability import ECE_BINS, bin_numbers, expected_calibration_error
from textnb.numerics import Codes, Estimate, Floats, most_probable

MEASURES = ("accuracy", "macro_f1", "log_loss", "brier", "ece")
_N_SCALARS = 5
"""Columns of S before the bins: documents, hits, impossible truths, log losses, Brier losses."""

_MAX_CELLS = 1 << 21
"""Cells of W held in memory at once."""

_TAIL = 0.025
"""Proportion of the resamples beyond each end of a 95 % interval."""


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Sums that the metrics of predictions P (D, C) are made of, one row per group: S (G, 5 + bins + 3 C).

    Columns: documents, hits, impossible truths, log losses, Brier losses; gaps by bin; hits, true, predicted by class.
    """

    table: sparse.csr_array
    n_classes: int

    @classmethod
    def of(cls, y: Codes, log_probabilities: Floats, groups: Codes) -> "GroupSums":
        """Sums of predictions for true classes y (D,); groups (D,) are numbered from 0."""
        P, ones = np.exp(log_probabilities), np.ones(len(y))
        predicted, confidence = most_probable(log_probabilities), P.max(axis=1)
        correct, losses = predicted == y, metrics.log_losses(y, log_probabilities)
        possible = np.isfinite(losses)
        n_classes, first_class = P.shape[1], _N_SCALARS + ECE_BINS
        values = [
            (0, ones),
            (1, correct),
            (2, ~possible),
            (3, np.where(possible, losses, 0.0)),
            (4, metrics.brier_losses(y, P)),
            (_N_SCALARS + bin_numbers(confidence, ECE_BINS), correct - confidence),
            (first_class + y, correct),
            (first_class + n_classes + y, ones),
            (first_class + 2 * n_classes + predicted, ones),
        ]
        columns = np.concatenate([np.broadcast_to(column, len(y)) for column, _ in values])
        data = np.concatenate([np.asarray(value, np.float64) for _, value in values])
        shape = (int(groups.max()) + 1, first_class + 3 * n_classes)
        return cls(sparse.csr_array((data, (np.tile(groups, len(values)), columns)), shape=shape), n_classes)

    def measures(self, W: Floats) -> Floats:
        """Metrics (B, 5), in the order of MEASURES, of groups drawn W (B, G) times."""
        sums = np.asarray(self.table.T @ W.T).T
        n, hits, impossible, log_losses, brier_losses = sums[:, :_N_SCALARS].T
        gaps, by_class = np.split(sums[:, _N_SCALARS:], [ECE_BINS], axis=1)
        return np.stack(
            [
                hits / n,
                metrics.macro_f1(*np.split(by_class, 3, axis=1)),
                np.where(impossible > 0, math.inf, log_losses / n),
                brier_losses / n,
                expected_calibration_error(gaps, n),
            ],
            axis=1,
        )


def estimate_measures(repeats: Sequence[GroupSums], seed: int = 0, resamples: int = 1000) -> dict[str, Estimate]:
    """Each metric with its interval, from the predictions of each repeat for the same documents."""
    n_groups = repeats[0].table.shape[0]
    estimates = np.mean([sums.measures(np.ones((1, n_groups)))[0] for sums in repeats], axis=0)
    drawn = np.concatenate(
        [np.mean([sums.measures(W) for sums in repeats], axis=0) for W in _draws(n_groups, resamples, seed)]
    )
    drawn.sort(axis=0)
    tail = int(_TAIL * resamples)
    ends = {name: (drawn[tail, m], drawn[-1 - tail, m]) for m, name in enumerate(MEASURES)}
    values = dict(zip(MEASURES, estimates.tolist(), strict=True))
    ends["accuracy"] = wilson_interval(values["accuracy"] * n_groups, n_groups)
    low, high = ends["ece"]
    ends["ece"] = (max(0.0, 2 * values["ece"] - high), 2 * values["ece"] - low)
    return {
        name: Estimate(value, float(min(ends[name][0], value)), float(max(ends[name][1], value)))
        for name, value in values.items()
    }


def _draws(n_groups: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each group is drawn in each resample, (B, G), block by block."""
    rng = np.random.default_rng([seed, n_groups])
    block = max(1, _MAX_CELLS // n_groups)
    for first in range(0, resamples, block):
        number = min(block, resamples - first)
        chosen = rng.integers(n_groups, size=(number, n_groups)) + np.arange(number)[:, np.newaxis] * n_groups
        yield np.bincount(chosen.ravel(), minlength=number * n_groups).reshape(number, n_groups).astype(np.float64)
