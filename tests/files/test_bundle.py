import json
import os
import random
import tracemalloc
from hashlib import sha256

import numpy as np
import pytest
from small_models import with_a_changed_byte
from zip_bundles import WRONG_ARRAYS

from textnb.errors import InputError, ModelFileError
from textnb.files import bundle as bundles
from textnb.files.bundle import FORMAT, is_bundle, open_bundle, write_bundle
from textnb.files.header import MAX_BRACKETS, MAX_HEADER

ANSWERING = {
    "numbers": np.array([[1, 2, 3], [4, 5, 6]], np.int64),
    "small": np.array([7], np.int32),
    "shares": np.array([0.25, -np.inf]),
    "weights": np.linspace(0, 1, 50, dtype=np.float32),
    "nothing": np.zeros((0, 16), np.uint8),
}
LEARNING = {
    "counts": np.arange(10_000, dtype=np.int64),
    "none": np.zeros(0, np.int64),
    "digests": np.ones((3, 16), np.uint8),
}
HEADER = {"recipe": {"名前": "値", "alpha": 0.5}, "classes": ["x", "料理"]}


@pytest.fixture
def path(tmp_path):
    write_bundle(tmp_path / "file.textnb", "model", HEADER, ANSWERING, LEARNING)
    return tmp_path / "file.textnb"


def is_same(path):
    """Whether a file can be read and holds what was written; all of it is read."""
    found = open_bundle(path, "model")
    found.verify()
    return {key: found.header[key] for key in HEADER} == HEADER and all(
        dict(given).keys() == dict(read).keys()
        and all(read[name].dtype == array.dtype and np.array_equal(read[name], array) for name, array in given.items())
        for given, read in ((ANSWERING, found.answering), (LEARNING, found.learning))
    )


def outcome(path):
    try:
        return is_same(path)
    except ModelFileError:
        return "refused"


