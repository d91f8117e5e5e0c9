"""U-NB over the tokens of a document: the generalised naive Bayes of Fujimoto and Murata, family Ex.1.

(The universal-set naive Bayes, also abbreviated UNB, is a different model.)

    a_kw     = -log p(w|k), with p(w|k) as in multinomial naive Bayes                                    (1)
    T_k      = sum over tokens of a_kw^pi,   N the number of tokens                                      (2)
    none:      log p(x|k) = -T_k^(1/pi)                                                                  (3)
    u:         log p(x|k) = -(T_k + c_k(N))^(1/pi),   c such that all sequences of N tokens sum to 1     (4)
    m:         log p(x|k) = -T_k^(1/pi) - log Z_k(N),   Z the sum of (3) over all such sequences         (5)
    score_k  = log p(k) + log p(x|k)                                                                     (6)

pi = 1 is multinomial naive Bayes. With ``complement`` p(w|k) is that of all other classes, and score_k = log p(k) -
log p(x|k). ``tokens.py`` computes c and Z. Without normalisation pi > 1 makes the answers for long documents less
confident, as a calibration does; with norm="u" it spoils the order of the classes on long documents.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textnb.counts.class_counts import ClassCounts
from textnb.counts.matrix import CSR
from textnb.models import complement as complement_model
from textnb.models import multinomial
from textnb.models.bregman.tokens import Expansion, TokenProduct, box_cox, box_cox_inverse
from textnb.models.left_out import LeftOut, left_out_log_p
from textnb.models.model import WHOLE_WEIGHTINGS, Choice, Fit, Flag, Model, Number, Option, Options, Statistics, by_name
from textnb.models.prior import Prior, as_alpha, log_prior
from textnb.models.scorer import Differences, Scorer, check_columns, difference
from textnb.models.smoothing import ALPHAS
from textnb.numerics import Floats, as_number, check_choice

NORMS = ("none", "u", "m")


def fit(
    counts: ClassCounts,
    alpha: ArrayLike = 1.0,
    prior: Prior = "empirical",
    *,
    pi: float = 1.0,
    norm: str = "none",
    complement: bool = False,
) -> "TokenUScorer":
    """Scorer of eq. (6). alpha: a number, or one per term (V,), as in the multinomial model.

    >>> counts = ClassCounts.of([[2, 0, 1], [0, 3, 1]], ["x", "y"])
    >>> scorer = fit(counts, pi=1.5)
    >>> np.exp(scorer.log_posterior(counts.terms)).round(3)
    array([[0.865, 0.135],
           [0.1  , 0.9  ]])
    """
    check_choice(norm, "norm", NORMS)
    model = complement_model if complement else multinomial
    log_p = model.fit(counts, alpha, "uniform").by_term * (-1 if complement else 1)
    bias = log_prior(prior, counts.classes, counts.documents)
    return TokenUScorer(log_p, bias, as_number(pi, "pi", above=0), norm, complement)


@dataclass(frozen=True, eq=False)
class TokenUScorer(Scorer):
    """Scorer of eq. (6) with ``log_p`` (V, C) and the log prior ``bias`` (C,)."""

    log_p: Floats
    bias: Floats
    pi: float
    norm: str
    complement: bool

    def joint_log_scores(self, X: CSR) -> Floats:
        """Scores of eq. (6), (D, C)."""
        return self._log_scores_of(X) + self.bias

    def _log_scores_of(self, X: CSR) -> Floats:
        check_columns(X, len(self.log_p))
        if not self._finite:
            X = X.copy()
            X.eliminate_zeros()  # 0 times infinity is NaN
        return self.log_scores(np.asarray(X @ self._s), np.asarray(X.sum(axis=1), np.float64))

    def log_scores(self, sums: Floats, lengths: Floats) -> Floats:
        """Plus or minus log p(x|k), from the sums of (a^pi - 1) / pi over the tokens (D, C) and the lengths (D,)."""
        n, norm = lengths[:, np.newaxis], self.norm if len(self.log_p) > 1 else "none"  # a single term has p = 1
        if norm == "u":
            log_p = -box_cox_inverse(sums + self._per_class(lengths, Expansion.shift), self.pi)
        else:
            log_p = -(np.maximum(self.pi * sums + n, 0.0) ** (1 / self.pi))
        if norm == "m":
            log_p = log_p - self._per_class(lengths, Expansion.log_sum)
        log_p = np.where(n > 0, log_p, 0.0)
        return np.asarray(-log_p if self.complement else log_p)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """Score of each class, divided among the entries in proportion to a^pi; the bias is that of the prior."""
        scores = self._log_scores_of(X)[0]
        xi = X.data[:, np.newaxis] * (1 + self.pi * self._s[X.indices][:, [label, against]])
        totals = xi.sum(axis=0)
        shares = np.divide(xi, totals, out=np.zeros_like(xi), where=totals > 0) * scores[[label, against]]
        return Differences(float(difference(self.bias[label], self.bias[against])), shares[:, 0] - shares[:, 1])

    def _per_class(self, lengths: Floats, of: Callable[[Expansion, Floats], Floats]) -> Floats:
        """Function of the expansion of each class at the lengths of the documents, (D, C)."""
        if not len(lengths):
            return np.empty((0, len(self.bias)))
        distinct, place = np.unique(np.maximum(lengths, 1.0), return_inverse=True)
        longest = 2 ** math.ceil(math.log2(distinct[-1]))
        columns = [of(expansion, distinct) for expansion in self._expansions(longest)]
        return np.asarray(np.array(columns).T[place]).reshape(len(lengths), len(self.bias))

    @lru_cache(maxsize=1)  # noqa: B019  # a scorer lives as long as its model
    def _expansions(self, longest: int) -> list[Expansion]:
        return [Expansion(TokenProduct.of(column, self.pi), longest) for column in self.log_p.T]

    @cached_property
    def _s(self) -> Floats:
        return box_cox(-self.log_p, self.pi)

    @cached_property
    def _finite(self) -> bool:
        return bool(np.isfinite(self._s).all())


def left_out(rows: LeftOut, alpha: ArrayLike, scorer: TokenUScorer) -> Floats:
    """Left-out plus or minus log p(x|k) of each document, (D, C); c and Z stay those of all documents."""
    sums = np.empty((len(rows.y), rows.counts.n_classes))
    every = np.broadcast_to(as_alpha(alpha, rows.counts.n_terms), rows.counts.n_terms)
    for block, log_p in left_out_log_p(rows, every, scorer.complement):
        weighted = block.weight[:, np.newaxis] * box_cox(-log_p, scorer.pi)
        for k in range(sums.shape[1]):
            sums[block.first : block.last, k] = np.bincount(block.row, weighted[:, k], block.last - block.first)
    return scorer.log_scores(sums, rows.known_lengths)


def _fit(statistics: Statistics, alpha: Any, prior: Prior, options: Options) -> Fit:
    found = statistics.smoothing(alpha)
    return Fit(fit(statistics.counts, found.alpha, prior, **options), found)


def _left_out(rows: LeftOut, alpha: Any, options: Options) -> Floats:
    return left_out(rows, alpha, fit(rows.counts, alpha, "uniform", **options))


MODEL = Model(
    name="unb",
    help="U-NB: naive Bayes with a generalised product of probabilities",
    fit=_fit,
    left_out=_left_out,
    weightings=WHOLE_WEIGHTINGS,
    alphas=ALPHAS,
    accepts_number=True,
    options=by_name(
        Option("pi", Number(above=0), 1.0, "power of the product; 1 is multinomial", (0.5, 0.8, 1.0, 1.2, 1.5)),
        Option("norm", Choice(NORMS), "none", "normalisation of the product"),
        Option("complement", Flag(), False, "use the probabilities of the other classes", (False, True)),
    ),
)
