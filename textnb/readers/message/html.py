"""HTML to what a reader sees, what is hidden from them, and where its links lead.

    visible   the text, with the title, and alt and title of images and links; scripts, styles and comments left out
    hidden    text in elements that are not shown: display:none, no size, the colour of its ground (``hiding``)
    hosts     of every address in its source

Block elements end a word, inline ones do not: "vi<b></b>agra" is one word. The parser takes time that grows as depth
times tags, and as the square of a tag's attributes; a document with too many is only stripped of its tags.
"""

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from textnb.readers.message.hiding import HIDING, found_by_css, hidden_texts
from textnb.readers.message.page_source import many_attributes, tidy, with_lines, words_present
from textnb.readers.message.words import hosts_in_source, unescaped

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

LONGEST = 200_000
"""Characters of a document that are read."""

_UNSEEN = {
    name: b"<" + name.encode() for name in ("script", "style", "noscript", "template", "object", "iframe", "select")
}
_OF_HOSTS = (b"://", b"www.", b"&#")
_OF_NAMES = (b" alt=", b" title=")
_TELLING = (*_UNSEEN.values(), *_OF_HOSTS, *_OF_NAMES, *HIDING)
"""What a source must hold for something to be there."""

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_NEVER_DEEP = frozenset(
    re.findall(r"\w+", "body br dd dt head hr html img input li link meta p tbody td tfoot th thead tr wbr")
)
_SHORT = 6000
_MOST_ATTRIBUTES = 200
_NEAR = 2048
_COST = 4_000_000
_INLINED = re.compile(r"data:[\w/+.;-]{1,60},[\w+/=%\s]{99,}+")
_META = re.compile(rb"<meta[^>]{0,200}charset\s{0,9}=\s{0,9}[\"']?([\w.:+-]{1,40})", re.IGNORECASE)


class Page(NamedTuple):
    """What there is to read in an HTML document."""

    visible: str
    hidden: str
    hosts: list[str]


def charset_in(data: bytes) -> str:
    """The charset that a document names in itself, where it does so at its beginning."""
    found = _META.search(data, 0, _NEAR) if b"charset" in data[:_NEAR].lower() else None
    return "" if found is None else found[1].decode("ascii")


def read_html(html: str) -> Page:
    """The page of an HTML document, however broken.

    >>> read_html('<p>Big<b>ger</b><p>car <span style="display:none">cheap</span> <a href="http://a.example/b">go</a>')
    Page(visible='Bigger\\ncar go', hidden='cheap', hosts=['a.example'])
    """
    from selectolax.lexbor import LexborHTMLParser

    html, source = _cleaned(html)
    said = words_present(source, _TELLING)
    hosts = hosts_in_source(html) if not said.isdisjoint(_OF_HOSTS) else []
    if _too_costly(html, source):
        return Page(tidy(unescaped(_without_tags(html))), "", hosts)
    tree = LexborHTMLParser(with_lines(source).decode())  # of bytes some versions guess the charset
    tree.strip_tags([name for name, tag in _UNSEEN.items() if tag in said])
    hidden = hidden_texts(tree, source, said)
    if not said.isdisjoint(_OF_NAMES):
        _say(tree)
    root = tree.root
    return Page("" if root is None else tidy(root.text()), tidy(" ".join(hidden)), hosts)


def _cleaned(html: str) -> tuple[str, bytes]:
    """A document of bearable length, without what is no text, and its source."""
    if "data:" in html:
        html = _INLINED.sub("", html)
    html = html[:LONGEST].replace("\0", "")
    try:
        return html, html.encode()
    except UnicodeEncodeError:  # half a character
        source = html.encode("utf-8", "ignore")
        return source.decode(), source


def _too_costly(html: str, source: bytes) -> bool:
    """Whether the parser would need too long, by what is opened and not closed, and by the attributes of a tag."""
    if len(html) > _SHORT and many_attributes(source, _MOST_ATTRIBUTES):
        return True
    if (tags := html.count("<")) ** 2 <= _COST:
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
    return deepest * tags > _COST


def _without_tags(html: str) -> str:
    first, *tags = html.split("<")
    return " ".join([first, *(tag.partition(">")[2] for tag in tags)])


def _say(tree: "LexborHTMLParser") -> None:
    """Put what an element says in alt and title where it stands."""
    for node in found_by_css(tree, "img[alt], [title]"):
        attributes = node.attributes
        said = " ".join(filter(None, (attributes.get("alt"), attributes.get("title"))))
        if said.strip():
            node.insert_before(f" {said} ")
