"""Class priors, class weights, and the check of alpha: what models are told about classes and terms."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError, listed
from textnb.numerics import Codes, Floats, is_number, log_of

Prior = str | Mapping[str, float] | Sequence[float]

PRIORS = ("empirical", "uniform")


def log_prior(prior: Prior, classes: Sequence[Any], documents: NDArray[Any]) -> Floats:
    """log p(class), (C,): ``empirical`` (shares of documents), ``uniform``, or given by class or in their order.

    >>> np.exp(log_prior({"b": 0.9, "a": 0.1}, ("a", "b"), np.array([1, 1])))
    array([0.1, 0.9])
    """
    if len(classes) == 0:
        raise InputError("there are no classes: nothing has been learnt")
    if isinstance(prior, str):
        if prior not in PRIORS:
            raise InputError("unknown prior {name!r}; use 'empirical', 'uniform' or one number per class", name=prior)
        shares = documents if prior == "empirical" else np.ones(len(classes))
        if shares.sum() <= 0:
            raise InputError("an empirical prior needs documents of positive weight")
        return log_of(shares / shares.sum())
    return log_of(_given(prior, classes))


def _given(prior: Mapping[str, float] | Sequence[float], classes: Sequence[Any]) -> Floats:
    if isinstance(prior, Mapping):
        if set(prior) != set(classes):
            raise InputError(
                "the prior names {prior}, the classes are {classes}",
                prior=sorted(prior, key=str),
                classes=sorted(classes),
            )
        prior = [prior[name] for name in classes]
    return as_shares(prior, len(classes))


def as_shares(prior: Sequence[float], n_classes: int | None = None) -> Floats:
    """Checked probabilities: one a class, none negative, and 1 in all."""
    try:
        shares = np.asarray(prior, np.float64)
    except (TypeError, ValueError):
        raise InputError("the prior must be probabilities, not {prior!r}", prior=prior) from None
    if n_classes is not None and shares.shape != (n_classes,):
        raise InputError(
            "the prior must hold {n_classes} numbers, one a class, not {shares_shape}",
            n_classes=n_classes,
            shares_shape=shares.shape,
        )
    if not ((shares >= 0).all() and abs(shares.sum() - 1) <= 1e-9):
        raise InputError("the prior must be probabilities that sum to 1, not {shares}", shares=shares.tolist())
    return shares


ClassWeight = str | Mapping[Any, float] | None


def class_weighted(weight: Floats, y: Codes, classes: Sequence[Any], class_weight: ClassWeight) -> Floats:
    """The weights (D,) times those of their classes: ``balanced`` gives all classes one sum; others are 1.

    >>> class_weighted(np.ones(4), np.array([0, 0, 0, 1]), ("a", "b"), "balanced")
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    """
    if class_weight is None:
        return weight
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise InputError("unknown class_weight {name!r}; use 'balanced' or one number per class", name=class_weight)
        sums = np.bincount(y, weight, len(classes))
        share = sums.sum() / max(1, np.count_nonzero(sums))
        return np.asarray(weight * np.divide(share, sums, out=np.ones(len(sums)), where=sums > 0)[y])
    return np.asarray(weight * _given_weight(class_weight, classes)[y])


def is_balanced(class_weight: ClassWeight) -> bool:
    """Whether classes are balanced; for models of texts, which know no weights by class."""
    if class_weight not in (None, "balanced"):
        raise InputError("for texts class_weight is None or 'balanced'")
    return class_weight == "balanced"


def _given_weight(class_weight: Any, classes: Sequence[Any]) -> Floats:
    if not isinstance(class_weight, Mapping):
        raise InputError(
            "class_weight must be 'balanced' or numbers by class, not {class_weight!r}", class_weight=class_weight
        )
    unknown = set(class_weight) - set(classes)
    if unknown:
        raise InputError(
            "class_weight names {known}; the classes are {known2}", known=listed(unknown), known2=listed(classes)
        )
    wrong = {k: v for k, v in class_weight.items() if not is_number(v) or not 0 < v < np.inf}
    if wrong:
        raise InputError("a class_weight must be a positive number, not {wrong}", wrong=wrong)
    return np.array([class_weight.get(name, 1.0) for name in classes], np.float64)


def as_alpha(alpha: ArrayLike, n_terms: int) -> Floats:
    """alpha as (1,) or (V,); refused where it is negative, not finite or of another length."""
    try:
        values = np.asarray(alpha, np.float64)
    except (TypeError, ValueError):
        raise InputError("alpha must be a number or one a term, not {alpha!r}", alpha=alpha) from None
    if values.shape not in ((), (n_terms,)):
        raise InputError(
            "alpha must be a number or {n_terms} of them, one a term, not shape {values_shape}",
            n_terms=n_terms,
            values_shape=values.shape,
        )
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise InputError("alpha must be finite and not negative, not {alpha!r}", alpha=alpha)
    return np.atleast_1d(values)
