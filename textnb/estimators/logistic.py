"""Logistic models as estimators: multinomial logistic regression, its Bayesian form, and naive Bayes features."""

from __future__ import annotations

import warnings
from typing import Any

from textnb.errors import ConvergenceWarning, InputError, ParameterError
from textnb.estimators.learner import Classifier, CountRows, Discriminant, LinearWeights, RealRows
from textnb.estimators.scikit_learn import available_if, caller_level, counterpart
from textnb.models.logistic import bayes_logistic, logistic, nb_logistic
from textnb.models.prior import ClassWeight, class_weighted
from textnb.models.rows import Labelled
from textnb.models.scorer import ScaledScorer
from textnb.numerics import Floats, as_number

_DEFAULT_L2 = 1.0


class LinearClassifier(LinearWeights, Classifier, Discriminant):
    """A classifier with weights and biases that has scores as well as probabilities."""


def warn_of_trouble(trouble: str | None) -> None:
    """Warn the caller, outside textnb, that a search did not converge."""
    if trouble:
        warnings.warn(trouble, counterpart(ConvergenceWarning), stacklevel=caller_level())


class LogisticRegression(RealRows, LinearClassifier):
    """Multinomial logistic regression over numbers of either sign, X (D, V), dense or sparse.

        p(k|x) = exp(W_k x + b_k) / sum_l exp(W_l x + b_l)
        loss   = - sum_i w_i log p(y_i|x_i) + l2/2 |W|^2

    Parameters
    ----------
    l2 : float
        Strength of the L2 penalty, 0 for none; the bias b is not penalised.
    C : float, optional
        scikit-learn's inverse of the strength, in place of l2: l2 is 1 / C, and 2 / C for two classes, which have two
        rows of weights here and one there.
    solver : {"newton", "lbfgs", "gradient"}
        ``newton`` is exact if there are few weights and otherwise uses conjugate gradients; ``gradient`` is steepest
        descent, slow.
    tol : float
        The solver stops when the norm of the gradient is this times the norm at the start; rounding keeps ``lbfgs``
        from reaching much below 1e-7.
    max_iter : int
        Number of steps after which it stops with a ConvergenceWarning.
    class_weight : "balanced" or mapping, optional
        ``balanced`` gives all classes the same sum of weights; a mapping gives the weight of each class, 1 for those
        not named. Class weights multiply ``sample_weight``.

    Attributes
    ----------
    coef_, intercept_ : array (C, V), array (C,)
        Weights and bias, one row for every class, with sum 0 over the classes.
    n_iter_ : int
        Number of steps.
    converged_ : bool
        Whether ``tol`` was reached.
    loss_, gradient_norm_ : float
        Loss and norm of its gradient at the end.

    Notes
    -----
    Differences from scikit-learn: the default is l2 = 1, for two classes C = 2; two classes have two rows of weights;
    no other penalties and no ``fit_intercept``; ``balanced`` takes ``sample_weight`` into account; a loss without a
    finite optimum (l2 = 0 and separable rows) gives a warning.

    Examples
    --------
    >>> X, y = [[0.2, -1.0], [0.1, -0.5], [-0.3, 1.0], [0.0, 2.0]], ["down", "down", "up", "up"]
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict([[0.0, -2.0], [0.0, 1.0]])
    array(['down', 'up'], dtype='<U4')
    >>> model.decision_function([[0.0, -2.0], [0.0, 1.0]]).round(3)
    array([-3.256,  0.917])
    """

    n_iter_: int
    converged_: bool
    loss_: float
    gradient_norm_: float

    _text_model = "logistic"

    def __init__(
        self,
        l2: float = _DEFAULT_L2,
        *,
        C: float | None = None,
        solver: str = "newton",
        tol: float = 1e-5,
        max_iter: int = 1000,
        class_weight: ClassWeight = None,
    ) -> None:
        self.l2, self.C, self.solver = l2, C, solver
        self.tol, self.max_iter, self.class_weight = tol, max_iter, class_weight

    def _strength(self, n_classes: int) -> float:
        """l2 as given, or from C."""
        if self.C is None:
            return self.l2
        if self.l2 != _DEFAULT_L2:
            raise ParameterError("l2 and C both set the strength of the penalty; use one of them")
        return (2 if n_classes <= 2 else 1) / as_number(self.C, "C", above=0)

    def _text_recipe(self) -> dict[str, Any]:
        if self.C is not None:
            raise InputError("for texts use l2, which does not depend on the number of classes, in place of C")
        return super()._text_recipe()

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        settings = logistic.LogisticSettings(self._strength(len(rows.classes)), self.solver, self.tol, self.max_iter)
        weight = class_weighted(rows.weight, rows.y, rows.classes, self.class_weight)
        found = logistic.solution(rows.X, rows.y, weight, len(rows.classes), settings)
        warn_of_trouble(found.trouble)
        return {
            "scorer_": found.scorer,
            "n_iter_": found.iterations,
            "converged_": found.converged,
            "loss_": found.value,
            "gradient_norm_": found.gradient_norm,
        }


