"""Corrections of a model that are kept beside its file, in its journal (``journal.py``)."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.examples import labelled_digest
from textnb.counts.vocabulary import Vocabulary
from textnb.document import Document
from textnb.errors import InputError, ModelFileError

SUFFIX = "-journal"
LEARN, UNLEARN = "learn", "unlearn"
_INTEGERS = np.dtype("<i4")
_MAX_COUNT = 2**31


def journal_path(model: str | Path) -> Path:
    """Return the name of the journal of a model file; a link is followed."""
    return Path(os.path.realpath(model) + SUFFIX)


def has_journal(model: str | Path) -> bool:
    """True if a model file has a journal, perhaps an empty one; False if its name is too long for one."""
    try:
        return journal_path(model).exists()
    except OSError:
        return False


class Correction(NamedTuple):
    """One document that is learnt or unlearnt as a class.

    kind: LEARN or UNLEARN. document: its digest, without the label. terms: all its terms and their counts, as JSON.
    model, entries: columns of the terms that the model file with this sha256 uses, ascending, then their counts, int32.
    day: ``Document.day``.
    """

    kind: str
    label: str
    document: bytes
    model: str
    entries: bytes
    terms: bytes
    day: int | None = None

    @classmethod
    def of(
        cls, kind: str, document: Document, terms: Iterable[str], model: str, vocabulary: Vocabulary
    ) -> "Correction":
        """Correction by a labelled document with these terms, for a model file that uses these of them."""
        counts = dict(sorted(Counter(terms).items()))
        entries = _entries(counts, vocabulary).tobytes()
        packed = json.dumps([list(counts), list(counts.values())], ensure_ascii=False).encode("utf-8", "surrogatepass")
        return cls(kind, str(document.label), document.digest, model, entries, packed, document.day)

    @property
    def labelled(self) -> bytes:
        """Digest of the document under its label."""
        return labelled_digest(self.document, self.label)

    @property
    def counts(self) -> dict[str, int]:
        """Counts of all terms; ModelFileError if they are damaged."""
        try:
            names, counts = json.loads(self.terms.decode("utf-8", "surrogatepass"))
            found = dict(zip(names, counts, strict=True))
            is_sound = len(found) == len(names) and {*map(type, names)} <= {str} and {*map(type, counts)} <= {int}
        except (ValueError, TypeError, RecursionError):
            is_sound = False
        if not is_sound or not all(0 < n < _MAX_COUNT for n in counts):
            raise ModelFileError("the journal is damaged: the terms of a correction are not counted terms")
        return found

    def columns_in(self, model: str, vocabulary: Vocabulary) -> NDArray[np.int32]:
        """Columns of the terms that a model file uses, ascending, and their counts, (2, n); not checked."""
        if self.model != model:  # it was added while the journal was folded
            return _entries(self.counts, vocabulary)
        if len(self.entries) % (2 * _INTEGERS.itemsize):
            raise ModelFileError("the journal is damaged: the columns of a correction have no counts")
        return np.frombuffer(self.entries, _INTEGERS).reshape(2, -1)


def _entries(counts: Mapping[str, int], vocabulary: Vocabulary) -> NDArray[np.int32]:
    """Columns of the terms that a vocabulary has, ascending, and their counts, (2, n)."""
    found = sorted((column, n) for term, n in counts.items() if (column := vocabulary.find(term)) >= 0)
    return np.array(found, _INTEGERS).reshape(-1, 2).T.copy()


class Pending(NamedTuple):
    """Corrections that are not in the model file ``model``, and the number of the last one."""

    model: str
    row: int
    corrections: tuple[Correction, ...] = ()


class ModelReplacedError(InputError):
    """The model file is not the one that was read; read it again."""
