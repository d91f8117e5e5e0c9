"""The naive Bayes family on the livedoor news corpus: accuracy and calibration of every smoothing and model.

    .venv/bin/python scripts/experiments/livedoor_naive_bayes.py --split FOLDER [--clean FILE] [--jobs N]

FOLDER holds train.tsv, dev.tsv and test.tsv with the columns filename and category (the lists are published with
Laboro-BERT-Japanese). FILE is a Python file with a function clean(texts), which removes what names the articles' own
site; without it only the unchanged texts ('raw') are measured. The corpus itself comes from `textnb corpus get
livedoor`.

Each recipe is fitted on the training part of five stratified 80/20 splits (seeds 0 to 4) and of the published split,
and tested once on the test part. Nothing is chosen by the test part: open parameters are set by the evidence or, in
'alpha by cross-validation', by five folds of the training part.
"""

import argparse
import csv
import importlib.util
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from textnb import Document, TextClassifier, read_corpus
from textnb.corpus import corpus_path
from textnb.counts import ClassCounts, Counted, TermsOf, counted
from textnb.counts.weighting import weighting
from textnb.estimators import ComplementNB
from textnb.evaluation import Evaluation
from textnb.models import multinomial
from textnb.text import Analyzer, tokenizer

ALPHAS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
TWCNB = ComplementNB(tf=True, idf=True, length_norm=True, weight_norm=True, prior="empirical")


def best_by_folds(part: Counted) -> float:
    """Return the alpha with the most correct documents in five folds of the training part, with log weights."""
    log = weighting("log")
    X, labels = log.stored(part.X), np.array(part.named_labels)
    counts = ClassCounts.of(X, labels, unit=log.unit)
    fold = np.random.default_rng(0).permutation(len(labels)) % 5
    right = dict.fromkeys(ALPHAS, 0)
    for k in range(5):
        held = np.flatnonzero(fold == k)
        rest = counts - ClassCounts.of(X[held], labels[held], classes=counts.classes, unit=log.unit)
        for alpha in ALPHAS:
            scores = multinomial.fit(rest, alpha).joint_log_scores(X[held] * log.unit)
            right[alpha] += int((np.array(counts.classes)[scores.argmax(axis=1)] == labels[held]).sum())
    return max(ALPHAS, key=lambda alpha: right[alpha])


Recipe = Callable[[Counted], TextClassifier]
RECIPES: dict[str, Recipe] = {
    "raw counts, alpha 1, not calibrated": lambda _: TextClassifier(alpha=1.0, weighting="raw", calibrate=False),
    "alpha 1": lambda _: TextClassifier(alpha=1.0),
    "alpha by cross-validation": lambda part: TextClassifier(alpha=best_by_folds(part)),
    "evidence (the default)": lambda _: TextClassifier(),
    "evidence, not calibrated": lambda _: TextClassifier(calibrate=False),
    "evidence-class": lambda _: TextClassifier(alpha="evidence-class"),
    "evidence-unigram": lambda _: TextClassifier(alpha="evidence-unigram"),
    "evidence-document, raw counts": lambda _: TextClassifier(alpha="evidence-document", weighting="raw"),
    "leave-one-out": lambda _: TextClassifier(alpha="leave-one-out"),
    "evidence, tfidf": lambda _: TextClassifier(weighting="tfidf"),
    "bernoulli": lambda _: TextClassifier("bernoulli"),
    "complement": lambda _: TextClassifier("complement"),
    "TWCNB": lambda _: TextClassifier(TWCNB),
    "compound": lambda _: TextClassifier("compound"),
    "gaussian": lambda _: TextClassifier("gaussian"),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--clean", type=Path)
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    documents = list(read_corpus(corpus_path("livedoor")))
    for name, texts in versions(documents, given.clean):
        begun = time.perf_counter()
        (corpus,) = counted(texts, TermsOf(tokenizer("janome"), Analyzer()), jobs=given.jobs)
        took = time.perf_counter() - begun
        print(f"\n{name}: {len(corpus):,} documents, {len(corpus.vocabulary):,} terms, counted in {took:.0f} s")
        print(f"{'':36}  five splits, mean (least to most)               published split", flush=True)
        print(f"{'':36}  {'accuracy':22} {'log loss':9} {'ECE':6}  accuracy (95 % interval)   log loss  ECE  seconds")
        for recipe, make in RECIPES.items():
            report(recipe, make, corpus, given.split)


def versions(documents: list[Document], clean: Path | None) -> Iterator[tuple[str, list[Document]]]:
    yield "raw", documents
    if clean is not None:
        spec = importlib.util.spec_from_file_location("clean", clean)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        texts = module.clean([document.text for document in documents])
        yield "clean", [replace(document, text=text) for document, text in zip(documents, texts, strict=True)]


def report(name: str, make: Recipe, corpus: Counted, split: Path) -> None:
    labels, rows = np.array(corpus.named_labels), np.arange(len(corpus))
    splits = [train_test_split(rows, test_size=0.2, stratify=labels, random_state=seed) for seed in range(5)]
    begun = time.perf_counter()
    five = [evaluated(make, corpus, *parts) for parts in splits]
    published = evaluated(make, corpus, listed(corpus, split / "train.tsv"), listed(corpus, split / "test.tsv"))
    seconds = (time.perf_counter() - begun) / 6
    accuracy, losses, ece = (np.array([getattr(e, key) for e in five]) for key in ("accuracy", "log_loss", "ece"))
    low, high = published.accuracy_interval
    print(
        f"{name:36}  {accuracy.mean():.4f} ({accuracy.min():.4f} to {accuracy.max():.4f}) {losses.mean():6.3f}    "
        f"{ece.mean():.4f}  {published.accuracy:.4f} ({low:.4f} to {high:.4f})   {published.log_loss:7.3f}  "
        f"{published.ece:.4f}  {seconds:.2f}",
        flush=True,
    )


def evaluated(make: Recipe, corpus: Counted, train: np.ndarray, test: np.ndarray) -> Evaluation:
    part = rows_of(corpus, train)
    recipe = make(part).recipe
    fitted = TextClassifier.from_recipe(recipe).fit([part]).fitted
    asked = rows_of(corpus, test)
    return Evaluation.of(asked.named_labels, fitted.log_proba_counted(asked), fitted.classes)


def rows_of(corpus: Counted, rows: np.ndarray) -> Counted:
    """Return the rows of some documents, with only the terms that these documents have."""
    X = corpus.X[rows]
    columns = np.unique(X.indices)
    known = (corpus.labels, corpus.digests, corpus.ids, corpus.groups)
    vocabulary = corpus.vocabulary.selected(columns)
    return Counted(X[:, columns], vocabulary, *(tuple(column[i] for i in rows) for column in known))


def listed(corpus: Counted, listing: Path) -> np.ndarray:
    with listing.open(encoding="utf-8") as lines:
        names = {row["filename"] for row in csv.DictReader(lines, delimiter="\t")}
    rows = [i for i, name in enumerate(corpus.ids) if Path(name).name in names]
    assert len(rows) == len(names), f"{listing}: {len(names)} names, {len(rows)} found"
    return np.array(rows)


if __name__ == "__main__":
    main()
