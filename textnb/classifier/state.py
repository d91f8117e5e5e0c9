"""State of a classifier: what it has learnt, and what was fitted to that.

    state = fit_state(recipe, learnt, before)                                                        (1)

is a pure function. The next state depends on the recipe, on what has been learnt, and on the state before as far as
something is kept from it:

- A fit that can be renewed (the model ``mail``) is kept until it is due. A fit made on D documents, c of them learnt or
  forgotten since, is due if

    c >= DUE_PROPORTION D,  or the classes changed                                                   (2)

  Until then the part of the fit that is a function of counts follows each change, and the rest stays.
- A calibration on held-out documents is kept as long as the classes stay the same. So is any calibration if no
  documents are left to fit another one. A FitWarning says if it ends.

Merging two states does not depend on their order, so no calibration is kept from either, unless the other has learnt
nothing: the merged state is calibrated on kept documents, or not at all.
"""

import logging
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from textnb.classifier.fitted import Fitted
from textnb.classifier.held_out import LeftOutAnswers, calibrate_held_out, calibrate_left_out
from textnb.classifier.log_loss_alpha import fit_model
from textnb.classifier.recipe import ClassifierRecipe
from textnb.counts import Counted, Learnt
from textnb.errors import FitWarning, InputError, NotFittedError, ParameterError, listed
from textnb.files.deferred import Deferred
from textnb.files.model_file import Calibrated, ModelContent, Summary, summary_of
from textnb.models.registry import model
from textnb.models.smoothing import LOG_LOSS

DUE_PROPORTION = 0.05
REFITS = ("now", "when due", "never")
_log = logging.getLogger("textnb")
_NOT_CALIBRATED = (
    "probabilities are no longer calibrated: {why} and no documents are kept (sample=0); "
    "calibrate on labelled documents that the model has not learnt, or train again"
)
_HELD_OUT_ENDED = (
    "the calibration on {number} held-out documents has ended: {why}; "
    "calibrate again on documents that the model has not learnt"
)


