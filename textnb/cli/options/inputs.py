"""Arguments and options that many verbs share, and values as they are written on the command line."""

import inspect
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import click

from textnb.cli.options.groups import FILE, Decorator, argument, check_unused, flag, option
from textnb.counts import TermsOf
from textnb.errors import InputError, ParameterError, Phrase
from textnb.extension import cached_property
from textnb.files.bundle import is_bundle
from textnb.parallel import as_jobs
from textnb.readers import READERS, Settings
from textnb.readers.settings import MAX_SKIPPED
from textnb.text import FEATURES, NORMALISERS, TERMS, TOKENIZERS, Analyzer, Tokenizer, tokenizer
from textnb.text.tokenizers import Imported

_TABLES = (".csv", ".tsv", ".jsonl", ".xlsx", ".parquet", ".arrow", ".feather")


class ModelPath(click.Path):
    """Path of a model; a folder or a table in its place is refused with the usage of the verb."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; the verb itself checks that it is a model."""
        path = super().convert(value, param, ctx)
        assert isinstance(path, Path)
        kind = "a folder" if path.is_dir() else "a table" if set(path.suffixes) & set(_TABLES) else None
        if kind is None or ctx is None or is_bundle(path):  # a model may have the name of a table
            return path
        usage = " ".join([ctx.command_path, *ctx.command.collect_usage_pieces(ctx)[1:]])
        template = "{path} is {kind}, not a model; the model comes first: {usage}"
        raise InputError(template, path=path, kind=Phrase(kind), usage=usage)


