"""Numbers stored small: they come back, stay small, and nothing that is not theirs is accepted."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.errors import ModelFileError
from textnb.files.numbers import MAX_NUMBER, packed_numbers, unpacked_numbers

ENDS = [0, 1, 127, 128, 2**14 - 1, 2**14, 2**21, 2**35, MAX_NUMBER - 1, MAX_NUMBER]
numbers = st.lists(st.integers(0, 300) | st.sampled_from(ENDS) | st.integers(0, MAX_NUMBER), max_size=40)


def as_bytes(values):
    """Oracle: the bytes before zlib, number by number."""
    coded = [[(value >> 7 * i) & 127 for i in range(max(-(-value.bit_length() // 7), 1))] for value in values]
    planes = range(max(map(len, coded), default=0))
    return bytes(
        code[i] | (128 if i + 1 < len(code) else 0) for i in planes for code in coded if i < len(code)
    )  # fmt: skip


@given(numbers)
def test_numbers_come_back_and_are_coded_as_described(values):
    packed = packed_numbers(np.array(values, np.int64))
    assert packed.dtype == np.uint8
    assert zlib.decompress(packed.tobytes()) == as_bytes(values)
    assert unpacked_numbers(packed, len(values), "n").tolist() == values


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8, bool])
def test_numbers_of_any_integer_type_are_accepted(kind):
    assert unpacked_numbers(packed_numbers(np.array([1, 0, 1], kind)), 3, "n").tolist() == [1, 0, 1]


@pytest.mark.parametrize(("n_values", "bits"), [(1, 1), (2, 1.5), (4, 2.25)])
def test_few_different_numbers_take_few_bits(n_values, bits):
    """Codes of Huffman's, of which the rarest is shared with the end of a block."""
    assert len(packed_numbers(np.arange(80_000) % n_values)) < 80_000 / 8 * bits * 1.01 + 20


@given(numbers, st.integers(0, 100))
def test_another_number_of_numbers_is_refused(values, n):
    packed = packed_numbers(np.array(values, np.int64))
    if n != len(values):
        with pytest.raises(ModelFileError, match=f"'n' are not {n} numbers"):
            unpacked_numbers(packed, n, "n")


@pytest.mark.parametrize(
    ("data", "n", "complaint"),
    [
        (b"", 0, "damaged"),
        (b"no zlib at all", 3, "damaged"),
        (zlib.compress(b"\1\2\3")[:-1], 3, "do not end"),
        (zlib.compress(b"\1\2\3") + b"x", 3, "do not end"),
        (zlib.compress(bytes(10**6)), 10**6, "are not 1000000 numbers"),
        (zlib.compress(bytes(10**6)), 8, "do not end"),
        (zlib.compress(b"\x81"), 1, "are not 1 numbers"),
        (zlib.compress(b"\x81" * 10), 1, "are not 1 numbers"),
        (zlib.compress(b"\xff" * 8 + b"\x7f"), 1, "are not 1 numbers"),
        (zlib.compress(b"\1\2\3"), 2**62, "numbers"),
    ],
)
def test_what_is_no_packed_numbers_is_refused(data, n, complaint):
    with pytest.raises(ModelFileError, match=complaint):
        unpacked_numbers(np.frombuffer(data, np.uint8), n, "n")


@given(numbers.filter(len), st.data())
def test_a_changed_byte_is_refused_or_gives_as_many_numbers(values, data):
    packed = packed_numbers(np.array(values, np.int64)).copy()
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        found = unpacked_numbers(packed, len(values), "n")
    except ModelFileError:
        return
    assert len(found) == len(values)
    assert ((found >= 0) & (found <= MAX_NUMBER)).all()
