import json
import tracemalloc
import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from zip_bundles import WRONG_ARRAYS, write_zip_bundle

from textnb.errors import ModelFileError
from textnb.files.bundle import FORMAT, is_bundle
from textnb.files.zip_bundle import read_zip_bundle


@pytest.fixture
def path(tmp_path):
    arrays = {"numbers": np.array([[1, 2, 3], [4, 5, 6]], np.int64), "small": np.array([7], np.int32)}
    write_zip_bundle(tmp_path / "file.textnb", "model", {"classes": ["x", "料理"]}, arrays)
    return tmp_path / "file.textnb"


def members_of(path):
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def packed(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as bundle:
        for name, data in members.items():
            bundle.writestr(name, data)


def with_header(path, change):
    members = members_of(path)
    header = json.loads(members["header.json"])
    changed = change(header)
    members["header.json"] = json.dumps(header if changed is None else changed).encode()
    packed(path, members)


def refused(path, complaint):
    with pytest.raises(ModelFileError, match=complaint):
        read_zip_bundle(path, "model")


def with_npy(path, name, data, **facts):
    """A member whose bytes are hostile while its sha256 is right."""
    packed(path, {**members_of(path), f"{name}.npy": data})
    with_header(path, lambda header: header["members"][name].update(sha256=sha256(data).hexdigest(), **facts))


def npy(header, body=bytes(48)):
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode("latin-1") + body


def test_a_newer_format_is_refused_and_says_so(path):
    with_header(path, lambda header: header.update(format=FORMAT + 1, textnb="99.0"))
    refused(path, f"format {FORMAT + 1}, written by textnb 99.0; .* upgrade it")


@pytest.mark.parametrize("header", [[], 5, None, {}, {"format": "1"}, {"format": None}])
def test_a_header_of_another_shape_is_refused(path, header):
    with_header(path, lambda _: header or {"kind": "model"})
    refused(path, r"its header was not written by textnb")


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"1" * 5000])
def test_a_header_that_is_no_json_is_refused(path, text):
    packed(path, {**members_of(path), "header.json": text})
    refused(path, r"its header (is damaged|was not written by textnb|has 100,000 lists)")


def test_compressed_members_are_refused(path):
    packed(path, members_of(path), zipfile.ZIP_DEFLATED)
    refused(path, r"header.json is compressed")


def test_extra_missing_and_repeated_members_are_refused(path):
    members = members_of(path)
    for changed in ({**members, "extra.npy": b""}, {k: v for k, v in members.items() if k != "small.npy"}):
        packed(path, changed)
        refused(path, r"members are not those that header.json names")
    packed(path, members)
    with zipfile.ZipFile(path, "a") as bundle, pytest.warns(UserWarning, match="Duplicate name"):
        bundle.writestr("small.npy", members["small.npy"])
    refused(path, r"members are not those that header.json names")


def test_a_member_with_another_content_is_refused(path):
    members = members_of(path)
    packed(path, {**members, "small.npy": members["small.npy"][:-4] + b"\x08\x00\x00\x00"})
    refused(path, "damaged: the sha256 of small is not")


@pytest.mark.parametrize(
    "facts",
    [
        *WRONG_ARRAYS,
        {"sha256": None},
    ],
)
def test_a_member_described_as_it_is_not_is_refused_by_name(path, facts):
    with_header(path, lambda header: header["members"]["small"].update(facts))
    refused(path, r"small")


@pytest.mark.parametrize("facts", [None, [], "text", {}])
def test_a_member_not_described_is_refused_by_name(path, facts):
    with_header(path, lambda header: header["members"].update(small=facts))
    refused(path, r"header.json does not describe small")


def test_pickled_objects_are_refused_and_never_unpickled(path, tmp_path):
    class Hostile:
        def __reduce__(self):
            return Path.touch, (tmp_path / "executed",)

    np.save(tmp_path / "objects.npy", np.array([Hostile()], object), allow_pickle=True)
    for dtype in ("<i4", "|O"):
        with_npy(path, "small", (tmp_path / "objects.npy").read_bytes(), dtype=dtype)
        refused(path, "small")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("shape", ["(1000000000,)", "(1000000000000000,)", "(99999999999999999999999999,)"])
def test_a_huge_shape_claimed_inside_a_member_takes_no_memory(path, shape):
    with_npy(path, "numbers", npy(f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}}}\n"))
    tracemalloc.start()
    try:
        refused(path, "numbers")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "header",
    [
        "",
        "{'descr': (\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3)",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (2L, 3L)}\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (True, 6)}\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (-2, 3)}\n",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}\n",
        "{[]: 1}",
        "(" * 5000,
        "-" * 9000 + "1",
    ],
)
def test_a_damaged_beginning_of_a_member_is_refused_by_name(path, header):
    with_npy(path, "numbers", npy(header))
    refused(path, "numbers")


def test_names_of_members_that_are_no_utf8_are_refused(path):
    packed(path, {**members_of(path), "é.npy": b""})
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xff\xff"))
    refused(path, "damaged or not a textnb file")
    assert not is_bundle(path)


def test_a_zip_file_of_a_later_kind_is_no_bundle(path):
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 6] = 99
    path.write_bytes(data)
    refused(path, "damaged or not a textnb file")
    assert not is_bundle(path)


def test_members_larger_than_the_file_are_refused_before_they_are_read(tmp_path):
    path = tmp_path / "bundle"
    write_zip_bundle(path, "kind", {}, {"a": np.zeros(1000, np.uint8)})
    data = bytearray(path.read_bytes())
    sizes = data.rindex(b"PK\x01\x02") + 20  # of the last entry of the directory: packed and unpacked
    data[sizes : sizes + 8] = (2**30).to_bytes(4, "little") * 2
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match="larger than the file"):
        read_zip_bundle(path, "kind")
