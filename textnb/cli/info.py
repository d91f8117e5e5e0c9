"""textnb info."""

from collections.abc import Collection
from pathlib import Path

from textnb.classifier.facts import FOUND, fact_lines
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.groups import verb
from textnb.cli.terminal import print_json, print_table


@verb
@inputs.model_path
@inputs.as_json
@inputs.trust
def info(model: Path, as_json: bool, trust: Collection[str]) -> None:
    """Show the recipe, the classes and the size of a model file.

    Example:

        textnb info news.textnb
    """
    classifier = TextClassifier.load(model, trust)
    facts = {"file": str(model), "bytes": Path(model).stat().st_size, **classifier.facts()}
    if as_json:
        print_json(facts)
        return
    shown = [(name, str(value)) for name, value in facts.items() if name not in FOUND]
    found = fact_lines(facts) if facts["classes"] else []
    print_table(["what", "value"], [*shown, *found])
    print_table(["class", "documents"], list(facts["classes"].items()))
