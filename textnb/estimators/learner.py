"""The shared part of every estimator: statistics are added up, a model is fitted to them, its scorer answers.

An estimator is put together from three choices, each a base class:

    which rows it reads         CountRows, RealRows or CategoryRows
    how it learns               Incremental, if it also learns in parts
    how it answers              Classifier (probabilities), Discriminant (``decision_function``), or both

and adds what it learns from the rows (``_statistics``) and what it fits to that (``_fitted``). fit, partial_fit and
every question are written once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.contingency import Contingency, as_categories
from textnb.counts.labels import Labels, Weights, as_weight, class_codes, labelled_rows
from textnb.counts.matrix import CSR, Matrix
from textnb.counts.moments import as_reals
from textnb.errors import InputError, NotFittedError, listed
from textnb.estimators.scikit_learn import (
    Estimator,
    Names,
    as_count_rows,
    as_labels,
    as_matrix,
    check_columns,
    check_not_continuous,
    column_names,
    counterpart,
    label_array,
)
from textnb.models.prior import is_balanced
from textnb.models.registry import model
from textnb.models.rows import Labelled
from textnb.models.scorer import LinearScorer, Scorer
from textnb.models.smoothing import OF_DOCUMENTS, Smoothing, smoothing
from textnb.numerics import Floats

Alpha = ArrayLike | str
"""A number, one per term, or the name of a way to find it."""

_ALPHA_OF_DOCUMENTS = (
    "this model does not accept alpha={alpha!r}, which needs single documents; "
    "use a number, 'evidence', 'evidence-class' or 'evidence-unigram'"
)
_NOT_FITTED = "this {name} has not been fitted; call fit first"

ANY = "any"
"""Value of ``classes`` in ``partial_fit`` that lets new classes appear."""
_NO_CLASSES = (
    "classes must be passed on the first call to partial_fit: name all of them, or use classes='any' if more may appear"
)
_OTHER_CLASSES = (
    "`classes={given}` is not the same as on last call to partial_fit, which was {known}; "
    "leave it out, or use classes='any' if new ones may appear"
)
_UNKNOWN_LABELS = (
    "The target label(s) {unknown} in y do not exist in the initial classes {known}; "
    "use classes='any' if new ones may appear"
)


_OPTIONS_NAMED_OTHERWISE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "balanced": ("class_weight", is_balanced),
    "prune": ("prune", lambda share: 1.0 if share is None else share),
}
"""Options of text models that an estimator has under another name or with other values; all others are its own."""


class Summable(Protocol):
    """Statistics that add up over equal classes."""

    @property
    def classes(self) -> tuple[Any, ...]:
        """The C classes."""

    @property
    def documents(self) -> NDArray[Any]:
        """Weight of the documents of each class, (C,)."""

    def on_classes(self, classes: tuple[Any, ...]) -> Any:
        """Return these statistics among more classes."""

    def __add__(self, other: Any) -> Any: ...


class Learner(Estimator):
    """A classifier fitted to statistics; its scores need not be probabilities.

    Attributes
    ----------
    classes_ : array (C,)
        The classes, sorted.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of str
        Names of the columns, if X was a data frame with names.
    scorer_ : Scorer
        The fitted model.
    """

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: Names
    scorer_: Scorer

    _numeric = True  # the model reads numbers only
    _text_model = ""  # name of the text model of the same kind, if there is one

    def _as_rows(self, matrix: Any) -> Any:
        """The checked rows that the model reads, from a matrix."""
        raise NotImplementedError

    def _statistics(self, rows: Any, y: Labels, sample_weight: Weights | None) -> Summable:
        """Statistics of the rows."""
        raise NotImplementedError

    def _fitted(self, statistics: Any) -> dict[str, Any]:
        """Attributes of the fitted model, ``scorer_`` among them."""
        raise NotImplementedError

    def _kept(self, statistics: Any) -> dict[str, Any]:  # noqa: ARG002  # Incremental keeps them
        """Attributes that keep statistics after fit."""
        return {}

    def _as_scored(self, rows: Any) -> Any:
        """Rows as the scorer reads them."""
        return rows

    def fit(self, X: Matrix, y: Labels, sample_weight: Weights | None = None) -> Self:
        """Learn from labelled rows; what was learnt before is forgotten.

        Parameters
        ----------
        X : matrix (D, F)
            Array, sparse matrix, list of rows or data frame.
        y : array-like (D,)
            Labels of one kind: strings, whole numbers or booleans.
        sample_weight : array-like (D,), optional
            Weights of the rows, not negative; a weight of 2 is a row given twice.
        """
        return self._learn(X, y, ANY, sample_weight, None)

    def predict(self, X: Matrix) -> NDArray[Any]:
        """Return the class with the largest score for each row of X (D, F), (D,); the first of equals."""
        rows = self._asked(X)
        return self.classes_[self.scorer_.most_probable(rows)]

    def score(self, X: Matrix, y: Labels, sample_weight: Weights | None = None) -> float:
        """Return the accuracy on labelled rows: the proportion, by weight, whose label is predicted."""
        truth = as_labels(y, type(self).__name__)
        truth = label_array(tuple(truth)) if isinstance(truth, (list, tuple)) else truth
        found = self.predict(X)
        if truth.shape != found.shape:
            raise InputError("X has {rows} rows, y has {labels} labels", rows=len(found), labels=len(truth))
        weight = np.ones(len(found)) if sample_weight is None else as_weight(sample_weight, len(found))
        if not weight.sum() > 0:
            raise InputError("there is nothing to score: X has no rows, or every sample_weight is zero")
        return float(np.average(found == truth, weights=weight))

    def _repr_html_(self) -> str:
        """Return the estimator as HTML for notebooks: its parameters, and what it was fitted to."""
        from textnb.estimators.notebook import estimator_html

        return estimator_html(self)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier", target_tags=TargetTags(required=True), classifier_tags=ClassifierTags()
        )

    def _learn(
        self,
        X: Matrix,
        y: Labels,
        classes: Labels | str | None,
        sample_weight: Weights | None,
        before: Summable | None,
    ) -> Self:
        """Add the rows to the statistics ``before`` and fit; nothing changes if fitting fails."""
        names, matrix = column_names(X), as_matrix(X, numeric=self._numeric)
        if before is not None:
            self._check_columns(matrix, names)
            names = vars(self).get("feature_names_in_")
        rows = self._as_rows(matrix)
        part = self._statistics(rows, as_labels(y, type(self).__name__), sample_weight)
        check_not_continuous(part.classes)
        statistics = merged(before, part, classes)
        if not statistics.documents.sum() > 0:
            raise InputError("there is nothing to learn from: X has no rows, or every sample_weight is zero")
        fitted = {
            "n_features_in_": int(rows.shape[1]),
            "classes_": label_array(statistics.classes),
            **({} if names is None else {"feature_names_in_": names}),
            **self._kept(statistics),
            **self._fitted(statistics),
        }
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        vars(self).update(fitted)
        return self

    def _text_recipe(self) -> dict[str, Any]:
        """Model, alpha, prior and options of the text classifier that the estimator describes."""
        given = {part: getattr(self, part) for part in ("alpha", "prior") if hasattr(self, part)}
        options = {}
        for option in model(self._text_model).options:
            parameter, converted = _OPTIONS_NAMED_OTHERWISE.get(option, (option, None))
            value = getattr(self, parameter)
            options[option] = value if converted is None else converted(value)
        return {"model": self._text_model, **given, "options": options}

    def _check_fitted(self) -> None:
        if "scorer_" not in vars(self):
            raise counterpart(NotFittedError)(_NOT_FITTED.format(name=type(self).__name__))

    def _asked(self, X: Matrix) -> Any:
        """Checked rows of X as the scorer reads them."""
        self._check_fitted()
        matrix = as_matrix(X, numeric=self._numeric)
        self._check_columns(matrix, column_names(X))
        return self._as_scored(self._as_rows(matrix))

    def _check_columns(self, matrix: Any, names: Names | None) -> None:
        fitted = vars(self).get("feature_names_in_")
        check_columns(type(self).__name__, self.n_features_in_, fitted, matrix.shape[1], names)


def smoothing_of_counts(alpha: Alpha, counts: ClassCounts) -> Smoothing:
    """Smoothing that needs no single documents: numbers as given, or found from the counts."""
    if isinstance(alpha, str) and alpha in OF_DOCUMENTS:
        raise InputError(_ALPHA_OF_DOCUMENTS, alpha=alpha)
    return smoothing(alpha, counts)


def class_counts(rows: CSR, y: Labels, sample_weight: Weights | None, *, containing: bool = False) -> ClassCounts:
    """Counts of checked rows by class."""
    names, codes, weight = labelled_rows(rows.shape[0], y, None, sample_weight)
    return ClassCounts.of_checked(rows, codes, names, weight, containing=containing)


def merged(before: Summable | None, part: Summable, classes: Labels | str | None) -> Any:
    """Statistics learnt before plus a part, on the classes that ``partial_fit`` allows."""
    known = () if before is None else before.classes
    if isinstance(classes, str) and classes == ANY:
        every, _ = class_codes([*known, *part.classes])
    else:
        every = _named_classes(None if before is None else known, classes)
        unknown = set(part.classes) - set(every)
        if unknown:
            raise InputError(_UNKNOWN_LABELS, unknown=listed(map(repr, unknown)), known=listed(map(repr, every)))
    part = part.on_classes(every)
    return part if before is None else before.on_classes(every) + part


def _named_classes(known: tuple[Any, ...] | None, classes: Labels | None) -> tuple[Any, ...]:
    """Classes of a call of ``partial_fit``: named at the first, the same or left out later."""
    if classes is None:
        if known is None:
            raise InputError(_NO_CLASSES)
        return known
    if isinstance(classes, str):
        raise InputError("classes must be a list of classes or 'any', not {given!r}", given=classes)
    named, codes = class_codes(classes)
    if known is not None and (named != known or len(codes) != len(named)):
        given = listed(map(repr, np.asarray(classes, object).tolist()))
        raise InputError(_OTHER_CLASSES, given=given, known=listed(map(repr, known)))
    return named


class Incremental(Learner):
    """A learner that also learns in parts.

    Attributes
    ----------
    statistics_ : object
        What has been learnt; more rows are added to it.
    """

    statistics_: Any

    def partial_fit(
        self, X: Matrix, y: Labels, classes: Labels | str | None = None, sample_weight: Weights | None = None
    ) -> Self:
        """Learn from more rows; learning in parts gives what ``fit`` gives on the whole.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``, with the columns of earlier calls.
        classes : array-like or "any", optional
            All classes, at the first call; later it is left out or the same. ``any`` allows new classes in this call,
            whatever was named before.
        """
        return self._learn(X, y, classes, sample_weight, vars(self).get("statistics_"))

    def _kept(self, statistics: Any) -> dict[str, Any]:
        return {"statistics_": statistics}


class Classifier(Learner):
    """A learner whose scores are log probabilities."""

    def predict_log_proba(self, X: Matrix) -> Floats:
        """Return log p(class | row) of X (D, F), (D, C), with columns in the order of ``classes_``."""
        rows = self._asked(X)
        return self.scorer_.log_posterior(rows)

    def predict_proba(self, X: Matrix) -> Floats:
        """Return p(class | row) of X (D, F), (D, C), with columns in the order of ``classes_``."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_joint_log_proba(self, X: Matrix) -> Floats:
        """Return log p(row, class) of X (D, F), (D, C), up to a number that is equal for all classes."""
        rows = self._asked(X)
        return self.scorer_.joint_log_scores(rows)


