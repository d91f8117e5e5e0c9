"""Reading of bundles of formats 1 and 2: a zip file of a header and plain arrays.

Members are stored, not compressed. ``header.json`` names the format, the kind of bundle and, for every array, its type,
shape and sha256. All of it is checked, and the sizes before memory is allocated.
"""

import io
import math
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.errors import ModelFileError
from textnb.files.header import check_kind, check_size, read_header

_HEADER = "header.json"
_TYPES = {"<i8", "<i4", "<f8", "|u1"}
_DAMAGE = (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError, ValueError)
Arrays = dict[str, NDArray[Any]]


def read_zip_bundle(path: str | Path, kind: str) -> tuple[dict[str, Any], Arrays]:
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


def is_zip_bundle(path: str | Path) -> bool:
    """True if a file looks like a bundle of any kind."""
    try:
        with zipfile.ZipFile(path) as bundle:
            return _HEADER in bundle.namelist()
    except (OSError, *_DAMAGE):
        return False


def _npy_prefix(dtype: str, shape: tuple[int, ...]) -> bytes:
    """First bytes of a .npy file of that type and shape; a reader compares them instead of parsing them."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def _header(path: str | Path, bundle: zipfile.ZipFile, kind: str) -> dict[str, Any]:
    names = bundle.namelist()
    if sum(info.file_size for info in bundle.infolist()) > Path(path).stat().st_size:
        raise ModelFileError("{path} is damaged: its members are larger than the file", path=path)
    if _HEADER not in names:
        raise ModelFileError("{path} is not a textnb file: it has no header.json", path=path)
    check_size(bundle.getinfo(_HEADER).file_size, path)
    header = read_header(_bytes(path, bundle, _HEADER), path)
    check_kind(header, kind, path)
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
