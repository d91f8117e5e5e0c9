"""Documents from the paths of a command line, and the model or count file that is written."""

import math
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from textnb.classifier.inputs import as_source
from textnb.classifier.recipe import differing
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options.groups import given_options
from textnb.cli.options.inputs import LabelledReading, Reading, Running, Tokenizing
from textnb.cli.terminal import plural, progress, say
from textnb.counts import Counted, TermsOf, counted
from textnb.counts.kinds import of_kinds
from textnb.errors import InputError, ParameterError, listed
from textnb.files.bundle import is_bundle
from textnb.files.count_file import read_counts
from textnb.readers import (
    Document,
    OpenCorpus,
    Settings,
    Troubles,
    open_corpus,
    open_input,
    read_input,
    read_lines,
    read_mail_stream,
)
from textnb.readers.mail_corpus import MAIL_DAMAGE
from textnb.readers.settings import Then
from textnb.storage import check_writable
from textnb.text.analyzer import SELECTION


@dataclass(frozen=True)
class CorpusSource:
    """A corpus of the command line, which is opened once: documents, or the counts of a count file."""

    path: Path
    running: Running
    corpus: OpenCorpus | None
    count_file: tuple[Counted, TermsOf] | None

    @classmethod
    def open(
        cls, path: Path, reading: LabelledReading, running: Running, trust: Collection[str] = ()
    ) -> "CorpusSource":
        """Read a count file, or recognise the kind of a corpus; its documents are read when they are needed."""
        if path.is_file() and is_bundle(path):
            _check_reading_used(reading, ["counts"], path)
            return cls(path, running, None, read_counts(path, trust))
        settings = replace(reading.settings, jobs=running.n_jobs)
        corpus = open_corpus(path, reading.reader, settings)
        _check_reading_used(reading, [corpus.kind], path)
        return cls(path, running, corpus, None)

    @property
    def is_mail(self) -> bool:
        """Whether the documents are messages; unknown, hence false, for a count file."""
        return self.corpus is not None and self.corpus.is_mail

    def terms_of(self, tokenizing: Tokenizing, suiting: Mapping[str, Any] | None = None) -> TermsOf:
        """Return how texts are tokenized, with a model's own defaults; a count file is tokenized already."""
        if self.count_file is None:
            return tokenizing.suited(suiting or {})
        if not tokenizing.kinds_only:
            template = "{corpus} is tokenized already; leave out the options for text, except --terms"
            raise InputError(template, corpus=self.path)
        terms_of = self.count_file[1]
        if not tokenizing.given:
            return terms_of
        kinds = tokenizing.terms_of.analyzer
        return replace(terms_of, analyzer=terms_of.analyzer.changed(ngram=kinds.ngram, terms=kinds.terms))

    def settled(self, tokenizing: Tokenizing) -> Collection[str]:
        """Return the parts of the analyzer that a model's own defaults do not replace."""
        if self.count_file is None:
            return tokenizing.settled
        return [name for name in ("terms", "ngram", *self.count_file[1].analyzer.recipe) if name not in SELECTION]

    def documents(self) -> Iterator[Document]:
        """Return the labelled documents; progress is shown."""
        if self.corpus is None:
            raise InputError("{path} holds counts, not text; name the corpus that it was counted from", path=self.path)
        expected = partial(_expected_documents, self.path, self.corpus.settings.glob)
        return progress(self.corpus.documents(), "reading", expected, self.running.quiet)

    def labelled(self, terms_of: TermsOf) -> Iterator[Any]:
        """Return the documents, or the counts of a count file, which must have the terms, counted in the same way."""
        if self.count_file is None:
            return self.documents()
        part, counted_by = self.count_file
        check_has_terms(self.path, terms_of, counted_by)
        kinds = terms_of.analyzer.terms
        return iter([part if kinds in (None, counted_by.analyzer.terms) else of_kinds(part, counted_by, kinds)])

    def counted(self, terms_of: TermsOf) -> Counted:
        """Return all documents, counted."""
        for part in counted(as_source(self.labelled(terms_of)), terms_of, jobs=self.running.n_jobs, entries=math.inf):
            return part
        raise InputError("{corpus} has no documents", corpus=self.path)


