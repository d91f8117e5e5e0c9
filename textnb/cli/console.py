"""What goes to standard error: progress, warnings and errors. Data goes to standard output and nowhere else."""

import logging
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO, TypeVar

Item = TypeVar("Item")


def fail(error: object, code: int = 1) -> NoReturn:
    """End with one clear line and an exit code."""
    say(f"textnb: {one_line(error)}")
    sys.exit(code)


def say(line: str) -> None:
    """A line on standard error."""
    print(line, file=sys.stderr)


def plural(number: int, one: str, many: str | None = None) -> str:
    """A number and its noun.

    >>> plural(1, "class", "classes"), plural(2000, "term")
    ('1 class', '2,000 terms')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def one_line(error: object) -> str:
    """A message without line ends or control characters."""
    return "".join(c if c.isprintable() else " " for c in str(error))


def prepare_streams() -> None:
    """UTF-8 and LF everywhere; warnings and notes of textnb's own as one line each."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    warnings.showwarning = _show_warning
    log = logging.getLogger("textnb")
    log.setLevel(logging.INFO)
    log.handlers = [_Said()]


class _Said(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say(f"textnb: {one_line(record.getMessage())}")


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    del category, filename, lineno, file, line
    say(f"textnb: warning: {one_line(message)}")


def progress(
    items: Iterable[Item],
    what: str,
    total: Callable[[], int | None],
    quiet: bool,
    told: Callable[[Item], str] | None = None,
) -> Iterator[Item]:
    """The items themselves, with their number, rate and time left shown while standard error is a terminal.

    told: what to say of the last one, in place of ``what``.
    """
    if quiet or not sys.stderr.isatty():
        yield from items
        return
    with _bar() as bar:
        task = bar.add_task(what, total=total())
        for item in items:
            yield item
            bar.update(task, advance=1, description=told(item) if told else what)


@contextmanager
def bytes_progress(what: str, quiet: bool) -> Iterator[Any]:
    """A function to be told of every piece read."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    with _bar() as bar:
        task = bar.add_task(what, total=None)
        yield lambda size: bar.advance(task, size)


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Items a second."""

        def render(self, task: Task) -> Text:
            """The rate so far."""
            return Text(f"{task.speed:,.0f}/s" if task.speed else "")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
