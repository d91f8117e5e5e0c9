"""textnb test."""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import click
import numpy as np

from textnb.classifier.suspects import excerpt_of
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.decision import check_precision_alone, costs_file, precision_of_answers, precision_rule
from textnb.cli.options.groups import takes, verb
from textnb.cli.options.report import Reporting
from textnb.cli.sources import CorpusSource
from textnb.cli.terminal import print_json, print_suspects, print_table, warn
from textnb.errors import InputError, listed
from textnb.evaluation import CostEvaluation, Evaluation, KeptAnswers, Reliability, RiskCoverage, read_costs
from textnb.evaluation.reliability import Bin, CoveragePoint
from textnb.language import spoken
from textnb.report import ExplainedDocument
from textnb.report.contents import test_report
from textnb.report.mistakes import REASONS, answer_corpus, mistake_json


def mistake_row(document: ExplainedDocument) -> tuple[str, str, str, float, str, str]:
    """Return a mistake as a row: document, true and predicted class, probability, excerpt, words for the prediction."""
    mistake, explanation = document.mistake, document.explanation
    assert mistake is not None
    terms = [] if explanation is None else explanation.by_term()
    reasons = ", ".join(f"{term} {value:+.2f}" for term, _, value in terms[:REASONS] if value > 0)
    return document.id, mistake.true, mistake.predicted, mistake.probability, excerpt_of(document.text or ""), reasons


_MOST_SHOWN = 12
_MISTAKES = 5
_MISTAKES_ON_A_PAGE = 50


@verb
@inputs.model_path
@inputs.corpus_paths
@precision_of_answers
@costs_file
@click.option(
    "--mistakes",
    metavar="N",
    type=click.IntRange(min=0),
    help=f"Number of mistakes to show.  [default: {_MISTAKES}; {_MISTAKES_ON_A_PAGE} with --html]",
)
@inputs.as_json
@inputs.trust
@takes(running=inputs.Running, reading=inputs.LabelledReading, reporting=Reporting)
def test(
    model: Path,
    corpora: Sequence[str],
    precision: float | None,
    costs: Path | None,
    mistakes: int | None,
    as_json: bool,
    trust: Collection[str],
    running: inputs.Running,
    reading: inputs.LabelledReading,
    reporting: Reporting,
) -> None:
    """Classify a labelled corpus and measure the answers.

    Accuracy has a 95 % interval (Wilson). Copies of a document, and documents of one group, count as one observation in
    it. ECE is the expected calibration error over the 15 bins of the reliability table. The table of cut-offs helps to
    choose P for textnb predict --unsure P: it shows how many documents are still answered, and how accurately, if only
    confident answers are given. AURC is the area under the risk-coverage curve; 0 is best. The mistakes shown are the
    most confident ones, with the words that favoured the predicted class over the true class.

    With --costs (see textnb predict --help for such a file) the mean cost per document is shown as well, for the answer
    of least expected cost and for the most probable class. A true class that the model does not know costs the default,
    whatever the answer.

    With --precision (see textnb predict --help) a table shows what it would answer: the cut-off of each class, how many
    documents are answered, and how many of these answers are correct. --precision and --costs exclude each other.

    Documents that the model has learnt, with the same label, flatter it: a warning counts them, and so does "learnt" of
    --json. Those whose label is suspect are listed: without the document itself, the model would answer another class.
    Labels that the model does not know count as mistakes, with a warning; if it knows none, the exit code is 1.

    Examples:

        textnb test news.textnb held-out/
        textnb test news.textnb held-out/ --precision 0.98
        textnb test mail.textnb held-out/ --costs costs.toml
        textnb test news.textnb held-out/ --html report.html --lang ja
    """
    check_precision_alone(precision, {"--costs": costs})
    reporting.check(model, *map(Path, corpora))
    classifier = TextClassifier.load(model, trust, labels="text")
    classes = classifier.classes_.tolist()
    prices = None if costs is None else read_costs(costs)
    if prices is not None:
        prices.check_classes(classes)
    rule = None if precision is None else precision_rule(classifier, precision)
    most = mistakes if mistakes is not None else _MISTAKES if reporting.html is None else _MISTAKES_ON_A_PAGE
    source = CorpusSource.open(corpora, reading, running, trust)
    corpus = Path(source.name)
    given = answer_corpus(classifier, source.labelled(classifier.recipe.terms_of), most, jobs=running.n_jobs)
    _check_labels(given.labels, classes, corpus)
    _warn_of_learnt(given.n_learnt, len(given.labels))
    evaluation = Evaluation.of(given.labels, given.log_probabilities, classes, given.groups)
    costly = None
    if prices is not None:
        costly = CostEvaluation.of(given.labels, np.exp(given.log_probabilities), prices, classes)
    kept = None
    if rule is not None:
        kept = KeptAnswers.of(given.labels, np.exp(given.log_probabilities), rule, classes, given.groups)
    if reporting.html is not None:  # before anything is printed: a closed pipe ends the verb
        report = test_report(classifier, model, corpus, evaluation, costly, given, reporting.language)
        reporting.write(report, running.quiet)
    if as_json:
        coded = {"learnt": given.n_learnt, **evaluation.json, "mistakes": list(map(mistake_json, given.mistakes))}
        coded |= {"costs": costly.json} if costly else {}
        coded |= {"suspects": [each.json for each in given.suspects]} if given.suspects else {}
        print_json(coded | ({"kept": {"promised": precision, **kept.json}} if kept else {}))
    else:
        _print_evaluation(evaluation, costly)
        if kept is not None:
            _print_kept(kept, precision)
        shown = _MISTAKES if mistakes is None else None
        _print_mistakes(given.mistakes[:shown])
        print_suspects(given.suspects[:shown])
    source.throughput.say(quiet=running.quiet)