def with_header(path, change):
    """Write another header, with its sha256 and lengths, in front of the same sections."""
    data = path.read_bytes()
    length = int.from_bytes(data[8:16], "little")
    header = json.loads(data[64 : 64 + length])
    changed = change(header)
    text = changed if isinstance(changed, bytes) else json.dumps(header if changed is None else changed).encode()
    with_header_text(path, text, data[-(-(64 + length) // 64) * 64 :])


def with_header_text(path, text, sections):
    first = -(-(64 + len(text)) // 64) * 64
    lengths = len(text).to_bytes(8, "little") + (first + len(sections)).to_bytes(8, "little")
    opening = b"TEXTNB3\n" + lengths + sha256(text).digest() + bytes(8) + text
    path.write_bytes(opening.ljust(first, b"\0") + sections)


def refused(path, complaint):
    with pytest.raises(ModelFileError, match=complaint) as error:
        open_bundle(path, "model")
    assert "\n" not in str(error.value)


def test_header_and_arrays_come_back(path):
    assert is_same(path)
    assert is_bundle(path)
    assert open_bundle(path, "model").header["format"] == FORMAT == 3


def test_the_same_content_is_the_same_bytes_in_whatever_order_it_is_given(path, tmp_path):
    parts = (dict(reversed(each.items())) for each in (HEADER, ANSWERING, LEARNING))
    write_bundle(tmp_path / "again", "model", *parts)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_sections_for_answering_are_plain_aligned_and_first(path):
    found = open_bundle(path, "model")
    data = path.read_bytes()
    for name, array in ANSWERING.items():
        assert array.size == 0 or data.index(array.tobytes()) % 64 == 0
        assert found.answering[name].size == 0 or found.answering[name].ctypes.data % 64 == 0
        assert not found.answering[name].flags.writeable
    assert LEARNING["counts"].tobytes() not in data


def test_the_sha256_of_a_bundle_follows_every_section(path, tmp_path):
    other = {**LEARNING, "counts": LEARNING["counts"] + 1}
    write_bundle(tmp_path / "other", "model", HEADER, ANSWERING, other)
    one, two = (open_bundle(each, "model").sha256 for each in (path, tmp_path / "other"))
    assert one != two
    assert open_bundle(path, "model").sha256 == one


def test_the_sha256_of_a_new_file_is_announced_before_it_has_its_name(path):
    old, announced = open_bundle(path, "model").sha256, []

    def announce(identity):
        announced.append(identity)
        assert open_bundle(path, "model").sha256 == old

    write_bundle(path, "model", {"more": 1}, ANSWERING, LEARNING, announce)
    assert announced == [open_bundle(path, "model").sha256]
    assert announced != [old]


def test_a_file_whose_announcement_fails_does_not_replace_the_old_one(path):
    def fail(_):
        raise ValueError("the journal is full")

    with pytest.raises(ValueError, match="full"):
        write_bundle(path, "model", {}, {}, {}, fail)
    assert is_same(path)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_any_one_byte_that_changes_is_noticed_or_does_not_matter(path, tmp_path):
    damaged, outcomes = tmp_path / "damaged", set()
    for data in with_a_changed_byte(path.read_bytes(), 600, seed=0):
        damaged.write_bytes(data)
        outcomes.add(outcome(damaged))
    assert outcomes == {True, "refused"}


def test_opening_notices_every_changed_byte_of_the_header(path, tmp_path):
    data = path.read_bytes()
    end = 64 + int.from_bytes(data[8:16], "little")
    for position in range(0, end, 7):
        changed = bytearray(data)
        changed[position] ^= 1
        (tmp_path / "damaged").write_bytes(changed)
        refused(tmp_path / "damaged", "damaged")


def test_opening_reads_no_section_and_verifying_all_of_them(path):
    data = bytearray(path.read_bytes())
    where = data.index(ANSWERING["weights"].tobytes())
    data[where] ^= 1
    path.write_bytes(data)
    found = open_bundle(path, "model")
    with pytest.raises(ModelFileError, match="sha256 of the section 'weights'"):
        found.verify()


def test_a_damaged_section_for_learning_is_noticed_when_it_is_read(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    found = open_bundle(path, "model")
    assert np.array_equal(found.learning["counts"], LEARNING["counts"])
    with pytest.raises(ModelFileError, match="sha256 of the section 'none'"):
        found.learning["none"]


def test_a_truncated_or_longer_file_is_refused_wherever_it_ends(path, tmp_path):
    data = path.read_bytes()
    for length in (*range(0, len(data), 13), len(data) - 1):
        (tmp_path / "short").write_bytes(data[:length])
        refused(tmp_path / "short", "short")
    (tmp_path / "long").write_bytes(data + b"\0")
    refused(tmp_path / "long", "long is damaged")


@pytest.mark.parametrize("content", [b"", b"no textnb file", b"TEXTNB3\n", b"TEXTNB3\n" + bytes(56), b"\x00" * 1000])
def test_a_file_that_is_no_bundle_is_refused(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    refused(tmp_path / "other", "other(:| is damaged| is incomplete)")


def test_a_missing_file_a_folder_and_a_pipe_are_named(tmp_path):
    refused(tmp_path / "nowhere", "nowhere does not exist")
    refused(tmp_path, "cannot be read: Is a directory")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "pipe cannot be read: it is not an ordinary file")
    assert not is_bundle(tmp_path / "nowhere")
    assert not is_bundle(tmp_path)


def test_another_kind_and_a_newer_format_are_refused(path):
    with pytest.raises(ModelFileError, match="holds a 'model', not a 'counts'"):
        open_bundle(path, "counts")
    with_header(path, lambda header: header.update(format=FORMAT + 1, textnb="99.0"))
    refused(path, f"format {FORMAT + 1}, written by textnb 99.0; .* upgrade it")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 10_000,
        b"1" * 5000,
        b"[]",
        b"5",
        b"null",
        b"{}",
        b'{"format": "3"}',
        b'{"format": true}',
    ],
)
def test_a_header_that_is_no_header_is_refused(path, text):
    with_header(path, lambda _: text)
    refused(path, r"its header (is damaged|was not written by textnb)")


@pytest.mark.parametrize(
    "text", [b'{"format": 3, "x": [' + b"{}," * (MAX_BRACKETS + 1) + b"0]}", b" " * (MAX_HEADER + 1)]
)
def test_a_header_that_would_take_much_memory_is_refused_before_it_is_parsed(path, text):
    with_header(path, lambda _: text)
    tracemalloc.start()
    try:
        refused(path, "the limit is")
        assert tracemalloc.get_traced_memory()[1] < 3 * MAX_HEADER
    finally:
        tracemalloc.stop()


def test_a_header_that_could_not_be_read_is_not_written(tmp_path):
    for header in ({"x": "a" * MAX_HEADER}, {"x": [[]] * (MAX_BRACKETS + 1)}):
        with pytest.raises(InputError, match="its header would be too large"):
            write_bundle(tmp_path / "large", "model", header, {})
    assert not (tmp_path / "large").exists()


@pytest.mark.parametrize(
    "facts",
    [
        *WRONG_ARRAYS,
        {"start": 0},
        {"start": -64},
        {"start": 2**63},
        {"start": 1.0},
        {"stored": 10**15},
        {"stored": "4"},
        {"coding": "lzma"},
        {"coding": "zlib"},
        {"coding": None},
        {"sha256": None},
        {"more": 1},
    ],
)
def test_a_section_described_as_it_is_not_is_refused_by_name(path, facts):
    with_header(path, lambda header: header["sections"]["small"].update(facts))
    refused(path, "small|weights|do not fill it")


@pytest.mark.parametrize("facts", [None, [], "text", {}])
def test_a_section_not_described_is_refused_by_name(path, facts):
    with_header(path, lambda header: header["sections"].update(small=facts))
    refused(path, "does not describe the section 'small'")


@pytest.mark.parametrize("sections", [None, [], 5, {}])
def test_sections_that_are_none_are_refused(path, sections):
    with_header(path, lambda header: header.update(sections=sections))
    refused(path, "does not describe its sections|do not fill it")


@pytest.mark.parametrize("shape", [[10_001], [9_999], [10**9], [2, 4_000]])
def test_a_compressed_section_of_another_size_is_refused_and_takes_no_memory(path, shape):
    with_header(path, lambda header: header["sections"]["counts"].update(shape=shape))
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="counts"):
            open_bundle(path, "model").learning["counts"]
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_headers_of_random_damage_give_no_other_error(path, tmp_path):
    data, rng = path.read_bytes(), random.Random(1)
    length = int.from_bytes(data[8:16], "little")
    header, sections = data[64 : 64 + length], data[-(-(64 + length) // 64) * 64 :]
    for _ in range(400):
        changed = bytearray(header)
        for position in rng.sample(range(length), 3):
            changed[position] = rng.choice(b'0123456789-,:[]{}" \xff')
        with_header_text(tmp_path / "damaged", bytes(changed), sections)
        assert outcome(tmp_path / "damaged") in (True, False, "refused")


def test_a_file_that_is_replaced_goes_on_giving_what_it_held(path, tmp_path):
    found = open_bundle(path, "model")
    write_bundle(path, "model", {}, {"numbers": np.zeros(3)}, {})
    assert np.array_equal(found.answering["numbers"], ANSWERING["numbers"])
    assert np.array_equal(found.learning["counts"], LEARNING["counts"])


def test_a_file_in_memory_survives_being_shortened_and_says_so_before_learning(path):
    found = open_bundle(path, "model", in_memory=True)
    os.truncate(path, 10)
    assert np.array_equal(found.answering["numbers"], ANSWERING["numbers"])
    with pytest.raises(ModelFileError, match="was shortened after it was opened"):
        found.learning["counts"]


def test_where_open_files_cannot_be_replaced_all_is_in_memory(path, monkeypatch):
    monkeypatch.setattr(bundles, "KEEPS_OPEN", False)
    found = open_bundle(path, "model")
    os.truncate(path, 0)
    assert np.array_equal(found.answering["numbers"], ANSWERING["numbers"])
    assert np.array_equal(found.learning["counts"], LEARNING["counts"])


@pytest.mark.parametrize("handed", ["writable by all", "of another user"])
def test_a_file_in_the_hands_of_others_is_verified_on_opening_and_copied(path, handed):
    if handed == "writable by all":
        path.chmod(0o666)
    elif os.geteuid() == 0:
        os.chown(path, 12345, 12345)
    else:
        pytest.skip("only root can give files away")
    found = open_bundle(path, "model")
    data = bytearray(path.read_bytes())
    os.truncate(path, 0)
    assert np.array_equal(found.answering["numbers"], ANSWERING["numbers"])
    data[data.index(ANSWERING["weights"].tobytes())] ^= 1
    path.write_bytes(data)
    refused(path, "sha256 of the section 'weights'")


@pytest.mark.parametrize("size", [0, 1, 100, 1 << 16, (1 << 16) + 1, 300_000])
def test_bytes_that_do_not_shrink_are_not_compressed_in_vain(tmp_path, size):
    noise = np.frombuffer(random.Random(1).randbytes(size), np.uint8)
    write_bundle(tmp_path / "file", "model", HEADER, {}, {"noise": noise, "zeros": np.zeros(size, np.uint8)})
    found = open_bundle(tmp_path / "file", "model")
    assert np.array_equal(found.learning["noise"], noise)
    assert not found.learning["zeros"].any()
    stored = found.header["sections"]
    assert stored["noise"]["stored"] <= size + size // 1000 + 20
    assert stored["zeros"]["stored"] <= size // 100 + 20


def test_the_number_of_processors_changes_no_byte(path, tmp_path, monkeypatch):
    monkeypatch.setattr("textnb.parallel._processors", lambda: 1)
    write_bundle(tmp_path / "one.textnb", "model", HEADER, ANSWERING, LEARNING)
    monkeypatch.setattr("textnb.parallel._processors", lambda: 4)
    write_bundle(tmp_path / "four.textnb", "model", HEADER, ANSWERING, LEARNING)
    assert (tmp_path / "one.textnb").read_bytes() == (tmp_path / "four.textnb").read_bytes() == path.read_bytes()
