"""What every classifier here shares: statistics are added up, a model is fitted to them, its scorer answers.

A model says three things: which rows it reads (``_as_rows``), what it learns from them (``_statistics``), and what
is fitted to that (``_fitted``). fit, partial_fit for those that learn in parts, and every question are written once.
"""

from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.contingency import Contingency, as_categories
from textnb.counts.labels import as_weight, class_codes
from textnb.counts.matrix import CSR
from textnb.errors import InputError, NotFittedError
from textnb.estimators.scikit_learn import (
    Names,
    Parameters,
    Routing,
    as_count_rows,
    as_labels,
    as_matrix,
    check_columns,
    counterpart,
    label_array,
    names_of,
    refuse_continuous,
)
from textnb.models.scorer import Scorer
from textnb.numerics import Floats, most_probable


class Summable(Protocol):
    """What is learnt: it adds up, over equal classes."""

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, C of them."""

    @property
    def documents(self) -> NDArray[Any]:
        """The weight of the documents of each class, (C,)."""

    def on_classes(self, classes: tuple[Any, ...]) -> Any:
        """The same among more classes."""

    def __add__(self, other: Any) -> Any: ...


class Learner(Routing, Parameters):
    """A classifier fitted to statistics; its scores need not be probabilities.

    After fit: ``classes_`` (sorted), ``n_features_in_``, ``feature_names_in_`` (where X is a table with names) and
    ``scorer_`` (the fitted model).
    """

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: Names
    scorer_: Scorer

    _numeric = True  # whether the model reads numbers only

    def _as_rows(self, matrix: Any) -> Any:
        """The checked rows that the model reads, of a matrix."""
        raise NotImplementedError

    def _statistics(self, rows: Any, y: Any, sample_weight: ArrayLike | None) -> Summable:
        """What the rows teach."""
        raise NotImplementedError

    def _fitted(self, statistics: Any) -> dict[str, Any]:
        """The attributes of the fitted model, ``scorer_`` among them."""
        raise NotImplementedError

    def _kept(self, statistics: Any) -> dict[str, Any]:  # noqa: ARG002  # what learns in parts keeps them
        """What of the statistics stays, by attribute."""
        return {}

    def _scored(self, rows: Any) -> Any:
        """The rows as the scorer takes them."""
        return rows

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from X (D, F) with labels y (D,), and forget what was learnt before."""
        return self._learn(X, y, None, sample_weight, None)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the largest score for each row, (D,); the first of equals."""
        rows = self._asked(X)
        return self.classes_[most_probable(self.scorer_.joint_log_scores(rows))]

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """The share of rows that get their label."""
        truth = as_labels(y, type(self).__name__)
        truth = label_array(tuple(truth)) if isinstance(truth, (list, tuple)) else truth
        found = self.predict(X)
        if truth.shape != found.shape:
            raise InputError(f"X has {len(found)} rows, y has {len(truth)} labels")
        weight = np.ones(len(found)) if sample_weight is None else as_weight(sample_weight, len(found))
        if not weight.sum() > 0:
            raise InputError("there is nothing to score: no rows, or every sample_weight is zero")
        return float(np.average(found == truth, weights=weight))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier", target_tags=TargetTags(required=True), classifier_tags=ClassifierTags()
        )

    def _learn(
        self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: ArrayLike | None, before: Summable | None
    ) -> Self:
        names, matrix = names_of(X), as_matrix(X, numeric=self._numeric)
        if before is not None:
            self._check_columns(matrix, names)
            names = vars(self).get("feature_names_in_")
        rows = self._as_rows(matrix)
        part = self._statistics(rows, as_labels(y, type(self).__name__), sample_weight)
        refuse_continuous(part.classes)
        statistics = added(before, part, classes)
        if not statistics.documents.sum() > 0:
            raise InputError("there is nothing to learn from: no rows, or every sample_weight is zero")
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

    def _asked(self, X: Any) -> Any:
        if "scorer_" not in vars(self):
            raise counterpart(NotFittedError)(f"this {type(self).__name__} has not been fitted; call fit first")
        matrix = as_matrix(X, numeric=self._numeric)
        self._check_columns(matrix, names_of(X))
        return self._scored(self._as_rows(matrix))

    def _check_columns(self, matrix: Any, names: Names | None) -> None:
        fitted = vars(self).get("feature_names_in_")
        check_columns(type(self).__name__, self.n_features_in_, fitted, matrix.shape[1], names)


def added(before: Summable | None, part: Summable, classes: ArrayLike | None) -> Any:
    """What was learnt before and a part more, among all classes that are known by now."""
    told = () if classes is None else class_codes(classes)[0]
    if classes is not None:
        class_codes(part.classes, told)
    known = () if before is None else before.classes
    names, _ = class_codes([*known, *told, *part.classes])
    part = part.on_classes(names)
    return part if before is None else before.on_classes(names) + part


class Incremental(Learner):
    """A learner in parts: it keeps ``statistics_``, what has been learnt."""

    statistics_: Any

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from more rows; parts give what fit gives on the whole.

        Classes may come up at any time. ``classes`` names some in advance, at any call; the labels of that call must
        then be among them.
        """
        return self._learn(X, y, classes, sample_weight, vars(self).get("statistics_"))

    def _kept(self, statistics: Any) -> dict[str, Any]:
        return {"statistics_": statistics}


class Classifier(Learner):
    """A learner whose scores are log probabilities."""

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row, (D,); the first of equals."""
        rows = self._asked(X)
        return self.classes_[most_probable(self.scorer_.log_posterior(rows))]

    def predict_log_proba(self, X: Any) -> Floats:
        """Log probabilities, a row a document and a column a class in the order of ``classes_``, (D, C)."""
        rows = self._asked(X)
        return self.scorer_.log_posterior(rows)

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, (D, C)."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """log p(x, class), up to what does not depend on the class, (D, C)."""
        rows = self._asked(X)
        return self.scorer_.joint_log_scores(rows)


class Discriminant(Incremental):
    """A learner in parts whose scores rank the classes and are no probabilities; these come by calibration."""

    def decision_function(self, X: Any) -> Floats:
        """The scores, (D, C); of two classes the second's less the first's, (D,), positive where the second wins."""
        rows = self._asked(X)
        scores = self.scorer_.joint_log_scores(rows)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


class IncrementalClassifier(Incremental, Classifier):
    """A classifier that learns in parts."""


class CountClassifier(IncrementalClassifier):
    """A classifier of count matrices, fitted to ClassCounts."""

    _containing = False  # whether the model asks how many documents contain a term

    def _as_rows(self, matrix: Any) -> CSR:
        return as_count_rows(matrix, type(self).__name__)

    def _statistics(self, rows: CSR, y: Any, sample_weight: ArrayLike | None) -> Summable:
        return ClassCounts.of(rows, y, sample_weight=sample_weight, containing=self._containing)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # its yardstick is two clouds of points, which are no counts
        return tags


class CategoryClassifier(IncrementalClassifier):
    """A classifier of tables of categories, strings or numbers, fitted to contingency tables."""

    _numeric = False

    def _as_rows(self, matrix: Any) -> NDArray[Any]:
        return as_categories(matrix)

    def _statistics(self, rows: NDArray[Any], y: Any, sample_weight: ArrayLike | None) -> Summable:
        return Contingency.of(rows, y, sample_weight=sample_weight)

    def _scored(self, rows: NDArray[Any]) -> CSR:
        tables: Contingency = self.statistics_
        return tables.indicators(rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags
