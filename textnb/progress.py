"""Progress of long work: a bar in terminals and notebooks, for ``progress=`` of TextClassifier.

>>> from textnb import TextClassifier
>>> from textnb.progress import bar
>>> clf = TextClassifier().fit(["good fun", "bad fun"], ["pos", "neg"], progress=bar)

In its place tqdm's ``tqdm`` and rich's ``track`` work as well: a function that is called with the items and ``total=``.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

__all__ = ["bar"]

Item = TypeVar("Item")

_SECONDS_BETWEEN = 0.2


def bar(items: Iterable[Item], total: int | None = None, *, title: str = "documents") -> Iterator[Item]:
    """Yield the items, and show how many there were: a bar in a terminal or notebook, nothing elsewhere.

    Parameters
    ----------
    items : iterable
        What to count.
    total : int, optional
        Number of items, if it is known.
    title : str
        Word beside the bar.

    Examples
    --------
    >>> list(bar("abc", total=3))
    ['a', 'b', 'c']
    """
    if "ipykernel" in sys.modules:
        return _in_notebook(items, total, title)
    if sys.stderr.isatty():
        return _in_terminal(items, total, title)
    return iter(items)


def _in_terminal(items: Iterable[Item], total: int | None, title: str) -> Iterator[Item]:
    with terminal_bar() as shown:
        task = shown.add_task(title, total=total)
        for item in items:
            yield item
            shown.advance(task)


def _in_notebook(items: Iterable[Item], total: int | None, title: str) -> Iterator[Item]:
    """Show a progress element of HTML, which is replaced a few times per second; no widgets are needed."""
    from IPython.display import HTML, display  # type: ignore[import-not-found]  # a notebook has it

    handle = display(HTML(_html(0, total, title)), display_id=True)
    done, due = 0, time.monotonic() + _SECONDS_BETWEEN
    for item in items:
        yield item
        done += 1
        if time.monotonic() >= due:
            handle.update(HTML(_html(done, total, title)))
            due = time.monotonic() + _SECONDS_BETWEEN
    handle.update(HTML(_html(done, total, title)))


def _html(done: int, total: int | None, title: str) -> str:
    from textnb.markup import element

    number = f"{done:,}" if total is None else f"{done:,} of {total:,}"
    size = {} if total is None else {"max": str(max(total, 1)), "value": str(min(done, total))}
    return element("div", element("progress", **size), f" {number} {title}")


def terminal_bar(*, in_bytes: bool = False) -> Any:
    """Return rich's Progress on standard error: title, bar, number, rate and remaining time.

    in_bytes: the bar shows bytes, the numbers the fields ``documents`` and ``seconds`` of the task, and there is a rate
    of each.
    """
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
        """Items per second."""

        def render(self, task: Task) -> Text:
            """Return the rate so far."""
            return Text(f"{task.speed:,.0f}/s" if task.speed else "")

    class Rates(ProgressColumn):
        """Documents, documents per second and megabytes per second."""

        def render(self, task: Task) -> Text:
            """Return the number and the rates so far."""
            number, seconds = task.fields["documents"], task.fields["seconds"]
            rates = f" {number / seconds:,.0f}/s" if seconds else ""
            speed = f" {task.completed / seconds / 1e6:,.1f} MB/s" if seconds and task.completed else ""
            return Text(f"{number:,}{rates}{speed}")

    name = TextColumn("{task.description}", markup=False)
    numbers = (Rates(),) if in_bytes else (MofNCompleteColumn(), Rate())
    columns = (name, BarColumn(), *numbers, TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
