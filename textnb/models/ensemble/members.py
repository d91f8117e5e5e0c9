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
alpha of those. All fits share the rows, in single precision, and scale them anew. A class without documents outside the
fold, or outside the copies, has the left-out score -inf.

The strength of the penalty is found by the first folds that hold _SEARCHED_ROWS documents: a weaker one is taken if it
lowers their log loss, at the best temperature (``logistic/path.py``), by the proportion _MIN_GAIN. Long articles need a
weaker one than short texts.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.class_counts import ClassCounts, class_sums
from textnb.counts.matrix import CSR, first_equal_rows
from textnb.counts.rows import row_blocks, row_sums, with_data
from textnb.counts.unit_rows import UnitRows, stored
from textnb.extension import sparse
from textnb.models import complement
from textnb.models.left_out import LeftOut
from textnb.models.logistic.path import left_out_loss, near_minimum
from textnb.models.logistic.ratios import largest_ratio
from textnb.models.logistic.squared_hinge import Descent, HingeRows, SquaredHingeLoss, can_be_passed
from textnb.models.scorer import LinearScorer
from textnb.numerics import Codes, Floats

ALPHA = 1.0
_TOL, _TOL_OF_FOLDS = 0.1, 0.3
_MAX_ITER, _MAX_PASSES = 1000, 200
_SEARCHED_ROWS, _MIN_GAIN = 1000, 0.03
_MIN_WEIGHTS_FOR_PASSES = 1000
Mask = NDArray[np.bool_]


LeftOutScores = Callable[[slice], Floats]
"""Function from a slice of the documents to their left-out scores (D, C)."""


class MemberFit(NamedTuple):
    """Scale of the terms (V,) if it is not 1, linear scorer of u, left-out scores, and strength of the penalty.

    The scorer is made when asked for, so that the weights of one member are in memory at a time.
    """

    scale: Floats | None
    linear: Callable[[], LinearScorer]
    left_out: LeftOutScores
    l2: float | None = None

    def on(self, columns: Codes) -> "MemberFit":
        """Fit over other columns: the new column j is the old column ``columns[j]``."""

        def linear() -> LinearScorer:
            before = self.linear()
            return LinearScorer(before.by_term[columns], before.bias)

        return self._replace(scale=None if self.scale is None else self.scale[columns], linear=linear)


def rooted(X: CSR) -> CSR:
    """Rows u of eq. (1) for weights X (D, V)."""
    lengths = np.sqrt(row_sums(X))
    return _divided(X, X.data, lengths)


def scaled(X: CSR, scale: Floats) -> CSR:
    """Rows u of eq. (2) for weights X (D, V), of eq. (3) for their presence."""
    scale, data = scale.astype(X.data.dtype), np.empty(X.nnz, X.data.dtype)
    norms = _norms(X, scale)
    for rows, entries in row_blocks(X.indptr):  # so that no further copy of all entries is made
        lengths = np.diff(X.indptr[rows.start : rows.stop + 1])
        data[entries] = X.data[entries] * scale[X.indices[entries]] / np.repeat(norms[rows], lengths)
    return with_data(X, data)


def unit_rows(X: CSR, scale: Floats) -> UnitRows | CSR:
    """``scaled`` weights X (D, V) in single precision, of which no number is held if passes can be made over them."""
    if not can_be_passed(X) or (X.dtype, X.indices.dtype) != (np.float32, np.int32):
        return scaled(X, scale)
    scale = scale.astype(np.float32)
    values = None if X.data.strides == (0,) else X.data  # ones that take no memory
    return UnitRows(X.indices, X.indptr, values, scale.astype(np.float64), _norms(X, scale).astype(np.float64))


