"""Measures the peak memory of training, a process per model and corpus, in MB and in multiples of its data.

    .venv/bin/python scripts/bench/memory.py [--models a,b] [--corpora a,b] [--python NAME=PYTHON ...]

The corpora are the livedoor articles (`textnb corpus get livedoor`) and their sentences, cut at 。 and line ends. Each
process reads the texts one by one, trains by TextClassifier.fit and writes the model file; its peak is the largest
resident size, with Python, numpy, scipy and the dictionary of Janome, which the last column leaves out: the resident
size of a process that has trained on ten documents. Matrix: the counts of all documents and their columns, four bytes
each. Vocabulary: the UTF-8 of all terms, and four bytes for each. --python: other interpreters to measure as well, such
as that of an older textnb; theirs are the same texts.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

MODELS = ("multinomial", "nb-logistic", "logistic", "ensemble")
CORPORA = ("articles", "sentences")
MEGABYTE = 1_000_000


def main() -> None:
    """Print a table of all models and corpora."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--models", default=",".join(MODELS))
    arguments.add_argument("--corpora", default=",".join(CORPORA))
    arguments.add_argument("--python", nargs="*", default=[], metavar="NAME=PYTHON")
    arguments.add_argument("--train", nargs=2, metavar=("MODEL", "CORPUS"), help="only train, and print what it took")
    given = arguments.parse_args()
    if given.train:
        print(json.dumps(trained(*given.train)))
        return
    pythons = {"this textnb": sys.executable} | dict(each.split("=", 1) for each in given.python)
    print(
        f"{'':<26}{'documents':>10}{'matrix MB':>11}{'vocabulary':>11}{'peak MB':>9}{'times':>7}{'without start':>15}"
    )
    for corpus in given.corpora.split(","):
        for model in given.models.split(","):
            size = None
            for name, python in pythons.items():
                found = measured(python, model, corpus)
                size = size or found
                print(row(f"{model}, {corpus}" if name == "this textnb" else f"  {name}", found, size), flush=True)


def measured(python: str, model: str, corpus: str) -> dict[str, Any]:
    """What a process found that trained a model."""
    command = [python, __file__, "--train", model, corpus]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)  # type: ignore[no-any-return]


def row(name: str, found: dict[str, Any], size: dict[str, Any]) -> str:
    """A line of the table; the sizes are those of this textnb."""
    whole = size["matrix"] + size["vocabulary"]
    peak, rest = found["peak"], found["peak"] - found["start"]
    return (
        f"{name:<26}{found['documents']:>10,}{size['matrix']:>11.0f}{size['vocabulary']:>11.0f}{peak:>9.0f}"
        f"{peak / whole:>7.2f}{rest:>9.0f}{rest / whole:>6.2f}  {found['seconds']:.0f} s of processor time"
    )


def trained(model: str, corpus: str) -> dict[str, Any]:
    """Train a model; sizes in megabytes."""
    from textnb import TextClassifier

    TextClassifier(model).fit(islice(documents(corpus), 0, 4000, 400))
    start, begun = peak_megabytes(), time.process_time()
    classifier = TextClassifier(model).fit(documents(corpus))
    with TemporaryDirectory() as folder:
        classifier.save(Path(folder) / "model.textnb")
    peak, seconds, learnt = peak_megabytes(), time.process_time() - begun, classifier.learnt
    kept = learnt.examples if learnt.examples is not None else getattr(learnt.sample, "examples", None)
    terms = learnt.counts.vocabulary.terms  # type: ignore[union-attr]  # a classifier has one
    return {
        "documents": sum(learnt.documents.values()),
        "matrix": 8 * kept.X.nnz / MEGABYTE if kept is not None else 0.0,
        "vocabulary": sum(len(term.encode()) + 4 for term in terms) / MEGABYTE,
        "start": start,
        "peak": peak,
        "seconds": seconds,
    }


def documents(corpus: str) -> Iterator[Any]:
    """Articles, or their sentences, one by one."""
    from textnb import Document, read_corpus
    from textnb.corpus import corpus_path

    for article in read_corpus(corpus_path("livedoor")):
        if corpus == "articles":
            yield article
        else:
            cut = (text.strip() for text in re.split("[。\n]", article.text))
            yield from (Document(text, article.label) for text in cut if text)


def peak_megabytes() -> float:
    """Largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE


if __name__ == "__main__":
    main()
