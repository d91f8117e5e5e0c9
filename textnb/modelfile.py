"""Model files: a recipe and the learnt value in one bundle.

Nothing but these two is kept, so two saves of equal models are equal bytes; the scorer is made again on loading.
"""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from textnb.bundle import read_bundle, write_bundle
from textnb.counts import Learnt, weighting
from textnb.errors import ModelFileError, TextnbError
from textnb.packing import checked, packed_learnt, unpacked_learnt

KIND = "model"


def write_model(path: str | Path, recipe: Mapping[str, Any], learnt: Learnt) -> None:
    """Write a model as a whole or not at all."""
    counts = learnt.counts
    assert counts.vocabulary is not None
    summary = {
        "documents": len(learnt.digests),
        "documents_by_class": dict(zip(counts.classes, counts.documents.tolist(), strict=True)),
        "terms": counts.n_terms,
        "vocabulary": counts.vocabulary.fingerprint,
    }
    header = {"recipe": dict(recipe), "classes": list(counts.classes), "summary": summary}
    write_bundle(path, KIND, header, packed_learnt(learnt))


def read_model(path: str | Path) -> tuple[dict[str, Any], Learnt]:
    """The recipe and the learnt value of a file; whatever does not fit together is refused."""
    header, arrays = read_bundle(path, KIND)
    recipe, classes = header.get("recipe"), header.get("classes", [])
    if not isinstance(recipe, dict) or not _are_classes(classes):
        raise ModelFileError(f"{path}: its header has no recipe or no sorted classes")
    try:
        unit = checked(lambda: weighting(recipe["weighting"]).unit)
        return recipe, unpacked_learnt(arrays, classes, unit)
    except TextnbError as error:
        raise ModelFileError(f"{path}: {error}") from error


def _are_classes(classes: Any) -> bool:
    return (
        isinstance(classes, list)
        and all(isinstance(name, str) for name in classes)
        and all(a < b for a, b in pairwise(classes))
    )
