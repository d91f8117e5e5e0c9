"""The extension reads heads, words and hosts as Python does."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb.extension import uses_extension
from textnb.readers.message import head_tokens, words
from textnb.readers.message.head_tokens import FIELD_RULES, HEAD_GROUPS, RULES, FieldRule
from textnb.readers.message.headers import split_head
from textnb.readers.message.words import TEXT_RULES

if not uses_extension():
    pytest.skip("the C extension is not built, or not to be used", allow_module_level=True)
from textnb import _native as native

LINES = [b"To: x", b"Subject :y", b"\r", b"\n", b"\r\n", b"\n ", b"\n\t", b"\r\n\t", b":", b" ", b"\t", b"\0", b"\x0b"]
LINES += [b"=?", b"=", b"?", b"From ", b"X-A_b: \x0cz\x0c", b"A" * 101 + b": long", b"A" * 100 + b" : just", b"\xe9"]
HEADS = st.lists(st.sampled_from(LINES), max_size=30).map(b"".join) | st.binary(max_size=40)
WORDS = [b"a", b"Re", b"B.c", b".", b"-", b"@", b"!", b" ", b",", b"\n", b"\x1b", b"=?", b"1", b"192.0.2.7", b"1.2.3"]
WORDS += [b"mail.Example.co.jp", b"a@B.example", b"a@192.0.2.1", b"x" * 60, b"y" * 61, b"\xff", b"..", b"1234.1.1.1"]
WORDS += [b"0.1.2.3.4", b"a..b", b"z" * 2001 + b".z", b"w" * 3990]
VALUES = st.lists(st.sampled_from(WORDS), max_size=25).map(b"".join) | st.binary(max_size=40)
NAMES = [b"from", b"to", b"cc", b"list-id", b"received", b"x-mailer", b"date", b"subject", b"x-spam-status", b"status"]
FIELDS = st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=8)
PLACES = ["http://", "www.", "WWW.", "://", "a.example", "\u3001x", *"/é、。」』）＞\u3000", "www.www.", "b" * 254]
PLACES += ["日" * 256]
PLACES += ["ww", "%41", *" \xa0\u2028:😀&`'@\uff1d"]
TEXTS = st.lists(st.sampled_from(PLACES), max_size=20).map("".join) | st.text(st.characters(codec="utf-8"), max_size=20)
often = settings(max_examples=200, deadline=None)


@often
@given(HEADS, st.integers(0, 4), st.integers(0, 4), st.sampled_from([20, 1 << 18]))
@example(b"", 0, 0, 10)
@example(b"\r", 0, 0, 10)
@example(b"To: x\n\r", 0, 0, 100)
@example(b"To: x\nCc: y\n\n", 0, 1, 100)
def test_heads_are_taken_apart_alike(data, before, after, longest):
    start = min(before, len(data))
    end = max(start, len(data) - after)
    assert native.split_head(data, start, end, longest, 100) == split_head(data, start, end, longest, 100)


@often
@given(VALUES, st.integers(0, 6))
def test_words_are_found_alike(data, most):
    rules = TEXT_RULES._replace(most=most)
    assert native.words(data, rules) == words.words(data, rules)
    if data.isascii():
        assert native.words(data.decode(), rules) == words.words(data.decode(), rules)


@often
@given(FIELDS)
def test_fields_give_the_same_tokens(fields):
    def otherwise(rule, value):
        return [f"{rule[3]}decoded", f"{len(value)}"]

    arguments = (fields, FIELD_RULES, RULES, len(HEAD_GROUPS), otherwise)
    assert native.head_tokens(*arguments) == head_tokens.head_tokens(*arguments)


@often
@given(TEXTS, st.integers(0, 3))
@example("www.a.www.b", 9)
@example("http://a\ud800.example/ www.\udfff", 9)
@example("://" + "c" * 255 + "d", 9)
def test_hosts_are_found_alike(text, most):
    assert native.written_hosts(text, 255, most) == words.written_hosts(text, 255, most)


def test_what_is_out_of_range_is_refused():
    for start, end, longest, name in ((-1, 2, 9, 9), (2, 1, 9, 9), (4, 9, 9, 9), (0, 3, -1, 9), (0, 3, 9, 256)):
        with pytest.raises(ValueError, match="split_head needs"):
            native.split_head(b"a:b", start, end, longest, name)
    with pytest.raises(TypeError):
        native.split_head("a:b", 0, 3, 9, 9)
    for change in ({"table": b""}, {"longest": -1}, {"longest": 2001}, {"most": -1}, {"longest_value": -1}):
        with pytest.raises(ValueError, match="rules need"):
            native.words(b"a", TEXT_RULES._replace(**change))
    with pytest.raises(TypeError, match="tuple"):
        native.words(b"a", None)
    with pytest.raises(UnicodeDecodeError):
        native.words(b"\xff", TEXT_RULES._replace(table=bytes(range(256))))


@pytest.mark.parametrize(
    ("fields", "rules", "error"),
    [
        ([b"to"], {}, TypeError),
        ([(b"to",)], {}, TypeError),
        ([(b"to", b"x")], {}, KeyError),
        ([(b"to", b"x")], {b"to": (0, 1)}, TypeError),
        ([(b"to", b"x")], {b"to": FieldRule(9, 1, "", "")}, IndexError),
        ([(b"to", b"x")], {b"to": FieldRule(-1, 1, "", "")}, IndexError),
        ([(b"to", b"x")], {b"to": FieldRule(0, 4, "", "")}, ValueError),
        ([(b"to", b"x")], {b"to": FieldRule(0, -1, "", "")}, ValueError),
        ([(b"to", b"x")], {b"to": FieldRule(0, 1, "", "p" * 401)}, ValueError),
        ([(b"to", b"x")], {b"to": FieldRule(0, 1, b"", "")}, TypeError),
        ([(b"to", b"x")], {b"to": FieldRule(0, 1, "", b"")}, TypeError),
        ([(b"to", "x")], {b"to": FieldRule(0, 1, "", "")}, TypeError),
        ([(b"to", b"\xff")], {b"to": FieldRule(0, 1, "", "")}, ZeroDivisionError),
    ],
)
def test_a_head_of_another_kind_is_refused(fields, rules, error):
    with pytest.raises(error):
        native.head_tokens(fields, rules, RULES, 1, lambda *_: 1 / 0)


def test_fields_may_change_while_they_are_read():
    fields = [(b"to", b"\xff"), (b"to", b"x")]
    found = native.head_tokens(fields, FIELD_RULES, RULES, 5, lambda *_: fields.clear() or ["a"])
    assert found == [[], ["a"], [], [], []]
