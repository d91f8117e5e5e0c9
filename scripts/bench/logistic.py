"""Times logistic regression on the livedoor corpus (tf-idf of words) to a relative gap of 1e-6, against scikit-learn.

    .venv/bin/python scripts/bench/logistic.py [--rounds N] [--l2 L]

One thread. Every solver minimises the same loss and gets the loosest tolerance of a list (powers of ten and their
halves) with which its loss is within 1e-6 of the least known, that of Newton's method run to rounding. Then whole fits
from the matrix are timed in turn, round after round, and medians are compared. The corpus comes from `textnb corpus get
livedoor`.
"""

# ruff: noqa: E402  # threads are counted when numpy is imported

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy import sparse
from sklearn import linear_model
from sklearn.feature_extraction.text import TfidfTransformer

from textnb import read_corpus
from textnb.corpus import corpus_path
from textnb.counts import TermsOf, counted
from textnb.counts.labels import class_codes
from textnb.estimators import LogisticRegression
from textnb.numerics import log_softmax
from textnb.text import Analyzer, tokenizer

GAP = 1e-6
TOLERANCES = [tolerance for power in range(1, 9) for tolerance in (10.0**-power, 10.0**-power / 2)]
Fit = Callable[[float], object]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--l2", type=float, default=1.0)
    given = arguments.parse_args()
    warnings.simplefilter("ignore")
    X, y = tfidf()
    print(f"{X.shape[0]:,} documents, {X.shape[1]:,} terms, {X.nnz:,} entries, {y.max() + 1} classes, l2 = {given.l2}")
    fits = solvers(X, y, given.l2)
    least = loss(LogisticRegression(given.l2, tol=1e-11).fit(X, y), X, y, given.l2)
    chosen = {name: loosest(fit, lambda fitted: loss(fitted, X, y, given.l2) / least - 1) for name, fit in fits.items()}
    medians = alternating({name: (fit, chosen[name][0]) for name, fit in fits.items()}, given.rounds)
    print(f"least loss {least:.6f}; medians of {given.rounds} alternating rounds, one thread")
    for name, seconds in medians.items():
        tolerance, gap, steps = chosen[name]
        ratio = seconds / medians["textnb newton"]
        print(
            f"{name:24} {seconds:7.3f} s  {ratio:5.2f} times newton   tol {tolerance:.0e}  gap {gap:.0e}  {steps} steps"
        )
    begun = time.perf_counter()
    model = LogisticRegression(given.l2).fit(X, y)
    seconds = time.perf_counter() - begun
    gap = loss(model, X, y, given.l2) / least - 1
    print(f"textnb with its defaults {seconds:7.3f} s  gap {gap:.0e}  {model.n_iter_} steps")


def tfidf() -> tuple[sparse.csr_array, np.ndarray]:
    """Return X (D, V), float64 with int32 indices, and the class numbers."""
    (corpus,) = counted(read_corpus(corpus_path("livedoor")), TermsOf(tokenizer("janome"), Analyzer()), jobs=1)
    X = sparse.csr_array(TfidfTransformer().fit_transform(sparse.csr_matrix(corpus.X)))
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sparse.csr_array((X.data, indices, indptr), shape=X.shape), class_codes(corpus.named_labels)[1]


def solvers(X: sparse.csr_array, y: np.ndarray, l2: float) -> dict[str, Fit]:
    def ours(solver: str) -> Fit:
        return lambda tol: LogisticRegression(l2, solver=solver, tol=tol).fit(X, y)

    def theirs(solver: str) -> Fit:
        return lambda tol: linear_model.LogisticRegression(C=1 / l2, solver=solver, tol=tol, max_iter=5000).fit(X, y)

    return {
        "textnb newton": ours("newton"),
        "textnb lbfgs": ours("lbfgs"),
        "scikit-learn lbfgs": theirs("lbfgs"),
        "scikit-learn newton-cg": theirs("newton-cg"),
    }


def loss(fitted: object, X: sparse.csr_array, y: np.ndarray, l2: float) -> float:
    log_p = log_softmax(X @ np.ascontiguousarray(fitted.coef_.T) + fitted.intercept_)
    return float(l2 / 2 * (fitted.coef_**2).sum() - log_p[np.arange(len(y)), y].sum())


def loosest(fit: Fit, gap_of: Callable[[object], float]) -> tuple[float, float, int]:
    """Return the loosest tolerance with a small enough gap, that gap, and the number of steps."""
    for tolerance in TOLERANCES:
        fitted = fit(tolerance)
        if (gap := gap_of(fitted)) <= GAP:
            return tolerance, gap, int(np.max(fitted.n_iter_))
    raise SystemExit("a solver did not come within the gap")


def alternating(tasks: dict[str, tuple[Fit, float]], rounds: int) -> dict[str, float]:
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, (fit, tolerance) in tasks.items():
            begun = time.perf_counter()
            fit(tolerance)
            seconds[name].append(time.perf_counter() - begun)
    return {name: statistics.median(values) for name, values in seconds.items()}


if __name__ == "__main__":
    main()
