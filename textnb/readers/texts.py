"""Texts that a user hands over in Python, checked once: strings or Documents, in order, none missing.

They may come as lists, iterators, arrays of numpy, or columns of pandas, polars and pyarrow.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, cast

import numpy as np

from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.frames import column_names, is_frame, plain_values, text_columns

_STRING = frozenset([str])
_MISSING = 'text {i} is {kind}, a missing value; leave the row out, or use an empty text: texts.fillna("")'
_FRAME = (
    "texts must be one column, not a data frame; its columns of text are {columns}: "
    "use fit(frame, text={text!r}, label={label!r}), or frame[{text!r}] as texts"
)


def as_documents(texts: Iterable[str | Document]) -> Iterator[Document]:
    """Yield each text as a Document; anything else is refused with its position."""
    items = in_order(as_list(texts), "texts", "strings or Documents")
    return (_document(item, position) for position, item in enumerate(items))


def as_list(texts: Any) -> Any:
    """Texts as given; a single one in place of a list, and a data frame, are refused."""
    if isinstance(texts, (str, bytes, Document)):
        kind = type(texts).__name__
        raise InputError("texts must be a list, not a single {kind}; put it in a list: [text]", kind=kind)
    if is_frame(texts):
        refuse_frame(texts)
    return texts


def in_order(items: Iterable[Any], what: str, kind: str) -> Iterator[Any]:
    """Return an iterator over items; collections without an order, tables and matrices are refused."""
    ndim = getattr(items, "ndim", 1)
    if isinstance(ndim, int) and ndim > 1 and not is_frame(items):
        template = "{what} must have one dimension, not {ndim}; {what}.ravel() has one"
        raise InputError(template, what=what, ndim=ndim)
    try:
        if not isinstance(items, (Set, Mapping)) and not is_frame(items):
            return iter(plain_values(items))
    except TypeError:
        pass
    raise InputError("{what} must be a list of {kind}, not {given}", what=what, kind=kind, given=type(items).__name__)


def refuse_frame(frame: Any) -> None:
    """Refuse a data frame in place of texts; the error names its columns of text."""
    columns = text_columns(frame)
    if not columns:
        raise InputError("texts must be one column, not a data frame; none of its columns holds text")
    others = [name for name in (*columns, *column_names(frame)) if name != columns[0]]
    label = others[0] if others else "label"
    raise InputError(_FRAME, columns=", ".join(map(repr, columns)), text=columns[0], label=label)


def _document(item: Any, position: int) -> Document:
    if isinstance(item, Document):
        _check_document(item, position)
        return item
    if isinstance(item, str):
        return Document(str(item), id=str(position))
    if is_missing(item):
        raise InputError(_MISSING, i=position, kind=described(item))
    raise InputError("text {i} is {kind}; texts must be strings or Documents", i=position, kind=described(item))


def _check_document(document: Document, position: int) -> None:
    text, fields = cast("tuple[object, object]", (document.text, document.fields))
    if type(text) is str and type(fields) is dict and not fields:  # as most documents are
        return
    if not isinstance(text, str):
        kind = described(text)
        raise InputError("text {i} is a Document of {kind}; its text must be a string", i=position, kind=kind)
    if not isinstance(fields, Mapping):
        kind = described(fields)
        raise InputError("the fields of document {i} are {kind}; they must be a mapping", i=position, kind=kind)
    for name, tokens in fields.items():
        if type(tokens) is list and _STRING.issuperset(map(type, tokens)):  # what readers give, at a glance
            continue
        if isinstance(tokens, str) or not isinstance(tokens, Sequence) or not all(isinstance(t, str) for t in tokens):
            template = "the fields of document {i}: {name!r} is {kind}, not a list of strings"
            raise InputError(template, i=position, name=name, kind=described(tokens))


def is_missing(value: Any) -> bool:
    """True for None, NaN, and the missing values of pandas and pyarrow."""
    if type(value) is str:  # as most labels are
        return False
    if value is None or type(value).__name__ in ("NAType", "NaTType", "NullScalar"):
        return True
    return isinstance(value, float | np.floating) and math.isnan(value)


def described(item: object) -> str:
    """Return type and beginning of a value for a message."""
    return f"{type(item).__name__} {str(item)[:40]!r}"
