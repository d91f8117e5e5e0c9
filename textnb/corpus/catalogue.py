"""The corpora that textnb knows by name: one corpus.toml each, and where their documents lie."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import textnb
from textnb.errors import InputError, listed
from textnb.readers.settings import DESCRIPTION
from textnb.storage import read_toml


@dataclass(frozen=True)
class Known:
    """A corpus described by a corpus.toml.

    classes: documents by class, where that is known. members: the files of the archive that are wanted (all, where
    it is empty). digest: over the sorted names and sha256 of those files; size: their bytes in all. archive_sha256: of
    the archive itself, where the digest is not known. An archive's files may lie below one common folder, which is
    left out.
    """

    name: str
    title: str
    language: str
    licence: str
    source: str
    folder: Path
    url: str | None
    bundled: bool
    parts: tuple[str, ...]
    classes: dict[str, int]
    members: tuple[str, ...]
    digest: str | None
    size: int | None
    archive_sha256: str | None

    @property
    def description(self) -> Path:
        """Its corpus.toml."""
        return self.folder / DESCRIPTION

    @property
    def path(self) -> Path:
        """Where its documents lie, or will."""
        return self.folder if self.bundled else data_folder() / "corpora" / self.name

    @property
    def present(self) -> bool:
        """Whether its documents are there."""
        return self.bundled or (self.path / DESCRIPTION).is_file()


def data_folder() -> Path:
    """The user's data folder: $XDG_DATA_HOME/textnb, by default ~/.local/share/textnb."""
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "textnb"


def catalogue() -> dict[str, Known]:
    """All known corpora by name."""
    folders = sorted(path.parent for path in _shipped().glob(f"*/{DESCRIPTION}"))
    return {folder.name: _known(folder, read_toml(folder / DESCRIPTION)) for folder in folders}


def known(name: str) -> Known:
    """The corpus of that name."""
    corpora = catalogue()
    if name not in corpora:
        raise InputError(f"corpus {name!r} is not known; known: {listed(corpora)}")
    return corpora[name]


def corpus_path(name: str) -> Path:
    """Where the documents of a corpus lie."""
    corpus = known(name)
    if not corpus.present:
        raise InputError(f"corpus {name!r} is not here yet; fetch it with: textnb corpus get {name}")
    return corpus.path


def corpus_parts(name: str) -> list[Path]:
    """The folders of a corpus that can be read: its parts, or itself."""
    path = corpus_path(name)
    return [path / part for part in known(name).parts] or [path]


def _shipped() -> Path:
    """corpora/ beside the package in a checkout, inside it in an installed wheel."""
    package = Path(textnb.__file__).parent
    installed = package / "bundled"
    return installed if installed.is_dir() else package.parent / "corpora"


def _known(folder: Path, table: dict[str, Any]) -> Known:
    archive = table.get("archive", {})
    return Known(
        folder.name,
        table["title"],
        table["language"],
        table["licence"],
        table["source"],
        folder,
        archive.get("url"),
        "archive" not in table,
        tuple(table.get("parts", ())),
        dict(table.get("classes", {})),
        tuple(archive.get("members", ())),
        archive.get("digest"),
        archive.get("size"),
        archive.get("sha256"),
    )
