"""U-NB, naive Bayes with a generalised product, as an estimator of tables of categories."""

from collections.abc import Sequence
from typing import Any

from textnb.counts.contingency import Contingency
from textnb.estimators.classifier import CategoryClassifier
from textnb.models import unb
from textnb.models.prior import Prior
from textnb.models.u_families import family_of
from textnb.numerics import Floats


class UNB(CategoryClassifier):
    """Empirical U-NB over tables of strings or numbers, X (D, F), after Fujimoto and Murata's generalised independence.

        p(v|k)  = (N_kjv + alpha) / (N_k + alpha M_j)    N_kjv: documents of class k with value v in column j,
                                                         N_k: documents of class k, M_j: values of column j
        p(x, k) = p(k) u(sum_j xi(p(x_j|k)) - c_k)       c_k such that p(x|k) has mass 1

    (The universal-set naive Bayes that goes by the same abbreviation is another model.) family: ``kl`` (the ordinary
    product, whatever pi), ``ex1`` (pi > 0, the ordinary product at 1), ``ex2`` (pi not 0), ``ex3`` (pi below every
    p(v|k)) or ``ex4`` (pi > 0); ``textnb.models.u_families`` has their formulas. A pi with which a product would leave
    the family's domain is refused by fit. alpha: a number, not negative; 0 is maximum likelihood. attributes: the
    numbers of the columns, from 0, that are multiplied in this way; the others are multiplied as in naive Bayes. None
    is all of them. norm: ``u`` as above; ``m`` divides u(sum_j xi) by its sum. prior: ``empirical`` (shares of
    documents, the paper's), ``uniform``, or given, one a class.

    A value that training has not seen is ignored: its column is summed out of p(x|k). Missing values (None, NaN) are
    refused, with their row and column.

    After fit ``normaliser_`` says how c_k was found: ``enumerated`` over all cells, at most 1e6; ``approximated`` on a
    lattice where they are more, to 1e-8 of log mass; ``exact`` where the product is the ordinary one, and c_k is 0.

    >>> X = [["sunny", "hot"], ["rain", "cool"], ["sunny", "cool"], ["rain", "hot"]]
    >>> model = UNB(pi=0.5).fit(X, ["out", "in", "out", "in"])
    >>> model.predict_proba([["sunny", "hot"], ["snow", "hot"]]).round(3)
    array([[0.167, 0.833],
           [0.5  , 0.5  ]])
    >>> model.joint_log_proba([["sunny", "hot"]]).round(3), model.normaliser_
    (array([[-3.179, -1.568]]), 'enumerated')
    """

    normaliser_: str

    def __init__(
        self,
        family: str = "ex1",
        pi: float = 1.0,
        alpha: float = 1.0,
        attributes: Sequence[int] | None = None,
        norm: str = "u",
        prior: Prior = "empirical",
    ) -> None:
        self.family, self.pi, self.alpha = family, pi, alpha
        self.attributes, self.norm, self.prior = attributes, norm, prior

    def joint_log_proba(self, X: Any) -> Floats:
        """log p(x, k), (D, C)."""
        return self.predict_joint_log_proba(X)

    def _fitted(self, tables: Contingency) -> dict[str, Any]:
        family = family_of(self.family, self.pi)
        scorer = unb.fit(tables, family, self.alpha, self.attributes, self.norm, self.prior)
        return {"scorer_": scorer, "normaliser_": scorer.normaliser}
