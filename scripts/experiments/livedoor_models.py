"""Every model on the livedoor news corpus, with its defaults: accuracy with intervals, log loss, calibration, seconds.

    .venv/bin/python scripts/experiments/livedoor_models.py --split FOLDER [--clean FILE] [--models a,b] [--jobs N]
        [--only-published]

FOLDER and FILE are those of livedoor_naive_bayes.py. Each model is fitted on the training part of the published split
and of five stratified 80/20 splits (seeds 0 to 4) of the corpus without repeated texts, and tested once on the test
part. Nothing is chosen by a test part: open parameters are found in the training part.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from livedoor_naive_bayes import evaluated, listed, versions
from sklearn.model_selection import train_test_split

from textnb import Document, TextClassifier, read_corpus
from textnb.corpus import corpus_path
from textnb.counts import Counted, TermsOf, counted
from textnb.models.registry import MODELS
from textnb.text import tokenizer

SPLITS = 5


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--clean", type=Path)
    arguments.add_argument("--models", default=",".join(MODELS))
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("--only-published", action="store_true", help="leave out the five splits")
    given = arguments.parse_args()
    documents = list(read_corpus(corpus_path("livedoor")))
    for name, texts in versions(documents, given.clean):
        first = np.array([i for i, text in enumerate(without_repeats(texts)) if text])
        print(f"\n{name}: {len(texts):,} documents, {len(first):,} different ones", flush=True)
        print(f"{'':22}  five splits, mean (least to most)                published split")
        print(f"{'':22}  {'accuracy':24} log loss  ECE     {'accuracy (95 % interval)':26} log loss  ECE    seconds")
        corpora: dict[str, Counted] = {}
        for model in given.models.split(","):
            recipe = TextClassifier(model).recipe
            key = repr(replace(recipe.analyzer, min_df=1))
            if key not in corpora:
                corpora.clear()
                (corpora[key],) = counted(texts, TermsOf(tokenizer("janome"), recipe.analyzer), jobs=given.jobs)
            report(model, corpora[key], first, given.split, 0 if given.only_published else SPLITS)


def without_repeats(documents: list[Document]) -> list[bool]:
    """Return for each text whether it is its first occurrence."""
    seen: set[str] = set()
    return [not (document.text in seen or seen.add(document.text)) for document in documents]


def report(model: str, corpus: Counted, first: np.ndarray, split: Path, n_splits: int) -> None:
    labels = np.array(corpus.named_labels)[first]
    begun = time.perf_counter()
    five = []
    for seed in range(n_splits):
        train, test = train_test_split(first, test_size=0.2, stratify=labels, random_state=seed)
        five.append(evaluated(lambda _: TextClassifier(model), corpus, train, test))
    parts = listed(corpus, split / "train.tsv"), listed(corpus, split / "test.tsv")
    published = evaluated(lambda _: TextClassifier(model), corpus, *parts)
    seconds = (time.perf_counter() - begun) / (n_splits + 1)
    accuracy, losses, ece = (np.array([getattr(e, key) for e in five]) for key in ("accuracy", "log_loss", "ece"))
    low, high = published.accuracy_interval
    of_five = f"{'':42}"
    if five:
        of_five = f"{accuracy.mean():.4f} ({accuracy.min():.4f} to {accuracy.max():.4f})  {losses.mean():.3f}     "
        of_five += f"{ece.mean():.4f}"
    print(
        f"{model:22}  {of_five}  {published.accuracy:.4f} ({low:.4f} to {high:.4f})   {published.log_loss:.3f}     "
        f"{published.ece:.4f}  {seconds:.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
