"""Check what a user hands over, once: texts and labels become Documents; counted parts are passed on.

Texts and labels may come as lists, iterators, arrays of numpy, columns of pandas, polars and pyarrow, or as a data
frame with the names of two columns. Labels of any one kind become names of classes (``labels.py``).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat, zip_longest
from typing import Any, cast

import numpy as np

from textnb.classifier.labels import LabelNames
from textnb.counts import Counted
from textnb.counts.counting import peek
from textnb.counts.labels import Weights, as_weight, check_number_of_weights
from textnb.errors import InputError
from textnb.numerics import Floats
from textnb.readers import Document
from textnb.readers.frames import column, is_frame
from textnb.readers.texts import as_documents, as_list, described, in_order, is_missing, refuse_frame

Texts = Iterable[str | Document] | Iterable[Counted]
"""Texts, Documents or counted parts; columns and arrays of strings are iterables of them."""
Labels = Iterable[Any]
Source = Iterator[Document] | Iterator[Counted]
Progress = Callable[..., Iterable[Any]]
"""Function like ``textnb.progress.bar``, tqdm or rich's track: ``progress(documents, total=n)`` yields them."""

MAX_REPEATED = 1_000_000
"""Sum of whole weights that is accepted; each document is learnt as often as its weight says."""
MIN_SWAPPED_LABELS, MIN_SWAPPED_LENGTH = 4, 5
"""Distinct labels, and characters per label, by which swapped texts and labels are noticed at least."""
_LOOKED_AT = 200
_NOTHING = object()
_SWAPPED = (
    "texts and labels look swapped: {texts} distinct texts, such as {text!r}, have {labels} distinct labels, such as "
    "{label!r}; texts come first: fit(texts, labels)"
)


def as_labelled(
    texts: Iterable[str | Document], labels: Labels | None, names: LabelNames | None = None
) -> Iterator[Document]:
    """Yield each text as a Document with the name of its class, from ``labels`` or, if they are None, its own label."""
    documents, names = as_documents(texts), names or LabelNames()
    if labels is None:
        return (_labelled(document, document.label, i, names) for i, document in enumerate(documents))
    if isinstance(labels, str):
        raise InputError("labels must be a list of labels, not a single string")
    return _paired(documents, in_order(labels, "labels", "labels"), names)


def as_source(
    texts: Texts, labels: Labels | None = None, *, names: LabelNames | None = None, labelled: bool = True
) -> Source:
    """Check texts, Documents or counted parts, which carry their labels, for the counting pipeline."""
    first, items = peek(in_order(as_list(texts), "texts", "strings or Documents"))
    if isinstance(first, Counted):
        if labels is not None:
            raise InputError("counted parts carry their labels; leave the labels out")
        return _parts(items)
    return as_labelled(items, labels, names) if labelled else as_documents(items)


def of_frame(texts: Any, labels: Any, text: str | None, label: str | None) -> tuple[Any, Any]:
    """Return texts and labels, taken from a data frame if columns are named."""
    if text is None and label is None:
        return texts, labels
    if not is_frame(texts):
        raise InputError("text= and label= name columns of a data frame, which {kind} is not", kind=described(texts))
    if text is None:
        refuse_frame(texts)
    if labels is not None and label is not None:
        raise InputError("labels are given twice, as a list and as the column {label!r}; use one", label=label)
    return column(texts, text), labels if label is None else column(texts, label)


def watched(source: Source, progress: Progress | None, texts: Any) -> Source:
    """Return documents that report their progress as they are taken; ``texts`` may have their number as its length."""
    if progress is None:
        return source
    if not callable(cast("Any", progress)):
        template = "progress must be a function such as textnb.progress.bar, not {given!r}"
        raise InputError(template, given=progress)
    total = len(texts) if hasattr(texts, "__len__") else None
    return iter(progress(source, total=total))


def as_weights(sample_weight: Weights) -> Floats:
    """Weights of documents, (D,), checked; there must be one that is not zero."""
    weights = as_weight(sample_weight, len(np.asarray(sample_weight).reshape(-1)))
    if not weights.any():
        raise InputError("there is nothing to learn from: every sample_weight is zero")
    return weights


def are_whole(weights: Floats) -> bool:
    """True if every weight is a whole number."""
    return bool((weights == np.floor(weights)).all())


def repeated(documents: Source, weights: Floats) -> Iterator[Document]:
    """Yield each document as often as its whole weight says."""
    if weights.sum() > MAX_REPEATED:
        template = "sample_weight sums to {sum:g} documents; divide the weights: {most:,} are the limit"
        raise InputError(template, sum=weights.sum(), most=MAX_REPEATED)
    for document, weight in zip_longest(documents, weights.tolist(), fillvalue=_NOTHING):
        check_number_of_weights(weights, document is not _NOTHING and weight is not _NOTHING)
        if isinstance(document, Counted):
            raise InputError("sample_weight is for texts, not for counted parts")
        yield from repeat(cast("Document", document), int(cast("float", weight)))


def note_digests(source: Iterable[Any], digests: list[bytes]) -> Iterator[Any]:
    """Yield documents or counted parts, and append the digest of each document; one that has none gets its own."""
    for item in source:
        if isinstance(item, Document):
            digests.append(item.digest)
        else:
            digests += item.digests or [f"{len(digests) + i}".encode() for i in range(len(item))]
        yield item


def _parts(items: Iterator[Any]) -> Iterator[Counted]:
    for position, item in enumerate(items):
        if not isinstance(item, Counted):
            template = "text {i} is {kind}; counted parts and texts cannot be mixed"
            raise InputError(template, i=position, kind=described(item))
        yield item


def _paired(documents: Iterator[Document], labels: Iterator[Any], names: LabelNames) -> Iterator[Document]:
    pairs = zip_longest(documents, labels, fillvalue=_NOTHING)
    first = list(islice(pairs, _LOOKED_AT))
    _check_not_swapped([pair for pair in first if pair[0] is not _NOTHING and pair[1] is not _NOTHING])
    for position, (document, label) in enumerate(chain(first, pairs)):
        if not isinstance(document, Document) or label is _NOTHING:
            more, fewer = ("labels", "texts") if label is not _NOTHING else ("texts", "labels")
            raise InputError("there are more {more} than {fewer}: {n} {fewer}", more=more, fewer=fewer, n=position)
        yield _labelled(document, label, position, names)


def _check_not_swapped(pairs: Sequence[tuple[Any, Any]]) -> None:
    """Refuse pairs that look swapped: a few short texts with at least twice as many labels, each twice as long."""
    texts, labels = [document.text for document, _ in pairs], [label for _, label in pairs]
    if not all(isinstance(label, str) for label in labels):
        return
    n_texts, n_labels = len(set(texts)), len(set(labels))
    length = sum(map(len, labels))
    are_many = n_labels >= max(2 * n_texts, MIN_SWAPPED_LABELS)
    if are_many and length >= max(2 * sum(map(len, texts)), MIN_SWAPPED_LENGTH * len(labels)):
        raise InputError(_SWAPPED, texts=n_texts, text=texts[0], labels=n_labels, label=labels[0])


def _labelled(document: Document, label: Any, position: int, names: LabelNames) -> Document:
    if is_missing(label):
        found = "" if label is None else f", but {described(label)}"
        template = "text {i} ({id!r}) has no label{found}; give it one, or leave it out"
        raise InputError(template, i=position, id=document.id, found=found)
    name = names.name(label, position)
    return document if document.label == name else replace(document, label=name)
