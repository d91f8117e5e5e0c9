"""Documents from the paths of a command line, and the model or count file that is written."""

import math
import shutil
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple

import click

from textnb.address import Address
from textnb.classifier.facts import dropped_facts, dropped_in_words
from textnb.classifier.inputs import as_source
from textnb.classifier.recipe import differing
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options.groups import given_options
from textnb.cli.options.inputs import LabelledReading, Reading, Running, Tokenizing
from textnb.cli.terminal import plural, say, say_if_typing, warn
from textnb.cli.throughput import Input, Throughput, size_of
from textnb.counts import Counted, TermsOf, counted
from textnb.counts.counting import joined
from textnb.counts.kinds import of_kinds
from textnb.counts.pruning import Dropped
from textnb.errors import InputError, ParameterError, Phrase, listed
from textnb.files.bundle import is_bundle
from textnb.files.correction import has_journal
from textnb.files.count_file import read_counts
from textnb.readers import (
    Document,
    OpenCorpus,
    open_corpus,
)
from textnb.readers.corpus import STREAMED, expand_paths
from textnb.readers.folders import is_kind
from textnb.readers.settings import header_field
from textnb.readers.streamed import Pipe
from textnb.storage import check_writable
from textnb.text.analyzer import SELECTION


class CountFile(NamedTuple):
    """A count file: its documents, and how they were tokenized."""

    path: Path
    counted: Counted
    terms_of: TermsOf

    def part(self, terms_of: TermsOf) -> Counted:
        """Return the documents with these terms; an error if they were tokenized in another way."""
        check_has_terms(self.path, terms_of, self.terms_of)
        kinds = terms_of.analyzer.terms
        is_whole = kinds in (None, self.terms_of.analyzer.terms)
        return self.counted if is_whole or kinds is None else of_kinds(self.counted, self.terms_of, kinds)


@dataclass(frozen=True)
class CorpusSource:
    """Corpora of the command line, which are opened once: documents, and the counts of count files.

    name: the corpora for messages. corpora: in the order in which they were named.
    """

    name: str
    running: Running
    corpora: tuple[OpenCorpus | CountFile, ...]
    throughput: Throughput = field(default_factory=Throughput, compare=False)

    @classmethod
    def open(
        cls, names: Sequence[str], reading: LabelledReading, running: Running, trust: Collection[str] = ()
    ) -> "CorpusSource":
        """Read count files, and recognise the kinds of corpora; documents are read when they are needed.

        A name may be a file, a folder, a pattern, or - for standard input.
        """
        check_named_once(names)
        settings = replace(reading.settings, jobs=running.n_jobs, whole_records=False)
        corpora: list[OpenCorpus | CountFile] = []
        for name in names:
            if name == STANDARD_INPUT and reading.reader in (None, *STREAMED):
                corpora.append(open_corpus(Pipe(STANDARD_INPUT_NAME, standard_input), reading.reader, settings))
                continue
            named = stored_input() if name == STANDARD_INPUT else name
            for path, own in expand_paths(named, reading.reader, settings):
                if isinstance(path, Path) and is_kind(path.is_file) and is_bundle(path):
                    corpora.append(CountFile(path, *read_counts(path, trust)))
                else:
                    corpora.append(open_corpus(path, reading.reader, own))
        kinds = ["counts" if isinstance(each, CountFile) else each.kind for each in corpora]
        _warn_of_repeated(corpora)
        whole = " ".join(STANDARD_INPUT_NAME if name == STANDARD_INPUT else name for name in names)
        check_reading_used(reading, kinds, whole)
        return cls(whole, running, tuple(corpora))

    @property
    def count_file(self) -> CountFile | None:
        """The first count file, by which texts beside it are tokenized; None if there is none."""
        return next((each for each in self.corpora if isinstance(each, CountFile)), None)

    @property
    def is_mail(self) -> bool:
        """Whether all documents are messages; unknown, hence false, for a count file."""
        return all(isinstance(each, OpenCorpus) and each.is_mail for each in self.corpora)

    def terms_of(self, tokenizing: Tokenizing, suiting: Mapping[str, Any] | None = None) -> TermsOf:
        """Return how texts are tokenized, with a model's own defaults; a count file is tokenized already."""
        if self.count_file is None:
            return tokenizing.suited(suiting or {})
        if not tokenizing.kinds_only:
            template = "{corpus} is tokenized already; leave out the options for text, except --terms"
            raise InputError(template, corpus=self.count_file.path)
        terms_of = self.count_file.terms_of
        if not tokenizing.given:
            return terms_of
        kinds = tokenizing.terms_of.analyzer
        return replace(terms_of, analyzer=terms_of.analyzer.changed(ngram=kinds.ngram, terms=kinds.terms))

    def settled(self, tokenizing: Tokenizing) -> Collection[str]:
        """Return the parts of the analyzer that a model's own defaults do not replace."""
        if self.count_file is None:
            return tokenizing.settled
        return [name for name in ("terms", "ngram", *self.count_file.terms_of.analyzer.recipe) if name not in SELECTION]

    def documents(self) -> Iterator[Document]:
        """Return the labelled documents; progress is shown. Of several corpora, an id begins with its path."""
        if self.count_file is not None:
            template = "{path} holds counts, not text; name the corpus that it was counted from"
            raise InputError(template, path=self.count_file.path)
        self._begin()
        return self._watched(self._inputs)

    def _begin(self) -> None:
        self.throughput.begin(self._inputs, quiet=self.running.quiet)

    def _watched(self, inputs: Sequence[Input]) -> Iterator[Document]:
        return self.throughput.watch(inputs, "reading", quiet=self.running.quiet)

    @property
    def _inputs(self) -> list[Input]:
        corpora = (each for each in self.corpora if isinstance(each, OpenCorpus))
        return [Input(each.kind, partial(self._documents, each), each) for each in corpora]

    def _documents(self, corpus: OpenCorpus) -> Iterator[Document]:
        if len(self.corpora) == 1:
            return corpus.documents()
        return (replace(each, id=f"{corpus.path}:{each.id}") for each in corpus.documents())

    def labelled(self, terms_of: TermsOf) -> Iterator[Any]:
        """Return the documents; or counted parts, if there is a count file, which must have the terms."""
        return self.documents() if self.count_file is None else self._parts(terms_of)

    def _parts(self, terms_of: TermsOf) -> Iterator[Counted]:
        self._begin()
        inputs = iter(self._inputs)
        for each in self.corpora:
            if isinstance(each, CountFile):
                self.throughput.add(len(each.counted), size_of(each.path))
                yield each.part(terms_of)
            else:
                yield from counted(self._watched([next(inputs)]), terms_of, jobs=self.running.n_jobs)

    def counted(self, terms_of: TermsOf) -> Counted:
        """Return all documents, counted."""
        parts = list(counted(as_source(self.labelled(terms_of)), terms_of, jobs=self.running.n_jobs, entries=math.inf))
        if not parts:
            raise InputError("{corpus} has no documents", corpus=self.name)
        return parts[0] if len(parts) == 1 else joined(parts)


