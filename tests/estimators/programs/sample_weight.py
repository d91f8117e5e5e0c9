"""Weights of the rows, in fit, in partial_fit and in the score."""

import numpy as np
from sklearn.naive_bayes import ComplementNB, GaussianNB, MultinomialNB
from sklearn.utils.class_weight import compute_sample_weight

rng = np.random.default_rng(0)
y = rng.choice(3, 90, p=[0.7, 0.2, 0.1])
X = rng.poisson(np.array([[1, 2, 3, 1], [2, 2, 1, 1], [1, 1, 1, 4]])[y])
weight = compute_sample_weight("balanced", y)
for model in (ComplementNB, GaussianNB, MultinomialNB):
    plain, weighted = model().fit(X, y), model().fit(X, y, sample_weight=weight)
    print(model.__name__, plain.score(X, y), weighted.score(X, y), round(weighted.score(X, y, weight), 9))
    print(plain.class_count_, weighted.class_count_.round(9))
    parts = model().partial_fit(X[:40], y[:40], classes=[0, 1, 2], sample_weight=weight[:40])
    parts.partial_fit(X[40:], y[40:], sample_weight=weight[40:])
    print(parts.predict_log_proba(X[:3]).round(8))