class BayesianLogistic(RealRows, LinearClassifier):
    """Bayesian logistic regression over numbers of either sign, X (D, V), dense or sparse.

        p(k|x) = exp(kappa(x) a_k) / sum_l exp(kappa(x) a_l),   a_k = W_k x + b_k
        kappa(x) = 1 / sqrt(1 + pi s^2(x) / 8)

    W and b are those of ``LogisticRegression``; s^2(x) is the variance of score differences by Laplace's approximation.
    So a row unlike the training rows gets probabilities closer to uniform. The most probable class stays the same.

    Use it for measurements, and to compare models by their evidence. On texts its probabilities are far too close to
    uniform; ``LogisticRegression`` is better calibrated there.

    Parameters
    ----------
    l2 : float or "evidence"
        Precision of the prior, positive; ``evidence`` finds the one that makes the labels most probable, on at most 600
        rows.
    tol, max_iter, class_weight
        As in ``LogisticRegression``.

    Attributes
    ----------
    l2_ : float
        The precision used.
    log_evidence_ : float or None
        Laplace's log evidence, larger is better; None for more than about 4,000 rows of 9 classes and 12,000 weights.
    bic_ : float
        Bayesian information criterion, larger is better.
    coef_, intercept_ : array (C, V), array (C,)
        Weights and bias before moderation by kappa.
    n_iter_, converged_ : int, bool
        As in ``LogisticRegression``.

    Notes
    -----
    With V > D the rows are kept. Where ``log_evidence_`` is None, s^2(x) is that of a sample of the rows
    (``textnb.models.logistic.laplace``).

    Examples
    --------
    >>> X, y = [[0.2, -1.0], [0.1, -0.5], [-0.3, 1.0], [0.0, 2.0]], ["down", "down", "up", "up"]
    >>> model = BayesianLogistic(l2=1.0).fit(X, y)
    >>> model.predict_proba([[0.0, 1.0], [0.0, 10.0]]).round(3)
    array([[0.338, 0.662],
           [0.093, 0.907]])
    >>> round(model.log_evidence_, 3)
    -4.111
    """

    l2_: float
    log_evidence_: float
    bic_: float
    n_iter_: int
    converged_: bool

    _text_model = "bayes-logistic"

    def __init__(
        self, l2: float | str = "evidence", *, tol: float = 1e-5, max_iter: int = 1000, class_weight: ClassWeight = None
    ) -> None:
        self.l2, self.tol, self.max_iter, self.class_weight = l2, tol, max_iter, class_weight

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        weight = class_weighted(rows.weight, rows.y, rows.classes, self.class_weight)
        found = bayes_logistic.solution(
            rows.X, rows.y, weight, len(rows.classes), self.l2, tol=self.tol, max_iter=self.max_iter
        )
        warn_of_trouble(found.fit.trouble)
        return {
            "scorer_": found.scorer,
            "l2_": found.l2,
            "log_evidence_": found.evidence.log_evidence,
            "bic_": found.evidence.bic,
            "n_iter_": found.fit.iterations,
            "converged_": found.fit.converged,
        }


def _has_probabilities(model: NBLogistic) -> bool:
    return model.loss != "squared-hinge"


