"""The three charts of a report.

Drawing: from numbers to places on a plane, and to the SVG that shows them. Text stays text, colours are the page's.

A frame maps x in [x.low, x.high] and y in [y.low, y.high] onto a rectangle of a drawing W x H:

(1)  px(x) = left + width (s(x) - s(x.low)) / (s(x.high) - s(x.low)),    s(x) = x, or log x on a logarithmic axis
(2)  py(y) = top + height (y.high - y) / (y.high - y.low)
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from textnb.evaluation import Reliability, RiskCoverage
from textnb.language import Language
from textnb.markup import Html, element, joined
from textnb.report.values import LearningCurve

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


_SHARES = (0, 0.2, 0.4, 0.6, 0.8, 1)
_MOST_POINTS = 400
_MOST_TICKS = 6
_COLOURS = 6
_BARS = 60
_ROW = 18


def reliability_diagram(table: Reliability, say: Language) -> Html:
    """Accuracy against the probability of the answer, with intervals; below it, how the documents are spread."""
    below = Axis(0, 1, _SHARES, lambda v: f"{v:g}", say("probability of the answer"))
    frame = Frame(Axis(0, 1, (), below.written), Axis(0, 1, _SHARES, lambda v: f"{v:g}", say("accuracy")))
    shares = [each.documents / table.documents for each in table.bins]
    most = max(shares)
    bars = Frame(below, Axis(0, most, (0, most), lambda v: f"{100 * v:.0f} %"), top=H - 24, height=_BARS)
    parts = [frame.drawn(), bars.drawn(), line(frame.at(0, 0), frame.at(1, 1), "ideal")]
    for each, share in zip(table.bins, shares, strict=True):
        low, high = each.accuracy_interval
        said = f"{each.confidence:.3f} → {each.accuracy:.3f} ({low:.3f}–{high:.3f}), {each.documents:,}"
        x0, y0 = bars.at(each.low, share)
        x1, y1 = bars.at(each.high, 0)
        parts += [
            line(frame.at(each.confidence, low), frame.at(each.confidence, high), "interval"),
            dot(frame.at(each.confidence, each.accuracy), 4, "dot", said),
            rectangle((x0 + 0.5, y0), x1 - x0 - 1, y1 - y0, "bar", f"{each.documents:,}"),
        ]
    name = say("Reliability diagram: accuracy against the probability of the answer")
    return drawing(name, *parts, height=H + _BARS + 24)


def risk_coverage_chart(curve: RiskCoverage, say: Language) -> Html:
    """The share of errors against the share of documents answered."""
    coverage, risk = curve.answered / curve.documents, curve.errors / curve.answered
    shown = np.unique(np.linspace(0, len(risk) - 1, _MOST_POINTS).round().astype(int))
    highest = round_numbers(0, max(float(risk[shown].max()), 0.01))
    x = Axis(0, 1, _SHARES, _per_cent_or_0, say("share of documents answered"))
    frame = Frame(x, Axis(0, highest[-1], highest, _per_cent_or_0, say("share of errors")))
    points = [frame.at(*at) for at in zip(coverage[shown].tolist(), risk[shown].tolist(), strict=True)]
    last = f"100 %: {100 * float(risk[-1]):.2f} %"
    name = say("Risk and coverage: share of errors against the share of documents answered")
    return drawing(name, frame.drawn(), path(points, "line c1"), dot(points[-1], 4, "dot", last))


def _per_cent_or_0(value: float) -> str:
    return f"{100 * value:.3g} %" if value else "0"


def learning_curve_chart(what: str, curves: Sequence[LearningCurve], say: Language) -> Html:
    """A line for each recipe within the band of its intervals, and below the chart which line is whose."""
    sizes = sorted({size for curve in curves for size in curve.documents})
    ends = [end for curve in curves for estimate in curve.values for end in estimate if np.isfinite(end)]
    ticks = round_numbers(min(ends, default=0.0), max(ends, default=1.0))
    logarithmic = sizes[-1] >= 8 * sizes[0]
    x = Axis(sizes[0], sizes[-1], _spread(sizes), lambda v: f"{v:,.0f}", say("training documents"), logarithmic)
    frame = Frame(x, Axis(ticks[0], ticks[-1], ticks, lambda v: f"{v:g}", say.name(what)))
    bands, lines = [], []
    for number, curve in enumerate(curves):
        colour = _colour(number)
        rows = [row for row in zip(curve.documents, curve.values, strict=True) if np.isfinite(row[1]).all()]
        around = [frame.at(n, e.low) for n, e in rows] + [frame.at(n, e.high) for n, e in reversed(rows)]
        middle = [frame.at(n, e.value) for n, e in rows]
        if rows:
            bands.append(path(around, f"band {colour}", closed=True))
            lines += [path(middle, f"line {colour}"), *_dots(curve.name, colour, middle, rows)]
    name = say("Learning curves: {what} against the number of training documents", what=say.name(what))
    below = H + _ROW * len(curves) + 4
    return drawing(name, frame.drawn(), *bands, *lines, *_legend(curves, frame.left), height=below)


def learning_curve_svg(what: str, curves: Sequence[LearningCurve], lang: str = "en") -> str:
    """The same chart as a file of its own."""
    return svg_file(learning_curve_chart(what, curves, Language(lang)))


def _dots(name: str, colour: str, places: Sequence[Point], rows: Sequence[tuple[int, tuple[float, ...]]]) -> list[Html]:
    said = [f"{name}, {n:,}: {value:.4f} ({low:.4f}–{high:.4f})" for n, (value, low, high) in rows]
    return [dot(at, 3, f"dot {colour}", words) for at, words in zip(places, said, strict=True)]


def _legend(curves: Sequence[LearningCurve], left: float) -> list[Html]:
    """A row for each recipe: its line and its name."""
    rows = []
    for number, curve in enumerate(curves):
        y = H + _ROW * (number + 0.5)
        rows += [line((left, y), (left + 28, y), f"line {_colour(number)}"), label(left + 36, y + 4, curve.name, "key")]
    return rows


def _colour(number: int) -> str:
    return f"c{number % _COLOURS + 1}"


def _spread(sizes: Sequence[int]) -> list[float]:
    """A few of the sizes, the last among them."""
    step = -(-len(sizes) // _MOST_TICKS)
    return [float(size) for size in sizes[::-1][::step]][::-1]