def _norms(X: CSR, scale: Floats) -> Floats:
    """Lengths |x_i * s| of rows X (D, V) with this scale (V,), in its precision; 1 for a row of zeros."""
    norms = np.empty(X.shape[0], X.data.dtype)
    for rows, entries in row_blocks(X.indptr):
        lengths = np.diff(X.indptr[rows.start : rows.stop + 1])
        number, part = np.repeat(np.arange(len(lengths)), lengths), X.data[entries] * scale[X.indices[entries]]
        norms[rows] = np.sqrt(np.bincount(number, part * part, len(lengths)))
    return np.where(norms > 0, norms, np.ones_like(norms))


def present(X: CSR) -> CSR:
    """X with 1 for every positive entry and 0 for the others."""
    return with_data(X, (X.data > 0).astype(X.data.dtype))


def present_everywhere(X: CSR) -> CSR:
    """X with 1 for every entry, all of which are positive; the ones take no memory."""
    return with_data(X, np.broadcast_to(np.ones(1, X.data.dtype), X.nnz))


def places_by_frequency(X: CSR) -> Codes:
    """New number of each column of X, by falling document frequency, (V,).

    Most entries are of few columns. If these are neighbours, their weights stay in the cache of the processor.
    """
    places = np.empty(X.shape[1], np.intp)
    places[np.argsort(-np.bincount(X.indices, minlength=X.shape[1]), kind="stable")] = np.arange(X.shape[1])
    return places


def in_single_precision(X: CSR, places: Codes) -> CSR:
    """X with float32 values and its columns at other places (V,)."""
    kind = np.int32 if max(X.nnz, *X.shape) <= np.iinfo(np.int32).max else np.int64
    parts = X.data.astype(np.float32), places.astype(kind)[X.indices], X.indptr.astype(kind)
    moved = sparse.csr_array(parts, shape=X.shape)
    moved.sort_indices()
    return moved


def _divided(X: CSR, data: Floats, lengths: Floats) -> CSR:
    return with_data(X, data / np.repeat(np.where(lengths > 0, lengths, 1), np.diff(X.indptr)))


def fit_complement(counts: ClassCounts, X: CSR, y: Codes) -> MemberFit:
    """Fit of eq. (1) to the statistics of weights X (D, V), with classes by number y (D,)."""
    first = first_equal_rows(X)
    copies = np.zeros((len(y), counts.n_classes))
    np.add.at(copies, (first, y), 1.0)

    def left_out(documents: slice) -> Floats:
        distinct, document = np.unique(first[documents], return_inverse=True)
        scores = np.empty((len(distinct), counts.n_classes))
        for part, _ in row_blocks(np.cumsum([0, *np.diff(X.indptr)[distinct]])):  # so that no further copy of X is made
            rows = LeftOut(counts, _stored(X[distinct[part]], counts.unit), copies[distinct[part]])
            lengths = np.sqrt(np.where(rows.known_lengths > 0, rows.known_lengths, 1.0))[:, np.newaxis]
            scores[part] = complement.left_out(rows, ALPHA) / lengths
        return np.where(counts.documents > copies[distinct], scores, -np.inf)[document]

    def linear() -> LinearScorer:
        return LinearScorer(complement.fit(counts, ALPHA, "uniform").by_term, np.zeros(counts.n_classes))

    return MemberFit(None, linear, left_out)


def _stored(X: CSR, unit: float) -> CSR:
    return sparse.csr_array((np.rint(X.data / unit).astype(np.int64), X.indices, X.indptr), shape=X.shape)


