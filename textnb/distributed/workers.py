"""What runs on the workers: reading, counting and answering one partition, each a pure function of it.

A worker process may end at any time: Dask then runs its tasks on another one. A task that writes a file writes it as a
whole or not at all, under a name that its content decides, so running it twice changes nothing.
"""

import math
import pickle
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from textnb.classifier.choice import narrowed
from textnb.classifier.inputs import as_labelled
from textnb.classifier.labels import LabelNames
from textnb.classifier.recipe import ClassifierRecipe
from textnb.counts import Counted, Learnt, TermsOf, Vocabulary, counted
from textnb.counts.counting import ENTRIES
from textnb.distributed.partitions import PartReader
from textnb.document import Document
from textnb.errors import InputError, ModelFileError, ReadingWarning, TextnbError
from textnb.extension import sparse
from textnb.files.count_file import labels_of_counts, read_counts, write_counts
from textnb.numerics import Codes
from textnb.version import __version__

_KEPT_VALUES = 8  # recipes and models that a worker process keeps, each with its tokenizer
_MAX_WARNINGS = 20
_OTHER_VERSION = "a worker has textnb {theirs}, this machine {mine}; install one version, so that results are equal"
_FAILED = "{part}: document {id!r} cannot be processed: {why}"


@dataclass(frozen=True)
class Shared:
    """A recipe or model as bytes, which each worker process turns into one object for all its tasks."""

    data: bytes
    digest: bytes

    @classmethod
    def of(cls, value: Any) -> "Shared":
        """Return the bytes of a value."""
        from distributed.protocol.pickle import dumps

        data = dumps(value)
        return cls(data, blake2b(data, digest_size=16).digest())

    @property
    def value(self) -> Any:
        """The value, made once per process."""
        return _value(_Data(self))


