"""Logistic models: losses and solvers, evidence, naive Bayes features.

Not public: CONTRIBUTING.md lists the public modules.
"""

__all__: list[str] = []
