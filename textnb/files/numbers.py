"""Whole numbers stored small: seven bits per byte, then Huffman coding by zlib.

A number takes as many bytes as it has groups of seven bits, the lowest group first; the highest bit of a byte says that
another one follows. First come the first bytes of all numbers, then the second bytes of those that have one, and so on,
so that packing and unpacking are array operations. zlib only chooses short codes for frequent bytes (Z_HUFFMAN_ONLY):
nothing repeats in gaps between columns, and looking for repetitions makes them larger and takes five times as long. It
also means that a byte takes a bit at least, so a small file cannot ask for much memory.
"""

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.errors import ModelFileError

MAX_NUMBER = 2**62 - 1
_BITS, _LOW, _GOES_ON = 7, 127, 128
_MAX_BYTES = 9  # of a number: 63 bits
_BLOCK = 1 << 16
_TYPES = (np.uint8, np.uint16, np.int32, np.int64)


def packed_numbers(numbers: NDArray[Any]) -> NDArray[np.uint8]:
    """Whole numbers from 0 to MAX_NUMBER, (n,), as bytes.

    >>> unpacked_numbers(packed_numbers(np.array([5, 0, 1000])), 3, "numbers").tolist()
    [5, 0, 1000]
    """
    coder = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_HUFFMAN_ONLY)
    parts, left = [], numbers if numbers.dtype in _TYPES else numbers.astype(np.int64)
    while len(left):
        for start in range(0, len(left), _BLOCK):  # so that no copies of all numbers are made
            block = left[start : start + _BLOCK]
            parts.append(coder.compress(np.where(block > _LOW, block & _LOW | _GOES_ON, block).astype(np.uint8).data))
        left = left[left > _LOW] >> _BITS
    return np.frombuffer(b"".join([*parts, coder.flush()]), np.uint8)


def unpacked_numbers(packed: NDArray[np.uint8], n: int, name: str) -> NDArray[np.int64]:
    """Return the ``n`` numbers that ``packed_numbers`` packed; ``name`` is for the error."""
    data = _unpacked_bytes(packed, n, name)
    numbers, which, start = np.zeros(n, np.int64), np.arange(n), 0
    for place in range(_MAX_BYTES):
        part = data[start : start + len(which)]
        if len(part) < len(which):
            raise ModelFileError("the numbers {name!r} are not {n} numbers", name=name, n=n)
        numbers[which] |= (part & _LOW).astype(np.int64) << _BITS * place
        start, which = start + len(part), which[part > _LOW]
        if not len(which):
            break
    if len(which) or start != len(data) or (n and numbers.max() > MAX_NUMBER):
        raise ModelFileError("the numbers {name!r} are not {n} numbers", name=name, n=n)
    return numbers


def _unpacked_bytes(packed: NDArray[np.uint8], n: int, name: str) -> NDArray[np.uint8]:
    most = 8 * len(packed)
    if n > most:
        raise ModelFileError("the numbers {name!r} are not {n} numbers", name=name, n=n)
    decoder = zlib.decompressobj()
    try:
        data = decoder.decompress(packed.tobytes(), most + 1)
    except zlib.error as error:
        raise ModelFileError("the numbers {name!r} are damaged: {error}", name=name, error=error) from error
    if not decoder.eof or decoder.unused_data or len(data) > most:
        raise ModelFileError("the numbers {name!r} are damaged: they do not end where they should", name=name)
    return np.frombuffer(data, np.uint8)
