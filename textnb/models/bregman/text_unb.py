"""U-NB over the tokens of a document: the generalised naive Bayes of Fujimoto and Murata, family Ex.1.

(The universal-set naive Bayes, also abbreviated UNB, is a different model.)

    a_kw     = -log p(w|k), with p(w|k) as in multinomial naive Bayes                                    (1)
    T_k      = sum over tokens of a_kw^pi,   N the number of tokens                                      (2)
    none:      log p(x|k) = -T_k^(1/pi)                                                                  (3)
    u:         log p(x|k) = -(T_k + c_k(N))^(1/pi),   c such that all sequences of N tokens sum to 1     (4)
    m:         log p(x|k) = -T_k^(1/pi) - log Z_k(N),   Z the sum of (3) over all such sequences         (5)
    score_k  = log p(k) + log p(x|k)                                                                     (6)

pi = 1 is multinomial naive Bayes. With ``complement`` p(w|k) is that of all other classes, and score_k = log p(k) -
log p(x|k). ``tokens.py`` has these formulas without overflow. ``sequences.py`` finds c and Z: the logarithm of the sum
over all sequences is 0 within .001, or within 1e-6 of log p if that is more. Documents for which this cannot be proved
are refused, if possible at training. N that are not whole have no sequences; c and Z are interpolated. Without
normalisation pi > 1 makes the answers for long documents less confident, as a calibration does; with norm="u" it makes
all classes nearly uniform.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from textnb.counts.class_counts import ClassCounts
from textnb.counts.matrix import CSR
from textnb.counts.rows import narrowed, row_sums, with_entries
from textnb.errors import InputError
from textnb.extension import cached_property
from textnb.models import complement as complement_model
from textnb.models import multinomial
from textnb.models.bregman.sequences import (
    BOUNDED,
    ENUMERATED,
    EXACT,
    INTERPOLATED,
    SequenceNormaliser,
    between,
    normaliser,
)
from textnb.models.bregman.tokens import TokenProduct, check_range, gaps, least, reference, rise
from textnb.models.changes import Changes, log_proportions
from textnb.models.left_out import LeftOut, LogTotals, left_out_logs
from textnb.models.model import WHOLE_WEIGHTINGS, Choice, Fit, Flag, Model, Number, Option, Options, Statistics, by_name
from textnb.models.prior import Prior, as_alpha, log_prior
from textnb.models.scorer import Differences, Scorer, check_columns, difference
from textnb.models.smoothing import ALPHAS
from textnb.numerics import Floats, as_number, check_choice, log_of

NORMS = ("none", "u", "m")
_TOO_SMALL = (
    "pi = {pi:.6g} is too small for documents of {length:.6g} tokens: their log p exceeds the range of floats; use a "
    "larger pi or norm='u'"
)


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
    pi = as_number(pi, "pi", above=0)
    for column in log_p.T:
        check_range(-column, pi)
    return TokenUScorer(log_p, bias, pi, norm, complement)


@dataclass(frozen=True, eq=False)
class TokenUScorer(Scorer):
    """Scorer of eq. (6) with ``log_p`` (V, C) and the log prior ``bias`` (C,)."""

    log_p: Floats
    bias: Floats
    pi: float
    norm: str
    complement: bool

    takes_rows = True
    kind = "tokens"
    axes = MappingProxyType({"log_p": "VC", "bias": "C", "lowest": "C", "units": "C"})

    def joint_log_scores(self, X: CSR) -> Floats:
        """Scores of eq. (6), less ``common``, (D, C)."""
        return self._log_scores_of(X) + self.bias

    def common(self, X: CSR) -> Floats:
        """Part of the scores of eq. (6) that all classes have in common, (D,): that of the uniform distribution.

        With norm="u" and pi > 1 the classes may differ by less than its rounding error.
        """
        sign = 1 if self.complement else -1
        lengths = row_sums(X)
        return lengths * (sign * np.log(len(self.log_p)) if self._normalised else 0.0)

    @property
    def normaliser(self) -> str:
        """How c and Z have been found so far, in training or for documents, the least exact way.

        ``exact``: there is none, or a formula; ``enumerated``: by all sequences; ``bounded``: from both sides;
        ``interpolated``: between whole lengths.
        """
        used = {found.method for found in self._found.values()}
        return next((way for way in (INTERPOLATED, BOUNDED, ENUMERATED) if way in used), EXACT)

    def check_lengths(self, counts: ClassCounts) -> None:
        """Refuse a model that has no answer for documents of 2, 4, 8 ... tokens, to twice the mean length or more."""
        mean = float(counts.terms.sum()) * counts.unit / max(int(counts.documents.sum()), 1)
        lengths = np.exp2(np.arange(1.0, 2.0 + np.ceil(np.log2(max(mean, 1.0)))))
        self.log_scores(np.zeros((len(lengths), len(self.bias))), lengths)

    def _log_scores_of(self, X: CSR) -> Floats:
        check_columns(X, len(self.log_p))
        lengths = row_sums(X)
        if not X.data.all():
            X = with_entries(X, X.data != 0)  # 0 times infinity is NaN
        X, columns = narrowed(X)
        return self.log_scores(np.asarray(X @ self.gaps(self.log_p[columns])), lengths)

    def log_scores(self, sums: Floats, lengths: Floats) -> Floats:
        """Plus or minus log p(x|k), less ``common``.

        sums: of ``gaps`` over the tokens, (D, C). lengths: (D,).
        """
        lowest, units = self._scales
        if self._normalised:
            log_v, excess = self.normalisers(lengths)
        else:
            log_v = np.add.outer(log_of(lengths) / self.pi, log_of(lowest / units))
            with np.errstate(over="ignore"):
                excess = units * np.exp(log_v)
        surprisals = units * rise(log_v, sums, self.pi) + excess
        for i in np.flatnonzero((np.isinf(surprisals) & np.isfinite(sums) & np.isfinite(lowest)).any(axis=1))[:1]:
            raise InputError(_TOO_SMALL, pi=self.pi, length=lengths[i])
        return np.asarray(surprisals if self.complement else -surprisals)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """Score of each class, divided among the entries in proportion to a^pi; the bias is that of the prior."""
        scores, both = self._log_scores_of(X)[0] + self.common(X)[0], [label, against]
        xi = X.data[:, np.newaxis] * (-self.log_p[X.indices][:, both] / self._scales[1][both]) ** self.pi
        totals = xi.sum(axis=0)
        shares = np.divide(xi, totals, out=np.zeros_like(xi), where=totals > 0) * scores[both]
        return Differences(float(difference(self.bias[label], self.bias[against])), shares[:, 0] - shares[:, 1])

    def normalisers(self, lengths: Floats) -> tuple[Floats, Floats]:
        """log_v and excess of ``SequenceNormaliser`` for each document and class, (D, C) each."""
        distinct, place = np.unique(lengths, return_inverse=True)
        found = [[self._normaliser(k, float(n)) for k in range(len(self.bias))] for n in distinct]
        values = np.array([[(one.log_v, one.excess) for one in row] for row in found]).reshape(-1, len(self.bias), 2)
        of_document = values[place.ravel()]
        return of_document[..., 0], of_document[..., 1]

    def _normaliser(self, k: int, length: float) -> SequenceNormaliser:
        if (k, length) not in self._found:
            product, below = self._products[k], int(length)
            if length == 0:
                found = SequenceNormaliser(-np.inf, 0.0, 0.0, 0.0, EXACT)
            elif length == below:
                found = normaliser(product, below, self.norm)
            else:
                found = between(product, length, [self._normaliser(k, float(below + i)) for i in (0, 1)], self.norm)
            self._found[k, length] = found
        return self._found[k, length]

    @property
    def _normalised(self) -> bool:
        return self.norm != "none" and self.pi != 1 and len(self.log_p) > 1  # a single term has p = 1

    @cached_property
    def _found(self) -> dict[tuple[int, float], SequenceNormaliser]:
        return {}

    @cached_property
    def _products(self) -> list[TokenProduct]:
        return [TokenProduct.of(column, self.pi) for column in self.log_p.T]

    @cached_property
    def _scales(self) -> tuple[Floats, Floats]:
        """Least surprisal and unit of each class, (C,) each."""
        columns = -self.log_p.T
        return np.array([least(a) for a in columns]), np.array([reference(a) for a in columns])

    def gaps(self, log_p: Floats) -> Floats:
        """Numbers d of log probabilities (n, C), relative to the most probable token of each class."""
        return gaps(-log_p, self.pi, *self._scales)

    def arrays(self) -> dict[str, Any]:
        """Log probabilities, bias, and the least surprisal and unit of each class."""
        lowest, units = self._scales
        return {"log_p": self.log_p, "bias": self.bias, "lowest": lowest, "units": units}

    def settings(self) -> dict[str, Any]:
        """Options."""
        return {"pi": self.pi, "norm": self.norm, "complement": self.complement}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        """Scorer with these arrays and options."""
        pi, norm, complement = settings["pi"], settings["norm"], settings["complement"]
        check_choice(norm, "norm", NORMS)
        scorer = cls(arrays["log_p"], arrays["bias"], as_number(pi, "pi", above=0), norm, bool(complement))
        scorer.__dict__["_scales"] = arrays["lowest"], arrays["units"]
        return scorer


def left_out(rows: LeftOut, alpha: ArrayLike, scorer: TokenUScorer) -> Floats:
    """Left-out plus or minus log p(x|k) of each document, (D, C); c and Z stay those of all documents."""
    sums = np.empty_like(rows.copies)
    every = np.broadcast_to(as_alpha(alpha, rows.counts.n_terms), rows.counts.n_terms)
    totals = LogTotals.of(rows, every, scorer.complement)
    for block, logs in left_out_logs(rows, every, totals):
        weighted = block.weight[:, np.newaxis] * scorer.gaps(logs - totals.log_totals[block.row + block.first])
        for k in range(sums.shape[1]):
            sums[block.first : block.last, k] = np.bincount(block.row, weighted[:, k], block.last - block.first)
    return scorer.log_scores(sums, rows.known_lengths)


def _fit(statistics: Statistics, alpha: Any, prior: Prior, options: Options) -> Fit:
    found = statistics.smoothing(alpha)
    scorer = fit(statistics.counts, found.alpha, prior, **options)
    scorer.check_lengths(statistics.counts)
    model = complement_model if options["complement"] else multinomial
    return Fit(scorer, found, totals=model.smoothed_totals(statistics.counts, found.alpha))


def _follow(fit: Fit, changes: Changes, bias: Floats, _: Options) -> TokenUScorer | None:
    """Scorer of all terms again: the products are counted from the most probable one."""
    before = cast("TokenUScorer", fit.scorer)
    if before.complement:
        table = complement_model.followed(before.log_p, fit.totals, changes)
    else:
        table = log_proportions(before.log_p, fit.totals, changes, changes.weights)
    if table is None:
        return None
    log_p = np.minimum(table[:], 0.0)
    try:
        for column in log_p.T:
            check_range(-column, before.pi)
    except InputError:  # the product of the counts of the file stays
        return None
    return TokenUScorer(log_p, bias, before.pi, before.norm, before.complement)


def _left_out(rows: LeftOut, alpha: Any, options: Options) -> Floats:
    return left_out(rows, alpha, fit(rows.counts, alpha, "uniform", **options))


MODEL = Model(
    name="unb",
    help="U-NB: naive Bayes with a generalised product of probabilities",
    fit=_fit,
    left_out=_left_out,
    follow=_follow,
    weightings=WHOLE_WEIGHTINGS,
    alphas=ALPHAS,
    accepts_number=True,
    growth=lambda options: min(1 / options["pi"], 10.0),  # of eq. (3)
    options=by_name(
        Option("pi", Number(above=0), 1.0, "power of the product; 1 is multinomial", (0.5, 0.8, 1.0, 1.2, 1.5)),
        Option("norm", Choice(NORMS), "none", "normalisation of the product"),
        Option("complement", Flag(), False, "use the probabilities of the other classes", (False, True)),
    ),
)
