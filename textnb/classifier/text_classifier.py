"""TextClassifier: texts in, labels out; everything between is a recipe and a learnt value."""

import logging
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.classifier.explanation import Explanation
from textnb.classifier.fitted import Earlier, Fitted, earlier
from textnb.classifier.held_out import calibration, held_out_calibration
from textnb.classifier.inputs import as_documents, as_labelled
from textnb.classifier.recipe import SAMPLE, ClassifierRecipe, differing
from textnb.counts import Counted, Learnt, counted
from textnb.decisions import Costs, decision_rule
from textnb.errors import InputError, ModelFileError, NotFittedError, TextnbError, UntrustedError
from textnb.files.model_file import Calibrated, ModelContent, read_model, write_model
from textnb.models.model import Fit
from textnb.models.prior import Prior
from textnb.models.registry import model as model_of
from textnb.numerics import Floats, most_probable
from textnb.readers import Document
from textnb.text import Analyzer, Tokenizer, as_tokenizer

_log = logging.getLogger("textnb")
Texts = Iterable[str | Document]
_ENTRIES = 1_000_000
"""Non-zero counts held at once while answering, 8 MB."""


class TextClassifier:
    """A classifier of texts, which learns, forgets, answers, explains, and is kept in one file.

    model: a name (``multinomial``, ``complement``, ``bernoulli``, ``compound``, ``gaussian``, ``unb``, ``mail`` ...) or
    an estimator of ``textnb.estimators``, with its parameters. alpha: how words not seen in a class are allowed for; a
    number (additive smoothing, 0 is maximum likelihood), or ``evidence``, ``evidence-class``, ``evidence-unigram``,
    ``evidence-document``, ``leave-one-out``: set by the training documents themselves. tokenizer: a name, a Tokenizer
    or a function at the top of a module. analyzer: an Analyzer (normalisers, n-grams, choice of terms). weighting:
    ``raw``, ``binary``, ``log`` or ``tfidf``, with ``-l2`` at the end for documents of equal length; by default what
    suits the model, ``log`` for most. prior: ``empirical``, ``uniform``, or the probability of each class. calibrate:
    make probabilities mean what they say, by documents left out of the statistics. sample: about how many documents'
    word counts are kept for that; with 0 none is, and what is learnt later leaves the calibration as it was.

    >>> clf = TextClassifier().fit(["犬が走る", "雨が降る"], ["animals", "weather"])
    >>> clf.predict(["犬が好き"])
    array(['animals'], dtype=object)

    A text without any known word gets the prior. Several threads may ask at once; only one may change it.
    """

    def __init__(  # noqa: PLR0913  # all but the first by name
        self,
        model: Any = "multinomial",
        *,
        alpha: float | str = "evidence",
        tokenizer: str | Tokenizer | Callable[[str], list[str]] = "auto",
        analyzer: Analyzer | None = None,
        weighting: str | None = None,
        prior: Prior = "empirical",
        calibrate: bool = True,
        sample: int = SAMPLE,
    ) -> None:
        told = {"model": model, "alpha": alpha, "prior": prior, "weighting": weighting, "options": {}}
        if not isinstance(model, str):
            told = _told_by(model, told)
        tokenizer = as_tokenizer(tokenizer)
        analyzer = analyzer if analyzer is not None else Analyzer(**model_of(told["model"]).terms)
        self.recipe = ClassifierRecipe(
            tokenizer=tokenizer, analyzer=analyzer, calibrate=calibrate, sample=sample, **told
        )
        self.take(Learnt.zero(self.recipe.weights.unit, self.recipe.keeps), None)

    def fit(self, texts: Texts, labels: Iterable[str] | None = None, *, jobs: int = 1) -> "TextClassifier":
        """Learn from nothing but these. Labels may be left out where Documents carry their own."""
        learnt = self.recipe.learnt(as_labelled(texts, labels), jobs)
        if not learnt.counts.classes:
            raise InputError("there are no documents to learn from")
        return self.take(learnt, None)

    def update(self, texts: Texts, labels: Iterable[str] | None = None, *, jobs: int = 1) -> "TextClassifier":
        """Learn these too; new words and new classes are welcome. The same as having fitted all at once."""
        return self.change(self.learnt + self.recipe.learnt(as_labelled(texts, labels), jobs))

    def forget(self, texts: Texts, labels: Iterable[str] | None = None, *, jobs: int = 1) -> "TextClassifier":
        """Forget documents that were learnt under these labels; the same as never having seen them.

        If one of them was never learnt, NotLearntError is raised and nothing changes.
        """
        return self.change(self.learnt - self.recipe.learnt(as_labelled(texts, labels), jobs))

    def merge(self, other: "TextClassifier") -> "TextClassifier":
        """Learn all that another classifier of the same recipe has learnt."""
        if not isinstance(other, TextClassifier):
            raise InputError(f"a TextClassifier merges with another, not with {type(other).__name__} {other!r}")
        mine, theirs = self.recipe.json, other.recipe.json
        for part, value in mine.items():
            if repr(value) != repr(theirs[part]):
                raise InputError(
                    f"the recipes differ in {differing(part, value, theirs[part])}, so there is no merging"
                )
        return self.change(self.learnt + other.learnt)

    def calibrate(self, texts: Texts, labels: Iterable[str] | None = None, *, jobs: int = 1) -> "TextClassifier":
        """Make probabilities mean what they say for documents like these, none of which has been learnt.

        This calibration takes the place of the one by learnt documents left out, and stays when more is learnt or
        forgotten (``calibration_state`` is then ``stale``), unless the classes change.
        """
        return self.calibrate_counted(counted(as_labelled(texts, labels), self.recipe.terms_of, jobs=jobs))

    def calibrate_counted(self, parts: Iterable[Counted]) -> "TextClassifier":
        """The same with documents that have been counted already."""
        found, number = held_out_calibration(self.fitted, self.learnt, parts)
        return self.take(self.learnt, Calibrated(found, self.learnt.fingerprint, number), self.fitted.fit)

    @property
    def classes_(self) -> NDArray[np.object_]:
        """The labels, sorted; the order of the columns of probabilities."""
        return np.array(self.fitted.classes, object)

    def predict(self, texts: Texts, *, jobs: int = 1) -> NDArray[np.object_]:
        """The most probable label of each text, (D,)."""
        return self.classes_[most_probable(self.predict_log_proba(texts, jobs=jobs))]

    def decide(
        self, texts: Texts, *, unsure: float | None = None, costs: Costs | None = None, jobs: int = 1
    ) -> NDArray[np.object_]:
        """The label of each text, or None where there is none to answer with, (D,).

        unsure: None where the most probable label has a probability below this. costs: the label of least expected
        cost, or None where being unsure costs less (``textnb.evaluation.Costs``, ``read_costs``).

        >>> clf = TextClassifier(tokenizer="words").fit(["good fun", "bad fun"], ["pos", "neg"])
        >>> clf.decide(["good good", "fun"], unsure=0.6)
        array(['pos', None], dtype=object)
        """
        classes = self.fitted.classes
        rule = decision_rule(classes, unsure, costs)
        return np.array([*classes, None], object)[rule(self.predict_proba(texts, jobs=jobs))]  # UNSURE is the last

    def predict_proba(self, texts: Texts, *, jobs: int = 1) -> Floats:
        """The probability of each label, (D, C)."""
        return np.asarray(np.exp(self.predict_log_proba(texts, jobs=jobs)))

    def predict_log_proba(self, texts: Texts, *, jobs: int = 1) -> Floats:
        """The logarithm of the probability of each label, (D, C)."""
        parts = [rows for _, rows in self.fitted.scored(as_documents(texts), jobs, _ENTRIES)]
        return np.concatenate([np.empty((0, len(self.fitted.classes))), *parts])

    def explain(self, text: str | Document, label: str | None = None, against: str | None = None) -> Explanation:
        """What each word adds to the score of ``label`` over ``against``; by default the two likeliest labels.

        >>> clf = TextClassifier(tokenizer="words").fit(["good fun", "bad fun"], ["pos", "neg"])
        >>> [(c.term, round(c.value, 2)) for c in clf.explain("good fun").contributions]
        [('good', 0.37), ('fun', 0.0)]
        """
        (document,) = as_documents([text])
        return self.fitted.explanation(document, label, against)

    def save(self, path: str | Path) -> None:
        """Write the model file, as a whole or not at all."""
        costly = self._fitted is not None and model_of(self.recipe.model).needs_rows
        fit = self.fitted.fit if costly else None
        write_model(path, ModelContent(self.recipe.json, self.learnt, self._calibrated, fit))

    @classmethod
    def load(cls, path: str | Path, trust: Collection[str] = ()) -> "TextClassifier":
        """The classifier in a model file. A tokenizer that is a Python function must be named in ``trust``."""
        json, learnt, calibrated, fit = read_model(path)
        try:
            return cls.of(ClassifierRecipe.of(json, trust), learnt, calibrated, fit)
        except UntrustedError as error:
            raise UntrustedError(f"{path}: {error}") from error
        except (TextnbError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ModelFileError(f"{path}: its recipe cannot be followed: {error}") from error

    @classmethod
    def of(
        cls,
        recipe: ClassifierRecipe,
        learnt: Learnt,
        calibrated: Calibrated | None = None,
        fit: Fit | None = None,
    ) -> "TextClassifier":
        """The classifier of a recipe and a learnt value; what was fitted to it before is taken over."""
        classifier = cls.__new__(cls)
        classifier.recipe = recipe
        return classifier.take(learnt, calibrated, fit)

    @property
    def fitted(self) -> Fitted:
        """The scorer and its vocabulary."""
        if self._fitted is None:
            raise NotFittedError("nothing has been learnt yet; fit the classifier first")
        return self._fitted

    def change(self, learnt: Learnt, *, refit: str = "now") -> "TextClassifier":
        """Take over what has become of the learnt value; if no scorer can be made of it nothing changes.

        refit: ``now``, so that all depends on what was learnt and not on the way to it; ``when due`` or ``never``: what
        a model can draw from counts follows at once, the rest of its fit and the calibration stay, ``when due`` until a
        20th of the documents is new. Of the models ``mail`` knows this. ``change(self.learnt)`` fits all again.
        """
        if self.recipe.keeps.examples and learnt.examples is None:
            raise InputError(
                f"the {self.recipe.model} model keeps no documents (sample=0), and needs them to learn more, to forget "
                "or to merge; train it again"
            )
        same_classes = learnt.counts.classes == self.learnt.counts.classes
        kept = earlier(self._fitted, self.learnt, learnt, refit)
        return self.take(learnt, self._calibrated if same_classes else None, kept)

    def take(self, learnt: Learnt, before: Calibrated | None, fit: Fit | Earlier | None = None) -> "TextClassifier":
        """Take over a learnt value, if a scorer can be made of it; else nothing changes.

        before: the calibration there was, of the same classes, for want of documents to fit a newer one on. fit: what
        was fitted to this learnt value, if that is at hand, or to one before, to be renewed.
        """
        fitted, calibrated = None, None
        if learnt.counts.classes:
            fitted = Fitted(self.recipe, learnt, fit)
            if self.recipe.calibrate or (before is not None and before.held_out):
                calibrated = self._recalibrated(learnt, fitted, before)
            if calibrated is not None:
                fitted = fitted.calibrated(calibrated.calibration)
        else:
            learnt = Learnt.zero(self.recipe.weights.unit, self.recipe.keeps)  # what is learnt first is calibrated by
        self.learnt = learnt if self.recipe.sample or fitted is None else learnt.without_documents()
        self._fitted, self._calibrated = fitted, calibrated
        return self

    @property
    def calibration_state(self) -> str:
        """``calibrated``; ``held-out``, by documents not learnt; ``stale``, if older than the counts; or ``none``."""
        if self._calibrated is None or self._calibrated.calibration is None:
            return "none"
        if self._calibrated.of != self.learnt.fingerprint:
            return "stale"
        return "held-out" if self._calibrated.held_out else "calibrated"

    def _recalibrated(self, learnt: Learnt, fitted: Fitted, before: Calibrated | None) -> Calibrated:
        """The calibration for a learnt value: the one there is if it fits, a new one, or the old one for want of it."""
        fingerprint = learnt.fingerprint
        if before is not None and (before.of == fingerprint or fitted.fit.since):  # it belongs to the fit
            return before
        if before is not None and before.held_out:
            _log.info("the calibration is that of %d held-out documents before this change", before.held_out)
            return before
        try:
            return Calibrated(calibration(self.recipe, learnt, fitted), fingerprint)
        except InputError as why:
            kept = learnt.sample is not None or learnt.examples is not None
            if before is None or before.calibration is None or kept:
                _log.info("probabilities are not calibrated: %s", why)
                return Calibrated(None, fingerprint)
            _log.info("the calibration is that of what had been learnt before: %s", why)
            return before

    def __repr__(self) -> str:
        learnt = f"{len(self.learnt.digests)} documents of {self.learnt.counts.n_classes} classes"
        return f"<TextClassifier {self.recipe.model}, {self.recipe.tokenizer!r}, {learnt}>"


def _told_by(estimator: Any, told: dict[str, Any]) -> dict[str, Any]:
    """What an estimator of textnb's says of the model; the arguments that it answers for must not be given too."""
    if isinstance(estimator, type) or not hasattr(estimator, "_text_recipe"):
        raise InputError(f"model must be a name or an estimator of textnb.estimators for counts, not {estimator!r}")
    answered = {name: value for name, value in estimator._text_recipe().items() if value is not None}
    defaults = {"alpha": "evidence", "prior": "empirical", "weighting": None}
    for name, default in defaults.items():
        if name in answered and told[name] != default:
            raise InputError(f"{name} is given twice: leave it to {estimator!r}")
    return {**told, **answered}
