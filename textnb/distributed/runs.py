"""Runs on a cluster: one task per partition, and a tree of sums, so that nobody holds all parts.

With P partitions and sums of at most S = ``split_every`` values there are about P (1 + 1 / (S - 1)) tasks, and a worker
holds S values and their sum at a time. Every task is a pure function of its partition: Dask runs it again on another
worker if the first one ends, and again on an error, RETRIES times. The order of sums does not matter, because
statistics are whole numbers; see ``counts/learnt.py``.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from textnb.distributed.partitions import Source
from textnb.distributed.workers import Shared, TaskResult, added, run_task
from textnb.errors import InputError, ParameterError, ReadingWarning, TextnbError
from textnb.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

SPLIT_EVERY = 8
"""Number of values that one task adds up."""

RETRIES = 2
"""Number of times that a task that has failed is run again."""

Progress = Callable[..., Iterable[Any]]

_KILLED = (
    "{part}: each worker that processed it has ended, {times} times; it may lack memory: divide this part, or give the "
    "workers more; their logs say more"
)
_LOST = "the connection to the Dask scheduler was lost; run again: parts that are finished in a folder are kept"
_NOT_IMPORTABLE = "the workers cannot run textnb: {why}; install the same textnb, with its extras, on every worker"


class Run:
    """One run over the partitions of a source.

    progress: shows the partitions that are done, as ``TextClassifier.fit`` describes it.
    """

    def __init__(
        self, client: "Client", source: Source, split_every: int = SPLIT_EVERY, progress: Progress | None = None
    ) -> None:
        if type(split_every) is not int or split_every < 2:
            raise ParameterError("split_every must be a whole number of at least 2, not {given!r}", given=split_every)
        if not source.partitions:
            raise InputError("there are no documents: the Dask collection has no partitions")
        self.client, self.source, self.split_every, self.progress = client, source, split_every, progress
        self._names: dict[str, str] = {}
        self._warned: set[str] = set()

    def __len__(self) -> int:
        return len(self.source.partitions)

    def shared(self, value: Any) -> Any:
        """Return a value for all tasks, which is sent to each worker once."""
        from dask import delayed

        return delayed(Shared.of(value), traverse=False)

    def leaves(
        self, task: Callable[..., Any], *args: Any, each: Sequence[Any] | None = None, only: Sequence[int] | None = None
    ) -> list[Any]:
        """Return one task per partition, not run yet; its last argument is its item of ``each``."""
        from dask import delayed

        run, function = uuid4().hex, delayed(run_task, pure=False)
        found = []
        for i in range(len(self)) if only is None else only:
            partition, own = self.source.partitions[i], () if each is None else (each[i],)
            key = f"textnb-{task.__name__}-{run}", i
            self._names[str(key)] = partition.name
            found.append(function(__version__, task, partition.reader, *args, *own, dask_key_name=key))
        return found

    def after(self, function: Callable[..., Any], values: Sequence[Any], *args: Any) -> list[Any]:
        """Return a task for each of some values, which follows it."""
        from dask import delayed

        run, task = uuid4().hex, delayed(function, pure=False)
        return [
            task(value, *args, dask_key_name=(f"textnb-{function.__name__}-{run}", i)) for i, value in enumerate(values)
        ]

    def task(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return one task, not run yet."""
        from dask import delayed

        return delayed(function, pure=False)(*args, dask_key_name=f"textnb-{function.__name__}-{uuid4().hex}")

    def each(self, function: Callable[..., Any], values: Sequence[Any], own: Sequence[Any], *args: Any) -> list[Any]:
        """Return a task for each of some values and what belongs to it."""
        return [self.task(function, value, mine, *args) for value, mine in zip(values, own, strict=True)]

    def tree(self, values: Sequence[Any], add: Callable[[list[Any]], Any] = added) -> Any:
        """Return the task whose result is the sum of all values."""
        from dask import delayed

        run, task, level, depth = uuid4().hex, delayed(add, pure=False), list(values), 0
        while len(level) > 1:
            groups = [level[i : i + self.split_every] for i in range(0, len(level), self.split_every)]
            level = [task(g, dask_key_name=(f"textnb-sum{depth}-{run}", i)) for i, g in enumerate(groups)]
            depth += 1
        return level[0]

    def total(self, leaves: Sequence[Any], term_budget: int | None = None) -> TaskResult:
        """Run the tasks, and return the sum of what they learnt; no sum has more terms than the budget."""
        done = self.after(_is_done, leaves)
        root, *reports = self.start([self.tree(leaves, partial(added, term_budget=term_budget)), *done])
        self.wait(reports)
        with self.errors():
            total: TaskResult = self.heard(root.result())
            return total

    def start(self, tasks: Sequence[Any]) -> "list[Future[Any]]":
        """Start tasks, and return their futures."""
        with warnings.catch_warnings(), self.errors():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # of a large model
            return list(self.client.compute(list(tasks), retries=RETRIES))

    def wait(self, futures: "Sequence[Future[Any]]") -> None:
        """Wait for futures, and show how many are done; the first error ends the run."""
        with self.errors():
            for future in self._watched(_finished(futures), len(futures)):
                if future.status != "finished":
                    future.result()

    def results(self, tasks: Sequence[Any]) -> list[Any]:
        """Run tasks, and return their results in order."""
        futures = self.start(tasks)
        self.wait(futures)
        return self.gathered(futures)

    def passing(self, tasks: Mapping[int, Any]) -> Iterator[tuple[int, Any]]:
        """Run tasks, and yield the number and the result of each as they come; the cluster keeps none of them."""
        futures = self.start(list(tasks.values()))
        numbers = dict(zip((future.key for future in futures), tasks, strict=True))
        with self.errors():
            for future in self._watched(_finished(futures), len(futures)):
                yield numbers[future.key], self.heard(future.result())
                future.release()

    def gathered(self, futures: "Sequence[Future[Any]]") -> list[Any]:
        """Return the results of futures in order."""
        with self.errors():
            return [self.heard(value) for value in self.client.gather(list(futures))]

    def heard(self, value: Any) -> Any:
        """Show the warnings of a result, each once, and return it."""
        for line in value.warnings if isinstance(value, TaskResult) else ():
            if line not in self._warned:
                self._warned.add(line)
                warnings.warn(line, ReadingWarning, stacklevel=2)
        return value

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what Dask raises into one clear line."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            yield
        except TextnbError:
            raise
        except KilledWorker as error:
            part = self._names.get(str(error.task), "a sum of parts")
            raise InputError(_KILLED, part=part, times=error.allowed_failures + 1) from None
        except ModuleNotFoundError as error:
            raise InputError(_NOT_IMPORTABLE, why=error) from None
        except (CancelledError, OSError, TimeoutError) as error:
            raise InputError(_LOST) from error

    def _watched(self, futures: "Iterator[Future[Any]]", total: int) -> "Iterator[Future[Any]]":
        return futures if self.progress is None else iter(self.progress(futures, total=total))


def _is_done(_: Any) -> bool:
    return True


def _finished(futures: "Sequence[Future[Any]]") -> "Iterator[Future[Any]]":
    from distributed import as_completed

    return iter(as_completed(futures))
