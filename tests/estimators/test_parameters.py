import numpy as np
import pytest

from textnb.errors import InputError
from textnb.estimators.scikit_learn import Estimator


class Model(Estimator):
    def __init__(self, alpha=1.0, names=None):
        self.alpha, self.names = alpha, names


def test_parameters_are_those_of_the_constructor():
    assert Model(2).get_params() == Model(2).get_params(deep=False) == {"alpha": 2, "names": None}
    model = Model()
    assert model.set_params(names=["a"]) is model
    assert model.names == ["a"]


def test_only_what_is_not_the_default_is_shown():
    assert repr(Model()) == "Model()"
    assert repr(Model(alpha=1, names="x")) == "Model(alpha=1, names='x')"
    assert repr(Model(np.array([1, 2]))) == "Model(alpha=array([1, 2]))"


def test_unknown_names_change_nothing():
    model = Model()
    with pytest.raises(InputError, match="Model has no parameter beta, gamma; it has alpha, names"):
        model.set_params(alpha=3, beta=1, gamma=2)
    assert model.alpha == 1.0
