"""A bundle: one zip file of a header and plain arrays; equal content is equal bytes.

Members are stored, not compressed, with a fixed date. ``header.json`` names the format, the kind of bundle and, for
every array, its type, shape and sha256. A reader checks all of it, and the sizes before it allocates memory. Nothing in
a bundle is ever executed.
"""

import io
import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError, ModelFileError
from textnb.storage import atomic
from textnb.version import __version__

FORMAT = 2
_HEADER = "header.json"
_TYPES = {"<i8", "<i4", "<f8", "|u1"}
_DATE = (1980, 1, 1, 0, 0, 0)
_DAMAGE = (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError, ValueError)
_NEWER = (
    "{path} has format {format}, written by textnb {writer}; "
    "this textnb {reader} reads formats up to {known}: upgrade it"
)

Arrays = dict[str, NDArray[Any]]


def write_bundle(path: str | Path, kind: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write header and arrays to a file, completely or not at all."""
    ordered = {name: np.ascontiguousarray(array) for name, array in sorted(arrays.items())}
    members = {
        name: {"dtype": array.dtype.str, "shape": list(array.shape), "sha256": _sha256(array)}
        for name, array in ordered.items()
    }
    full = {"format": FORMAT, "kind": kind, "textnb": __version__, "members": members, **header}
    text = json.dumps(full, ensure_ascii=False, sort_keys=True, indent=1) + "\n"
    with atomic(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as bundle:
        _add(bundle, _HEADER, text.encode())
        for name, array in ordered.items():
            _add(bundle, f"{name}.npy", _npy_prefix(array.dtype.str, array.shape), _bytes_of(array))


def read_bundle(path: str | Path, kind: str) -> tuple[dict[str, Any], Arrays]:
    """Read and check the header and the arrays; any damage is a ModelFileError that names the file."""
    try:
        with zipfile.ZipFile(path) as bundle:
            header = _header(path, bundle, kind)
            return header, {name: _array(path, bundle, name, facts) for name, facts in header["members"].items()}
    except FileNotFoundError:
        raise ModelFileError("{path} does not exist", path=path) from None
    except OSError as error:
        raise ModelFileError("{path} cannot be read: {error}", path=path, error=error.strerror or error) from error
    except ModelFileError:
        raise
    except _DAMAGE as error:
        raise ModelFileError("{path} is damaged or not a textnb file: {error}", path=path, error=error) from error


@contextmanager
def content_of(path: str | Path) -> Iterator[None]:
    """Raise errors in the content of a file as ModelFileError or UntrustedError, with the path in front."""
    try:
        yield
    except ModelFileError as error:
        raise type(error)("{path}: {error}", path=path, error=error) from error
    except (InputError, TypeError, KeyError, ValueError, AttributeError, OverflowError) as error:
        template = "{path}: the content of the file does not fit together: {error}"
        raise ModelFileError(template, path=path, error=error) from error


def is_bundle(path: str | Path) -> bool:
    """True if a file looks like a bundle of any kind."""
    try:
        with zipfile.ZipFile(path) as bundle:
            return _HEADER in bundle.namelist()
    except (OSError, *_DAMAGE):
        return False


def _sha256(array: NDArray[Any]) -> str:
    assert array.dtype.str in _TYPES, array.dtype
    digest = sha256(_npy_prefix(array.dtype.str, array.shape))
    digest.update(_bytes_of(array))
    return digest.hexdigest()


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _npy_prefix(dtype: str, shape: tuple[int, ...]) -> bytes:
    """First bytes of a .npy file of that type and shape; a reader compares them instead of parsing them."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def _add(bundle: zipfile.ZipFile, name: str, *parts: bytes | memoryview) -> None:
    info = zipfile.ZipInfo(name, _DATE)
    info.create_system, info.external_attr = 3, 0o600 << 16  # the same bytes on every system
    info.file_size = sum(len(part) for part in parts)
    with bundle.open(info, "w") as member:
        for part in parts:
            member.write(part)


def _header(path: str | Path, bundle: zipfile.ZipFile, kind: str) -> dict[str, Any]:
    names = bundle.namelist()
    if sum(info.file_size for info in bundle.infolist()) > Path(path).stat().st_size:
        raise ModelFileError("{path} is damaged: its members are larger than the file", path=path)
    if _HEADER not in names:
        raise ModelFileError("{path} is not a textnb file: it has no header.json", path=path)
    try:
        header = json.loads(_bytes(path, bundle, _HEADER))
    except (ValueError, RecursionError) as error:
        raise ModelFileError("{path}: header.json is damaged: {error}", path=path, error=error) from error
    if not isinstance(header, dict) or not isinstance(header.get("format"), int):
        raise ModelFileError("{path}: header.json was not written by textnb", path=path)
    if header["format"] > FORMAT:
        found, writer = header["format"], header.get("textnb")
        raise ModelFileError(_NEWER, path=path, format=found, writer=writer, reader=__version__, known=FORMAT)
    if header.get("kind") != kind:
        raise ModelFileError("{path} holds a {found!r}, not a {kind!r}", path=path, found=header.get("kind"), kind=kind)
    members = header.get("members")
    if not isinstance(members, dict) or sorted(names) != sorted([_HEADER, *(f"{name}.npy" for name in members)]):
        raise ModelFileError("{path}: its members are not those that header.json names", path=path)
    return header


def _bytes(path: str | Path, bundle: zipfile.ZipFile, name: str) -> bytes:
    info = bundle.getinfo(name)
    if info.compress_type != zipfile.ZIP_STORED:
        raise ModelFileError("{path}: {name} is compressed, which textnb does not do", path=path, name=name)
    return bundle.read(info)


def _array(path: str | Path, bundle: zipfile.ZipFile, name: str, facts: Any) -> NDArray[Any]:
    try:
        dtype, shape, digest = facts["dtype"], tuple(facts["shape"]), facts["sha256"]
        sound = dtype in _TYPES and all(type(n) is int and 0 <= n < 2**63 for n in shape)
    except (KeyError, TypeError) as error:
        raise ModelFileError(
            "{path}: header.json does not describe {name}: {error}", path=path, name=name, error=error
        ) from error
    if not sound:
        template = "{path}: {name} has type {dtype!r} and shape {shape}, which textnb does not write"
        raise ModelFileError(template, path=path, name=name, dtype=dtype, shape=shape)
    prefix = _npy_prefix(dtype, shape)
    if bundle.getinfo(f"{name}.npy").file_size != len(prefix) + math.prod(shape) * np.dtype(dtype).itemsize:
        raise ModelFileError("{path}: the size of {name} is not the one in header.json", path=path, name=name)
    data = _bytes(path, bundle, f"{name}.npy")
    if sha256(data).hexdigest() != digest:
        template = "{path} is damaged: the sha256 of {name} is not the one in header.json"
        raise ModelFileError(template, path=path, name=name)
    if not data.startswith(prefix):
        raise ModelFileError("{path}: {name} is not what header.json describes", path=path, name=name)
    return np.frombuffer(data, dtype, offset=len(prefix)).reshape(shape)
