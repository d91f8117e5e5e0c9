"""Writing a model, and saying what was done."""

from pathlib import Path

from textnb.classifier import TextClassifier
from textnb.cli.console import say
from textnb.counts import Learnt


def save_and_say(classifier: TextClassifier, output: Path, done: str, part: Learnt, quiet: bool) -> None:
    """Write the model file; one line on standard error says what is in it now."""
    if classifier.learnt.counts.classes:
        classifier.fitted  # noqa: B018  # what cannot be fitted is refused before it is written
    classifier.save(output)
    if not quiet:
        counts = classifier.learnt.counts
        say(
            f"{done} {len(part.digests):,} documents: {len(classifier.learnt.digests):,} documents, "
            f"{counts.n_classes} classes, {counts.n_terms:,} terms -> {output}"
        )
