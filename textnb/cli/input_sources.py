"""Documents to classify from the arguments of a command line: files, folders, patterns and standard input."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from textnb.cli.options.inputs import Reading
from textnb.cli.sources import (
    STANDARD_INPUT,
    STANDARD_INPUT_NAME,
    check_named_once,
    check_reading_used,
    standard_input,
    stored_input,
)
from textnb.errors import InputError, ParameterError
from textnb.files.bundle import is_bundle
from textnb.readers import Document, OpenCorpus, Settings, Troubles, open_input, read_lines, read_mail_stream
from textnb.readers.corpus import STREAMED, TABLES, expand_paths
from textnb.readers.folders import is_kind
from textnb.readers.mail_corpus import MAIL_DAMAGE
from textnb.readers.mailboxes import MAIL_COLUMNS
from textnb.readers.position import note_stream
from textnb.readers.settings import Then
from textnb.readers.streamed import Pipe


class InputSource(NamedTuple):
    """An input to classify: its name, its kind, the names of its columns, and a function that reads its documents.

    corpus: what is read; None for lines and mail of standard input.
    """

    name: str
    kind: str
    columns: Callable[[], list[str]]
    documents: Callable[[], Iterator[Document]]
    corpus: OpenCorpus | None = None

    def schema(self) -> Any:
        """Return the types of the columns of a Parquet or Arrow file; None for any other input."""
        return None if self.corpus is None else self.corpus.schema()


def open_inputs(
    names: Collection[str], reading: Reading, jobs: int = 1, then: Then | None = None, whole_records: bool = False
) -> list[InputSource]:
    """Open inputs, by default standard input; an option for reading without effect on any of them is an error.

    jobs, then, whole_records: as in ``Settings``.
    """
    settings = replace(reading.settings, jobs=jobs, then=then, whole_records=whole_records)
    check_named_once([*names])
    found = []
    for name in names or [STANDARD_INPUT]:
        if name == STANDARD_INPUT and reading.reader not in TABLES:
            found.append(_streamed(reading.reader, settings))
            continue
        is_streamed = name == STANDARD_INPUT
        if is_streamed and reading.reader in STREAMED and not (whole_records and reading.reader == "jsonl"):
            found.append(_source(name, open_input(Pipe(STANDARD_INPUT_NAME, standard_input), reading.reader, settings)))
            continue
        for path, own in expand_paths(stored_input() if is_streamed else name, reading.reader, settings):
            if isinstance(path, Path) and is_kind(path.is_file) and is_bundle(path):
                raise InputError("{name} is a textnb file, not a document", name=path)
            corpus = open_input(path, reading.reader, own)
            found.append(_source(name if is_streamed else str(path), corpus))
    check_reading_used(reading, {each.kind for each in found}, " ".join(names) or STANDARD_INPUT_NAME)
    return found


def input_corpora(names: Collection[str], reading: Reading) -> list[OpenCorpus]:
    """Open the inputs of a cluster, which are files: standard input cannot be divided."""
    if not names or STANDARD_INPUT in names:
        raise ParameterError("--dask needs files that every worker sees, not standard input; name them")
    found = [path for name in names for path in expand_paths(name, reading.reader, reading.settings)]
    corpora = [open_input(path, reading.reader, own) for path, own in found]
    check_reading_used(reading, {each.kind for each in corpora}, " ".join(names))
    return corpora


def _source(name: str, corpus: OpenCorpus) -> InputSource:
    """Return the input that a corpus is; of a pipe the columns are looked at now, before it is read."""
    columns = corpus.columns
    if isinstance(corpus.path, Pipe) and corpus.settings.whole_records:
        names = corpus.columns()
        columns = names.copy
    return InputSource(name, corpus.kind, columns, corpus.documents, corpus)


def _streamed(reader: str | None, settings: Settings) -> InputSource:
    """Standard input, read as it arrives: lines or mail."""
    if reader not in (None, "lines", "mail"):
        template = "standard input cannot be read as a {reader}; name one"
        raise ParameterError(template, reader=reader)

    def documents() -> Iterator[Document]:
        if reader == "mail":
            return Troubles(STANDARD_INPUT_NAME, damage=MAIL_DAMAGE).watch(read_mail_stream(standard_input(), settings))
        stream = standard_input()
        note_stream(stream)
        return Troubles(STANDARD_INPUT_NAME).watch(read_lines(stream, settings))

    kind = reader or "lines"
    return InputSource(STANDARD_INPUT, kind, lambda: ["text"] if kind == "lines" else [*MAIL_COLUMNS], documents)


def input_documents(sources: Sequence[InputSource]) -> Iterator[Document]:
    """Yield the documents of all inputs, in order; an id does not depend on the number of inputs."""
    return chain.from_iterable(each.documents() for each in sources)
