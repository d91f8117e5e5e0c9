import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from textnb.counts.contingency import as_categories, kind_of
from textnb.errors import InputError, KindError


def test_numbers_stay_the_array_they_are():
    for X in (np.array([[1, 2]]), np.array([[True]]), np.array([[0.5, -1.0]]), np.array([[1]], np.uint8)):
        assert as_categories(X) is X


@pytest.mark.parametrize(
    "X",
    [
        [["a", "b"], ["c", "d"]],
        np.array([["a", "b"], ["c", "d"]]),
        np.array([["a", "b"], ["c", "d"]], object),
        pd.DataFrame([["a", "b"], ["c", "d"]]),
        pd.DataFrame([["a", "b"], ["c", "d"]], dtype="category"),
    ],
    ids=["list", "strings", "objects", "frame", "categories"],
)
def test_strings_become_objects(X):
    assert as_categories(X).dtype == object
    assert as_categories(X).tolist() == [["a", "b"], ["c", "d"]]


def test_a_list_may_mix_columns_of_strings_and_of_numbers():
    assert as_categories([["a", 1], ["b", 2.5], ["c", True]]).tolist() == [["a", 1], ["b", 2.5], ["c", True]]
    assert as_categories([["", "x"]]).tolist() == [["", "x"]]


@pytest.mark.parametrize(
    ("missing", "shown"), [(None, "None"), (np.nan, "NaN"), (float("nan"), "NaN"), (pd.NA, "<NA>"), (pd.NaT, "NaT")]
)
def test_missing_values_are_refused_with_their_place(missing, shown):
    with pytest.raises(InputError, match=rf"row 2, column 1 is missing \({shown}\); fill it or drop the row"):
        as_categories([["a", "b"], ["a", "b"], ["a", missing]])


def test_numbers_that_are_none_are_refused_with_their_place():
    with pytest.raises(InputError, match=r"row 1, column 0 is missing \(NaN\)"):
        as_categories(np.array([[1.0, 2.0], [np.nan, 1.0]]))
    with pytest.raises(InputError, match="row 0, column 1 is infinite"):
        as_categories(np.array([[1.0, -np.inf]]))


def test_a_column_is_of_one_kind():
    with pytest.raises(InputError, match="column 1 has a string in row 0 and a number in row 2; make them one kind"):
        as_categories([["a", "1"], ["a", "1"], ["a", 1]])


@pytest.mark.parametrize("wrong", [{}, b"a", 1j, ("a",)], ids=str)
def test_other_objects_are_no_categories(wrong):
    X = np.empty((1, 1), object)
    X[0, 0] = wrong
    with pytest.raises(KindError, match="row 0, column 0: a category's argument must be a string or a number, not a"):
        as_categories(X)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (["a", "b"], "two dimensions"),
        ([["a"], ["a", "b"]], "one length"),
        (np.array([["2020-01-01"]], "datetime64[D]"), "strings or numbers, not datetime64"),
        (np.array([[b"a"]]), "strings or numbers, not"),
        (sparse.csr_array([[1]]), "sparse"),
    ],
    ids=["one dimension", "ragged", "dates", "bytes", "sparse"],
)
def test_what_is_no_table_of_categories_is_refused(wrong, why):
    with pytest.raises(InputError, match=why):
        as_categories(wrong)


def test_kinds():
    kinds = [kind_of(value) for value in ("a", np.str_("a"), 1, 1.5, np.int8(1), np.True_, np.nan, None, {})]
    assert kinds == ["string"] * 2 + ["number"] * 4 + ["missing value"] * 2 + ["other"]
