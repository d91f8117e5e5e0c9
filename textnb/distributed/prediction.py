"""Answers on a cluster: each partition becomes a table, written by the worker that answers it."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from textnb.address import Address, Location, location
from textnb.classifier.answer_cells import AnswerCells, column_type
from textnb.classifier.labels import LabelNames
from textnb.classifier.text_classifier import TextClassifier
from textnb.counts.rows import row_sums
from textnb.distributed.counting import check_seen, part_names
from textnb.distributed.partitions import PartReader, as_source
from textnb.distributed.runs import Progress, Run
from textnb.distributed.workers import raise_named
from textnb.document import Document
from textnb.errors import InputError
from textnb.files.table_file import TableStyle, record_writer, table_format

if TYPE_CHECKING:
    from distributed import Client

_KEPT_MODELS = 4
_OTHER_MODEL = "{path} is another model on a worker than on this machine; put one file where all see it"


class Answered(NamedTuple):
    """Number of documents that a partition has, and of those without a known term; 0 if its table was there."""

    documents: int
    without_known_terms: int


@dataclass(frozen=True)
class ModelAt:
    """Model file that every worker opens; its content is mapped into memory."""

    path: str
    sha256: str | None
    trust: tuple[str, ...] = ()

    def load(self) -> TextClassifier:
        """Return the classifier, opened once per process."""
        return _opened(self)


@lru_cache(_KEPT_MODELS)
def _opened(model: ModelAt) -> TextClassifier:
    classifier = TextClassifier.load(model.path, model.trust, labels="text")
    if _digest_of(classifier) != model.sha256:
        raise InputError(_OTHER_MODEL, path=model.path)
    return classifier


def _digest_of(classifier: TextClassifier) -> str | None:
    return None if classifier.file is None else classifier.file.sha256


def predict(  # noqa: PLR0913  # all but the first four by name
    client: "Client",
    model: TextClassifier | str | Path,
    documents: Any,
    output: str | Path | Address,
    *,
    form: str = "parquet",
    unsure: float | None = None,
    all_scores: bool = False,
    text: str | Sequence[str] | None = None,
    id: str | None = None,  # noqa: A002  # the name of the column
    reader: str | None = None,
    progress: Progress | None = None,
) -> list[Location]:
    """Classify documents on a cluster; each partition becomes a table in the folder ``output``.

    A table is written by a worker, as a whole or not at all. A rerun leaves the tables that are there as they are. A
    partition that has changed gets another table; the old one is then an error, so that nothing is answered twice.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    model : TextClassifier, str or Path
        A classifier, which is sent to the workers, or a model file, which every worker must see and maps into memory.
    documents, text, id, reader, progress
        As in ``count``; labels are not needed.
    output : str or Path
        Folder of the tables, or its address, such as ``s3://bucket/answers``; every worker must see it.
    form : {"parquet", "csv", "tsv", "jsonl"}
        Format of the tables.
    unsure : float, optional
        Probability of the most probable class below which the label is ``unsure``.
    all_scores : bool
        Whether there is a column for the probability of each class.

    Returns
    -------
    list of Path or Address
        The tables, in the order of the partitions. They have the columns of the records that were read, or else the
        ids, then label, probability and the number of known terms. In Parquet, columns of Parquet and Arrow files and
        of data frames keep their types.
    """
    source = as_source(documents, text=text, id=id, reader=reader, labelled=False)
    run = Run(client, source, progress=progress)
    sent = model if isinstance(model, TextClassifier) else opened_model(model)
    classifier = sent.load() if isinstance(sent, ModelAt) else sent
    rule = classifier.rule(unsure=unsure)
    cells = AnswerCells(classifier.fitted.classes, rule, all_scores=all_scores, shows_guess=unsure is not None)
    return predict_on(run, sent, cells, location(output), f".{form}")[0]


def opened_model(path: str | Path, trust: Collection[str] = ()) -> ModelAt:
    """Return a model file for the workers."""
    path = Path(path).absolute()
    return ModelAt(str(path), _digest_of(TextClassifier.load(path, trust, labels="text")), tuple(trust))


def predict_on(
    run: Run,
    model: TextClassifier | ModelAt,
    cells: AnswerCells,
    output: Location,
    suffix: str,
    style: TableStyle | None = None,
) -> tuple[list[Location], Answered]:
    """Write the tables of a run; return their paths, and how many documents were answered."""
    table_format(Path(f"part{suffix}"))
    shared, options = run.shared(model), (cells, style or TableStyle())
    output = output.absolute() if isinstance(output, Path) else output
    paths = [output / name for name in part_names(run.source, output, (_key_of(model), options), suffix)]
    found = run.results(run.leaves(answered_part, shared, *options, each=paths))
    check_seen(output, paths)
    return paths, Answered(*np.array([each.value for each in found]).sum(axis=0).tolist())


def _key_of(model: TextClassifier | ModelAt) -> object:
    """Return what decides the answers of a model."""
    if isinstance(model, ModelAt):
        return model.sha256 or (model.path, Path(model.path).stat().st_mtime_ns)
    return model.recipe.json, model.learnt.fingerprint


def answered_part(
    reader: PartReader,
    _: LabelNames,
    model: TextClassifier | ModelAt,
    cells: AnswerCells,
    style: TableStyle,
    path: Location,
) -> Answered:
    """Write the answers to the documents of a partition, unless they are there."""
    if path.exists():
        return Answered(0, 0)
    classifier = model.load() if isinstance(model, ModelAt) else model
    try:
        return _write_answers(reader, classifier, cells, style, path)
    except Exception as error:
        raise_named(error, reader, classifier.recipe.terms_of)


def _write_answers(
    reader: PartReader, classifier: TextClassifier, cells: AnswerCells, style: TableStyle, path: Location
) -> Answered:
    read, number, unknown = deque[Mapping[str, object]](), 0, 0
    added = {name: column_type(name) for name in cells.columns}
    with record_writer(path, [reader], added, style, has_ids=not reader.has_own_ids) as write:
        for part, log_p in classifier.predict_parts(_noted(reader, read), entries=0):
            known = row_sums(part.counts).astype(np.intp)
            for name, answer in zip(part.ids, cells.rows(np.exp(log_p), known), strict=True):
                write(name, read.popleft(), answer)
            number += len(part)
            unknown += int((known == 0).sum())
    return Answered(number, unknown)


def _noted(reader: PartReader, read: "deque[Mapping[str, object]]") -> Iterator[Document]:
    """Yield the documents, and append the cells of each record."""
    for document in reader.documents():
        read.append(document.columns)
        yield document
