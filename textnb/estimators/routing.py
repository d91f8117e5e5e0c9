"""Metadata routing, where scikit-learn has it switched on: which step of a pipeline asks for which weights."""

import inspect
from typing import Any, Self

from textnb.errors import InputError, listed

_DATA = ("X", "y")


class Routing:
    """scikit-learn's requests for metadata: the arguments of fit, partial_fit and score beside X and y."""

    def get_metadata_routing(self) -> Any:
        """The requests; an argument that was not asked for is an error where it is given."""
        if "_metadata_request" in vars(self):
            return vars(self)["_metadata_request"]
        from sklearn.utils.metadata_routing import MetadataRequest

        requests = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "partial_fit", "score"):
            for name in self._metadata(method):
                getattr(requests, method).add_request(param=name, alias=None)
        return requests

    def set_fit_request(self, **requested: bool | str | None) -> Self:
        """Ask for arguments of fit: ``sample_weight=True``, or the name by which they are given."""
        return self._request("fit", requested)

    def set_partial_fit_request(self, **requested: bool | str | None) -> Self:
        """Ask for arguments of partial_fit."""
        return self._request("partial_fit", requested)

    def set_score_request(self, **requested: bool | str | None) -> Self:
        """Ask for arguments of score."""
        return self._request("score", requested)

    def _request(self, method: str, requested: dict[str, bool | str | None]) -> Self:
        known = self._metadata(method)
        unknown = requested.keys() - set(known)
        if unknown:
            raise InputError(f"{method} takes no {listed(unknown)}; it takes {listed(known)}")
        requests = self.get_metadata_routing()
        for name, alias in requested.items():
            getattr(requests, method).add_request(param=name, alias=alias)
        self._metadata_request = requests
        return self

    def _metadata(self, method: str) -> list[str]:
        function = getattr(self, method, None)
        return (
            [] if function is None else [name for name in inspect.signature(function).parameters if name not in _DATA]
        )
