"""Every development corpus, five folds, one table: naive Bayes, nb-logistic, ensemble and two scikit-learn models.

    .venv/bin/python scripts/experiments/suite.py --short FOLDER --split FOLDER [--corpora a,b] [--models a,b]

--short: a folder with sib200-ja and asdc-* as jsonl.gz (one object per line: text, label, split); only the parts train
and dev are used. --split: the folder with train.tsv and dev.tsv of the published livedoor split; test.tsv is not read.
The livedoor corpus comes from `textnb corpus get livedoor`; ja-mini is in the project, of which the training part is
used.

Classes with one document are left out. Every document is tested once, by a model of the other four folds. LinearSVC
and LogisticRegression are those of scikit-learn on tf-idf, of character 1-3-grams and of the terms of ensemble. The
difference to LinearSVC is in points, with the p-value of McNemar's test; seconds are those of processor time per fold,
without tokenizing for the models that share one count, with it for LinearSVC.
"""

import csv
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from textnb import Document, read_corpus
from textnb.corpus import corpus_path

SHORT = ("sib200-ja", "asdc-l1", "asdc-l2-food", "asdc-l2-misc", "asdc-l3")
TEXTNB = ("multinomial", "complement", "nb-logistic", "ensemble")
LINEAR_SVC, LOGISTIC = "LinearSVC", "LogisticRegression"
N_FOLDS = 5


def documents_of(short: Path, split: Path) -> dict[str, Callable[[], list[Document]]]:
    """Readers of the corpora by name."""
    readers = {name: lambda name=name: list(short_texts(short / f"{name}.jsonl.gz")) for name in SHORT}
    readers["titles"] = lambda: [Document(d.text.partition("\n")[0], d.label) for d in articles(split)]
    readers["livedoor"] = lambda: [Document(d.text, d.label) for d in articles(split)]
    readers["ja-mini"] = lambda: list(read_corpus(corpus_path("ja-mini") / "train"))
    return readers


def short_texts(path: Path) -> Iterator[Document]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["split"] in ("train", "dev"):
                yield Document(row["text"], row["label"])


def articles(split: Path) -> Iterator[Document]:
    names = set()
    for part in ("train", "dev"):
        with (split / f"{part}.tsv").open(encoding="utf-8") as lines:
            names |= {row["filename"] for row in csv.DictReader(lines, delimiter="\t")}
    return (d for d in read_corpus(corpus_path("livedoor")) if Path(d.id).name in names)


def with_company(documents: list[Document]) -> list[Document]:
    """Documents whose class has at least two."""
    number = Counter(document.label for document in documents)
    return [document for document in documents if number[document.label] > 1]
