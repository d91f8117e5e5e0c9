"""Options of verbs that run on a Dask cluster: --dask and --parts."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textnb.cli.options.groups import check_unused, option
from textnb.cli.options.inputs import Running
from textnb.cli.sources import CorpusSource
from textnb.cli.terminal import progress
from textnb.distributed.clusters import open_client
from textnb.distributed.counting import parts_folder
from textnb.distributed.partitions import source_of
from textnb.distributed.runs import Run
from textnb.errors import InputError
from textnb.readers import OpenCorpus

_COUNTED = "{path} holds counts already, which --dask does not distribute; leave out --dask"


@dataclass(frozen=True)
class Clustering:
    """Whether the work runs on a cluster, and where what is finished is kept."""

    section: ClassVar[str] = "Cluster"
    dask: str | None = option(
        "ADDRESS", "Run on a Dask cluster: tcp://host:8786, or local: processes here, as many as --jobs."
    )
    parts: str | None = option("DIR", "With --dask: keep the counts of each part of the corpus there, for a rerun.")

    def check(self) -> None:
        """Refuse --parts without --dask, and at an address."""
        if self.dask is None:
            check_unused("parts", why="without --dask")
        parts_folder(self.parts)

    @property
    def folder(self) -> Path | None:
        """Folder of --parts."""
        return parts_folder(self.parts)

    @contextmanager
    def run(self, source: CorpusSource, running: Running) -> Iterator[Run]:
        """Give a run over a corpus, on a cluster that is there until the block ends."""
        corpora = [each for each in source.corpora if isinstance(each, OpenCorpus)]
        if source.count_file is not None:
            raise InputError(_COUNTED, path=source.count_file.path)
        with cluster_run(self.dask, corpora, running, labelled=True) as run:
            yield run


@contextmanager
def cluster_run(address: str | None, corpora: list[OpenCorpus], running: Running, *, labelled: bool) -> Iterator[Run]:
    """Give a run over corpora on the cluster of this address; its progress is shown."""
    assert address is not None
    with open_client(address, running.n_jobs) as client:
        yield Run(client, source_of(corpora, labelled), progress=partial(_progress, running.quiet))


def _progress(quiet: bool, items: Iterable[Any], total: int) -> Iterator[Any]:
    return progress(items, "parts", lambda: total, quiet)
