"""Comparisons and learning curves as the plain values of a report."""

from collections.abc import Sequence
from pathlib import Path

from textnb.cli.comparing import measure_names
from textnb.comparison.comparison import Comparison
from textnb.comparison.curve import MEASURES as OF_CURVES
from textnb.comparison.curve import Curve
from textnb.evaluation.intervals import MEASURES
from textnb.report.language import Language
from textnb.report.values import Cell, Estimate, LearningCurve, Report, Table


def comparison_report(comparison: Comparison, corpus: Path, say: Language) -> Report:
    """The table of recipes, the best first."""
    columns = ["recipe", *measure_names(), "fit, s", "predict, s", "p, McNemar", "p, corrected t"]
    rows: list[Sequence[Cell]] = [
        (
            row.name,
            *(Estimate(*row.measures[name]) for name in MEASURES),
            row.fit_seconds,
            row.predict_seconds,
            row.mcnemar,
            row.corrected_t,
        )
        for row in comparison.rows
    ]
    facts = [
        ("corpus", str(corpus)),
        ("documents", f"{comparison.documents:,}"),
        ("folds", f"{comparison.folds:,}"),
        ("repeats", f"{comparison.repeats:,}"),
        ("seed", str(comparison.seed)),
    ]
    notes = [say("95 % intervals; p-values are against the first recipe, after Holm's correction.")]
    title = say("Comparison of models on {corpus}", corpus=corpus.name)
    return Report(title, facts, notes, models=Table(columns, rows))


def curves_report(curves: Sequence[Curve], corpus: Path, say: Language) -> Report:
    """A chart for each measure."""
    shown = {what.replace("_", " "): plotted(curves, what) for what in OF_CURVES}
    return Report(say("Learning curve"), [("corpus", str(corpus))], curves=shown)


def plotted(curves: Sequence[Curve], what: str) -> list[LearningCurve]:
    """The curves of one measure."""
    return [
        LearningCurve(
            curve.name,
            [point.documents for point in curve.points],
            [Estimate(*getattr(point, what)) for point in curve.points],
        )
        for curve in curves
    ]
