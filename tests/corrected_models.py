"""Small models that tests correct, and the mails that they learn."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from textnb import Document, TextClassifier
from textnb.mail.corrections import CorrectedFile

TEXTS = [f"w{n % 7} v{n % 5} n{n % 3} of" for n in range(60)]
LABELS = ["spam" if n % 3 else "ham" for n in range(60)]
MAILS = [Document(text) for text in ("w1 w1 new", "v2 of of of", "", "w1 v2 n0", "neu w3 w3 w3 v1")]


def dated(document, day):
    """Document that was received on a day of January 2002; without a date for 0."""
    return replace(document, received=datetime(2002, 1, day, tzinfo=UTC) if day else None)


def trained(kind="multinomial", more=(), **options):
    labelled = [Document(text, name) for text, name in zip(TEXTS, LABELS, strict=True)]
    return TextClassifier(kind, tokenizer="words", **options).fit([*labelled, *more])


def saved(folder, kind="multinomial", **options):
    path = Path(folder) / "m.textnb"
    trained(kind, **options).save(path)
    return path


def correct(path, change):
    return CorrectedFile(path).change(change).done
