"""Times the evidence of documents on the livedoor corpus against one pass over the data.

    .venv/bin/python scripts/bench/evidence.py [--rounds N] [--jobs N]

Side by side, in alternating rounds: X.sum(axis=0), the least that any learning does; the histogram; the groups of equal
terms; the search for the vector of alphas, all passes; and, once, the plain digamma fixed point on the non-zero counts
from alpha = 1, to the same evidence. Medians and their ratios; all numbers are from this run. The corpus comes from
`textnb corpus get livedoor`.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.special import digamma

from textnb import read_corpus
from textnb.corpus import corpus_path
from textnb.counts import DocumentHistogram, TermsOf, counted
from textnb.models.dirichlet import best_alpha, log_evidence
from textnb.models.draws import Draws
from textnb.text import Analyzer, tokenizer

GAP = 1e-10


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=15)
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    (corpus,) = counted(read_corpus(corpus_path("livedoor")), TermsOf(tokenizer("janome"), Analyzer()), jobs=given.jobs)
    X = corpus.X
    print(f"{X.shape[0]:,} documents, {X.shape[1]:,} terms, {X.nnz:,} entries")
    histogram = DocumentHistogram.of(X)
    draws = Draws.of_documents(histogram)
    steps = {
        "X.sum(axis=0)": lambda: X.sum(axis=0),
        "histogram": lambda: DocumentHistogram.of(X),
        "groups of equal terms": lambda: Draws.of_documents(histogram),
        "alpha, all passes": lambda: best_alpha(draws),
        "everything": lambda: best_alpha(Draws.of_documents(DocumentHistogram.of(X))),
    }
    medians = alternating(steps, given.rounds)
    for name, seconds in medians.items():
        print(f"{name:24} {seconds * 1e3:8.1f} ms  {seconds / medians['X.sum(axis=0)']:6.1f} times the sum")
    report_passes(draws)
    report_fixed_point(X, best_alpha(draws).log_evidence, medians["everything"])
    report_growth(X)


def alternating(steps: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            begun = time.perf_counter()
            step()
            taken[name].append(time.perf_counter() - begun)
    return {name: float(np.median(times)) for name, times in taken.items()}


def report_passes(draws: Draws) -> None:
    found = best_alpha(draws)
    gaps = [abs(found.log_evidence - value) / abs(found.log_evidence) for value in found.trace]
    enough = next(i for i, gap in enumerate(gaps) if gap <= GAP)
    print(f"{found.outcome} in {found.iterations} passes; a gap of {GAP:g} after {enough}: ", end="")
    print(", ".join(f"{gap:.0e}" for gap in gaps))


def report_fixed_point(X: sparse.csr_array, best: float, seconds: float) -> None:
    """alpha_j <- alpha_j f_j / S over the non-zero entries, from alpha = 1."""
    lengths = np.asarray(X.sum(axis=1), float)
    alpha, steps, begun = np.ones(X.shape[1]), 0, time.perf_counter()
    while True:
        own, total = alpha[X.indices], alpha.sum()
        f = np.bincount(X.indices, digamma(own + X.data) - digamma(own), X.shape[1])
        alpha = alpha * f / (digamma(total + lengths) - digamma(total)).sum()
        steps += 1
        if steps % 5 == 0 and abs(best - log_evidence(X, alpha)) <= GAP * abs(best):
            break
        if steps >= 2000:
            print("plain fixed point: not there after 2,000 passes")
            break
    took = time.perf_counter() - begun
    print(
        f"plain fixed point on non-zeros from alpha = 1: {steps} passes, {took:.1f} s, "
        f"{took / seconds:.0f} times as long"
    )


def report_growth(X: sparse.csr_array) -> None:
    """Print the cost of a pass over more documents, which are copies of the same ones."""
    for times in (1, 2, 4, 8):
        draws = Draws.of_documents(DocumentHistogram.of(sparse.vstack([X] * times, format="csr")))
        alpha = np.ones(len(draws.totals))
        begun = time.perf_counter()
        for _ in range(20):
            draws.slopes(alpha)
            draws.length_slopes(float(len(alpha)))
            draws.log_evidence(alpha, float(len(alpha)))
        print(f"{times * X.shape[0]:,} documents: {(time.perf_counter() - begun) / 20 * 1e3:.2f} ms a pass")


if __name__ == "__main__":
    main()
