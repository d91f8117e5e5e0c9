"""Left-out scores: documents scored by statistics without them, on which a calibration is fitted.

Each learnt document is left out alone if the model has a formula for that. Otherwise a fifth of them is left out at a
time, chosen by digest, and the model is fitted again. Kept documents with equal counts are copies, whatever their
labels, and are left out together. A document without another one of its class, copies aside, is not scored. Documents
that were never learnt (held out) are scored as they are.

With many classes some documents are enough (``most_documents``): some by digest, with their copies.

Copies count as often as they occur, but all weights are then scaled so that they sum to the number of distinct
documents: copies are no further evidence against the penalty of the calibration.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.classifier.fitted import Fitted
from textnb.classifier.recipe import ClassifierRecipe
from textnb.counts import Counted, Examples, Learnt
from textnb.counts.examples import SIZE, sort_keys
from textnb.counts.labels import places
from textnb.counts.learnt import MOST_CALIBRATED, Sample
from textnb.counts.matrix import CSR, as_counts, first_equal_rows, mapped
from textnb.counts.rows import row_blocks, with_entries
from textnb.decisions import JudgedAnswers
from textnb.errors import InputError
from textnb.evaluation.intervals import Quality
from textnb.models.calibration import CLOSE, ROUGH, Calibration, HeldOut, Sizes, fit_calibration, joined, most_documents
from textnb.models.left_out import LeftOut, in_other_documents
from textnb.models.registry import model
from textnb.models.scorer import log_posterior
from textnb.models.smoothing import LEAVE_ONE_OUT, smoothing
from textnb.numerics import Codes, Floats, log_of, most_probable

_FOLDS = 5
_CHOOSING = slice(4, 12)  # bytes of a digest
_ABOVE_ALL = b"\xff" * (SIZE + 1)

Scored = tuple[Floats, Floats, Sizes]
"""Left-out scores (D, C) without the prior, log class frequencies (D, C) and sizes of documents."""


@dataclass(frozen=True, eq=False)
class LeftOutAnswers:
    """Answers to left-out documents, one row per distinct document and label; (D,) each.

    y: true classes. predicted, probability: the most probable class and its probability. losses: log losses. weights:
    number of documents that a row represents, up to a common factor. groups: equal for rows with equal counts. is_even:
    True for rows among which every learnt document is equally likely to be.
    """

    y: Codes
    predicted: Codes
    probability: Floats
    losses: Floats
    weights: Floats
    groups: Codes
    is_even: NDArray[np.bool_]

    @classmethod
    def of(cls, recipe: ClassifierRecipe, fitted: Fitted, left_out: "LeftOutRows") -> "LeftOutAnswers":
        """Return the answers that a fitted model gives to left-out rows."""
        rows = left_out.rows
        log_p = _log_posterior(recipe, fitted, rows)
        predicted, number = most_probable(log_p), np.arange(len(rows.y))
        probability, losses = np.exp(log_p[number, predicted]), -log_p[number, rows.y]
        return cls(rows.y, predicted, probability, losses, rows.weights, left_out.groups, left_out.is_even)

    @property
    def judged(self) -> JudgedAnswers:
        """Answers by which a precision is promised."""
        return JudgedAnswers(self.predicted, self.probability, self.correct).rows(self.is_even).in_order

    @property
    def correct(self) -> NDArray[np.bool_]:
        """True for correct answers."""
        return np.asarray(self.predicted == self.y)

    @property
    def most_confused(self) -> tuple[int, int, float] | None:
        """True class, answer, and proportion of the class with this answer, for the most frequent kind of mistake."""
        wrong = ~self.correct
        if not wrong.any():
            return None
        n_classes = int(max(self.y.max(), self.predicted.max())) + 1
        pair = self.y * n_classes + self.predicted
        true, answer = divmod(int(np.bincount(pair[wrong], self.weights[wrong]).argmax()), n_classes)
        of_class = self.y == true
        return (
            true,
            answer,
            float(self.weights[of_class & (self.predicted == answer)].sum() / self.weights[of_class].sum()),
        )

    @property
    def quality(self) -> Quality:
        """Accuracy and log loss, with intervals in which copies count once."""
        return Quality.of(self.correct, self.losses, self.weights, self.groups)


def mean_with_error(values: Floats, weights: Floats, groups: Codes) -> tuple[float, float]:
    """Weighted mean m of values (D,), and its standard error s, in which a group counts once.

    With weights w_i and groups g: s^2 = sum_g (sum_{i in g} w_i (v_i - m))^2 / (sum_i w_i)^2.

    >>> mean_with_error(np.array([1.0, 0.0] * 8), np.ones(16), np.arange(16))
    (0.5, 0.125)
    """
    mean = float(np.average(values, weights=weights))
    by_group = np.bincount(groups, weights * (values - mean))
    return mean, float(np.sqrt((by_group**2).sum()) / weights.sum())


def calibrate_left_out(
    recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, most: int | None = None
) -> tuple[Calibration, LeftOutAnswers]:
    """Fit the calibration of a model on learnt documents left out, and answer them with it.

    most: with at most so many documents, and less closely, to compare models.
    InputError says why there is none.
    """
    if recipe.alpha == 0:
        raise InputError("alpha is 0, so words that a class has not seen are impossible in it")
    left_out = _left_out_rows(recipe, learnt, fitted, _sample(recipe, learnt), most)
    found = _calibration(recipe, left_out.rows, CLOSE if most is None else ROUGH)
    return found, LeftOutAnswers.of(recipe, fitted.calibrated(found), left_out)


def left_out_rows(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, most: int | None = None) -> HeldOut:
    """Left-out scores of the kept documents, at most ``most`` of them; one row per distinct document and label."""
    return _left_out_rows(recipe, learnt, fitted, _sample(recipe, learnt), most).rows


def left_out_answers(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted) -> LeftOutAnswers:
    """Answer some learnt documents left out; every distinct learnt document is equally likely to be among them."""
    return LeftOutAnswers.of(recipe, fitted, _left_out_rows(recipe, learnt, fitted, _sample(recipe, learnt).evened()))


def left_out_examples(
    recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted
) -> tuple[Examples, Codes, LeftOutAnswers]:
    """Answer all kept documents left out: the documents, the number of the document of each answer, and the answers."""
    left_out = _left_out_rows(recipe, learnt, fitted, _kept_sample(recipe, learnt))
    return left_out.examples, left_out.numbers, LeftOutAnswers.of(recipe, fitted, left_out)


def left_out_log_posterior(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted) -> tuple[list[str], Floats]:
    """Labels of some learnt documents, and their left-out log probabilities (D, C).

    Every learnt document is equally likely to be among them. InputError says why there are none. The calibration is
    the one that was fitted on documents like these.
    """
    rows = _left_out_rows(recipe, learnt, fitted, _sample(recipe, learnt).evened()).rows
    return [fitted.classes[k] for k in rows.y], _log_posterior(recipe, fitted, rows)


def _log_posterior(recipe: ClassifierRecipe, fitted: Fitted, rows: HeldOut) -> Floats:
    """Log probabilities (D, C) of left-out rows, with the calibration if there is one."""
    log_prior = rows.log_prior if recipe.prior == "empirical" else fitted.log_prior
    if fitted.calibration is not None:
        return fitted.calibration.log_posterior(rows.scores, log_prior, rows.sizes)
    prior = log_prior if fitted.fit.includes_prior else fitted.shift
    return log_posterior(rows.scores + prior, np.broadcast_to(log_prior, rows.scores.shape))


class LeftOutRows(NamedTuple):
    """Left-out scores, one row per distinct document and label; groups and is_even as in ``LeftOutAnswers``, (D,).

    numbers: that of each row's document among the examples, (D,).
    """

    rows: HeldOut
    groups: Codes
    is_even: NDArray[np.bool_]
    numbers: Codes
    examples: Examples


def _left_out_rows(
    recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, sample: Sample, most: int | None = None
) -> LeftOutRows:
    if fitted.fit.left_out_scores is not None:
        assert learnt.examples is not None
        sample = Sample(learnt.examples, {}, len(learnt.examples))
    examples = sample.examples
    first = first_equal_rows(examples.X)
    enough = most_documents(len(fitted.classes))
    used = _enough(examples, first, min((n for n in (most, enough) if n is not None), default=None))
    copies = np.bincount(first, minlength=len(first)).astype(float)[first]
    examples, first, weights = examples.rows(used), np.searchsorted(used, first[used]), sample.weights()[used]
    y = _numbers(fitted, examples)
    if fitted.fit.left_out_scores is not None:
        scores, log_prior, sizes = _computed_by_fit(fitted, examples, copies[used], fitted.fit.left_out_scores[used])
    elif model(recipe.model).left_out is None:
        scores, log_prior, sizes = _by_folds(recipe, learnt, fitted, examples, first)
    else:
        scores, log_prior, sizes = _one_by_one(recipe, learnt, fitted, examples, first)
    _, kept, pair = np.unique(first * len(fitted.classes) + y, return_index=True, return_inverse=True)
    weights = np.bincount(pair, weights).astype(float) * (len(np.unique(first)) / max(len(first), 1))
    rows = HeldOut(scores[kept], log_prior[kept], sizes.rows(kept), y[kept], weights)
    scored = np.isfinite(rows.log_prior[np.arange(len(kept)), rows.y])  # its class has other documents
    if not scored.any():
        raise InputError("no class has two different documents or more")
    is_even = sort_keys(examples.digests[kept]) < min(sample.bounds.values(), default=_ABOVE_ALL)
    return LeftOutRows(rows.rows(scored), first[kept][scored], is_even[scored], kept[scored], examples)


def _enough(examples: Examples, first: Codes, most: int | None) -> Codes:
    """Numbers of the examples to use, ascending: at most ``most`` distinct ones, with all their copies.

    The middle of the digest chooses them: its beginning chose the sample, its end chooses folds.
    """
    distinct = np.unique(first)
    if most is None or len(distinct) <= most:
        return np.arange(len(first))
    order = np.lexsort(examples.digests[distinct, _CHOOSING].T)
    return np.flatnonzero(np.isin(first, distinct[order[:most]]))


def calibrate_held_out(fitted: Fitted, learnt: Learnt, parts: Iterable[Counted]) -> tuple[Calibration, int]:
    """Fit the calibration of a model on labelled documents that it has not learnt; return it and their number."""
    rows = [(part, _held_out_part(fitted, part)) for part in parts]
    known = sum(digest in learnt.digests for part, _ in rows for digest in part.learnt_digests)
    number = sum(len(part) for part, _ in rows)
    if known:
        template = "{known} of {number} documents have been learnt; calibrate on documents that have not"
        raise InputError(template, known=known, number=number)
    if not number:
        raise InputError("there are no documents to calibrate with")
    found = joined([each for _, each in rows])
    if fitted.recipe.prior != "empirical":  # fit with the frequencies of these documents; the prior replaces them
        frequencies = log_of(np.bincount(found.y, minlength=len(fitted.classes)) / number)
        found = replace(found, log_prior=_tiled(frequencies, found.y))
    return _calibration(fitted.recipe, found), number


def _calibration(recipe: ClassifierRecipe, rows: HeldOut, tol: float = CLOSE) -> Calibration:
    named = model(recipe.model)
    return fit_calibration(
        rows,
        smoothed_targets=named.smoothed_targets,
        bounded_scores=named.bounded_scores,
        scores_absence=named.scores_absence,
        tol=tol,
    )


def _held_out_part(fitted: Fitted, part: Counted) -> HeldOut:
    X = mapped(part.X, part.vocabulary, fitted.vocabulary)
    fitted.check_classes(part.named_labels)
    y = places(fitted.classes, part.named_labels)
    W = fitted.weigher(X)
    return HeldOut(fitted.likelihood(W), _tiled(fitted.log_prior, y), fitted.sizes(X, W), y, np.ones(len(y)))


def _tiled(values: Floats, y: Codes) -> Floats:
    return np.tile(values, (len(y), 1))


def _sample(recipe: ClassifierRecipe, learnt: Learnt) -> Sample:
    """Kept documents on which a calibration is fitted."""
    return _kept_sample(recipe, learnt).for_calibration(learnt.documents)


def _kept_sample(recipe: ClassifierRecipe, learnt: Learnt) -> Sample:
    """All kept documents."""
    sample = learnt.sample
    if learnt.examples is not None:
        sample = Sample(learnt.examples, {}, recipe.sample or MOST_CALIBRATED)
    if sample is None or not len(sample.examples):
        raise InputError("no documents were kept to calibrate with")
    return sample


def _one_by_one(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, examples: Examples, first: Codes) -> Scored:
    assert learnt.counts.vocabulary is not None
    of_all_terms = replace(
        examples,
        X=mapped(as_counts(examples.X), examples.vocabulary, learnt.counts.vocabulary),
        vocabulary=learnt.counts.vocabulary,
    )
    distinct, document = np.unique(first, return_inverse=True)
    copies = np.zeros((len(distinct), len(fitted.classes)))
    np.add.at(copies, (document, _numbers(fitted, examples)), 1.0)
    X = mapped(of_all_terms.X[distinct], of_all_terms.vocabulary, fitted.vocabulary)
    exact = fitted.weigher.idf is None and not recipe.weights.normalised
    rows = LeftOut(fitted.counts, recipe.weights.stored(X) if exact else fitted.weigher(X), copies)
    left_out = model(recipe.model).left_out
    assert left_out is not None
    scores = np.empty_like(copies)
    for alpha, here in _alphas(recipe, learnt, fitted, of_all_terms, first):
        scores[here] = left_out(rows.rows(here), alpha, recipe.options)
    sizes = _known_sizes(fitted, X, copies.sum(axis=1))
    return scores[document], rows.log_frequencies[document], sizes.rows(document)


def _alphas(
    recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, examples: Examples, first: Codes
) -> Iterator[tuple[Any, Codes]]:
    """Yield an alpha, and the numbers of the distinct documents that are left out with it; examples: of all terms.

    An alpha by leave-one-out has seen in which classes each document's terms occur, and would know its class too well.
    So it is estimated without half of the documents, for that half; terms that only they contain get the least alpha.
    Its sum is that of all documents, which says next to nothing of a single one: of a half there may be no finite
    maximum where there is one of all, and a calibration of scores with another sum does not fit the model.
    """
    assert fitted.fit.smoothing is not None
    distinct = np.unique(first)
    if recipe.alpha != LEAVE_ONE_OUT:
        yield fitted.fit.smoothing.alpha, np.arange(len(distinct))
        return
    columns = examples.vocabulary.columns_of(fitted.vocabulary)
    labels = np.array(examples.classes, object)[examples.y]
    for half in range(2):
        is_here = examples.digests[first, -1] % 2 == half
        others = learnt.statistics_without(examples.X[is_here], labels[is_here].tolist(), recipe.weights)
        alpha = fitted.fit.smoothing.alpha
        if others[0].documents.any() and len(columns):
            alpha = smoothing(LEAVE_ONE_OUT, *others).alpha[columns]
            alpha = np.maximum(alpha, alpha[alpha > 0].min() if alpha.any() else 1.0)
            alpha = alpha * (fitted.fit.smoothing.alpha.sum() / alpha.sum())
        yield alpha, np.flatnonzero(is_here[distinct])


def _known_sizes(fitted: Fitted, X: CSR, copies: Floats) -> Sizes:
    """Sizes of documents without the terms that only their copies (D,) contain."""
    known = in_other_documents(fitted.counts, X, copies)
    return fitted.sizes(*(with_entries(Z, known) for Z in (X, fitted.weigher(X))))


def _numbers(fitted: Fitted, examples: Examples) -> Codes:
    """Number of each example's class among those of the fitted model, (D,)."""
    return places(fitted.classes, examples.classes)[examples.y]


