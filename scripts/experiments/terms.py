"""Kinds of terms and normalisers for naive Bayes: accuracy on development data, train part to dev part.

    .venv/bin/python scripts/experiments/terms.py --short FOLDER --split FOLDER [--only NAME,...]
        [--no-calibrate] [--normalise]

--short: JSON lines files with text, label and split (train or dev). --split: train.tsv and dev.tsv with the columns
filename and category, for livedoor (`textnb corpus get livedoor`): titles, and whole articles. No test part is read. A
set of fewer than 1,000 documents is measured by 5 folds of both parts, because its dev part is too small. Each set is
counted once per normalisation; the kinds of terms are chosen from these counts.
"""

import argparse
import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from textnb import Document, TextClassifier, read_corpus
from textnb.corpus import corpus_path
from textnb.counts import Counted, TermsOf, counted
from textnb.counts.kinds import of_kinds
from textnb.text import TERMS, Analyzer, tokenizer

NORMALISERS = ((), ("nfkc", "casefold"))
KINDS = (("words",), ("words", "pairs"), ("words", "chars"), ("words", "pairs", "chars"))
RECIPES = [(model, alpha) for model in ("multinomial", "complement") for alpha in ("evidence", "leave-one-out", 1.0)]
FEW = 1000

Parts = tuple[list[Document], list[Document]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--short", type=Path, required=True)
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--no-calibrate", action="store_true")
    arguments.add_argument("--normalise", action="store_true", help="try NFKC and case folding as well")
    given = arguments.parse_args()
    names = [f"{model} {alpha}" for model, alpha in RECIPES]
    for name, parts in sets(given.short, given.split):
        if given.only and name not in given.only.split(","):
            continue
        print(f"\n{name}: {len(parts[0]):,} and {len(parts[1]):,} documents")
        print(f"{'':34}" + "".join(f"{each:>26}" for each in names), flush=True)
        for normalisers in NORMALISERS if given.normalise else NORMALISERS[:1]:
            terms_of = TermsOf(tokenizer("auto"), Analyzer(normalisers, terms=TERMS))
            (part,) = counted([*parts[0], *parts[1]], terms_of, entries=float("inf"))
            for kinds in KINDS:
                chosen = part if kinds == TERMS else of_kinds(part, terms_of, kinds)
                print(f"{','.join(kinds):18}{'+'.join(normalisers):16}", end="")
                for model, alpha in RECIPES:
                    analyzer = replace(terms_of.analyzer, ngram=None, terms=kinds)
                    calibrate = not given.no_calibrate
                    classifier = TextClassifier(model, alpha=alpha, analyzer=analyzer, calibrate=calibrate)
                    right = accuracy(classifier, chosen, parts)
                    print(f"{right:26.4f}", end="", flush=True)
                print()


def sets(short: Path, split: Path) -> Iterator[tuple[str, Parts]]:
    for path in sorted(short.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            rows = [json.loads(line) for line in stream]
        train, dev = (
            [Document(r["text"], r["label"]) for r in rows if r["split"] == part] for part in ("train", "dev")
        )
        yield path.name.removesuffix(".jsonl.gz"), (train, dev)
    by_name = {Path(document.id).name: document for document in read_corpus(corpus_path("livedoor"))}
    listed = [[by_name[row["filename"]] for row in read_rows(split / f"{part}.tsv")] for part in ("train", "dev")]
    for name, line in (("livedoor titles", slice(0, 1)), ("livedoor", slice(0, None))):
        train, dev = ([replace(d, text="\n".join(d.text.split("\n")[line])) for d in part] for part in listed)
        yield name, (train, dev)


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def accuracy(classifier: TextClassifier, part: Counted, parts: Parts) -> float:
    """Return the proportion of dev documents that are right, or of all documents in 5 folds if they are few."""
    documents = [*parts[0], *parts[1]]
    fold = np.arange(len(documents)) >= len(parts[0])
    folds = [fold]
    if len(documents) < FEW:
        dealt = np.random.default_rng(0).permutation(len(documents)) % 5
        folds = [dealt == k for k in range(5)]
    right = []
    for held in folds:
        rest = part.rows(np.flatnonzero(~held)).trimmed
        answers = classifier.fit([rest]).predict([part.rows(np.flatnonzero(held))])
        right += [answer == documents[i].label for answer, i in zip(answers, np.flatnonzero(held), strict=True)]
    return float(np.mean(right))


if __name__ == "__main__":
    main()
