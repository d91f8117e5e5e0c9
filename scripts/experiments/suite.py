"""Every development corpus, five folds, one table: naive Bayes, nb-logistic, ensemble and two scikit-learn models.

    .venv/bin/python scripts/experiments/suite.py --short FOLDER --split FOLDER [--corpora a,b] [--models a,b]

--short: a folder with sib200-ja and asdc-* as jsonl.gz (one object per line: text, label, split); only the parts train
and dev are used. --split: the folder with train.tsv and dev.tsv of the published livedoor split; test.tsv is not read.
The livedoor corpus comes from `textnb corpus get livedoor`; ja-mini is in the project, of which the training part is
used.

Classes with one document are left out. Every document is tested once, by a model of the other four folds. LinearSVC
and LogisticRegression are those of scikit-learn on tf-idf, of character 1-3-grams and of the terms of ensemble. The
difference to LinearSVC is in points, with the p-value of McNemar's test. Log loss counts a probability below 1e-6 as
1e-6. Seconds are processor time per fold, tokenizing included, except for LogisticRegression, which gets counts.
"""

import argparse
import csv
import gzip
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from textnb import Analyzer, Document, TextClassifier, read_corpus
from textnb.comparison.comparison import mcnemar
from textnb.corpus import corpus_path
from textnb.counts import counted

SHORT = ("sib200-ja", "asdc-l1", "asdc-l2-food", "asdc-l2-misc", "asdc-l3")
OLD_DEFAULT = "0.1.0"
TEXTNB = ("auto", "multinomial", "complement", "nb-logistic", "ensemble")
LINEAR_SVC, LOGISTIC = "LinearSVC", "LogisticRegression"
N_FOLDS = 5
LEAST_PROBABILITY = 1e-6


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


class Answers(NamedTuple):
    """Whether each document was right (D,), its log loss (D,; NaN without probabilities), and seconds per fold."""

    right: np.ndarray
    losses: np.ndarray
    seconds: float


Asked = tuple[np.ndarray, np.ndarray | None]
"""Labels answered, and log probability of the true label."""


def by_textnb(name: str) -> Callable[[list[Document], list[Document]], Asked]:
    def answer(train: list[Document], test: list[Document]) -> Asked:
        classifier = TextClassifier(name).fit(train)
        return _of_log_proba(classifier.predict_log_proba(test), np.array(classifier.classes_), test)

    return answer


def by_linear_svc(train: list[Document], test: list[Document]) -> Asked:
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 3))
    model = LinearSVC().fit(vectorizer.fit_transform([d.text for d in train]), [d.label for d in train])
    return model.predict(vectorizer.transform([d.text for d in test])), None


def by_logistic(train: list[Document], test: list[Document]) -> Asked:
    """LogisticRegression(C=10) on tf-idf of the terms of ensemble."""
    terms_of = TextClassifier("ensemble").recipe.terms_of
    (part,) = counted(train, terms_of, entries=np.inf)
    (asked,) = counted(test, terms_of, part.vocabulary, entries=np.inf)
    weights = TfidfTransformer().fit(part.X)
    model = LogisticRegression(C=10, max_iter=1000).fit(weights.transform(part.X), part.named_labels)
    return _of_log_proba(model.predict_log_proba(weights.transform(asked.X)), model.classes_, test)


def _of_log_proba(log_p: np.ndarray, classes: np.ndarray, test: list[Document]) -> Asked:
    number = {name: k for k, name in enumerate(classes)}
    own = [log_p[i, number[d.label]] if d.label in number else -np.inf for i, d in enumerate(test)]
    return classes[log_p.argmax(axis=1)], np.maximum(own, np.log(LEAST_PROBABILITY))


def by_old_default(train: list[Document], test: list[Document]) -> Asked:
    """Multinomial naive Bayes on words with alpha by evidence, the default of 0.1.0."""
    classifier = TextClassifier("multinomial", alpha="evidence", analyzer=Analyzer()).fit(train)
    return _of_log_proba(classifier.predict_log_proba(test), np.array(classifier.classes_), test)


MODELS = {
    LINEAR_SVC: by_linear_svc,
    LOGISTIC: by_logistic,
    OLD_DEFAULT: by_old_default,
    **{name: by_textnb(name) for name in TEXTNB},
}


def answers(name: str, documents: list[Document], n_folds: int) -> Answers:
    labels = np.array([document.label for document in documents])
    right, losses = np.zeros(len(labels), bool), np.full(len(labels), np.nan)
    begun = time.process_time()
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(labels, labels)
    for train, test in list(folds)[:n_folds]:
        found, log_p = MODELS[name]([documents[i] for i in train], [documents[i] for i in test])
        right[test] = found == labels[test]
        losses[test] = np.nan if log_p is None else -log_p
    return Answers(right, losses, (time.process_time() - begun) / n_folds)


def tested(documents: list[Document], n_folds: int) -> np.ndarray:
    """Numbers of the documents in the first folds."""
    labels = [document.label for document in documents]
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(labels, labels)
    return np.concatenate([test for _, test in list(folds)[:n_folds]])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--short", type=Path, required=True)
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--corpora")
    arguments.add_argument("--models", default=",".join(MODELS))
    arguments.add_argument("--folds", type=int, default=N_FOLDS, help="run only the first of the five folds")
    given = arguments.parse_args()
    readers = documents_of(given.short, given.split)
    differences: dict[str, list[float]] = {}
    print(f"{'':14}{'':20}accuracy  to LinearSVC (p)    log loss  seconds")
    for corpus in given.corpora.split(",") if given.corpora else readers:
        documents = with_company(readers[corpus]())
        rows, names = tested(documents, given.folds), dict.fromkeys([LINEAR_SVC, *given.models.split(",")])
        print(f"{corpus}: {len(documents):,} documents, {len({d.label for d in documents})} classes", flush=True)
        reference = None
        for name in names:
            found = answers(name, documents, given.folds)
            reference = found.right if reference is None else reference
            ours, theirs = found.right[rows], reference[rows]
            points = 100 * (ours.mean() - theirs.mean())
            p = mcnemar(int((ours & ~theirs).sum()), int((theirs & ~ours).sum()))
            differences.setdefault(name, []).append(points)
            loss = f"{found.losses[rows].mean():8.4f}" if np.isfinite(found.losses[rows]).all() else f"{'':8}"
            print(
                f"{'':14}{name:20}{ours.mean():.4f}    {points:+6.2f} ({p:.4f})    {loss}  {found.seconds:.1f}",
                flush=True,
            )
    for name, points in differences.items():
        print(f"mean over corpora: {name:20}{np.mean(points):+.2f}, worst {min(points):+.2f}")


if __name__ == "__main__":
    main()
