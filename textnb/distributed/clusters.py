"""Clusters of the command line: a scheduler by its address, or processes on this machine."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from textnb.errors import InputError, ParameterError

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
"""Name of a cluster of processes on this machine, which ends with the run."""

QUIET_WORKERS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, "MKL_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1},
}
"""Settings of Dask for local processes: what watches them, for a page that nobody opens, is off or rare.

Dask's own environment has MALLOC_TRIM_THRESHOLD_ as well, which gives memory back at every turn: counting takes a
quarter longer.
"""

SECONDS_TO_ANSWER = 15
_MISSING = "Dask is not installed; install it with: pip install 'textnb[dask]'"
_NO_ANSWER = "the Dask scheduler {address} does not answer: {why}; start one with: dask scheduler"
_NO_WORKERS = "the Dask scheduler {address} has no workers; start some with: dask worker {address} --nthreads 1"


@contextmanager
def open_client(address: str, jobs: int) -> Iterator["Client"]:
    """Connect to a scheduler, such as ``tcp://host:8786``, or start ``jobs`` processes for ``local``."""
    try:
        import dask
        import distributed
    except ImportError as error:
        raise InputError(_MISSING) from error
    if address == LOCAL:
        with (
            dask.config.set(QUIET_WORKERS),
            distributed.LocalCluster(
                n_workers=jobs, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
            ) as cluster,
            distributed.Client(cluster, direct_to_workers=True) as client,
        ):
            yield client
        return
    if "://" not in address:
        template = "--dask takes local or the address of a scheduler, as in tcp://host:8786, not {address!r}"
        raise ParameterError(template, address=address)
    with _connected(address) as client:
        if not client.nthreads():
            raise InputError(_NO_WORKERS, address=address)
        yield client


def _connected(address: str) -> "Client":
    import distributed

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return distributed.Client(address, timeout=SECONDS_TO_ANSWER)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(_NO_ANSWER, address=address, why=str(error) or type(error).__name__) from None
