"""Transcripts of the command line: run the commands that a file lists, and compare what they print.

A transcript is a text file. Each command is one line that starts with ``$ ``; its exit code, standard output and
standard error follow. To add a case, write a file with the command lines only and run ``make.py``.

Commands run in English, or as ``TEXTNB_LANG=ja`` before a command says, in a folder of their own that ``prepare``
fills. Beside ``textnb`` there are four small commands:

    cp FILE COPY      copy a file
    cmp FILE OTHER    say whether two files are identical
    find FOLDER       list the files of a folder
    page FILE         summarise an HTML page: language, title, headings, number of tables and drawings
"""

import gc
import io
import itertools
import logging
import math
import os
import re
import shlex
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from textnb.__main__ import main

HERE = Path(__file__).parent
VERBS = HERE / "verbs"
CORPORA = HERE.parent.parent / "corpora"
CLASSES = ("computing", "cooking", "sport")

ENVIRONMENT = {"COLUMNS": "120", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "TZ": "UTC"}
REMOVED = ("FORCE_COLOR", "GITHUB_ACTIONS", "LC_MESSAGES", "PY_COLORS", "TERMINAL_WIDTH", "TEXTNB_LANG", "LANGUAGE")

RELATIVE, ABSOLUTE = 1e-6, 1e-9
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")


@dataclass(frozen=True)
class Done:
    """What a command left: its exit code and its two streams."""

    code: int
    out: str = ""
    err: str = ""


def commands(text: str) -> list[str]:
    """Return the command lines of a transcript, without ``$ ``."""
    return [line[2:] for line in text.splitlines() if line.startswith("$ ")]


def transcript(lines: list[str], folder: Path) -> str:
    """Run command lines in a folder and return their transcript."""
    return "\n".join(_block(line, _run(line, folder), folder) for line in lines)


def _block(line: str, done: Done, folder: Path) -> str:
    parts = [f"$ {line}\n", f"exit {done.code}\n"]
    for name, text in (("stdout", done.out), ("stderr", done.err)):
        if text:
            end = "" if text.endswith("\n") else "\n--- no line end\n"
            parts.append(f"--- {name}\n{scrubbed(text, folder)}{end}")
    return "".join(parts)


