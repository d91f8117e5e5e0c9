"""Writing a model, and saying what was done."""

from pathlib import Path

from textnb.bundle import is_bundle
from textnb.classifier import TextClassifier
from textnb.cli.console import plural, say
from textnb.counts import Learnt
from textnb.errors import InputError
from textnb.storage import check_writable


def check_output(output: Path, corpus: Path | None = None) -> None:
    """Refuse, before any work, an output that cannot be written or would replace what is not textnb's."""
    check_writable(output)
    if corpus is not None and corpus.exists() and output.exists() and output.samefile(corpus):
        raise InputError(f"{output} is the corpus itself; choose another name for the output")
    if output.exists() and output.stat().st_size and not is_bundle(output):
        raise InputError(f"{output} is there already and no file of textnb's; remove it first, or choose another name")


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
