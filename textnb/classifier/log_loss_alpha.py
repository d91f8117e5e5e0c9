"""Alpha of the smallest log loss of left-out documents, for weightings that divide a document by its length.

Evidence is the probability of counts. Weights that are divided by the length of a document are no counts: their
evidence depends on their scale, and its maximum is far from the alpha that classifies well. Here alpha minimises

    - sum_i log p(y_i | document i, learnt from the others) / D                                        (1)

over the kept documents, each left out together with its copies, after a calibration fitted to them (``held_out.py``).
Uncalibrated probabilities would choose alpha for their confidence, not for their order. Powers of 10 from MIN_ALPHA to
MAX_ALPHA are tried, then the neighbours of the best at half the step, three times; for this choice at most
MAX_DOCUMENTS documents are left out. Where no calibration can be fitted,
because too few documents have others of their class, alpha is ALPHA_WITHOUT_LOG_LOSS, the best of these powers on
development data. All of it is a pure function of what has been learnt.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from textnb.classifier.fitted import Fitted
from textnb.classifier.held_out import left_out_rows
from textnb.classifier.recipe import ClassifierRecipe
from textnb.counts import Learnt
from textnb.errors import InputError
from textnb.models.calibration import fit_calibration
from textnb.models.smoothing import LOG_LOSS, Smoothing

MIN_ALPHA, MAX_ALPHA = 1e-4, 100.0
ALPHA_WITHOUT_LOG_LOSS = 0.1
MAX_DOCUMENTS = 1000
_HALVINGS = 3


def fit_model(recipe: ClassifierRecipe, learnt: Learnt) -> Fitted:
    """Fit a recipe to a learnt value, with the alpha of eq. (1) if the recipe asks for it."""
    if recipe.alpha != LOG_LOSS:
        return Fitted.of(recipe, learnt)
    fitted = Fitted.of(recipe, learnt, Smoothing(ALPHA_WITHOUT_LOG_LOSS))
    try:
        return Fitted.of(recipe, learnt, _best_smoothing(recipe, learnt, fitted))
    except InputError:  # no document can be left out, or no calibration be fitted
        return fitted


def _best_smoothing(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted) -> Smoothing:
    def log_loss(log10_alpha: float, most: int | None = MAX_DOCUMENTS) -> float:
        smoothing = Smoothing(10.0**log10_alpha)
        rows = left_out_rows(recipe, learnt, replace(fitted, fit=fitted.fit._replace(smoothing=smoothing)), most)
        log_p = fit_calibration(rows).log_posterior(rows.scores, rows.log_prior, rows.sizes)
        return -float(np.average(log_p[np.arange(len(rows.y)), rows.y], weights=rows.weights))

    best, _ = least_on_grid(log_loss, np.log10(MIN_ALPHA), np.log10(MAX_ALPHA))
    return Smoothing(10.0**best, log_loss=log_loss(best, most=None))


def least_on_grid(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Point of the least value, and that value: on whole numbers from low to high, then between them.

    >>> least_on_grid(lambda x: (x - 0.3) ** 2, -4, 1)[0]
    0.25
    """
    values = {float(x): function(float(x)) for x in np.arange(round(low), round(high) + 1)}
    step = 1.0
    for _ in range(_HALVINGS):
        best = min(values, key=lambda x: values[x])
        step /= 2
        values |= {x: function(x) for x in (best - step, best + step) if low <= x <= high}
    best = min(values, key=lambda x: values[x])
    return best, values[best]