@dataclass(frozen=True)
class State:
    """What a classifier has learnt, what was fitted to it, and the calibration with its origin.

    ``fitted`` and ``calibrated`` are None while nothing has been learnt. ``left_out``: answers to the left-out
    documents on which the calibration was fitted; None if it was not fitted with this state. If ``n_pending``
    corrections of the journal are pending, they are in ``learnt``, not in ``summary``; ``fitted`` follows them
    (``pending.py``), and ``base`` is the fit of the file.
    """

    known: Deferred[Learnt]
    fitted: Fitted | None = None
    calibrated: Calibrated | None = None
    left_out: LeftOutAnswers | None = None
    stored_summary: Summary | None = None
    stripped: bool = False
    base: Fitted | None = None
    n_pending: int = 0

    @property
    def learnt(self) -> Learnt:
        """Learnt value; the one of a file is read and checked when it is first asked for."""
        return self.known.value

    @property
    def summary(self) -> Summary:
        """Size of what has been learnt; a file has it in its header."""
        return summary_of(self.learnt) if self.stored_summary is None else self.stored_summary

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names, sorted."""
        return self.learnt.counts.classes if self.fitted is None else self.fitted.classes

    @property
    def changes_since_fit(self) -> int:
        """Number of documents learnt or forgotten since the model was fitted as a whole."""
        return 0 if self.fitted is None else self.fitted.fit.since

    @property
    def calibration_state(self) -> str:
        """``calibrated``, ``held-out``, ``stale`` (older than the counts) or ``none``."""
        if self.calibrated is None or self.calibrated.calibration is None:
            return "none"
        if self.calibrated.of != self.summary.fingerprint:
            return "stale"
        return "held-out" if self.calibrated.held_out else "calibrated"


def empty_state(recipe: ClassifierRecipe) -> State:
    """State in which nothing has been learnt."""
    return State(Deferred(lambda: Learnt.zero(recipe.weights.unit, recipe.keeps)))


def fit_state(recipe: ClassifierRecipe, learnt: Learnt, before: State | None = None, *, refit: str = "now") -> State:
    """Fit a recipe to a learnt value, eq. (1); ``refit``: when to fit again a model that can be renewed, eq. (2)."""
    check_refit(refit)
    check_learns(recipe, has_documents=learnt.examples is not None)
    if not learnt.counts.classes:
        return empty_state(recipe)
    if recipe.term_budget is not None:
        learnt = learnt.pruned(recipe.term_budget)
    fitted = _renewed(recipe, learnt, before, refit) or fit_model(recipe, learnt)
    if before is None or before.classes == learnt.counts.classes:
        return _calibrated_state(recipe, learnt, fitted, before.calibrated if before else None)
    state = _calibrated_state(recipe, learnt, fitted, None)
    _warn_of_lost_calibration([before], state, "the classes changed")
    return state


def merge_states(recipe: ClassifierRecipe, a: State, b: State) -> State:
    """Fit a recipe to what two states have learnt; their order does not matter."""
    learnt = a.learnt + b.learnt
    if not a.classes or not b.classes:
        return fit_state(recipe, learnt, a if a.classes else b)
    state = fit_state(recipe, learnt)
    _warn_of_lost_calibration([a, b], state, "models were merged")
    return state


def fit_recipe(recipe: ClassifierRecipe, learnt: Learnt) -> Fitted:
    """Fit a recipe to a learnt value with at least one class, calibration included."""
    fitted = fit_state(recipe, learnt).fitted
    if fitted is None:
        raise InputError("there are no documents to learn from")
    return fitted


def restored_state(recipe: ClassifierRecipe, content: ModelContent) -> State:
    """State that a model file holds; fits only what a file of textnb 0.1 does not hold."""
    if not content.classes:
        return empty_state(recipe)
    if content.stored is not None:
        fitted = Fitted.restored(recipe, content.classes, content.stored, content.learnt)
        calibrated, summary = content.calibrated, content.summary
        found = None if calibrated is None else calibrated.calibration
        return State(content.learnt, fitted.calibrated(found), calibrated, None, summary, content.stripped)
    learnt, fit = content.learnt.value, content.fit
    if fit is not None:
        fitted = Fitted.with_fit(recipe, learnt, fit)
    elif recipe.alpha == LOG_LOSS and content.smoothing is None:
        fitted = fit_model(recipe, learnt)
    else:
        fitted = Fitted.of(recipe, learnt, content.smoothing, is_old=content.is_old)
    kept = content.calibrated
    if kept is None or not (recipe.calibrate or kept.held_out):
        return _calibrated_state(recipe, learnt, fitted, None)
    return State(content.learnt, fitted.calibrated(kept.calibration), kept)


def calibrate_state(state: State, parts: Iterable[Counted]) -> State:
    """Calibrate a state on counted documents that it has not learnt."""
    if state.fitted is None:
        raise NotFittedError("nothing has been learnt yet; fit the classifier first")
    found, number = calibrate_held_out(state.fitted, state.learnt, parts)
    calibrated = Calibrated(found, state.learnt.fingerprint, held_out=number)
    return State(state.known, state.fitted.calibrated(found), calibrated)


def check_learns(recipe: ClassifierRecipe, *, has_documents: bool) -> None:
    """Refuse to fit a model that is fitted to the documents themselves if they were not kept."""
    if recipe.keeps.examples and not has_documents:
        template = (
            "model {name!r} keeps no documents (sample=0) and needs them to learn, forget or merge; train it again"
        )
        raise InputError(template, name=recipe.model)


def check_refit(refit: str) -> None:
    """Refuse an unknown value of ``refit``."""
    if refit not in REFITS:
        raise ParameterError("unknown refit {refit!r}; use one of {known}", refit=refit, known=listed(REFITS))


def _warn_of_lost_calibration(before: Iterable[State], state: State, why: str) -> None:
    """Warn if a calibration ended that no kept documents replace, or one on held-out documents."""
    ended = [each.calibrated for each in before if each.calibration_state != "none" and each.calibrated is not None]
    held_out = sum(calibrated.held_out for calibrated in ended)
    if ended and state.calibration_state == "none" and not has_kept(state.learnt):
        warnings.warn(_NOT_CALIBRATED.format(why=why), FitWarning, stacklevel=5)
    elif held_out:
        warnings.warn(_HELD_OUT_ENDED.format(why=why, number=held_out), FitWarning, stacklevel=5)


def has_kept(learnt: Learnt) -> bool:
    """True if documents are kept, from which a calibration can be fitted."""
    return learnt.sample is not None or learnt.examples is not None


def _renewed(recipe: ClassifierRecipe, learnt: Learnt, before: State | None, refit: str) -> Fitted | None:
    """Earlier fit brought up to the learnt value, eq. (2); None if the model has to be fitted again."""
    if before is None or before.fitted is None or refit == "now" or model(recipe.model).renew is None:
        return None
    since = before.changes_since_fit + before.n_pending + before.learnt.digests.distance(learnt.digests)
    is_due = refit == "when due" and since >= DUE_PROPORTION * before.fitted.fit.facts["fitted_on"]
    if is_due or before.classes != learnt.counts.classes:
        return None
    return Fitted.renewed(recipe, learnt, before.base or before.fitted, since)


def _calibrated_state(recipe: ClassifierRecipe, learnt: Learnt, fitted: Fitted, before: Calibrated | None) -> State:
    calibrated = left_out = None
    if recipe.calibrate or (before is not None and before.held_out):
        calibrated, left_out = _calibrated(recipe, learnt, fitted, before)
        fitted = fitted.calibrated(calibrated.calibration)
    kept = learnt if recipe.sample else learnt.without_documents()
    return State(Deferred.of(kept), fitted, calibrated, left_out)


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
        if before is None or before.calibration is None or has_kept(learnt):
            _log.info("probabilities are not calibrated: %s", why)
            return Calibrated(None, fingerprint), None
        _log.info("the calibration is older than this change: %s", why)
        return before, None
    judged = Deferred.of(left_out.judged)
    return Calibrated(found, fingerprint, quality=left_out.quality, judged=judged), left_out
