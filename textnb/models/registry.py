"""The closed table of model names."""

from textnb.errors import InputError, listed
from textnb.models.count_models import COUNT_MODELS
from textnb.models.matrix_models import MATRIX_MODELS
from textnb.models.model import Model

MODELS: dict[str, Model] = {model.name: model for model in (*COUNT_MODELS, *MATRIX_MODELS)}


def model(name: str) -> Model:
    """The model of that name."""
    if name not in MODELS:
        raise InputError(f"model {name!r} is not known; known: {listed(MODELS)}")
    return MODELS[name]
