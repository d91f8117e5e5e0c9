"""Processor time to train on livedoor, by this version and by an older one, in turn.

    .venv/bin/python scripts/bench/versions.py --split FOLDER --old PYTHON [--rounds N] [--models nb-logistic,ensemble]

FOLDER holds train.tsv of the published split, as in scripts/experiments/livedoor_naive_bayes.py; PYTHON is an
interpreter with textnb 0.1.0, of which nb-logistic is measured. Each run is a process of its own that trains twice: on
texts, and on the same texts counted before. One thread; medians of N rounds.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

OLD = "nb-logistic of 0.1.0"
RUN = """
import csv, json, sys, time
from pathlib import Path
from textnb import Document, TextClassifier, read_corpus
from textnb.corpus import corpus_path
from textnb.counts import counted

split, model = sys.argv[1:]
with (Path(split) / "train.tsv").open(encoding="utf-8") as lines:
    names = {row["filename"] for row in csv.DictReader(lines, delimiter="\\t")}
documents = [Document(d.text, d.label) for d in read_corpus(corpus_path("livedoor")) if Path(d.id).name in names]
TextClassifier(model).fit(documents[::100])  # imports, and the dictionary
begun = time.process_time()
texts = TextClassifier(model).fit(documents)
from_texts = time.process_time() - begun
parts = list(counted(documents, texts.recipe.terms_of, entries=float("inf")))
recipe = TextClassifier(model).recipe
begun = time.process_time()
if hasattr(recipe, "learnt_counted"):  # 0.1.0
    TextClassifier.of(recipe, recipe.learnt_counted(parts))
else:
    TextClassifier(model).fit(parts)
print(json.dumps([from_texts, time.process_time() - begun]))
"""


def seconds(python: str, split: Path, model: str) -> list[float]:
    """Processor seconds from texts, and from counts."""
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with tempfile.TemporaryDirectory() as folder:  # so that the checkout is not imported by chance
        command = [python, "-c", RUN, str(split.resolve()), model]
        found = subprocess.run(
            command, env=os.environ | threads, cwd=folder, capture_output=True, text=True, check=True
        )
    from_texts, from_counts = json.loads(found.stdout)
    return [from_texts, from_counts]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--old", required=True)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--models", default="nb-logistic,ensemble")
    given = arguments.parse_args()
    programs = {OLD: (given.old, "nb-logistic")} | {name: (sys.executable, name) for name in given.models.split(",")}
    runs = {name: [] for name in programs}
    for _ in range(given.rounds):
        for name, (python, model) in programs.items():
            runs[name].append(seconds(python, given.split, model))
    medians = {name: [statistics.median(each) for each in zip(*found, strict=True)] for name, found in runs.items()}
    print(f"{'':24}{'from texts':>24}{'from counts':>24}")
    for name, found in medians.items():
        parts = [f"{each:12.2f} s ({each / old:5.2f})" for each, old in zip(found, medians[OLD], strict=True)]
        print(f"{name:24}{parts[0]:>24}{parts[1]:>24}", flush=True)


if __name__ == "__main__":
    main()