def input_documents(
    inputs: Collection[str], reading: Reading, jobs: int = 1, then: Then | None = None
) -> Iterator[Document]:
    """Yield the documents of all inputs, in order; with several inputs an id begins with the name of its input.

    jobs, then: as in ``Settings``.
    """
    names = inputs or ["-"]
    for name in names:
        for document in _input(name, reading, replace(reading.settings, jobs=jobs, then=then)):
            alone = len(names) == 1 or document.id == name
            yield document if alone else replace(document, id=f"{name}:{document.id}")


_SKIPPING = {"skip_bad", "max_skipped"}
_TABLE = frozenset({"text", "label", "encoding", *_SKIPPING})
_USED_BY_KIND = {
    "folder": frozenset({"glob", "encoding", *_SKIPPING}),
    "mail": frozenset({"glob", *_SKIPPING}),
    "csv": _TABLE,
    "tsv": _TABLE,
    "jsonl": _TABLE,
    "lines": frozenset({"encoding", *_SKIPPING}),
    "document": frozenset({"encoding"}),
    "counts": frozenset[str](),
}
"""Options for reading that each kind of input uses."""


def check_inputs(inputs: Collection[str], reading: Reading) -> None:
    """Raise an error if an input does not exist, or if an option for reading has no effect on any input."""
    for name in inputs:
        if name != "-" and not Path(name).exists():
            raise InputError("{name} does not exist", name=name)
    kinds = {_kind(name, reading) for name in inputs or ["-"]}
    _check_reading_used(reading, kinds, " ".join(inputs) or "standard input")


def _kind(name: str, reading: Reading) -> str:
    """Return how an input is read; standard input is lines or mail."""
    return (reading.reader or "lines") if name == "-" else open_input(Path(name), reading.reader, reading.settings).kind


def _check_reading_used(reading: Reading, kinds: Collection[str], source: object) -> None:
    """Refuse options for reading that no input of these kinds uses."""
    unused = (vars(reading).keys() - {"reader"}).difference(*(_USED_BY_KIND[kind] for kind in kinds))
    if given := given_options(*unused):
        template = "{source} is read as {kinds}, and {options} would have no effect; leave it out"
        raise InputError(template, source=source, kinds=listed(kinds), options=" and ".join(given))


def _input(name: str, reading: Reading, settings: Settings) -> Iterator[Document]:
    if name != "-" and Path(name).is_file() and is_bundle(name):
        raise InputError("{name} is a textnb file, not a document", name=name)
    if name != "-":
        return read_input(Path(name), reading.reader, settings)
    if sys.stdin is None:
        raise InputError("standard input is closed; name a file")
    if reading.reader not in (None, "lines", "mail"):
        template = "standard input can only be read as lines or mail; for --reader {reader} name a file"
        raise ParameterError(template, reader=reading.reader)
    if reading.reader == "mail":
        messages = read_mail_stream(sys.stdin.buffer, settings)
        return Troubles("standard input", damage=MAIL_DAMAGE).watch(messages)
    return Troubles("standard input").watch(read_lines(sys.stdin.buffer, settings))


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


def _expected_documents(path: Path, glob: str | None) -> int | None:
    """Estimate the number of documents of a corpus, for the progress bar."""
    if path.is_dir():
        with suppress(NotImplementedError, ValueError):  # a pattern that names nothing below the folder
            return sum(1 for file in path.rglob(glob or "*") if file.is_file())
        return None
    if path.suffix == ".gz" or not path.is_file():
        return None
    with path.open("rb") as stream:
        return sum(piece.count(b"\n") for piece in iter(lambda: stream.read(1 << 20), b""))


def check_output(output: Path, corpus: Path | None = None) -> None:
    """Raise an error, before any work, if the output cannot be written or would replace a file of another program."""
    check_writable(output)
    if corpus is not None and corpus.exists() and output.exists() and output.samefile(corpus):
        raise InputError("{output} is the corpus itself; choose another name for the output", output=output)
    if output.exists() and output.stat().st_size and not is_bundle(output):
        template = "{output} already exists and is not a textnb file; remove it or choose another name"
        raise InputError(template, output=output)


def save_and_say(classifier: TextClassifier, output: Path, done: str, number: int, quiet: bool) -> None:
    """Write the model file and print one line about it on standard error."""
    classifier.save(output)
    if not quiet:
        counts = classifier.learnt.counts
        say(
            "{done} {number}; {output} has {documents}, {classes}, {terms}",
            done=done,
            number=plural(number, "document"),
            output=output,
            documents=plural(len(classifier.learnt.digests), "document"),
            classes=plural(counts.n_classes, "class", "classes"),
            terms=plural(counts.n_terms, "term"),
        )
