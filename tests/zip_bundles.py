"""Bundles of format 2, written as textnb 0.1 wrote them."""

import io
import json
import zipfile
from hashlib import sha256

import numpy as np

WRONG_ARRAYS = [
    {"dtype": "|O"},
    {"dtype": "<U9"},
    {"dtype": ["<i8"]},
    {"shape": [-1]},
    {"shape": [0.5]},
    {"shape": ["1"]},
    {"shape": None},
    {"shape": [2]},
    {"shape": [10**15]},
    {"shape": [10**30, 10**30]},
]
"""What a header of any format may wrongly say of an array with one number."""


def write_zip_bundle(path, kind, header, arrays):
    """Write header and arrays to a zip file."""
    ordered = {name: _npy(np.ascontiguousarray(array)) for name, array in sorted(arrays.items())}
    members = {
        name: {"dtype": arrays[name].dtype.str, "shape": list(arrays[name].shape), "sha256": sha256(data).hexdigest()}
        for name, data in ordered.items()
    }
    full = {"format": 2, "kind": kind, "textnb": "0.1.0", "members": members, **header}
    text = json.dumps(full, ensure_ascii=False, sort_keys=True, indent=1) + "\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as bundle:
        for name, data in {"header.json": text.encode(), **{f"{n}.npy": d for n, d in ordered.items()}}.items():
            bundle.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)


def _npy(array):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape}
    )
    return stream.getvalue() + array.tobytes()
