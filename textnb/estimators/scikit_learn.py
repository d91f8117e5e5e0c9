"""The interface that scikit-learn's tools expect of an estimator, without importing scikit-learn.

* parameters: ``get_params``, ``set_params`` and ``repr``, from the signature of the constructor
* metadata routing: which step of a pipeline asks for which weights
* input: X, y and column names checked, with the error messages that scikit-learn's checks look for
* errors and warnings: scikit-learn's own classes where the caller has loaded it
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from textnb.counts.matrix import CSR, Matrix, as_counts
from textnb.errors import DataConversionWarning, InputError, KindError, listed, suggestion
from textnb.extension import sparse

Names = NDArray[np.object_]
Method = TypeVar("Method", bound=Callable[..., Any])

_MAX_NAMES_SHOWN = 5


class Estimator:
    """Parameters and metadata routing of an estimator, read from the signatures of its methods."""

    _data: ClassVar = ("X", "y")  # arguments of fit that are not metadata

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002  # no parameter holds an estimator
        """Return the parameters of the constructor by name; ``deep`` is ignored, since no parameter is an estimator.

        >>> from textnb.estimators import MultinomialNB
        >>> MultinomialNB(alpha=0.5).get_params()["alpha"]
        0.5
        """
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name and return the estimator; they take effect at the next fit."""
        known = self._defaults()
        unknown = params.keys() - known.keys()
        if unknown:
            template = "{name} has no parameter {unknown}{hint}; it has {known}"
            hint, names = suggestion(min(unknown), known), {"unknown": listed(unknown), "known": listed(known)}
            raise InputError(template, name=type(self).__name__, hint=hint, **names)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        params, defaults = self.get_params(deep=False), self._defaults()
        given = [(name, repr(params[name]), repr(default)) for name, default in defaults.items()]
        changed = ", ".join(f"{name}={value}" for name, value, default in given if value != default)
        return f"{type(self).__name__}({changed})"

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        signature = inspect.signature(cls.__init__)
        return {name: parameter.default for name, parameter in signature.parameters.items() if name != "self"}

    def get_metadata_routing(self) -> Any:
        """Return scikit-learn's MetadataRequest: which arguments of fit, partial_fit and score are requested."""
        if "_metadata_request" in vars(self):
            return vars(self)["_metadata_request"]
        from sklearn.utils.metadata_routing import MetadataRequest

        requests = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "partial_fit", "score"):
            for name in self._metadata(method):
                getattr(requests, method).add_request(param=name, alias=None)
        return requests

    def set_fit_request(self, **requested: bool | str | None) -> Self:
        """Request arguments of fit: ``sample_weight=True``, or the name under which the caller passes it."""
        return self._request("fit", requested)

    def set_partial_fit_request(self, **requested: bool | str | None) -> Self:
        """Request arguments of partial_fit, as in ``set_fit_request``."""
        return self._request("partial_fit", requested)

    def set_score_request(self, **requested: bool | str | None) -> Self:
        """Request arguments of score, as in ``set_fit_request``."""
        return self._request("score", requested)

    def _request(self, method: str, requested: dict[str, bool | str | None]) -> Self:
        known = self._metadata(method)
        unknown = requested.keys() - set(known)
        if unknown:
            names = {"unknown": listed(unknown), "known": listed(known)}
            raise InputError("{method} takes no {unknown}; it takes {known}", method=method, **names)
        requests = self.get_metadata_routing()
        for name, alias in requested.items():
            getattr(requests, method).add_request(param=name, alias=alias)
        self._metadata_request = requests
        return self

    def _metadata(self, method: str) -> list[str]:
        function = getattr(self, method, None)
        names = () if function is None else inspect.signature(function).parameters
        return [name for name in names if name not in self._data]


class _Available:
    """Descriptor of a method that an estimator has under a condition; hasattr is False where it does not hold."""

    def __init__(self, method: Callable[..., Any], condition: Callable[[Any], bool]) -> None:
        self.method, self.condition = method, condition
        self.__doc__ = method.__doc__

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is not None and not self.condition(estimator):
            raise AttributeError(f"{estimator!r} has no {self.method.__name__}")
        return self.method.__get__(estimator, owner)


