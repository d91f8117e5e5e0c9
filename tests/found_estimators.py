"""Every estimator that textnb.estimators exports, and data of the kind that its tags say it takes."""

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from textnb import estimators
from textnb.models.smoothing import ALPHAS, OF_DOCUMENTS

# Beside its defaults, an estimator is held to the laws with these parameters.
VARIANTS = {
    "BayesianLogistic": [{"l2": 0.3}, {"l2": 5.0, "class_weight": "balanced"}],
    "BernoulliNB": [
        {"alpha": 0.0},
        {"alpha": "evidence", "prior": "uniform"},
        {"binarize": 0.5},
    ],
    "ComplementNB": [
        {"tf": True, "prior": "empirical"},
        {"norm": True},
        {"idf": True, "alpha": 0.5},
        {"length_norm": True, "weight_norm": True},
        {"complement": False, "alpha": "evidence"},
        {"tf": True, "idf": True, "length_norm": True, "weight_norm": True},
    ],
    "CategoricalNB": [
        {"alpha": 0.0},
        {"alpha": 0.3, "prior": "uniform"},
        {"categories": "seen"},
        {"min_categories": 7},
    ],
    "UNB": [
        {"pi": 0.6, "alpha": 0.0},
        {"pi": 1.3, "norm": "m", "prior": "uniform"},
        {"family": "ex4", "pi": 0.5, "attributes": [0, 1, 2, 3, 4, 5]},
        {"family": "ex2", "pi": -0.4, "alpha": 0.3},
    ],
    "FisherDiscriminant": [{"shrinkage": 0.3}, {"shrinkage": 1.0, "components": 1}],
    "GaussianDiscriminant": [{"shrinkage": 0.3, "prior": "uniform"}, {"shrinkage": 1.0}],
    "LeastSquares": [{"l2": 0.0}, {"l2": 20.0}],
    "LogisticRegression": [
        {"l2": 0.1, "class_weight": "balanced"},
        {"l2": 20.0, "class_weight": {}},
        {"C": 0.5},
        {"solver": "lbfgs", "tol": 1e-7},
        {"solver": "gradient", "tol": 1e-7, "max_iter": 10_000},
    ],
    "NBLogistic": [
        {"l2": 0.5},
        {"l2": 0.1, "loss": "squared-hinge", "class_weight": "balanced"},
        {"l2": 2.0, "min_df": 2, "prune": 0.7},
        {"loss": "squared-hinge", "a": 0.5},
    ],
    "GaussianNB": [
        {"variance": "class", "floor": 1e-9},
        {"floor": 0.01, "prior": "uniform"},
        {"var_smoothing": 0.1},
    ],
    "TextUNB": [
        {"pi": 1.3},
        {"pi": 0.7, "norm": "u", "alpha": "evidence"},
        {"pi": 1.2, "norm": "m"},
        {"pi": 1.5, "complement": True, "prior": "uniform"},
    ],
    "MultinomialNB": [
        {"alpha": 0.0},
        {"alpha": [0.5, 0.0, 1.0, 2.0, 0.25, 1.5], "prior": "uniform"},
        {"alpha": 1.5, "estimate": "map"},
        *({"alpha": name} for name in ALPHAS),
    ],
}

# How far apart the answers of one model to one question may be. Solvers that come closer step by step end wherever
# their tol lets them, and equal data in another order takes them another way there: with the tol of 1e-7 above, scores
# are good to 1e-5. The exact Newton steps of so few weights end at rounding.
ROUNDING = 1e-10
STEPWISE = {"lbfgs": 1e-5, "gradient": 1e-5}

