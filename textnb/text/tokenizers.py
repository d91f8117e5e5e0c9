"""All tokenizers by name, and the two that belong to no family: ``auto`` and Python functions of the user's own.

``tokenizer`` makes one from its name, ``as_tokenizer`` from what a user may give, ``tokenizer_of`` from the recipe in a
model file. The table ``TOKENIZERS`` is closed: a model file can name nothing else.
"""

import importlib
import inspect
import re
import warnings
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from textnb.errors import InputError, ParameterError, RecipeWarning, UntrustedError, listed, suggestion
from textnb.text.characters import JAPANESE_BIT, LETTER_BIT, letter_kinds
from textnb.text.janome.tokenizer import Janome
from textnb.text.mecab import Mecab
from textnb.text.patterns import CharClass, Chars, Whitespace, Words
from textnb.text.sudachi import Sudachi
from textnb.text.token import NOWHERE, Recipe, Token, Tokenizer, check_text, plain_token, without_surrogates

if TYPE_CHECKING:
    from textnb._native import Cutter

_SEARCHED = 1_000  # characters after the last token in which the next token of a Python function is looked for
_IMPORT_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_UNKNOWN_NAME = "unknown tokenizer {name!r}{hint}; use {known}"
_NOT_IMPORTABLE = (
    "the tokenizer {function!r} cannot be saved: it cannot be imported as {path!r}; define it at the top of a module"
)
_OTHER_VERSION = "tokenizer {name!r} was {saved} and is {installed} here; some tokens may differ"


def tokenizer(name: str, **params: Any) -> Tokenizer:
    """Make the tokenizer of this name.

    Parameters
    ----------
    name : str
        ``auto``, ``janome``, ``mecab``, ``sudachi``, ``chars``, ``charclass``, ``words``, ``whitespace``, or
        ``module:function`` for a Python function of your own that takes a text and returns a list of strings.
    **params
        Parameters of the tokenizer, those of its class in ``TOKENIZERS``.

    Returns
    -------
    Tokenizer
        Called with a text, it returns the list of its terms.

    Examples
    --------
    >>> tokenizer("chars", n=2)("東京都")
    ['東京', '京都']
    >>> tokenizer("janome", form="base", pos=["名詞", "動詞"])("庭で犬が走った")
    ['庭', '犬', '走る']
    >>> tokenizer("word")
    Traceback (most recent call last):
        ...
    textnb.errors.ParameterError: unknown tokenizer 'word' (did you mean 'words'?); use auto, charclass, chars, ...
    """
    if not isinstance(name, str):
        raise ParameterError("the name of a tokenizer must be a string, not {name!r}", name=name)
    if ":" in name:
        if params:
            template = "tokenizer {name!r} is a Python function and has no parameter {parameter!r}"
            raise ParameterError(template, name=name, parameter=min(params))
        return Imported(name)
    if name not in TOKENIZERS:
        known = f"{listed(TOKENIZERS)}, or module:function"
        raise ParameterError(_UNKNOWN_NAME, name=name, hint=suggestion(name, TOKENIZERS), known=known)
    return _build(name, params)


def as_tokenizer(value: str | Tokenizer | Callable[[str], list[str]]) -> Tokenizer:
    """Make a tokenizer from what a user may give.

    Parameters
    ----------
    value : str, Tokenizer or callable
        A name as for ``tokenizer``, a tokenizer of textnb, or a function. A function that is not at the top of a
        module (a lambda, one defined in a notebook) can be used, but not saved.

    Returns
    -------
    Tokenizer

    Examples
    --------
    >>> import shlex
    >>> as_tokenizer("words"), as_tokenizer(shlex.split)
    (Words(), Imported(path='shlex:split'))
    """
    if isinstance(value, Tokenizer):
        if type(value) not in (*TOKENIZERS.values(), Local):
            template = "a model file cannot hold the tokenizer {name!r}; give a function at the top of a module"
            raise ParameterError(template, name=value.name)
        return value
    if isinstance(value, str):
        return tokenizer(value)
    if callable(value):
        return Imported(_path_of(value)) if _is_importable(value) else Local(value)
    raise ParameterError("a tokenizer must be a name, a Tokenizer or a function, not {value!r}", value=value)


