"""A folder of answers: one table per input; a run that is repeated skips those that are finished.

A table gets its name when all of it is written, so one that is there is finished. The file ``_textnb.json`` beside them
says which model, options and inputs they come from: answers of another model or with other options are refused, and an
input that has changed is answered again.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click

from textnb.address import Address, Location, location
from textnb.cli.input_sources import InputSource
from textnb.errors import InputError, ParameterError
from textnb.files.bundle import identity_of
from textnb.files.correction import journal_path
from textnb.files.table_file import FORMATS, new_file
from textnb.readers.compression import COMPRESSED, open_bytes
from textnb.readers.streamed import Pipe
from textnb.storage import locked

RECORD = "_textnb.json"
"""Name of the file that says what the tables come from."""

_WITHOUT_EFFECT = {"model", "inputs", "output", "output_dir", "jobs", "quiet", "trust", "line_buffered", "running"}
_OTHER_MODEL = (
    "{folder} has answers of another model, or of this one before it learnt more; choose another folder, or remove "
    "that one"
)
_OTHER_OPTIONS = "{folder} has answers with other values of {options}; choose another folder, or remove that one"


@dataclass(frozen=True)
class OutputFolder:
    """Folder that takes one table per input.

    form: suffix of the tables, without its dot. made_by: model and options, as the record has them.
    """

    folder: Location
    form: str
    made_by: Mapping[str, Any]

    @classmethod
    def of(cls, name: str, form: str, model: Path) -> "OutputFolder":
        """Return the folder of a name for the answers of a model, with the options of the running verb."""
        given = click.get_current_context().params
        options = {key: str(value) for key, value in sorted(given.items()) if key not in _WITHOUT_EFFECT}
        return cls(location(name), form, {"model": _identity(model), "options": options})

    def plan(self, sources: Sequence[InputSource]) -> list[tuple[InputSource, Location]]:
        """Return the inputs that are to be answered, each with its table, after a check of what is there."""
        if isinstance(self.folder, Path):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                template = "{path} cannot be written: {why}"
                raise InputError(template, path=self.folder, why=error.strerror) from error
        names = dict(zip(_table_names(sources, self.form), sources, strict=True))
        for name, source in names.items():
            _check_not_input(self.folder / name, source)
        with self._locked():
            before = self._record()
            known = before.get("inputs", {})
            inputs = {name: _state(source) for name, source in names.items()}
            done = {name for name in names if self._is_there(name) and known.get(name, inputs[name]) == inputs[name]}
            if done != names.keys():
                self._write({**self.made_by, "inputs": {**known, **inputs}})
        return [(source, self.folder / name) for name, source in names.items() if name not in done]

    def _locked(self) -> AbstractContextManager[None]:
        """Other runs on this machine wait, because all add to one record."""
        return locked(self.folder / RECORD) if isinstance(self.folder, Path) else nullcontext()

    def _is_there(self, name: str) -> bool:
        return (self.folder / name).exists()

    def _record(self) -> dict[str, Any]:
        """Record of the folder; an error if the tables come from another model or other options."""
        path = self.folder / RECORD
        if not path.exists():
            return {}
        try:
            with open_bytes(path) as stream:
                found = cast("dict[str, Any]", json.load(stream))
            other = [name for name, value in self.made_by["options"].items() if found["options"].get(name) != value]
            is_same_model = found["model"] == self.made_by["model"]
        except (OSError, ValueError, LookupError, AttributeError) as error:
            raise InputError("{path} cannot be read: {why}; remove it", path=path, why=error) from error
        if not is_same_model:
            raise InputError(_OTHER_MODEL, folder=self.folder)
        if other:
            names = ", ".join(f"--{name.replace('_', '-')}" for name in other)
            raise InputError(_OTHER_OPTIONS, folder=self.folder, options=names)
        return found

    def _write(self, record: Mapping[str, Any]) -> None:
        with new_file(self.folder / RECORD) as stream:
            stream.write(json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True).encode("utf-8", "replace"))


def _identity(model: Path) -> str:
    """What tells a model from others: its file, and whether corrections have been made since."""
    journal, found = journal_path(model), model.stat()
    corrections = journal.stat().st_size if journal.exists() else 0
    return f"{identity_of(model) or (found.st_size, found.st_mtime_ns)} {corrections}"


def _state(source: InputSource) -> list[Any]:
    """What tells an input from another one, or from itself after a change."""
    assert source.corpus is not None
    path = source.corpus.path
    if isinstance(path, Address):
        return [str(path), path.ask(lambda system, there: system.info(there).get("size"))]
    assert isinstance(path, Path)
    found = path.stat()
    return [str(path.resolve()), found.st_size, found.st_mtime_ns]


def _table_names(sources: Sequence[InputSource], form: str) -> list[str]:
    """Names of the tables: those of the inputs; if two are equal, with as many folders before them as are needed."""
    paths = []
    for source in sources:
        if source.corpus is None or isinstance(source.corpus.path, Pipe):
            raise ParameterError("--output-dir takes files and folders; for a pipe, use -o FILE")
        path = source.corpus.path
        parts = (path if isinstance(path, Path) else Path(str(path).partition("://")[2])).parts
        paths.append((*parts[:-1], _stem(path.name)))
    names = [path[-1] for path in paths]
    for depth in range(2, max(map(len, paths)) + 1):
        times = Counter(name.casefold() for name in names)
        names = [
            "-".join(path[-depth:]).replace("/", "").replace("\\", "") if times[name.casefold()] > 1 else name
            for name, path in zip(names, paths, strict=True)
        ]
    twice = next((name for name, times in Counter(map(str.casefold, names)).items() if times > 1), None)
    if twice is not None:
        raise InputError("{name} is named twice among the inputs", name=twice)
    return [f"{name}.{form}" for name in names]


def _stem(name: str) -> str:
    """Name of an input without the suffixes of tables and compressions."""
    for suffixes in (COMPRESSED, (*FORMATS, ".feather", ".arrow")):
        suffix = next((each for each in suffixes if name.lower().endswith(each)), "")
        name = name[: len(name) - len(suffix)] or name
    return name


def _check_not_input(output: Location, source: InputSource) -> None:
    """Refuse a table that is its own input."""
    assert source.corpus is not None
    path = source.corpus.path
    same = path.resolve() == output.resolve() if isinstance(path, Path) and isinstance(output, Path) else path == output
    if same:
        raise InputError("{output} is an input itself; choose another folder for the output", output=output)
