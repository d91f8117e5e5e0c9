"""Text of HTML that styles hide from the reader.

Text is hidden by display:none, visibility:hidden, opacity:0 or the attribute hidden; letters of at most one pixel; a
box without width or height whose overflow is hidden; a position far off the page; or a colour that is almost that of
the background. A background with an image has no known colour, and hides nothing. The look of an element follows from
that of the element around it, the rules of the page for its name, class or id, and its own attributes.
Rules with other selectors, those inside @media and the like, and rules that hide only on a certain background are not
read.
"""

import re
from collections.abc import Mapping, Set
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from textnb.readers.message.page_source import values_in

if TYPE_CHECKING:
    from selectolax.lexbor import LexborCSSSelector, LexborHTMLParser, LexborNode

Colour = tuple[int, int, int]

# Declarations that hide text, by the word that a style must contain for them; the words are searched first, quickly.
_CONCEALING = {
    b"display:": re.compile(r"display\s*:\s*none"),
    b"visibility:": re.compile(r"visibility\s*:\s*(?:hidden|collapse)"),
    b"opacity:": re.compile(r"opacity\s*:\s*0(?:\.0*)?(?![.\d])"),
    b"font-size:": re.compile(r"font-size\s*:\s*[01]?(?:\.\d*)?(?![.\d])"),
    b"overflow:": re.compile(r"overflow\s*:\s*hidden"),
    b"text-indent:": re.compile(r"text-indent\s*:\s*-\d{3}"),
    b"left:": re.compile(r"left\s*:\s*-\d{3}"),
    b"top:": re.compile(r"top\s*:\s*-\d{3}"),
}
_STYLE_MARKERS = (b"style", b" hidden", b"color", b"<body")
HIDING_MARKERS = (*_CONCEALING, *_STYLE_MARKERS)
"""Strings in lower case of which the source of a page contains one if it hides something."""

_COLOURS = (b"color", b"text")
_GROUNDS = (b"bgcolor", b"background", b"background-color")
_DECLARATION = re.compile(r"(?<![a-z-])([a-z-]++)\s*+:\s*([^;]+)")
_NUMBERS = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})")
_HEX = re.compile(r"#?([0-9a-f]{3}|[0-9a-f]{6})")
_NAMED_COLOURS = {"black": "000", "red": "f00", "blue": "00f", "green": "008000", "yellow": "ff0", "silver": "c0c0c0"}
_NAMED_COLOURS |= {"gray": "808080", "grey": "808080", "white": "fff", "snow": "fffafa", "ivory": "fffff0"}
_NAMED_COLOURS |= {"whitesmoke": "f5f5f5", "ghostwhite": "f8f8ff"}
_MAX_INVISIBLE_DIFFERENCE = 24  # sum of the differences of red, green and blue that the eye does not see
_PIXELS = re.compile(r"([+-]?\d*\.?\d+)\s*(px|pt|em|rem|%|)")
_TO_PIXELS = {"px": 1.0, "": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "%": 0.16}
_VALUED_ATTRIBUTES = ("style", "color", "text", "bgcolor", "background")
_STYLING_ATTRIBUTES = frozenset([*_VALUED_ATTRIBUTES, "hidden"])
_MAX_ATTRIBUTE_LENGTH = 1000
_MAX_CACHED_LENGTH = 300  # of all attributes of an element whose look is cached
_OFF_PAGE_PIXELS = -900.0
_MAX_COLOURS = 40
_NOT_A_RULE = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->|@[^{};]*+(?:;|\{(?:[^{}]*+\{[^{}]*+\})*+[^{}]*+\}?)?+", re.DOTALL)
_SELECTOR = re.compile(r"(?=[a-z.#])[a-z0-9]*+(?:[.#][a-z_-][\w-]*+)?", re.IGNORECASE)
_MAX_RULES = 40


class Look(NamedTuple):
    """Look of text: colour and background (None if unknown), whether it is too small, whether it is not displayed."""

    colour: Colour | None
    ground: Colour | None
    tiny: bool
    concealed: bool

    @property
    def is_hidden(self) -> bool:
        """Whether a reader cannot see the text."""
        return self.concealed or self.tiny or _alike(self.colour, self.ground)

    def of(self, attributes: Mapping[str, str | None]) -> "Look":
        """Look of an element inside, from its attributes."""
        if _STYLING_ATTRIBUTES.isdisjoint(attributes):
            return self
        values = [(attributes.get(name) or "")[:_MAX_ATTRIBUTE_LENGTH] for name in _VALUED_ATTRIBUTES]
        look = _within if sum(map(len, values)) <= _MAX_CACHED_LENGTH else _within.__wrapped__
        return look(self, *values, hidden="hidden" in attributes)


