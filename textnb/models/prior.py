"""Class priors: how likely a class is before the document is looked at."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError
from textnb.numerics import Floats, log_of

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
            raise InputError(f"prior {prior!r} is not known; known: {', '.join(PRIORS)}, or one number a class")
        shares = documents if prior == "empirical" else np.ones(len(classes))
        if shares.sum() <= 0:
            raise InputError("an empirical prior needs documents of positive weight")
        return log_of(shares / shares.sum())
    return log_of(_given(prior, classes))


def _given(prior: Mapping[str, float] | Sequence[float], classes: Sequence[Any]) -> Floats:
    if isinstance(prior, Mapping):
        if set(prior) != set(classes):
            raise InputError(f"the prior names {sorted(prior, key=str)}, the classes are {sorted(classes)}")
        prior = [prior[name] for name in classes]
    return as_shares(prior, len(classes))


def as_shares(prior: Sequence[float], n_classes: int | None = None) -> Floats:
    """Checked probabilities: one a class, none negative, and 1 in all."""
    try:
        shares = np.asarray(prior, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"the prior must be probabilities, not {prior!r}") from None
    if n_classes is not None and shares.shape != (n_classes,):
        raise InputError(f"the prior must hold {n_classes} numbers, one a class, not {shares.shape}")
    if not ((shares >= 0).all() and abs(shares.sum() - 1) <= 1e-9):
        raise InputError(f"the prior must be probabilities that sum to 1, not {shares.tolist()}")
    return shares
