"""Contents of the pages: what `textnb train`, test, compare and curve put on them."""

from collections.abc import Sequence
from pathlib import Path

from textnb.classifier.alternative import BetterModel
from textnb.classifier.facts import quality_lines
from textnb.classifier.suspects import SeenDocuments, Suspect
from textnb.classifier.text_classifier import TextClassifier
from textnb.comparison.comparison import Advice, Comparison
from textnb.comparison.curve import MEASURES as OF_CURVES
from textnb.comparison.curve import Curve
from textnb.errors import InputError
from textnb.evaluation import CostEvaluation, Evaluation
from textnb.evaluation.charts import LearningCurve
from textnb.evaluation.intervals import MEASURE_NAMES, MEASURES
from textnb.language import Language
from textnb.markup import Cell
from textnb.numerics import Estimate
from textnb.report.mistakes import CorpusAnswers
from textnb.report.sections import group_notes
from textnb.report.values import Report, Table, Word
from textnb.text import Analyzer
from textnb.text.analyzer import CHARS_PREFIX

WORDS_PER_CLASS = 12
_TERMS_PER_CLASS = 60
"""Terms of a class among which its words and the longer terms with them are chosen."""

MAX_SUSPECTS = 50
"""Suspect labels on a page."""


def train_report(
    classifier: TextClassifier,
    output: Path,
    corpus: Path,
    language: Language,
    better: BetterModel | None = None,
    seen: SeenDocuments | None = None,
) -> Report:
    """Return the page of a training run: what was learnt, and an estimate of the answers to new documents.

    ``seen``: the training documents, among which those with suspect labels are listed.
    """
    evaluation, suspects = None, list[Suspect]()
    try:
        evaluation = classifier.evaluate_left_out()
        estimated = (
            "These are estimates: each of {number} training documents was scored by what was learnt from the others."
        )
        notes = [language(estimated, number=f"{evaluation.documents:,}")]
        suspects = classifier.suspects(seen, top=MAX_SUSPECTS)
        quality = classifier.facts()["left out"]
        if quality is not None and quality["documents"] != evaluation.documents:
            part = (
                "Left-out accuracy and log loss are of all {all} kept documents; the rest is of {number} of them, "
                "among which every training document is equally likely to be."
            )
            notes.append(language(part, all=f"{quality['documents']:,}", number=f"{evaluation.documents:,}"))
        if classifier.calibration_state != "none":
            notes.append(language("The calibration was fitted on the same scores, which flatters it a little."))
        if classifier.most_confused is not None:
            true, answer, share = classifier.most_confused
            phrase = "Most often confused: {share} of {true} are answered as {answer}."
            notes.append(language(phrase, share=f"{share:.1%}", true=true, answer=answer))
        if better is not None:
            phrase = "{name} would be better: left-out accuracy {accuracy}."
            notes.append(language(phrase, name=better.name, accuracy=f"{better.quality.accuracy.value:.3f}"))
    except InputError as why:
        notes = [language("There are no estimates: {why}", why=str(why))]
    left_out = [(name, language.filled(value)) for name, value in quality_lines(classifier.facts()["left out"])]
    return Report(
        language("Training of {model}", model=output.name),
        facts=[*model_facts(classifier, output, corpus, language), *left_out],
        notes=notes,
        learnt=classifier.facts()["classes"],
        evaluation=evaluation,
        words=top_words(classifier),
        suspects=suspects,
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
        suspects=given.suspects,
    )


def model_facts(classifier: TextClassifier, model: Path, corpus: Path, language: Language) -> list[tuple[str, str]]:
    """Return the corpus, the model file and the recipe as pairs of a name and a value."""
    recipe, learnt, state = classifier.recipe, classifier.learnt, classifier.calibration_state
    return [
        ("corpus", file_name(corpus)),
        ("model file", file_name(model)),
        ("model", recipe.model),
        ("smoothing", str(recipe.alpha)),
        ("weighting", str(recipe.weighting)),
        ("tokenizer", recipe.tokenizer.name),
        *_terms_fact(recipe.analyzer),
        ("probabilities", language("not calibrated" if state == "none" else state)),
        ("learnt documents", f"{len(learnt.digests):,}"),
        ("terms used", f"{classifier.facts()['terms used']:,}"),
    ]


