"""Compares the calibration of Bayesian logistic regression and its MAP on few documents: a learning curve on livedoor.

    .venv/bin/python scripts/experiments/bayes_logistic_calibration.py [--seeds N] [--terms V] [--jobs N]

For each size and seed: training documents drawn at random, stratified, and 1,500 others to test on. Words (Janome),
log(1 + count) times idf, rows of length 1; vocabulary and idf from the training documents alone. --terms keeps only the
V words that are in the most training documents. 'bayes' is BayesianLogistic, 'map' LogisticRegression at the same l2:
that of the evidence, and fixed ones. Printed are means over the seeds with the standard errors of these means.
"""

import argparse
from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.model_selection import train_test_split

from textnb import read_corpus
from textnb.corpus import corpus_path
from textnb.counts import TermsOf, counted
from textnb.estimators import BayesianLogistic, LogisticRegression
from textnb.evaluation import Evaluation
from textnb.text import Analyzer, tokenizer

SIZES = (50, 100, 200, 500, 1000, 2000)
STRENGTHS = ("evidence", 1.0, 0.001)
TESTED = 1500
MEASURES = ("log_loss", "ece", "brier", "accuracy")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seeds", type=int, default=5)
    arguments.add_argument("--terms", type=int)
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    (corpus,) = counted(read_corpus(corpus_path("livedoor")), TermsOf(tokenizer("janome"), Analyzer()), jobs=given.jobs)
    X, labels = sparse.csr_array(corpus.X, dtype=float), np.array(corpus.named_labels)
    print(f"{'size':>5} {'l2':9} {'':5}  log loss        ECE             Brier           accuracy        mean l2")
    for size in SIZES:
        runs = [dict(measured(X, labels, size, seed, given.terms)) for seed in range(given.seeds)]
        for strength, name in runs[0]:
            values = np.array([run[strength, name] for run in runs])
            means, errors = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(runs))
            cells = "  ".join(f"{mean:.4f} ± {error:.4f}" for mean, error in zip(means[:-1], errors[:-1], strict=True))
            print(f"{size:5} {strength!s:9} {name:5}  {cells} {means[-1]:8.4g}", flush=True)


def measured(
    X: sparse.csr_array, labels: np.ndarray, size: int, seed: int, n_terms: int | None
) -> Iterator[tuple[tuple[float | str, str], list[float]]]:
    rows = np.arange(len(labels))
    train, rest = train_test_split(rows, train_size=size, stratify=labels, random_state=seed)
    test = rest[:TESTED]
    learnt, asked = weighted(X[train], X[test], n_terms)
    for strength in STRENGTHS:
        bayes = BayesianLogistic(strength).fit(learnt, labels[train])
        at_peak = LogisticRegression(bayes.l2_).fit(learnt, labels[train])
        for name, model in (("map", at_peak), ("bayes", bayes)):
            found = Evaluation.of(labels[test], model.predict_log_proba(asked), model.classes_.tolist())
            yield (strength, name), [*(getattr(found, measure) for measure in MEASURES), bayes.l2_]


def weighted(
    train: sparse.csr_array, test: sparse.csr_array, n_terms: int | None
) -> tuple[sparse.csr_array, sparse.csr_array]:
    containing = np.bincount(train.indices, minlength=train.shape[1])
    kept = np.sort(np.argsort(-containing, kind="stable")[: n_terms or np.count_nonzero(containing)])
    idf = np.log((1 + train.shape[0]) / (1 + containing[kept])) + 1
    return rows_of_length_one(train[:, kept], idf), rows_of_length_one(test[:, kept], idf)


def rows_of_length_one(counts: sparse.csr_array, idf: np.ndarray) -> sparse.csr_array:
    weights = counts.log1p() @ sparse.diags_array(idf)
    lengths = np.sqrt(weights.multiply(weights).sum(axis=1))
    return sparse.csr_array(sparse.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ weights)


if __name__ == "__main__":
    main()
