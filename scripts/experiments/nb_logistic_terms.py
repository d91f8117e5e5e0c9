"""Kinds of terms for nb-logistic, and its default beside those of naive Bayes: accuracy on development data.

    .venv/bin/python scripts/experiments/nb_logistic_terms.py --short FOLDER --split FOLDER [--only NAME,...]

The data, and how a set is measured, are those of terms.py; no test part is read. Seconds are processor time of fits and
answers, from counts; defaults are counted with the terms that the model has by default.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from terms import KINDS, Parts, accuracy, sets

from textnb import TextClassifier
from textnb.counts import counted
from textnb.text import Analyzer

DEFAULTS = ("nb-logistic", "multinomial", "complement", "logistic")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--short", type=Path, required=True)
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    for name, parts in sets(given.short, given.split):
        if given.only and name not in given.only.split(","):
            continue
        print(f"\n{name}: {len(parts[0]):,} and {len(parts[1]):,} documents", flush=True)
        for title, classifier in classifiers():
            measured(title, classifier, parts)


def classifiers() -> Iterator[tuple[str, TextClassifier]]:
    for kinds in KINDS:
        analyzer = Analyzer(terms=kinds, min_df="auto", features=("first-line",))
        yield f"nb-logistic, {','.join(kinds)}", TextClassifier("nb-logistic", analyzer=analyzer)
    for model in DEFAULTS:
        yield f"{model}, default", TextClassifier(model)


def measured(title: str, classifier: TextClassifier, parts: Parts) -> None:
    (part,) = counted([*parts[0], *parts[1]], classifier.recipe.terms_of, entries=float("inf"))
    begun = time.process_time()
    right = accuracy(classifier, part, parts)
    print(f"{title:34}{right:8.4f}{time.process_time() - begun:8.1f} s", flush=True)


if __name__ == "__main__":
    main()
