"""Errors and warnings of textnb.

A message is one line: what is wrong, where, and what to do. It is a template with named values, so that it can be
translated:

    raise InputError("unknown model {name!r}; use {known}", name=name, known=listed(MODELS))
"""

from collections.abc import Iterable
from typing import Any


class TextnbError(Exception):
    """Base class of every error that textnb raises on purpose.

    Parameters
    ----------
    template : str
        The message, with ``{names}`` for the values; a plain message where no values are given.
    **values
        The values that the template names.

    Examples
    --------
    >>> error = TextnbError("unknown model {name!r}", name="bayse")
    >>> str(error), error.template, error.values
    ("unknown model 'bayse'", 'unknown model {name!r}', {'name': 'bayse'})
    """

    def __init__(self, template: object = "", /, **values: Any) -> None:
        self.template = str(template)
        self.values = {name: _plain(value) for name, value in values.items()}
        super().__init__(self.template.format(**values) if values else self.template)


class InputError(TextnbError, ValueError):
    """An argument or the data is invalid."""


class KindError(InputError, TypeError):
    """An argument or a cell of the data is of a kind that cannot be used."""


class NotLearntError(InputError):
    """A document to forget was never learnt."""


class NotFittedError(TextnbError, ValueError, AttributeError):
    """The classifier has not been fitted."""


class ModelFileError(TextnbError, ValueError):
    """A file is damaged, hostile, of a newer format, or not a textnb file."""


class UntrustedError(ModelFileError):
    """A file asks for code to be imported that the caller has not trusted by name."""


class WorkerError(TextnbError, RuntimeError):
    """A worker process ended early."""


class ReadingWarning(UserWarning):
    """Some documents could be read only in part, or were left out; the message counts them."""


class DataConversionWarning(UserWarning):
    """Data was accepted, but not in the expected shape."""


class FitWarning(UserWarning):
    """The fit succeeded but is less reliable than it looks."""


class ConvergenceWarning(UserWarning):
    """A search ended before it had found the optimum, or there is none; the message says which."""


class RecipeWarning(UserWarning):
    """A recipe was rebuilt with other versions than it was made with."""


def _plain(value: object) -> object:
    """Value that can be sent to another process: numbers and text as they are, all else as text."""
    return value if isinstance(value, str | int | float) else str(value)


def listed(names: Iterable[object]) -> str:
    """The names for an error message, sorted.

    >>> listed({"words", "chars"})
    'chars, words'
    """
    return ", ".join(sorted(map(str, names)))
