import random
import zipfile

import numpy as np
import pytest
from small_models import with_a_changed_byte
from zip_bundles import write_zip_bundle

from textnb.errors import ModelFileError
from textnb.files.bundle import is_bundle
from textnb.files.zip_bundle import read_zip_bundle

ARRAYS = {
    "numbers": np.array([[1, 2, 3], [4, 5, 6]], np.int64),
    "small": np.array([7], np.int32),
    "shares": np.array([0.25, np.inf]),
    "bytes": np.zeros((0, 16), np.uint8),
}
HEADER = {"recipe": {"名前": "値", "alpha": 0.5}, "classes": ["x", "料理"]}


@pytest.fixture
def path(tmp_path):
    write_zip_bundle(tmp_path / "file.textnb", "model", HEADER, ARRAYS)
    return tmp_path / "file.textnb"


def same(found):
    header, arrays = found
    return (
        {key: header[key] for key in HEADER} == HEADER
        and arrays.keys() == ARRAYS.keys()
        and all(arrays[name].dtype == array.dtype for name, array in ARRAYS.items())
        and all(np.array_equal(arrays[name], array) for name, array in ARRAYS.items())
    )


def outcome(path):
    try:
        return same(read_zip_bundle(path, "model"))
    except ModelFileError:
        return "refused"


def test_header_and_arrays_come_back(path):
    assert same(read_zip_bundle(path, "model"))
    assert is_bundle(path)


def test_any_one_byte_that_changes_is_noticed_or_does_not_matter(path, tmp_path):
    damaged, outcomes = tmp_path / "damaged", set()
    for data in with_a_changed_byte(path.read_bytes(), 400, seed=0):
        damaged.write_bytes(data)
        outcomes.add(outcome(damaged))
    assert outcomes == {True, "refused"}


def test_bytes_that_change_in_the_table_of_contents_give_no_other_error(path, tmp_path):
    data, rng = path.read_bytes(), random.Random(1)
    contents = range(data.index(b"PK\x01\x02"), len(data))
    damaged = tmp_path / "damaged"
    for _ in range(400):
        changed = bytearray(data)
        for position in rng.sample(contents, 3):
            changed[position] = rng.randrange(256)
        damaged.write_bytes(changed)
        assert outcome(damaged) in (True, "refused")
        assert is_bundle(damaged) in (True, False)


def test_a_truncated_file_is_refused_wherever_it_ends(path, tmp_path):
    data = path.read_bytes()
    for length in range(0, len(data), 10):
        (tmp_path / "short").write_bytes(data[:length])
        with pytest.raises(ModelFileError, match="short"):
            read_zip_bundle(tmp_path / "short", "model")


@pytest.mark.parametrize("content", [b"", b"no zip file", b"PK\x03\x04", b"\x00" * 1000])
def test_a_file_that_is_no_bundle_is_refused(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(ModelFileError, match="other is damaged or not a textnb file"):
        read_zip_bundle(tmp_path / "other", "model")
    assert not is_bundle(tmp_path / "other")


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(ModelFileError, match="nowhere does not exist"):
        read_zip_bundle(tmp_path / "nowhere", "model")
    with pytest.raises(ModelFileError, match="cannot be read: Is a directory"):
        read_zip_bundle(tmp_path, "model")
    assert not is_bundle(tmp_path / "nowhere")
    assert not is_bundle(tmp_path)


def test_any_other_zip_file_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "photos.zip", "w") as other:
        other.writestr("photo.jpg", b"...")
    with pytest.raises(ModelFileError, match=r"photos.zip is not a textnb file: it has no header.json"):
        read_zip_bundle(tmp_path / "photos.zip", "model")
    assert not is_bundle(tmp_path / "photos.zip")


def test_another_kind_of_bundle_is_refused(path):
    with pytest.raises(ModelFileError, match="holds a 'model', not a 'counts'"):
        read_zip_bundle(path, "counts")
