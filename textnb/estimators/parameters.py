"""Parameters as scikit-learn's tools read and set them: those of the constructor, stored as they are given."""

import inspect
from typing import Any, Self

from textnb.errors import InputError, listed


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