class FoldCounts(NamedTuple):
    """Number of documents with each term, by fold and class (F C, V) sparse; documents by fold (F,)."""

    containing: CSR
    documents: Codes
    n_classes: int

    @classmethod
    def of(cls, X: CSR, y: Codes, n_classes: int, folds: Codes) -> "FoldCounts":
        """Counts of positive entries of X (D, V) in folds by number (D,), from 0 without gaps."""
        documents = np.bincount(folds)
        indicator = sparse.csr_array(((X.data > 0).astype(np.int32), X.indices, X.indptr), shape=X.shape)
        groups = folds * n_classes + y
        return cls(class_sums(indicator, groups, len(documents) * n_classes), documents, n_classes)

    def without(self, fold: int | None) -> tuple[Floats, int]:
        """Documents with each term by class, (V, C), and their number, without a fold."""
        others = [f for f in range(len(self.documents)) if f != fold]
        shape = len(self.documents), self.n_classes
        rows = np.arange(np.prod(shape)).reshape(shape)[others].ravel()
        of_class = sparse.csr_array(
            (np.ones(len(rows)), (rows % self.n_classes, rows)), (self.n_classes, np.prod(shape))
        )
        found = np.empty((self.containing.shape[1], self.n_classes))
        (of_class @ self.containing).toarray(out=found.T)
        return found, int(self.documents[others].sum())


Scale = Callable[[Floats, int, float], Floats]
"""Function from the documents with each term by class (V, C), their number and min_df to the scale of terms (V,)."""


def idf(containing: Floats, n_documents: int, min_df: float) -> Floats:
    """Scale of eq. (2)."""
    df = containing.sum(axis=1)
    used = (df > 0) & (df >= min_df)
    return np.where(used, np.log(n_documents / np.where(used, df, 1)), 0.0)


def ratio(containing: Floats, _: int, min_df: float) -> Floats:
    """Scale r of eq. (3)."""
    df = containing.sum(axis=1)
    used = np.flatnonzero((df > 0) & (df >= min_df))
    scale = np.zeros(len(df))
    shown = np.flatnonzero(containing.any(axis=0))
    is_whole = (len(used), len(shown)) == containing.shape
    scale[used] = largest_ratio(containing if is_whole else containing[np.ix_(used, shown)])
    return scale


class HingeSettings(NamedTuple):
    """Settings of eq. (2) and (3): the scale of terms, strengths of the penalty to try, strongest first, and min_df."""

    scale: Scale
    strengths: Sequence[float]
    min_df: float


class Hinge(NamedTuple):
    """Minimum of the squared hinge: linear scorer of u, scores of all rows (D, C), and alpha (D, M) if it is known."""

    linear: LinearScorer
    scores: Floats
    alpha: Floats | None = None


def hinge(
    U: CSR | UnitRows, y: Codes, n_classes: int, learnt: Mask, l2: float, tol: float, alpha: Floats | None = None
) -> Hinge:
    """Minimum over the rows ``learnt`` (D,) of U (D, V), to |theta - minimum| <= tol |theta|, from alpha if given."""
    classes, numbers = np.unique(y[learnt], return_inverse=True)
    found = _by_passes(U, numbers, learnt, l2, tol, alpha)
    if found is None:
        U = stored(U)
        loss = SquaredHingeLoss.of(U[learnt].astype(np.float64), numbers, np.ones(len(numbers)), l2)
        linear = loss.scorer(near_minimum(loss, tol, _MAX_ITER).point.theta)
        found = Hinge(linear, U @ linear.by_term + linear.bias)
    if len(classes) == n_classes:
        return found
    by_term, bias = np.zeros((U.shape[1], n_classes), found.linear.by_term.dtype), np.full(n_classes, -np.inf)
    by_term[:, classes], bias[classes] = found.linear.by_term, found.linear.bias
    scores = np.full((len(y), n_classes), -np.inf)
    scores[:, classes] = found.scores
    return Hinge(LinearScorer(by_term, bias), scores)


