"""--html and --lang: what goes into a report, and where it is written.

Comparisons and learning curves as the plain values of a report.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options.comparison import measure_names
from textnb.cli.options.groups import FILE, option
from textnb.cli.terminal import say
from textnb.comparison.comparison import Comparison
from textnb.comparison.curve import MEASURES as OF_CURVES
from textnb.comparison.curve import Curve
from textnb.errors import InputError
from textnb.evaluation.intervals import MEASURES
from textnb.language import LANGUAGES, Language
from textnb.markup import Cell
from textnb.numerics import Estimate
from textnb.report.values import LearningCurve, Report, Table, Word
from textnb.storage import atomic, check_writable

_TOP = 12
_BEGINNING = b"<!doctype html>"


@dataclass(frozen=True)
class Reporting:
    """Whether an HTML page is written, where, and in which language."""

    section: ClassVar[str] = "Report"
    html: Path | None = option("--html", metavar="FILE", type=FILE, help="Write a page to read in a browser.")
    lang: str | None = option(
        "--lang", metavar="|".join(LANGUAGES), help="Language of the page.  [default: that of the locale]"
    )

    @property
    def language(self) -> Language:
        """As asked for; else Japanese where the locale is Japanese, and English anywhere else."""
        return Language(self.lang if self.lang is not None else of_locale(os.environ))

    def check(self, *inputs: Path) -> None:
        """Refuse, before any work, a page that cannot be written or would take the place of something else."""
        language = self.language
        if self.html is None:
            if self.lang is not None:
                raise InputError(f"--lang {language.code} is for the page; say where it goes: --html FILE")
            return
        check_writable(self.html)
        if any(path.exists() and self.html.exists() and self.html.samefile(path) for path in inputs):
            raise InputError(f"{self.html} is an input itself; choose another name for the page")
        if self.html.exists() and self.html.stat().st_size:
            with self.html.open("rb") as stream:
                if stream.read(len(_BEGINNING)).lower() != _BEGINNING:
                    raise InputError(
                        f"{self.html} is there already and no HTML page; remove it, or choose another name"
                    )

    def write(self, report: Report, quiet: bool) -> None:
        """The page, as a whole or not at all."""
        from textnb.report import page

        assert self.html is not None
        with atomic(self.html) as stream:
            stream.write(page(report, self.language.code).encode())
        if not quiet:
            say(f"{self.html} is the page")


def of_locale(environment: Mapping[str, str]) -> str:
    """The language of the messages that a user wants: ``ja`` or, for whatever else it may be, ``en``.

    >>> of_locale({"LANG": "ja_JP.UTF-8"}), of_locale({"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}), of_locale({})
    ('ja', 'en', 'en')
    """
    asked = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return "ja" if asked.lower().startswith("ja") else "en"


def model_facts(classifier: TextClassifier, model: Path, corpus: Path, language: Language) -> list[tuple[str, str]]:
    """What a classifier is made of, in a few words."""
    recipe, learnt = classifier.recipe, classifier.learnt
    low, high = recipe.analyzer.ngram
    return [
        ("corpus", str(corpus)),
        ("model file", str(model)),
        ("model", recipe.model),
        ("smoothing", str(recipe.alpha)),
        ("weighting", str(recipe.weighting)),
        ("tokenizer", recipe.tokenizer.name),
        *([("n-grams", f"{low}–{high}")] if high > 1 else []),
        ("probabilities", language(classifier.calibration_state)),
        ("learnt", f"{len(learnt.digests):,}"),
        ("terms used", f"{len(classifier.fitted.vocabulary):,}"),
    ]


def top_words(classifier: TextClassifier) -> dict[str, list[Word]]:
    """The words that speak most for each class; none where there is no other class."""
    fitted = classifier.fitted
    if len(fitted.classes) < 2:
        return {}
    words = {}
    for name in fitted.classes:
        typical = classifier.words(name, top=_TOP)
        words[name] = [Word(each.term, each.value, each.documents) for each in typical if each.value > 0]
    return words


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
