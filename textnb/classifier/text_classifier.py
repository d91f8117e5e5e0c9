"""TextClassifier: texts in, labels out. Its recipe never changes; learning replaces its state."""

from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from textnb.classifier.explanation import Explanation
from textnb.classifier.fitted import Fitted
from textnb.classifier.inputs import Source, Texts, as_documents, as_source, note_digests
from textnb.classifier.recipe import SAMPLE, ClassifierRecipe, differing
from textnb.classifier.state import State, calibrate_state, empty_state, fit_state, restored_state
from textnb.counts import Counted, CountedWhereRead, Learnt, counted
from textnb.counts.counting import ENTRIES
from textnb.decisions import ClassThresholds, Costs, Rule, check_precision, decision_rule
from textnb.document import Document
from textnb.errors import InputError, ModelFileError, NotFittedError, TextnbError, UntrustedError
from textnb.files.model_file import ModelContent, read_model, write_model
from textnb.models.model import Need
from textnb.models.prior import Prior
from textnb.models.registry import model as model_of
from textnb.models.smoothing import LOG_LOSS
from textnb.numerics import Floats, most_probable
from textnb.text import Analyzer, Tokenizer, as_tokenizer

if TYPE_CHECKING:
    from textnb.classifier.facts import TermScore
    from textnb.evaluation import Evaluation

_NO_PRECISION = (
    "a precision cannot be promised without left-out documents: {why}; train on more documents with --sample (sample=) "
    "above 0, or use a threshold for being unsure"
)

ANSWER_ENTRIES = 1_000_000
"""Non-zero counts held at once while answering, 8 MB."""


