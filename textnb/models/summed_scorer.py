"""A scorer that is the sum of two."""

from dataclasses import dataclass

from textnb.counts.matrix import CSR
from textnb.models.presence_ratios import RatioScorer
from textnb.models.scaled_scorer import ScaledScorer
from textnb.models.scorer import Differences, log_posterior
from textnb.numerics import Floats


@dataclass(frozen=True, eq=False)
class SummedScorer:
    """score_k(x) = first_k(x) + second_k(x), biases and all, over the same V terms."""

    first: RatioScorer
    second: ScaledScorer

    @property
    def bias(self) -> Floats:
        """(C,)."""
        return self.first.bias + self.second.bias

    def joint_log_scores(self, X: CSR) -> Floats:
        """The sums, (D, C)."""
        return self.first.joint_log_scores(X) + self.second.joint_log_scores(X)

    def log_posterior(self, X: CSR) -> Floats:
        """The sums normalised, (D, C)."""
        return log_posterior(self.joint_log_scores(X), self.bias)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """What each stored entry of one row adds to score(label) - score(against), in both."""
        one, other = (scorer.differences(X, label, against) for scorer in (self.first, self.second))
        return Differences(one.bias + other.bias, one.values + other.values)
