"""Known class frequencies in place of those of the sample."""

import numpy as np
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

rng = np.random.RandomState(1)
X, y = rng.randint(5, size=(60, 20)), np.arange(60) % 3
for model in (BernoulliNB, CategoricalNB, MultinomialNB):
    for params in ({}, {"fit_prior": False}, {"class_prior": [0.8, 0.1, 0.1]}, {"class_prior": [8, 1, 1]}):
        fitted = model(**params).fit(X, y)
        print(model.__name__, params, fitted.class_log_prior_.round(9), np.bincount(fitted.predict(X), minlength=3))
        print(fitted.predict_proba(X[:2]).round(9))
for priors in (None, [0.8, 0.1, 0.1]):
    fitted = GaussianNB(priors=priors).fit(X, y)
    print("GaussianNB", priors, fitted.class_prior_, fitted.predict(X[:10]), fitted.predict_proba(X[:2]).round(9))
try:
    MultinomialNB(class_prior=[0.5, 0.5]).fit(X, y)
except ValueError as error:
    print(str(error)[:45])
