"""textnb test."""

import numpy as np

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.output import print_json, print_table
from textnb.cli.sources import counted_corpus
from textnb.evaluation import Evaluation

_MOST_SHOWN = 12


def test(
    model: options.ModelPath,
    corpus: options.CorpusPath,
    reading: options.LabelledReading,
    running: options.Running,
    as_json: options.Json = False,
    trust: options.Trust = None,
) -> None:
    """Classify a labelled corpus and say how well it went.

    Accuracy has its 95 % interval (Wilson). ECE is the expected calibration error over 15 bins.

    Example:

        textnb test news.textnb held-out/
    """
    classifier = TextClassifier.load(model, trust or ())
    fitted = classifier.fitted
    labels: list[str] = []
    logs = [np.empty((0, len(fitted.classes)))]
    for part in counted_corpus(corpus, classifier.recipe.terms_of, reading, running, trust):
        labels += part.named_labels
        logs.append(fitted.log_proba_counted(part))
    evaluation = Evaluation.of(labels, np.concatenate(logs), fitted.classes)
    if as_json:
        print_json(evaluation.json)
    else:
        _print_evaluation(evaluation)


def _print_evaluation(evaluation: Evaluation) -> None:
    low, high = evaluation.accuracy_interval
    facts = [
        ("documents", f"{evaluation.documents:,}"),
        ("accuracy", f"{evaluation.accuracy:.4f}  ({low:.4f} to {high:.4f})"),
        ("macro F1", f"{evaluation.macro_f1:.4f}"),
        ("log loss", f"{evaluation.log_loss:.4f}"),
        ("Brier", f"{evaluation.brier:.4f}"),
        ("ECE", f"{evaluation.ece:.4f}"),
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


def _print_confusion(evaluation: Evaluation) -> None:
    numbers = [f"{k}" for k in range(1, len(evaluation.classes) + 1)]
    rows = [
        (f"{number} {name}", *row)
        for number, name, row in zip(numbers, evaluation.classes, evaluation.confusion.tolist(), strict=True)
    ]
    print_table(["true \\ predicted", *numbers], rows, "confusion")
