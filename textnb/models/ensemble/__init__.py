"""Models that join the scores of others.

Not public: CONTRIBUTING.md lists the public modules.
"""

__all__: list[str] = []
