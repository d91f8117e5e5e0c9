"""Contents of the pages: what `textnb train`, test, compare and curve put on them."""

from collections.abc import Sequence
from pathlib import Path

from textnb.classifier.alternative import BetterModel
from textnb.classifier.facts import quality_lines
from textnb.classifier.text_classifier import TextClassifier
from textnb.comparison.comparison import Comparison
from textnb.comparison.curve import MEASURES as OF_CURVES
from textnb.comparison.curve import Curve
from textnb.errors import InputError
from textnb.evaluation import CostEvaluation, Evaluation
from textnb.evaluation.intervals import MEASURES
from textnb.language import Language
from textnb.markup import Cell
from textnb.numerics import Estimate
from textnb.report.mistakes import CorpusAnswers
from textnb.report.sections import group_notes
from textnb.report.values import LearningCurve, Report, Table, Word
from textnb.text import Analyzer

WORDS_PER_CLASS = 12
MEASURE_NAMES = {"macro_f1": "macro F1", "log_loss": "log loss", "brier": "Brier", "ece": "ECE"}
"""Names of measures as column headings, where they differ."""


def train_report(
    classifier: TextClassifier, output: Path, corpus: Path, language: Language, better: BetterModel | None = None
) -> Report:
    """Return the page of a training run: what was learnt, and an estimate of the answers to new documents."""
    evaluation = None
    try:
        evaluation = classifier.evaluate_left_out()
        estimated = (
            "These are estimates: each of {number} training documents was scored by what was learnt from the others."
        )
        notes = [language(estimated, number=f"{evaluation.documents:,}")]
        quality = classifier.facts()["left out"]
        if quality is not None and quality["documents"] != evaluation.documents:
            part = (
                "Left-out accuracy and log loss are of all {all} kept documents; the rest is of {number} of them, "
                "among which every training document is equally likely to be."
            )
            notes.append(language(part, all=f"{quality['documents']:,}", number=f"{evaluation.documents:,}"))
        if classifier.calibration_state != "none":
            notes.append(language("The calibration was fitted on the same scores, which flatters it a little."))
        if better is not None:
            phrase = "{name} would be better: left-out accuracy {accuracy}."
            notes.append(language(phrase, name=better.name, accuracy=f"{better.quality.accuracy.value:.3f}"))
    except InputError as why:
        notes = [language("There are no estimates: {why}", why=str(why))]
    return Report(
        language("Training of {model}", model=output.name),
        facts=[*model_facts(classifier, output, corpus, language), *quality_lines(classifier.facts()["left out"])],
        notes=notes,
        learnt=classifier.facts()["classes"],
        evaluation=evaluation,
        words=top_words(classifier),
    )


def test_report(
    classifier: TextClassifier,
    model: Path,
    corpus: Path,
    evaluation: Evaluation,
    costs: CostEvaluation | None,
    given: CorpusAnswers,
    language: Language,
) -> Report:
    """Return the page of a test: measures, words of each class, and mistakes."""
    notes = []
    if given.n_learnt:
        phrase = "The model has learnt {number} of the {all} documents ({share}), which flatters it."
        share = given.n_learnt / evaluation.documents
        numbers = {"number": f"{given.n_learnt:,}", "all": f"{evaluation.documents:,}", "share": f"{share:.1%}"}
        notes.append(language(phrase, **numbers))
    return Report(
        language("Test of {model}", model=model.name),
        facts=model_facts(classifier, model, corpus, language),
        notes=notes,
        evaluation=evaluation,
        costs=costs,
        words=top_words(classifier),
        mistakes=given.mistakes,
    )


def model_facts(classifier: TextClassifier, model: Path, corpus: Path, language: Language) -> list[tuple[str, str]]:
    """Return the corpus, the model file and the recipe as pairs of a name and a value."""
    recipe, learnt = classifier.recipe, classifier.learnt
    return [
        ("corpus", str(corpus)),
        ("model file", str(model)),
        ("model", recipe.model),
        ("smoothing", str(recipe.alpha)),
        ("weighting", str(recipe.weighting)),
        ("tokenizer", recipe.tokenizer.name),
        *_terms_fact(recipe.analyzer),
        ("probabilities", language(classifier.calibration_state)),
        ("learnt", f"{len(learnt.digests):,}"),
        ("terms used", f"{classifier.facts()['terms used']:,}"),
    ]


def _terms_fact(analyzer: Analyzer) -> list[tuple[str, str]]:
    """Return the kinds of terms, or the range of n-grams; nothing for words alone."""
    if analyzer.terms is None:
        assert analyzer.ngram is not None
        return [("n-grams", "–".join(map(str, analyzer.ngram)))]
    return [] if analyzer.terms == ("words",) else [("terms", ", ".join(analyzer.terms))]


def top_words(classifier: TextClassifier) -> dict[str, list[Word]]:
    """Return the most typical words of each class; none if there is no other class."""
    words = {}
    for name in classifier.classes_ if len(classifier.classes_) > 1 else []:
        typical = classifier.words(name, top=WORDS_PER_CLASS)
        words[name] = [Word(each.term, each.value, each.documents) for each in typical if each.value > 0]
    return words


def comparison_report(comparison: Comparison, corpus: Path, say: Language) -> Report:
    """Return the page of a comparison: the recipes, the best first."""
    columns = [
        "recipe",
        *(MEASURE_NAMES.get(name, name) for name in MEASURES),
        "fit, s",
        "predict, s",
        "p, McNemar",
        "p, corrected t",
    ]
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
    about_tests = (
        "95 % intervals. The p-values are against the first recipe, which was chosen on the same documents; they are "
        "corrected for that by testing all pairs of recipes (Holm)."
    )
    notes = [say(about_tests), *group_notes(comparison.documents, comparison.groups, say)]
    title = say("Comparison of models on {corpus}", corpus=corpus.name)
    return Report(title, facts, notes, models=Table(columns, rows))


def curves_report(curves: Sequence[Curve], corpus: Path, say: Language) -> Report:
    """Return the page of learning curves: one chart per measure."""
    shown = {what.replace("_", " "): _learning_curves(curves, what) for what in OF_CURVES}
    return Report(say("Learning curve"), [("corpus", str(corpus))], curves=shown)


def _learning_curves(curves: Sequence[Curve], what: str) -> list[LearningCurve]:
    """Return the curves of one measure."""
    return [
        LearningCurve(
            curve.name,
            [point.documents for point in curve.points],
            [Estimate(*getattr(point, what)) for point in curve.points],
        )
        for curve in curves
    ]
