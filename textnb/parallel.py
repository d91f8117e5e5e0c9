"""One function over many items, in order, on several processes or threads."""

import math
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import Any, TypeVar

from textnb.errors import InputError, WorkerError

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE = 2.0
"""Seconds of work before processes are started: starting them costs about as much."""

_AHEAD = 4
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_function: Callable[[Any], Any]


def as_jobs(jobs: int | None) -> int:
    """A checked number of processes; None and 0 mean one a processor."""
    if jobs is not None and (type(jobs) is not int or jobs < 0):
        raise InputError(f"jobs must be a whole number from 0 on, not {jobs!r}")
    return jobs or _processors()


def map_ordered(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int = 1,
    patience: float = PATIENCE,
    enough: float = math.inf,
) -> Iterator[Result]:
    """``map(function, items)``, the same whatever the number of jobs.

    Processes are started after ``patience`` seconds of work, or at once where ``enough`` items come within that time;
    these are taken before anything else is done. Otherwise items are taken as they are needed, a few ahead of the
    results. The function must be picklable for jobs > 1; processes are started afresh, so nothing that threads hold is
    inherited.

    >>> list(map_ordered(abs, [-1, 2]))
    [1, 2]
    """
    items = iter(items)
    jobs = as_jobs(jobs)
    begun = time.monotonic()
    if jobs > 1 and enough < math.inf:
        ahead: deque[Item] = deque()
        while len(ahead) < enough and time.monotonic() - begun < patience and (more := list(islice(items, 1))):
            ahead += more
        patience = 0.0 if len(ahead) >= enough else patience
        items = chain(_emptied(ahead), items)
    while jobs == 1 or time.monotonic() - begun < patience:
        for item in islice(items, 1):
            yield function(item)
            break
        else:
            return
    yield from _on_processes(function, items, jobs)


def _emptied(items: deque[Item]) -> Iterator[Item]:
    """The items, which are not kept."""
    while items:
        yield items.popleft()


def map_on_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1) -> Iterator[Result]:
    """``map(function, items)`` for a function that spends its time without the GIL."""
    jobs = as_jobs(jobs)
    if jobs == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(jobs, "textnb")
    try:
        yield from _in_order(lambda item: pool.submit(function, item), items, jobs)
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(submit: Callable[[Item], Future[Result]], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """The results in the order of the items, of which a few are handed out ahead."""
    pending: deque[Future[Result]] = deque()
    for item in items:
        pending.append(submit(item))
        if len(pending) >= _AHEAD * jobs:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


def _on_processes(function: Callable[[Item], Result], items: Iterator[Item], jobs: int) -> Iterator[Result]:
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, spawn, _start, (function,))

    def submit(item: Item) -> Future[Result]:
        with _interrupts_ignored(), _one_thread_each():
            return pool.submit(_call, item)

    try:
        yield from _in_order(submit, items, jobs)
    except BrokenProcessPool as error:
        raise WorkerError(
            "a worker process ended before its work was done (out of memory?); in a script of your own, put the call "
            "under `if __name__ == '__main__':`, or use jobs=1"
        ) from error
    except BaseException:
        _terminate(pool)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _terminate(pool: ProcessPoolExecutor) -> None:
    """End the workers in the middle of their work: nobody waits for it any more."""
    for process in (getattr(pool, "_processes", None) or {}).values():  # from Python 3.14 on: terminate_workers
        process.terminate()


def _start(function: Callable[[Any], Any]) -> None:
    global _function  # noqa: PLW0603  # a worker process has one function for its life, sent once
    _function = function
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose parent was killed has nobody to work for."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """A process that is started now has one thread for linear algebra: the processors are taken by the others."""
    unset = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(unset, "1"))
    try:
        yield
    finally:
        for name in unset:
            os.environ.pop(name, None)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """A process that is started now is deaf to Ctrl-C, which is ours to handle."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _call(item: Any) -> Any:
    return _function(item)


def _processors() -> int:
    with suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
