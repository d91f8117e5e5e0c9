"""The extension reads heads and words as Python does."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb.extension import uses_extension
from textnb.readers.mail import ascii_words
from textnb.readers.mail.features import _HOSTS
from textnb.readers.mail.headers import split_head
from textnb.readers.mail.words import _EDGES, _PARTED

pytestmark = pytest.mark.skipif(not uses_extension(), reason="the C extension is not built, or not to be used")

LINES = [
    b"To: x",
    b"Subject :y",
    b"\r",
    b"\n",
    b"\r\n",
    b"\n ",
    b"\n\t",
    b"\r\n\t",
    b":",
    b" ",
    b"\t",
    b"\0",
    b"\x0b",
    b"\xe9",
]
LINES += [b"=?", b"=", b"?", b"From ", b"X-A_b: \x0cz\x0c", b"A" * 101 + b": long", b"A" * 100 + b" : just"]
HEADS = st.lists(st.sampled_from(LINES), max_size=30).map(b"".join) | st.binary(max_size=40)
WORDS = [
    b"a",
    b"Re",
    b"B.c",
    b".",
    b"-",
    b"@",
    b"!",
    b" ",
    b",",
    b"\n",
    b"\x1b",
    b"=?",
    b"1",
    b"192.0.2.7",
    b"1.2.3",
    b"0.1.2.3.4",
]
WORDS += [b"mail.Example.co.jp", b"a@B.example", b"a@192.0.2.1", b"x" * 60, b"y" * 61, b"\xff", b"..", b"1234.1.1.1"]
VALUES = st.lists(st.sampled_from(WORDS), max_size=25).map(b"".join) | st.binary(max_size=40)
often = settings(max_examples=200, deadline=None)


@often
@given(HEADS, st.integers(0, 4), st.integers(0, 4), st.sampled_from([20, 1 << 18]))
@example(b"", 0, 0, 10)
@example(b"\r", 0, 0, 10)
@example(b"To: x\n\r", 0, 0, 100)
@example(b"To: x\nCc: y\n\n", 0, 1, 100)
def test_heads_are_taken_apart_alike(data, before, after, longest):
    from textnb import _native as native

    start = min(before, len(data))
    end = max(start, len(data) - after)
    assert native.split_head(data, start, end, longest, 100) == split_head(data, start, end, longest, 100)


@often
@given(VALUES, st.integers(0, 6), st.sampled_from(["", "name:"]))
def test_words_and_addresses_are_found_alike(data, most, prefix):
    from textnb import _native as native

    rest = (_PARTED, _EDGES, 60, most, prefix)
    assert native.words(data, *rest) == ascii_words.words(data, *rest)
    assert native.plain_words(data, *rest) == ascii_words.plain_words(data, *rest)
    if data.isascii():
        assert native.words(data.decode(), *rest) == ascii_words.words(data.decode(), *rest)
    rest = (_PARTED, _EDGES, 60, most, "")
    assert native.plain_addresses(data, *rest) == ascii_words.plain_addresses(data, *rest)


@often
@given(VALUES, st.integers(0, 30))
def test_relays_are_found_alike(data, most):
    from textnb import _native as native

    rest = (_HOSTS, b".-", 2000, most, "")
    assert native.relays(data, *rest) == ascii_words.relays(data, *rest)


def test_what_is_out_of_range_is_refused():
    from textnb import _native as native

    for start, end, longest, name in ((-1, 2, 9, 9), (2, 1, 9, 9), (4, 9, 9, 9), (0, 3, -1, 9), (0, 3, 9, 256)):
        with pytest.raises(ValueError, match="split_head needs"):
            native.split_head(b"a:b", start, end, longest, name)
    with pytest.raises(TypeError):
        native.split_head("a:b", 0, 3, 9, 9)
    for table, longest, most, prefix in (
        (b"", 9, 9, ""),
        (_PARTED, -1, 9, ""),
        (_PARTED, 9, -1, ""),
        (_PARTED, 4090, 9, "a" * 9),
    ):
        with pytest.raises(ValueError, match="words needs"):
            native.words(b"a", table, b"", longest, most, prefix)
    with pytest.raises(UnicodeDecodeError):
        native.words(b"\xff", bytes(range(256)), b"", 9, 9, "")
