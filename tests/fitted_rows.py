"""Linear models fitted to X and labels in one call, for tests; the package fits labelled rows that were checked."""

import warnings

from textnb.counts.matrix import as_counts
from textnb.errors import ConvergenceWarning
from textnb.models.linear import discriminants, least_squares
from textnb.models.linear.covariance import SharedCovariance
from textnb.models.logistic import bayes_logistic, logistic, nb_logistic
from textnb.models.prior import class_weighted
from textnb.models.rows import Labelled


def fit_least_squares(X, y, classes=None, *, sample_weight=None, l2=1.0, solver=None):
    return least_squares.fit_rows(Labelled.of(X, y, classes, sample_weight), l2, solver)


def covariance_of(X, y, classes=None, sample_weight=None, shrinkage="auto", solver=None):
    return SharedCovariance.of_rows(Labelled.of(X, y, classes, sample_weight), shrinkage, solver)


def fit_gaussian(X, y, classes=None, *, sample_weight=None, shrinkage="auto", prior="empirical"):
    return discriminants.fit_covariance(covariance_of(X, y, classes, sample_weight, shrinkage), prior)


def fit_fisher(X, y, classes=None, *, sample_weight=None, shrinkage="auto", components=None):
    covariance = covariance_of(X, y, classes, sample_weight, shrinkage)
    return discriminants.fit_directions(covariance, discriminants.directions(covariance, components))


def fit_logistic(X, y, *, sample_weight=None, class_weight=None, settings=None):
    rows = Labelled.of(X, y, sample_weight=sample_weight)
    weight = class_weighted(rows.weight, rows.y, rows.classes, class_weight)
    settings = settings or logistic.LogisticSettings()
    return warned(logistic.solution(rows.X, rows.y, weight, len(rows.classes), settings)).scorer


def fit_nb_logistic(X, y, *, sample_weight=None, class_weight=None, settings=None):
    rows = Labelled.of_checked(as_counts(X), y, sample_weight=sample_weight)
    weight = class_weighted(rows.weight, rows.y, rows.classes, class_weight)
    settings = settings or nb_logistic.NBLogisticSettings()
    return warned(nb_logistic.solution(rows.X, rows.y, rows.weight, weight, len(rows.classes), settings)).scorer


def fit_bayes_logistic(X, y, *, l2="evidence", sample_weight=None, class_weight=None):
    rows = Labelled.of(X, y, sample_weight=sample_weight).some
    weight = class_weighted(rows.weight, rows.y, rows.classes, class_weight)
    found = bayes_logistic.solution(rows.X, rows.y, weight, len(rows.classes), l2)
    warned(found.fit)
    return found.scorer


def warned(found):
    if found.trouble:
        warnings.warn(found.trouble, ConvergenceWarning, stacklevel=3)
    return found
