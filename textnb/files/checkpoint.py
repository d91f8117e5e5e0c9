"""Checkpoints: what a run has learnt or counted so far, so that a run that was killed goes on from there.

    training    a bundle: the recipe, the learnt value, and the number of documents in it
    counting    a folder: a count file per part, and ``checkpoint.json`` with the number of parts and documents

Both name the corpus and the recipe that they were made for (``Origin``) and are refused for others. Each is replaced as
a whole, so whenever a run is killed, the checkpoint is the one before or the one after.
"""

import json
import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from textnb.counts import Counted, Learnt, TermsOf
from textnb.errors import InputError, ModelFileError, Phrase
from textnb.files.bundle import content_of, open_bundle, write_bundle
from textnb.files.count_file import write_counts
from textnb.files.model_file import packed_learning, unpacked_learning
from textnb.storage import atomic

KIND = "checkpoint"
_STATE = "checkpoint.json"
_OTHER = "{path} is the checkpoint of another run: {what}; remove it to begin anew, or choose another name"


class Origin(NamedTuple):
    """What a checkpoint was made for: digests of the corpus (paths, sizes and times of change) and of the recipe."""

    corpus: str
    recipe: str

    @classmethod
    def of(cls, corpus: Any, recipe: Any) -> "Origin":
        """Return the digests of two values of plain JSON."""
        coded = (json.dumps(value, sort_keys=True, ensure_ascii=False).encode() for value in (corpus, recipe))
        return cls(*(sha256(each).hexdigest() for each in coded))

    def check(self, path: Path, found: Mapping[str, Any]) -> None:
        """Refuse a checkpoint with another origin."""
        if found.get("corpus") != self.corpus:
            raise InputError(_OTHER, path=path, what=Phrase("the corpus is another, or has changed since"))
        if found.get("recipe") != self.recipe:
            raise InputError(_OTHER, path=path, what=Phrase("its options are others"))


class Checkpoint(NamedTuple):
    """Training so far: the recipe (``auto`` has chosen already), what was learnt, and the documents taken."""

    recipe: Mapping[str, Any]
    learnt: Learnt
    n_documents: int


def write_checkpoint(path: Path, origin: Origin, so_far: Checkpoint) -> None:
    """Replace the checkpoint of a training run."""
    kept, arrays = packed_learning(so_far.learnt)
    header = {
        "recipe": dict(so_far.recipe),
        "classes": list(so_far.learnt.counts.classes),
        "kept": kept,
        "documents": so_far.n_documents,
        "origin": origin._asdict(),
    }
    write_bundle(path, KIND, header, arrays)


def read_checkpoint(path: Path, origin: Origin) -> Checkpoint | None:
    """Read the checkpoint of a training run; None if there is none."""
    if not path.exists():
        return None
    bundle = open_bundle(path, KIND, in_memory=True)
    bundle.verify()
    with content_of(path):
        found, number = bundle.header["origin"], bundle.header["documents"]
        if type(number) is not int or number < 0:
            raise ModelFileError("the number of documents is missing")
        learnt = unpacked_learning(bundle.header, bundle.answering)
    origin.check(path, found)
    return Checkpoint(bundle.header["recipe"], learnt, number)


class CountedParts:
    """Count files of the parts of a run, in a folder; with an origin the folder is a checkpoint.

    Attributes
    ----------
    paths : list of Path
        Files of the parts so far.
    n_documents : int
        Number of documents in them.
    """

    def __init__(self, folder: Path, terms_of: TermsOf, origin: Origin | None = None) -> None:
        self.folder, self._terms_of, self._origin = folder, terms_of, origin
        self.paths: list[Path] = []
        self.n_documents = 0
        if origin is not None and folder.exists() and any(folder.iterdir()):
            self._resume(origin)
        folder.mkdir(exist_ok=True)

    def add(self, part: Counted) -> None:
        """Add a part; it is in the checkpoint when this returns."""
        path = self._path(len(self.paths))
        write_counts(path, part, self._terms_of)
        self.paths.append(path)
        self.n_documents += len(part)
        if self._origin is not None:
            state = {"parts": len(self.paths), "documents": self.n_documents, **self._origin._asdict()}
            with atomic(self.folder / _STATE) as stream:
                stream.write(json.dumps(state).encode())

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder)

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06}.counts"

    def _resume(self, origin: Origin) -> None:
        path = self.folder / _STATE
        try:
            state = json.loads(path.read_bytes())
            number, self.n_documents = int(state["parts"]), int(state["documents"])
        except FileNotFoundError:
            if not self._has_only_first_part():
                raise InputError("{path} is a folder with other files; name another", path=self.folder) from None
            return
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError("{path}: {why}; remove the folder to begin anew", path=path, why=error) from error
        origin.check(self.folder, state)
        self.paths = [self._path(i) for i in range(number)]

    def _has_only_first_part(self) -> bool:
        """True if a run was killed before its first checkpoint was complete."""
        return all(path.name.lstrip(".").startswith(("part-000000.counts", _STATE)) for path in self.folder.iterdir())
