"""Count files: documents tokenized and counted once, for training and testing many times.

A file is looked into and not loaded. With E entries (distinct terms of all documents, added up), V terms, D documents:

    matrix        5 E bytes, 12 E if a count is above 255: a view of the mapped file
    vocabulary    UTF-8 in the file, and 4 V bytes in memory; no strings are made
    documents     about 200 D bytes in memory: ids, digests and references to labels

Training adds the documents as they are kept, 5 E bytes, in the order of their digests; what a model adds is in its
module. A mapped file that is shortened ends the process: replace it by renaming, as ``textnb count`` does.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from textnb.counts import Counted, TermsOf
from textnb.counts.examples import SIZE, digest_array
from textnb.counts.matrix import in_bytes
from textnb.counts.pruning import NOTHING_DROPPED, Dropped
from textnb.errors import ModelFileError
from textnb.files.arrays import (
    array_of,
    packed_names,
    packed_strings,
    packed_table,
    packed_vocabulary,
    unpacked_names,
    unpacked_strings,
    unpacked_table,
    unpacked_vocabulary,
)
from textnb.files.bundle import Arrays, Bundle, content_of, open_bundle, write_bundle
from textnb.text import Analyzer, tokenizer_of

KIND = "counts"


def write_counts(path: str | Path, counted: Counted, terms_of: TermsOf, labels: str | None = None) -> None:
    """Write counted documents, and the tokenizer and analyzer that counted them.

    labels: the kind of the labels (``classifier/labels.py``) if they were not text, for ``labels_of_counts``.
    """
    days = {"days": np.array([day or 0 for day in counted.days], np.int32)} if counted.days else {}
    arrays = {
        **days,
        **packed_table("counts", in_bytes(counted.X)),
        **packed_vocabulary("vocabulary", counted.vocabulary),
        **packed_names("labels", [label or "" for label in counted.labels]),
        **packed_strings("ids", counted.ids),
        **packed_names("groups", [group or "" for group in counted.groups]),
        "digests": digest_array(counted.digests),
    }
    kind = {} if labels in (None, "text") else {"labels": labels}
    write_bundle(path, KIND, {**header_of(terms_of, len(counted), counted.dropped), **kind}, arrays)


def read_counts(path: str | Path, trust: Collection[str] = ()) -> tuple[Counted, TermsOf]:
    """Read counted documents, and the function that counted them; a Python tokenizer must be named in ``trust``."""
    bundle = open_bundle(path, KIND)
    bundle.verify()
    terms_of = _terms_of(path, bundle, trust)
    with content_of(path):
        return replace(_counted(bundle.answering), dropped=_dropped(bundle.header)), terms_of


def labels_of_counts(path: str | Path) -> str | None:
    """Return the kind of the labels of a count file; None if it has no documents."""
    header = open_bundle(path, KIND).header
    return str(header.get("labels", "text")) if header.get("documents") else None


def terms_of_counts(path: str | Path, trust: Collection[str] = ()) -> TermsOf:
    """Return the function that counted the documents of a file, of which only the header is read."""
    return _terms_of(path, open_bundle(path, KIND), trust)


def _terms_of(path: str | Path, bundle: Bundle, trust: Collection[str]) -> TermsOf:
    with content_of(path):
        recipe = bundle.header.get("recipe")
        if not isinstance(recipe, dict):
            raise ModelFileError("the header has no recipe")
        return TermsOf(tokenizer_of(recipe["tokenizer"], trust), Analyzer.of(recipe["analyzer"]))


def holds_counts(path: str | Path) -> bool:
    """True if a file is a count file whose structure is sound."""
    try:
        open_bundle(path, KIND)
    except ModelFileError:
        return False
    return True


def header_of(terms_of: TermsOf, n_documents: int, dropped: Dropped) -> dict[str, Any]:
    """Header of a count file; it says what a term budget has dropped, if anything."""
    what = {"dropped": list(dropped)} if dropped.pairs else {}
    return {"recipe": recipe_of(terms_of), "documents": n_documents, **what}


def _dropped(header: Mapping[str, Any]) -> Dropped:
    found = header.get("dropped", list(NOTHING_DROPPED))
    if not (isinstance(found, list) and len(found) == len(NOTHING_DROPPED) and {*map(type, found)} == {int}):
        raise ModelFileError("the header does not say what was dropped")
    return Dropped(*found)


def recipe_of(terms_of: TermsOf) -> dict[str, Any]:
    """Recipe of a tokenizer and an analyzer, as the header of a count file has it."""
    return {"tokenizer": terms_of.tokenizer.recipe, "analyzer": terms_of.analyzer.recipe}


def _counted(arrays: Arrays) -> Counted:
    labels, groups = (tuple(name or None for name in unpacked_names(arrays, part)) for part in ("labels", "groups"))
    ids, vocabulary = unpacked_strings(arrays, "ids"), unpacked_vocabulary(arrays, "vocabulary")
    digests = array_of(arrays, "digests", 2, "u")
    if not len(labels) == len(ids) == len(groups) == len(digests) or digests.shape[1] != SIZE:
        raise ModelFileError("labels, ids, groups and digests differ in number")
    X = unpacked_table(arrays, "counts", (len(ids), len(vocabulary)))
    days = array_of(arrays, "days", 1, "i") if "days" in arrays else np.zeros(len(ids), np.int32)
    if len(days) != len(ids) or (len(days) and not 0 <= days.min() <= days.max() <= date.max.toordinal()):
        raise ModelFileError("the days are not those of {number} documents", number=len(ids))
    known = tuple(day or None for day in days.tolist()) if days.any() else ()
    return Counted(X, vocabulary, labels, tuple(row.tobytes() for row in digests), tuple(ids), groups, known)