class Proportion(click.types.FloatParamType):
    """Number between 0 and 1; for a percentage the error says which number it is."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        with suppress(ValueError):
            if str(value).endswith(("%", "％")):
                number = float(str(value)[:-1]) / 100
                self.fail(f"write {number:g} in place of {value}: a probability is a number from 0 to 1.", param, ctx)
        return super().convert(value, param, ctx)


PROPORTION = Proportion()

model_path = argument("model", "MODEL", "Model file.", type=ModelPath(path_type=Path))
corpus_paths = argument(
    "corpora",
    "CORPUS...",
    "Folder with one subfolder or mail store per class; table (.csv, .tsv, .jsonl, .xlsx, .parquet, .arrow, also "
    "compressed) or folder of tables, also at s3:// ...; file of lines with __label__x (- for standard input); or a "
    "`textnb count` file; or several.",
    nargs=-1,
    required=True,
)
input_names = argument(
    "inputs",
    "[INPUT]...",
    "File or folder; - is standard input, each line a document (the default). A table is read as its records, a "
    "mailbox as its messages, a folder as its files (or tables); any other file, such as .txt, is one document, or "
    "one per line with --per-line. Tables and files may be at addresses, such as s3://.",
    nargs=-1,
)
output = click.option("--output", "-o", metavar="FILE", type=FILE, required=True, help="File to write.")
other_output = click.option(
    "--output", "-o", metavar="FILE", type=FILE, help="Write to FILE and leave MODEL unchanged."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
row_format = click.option(
    "--format", "form", type=click.Choice(["tsv", "csv", "jsonl"]), default="tsv", help="Format of the output."
)
trust = click.option(
    "--trust", metavar="MODULE:FUNCTION", multiple=True, help="Allow a file to import this tokenizer; repeatable."
)
quiet = click.option("--quiet", "-q", is_flag=True, help="Show neither progress nor a summary.")


def top_option(default: int) -> Decorator:
    """Return the option --top with this default."""
    return click.option(
        "--top", metavar="N", type=click.IntRange(min=1), default=default, help="Number of terms to show."
    )


def as_number_range(value: str | None, option: str) -> tuple[int, int] | None:
    """Return ``2`` or ``1-2`` as (low, high).

    >>> as_number_range("1-2", "--ngram"), as_number_range("3", "--ngram")
    ((1, 2), (3, 3))
    """
    if value is None:
        return None
    low, _, high = value.partition("-")
    with suppress(ValueError):  # not digits, or more of them than int takes
        return int(low), int(high or low)
    raise ParameterError("{option} takes a number or a range such as 1-2, not {value!r}", option=option, value=value)


def as_frequency(value: str | None, option: str) -> int | float | str | None:
    """Return ``2`` as a number of documents and ``0.5`` as a proportion of them."""
    if value is None or value == "auto":
        return value
    with suppress(ValueError):
        return int(value) if value.isdecimal() else float(value)
    raise ParameterError(
        "{option} takes a number of documents or a proportion such as 0.5, not {value!r}", option=option, value=value
    )


def as_prior(value: str) -> str | dict[str, float]:
    """Return ``a=0.3,b=0.7`` as a mapping, and ``empirical`` or ``uniform`` as it is."""
    if "=" not in value:
        return value
    try:
        return {name.strip(): float(share) for name, _, share in (part.rpartition("=") for part in value.split(","))}
    except ValueError:
        raise ParameterError("--prior takes empirical, uniform or a=0.3,b=0.7, not {value!r}", value=value) from None


def read_words(path: Path) -> list[str]:
    """Return the lines of a file that are not blank."""
    try:
        return [word for word in path.read_text(encoding="utf-8-sig").splitlines() if word]
    except FileNotFoundError:
        template = "{path} does not exist; --stop-words takes a text file in UTF-8 with one term per line"
        raise InputError(template, path=path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("{path}: {error}", path=path, error=error) from error


_NAMED_TOKENIZERS = [name for name in TOKENIZERS if name != Imported.name]
_OPTION_NAMES = {"form": "--base-form", "n": "--chars-n"}


def _tokenizers_with(params: Iterable[str]) -> list[str]:
    """Return the tokenizers that have all of these parameters."""
    return [name for name, cls in TOKENIZERS.items() if set(params) <= inspect.signature(cls).parameters.keys()]


_ANALYSERS = ", ".join(_tokenizers_with(["pos"]))


@dataclass(frozen=True)
class Reading:
    """How to read unlabelled documents."""

    section: ClassVar[str] = "Reading"
    labelled: ClassVar[bool] = False
    reader: str | None = option("NAME", f"{', '.join(READERS)}.  [default: by name]", type=click.Choice(READERS))
    text: tuple[str, ...] = option(
        "COLUMN", "Column of the text; several, as in 件名,本文, are one text. Repeatable.", default=()
    )
    id: str | None = option("COLUMN", "Column of the id.  [default: id, name ...; else the number of the record]")
    sheet: str | None = option("NAME|N", "Sheet of an .xlsx file.  [default: the first]")
    glob: str | None = option("PATTERN", "Files of a folder to read, as in '*.txt'.")
    encoding: str | None = option("NAME", "Charset of bytes that are not UTF-8.")
    skip_bad: bool = flag("Leave out bad records and count them.")
    max_skipped: float = option(
        "P", "Largest proportion that --skip-bad leaves out.", type=click.FloatRange(0, 1), default=MAX_SKIPPED
    )

    @property
    def settings(self) -> Settings:
        """Settings of the readers."""
        if not self.skip_bad:
            check_unused("max_skipped", why="without --skip-bad")
        given = {key: value for key, value in vars(self).items() if key not in ("reader", "per_line")}
        return Settings(**given, labelled=self.labelled)


@dataclass(frozen=True)
class InputReading(Reading):
    """How to read documents to classify."""

    per_line: bool = flag("Read each line of a file as a document, as --reader lines does.")

    def __post_init__(self) -> None:
        if self.per_line and self.reader not in (None, "lines"):
            raise ParameterError("--per-line is --reader lines; leave out --reader {reader}", reader=self.reader)
        if self.per_line:
            object.__setattr__(self, "reader", "lines")


@dataclass(frozen=True)
class LabelledReading(Reading):
    """How to read a corpus."""

    labelled: ClassVar[bool] = True
    label: str | None = option("COLUMN", "Column of the label; or header:NAME, a header field of mails.")


@dataclass(frozen=True)
class Tokenizing:
    """How text becomes terms."""

    section: ClassVar[str] = "Text"
    tokenizer: str | None = option("NAME", f"{', '.join(_NAMED_TOKENIZERS)}, or module:function.  [default: auto]")
    base_form: bool = flag(f"Count base forms ({_ANALYSERS}).")
    pos: tuple[str, ...] = option("POS", f"Keep this part of speech (名詞); repeatable ({_ANALYSERS}).", default=())
    exclude_pos: tuple[str, ...] = option(
        "POS", f"Leave out this part of speech; repeatable ({_ANALYSERS}).", default=()
    )
    stop_words: Path | None = option("FILE", f"File of terms to leave out, one per line ({_ANALYSERS}).")
    user_dictionary: Path | None = option("FILE", "Janome user dictionary, CSV (janome).")
    mode: str | None = option("A|B|C", "Short, middle or long words (sudachi).  [default: C]")
    chars_n: str | None = option("N-M", "Lengths of character n-grams, as in 2-3 (chars).")
    normalise: str | None = option("A,B,...", f"In this order: {', '.join(NORMALISERS)}; or none.")
    terms: str | None = option("A,B,...", f"Kinds of terms: {', '.join(TERMS)}.  [default: by model; else words]")
    ngram: str | None = option("N-M", "Word n-grams in place of --terms; 1-2 is words,pairs.")
    features: str | None = option("A,B,...", f"Further terms: {', '.join(FEATURES)}; or none.")

    @property
    def given(self) -> bool:
        """True if any of these options was given."""
        return self != Tokenizing()

    @cached_property
    def terms_of(self) -> TermsOf:
        """Tokenizer and analyzer of these options."""
        return TermsOf(self._tokenizer(), self._analyzer())

    @property
    def settled(self) -> tuple[str, ...]:
        """Parts of the analyzer that were given, which a model's own defaults do not replace."""
        kinds = self.terms if self.ngram is None else self.ngram
        given = {"terms": kinds, "ngram": kinds, "normalisers": self.normalise, "features": self.features}
        return tuple(name for name, value in given.items() if value is not None)

    @property
    def gives_terms(self) -> bool:
        """True if --terms or --ngram was given."""
        return self.terms is not None or self.ngram is not None

    @property
    def kinds_only(self) -> bool:
        """True if no option but --terms or --ngram was given."""
        return replace(self, terms=None, ngram=None) == Tokenizing()

    def suited(self, terms: Mapping[str, Any]) -> TermsOf:
        """Return tokenizer and analyzer, with a model's own defaults for the parts that were not given."""
        asked, settled = self.terms_of, self.settled
        suiting = {name: value for name, value in terms.items() if name not in settled}
        return TermsOf(asked.tokenizer, asked.analyzer.changed(**suiting))

    def _tokenizer(self) -> Tokenizer:
        params = {
            "form": "base" if self.base_form else None,
            "pos": list(self.pos),
            "exclude_pos": list(self.exclude_pos),
            "stop_words": None if self.stop_words is None else read_words(self.stop_words),
            "user_dictionary": self.user_dictionary,
            "mode": self.mode,
            "n": as_number_range(self.chars_n, "--chars-n"),
        }
        given = {key: value for key, value in params.items() if value}
        if self.tokenizer is None and given:
            names = ", ".join(_OPTION_NAMES.get(key, f"--{key.replace('_', '-')}") for key in sorted(given))
            if not (having := _tokenizers_with(given)):
                raise ParameterError("no tokenizer has all of {options}", options=names)
            raise ParameterError(
                "{options} depends on the tokenizer; add --tokenizer {tokenizers}",
                options=names,
                tokenizers=" or ".join(having),
            )
        if self.tokenizer == Imported.name:
            raise ParameterError(
                "--tokenizer {name} is not complete; name your function: module:function", name=Imported.name
            )
        return tokenizer(self.tokenizer or "auto", **given)

    def _analyzer(self) -> Analyzer:
        if self.terms is not None and self.ngram is not None:
            raise ParameterError("--terms and --ngram both choose the terms; leave out one of them")
        features = _names(self.features)
        if "chars" in features:
            raise ParameterError("--features has no chars; use --terms words,chars")
        ngram = as_number_range(self.ngram, "--ngram")
        terms = None if self.terms is None else tuple(self.terms.split(","))
        return Analyzer(normalisers=_names(self.normalise), ngram=ngram, features=features, terms=terms)


def _names(value: str | None) -> tuple[str, ...]:
    if value == "none":  # leave out the model's own defaults too
        return ()
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


RARE = (
    "sheet",
    "id",
    "glob",
    "encoding",
    "skip_bad",
    "max_skipped",
    "ngram",
    "features",
    "pos",
    "exclude_pos",
    "stop_words",
    "user_dictionary",
    "mode",
    "chars_n",
)
"""Options of `LabelledReading` and `Tokenizing` that long help pages leave to `textnb count --help`."""


@dataclass(frozen=True)
class Running:
    """How much of the machine is used, and what is shown meanwhile."""

    section: ClassVar[str] = "Options"
    jobs: int = option(
        "N", "Threads or processes; 0: one per processor.", "--jobs", "-j", type=click.IntRange(min=0), default=0
    )
    quiet: bool = flag("Show neither progress nor a summary.", "--quiet", "-q")

    @property
    def n_jobs(self) -> int:
        """Number of processes."""
        return as_jobs(self.jobs)
