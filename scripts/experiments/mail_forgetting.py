"""Does it help to forget old mail? Weeks of the SpamAssassin corpus, judged by what was received shortly before them.

    .venv/bin/python scripts/experiments/mail_forgetting.py [MODEL ...]

For each week (see mail_weeks.py) a model learns all mail before it and forgets what is older than some weeks, as
``textnb refit --keep`` does; then it judges the week. Nothing is chosen by these numbers, so all weeks are judged.
1-AUC is in percent, the mean over the weeks; log loss and "wrong", mails whose most probable class is not theirs, are
of all judged mails. "learnt" is the mean number of ham and spam that is left. Models of counts have alpha = 0.1, since
estimating it takes most of their time.
"""

import argparse
import datetime

import numpy as np
from mail_weeks import stream, wrong_pairs

from textnb import TextClassifier
from textnb.counts import counted

KEPT_WEEKS = None, 52, 26, 13, 8, 4
MODELS = "multinomial", "mail"
ANALYZER = TextClassifier("mail").recipe.analyzer


def main() -> None:
    """Print a table for each model."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("models", nargs="*", default=MODELS)
    given = arguments.parse_args()
    mail = stream()
    (corpus,) = counted(mail.documents, TextClassifier("mail").recipe.terms_of, entries=float("inf"))
    for name in given.models:
        print(f"{name:14}{'learnt ham':>12}{'spam':>8}{'1-AUC %':>10}{'log loss':>10}{'wrong %':>9}", flush=True)
        found = {kept: [] for kept in KEPT_WEEKS}
        for monday in mail.weeks:
            past, week = np.flatnonzero(mail.mondays < monday), np.flatnonzero(mail.mondays == monday)
            alpha = None if name == "mail" else 0.1
            classifier = TextClassifier(name, alpha=alpha, analyzer=ANALYZER).fit([corpus.rows(past)])
            for kept in KEPT_WEEKS:  # more and more is forgotten
                if kept is not None:
                    classifier.forget_before(monday - datetime.timedelta(weeks=kept))
                found[kept].append(judged(classifier, corpus.rows(week), mail.is_spam[week]))
        for kept, weeks in found.items():
            show("all" if kept is None else f"{kept} weeks", weeks)


def judged(classifier: TextClassifier, part, is_spam: np.ndarray) -> dict[str, np.ndarray]:
    """Answers of a classifier to the mail of a week."""
    assert classifier.fitted.classes == ("ham", "spam")
    log_p = classifier.fitted.log_proba_counted(part)
    return {
        "odds": log_p[:, 1] - log_p[:, 0],
        "log_p": log_p,
        "is_spam": is_spam,
        "learnt": classifier.learnt.counts.documents,
    }


def show(name: str, weeks: list[dict[str, np.ndarray]]) -> None:
    """Print the line of one period."""
    areas = []
    for week in weeks:
        wrong, pairs = wrong_pairs(week["odds"], week["is_spam"], np.ones(len(week["odds"])))
        areas.append(100 * wrong / pairs)
    log_p, is_spam = (np.concatenate([week[part] for week in weeks]) for part in ("log_p", "is_spam"))
    loss = -log_p[np.arange(len(log_p)), is_spam.astype(int)].mean()
    wrong = 100 * np.mean((log_p[:, 1] > log_p[:, 0]) != is_spam)
    ham, spam = np.mean([week["learnt"] for week in weeks], axis=0)
    print(f"  {name:12}{ham:12.0f}{spam:8.0f}{np.mean(areas):10.4f}{loss:10.4f}{wrong:9.2f}", flush=True)


if __name__ == "__main__":
    main()
