"""textnb test."""

import numpy as np

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.deciding import CostsFile
from textnb.cli.output import print_json, print_table
from textnb.cli.sources import counted_corpus
from textnb.evaluation import CostEvaluation, Evaluation, RiskCoverage, read_costs

_MOST_SHOWN = 12


def test(
    model: options.ModelPath,
    corpus: options.CorpusPath,
    reading: options.LabelledReading,
    running: options.Running,
    costs: CostsFile = None,
    as_json: options.Json = False,
    trust: options.Trust = None,
) -> None:
    """Classify a labelled corpus and say how well it went.

    Accuracy has its 95 % interval (Wilson). ECE is the expected calibration error over 15 bins. The last
    table is for choosing a P for `textnb predict --unsure P`: how many documents are still answered, and how well, if
    only the surest are. AURC is the area under the share of errors over the share of documents answered, 0 at best.

    With `--costs` (`textnb predict --help` shows such a file) also the mean cost of a document, decided by least
    expected cost and, beside it, for the most probable class. A true class that the model does not know costs the
    default whatever class is answered.

    Examples:

        textnb test news.textnb held-out/

        textnb test mail.textnb held-out/ --costs costs.toml
    """
    classifier = TextClassifier.load(model, trust or ())
    fitted = classifier.fitted
    prices = None if costs is None else read_costs(costs)
    if prices is not None:
        prices.rule(fitted.classes)  # a class that is not there is said before the work, not after it
    labels: list[str] = []
    logs = [np.empty((0, len(fitted.classes)))]
    for part in counted_corpus(corpus, classifier.recipe.terms_of, reading, running, trust):
        labels += part.named_labels
        logs.append(fitted.log_proba_counted(part))
    log_probabilities = np.concatenate(logs)
    evaluation = Evaluation.of(labels, log_probabilities, fitted.classes)
    costly = None
    if prices is not None:
        costly = CostEvaluation.of(labels, np.exp(log_probabilities), prices, fitted.classes)
    if as_json:
        print_json({**evaluation.json, **({"costs": costly.json} if costly else {})})
    else:
        _print_evaluation(evaluation, costly)


def _print_evaluation(evaluation: Evaluation, costly: CostEvaluation | None) -> None:
    low, high = evaluation.accuracy_interval
    facts = [
        ("documents", f"{evaluation.documents:,}"),
        ("accuracy", f"{evaluation.accuracy:.4f}  ({low:.4f} to {high:.4f})"),
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
    _print_risk_coverage(evaluation.risk_coverage)


def _print_risk_coverage(curve: RiskCoverage) -> None:
    rows = [
        (
            str(point.threshold),
            point.documents,
            f"{point.coverage:.1%}",
            point.errors,
            f"{point.accuracy:.4f}  ({point.accuracy_interval[0]:.4f} to {point.accuracy_interval[1]:.4f})",
        )
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
