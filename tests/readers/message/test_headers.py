import pytest

from textnb.readers.message.headers import Defects, Head, as_date, message_start, read_head


def head_of(data, defects=None):
    return read_head(data, message_start(data, 0, len(data)), len(data), defects or Defects())


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_field_goes_on_where_a_line_begins_with_a_blank(end):
    data = end.join([b"Subject: one", b"\ttwo", b" three", b"TO : x", b"", b"body"])
    head = head_of(data)
    assert head.fields == [(b"subject", b"one two three"), (b"to", b"x")]
    assert data[head.body :] == b"body"


@pytest.mark.parametrize("before", [b"From a@b Fri Jan  2 03:04:05 2026\n", b">From x\n", b"\n\r\n", b"\nFrom x\n"])
def test_what_stands_before_the_first_field_is_skipped(before):
    assert head_of(before + b"To: x\n\nbody").fields == [(b"to", b"x")]


def test_the_blank_line_may_end_otherwise_than_the_others():
    for data in (b"To: x\r\nCc: y\n\nb\r\n\r\nc", b"To: x\nCc: y\r\n\r\nb\n\nc"):
        head = head_of(data)
        assert [name for name, _ in head.fields] == [b"to", b"cc"]
        assert data[head.body :].startswith(b"b")


def test_without_a_blank_line_all_is_head():
    assert head_of(b"To: x\nCc: y") == Head([(b"to", b"x"), (b"cc", b"y")], b"", 11)


def test_a_first_line_that_is_no_field_means_that_there_is_no_head():
    assert head_of(b"Hello there\nTo: x\n\nbody") == Head([], b"", 0)


def test_lines_that_are_no_fields_are_kept_and_told():
    defects = Defects()
    head = head_of(b"To: x\nlost line\nCc: y\n\nbody", defects)
    assert [name for name, _ in head.fields] == [b"to", b"cc"]
    assert head.strays == b"lost line"
    assert defects.words == ("lines in the header that are not fields: 1",)


def test_a_part_that_begins_with_a_blank_line_has_no_fields():
    assert read_head(b"\r\nbody", 0, 6, Defects()) == Head([], b"", 2)


def test_length_and_number_of_fields_are_limited():
    defects = Defects()
    assert len(head_of(b"A: b\n" * 5000 + b"\nbody", defects).fields) == 1000
    assert sum(len(value) for _, value in head_of(b"A: " + b"b" * (1 << 20) + b"\n\nc", defects).fields) < 1 << 18
    assert defects.kinds == ("header",)
    assert len(defects.words) == 2


def test_the_list_of_defects_stays_short():
    defects = Defects()
    for i in range(1000):
        defects.add("header", str(i))
    assert len(defects.words) == 20


@pytest.mark.parametrize(
    "text",
    [
        "Fri, 14 Nov 2003 09:05:07 +0900",
        "14 Nov 2003 09:05 -0330",
        "Fri, 14 Nov 03 09:05:07 GMT",
        "Fri, 14 Nov 2003 09:05:07 EST",
        "Tue,  2 Jan 2001 17:08:03 +0900 (JST)",
        "Fri, 21 Nov 1997 10:01:10 PDT",
    ],
)
def test_dates_are_those_of_the_standard_library(text):
    from email.utils import parsedate_to_datetime

    assert as_date(text) == parsedate_to_datetime(text)
    assert as_date(text).utcoffset() == parsedate_to_datetime(text).utcoffset()


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("Mon Sep 16 11:04:38 2002", "2002-09-16T11:04:38+00:00"),
        ("Mon Sep 16 11:04:38 JST 2002", "2002-09-16T11:04:38+09:00"),
        ("1 January 2020 00:00:60 nonsense", "2020-01-01T00:00:59+00:00"),
    ],
)
def test_other_forms_of_dates_are_read(text, iso):
    assert as_date(text).isoformat() == iso


NOT_DATES = ["", "yesterday", "32 Jan 2020 00:00", "1 Foo 2020 00:00", "1 Jan 2020 99:00", "1 Jan 2020 0:00 +9999"]


@pytest.mark.parametrize("text", NOT_DATES)
def test_no_date_is_none(text):
    assert as_date(text) is None
