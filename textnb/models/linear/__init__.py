"""Linear models by solving a system: least squares, Fisher's and Gaussian discriminants.

Not public: CONTRIBUTING.md lists the public modules.
"""

__all__: list[str] = []
