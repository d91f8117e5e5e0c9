"""Writing a model, and saying what was done."""

from pathlib import Path

from textnb.classifier import TextClassifier
from textnb.cli.console import plural, say
from textnb.counts import Learnt


def save_and_say(classifier: TextClassifier, output: Path, done: str, part: Learnt, quiet: bool) -> None:
    """Write the model file; one line on standard error says what is in it now."""
    classifier.save(output)
    if not quiet:
        counts = classifier.learnt.counts
        say(
            f"{done} {plural(len(part.digests), 'document')}; {output} holds "
            f"{plural(len(classifier.learnt.digests), 'document')}, {plural(counts.n_classes, 'class', 'classes')}, "
            f"{plural(counts.n_terms, 'term')}"
        )
