"""textnb info and textnb models."""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from textnb.classifier.facts import FOUND, dropped_facts, dropped_in_words, fact_lines, quality_lines
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.groups import argument, verb
from textnb.cli.options.model import option_rows
from textnb.cli.terminal import print_json, print_table, print_text
from textnb.files.bundle import is_bundle
from textnb.files.count_file import holds_counts, read_counts, recipe_of
from textnb.files.model_file import verify_model
from textnb.language import spoken
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of


@verb
@inputs.model_path
@click.option("--verify", is_flag=True, help="Check the whole file first.")
@inputs.as_json
@inputs.trust
def info(model: Path, verify: bool, as_json: bool, trust: Collection[str]) -> None:
    """Show the recipe, the classes and the size of a model file.

    Of a file of `textnb count` it shows how it was counted, its classes, and what a term budget has dropped.

    Opening a model checks the structure of its file; the sha256 sums of its content are checked before the model is
    changed and written again. With --verify all is checked now; do so once with a file that was copied or downloaded.

    Examples:

        textnb info news.textnb
        textnb info news.textnb --verify
    """
    if is_bundle(model) and holds_counts(model):
        _print_counts(model, as_json, trust)
        return
    if verify:
        verify_model(model)
    classifier = TextClassifier.load(model, trust, labels="text")
    facts = {"file": str(model), "bytes": Path(model).stat().st_size, **classifier.facts()}
    if as_json:
        print_json(facts)
        return
    shown = [(name, str(value)) for name, value in facts.items() if name not in FOUND]
    found = [*fact_lines(facts), *quality_lines(facts["left out"])] if facts["classes"] else []
    print_table(["what", "value"], [*shown, *found], facts=True)
    print_table(["class", "documents"], list(facts["classes"].items()))


def _print_counts(path: Path, as_json: bool, trust: Collection[str]) -> None:
    """Print what a count file has; reading it checks all of it."""
    counted, terms_of = read_counts(path, trust)
    dropped = dropped_facts(counted.dropped)
    facts: dict[str, Any] = {
        "file": str(path),
        "bytes": path.stat().st_size,
        "documents": len(counted),
        "terms": len(counted.vocabulary),
        **({"dropped": dropped} if counted.dropped.pairs else {}),
        **recipe_of(terms_of),
        "classes": dict(sorted(Counter(label or "" for label in counted.labels).items())),
    }
    if as_json:
        print_json(facts)
        return
    shown = [(name, str(value)) for name, value in facts.items() if name not in FOUND]
    found = [("dropped terms", dropped_in_words(dropped))] if counted.dropped.pairs else []
    print_table(["what", "value"], [*shown, *found], facts=True)
    print_table(["class", "documents"], list(facts["classes"].items()))


@verb
@argument("name", "[NAME]", "Name of a model.", required=False)
@inputs.as_json
def models(name: str | None, as_json: bool) -> None:
    """List the models, or the options of one model.

    Give an option to textnb train or tune as --set OPTION=VALUE.

    Examples:

        textnb models
        textnb models nb-logistic
    """
    if name is None:
        described = {each: model_of(each).help for each in MODELS}
        if as_json:
            print_json(described)
        else:
            language = spoken()
            print_text("\n".join(f"{each:<22} {language.name(line)}" for each, line in described.items()))
        return
    rows = option_rows(name)
    if as_json:
        print_json(rows)
    else:
        print_table(list(rows[0]), [list(row.values()) for row in rows], facts=True)
