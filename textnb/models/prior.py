"""Class priors, class weights and vectors of alpha: checked and converted."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError, ParameterError, listed
from textnb.numerics import Codes, Floats, as_number, log_of

Prior = str | Mapping[str, float] | Sequence[float]

PRIORS = ("empirical", "uniform")


def log_prior(prior: Prior, classes: Sequence[Any], documents: NDArray[Any]) -> Floats:
    """Log prior of the classes, (C,): ``empirical`` (class frequencies), ``uniform``, or given by class or in order.

    >>> np.exp(log_prior({"b": 0.9, "a": 0.1}, ("a", "b"), np.array([1, 1])))
    array([0.1, 0.9])
    """
    if len(classes) == 0:
        raise InputError("there are no classes: nothing has been learnt")
    if isinstance(prior, str):
        if prior not in PRIORS:
            raise ParameterError(
                "unknown prior {name!r}; use 'empirical', 'uniform' or one number per class", name=prior
            )
        shares = documents if prior == "empirical" else np.ones(len(classes))
        if shares.sum() <= 0:
            raise InputError("an empirical prior needs documents of positive weight")
        return log_of(shares / shares.sum())
    if isinstance(prior, Mapping):
        if set(prior) != set(classes):
            template = "the prior names {named}, the classes are {classes}"
            raise InputError(template, named=sorted(prior, key=str), classes=sorted(classes))
        prior = [prior[name] for name in classes]
    return log_of(as_probabilities(prior, len(classes)))


def as_probabilities(prior: Sequence[float], n_classes: int | None = None) -> Floats:
    """Probabilities as an array: one per class, none negative, with sum 1."""
    try:
        shares = np.asarray(prior, np.float64)
    except (TypeError, ValueError):
        raise ParameterError("the prior must be probabilities, not {prior!r}", prior=prior) from None
    if n_classes is not None and shares.shape != (n_classes,):
        raise InputError("the prior must hold {n} numbers, one per class, not {shape}", n=n_classes, shape=shares.shape)
    if not ((shares >= 0).all() and abs(shares.sum() - 1) <= 1e-9):
        raise ParameterError("the prior must be probabilities that sum to 1, not {shares}", shares=shares.tolist())
    return shares


ClassWeight = str | Mapping[Any, float] | None


def class_weighted(weight: Floats, y: Codes, classes: Sequence[Any], class_weight: ClassWeight) -> Floats:
    """Weights (D,) times those of their classes; ``balanced`` gives all classes the same sum, a class not named has 1.

    >>> class_weighted(np.ones(4), np.array([0, 0, 0, 1]), ("a", "b"), "balanced")
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    """
    if class_weight is None:
        return weight
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ParameterError(
                "unknown class_weight {name!r}; use 'balanced' or one number per class", name=class_weight
            )
        sums = np.bincount(y, weight, len(classes))
        share = sums.sum() / max(1, np.count_nonzero(sums))
        return np.asarray(weight * np.divide(share, sums, out=np.ones(len(sums)), where=sums > 0)[y])
    if not isinstance(class_weight, Mapping):
        raise ParameterError("class_weight must be 'balanced' or numbers by class, not {given!r}", given=class_weight)
    unknown = set(class_weight) - set(classes)
    if unknown:
        template = "class_weight names {unknown}; the classes are {known}"
        raise InputError(template, unknown=listed(unknown), known=listed(classes))
    given = {name: as_number(value, f"the class_weight of {name!r}", above=0) for name, value in class_weight.items()}
    return np.asarray(weight * np.array([given.get(name, 1.0) for name in classes])[y])


def is_balanced(class_weight: ClassWeight) -> bool:
    """True for ``balanced``; models of texts accept no other class weights."""
    if class_weight not in (None, "balanced"):
        raise ParameterError("for texts class_weight is None or 'balanced'")
    return class_weight == "balanced"


def as_alpha(alpha: ArrayLike, n_terms: int) -> Floats:
    """Alpha as (1,) or (V,); refused if negative, not finite or of another length."""
    try:
        values = np.asarray(alpha, np.float64)
    except (TypeError, ValueError):
        raise ParameterError("alpha must be a number or one per term, not {alpha!r}", alpha=alpha) from None
    if values.shape not in ((), (n_terms,)):
        template = "alpha must be a number or {n} of them, one per term, not shape {shape}"
        raise InputError(template, n=n_terms, shape=values.shape)
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ParameterError("alpha must be finite and not negative, not {alpha!r}", alpha=alpha)
    return np.atleast_1d(values)
