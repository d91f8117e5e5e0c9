"""Mail in use: the filter and its decisions, corrections, sorting of Maildirs and IMAP folders, and the filter service.

Nothing is imported here, so that the client of the service starts quickly.

Not public: CONTRIBUTING.md lists the public modules.
"""

__all__: list[str] = []
