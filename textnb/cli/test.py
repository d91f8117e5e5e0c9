"""textnb test.

A model on a labelled corpus: its answers, and the mistakes it was surest of with their reasons.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from textnb.classifier.explanation import Explanation
from textnb.classifier.fitted import Fitted
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.decision import costs_file
from textnb.cli.options.groups import takes, verb
from textnb.cli.options.inputs import LabelledReading, Running
from textnb.cli.options.report import Reporting, model_facts, top_words
from textnb.cli.sources import corpus_documents, counted_before
from textnb.cli.terminal import print_json, print_table
from textnb.counts import Counted
from textnb.evaluation import CostEvaluation, Evaluation, Reliability, RiskCoverage, read_costs
from textnb.evaluation.evaluation import Mistake, confident_mistakes
from textnb.evaluation.reliability import Bin, CoveragePoint
from textnb.numerics import Floats
from textnb.readers import Document
from textnb.report.values import ExplainedDocument, Report

_ENTRIES = 1_000_000
"""Non-zero counts, and so documents, held at once."""
REASONS = 8


class CorpusAnswers(NamedTuple):
    """The true labels, the log probabilities (D, C), and the surest mistakes."""

    labels: list[str]
    log_probabilities: Floats
    mistakes: list[ExplainedDocument]


class _Found(NamedTuple):
    mistake: Mistake
    id: str
    text: str | None
    why: Callable[[str, str | None], Explanation]


def answers(
    classifier: TextClassifier,
    corpus: Path,
    reading: LabelledReading,
    running: Running,
    trust: Collection[str],
    most: int,
) -> CorpusAnswers:
    """All answers, and at most so many mistakes. Only documents that may be among these are kept."""
    fitted = classifier.fitted
    labels: list[str] = []
    logs = [np.empty((0, len(fitted.classes)))]
    found: list[_Found] = []
    for part, rows, documents in _scored(fitted, corpus, reading, running, trust):
        labels += part.named_labels
        logs.append(rows)
        found += _mistakes_in(fitted, part, rows, documents, most)
        found = sorted(found, key=lambda each: -each.mistake.probability)[:most]
    return CorpusAnswers(labels, np.concatenate(logs), [_explained(each, fitted) for each in found])


def _scored(
    fitted: Fitted, corpus: Path, reading: LabelledReading, running: Running, trust: Collection[str]
) -> Iterator[tuple[Counted, Floats, Sequence[Document] | None]]:
    """The corpus in parts, each with its log probabilities and its documents, if there is more of them than counts."""
    before = counted_before(corpus, fitted.recipe.terms_of, trust)
    if before is not None:
        yield before, fitted.log_proba_counted(before), None
        return
    read: deque[Document] = deque()
    documents = _noted(corpus_documents(corpus, reading, running), read)
    for part, rows in fitted.score_parts(documents, running.n_jobs, _ENTRIES):
        yield part, rows, [read.popleft() for _ in range(len(part))]


def _noted(documents: Iterable[Document], read: deque[Document]) -> Iterator[Document]:
    for document in documents:
        read.append(document)
        yield document


def _mistakes_in(
    fitted: Fitted, part: Counted, rows: Floats, documents: Sequence[Document] | None, most: int
) -> Iterator[_Found]:
    for mistake in confident_mistakes(part.named_labels, rows, fitted.classes, most):
        i = mistake.row
        if documents is None:
            yield _Found(mistake, part.ids[i], None, partial(fitted.explain, part.rows(np.array([i]))))
        else:
            yield _Found(mistake, part.ids[i], documents[i].text, partial(fitted.explain, documents[i]))


def _explained(found: _Found, fitted: Fitted) -> ExplainedDocument:
    """The reasons for the predicted class over the true one, or over the next if that is not known to the model."""
    mistake = found.mistake
    against = mistake.true if mistake.true in fitted.classes else None
    why = found.why(mistake.predicted, against) if len(fitted.classes) > 1 else None
    return ExplainedDocument(found.id, found.text, why, mistake)


def mistake_json(document: ExplainedDocument) -> dict[str, Any]:
    """A mistake as plain JSON values; the reasons sum to the score."""
    mistake, explanation = document.mistake, document.explanation
    assert mistake is not None
    told: dict[str, Any] = {"id": document.id, **mistake._asdict()}
    del told["row"]
    if explanation is not None:
        rows = explanation.rows(REASONS)
        told |= {"against": explanation.against, "score": explanation.score}
        told["reasons"] = [{"term": term, "times": times, "value": value} for term, times, value in rows]
    return told


def mistake_row(document: ExplainedDocument) -> tuple[str, str, str, float, str]:
    """A mistake in a row: (document, true, predicted, probability, words that spoke for it)."""
    mistake, explanation = document.mistake, document.explanation
    assert mistake is not None
    terms = [] if explanation is None else explanation.by_term()
    reasons = ", ".join(f"{term} {value:+.2f}" for term, _, value in terms[:REASONS] if value > 0)
    return document.id, mistake.true, mistake.predicted, mistake.probability, reasons


_MOST_SHOWN = 12
_MISTAKES = 5
_MISTAKES_ON_A_PAGE = 50


@verb
@inputs.model_path
@inputs.corpus_path
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
    corpus: Path,
    costs: Path | None,
    mistakes: int | None,
    as_json: bool,
    trust: Collection[str],
    running: inputs.Running,
    reading: inputs.LabelledReading,
    reporting: Reporting,
) -> None:
    """Classify a labelled corpus and measure the answers.

    Accuracy has a 95 % interval (Wilson). ECE is the expected calibration error over the 15 bins of the reliability
    table. The table of cut-offs helps to choose P for textnb predict --unsure P: it shows how many documents are still
    answered, and how accurately, if only confident answers are given. AURC is the area under the risk-coverage curve; 0
    is best. The mistakes shown are the most confident ones, with the words that favoured the predicted class over the
    true class.

    With --costs (see textnb predict --help for such a file) the mean cost per document is shown as well, for the answer
    of least expected cost and for the most probable class. A true class that the model does not know costs the default,
    whatever the answer.

    Examples:

        textnb test news.textnb held-out/
        textnb test mail.textnb held-out/ --costs costs.toml
        textnb test news.textnb held-out/ --html report.html --lang ja
    """
    reporting.check(model, corpus)
    classifier = TextClassifier.load(model, trust)
    fitted = classifier.fitted
    prices = None if costs is None else read_costs(costs)
    if prices is not None:
        prices.rule(fitted.classes)  # a class that is not there is said before the work, not after it
    most = mistakes if mistakes is not None else _MISTAKES if reporting.html is None else _MISTAKES_ON_A_PAGE
    given = answers(classifier, corpus, reading, running, trust, most)
    evaluation = Evaluation.of(given.labels, given.log_probabilities, fitted.classes)
    costly = None
    if prices is not None:
        costly = CostEvaluation.of(given.labels, np.exp(given.log_probabilities), prices, fitted.classes)
    if as_json:
        coded = {**evaluation.json, "mistakes": list(map(mistake_json, given.mistakes))}
        print_json({**coded, **({"costs": costly.json} if costly else {})})
    else:
        _print_evaluation(evaluation, costly)
        _print_mistakes(given.mistakes[: _MISTAKES if mistakes is None else None])
    if reporting.html is not None:
        language = reporting.language
        report = Report(
            language("Test of {model}", model=model.name),
            facts=model_facts(classifier, model, corpus, language),
            evaluation=evaluation,
            costs=costly,
            words=top_words(classifier),
            mistakes=given.mistakes,
        )
        reporting.write(report, running.quiet)


def _print_evaluation(evaluation: Evaluation, costly: CostEvaluation | None) -> None:
    facts = [
        ("documents", f"{evaluation.documents:,}"),
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
            ("decided otherwise than most probable", f"{costly.changed:,}, of them unsure {costly.unsure:,}"),
        ]
    if evaluation.unknown:
        facts.append(("unknown to the model", ", ".join(evaluation.unknown)))
    print_table(["measure", "value"], facts)
    print_table(["class", "precision", "recall", "F1", "documents"], evaluation.per_class())
    if len(evaluation.classes) <= _MOST_SHOWN:
        _print_confusion(evaluation)
    confusions = evaluation.confusions()[:_MOST_SHOWN]
    if confusions:
        print_table(["true", "predicted", "documents"], confusions, "most frequent confusions")
    _print_reliability(evaluation.reliability)
    _print_risk_coverage(evaluation.risk_coverage)


def _print_mistakes(documents: list[ExplainedDocument]) -> None:
    if documents:
        columns = ["document", "true", "predicted", "probability", "words that spoke for it"]
        print_table(columns, list(map(mistake_row, documents)), "mistakes that the model was surest of")


def _print_reliability(table: Reliability) -> None:
    rows = [
        (f"{each.low:.3f} to {each.high:.3f}", each.documents, each.confidence, _with_interval(each))
        for each in table.bins
    ]
    print_table(["probability", "documents", "mean probability", "accuracy"], rows, "reliability")


def _with_interval(each: Bin | CoveragePoint | Evaluation) -> str:
    low, high = each.accuracy_interval
    return f"{each.accuracy:.4f}  ({low:.4f} to {high:.4f})"


def _print_risk_coverage(curve: RiskCoverage) -> None:
    rows = [
        (str(point.threshold), point.documents, f"{point.coverage:.1%}", point.errors, _with_interval(point))
        for point in curve.points()
    ]
    columns = ["unsure below", "answered", "coverage", "errors", "accuracy of the answered"]
    print_table(columns, rows, "answering only the surest")


def _print_confusion(evaluation: Evaluation) -> None:
    numbers = [f"{k}" for k in range(1, len(evaluation.classes) + 1)]
    rows = [
        (f"{number} {name}", *row)
        for number, name, row in zip(numbers, evaluation.classes, evaluation.confusion.tolist(), strict=True)
    ]
    print_table(["true \\ predicted", *numbers], rows, "confusion")