@lru_cache(4096)
def _within(around: Look, style: str, color: str, text: str, bgcolor: str, background: str, *, hidden: bool) -> Look:
    """Look of an element inside another one; cached, because a page has few different ones."""
    declared = _declarations(style)
    return Look(
        _colour(declared.get("color") or color or text, around.colour),
        _ground(declared, bgcolor, background, around.ground),
        _pixels(declared.get("font-size"), 1 if around.tiny else 16) <= 1,
        around.concealed or hidden or _conceals(declared),
    )


def _ground(style: Mapping[str, str], bgcolor: str, background: str, around: Colour | None) -> Colour | None:
    named = style.get("background-color") or style.get("background") or bgcolor
    if "url(" in named or "gradient" in named or background or "background-image" in style:
        return None
    return _colour(named, around)


BODY = Look((0, 0, 0), (255, 255, 255), tiny=False, concealed=False)
_ANYWHERE = Look(None, None, tiny=False, concealed=False)  # on a background that is not known


def remove_hidden_texts(
    tree: "LexborHTMLParser", source: bytes, markers: Set[bytes], rules: Mapping[str, str]
) -> list[str]:
    """Remove the hidden texts of a page from its tree and return them.

    ``markers`` are the HIDING_MARKERS in the source, ``rules`` its rules that can hide text (see ``hiding_rules``).
    """
    texts: list[str] = []
    looks: dict[int, Look] = {}
    seen: set[int] = set()
    for selector, style in rules.items():
        for node in found_by_css(tree, selector):
            if node.mem_id not in seen:
                seen.add(node.mem_id)
                attributes = node.attributes
                styled = {**attributes, "style": f"{style};{attributes.get('style') or ''}"}
                around = BODY if node.parent is None else _look(node.parent, looks)
                if (look := around.of(styled)).is_hidden:
                    _remove_hidden(node, look, texts, seen)
    seen.clear()
    if selectors := _suspects(source, markers):
        for node in found_by_css(tree, ", ".join(selectors)):
            if node.mem_id not in seen and (look := _look(node, looks)).is_hidden:
                _remove_hidden(node, look, texts, seen)
    return texts


def hiding_rules(tree: "LexborHTMLParser", markers: Set[bytes]) -> dict[str, str]:
    """Rules of the style elements that hide text, whatever its background: declarations by selector.

    >>> from selectolax.lexbor import LexborHTMLParser
    >>> page = LexborHTMLParser("<style>p, .x { color: red } .x { display: none } a.y > b { opacity: 0 }</style>")
    >>> hiding_rules(page, {b"<style", b"display:"})
    {'.x': ' color: red ; display: none '}
    """
    if b"<style" not in markers or markers.isdisjoint((*_CONCEALING, b"color")):
        return {}
    sheets = "\n".join(node.text() for node in found_by_css(tree, "style"))
    declared: dict[str, list[str]] = {}
    for rule in _NOT_A_RULE.sub("", sheets).split("}"):
        selectors, _, style = rule.partition("{")
        for selector in map(str.strip, selectors.split(",")):
            if _SELECTOR.fullmatch(selector):
                declared.setdefault(selector, []).append(style)
    rules = ((selector, ";".join(styles)) for selector, styles in declared.items())
    return dict(islice((rule for rule in rules if _ANYWHERE.of({"style": rule[1]}).is_hidden), _MAX_RULES))


def found_by_css(tree: "LexborHTMLParser", selectors: str) -> "list[LexborNode]":
    """Elements that match some selectors, as tree.css, which makes a new selector object for every document."""
    root = tree.root
    return [] if root is None else list(_selector().find(selectors, root))


@cache
def _selector() -> "LexborCSSSelector":
    from selectolax.lexbor import LexborCSSSelector

    return LexborCSSSelector()  # type: ignore[no-untyped-call]


