"""Models in the shape of scikit-learn's estimators, which work in its tools and do not need it."""

from textnb.estimators.gaussian import GaussianNB
from textnb.estimators.linear import FisherDiscriminant, GaussianDiscriminant, LeastSquares
from textnb.estimators.logistic import BayesianLogistic, LogisticRegression, NBLogistic
from textnb.estimators.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, DirichletCompoundNB, MultinomialNB
from textnb.estimators.unb import UNB, TextUNB

__all__ = [
    "UNB",
    "BayesianLogistic",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "DirichletCompoundNB",
    "FisherDiscriminant",
    "GaussianDiscriminant",
    "GaussianNB",
    "LeastSquares",
    "LogisticRegression",
    "MultinomialNB",
    "NBLogistic",
    "TextUNB",
]
