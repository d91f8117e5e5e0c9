"""From paths on the command line to documents."""

import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from textnb.bundle import is_bundle
from textnb.classifier import TextClassifier
from textnb.cli.console import progress
from textnb.cli.options import LabelledReading, Reading
from textnb.countfile import read_counts
from textnb.counts import Counted
from textnb.errors import InputError
from textnb.inputs import as_labelled
from textnb.readers import Document, read_corpus, read_input, read_lines

CountFile = tuple[Counted, dict[str, Any]]


def corpus_documents(path: Path, reading: LabelledReading, quiet: bool) -> Iterator[Document]:
    """The labelled documents of a corpus, with progress."""
    documents = read_corpus(path, **asdict(reading))
    return as_labelled(progress(documents, "reading", _expected_documents(path), quiet), None)


def count_file(path: Path) -> CountFile | None:
    """What a count file holds; None for any other corpus."""
    return read_counts(path) if path.is_file() and is_bundle(path) else None


def same_terms(classifier: TextClassifier, path: Path, file: CountFile) -> Counted:
    """The documents of a count file, if they were tokenised as the classifier tokenises."""
    counted, theirs = file
    mine = classifier.recipe.json
    same = mine["tokenizer"] == theirs["tokenizer"] and all(
        mine["analyzer"][part] == theirs["analyzer"][part] for part in ("normalisers", "ngram")
    )
    if not same:
        raise InputError(f"{path} was tokenised in another way than the model's: {theirs}")
    return counted


def input_documents(inputs: list[str] | None, reading: Reading) -> Iterator[Document]:
    """The documents of all inputs, in order; ids carry the input's name when there are several."""
    names = inputs or ["-"]
    for name in names:
        if name == "-":
            documents = read_lines(sys.stdin.buffer, reading.settings)
        else:
            documents = read_input(Path(name), reading.reader, reading.settings)
        for document in documents:
            alone = len(names) == 1 or document.id == name
            yield document if alone else replace(document, id=f"{name}:{document.id}")


def _expected_documents(path: Path) -> int | None:
    """How many documents a corpus is likely to have, for the progress bar."""
    if path.is_dir():
        return sum(1 for file in path.rglob("*") if file.is_file())
    if path.suffix == ".gz" or not path.is_file():
        return None
    with path.open("rb") as stream:
        return sum(piece.count(b"\n") for piece in iter(lambda: stream.read(1 << 20), b""))
