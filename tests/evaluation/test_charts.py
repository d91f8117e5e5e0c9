"""Charts are read back as XML: the places of what they show are computed anew."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.evaluation import Reliability, RiskCoverage
from textnb.evaluation.charts import (
    Axis,
    Frame,
    LearningCurve,
    drawing,
    learning_curve_chart,
    learning_curve_svg,
    reliability_diagram,
    risk_coverage_chart,
    round_numbers,
    svg_file,
)
from textnb.language import Language
from textnb.numerics import Estimate

SAY = Language("ja")
SVG = "{http://www.w3.org/2000/svg}"


def read(chart):
    return ET.fromstring(chart.replace("<svg", f'<svg xmlns="{SVG[1:-1]}"', 1))


def words(tree):
    return [text.text for text in tree.iter(f"{SVG}text")]


@settings(max_examples=50, deadline=None)
@given(st.floats(-1e4, 1e4), st.floats(1e-6, 1e4))
def test_round_numbers_hold_both_ends_and_are_few(low, span):
    found = round_numbers(low, low + span)
    assert found[0] <= low + 1e-6 * span
    assert found[-1] >= low + span * (1 - 1e-6)
    assert 2 <= len(found) <= 8


def test_a_frame_puts_the_ends_of_its_axes_at_its_corners():
    plain, log = Axis(0, 2, (), str), Axis(1, 100, (), str, logarithmic=True)
    frame = Frame(log, plain, left=10, top=20, width=100, height=50)
    assert frame.at(1, 0) == (10, 70)
    assert frame.at(100, 2) == (110, 20)
    assert frame.at(10, 1) == pytest.approx((60, 45))
    assert Axis(3, 3, (), str).position(3) == 0.5


def test_the_reliability_diagram_has_a_dot_an_interval_and_a_bar_for_each_bin():
    table = Reliability.of(np.array([0.3, 0.9, 0.95]), np.array([False, True, False]))
    tree = read(reliability_diagram(table, SAY))
    kinds = [element.get("class") for element in tree.iter()]
    assert [kinds.count(kind) for kind in ("dot", "interval", "bar", "ideal")] == [len(table.bins)] * 3 + [1]
    dots = list(tree.iter(f"{SVG}circle"))
    places = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in dots]
    frame = Frame(Axis(0, 1, (), str), Axis(0, 1, (), str))
    expected = [frame.at(each.confidence, each.accuracy) for each in table.bins]
    np.testing.assert_allclose(places, expected, atol=0.01)
    assert {"正解率", "確信度"} <= set(words(tree))
    assert tree.get("aria-label").startswith("信頼性図")


def test_the_risk_coverage_chart_ends_with_the_share_of_all_errors():
    curve = RiskCoverage.of(np.linspace(0.5, 1, 1000), np.arange(1000) % 10 == 0)
    tree = read(risk_coverage_chart(curve, SAY))
    (line,) = [element.get("d") for element in tree.iter(f"{SVG}path")]
    points = line[1:].split("L")
    assert len(points) == 400
    dot = next(tree.iter(f"{SVG}circle"))
    assert points[-1] == f"{dot.get('cx')} {dot.get('cy')}"
    assert dot.find(f"{SVG}title").text == "100 %: 10.00 %"


def test_a_curve_without_errors_and_one_document_are_drawn():
    for n in (1, 5):
        tree = read(risk_coverage_chart(RiskCoverage.of(np.full(n, 0.9), np.zeros(n, bool)), SAY))
        assert "100 %" in words(tree)


def curve(name, values, documents=(10, 20, 400)):
    return LearningCurve(name, documents, [Estimate(v, v - 0.1, v + 0.1) for v in values])


def test_a_learning_curve_has_a_line_a_band_and_a_name_for_each_recipe():
    chart = learning_curve_chart("accuracy", [curve("a <b>", [0.5, 0.6, 0.7]), curve("b", [0.4, 0.6, 0.8])], SAY)
    tree = read(chart)
    kinds = [element.get("class") for element in tree.iter()]
    assert [kinds.count(kind) for kind in ("line c1", "band c1", "line c2", "band c2", "dot c1")] == [2, 1, 2, 1, 3]
    assert {"10", "20", "400", "正解率", "学習文書数", "a <b>", "b"} <= set(words(tree))


def test_a_learning_curve_is_a_file_of_its_own_too():
    tree = ET.fromstring(learning_curve_svg("accuracy", [curve("a", [0.5, 0.6, 0.7])], "ja"))
    assert "正解率" in words(tree)


def test_a_learning_curve_leaves_out_what_is_infinite():
    one = LearningCurve("a", (10, 20), [Estimate(np.inf, np.inf, np.inf), Estimate(0.5, 0.4, 0.6)])
    assert learning_curve_chart("log loss", [one], SAY).count("<circle") == 1
    never = LearningCurve("a", (10,), [Estimate(np.inf, np.inf, np.inf)])
    assert "<circle" not in learning_curve_chart("log loss", [never], SAY)


def test_more_recipes_than_colours_begin_again():
    chart = learning_curve_chart("accuracy", [curve(str(i), [0.1, 0.2, 0.3]) for i in range(7)], SAY)
    assert chart.count('class="band c1"') == 2


def test_a_drawing_is_a_file_of_its_own_with_its_colours():
    tree = ET.fromstring(svg_file(drawing("<名前>")))
    assert tree.get("aria-label") == "<名前>"
    assert "prefers-color-scheme: dark" in tree.find(f"{SVG}style").text
