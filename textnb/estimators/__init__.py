"""Models in the shape of scikit-learn's estimators, which work in its tools and do not need it."""

from textnb.estimators.bayes_logistic import BayesianLogistic
from textnb.estimators.bernoulli import BernoulliNB
from textnb.estimators.categorical import CategoricalNB
from textnb.estimators.complement import ComplementNB
from textnb.estimators.compound import DirichletCompoundNB
from textnb.estimators.fisher import FisherDiscriminant
from textnb.estimators.gaussian import GaussianNB
from textnb.estimators.gaussian_discriminant import GaussianDiscriminant
from textnb.estimators.least_squares import LeastSquares
from textnb.estimators.logistic import LogisticRegression
from textnb.estimators.multinomial import MultinomialNB
from textnb.estimators.nb_logistic import NBLogistic
from textnb.estimators.text_unb import TextUNB
from textnb.estimators.unb import UNB

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