class _Data:
    """Key of the cache of values: equal for equal digests."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared

    def __hash__(self) -> int:
        return hash(self.shared.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Data) and self.shared.digest == other.shared.digest


@lru_cache(_KEPT_VALUES)
def _value(key: _Data) -> Any:
    return pickle.loads(key.shared.data)  # sent by the driver, as the task itself


class TaskResult(NamedTuple):
    """What a task made of a partition, the warnings while it read, and the kind of its labels."""

    value: Any
    warnings: tuple[str, ...] = ()
    kind: str | None = None


def run_task(version: str, task: Callable[..., Any], reader: PartReader, *args: Any) -> TaskResult:
    """Run a task on a partition; an error names the partition and, where it is known, the document."""
    if version != __version__:
        raise InputError(_OTHER_VERSION, theirs=__version__, mine=version)
    labels = LabelNames()
    with _heard_warnings() as heard:
        try:
            value = task(reader, labels, *(each.value if isinstance(each, Shared) else each for each in args))
        except TextnbError as error:
            if _place(reader) in str(error) or type(error) is not InputError:
                raise
            raise InputError("{part}: {error}", part=reader.name, error=error) from None
        except (OSError, MemoryError) as error:
            kind = type(error).__name__
            raise InputError("{part}: {kind}: {why}", part=reader.name, kind=kind, why=error) from error
    return TaskResult(value, tuple(dict.fromkeys(heard)), labels.kind)


def first_documents(reader: PartReader, _: LabelNames, number: int) -> list[Document]:
    """Return the first documents of a partition."""
    return list(islice(reader.documents(), number))


def text_lengths(reader: PartReader, _: LabelNames) -> list[int]:
    """Return the number of characters of each document."""
    return [len(document.text) for document in reader.documents()]


def learnt_part(
    reader: PartReader, labels: LabelNames, recipe: ClassifierRecipe, counting: TermsOf, path: Path | None
) -> Learnt:
    """Return what a recipe learns of a partition; counts come from and go to ``path`` if there is one.

    counting: how the counts at ``path`` are made; the recipe may use some of these terms only.
    """
    if path is not None:
        return recipe.learnt([narrowed(counted_part(reader, labels, counting, path), counting, recipe)])
    return recipe.learnt(_counted_parts(reader, labels, recipe.terms_of, ENTRIES))


def counted_part(reader: PartReader, labels: LabelNames, terms_of: TermsOf, path: Path | None) -> Counted:
    """Return a partition, counted; it comes from ``path``, if there is one, and is written there before."""
    if path is not None and path.exists():
        labels.kind = labels_of_counts(path)
        return read_counts(path, trusted(terms_of))[0]
    part = next(_counted_parts(reader, labels, terms_of, math.inf), None) or _no_documents()
    if path is not None:
        write_counts(path, part, terms_of, labels.kind)
    return part


def written_counts(reader: PartReader, labels: LabelNames, terms_of: TermsOf, path: Path) -> None:
    """Write the counts of a partition to a file, unless it is there."""
    counted_part(reader, labels, terms_of, path)


def entries_of(part: TaskResult) -> tuple[Codes, list[bytes]]:
    """Return the number of entries and the digest of each counted document."""
    return np.diff(part.value.X.indptr), part.value.learnt_digests


def rows_of(part: TaskResult, rows: Codes) -> Counted:
    """Return some of the counted documents, on the terms that they have."""
    found: Counted = part.value.rows(rows)
    return found.trimmed


def learnt_of(part: TaskResult, recipe: Shared, counting: Shared) -> TaskResult:
    """Return what a recipe learns of counted documents."""
    return part._replace(value=recipe.value.learnt([narrowed(part.value, counting.value, recipe.value)]))


def added(outcomes: Sequence[TaskResult], term_budget: int | None = None) -> TaskResult:
    """Return the sum of what was learnt, within a term budget, with all warnings; labels must be of one kind."""
    kind = one_kind(each.kind for each in outcomes)
    said = tuple(dict.fromkeys(line for each in outcomes for line in each.warnings))
    total = Learnt.total([each.value for each in outcomes])
    total = total if term_budget is None else total.pruned(term_budget)
    return TaskResult(total, said[:_MAX_WARNINGS], kind)


def one_kind(kinds: Iterable[str | None]) -> str | None:
    """Return the one kind of the labels of several parts, None if there are no labels; several kinds are refused."""
    found = sorted({kind for kind in kinds if kind is not None})
    if len(found) > 1:
        template = "labels must be of one kind; some are {a} and others {b}: make them text"
        raise InputError(template, a=found[0], b=found[1])
    return found[0] if found else None


def _counted_parts(reader: PartReader, labels: LabelNames, terms_of: TermsOf, entries: float) -> Iterator[Counted]:
    """Count the labelled documents of a partition; an unexpected error names the document."""
    try:
        yield from counted(as_labelled(reader.documents(), None, labels), terms_of, entries=entries)
    except Exception as error:
        raise_named(error, reader, terms_of)


def raise_named(error: Exception, reader: PartReader, terms_of: TermsOf) -> NoReturn:
    """Raise the error, or one that names the document at which counting fails, which is looked for one by one."""
    if isinstance(error, OSError | MemoryError | ModelFileError) or _place(reader) in str(error):
        raise error
    why = error if isinstance(error, TextnbError) else f"{type(error).__name__}: {error}"
    last = None
    try:
        for document in reader.documents():
            last = document.id.removeprefix(f"{_place(reader)}:")
            terms_of(document)
    except Exception:
        if last is not None:
            raise InputError(_FAILED, part=reader.name, id=last, why=why) from None
    if isinstance(error, TextnbError):
        raise error  # which `run_task` names the partition of
    raise InputError("{part}: {why}", part=reader.name, why=why)


def _place(reader: PartReader) -> str:
    """Return the path that messages of readers begin with."""
    return reader.name.partition(",")[0]


def _no_documents() -> Counted:
    return Counted(sparse.csr_array((0, 0), dtype=np.int32), Vocabulary(), (), (), (), ())


def trusted(terms_of: TermsOf) -> list[str]:
    """Return the Python tokenizer of this run, which its own count files may name."""
    path = terms_of.tokenizer.recipe["params"].get("path")
    return [] if path is None else [path]


_listening = threading.local()
_installing = threading.Lock()


@contextmanager
def _heard_warnings() -> Iterator[list[str]]:
    """Collect the warnings about reading in this thread; the driver shows them."""
    with _installing:
        if not getattr(warnings.showwarning, "collects", False):
            _install_listener()
    heard = _listening.heard = []
    try:
        yield heard
    finally:
        _listening.heard = None


def _install_listener() -> None:
    """Make this process pass warnings about reading to the thread that listens; once per process."""
    before = warnings.showwarning

    def show(message: Any, category: Any, *where: Any, **more: Any) -> None:
        heard = getattr(_listening, "heard", None)
        if heard is not None and issubclass(category, ReadingWarning):
            heard.append(str(message))
        else:
            before(message, category, *where, **more)

    show.collects = True  # type: ignore[attr-defined]
    warnings.showwarning = show
    warnings.filterwarnings("always", category=ReadingWarning)