def available_if(condition: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """Return a decorator for methods that an estimator has only if its parameters meet a condition.

    >>> class Model:
    ...     wanted = False
    ...     @available_if(lambda model: model.wanted)
    ...     def answer(self):
    ...         return 42
    >>> hasattr(Model(), "answer"), hasattr(Model, "answer")
    (False, True)
    """

    def decorate(method: Method) -> Method:
        return _Available(method, condition)  # type: ignore[return-value]  # called as the method itself is

    return decorate


def counterpart(own: type[Any]) -> type[Any]:
    """scikit-learn's exception or warning of the same name if scikit-learn is loaded, otherwise textnb's own.

    scikit-learn's tools catch and filter by their own classes.

    >>> import sklearn.exceptions, textnb.errors
    >>> counterpart(textnb.errors.NotFittedError) is sklearn.exceptions.NotFittedError
    True
    """
    theirs: type[Any] = getattr(sys.modules.get("sklearn.exceptions"), own.__name__, own)
    return theirs


def joint_error(own: type[Any]) -> type[Any]:
    """Class of errors that are textnb's own and, if scikit-learn is loaded, also scikit-learn's of the same name.

    >>> import sklearn.exceptions, textnb.errors
    >>> issubclass(joint_error(textnb.errors.NotFittedError), sklearn.exceptions.NotFittedError)
    True
    """
    theirs = counterpart(own)
    if theirs is own:
        return own
    return type(own.__name__, (own, theirs), {"__reduce__": lambda error: (own, (str(error),))})


def as_matrix(X: Matrix, *, numeric: bool = True) -> Any:
    """X as a sparse or dense matrix of two dimensions; ``numeric`` converts objects to numbers.

    >>> as_matrix([1, 2])
    Traceback (most recent call last):
        ...
    textnb.errors.InputError: X must have two dimensions, not 1. Reshape your data: X.reshape(1, -1) is one row
    """
    if not sparse.issparse(X):
        X = _as_array(X, numeric)
    if X.dtype.kind == "c":
        raise InputError("Complex data not supported")
    if X.ndim != 2:
        template = "X must have two dimensions, not {ndim}. Reshape your data: X.reshape(1, -1) is one row"
        raise InputError(template, ndim=X.ndim)
    if X.shape[1] == 0:
        raise InputError("X has 0 feature(s) (shape={shape}) while a minimum of 1 is required.", shape=X.shape)
    return X


def _as_array(X: Any, numeric: bool) -> NDArray[Any]:
    is_list = isinstance(X, (list, tuple))
    try:
        array = np.asarray(X, object if is_list and not numeric else None)  # numpy turns mixed lists into strings
        return array.astype(np.float64) if numeric and array.dtype.kind == "O" else array
    except TypeError as error:
        raise KindError("X must hold numbers: {error}", error=error) from None
    except ValueError as error:
        raise InputError("X must be a matrix of numbers, every row of one length: {error}", error=error) from None


def as_count_rows(X: Matrix, estimator: str, *, keep_float32: bool = False) -> CSR:
    """X as a count matrix without negative entries."""
    try:
        return as_counts(X, keep_float32=keep_float32)
    except InputError as error:
        if X.dtype.kind in "if" and X.min() < 0:
            raise InputError(
                "Negative values in data passed to {name} (input X): {error}", name=estimator, error=error
            ) from None
        raise


def as_labels(y: Any, estimator: str) -> Any:
    """Labels in one dimension; a column of labels is flattened with a warning."""
    if y is None:
        raise InputError("{estimator} requires y to be passed, but the target y is None", estimator=estimator)
    if isinstance(y, (list, tuple)):
        return y
    y = np.asarray(y)
    if y.dtype.kind == "c":
        raise InputError("Complex data not supported")
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected; change its shape to (n_samples,), with ravel()",
            counterpart(DataConversionWarning),
            stacklevel=caller_level(),
        )
        y = y.ravel()
    return y


def check_not_continuous(classes: Iterable[Any]) -> None:
    """Refuse fractional numbers as classes."""
    for name in classes:
        if isinstance(name, (float, np.floating)) and not float(name).is_integer():
            raise InputError("Unknown label type: continuous; {name} is not a class", name=name)


def label_array(classes: tuple[Any, ...]) -> NDArray[Any]:
    """Classes as an array, of a plain numpy type if that keeps every label unchanged, otherwise of objects.

    >>> label_array(("a", "b")).dtype.kind, label_array(("a", "b\\0")).dtype.kind
    ('U', 'O')
    """
    labels = np.array(classes)
    if labels.tolist() == list(classes):
        return labels
    labels = np.empty(len(classes), object)
    labels[:] = classes
    return labels


def column_names(X: Matrix) -> Names | None:
    """Names of the columns of a data frame; None if X has no columns or their names are not strings."""
    names = list(getattr(X, "columns", ()))
    kinds = {isinstance(name, str) for name in names}
    if len(kinds) == 2:
        raise KindError("the names of columns must be all strings or none: rename them")
    return np.array(names, object) if kinds == {True} else None


def check_columns(estimator: str, n_fitted: int, fitted: Names | None, n_given: int, given: Names | None) -> None:
    """Refuse columns that differ from those of fit: by name and order if both have names, otherwise by number."""
    if fitted is not None and given is not None:
        if fitted.tolist() != given.tolist():
            raise InputError(_name_difference(fitted.tolist(), given.tolist()))
    elif n_given != n_fitted:
        template = "X has {given} features, but {name} is expecting {fitted} features as input"
        raise InputError(template, given=n_given, name=estimator, fitted=n_fitted)
    elif fitted is not None:
        message = f"X does not have valid feature names, but {estimator} was fitted with feature names"
        warnings.warn(message, stacklevel=caller_level())
    elif given is not None:
        message = f"X has feature names, but {estimator} was fitted without feature names"
        warnings.warn(message, stacklevel=caller_level())


def _name_difference(fitted: list[str], given: list[str]) -> str:
    lines = ["The feature names should match those that were passed during fit."]
    for title, names in (
        ("Feature names unseen at fit time:", sorted(set(given) - set(fitted))),
        ("Feature names seen at fit time, yet now missing:", sorted(set(fitted) - set(given))),
    ):
        if names:
            shown = [f"- {name}" for name in names[:_MAX_NAMES_SHOWN]]
            lines += [title, *shown, *(["- ..."] if len(names) > _MAX_NAMES_SHOWN else [])]
    if len(lines) == 1:
        lines.append("Feature names must be in the same order as they were in fit.")
    return "\n".join(lines) + "\n"


def caller_level() -> int:
    """Stack level, for ``warnings.warn`` in the calling function, of the first frame outside textnb."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and (frame := frame.f_back) is not None:
        if not frame.f_globals.get("__name__", "").startswith("textnb."):
            break
        level += 1
    return level
