"""The terminal: messages and progress on standard error, data on standard output, and signals that stop a verb.

Standard output has data only: rows (TSV with escapes, CSV, JSON lines), JSON, tables, or lines.

File names, class names and texts can hold characters that control a terminal. Where they go to a terminal, or into a
message or a table, these are escaped (``visible``); rows, JSON and lines for a file or a pipe stay as they are. No
other module of the command line prints.
"""

import io
import json
import logging
import math
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from threading import Event
from types import FrameType, NoneType
from typing import Any, Literal, NoReturn, TextIO, TypeVar

from textnb.errors import MAX_SHOWN, TextnbError, shortened
from textnb.language import spoken
from textnb.progress import terminal_bar

Item = TypeVar("Item")

_WORDS_AT_A_TIME = 10_000
_SECONDS_BETWEEN = 0.1


def fail(error: object, code: int = 1) -> NoReturn:
    """Print one line about an error, in the language of the terminal, and exit."""
    said = spoken().error(error)
    say("textnb: {error}", error=said if isinstance(error, TextnbError) else shortened(said, MAX_SHOWN))
    sys.exit(code)


def say(template: str, **values: object) -> None:
    """Print a template with its values on standard error, as one line without control characters."""
    line = spoken()(template, **values)
    print(visible(line.translate(_BLANKS)), file=sys.stderr)


def say_if_typing(template: str) -> None:
    """Print a template if standard input is a terminal, so that a waiting command says what it waits for."""
    if sys.stdin is not None and sys.stdin.isatty():
        say(template, keys="Ctrl-Z, Enter" if os.name == "nt" else "Ctrl-D")


def warn(template: str, **values: object) -> None:
    """Print a warning on standard error, as one line."""
    say("textnb: warning: {warning}", warning=spoken().message(template, **values))


def show_usage_error(show: Callable[[TextIO], None]) -> None:
    """Print what click shows of an error on standard error, without control characters and overlong lines."""
    shown = io.StringIO()
    show(shown)
    language = spoken()
    for said in shown.getvalue().splitlines():
        what, error, message = said.partition("Error: ")
        line = language.filled(said) if what or not error else language("Error: {message}", message=message)
        sys.stderr.write(shortened(visible(line), MAX_SHOWN) + "\n")


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return a number and its noun, in the language of the terminal.

    >>> plural(1, "class", "classes"), plural(2000, "term")
    ('1 class', '2,000 terms')
    """
    language = spoken()
    if language.code == "ja":
        return f"{number:,} {language.name(one)}"
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def prepare_streams() -> None:
    """Set UTF-8 and LF for output, and print warnings and log records of textnb as one line each."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    warnings.showwarning = _show_warning
    log = logging.getLogger("textnb")
    log.setLevel(logging.INFO)
    log.handlers = [_LineHandler()]


class _LineHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say("textnb: {message}", message=spoken().filled(record.getMessage()))


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    del category, filename, lineno, file, line
    say("textnb: warning: {warning}", warning=spoken().error(message))


def progress(
    items: Iterable[Item],
    what: str,
    total: Callable[[], int | None],
    quiet: bool,
    describe: Callable[[Item], str] | None = None,
) -> Iterator[Item]:
    """Yield the items; if standard error is a terminal, show their number, rate and remaining time.

    `describe` gives the text beside the bar from the last item, in place of `what`.
    """
    if quiet or not sys.stderr.isatty():
        yield from items
        return
    with terminal_bar() as bar:
        task = bar.add_task(what, total=total())
        for item in items:
            yield item
            bar.update(task, advance=1, description=visible(describe(item)) if describe else what)


def progress_of_bytes(
    items: Iterable[Item], what: str, total: int | None, so_far: Callable[[], tuple[int, int, float]]
) -> Iterator[Item]:
    """Yield the items; show their number, rates and remaining time by the bytes that have been read.

    total: bytes of all, None if it is not known. so_far: gives the documents, bytes and seconds so far.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    with terminal_bar(in_bytes=True) as bar:
        number, done, seconds = so_far()
        task = bar.add_task(what, total=total, completed=done, documents=number, seconds=seconds)
        due = 0.0
        for item in items:
            yield item
            if time.monotonic() >= due:
                number, done, seconds = so_far()
                bar.update(task, completed=done, documents=number, seconds=seconds)
                due = time.monotonic() + _SECONDS_BETWEEN
        number, done, seconds = so_far()
        bar.update(task, completed=done, documents=number, seconds=seconds)


@contextmanager
def bytes_progress(what: str, quiet: bool) -> Iterator[Any]:
    """Give a function to call with the size of every piece read; progress is shown."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    with terminal_bar() as bar:
        task = bar.add_task(visible(what), total=None)
        yield lambda size: bar.advance(task, size)


