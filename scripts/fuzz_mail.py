"""Tries broken messages on the reader of mail, which must neither fail nor take long.

    .venv/bin/python scripts/fuzz_mail.py [CASES] [--seed N] [--case N]

Each case depends only on the seed and its number: a message of corpora/ja-mail or, if TEXTNB_CORPORA names the folder
of the public corpora, of mail-fixtures.tar.xz, changed one to eight times: bytes lost, doubled, exchanged or cut off,
pieces of other messages inserted, charsets, encodings and boundaries mixed up, a piece repeated a thousand times.
Reading it and inserting the filter's header field must not raise and must take at most two seconds of processor time.
The text must be valid; inserting the field must change nothing else, except that earlier fields of that name go.
For a case that fails, the result and the command that repeats it are printed.
"""

import argparse
import os
import sys
import tarfile
import time
import traceback
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from random import Random

from textnb.mail.header_field import add_field, remove_field
from textnb.readers import read_message

CORPUS = Path(__file__).parent.parent / "corpora" / "ja-mail"
LIMIT = 2.0
WORST = 5
LONGEST = 2_000_000
CHARSETS = [b"iso-2022-jp", b"Shift_JIS", b"EUC-JP", b"utf-8", b"utf-7", b"utf-16", b"us-ascii", b"x-unknown", b"hz"]
ENCODINGS = [b"base64", b"quoted-printable", b"7bit", b"8bit", b"x-uuencode", b"binary"]
TYPES = [
    b"multipart/mixed",
    b"multipart/alternative",
    b"multipart/digest",
    b"message/rfc822",
    b"text/plain",
    b"text/html",
]
WORDS = [*CHARSETS, *ENCODINGS, *TYPES]
LINE_ENDS = [b"\n\n", b"\r\n\r\n", b"\r", b"\n"]
IN_HEADERS = [b"=?utf-8?B?", b"?=", b"=?iso-2022-jp?Q?", b"Content-Type: ", b"boundary=", b"charset=", b";", b'"']
IN_TEXT = [b"\x1b$B", b"\x1b(B", b"--", b"=E3=81", b"====", b"\0", b"\xff\xfe", b"http://", b"filename*0*=utf-8''%E3"]
IN_PAGES = [b"<div>", b"<!--", b"<script>", b"<font color=white>", b"style=display:none", b"&#"]
FIELD = b"X-Textnb: class=spam; probability=0.999000; unsure=no"
OWN = [b"X-Textnb: class=ham\n", b"\nx-textnb : forged;\n folded\n", b"\r\nX-TEXTNB:", b"\rX-Textnb: a\r"]
BITS = [*OWN, *LINE_ENDS, *IN_HEADERS, *IN_TEXT, *IN_PAGES, b"From a Fri Jan  2 03:04:05 2026\n"]

