"""What a user hands over, checked once, as Documents."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from textnb.errors import InputError
from textnb.readers import Document

_NOTHING = object()
_STRING = frozenset([str])


def as_documents(texts: Iterable[str | Document]) -> Iterator[Document]:
    """Each text as a Document; anything that is no text is refused with its position."""
    if isinstance(texts, (str, bytes, Document)):
        raise InputError(f"texts must be a list, not a single {type(texts).__name__}; put it in a list: [text]")
    items = _in_order(texts, "texts", "strings or Documents")
    return (_document(item, position) for position, item in enumerate(items))


def as_labelled(texts: Iterable[str | Document], labels: Iterable[str] | None) -> Iterator[Document]:
    """Each text as a Document with its label, from ``labels`` or, where they are not given, its own."""
    documents = as_documents(texts)
    if labels is None:
        return (_labelled(document, document.label, i) for i, document in enumerate(documents))
    if isinstance(labels, str):
        raise InputError("labels must be a list of strings, not a single string")
    return _paired(documents, _in_order(labels, "labels", "strings"))


def _in_order(items: Iterable[Any], what: str, kind: str) -> Iterator[Any]:
    """The items one by one; collections without an order, or of something else (tables), are refused."""
    try:
        if not isinstance(items, (Set, Mapping)) and not hasattr(items, "columns"):
            return iter(items)
    except TypeError:
        pass
    raise InputError(f"{what} must be a list of {kind}, not {type(items).__name__}")


def _paired(documents: Iterator[Document], labels: Iterable[str]) -> Iterator[Document]:
    for position, (document, label) in enumerate(zip_longest(documents, labels, fillvalue=_NOTHING)):
        if not isinstance(document, Document) or label is _NOTHING:
            more, fewer = ("labels", "texts") if label is not _NOTHING else ("texts", "labels")
            raise InputError(f"there are more {more} than {fewer}: {position} {fewer}")
        yield _labelled(document, label, position)


def _document(item: Any, position: int) -> Document:
    if isinstance(item, Document):
        _check(item, position)
        return item
    if isinstance(item, str):
        return Document(str(item), id=str(position))
    raise InputError(f"text {position} is {_kind(item)}; texts must be strings or Documents")


def _check(document: Document, position: int) -> None:
    if not isinstance(document.text, str):
        raise InputError(f"text {position} is a Document of {_kind(document.text)}; its text must be a string")
    fields: object = document.fields
    if not isinstance(fields, Mapping):
        raise InputError(f"the fields of document {position} are {_kind(fields)}; they must be a mapping")
    for name, tokens in fields.items():
        if type(tokens) is list and _STRING.issuperset(map(type, tokens)):  # what readers give, at a glance
            continue
        if isinstance(tokens, str) or not isinstance(tokens, Sequence) or not all(isinstance(t, str) for t in tokens):
            raise InputError(f"the fields of document {position}: {name!r} is {_kind(tokens)}, not a list of strings")


def _labelled(document: Document, label: Any, position: int) -> Document:
    if label is None:
        raise InputError(f"text {position} ({document.id!r}) has no label")
    if not isinstance(label, str) or not label:
        raise InputError(f"label {position} is {_kind(label)}; labels must be strings, not empty; str(label) makes one")
    try:
        label.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"label {position} cannot be written as UTF-8: {error.reason}") from None
    return replace(document, label=str(label))


def _kind(item: object) -> str:
    return f"{type(item).__name__} {str(item)[:40]!r}"
