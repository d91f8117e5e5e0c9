"""Compares mail with bogofilter on the SpamAssassin corpus by date: the mail before a week judges the week.

    .venv/bin/python scripts/experiments/mail_weeks.py

The date of a message is that of its newest Received field, which the receiving host wrote; Date is the sender's and can
be forged. Messages without such a date are left out. The weeks are those from July to September 2002, Monday to Sunday
in UTC, with at least MIN_OF_CLASS messages of either class. All earlier mail is learnt, from 2001 on, then the week is
judged; for the next week everything is learnt anew. Every second week, from the first, chooses numbers of the model and
cut-offs ("choose"); the others confirm them ("confirm").

1-AUC is the proportion of pairs of a spam and a ham in the wrong order: in one ranking of all weeks by the score, as a
user sees it who sets one cut-off, and of pairs within a week. Both programs decide by their defaults: bogofilter spam
from .99, good up to .45; textnb by textnb.mail.decision.Cutoffs. Intervals are 95 %, by a bootstrap of groups of copies
(near duplicates by their text) within either class, the same draws for both programs.
"""

import argparse
import datetime
import email.parser
import email.utils
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from mail_bogofilter import Answers, bogofilter, messages, textnb, written

from textnb import TextClassifier
from textnb.corpus.near_duplicates import find_duplicate_groups, shingle_matrix, shingles
from textnb.counts import Counted, counted
from textnb.mail.decision import Cutoffs, is_thin
from textnb.readers import Document, read_message

FIRST, LAST = datetime.date(2002, 7, 1), datetime.date(2002, 9, 30)
MIN_OF_CLASS = 30
DRAWS = 1000
SPAM_CUTOFFS = 0.9, 0.95, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999
GOOD_CUTOFFS = 0.05, 0.1, 0.2, 0.3, 0.4, 0.5


class Stream(NamedTuple):
    """Messages in the order of their dates."""

    files: list[Path]
    is_spam: np.ndarray
    mondays: np.ndarray
    n_undated: int

    @property
    def weeks(self) -> list[datetime.date]:
        """Mondays of the weeks that are judged."""
        found = []
        for monday in sorted({day for day in self.mondays if FIRST <= day < LAST}):
            spam = self.is_spam[self.mondays == monday]
            if min(spam.sum(), (~spam).sum()) >= MIN_OF_CLASS:
                found.append(monday)
        return found

    @property
    def documents(self) -> list[Document]:
        """Messages as the mail reader gives them, with their labels."""
        return [
            replace(read_message(path.read_bytes()), label="spam" if spam else "ham", id=path.name)
            for path, spam in zip(self.files, self.is_spam, strict=True)
        ]


def stream() -> Stream:
    """Return the dated messages of the corpus, sorted by date and then by name."""
    files, is_spam = messages()
    dates = [received(path.read_bytes()) for path in files]
    order = sorted((date, files[i].name, i) for i, date in enumerate(dates) if date is not None)
    rows = [i for _, _, i in order]
    mondays = [date.date() - datetime.timedelta(days=date.weekday()) for date, _, _ in order]
    return Stream([files[i] for i in rows], is_spam[rows], np.array(mondays), len(files) - len(rows))


def received(raw: bytes) -> datetime.datetime | None:
    """Return the date, in UTC, of the newest Received field with a readable date: the first one."""
    for value in email.parser.BytesHeaderParser().parsebytes(raw).get_all("received") or []:
        try:
            date = email.utils.parsedate_to_datetime(str(value).rpartition(";")[2].strip())
        except (TypeError, ValueError, IndexError):
            continue
        return (date if date.tzinfo else date.replace(tzinfo=datetime.UTC)).astimezone(datetime.UTC)
    return None


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    mail = stream()
    documents = mail.documents
    thin = np.array([is_thin(document) for document in documents])
    print(f"{len(mail.files):,} dated messages; {mail.n_undated} without a date are left out", flush=True)
    (corpus,) = counted(documents, TextClassifier("mail").recipe.terms_of, entries=float("inf"))
    answers = by_week(mail, corpus, thin)
    for name, weeks in (("choose", mail.weeks[::2]), ("confirm", mail.weeks[1::2]), ("all", mail.weeks)):
        judged = np.flatnonzero(np.isin(mail.mondays, weeks))
        is_spam, groups = mail.is_spam[judged], copies_of([documents[i] for i in judged])
        print(f"\n{name}: {len(weeks)} weeks, {len(judged):,} judged, {int(is_spam.sum()):,} of them spam, ", end="")
        print(f"{len(np.unique(groups)):,} groups of copies")
        pooled = {name: Answers(a.scores[judged], a.verdicts[judged], a.seconds) for name, a in answers.items()}
        report(pooled, is_spam, [np.flatnonzero(mail.mondays[judged] == day) for day in weeks], groups)
        by_cutoff(pooled["mail"].scores, is_spam, thin[judged])


def copies_of(documents: list[Document]) -> np.ndarray:
    """Return for each message the first of its near duplicates by text."""
    return find_duplicate_groups(shingle_matrix([shingles(document.text) for document in documents]))


