"""Calibration on documents never seen: ECE and log loss, with copies among the training texts, and with repeated texts.

    .venv/bin/python scripts/experiments/calibration.py --short FOLDER --split FOLDER [--models a,b] [--jobs N]

The short sets are JSONL files with text, label and split: each is fitted on its training part and tested on its
development part. livedoor: five folds of the documents in the training and development lists of the published split.
ja-mini: its own training and test parts. ECE and log loss:

    once      as they are
    twice     every training text is given twice
    alike     every training text is given once more with a tenth of its tokens left out at random
    x 10      every tested text is repeated ten times in itself
"""

import argparse
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from textnb import Document, TextClassifier, read_corpus
from textnb.corpus import corpus_path
from textnb.counts import Counted, TermsOf, counted
from textnb.text import tokenizer

FOLDS = 5
REPETITIONS = 10
Split = tuple[np.ndarray, np.ndarray]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--short", type=Path, required=True)
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--models", default="multinomial,complement,bernoulli,nb-logistic")
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    print(f"{'':30}  once                 twice           alike           x {REPETITIONS}")
    print(f"{'':30}  ECE   log loss  acc." + 3 * "  ECE   log loss")
    for name, documents, splits in corpora(given.short, given.split):
        for model in given.models.split(","):
            analyzer = TextClassifier(model).recipe.analyzer
            terms_of = TermsOf(tokenizer("janome"), replace(analyzer, min_df=1))
            (part,) = counted(documents, terms_of, jobs=given.jobs)
            rows = np.mean([measures(model, part, *split) for split in splits], axis=0)
            shown = "  ".join(f"{value:.3f}" for value in rows)
            print(f"{name:14}  {model:14}  {shown}", flush=True)


def corpora(short: Path, split: Path) -> Iterator[tuple[str, list[Document], list[Split]]]:
    """Yield name, documents, and (training rows, test rows) of each split."""
    for path in sorted(short.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        is_train = np.array([record["split"] == "train" for record in records])
        documents = [Document(record["text"], record["label"]) for record in records]
        yield path.name.removesuffix(".jsonl.gz"), documents, [(np.flatnonzero(is_train), np.flatnonzero(~is_train))]
    train, test = (list(read_corpus(corpus_path("ja-mini") / name)) for name in ("train", "test"))
    rows = np.arange(len(train) + len(test))
    yield "ja-mini", train + test, [(rows[: len(train)], rows[len(train) :])]
    lists = [(split / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:] for name in ("train", "dev")]
    names = {line.split("\t")[0] for lines in lists for line in lines}
    documents = [each for each in read_corpus(corpus_path("livedoor")) if Path(each.id).name in names]
    fold = np.random.default_rng(0).permutation(len(documents)) % FOLDS
    yield "livedoor", documents, [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(FOLDS)]


def measures(model: str, part: Counted, train: np.ndarray, test: np.ndarray) -> list[float]:
    """ECE, log loss and accuracy of a model as it is; ECE and log loss with copies, near copies and repeated texts."""
    learnt = {part.labels[i] for i in train}
    test = np.array([i for i in test if part.labels[i] in learnt])
    tested = part.rows(test)
    repeated = replace(tested, X=tested.X * REPETITIONS)
    once, twice, alike = (
        TextClassifier(model, tokenizer="janome").fit(parts)
        for parts in (
            [part.rows(train)],
            [part.rows(np.repeat(train, 2))],
            [part.rows(train), thinned(part.rows(train))],
        )
    )
    first, *others = (
        once.evaluate([tested]),
        *(each.evaluate([tested]) for each in (twice, alike)),
        once.evaluate([repeated]),
    )
    return [
        first.ece,
        first.log_loss,
        first.accuracy,
        *(value for each in others for value in (each.ece, each.log_loss)),
    ]


def thinned(part: Counted) -> Counted:
    """Documents without a tenth of their tokens, as other documents."""
    X = part.X.copy()
    X.data = np.random.default_rng(1).binomial(X.data, 0.9)
    X.eliminate_zeros()
    return replace(part, X=X, digests=tuple(bytes(255 - byte for byte in digest) for digest in part.digests))


if __name__ == "__main__":
    main()
