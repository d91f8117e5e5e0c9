import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from textnb.errors import DataConversionWarning, InputError, KindError
from textnb.estimators.scikit_learn import (
    Estimator,
    as_count_rows,
    as_labels,
    as_matrix,
    check_columns,
    column_names,
    counterpart,
    label_array,
)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ([1, 2], "two dimensions, not 1. Reshape your data"),
        (sparse.coo_array([1, 2]), "Reshape your data"),
        ([[1j]], "Complex data not supported"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        ([[1], [1, 2]], "every row of one length"),
        (np.array([["a", 1]], object), "matrix of numbers"),
    ],
    ids=["one dimension", "sparse vector", "complex", "no columns", "ragged", "strings"],
)
def test_what_is_no_matrix_is_refused(wrong, why):
    with pytest.raises(InputError, match=why):
        as_matrix(wrong)


def test_a_cell_that_is_no_number_is_an_error_of_type_and_of_value():
    X = np.array([[1, 2], [3, {"a": 1}]], object)
    for kind in (KindError, TypeError, ValueError):
        with pytest.raises(kind, match="argument must be a string or a real number"):
            as_matrix(X)


def test_objects_become_numbers_unless_categories_are_wanted():
    assert as_matrix(np.array([[1, 2.5]], object)).dtype == np.float64
    assert as_matrix([["a", 1]], numeric=False).tolist() == [["a", 1]]
    X = sparse.csr_array([[1]])
    assert as_matrix(X) is X


@pytest.mark.parametrize("X", [np.array([[1, -2]]), sparse.csr_array([[0.5, -1.0]])], ids=["dense", "sparse"])
def test_negative_counts_are_told_of_in_the_words_that_scikit_learn_uses(X):
    with pytest.raises(
        InputError, match=r"Negative values in data passed to Some \(input X\): counts .* row 0, column 1 holds -"
    ):
        as_count_rows(X, "Some")
    with pytest.raises(InputError, match="counts must not be NaN"):
        as_count_rows(np.array([[np.nan]]), "Some")


def test_labels_are_needed_and_have_one_dimension():
    with pytest.raises(InputError, match="Some requires y to be passed, but the target y is None"):
        as_labels(None, "Some")
    with pytest.raises(InputError, match="Complex data not supported"):
        as_labels(np.array([1j]), "Some")
    with pytest.warns(counterpart(DataConversionWarning), match="column-vector y"):
        assert as_labels(np.array([[1], [2]]), "Some").tolist() == [1, 2]
    assert as_labels(pd.Series(["a", "b"]), "Some").tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("classes", "kind"),
    [((1, 2), "i"), ((1.0, 2.0), "f"), ((False, True), "b"), (("a", "b"), "U"), (("a", "b\0"), "O")],
)
def test_classes_are_an_array_that_keeps_every_label(classes, kind):
    assert label_array(classes).dtype.kind == kind
    assert tuple(label_array(classes).tolist()) == classes


def test_names_of_columns_are_strings_or_there_are_none():
    assert column_names(np.zeros((1, 2))) is None
    assert column_names(pd.DataFrame([[1, 2]])) is None
    assert column_names(pd.DataFrame([[1, 2]], columns=["a", "b"])).tolist() == ["a", "b"]
    with pytest.raises(KindError, match="all strings or none"):
        column_names(pd.DataFrame([[1, 2]], columns=["a", 1]))


def test_columns_that_are_not_those_of_fit_are_named():
    names = np.array(list("abcdefgh"), object)
    check_columns("Some", 8, names, 8, names.copy())
    with pytest.raises(InputError, match="must be in the same order"):
        check_columns("Some", 8, names, 8, names[::-1])
    with pytest.raises(InputError, match=r"now missing:\n- b\n- c\n- d\n- e\n- f\n- \.\.\.\n"):
        check_columns("Some", 8, names, 1, names[:1])
    with pytest.raises(InputError, match="unseen at fit time:\n- z\n"):
        check_columns("Some", 8, names, 9, np.array([*names, "z"], object))
    with pytest.raises(InputError, match="X has 3 features, but Some is expecting 2 features as input"):
        check_columns("Some", 2, None, 3, None)


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