Change = Callable[[Random, bytes, list[bytes]], bytes]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("cases", nargs="?", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--case", type=int, help="run this case alone")
    given = arguments.parse_args()
    messages = real_messages()
    cases = range(given.cases) if given.case is None else [given.case]
    failed, slowest = 0, []
    for case in cases:
        raw = changed(Random(f"{given.seed} {case}"), messages)
        seconds = checked(raw)
        if seconds is None or seconds > LIMIT:
            failed += 1
            what = "failed" if seconds is None else f"took {seconds:.1f} s"
            print(f"case {case} {what}: scripts/fuzz_mail.py --seed {given.seed} --case {case}", file=sys.stderr)
        else:
            slowest = sorted([*slowest, (seconds, case, len(raw))], reverse=True)[:WORST]
    print(f"{len(cases)} messages, {failed} failed; the slowest:")
    for seconds, case, size in slowest:
        print(f"  {seconds:.3f} s  case {case}, {size:,} bytes")
    sys.exit(failed > 0)


def real_messages() -> list[bytes]:
    """Return the messages that the cases change."""
    found = [path.read_bytes() for path in sorted(CORPUS.rglob("*.eml"))]
    archive = Path(os.environ.get("TEXTNB_CORPORA", "")) / "mail-fixtures.tar.xz"
    if archive.is_file():
        with tarfile.open(archive) as tar:
            members = sorted((member for member in tar if member.isfile()), key=lambda member: member.name)
            found += [stream.read() for member in members if (stream := tar.extractfile(member)) is not None]
    return [raw for raw in found if raw]


def checked(raw: bytes) -> float | None:
    """Return the seconds that reading took; print what went wrong, and return None, if it failed."""
    begun = time.process_time()
    try:
        message = read_message(raw)
        result = add_field(raw, FIELD)
        seconds = time.process_time() - begun
        message.text.encode()
        for token in chain.from_iterable(message.fields.values()):
            token.encode()
        assert is_one_field_more(result, remove_field(raw))
        assert message.date is None or message.date.utcoffset() is not None
    except Exception:
        traceback.print_exc()
        return None
    return seconds


def is_one_field_more(result: bytes, before: bytes) -> bool:
    """Whether a message is another one plus FIELD and a line end, after it or, at the very end, before it."""
    added, place = len(result) - len(before), result.find(FIELD)
    without = result[:place] + result[place + added :]
    return len(FIELD) < added <= len(FIELD) + 2 and before in (without, result[: len(before)])


def changed(chance: Random, messages: list[bytes]) -> bytes:
    """Return a message after one to eight changes."""
    raw = chance.choice(messages)
    for _ in range(chance.randint(1, 8)):
        raw = chance.choice(CHANGES)(chance, raw, messages)[:LONGEST]
    return raw


def piece(chance: Random, raw: bytes, longest: int = 200) -> tuple[int, int]:
    start = chance.randrange(len(raw) + 1)
    return start, min(len(raw), start + chance.randrange(longest + 1))


def lost(chance: Random, raw: bytes, _: list[bytes]) -> bytes:
    start, end = piece(chance, raw)
    return raw[:start] + raw[end:]


def doubled(chance: Random, raw: bytes, _: list[bytes]) -> bytes:
    start, end = piece(chance, raw, 2000)
    return raw[:end] + raw[start:]


def repeated(chance: Random, raw: bytes, _: list[bytes]) -> bytes:
    start, end = piece(chance, raw, 60)
    return raw[:end] + raw[start:end] * chance.choice([10, 100, 1000, 10_000]) + raw[end:]


def spoilt(chance: Random, raw: bytes, _: list[bytes]) -> bytes:
    start, end = piece(chance, raw, 20)
    return raw[:start] + chance.randbytes(end - start) + raw[end:]


def cut_off(chance: Random, raw: bytes, _: list[bytes]) -> bytes:
    return raw[: chance.randrange(len(raw) + 1)]


def joined(chance: Random, raw: bytes, messages: list[bytes]) -> bytes:
    other = chance.choice(messages)
    start, end = piece(chance, other, 5000)
    place = chance.randrange(len(raw) + 1)
    return raw[:place] + other[start:end] + raw[place:]


def put_in(chance: Random, raw: bytes, _: list[bytes]) -> bytes:
    place = chance.randrange(len(raw) + 1)
    return raw[:place] + chance.choice(BITS) * chance.choice([1, 1, 1, 3, 5000]) + raw[place:]


def mixed_up(chance: Random, raw: bytes, _: list[bytes]) -> bytes:
    return raw.replace(chance.choice(WORDS), chance.choice(WORDS))


def other_lines(chance: Random, raw: bytes, _: list[bytes]) -> bytes:
    return raw.replace(chance.choice([b"\r\n", b"\n"]), chance.choice([b"\n", b"\r\n", b"\r", b"\n\n"]))


CHANGES: list[Change] = [lost, doubled, repeated, spoilt, cut_off, joined, put_in, mixed_up, other_lines]


if __name__ == "__main__":
    main()
