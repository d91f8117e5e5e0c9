"""Check what a user hands over, once: texts and labels become Documents; counted parts are passed on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import zip_longest
from typing import Any, cast

from textnb.counts import Counted
from textnb.counts.counting import peek
from textnb.errors import InputError
from textnb.readers import Document

Texts = Iterable[str | Document] | Iterable[Counted]
Source = Iterator[Document] | Iterator[Counted]
_NOTHING = object()
_STRING = frozenset([str])


def as_documents(texts: Iterable[str | Document]) -> Iterator[Document]:
    """Yield each text as a Document; anything else is refused with its position."""
    items = _in_order(_as_list(texts), "texts", "strings or Documents")
    return (_document(item, position) for position, item in enumerate(items))


def as_labelled(texts: Iterable[str | Document], labels: Iterable[str] | None) -> Iterator[Document]:
    """Yield each text as a Document with its label, from ``labels`` or, if they are None, its own."""
    documents = as_documents(texts)
    if labels is None:
        return (_labelled(document, document.label, i) for i, document in enumerate(documents))
    if isinstance(labels, str):
        raise InputError("labels must be a list of strings, not a single string")
    return _paired(documents, _in_order(labels, "labels", "strings"))


def as_source(texts: Texts, labels: Iterable[str] | None = None, *, labelled: bool = True) -> Source:
    """Check texts, Documents or counted parts, which carry their labels, for the counting pipeline."""
    first, items = peek(_in_order(_as_list(texts), "texts", "strings or Documents"))
    if isinstance(first, Counted):
        if labels is not None:
            raise InputError("counted parts carry their labels; leave the labels out")
        return _parts(items)
    return as_labelled(items, labels) if labelled else as_documents(items)


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
            raise InputError(
                "text {i} is {kind}; counted parts and texts cannot be mixed", i=position, kind=_kind(item)
            )
        yield item


def _as_list(texts: Any) -> Any:
    if isinstance(texts, (str, bytes, Document, Counted)):
        kind = type(texts).__name__
        raise InputError("texts must be a list, not a single {kind}; put it in a list: [text]", kind=kind)
    return texts


def _in_order(items: Iterable[Any], what: str, kind: str) -> Iterator[Any]:
    """Return an iterator over items; collections without an order and tables are refused."""
    try:
        if not isinstance(items, (Set, Mapping)) and not hasattr(items, "columns"):
            return iter(items)
    except TypeError:
        pass
    raise InputError("{what} must be a list of {kind}, not {given}", what=what, kind=kind, given=type(items).__name__)


def _paired(documents: Iterator[Document], labels: Iterable[str]) -> Iterator[Document]:
    for position, (document, label) in enumerate(zip_longest(documents, labels, fillvalue=_NOTHING)):
        if not isinstance(document, Document) or label is _NOTHING:
            more, fewer = ("labels", "texts") if label is not _NOTHING else ("texts", "labels")
            raise InputError("there are more {more} than {fewer}: {n} {fewer}", more=more, fewer=fewer, n=position)
        yield _labelled(document, label, position)


def _document(item: Any, position: int) -> Document:
    if isinstance(item, Document):
        _check_document(item, position)
        return item
    if isinstance(item, str):
        return Document(str(item), id=str(position))
    raise InputError("text {i} is {kind}; texts must be strings or Documents", i=position, kind=_kind(item))


def _check_document(document: Document, position: int) -> None:
    text, fields = cast("tuple[object, object]", (document.text, document.fields))
    if not isinstance(text, str):
        raise InputError("text {i} is a Document of {kind}; its text must be a string", i=position, kind=_kind(text))
    if not isinstance(fields, Mapping):
        kind = _kind(fields)
        raise InputError("the fields of document {i} are {kind}; they must be a mapping", i=position, kind=kind)
    for name, tokens in fields.items():
        if type(tokens) is list and _STRING.issuperset(map(type, tokens)):  # what readers give, at a glance
            continue
        if isinstance(tokens, str) or not isinstance(tokens, Sequence) or not all(isinstance(t, str) for t in tokens):
            template = "the fields of document {i}: {name!r} is {kind}, not a list of strings"
            raise InputError(template, i=position, name=name, kind=_kind(tokens))


def _labelled(document: Document, label: Any, position: int) -> Document:
    if label is None:
        raise InputError("text {position} ({id!r}) has no label", position=position, id=document.id)
    if not isinstance(label, str) or not label:
        template = "label {i} is {kind}; labels must be strings, not empty; str(label) makes one"
        raise InputError(template, i=position, kind=_kind(label))
    try:
        label.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError("label {i} cannot be written as UTF-8: {why}", i=position, why=error.reason) from None
    return replace(document, label=str(label))


def _kind(item: object) -> str:
    return f"{type(item).__name__} {str(item)[:40]!r}"
