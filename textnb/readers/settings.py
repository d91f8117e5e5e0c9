"""How a corpus is to be read: what the caller says, and what a corpus.toml in its folder says."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from textnb.errors import InputError, listed
from textnb.readers.decoding import as_charset

DESCRIPTION = "corpus.toml"


@dataclass(frozen=True)
class Settings:
    """Everything a reader may be told; None and () leave it to the reader.

    text, label: names of columns. glob: which files of a folder. exclude: names of files to leave out without a word.
    labels: the label of a class folder, where it is not its name.
    skip_lines: lines to drop at the beginning of each file. encoding: the charset to believe where bytes are not
    UTF-8. skip_bad: leave bad records out and count them. labelled: whether a document without a label is bad.
    """

    text: str | None = None
    label: str | None = None
    glob: str | None = None
    exclude: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    skip_lines: int = 0
    encoding: str | None = None
    skip_bad: bool = False
    labelled: bool = True

    def __post_init__(self) -> None:
        as_charset(self.encoding)


_IN_FILE = {"glob": str, "exclude": list, "skip_lines": int, "encoding": str, "text": str, "label": str, "labels": dict}


def described(folder: Path, given: Settings) -> Settings:
    """The caller's settings, completed by the [reader] table of the corpus.toml that describes the folder.

    The description lies in the folder itself or, for a part named in its ``parts``, in the folder above.
    """
    table = _description(folder)
    parts = table.get("parts", [])
    if parts and folder.resolve().name not in parts:
        raise InputError(f"{folder} has parts; read one of them: {', '.join(str(folder / part) for part in parts)}")
    told = table.get("reader", {})
    for key, value in told.items():
        if key not in _IN_FILE or not isinstance(value, _IN_FILE[key]):
            raise InputError(
                f"{folder / DESCRIPTION}: [reader] {key} = {value!r} is not known; known: {listed(_IN_FILE)}"
            )
    default = Settings()
    missing = {f.name for f in fields(Settings) if getattr(given, f.name) == getattr(default, f.name)}
    completed: dict[str, Any] = {
        key: tuple(v) if isinstance(v, list) else v for key, v in told.items() if key in missing
    }
    return replace(given, **completed)


def _description(folder: Path) -> dict[str, Any]:
    for place in (folder, folder.resolve().parent):
        path = place / DESCRIPTION
        if path.is_file():
            table = read_toml(path)
            if place == folder or folder.resolve().name in table.get("parts", []):
                return table
    return {}


def read_toml(path: Path) -> dict[str, Any]:
    """The table in a TOML file, or an error that names it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