CLASSES = [getattr(estimators, name) for name in estimators.__all__]
DEFAULT = [cls() for cls in CLASSES if hasattr(cls, "predict")]  # test_vectorizer.py has the one that transforms
EVERY = [
    *DEFAULT,
    *(getattr(estimators, name)(**params) for name, variants in VARIANTS.items() for params in variants),
]
PROBABLE = [estimator for estimator in EVERY if hasattr(estimator, "predict_proba")]
SCORED = [estimator for estimator in EVERY if hasattr(estimator, "decision_function")]
INCREMENTAL = [estimator for estimator in EVERY if hasattr(estimator, "partial_fit")]
SPARSE = [estimator for estimator in EVERY if get_tags(estimator).input_tags.sparse]

N_FEATURES = 6

# The parameter that every estimator is searched by: its name, two values, and a wrong one with what is said of it.
TURNED = {
    "BayesianLogistic": ("l2", ["evidence", 3.0], "guessed", "l2 must be .*'evidence', not 'guessed'"),
    "FisherDiscriminant": ("shrinkage", [0.1, "auto"], -1, "shrinkage must be"),
    "LeastSquares": ("l2", [0.1, 10.0], -1, "l2 must be"),
    "NBLogistic": ("a", [0.5, 1.0], -1, "a must be a number above 0"),
    "LogisticRegression": ("solver", ["newton", "lbfgs"], "guessed", "unknown solver 'guessed'"),
}


def turned(estimator):
    usual = ("prior", ["empirical", "uniform"], "guessed", "unknown prior 'guessed'")
    return TURNED.get(type(estimator).__name__, usual)


def takes_fractions(estimator):
    """Whether rows and weights need not be whole."""
    alpha = estimator.get_params().get("alpha")
    return not (isinstance(alpha, str) and alpha in OF_DOCUMENTS)


def rounding(estimator, closest=ROUNDING):
    """How far apart its answers may be: ``closest``, unless its solver cannot come that close."""
    return max(closest, STEPWISE.get(estimator.get_params().get("solver"), 0))


def fresh(estimator):
    return clone(estimator)


def answers(fitted, X):
    """Log probabilities, or scores where the model has none, (D, C) or (D,); equal ones stand for equal models."""
    return fitted.predict_log_proba(X) if hasattr(fitted, "predict_log_proba") else fitted.decision_function(X)


def exact(estimator):
    """Whether it counts and does no more, so that whole input is learnt to the bit."""
    tags = get_tags(estimator).input_tags
    counts = tags.positive_only or tags.categorical or hasattr(estimator, "binarize")
    return counts and "tol" not in estimator.get_params()


NOT_ADDITIVE = "scikit-learn's var_smoothing looks at the rows of the last part only, without weights"


def adds_up(estimator):
    """Whether parts give what the whole gives, and weights what repetitions give."""
    return estimator.get_params().get("floor", 0) is not None


def data_for(estimator, seed=0, n_rows=48, n_classes=3, fractional=False):
    """X (D, 6), y (D,) with classes far enough apart to be learnt, every class among the first rows."""
    rng = np.random.default_rng(seed)
    tags = get_tags(estimator).input_tags
    y = np.arange(n_rows) % n_classes
    if tags.categorical:
        X = (rng.integers(0, 3, (n_rows, N_FEATURES)) + y[:, np.newaxis] * (rng.random((n_rows, N_FEATURES)) < 0.6)) % 5
    elif tags.positive_only:
        rates = np.random.default_rng(1).gamma(1, 2, (n_classes, N_FEATURES))
        X = rng.poisson(rates[y])
        if fractional:
            X = X * rng.random(X.shape)
    else:
        X = rng.normal(y[:, np.newaxis] * np.linspace(-2, 2, N_FEATURES), 1 + y[:, np.newaxis], (n_rows, N_FEATURES))
        X[rng.random(X.shape) < 0.2] = 0
    return X, y


def assert_same(estimator, a, b):
    """Equal to the bit where the estimator counts, and to rounding where it measures."""
    if exact(estimator):
        np.testing.assert_array_equal(a, b)
    else:
        np.testing.assert_allclose(a, b, rtol=0, atol=rounding(estimator))
