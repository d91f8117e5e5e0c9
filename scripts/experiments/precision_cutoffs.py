"""How often a promised precision is missed: cut-offs of ``textnb.decisions`` on simulated answers of one class.

    .venv/bin/python scripts/experiments/precision_cutoffs.py [--runs N]

An answer of probability p is correct with probability r(p). From n answers a cut-off is found; the precision beyond it
is that of the distribution. For each r, promised precision and n: how often the precision is below the promise, the
mean precision where it is, the mean proportion of answers that are given, and the largest proportion that could be.

    calibrated A, B   p = (1 + Beta(A, B)) / 2, r(p) = p
    confident         p as for calibrated 4, 0.5, r(p) = p - 0.03
    flat R            p uniform, r(p) = R: probabilities say nothing about the answers
"""

import argparse
from collections.abc import Callable
from functools import partial

import numpy as np

from textnb.decisions import ClassThresholds, JudgedAnswers

N_TRUTH = 400_000
SIZES = (100, 300, 1000)
PROMISES = (0.9, 0.95, 0.98)
Answers = tuple[np.ndarray, np.ndarray]
Draw = Callable[[np.random.Generator, int], Answers]


def calibrated(a: float, b: float, excess: float, rng: np.random.Generator, n: int) -> Answers:
    p = (1 + rng.beta(a, b, n)) / 2
    return p, p - excess


def flat(precision: float, rng: np.random.Generator, n: int) -> Answers:
    return rng.random(n), np.full(n, precision)


CASES: dict[str, Draw] = {
    "calibrated 4, 0.5": partial(calibrated, 4, 0.5, 0.0),
    "calibrated 2, 1": partial(calibrated, 2, 1, 0.0),
    "calibrated 8, 0.2": partial(calibrated, 8, 0.2, 0.0),
    "confident": partial(calibrated, 4, 0.5, 0.03),
    "flat 0.979": partial(flat, 0.979),
    "flat 0.949": partial(flat, 0.949),
    "flat 0.899": partial(flat, 0.899),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--runs", type=int, default=1000)
    given = arguments.parse_args()
    print(f"{'':18} promised     n  missed  precision if missed  answered  at most")
    for name, draw in CASES.items():
        for promise in PROMISES:
            for n in SIZES:
                missed, precision, answered, most = simulate(draw, promise, n, given.runs)
                print(f"{name:18} {promise:8} {n:5}  {missed:6.3f}  {precision:19.4f}  {answered:8.3f}  {most:7.3f}")


def simulate(draw: Draw, promise: float, n: int, runs: int) -> tuple[float, float, float, float]:
    rng = np.random.default_rng(0)
    p, r = draw(rng, N_TRUTH)
    order = np.argsort(-p)
    p, precision = p[order], np.cumsum(r[order]) / np.arange(1, N_TRUTH + 1)
    enough = np.flatnonzero(precision >= promise)
    numbers = [number_answered(draw, promise, n, rng, p) for _ in range(runs)]
    reached = np.array([precision[number - 1] if number else 1.0 for number in numbers])
    missed = reached < promise
    shortfall = float(reached[missed].mean()) if missed.any() else np.nan
    most = (enough[-1] + 1) / N_TRUTH if len(enough) else 0.0
    return float(missed.mean()), shortfall, float(np.mean(numbers)) / N_TRUTH, most


def number_answered(draw: Draw, promise: float, n: int, rng: np.random.Generator, p: np.ndarray) -> int:
    """Return how many of the true answers, of descending probabilities p, a cut-off found from n answers keeps."""
    probability, r = draw(rng, n)
    correct = rng.random(n) < r
    rule = ClassThresholds.of_precision(promise, JudgedAnswers(np.zeros(n, np.intp), probability, correct), 1)
    return int(np.searchsorted(-p, -float(np.asarray(rule.least)[0]), side="right"))


if __name__ == "__main__":
    main()
