"""Times fitting and predicting of multinomial naive Bayes against one pass over the data and scikit-learn.

    .venv/bin/python scripts/bench/fit.py [--counts FILE] [--rounds N]

The lower bound for fitting is X.sum(axis=0), one pass over X. All are timed in turn, round after round, and medians are
compared, because machines are shared and noisy. X is float64 with int32 indices. FILE is a `textnb count` file (for
example of livedoor); without it, and for 200,000 documents, rows are drawn at random: from FILE where it is given, else
from a made-up corpus of livedoor's shape.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

from textnb.counts import ClassCounts
from textnb.counts.labels import class_codes
from textnb.files.count_file import read_counts
from textnb.models import multinomial


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--counts", help="a `textnb count` file")
    arguments.add_argument("--rounds", type=int, default=9)
    given = arguments.parse_args()
    rng = np.random.default_rng(0)
    if given.counts:
        counted, _ = read_counts(given.counts)
        X, y = as_input(counted.X), class_codes(counted.named_labels)[1]
    else:
        X, y = made_up(rng, n_documents=7_400, n_terms=75_000, length=700, n_classes=9)
    order = rng.permutation(len(y))
    compare("livedoor's size", as_input(X[order]), y[order], given.rounds)
    rows = rng.integers(0, len(y), 200_000)
    compare("200,000 documents", as_input(X[rows]), y[rows], max(3, given.rounds // 2))


def compare(name: str, X: sparse.csr_array, y: np.ndarray, rounds: int) -> None:
    print(f"\n{name}: {X.shape[0]:,} documents, {X.shape[1]:,} terms, {y.max() + 1} classes, {X.nnz:,} entries")
    ours, theirs = fit(X, y), MultinomialNB().fit(X, y)
    assert np.allclose(ours.log_posterior(X[:100]), theirs.predict_log_proba(X[:100]), atol=1e-10)
    tasks: dict[str, Callable[[], object]] = {
        "X.sum(axis=0)": lambda: X.sum(axis=0),
        "textnb fit": lambda: fit(X, y),
        "scikit-learn fit": lambda: MultinomialNB().fit(X, y),
        "textnb predict": lambda: ours.log_posterior(X),
        "scikit-learn predict": lambda: theirs.predict_log_proba(X),
    }
    seconds: dict[str, list[float]] = {task: [] for task in tasks}
    for _ in range(rounds):
        for task, run in tasks.items():
            begun = time.perf_counter()
            run()
            seconds[task].append(time.perf_counter() - begun)
    medians = {task: statistics.median(values) for task, values in seconds.items()}
    for task, median in medians.items():
        print(f"  {task:22} {1000 * median:9.2f} ms  {median / medians['X.sum(axis=0)']:6.2f} passes")
    print(f"  fit: scikit-learn takes {medians['scikit-learn fit'] / medians['textnb fit']:.2f} times as long")
    print(f"  predict: {medians['scikit-learn predict'] / medians['textnb predict']:.2f} times as long")


def fit(X: sparse.csr_array, y: np.ndarray) -> multinomial.LinearScorer:
    return multinomial.fit(ClassCounts.of(X, y, containing=False), 1.0)


def as_input(X: sparse.csr_array) -> sparse.csr_array:
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sparse.csr_array((X.data.astype(np.float64), indices, indptr), shape=X.shape)


def made_up(
    rng: np.random.Generator, n_documents: int, n_terms: int, length: int, n_classes: int
) -> tuple[sparse.csr_array, np.ndarray]:
    """Return documents of words drawn by Zipf's law."""
    lengths = rng.poisson(length, n_documents)
    shares = 1 / np.arange(1, n_terms + 1) ** 1.05
    words = np.searchsorted(np.cumsum(shares / shares.sum()), rng.random(lengths.sum())).clip(max=n_terms - 1)
    rows = np.repeat(np.arange(n_documents), lengths)
    X = sparse.coo_array((np.ones(len(words)), (rows, words)), shape=(n_documents, n_terms)).tocsr()
    return as_input(X), rng.integers(0, n_classes, n_documents)


if __name__ == "__main__":
    main()
