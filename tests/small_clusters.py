"""A cluster of two processes on this machine, and corpora of several files for it."""

import csv
import logging
from contextlib import contextmanager

from made_corpora import documents


@contextmanager
def small_cluster():
    """Give a client of two worker processes; a task may take one of them with it, and with the second ends the run."""
    import dask
    import distributed

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


def write_corpus(folder, killing=False, n_files=4, number=120):
    """Tables of documents; if killing, one of them kills the worker that counts it, once. Returns their pattern."""
    folder.mkdir(exist_ok=True)
    made = documents(number)
    for i in range(n_files):
        rows = [[f"d{j}", d.text, d.label] for j, d in enumerate(made[i::n_files])]
        if killing and i == n_files - 1:
            rows.insert(5, ["killer", f"KILL {folder / 'killed'} w1 w2", "x"])
        with (folder / f"part{i}.csv").open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([["id", "text", "label"], *rows])
    return str(folder / "*.csv")