def tokenizer_of(recipe: Mapping[str, Any], trust: Collection[str] = ()) -> Tokenizer:
    """Rebuild the tokenizer that a recipe describes; a RecipeWarning says if its version is not the installed one.

    Parameters
    ----------
    recipe : dict
        The ``recipe`` of a tokenizer: name, version and params.
    trust : list of str
        Import paths ``module:function`` of Python functions that a recipe may name; others raise UntrustedError and
        are not imported.

    Returns
    -------
    Tokenizer

    Examples
    --------
    >>> tokenizer_of({"name": "chars", "version": "1", "params": {"n": [2, 2]}})
    Chars(n=(2, 2))
    """
    if isinstance(trust, str):
        raise ParameterError("trust must be a list of names, not the single string {trust!r}", trust=trust)
    try:
        name, version, params = recipe["name"], recipe["version"], dict(recipe["params"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("a tokenizer recipe has name, version and params, not {recipe!r}", recipe=recipe) from error
    _check_trusted(name, params, trust)
    if not isinstance(name, str) or name not in TOKENIZERS:
        raise InputError(_UNKNOWN_NAME, name=name, hint=suggestion(name, TOKENIZERS), known=listed(TOKENIZERS))
    if isinstance(params.get("user_dictionary"), str):
        raise InputError("user_dictionary: a recipe contains the dictionary itself, not its path")
    rebuilt = _build(name, params)
    if rebuilt.version != version:
        message = _OTHER_VERSION.format(name=name, saved=version, installed=rebuilt.version)
        warnings.warn(message, RecipeWarning, stacklevel=2)
    return rebuilt


def _check_trusted(name: object, params: Mapping[str, Any], trust: Collection[str]) -> None:
    """Refuse a Python function that is not trusted; ``module:function`` as a name is for people, never for recipes."""
    path = params.get("path") if name == Imported.name else name if ":" in str(name) else None
    if path is not None and (path not in list(trust) or path == name):
        raise UntrustedError("the tokenizer is the Python function {path!r}; trust it by name to import it", path=path)


def _build(name: str, params: Mapping[str, Any]) -> Tokenizer:
    cls = TOKENIZERS[name]
    known = inspect.signature(cls).parameters
    for parameter in params:
        if parameter not in known:
            template = "tokenizer {name!r} has no parameter {parameter!r}; it has: {known}"
            raise ParameterError(template, name=name, parameter=parameter, known=listed(known) or "none")
    try:
        return cls(**params)
    except TypeError as error:
        raise ParameterError("tokenizer {name!r}: {error}", name=name, error=error) from error


_JANOME, _WORDS = Janome(), Words()  # made once: checking parameters takes longer than counting a short text


@dataclass(frozen=True)
class Auto(Tokenizer):
    """``janome`` for Japanese texts, in which a tenth of the letters or more are kana or kanji, else ``words``.

    >>> Auto()("Hello, world"), Auto()("すもももももも")
    (['Hello', 'world'], ['すもも', 'も', 'もも', 'も'])
    """

    name: ClassVar[str] = "auto"

    @property
    def version(self) -> str:
        """Version of Janome."""
        return _JANOME.version

    def choice(self, text: str) -> Tokenizer:
        """Tokenizer that is used for a text."""
        return _JANOME if is_japanese(text) else _WORDS

    def tokens(self, text: str) -> Iterator[Token]:
        """Tokens in the order of the text."""
        check_text(text)
        return self.choice(text).tokens(text)

    def stream(self, text: str) -> Iterator[str]:
        """Terms one by one."""
        return self.choice(text).stream(text)

    def cutters(self, texts: Sequence[str]) -> tuple["Cutter", ...]:
        """Cutter of the tokenizer that is used for each text."""
        chosen = are_japanese(texts)
        cutters = {japanese: (_JANOME if japanese else _WORDS).cutter for japanese in set(chosen)}
        return tuple([cutters[japanese] for japanese in chosen])

    @property
    def runs_on(self) -> str:
        """Engine of Janome."""
        return _JANOME.runs_on

    @property
    def counts_natively(self) -> bool:
        """True if both tokenizers have a cutter."""
        return _JANOME.counts_natively and _WORDS.counts_natively


def is_japanese(text: str) -> bool:
    """True if at least a tenth of the letters are kana or kanji."""
    return are_japanese([text])[0]


def are_japanese(texts: Sequence[str]) -> list[bool]:
    """Whether each text is Japanese, found for all at once: for short texts numpy's calls take longer than its work.

    >>> are_japanese(["Hello", "", "すもも", "Tokyo 東京"])
    [False, False, True, True]
    """
    whole = "".join(texts)
    if whole.isascii():
        return [False] * len(texts)
    kinds = letter_kinds()[np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), "<u4")]
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    has_letters = lengths > 0
    starts = (np.cumsum(lengths) - lengths)[has_letters]
    n_japanese, n_letters = np.zeros_like(lengths), np.zeros_like(lengths)
    for numbers, bit in ((n_japanese, JAPANESE_BIT), (n_letters, LETTER_BIT)):
        numbers[has_letters] = np.add.reduceat((kinds & bit) > 0, starts, dtype=np.intp)
    found: list[bool] = ((n_japanese > 0) & (10 * n_japanese >= n_letters)).tolist()
    return found


