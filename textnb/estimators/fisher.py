"""Fisher's discriminant as an estimator."""

from typing import Any

from textnb.errors import InputError
from textnb.estimators.classifier import Discriminant
from textnb.estimators.real_rows import RealRows
from textnb.models import fisher
from textnb.models.labelled import Labelled
from textnb.models.shared_covariance import SharedCovariance
from textnb.numerics import Floats


class FisherDiscriminant(RealRows, Discriminant):
    """Fisher's linear discriminant, X (D, V), dense or sparse: two classes, and more.

        w ~ S_W^-1 (m_2 - m_1)                  for two classes; for more, the leading eigenvectors of S_W^-1 S_B

    A row belongs to the class whose mean is nearest along these directions; for two classes the threshold is half way
    between the projected means. There is no prior, and no ``predict_proba``.

    shrinkage: ``auto`` (Ledoit and Wolf), or the share s, from 0 to 1, of t I in S_W = (1 - s) S + s t I, with t the
    mean variance within classes. With 0 classes that differ where none of them varies are refused. components: how
    many directions; None for all, at most C - 1.

    After fit ``directions_`` (V, d), scaled to a variance of 1 within classes, and ``shrinkage_``. partial_fit keeps
    the rows. Memory: at most 1 GB beside copies of X; ``textnb.models.scatter_systems`` says how.

    >>> X, y = [[-1.0, 0.2], [-2.0, 0.1], [1.0, 0.3], [3.0, 0.1]], ["no", "no", "yes", "yes"]
    >>> model = FisherDiscriminant(shrinkage=0.1).fit(X, y)
    >>> model.predict([[-1.5, 0.2], [2.0, 0.2]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.directions_.round(2).tolist()
    [[1.33], [1.49]]
    """

    directions_: Floats
    shrinkage_: float

    def __init__(self, shrinkage: float | str = "auto", components: int | None = None) -> None:
        self.shrinkage, self.components = shrinkage, components

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        covariance = SharedCovariance.of_rows(rows, self.shrinkage)
        directions = fisher.directions(covariance, self.components)
        scorer = fisher.fit_directions(covariance, directions)
        return {"scorer_": scorer, "directions_": directions, "shrinkage_": covariance.shrinkage}

    def _text_recipe(self) -> dict[str, Any]:
        if self.components is not None:
            raise InputError("for texts Fisher's discriminant takes all directions: leave components as it is")
        return {"model": "fisher", "options": {"shrinkage": self.shrinkage}}
