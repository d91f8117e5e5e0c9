"""The header of a bundle of any format: JSON of limited size that names format, writer and kind of bundle."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textnb.errors import InputError, ModelFileError
from textnb.version import __version__

FORMAT = 3
"""Format of the files that are written."""

MAX_HEADER = 16_000_000
"""Bytes of a header."""

MAX_BRACKETS = 20_000
"""Lists and objects in a header; each takes far more memory than its bytes."""

_NEWER = (
    "{path} has format {format}, written by textnb {writer}; "
    "this textnb {reader} reads formats up to {known}: upgrade it"
)


def check_size(size: int, path: str | Path) -> None:
    """Refuse to read a header of so many bytes if they are too many."""
    if size > MAX_HEADER:
        template = "{path} is damaged: its header has {size:,} bytes; the limit is {most:,}"
        raise ModelFileError(template, path=path, size=size, most=MAX_HEADER)


def check_writable_header(text: bytes, path: str | Path) -> None:
    """Refuse to write a header that ``read_header`` would refuse for its size."""
    if len(text) > MAX_HEADER or _n_brackets(text) > MAX_BRACKETS:
        template = "{path} cannot be written: its header would be too large; use fewer classes or shorter names"
        raise InputError(template, path=path)


def read_header(text: bytes, path: str | Path) -> dict[str, Any]:
    """Return the JSON object of a header; one that is damaged, too large or of a newer format is a ModelFileError."""
    check_size(len(text), path)
    if (number := _n_brackets(text)) > MAX_BRACKETS:
        template = "{path} is damaged: its header has {number:,} lists and objects; the limit is {most:,}"
        raise ModelFileError(template, path=path, number=number, most=MAX_BRACKETS)
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFileError("{path}: its header is damaged: {error}", path=path, error=error) from error
    if not isinstance(header, dict) or type(header.get("format")) is not int:
        raise ModelFileError("{path}: its header was not written by textnb", path=path)
    if header["format"] > FORMAT:
        found, writer = header["format"], header.get("textnb")
        raise ModelFileError(_NEWER, path=path, format=found, writer=writer, reader=__version__, known=FORMAT)
    return header


def check_kind(header: Mapping[str, Any], kind: str, path: str | Path) -> None:
    """Refuse the header of another kind of bundle."""
    if header.get("kind") != kind:
        raise ModelFileError("{path} holds a {found!r}, not a {kind!r}", path=path, found=header.get("kind"), kind=kind)


def _n_brackets(text: bytes) -> int:
    return text.count(b"{") + text.count(b"[")
