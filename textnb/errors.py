"""Errors and warnings of textnb.

A message is one line: what is wrong, where, and what to do. It is a template with named values, so that it can be
translated:

    raise InputError("unknown model {name!r}; use {known}", name=name, known=listed(MODELS))

Values come from files, too, and may be long: each is shortened where it is put into the message (``fill_in``).
"""

import difflib
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from string import Formatter
from typing import Any

__all__ = [
    "ConvergenceWarning",
    "DataConversionWarning",
    "FitWarning",
    "InputError",
    "KindError",
    "ModelFileError",
    "NotFittedError",
    "NotLearntError",
    "ParameterError",
    "ReadingWarning",
    "RecipeWarning",
    "TextnbError",
    "UntrustedError",
    "WorkerError",
    "_ShortFormatter",
]

MAX_QUOTED = 80
"""Characters of a quoted value, ``{name!r}``, that a message shows."""

_MIN_LIKENESS = 0.5  # of a known name: half of the characters of 本分 and 本文 agree
_MIN_LIKENESS_OF_NAMES = 0.6  # of parameters and their values, which are longer
MAX_SHOWN = 400
"""Characters of any other value that a message shows: a path, a list of names, a reason."""


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
        super().__init__(fill_in(self.template, **values) if values else self.template)


class InputError(TextnbError, ValueError):
    """An argument or the data is invalid."""


class ParameterError(InputError):
    """A parameter is unknown or out of its range, or parameters contradict each other, whatever the data are."""


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


@contextmanager
def parameters_from_file() -> Iterator[None]:
    """Raise an error about parameters as one about the data, because a file gives the parameters."""
    try:
        yield
    except ParameterError as error:
        raise InputError("{error}", error=error) from error


class Phrase(str):
    """Words of textnb among the values of a message; unlike other values they are translated with it."""

    __slots__ = ()


class _ShortFormatter(Formatter):
    """Formatter that shortens each value; only an error, which was made in the same way, stays whole."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        """Return the value as text if it is to be quoted."""
        if conversion is None:
            return value
        return shortened(super().convert_field(value, conversion), MAX_QUOTED)

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return the value as text."""
        text = str(super().format_field(value, format_spec))
        return text if isinstance(value, TextnbError) else shortened(text, MAX_SHOWN)


def fill_in(template: str, **values: object) -> str:
    """Return a template with its values, each shortened.

    >>> fill_in("unknown class {name!r}", name="a" * 10_000)
    "unknown class 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    """
    return _ShortFormatter().vformat(template, (), values)


def shortened(text: str, most: int = MAX_QUOTED) -> str:
    """Return at most so many characters of a text; dots mark what is left out.

    >>> shortened("abcdefgh", 6)
    'abc...'
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def _plain(value: object) -> object:
    """Value that can be sent to another process: numbers, text and errors of textnb as they are, all else as text."""
    return value if isinstance(value, str | int | float | TextnbError) else str(value)


def listed(names: Iterable[object]) -> str:
    """The names for an error message, sorted.

    >>> listed({"words", "chars"})
    'chars, words'
    """
    return ", ".join(sorted(map(str, names)))


def did_you_mean(name: str, known: Iterable[str], likeness: float = _MIN_LIKENESS) -> str:
    """The question about the known name that is most like an unknown one; empty if none is like it.

    Case and the width of characters do not matter.

    >>> did_you_mean("担当部所", ["件名", "担当部署"]), did_you_mean("ｌabel", ["Label"]), did_you_mean("x", ["y"])
    ("did you mean '担当部署'?", "did you mean 'Label'?", '')
    """
    folded = {unicodedata.normalize("NFKC", each).casefold().strip(): each for each in reversed(list(known))}
    nearest = difflib.get_close_matches(unicodedata.normalize("NFKC", name).casefold().strip(), folded, 1, likeness)
    return "".join(f"did you mean {folded[each]!r}?" for each in nearest)


def suggestion(name: object, known: Iterable[str]) -> str:
    """The question of ``did_you_mean`` as a remark that follows the unknown name in a message; empty if there is none.

    >>> suggestion("multinominal", ["auto", "multinomial"]), suggestion("x", ["auto"]), suggestion(5, ["auto"])
    (" (did you mean 'multinomial'?)", '', '')
    """
    question = did_you_mean(name, known, _MIN_LIKENESS_OF_NAMES) if isinstance(name, str) else ""
    return f" ({question})" if question else ""
