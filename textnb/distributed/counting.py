"""Counting on a cluster: each partition becomes a count file, which a rerun does not count again."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textnb.classifier.text_classifier import TextClassifier
from textnb.counts import Counted, TermsOf
from textnb.counts.counting import joined
from textnb.distributed.partitions import Source, as_source
from textnb.distributed.runs import Progress, Run
from textnb.distributed.workers import counted_part, written_counts
from textnb.errors import InputError

if TYPE_CHECKING:
    from distributed import Client

SUFFIX = ".counts"
_OTHERS = (
    "{folder} holds {n:,} files that are no part of this run, such as {example}: of other input files, of input files "
    "as they were before, or of other options; remove them, or use another folder"
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
    run = Run(client, as_source(documents, text=text, label=label, id=id, reader=reader), progress=progress)
    return count_on(run, counting, Path(parts))


def count_on(run: Run, terms_of: TermsOf, parts: Path) -> list[Path]:
    """Write the count files of a run."""
    paths = part_paths(run.source, parts, counting_key(terms_of), SUFFIX)
    run.results(run.leaves(written_counts, run.shared(terms_of), each=paths))
    return paths


def counted_on(run: Run, terms_of: TermsOf, parts: Path | None) -> Counted:
    """Return all documents of a run, counted, in order; they must fit into memory here."""
    paths = stored_paths(run, terms_of, parts)
    found = run.results(run.leaves(counted_part, run.shared(terms_of), each=paths))
    whole = joined([outcome.value for outcome in found])
    if not len(whole):
        raise InputError("there are no documents")
    return whole


def stored_paths(run: Run, terms_of: TermsOf, parts: Path | None) -> Sequence[Path | None]:
    """Return where the counts of each partition are stored; None if they are not."""
    if parts is None:
        return [None] * len(run)
    return part_paths(run.source, parts, counting_key(terms_of), SUFFIX)


def counting_key(terms_of: TermsOf) -> object:
    """Return what decides the counts of a text."""
    return terms_of.tokenizer.recipe, terms_of.analyzer.recipe


def part_paths(source: Source, folder: Path, key: object, suffix: str) -> list[Path]:
    """Return the path of the result of each partition; other results in the folder are refused."""
    folder = folder.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("{path} cannot be made: {why}", path=folder, why=error.strerror) from error
    paths = [folder / each.file_name(key, suffix) for each in source.partitions]
    if others := sorted({each for each in folder.glob(f"*{suffix}") if not each.name.startswith(".")} - {*paths}):
        raise InputError(_OTHERS, folder=folder, n=len(others), example=others[0].name)
    return paths
