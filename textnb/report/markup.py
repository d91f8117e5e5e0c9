"""Markup that cannot be forged: a plain string is escaped wherever it is put, and only ``Html`` is not.

    element("td", "<b>", class_="term")  ->  <td class="term">&lt;b&gt;</td>

So a document that holds tags or a script shows as text, without anybody having to think of it.
"""

import re
from collections.abc import Iterable
from html import escape

_VOID = frozenset({"meta", "link", "br", "wbr"})
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
Attribute = str | int | float | bool | None


class Html(str):
    """Markup, safe as it stands. Made by ``element``, ``joined`` and ``text``; of trusted text only by its name."""

    __slots__ = ()


def text(value: str) -> Html:
    """The markup that shows a string; characters that no page may hold are shown as U+FFFD.

    >>> text("<script>"), text(Html("<p>"))
    ('&lt;script&gt;', '<p>')
    """
    return value if isinstance(value, Html) else Html(escape(_UNPRINTABLE.sub("\ufffd", value)))


def joined(parts: Iterable[str]) -> Html:
    """One after the other."""
    return Html("".join(map(text, parts)))


def element(name: str, /, *children: str, **attributes: Attribute) -> Html:
    """An element. An attribute's name ends in _ where Python keeps it for itself, and has _ for -; None leaves it out.

    >>> element("th", "<i>", scope="col", class_="a", data_x=1, hidden=True, title=None)
    '<th scope="col" class="a" data-x="1" hidden="">&lt;i&gt;</th>'
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{"" if value is True else text(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{told}>" if name in _VOID else f"<{name}{told}>{joined(children)}</{name}>")
