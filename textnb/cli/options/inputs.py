"""The arguments and options that several verbs share.

A parameter of a verb whose type is one of the groups below stands for all the options of that group: ``grouped``
spreads them out for typer and gathers what was given.

Values as they are written on the command line.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from textnb.counts import TermsOf
from textnb.errors import InputError
from textnb.parallel import as_jobs
from textnb.readers import READERS, Settings
from textnb.text import FEATURES, NORMALISERS, TOKENIZERS, Analyzer, Tokenizer, tokenizer
from textnb.text.tokenizers import Imported


def as_number_range(value: str | None, option: str) -> tuple[int, int] | None:
    """``2`` or ``1-2`` as (low, high).

    >>> as_number_range("1-2", "--ngram"), as_number_range("3", "--ngram")
    ((1, 2), (3, 3))
    """
    if value is None:
        return None
    low, _, high = value.partition("-")
    if not low.isdecimal() or not (high or low).isdecimal():
        raise InputError(f"{option} takes a number or a range such as 1-2, not {value!r}")
    return int(low), int(high or low)


def as_frequency(value: str | None, option: str) -> int | float | str | None:
    """``2`` documents or a share such as ``0.5``."""
    if value is None or value == "auto":
        return value
    with suppress(ValueError):
        return int(value) if value.isdecimal() else float(value)
    raise InputError(f"{option} takes a number of documents or a share such as 0.5, not {value!r}")


def as_number_or_name(value: str | None) -> float | str | None:
    """``0.1`` as a number, anything else as it is."""
    with suppress(TypeError, ValueError):
        return float(value)  # type: ignore[arg-type]
    return value


def as_prior(value: str) -> str | dict[str, float]:
    """``empirical``, ``uniform``, or ``a=0.3,b=0.7`` as a mapping."""
    if "=" not in value:
        return value
    try:
        return {name.strip(): float(share) for name, _, share in (part.rpartition("=") for part in value.split(","))}
    except ValueError:
        raise InputError(f"--prior takes empirical, uniform or a=0.3,b=0.7, not {value!r}") from None


def words_in(path: Path) -> list[str]:
    """The lines of a file that are not blank."""
    try:
        return [word for word in path.read_text(encoding="utf-8-sig").splitlines() if word]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from error


ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]
CorpusPath = Annotated[
    Path,
    typer.Argument(
        metavar="CORPUS",
        help="A folder with one subfolder or mail store per class; a CSV, TSV or JSONL file (.gz too); or a `textnb "
        "count` file.",
        show_default=False,
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[INPUT]...",
        help="`-`: standard input, each line a document (the default). A table gives its records, a mailbox its "
        "messages, a folder its files; any other file is one document.",
        show_default=False,
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.", show_default=False)]
OtherOutput = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write here and leave MODEL as it is.")
]
Top = Annotated[int, typer.Option("--top", min=1, help="How many terms to show.", metavar="N")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Trust = Annotated[
    list[str] | None,
    typer.Option("--trust", metavar="MODULE:FUNCTION", help="Import this tokenizer if the file names it."),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say what was found: smoothing and calibration.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary on standard error.")]


_NAMED = [name for name in TOKENIZERS if name != Imported.name]
_SPOKEN = {"form": "--base-form", "n": "--chars-n"}


def _having(params: Iterable[str]) -> list[str]:
    """The tokenizers that have all of these parameters."""
    return [name for name, cls in TOKENIZERS.items() if set(params) <= inspect.signature(cls).parameters.keys()]


_ANALYSERS = ", ".join(_having(["pos"]))


def _reading(name: str, help: str) -> Any:
    return typer.Option(name, help=help, rich_help_panel="Reading")


def _text(name: str, help: str) -> Any:
    return typer.Option(name, help=help, rich_help_panel="Text")


@dataclass(frozen=True)
class Reading:
    """How to read an unlabelled input."""

    reader: Annotated[str | None, _reading("--reader", f"How to read it: {', '.join(READERS)}.")] = None
    text: Annotated[str | None, _reading("--text", "The column of the text.")] = None
    glob: Annotated[str | None, _reading("--glob", "Which files of a folder, as in '*.txt'.")] = None
    encoding: Annotated[str | None, _reading("--encoding", "The charset to believe where bytes are not UTF-8.")] = None
    skip_bad: Annotated[bool, _reading("--skip-bad", "Leave bad records out and count them.")] = False

    @property
    def settings(self) -> Settings:
        """The same for the readers."""
        given = {key: value for key, value in asdict(self).items() if key != "reader"}
        return Settings(**given, labelled=False)


@dataclass(frozen=True)
class LabelledReading(Reading):
    """How to read a corpus."""

    label: Annotated[str | None, _reading("--label", "The column of the label.")] = None


@dataclass(frozen=True)
class Cutting:
    """How text becomes terms."""

    tokenizer: Annotated[
        str | None, _text("--tokenizer", f"{', '.join(_NAMED)}, or module:function.  [default: auto]")
    ] = None
    base_form: Annotated[bool, _text("--base-form", f"Count base forms ({_ANALYSERS}).")] = False
    pos: Annotated[list[str] | None, _text("--pos", f"Keep this part of speech (名詞); repeatable ({_ANALYSERS}).")] = (
        None
    )
    exclude_pos: Annotated[
        list[str] | None, _text("--exclude-pos", f"Leave this part of speech out; repeatable ({_ANALYSERS}).")
    ] = None
    stop_words: Annotated[
        Path | None, _text("--stop-words", f"A file of terms to leave out, one a line ({_ANALYSERS}).")
    ] = None
    user_dictionary: Annotated[Path | None, _text("--user-dictionary", "A Janome user dictionary, CSV (janome).")] = (
        None
    )
    mode: Annotated[
        str | None, _text("--mode", "A, B or C: the shortest, middle or longest words (sudachi).  [default: C]")
    ] = None
    chars_n: Annotated[str | None, _text("--chars-n", "Lengths of character n-grams, as in 2-3 (chars).")] = None
    normalise: Annotated[
        str | None, _text("--normalise", f"In the order given, with commas: {', '.join(NORMALISERS)}, or none.")
    ] = None
    ngram: Annotated[
        str | None, _text("--ngram", "Word n-grams, as in 1-2.  [default: what suits the model; mostly 1]")
    ] = None
    features: Annotated[
        str | None,
        _text("--features", f"Groups of terms beside the words, with commas: {', '.join(FEATURES)}, or none."),
    ] = None

    @property
    def given(self) -> bool:
        """Whether any of it was."""
        return self != Cutting()

    @cached_property
    def terms_of(self) -> TermsOf:
        """The tokenizer and the analyzer that were asked for."""
        return TermsOf(self._tokenizer(), self._analyzer())

    @property
    def settled(self) -> tuple[str, ...]:
        """The parts of the analyzer that were asked for, and so are not left to what suits a model."""
        given = {"ngram": self.ngram, "normalisers": self.normalise, "features": self.features}
        return tuple(name for name, value in given.items() if value is not None)

    def suited(self, terms: Mapping[str, Any]) -> TermsOf:
        """The same, with what suits a model where nothing was asked for."""
        asked, settled = self.terms_of, self.settled
        suiting = {name: value for name, value in terms.items() if name not in settled}
        return TermsOf(asked.tokenizer, replace(asked.analyzer, **suiting))

    def _tokenizer(self) -> Tokenizer:
        params = {
            "form": "base" if self.base_form else None,
            "pos": self.pos,
            "exclude_pos": self.exclude_pos,
            "stop_words": None if self.stop_words is None else words_in(self.stop_words),
            "user_dictionary": self.user_dictionary,
            "mode": self.mode,
            "n": as_number_range(self.chars_n, "--chars-n"),
        }
        given = {key: value for key, value in params.items() if value}
        if self.tokenizer is None and given:
            spoken = ", ".join(_SPOKEN.get(key, f"--{key.replace('_', '-')}") for key in sorted(given))
            if not (having := _having(given)):
                raise InputError(f"no tokenizer has all of {spoken}")
            raise InputError(f"name the tokenizer that {spoken} is for: --tokenizer {' or '.join(having)}")
        return tokenizer(self.tokenizer or "auto", **given)

    def _analyzer(self) -> Analyzer:
        ngram = as_number_range(self.ngram, "--ngram") or (1, 1)
        return Analyzer(normalisers=_names(self.normalise), ngram=ngram, features=_names(self.features))


def _names(value: str | None) -> tuple[str, ...]:
    if value == "none":  # of what suits the model
        return ()
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


@dataclass(frozen=True)
class Running:
    """How long work is done and shown."""

    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Threads or processes to read and cut with; 0: one a processor.")
    ] = 0
    quiet: Quiet = False

    @property
    def n_jobs(self) -> int:
        """The number of processes."""
        return as_jobs(self.jobs)


def grouped(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb with every group spread out into its options."""
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(verb).parameters.values():
        if parameter.name in groups:
            parameters += _options(groups[parameter.name])
        else:
            parameters.append(parameter.replace(annotation=hints[parameter.name], kind=parameter.KEYWORD_ONLY))

    def spread(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        verb(**given)

    spread.__name__, spread.__doc__ = verb.__name__, verb.__doc__
    spread.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    spread.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return spread


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(field.name, kind, default=field.default, annotation=hints[field.name])
        for field in fields(group)
    ]