def scrubbed(text: str, folder: Path) -> str:
    """Replace what differs between machines: folders, the size of files, the engine, colours."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text.replace("\r", "<CR>"))
    text = text.replace(str(folder.resolve()), "<folder>").replace(str(CORPORA.resolve()), "<corpora>")
    text = re.sub(r"(?<![\w./>])/[^\s:]+/(?=ja-(?:mini|mail)\b)", "<corpora>/", text)
    text = re.sub(r"(?<=│ bytes)( +│ )(\d+)", lambda found: found[1] + "N".ljust(len(found[2])), text)
    text = re.sub(r"(?<=│ engine here)( +│ )(\w+ *)", lambda found: found[1] + "ENGINE".ljust(len(found[2])), text)
    text = re.sub(r"(\"(?:bytes|engine here|engine_here)\": )(\d+|\"\w+\")", r"\1<scrubbed>", text)
    return re.sub(r"(, engine )\w+", r"\1ENGINE", text)


def prepare(folder: Path, shared: Path) -> Path:
    """Fill the folder of one case: the corpora, small parts of them, models, and files to read."""
    shutil.copytree(HERE / "inputs", folder, dirs_exist_ok=True)
    for part in ("cur", "new", "tmp"):
        (folder / "Maildir" / part).mkdir(parents=True)
    for name in ("small", "mail"):
        (folder / name).symlink_to(shared / name, target_is_directory=True)
    (folder / "corpora").symlink_to(CORPORA, target_is_directory=True)
    for name in ("models", "counts"):
        (folder / name).symlink_to(HERE / name, target_is_directory=True)
    for number, (label, place) in enumerate([("spam", "new/1.a"), ("family", "cur/2.b:2,S"), ("work", "new/3.c")], 14):
        shutil.copy(CORPORA / "ja-mail" / label / f"{number}.eml", folder / "Maildir" / place)
    return folder


def prepare_shared(folder: Path) -> Path:
    """Make the small corpora that all cases read, and let the dictionary be compiled if it is not there yet."""
    for split, first, last in (("train", 0, 10), ("test", 0, 5), ("more", 10, 14)):
        for label in CLASSES if split != "more" else ("sport", "travel"):
            source = sorted((CORPORA / "ja-mini" / ("test" if split == "test" else "train") / label).iterdir())
            _copied(source[first:last], folder / "small" / split / label)
    for label in ("spam", "family"):
        _copied(sorted((CORPORA / "ja-mail" / label).iterdir())[:12], folder / "mail" / label)
    (folder / "text").write_text("これは犬です\n", encoding="utf-8")
    _run("textnb tokenize text", folder)
    return folder


def _copied(files: list[Path], folder: Path) -> None:
    folder.mkdir(parents=True)
    for path in files:
        shutil.copy(path, folder)


def _run(line: str, folder: Path) -> Done:
    words = shlex.split(line)
    given = dict(word.split("=", 1) for word in itertools.takewhile(lambda word: "=" in word, words))
    name, *arguments = words[len(given) :]
    stdin = b""
    if "<" in arguments:
        place = arguments.index("<")
        stdin = (folder / arguments[place + 1]).read_bytes()
        arguments = arguments[:place]
    with mock.patch.dict(ENVIRONMENT, given):
        return COMMANDS[name](folder, arguments, stdin)


def _textnb(folder: Path, arguments: list[str], stdin: bytes) -> Done:
    out, err = io.BytesIO(), io.BytesIO()
    streams = {
        "argv": ["textnb", *arguments],
        "stdin": io.TextIOWrapper(io.BytesIO(stdin), "utf-8"),
        "stdout": io.TextIOWrapper(out, "utf-8", write_through=True),
        "stderr": io.TextIOWrapper(err, "utf-8", write_through=True),
    }
    code = 0
    with _process(folder), mock.patch.multiple(sys, **streams):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Done(code, *(stream.getvalue().decode("utf-8", "backslashreplace") for stream in (out, err)))


@contextmanager
def _process(folder: Path) -> Iterator[None]:
    """Give a command the process that it expects: its folder, its environment, a clock that stands still."""
    log, before = logging.getLogger("textnb"), Path.cwd()
    level, handlers = log.level, log.handlers
    environment = {name: value for name, value in os.environ.items() if name not in REMOVED}
    environment |= ENVIRONMENT | {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}
    environment.setdefault("TEXTNB_CACHE", str(folder / "cache"))
    with (
        warnings.catch_warnings(),
        mock.patch.dict(os.environ, environment, clear=True),
        mock.patch.object(time, "perf_counter", lambda: 0.0),
        mock.patch.object(sys.modules["__main__"], "__package__", ""),  # click looks there for the program's name
    ):
        warnings.simplefilter("default")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
            gc.enable()
            log.setLevel(level)
            log.handlers = handlers


def _cp(folder: Path, arguments: list[str], _: bytes) -> Done:
    shutil.copy(folder / arguments[0], folder / arguments[1])
    return Done(0)


def _cmp(folder: Path, arguments: list[str], _: bytes) -> Done:
    one, other = ((folder / name).read_bytes() for name in arguments)
    return Done(int(one != other), "identical\n" if one == other else "different\n")


def _find(folder: Path, arguments: list[str], _: bytes) -> Done:
    paths = sorted(path.relative_to(folder) for path in (folder / arguments[0]).rglob("*") if path.is_file())
    return Done(0, "".join(f"{path.as_posix()}\n" for path in paths))


def _page(folder: Path, arguments: list[str], _: bytes) -> Done:
    page = (folder / arguments[0]).read_text(encoding="utf-8")
    lines = [f"lang: {text}" for text in re.findall(r'<html lang="(\w+)', page)]
    lines += [f"title: {text}" for text in re.findall(r"<title[^>]*>([^<]*)", page)[:1]]
    lines += [f"{tag}: {text}" for tag, text in re.findall(r"<(h[1-6])\b[^>]*>([^<]*)", page)]
    lines += [f"{tag}: {len(re.findall(f'<{tag}[ >]', page))}" for tag in ("table", "section", "svg")]
    return Done(0, "\n".join(lines) + "\n")


COMMANDS: dict[str, Callable[[Path, list[str], bytes], Done]] = {
    "textnb": _textnb,
    "cp": _cp,
    "cmp": _cmp,
    "find": _find,
    "page": _page,
}


def same_text(expected: str, found: str) -> bool:
    """Return whether two texts are equal, but for numbers that differ by a millionth.

    >>> same_text("p 0.12345678, 3 classes", "p 0.12345679, 3 classes")
    True
    >>> same_text("3 classes", "4 classes"), same_text("1 class", "1 classes")
    (False, False)
    """
    if expected == found:
        return True
    if NUMBER.sub("#", expected) != NUMBER.sub("#", found):
        return False
    pairs = zip(NUMBER.findall(expected), NUMBER.findall(found), strict=True)
    return all(one == other or _close(one, other) for one, other in pairs)


def _close(one: str, other: str) -> bool:
    numbers = (float(text.replace(",", "")) for text in (one, other))
    return math.isclose(*numbers, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
