"""Checkpoints: what a run has learnt or counted so far, so that a run that was killed goes on from there.

    training    a bundle: the recipe, the learnt value, and the number of documents in it
    counting    a folder: a count file per part, and ``checkpoint.json`` with the number of parts and documents, and
                with the number of documents to which these are appended, once that has been begun

Both name the corpus and the recipe that they were made for (``Origin``) and are refused for others. Each is replaced as
a whole, so whenever a run is killed, the checkpoint is the one before or the one after.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from textnb.counts import Counted, Learnt, TermsOf
from textnb.errors import InputError, ModelFileError, Phrase
from textnb.files.bundle import content_of, open_bundle, write_bundle
from textnb.files.count_file import write_counts
from textnb.files.model_file import packed_learning, unpacked_learning
from textnb.storage import atomic, folder_alone

KIND = "checkpoint"
_STATE = "checkpoint.json"
_NO_FOLDER = "it is a file; the checkpoint of counting is a folder"
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


@contextmanager
def checkpoint_folder(folder: Path) -> Iterator[Path]:
    """Make a folder, unless it is there, and keep other runs out of it until the block ends."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        why = _NO_FOLDER if folder.exists() else error.strerror
        raise InputError("{path} cannot be written: {why}", path=folder, why=why) from error
    with folder_alone(folder) as is_ours:
        if not is_ours:
            raise InputError("{path} is used by another run; wait for its end, or choose another name", path=folder)
        yield folder


class CountedParts:
    """Count files of the parts of a run, in a folder that exists; with an origin it is a checkpoint.

    Attributes
    ----------
    paths : list of Path
        Files of the parts so far.
    n_documents : int
        Number of documents in them.
    n_before : int or None
        Number of documents of the output before these were appended to it, if that has been begun.
    """

    def __init__(self, folder: Path, terms_of: TermsOf, origin: Origin | None = None) -> None:
        self.folder, self._terms_of, self._origin = folder, terms_of, origin
        self.paths: list[Path] = []
        self.n_documents = 0
        self.n_before: int | None = None
        if origin is None:
            return
        if (folder / _STATE).exists():
            self._resume(origin)
            return
        if any(not path.name.startswith(f".{_STATE}") for path in folder.iterdir()):
            raise InputError("{path} is a folder with other files; name another", path=folder)
        self._write_state()

    def add(self, part: Counted) -> None:
        """Add a part; it is in the checkpoint when this returns."""
        path = self._path(len(self.paths))
        write_counts(path, part, self._terms_of)
        self.paths.append(path)
        self.n_documents += len(part)
        self._write_state()

    def begin_to_append(self, n_before: int) -> None:
        """Keep in the checkpoint that all parts are now appended to an output with so many documents."""
        self.n_before = n_before
        self._write_state()

    def remove(self) -> None:
        """Remove the checkpoint, with the folder unless there are other files in it."""
        for path in self.paths:
            path.unlink(missing_ok=True)
        (self.folder / _STATE).unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()

    def _write_state(self) -> None:
        if self._origin is None:
            return
        state = {"parts": len(self.paths), "documents": self.n_documents, "before": self.n_before}
        with atomic(self.folder / _STATE) as stream:
            stream.write(json.dumps(state | self._origin._asdict()).encode())

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06}.counts"

    def _resume(self, origin: Origin) -> None:
        try:
            state = json.loads((self.folder / _STATE).read_bytes())
            paths = [self._path(i) for i in range(int(state["parts"]))]
            n_documents, n_before = int(state["documents"]), state["before"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            template = "{path}: {why}; remove the folder to begin anew"
            raise InputError(template, path=self.folder / _STATE, why=error) from error
        origin.check(self.folder, state)
        if all(path.exists() for path in paths):  # else a run was killed while it removed them, at its end
            self.paths, self.n_documents, self.n_before = paths, n_documents, n_before