def _by_passes(U: CSR | UnitRows, y: Codes, learnt: Mask, l2: float, tol: float, alpha: Floats | None) -> Hinge | None:
    """Minimum by dual coordinate descent, for classes y of the rows ``learnt``; None if it does not get there."""
    to_classes = SquaredHingeLoss.class_map(int(y.max()) + 1)
    if not can_be_passed(U) or U.shape[1] * len(to_classes) < _MIN_WEIGHTS_FOR_PASSES:
        return None
    targets = np.full((U.shape[0], len(to_classes)), -1.0)
    targets[learnt] = np.where(to_classes.T > 0, 1.0, -1.0)[y]
    rows = HingeRows(U, targets, learnt.astype(np.float64), l2)
    descent = Descent(rows, np.zeros(targets.shape) if alpha is None else alpha, targets[learnt].mean(axis=0))
    found, _, is_close = descent.run(tol, _MAX_PASSES)
    if not is_close:
        return None
    weights, bias, scores = found.weights, found.bias, found.scores
    if len(to_classes) == 1:  # two classes
        weights, bias, scores = (values @ to_classes.astype(values.dtype) for values in (weights, bias, scores))
    return Hinge(LinearScorer(weights, bias), scores, descent.alpha)


class FoldFit(NamedTuple):
    """Minimum without a fold: the numbers of the rows left out (d,), their scores (d, C), and alpha (D, M) if known."""

    rows: Codes
    scores: Floats
    alpha: Floats | None


def fit_hinge(X: CSR, y: Codes, folds: Codes, counts: FoldCounts, settings: HingeSettings) -> MemberFit:
    """Fit of eq. (2) to weights, or of eq. (3) to presence, X (D, V); folds by number (D,), with their counts."""

    def rows_without(fold: int | None) -> tuple[Floats, CSR | UnitRows]:
        scale = settings.scale(*counts.without(fold), settings.min_df)
        return scale, unit_rows(X, scale)

    def without(fold: int, l2: float, alpha: Floats | None = None) -> FoldFit:
        held = folds == fold
        found = hinge(rows_without(fold)[1], y, counts.n_classes, ~held, l2, _TOL_OF_FOLDS, alpha)
        return FoldFit(np.flatnonzero(held), found.scores[held], found.alpha)

    numbers = np.unique(folds).tolist() if folds.any() else []
    n_searched = 1 + int(np.searchsorted(np.cumsum(counts.documents), _SEARCHED_ROWS))
    l2, fits = _searched(without, numbers[:n_searched], y, settings.strengths)
    fits += [without(fold, l2) for fold in numbers[n_searched:]]
    scores = np.full((len(y), counts.n_classes), -np.inf)
    for fit in fits:
        scores[fit.rows] = fit.scores
    scale, U = rows_without(None)
    everything, alpha = np.ones(len(y), np.bool_), _mean_alpha([fit.alpha for fit in fits])
    linear = hinge(U, y, counts.n_classes, everything, l2, _TOL, alpha).linear
    return MemberFit(scale, lambda: linear, scores.__getitem__, l2)


def _searched(
    without: Callable[..., FoldFit], folds: Sequence[int], y: Codes, strengths: Sequence[float]
) -> tuple[float, list[FoldFit]]:
    """Strength taken, and the minima without these folds at it: weaker while that lowers the left-out loss enough."""
    best, fits = strengths[0], [without(fold, strengths[0]) for fold in folds]
    for l2 in strengths[1:] if folds else ():
        weaker = [without(fold, l2, before.alpha) for fold, before in zip(folds, fits, strict=True)]
        if not _loss(weaker, y) < (1 - _MIN_GAIN) * _loss(fits, y):
            break
        best, fits = l2, weaker
    return best, fits


def _loss(fits: Sequence[FoldFit], y: Codes) -> float:
    of = y[np.concatenate([fit.rows for fit in fits])]
    return left_out_loss(of, np.ones(len(of)), np.concatenate([fit.scores for fit in fits]))


def _mean_alpha(alphas: Sequence[Floats | None]) -> Floats | None:
    """Mean of the alphas (D, M) of each row over the folds that have learnt from it; None if one is not known."""
    known = [alpha for alpha in alphas if alpha is not None]
    if not known or len(known) < len(alphas):
        return None
    return np.asarray(np.sum(known, axis=0) / (len(known) - 1))
