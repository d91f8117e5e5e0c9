"""textnb info."""

from pathlib import Path

from textnb.classifier.facts import FOUND, fact_lines
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.terminal import print_json, print_table


def info(model: inputs.ModelPath, as_json: inputs.Json = False, trust: inputs.Trust = None) -> None:
    """Show what a model is made of: its recipe, its classes, what it has learnt.

    Example:

        textnb info news.textnb
    """
    classifier = TextClassifier.load(model, trust or ())
    facts = {"file": str(model), "bytes": Path(model).stat().st_size, **classifier.facts()}
    if as_json:
        print_json(facts)
        return
    shown = [(name, str(value)) for name, value in facts.items() if name not in FOUND]
    found = fact_lines(facts) if facts["classes"] else []
    print_table(["what", "value"], [*shown, *found])
    print_table(["class", "documents"], list(facts["classes"].items()))
