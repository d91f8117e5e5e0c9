"""Members of the ensemble: three linear scores of the same weights x = log(1 + tf) of a document's terms.

    complement   u_j = x_j / sqrt(sum_l x_l)                         W: complement naive Bayes, alpha 1             (1)
    tfidf        u_j = x_j idf_j / |x * idf|                         W, c: minimum of the squared hinge             (2)
    presence     u_j = [x_j > 0] r_j / |[x > 0] * r|                 W, c: minimum of the squared hinge             (3)
    s_k(x) = sum_j u_j W_jk + c_k                                                                        (D, C)     (4)

idf_j = log(D / df_j), and r_j is the largest log-count ratio of term j (``logistic/ratios.py``). In (2) and (3) a term
that fewer than min_df documents contain has the scale 0. The score of naive Bayes grows with the length of a document;
the root in (1) keeps its size near that of the other two.

Left-out scores are exact for (1): every document is left out alone, with its copies (``left_out.py``). For (2) and (3)
scale and weights are learnt again without each fold, to a wider tolerance; the fit to all documents starts at the mean
of those. A class without documents outside the fold, or outside the copies, has the left-out score -inf.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from textnb.counts.class_counts import ClassCounts
from textnb.counts.matrix import CSR, first_equal_rows
from textnb.models import complement
from textnb.models.left_out import LeftOut
from textnb.models.logistic.path import near_minimum
from textnb.models.logistic.ratios import largest_ratio
from textnb.models.logistic.squared_hinge import SquaredHingeLoss
from textnb.models.scorer import LinearScorer
from textnb.numerics import Codes, Floats

ALPHA = 1.0
_TOL, _TOL_OF_FOLDS = 0.1, 0.3
_MAX_ITER = 1000


class MemberFit(NamedTuple):
    """Scale of the terms (V,), None for a scale of 1; the linear scorer of u; left-out scores (D, C)."""

    scale: Floats | None
    linear: LinearScorer
    left_out_scores: Floats


def rooted(X: CSR) -> CSR:
    """Rows u of eq. (1) for weights X (D, V)."""
    lengths = np.sqrt(np.asarray(X.sum(axis=1)))
    return _divided(X, X.data, lengths)


def scaled(X: CSR, scale: Floats) -> CSR:
    """Rows u of eq. (2) for weights X (D, V), of eq. (3) for their presence."""
    data = X.data * scale[X.indices]
    of_entry = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return _divided(X, data, np.sqrt(np.bincount(of_entry, data * data, X.shape[0])))


def present(X: CSR) -> CSR:
    """X with 1 for every positive entry and 0 for the others."""
    return sparse.csr_array(((X.data > 0).astype(float), X.indices, X.indptr), shape=X.shape)


def _divided(X: CSR, data: Floats, lengths: Floats) -> CSR:
    data = data / np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(X.indptr))
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


def fit_complement(counts: ClassCounts, X: CSR, y: Codes) -> MemberFit:
    """Fit of eq. (1) to the statistics of weights X (D, V), with classes by number y (D,)."""
    scorer = complement.fit(counts, ALPHA, "uniform")
    distinct, document = np.unique(first_equal_rows(X), return_inverse=True)
    copies = np.zeros((len(distinct), counts.n_classes))
    np.add.at(copies, (document, y), 1.0)
    rows = LeftOut(counts, _stored(X[distinct], counts.unit), copies)
    scores = complement.left_out(rows, ALPHA)
    lengths = np.sqrt(np.where(rows.known_lengths > 0, rows.known_lengths, 1.0))[:, np.newaxis]
    scores = np.where(counts.documents > copies, scores / lengths, -np.inf)
    return MemberFit(None, LinearScorer(scorer.by_term, np.zeros(counts.n_classes)), scores[document])


def _stored(X: CSR, unit: float) -> CSR:
    return sparse.csr_array((np.rint(X.data / unit).astype(np.int64), X.indices, X.indptr), shape=X.shape)


Scale = Callable[[CSR, Codes, float], Floats]
"""Function from rows (D, V), their classes by number (D,) and min_df to the scale of the terms (V,)."""


def idf(X: CSR, _: Codes, min_df: float) -> Floats:
    """Scale of eq. (2)."""
    df = _documents_with(X)
    used = (df > 0) & (df >= min_df)
    return np.where(used, np.log(X.shape[0] / np.where(used, df, 1)), 0.0)


def ratio(X: CSR, y: Codes, min_df: float) -> Floats:
    """Scale r of eq. (3), for rows of presence."""
    df = _documents_with(X)
    used = np.flatnonzero((df > 0) & (df >= min_df))
    _, numbers = np.unique(y, return_inverse=True)
    of_class = sparse.csr_array((np.ones(len(y)), (numbers, np.arange(len(y)))), shape=(numbers.max() + 1, len(y)))
    scale = np.zeros(X.shape[1])
    scale[used] = largest_ratio((of_class @ X).toarray().T[used])
    return scale


def _documents_with(X: CSR) -> Codes:
    return np.bincount(X.indices[X.data > 0], minlength=X.shape[1])


class Hinge(NamedTuple):
    """Scale (V,), the linear scorer of u, and theta (V+1, M) at the minimum."""

    scale: Floats
    linear: LinearScorer
    theta: Floats


class HingeSettings(NamedTuple):
    """Settings of eq. (2) and (3): how terms are scaled, the strength of the penalty, min_df."""

    scale: Scale
    l2: float
    min_df: float


def hinge(X: CSR, y: Codes, n_classes: int, settings: HingeSettings, tol: float, start: Any = None) -> Hinge:
    """Minimum of the squared hinge on scaled rows of X (D, V), to |theta - minimum| <= tol |theta|."""
    scale = settings.scale(X, y, settings.min_df)
    classes, numbers = np.unique(y, return_inverse=True)
    loss = SquaredHingeLoss.of(scaled(X, scale), numbers, np.ones(len(y)), settings.l2)
    theta = near_minimum(loss, tol, _MAX_ITER, start).point.theta
    return Hinge(scale, loss.scorer_among(theta, classes, n_classes), theta)


def fit_hinge(X: CSR, y: Codes, n_classes: int, folds: Codes, settings: HingeSettings) -> MemberFit:
    """Fit of eq. (2) to weights, or of eq. (3) to presence, X (D, V); folds by number (D,)."""
    scores = np.full((len(y), n_classes), -np.inf)
    thetas: list[Floats] = []
    for fold in np.unique(folds):
        held, others = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if len(others):
            part = hinge(X[others], y[others], n_classes, settings, _TOL_OF_FOLDS)
            scores[held] = scaled(X[held], part.scale) @ part.linear.by_term + part.linear.bias
            thetas.append(part.theta)
    columns = {theta.shape[1] for theta in thetas}
    whole = SquaredHingeLoss.class_map(len(np.unique(y))).shape[0]
    start = np.mean(thetas, axis=0) if columns == {whole} else None
    found = hinge(X, y, n_classes, settings, _TOL, start)
    return MemberFit(found.scale, found.linear, scores)
