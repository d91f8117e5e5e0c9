"""Times fitting and predicting of multinomial naive Bayes against one pass over the data and scikit-learn.

    .venv/bin/python scripts/bench/fit.py [--counts FILE] [--rounds N] [--dtype float64] [--small]

The lower bound for fitting is X.sum(axis=0), one pass over X. All are timed in turn, round after round, and the medians
and the shortest times are compared, because machines are shared and noisy; for one thread the time of the processor is
compared as well, which does not count the time in which other processes run. Both classes are called as users call
them, with a csr_matrix that has int32 indices. FILE is a `textnb count` file (for example of livedoor); without it, and
for 200,000 documents, rows are drawn at random: from FILE where it is given, else from a made-up corpus of livedoor's
shape. --small leaves out the 200,000 documents.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable

import numpy as np
from scipy import sparse
from sklearn import naive_bayes

from textnb.counts.labels import class_codes
from textnb.estimators import MultinomialNB
from textnb.files.count_file import read_counts


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--counts", help="a `textnb count` file")
    arguments.add_argument("--rounds", type=int, default=15)
    arguments.add_argument("--dtype", default="float64", help="of X: float64, float32, int32 or int64")
    arguments.add_argument("--small", action="store_true", help="leave out the 200,000 documents")
    given = arguments.parse_args()
    rng = np.random.default_rng(0)
    if given.counts:
        counted, _ = read_counts(given.counts)
        X, y = sparse.csr_matrix(counted.X), class_codes(counted.named_labels)[1]
    else:
        X, y = made_up(rng, n_documents=7_400, n_terms=75_000, length=700, n_classes=9)
    order = rng.permutation(len(y))
    compare("livedoor's size", as_input(X[order], given.dtype), y[order], given.rounds)
    zipf, classes = made_up(rng, n_documents=60_000, n_terms=60_000, length=80, n_classes=9)
    compare("Zipf, 80 tokens per row", as_input(zipf, given.dtype), classes, given.rounds)
    if not given.small:
        rows = rng.integers(0, len(y), 200_000)
        compare("200,000 documents", as_input(X[rows], given.dtype), y[rows], max(3, given.rounds // 3))


def compare(name: str, X: sparse.csr_matrix, y: np.ndarray, rounds: int) -> None:
    print(f"\n{name}: {X.shape[0]:,} documents, {X.shape[1]:,} terms, {y.max() + 1} classes, {X.nnz:,} entries")
    ours, theirs = MultinomialNB().fit(X, y), naive_bayes.MultinomialNB().fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X[:500]), theirs.predict_log_proba(X[:500]), rtol=0, atol=1e-10)
    assert (ours.predict(X) == theirs.predict(X)).all()
    tasks: dict[str, Callable[[], object]] = {
        "X.sum(axis=0)": lambda: X.sum(axis=0),
        "textnb fit": on_threads(1, lambda: MultinomialNB().fit(X, y)),
        "textnb fit, 2 threads": on_threads(2, lambda: MultinomialNB().fit(X, y)),
        "scikit-learn fit": lambda: naive_bayes.MultinomialNB().fit(X, y),
        "textnb predict": on_threads(1, lambda: ours.predict(X)),
        "textnb predict, 2 threads": on_threads(2, lambda: ours.predict(X)),
        "scikit-learn predict": lambda: theirs.predict(X),
        "textnb predict_proba": on_threads(1, lambda: ours.predict_proba(X)),
        "textnb predict_proba, 2 threads": on_threads(2, lambda: ours.predict_proba(X)),
        "scikit-learn predict_proba": lambda: theirs.predict_proba(X),
    }
    seconds: dict[str, list[float]] = {task: [] for task in tasks}
    of_processor: dict[str, list[float]] = {task: [] for task in tasks}
    for _ in range(rounds):
        for task, run in tasks.items():
            begun, begun_processor = time.perf_counter(), time.process_time()
            run()
            of_processor[task].append(time.process_time() - begun_processor)
            seconds[task].append(time.perf_counter() - begun)
    report("time, shortest of the rounds", seconds, min)
    report("time, median of the rounds", seconds, statistics.median)
    on_one_thread = {task: times for task, times in of_processor.items() if "2 threads" not in task}
    report("time of the processor, median of the rounds", on_one_thread, statistics.median)


def report(name: str, seconds: dict[str, list[float]], summary: Callable[[list[float]], float]) -> None:
    """Print a summary of the rounds, in passes over the data and as times scikit-learn's speed."""
    print(f"  {name}")
    found = {task: summary(values) for task, values in seconds.items()}
    for task, value in found.items():
        kind = task.removeprefix("textnb ").partition(",")[0]
        times = f"{found[f'scikit-learn {kind}'] / value:6.2f} times as fast" if task.startswith("textnb") else ""
        print(f"    {task:32} {1000 * value:9.2f} ms {value / found['X.sum(axis=0)']:6.2f} passes {times}".rstrip())


def on_threads(number: int, run: Callable[[], object]) -> Callable[[], object]:
    """Return the task on a number of threads, which textnb reads from the environment at every call."""

    def task() -> object:
        os.environ["OMP_NUM_THREADS"] = str(number)
        return run()

    return task


def as_input(X: sparse.csr_matrix, dtype: str) -> sparse.csr_matrix:
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sparse.csr_matrix((X.data.astype(dtype), indices, indptr), shape=X.shape)


def made_up(
    rng: np.random.Generator, n_documents: int, n_terms: int, length: int, n_classes: int
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return documents of words drawn by Zipf's law."""
    lengths = rng.poisson(length, n_documents)
    shares = 1 / np.arange(1, n_terms + 1) ** 1.05
    words = np.searchsorted(np.cumsum(shares / shares.sum()), rng.random(lengths.sum())).clip(max=n_terms - 1)
    rows = np.repeat(np.arange(n_documents), lengths)
    X = sparse.coo_array((np.ones(len(words)), (rows, words)), shape=(n_documents, n_terms)).tocsr()
    return sparse.csr_matrix(X), rng.integers(0, n_classes, n_documents)


if __name__ == "__main__":
    main()
