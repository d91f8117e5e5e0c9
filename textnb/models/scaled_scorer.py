"""A linear scorer of rows that are scaled term by term, and then to length 1.

    z_j     = [x_j > 0] s_j / sqrt(sum over x_l > 0 of s_l^2)                                           (1)
    score_k = bias_k + sum_j z_j weights_kj                                                             (2)

A row without terms of a scale above 0 has the score of the bias.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from textnb.counts.matrix import CSR
from textnb.models.scorer import Differences, LinearScorer, check_columns, log_posterior
from textnb.numerics import Floats


@dataclass(frozen=True, eq=False)
class ScaledScorer:
    """Eq. (2): ``scale`` (V,) and a linear scorer of z.

    >>> scorer = ScaledScorer(np.array([3.0, 4.0]), LinearScorer(np.array([[1.0, -1.0], [0.0, 0.0]]), np.zeros(2)))
    >>> scorer.joint_log_scores(sparse.csr_array([[7, 1], [2, 0], [0, 0]]))
    array([[ 0.6, -0.6],
           [ 1. , -1. ],
           [ 0. ,  0. ]])
    """

    scale: Floats
    linear: LinearScorer

    @property
    def bias(self) -> Floats:
        """(C,)."""
        return self.linear.bias

    @property
    def weights(self) -> Floats:
        """(C, V), of the scaled rows."""
        return self.linear.weights

    def scaled(self, X: CSR) -> CSR:
        """z of eq. (1), entry for entry of X (D, V)."""
        check_columns(X, len(self.scale))
        X = sparse.csr_array(X)
        if not X.has_canonical_format:  # a term that is stored twice is there once
            X = X.copy()
            X.sum_duplicates()
        data = np.where(X.data > 0, self.scale[X.indices], 0.0)
        of_entry = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        lengths = np.sqrt(np.bincount(of_entry, data * data, X.shape[0]))
        data /= np.where(lengths > 0, lengths, 1.0)[of_entry]
        return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)

    def joint_log_scores(self, X: CSR) -> Floats:
        """Eq. (2), (D, C)."""
        return self.linear.joint_log_scores(self.scaled(X))

    def log_posterior(self, X: CSR) -> Floats:
        """The scores normalised, (D, C): probabilities, where the linear scorer is that of a logistic model."""
        return log_posterior(self.joint_log_scores(X), self.bias)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """What each stored entry of one row adds to score(label) - score(against)."""
        return self.linear.differences(self.scaled(X), label, against)
