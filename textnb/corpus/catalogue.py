"""Catalogue of the corpora that textnb knows by name, each described by a corpus.toml, and the paths of their files."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import textnb
from textnb.errors import InputError, listed, suggestion
from textnb.readers.settings import DESCRIPTION
from textnb.storage import read_toml


@dataclass(frozen=True)
class KnownCorpus:
    """Corpus of the catalogue, as its corpus.toml describes it.

    Parameters
    ----------
    name, title, language, licence, source : str
        Name in the catalogue, and what the corpus is and where it comes from.
    folder : Path
        Folder of the corpus.toml.
    url : str or None
        Address of the archive.
    bundled : bool
        Whether the documents come with textnb.
    parts : tuple of str
        Names of subfolders that are read one by one, such as train and test.
    classes : dict
        Number of documents per class, if it is known.
    members : tuple of str
        Files of the archive to unpack; if empty, all. One common folder above all files is left out.
    digest : str or None
        Digest over the sorted names and sha256 of these files.
    size : int or None
        Number of bytes of these files.
    archive_sha256 : str or None
        sha256 of the archive, if the digest is not known.
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
        """Path of the corpus.toml."""
        return self.folder / DESCRIPTION

    @property
    def path(self) -> Path:
        """Folder of the documents, whether they are present or not."""
        return self.folder if self.bundled else data_folder() / "corpora" / self.name

    @property
    def present(self) -> bool:
        """Whether the documents are on this machine."""
        return self.bundled or (self.path / DESCRIPTION).is_file()


def data_folder() -> Path:
    """Path of the user's data folder: $XDG_DATA_HOME/textnb, by default ~/.local/share/textnb."""
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "textnb"


def catalogue() -> dict[str, KnownCorpus]:
    """Read the descriptions of all known corpora, by name.

    >>> catalogue()["ja-mini"].language
    'ja'
    """
    folders = sorted(path.parent for path in _shipped().glob(f"*/{DESCRIPTION}"))
    return {folder.name: _known(folder, read_toml(folder / DESCRIPTION)) for folder in folders}


def known_corpus(name: str) -> KnownCorpus:
    """Corpus of the catalogue with this name; an unknown name is an InputError."""
    corpora = catalogue()
    if name not in corpora:
        template = "unknown corpus {name!r}{hint}; use {known}"
        raise InputError(template, name=name, hint=suggestion(name, corpora), known=listed(corpora))
    return corpora[name]


def corpus_path(name: str) -> Path:
    """Folder of a corpus of the catalogue; one that has not been fetched is an InputError.

    >>> corpus_path("ja-mini").name
    'ja-mini'
    """
    corpus = known_corpus(name)
    if not corpus.present:
        raise InputError("corpus {name!r} has not been fetched; run: textnb corpus get {name}", name=name)
    return corpus.path


def corpus_parts(name: str) -> list[Path]:
    """Folders of a known corpus to read: its parts, or the corpus itself if it has none."""
    path = corpus_path(name)
    return [path / part for part in known_corpus(name).parts] or [path]


def _shipped() -> Path:
    """Folder of the descriptions: corpora/ beside the package in a checkout, inside it in an installed wheel."""
    package = Path(textnb.__file__).parent
    installed = package / "bundled"
    return installed if installed.is_dir() else package.parent / "corpora"


def _known(folder: Path, table: dict[str, Any]) -> KnownCorpus:
    archive = table.get("archive", {})
    return KnownCorpus(
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
