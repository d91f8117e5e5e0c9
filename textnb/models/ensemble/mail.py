"""The model for mail: two scores of the terms of a message, combined.

    s1 = presence log ratios                      (``presence.py``)                                             (1)
    s2 = NB-weighted logistic, classes balanced   (``nb_logistic.py``)                                          (2)
    z  = bias + a1 s1 + a2 s2                     (``joining.py``), a and bias by scores of rows left out       (3)

s1 is a function of counts, so it uses a message as soon as it is learnt; s2 must be fitted. They fail on different
messages. With fewer than ``stacked_from`` rows s2 learns too little, and z = bias + a1 s1.

s1 has all terms, s2 all but those of ``AGEING_GROUPS``, the relays: a fitted model relies on the few terms that best
separate the mail of its time, and hosts change. Rows left out are of the same time and cannot show this. On mail of the
SpamAssassin corpus that is judged by the mail of earlier weeks (scripts/experiments/mail_ageing.py), 1-AUC fell by
half without relays in s2. Without all header fields in s2 it was as good. Without relays in s1 it was worse in later
weeks. In s1, a lower weight for old mail gained little, and lost much where one class was scarce.

Folds depend on what rows contain. Folds by date were no better on the SpamAssassin corpus (fitted on 1,500 messages,
tested on the 2,500 that followed): log loss .097, against .083. So dates are not kept.

A fit can be renewed after a few messages: s1 from the new counts, a, bias and s2 unchanged (``_renew``).
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from textnb.counts.matrix import CSR
from textnb.counts.rows import with_entries
from textnb.counts.vocabulary import Columns, Vocabulary
from textnb.models.changes import Changes, row_table
from textnb.models.ensemble.joining import SummedScorer, joint
from textnb.models.ensemble.presence import RatioScorer, containing_by_class, left_out_ratios, telling_ratios
from textnb.models.logistic import nb_logistic
from textnb.models.logistic.logistic import fit_facts
from textnb.models.logistic.nb_logistic import N_FOLDS
from textnb.models.model import Fit, Model, Need, Number, Option, Options, Statistics, by_name
from textnb.models.prior import Prior, class_weighted
from textnb.models.rows import Labelled, dealt_folds
from textnb.models.scorer import LinearScorer, ScaledScorer
from textnb.numerics import Codes, Floats

STACKED_FROM = 300.0
AGEING_GROUPS = ("received",)
"""Groups of terms that s2 does not use."""


@dataclass(frozen=True, eq=False)
class MailFit:
    """Scorer, factors of its scores (M,), scores of held-out rows (D, C), and the fit of s2."""

    scorer: RatioScorer | SummedScorer
    factors: Floats
    left_out_scores: Floats
    second: nb_logistic.NBLogisticFit | None


def solution(
    rows: Labelled,
    *,
    l2: float | str = "cv",
    stacked_from: float = STACKED_FROM,
    lasting: NDArray[np.bool_] | None = None,
) -> MailFit:
    """Fit of eq. (3) to rows of counts; only presence matters, not the counts.

    lasting (V,): True for the terms that s2 may use; None: all.
    """
    X, y, n_classes = rows.X, rows.y, len(rows.classes)
    folds = dealt_folds(X, y, N_FOLDS)
    scores = [left_out_ratios(X, y, n_classes, folds)]
    of_second = X if lasting is None else with_entries(X, lasting[X.indices])
    second = _second(of_second, rows, l2, folds) if len(y) >= stacked_from else None
    if second is not None and second.path is not None:
        scores.append(second.path.scores)
    left_out_scores = np.array(scores)
    found = joint(left_out_scores, y)
    ratios = telling_ratios(containing_by_class(X, y, n_classes), rows.documents)
    first = RatioScorer(ratios * found.factors[0], found.bias)
    scorer = first if second is None else SummedScorer(first, _scaled_by(second.scorer, found.factors[1]))
    return MailFit(scorer, found.factors, found.scores(left_out_scores), second)


def lasting_terms(vocabulary: Vocabulary) -> NDArray[np.bool_]:
    """Flag for each term (V,): False for those of the groups that age (see ``AGEING_GROUPS``).

    >>> lasting_terms(Vocabulary(["from:ann", "offer", "received:example.com"])).tolist()
    [True, True, False]
    """
    ageing = tuple(f"{group}:" for group in AGEING_GROUPS)
    return np.array([not term.startswith(ageing) for term in vocabulary.terms], bool)


def _second(X: CSR, rows: Labelled, l2: float | str, folds: Codes) -> nb_logistic.NBLogisticFit | None:
    """Fit of s2 to X, the rows with the terms that it may use; None if no row can be held out to find its factor."""
    weight = class_weighted(rows.weight, rows.y, rows.classes, "balanced")
    settings = nb_logistic.NBLogisticSettings(l2)
    found = nb_logistic.solution(X, rows.y, rows.weight, weight, len(rows.classes), settings, folds)
    return None if found.path is None else found


def _scaled_by(scorer: ScaledScorer, factor: float) -> ScaledScorer:
    linear = scorer.linear
    return ScaledScorer(scorer.scale, LinearScorer(linear.by_term * factor, linear.bias * factor))


def _fit(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    rows, vocabulary = statistics.documents, statistics.counts.vocabulary
    lasting = None if vocabulary is None else lasting_terms(vocabulary)
    found = solution(rows, l2=options["l2"], stacked_from=options["stacked_from"], lasting=lasting)
    facts: dict[str, Any] = {"fitted_on": len(rows.y), "first_factor": float(found.factors[0])}
    second = found.second
    if second is not None:
        facts |= {"second_factor": float(found.factors[1])}
        facts |= fit_facts(second)
    l2 = {} if second is None else {"l2": second.l2}
    containing = _containing(statistics)
    return Fit(found.scorer, found=l2, facts=facts, left_out_scores=found.left_out_scores, containing=containing)


def _containing(statistics: Statistics) -> NDArray[np.int32]:
    """Documents of each class that contain each term, (V, C), for corrections."""
    return np.ascontiguousarray(statistics.counts.containing.toarray().T, np.int32)


def _renew(statistics: Statistics, fit: Fit, before: Columns) -> Fit:
    """Fit with s1 of the new counts; the factors, the bias and s2 stay."""
    counts = statistics.counts
    scorer = cast("RatioScorer | SummedScorer", fit.scorer)
    ratios = telling_ratios(counts.containing.toarray().T, counts.documents) * fit.facts["first_factor"]
    scorer = scorer.with_ratios(ratios, before)
    return fit._replace(scorer=scorer, left_out_scores=None, containing=_containing(statistics))


def _follow(fit: Fit, changes: Changes, _: Floats, __: Options) -> RatioScorer | SummedScorer | None:
    """Scorer with s1 of the counts with the corrections; the factors, the bias and s2 stay."""
    stored, factor = fit.containing, fit.facts["first_factor"]
    if stored is None:
        return None

    def rows(columns: Codes) -> Floats:
        containing = stored[columns] + changes.added(columns, changes.containing)
        return np.asarray(telling_ratios(np.maximum(containing, 0.0), changes.documents) * factor)

    return cast("RatioScorer | SummedScorer", fit.scorer).with_ratios(row_table(rows, stored.shape))


MODEL = Model(
    name="mail",
    help="two scores of the terms of a message, combined: presence ratios and nb-logistic",
    fit=_fit,
    weightings=("binary",),
    needs=frozenset({Need.ROWS}),
    options=by_name(
        nb_logistic.L2,
        Option("stacked_from", Number(low=0), STACKED_FROM, "number of messages from which both scores are used"),
    ),
    analyzer={"normalisers": ("nfkc", "casefold")},
    renew=_renew,
    follow=_follow,
    smoothed_targets=True,
)
