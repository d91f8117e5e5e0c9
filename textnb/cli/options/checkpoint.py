"""Options of checkpoints, and what a checkpoint is bound to."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from textnb.address import Address
from textnb.cli.options.groups import check_unused, option
from textnb.cli.sources import STANDARD_INPUT, CorpusSource
from textnb.counts import TermsOf
from textnb.errors import InputError, ParameterError
from textnb.files.checkpoint import Origin
from textnb.readers import OpenCorpus
from textnb.readers.streamed import Pipe

SECONDS_BETWEEN = 300.0
"""Seconds from one checkpoint to the next, unless something else is given."""


@dataclass(frozen=True)
class Checkpointing:
    """Where a run keeps what it has learnt so far, and how often."""

    section: ClassVar[str] = "Options"
    checkpoint: Path | None = option(
        "FILE", "Keep what has been learnt so far in FILE; a run that was killed goes on from there."
    )
    checkpoint_every: str | None = option(
        "N|Ns", "About every N documents, or every N seconds, as in 60s.  [default: 300s]"
    )

    @property
    def schedule(self) -> "Schedule":
        """When checkpoints are due."""
        if self.checkpoint is None:
            check_unused("checkpoint_every", why="without --checkpoint")
        given = self.checkpoint_every
        if given is None:
            return Schedule(seconds=SECONDS_BETWEEN)
        with suppress(ValueError):
            if given.endswith("s") and (seconds := float(given[:-1])) >= 0:
                return Schedule(seconds=seconds)
            if (documents := int(given)) > 0:
                return Schedule(documents=documents)
        template = "--checkpoint-every takes a number of documents, or of seconds as in 60s, not {given!r}"
        raise ParameterError(template, given=given)


class Schedule:
    """Says when the next checkpoint is due: so many documents or seconds after the last one."""

    def __init__(self, documents: float = float("inf"), seconds: float = float("inf")) -> None:
        self._documents, self._seconds = documents, seconds
        self._last, self._begun = 0, time.monotonic()

    def is_due(self, n_documents: int) -> bool:
        """True if a checkpoint is due after so many documents; the next one is then due later."""
        due = n_documents - self._last >= self._documents or time.monotonic() - self._begun >= self._seconds
        if due:
            self._last, self._begun = n_documents, time.monotonic()
        return due


def check_place(checkpoint: Path, output: Path, source: CorpusSource) -> None:
    """Refuse, before any work, a checkpoint in the place of the output or inside a corpus."""
    place = checkpoint.resolve()
    if place == output.resolve():
        raise ParameterError("--checkpoint and --output name the same file, {path}; choose another name", path=output)
    for corpus in source.corpora:
        path = corpus.path
        if isinstance(path, Path) and path.is_dir() and place.is_relative_to(path.resolve()):
            template = "the checkpoint {path} would be a part of the corpus {corpus}; choose another place"
            raise ParameterError(template, path=checkpoint, corpus=path)


def origin_of(names: Sequence[str], source: CorpusSource, recipe: Any) -> Origin:
    """Origin of a checkpoint of these corpora: their files, as they are now, and how they are read."""
    if STANDARD_INPUT in names:
        raise InputError("--checkpoint needs files, which can be read again; standard input cannot")
    if source.count_file is not None:
        template = "{path} is counted already; leave out --checkpoint, which is for counting"
        raise InputError(template, path=source.count_file.path)
    return Origin.of([_state_of(each) for each in source.corpora if isinstance(each, OpenCorpus)], recipe)


def own_tokenizer(terms_of: TermsOf) -> list[str]:
    """Python function that a run tokenizes with, which the files that it writes may import."""
    return [str(terms_of.tokenizer.recipe["params"].get("path", ""))]


def _state_of(corpus: OpenCorpus) -> list[Any]:
    path, settings = corpus.path, repr(replace(corpus.settings, jobs=1))
    if isinstance(path, Pipe):
        raise InputError("--checkpoint needs files, which can be read again; {path} is a pipe", path=path)
    if isinstance(path, Address):
        return [str(path), corpus.kind, settings, path.state()]
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    found = [(str(file), file.stat()) for file in files]
    stamps = [[name, state.st_size, state.st_mtime_ns] for name, state in found]
    return [
        str(path),
        str(path.absolute()),
        corpus.kind,
        settings,
        stamps,
    ]  # ids may begin with the path as it is given
