"""TextClassifier: texts in, labels out, in the shape of a scikit-learn estimator.

Its parameters are kept as given (``parameters.py``); ``fit`` makes a recipe of them. Learning replaces the state.
"""

import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from textnb.classifier.choice import chosen_again, learn
from textnb.classifier.estimator import TextEstimator
from textnb.classifier.explanation import Explanation
from textnb.classifier.fitted import Fitted
from textnb.classifier.inputs import (
    Labels,
    Progress,
    Source,
    Texts,
    are_whole,
    as_source,
    as_weights,
    note_digests,
    of_frame,
    repeated,
    watched,
)
from textnb.classifier.labels import TEXT, LabelNames, LabelSet, label_of
from textnb.classifier.parameters import params_of, recipe_of
from textnb.classifier.recipe import SAMPLE, ClassifierRecipe, differing
from textnb.classifier.state import (
    State,
    calibrate_state,
    check_learns,
    empty_state,
    fit_state,
    merge_states,
    restored_state,
)
from textnb.counts import Counted, CountedWhereRead, Learnt, counted
from textnb.counts.counting import ENTRIES, peek
from textnb.counts.examples import Digests, labelled_digest
from textnb.counts.labels import Weights
from textnb.decisions import ClassThresholds, Costs, JudgedAnswers, Rule, check_precision, decision_rule
from textnb.document import Document
from textnb.errors import InputError, ModelFileError, NotFittedError, ReadingWarning, TextnbError, UntrustedError
from textnb.estimators.scikit_learn import joint_error
from textnb.files.correction import ModelReplacedError, Pending, has_journal
from textnb.files.model_file import ModelContent, read_model, write_model
from textnb.models.prior import Prior, log_prior
from textnb.models.registry import AUTO
from textnb.numerics import Floats, check_choice, most_probable
from textnb.readers.texts import as_documents
from textnb.text import Analyzer, Tokenizer, as_tokenizer
from textnb.text.tokenizers import check_savable

if TYPE_CHECKING:
    from textnb.classifier.facts import TermScore
    from textnb.classifier.suspects import SeenDocuments, Suspect
    from textnb.counts.weighting import WeightingName
    from textnb.estimators.scikit_learn import Estimator
    from textnb.evaluation import Evaluation
    from textnb.models.registry import ModelName

_OTHER_RECIPE = (
    "the recipes differ in {where}, so the models cannot be merged; train one like the other: "
    "textnb train CORPUS --like MODEL, or TextClassifier.from_recipe(model.recipe)"
)
_NO_PRECISION = (
    "a precision cannot be promised without left-out documents: {why}; train on more documents with --sample (sample=) "
    "above 0, or use a threshold for being unsure"
)

_TRIES = 100
_LEARNT = ("_recipe", "_state", "_of_file", "_file", "_digests")
"""Attributes that a pickle has as a model file, or not at all."""
ANSWER_ENTRIES = 1_000_000
"""Non-zero counts held at once while answering, 8 MB."""


class ModelFile(NamedTuple):
    """sha256 of a model file, and the digests of what was learnt in it, which stay in the file."""

    sha256: str
    digests: Digests


