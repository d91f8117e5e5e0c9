"""Left-out scores: documents scored by statistics without them, on which a calibration is fitted.

Each learnt document is left out alone if the model has a formula for that. Otherwise a fifth of them is left out at a
time, chosen by digest, and the model is fitted again. A document that is the only one of its class is not scored.
Documents that were never learnt (held out) are scored as they are.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from textnb.classifier.fitted import Fitted
from textnb.classifier.recipe import SAMPLE, ClassifierRecipe
from textnb.counts import Counted, Examples, Learnt
from textnb.counts.labels import places
from textnb.counts.learnt import Sample
from textnb.counts.matrix import CSR, mapped
from textnb.errors import InputError
from textnb.models.calibration import Calibration, HeldOut, fit_calibration, joined
from textnb.models.left_out import LeftOut
from textnb.models.registry import model
from textnb.models.scorer import log_posterior
from textnb.numerics import Codes, Floats

_FOLDS = 5


def calibrate_left_out(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted) -> Calibration:
    """Fit the calibration of a model on learnt documents left out; InputError says why there is none."""
    if recipe.alpha == 0:
        raise InputError("alpha is 0, so words that a class has not seen are impossible in it")
    rows = _left_out_rows(recipe, learnt, fitted, _sample(recipe, learnt))
    return fit_calibration(rows, smoothed_targets=model(recipe.model).smoothed_targets)


def left_out_log_posterior(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted) -> tuple[list[str], Floats]:
    """Labels of some learnt documents, and their left-out log probabilities (D, C).

    Every learnt document is equally likely to be among them. InputError says why there are none. The calibration is
    the one that was fitted on documents like these.
    """
    rows = _left_out_rows(recipe, learnt, fitted, _sample(recipe, learnt).evened())
    labels = [fitted.classes[k] for k in rows.y]
    if fitted.calibration is not None:
        return labels, fitted.calibration.log_posterior(rows.scores, rows.log_prior, rows.lengths)
    prior = rows.log_prior if fitted.fit.includes_prior else fitted.shift
    return labels, log_posterior(rows.scores + prior, rows.log_prior)


def _left_out_rows(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, sample: Sample) -> HeldOut:
    of_class = learnt.counts.documents[places(learnt.counts.classes, sample.examples.classes)]
    kept = np.flatnonzero(of_class[sample.examples.y] >= 2)
    if not len(kept):
        raise InputError("no class has two documents or more")
    examples, weights = sample.examples.rows(kept), sample.weights()[kept]
    if fitted.fit.left_out_scores is not None:
        return _computed_by_fit(fitted, learnt, fitted.fit.left_out_scores)
    if model(recipe.model).left_out is None:
        return _by_folds(recipe, learnt, fitted, examples, weights)
    return _one_by_one(recipe, fitted, examples, weights)


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
    smoothed_targets = model(fitted.recipe.model).smoothed_targets
    return fit_calibration(joined([each for _, each in rows]), smoothed_targets=smoothed_targets), number


def _held_out_part(fitted: Fitted, part: Counted) -> HeldOut:
    X = mapped(part.X, part.vocabulary, fitted.vocabulary)
    fitted.check_classes(part.named_labels)
    y = places(fitted.classes, part.named_labels)
    log_prior = np.tile(fitted.log_prior, (len(part), 1))
    lengths = np.asarray(X.sum(axis=1), np.float64)
    return HeldOut(fitted.likelihood(fitted.weigher(X)), log_prior, lengths, y, np.ones(len(part)))


def _sample(recipe: ClassifierRecipe, learnt: Learnt) -> Sample:
    if learnt.sample is not None:
        return learnt.sample
    if learnt.examples is None:
        raise InputError("no documents were kept to calibrate with")
    documents = dict(zip(learnt.counts.classes, learnt.counts.documents.tolist(), strict=True))
    return Sample(learnt.examples, {}, recipe.sample or SAMPLE).thinned(documents)


def _one_by_one(recipe: ClassifierRecipe, fitted: Fitted, examples: Examples, weights: Floats) -> HeldOut:
    X = mapped(examples.X, examples.vocabulary, fitted.vocabulary)
    weighting, counts = recipe.weights, fitted.counts
    exact = fitted.weigher.idf is None and not weighting.normalised
    y = _numbers(fitted, examples)
    rows = LeftOut(counts, weighting.stored(X) if exact else fitted.weigher(X), y)
    left_out = model(recipe.model).left_out
    assert left_out is not None
    assert fitted.fit.smoothing is not None
    scores = left_out(rows, fitted.fit.smoothing.alpha, recipe.options)
    return HeldOut(scores, rows.log_prior(recipe.prior), _known(fitted, X), y, weights)


def _known(fitted: Fitted, X: CSR) -> Floats:
    """Number of tokens of each document that occur in other documents too, (D,)."""
    elsewhere = np.asarray(fitted.counts.containing.sum(axis=0))[X.indices] > 1
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.bincount(row, X.data * elsewhere, X.shape[0]).astype(float)


def _numbers(fitted: Fitted, examples: Examples) -> Codes:
    """Number of each example's class among those of the fitted model, (D,)."""
    return places(fitted.classes, examples.classes)[examples.y]


def _computed_by_fit(fitted: Fitted, learnt: Learnt, scores: Floats) -> HeldOut:
    """Left-out scores that the fit itself has computed for all documents."""
    assert learnt.examples is not None
    X = mapped(learnt.examples.X, learnt.examples.vocabulary, fitted.vocabulary)
    y = _numbers(fitted, learnt.examples)
    found = HeldOut(scores - fitted.base, np.tile(fitted.log_prior, (len(y), 1)), _known(fitted, X), y, np.ones(len(y)))
    return found.rows(np.isfinite(scores[np.arange(len(y)), y]))  # a small class may lie in one fold


def _by_folds(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, examples: Examples, weights: Floats) -> HeldOut:
    n, n_classes = len(examples), len(fitted.classes)
    scores, log_prior, lengths = np.full((n, n_classes), -np.inf), np.full((n, n_classes), -np.inf), np.zeros(n)
    y = _numbers(fitted, examples)
    is_given = not isinstance(recipe.prior, str)
    settled = replace(recipe, options={**recipe.options, **fitted.fit.found})
    of_any_classes = replace(settled, prior="uniform") if is_given else settled
    for fold in range(_FOLDS):
        rows = np.flatnonzero(examples.digests[:, -1] % _FOLDS == fold)
        part = examples.rows(rows)
        others = learnt.without(part, recipe.weights)
        if not len(rows) or not others.counts.classes:
            continue
        rest = Fitted.of(of_any_classes, others)
        X = mapped(part.X, part.vocabulary, rest.vocabulary)
        classes = places(fitted.classes, rest.classes)
        there = np.ix_(rows, classes)
        scores[there] = rest.likelihood(rest.weigher(X))
        log_prior[there] = fitted.log_prior[classes] if is_given else rest.log_prior
        lengths[rows] = np.asarray(X.sum(axis=1))
    known = np.isfinite(scores[np.arange(n), y])  # a small class may lie in one fold
    return HeldOut(scores[known], log_prior[known], lengths[known], y[known], weights[known])
