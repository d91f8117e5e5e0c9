"""Multinomial naive Bayes on the livedoor news corpus, published split, title and body.

    .venv/bin/python scripts/experiments/livedoor_multinomial.py --split FOLDER [--jobs N]

FOLDER holds train.tsv, dev.tsv and test.tsv with the columns filename and category (the lists are published with
Laboro-BERT-Japanese). The corpus itself comes from `textnb corpus get livedoor`. Raw counts of Janome's surfaces and
alpha = 1 is the plain model; it is compared on the same matrix with scikit-learn.
Nothing is chosen by looking at the test part. The other models are in livedoor_naive_bayes.py.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np

from textnb import TextClassifier, read_corpus
from textnb.corpus import corpus_path
from textnb.counts import ClassCounts, Counted, TermsOf, counted
from textnb.evaluation import Evaluation
from textnb.models import multinomial
from textnb.text import Analyzer, tokenizer


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    begun = time.perf_counter()
    terms_of = TermsOf(tokenizer("janome"), Analyzer())
    (corpus,) = counted(read_corpus(corpus_path("livedoor")), terms_of, jobs=given.jobs)
    print(f"{len(corpus):,} documents, {len(corpus.vocabulary):,} terms, {corpus.X.nnz:,} entries, ", end="")
    print(f"counted in {time.perf_counter() - begun:.0f} s with {given.jobs} jobs")
    parts = {name: part(corpus, given.split / f"{name}.tsv") for name in ("train", "test")}
    compare_with_scikit_learn(**parts)
    plain = TextClassifier(tokenizer="janome", weighting="raw", alpha=1.0, calibrate=False)
    report("raw counts, alpha 1, not calibrated", plain, **parts)


def part(corpus: Counted, listing: Path) -> Counted:
    with listing.open(encoding="utf-8") as lines:
        names = {row["filename"] for row in csv.DictReader(lines, delimiter="\t")}
    rows = [i for i, name in enumerate(corpus.ids) if Path(name).name in names]
    assert len(rows) == len(names), f"{listing}: {len(names)} names, {len(rows)} found"
    columns = (corpus.labels, corpus.digests, corpus.ids, corpus.groups)
    return Counted(corpus.X[rows], corpus.vocabulary, *(tuple(column[i] for i in rows) for column in columns))


def compare_with_scikit_learn(train: Counted, test: Counted) -> None:
    from sklearn.naive_bayes import MultinomialNB

    vector = np.random.default_rng(0).uniform(0.01, 2, len(train.vocabulary))
    for name, alpha in (("0.01", 0.01), ("1", 1.0), ("a vector", vector)):
        ours = multinomial.fit(ClassCounts.of(train.X, train.named_labels), alpha).log_posterior(test.X)
        theirs = MultinomialNB(alpha=alpha).fit(train.X, train.named_labels).predict_log_proba(test.X)
        print(f"alpha {name}: largest difference from scikit-learn's log probabilities {abs(ours - theirs).max():.1e}")


def report(name: str, classifier: TextClassifier, train: Counted, test: Counted) -> None:
    begun = time.perf_counter()
    classifier = TextClassifier.from_recipe(classifier.recipe).fit([train])
    result = Evaluation.of(test.named_labels, classifier.fitted.log_proba_counted(test), classifier.fitted.classes)
    low, high = result.accuracy_interval
    print(
        f"{name}: accuracy {result.accuracy:.4f} ({low:.4f} to {high:.4f}), macro F1 {result.macro_f1:.4f}, "
        f"log loss {result.log_loss:.3f}, ECE {result.ece:.3f}; fit and predict {time.perf_counter() - begun:.2f} s"
    )


if __name__ == "__main__":
    main()
