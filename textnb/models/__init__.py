"""Models: pure functions from statistics to immutable scorers, one model per file.

Not public: CONTRIBUTING.md lists the public modules.
"""

__all__: list[str] = []