class Discriminant(Learner):
    """A learner whose scores rank the classes and need not be probabilities."""

    def decision_function(self, X: Matrix) -> Floats:
        """Return the scores of X (D, F), (D, C); for two classes the second's minus the first's, (D,)."""
        rows = self._asked(X)
        scores = self.scorer_.joint_log_scores(rows)
        return np.asarray(scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores)


class LinearWeights(Learner):
    """A learner with weights W (C, V) and bias b (C,), one row for every class."""

    @property
    def coef_(self) -> Floats:
        """W (C, V)."""
        return self._linear.weights

    @property
    def intercept_(self) -> Floats:
        """b (C,)."""
        return self._linear.bias

    @property
    def _linear(self) -> LinearScorer:
        """The fitted linear scorer: the model's own, or the one inside it."""
        self._check_fitted()
        scorer: Any = self.scorer_
        linear: LinearScorer = getattr(scorer, "linear", scorer)
        return linear


class CountRows(Learner):
    """A learner of count matrices X (D, V), dense or sparse; its statistics are ClassCounts, or the rows."""

    _containing = False  # the model asks how many documents contain a term
    _keeps_rows = False  # the model needs the rows themselves
    _reads_float32 = False  # the model only adds and multiplies the rows, in double precision

    def _as_rows(self, matrix: Any) -> CSR:
        return as_count_rows(matrix, type(self).__name__, keep_float32=self._reads_float32)

    def _statistics(self, rows: CSR, y: Labels, sample_weight: Weights | None) -> Summable:
        if self._keeps_rows:
            return Labelled.of_checked(rows, y, None, sample_weight)
        return class_counts(rows, y, sample_weight, containing=self._containing)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # scikit-learn scores on clouds of points, which are not counts
        return tags


class RealRows(Learner):
    """A learner of numbers of either sign, X (D, V), dense or sparse; its statistics are the rows themselves."""

    def _as_rows(self, matrix: Any) -> Any:
        return as_reals(matrix)

    def _statistics(self, rows: Any, y: Labels, sample_weight: Weights | None) -> Summable:
        return Labelled.of_checked(rows, y, None, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class CategoryRows(Incremental):
    """A learner of tables of categories, strings or numbers; its statistics are contingency tables."""

    _numeric = False

    def _as_rows(self, matrix: Any) -> NDArray[Any]:
        return as_categories(matrix)

    def _statistics(self, rows: NDArray[Any], y: Labels, sample_weight: Weights | None) -> Summable:
        return Contingency.of(rows, y, sample_weight=sample_weight)

    def _as_scored(self, rows: NDArray[Any]) -> CSR:
        tables: Contingency = self.statistics_
        return tables.indicators(rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags
