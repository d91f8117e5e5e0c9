"""No bytes raise: random ones, and messages broken in the ways that messages break."""

import random
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb.readers import read_heading, read_message

CORPUS = Path(__file__).parents[3] / "corpora" / "ja-mail"
MESSAGES = [path.read_bytes() for path in sorted(CORPUS.rglob("*.eml"))]

LINES = st.sampled_from(
    [
        b"Content-Type: multipart/mixed; boundary=b",
        b"Content-Type: multipart/alternative; boundary=b",
        b"Content-Type: text/html; charset=Shift_JIS",
        b"Content-Type: text/plain; charset=utf-7",
        b"Content-Type: message/rfc822",
        b"Content-Type: text/calendar; name*0*=utf-8''%E3%81; name*1*=%82",
        b"Content-Transfer-Encoding: base64",
        b"Content-Transfer-Encoding: quoted-printable",
        b"Content-Transfer-Encoding: x-uuencode",
        b"Content-Disposition: attachment; filename*=x",
        b"Subject: =?iso-2022-jp?B?GyRC?= =?utf-8?Q?=E3=81?=",
        b"Date: 99 Foo 0000 99:99:99 +9999",
        b"--b",
        b"--b--",
        b"",
        b"\x1b$B$3$l",
        b"begin 644 x",
        b"M\xff\xff",
        "<p style='color:#fff'>日本".encode("cp932"),
        b"GyRC=A==QUJD",
    ]
)
structured = st.lists(LINES | st.binary(max_size=30), max_size=25).map(b"\n".join)


def check(raw):
    "".join(read_heading(raw)).encode()
    document = read_message(raw)
    document.text.encode()
    document.digest  # noqa: B018 - fields can be written, too
    assert document.date is None or document.date.utcoffset() is not None
    assert all(isinstance(defect, str) for defect in document.defects)


@given(st.binary(max_size=300) | structured)
@settings(max_examples=150, deadline=None)
@example(b"From " * 10)
@example(b"Content-Type: text/plain; charset=utf-7\n\n+2AA-")
def test_no_bytes_raise(raw):
    check(raw)


@given(st.integers(0, 10**9))
@settings(max_examples=150, deadline=None)
def test_no_broken_message_raises(seed):
    chance = random.Random(seed)
    raw = bytearray(chance.choice(MESSAGES))
    for _ in range(chance.randrange(1, 8)):
        start, length = chance.randrange(len(raw) + 1), chance.randrange(40)
        raw[start : start + length] = chance.choice([b"", chance.randbytes(length), chance.choice(MESSAGES)[:length]])
    check(bytes(raw))
