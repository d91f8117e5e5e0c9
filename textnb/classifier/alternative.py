"""Whether left-out documents show that another model would be clearly better.

Multinomial and complement naive Bayes learn from the same counts, and left-out scores of both are exact and cheap. So
the one that was not chosen is fitted, too, and answers the same left-out documents. With c_i = 1 for a correct answer,
d_i = c_i(other) - c_i(chosen), m the mean of d and s its standard error over groups of copies (``held_out.py``), the
other model is clearly better if its log loss is smaller and

    m > 0  and  m >= MIN_ERRORS s                                                                             (1)
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from textnb.classifier.fitted import Fitted
from textnb.classifier.held_out import LeftOutAnswers, calibrate_left_out, mean_with_error
from textnb.classifier.recipe import ClassifierRecipe, default_alpha
from textnb.classifier.state import State
from textnb.errors import InputError
from textnb.evaluation.intervals import Quality
from textnb.models.registry import model
from textnb.models.smoothing import ALPHAS

MIN_ERRORS = 3.0
"""Standard errors by which the accuracy of the better model must be higher."""

MAX_NUMBERS = 2_000_000
"""Most entries of kept documents times classes for which the other model is tried; that takes a third of a second."""

_OTHERS = {"multinomial": "complement", "complement": "multinomial"}
_SLOW_ALPHAS = {*ALPHAS} - {"evidence", "leave-one-out"}


class BetterModel(NamedTuple):
    """Name of a model that is clearly better, and the quality of its answers to the same left-out documents."""

    name: str
    quality: Quality


def better_model(recipe: ClassifierRecipe, state: State) -> BetterModel | None:
    """Return the other one of two models if it is clearly better, eq. (1).

    None also if ``auto`` has made the choice, and if it is not known or would take long to find out: after loading,
    without kept documents, for more than MAX_NUMBERS, and for a smoothing that is slow to find.
    """
    name, learnt = _OTHERS.get(recipe.model), state.learnt
    if name is None or recipe.choice or state.left_out is None or learnt.sample is None or recipe.alpha in _SLOW_ALPHAS:
        return None
    if learnt.sample.for_calibration(learnt.documents).examples.X.nnz * learnt.counts.n_classes > MAX_NUMBERS:
        return None
    is_default = recipe.alpha == default_alpha(model(recipe.model), recipe.weights)
    other = replace(recipe, model=name, options={}, alpha=None if is_default else recipe.alpha)
    try:
        _, answers = calibrate_left_out(other, learnt, Fitted.of(other, learnt))
    except InputError:  # it does not accept the alpha, or cannot be calibrated
        return None
    return BetterModel(name, answers.quality) if _is_clearly_better(answers, state.left_out) else None


def _is_clearly_better(answers: LeftOutAnswers, chosen: LeftOutAnswers) -> bool:
    """Compare answers to the same documents by eq. (1)."""
    weights = chosen.weights
    m, s = mean_with_error(answers.correct.astype(np.float64) - chosen.correct, weights, chosen.groups)
    return m > 0 and m >= MIN_ERRORS * s and bool(weights @ answers.losses < weights @ chosen.losses)
