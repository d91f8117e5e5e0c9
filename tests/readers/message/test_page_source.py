"""The extension does to a page's source what Python does."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb.extension import uses_extension
from textnb.readers.message.page_source import (
    has_many_attributes,
    present,
    tidied,
    values_of,
    with_lines,
    with_lines_in_python,
)

if not uses_extension():
    pytest.skip("the C extension is not built, or not to be used", allow_module_level=True)
from textnb import _native as native

PIECES = ["<", "<a", "</", "p", "<p", "<BR", "<Td", "<tdx", ">", "=", '"', "'", "/", " ", "\n", "b", "x=1", 'c="d>"']
PIECES += ["b=' ", *"\0\x1c\x85\xa0\u1680\u2003\u200b\u2028\u205f\u3000\u3001é😀"]
PIECES += ["color", "bgcolor", "background", "-color", "TEXT", ":", "#fff", "rgb(1, 2\u20033,"]
PIECES += ["style", "left", " hidden"]
WORDS = (b"style", b"left:", b" hidden", b"<p", b"color")
NAMES = (b"color", b"text", b"bgcolor", b"background", b"background-color")
SOURCES = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=20)


@settings(max_examples=50, deadline=None)
@given(SOURCES)
def test_lines_end_before_the_same_tags(html):
    assert with_lines(html.encode("utf-8", "ignore")) == with_lines_in_python(html.encode("utf-8", "ignore"))


@settings(max_examples=50, deadline=None)
@given(SOURCES, st.integers(0, 4))
def test_attributes_are_counted_alike(html, most):
    source = html.encode("utf-8", "ignore")
    assert native.has_many_attributes(source, most) == has_many_attributes(source, most)


@settings(max_examples=200, deadline=None)
@given(SOURCES)
def test_the_same_is_found_in_a_source(html):
    source = html.encode("utf-8", "ignore")
    assert native.present(source, WORDS) == present(source, WORDS)
    assert native.values_of(source, NAMES) == values_of(source, NAMES)


@settings(max_examples=200, deadline=None)
@given(SOURCES)
@example("\ud800 \u3000 \udfff\n\n\u2028a")
def test_texts_are_tidied_alike(text):
    assert native.tidied(text) == tidied(text)


@given(st.binary(max_size=30))
@settings(max_examples=50, deadline=None)
def test_any_bytes_will_do(source):
    assert with_lines(source) == with_lines_in_python(source)
    assert native.has_many_attributes(source, 0) in (True, False)


def test_what_is_no_source_is_refused():
    with pytest.raises(TypeError):
        native.with_lines("text", b"")
    with pytest.raises(ValueError, match="tags"):
        native.with_lines(b"<p>", b"123")
    assert native.with_lines(b"<p>", b"") == b"<p>"
    with pytest.raises(ValueError, match="two bytes"):
        native.present(b"<p>", (b"p",))
    with pytest.raises(ValueError, match="at most 64"):
        native.values_of(b"<p>", (b"ab",) * 65)
    with pytest.raises(TypeError):
        native.present(b"<p>", ("ab",))
    with pytest.raises(TypeError):
        native.tidied(b"a")
    assert native.present(b"ab" * 3, (b"ab",) * 64) == {b"ab"}