Format = Literal["tsv", "csv", "jsonl", "parquet"]

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_BLANKS = str.maketrans("\t\n\r", "   ")
_MIN_LAST_WIDTH = 12
# Control characters except tab and line end, marks that change the direction of text, line separators, surrogates.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class OutputRows:
    """Rows on standard output, after a header; in TSV and CSV fractions have `digits` decimals, or all for None."""

    def __init__(self, columns: Sequence[str], form: Format, digits: int | None = None) -> None:
        self.columns, self.form, self.digits = tuple(columns), form, digits
        self._visible = visible if sys.stdout.isatty() else str  # asked once: it is a call of the system
        if form == "csv":
            import csv

            self._csv = csv.writer(sys.stdout, lineterminator="\n")
        if form != "jsonl":
            self._line(columns)

    def row(self, values: Sequence[Any]) -> None:
        """Write one row; JSON keeps all digits."""
        if self.form == "jsonl":
            print_json(dict(zip(self.columns, values, strict=True)), indent=None)
        else:
            self._line(values)

    def _line(self, values: Sequence[Any]) -> None:
        if self.digits is not None:
            values = [f"{value:.{self.digits}f}" if isinstance(value, float) else value for value in values]
        if self.form == "csv":
            self._csv.writerow([self._visible(value) if isinstance(value, str) else value for value in values])
        else:
            sys.stdout.write(self._visible("\t".join(_cells(values))) + "\n")


class TerminalRows(OutputRows):
    """Rows on a terminal, in columns of fixed width: longer cells are cut, and the last column fills the line.

    widths: those of the other columns, by the least width of the terminal for which they are.
    """

    def __init__(self, columns: Sequence[str], widths: Mapping[int, Sequence[int]]) -> None:
        from shutil import get_terminal_size

        width = get_terminal_size((120, 24)).columns
        others = widths[max(least for least in widths if least <= width)]
        self.widths = (*others, max(width - sum(other + 1 for other in others), _MIN_LAST_WIDTH))
        super().__init__(columns, "tsv")

    def _line(self, values: Sequence[Any]) -> None:
        cells = [
            _padded(_shown(value).translate(_BLANKS), width) for value, width in zip(values, self.widths, strict=True)
        ]
        sys.stdout.write(" ".join(cells).rstrip() + "\n")


def _padded(text: str, width: int) -> str:
    from rich.cells import cell_len, set_cell_size

    return set_cell_size(text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…", width)


def _cells(values: Sequence[Any]) -> list[str]:
    """Values as strings without tabs and line ends, which are escaped."""
    cells = [str(value) for value in values]
    whole = "".join(cells)
    return cells if whole.isprintable() and "\\" not in whole else [cell.translate(_ESCAPES) for cell in cells]


def print_json(value: Any, indent: int | None = 1) -> None:
    """Print a value as JSON; infinity and NaN, which JSON lacks, are null."""
    print_text(json.dumps(_finite(value), ensure_ascii=False, indent=indent))


def print_text(text: object) -> None:
    """Print one or more lines of data; if standard output is a terminal, control characters are escaped."""
    sys.stdout.write(_as_it_may_go_out(str(text)) + "\n")


def print_words(words: Iterable[str]) -> None:
    """Print words on one line, separated by spaces, a number of them at a time; escaped as in ``print_text``."""
    words, separator = iter(words), ""
    while some := list(islice(words, _WORDS_AT_A_TIME)):
        sys.stdout.write(separator + _as_it_may_go_out(" ".join(some)))
        separator = " "
    sys.stdout.write("\n")


def _as_it_may_go_out(text: str) -> str:
    """Return the text as standard output may have it: escaped for a terminal, as it is for a file or a pipe."""
    return visible(text) if sys.stdout.isatty() else text


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str | None = None, *, facts: bool = False
) -> None:
    """Print a table, as wide as the terminal or COLUMNS; 120 columns if neither is known.

    Headings and title are in the language of the terminal. The rows of `facts` are names and values of textnb, and
    their strings are translated as well.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    language = spoken()
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() or os.environ.get("COLUMNS") else 120)
    if title is not None:
        console.print(Text(visible(language.filled(title))), soft_wrap=True)
    table = Table()
    numbers = [all(isinstance(row[i], (int, float, NoneType)) for row in rows) for i in range(len(columns))]
    for column, number in zip(columns, numbers, strict=True):
        table.add_column(Text(visible(language.name(column))), justify="right" if number else "left", overflow="fold")
    for row in rows:
        cells = [language.filled(cell) if facts and isinstance(cell, str) else cell for cell in row]
        table.add_row(*(Text(_shown(cell)) for cell in cells))
    console.print(table)


def print_suspects(suspects: Sequence[Any]) -> None:
    """Print training documents whose labels are suspect (`Suspect`), if there are any."""
    if suspects:
        columns = ["document", "label", "answer", "probability", "text", "words against the label"]
        rows = [
            (each.id, each.label, each.predicted, each.probability, each.excerpt, each.reasons) for each in suspects
        ]
        print_table(columns, rows, "suspect labels: answers to training documents without themselves")


def visible(text: str) -> str:
    r"""Return the text with escapes, which JSON reads too, for characters that control a terminal.

    Tab and line end stay.

    >>> print(visible("a\x1b[31m b\u202e"))
    a\u001b[31m b\u202e
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else visible(str(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextmanager
def stop_on_signals() -> Iterator[Event]:
    """Give an event that SIGINT and SIGTERM set, instead of their usual effect."""
    stop = Event()

    def set_stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()

    before = {number: signal.signal(number, set_stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def repeat(once: Callable[[], object], every: float, stop: Event) -> None:
    """Call `once` every so many seconds until `stop`; an error is printed once and does not end the loop."""
    said = ""
    while not stop.is_set():
        try:
            once()
            said = ""
        except (TextnbError, OSError) as error:
            if str(error) != said:
                said = str(error)
                say("textnb: {error}; will keep trying", error=spoken().error(error))
        stop.wait(every)
