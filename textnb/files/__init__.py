"""Files: a bundle of header and arrays, model files and count files.

Not public: CONTRIBUTING.md lists the public modules.
"""

__all__: list[str] = []
