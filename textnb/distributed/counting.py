"""Counting on a cluster: each partition becomes a count file, which a rerun does not count again."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from textnb.address import Address, Location, location
from textnb.classifier.labels import TEXT
from textnb.classifier.text_classifier import TextClassifier
from textnb.counts import Counted, TermsOf
from textnb.distributed.partitions import Source, as_source
from textnb.distributed.runs import Progress, Run
from textnb.distributed.workers import counted_part, one_kind, trusted, written_counts
from textnb.errors import InputError, ParameterError
from textnb.files.count_file import read_counts, write_counts
from textnb.files.count_joining import merge_counts
from textnb.storage import temporary_folder

if TYPE_CHECKING:
    from distributed import Client, Future

SUFFIX = ".counts"
_OTHERS = (
    "{folder} holds {n:,} files that are no part of this run, such as {example}: of other input files, of input files "
    "as they were before, or of other options; remove them, or use another folder"
)
_NOT_SEEN = (
    "{name}, which a worker has written, is not in {folder} as this machine sees it; name a folder or an address that "
    "this machine and all workers share"
)
_ADDRESS_OF_PARTS = (
    "{address}: --parts (parts=) takes a folder that this machine and all workers see, not an address: count files are "
    "mapped into memory"
)


def count(  # noqa: PLR0913  # all but the first four by name
    client: "Client",
    terms_of: TermsOf | TextClassifier,
    documents: Any,
    parts: str | Path,
    *,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    id: str | None = None,  # noqa: A002  # the name of the column
    reader: str | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Count labelled documents on a cluster; each partition becomes a count file in the folder ``parts``.

    A file is written by a worker, as a whole or not at all. A rerun reads the files that are there. A partition that
    has changed gets another file; the old one is then an error, so that nothing is counted twice.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    terms_of : TermsOf or TextClassifier
        How texts become terms.
    documents : str, Path, sequence of these, dask.bag.Bag or dask.dataframe.DataFrame
        Paths and patterns as in ``textnb.readers.read_corpus``, which every worker must see; a bag of Documents, of
        pairs of text and label, or of records; or a data frame.
    parts : str or Path
        Folder of the count files, which every worker must see.
    text, label, id : str, optional
        Names of the columns, where they are not common ones. A data frame needs those of text and label.
    reader : str, optional
        Kind of the corpora, as in ``textnb.readers.read_corpus``.
    progress : callable, optional
        As in ``TextClassifier.fit``, for partitions.

    Returns
    -------
    list of Path
        The count files, in the order of the partitions; ``textnb merge`` makes one of them.
    """
    counting = terms_of.asked.terms_of if isinstance(terms_of, TextClassifier) else terms_of
    folder = parts_folder(parts)
    assert folder is not None
    run = Run(client, as_source(documents, text=text, label=label, id=id, reader=reader), progress=progress)
    return count_on(run, counting, folder)


def count_on(run: Run, terms_of: TermsOf, parts: Path) -> list[Path]:
    """Write the count files of a run."""
    paths = _count_files(run, terms_of, parts)
    run.results(run.leaves(written_counts, run.shared(terms_of), each=paths))
    check_seen(parts, paths)
    return paths


@contextmanager
def joined_counts(
    run: Run, terms_of: TermsOf, parts: Path | None, counted: "Mapping[int, Future[Any]]"
) -> Iterator[tuple[Counted, str]]:
    """Give all documents of a run, mapped from one count file, and the kind of their labels.

    The counts of a partition are written to ``parts`` by the worker, or else here, one after the other: neither they
    nor the joined ones are in memory as a whole. counted: partitions that have been counted, by number.
    """
    paths = [] if parts is None else _count_files(run, terms_of, parts)
    with temporary_folder((parts or Path(gettempdir())) / "textnb", ".joined") as folder:
        whole = folder / f"whole{SUFFIX}"
        if parts is None:
            paths = [folder / f"{i}{SUFFIX}" for i in range(len(run))]
            others = [i for i in range(len(run)) if i not in counted]
            tasks = run.leaves(counted_part, run.shared(terms_of), each=[None] * len(run), only=others)
            kinds = set()
            for i, part in run.passing(dict(zip(others, tasks, strict=True)) | dict(counted)):
                write_counts(paths[i], part.value, terms_of)
                kinds.add(part.kind)
        else:
            kinds = {each.kind for each in run.results(run.leaves(written_counts, run.shared(terms_of), each=paths))}
            check_seen(parts, paths)
        kind = one_kind(kinds) or TEXT
        merge_counts(paths, whole, trusted(terms_of))
        yield read_counts(whole, trusted(terms_of))[0], kind


def stored_paths(run: Run, terms_of: TermsOf, parts: Path | None) -> Sequence[Path | None]:
    """Return where the counts of each partition are stored; None if they are not."""
    return [None] * len(run) if parts is None else _count_files(run, terms_of, parts)


def counting_key(terms_of: TermsOf) -> object:
    """Return what decides the counts of a text."""
    return terms_of.tokenizer.recipe, terms_of.analyzer.recipe


def part_names(source: Source, folder: Location, key: object, suffix: str) -> list[str]:
    """Return the name of the result of each partition in a folder; other results there are refused."""
    if isinstance(folder, Path):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError("{path} cannot be made: {why}", path=folder, why=error.strerror) from error
    names = [each.file_name(key, suffix) for each in source.partitions]
    there = [name for name in _names_in(folder) if name.endswith(suffix) and not name.startswith(".")]
    if others := sorted({*there} - {*names}):
        raise InputError(_OTHERS, folder=folder, n=len(others), example=others[0])
    return names


def check_seen(folder: Location, paths: Sequence[Location]) -> None:
    """Refuse a folder in which the files of the workers are not seen from here."""
    if missing := sorted({path.name for path in paths} - {*_names_in(folder)}):
        raise InputError(_NOT_SEEN, name=missing[0], folder=folder)


def _names_in(folder: Location) -> list[str]:
    try:
        return [each.name for each in (folder.iterdir() if isinstance(folder, Path) else folder.entries())]
    except FileNotFoundError:  # at an address, where files make folders
        return []


def parts_folder(parts: str | Path | None) -> Path | None:
    """Return the folder of count files; an address is refused."""
    folder = None if parts is None else location(parts)
    if isinstance(folder, Address):
        raise ParameterError(_ADDRESS_OF_PARTS, address=folder)
    return folder


def _count_files(run: Run, terms_of: TermsOf, folder: Path) -> list[Path]:
    """Return the path of the count file of each partition; count files of others in the folder are refused."""
    return [folder.absolute() / name for name in part_names(run.source, folder, counting_key(terms_of), SUFFIX)]
