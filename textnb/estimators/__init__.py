"""Models, and a vectorizer of texts, in the shape of scikit-learn's: they work in its tools and do not need it.

A class is imported when it is first used, with the models that it needs and no others.
"""

from typing import TYPE_CHECKING

from textnb.extension import dir_of, names_of

if TYPE_CHECKING:
    from textnb.estimators.categorical import CategoricalNB
    from textnb.estimators.gaussian import GaussianNB
    from textnb.estimators.linear import FisherDiscriminant, GaussianDiscriminant, LeastSquares
    from textnb.estimators.logistic import BayesianLogistic, LogisticRegression, NBLogistic
    from textnb.estimators.naive_bayes import BernoulliNB, ComplementNB, DirichletCompoundNB, MultinomialNB
    from textnb.estimators.unb import UNB, TextUNB
    from textnb.estimators.vectorizer import TextVectorizer

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
    "TextVectorizer",
]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "CategoricalNB": "categorical",
            "GaussianNB": "gaussian",
            **dict.fromkeys(("FisherDiscriminant", "GaussianDiscriminant", "LeastSquares"), "linear"),
            **dict.fromkeys(("BayesianLogistic", "LogisticRegression", "NBLogistic"), "logistic"),
            **dict.fromkeys(("BernoulliNB", "ComplementNB", "DirichletCompoundNB", "MultinomialNB"), "naive_bayes"),
            **dict.fromkeys(("UNB", "TextUNB"), "unb"),
            "TextVectorizer": "vectorizer",
        },
    )

__dir__ = dir_of(__name__)
