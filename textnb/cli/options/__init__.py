"""Options that several verbs share, by subject.

Not public: CONTRIBUTING.md lists the public modules.
"""

__all__: list[str] = []
