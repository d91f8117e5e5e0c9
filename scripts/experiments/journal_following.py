"""What answers gain from following the journal until the next fit, and what that costs, for each model of counts.

    .venv/bin/python scripts/experiments/journal_following.py [MODEL ...]

A model learns the mail of the SpamAssassin corpus before a week (see mail_weeks.py); the first mails of that week, a
twenty-fifth of what was learnt, are corrections in its journal, and the rest of the week is judged: by the file alone,
by the file with its journal, and after refit. Log loss is that of the judged mails. Times are processor times in ms,
the best of several: opening a model and judging one mail, without and with the journal; and refit.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from mail_weeks import stream

from textnb import Document, TextClassifier
from textnb.mail.corrections import CorrectedFile, Done, learn_all, refit_file

MODELS = "multinomial", "complement", "bernoulli", "gaussian", "unb", "compound", "mail"
WEEK = 4
N_RUNS = 5


def main() -> None:
    """Print a line for each model."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("models", nargs="*", default=MODELS)
    given = arguments.parse_args()
    mail = stream()
    monday = mail.weeks[WEEK]
    documents = mail.documents
    past = [documents[i] for i in np.flatnonzero(mail.mondays < monday)]
    week = [documents[i] for i in np.flatnonzero(mail.mondays == monday)]
    n = len(past) // 25
    print(f"{len(past):,} mails learnt, {n} corrections, {len(week) - n} judged, week of {monday}")
    print(f"{'':14}{'log loss: file':>16}{'journal':>10}{'refit':>10}{'ms: file':>12}{'journal':>10}{'refit':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.models:
            show(name, Path(folder) / f"{name}.textnb", past, week[:n], week[n:])


def show(name: str, path: Path, past: list[Document], corrected: list[Document], judged: list[Document]) -> None:
    """Print the line of one model."""
    TextClassifier(name, analyzer=TextClassifier("mail").recipe.analyzer).fit(past).save(path)
    losses, times = [loss(path, judged)], [opening(path, judged[0])]

    def learn(learner) -> Done:
        return next(iter(learn_all(learner, [(replace(each, label=None), str(each.label)) for each in corrected])))

    CorrectedFile(path).change(learn)
    losses, times = [*losses, loss(path, judged)], [*times, opening(path, judged[0])]
    began = time.process_time()
    refit_file(path)
    losses, times = [*losses, loss(path, judged)], [*times, 1e3 * (time.process_time() - began)]
    shown = "".join(f"{each:{width}.4f}" for each, width in zip(losses, (16, 10, 10), strict=True))
    print(
        f"{name:14}{shown}" + "".join(f"{each:{w}.0f}" for each, w in zip(times, (12, 10, 10), strict=True)), flush=True
    )


def loss(path: Path, documents: list[Document]) -> float:
    """Mean log loss of documents."""
    classifier = TextClassifier.load(path)
    log_p, names = classifier.predict_log_proba(documents), list(classifier.classes_)
    return -float(np.mean([log_p[i, names.index(each.label)] for i, each in enumerate(documents)]))


def opening(path: Path, document: Document) -> float:
    """Processor time of opening a model and judging one mail, in ms."""
    times = []
    for _ in range(N_RUNS):
        began = time.process_time()
        TextClassifier.load(path).predict([document])
        times.append(1e3 * (time.process_time() - began))
    return min(times)


if __name__ == "__main__":
    main()
