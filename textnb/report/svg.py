"""Drawing: from numbers to places on a plane, and to the SVG that shows them. Text stays text, colours are the page's.

A frame maps x in [x.low, x.high] and y in [y.low, y.high] onto a rectangle of a drawing W x H:

(1)  px(x) = left + width (s(x) - s(x.low)) / (s(x.high) - s(x.low)),    s(x) = x, or log x on a logarithmic axis
(2)  py(y) = top + height (y.high - y) / (y.high - y.low)
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textnb.report.markup import Html, element, joined

W, H = 420, 320
Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """The numbers from one end to the other, those to be written, and how."""

    low: float
    high: float
    ticks: Sequence[float]
    written: Callable[[float], str]
    label: str = ""
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value lies, from 0 to 1."""
        low, high, at = (math.log(v) if self.logarithmic else v for v in (self.low, self.high, value))
        return (at - low) / (high - low) if high > low else 0.5


@dataclass(frozen=True)
class Frame:
    """A rectangle of the drawing with two axes."""

    x: Axis
    y: Axis
    left: float = 56
    top: float = 12
    width: float = W - 56 - 24
    height: float = H - 12 - 48

    def at(self, x: float, y: float) -> Point:
        """Formulas (1) and (2)."""
        return self.left + self.width * self.x.share(x), self.top + self.height * (1 - self.y.share(y))

    def drawn(self) -> Html:
        """The grid, the numbers along it, and what they are."""
        right, bottom = self.left + self.width, self.top + self.height
        parts = []
        for value in self.y.ticks:
            _, y = self.at(self.x.low, value)
            parts += [line((self.left, y), (right, y), "grid"), label(self.left - 6, y + 4, self.y.written(value), "y")]
        for value in self.x.ticks:
            x, _ = self.at(value, self.y.low)
            parts += [line((x, bottom), (x, bottom + 4), "tick"), label(x, bottom + 18, self.x.written(value), "x")]
        parts.append(line((self.left, bottom), (right, bottom), "axis"))
        if self.x.label:
            parts.append(label(self.left + self.width / 2, bottom + 38, self.x.label, "name"))
        if self.y.label:
            middle = self.top + self.height / 2
            turned = f"rotate(-90 12 {_number(middle)})"
            parts.append(element("text", self.y.label, x=12, y=_number(middle), class_="name", transform=turned))
        return joined(parts)


def drawing(name: str, *parts: str, height: float = H) -> Html:
    """A whole drawing; ``name`` is what a screen reader says of it."""
    return element("svg", *parts, class_="chart", role="img", aria_label=name, viewBox=f"0 0 {W} {_number(height)}")


def svg_file(chart: Html) -> str:
    """A drawing as a file of its own, light or dark as its reader likes.

    >>> svg_file(drawing("empty"))[:49]
    '<svg xmlns="http://www.w3.org/2000/svg" class="ch'
    """
    style = Path(__file__).with_name("chart.css").read_text(encoding="utf-8")
    begin, rest = chart.split(">", 1)
    return begin.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1) + f"><style>{style}</style>{rest}\n"


def line(start: Point, end: Point, kind: str) -> Html:
    """A straight line."""
    (x1, y1), (x2, y2) = start, end
    return element("line", x1=_number(x1), y1=_number(y1), x2=_number(x2), y2=_number(y2), class_=kind)


def path(points: Iterable[Point], kind: str, *, closed: bool = False) -> Html:
    """A line through points, or what lies within it."""
    way = "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
    return element("path", d=f"M{way}{'Z' if closed else ''}", class_=kind)


def dot(at: Point, radius: float, kind: str, said: str) -> Html:
    """A point, with what is said when one points at it."""
    return element("circle", element("title", said), cx=_number(at[0]), cy=_number(at[1]), r=radius, class_=kind)


def rectangle(corner: Point, width: float, height: float, kind: str, said: str = "") -> Html:
    """A rectangle down and to the right of a corner."""
    x, y = map(_number, corner)
    told = [element("title", said)] if said else []
    return element("rect", *told, x=x, y=y, width=_number(width), height=_number(height), class_=kind)


def label(x: float, y: float, words: str, kind: str) -> Html:
    """A few words."""
    return element("text", words, x=_number(x), y=_number(y), class_=kind)


def round_numbers(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers from ``low`` or just below to ``high`` or just above, in steps of 1, 2 or 5 times a power of ten.

    >>> round_numbers(0, 0.93), round_numbers(0.81, 0.978)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.8, 0.85, 0.9, 0.95, 1.0])
    """
    rough = max(high - low, 1e-9) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, max(last, first + 1) + 1)]


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
