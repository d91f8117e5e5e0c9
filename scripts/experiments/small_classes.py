"""Many small classes: livedoor articles as classes, their sentences as documents.

    .venv/bin/python scripts/experiments/small_classes.py --split FOLDER [--classes 1500] [--sentences 4,9]

--split: the folder with train.tsv and dev.tsv of the published livedoor split; test.tsv is not read. Of each article
the first sentences of 8 characters or more are used; the second one is tested, by a model of the others. The livedoor
corpus comes from `textnb corpus get livedoor`.
"""

import argparse
import random
import re
import time
from pathlib import Path

import numpy as np
from suite import articles

from textnb import Analyzer, Document, TextClassifier
from textnb.evaluation.metrics import wilson_interval

RECIPES = {
    "multinomial, words, evidence (0.1.0)": {"model": "multinomial", "alpha": "evidence", "analyzer": Analyzer()},
    "multinomial, words, leave-one-out": {"model": "multinomial", "alpha": "leave-one-out", "analyzer": Analyzer()},
    "complement, words, 1": {"model": "complement", "analyzer": Analyzer()},
    "auto": {},
}


def sentences(split: Path, n_classes: int, most: int) -> tuple[list[Document], list[Document]]:
    """Documents to learn and to test, with the article as the class."""
    chosen = random.Random(1).sample(list(articles(split)), n_classes)
    train, test = [], []
    for number, article in enumerate(chosen):
        found = [s.strip() for s in re.split("[。\n]", article.text) if len(s.strip()) >= 8][:most]
        for i, sentence in enumerate(found if len(found) > 2 else []):
            (test if i == 1 else train).append(Document(sentence, f"{number:05}"))
    return train, test


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--classes", type=int, default=1500)
    arguments.add_argument("--sentences", default="4,9", help="the most sentences per article; several numbers")
    given = arguments.parse_args()
    for most in map(int, given.sentences.split(",")):
        train, test = sentences(given.split, given.classes, most)
        print(f"{len(train):,} sentences of {len({d.label for d in train}):,} articles, {len(test):,} tested")
        for name, settings in RECIPES.items():
            begun = time.process_time()
            classifier = TextClassifier(**settings).fit(train)
            seconds = time.process_time() - begun
            right = int((classifier.predict(test) == np.array([d.label for d in test], object)).sum())
            low, high = wilson_interval(right, len(test))
            chosen = classifier.recipe
            what = f"{chosen.model} {','.join(chosen.analyzer.terms or ())} {chosen.alpha}" if not settings else ""
            print(f"  {name:40}{right / len(test):.4f} ({low:.4f} to {high:.4f})  {seconds:5.1f} s  {what}")


if __name__ == "__main__":
    main()
