"""Charts of a report as SVG: reliability diagram, risk over coverage, learning curves, dots with intervals, bars.

A frame maps x in [x.low, x.high] and y in [y.low, y.high] onto a rectangle of a drawing of size WIDTH x HEIGHT:

(1)  px(x) = left + width (s(x) - s(x.low)) / (s(x.high) - s(x.low)),    s(x) = x, or log x on a logarithmic axis
(2)  py(y) = top + height (y.high - y) / (y.high - y.low)

Text stays text, and colours come from the style sheet of the page.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np

from textnb.evaluation.reliability import Reliability, RiskCoverage
from textnb.language import Language, cells_of
from textnb.markup import Html, element, joined
from textnb.numerics import Estimate

WIDTH, HEIGHT = 420, 320
_PROPORTION_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)
_MAX_POINTS = 400
"""Points of a curve that are drawn."""

_MAX_TICKS = 6
_N_COLOURS = 6
"""Colours of lines in chart.css, c1 to c6."""

_BAR_HEIGHT = 60
"""Height of the bars below the reliability diagram."""

_LEGEND_ROW = 18
"""Height of a line of the legend."""

_MIN_LOG_SPAN = 8
"""Ratio of the largest size to the smallest from which on the axis of sizes is logarithmic."""

_NAMES, _NAME_CELLS = 136, 19
"""Room for the names of rows, and how many characters it takes."""

_ROW, _BAR_ROW = 30, 24
"""Height of a row of a dot plot, and of a row of bars."""

Point = tuple[float, float]


class LearningCurve(NamedTuple):
    """Estimates of one metric of a recipe by the number of training documents, the fewest first."""

    name: str
    documents: Sequence[int]
    values: Sequence[Estimate]


def reliability_diagram(table: Reliability, say: Language) -> Html:
    """Reliability diagram: accuracy against confidence with intervals, and below it the documents of each bin."""
    below = Axis(0, 1, _PROPORTION_TICKS, lambda v: f"{v:g}", say("confidence"))
    frame = Frame(Axis(0, 1, (), below.text_of), Axis(0, 1, _PROPORTION_TICKS, lambda v: f"{v:g}", say("accuracy")))
    proportions = [each.documents / table.documents for each in table.bins]
    most = max(proportions)
    bars = Frame(below, Axis(0, most, (0, most), lambda v: f"{100 * v:.0f} %"), top=HEIGHT - 24, height=_BAR_HEIGHT)
    parts = [frame.draw(), bars.draw(), line(frame.at(0, 0), frame.at(1, 1), "ideal")]
    for each, proportion in zip(table.bins, proportions, strict=True):
        low, high = each.accuracy_interval
        tip = f"{each.confidence:.3f} → {each.accuracy:.3f} ({low:.3f}–{high:.3f}), {each.documents:,}"
        x0, y0 = bars.at(each.low, proportion)
        x1, y1 = bars.at(each.high, 0)
        parts += [
            line(frame.at(each.confidence, low), frame.at(each.confidence, high), "interval"),
            dot(frame.at(each.confidence, each.accuracy), 4, "dot", tip),
            rectangle((x0 + 0.5, y0), x1 - x0 - 1, y1 - y0, "bar", f"{each.documents:,}"),
        ]
    name = say("Reliability diagram: accuracy against confidence")
    return drawing(name, *parts, height=HEIGHT + _BAR_HEIGHT + 24)


def risk_coverage_chart(curve: RiskCoverage, say: Language) -> Html:
    """Chart of the error rate against the proportion of documents answered."""
    coverage, risk = curve.answered / curve.documents, curve.errors / curve.answered
    shown = np.unique(np.linspace(0, len(risk) - 1, _MAX_POINTS).round().astype(int))
    highest = round_numbers(0, max(float(risk[shown].max()), 0.01))
    x = Axis(0, 1, _PROPORTION_TICKS, _as_percentage, say("proportion of documents answered"))
    frame = Frame(x, Axis(0, highest[-1], highest, _as_percentage, say("error rate")))
    points = [frame.at(*at) for at in zip(coverage[shown].tolist(), risk[shown].tolist(), strict=True)]
    last = f"100 %: {100 * float(risk[-1]):.2f} %"
    name = say("Risk and coverage: error rate against the proportion of documents answered")
    return drawing(name, frame.draw(), path(points, "line c1"), dot(points[-1], 4, "dot", last))


def _as_percentage(value: float) -> str:
    return f"{100 * value:.3g} %" if value else "0"


def learning_curve_chart(what: str, curves: Sequence[LearningCurve], say: Language) -> Html:
    """Chart of learning curves: a line with a band of intervals for each recipe, and a legend below."""
    sizes = sorted({size for curve in curves for size in curve.documents})
    ends = [end for curve in curves for estimate in curve.values for end in estimate if np.isfinite(end)]
    ticks = round_numbers(min(ends, default=0.0), max(ends, default=1.0))
    logarithmic = sizes[-1] >= _MIN_LOG_SPAN * sizes[0]
    x = Axis(sizes[0], sizes[-1], _spread_ticks(sizes), lambda v: f"{v:,.0f}", say("training documents"), logarithmic)
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
    below = HEIGHT + _LEGEND_ROW * len(curves) + 4
    return drawing(name, frame.draw(), *bands, *lines, *_legend(curves, frame.left), height=below)


def learning_curve_svg(what: str, curves: Sequence[LearningCurve], lang: str = "en") -> str:
    """Learning curves as an SVG file."""
    return svg_file(learning_curve_chart(what, curves, Language(lang)))


def dot_plot(what: str, rows: Sequence[tuple[str, Estimate]], say: Language) -> Html:
    """Dot plot of a measure: a dot with its interval for each name."""
    ends = [end for _, estimate in rows for end in estimate if math.isfinite(end)]
    ticks = round_numbers(min(ends, default=0.0), max(ends, default=1.0))
    bottom = _ROW * len(rows)
    x = Axis(ticks[0], ticks[-1], ticks[:: 1 + len(ticks) // _MAX_TICKS], lambda v: f"{v:g}", say.name(what))
    frame = Frame(x, Axis(0, bottom, (), str), left=_NAMES, width=WIDTH - _NAMES - 24, height=bottom)
    parts = [frame.draw()]
    for number, (name, estimate) in enumerate(rows):
        y = bottom - _ROW * (number + 0.5)
        start, at, end = (
            frame.at(min(max(v, x.low), x.high), y) for v in (estimate.low, estimate.value, estimate.high)
        )
        tip = f"{name}: {estimate.value:.4f} ({estimate.low:.4f}–{estimate.high:.4f})"
        parts += [line((frame.left, at[1]), (frame.left + frame.width, at[1]), "grid"), _row_name(name, at[1])]
        parts += [line(start, end, "interval"), *([dot(at, 5, "dot", tip)] if math.isfinite(estimate.value) else [])]
    name = say("{what} of each recipe, with its 95 % interval", what=say.name(what))
    return drawing(name, *parts, height=bottom + 60)


def probability_bars(probabilities: Sequence[tuple[str, float]], say: Language) -> Html:
    """Bar of the probability of each class."""
    room = WIDTH - _NAMES - 64
    parts = []
    for number, (name, probability) in enumerate(probabilities):
        y = _BAR_ROW * (number + 0.5)
        parts += [
            _row_name(name, y),
            rectangle((_NAMES, y - 7), room, 14, "rail"),
            rectangle((_NAMES, y - 7), room * probability, 14, "bar", f"{name}: {probability:.4f}"),
            label(_NAMES + room + 8, y + 4, f"{100 * probability:.1f} %", "key"),
        ]
    return drawing(say("Probability of each class"), *parts, height=_BAR_ROW * len(probabilities))


def _row_name(name: str, y: float) -> Html:
    """Name of a row to the left of a chart, cut to the room there; the whole name is its tooltip."""
    fitting = cut(name, _NAME_CELLS)
    tip = [element("title", name)] if fitting != name else []
    return element("text", fitting, *tip, x=_number(_NAMES - 8), y=_number(y + 4), class_="y")


def cut(name: str, cells: int) -> str:
    """Name, cut to so many cells; a wide character takes two.

    >>> cut("multinomial", 8), cut("問い合わせ", 8), cut("短い", 8)
    ('multino…', '問い合…', '短い')
    """
    ends = list(accumulate(map(cells_of, name)))
    return name if not ends or ends[-1] <= cells else name[: bisect_right(ends, cells - 1)] + "…"


def _dots(name: str, colour: str, places: Sequence[Point], rows: Sequence[tuple[int, tuple[float, ...]]]) -> list[Html]:
    tips = [f"{name}, {n:,}: {value:.4f} ({low:.4f}–{high:.4f})" for n, (value, low, high) in rows]
    return [dot(at, 3, f"dot {colour}", tip) for at, tip in zip(places, tips, strict=True)]


def _legend(curves: Sequence[LearningCurve], left: float) -> list[Html]:
    """Row of the legend for each recipe: its line and its name."""
    rows = []
    for number, curve in enumerate(curves):
        y = HEIGHT + _LEGEND_ROW * (number + 0.5)
        rows += [line((left, y), (left + 28, y), f"line {_colour(number)}"), label(left + 36, y + 4, curve.name, "key")]
    return rows


def _colour(number: int) -> str:
    return f"c{number % _N_COLOURS + 1}"


def _spread_ticks(sizes: Sequence[int]) -> list[float]:
    """At most ``_MAX_TICKS`` of the sizes, the largest among them."""
    step = -(-len(sizes) // _MAX_TICKS)
    return [float(size) for size in sizes[::-1][::step]][::-1]


@dataclass(frozen=True)
class Axis:
    """Range of numbers, its ticks, how a tick is written, and the name of the axis."""

    low: float
    high: float
    ticks: Sequence[float]
    text_of: Callable[[float], str]
    label: str = ""
    logarithmic: bool = False

    def position(self, value: float) -> float:
        """Position of a value along the axis, from 0 to 1."""
        low, high, at = (math.log(v) if self.logarithmic else v for v in (self.low, self.high, value))
        return (at - low) / (high - low) if high > low else 0.5


@dataclass(frozen=True)
class Frame:
    """Rectangle of a drawing with two axes."""

    x: Axis
    y: Axis
    left: float = 56
    top: float = 12
    width: float = WIDTH - 56 - 24
    height: float = HEIGHT - 12 - 48

    def at(self, x: float, y: float) -> Point:
        """Point of the drawing by formulas (1) and (2)."""
        return self.left + self.width * self.x.position(x), self.top + self.height * (1 - self.y.position(y))

    def draw(self) -> Html:
        """Grid, ticks and names of the axes."""
        right, bottom = self.left + self.width, self.top + self.height
        parts = []
        for value in self.y.ticks:
            _, y = self.at(self.x.low, value)
            parts += [line((self.left, y), (right, y), "grid"), label(self.left - 6, y + 4, self.y.text_of(value), "y")]
        for value in self.x.ticks:
            x, _ = self.at(value, self.y.low)
            parts += [line((x, bottom), (x, bottom + 4), "tick"), label(x, bottom + 18, self.x.text_of(value), "x")]
        parts.append(line((self.left, bottom), (right, bottom), "axis"))
        if self.x.label:
            parts.append(label(self.left + self.width / 2, bottom + 38, self.x.label, "name"))
        if self.y.label:
            middle = self.top + self.height / 2
            turned = f"rotate(-90 12 {_number(middle)})"
            parts.append(element("text", self.y.label, x=12, y=_number(middle), class_="name", transform=turned))
        return joined(parts)


def drawing(name: str, *parts: str, width: float = WIDTH, height: float = HEIGHT, kind: str = "chart") -> Html:
    """Whole drawing; screen readers read ``name``."""
    size = f"0 0 {_number(width)} {_number(height)}"
    return element("svg", *parts, class_=kind, role="img", aria_label=name, viewBox=size)


def chart_style() -> str:
    """Style sheet of charts, for light and dark."""
    return Path(__file__).with_name("chart.css").read_text(encoding="utf-8")


def svg_file(chart: Html) -> str:
    """Drawing as an SVG file, light or dark as the reader prefers.

    >>> svg_file(drawing("empty"))[:49]
    '<svg xmlns="http://www.w3.org/2000/svg" class="ch'
    """
    style = chart_style()
    begin, rest = chart.split(">", 1)
    return begin.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1) + f"><style>{style}</style>{rest}\n"


def line(start: Point, end: Point, kind: str) -> Html:
    """Straight line."""
    (x1, y1), (x2, y2) = start, end
    return element("line", x1=_number(x1), y1=_number(y1), x2=_number(x2), y2=_number(y2), class_=kind)


def path(points: Iterable[Point], kind: str, *, closed: bool = False) -> Html:
    """Line through points, or the area within it."""
    steps = "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
    return element("path", d=f"M{steps}{'Z' if closed else ''}", class_=kind)


def dot(at: Point, radius: float, kind: str, tip: str) -> Html:
    """Dot with a tooltip."""
    return element("circle", element("title", tip), cx=_number(at[0]), cy=_number(at[1]), r=radius, class_=kind)


def rectangle(
    corner: Point, width: float, height: float, kind: str, tip: str = "", opacity: float | None = None
) -> Html:
    """Rectangle with its upper left corner and a tooltip."""
    x, y, w, h = map(_number, (*corner, width, height))
    title = [element("title", tip)] if tip else []
    strength = None if opacity is None else _number(opacity)
    return element("rect", *title, x=x, y=y, width=w, height=h, class_=kind, fill_opacity=strength)


def label(x: float, y: float, words: str, kind: str) -> Html:
    """Text at a point."""
    return element("text", words, x=_number(x), y=_number(y), class_=kind)


def round_numbers(low: float, high: float, about: int = 5) -> list[float]:
    """Ticks from ``low`` or just below to ``high`` or just above, in steps of 1, 2 or 5 times a power of ten.

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