class TextClassifier(TextEstimator):
    """A classifier of texts: it learns, forgets, answers, explains, and is kept in one file.

    A text without any known word gets the prior. Several threads may ask at once; only one may change the classifier.
    It is a scikit-learn estimator whose X is a list of texts. ``fit`` checks the parameters before it reads a text.

    Parameters
    ----------
    model : str or estimator
        Name of a model (``textnb models`` lists them), or an estimator of ``textnb.estimators`` with its parameters.
        ``auto`` is naive Bayes that sets itself: ``fit`` chooses model, kinds of terms and smoothing by left-out
        documents, and ``recipe`` is then the one that was chosen, for ``update``, ``forget`` and ``merge`` as well.
    alpha : float or str, optional
        Smoothing of words that a class has not seen: a number (additive smoothing; 0 is maximum likelihood), or
        ``evidence``, ``evidence-class``, ``evidence-unigram``, ``evidence-document``, ``leave-one-out``, which find it
        from the training documents. They need counts; with weightings in ``-l2`` use a number or ``log-loss``, the
        smallest log loss of left-out documents. None: the model's default; with ``-l2`` ``log-loss``.
    tokenizer : str, Tokenizer or callable
        Name of a tokenizer, a Tokenizer, or a function from a text to a list of strings. To save the classifier, the
        function must be at the top level of a module.
    analyzer : Analyzer, optional
        Normalisers, kinds of terms, n-grams and selection of terms. None: the model's default.
    weighting : str, optional
        ``raw``, ``binary``, ``log`` or ``tfidf``, followed by ``-l2`` for documents of equal length. None: the model's
        default, mostly ``log``.
    prior : str, mapping or sequence
        ``empirical``, ``uniform``, or the probability of each class.
    calibrate : bool
        Calibrate probabilities on training documents left out of the statistics.
    sample : int
        Number of documents whose word counts are kept at most; models that are fitted to the documents themselves keep
        all. Up to this number, whatever is learnt, forgotten or merged equals one training, to the byte. Of more
        documents a part is kept: the counts stay exact, but after forgetting the calibration may differ from that of a
        training without the forgotten documents. With 0 none is kept: learning more leaves the calibration as it is,
        and a new class ends it with a FitWarning.
    term_budget : int, optional
        Number of terms that are counted at most, so that memory is bounded however many documents are learnt. Whenever
        there are more, those that the fewest documents contain are dropped, and begin at 0 if they come back: the
        counts are approximate, and ``facts()["dropped"]`` says by how much at most. Such a classifier cannot forget.
        Only for models that are fitted to class counts, with alpha ``evidence`` where it would be found by documents.
        ``Analyzer.max_terms`` selects terms exactly, at the end. None: all terms are counted.
    estimate, weight_norm, variance, pi, norm, complement, l2, balanced, loss, prune, stacked_from, shrinkage
        Options of single models (``textnb models NAME`` explains them); None: the model's default. A model refuses an
        option that it does not have.

    Attributes
    ----------
    classes_ : array (C,)
        Labels, sorted; of the kind that was learnt.
    alpha_ : float or array (V,)
        Smoothing in use, one number or one per term of ``vocabulary_``.
    vocabulary_ : dict
        Terms in use, each with its column.

    Examples
    --------
    >>> clf = TextClassifier().fit(["犬が走る", "雨が降る"], ["animals", "weather"])
    >>> clf.predict(["犬が好き"])
    array(['animals'], dtype=object)
    """

    _recipe: ClassifierRecipe | None = None  # of what has been learnt
    _state: State | None = None
    _given: tuple[ClassifierRecipe, dict[str, Any]] | None = None  # recipe that the parameters were made from
    _kind: str = TEXT
    _answers_in_text: bool = False
    _of_file: State
    _file: Pending | None = None
    _merged: tuple[Pending, ...] = ()
    _digests: NDArray[np.uint8] | None = None

    def __init__(  # noqa: PLR0913  # all but the first by name
        self,
        model: "ModelName | Estimator" = AUTO,
        *,
        alpha: float | str | None = None,
        tokenizer: str | Tokenizer | Callable[[str], list[str]] = "auto",
        analyzer: Analyzer | None = None,
        weighting: "WeightingName | None" = None,
        prior: Prior = "empirical",
        calibrate: bool = True,
        sample: int = SAMPLE,
        term_budget: int | None = None,
        estimate: str | None = None,
        weight_norm: bool | None = None,
        variance: str | None = None,
        pi: float | None = None,
        norm: str | None = None,
        complement: bool | None = None,
        l2: float | str | None = None,
        balanced: bool | None = None,
        loss: str | None = None,
        prune: float | None = None,
        stacked_from: float | None = None,
        shrinkage: float | str | None = None,
    ) -> None:
        self.model, self.alpha, self.tokenizer, self.analyzer = model, alpha, tokenizer, analyzer
        self.weighting, self.prior, self._calibrate, self.sample = weighting, prior, calibrate, sample
        self.term_budget = term_budget
        self.estimate, self.weight_norm, self.variance = estimate, weight_norm, variance
        self.pi, self.norm, self.complement = pi, norm, complement
        self.l2, self.balanced, self.loss, self.prune = l2, balanced, loss, prune
        self.stacked_from, self.shrinkage = stacked_from, shrinkage

    @classmethod
    def from_recipe(cls, recipe: ClassifierRecipe) -> "TextClassifier":
        """Return a classifier of a recipe that has learnt nothing yet."""
        params = params_of(recipe)
        classifier = cls(**params)
        classifier._given = recipe, params
        return classifier

    @property
    def recipe(self) -> ClassifierRecipe:
        """Checked parameters: those of what has been learnt, or else those for the next ``fit``."""
        return self.asked if self._recipe is None else self._recipe

    @recipe.setter
    def recipe(self, recipe: ClassifierRecipe) -> None:
        self._recipe = recipe

    @property
    def state(self) -> State:
        """What has been learnt, and what was fitted to it."""
        return empty_state(self.recipe) if self._state is None else self._state

    @state.setter
    def state(self, state: State) -> None:
        self._recipe, self._state = self.recipe, state

    @property
    def asked(self) -> ClassifierRecipe:
        """Recipe for the next ``fit``, of the parameters as they are now."""
        params = self.get_params(deep=False)
        if self._given is not None and all(params[name] is value for name, value in self._given[1].items()):
            return self._given[0]
        return recipe_of(params)

    def fit(
        self,
        texts: Texts,
        labels: Labels | None = None,
        sample_weight: Weights | None = None,
        *,
        text: str | None = None,
        label: str | None = None,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> "TextClassifier":
        """Learn from these documents only.

        Parameters
        ----------
        texts : iterable of str, Document or Counted, or data frame
            Texts: a list, an iterator, an array of numpy, a column of pandas, polars or pyarrow; or counted parts
            (``textnb.counts``) made with this classifier's tokenizer and analyzer.
        labels : iterable, optional
            The label of each text: strings, whole numbers or booleans, all of one kind, which answers keep. None:
            Documents and counted parts carry their own.
        sample_weight : array-like (D,), optional
            Weights of the texts, not negative. A whole weight is the number of times that the text is learnt, for every
            model. If any weight is a fraction, the class counts are weighted sums: only for models that are fitted to
            nothing else, without a calibration, and such texts cannot be forgotten.
        text, label : str, optional
            Names of the columns, if ``texts`` is a data frame.
        jobs : int
            Number of threads or processes; -1 means one per processor.
        progress : callable, optional
            Shows the progress: ``textnb.progress.bar``, tqdm's ``tqdm``, rich's ``track``, or any function that is
            called with an iterator over the documents and ``total=`` (None if unknown) and yields them.

        Returns
        -------
        TextClassifier
            This classifier. If fitting fails, nothing changes.
        """
        asked, names = self.asked, LabelNames()
        texts, labels = of_frame(texts, labels, text, label)
        source = watched(as_source(texts, labels, names=names), progress, texts)
        weights = None if sample_weight is None else as_weights(sample_weight)
        if weights is not None and are_whole(weights):
            source, weights = repeated(source, weights), None
        return self.fit_learnt(*learn(asked, source, jobs, weights), names.kind or TEXT)

    def fit_learnt(self, recipe: ClassifierRecipe, learnt: Learnt, kind: str) -> "TextClassifier":
        """Fit what was learnt by a recipe, from labels of a kind; what was learnt before is forgotten."""
        if not learnt.counts.classes:
            raise InputError("there are no documents to learn from")
        LabelSet(learnt.counts.classes, kind).check_order(recipe.prior)
        self.state, self.recipe = fit_state(recipe, learnt), recipe
        self._kind, self._file, self._merged = kind, None, ()  # nothing of files or their journals is left
        return self

    def update(
        self,
        texts: Texts,
        labels: Labels | None = None,
        *,
        refit: str = "now",
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> "TextClassifier":
        """Learn more documents; the result equals having fitted all at once.

        New words and new classes may occur. Parameters as in ``fit``, and:

        Parameters
        ----------
        refit : {"now", "when due", "never"}
            When to fit the parts of a model that do not follow from counts. ``now``: at once, so that the result does
            not depend on the order of learning. ``when due``: when a twentieth of the documents is new. Only the model
            ``mail`` has such parts; other models are always fitted at once.
        """
        names = self._names(labels)
        source = watched(as_source(texts, labels, names=names), progress, texts)
        return self._revise(source, iter(()), refit, jobs, names)

    def forget(
        self,
        texts: Texts,
        labels: Labels | None = None,
        *,
        refit: str = "now",
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> "TextClassifier":
        """Forget documents that were learnt under these labels; the result equals never having seen them.

        The counts always do; probabilities do as long as all documents are kept (``sample``).
        If one of them was never learnt, NotLearntError is raised and nothing changes. Parameters as in ``update``.
        """
        names = self._names(labels)
        source = watched(as_source(texts, labels, names=names), progress, texts)
        return self._revise(iter(()), source, refit, jobs, names)

    def forget_before(self, day: date | str, *, undated: bool = False) -> "TextClassifier":
        """Forget all documents that are older than a day; the result equals never having seen them.

        A document is as old as ``Document.received`` says, which the mail reader takes from the newest Received field,
        or else ``Document.date``, in UTC. All documents must be kept (``sample``). If none has a date, or none would be
        left, InputError is raised and nothing changes.

        Parameters
        ----------
        day : date, datetime or str
            First day that is not forgotten; a string is in ISO format, such as ``"2024-12-31"``.
        undated : bool
            Forget documents without a date as well.

        Examples
        --------
        >>> from datetime import datetime
        >>> dated = [Document("good fun", "pos", date=datetime(year, 1, 1)) for year in (2001, 2002)]
        >>> clf = TextClassifier(tokenizer="words").fit(dated)
        >>> clf.forget_before("2001-12-31").facts()["documents"]
        1
        """
        from textnb.classifier.ageing import without_older

        learnt = without_older(self.recipe, self.learnt, day, undated=undated)
        self.state = fit_state(self.recipe, learnt, self.state)
        return self

    def revise(self, *, add: Texts = (), remove: Texts = (), refit: str = "now", jobs: int = 1) -> "TextClassifier":
        """Forget labelled documents and learn others in one step; parameters as in ``update``."""
        names = self._names(None)
        return self._revise(as_source(add, names=names), as_source(remove, names=names), refit, jobs, names)

    def _names(self, labels: Labels | None) -> LabelNames:
        """Names of labels of the kind that was learnt; the labels of Documents are names."""
        has_classes = self._state is not None and bool(self._state.classes)
        takes_names = labels is None or self._answers_in_text
        return LabelNames(self._kind if has_classes else None, takes_names=takes_names)

    def _revise(self, add: Source, remove: Source, refit: str, jobs: int, names: LabelNames) -> "TextClassifier":
        forgotten, remove = peek(remove)
        if forgotten is not None:
            self.recipe.check_forgets(self.state.summary.dropped)
        if self.recipe.model == AUTO:  # nothing has been learnt yet
            recipe, learnt = learn(self.recipe, add, jobs)
            learnt = learnt - recipe.learnt(remove, jobs)
            if learnt.counts.classes:
                self.state, self.recipe = fit_state(recipe, learnt), recipe
                self._kind = names.kind or TEXT
            return self
        removed, added = self.recipe.learnt(remove, jobs), self.recipe.learnt(add, jobs)
        learnt = self.learnt
        if removed.counts.classes:
            learnt = learnt - removed
        if added.counts.classes:
            learnt = learnt + added
        self.state = fit_state(self.recipe, learnt, self.state, refit=refit)
        self._kind = names.kind or self._kind
        return self

    def check_correctable(self, classes: Sequence[str]) -> None:
        """Refuse corrections that leave classes of these names if the model could not be fitted again to them."""
        check_learns(self.recipe, has_documents=self.recipe.sample > 0)
        names = self._names(None)
        for position, name in enumerate(classes):
            names.name(name, position)
        if classes:
            log_prior(self.recipe.prior, classes, np.ones(len(classes)))

    def merge(self, other: "TextClassifier") -> "TextClassifier":
        """Learn all that another classifier of the same recipe has learnt; the order of merging does not matter.

        The result is calibrated on the kept documents of both. Calibrations on held-out documents, and those of
        classifiers that keep no documents (``sample=0``), end with a FitWarning; use ``calibrate`` then.
        """
        if not isinstance(other, TextClassifier):
            raise InputError("merge needs a TextClassifier, not {kind} {it!r}", kind=type(other).__name__, it=other)
        mine, theirs = (replace(each.recipe, choice=None).json for each in (self, other))
        for part, value in mine.items():
            if repr(value) != repr(theirs.get(part)):
                raise InputError(_OTHER_RECIPE, where=differing(part, value, theirs.get(part)))
        kind = other._kind if other.state.classes and not self.state.classes else self._kind
        if other.state.classes and other._kind != kind:
            template = "labels of the kinds {mine!r} and {theirs!r} cannot be merged"
            raise InputError(template, mine=kind, theirs=other._kind)
        recipe = self.recipe if self.recipe.choice == other.recipe.choice else replace(self.recipe, choice=None)
        self.state = merge_states(recipe, self.state, other.state)
        self.recipe, self._kind = recipe, kind
        self._merged = (*self._merged, *other._made_from)
        return self

    def refit(self, *, choose: bool = False) -> "TextClassifier":
        """Fit again to all that has been learnt; calibrate again unless the calibration is current or held-out.

        Parameters
        ----------
        choose : bool
            True to choose model and smoothing again, as ``auto`` does, by the documents that are kept. The kinds of
            terms stay: the file has no others. Recipes that need what was not kept are not tried. Only for
            ``multinomial`` and ``complement``.
        """
        if not choose:
            self.state = fit_state(self.recipe, self.learnt, self.state)
            return self
        recipe, learnt = chosen_again(self.recipe, self.learnt), self.learnt
        if not recipe.keeps.histograms:
            learnt = replace(learnt, histograms=None)
        self.state, self.recipe = fit_state(recipe, learnt), recipe
        return self

    def calibrate(
        self, texts: Texts, labels: Labels | None = None, *, jobs: int = 1, progress: Progress | None = None
    ) -> "TextClassifier":
        """Calibrate probabilities on documents that have not been learnt; parameters as in ``fit``.

        This calibration replaces the one of learnt documents left out. It stays when more is learnt or forgotten
        (``calibration_state`` is then ``stale``), unless the classes change.
        """
        source = watched(as_source(texts, labels, names=self._names(labels)), progress, texts)
        parts = counted(source, self.recipe.terms_of, jobs=jobs)
        if self.state.n_pending:
            self.refit()
        self.state = calibrate_state(self.state, parts)
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels, sorted; the order of the columns of probabilities."""
        return self._labels.array

    @property
    def _labels(self) -> LabelSet:
        return LabelSet(self.fitted.classes, TEXT if self._answers_in_text else self._kind)

    @property
    def alpha_(self) -> float | Floats:
        """Smoothing in use: a number, or one per term of ``vocabulary_``, (V,)."""
        found = self.fitted.fit.smoothing
        if found is None:
            raise AttributeError(f"model {self.recipe.model!r} has no alpha, or one per class; see facts()")
        return found.alpha if np.ndim(found.alpha) else float(found.alpha)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Terms in use, each with its column."""
        return {term: j for j, term in enumerate(self.fitted.vocabulary.terms)}

    def predict(self, texts: Texts, *, jobs: int = 1, progress: Progress | None = None) -> NDArray[Any]:
        """Return the most probable label of each text, (D,)."""
        return self.classes_[most_probable(self.predict_log_proba(texts, jobs=jobs, progress=progress))]

    def decide(
        self,
        texts: Texts,
        *,
        unsure: float | None = None,
        costs: Costs | None = None,
        precision: float | None = None,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> NDArray[np.object_]:
        """Return the label of each text, or None for an unsure answer, (D,).

        Parameters
        ----------
        unsure : float, optional
            Answer None if the most probable label has a probability below this.
        costs : Costs, optional
            Answer the label of least expected cost, or None if being unsure costs less (``textnb.evaluation.Costs``,
            ``read_costs``).
        precision : float, optional
            Answer the most probable label only above a cut-off of its own, from which on this proportion of such
            answers to left-out training documents is correct, by a 95 % confidence bound. None for labels with too few
            of them. It holds for texts like the training documents, in their proportions.

        Examples
        --------
        >>> clf = TextClassifier(tokenizer="words").fit(["good fun", "bad fun"], ["pos", "neg"])
        >>> clf.decide(["good good", "fun"], unsure=0.6)
        array(['pos', None], dtype=object)
        """
        rule = self.rule(unsure=unsure, costs=costs, precision=precision)
        P = self.predict_proba(texts, jobs=jobs, progress=progress)
        return np.array([*self.classes_.tolist(), None], object)[rule(P)]  # UNSURE is the last

    def rule(self, *, unsure: float | None = None, costs: Costs | None = None, precision: float | None = None) -> Rule:
        """Return the function from probabilities (D, C) to decisions (D,) that ``decide`` uses; parameters as there.

        A decision is the number of a class in ``classes_``, or -1 for unsure. ``precision`` uses the answers to the
        left-out documents on which the calibration was fitted, which the model file holds. If there are none, the kept
        documents are scored again, each left out; InputError says why that is not possible.
        """
        if precision is None:
            rule = decision_rule(self.fitted.classes, unsure, costs)
        else:
            check_precision(precision, unsure, costs)
            rule = self.precision_rule(precision)
        return cast("Rule", self._labels.rule(rule))

    def precision_rule(self, precision: float) -> ClassThresholds:
        """Return the cut-offs of a precision, one per class in ``least``; infinite for a class that is not decided."""
        check_precision(precision, None, None)
        if self.recipe.alpha == 0 or len(self.fitted.classes) == 1:
            why = "alpha is 0" if self.recipe.alpha == 0 else "the model has only one class"
            raise InputError(_NO_PRECISION, why=why)
        return ClassThresholds.of_precision(precision, self._judged_answers(), len(self.fitted.classes))

    def _judged_answers(self) -> JudgedAnswers:
        """Return answers to left-out documents: those of the calibration if it is current, else new ones."""
        calibrated = self.state.calibrated
        if calibrated is not None and calibrated.judged is not None and self.calibration_state == "calibrated":
            return calibrated.judged.value
        from textnb.classifier.held_out import left_out_answers

        try:
            return left_out_answers(self.recipe, self.learnt, self.fitted).judged
        except InputError as why:
            raise InputError(_NO_PRECISION, why=why) from None

    def predict_proba(self, texts: Texts, *, jobs: int = 1, progress: Progress | None = None) -> Floats:
        """Return the probability of each label, (D, C)."""
        return np.asarray(np.exp(self.predict_log_proba(texts, jobs=jobs, progress=progress)))

    def predict_log_proba(self, texts: Texts, *, jobs: int = 1, progress: Progress | None = None) -> Floats:
        """Return the logarithm of the probability of each label, (D, C)."""
        fitted = self.fitted
        source = watched(as_source(texts, labelled=False), progress, texts)
        parts = [rows for _, rows in fitted.score_parts(source, jobs, ANSWER_ENTRIES)]
        return self._labels.columns(np.concatenate([np.empty((0, len(fitted.classes))), *parts]))

    def predict_parts(
        self, texts: Texts, *, jobs: int = 1, entries: float = ENTRIES
    ) -> Iterator[tuple[Counted, Floats]]:
        """Yield texts in their order, counted, in parts of at least ``entries`` counts, with log probabilities (D, C).

        The texts of a part are no longer held; its ``ids``, ``labels`` and counts are. With ``entries=0`` each batch
        of texts is answered as soon as it is counted. The columns are in the order of ``fitted.classes``.
        """
        return self.fitted.score_parts(as_source(texts, labelled=False), jobs, entries)

    def evaluate(
        self, texts: Texts, labels: Labels | None = None, *, jobs: int = 1, progress: Progress | None = None
    ) -> "Evaluation":
        """Evaluate the answers to labelled texts; parameters as in ``fit``.

        Copies of a text, and Documents of one group, count as one observation in the intervals. The Evaluation, which
        ``textnb test`` shows, has classes by name: ``'10'`` for the label 10.

        Examples
        --------
        >>> clf = TextClassifier(tokenizer="words").fit(["good fun", "bad fun"], ["pos", "neg"])
        >>> clf.evaluate(["good", "bad", "bad"], ["pos", "neg", "pos"]).accuracy
        0.6666666666666666
        """
        from textnb.evaluation import Evaluation
        from textnb.evaluation.splits import document_groups

        digests: list[bytes] = []
        source = watched(as_source(texts, labels, names=self._names(labels)), progress, texts)
        source = note_digests(source, digests)
        parts = list(self.fitted.score_parts(source, jobs, ANSWER_ENTRIES))
        true = [label for part, _ in parts for label in part.named_labels]
        groups = document_groups(digests, [group for part, _ in parts for group in part.groups])
        classes = self.fitted.classes
        rows = np.concatenate([np.empty((0, len(classes))), *(rows for _, rows in parts)])
        return Evaluation.of(true, rows, classes, groups)

    def evaluate_left_out(self) -> "Evaluation":
        """Evaluate the answers to kept training documents, each left out of the statistics.

        InputError says why there are none.
        The calibration was fitted on the same scores, which makes it look slightly better than it is.
        """
        from textnb.classifier.held_out import left_out_log_posterior
        from textnb.evaluation import Evaluation

        labels, log_probabilities = left_out_log_posterior(self.recipe, self.learnt, self.fitted)
        return Evaluation.of(labels, log_probabilities, self.fitted.classes)

    def suspects(self, seen: "SeenDocuments | None" = None, *, top: int = 20) -> "list[Suspect]":
        """Return kept training documents whose left-out answer contradicts their label, the most confident first.

        InputError says why there are none. A model file keeps no texts: pass ``SeenDocuments`` that have watched the
        documents, here or when the model was trained, to get ids and excerpts, and suspects among these alone.

        Examples
        --------
        >>> from textnb.classifier.suspects import SeenDocuments
        >>> texts = ["good fun", "good film", "fun film good", "bad dull", "dull plot bad", "bad good fun film"]
        >>> labels = ["pos", "pos", "pos", "neg", "neg", "neg"]
        >>> seen = SeenDocuments()
        >>> documents = seen.watch(Document(text, label) for text, label in zip(texts, labels))
        >>> clf = TextClassifier("multinomial", tokenizer="words").fit(documents)
        >>> [(each.excerpt, each.label, each.predicted) for each in clf.suspects(seen)]
        [('bad good fun film', 'neg', 'pos')]
        """
        from textnb.classifier.suspects import find_suspects

        return find_suspects(self.recipe, self.learnt, self.fitted, seen, top)

    @property
    def most_confused(self) -> tuple[str, str, float] | None:
        """The most frequent kind of left-out mistake: true class, answer, and proportion of the class; None if unknown.

        It is known after training, not after loading.
        """
        found = None if self.state.left_out is None else self.state.left_out.most_confused
        return None if found is None else (self.fitted.classes[found[0]], self.fitted.classes[found[1]], found[2])

    def explain(self, text: str | Document | Counted, label: Any = None, against: Any = None) -> Explanation:
        """Explain the score of ``label`` over ``against`` by what each word adds; by default the two most probable.

        Parameters
        ----------
        text : str, Document or Counted
            A text, or a counted part with one document.

        Examples
        --------
        >>> clf = TextClassifier(tokenizer="words").fit(["good fun", "bad fun"], ["pos", "neg"])
        >>> [(c.term, round(c.value, 2)) for c in clf.explain("good fun").contributions]
        [('good', 0.37), ('fun', 0.0)]
        """
        document = text if isinstance(text, Counted) else next(as_documents([text]))
        found = self.fitted.explain(document, *(None if each is None else str(each) for each in (label, against)))
        kind = self._labels.kind
        return replace(found, label=label_of(found.label, kind), against=label_of(found.against, kind))

    def words(self, label: Any, *, by: str = "contribution", top: int = 20) -> "list[TermScore]":
        """Return the typical terms of a class, the largest value first.

        Parameters
        ----------
        by : {"contribution", "log-odds", "chi-squared"}
            ``contribution``: what the term adds to the class's score over the mean of the other classes in a typical
            document. ``log-odds`` and ``chi-squared`` depend on the counts alone.

        Examples
        --------
        >>> clf = TextClassifier(tokenizer="words").fit(["good fun", "bad fun"], ["pos", "neg"])
        >>> clf.words("pos", top=1)[0].term
        'good'
        """
        from textnb.classifier.facts import typical_words

        return typical_words(self.state, self.fitted, self.fitted.number_of(str(label)), by, top)

    def facts(self) -> dict[str, Any]:
        """Return the recipe, what has been learnt and what fitting found, as plain JSON values.

        Examples
        --------
        >>> clf = TextClassifier(tokenizer="words").fit(["good fun", "bad fun"], ["pos", "neg"])
        >>> facts = clf.facts()
        >>> facts["model"], facts["documents"], facts["smoothing"]["alpha"]
        ('multinomial', 2, 1.0)
        """
        from textnb.classifier.facts import classifier_facts

        return classifier_facts(self.recipe, self.state)

    def save(self, path: str | Path, *, stripped: bool = False) -> None:
        """Write the model file, as a whole or not at all.

        Corrections that were pending in the journal when this classifier was loaded are folded in: it is fitted again.
        If the file is the one that it was loaded from, or one that was merged into it, corrections that came later stay
        pending; those of another model are dropped.

        Parameters
        ----------
        stripped : bool
            Leave out what only learning needs: counts of all words, digests and kept documents. The model then only
            answers; it cannot learn, forget or merge, and has no typical words.
        """
        content = self._content(stripped=stripped)
        if not has_journal(path) and not self._made_from:  # SQLite is not needed
            write_model(path, content)
            return
        from textnb.files.journal import Journal

        journal = Journal(path)
        write_model(path, content, lambda new: journal.announce(new, self._made_from))
        journal.tidy()

    def _content(self, *, stripped: bool = False) -> ModelContent:
        """Content of the model file; pending corrections are folded in."""
        check_savable(self.recipe.tokenizer)
        if self.state.n_pending:
            self.refit()
        state = self.state
        return ModelContent(
            self.recipe.json,
            state.classes,
            state.known,
            state.calibrated,
            None if state.fitted is None else state.fitted.stored,
            state.stored_summary,
            stripped or state.stripped,
            label_kind=self._kind,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return parameters and the bytes of the model file, for pickle, joblib and copies."""
        check_savable(as_tokenizer(self.tokenizer) if self._recipe is None else self._recipe.tokenizer)
        kept = {name: value for name, value in vars(self).items() if name not in _LEARNT}
        if self._state is None:
            return kept
        stream = BytesIO()
        write_model(stream, self._content())
        return {**kept, "_model": stream.getvalue()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        data = kept.pop("_model", None)
        vars(self).update(kept)
        if data is not None:
            content = read_model("the pickled TextClassifier", data=data)
            tokenizer = content.recipe["tokenizer"]
            recipe = ClassifierRecipe.of(content.recipe, trust=[tokenizer["params"].get("path", "")])
            self.state, self.recipe = restored_state(recipe, content), recipe

    @classmethod
    def load(
        cls,
        path: str | Path,
        trust: Collection[str] = (),
        *,
        in_memory: bool = False,
        journal: bool = True,
        labels: str = "as learnt",
    ) -> "TextClassifier":
        """Open a model file.

        What answering needs is mapped into memory, and what only learning needs is read when it is first needed. So a
        model must be replaced by another file of its name, as ``save`` does, and not be written over or shortened.

        Parameters
        ----------
        trust : collection of str
            Tokenizers that are Python functions; they must be named here.
        in_memory : bool
            Copy what answering needs into memory, so that nothing that happens to the file can stop this process.
        journal : bool
            Read the pending corrections in its journal, too; see ``follow_journal``.
        labels : {"as learnt", "text"}
            ``text`` to answer with labels as text, whatever their kind, as the command line does.
        """
        check_choice(labels, "labels", ("as learnt", TEXT))
        for _ in range(_TRIES):
            classifier = cls._loaded(path, trust, in_memory)
            classifier._answers_in_text = labels == TEXT
            try:
                if journal:
                    classifier.follow_journal(path)
            except ModelReplacedError:  # by a process that has folded the journal into it
                continue
            return classifier
        raise ModelFileError("{path} is replaced again and again while it is read; try again", path=path)

    @classmethod
    def _loaded(cls, path: str | Path, trust: Collection[str], in_memory: bool) -> "TextClassifier":
        content = read_model(path, in_memory=in_memory)
        try:
            classifier = cls.from_recipe(ClassifierRecipe.of(content.recipe, trust))
            classifier.state = restored_state(classifier.recipe, content)
            classifier._kind = content.label_kind
        except UntrustedError as error:
            raise UntrustedError("{path}: {error}", path=path, error=error) from error
        except (TextnbError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ModelFileError("{path}: its recipe cannot be used: {error}", path=path, error=error) from error
        classifier._of_file, classifier._digests = classifier.state, content.digests
        classifier._file = Pending(content.sha256, 0) if content.sha256 else None
        return classifier

    def follow_journal(self, path: str | Path) -> "TextClassifier":
        """Read the corrections in the journal of the model file that this classifier was loaded from, as it is now.

        They are part of what has been learnt at once. Until the next fit, the counts and the prior of naive Bayes
        models follow them, and the first score of ``mail``; smoothing, selection of terms, calibration, the alphas of
        ``compound`` and the answers of other models stay. If the journal cannot be opened (no permission, or a file
        system without shared memory), the answers are those of the file, with a warning.
        """
        if self._file is None or not has_journal(path):
            return self
        from textnb.classifier.pending import with_pending
        from textnb.files.journal import Journal, JournalUnusableError

        try:
            pending = Journal(path).pending(self._file.model)
        except JournalUnusableError as error:
            message = f"{error}; the answers are those of the model file without its pending corrections"
            warnings.warn(message, ReadingWarning, stacklevel=3)
            return self
        digests = Digests.of() if self._digests is None else Digests(self._digests)
        self.state = with_pending(self.recipe, self._of_file, pending, digests)
        self._file = pending._replace(corrections=())
        return self

    @property
    def _made_from(self) -> tuple[Pending, ...]:
        """Model files that all of this was learnt from, with the last correction of each."""
        return self._merged if self._file is None else (self._file, *self._merged)

    @property
    def learnt(self) -> Learnt:
        """Statistics of all that has been learnt."""
        return self.state.learnt

    def learnt_as(self, document: Document) -> list[str]:
        """Return the classes that a document was learnt as."""
        learnt = self.learnt
        return [name for name in learnt.counts.classes if labelled_digest(document.digest, name) in learnt.digests]

    @property
    def file(self) -> "ModelFile | None":
        """Model file that this classifier was loaded from; None if there is none, or one that cannot have a journal."""
        if self._file is None or self._digests is None:
            return None
        return ModelFile(self._file.model, Digests(self._digests))

    @property
    def fitted(self) -> Fitted:
        """Fitted model; NotFittedError before anything has been learnt."""
        if self.state.fitted is None:
            raise joint_error(NotFittedError)("nothing has been learnt yet; fit the classifier first")
        return self.state.fitted

    @property
    def calibration_state(self) -> str:
        """``calibrated``; ``held-out``, on documents not learnt; ``stale``, if older than the counts; or ``none``."""
        return self.state.calibration_state

    @property
    def count_while_reading(self) -> CountedWhereRead | None:
        """Function for readers in other processes that replaces texts by counts; None if counting runs in Python."""
        terms_of = self.recipe.terms_of
        return CountedWhereRead(terms_of, self.fitted.vocabulary) if terms_of.tokenizer.counts_natively else None

    def _repr_html_(self) -> str:
        """Classifier for notebooks: its recipe as a diagram, and what fitting found."""
        from textnb.classifier.notebook import classifier_html

        return classifier_html(self.recipe, self.state)

    def __repr__(self) -> str:
        if self._state is None:
            return super().__repr__()
        documents = self.state.summary.documents
        learnt = f"{int(sum(documents))} documents of {len(documents)} classes"
        return f"<TextClassifier {self.recipe.model}, {self.recipe.tokenizer!r}, {learnt}>"
