"""Measures which groups of terms age: the parts of the model mail without some groups, on later weeks of mail.

    .venv/bin/python scripts/experiments/mail_ageing.py [--second]

Only the weeks that choose (see mail_weeks.py) are judged, each by all mail before it ("next") and by all mail before an
earlier one of them, two to seven weeks older ("later"). "first" is all judged by the mail before the first week,
65 ham and 677 spam. Numbers are 1-AUC in percent, means over pairs of weeks.

first score     presence ratios of all terms, without one group at a time; old mail at a lower weight
second score    (--second) nb-logistic without some groups, alone and joined with the first score of all terms; l2 is
                L2, since the search takes long; the search finds a weaker one, which ages alike
"""

import argparse
import datetime

import numpy as np
from mail_weeks import Stream, stream, wrong_pairs
from scipy import sparse

from textnb import TextClassifier
from textnb.counts import counted
from textnb.models.ensemble.joining import joint
from textnb.models.ensemble.presence import containing_by_class, left_out_ratios, ratio_scorer
from textnb.models.logistic import nb_logistic
from textnb.models.prior import class_weighted
from textnb.models.rows import dealt_folds
from textnb.readers.message.features import GROUPS

L2 = 0.003
HEAD = "from", "to", "list", "header", "received", "zone", "type", "charset", "defect"
Scores = dict[tuple[datetime.date, datetime.date], np.ndarray]


class Weeks:
    """Messages as a matrix of presence, their classes and weeks, and the group of each term."""

    def __init__(self, mail: Stream) -> None:
        (corpus,) = counted(mail.documents, TextClassifier("mail").recipe.terms_of, entries=float("inf"))
        self.X = sparse.csr_array(corpus.X > 0).astype(np.float64)
        self.y, self.mondays, self.weeks = mail.is_spam.astype(np.intp), mail.mondays, mail.weeks[::2]
        groups = [term.partition(":")[0] if ":" in term else "" for term in corpus.vocabulary.terms]
        self.groups = np.array([group if group in GROUPS else "words" for group in groups])

    def without(self, *groups: str) -> sparse.csr_array:
        """Return the matrix without the terms of some groups."""
        return sparse.csr_array(self.X[:, np.flatnonzero(~np.isin(self.groups, groups))])

    def show(self, name: str, scores: Scores) -> None:
        """Print the mean areas of the pairs of a week before which mail was learnt, and a week that was judged."""
        areas = {"first": [], "next": [], "later": []}
        for (learnt, judged), score in scores.items():
            rows = self.mondays == judged
            wrong, pairs = wrong_pairs(score, self.y[rows] == 1, np.ones(int(rows.sum())))
            kind = "first" if learnt == self.weeks[0] else "next" if learnt == judged else "later"
            areas[kind].append(100 * wrong / pairs)
        print(f"{name:44}" + "".join(f"{np.mean(found):10.4f}" for found in areas.values()), flush=True)

    def tasks(self):
        """Yield each week, the rows before it, and the rows of each later week by its Monday."""
        for monday in self.weeks:
            later = {other: np.flatnonzero(self.mondays == other) for other in self.weeks if other >= monday}
            yield monday, np.flatnonzero(self.mondays < monday), later


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--second", action="store_true", help="measure the second score, which takes minutes")
    given = arguments.parse_args()
    weeks = Weeks(stream())
    print(f"{'1-AUC %':44}{'first':>10}{'next':>10}{'later':>10}", flush=True)
    weeks.show("first score", first_score(weeks, weeks.X))
    for group in ["words", *GROUPS]:
        weeks.show(f"first score without {group}", first_score(weeks, weeks.without(group)))
    for half_life in (2, 4, 8, 16):
        weeks.show(f"first score, weight halved in {half_life} weeks", first_score(weeks, weeks.X, half_life))
    for groups in ((), ("received",), HEAD) if given.second else ():
        alone, joined = both_scores(weeks, weeks.without(*groups))
        name = (
            "second score" if not groups else f"second score without {'received' if len(groups) == 1 else 'the head'}"
        )
        weeks.show(name, alone)
        weeks.show(f"{name}, joined", joined)


def first_score(weeks: Weeks, X: sparse.csr_array, half_life: float = np.inf) -> Scores:
    """Return presence ratios; mail that is half_life weeks old counts half."""
    found: Scores = {}
    for monday, past, later in weeks.tasks():
        age = np.array([(monday - day).days / 7 for day in weeks.mondays[past]])
        weight, y = 0.5 ** (age / half_life), weeks.y[past]
        of_class = sparse.csr_array((weight, (y, np.arange(len(y)))), shape=(2, len(y)))
        scorer = ratio_scorer((of_class @ X[past]).toarray().T, np.bincount(y, weight, 2))
        found |= {(monday, day): _odds(scorer.joint_log_scores(X[rows])) for day, rows in later.items()}
    return found


def both_scores(weeks: Weeks, X: sparse.csr_array) -> tuple[Scores, Scores]:
    """Return the second score of X alone, and joined with the first score of all terms."""
    alone: Scores = {}
    joined: Scores = {}
    for monday, past, later in weeks.tasks():
        y, n = weeks.y[past], len(past)
        folds = dealt_folds(weeks.X[past], y, nb_logistic.N_FOLDS)
        weight = class_weighted(np.ones(n), y, (0, 1), "balanced")
        settings = nb_logistic.NBLogisticSettings(L2)
        second = nb_logistic.solution(X[past], y, np.ones(n), weight, 2, settings, folds)
        first = ratio_scorer(containing_by_class(weeks.X[past], y, 2), np.bincount(y, minlength=2).astype(float))
        together = joint(np.array([left_out_ratios(weeks.X[past], y, 2, folds), second.path.scores]), y)
        for day, rows in later.items():
            scores = [first.joint_log_scores(weeks.X[rows]), second.scorer.joint_log_scores(X[rows])]
            alone[monday, day], joined[monday, day] = _odds(scores[1]), _odds(together.scores(np.array(scores)))
    return alone, joined


def _odds(scores: np.ndarray) -> np.ndarray:
    return scores[:, 1] - scores[:, 0]


if __name__ == "__main__":
    main()
