"""Six naive Bayes recipes cross-validated on livedoor: by subtracting folds, and by scikit-learn's cross_validate.

    OMP_NUM_THREADS=1 .venv/bin/python scripts/bench/compare.py [FILE]

FILE is written by `textnb count`; without it, livedoor is counted first, and the time is printed. Both sides have the
same matrix, the same five folds, one process and one thread, and no calibration; both give the accuracy, macro F1 and
log loss of every fold. Rounds alternate; medians are printed. textnb's recipes know only the terms of their training
folds, scikit-learn's those of the whole matrix, so accuracies may differ in the third digit.
"""

import argparse
import math
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn import naive_bayes
from sklearn.model_selection import PredefinedSplit, cross_validate

from textnb import read_corpus
from textnb.classifier.recipe import ClassifierRecipe
from textnb.comparison import TokenizedDocuments, compare, cross_validated
from textnb.corpus import corpus_path
from textnb.counts import Counted, TermsOf, counted
from textnb.evaluation import Evaluation
from textnb.evaluation.splits import repeated_folds
from textnb.files.count_file import read_counts
from textnb.text import Analyzer, tokenizer

RECIPES = {
    "multinomial 1": ("multinomial", 1.0, "raw", naive_bayes.MultinomialNB(alpha=1.0)),
    "multinomial 0.1": ("multinomial", 0.1, "raw", naive_bayes.MultinomialNB(alpha=0.1)),
    "multinomial 0.01": ("multinomial", 0.01, "raw", naive_bayes.MultinomialNB(alpha=0.01)),
    "complement 1": ("complement", 1.0, "raw", naive_bayes.ComplementNB(alpha=1.0)),
    "complement 0.1": ("complement", 0.1, "raw", naive_bayes.ComplementNB(alpha=0.1)),
    "bernoulli 1": ("bernoulli", 1.0, "binary", naive_bayes.BernoulliNB(alpha=1.0)),
}
MEASURES = ["accuracy", "f1_macro", "neg_log_loss"]


def main() -> None:
    given = arguments()
    documents, terms_of = counts(given.file)
    recipes = {
        name: ClassifierRecipe(
            model, alpha, "empirical", terms_of.tokenizer, terms_of.analyzer, weighting, calibrate=False
        )
        for name, (model, alpha, weighting, _) in RECIPES.items()
    }
    corpus = TokenizedDocuments.of(recipes.values(), lambda _: documents)
    folds = repeated_folds(corpus.labels, corpus.groups)
    sides = (lambda: by_textnb(recipes, corpus, folds)), (lambda: by_sklearn(corpus, folds))
    ours, theirs = alternating(*sides, given.rounds)
    print(f"textnb        {ours[0]:6.2f} s of processor time")
    print(f"scikit-learn  {theirs[0]:6.2f} s, {theirs[0] / ours[0]:.1f} times as long")
    for name in RECIPES:
        print(f"  {name:18} accuracy {ours[1][name]:.4f} and {theirs[1][name]:.4f}")
    begun = time.process_time()
    compare(recipes, corpus)
    print(f"textnb with intervals and paired tests {time.process_time() - begun:.2f} s")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def counts(file: Path | None) -> tuple[Counted, TermsOf]:
    begun = time.process_time()
    if file is not None:
        found = read_counts(file)
        print(f"reading the count file: {time.process_time() - begun:.2f} s")
        return found
    terms_of = TermsOf(tokenizer("janome"), Analyzer())
    (documents,) = counted(read_corpus(corpus_path("livedoor")), terms_of, entries=math.inf)
    seconds = time.process_time() - begun
    print(f"reading and counting once: {seconds:.2f} s; once a recipe: {len(RECIPES) * seconds:.1f} s")
    return documents, terms_of


def by_textnb(recipes: dict[str, ClassifierRecipe], corpus: TokenizedDocuments, folds: np.ndarray) -> dict[str, float]:
    found = {}
    for one in cross_validated(recipes, corpus, folds):
        accuracies = []
        for fold in range(5):
            rows = np.flatnonzero(folds[0] == fold)
            labels = [corpus.labels[i] for i in rows]
            accuracies.append(Evaluation.of(labels, one.log_probabilities[0, rows], corpus.classes).accuracy)
        found[one.name] = statistics.mean(accuracies)
    return found


def by_sklearn(corpus: TokenizedDocuments, folds: np.ndarray) -> dict[str, float]:
    X, y = sparse.csr_matrix(corpus.parts[next(iter(corpus.parts))].X), np.array(corpus.labels)
    found = {}
    for name, (_, _, _, estimator) in RECIPES.items():
        scores = cross_validate(estimator, X, y, cv=PredefinedSplit(folds[0]), scoring=MEASURES)
        found[name] = float(scores["test_accuracy"].mean())
    return found


Timed = tuple[float, dict[str, float]]


def alternating(
    ours: Callable[[], dict[str, float]], theirs: Callable[[], dict[str, float]], rounds: int
) -> tuple[Timed, Timed]:
    """Return the median processor time of alternating runs, and the results."""
    seconds: tuple[list[float], list[float]] = ([], [])
    results = [{}, {}]
    for _ in range(rounds):
        for side, work in enumerate((ours, theirs)):
            begun = time.process_time()
            results[side] = work()
            seconds[side].append(time.process_time() - begun)
    return (statistics.median(seconds[0]), results[0]), (statistics.median(seconds[1]), results[1])


if __name__ == "__main__":
    main()
