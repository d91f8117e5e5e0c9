"""The field as mail programs read it; added and removed, it changes no other byte."""

import email
import random
import tracemalloc
from email.utils import collapse_rfc2231_value
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb.mail.header_field import add_field, format_field, remove_field
from textnb.readers import read_message

ROOT = Path(__file__).parents[2]
MESSAGES = [path.read_bytes() for path in sorted((ROOT / "corpora" / "ja-mail").rglob("*.eml"))]
FIELD = b"X-Textnb: class=spam; probability=0.999000; unsure=no"
ENDS = [b"\n", b"\r\n", b"\r"]

LINES = st.sampled_from(
    [
        b"From a@example.jp Fri Jan  2 03:04:05 2026",
        b">From b@example.jp Fri Jan  2 03:04:05 2026",
        b"From : c@example.jp",
        b"Subject: lunch",
        b"X-Textnb: class=ham",
        b"x-textnb : forged",
        b"X-TEXTNB:",
        b"X-Textnb-Not: kept",
        b" folded",
        b"\tfolded X-Textnb: kept",
        b" ",
        b"",
        b"no field at all",
    ]
)
messages = st.builds(
    lambda lines, end, last: end.join(lines) + last,
    st.lists(LINES | st.binary(max_size=8), max_size=9),
    st.sampled_from(ENDS),
    st.sampled_from([b"", *ENDS]),
)


def lines_of(message):
    """The lines of a message with their ends, one at a time: slow and plain."""
    ends = b"\r\n" if b"\n" not in message else b"\n"
    line, lines = b"", []
    for byte in message:
        line += bytes([byte])
        if byte in ends:
            lines.append(line)
            line = b""
    return [*lines, line] if line else lines


def plainly_removed(message):
    lines = lines_of(message)
    kept = []
    while lines and is_from_line(lines[0]):
        kept.append(lines.pop(0))
    own = False
    while lines and lines[0] not in (b"\n", b"\r\n", b"\r"):
        name, colon, _ = lines[0].partition(b":")
        continues = lines[0].startswith((b" ", b"\t"))
        own = own if continues else bool(colon) and name.rstrip(b" \t").lower() == b"x-textnb"
        line = lines.pop(0)
        kept += [] if own else [line]
    return b"".join(kept + lines)


def is_from_line(line):
    first, space, rest = line.removeprefix(b">").partition(b" ")
    return (first + space, line[-1:] in (b"\n", b"\r"), rest.lstrip(b" \t")[:1] != b":") == (b"From ", True, True)


@given(messages)
@settings(max_examples=50, deadline=None)
@example(b"X-Textnb: a")
@example(b"X-Textnb: a\n b\n\tc\n\nX-Textnb: text")
@example(b"To: a\nX-Textnb: class=ham;\n probability=1\nX-textnb : b\nSubject: c\n\nX-Textnb: text\n")
def test_taking_out_is_what_going_line_by_line_gives(message):
    assert remove_field(message) == plainly_removed(message)


@given(messages | st.binary(max_size=40))
@settings(max_examples=50, deadline=None)
@example(b"")
@example(b" folded from the first")
@example(b"From nobody")
def test_the_field_is_all_that_is_put_in(message):
    result, before = add_field(message, FIELD), remove_field(message)
    ways = [way for end in ENDS for way in (FIELD + end, end + FIELD)]
    assert any(result == before[:at] + way + before[at:] for at in range(len(before) + 1) for way in ways)


@given(messages | st.binary(max_size=40))
@settings(max_examples=50, deadline=None)
@example(b" folded\n more\r")
def test_what_was_put_in_comes_out_again(message):
    again = remove_field(add_field(message, FIELD))
    assert again.rstrip(b"\r\n") == remove_field(message).rstrip(b"\r\n")
    assert add_field(add_field(message, FIELD), FIELD).count(FIELD) == max(1, remove_field(message).count(FIELD) + 1)


@pytest.mark.parametrize("end", ENDS)
def test_it_stands_after_a_from_line_with_the_line_ends_of_the_message(end):
    head = [b"From a Fri Jan  2 03:04:05 2026", b">From b Fri Jan  2 03:04:05 2026", b"Subject: x", b"", b"text", b""]
    assert add_field(end.join(head), FIELD) == end.join([*head[:2], FIELD, *head[2:]])


