"""scikit-learn, where the caller has loaded it: never imported, but answered in its own terms.

Parameters as scikit-learn's tools read and set them: those of the constructor, stored as they are given.

Metadata routing, where scikit-learn has it switched on: which step of a pipeline asks for which weights.

What scikit-learn's callers hand over, checked and told of in the words that its tools look for.
"""

import inspect
import sys
import warnings
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.counts.matrix import CSR, as_counts
from textnb.errors import DataConversionWarning, InputError, KindError, listed


def counterpart(own: type[Any]) -> type[Any]:
    """scikit-learn's exception or warning of the same name, where scikit-learn is loaded; otherwise textnb's own.

    Its tools catch and filter by their own classes.

    >>> import sklearn.exceptions, textnb.errors
    >>> counterpart(textnb.errors.NotFittedError) is sklearn.exceptions.NotFittedError
    True
    """
    theirs: type[Any] = getattr(sys.modules.get("sklearn.exceptions"), own.__name__, own)
    return theirs


class Parameters:
    """get_params, set_params and repr, from the signature of ``__init__``."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002  # no parameter holds an estimator
        """The parameters by name.

        >>> from textnb.estimators import MultinomialNB
        >>> MultinomialNB(alpha=0.5).get_params()
        {'alpha': 0.5, 'estimate': 'mean', 'prior': 'empirical'}
        """
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; what has been fitted stays as it is until the next fit."""
        known = self._defaults()
        unknown = params.keys() - known.keys()
        if unknown:
            raise InputError(f"{type(self).__name__} has no parameter {listed(unknown)}; it has {listed(known)}")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = [(name, repr(getattr(self, name)), repr(default)) for name, default in self._defaults().items()]
        changed = ", ".join(f"{name}={value}" for name, value, default in given if value != default)
        return f"{type(self).__name__}({changed})"

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        signature = inspect.signature(cls.__init__)
        return {name: parameter.default for name, parameter in signature.parameters.items() if name != "self"}


_DATA = ("X", "y")


class Routing:
    """scikit-learn's requests for metadata: the arguments of fit, partial_fit and score beside X and y."""

    def get_metadata_routing(self) -> Any:
        """The requests; an argument that was not asked for is an error where it is given."""
        if "_metadata_request" in vars(self):
            return vars(self)["_metadata_request"]
        from sklearn.utils.metadata_routing import MetadataRequest

        requests = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "partial_fit", "score"):
            for name in self._metadata(method):
                getattr(requests, method).add_request(param=name, alias=None)
        return requests

    def set_fit_request(self, **requested: bool | str | None) -> Self:
        """Ask for arguments of fit: ``sample_weight=True``, or the name by which they are given."""
        return self._request("fit", requested)

    def set_partial_fit_request(self, **requested: bool | str | None) -> Self:
        """Ask for arguments of partial_fit."""
        return self._request("partial_fit", requested)

    def set_score_request(self, **requested: bool | str | None) -> Self:
        """Ask for arguments of score."""
        return self._request("score", requested)

    def _request(self, method: str, requested: dict[str, bool | str | None]) -> Self:
        known = self._metadata(method)
        unknown = requested.keys() - set(known)
        if unknown:
            raise InputError(f"{method} takes no {listed(unknown)}; it takes {listed(known)}")
        requests = self.get_metadata_routing()
        for name, alias in requested.items():
            getattr(requests, method).add_request(param=name, alias=alias)
        self._metadata_request = requests
        return self

    def _metadata(self, method: str) -> list[str]:
        function = getattr(self, method, None)
        return (
            [] if function is None else [name for name in inspect.signature(function).parameters if name not in _DATA]
        )


Names = NDArray[np.object_]