def _terms_fact(analyzer: Analyzer) -> list[tuple[str, str]]:
    """Return the kinds of terms, or the range of n-grams; nothing for words alone."""
    if analyzer.terms is None:
        assert analyzer.ngram is not None
        return [("n-grams", "–".join(map(str, analyzer.ngram)))]
    return [] if analyzer.terms == ("words",) else [("terms", ", ".join(analyzer.terms))]


def file_name(path: Path) -> str:
    """Return the name of a file or folder, without the folders above it."""
    return path.name or path.resolve().name or str(path)


def top_words(classifier: TextClassifier) -> dict[str, list[Word]]:
    """Return the words of each class that it has more often than the others; none if there is no other class."""
    words = {}
    for name in classifier.classes_ if len(classifier.classes_) > 1 else []:
        typical = classifier.words(name, by="log-odds", top=_TERMS_PER_CLASS)
        words[name] = folded_words([Word(each.term, each.value, each.documents) for each in typical if each.value > 0])
    return words


def folded_words(typical: Sequence[Word], most: int = WORDS_PER_CLASS) -> list[Word]:
    """Return at most so many words, and with each the n-grams of the list that contain it.

    >>> pair, longer = Word("boil eggs", 3.0, 2), Word("chars:egg", 1.0, 2)
    >>> folded_words([Word("eggs", 4.0, 2), pair, longer]) == [Word("eggs", 4.0, 2, (pair,)), longer]
    True
    """
    listed = [word.term for word in typical if not _is_ngram(word.term)]
    while True:  # an n-gram that contains no listed word takes the place of the last word, which is then not listed
        inside = {word.term: _first_within(word.term, listed) for word in typical}
        heads = [word for word in typical if inside[word.term] is None][:most]
        still = [word.term for word in heads if word.term in listed]
        if still == listed:
            break
        listed = still
    return [word._replace(longer=tuple(each for each in typical if inside[each.term] == word.term)) for word in heads]


def _first_within(term: str, words: Sequence[str]) -> str | None:
    """Return the first of the words that an n-gram contains; none for a word."""
    return next((word for word in words if _contains(term, word)), None)


def _is_ngram(term: str) -> bool:
    return " " in term or term.startswith(CHARS_PREFIX)


def _contains(ngram: str, word: str) -> bool:
    """Whether an n-gram of words has the word, or one of characters its characters."""
    if ngram.startswith(CHARS_PREFIX):
        return word in ngram.removeprefix(CHARS_PREFIX)
    return " " in ngram and word in ngram.split(" ")


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
        ("corpus", file_name(corpus)),
        ("documents", f"{comparison.documents:,}"),
        ("folds", f"{comparison.folds:,}"),
        ("repeats", f"{comparison.repeats:,}"),
        ("seed", str(comparison.seed)),
    ]
    about_tests = (
        "95 % intervals. The p-values are against the first recipe, which was chosen on the same documents; they are "
        "corrected for that by testing all pairs of recipes (Holm)."
    )
    notes = [say.sentences(*advice_lines(comparison.advice, say)), say(about_tests)]
    notes += group_notes(comparison.documents, comparison.groups, say)
    title = say("Comparison of models on {corpus}", corpus=file_name(corpus))
    return Report(title, facts, notes, models=Table(columns, rows, comparison.documents))


def advice_lines(advice: Advice, say: Language) -> list[str]:
    """Return the answer to "which model should I use?", in sentences."""
    lines = [say("Use {name}: its answers are the most accurate here.", name=advice.best)]
    if advice.as_good:
        phrase = "No test tells it from {names} on these documents."
        lines.append(say(phrase, names=", ".join(advice.as_good)))
    if advice.quickest != advice.best:
        lines.append(say("If time matters, use {name}, which takes the least of these.", name=advice.quickest))
    return lines


def curves_report(curves: Sequence[Curve], corpus: Path, say: Language) -> Report:
    """Return the page of learning curves: one chart per measure."""
    shown = {what.replace("_", " "): _learning_curves(curves, what) for what in OF_CURVES}
    return Report(say("Learning curve"), [("corpus", file_name(corpus))], curves=shown)


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
