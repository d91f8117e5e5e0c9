"""What textnb refuses, and how it says so.

A message is one line: it names the offender and the remedy. Nothing is clamped or guessed in its place.
"""

from collections.abc import Iterable


class TextnbError(Exception):
    """The root of every error that textnb raises on purpose."""


class InputError(TextnbError, ValueError):
    """An argument or the data is at fault."""


class KindError(InputError, TypeError):
    """An argument or a cell of the data is of a kind that cannot be used."""


class NotLearntError(InputError):
    """Something was to be forgotten that had never been learnt."""


class NotFittedError(TextnbError, ValueError, AttributeError):
    """A question was asked before anything had been learnt."""


class ModelFileError(TextnbError, ValueError):
    """A file is damaged, hostile, of a newer format, or not one of textnb's."""


class UntrustedError(ModelFileError):
    """A file asks for code to be imported that the caller has not trusted by name."""


class WorkerError(TextnbError, RuntimeError):
    """A process that was to do part of the work has ended."""


class ReadingWarning(UserWarning):
    """Some documents could be read only in part, or were left out; the message counts them."""


class DataConversionWarning(UserWarning):
    """Data was understood, but not in the shape in which it was expected."""


class FitWarning(UserWarning):
    """A model was fitted as asked, and says less than it seems to."""


class ConvergenceWarning(UserWarning):
    """A search ended before it had found the optimum, or there is none; the message says which."""


class RecipeWarning(UserWarning):
    """A recipe was rebuilt with other versions than it was made with."""


def listed(names: Iterable[object]) -> str:
    """The names for an error message, sorted.

    >>> listed({"words", "chars"})
    'chars, words'
    """
    return ", ".join(sorted(map(str, names)))
