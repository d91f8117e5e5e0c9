"""The three charts of a report."""

from collections.abc import Sequence

import numpy as np

from textnb.evaluation import Reliability, RiskCoverage
from textnb.report.language import Language
from textnb.report.markup import Html
from textnb.report.svg import Axis, Frame, H, Point, dot, drawing, label, line, path, rectangle, round_numbers, svg_file
from textnb.report.values import LearningCurve

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
