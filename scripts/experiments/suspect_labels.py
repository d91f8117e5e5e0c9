"""How many of the suspect labels are wrong: labels of livedoor and of short texts are changed by chance and looked for.

    .venv/bin/python scripts/experiments/suspect_labels.py [--split FOLDER] [--short FILE] [--seeds N]

FOLDER has the lists of the published split of livedoor, of which the training documents are used; FILE is a JSONL file
of short texts with a column "split", of which those with "train" are used. A proportion of the labels is changed to
another class of the same corpus. n is the number of changed labels. "of first n": which proportion of the first n
suspects are changed labels. "found": which proportion of the changed labels are among all suspects. Changed labels are
only one kind of mistake, and the corpora have mistakes of their own, which count as false alarms here.
"""

import argparse
import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from textnb import Document, TextClassifier, read_corpus
from textnb.classifier.suspects import SeenDocuments
from textnb.corpus import corpus_path

MODELS = ("complement", "multinomial")
PROPORTIONS = (0.01, 0.05)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--split", type=Path)
    arguments.add_argument("--short", type=Path)
    arguments.add_argument("--seeds", type=int, default=3)
    given = arguments.parse_args()
    print(f"{'corpus':12} {'documents':>9} {'changed':>8} {'model':12} of first n  found")
    for name, documents in corpora(given.split, given.short):
        for share in PROPORTIONS:
            for model in MODELS:
                runs = [measured(documents, share, model, seed) for seed in range(given.seeds)]
                first, found = np.mean(runs, axis=0)
                changed = round(share * len(documents))
                print(f"{name:12} {len(documents):9} {changed:8} {model:12} {first:10.3f} {found:6.3f}", flush=True)


def corpora(split: Path | None, short: Path | None) -> Iterator[tuple[str, list[Document]]]:
    if short is not None:
        yield "short texts", [each for each in read_corpus(short) if each.columns["split"] == "train"]
    if split is not None:
        with (split / "train.tsv").open(encoding="utf-8") as lines:
            names = {row["filename"] for row in csv.DictReader(lines, delimiter="\t")}
        yield "livedoor", [each for each in read_corpus(corpus_path("livedoor")) if Path(each.id).name in names]


def measured(documents: Sequence[Document], share: float, model: str, seed: int) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    classes = sorted({each.label for each in documents})
    changed = set(rng.permutation(len(documents))[: round(share * len(documents))].tolist())
    corpus = [
        replace(
            each, id=str(i), label=rng.choice([k for k in classes if k != each.label]) if i in changed else each.label
        )
        for i, each in enumerate(documents)
    ]
    seen = SeenDocuments()
    clf = TextClassifier(model, tokenizer="janome").fit(
        seen.watch(replace(each, label=str(each.label)) for each in corpus)
    )
    found = [int(each.id) in changed for each in clf.suspects(seen, top=len(corpus))]
    return float(np.mean(found[: len(changed)])), sum(found) / len(changed)


if __name__ == "__main__":
    main()
