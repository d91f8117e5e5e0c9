"""Count files: documents tokenized and counted once, for training and testing many times."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from textnb.counts import Counted, TermsOf, Vocabulary
from textnb.counts.examples import SIZE, digest_array
from textnb.errors import ModelFileError
from textnb.files.arrays import array_of, packed_strings, packed_table, unpacked_strings, unpacked_table
from textnb.files.bundle import content_of, read_bundle, write_bundle
from textnb.text import Analyzer, tokenizer_of

KIND = "counts"


def write_counts(path: str | Path, counted: Counted, terms_of: TermsOf) -> None:
    """Write counted documents, and the tokenizer and analyzer that counted them."""
    arrays = {
        **packed_table("counts", counted.X),
        **packed_strings("vocabulary", counted.vocabulary.terms),
        **packed_strings("labels", [label or "" for label in counted.labels]),
        **packed_strings("ids", counted.ids),
        **packed_strings("groups", [group or "" for group in counted.groups]),
        "digests": digest_array(counted.digests),
    }
    recipe = {"tokenizer": terms_of.tokenizer.recipe, "analyzer": terms_of.analyzer.recipe}
    write_bundle(path, KIND, {"recipe": recipe, "documents": len(counted)}, arrays)


def read_counts(path: str | Path, trust: Collection[str] = ()) -> tuple[Counted, TermsOf]:
    """Read counted documents, and the function that counted them; a Python tokenizer must be named in ``trust``."""
    header, arrays = read_bundle(path, KIND)
    with content_of(path):
        recipe = header.get("recipe")
        if not isinstance(recipe, dict):
            raise ModelFileError("the header has no recipe")
        terms_of = TermsOf(tokenizer_of(recipe["tokenizer"], trust), Analyzer.of(recipe["analyzer"]))
        return _counted(arrays), terms_of


def _counted(arrays: dict[str, Any]) -> Counted:
    labels, groups = (tuple(name or None for name in unpacked_strings(arrays, part)) for part in ("labels", "groups"))
    ids, vocabulary = unpacked_strings(arrays, "ids"), Vocabulary.of_sorted(unpacked_strings(arrays, "vocabulary"))
    digests = array_of(arrays, "digests", 2, "u")
    if not len(labels) == len(ids) == len(groups) == len(digests) or digests.shape[1] != SIZE:
        raise ModelFileError("labels, ids, groups and digests differ in number")
    X = unpacked_table(arrays, "counts", (len(ids), len(vocabulary)))
    return Counted(X, vocabulary, labels, tuple(row.tobytes() for row in digests), tuple(ids), groups)