def _computed_by_fit(fitted: Fitted, examples: Examples, copies: Floats, scores: Floats) -> Scored:
    """Left-out scores that the fit itself has computed, for documents with so many copies (D,)."""
    log_prior, sizes = np.where(np.isfinite(scores), fitted.log_frequencies, -np.inf), np.zeros((3, len(scores)))
    for rows, _ in row_blocks(examples.X.indptr):  # so that no copy of all documents is made
        X = mapped(examples.X[rows], examples.vocabulary, fitted.vocabulary)
        sizes[:, rows] = _known_sizes(fitted, X, copies[rows])
    return scores - fitted.base, log_prior, Sizes(*sizes)


def _by_folds(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, examples: Examples, first: Codes) -> Scored:
    n, n_classes = len(examples), len(fitted.classes)
    scores, log_prior, sizes = np.full((n, n_classes), -np.inf), np.full((n, n_classes), -np.inf), np.zeros((3, n))
    settled = replace(recipe, options={**recipe.options, **fitted.fit.found}, prior="uniform")
    for fold in range(_FOLDS):
        rows = np.flatnonzero(examples.digests[first, -1] % _FOLDS == fold)
        part = examples.rows(rows)
        others = learnt.without(part, recipe.weights)
        if not len(rows) or not others.counts.classes:
            continue
        rest = Fitted.of(settled, others)
        X = mapped(part.X, part.vocabulary, rest.vocabulary)
        W = rest.weigher(X)
        there = np.ix_(rows, places(fitted.classes, rest.classes))
        scores[there], log_prior[there] = rest.likelihood(W), rest.log_frequencies
        sizes[:, rows] = rest.sizes(X, W)
    return scores, log_prior, Sizes(*sizes)
