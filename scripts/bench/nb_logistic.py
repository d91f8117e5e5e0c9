"""Times NBLogistic from counts, search for its strength included, against LinearSVC and fastText on livedoor.

    .venv/bin/python scripts/bench/nb_logistic.py --split FOLDER [--fasttext PYTHON] [--rounds N] [--searched]

FOLDER holds train.tsv and dev.tsv, as in scripts/experiments/livedoor_naive_bayes.py: all are trained on the one and
tested on the other; the test part is not used. PYTHON is an interpreter that has fastText; it may be another than
textnb's. Words and pairs of words by Janome. One thread; CPU seconds of training alone, medians of N rounds in turn.

LinearSVC gets the rows as NBLogistic scales them, at its default strength and, with ``--searched``, with a search over
five strengths in five folds (once). fastText gets the words, with pairs of words, and the lr 0.5 and 25 epochs of its
tutorial. The squared hinge is the loss of the model `nb-logistic` for texts.
"""

# ruff: noqa: E402  # threads are counted when numpy is imported

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

sys.path.append(str(Path(__file__).parent.parent / "experiments"))
from livedoor_naive_bayes import listed

from textnb import Document, read_corpus
from textnb.corpus import corpus_path
from textnb.counts import TermsOf, counted
from textnb.estimators import NBLogistic
from textnb.text import Analyzer, tokenizer

Measured = tuple[float, float, str]
"""CPU seconds, accuracy, and what was found."""

FASTTEXT = """
import json, sys, time, fasttext
train, asked = sys.argv[1:]
begun = time.process_time()
model = fasttext.train_supervised(input=train, lr=0.5, epoch=25, wordNgrams=2, thread=1, verbose=0)
seconds = time.process_time() - begun
print(json.dumps([seconds, model.test(asked)[1]]))
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--fasttext", type=Path)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--searched", action="store_true")
    given = arguments.parse_args()
    documents = list(read_corpus(corpus_path("livedoor")))
    (corpus,) = counted(documents, TermsOf(tokenizer("janome"), Analyzer(ngram=(1, 2))), jobs=1)
    train, dev = (listed(corpus, given.split / f"{part}.tsv") for part in ("train", "dev"))
    X, y = corpus.X, np.array(corpus.named_labels)
    print(f"{len(train):,} documents to learn from, {len(dev):,} to answer, {X.shape[1]:,} terms", flush=True)

    first = NBLogistic().fit(X[train], y[train])
    Z = {part: scaled(first, X[part_rows]) for part, part_rows in (("train", train), ("dev", dev))}

    def ours(**params: object) -> Callable[[], Measured]:
        return lambda: measured(NBLogistic(**params), X[train], y[train], X[dev], y[dev], "l2_")

    def theirs(model: object, found: str = "") -> Callable[[], Measured]:
        return lambda: measured(model, Z["train"], y[train], Z["dev"], y[dev], found)

    tasks = {
        "LinearSVC, C = 1": theirs(LinearSVC()),
        "NBLogistic, squared hinge": ours(loss="squared-hinge"),
        "NBLogistic, logistic": ours(),
        "NBLogistic, evidence": ours(l2="evidence"),
    }
    if given.fasttext is not None:
        tasks["fastText"] = lambda: fasttext(given.fasttext, documents, train, dev)
    once = {}
    if given.searched:
        search = GridSearchCV(LinearSVC(), {"C": [0.1, 0.3, 1, 3, 10]}, cv=5)
        once["LinearSVC, searched"] = theirs(search, "best_params_")
    report(tasks, once, given.rounds)


def scaled(fitted: NBLogistic, X: object) -> object:
    """Return the rows as the fitted model scales them."""
    Z = fitted.scorer_.scaled(X)
    Z.eliminate_zeros()
    return Z


def measured(model: object, X: object, y: np.ndarray, asked: object, truth: np.ndarray, found: str) -> Measured:
    begun = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - begun
    return seconds, model.score(asked, truth), f"{found} {getattr(model, found)}" if found else ""


def fasttext(python: Path, documents: list[Document], train: np.ndarray, dev: np.ndarray) -> Measured:
    words = tokenizer("janome")
    with tempfile.TemporaryDirectory() as folder:
        names = []
        shuffled = np.random.default_rng(0).permutation(train)  # it learns line by line, and forgets what was long ago
        for part, rows in (("train", shuffled), ("dev", dev)):
            lines = [
                f"__label__{documents[i].label} " + " ".join(" ".join(words(documents[i].text)).split()) for i in rows
            ]
            names.append(Path(folder) / part)
            names[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run([python, "-c", FASTTEXT, *names], capture_output=True, text=True, check=True)
    seconds, accuracy = json.loads(done.stdout.splitlines()[-1])
    return seconds, accuracy, ""


def report(tasks: dict[str, Callable[[], Measured]], once: dict[str, Callable[[], Measured]], rounds: int) -> None:
    results: dict[str, list[Measured]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            results[name].append(task())
    results |= {name: [task()] for name, task in once.items()}
    yardstick = statistics.median(seconds for seconds, *_ in results["LinearSVC, C = 1"])
    for name, runs in results.items():
        seconds = statistics.median(seconds for seconds, *_ in runs)
        _, accuracy, found = runs[0]
        print(
            f"{name:28}{seconds:7.2f} s  {seconds / yardstick:6.2f} times LinearSVC  accuracy {accuracy:.4f}  {found}"
        )


if __name__ == "__main__":
    main()