APPENDED = (
    "{output} ends with these {documents} already, so nothing is appended; to have them twice, count them to another "
    "file and merge both"
)
"""Message about a count file to which the same documents would be added again."""
STANDARD_INPUT, STANDARD_INPUT_NAME = "-", "standard input"


def _warn_of_repeated(corpora: Sequence[OpenCorpus | CountFile]) -> None:
    """Warn of a corpus that is named twice, as by two patterns: its documents count twice."""
    places = (each.path.resolve() if isinstance(each.path, Path) else each.path for each in corpora)
    for path, number in Counter(map(str, places)).items():
        if number > 1:
            warn("{path} is named {number} times, and its documents count as often", path=path, number=number)


@dataclass(frozen=True)
class StoredInput(Address):
    """Copy of standard input in a file; messages and ids name standard input, not the file."""

    file: Path

    @property
    def _type(self) -> str:
        return "file"

    @property
    def is_pattern(self) -> bool:
        """Return False: it is one file."""
        return False

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.file.stat().st_size

    def open(self) -> BinaryIO:
        """Open the file to read its bytes."""
        return self.file.open("rb")


def stored_input() -> StoredInput:
    """Copy standard input to a file, which lives as long as the verb runs, for kinds that are not read in one go."""
    folder = click.get_current_context().with_resource(TemporaryDirectory())
    file = Path(folder, "input")
    with file.open("wb") as stream:
        shutil.copyfileobj(standard_input(), stream)
    return StoredInput(STANDARD_INPUT_NAME, file)


def check_named_once(names: Sequence[str]) -> None:
    """Refuse standard input among the inputs if it is there twice."""
    if list(names).count(STANDARD_INPUT) > 1:
        raise ParameterError("standard input can be read only once; name - once")


def standard_input() -> BinaryIO:
    """Return the bytes of standard input."""
    if sys.stdin is None:
        raise InputError("standard input is closed; name a file")
    say_if_typing("reading from the terminal; end with {keys}, or name a file")
    return sys.stdin.buffer