class TextClassifier:
    """A classifier of texts: it learns, forgets, answers, explains, and is kept in one file.

    A text without any known word gets the prior. Several threads may ask at once; only one may change the classifier.

    Parameters
    ----------
    model : str or estimator
        Name of a model (``textnb models`` lists them), or an estimator of ``textnb.estimators`` with its parameters.
    alpha : float or str, optional
        Smoothing of words that a class has not seen: a number (additive smoothing; 0 is maximum likelihood), or
        ``evidence``, ``evidence-class``, ``evidence-unigram``, ``evidence-document``, ``leave-one-out``, which find it
        from the training documents. They need counts; with weightings in ``-l2`` use a number or ``log-loss``, the
        smallest log loss of left-out documents. None: ``evidence``, or ``log-loss`` with ``-l2``.
    tokenizer : str, Tokenizer or callable
        Name of a tokenizer, a Tokenizer, or a function at the top level of a module.
    analyzer : Analyzer, optional
        Normalisers, n-grams and selection of terms.
    weighting : str, optional
        ``raw``, ``binary``, ``log`` or ``tfidf``, followed by ``-l2`` for documents of equal length. None: the model's
        default, mostly ``log``.
    prior : str, mapping or sequence
        ``empirical``, ``uniform``, or the probability of each class.
    calibrate : bool
        Calibrate probabilities on training documents left out of the statistics.
    sample : int
        About how many documents' word counts are kept for the calibration. With 0 none is kept, and learning more
        leaves the calibration as it is.

    Examples
    --------
    >>> clf = TextClassifier().fit(["犬が走る", "雨が降る"], ["animals", "weather"])
    >>> clf.predict(["犬が好き"])
    array(['animals'], dtype=object)
    """

    recipe: ClassifierRecipe
    state: State

    def __init__(  # noqa: PLR0913  # all but the first by name
        self,
        model: Any = "multinomial",
        *,
        alpha: float | str | None = None,
        tokenizer: str | Tokenizer | Callable[[str], list[str]] = "auto",
        analyzer: Analyzer | None = None,
        weighting: str | None = None,
        prior: Prior = "empirical",
        calibrate: bool = True,
        sample: int = SAMPLE,
    ) -> None:
        chosen = {"model": model, "alpha": alpha, "prior": prior, "weighting": weighting, "options": {}}
        if not isinstance(model, str):
            chosen = _chosen_by(model, chosen)
        tokenizer = as_tokenizer(tokenizer)
        analyzer = analyzer if analyzer is not None else Analyzer(**model_of(chosen["model"]).analyzer)
        self.recipe = ClassifierRecipe(
            tokenizer=tokenizer, analyzer=analyzer, calibrate=calibrate, sample=sample, **chosen
        )
        self.state = empty_state(self.recipe)

    @classmethod
    def from_recipe(cls, recipe: ClassifierRecipe) -> "TextClassifier":
        """Return a classifier of a recipe that has learnt nothing yet."""
        classifier = cls.__new__(cls)
        classifier.recipe, classifier.state = recipe, empty_state(recipe)
        return classifier

    def fit(self, texts: Texts, labels: Iterable[str] | None = None, *, jobs: int = 1) -> "TextClassifier":
        """Learn from these documents only.

        Parameters
        ----------
        texts : iterable of str, Document or Counted
            Texts; or counted parts (``textnb.counts``) made with this classifier's tokenizer and analyzer.
        labels : iterable of str, optional
            The label of each text. None: Documents and counted parts carry their own.
        jobs : int
            Number of threads or processes; 0 means one per processor.

        Returns
        -------
        TextClassifier
            This classifier. If fitting fails, nothing changes.
        """
        learnt = self.recipe.learnt(as_source(texts, labels), jobs)
        if not learnt.counts.classes:
            raise InputError("there are no documents to learn from")
        self.state = fit_state(self.recipe, learnt)
        return self

    def update(
        self, texts: Texts, labels: Iterable[str] | None = None, *, refit: str = "now", jobs: int = 1
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
        return self._revise(as_source(texts, labels), iter(()), refit, jobs)

    def forget(
        self, texts: Texts, labels: Iterable[str] | None = None, *, refit: str = "now", jobs: int = 1
    ) -> "TextClassifier":
        """Forget documents that were learnt under these labels; the result equals never having seen them.

        If one of them was never learnt, NotLearntError is raised and nothing changes. Parameters as in ``update``.
        """
        return self._revise(iter(()), as_source(texts, labels), refit, jobs)

    def revise(self, *, add: Texts = (), remove: Texts = (), refit: str = "now", jobs: int = 1) -> "TextClassifier":
        """Forget labelled documents and learn others in one step; parameters as in ``update``."""
        return self._revise(as_source(add), as_source(remove), refit, jobs)

    def _revise(self, add: Source, remove: Source, refit: str, jobs: int) -> "TextClassifier":
        removed, added = self.recipe.learnt(remove, jobs), self.recipe.learnt(add, jobs)
        learnt = self.learnt
        if removed.counts.classes:
            learnt = learnt - removed
        if added.counts.classes:
            learnt = learnt + added
        self.state = fit_state(self.recipe, learnt, self.state, refit=refit)
        return self

    def merge(self, other: "TextClassifier") -> "TextClassifier":
        """Learn all that another classifier of the same recipe has learnt."""
        if not isinstance(other, TextClassifier):
            raise InputError("merge needs a TextClassifier, not {kind} {it!r}", kind=type(other).__name__, it=other)
        mine, theirs = self.recipe.json, other.recipe.json
        for part, value in mine.items():
            if repr(value) != repr(theirs[part]):
                where = differing(part, value, theirs[part])
                raise InputError("the recipes differ in {where}, so the models cannot be merged", where=where)
        self.state = fit_state(self.recipe, self.learnt + other.learnt, self.state)
        return self

    def refit(self) -> "TextClassifier":
        """Fit again to all that has been learnt; calibrate again unless the calibration is current or held-out."""
        self.state = fit_state(self.recipe, self.learnt, self.state)
        return self

    def calibrate(self, texts: Texts, labels: Iterable[str] | None = None, *, jobs: int = 1) -> "TextClassifier":
        """Calibrate probabilities on documents that have not been learnt; parameters as in ``fit``.

        This calibration replaces the one of learnt documents left out. It stays when more is learnt or forgotten
        (``calibration_state`` is then ``stale``), unless the classes change.
        """
        parts = counted(as_source(texts, labels), self.recipe.terms_of, jobs=jobs)
        self.state = calibrate_state(self.state, parts)
        return self

    @property
    def classes_(self) -> NDArray[np.object_]:
        """Labels, sorted; the order of the columns of probabilities."""
        return np.array(self.fitted.classes, object)

    def predict(self, texts: Texts, *, jobs: int = 1) -> NDArray[np.object_]:
        """Return the most probable label of each text, (D,)."""
        return self.classes_[most_probable(self.predict_log_proba(texts, jobs=jobs))]

    def decide(
        self,
        texts: Texts,
        *,
        unsure: float | None = None,
        costs: Costs | None = None,
        precision: float | None = None,
        jobs: int = 1,
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
        classes = self.fitted.classes
        rule = self.rule(unsure=unsure, costs=costs, precision=precision)
        return np.array([*classes, None], object)[rule(self.predict_proba(texts, jobs=jobs))]  # UNSURE is the last

    def rule(self, *, unsure: float | None = None, costs: Costs | None = None, precision: float | None = None) -> Rule:
        """Return the function from probabilities (D, C) to decisions (D,) that ``decide`` uses; parameters as there.

        A decision is the number of a class in ``classes_``, or -1 for unsure. With ``precision`` the kept documents are
        scored again, each left out; InputError says why there are none.
        """
        if precision is None:
            return decision_rule(self.fitted.classes, unsure, costs)
        check_precision(precision, unsure, costs)
        return self.precision_rule(precision)

    def precision_rule(self, precision: float) -> ClassThresholds:
        """Return the cut-offs of a precision, one per class in ``least``; infinite for a class that is not decided."""
        from textnb.classifier.held_out import left_out_answers

        check_precision(precision, None, None)
        if self.recipe.alpha == 0 or len(self.fitted.classes) == 1:
            why = "alpha is 0" if self.recipe.alpha == 0 else "the model has only one class"
            raise InputError(_NO_PRECISION, why=why)
        try:
            answers = left_out_answers(self.recipe, self.learnt, self.fitted)
        except InputError as why:
            raise InputError(_NO_PRECISION, why=why) from None
        n_classes = len(self.fitted.classes)
        return ClassThresholds.of_precision(
            precision, answers.predicted, answers.probability, answers.correct, n_classes
        )

    def predict_proba(self, texts: Texts, *, jobs: int = 1) -> Floats:
        """Return the probability of each label, (D, C)."""
        return np.asarray(np.exp(self.predict_log_proba(texts, jobs=jobs)))

    def predict_log_proba(self, texts: Texts, *, jobs: int = 1) -> Floats:
        """Return the logarithm of the probability of each label, (D, C)."""
        parts = [rows for _, rows in self.predict_parts(texts, jobs=jobs, entries=ANSWER_ENTRIES)]
        return np.concatenate([np.empty((0, len(self.fitted.classes))), *parts])

    def predict_parts(
        self, texts: Texts, *, jobs: int = 1, entries: float = ENTRIES
    ) -> Iterator[tuple[Counted, Floats]]:
        """Yield texts in their order, counted, in parts of at least ``entries`` counts, with log probabilities (D, C).

        The texts of a part are no longer held; its ``ids``, ``labels`` and counts are. With ``entries=0`` each batch
        of texts is answered as soon as it is counted.
        """
        return self.fitted.score_parts(as_source(texts, labelled=False), jobs, entries)

    def evaluate(self, texts: Texts, labels: Iterable[str] | None = None, *, jobs: int = 1) -> "Evaluation":
        """Evaluate the answers to labelled texts; parameters as in ``fit``.

        Copies of a text, and Documents of one group, count as one observation in the intervals.

        Examples
        --------
        >>> clf = TextClassifier(tokenizer="words").fit(["good fun", "bad fun"], ["pos", "neg"])
        >>> clf.evaluate(["good", "bad", "bad"], ["pos", "neg", "pos"]).accuracy
        0.6666666666666666
        """
        from textnb.evaluation import Evaluation
        from textnb.evaluation.splits import document_groups

        digests: list[bytes] = []
        source = note_digests(as_source(texts, labels), digests)
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

    def explain(
        self, text: str | Document | Counted, label: str | None = None, against: str | None = None
    ) -> Explanation:
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
        if isinstance(text, Counted):
            return self.fitted.explain(text, label, against)
        (document,) = as_documents([text])
        return self.fitted.explain(document, label, against)

    def words(self, label: str, *, by: str = "contribution", top: int = 20) -> "list[TermScore]":
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

        return typical_words(self.state, self.fitted, self.fitted.number_of(label), by, top)

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

    def save(self, path: str | Path) -> None:
        """Write the model file, as a whole or not at all."""
        state = self.state
        is_slow_to_fit = Need.ROWS in model_of(self.recipe.model).needs
        fit = state.fitted.fit if is_slow_to_fit and state.fitted is not None else None
        found = None if state.fitted is None else state.fitted.fit.smoothing
        chosen = found if self.recipe.alpha == LOG_LOSS else None
        is_old = found is not None and found.is_old
        write_model(path, ModelContent(self.recipe.json, state.learnt, state.calibrated, fit, chosen, is_old))

    @classmethod
    def load(cls, path: str | Path, trust: Collection[str] = ()) -> "TextClassifier":
        """Read a model file. A tokenizer that is a Python function must be named in ``trust``."""
        content = read_model(path)
        try:
            classifier = cls.from_recipe(ClassifierRecipe.of(content.recipe, trust))
            classifier.state = restored_state(classifier.recipe, content)
        except UntrustedError as error:
            raise UntrustedError("{path}: {error}", path=path, error=error) from error
        except (TextnbError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ModelFileError("{path}: its recipe cannot be used: {error}", path=path, error=error) from error
        return classifier

    @property
    def learnt(self) -> Learnt:
        """Statistics of all that has been learnt."""
        return self.state.learnt

    @property
    def fitted(self) -> Fitted:
        """Fitted model; NotFittedError before anything has been learnt."""
        if self.state.fitted is None:
            raise NotFittedError("nothing has been learnt yet; fit the classifier first")
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

    def __repr__(self) -> str:
        learnt = f"{len(self.learnt.digests)} documents of {self.learnt.counts.n_classes} classes"
        return f"<TextClassifier {self.recipe.model}, {self.recipe.tokenizer!r}, {learnt}>"


def _chosen_by(estimator: Any, chosen: dict[str, Any]) -> dict[str, Any]:
    """Parts of the recipe with those of an estimator, which must not be given twice."""
    if isinstance(estimator, type) or not getattr(estimator, "_text_model", ""):
        template = "model must be a name or an estimator of textnb.estimators for counts, not {given!r}"
        raise InputError(template, given=estimator)
    answered = {name: value for name, value in estimator._text_recipe().items() if value is not None}
    defaults = {"alpha": None, "prior": "empirical", "weighting": None}
    for name, default in defaults.items():
        if name in answered and chosen[name] != default:
            raise InputError("{name} is given twice; leave it to {estimator!r}", name=name, estimator=estimator)
    return {**chosen, **answered}
