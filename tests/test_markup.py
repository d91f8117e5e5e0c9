"""Markup read back by the standard library's parser: what was put in comes out, as text."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.markup import Html, element, joined, text


class Read(HTMLParser):
    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.tags, self.words = [], []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.words.append(data)


printable = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=30)


@settings(max_examples=50, deadline=None)
@given(printable)
def test_any_text_comes_back_from_an_element_and_from_an_attribute(value):
    read = Read(element("p", value, title=value))
    assert read.tags == [("p", {"title": value})]
    assert "".join(read.words) == value


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "</p><img src=x onerror=y>", '"><b a="', "&lt;b&gt;"])
def test_markup_in_a_text_is_text(hostile):
    assert [tag for tag, _ in Read(element("p", hostile, title=hostile)).tags] == ["p"]


def test_only_markup_made_on_purpose_is_markup():
    assert element("p", element("b", "x"), "<b>") == "<p><b>x</b>&lt;b&gt;</p>"
    assert joined(["<", Html("<br>")]) == "&lt;<br>"


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x7f", "\x85", "\ud800", "\uffff"])
def test_characters_that_no_page_may_hold_are_replaced(character):
    assert text(f"a{character}b") == "a\ufffdb"
    text(character).encode()


def test_line_ends_and_tabs_stay():
    assert text("a\n\tb\r\n") == "a\n\tb\r\n"


def test_an_attribute_is_left_out_by_none_and_false_and_stands_alone_by_true():
    assert element("p", id=None, hidden=False, open=True, name="n") == '<p open="" name="n"></p>'


def test_elements_without_content_are_not_closed():
    assert element("meta", charset="utf-8") == '<meta charset="utf-8">'
