"""HTML of a mail to text: what the reader sees, what is hidden, and the hosts of links.

    visible   text, with title, and alt and title of images and links; without scripts, styles and comments
    hidden    text in elements that are not shown: display:none, no size, the colour of the background (``hiding``)
    hosts     hosts of all addresses in the source

Block elements end a word, inline elements do not: "vi<b></b>agra" is one word. The parser takes time proportional to
depth times tags, and to the square of the attributes of a tag; if these are too many, the tags are only stripped.
"""

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from textnb.readers.message.hiding import HIDING_MARKERS, found_by_css, hiding_rules, remove_hidden_texts
from textnb.readers.message.page_source import many_attributes, tidy, with_lines, words_present
from textnb.readers.message.words import hosts_in_source, unescaped

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MAX_PAGE_LENGTH = 200_000
"""Number of characters of a page that are read."""

_UNSEEN = {
    name: b"<" + name.encode() for name in ("script", "style", "noscript", "template", "object", "iframe", "select")
}
_HOST_MARKERS = (b"://", b"www.", b"&#")
_ALT_MARKERS = (b" alt=", b" title=")
_MARKERS = (*_UNSEEN.values(), *_HOST_MARKERS, *_ALT_MARKERS, *HIDING_MARKERS)
"""Strings whose presence in the source decides which steps are needed."""

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_NEVER_DEEP = frozenset(
    re.findall(r"\w+", "body br dd dt head hr html img input li link meta p tbody td tfoot th thead tr wbr")
)
_MIN_LENGTH_OF_COSTLY_TAG = 6000
_MAX_ATTRIBUTES = 200
_META_SEARCH_BYTES = 2048
_MAX_PARSER_COST = 4_000_000
_INLINED = re.compile(r"data:[\w/+.;-]{1,60},[\w+/=%\s]{99,}+")
_META = re.compile(rb"<meta[^>]{0,200}charset\s{0,9}=\s{0,9}[\"']?([\w.:+-]{1,40})", re.IGNORECASE)


class Page(NamedTuple):
    """Visible text, hidden text, and hosts of links of an HTML page."""

    visible: str
    hidden: str
    hosts: list[str]


def charset_in(data: bytes) -> str:
    """Charset that a page declares in a meta element at its beginning; empty if there is none."""
    found = _META.search(data, 0, _META_SEARCH_BYTES) if b"charset" in data[:_META_SEARCH_BYTES].lower() else None
    return "" if found is None else found[1].decode("ascii")


def read_html(html: str) -> Page:
    """Read an HTML page, however broken.

    >>> read_html('<p>Big<b>ger</b><p>car <span style="display:none">cheap</span> <a href="http://a.example/b">go</a>')
    Page(visible='Bigger\\ncar go', hidden='cheap', hosts=['a.example'])
    """
    from selectolax.lexbor import LexborHTMLParser

    html, source = _cleaned(html)
    markers = words_present(source, _MARKERS)
    hosts = hosts_in_source(html) if not markers.isdisjoint(_HOST_MARKERS) else []
    if _too_costly(html, source):
        return Page(tidy(unescaped(_without_tags(html))), "", hosts)
    tree = LexborHTMLParser(with_lines(source).decode())  # not from bytes: some versions guess a charset
    rules = hiding_rules(tree, markers)
    tree.strip_tags([name for name, tag in _UNSEEN.items() if tag in markers])
    hidden = remove_hidden_texts(tree, source, markers, rules)
    if not markers.isdisjoint(_ALT_MARKERS):
        _insert_alt_texts(tree)
    root = tree.root
    return Page("" if root is None else tidy(root.text()), tidy(" ".join(hidden)), hosts)


def _cleaned(html: str) -> tuple[str, bytes]:
    """Page of limited length without inlined data and NULs, as text and as UTF-8."""
    if "data:" in html:
        html = _INLINED.sub("", html)
    html = html[:MAX_PAGE_LENGTH].replace("\0", "")
    try:
        return html, html.encode()
    except UnicodeEncodeError:  # half a character
        source = html.encode("utf-8", "ignore")
        return source.decode(), source


def _too_costly(html: str, source: bytes) -> bool:
    """Whether the parser would take too long, from the depth of open tags and the attributes of a tag."""
    if len(html) > _MIN_LENGTH_OF_COSTLY_TAG and many_attributes(source, _MAX_ATTRIBUTES):
        return True
    if (tags := html.count("<")) ** 2 <= _MAX_PARSER_COST:
        return False
    folded = html.lower()
    never_deep = frozenset() if "<svg" in folded or "<math" in folded else _NEVER_DEEP
    opened: Counter[str] = Counter()
    depth = deepest = 0
    for closing, name in _TAG.findall(folded):
        if name not in never_deep and (not closing or opened[name]):
            step = -1 if closing else 1
            opened[name] += step
            depth += step
            deepest = max(deepest, depth)
    return deepest * tags > _MAX_PARSER_COST


def _without_tags(html: str) -> str:
    first, *tags = html.split("<")
    return " ".join([first, *(tag.partition(">")[2] for tag in tags)])


def _insert_alt_texts(tree: "LexborHTMLParser") -> None:
    """Insert the texts of alt and title before their elements."""
    for node in found_by_css(tree, "img[alt], [title]"):
        attributes = node.attributes
        text = " ".join(filter(None, (attributes.get("alt"), attributes.get("title"))))
        if text.strip():
            node.insert_before(f" {text} ")