@dataclass(frozen=True)
class _OfFunction(Tokenizer):
    """Tokenizer that calls a Python function of the user's own, which takes a text and returns a list of strings.

    Each string is looked for in the text after the one before, which gives the places of the tokens. A string that is
    not there (a function may change the letters) has the place -1.
    """

    name: ClassVar[str] = "python"

    @property
    @abstractmethod
    def function(self) -> Callable[[str], list[str]]:
        """Function itself."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Name of the function in messages."""

    def __call__(self, text: str) -> list[str]:
        """Terms in the order that the function returns them."""
        check_text(text)
        function = self.function
        try:
            terms: object = function(text)
        except Exception as error:
            raise InputError("the tokenizer {title} failed: {error!r}", title=self.title, error=error) from error
        if isinstance(terms, (str, bytes)) or not isinstance(terms, Iterable):
            template = "the tokenizer {title} must return a list of strings, not {x!r}"
            raise InputError(template, title=self.title, x=terms)
        return [self._as_term(term) for term in terms]

    def _as_term(self, term: object) -> str:
        if not isinstance(term, str):
            raise InputError("the tokenizer {title} must return strings, not {term!r}", title=self.title, term=term)
        return without_surrogates(term)

    def stream(self, text: str) -> Iterator[str]:
        """Terms, which the function returns all at once."""
        return iter(self(text))

    def tokens(self, text: str) -> Iterator[Token]:
        """Tokens in the order that the function returns them, each looked for after the one before."""
        position = 0
        for term in self(text):
            start = text.find(term, position, position + len(term) + _SEARCHED)
            if start < 0:
                yield Token(term, term, "", "", NOWHERE, NOWHERE)
            else:
                yield plain_token(term, start)
                position = start + len(term)


@dataclass(frozen=True)
class Imported(_OfFunction):
    """Python function ``module:function`` of the user's own; a recipe contains only the path.

    >>> Imported("shlex:split")("To 'be or' not")
    ['To', 'be or', 'not']
    """

    path: str

    def __post_init__(self) -> None:
        if not isinstance(self.path, str) or not _IMPORT_PATH.fullmatch(self.path):
            raise ParameterError("a Python tokenizer is named 'module:function', not {path!r}", path=self.path)

    @property
    def function(self) -> Callable[[str], list[str]]:
        """Function itself, imported when it is first needed."""
        return _import(self.path)

    @property
    def title(self) -> str:
        """Path of the function."""
        return self.path


@dataclass(frozen=True)
class Local(_OfFunction):
    """Python function that cannot be imported, such as a lambda or one of a notebook: it is used, and never saved.

    >>> Local(lambda text: text.split("-"))("to-be")
    ['to', 'be']
    """

    can_be_sent: ClassVar[bool] = False
    local: Callable[[str], list[str]]

    @property
    def function(self) -> Callable[[str], list[str]]:
        """Function itself."""
        return self.local

    @property
    def title(self) -> str:
        """Function in Python's own words, which tell it from others."""
        return repr(self.local)

    @property
    def recipe(self) -> Recipe:
        """Description that is not saved."""
        return {"name": self.name, "version": self.version, "params": {"path": self.title}}

    def __reduce__(self) -> Any:
        check_savable(self)
        return super().__reduce__()


def check_savable(tokenizer: Tokenizer) -> None:
    """Refuse to save a tokenizer that could not be found again."""
    if isinstance(tokenizer, Local):
        raise InputError(_NOT_IMPORTABLE, function=tokenizer.local, path=_path_of(tokenizer.local))


def _path_of(function: Callable[[str], list[str]]) -> str:
    return f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}"


def _is_importable(function: Callable[[str], list[str]]) -> bool:
    path = _path_of(function)
    if not _IMPORT_PATH.fullmatch(path) or path.startswith("__main__:"):
        return False
    try:
        return _import(path) is function
    except InputError:
        return False


@cache
def _import(path: str) -> Callable[[str], list[str]]:
    module, _, name = path.partition(":")
    try:
        function: object = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
    except (ImportError, AttributeError, ValueError) as error:
        template = "the tokenizer {path!r} cannot be imported: {error}; PYTHONPATH=. adds the current folder"
        raise InputError(template, path=path, error=error) from error
    if not callable(function):
        raise InputError("the tokenizer {path!r} is not a function", path=path)
    return function


TOKENIZERS: dict[str, type[Tokenizer]] = {
    cls.name: cls for cls in (Auto, Janome, Mecab, Sudachi, Chars, CharClass, Words, Whitespace, Imported)
}
"""All tokenizers by name."""