def _suspects(source: bytes, markers: Set[bytes]) -> list[str]:
    """Selectors of all elements that could hide text, found by a search of the source."""
    if markers.isdisjoint(_STYLE_MARKERS):
        return []
    selectors = ["[hidden]"] if b" hidden" in markers else []
    styled = b"style" in markers
    if styled and not markers.isdisjoint(_CONCEALING):
        folded = source.decode().lower()
        found = [word for word, how in _CONCEALING.items() if word in markers and how.search(folded)]
        selectors += [f'[style*="{word[:-1].decode()}" i]' for word in found]
    if b"color" not in markers and b"<body" not in markers:
        return selectors
    of_text, of_body, *behind = values_in(source, (*_COLOURS, *_GROUNDS))
    colours = {name.lower() for name in (of_text | of_body if b"<body" in markers else of_text)}
    grounds = {_colour(name, None) for names in behind for name in names} | {BODY.ground}
    for name in sorted(colours)[:_MAX_COLOURS]:
        colour = _colour(name, None)
        if any(_alike(colour, ground) for ground in grounds):
            word = name.partition("(")[0]
            selectors += [f'[style*="{word}" i]'] if styled else []
            selectors += [f'[color*="{word}" i]', "body[text]"]
    return list(dict.fromkeys(selectors))


def _look(node: "LexborNode", looks: dict[int, Look]) -> Look:
    """Look of an element, from those of its ancestors."""
    above = []
    at: LexborNode | None = node
    while at is not None and at.mem_id not in looks:
        above.append(at)
        at = at.parent
    look = BODY if at is None else looks[at.mem_id]
    for each in reversed(above):
        look = looks[each.mem_id] = look.of(each.attributes)
    return look


def _remove_hidden(root: "LexborNode", look: Look, texts: list[str], seen: set[int]) -> None:
    """Move the hidden texts of an element to a list; not recursive, because a page may be nested very deeply."""
    stack = [(child, look) for child in root.iter(include_text=True)][::-1]
    while stack:
        node, around = stack.pop()
        if not node.is_text_node:
            seen.add(node.mem_id)
            within = around.of(node.attributes)
            stack += [(child, within) for child in node.iter(include_text=True)][::-1]
        elif around.is_hidden:
            texts.append(node.text_content or "")
            node.decompose()


@lru_cache(1024)
def _alike(colour: Colour | None, ground: Colour | None) -> bool:
    """Whether two colours look the same."""
    if colour is None or ground is None:
        return False
    return sum(abs(a - b) for a, b in zip(colour, ground, strict=True)) <= _MAX_INVISIBLE_DIFFERENCE


def _declarations(style: str) -> dict[str, str]:
    return {name: value.strip() for name, value in _DECLARATION.findall(style.lower())}


@lru_cache(1024)
def _colour(name: str, otherwise: Colour | None) -> Colour | None:
    """Colour of a CSS value; ``otherwise`` if it names none, None if it is unknown."""
    name = name.strip().lower().removesuffix("!important").rstrip()
    if not name or name in ("inherit", "transparent"):
        return otherwise
    if numbers := _NUMBERS.search(name):
        return int(numbers[1]), int(numbers[2]), int(numbers[3])
    for word in (name, *(word for word in name.split() if not word[0].isdigit())):
        if found := _HEX.fullmatch(_NAMED_COLOURS.get(word, word)):
            digits = found[1] if len(found[1]) == 6 else "".join(digit * 2 for digit in found[1])
            return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    return None


def _conceals(style: Mapping[str, str]) -> bool:
    """Whether declarations hide an element, whatever its colours and the size of its letters."""
    if not style:
        return False
    if style.get("display", "").startswith("none") or style.get("visibility", "").startswith(("hidden", "collapse")):
        return True
    if _pixels(style.get("opacity"), 1) == 0:
        return True
    sides, places = ("width", "height", "max-width", "max-height"), ("text-indent", "left", "top", "margin-left")
    clips = style.get("overflow", "").startswith("hidden")
    if clips and any(_pixels(style.get(side), 16) <= 0 for side in sides):
        return True
    return any(_pixels(style.get(place), 0) <= _OFF_PAGE_PIXELS for place in places)


def _pixels(length: str | None, otherwise: float) -> float:
    found = _PIXELS.match(length or "")
    return otherwise if found is None else float(found[1]) * _TO_PIXELS[found[2]]
