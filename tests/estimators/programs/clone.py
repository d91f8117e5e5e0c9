"""Parameters, clones and ensembles of clones."""

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

rng = np.random.default_rng(3)
y = np.arange(90) % 3
X = rng.poisson(1 + (np.arange(8) + y[:, np.newaxis]) % 3)
model = MultinomialNB(alpha=0.3, fit_prior=False).fit(X, y)
copy = clone(model).set_params(alpha=0.7)
print(copy, copy.get_params()["alpha"], copy.get_params()["fit_prior"], is_classifier(copy))
try:
    copy.predict(X)
except NotFittedError:
    print("not fitted")
print(model.predict(X[:10]), clone(copy).fit(X, y).predict_proba(X[:2]).round(9))
vote = VotingClassifier([("a", MultinomialNB()), ("b", BernoulliNB(binarize=1))], voting="soft").fit(X, y)
print(vote.predict_proba(X[:3]).round(9))
bag = BaggingClassifier(MultinomialNB(), n_estimators=5, max_features=0.5, random_state=0).fit(X, y)
print(bag.predict_proba(X[:3]).round(9))
print(OneVsRestClassifier(MultinomialNB()).fit(X, y).predict(X[:10]))
