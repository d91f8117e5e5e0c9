"""The closed table of model names."""

from collections.abc import Callable
from typing import NamedTuple

from textnb.errors import InputError, listed
from textnb.models import multinomial
from textnb.models.scorer import Scorer


class Model(NamedTuple):
    """A name, and the function from statistics to a scorer."""

    name: str
    fit: Callable[..., Scorer]


MODELS: dict[str, Model] = {"multinomial": Model("multinomial", multinomial.fit)}


def model(name: str) -> Model:
    """The model of that name."""
    if name not in MODELS:
        raise InputError(f"model {name!r} is not known; known: {listed(MODELS)}")
    return MODELS[name]