_SKIPPING = {"skip_bad", "max_skipped"}
_TABLE = frozenset({"text", "label", "id", "encoding", *_SKIPPING})
_USED_BY_KIND = {
    "folder": frozenset({"glob", "encoding", *_SKIPPING}),
    "mail": frozenset({"glob", *_SKIPPING}),
    "csv": _TABLE,
    "tsv": _TABLE,
    "jsonl": _TABLE,
    "xlsx": _TABLE - {"encoding"} | {"sheet"},
    "parquet": _TABLE - {"encoding"},
    "arrow": _TABLE - {"encoding"},
    "lines": frozenset({"encoding", *_SKIPPING}),
    "document": frozenset({"encoding"}),
    "counts": frozenset[str](),
}
"""Options for reading that each kind of input uses."""


def check_reading_used(reading: Reading, kinds: Collection[str], source: object) -> None:
    """Refuse options for reading that no input of these kinds uses."""
    used = set[str]().union(*(_USED_BY_KIND[kind] for kind in kinds))
    if header_field(getattr(reading, "label", None)) is not None and "mail" in kinds:
        used.add("label")
    if given := given_options(*(vars(reading).keys() - {"reader", "per_line"} - used)):
        template = "{source} is read as {kinds}, and {options} would have no effect; leave it out"
        raise InputError(template, source=source, kinds=listed(set(kinds)), options=" and ".join(given))


def check_has_terms(path: Path, mine: TermsOf, theirs: TermsOf) -> None:
    """Raise an error if a count file was tokenized differently from a model, or lacks terms of the model."""
    kinds, known = mine.analyzer.terms, theirs.analyzer.terms
    differ_in_range = kinds is None or known is None
    for part, a, b in (
        ("tokenizer", mine.tokenizer.recipe, theirs.tokenizer.recipe),
        ("normalisers", mine.analyzer.normalisers, theirs.analyzer.normalisers),
        ("ngram", mine.analyzer.ngram if differ_in_range else None, theirs.analyzer.ngram if differ_in_range else None),
        ("features", mine.analyzer.features, theirs.analyzer.features),
    ):
        if a != b:
            why = differing(part, b, a)
            raise InputError("{path} was tokenized differently from the model: {why}", path=path, why=why)
    missing = [kind for kind in kinds or () if known is not None and kind not in known]
    if missing:
        template = "{path} has no {missing}; count the corpus again with --terms {kinds}"
        raise InputError(template, path=path, missing=" and no ".join(missing), kinds=",".join(kinds or ()))


def check_output(output: Path, corpora: Sequence[str] = ()) -> None:
    """Raise an error, before any work, if the output cannot be written or would replace a file of another program."""
    check_writable(output)
    check_not_input(output, corpora)
    if output.exists() and output.stat().st_size and not is_bundle(output):
        template = "{output} already exists and is not a textnb file; remove it or choose another name"
        raise InputError(template, output=output)
    if has_journal(output):
        from textnb.files.journal import Journal  # SQLite is not needed otherwise

        Journal(output).check()


def check_not_input(output: Path, names: Sequence[str]) -> None:
    """Refuse an output that is one of the inputs."""
    for name in names:
        if output.exists() and is_kind(Path(name).exists) and output.samefile(name):
            raise InputError("{output} is an input itself; choose another name for the output", output=output)


def check_not_among(output: Path, corpora: Sequence[OpenCorpus]) -> None:
    """Refuse an output that is one of the files for which the inputs stand: patterns and folders."""
    for corpus in corpora:
        path = corpus.path
        if isinstance(path, Path) and output.exists():
            is_inside = path.is_dir() and not corpus.settings.glob and output.resolve().is_relative_to(path.resolve())
            if is_inside or output.samefile(path):
                raise InputError("{output} is an input itself; choose another name for the output", output=output)


def save_and_say(classifier: TextClassifier, output: Path, done: str, number: int, quiet: bool) -> None:
    """Write the model file and print one line about it on standard error."""
    classifier.save(output)
    if not quiet:
        counts = classifier.learnt.counts
        say(
            "{done} {number}; {output} has {documents}, {classes}, {terms}",
            done=Phrase(done),
            number=plural(number, "document"),
            output=output,
            documents=plural(len(classifier.learnt.digests), "document"),
            classes=plural(counts.n_classes, "class", "classes"),
            terms=plural(counts.n_terms, "term"),
        )


def say_dropped(dropped: Dropped) -> None:
    """Print what a term budget has dropped from a count file, if anything."""
    if dropped.pairs:
        say("{name}: {value}", name=Phrase("dropped terms"), value=Phrase(dropped_in_words(dropped_facts(dropped))))
