"""State of a classifier: what it has learnt, and what was fitted to that.

    state = fit_state(recipe, learnt, before)                                                        (1)

is a pure function. The next state depends on the recipe, on what has been learnt, and on the state before as far as
something is kept from it:

- A fit that can be renewed (the model ``mail``) is kept until it is due. A fit made on D documents, c of them learnt or
  forgotten since, is due if

    c >= DUE_PROPORTION D,  or the classes changed                                                   (2)

  Until then the part of the fit that is a function of counts follows each change, and the rest stays.
- A calibration on held-out documents is kept as long as the classes stay the same. So is any calibration if no
  documents are left to fit another one.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from textnb.classifier.fitted import Fitted
from textnb.classifier.held_out import LeftOutAnswers, calibrate_held_out, calibrate_left_out
from textnb.classifier.log_loss_alpha import fit_model
from textnb.classifier.recipe import ClassifierRecipe
from textnb.counts import Counted, Learnt
from textnb.errors import InputError, NotFittedError, ParameterError, listed
from textnb.files.model_file import Calibrated, ModelContent
from textnb.models.registry import model
from textnb.models.smoothing import LOG_LOSS

DUE_PROPORTION = 0.05
REFITS = ("now", "when due", "never")
_log = logging.getLogger("textnb")


@dataclass(frozen=True)
class State:
    """What a classifier has learnt, what was fitted to it, and the calibration with its origin.

    ``fitted`` and ``calibrated`` are None while nothing has been learnt. ``left_out``: answers to the left-out
    documents on which the calibration was fitted; None if it was not fitted with this state.
    """

    learnt: Learnt
    fitted: Fitted | None = None
    calibrated: Calibrated | None = None
    left_out: LeftOutAnswers | None = None

    @property
    def changes_since_fit(self) -> int:
        """Number of documents learnt or forgotten since the model was fitted as a whole."""
        return 0 if self.fitted is None else self.fitted.fit.since

    @property
    def calibration_state(self) -> str:
        """``calibrated``, ``held-out``, ``stale`` (older than the counts) or ``none``."""
        if self.calibrated is None or self.calibrated.calibration is None:
            return "none"
        if self.calibrated.of != self.learnt.fingerprint:
            return "stale"
        return "held-out" if self.calibrated.held_out else "calibrated"


def empty_state(recipe: ClassifierRecipe) -> State:
    """State in which nothing has been learnt."""
    return State(Learnt.zero(recipe.weights.unit, recipe.keeps))


def fit_state(recipe: ClassifierRecipe, learnt: Learnt, before: State | None = None, *, refit: str = "now") -> State:
    """Fit a recipe to a learnt value, eq. (1); ``refit``: when to fit again a model that can be renewed, eq. (2)."""
    check_refit(refit)
    if recipe.keeps.examples and learnt.examples is None:
        template = (
            "model {name!r} keeps no documents (sample=0) and needs them to learn, forget or merge; train it again"
        )
        raise InputError(template, name=recipe.model)
    if not learnt.counts.classes:
        return empty_state(recipe)
    fitted = _renewed(recipe, learnt, before, refit) or fit_model(recipe, learnt)
    same_classes = before is not None and before.learnt.counts.classes == learnt.counts.classes
    return _calibrated_state(recipe, learnt, fitted, before.calibrated if before and same_classes else None)


def fit_recipe(recipe: ClassifierRecipe, learnt: Learnt) -> Fitted:
    """Fit a recipe to a learnt value with at least one class, calibration included."""
    fitted = fit_state(recipe, learnt).fitted
    if fitted is None:
        raise InputError("there are no documents to learn from")
    return fitted


def restored_state(recipe: ClassifierRecipe, content: ModelContent) -> State:
    """State that a model file holds; fits only what the file does not hold."""
    learnt, fit = content.learnt, content.fit
    if not learnt.counts.classes:
        return empty_state(recipe)
    if fit is not None:
        fitted = Fitted.with_fit(recipe, learnt, fit)
    elif recipe.alpha == LOG_LOSS and content.smoothing is None:
        fitted = fit_model(recipe, learnt)
    else:
        fitted = Fitted.of(recipe, learnt, content.smoothing, is_old=content.is_old)
    kept = content.calibrated
    if kept is None or not (recipe.calibrate or kept.held_out):
        return _calibrated_state(recipe, learnt, fitted, None)
    return State(learnt, fitted.calibrated(kept.calibration), kept)


def calibrate_state(state: State, parts: Iterable[Counted]) -> State:
    """Calibrate a state on counted documents that it has not learnt."""
    if state.fitted is None:
        raise NotFittedError("nothing has been learnt yet; fit the classifier first")
    found, number = calibrate_held_out(state.fitted, state.learnt, parts)
    return State(
        state.learnt, state.fitted.calibrated(found), Calibrated(found, state.learnt.fingerprint, held_out=number)
    )


def check_refit(refit: str) -> None:
    """Refuse an unknown value of ``refit``."""
    if refit not in REFITS:
        raise ParameterError("unknown refit {refit!r}; use one of {known}", refit=refit, known=listed(REFITS))


def _renewed(recipe: ClassifierRecipe, learnt: Learnt, before: State | None, refit: str) -> Fitted | None:
    """Earlier fit brought up to the learnt value, eq. (2); None if the model has to be fitted again."""
    if before is None or before.fitted is None or refit == "now" or model(recipe.model).renew is None:
        return None
    since = before.changes_since_fit + before.learnt.digests.distance(learnt.digests)
    is_due = refit == "when due" and since >= DUE_PROPORTION * before.fitted.fit.facts["fitted_on"]
    if is_due or before.learnt.counts.classes != learnt.counts.classes:
        return None
    return Fitted.renewed(recipe, learnt, before.fitted, since)


def _calibrated_state(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, before: Calibrated | None) -> State:
    calibrated = left_out = None
    if recipe.calibrate or (before is not None and before.held_out):
        calibrated, left_out = _calibrated(recipe, learnt, fitted, before)
        fitted = fitted.calibrated(calibrated.calibration)
    return State(learnt if recipe.sample else learnt.without_documents(), fitted, calibrated, left_out)


def _calibrated(
    recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, before: Calibrated | None
) -> tuple[Calibrated, LeftOutAnswers | None]:
    """Earlier calibration if it is current or held-out, else a new one; the earlier one if no documents are kept."""
    fingerprint = learnt.fingerprint
    is_current = before is not None and (before.calibration is None or before.calibration.is_current)
    if before is not None and is_current and (before.of == fingerprint or fitted.fit.since):  # it belongs to the fit
        return before, None
    if before is not None and before.held_out:
        _log.info("the calibration on %d held-out documents is older than this change", before.held_out)
        return before, None
    try:
        found, left_out = calibrate_left_out(recipe, learnt, fitted)
    except InputError as why:
        kept = learnt.sample is not None or learnt.examples is not None
        if before is None or before.calibration is None or kept:
            _log.info("probabilities are not calibrated: %s", why)
            return Calibrated(None, fingerprint), None
        _log.info("the calibration is older than this change: %s", why)
        return before, None
    return Calibrated(found, fingerprint, quality=left_out.quality), left_out