def as_matrix(X: Any, *, numeric: bool = True) -> Any:
    """Rows and columns, sparse or dense; ``numeric`` makes numbers of objects.

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
        raise InputError(f"X must have two dimensions, not {X.ndim}. Reshape your data: X.reshape(1, -1) is one row")
    if X.shape[1] == 0:
        raise InputError(f"X has 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    return X


def _as_array(X: Any, numeric: bool) -> NDArray[Any]:
    listed = isinstance(X, (list, tuple))
    try:
        array = np.asarray(X, object if listed and not numeric else None)  # numpy would make strings of all in a mix
        return array.astype(np.float64) if numeric and array.dtype.kind == "O" else array
    except TypeError as error:
        raise KindError(f"X must hold numbers: {error}") from None
    except ValueError as error:
        raise InputError(f"X must be a matrix of numbers, every row of one length: {error}") from None


def as_count_rows(X: Any, estimator: str) -> CSR:
    """A matrix of counts, none negative."""
    try:
        return as_counts(X)
    except InputError as error:
        if X.dtype.kind in "if" and X.min() < 0:
            raise InputError(f"Negative values in data passed to {estimator}: {error}") from None
        raise


def as_labels(y: Any, estimator: str) -> Any:
    """Labels in one dimension; a column of them is taken for that, with a warning."""
    if y is None:
        raise InputError(f"{estimator} requires y to be passed, but the target y is None")
    if isinstance(y, (list, tuple)):
        return y
    y = np.asarray(y)
    if y.dtype.kind == "c":
        raise InputError("Complex data not supported")
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected; change its shape to (n_samples,), with ravel()",
            counterpart(DataConversionWarning),
            stacklevel=outside(),
        )
        y = y.ravel()
    return y


def refuse_continuous(classes: Iterable[Any]) -> None:
    """Fractions are no classes."""
    for name in classes:
        if isinstance(name, (float, np.floating)) and not float(name).is_integer():
            raise InputError(f"Unknown label type: continuous; {name} is no class")


def label_array(classes: tuple[Any, ...]) -> NDArray[Any]:
    """The classes as an array, of numpy's own type where that keeps every label as it is.

    >>> label_array(("a", "b")).dtype.kind, label_array(("a", "b\\0")).dtype.kind
    ('U', 'O')
    """
    labels = np.array(classes)
    if labels.tolist() == list(classes):
        return labels
    labels = np.empty(len(classes), object)
    labels[:] = classes
    return labels


def names_of(X: Any) -> Names | None:
    """The names of the columns of a table; None where they have none that are strings."""
    names = list(getattr(X, "columns", ()))
    kinds = {isinstance(name, str) for name in names}
    if len(kinds) == 2:
        raise KindError("the names of columns must be all strings or none: rename them")
    return np.array(names, object) if kinds == {True} else None


def check_columns(estimator: str, n_fitted: int, fitted: Names | None, n_given: int, given: Names | None) -> None:
    """The columns must be those of fit: their names in their order, or else as many."""
    if fitted is not None and given is not None:
        if fitted.tolist() != given.tolist():
            raise InputError(_difference(fitted.tolist(), given.tolist()))
    elif n_given != n_fitted:
        raise InputError(f"X has {n_given} features, but {estimator} is expecting {n_fitted} features as input")
    elif fitted is not None:
        words = f"X does not have valid feature names, but {estimator} was fitted with feature names"
        warnings.warn(words, stacklevel=outside())
    elif given is not None:
        warnings.warn(f"X has feature names, but {estimator} was fitted without feature names", stacklevel=outside())


def _difference(fitted: list[str], given: list[str]) -> str:
    words = ["The feature names should match those that were passed during fit."]
    for what, names in (
        ("Feature names unseen at fit time:", sorted(set(given) - set(fitted))),
        ("Feature names seen at fit time, yet now missing:", sorted(set(fitted) - set(given))),
    ):
        if names:
            words += [what, *(f"- {name}" for name in names[:5]), *(["- ..."] if len(names) > 5 else [])]
    if len(words) == 1:
        words.append("Feature names must be in the same order as they were in fit.")
    return "\n".join(words) + "\n"


def outside() -> int:
    """The stack level, for the caller of this, of the first line that is not textnb's."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and (frame := frame.f_back) is not None:
        if not frame.f_globals.get("__name__", "").startswith("textnb."):
            break
        level += 1
    return level
