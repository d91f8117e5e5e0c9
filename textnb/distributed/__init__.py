"""Counting, training, comparing and answering on a Dask cluster; the results equal those of one machine, to the byte.

Each function takes a ``dask.distributed.Client`` first. It needs the extra ``dask``: ``pip install 'textnb[dask]'``.
"""

from typing import TYPE_CHECKING

from textnb.extension import dir_of, names_of

if TYPE_CHECKING:
    from textnb.distributed.counting import count
    from textnb.distributed.cross_validation import cross_validate
    from textnb.distributed.prediction import predict
    from textnb.distributed.training import fit

__all__ = ["count", "cross_validate", "fit", "predict"]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {"count": "counting", "cross_validate": "cross_validation", "fit": "training", "predict": "prediction"},
    )

__dir__ = dir_of(__name__)
