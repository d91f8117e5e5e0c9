"""U-NB on the livedoor news corpus: accuracy, log loss and ECE over pi, for each normalisation and for the complement.

    .venv/bin/python scripts/experiments/livedoor_unb.py --split FOLDER [--jobs N]

FOLDER holds train.tsv, dev.tsv and test.tsv with the columns filename and category (the lists are published with
Laboro-BERT-Japanese). Each recipe is fitted on the training part and tested on the development part and the test
part, with a normalisation on every tenth document of them (a normaliser per class and length takes some milliseconds);
the pi of the least log loss on the development part is marked, and nothing is chosen by the test part.
Probabilities are the model's own: without normalisation, pi acts as a calibration. The last table has calibrated
probabilities.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from livedoor_naive_bayes import listed, rows_of

from textnb import TextClassifier, read_corpus
from textnb.corpus import corpus_path
from textnb.counts import Counted, TermsOf, counted
from textnb.estimators import TextUNB
from textnb.evaluation import Evaluation
from textnb.text import Analyzer, tokenizer

PIS = (0.5, 0.7, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0)
TABLES = {
    "tokens, not normalised": ({"norm": "none"}, "raw", False),
    "tokens, u-normalised": ({"norm": "u"}, "raw", False),
    "tokens, m-normalised": ({"norm": "m"}, "raw", False),
    "tokens, complement, not normalised": ({"complement": True}, "raw", False),
    "log weights, not normalised": ({"norm": "none"}, "log", False),
    "log weights, not normalised, calibrated": ({"norm": "none"}, "log", True),
    "log weights, complement, calibrated": ({"complement": True}, "log", True),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    (corpus,) = counted(read_corpus(corpus_path("livedoor")), TermsOf(tokenizer("janome"), Analyzer()), jobs=given.jobs)
    lists = [listed(corpus, given.split / f"{name}.tsv") for name in ("train", "dev", "test")]
    train, *parts = (rows_of(corpus, rows) for rows in lists)
    few = [rows_of(corpus, rows[::10]) for rows in lists[1:]]
    print(
        f"{len(train):,} training, {len(parts[0]):,} development, {len(parts[1]):,} test documents; alpha by evidence"
    )
    for name, (options, weighting, calibrate) in TABLES.items():
        asked = few if options.get("norm", "none") != "none" else parts
        print(f"\n{name}; {len(asked[1]):,} test documents")
        print("  pi    dev: accuracy log loss  ECE     test: accuracy (95 % interval)   log loss  ECE")
        results = [evaluated(TextUNB(pi, "evidence", **options), weighting, calibrate, train, asked) for pi in PIS]
        best = int(np.argmin([on_dev.log_loss for on_dev, _ in results]))
        for i, (pi, (on_dev, on_test)) in enumerate(zip(PIS, results, strict=True)):
            low, high = on_test.accuracy_interval
            mark = "*" if i == best else " "
            print(
                f"{mark} {pi:4.2f}  {on_dev.accuracy:.4f}  {on_dev.log_loss:9.3f}  {on_dev.ece:.4f}   "
                f"{on_test.accuracy:.4f} ({low:.4f} to {high:.4f})  {on_test.log_loss:9.3f}  {on_test.ece:.4f}",
                flush=True,
            )


def evaluated(
    model: TextUNB, weighting: str, calibrate: bool, train: Counted, asked: Sequence[Counted]
) -> list[Evaluation]:
    recipe = TextClassifier(model, weighting=weighting, calibrate=calibrate).recipe
    fitted = TextClassifier.from_recipe(recipe).fit([train]).fitted
    return [Evaluation.of(part.named_labels, fitted.log_proba_counted(part), fitted.classes) for part in asked]


if __name__ == "__main__":
    main()
