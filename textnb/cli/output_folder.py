"""A folder of answers: one table per input; a run that is repeated skips those that are finished.

A table gets its name when all of it is written, so one that is there is finished; one whose end was lost later is
written again. The file ``_textnb.json`` beside them says which model, options and inputs they come from: answers of
another model or with other options are refused, and an input that has changed is answered again. It has the name of the
table of each input, too, which stays the same whatever other inputs are named in later runs.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click

from textnb.address import Address, Location, location
from textnb.cli.input_sources import InputSource
from textnb.cli.sources import STANDARD_INPUT
from textnb.errors import InputError, ParameterError
from textnb.files.bundle import identity_of
from textnb.files.correction import has_journal
from textnb.files.table_file import FORMATS, is_whole, new_file
from textnb.readers.compression import COMPRESSED, open_bytes
from textnb.readers.streamed import Pipe
from textnb.storage import locked

RECORD = "_textnb.json"
"""Name of the file that says what the tables come from."""

_SKIPPING = {"skip_bad", "max_skipped"}
"""Options that may be added later: what is finished has no bad records, or there would have been an error."""
_WITHOUT_EFFECT = {"model", "inputs", "output", "output_dir", "jobs", "quiet", "trust", "line_buffered", "running"}
_OTHER_MODEL = (
    "{folder} has answers of another model, or of this one before it learnt more; choose another folder, or remove "
    "that one"
)
_INSIDE = "{folder} is a part of the input {input}; choose a folder outside of it for the answers"
_NOT_OURS = "{path} exists already, and {record} beside it does not name it; remove it, or choose another folder"
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

    def plan(self, sources: Sequence[InputSource], named: Collection[str]) -> list[tuple[InputSource, Location]]:
        """Return the inputs that are to be answered, each with its table, after a check of what is there.

        named: the inputs as they were named; a folder among them stands for several.
        """
        self._check_outside(named)
        if isinstance(self.folder, Path):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                template = "{path} cannot be written: {why}"
                raise InputError(template, path=self.folder, why=error.strerror) from error
        with self._locked():
            before = self._record()
            known = before.get("inputs", {})
            states = [_state(source) for source in sources]
            names = _table_names([state[0] for state in states], known, self.form)
            inputs = dict(zip(names, states, strict=True))
            if isinstance(self.folder, Address) and before:
                known = inputs | known  # no locks there: another run may have written over an entry
            self._check_replaced(names, sources, known)
            done = {name for name in names if known.get(name) == inputs[name] and is_whole(self.folder / name)}
            for name in set(names) - done:  # or else it would pass for finished if this run were killed
                _remove(self.folder / name)
            if done != set(names):
                self._write({**self.made_by, "inputs": {**known, **inputs}})
        return [(source, self.folder / name) for name, source in zip(names, sources, strict=True) if name not in done]

    def _check_outside(self, named: Collection[str]) -> None:
        """Refuse a folder that is, or is inside, one of the inputs: its tables would be inputs of the next run."""
        for each in named:
            if f"{_place(self.folder)}/".startswith(f"{_place(location(each))}/"):
                raise InputError(_INSIDE, folder=self.folder, input=each)

    def _check_replaced(self, names: Sequence[str], sources: Sequence[InputSource], known: Mapping[str, Any]) -> None:
        """Refuse inputs that are answers themselves, and tables in the place of files that are no answers."""
        answers = {_place(self.folder / name) for name in known}
        for name, path in zip(names, map(_path_of, sources), strict=True):
            if _place(path) in answers:
                raise InputError("{path} has the answers of an earlier run, and is no input", path=path)
            if name not in known and (self.folder / name).exists():
                raise InputError(_NOT_OURS, path=self.folder / name, record=RECORD)

    def _locked(self) -> AbstractContextManager[None]:
        """Other runs on this machine wait, because all add to one record."""
        return locked(self.folder / RECORD) if isinstance(self.folder, Path) else nullcontext()

    def _record(self) -> dict[str, Any]:
        """Record of the folder; an error if the tables come from another model or other options."""
        path = self.folder / RECORD
        if not path.exists():
            return {}
        try:
            with open_bytes(path) as stream:
                found = cast("dict[str, Any]", json.load(stream))
            before = found["options"]
            others = (name for name, value in self.made_by["options"].items() if before.get(name) != value)
            other = [name for name in others if name not in _SKIPPING or before.get("skip_bad") != "False"]
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


def _remove(table: Location) -> None:
    """Remove a table, if it is there."""
    if isinstance(table, Path):
        table.unlink(missing_ok=True)
    elif table.exists():
        table.ask(lambda system, path: system.rm_file(path))


def _identity(model: Path) -> str:
    """What tells a model from others: its file, and whether corrections have been made since."""
    found, identity = model.stat(), identity_of(model)
    return f"{identity or (found.st_size, found.st_mtime_ns)} {_last_correction(model, identity)}"


def _last_correction(model: Path, identity: str) -> int:
    """Number of the last correction in the journal of a model; 0 if there is none that counts in answers."""
    if not identity or not has_journal(model):
        return 0
    from textnb.files.journal import Journal, JournalUnusableError  # SQLite is not needed otherwise

    try:
        return Journal(model).pending(identity).row
    except JournalUnusableError:  # opening the model has warned of it
        return 0


def _path_of(source: InputSource) -> Location:
    """Return the file or folder of an input."""
    if source.corpus is None or isinstance(source.corpus.path, Pipe) or source.name == STANDARD_INPUT:
        raise ParameterError("--output-dir takes files and folders; for a pipe, use -o FILE")
    return source.corpus.path


def _state(source: InputSource) -> list[Any]:
    """What tells an input from another one, or from itself after a change; the path comes first."""
    path = _path_of(source)
    if isinstance(path, Address):
        return [str(path), path.state()]
    found = path.stat()
    return [os.path.abspath(path), found.st_size, found.st_mtime_ns]  # noqa: PTH100  # a link keeps its name


def _place(path: Location) -> str:
    """Path or address in the form in which equal ones are equal."""
    return str(path.resolve()) if isinstance(path, Path) else re.sub(r"/+", "/", str(path)).rstrip("/")


def _table_names(paths: Sequence[str], known: Mapping[str, Any], form: str) -> list[str]:
    """Names of the tables: an input keeps that of an earlier run; the others have its name without suffixes.

    Inputs of one folder that differ in suffixes alone keep them. If two names are equal, or a table has that name
    already, it begins with as many folders as are needed.
    """
    twice = next((path for path, times in Counter(paths).items() if times > 1), None)
    if twice is not None:
        raise InputError("{name} is named twice among the inputs", name=twice)
    own = {state[0]: name for name, state in known.items()}
    taken = {name.casefold() for name, state in known.items() if _is_there(state[0])}
    choices = {path: _choices(path, paths, form) for path in paths if path not in own}
    names = {path: next(each) for path, each in choices.items()}
    while clashing := _clashing(names, taken):
        for path in clashing:
            names[path] = next(choices[path], "")
            if not names[path]:
                raise InputError("the tables of two inputs would both be {name}; rename one of them", name=_stem(path))
    return [own.get(path) or names[path] for path in paths]


def _clashing(names: Mapping[str, str], taken: Collection[str]) -> list[str]:
    """Inputs whose tables would have the name of another one, or one that is taken, on some systems."""
    times = Counter(map(str.casefold, names.values()))
    return [path for path, name in names.items() if times[name.casefold()] > 1 or name.casefold() in taken]


def _choices(path: str, others: Sequence[str], form: str) -> Iterator[str]:
    """Names that the table of an input may have, the shortest first."""
    where = location(path)
    *folders, name = re.split(r"[/\\]+", str(where.path if isinstance(where, Address) else where))
    folder = path[: len(path) - len(name)]
    is_alone = sum(other.startswith(folder) and _stem(other) == _stem(path) for other in others) == 1
    name = _stem(name) if is_alone else name
    names = ("-".join([*folders[len(folders) - depth :], f"{name}.{form}"]) for depth in range(len(folders) + 1))
    return (name.lstrip(".") for name in names)  # a hidden table is no part of a folder of tables


def _is_there(path: str) -> bool:
    """Whether an input of an earlier run is there still; at an address it is taken to be."""
    where = location(path)
    return isinstance(where, Address) or where.exists()


def _stem(name: str) -> str:
    """Name of an input without the suffixes of tables and compressions."""
    for suffixes in (COMPRESSED, (*FORMATS, ".feather", ".arrow")):
        suffix = next((each for each in suffixes if name.lower().endswith(each)), "")
        name = name[: len(name) - len(suffix)] or name
    return name
