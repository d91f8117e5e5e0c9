"""Clusters of two processes or threads on this machine, and corpora of several files for it."""

import csv
import logging
from contextlib import contextmanager
from datetime import datetime

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


@contextmanager
def threads_cluster():
    """Give a client of two workers in this process, which see memory:// as the tests do."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
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


def typed_table(number=60):
    """Table of Arrow of documents, with columns of several types."""
    import pyarrow as pa

    made = documents(number)
    return pa.table(
        {
            "id": pa.array(range(number), pa.int16()),
            "when": [datetime(2026, 1, 1 + i % 28) for i in range(number)],
            "tags": [["a", str(i)] for i in range(number)],
            "score": pa.array([None if i % 3 else i / 2 for i in range(number)], pa.float32()),
            "text": [each.text for each in made],
            "label": pa.array([each.label for each in made]).dictionary_encode(),
        }
    )


def write_parquet(memory, n_files=2):
    """Parquet files of four row groups each in memory://corpus/."""
    from pyarrow import parquet

    memory.makedirs("/corpus", exist_ok=True)
    for i in range(n_files):
        with memory.open(f"/corpus/{i}.parquet", "wb") as stream:
            parquet.write_table(typed_table(), stream, row_group_size=16)