def by_cutoff(scores: np.ndarray, is_spam: np.ndarray, thin: np.ndarray) -> None:
    """Print ham lost and spam passed by the model mail at several cut-offs, and what of the class is not recognised."""
    print("spam cut-off of mail:  ham lost, spam below it")
    for cutoff in SPAM_CUTOFFS:
        least = Cutoffs("spam", spam_cutoff=cutoff).spam_from(thin)
        called = scores >= np.log(least / (1 - least))
        print(f"{cutoff:20}  {int((called & ~is_spam).sum()):8}, {int((~called & is_spam).sum()):6}", flush=True)
    print("good cut-off of mail:  spam passed, ham above it")
    for cutoff in GOOD_CUTOFFS:
        called = scores <= np.log(cutoff / (1 - cutoff))
        print(f"{cutoff:20}  {int((called & is_spam).sum()):8}, {int((~called & ~is_spam).sum()):6}", flush=True)


def by_week(mail: Stream, corpus: Counted, thin: np.ndarray) -> dict[str, Answers]:
    """Return the answers of both programs for all messages; only those of the weeks are set."""
    n = len(mail.files)
    found = {name: Answers(np.full(n, np.nan), np.full(n, "", "<U6"), (0.0, 0.0)) for name in ("bogofilter", "mail")}
    print(f"{'':12}{'learnt':>14}{'judged':>14}{'bogofilter':>35}{'mail':>35}")
    columns = f"{'1-AUC %':>11}{'lost':>8}{'passed':>8}{'unsure':>8}"
    print(f"{'week of':12}{'ham':>7}{'spam':>7}{'ham':>7}{'spam':>7}{columns}{columns}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        copies = written(mail.files, lambda raw: raw, Path(folder) / "mail")
        for monday in mail.weeks:
            past, week = np.flatnonzero(mail.mondays < monday), np.flatnonzero(mail.mondays == monday)
            of_week = {
                "bogofilter": bogofilter(copies, mail.is_spam, past, week),
                "mail": textnb(corpus, thin, past, week),
            }
            line = "".join(f"{(~mail.is_spam[r]).sum():7}{mail.is_spam[r].sum():7}" for r in (past, week))
            for name, answers in of_week.items():
                found[name].scores[week], found[name].verdicts[week] = answers.scores, answers.verdicts
                area, lost, passed, unsure = figures(answers, mail.is_spam[week], np.ones(len(week)))
                line += f"{100 * area:11.4f}{lost:8.0f}{passed:8.0f}{unsure:8.0f}"
            print(f"{monday!s:12}{line}", flush=True)
    return found


def figures(answers: Answers, is_spam: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return 1-AUC, ham lost, spam passed and unsure of weighted messages."""
    lost = weight[~is_spam & (answers.verdicts == "spam")].sum()
    passed = weight[is_spam & (answers.verdicts == "good")].sum()
    unsure = weight[answers.verdicts == "unsure"].sum()
    wrong, pairs = wrong_pairs(answers.scores, is_spam, weight)
    return np.array([wrong / pairs, lost, passed, unsure])


def wrong_pairs(scores: np.ndarray, is_spam: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Return the number of pairs of a spam and a ham in the wrong order, ties as a half, and of all such pairs."""
    _, rank = np.unique(scores, return_inverse=True)
    spam = np.bincount(rank, weight * is_spam)
    ham = np.bincount(rank, weight * ~is_spam)
    above = ham[::-1].cumsum()[::-1] - ham
    return float(spam @ (above + ham / 2)), float(spam.sum() * ham.sum())


def report(pooled: dict[str, Answers], is_spam: np.ndarray, parts: list[np.ndarray], groups: np.ndarray) -> None:
    """Print the pooled figures of both programs and of their difference, with intervals."""
    names = ["1-AUC %, one ranking", "1-AUC %, within weeks", "ham lost", "spam passed", "unsure"]

    def row(answers: Answers, weight: np.ndarray) -> np.ndarray:
        area, *decided = figures(answers, is_spam, weight)
        within = np.sum([wrong_pairs(answers.scores[p], is_spam[p], weight[p]) for p in parts], axis=0)
        return np.array([100 * area, 100 * within[0] / within[1], *decided])

    def rows(weight: np.ndarray) -> np.ndarray:
        theirs, ours = (row(pooled[name], weight) for name in ("bogofilter", "mail"))
        return np.array([theirs, ours, ours - theirs])

    whole = rows(np.ones(len(is_spam)))
    drawn = np.array([rows(weight) for weight in weights_of_draws(is_spam, groups)])
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    print(f"{'pooled':24}{'bogofilter':>30}{'mail':>30}{'mail - bogofilter':>32}")
    for k, name in enumerate(names):
        form = ".4f" if k < 2 else ".0f"
        cells = [f"{whole[m, k]:{form}} ({low[m, k]:{form}} to {high[m, k]:{form}})" for m in range(3)]
        print(f"{name:24}{cells[0]:>30}{cells[1]:>30}{cells[2]:>32}", flush=True)


def weights_of_draws(is_spam: np.ndarray, groups: np.ndarray) -> list[np.ndarray]:
    """Return how often each message is in each draw: groups of copies are drawn, within either class."""
    random = np.random.default_rng(0)
    numbers = np.unique(2 * groups + is_spam, return_inverse=True)[1]
    strata = [np.unique(numbers[kind]) for kind in (is_spam, ~is_spam)]
    draws = []
    for _ in range(DRAWS):
        drawn = np.concatenate([random.choice(stratum, len(stratum)) for stratum in strata])
        draws.append(np.bincount(drawn, minlength=numbers.max() + 1)[numbers].astype(float))
    return draws


if __name__ == "__main__":
    main()
