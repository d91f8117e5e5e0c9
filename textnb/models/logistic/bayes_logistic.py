"""Bayesian logistic regression: logistic regression with the uncertainty of its weights in the probabilities.

The weights have the normal distribution of ``laplace.py`` about theta_MAP; so have the scores of a document. Averaged
over it, the probabilities are about those of moderated scores (MacKay 1992):

    score_k(x) = kappa(s^2) (W_k x + b_k),   kappa(s^2) = 1 / sqrt(1 + pi s^2 / 8)                           (1)
    p(k|x) = exp(score_k) / sum_l exp(score_l)                                                               (2)

s^2 = s^2(x) is the variance of the difference between two classes' scores, in the mean over all pairs. For two classes
(2) is sigma(kappa(s^2) a), a the difference, as in the literature. For more classes, one kappa for all keeps the
most probable class of theta_MAP, which one variance per class or per pair would not; the contributions of the words are
those of the linear model times kappa, and their sum is the difference of the scores. To 400 draws from the
normal distribution, 9 classes and the l2 of the evidence, it was a little less close than those: a divergence of .022
nats and not .019 to .020 with 1,500 documents, .008 like them with 100.

l2 is the precision of the prior: given, or found by ``evidence.py``.

- One class: certain. A class of which no row has a weight: p = 0. A document unlike all rows: nearly even.
- It is not better calibrated than theta_MAP (``logistic.py``) on texts: on 50 to 2,000 documents of livedoor it was far
  underconfident at the l2 of the evidence and at 1, with all words and with the 100 most frequent. It was better only
  with 100 words, many documents and an l2 far below that of the evidence, where theta_MAP is too sure
  (``scripts/experiments/bayes_logistic_calibration.py``). Rows that can be separated have next to no curvature at the
  peak, and the normal distribution stays about as wide as the prior.
- On labels drawn from the model it gained .07 nats over theta_MAP with 20 columns and 40 rows, and nothing with 10
  columns and 60 rows.
- Memory: the rows, and one (D, D) or (V+1, V+1) matrix; at the fit C of them (``laplace.py``). An answer costs D^2.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from textnb.extension import cached_property, sparse
from textnb.models.linear.least_squares import L2
from textnb.models.logistic.evidence import Evidence, best_l2, laplace_fit
from textnb.models.logistic.laplace import Spread, spread_of
from textnb.models.logistic.logistic import LogisticFit, LogisticSettings, fit_facts, row_weights
from textnb.models.logistic.solvers import check_search
from textnb.models.model import BALANCED, Fit, Model, Need, Number, Options, Statistics, by_name, weightings_from
from textnb.models.prior import Prior
from textnb.models.scorer import Differences, LinearScorer, Scorer
from textnb.numerics import Codes, Floats, as_number_or_name

EVIDENCE = "evidence"


@dataclass(frozen=True, eq=False)
class ModeratedScorer(Scorer):
    """Scorer of eq. (1): the linear scorer of theta_MAP, and s^2 as a function of rows."""

    linear: LinearScorer
    spread: Spread

    kind = "moderated"
    axes = MappingProxyType({"by_term": "VC", "linear_bias": "C", "bias": "C"})

    @property
    def weights(self) -> Floats:
        """W at theta_MAP, (C, V)."""
        return self.linear.weights

    @cached_property
    def bias(self) -> Floats:
        """Scores of an empty row, (C,)."""
        empty = sparse.csr_array((1, len(self.linear.by_term)))
        return np.asarray(self.joint_log_scores(empty)[0])

    def kappa(self, X: Any) -> Floats:
        """Factor kappa of eq. (1), from 0 to 1, (D,)."""
        return np.asarray(1 / np.sqrt(1 + np.pi / 8 * self.spread(X)))

    def joint_log_scores(self, X: Any) -> Floats:
        """Scores of eq. (1), (D, C)."""
        return self.kappa(X)[:, np.newaxis] * self.linear.joint_log_scores(X)

    def differences(self, X: Any, label: int, against: int) -> Differences:
        """Differences of the linear scorer times kappa; they sum to the difference of the scores."""
        parts, kappa = self.linear.differences(X, label, against), float(self.kappa(X)[0])
        return Differences(kappa * parts.bias, kappa * parts.values)

    def arrays(self) -> dict[str, Any]:
        """Arrays of the linear scorer and of the variance."""
        linear = {"by_term": self.linear.by_term, "linear_bias": self.linear.bias, "bias": self.bias}
        return {**linear, **self.spread.arrays()}

    def settings(self) -> dict[str, Any]:
        """Kind of the variance."""
        return {"spread": self.spread.kind}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        """Scorer with these arrays."""
        by_term = arrays["by_term"]
        spread = spread_of(settings["spread"], arrays, len(by_term))
        scorer = cls(LinearScorer(by_term, arrays["linear_bias"]), spread)
        scorer.__dict__["bias"] = arrays["bias"]
        return scorer


@dataclass(frozen=True, eq=False)
class BayesFit:
    """Scorer, l2, evidence, and the fit of theta_MAP."""

    scorer: ModeratedScorer
    l2: float
    evidence: Evidence
    fit: LogisticFit


def solution(
    X: Any,
    y: Codes,
    weight: Floats,
    n_classes: int,
    l2: float | str = EVIDENCE,
    *,
    tol: float = 1e-5,
    max_iter: int = 1000,
) -> BayesFit:
    """Scorer of eq. (1) for checked rows X (D, V), classes by number y (D,) and positive weights (D,).

    >>> scorer = solution(np.arange(4.0)[:, np.newaxis], np.array([0, 0, 1, 1]), np.ones(4), 2, l2=1.0).scorer
    >>> far = np.array([[2.0], [10.0], [100.0]])
    >>> np.exp(scorer.log_posterior(far))[:, 1].round(3), np.exp(scorer.linear.log_posterior(far))[:, 1].round(3)
    (array([0.628, 0.899, 0.904]), array([0.664, 1.   , 1.   ]))
    """
    l2 = as_number_or_name(l2, "l2", (EVIDENCE,), above=0)
    if isinstance(l2, str):
        check_search(tol, max_iter)
        l2 = best_l2(X, y, weight, n_classes).l2
    found = laplace_fit(X, y, weight, n_classes, LogisticSettings(l2, tol=tol, max_iter=max_iter))
    return BayesFit(ModeratedScorer(found.fit.scorer, found.posterior.spread()), l2, found.evidence, found.fit)


def _fit(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    rows = statistics.documents
    found = solution(rows.X, rows.y, row_weights(rows, options), len(rows.classes), options["l2"])
    facts = fit_facts(found.fit)
    facts |= {} if found.evidence.log_evidence is None else {"log_evidence": found.evidence.log_evidence}
    facts["bic"] = found.evidence.bic
    return Fit(found.scorer, found={"l2": found.l2}, facts=facts, includes_prior=False)


MODEL = Model(
    name="bayes-logistic",
    help="logistic regression with the uncertainty of its weights in the probabilities",
    fit=_fit,
    weightings=weightings_from("tfidf-l2"),
    needs=frozenset({Need.ROWS, Need.ROWS_TO_ANSWER}),
    options=by_name(
        replace(
            L2,
            kind=Number(above=0, names=(EVIDENCE,)),
            default=EVIDENCE,
            help="precision of the prior on the weights",
            tried=(EVIDENCE, 0.01, 0.1, 1.0, 10.0),
        ),
        BALANCED,
    ),
)