def test_a_folded_field_gets_the_line_ends_of_the_message():
    assert add_field(b"To: a\r\n\r\n", b"X-Textnb: a;\n b") == b"X-Textnb: a;\r\n b\r\nTo: a\r\n\r\n"


def test_a_head_that_begins_inside_a_field_is_not_taken_for_a_part_of_ours():
    assert add_field(b" folded\nTo: a\n", FIELD) == b" folded\n" + FIELD + b"\nTo: a\n"


@pytest.mark.parametrize("message", MESSAGES[::4])
def test_a_mail_program_finds_the_field_once_and_everything_else_as_before(message):
    before, after = email.message_from_bytes(message), email.message_from_bytes(add_field(message, FIELD))
    assert after.get_all("X-Textnb") == ["class=spam; probability=0.999000; unsure=no"]
    del after["X-Textnb"]
    assert after.as_bytes() == before.as_bytes()
    assert read_message(remove_field(add_field(message, FIELD))) == read_message(message)


def test_messages_broken_by_the_fuzzer_keep_every_byte(monkeypatch):
    if not (ROOT / "scripts").is_dir():
        pytest.skip("needs the scripts, which only the sources have")
    monkeypatch.syspath_prepend(ROOT / "scripts")
    from fuzz_mail import FIELD, changed, is_one_field_more

    for case in range(150):
        message = changed(random.Random(case), MESSAGES)
        assert is_one_field_more(add_field(message, FIELD), remove_field(message))


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=300))
@example("\\")
@example('"a"')
@example("<a>")
@settings(max_examples=100, deadline=None)
def test_a_mail_program_reads_any_class_name_back(label):
    field = format_field(label, 0.5, True)
    assert all(len(line) <= 90 for line in field.split(b"\n"))
    message = email.message_from_bytes(field.replace(b":", b": value;", 1) + b"\n\n")  # its parameters come second
    read = message.get_param("class", header="X-Textnb")
    assert collapse_rfc2231_value(read, fallback_charset="ascii") == label
    assert message.get_param("unsure", header="X-Textnb") == "yes"
    assert message.get_param("probability", header="X-Textnb") == "0.500000"


def test_class_names_are_plain_where_they_can_be():
    assert format_field("spam", 1, False).startswith(b"X-Textnb: class=spam; ")
    assert format_field("my mail", 1, False).startswith(b'X-Textnb: class="my mail"; ')
    assert format_field("迷惑", 1, False).startswith(b"X-Textnb: class*=utf-8''%E8%BF%B7%E6%83%91; ")


MEGABYTE = 1 << 20
ENORMOUS = [  # beginning, and a line that is repeated up to a megabyte
    (b"", b"\t\n"),
    (b"", b"\t\r"),
    (b"Subject: a\n", b"\t\n"),
    (b"X-Textnb: a\n", b"\t\n"),
    (b"X-Textnb: a\n", b" folded\r\n"),
    (b"", b"X-Textnb: a\n"),
    (b"", b"A\nx-textnb:\n"),
    (b"", b"From a\n"),
    (b"", b">From a\r"),
    (b"", b"A: b\n"),
    (b"A: ", b"b"),
    (b"", b"x-textnb"),
    (b"X-Textnb", b" "),
    (b"", b"\r"),
    (b"A: b\n\n", b"x\n"),
]


@pytest.mark.parametrize(("beginning", "line"), ENORMOUS)
def test_memory_is_at_most_four_times_the_message(beginning, line):
    message = beginning + line * (MEGABYTE // len(line))
    tracemalloc.start()
    try:
        add_field(message, FIELD)
        assert tracemalloc.get_traced_memory()[1] < 3 * len(message) + 10_000  # the message itself is the fourth
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("beginning", "line"), ENORMOUS)
def test_long_runs_of_any_line_are_what_going_line_by_line_gives(beginning, line):
    for times in (1, 2, 300):
        assert remove_field(beginning + line * times) == plainly_removed(beginning + line * times)
