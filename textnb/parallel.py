"""Parallel map: one function over many items on several processes or threads, with the results in order."""

import math
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, suppress
from itertools import chain, islice
from typing import Any, TypeVar

from textnb.errors import ParameterError, WorkerError

Item = TypeVar("Item")
Result = TypeVar("Result")

SECONDS_BEFORE_PROCESSES = 2.0
"""Seconds of work before processes are started, which takes about as long."""

_PENDING_PER_JOB = 4
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_function: Callable[[Any], Any]


def as_jobs(jobs: int | None) -> int:
    """Check a number of processes; None, 0 and -1 become the number of processors."""
    if jobs is not None and (type(jobs) is not int or jobs < -1):
        raise ParameterError("jobs must be a whole number, or -1 for one per processor, not {given!r}", given=jobs)
    return _processors() if jobs in (None, 0, -1) else jobs


def map_ordered(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int = 1,
    patience: float = SECONDS_BEFORE_PROCESSES,
    enough: float = math.inf,
) -> Iterator[Result]:
    """Map a function over items on several processes; the results are in order and do not depend on ``jobs``.

    Processes are started after ``patience`` seconds of work, or at once if ``enough`` items arrive within that time;
    these items are taken before any work is done. Otherwise items are taken as needed, a few ahead of the results. The
    function must be picklable if jobs > 1. Processes are spawned, so they inherit nothing that threads hold.

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
    """Yield the items and remove them, so that they are not kept in memory."""
    while items:
        yield items.popleft()


def map_on_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1) -> Iterator[Result]:
    """Map a function that releases the GIL over items on several threads; the results are in order."""
    jobs = as_jobs(jobs)
    if jobs == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(jobs, "textnb")
    try:
        yield from _in_order(lambda item: pool.submit(function, item), items, jobs)
    finally:
        pool.shutdown(cancel_futures=True)


def one_behind(function: Callable[[Item], object], items: Iterator[Item], jobs: int = 1) -> None:
    """Call a function with each item, in order; with jobs > 1 on a thread of its own, while the next item is made.

    There are never more than two items: the one that is worked on and the one that is made. The first error ends both.
    A generator of items is closed here, for one that is left to the garbage collector may wait for its threads while a
    lock is held that they need.
    """
    working: Future[object] | None = None
    try:
        with nullcontext() if as_jobs(jobs) == 1 else ThreadPoolExecutor(1, "textnb") as pool:
            for item in items:
                if pool is None:
                    function(item)
                else:
                    if working is not None:
                        working.result()
                    working = pool.submit(function, item)
                del item  # before the next is made
            if working is not None:
                working.result()
    finally:
        working = None  # an error in it refers to this frame, and so to the items
        if isinstance(items, Generator):
            items.close()


def _in_order(submit: Callable[[Item], Future[Result]], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """Yield the results in the order of the items; a few items are submitted ahead."""
    pending: deque[Future[Result]] = deque()
    for item in items:
        pending.append(submit(item))
        if len(pending) >= _PENDING_PER_JOB * jobs:
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
            "a worker process ended before its work was done (out of memory?); in a script, put the call under "
            "`if __name__ == '__main__':`, or use jobs=1"
        ) from error
    except BaseException:
        _terminate(pool)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _terminate(pool: ProcessPoolExecutor) -> None:
    """End the workers in the middle of their work, because nobody needs the results."""
    for process in (getattr(pool, "_processes", None) or {}).values():  # from Python 3.14 on: terminate_workers
        process.terminate()


def _start(function: Callable[[Any], Any]) -> None:
    """Initialise a worker process with its function."""
    global _function  # noqa: PLW0603  # a worker process has one function for its life, sent once
    _function = function
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End a worker process when its parent has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Give processes that are started in the block one thread of linear algebra, for there is one per processor."""
    unset = [name for name in _THREAD_VARIABLES if name not in os.environ]
    os.environ.update(dict.fromkeys(unset, "1"))
    try:
        yield
    finally:
        for name in unset:
            os.environ.pop(name, None)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Make processes that are started in the block ignore Ctrl-C, which the parent handles."""
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