def _check_labels(labels: Sequence[str], classes: Sequence[str], corpus: Path) -> None:
    """Refuse labels that are all unknown to the model, and warn of some."""
    unknown = Counter(labels) - Counter({name: len(labels) for name in classes})
    values = {"unknown": listed(unknown), "classes": listed(classes), "corpus": corpus}
    if labels and unknown.total() == len(labels):
        template = "no label of {corpus} is a class of the model: the labels are {unknown}; the classes are {classes}"
        raise InputError(template, **values)
    if unknown:
        template = "{n:,} of {all:,} documents count as mistakes: the model does not know {unknown}; it has {classes}"
        warn(template, n=unknown.total(), all=len(labels), **values)


def _warn_of_learnt(n_learnt: int, n_documents: int) -> None:
    """Warn if the model is tested on documents that it has learnt."""
    if n_learnt:
        template = "the model has learnt {n:,} of the {all:,} documents ({share:.1%}), which flatters it; use others"
        warn(template, n=n_learnt, all=n_documents, share=n_learnt / n_documents)


def _print_evaluation(evaluation: Evaluation, costly: CostEvaluation | None) -> None:
    facts = [
        ("documents", f"{evaluation.documents:,}"),
        *_groups(evaluation),
        ("accuracy", _with_interval(evaluation)),
        ("macro F1", f"{evaluation.macro_f1:.4f}"),
        ("log loss", f"{evaluation.log_loss:.4f}"),
        ("Brier", f"{evaluation.brier:.4f}"),
        ("ECE", f"{evaluation.ece:.4f}"),
        ("AURC", f"{evaluation.risk_coverage.aurc:.4f}"),
    ]
    if costly:
        facts += [
            ("mean cost", f"{costly.mean_cost:.4f}"),
            ("mean cost of the most probable class", f"{costly.mean_cost_of_most_probable:.4f}"),
            ("answers changed by costs", f"{costly.changed:,}, {costly.unsure:,} of them unsure"),
        ]
    if evaluation.unknown:
        facts.append(("unknown to the model", ", ".join(evaluation.unknown)))
    print_table(["measure", "value"], facts, facts=True)
    print_table(["class", "precision", "recall", "F1", "documents"], evaluation.per_class())
    if len(evaluation.classes) <= _MOST_SHOWN:
        _print_confusion(evaluation)
    confusions = evaluation.confusions()[:_MOST_SHOWN]
    if confusions:
        print_table(["true", "predicted", "documents"], confusions, "most frequent confusions")
    _print_reliability(evaluation.reliability)
    _print_risk_coverage(evaluation.risk_coverage)


def _print_kept(kept: KeptAnswers, promised: float | None) -> None:
    rows = [
        (name, "none" if cutoff is None else f"{cutoff:.4f}", answered, f"{answered / kept.documents:.1%}", shown)
        for name, cutoff, answered, _, precision, (low, high) in kept.classes
        for shown in ["" if precision is None else f"{precision:.4f}  ({_from_to(low, high)})"]
    ]
    reached = "" if kept.precision is None else f"{kept.precision:.4f}"
    total = ("all classes", "", kept.answered, f"{kept.coverage:.1%}", reached)
    columns = ["class", "cut-off", "answered", "coverage", "precision reached"]
    print_table(columns, [*rows, total], f"answering only with a promised precision of {promised:g}")


def _groups(evaluation: Evaluation) -> list[tuple[str, str]]:
    if evaluation.groups == evaluation.documents:
        return []
    return [("groups", f"{evaluation.groups:,} (copies of a document are one group)")]


def _print_mistakes(documents: list[ExplainedDocument]) -> None:
    if documents:
        columns = ["document", "true", "predicted", "probability", "text", "words for the prediction"]
        print_table(columns, list(map(mistake_row, documents)), "most confident mistakes")


def _print_reliability(table: Reliability) -> None:
    rows = [
        (_from_to(each.low, each.high, 3), each.documents, each.confidence, _with_interval(each)) for each in table.bins
    ]
    print_table(["probability", "documents", "mean probability", "accuracy"], rows, "reliability")


def _with_interval(each: Bin | CoveragePoint | Evaluation) -> str:
    low, high = each.accuracy_interval
    return f"{each.accuracy:.4f}  ({_from_to(low, high)})"


def _from_to(low: float, high: float, digits: int = 4) -> str:
    return spoken()("{low} to {high}", low=f"{low:.{digits}f}", high=f"{high:.{digits}f}")


def _print_risk_coverage(curve: RiskCoverage) -> None:
    rows = [
        (str(point.threshold), point.documents, f"{point.coverage:.1%}", point.errors, _with_interval(point))
        for point in curve.points()
    ]
    columns = ["cut-off", "answered", "coverage", "errors", "accuracy if answered"]
    print_table(columns, rows, "answering only if confident")


def _print_confusion(evaluation: Evaluation) -> None:
    numbers = [f"{k}" for k in range(1, len(evaluation.classes) + 1)]
    rows = [
        (f"{number} {name}", *row)
        for number, name, row in zip(numbers, evaluation.classes, evaluation.confusion.tolist(), strict=True)
    ]
    print_table(["true \\ predicted", *numbers], rows, "confusion")