class NBLogistic(CountRows, LinearClassifier):
    """A linear model on naive Bayes features (Wang and Manning 2012) over count matrices X (D, V), dense or sparse.

        z_i  = (b_i * s) / |b_i * s|          b_ij = 1 where x_ij > 0, s_j = max_k |r_kj|
        r_kj = log of the frequency of term j in class k over its frequency in all other classes; counts of rows, plus a
        loss = sum_i w_i loss(y_i, W z_i + b) + l2/2 |W|^2

    Parameters
    ----------
    l2 : float, "cv" or "evidence"
        Strength of the L2 penalty. ``cv`` finds it by cross-validation in four folds, dealt by what the rows contain,
        on a path from strong to weak; terms and ratios are learnt anew in every fold. ``evidence`` finds it by the
        probability of the labels, as in ``BayesianLogistic``: quicker, for the logistic loss only.
    loss : {"logistic", "squared-hinge"}
        ``squared-hinge`` is a linear support vector machine: it has ``decision_function`` and no ``predict_proba``.
    a : float
        Added to the counts of rows, positive.
    min_df : int or "auto"
        Terms in fewer rows are left out; ``auto`` is 2, or 1 if that would leave a row fewer than 10 terms on average.
    prune : float, optional
        Proportion of terms to keep, those with the largest weights; the model is fitted again on them.
    class_weight : "balanced" or mapping, optional
        Weights of the rows in the loss, as in ``LogisticRegression``; ``sample_weight`` also weights the counts.
    tol : float, optional
        Distance of the weights from the minimum, relative to their norm; by default 0.01, and 0.1 for the squared
        hinge, whose bound is wide.
    max_iter : int
        As in ``LogisticRegression``.

    Attributes
    ----------
    l2_, min_df_ : float, int
        The values used.
    scale_ : array (V,)
        s, 0 for terms left out.
    coef_, intercept_ : array (C, V), array (C,)
        Weights of z, and bias.
    n_iter_, converged_ : int, bool
        As in ``LogisticRegression``.
    path_ : Path or None
        The search by cross-validation: ``strengths``, held-out ``losses``, ``best``, and held-out ``scores`` (D, C).

    Examples
    --------
    >>> X, y = [[2, 0, 1], [1, 0, 0], [0, 3, 1], [0, 1, 0]], ["cat", "cat", "dog", "dog"]
    >>> model = NBLogistic().fit(X, y)
    >>> model.predict([[1, 0, 3], [0, 1, 0]])
    array(['cat', 'dog'], dtype='<U3')
    >>> model.scale_.round(3).tolist(), model.path_.strengths[model.path_.best] == model.l2_
    ([1.099, 1.099, 0.0], True)
    """

    l2_: float
    min_df_: int
    path_: Any
    n_iter_: int
    converged_: bool

    _text_model = "nb-logistic"
    _keeps_rows = True

    def __init__(  # noqa: PLR0913  # each is a choice of its own; all but the first by name
        self,
        l2: float | str = "cv",
        *,
        loss: str = "logistic",
        a: float = 1.0,
        min_df: float | str = "auto",
        prune: float | None = None,
        class_weight: ClassWeight = None,
        tol: float | None = None,
        max_iter: int = 1000,
    ) -> None:
        self.l2, self.loss, self.a, self.min_df, self.prune = l2, loss, a, min_df, prune
        self.class_weight, self.tol, self.max_iter = class_weight, tol, max_iter

    predict_log_proba = available_if(_has_probabilities)(Classifier.predict_log_proba)
    predict_proba = available_if(_has_probabilities)(Classifier.predict_proba)
    predict_joint_log_proba = available_if(_has_probabilities)(Classifier.predict_joint_log_proba)

    @property
    def scale_(self) -> Floats:
        """s (V,)."""
        self._check_fitted()
        scorer: ScaledScorer = self.scorer_  # type: ignore[assignment]  # what nb_logistic fits
        return scorer.scale

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        settings = nb_logistic.NBLogisticSettings(
            self.l2, self.loss, self.a, self.min_df, self.prune, self.tol, self.max_iter
        )
        weight = class_weighted(rows.weight, rows.y, rows.classes, self.class_weight)
        found = nb_logistic.solution(rows.X, rows.y, rows.weight, weight, len(rows.classes), settings)
        warn_of_trouble(found.trouble)
        return {
            "scorer_": found.scorer,
            "l2_": found.l2,
            "min_df_": found.min_df,
            "path_": found.path,
            "n_iter_": found.iterations,
            "converged_": found.converged,
        }

    def _text_recipe(self) -> dict[str, Any]:
        if (self.a, self.min_df) != (1.0, "auto"):
            raise InputError("for texts a is 1 and the Analyzer sets min_df; leave a and min_df at their defaults")
        return super()._text_recipe()
