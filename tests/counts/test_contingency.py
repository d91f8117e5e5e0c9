from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import check_laws
from scipy import sparse

from textnb.counts import Contingency
from textnb.counts.contingency import as_categories, kind_of
from textnb.errors import InputError, KindError, NotLearntError

X = [["red", 1], ["blue", 2], ["red", 2], ["green", 1]]
Y = ["x", "y", "x", "y"]
CLASSES = ("x", "y")

rows_of_categories = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 2), st.sampled_from(CLASSES), st.integers(0, 3)), max_size=10
)


def tables_of(rows, weighted=True):
    table = np.array([row[:2] for row in rows], object).reshape(len(rows), 2)
    weight = [row[3] for row in rows] if weighted else None
    return Contingency.of(table, [row[2] for row in rows], CLASSES, sample_weight=weight)


@given(rows_of_categories)
def test_tables_are_those_of_a_plain_count(rows):
    tables = tables_of(rows, weighted=False)
    assert tables.documents.tolist() == [sum(row[2] == name for row in rows) for name in CLASSES]
    for j in range(2):
        counted = Counter((row[2], row[j]) for row in rows)
        assert tables.values[j] == tuple(sorted({row[j] for row in rows}))
        assert tables.tables[j].shape == (2, len(tables.values[j]))
        assert tables.tables[j].tolist() == [[counted[name, value] for value in tables.values[j]] for name in CLASSES]


@given(rows_of_categories)
def test_a_weight_is_a_repetition(rows):
    repeated = [row for row in rows for _ in range(row[3])]
    assert tables_of(rows) == tables_of(repeated, weighted=False)


@given(rows_of_categories, rows_of_categories, rows_of_categories)
def test_tables_are_a_commutative_monoid_with_a_partial_inverse(a, b, c):
    x, y, z = map(tables_of, (a, b, c))
    check_laws(x, y, z, Contingency.zero(2, CLASSES))
    assert x + y + z == tables_of(a + b + c)


def test_fractional_weights_are_forgotten_without_a_rest():
    a = Contingency.of(X, Y, sample_weight=[0.1, 0.2, 0.3, 0.7])
    b = Contingency.of(X, Y, sample_weight=[0.3, 0.3, 0.1, 0.1])
    assert (a + b) - a - b == Contingency.zero(2, CLASSES)


def test_whole_counts_stay_whole():
    assert {table.dtype for table in (*Contingency.of(X, Y).tables, Contingency.of(X, Y).documents)} == {
        np.dtype(np.int64)
    }


def test_more_classes_change_nothing_but_their_number():
    tables = Contingency.of(X, Y)
    assert tables.on_classes(("w", "x", "y")) == Contingency.of(X, Y, classes=("w", "x", "y"))
    assert tables.on_classes(CLASSES) == tables


def test_what_was_never_learnt_cannot_be_forgotten():
    tables = Contingency.of(X, Y)
    with pytest.raises(NotLearntError, match="class 'x' has fewer documents"):
        tables - Contingency.of([X[0]] * 3, ["x"] * 3, CLASSES)
    with pytest.raises(NotLearntError, match="class 'x' has seen 'blue' in column 0 less often"):
        tables - Contingency.of([["blue", 1]], ["x"], CLASSES)
    with pytest.raises(NotLearntError, match="class 'x' has seen 7 in column 1 less often"):
        tables - Contingency.of([["red", 7]], ["x"], CLASSES)


def test_other_axes_and_other_kinds_do_not_add():
    tables = Contingency.of(X, Y)
    for other in (Contingency.of(X, ["x", "z"] * 2), Contingency.of([["red"]] * 4, Y)):
        with pytest.raises(InputError, match="differ in classes or columns"):
            tables + other
    with pytest.raises(InputError, match="column 1 holds strings such as '1', but numbers such as 1 have been"):
        tables + Contingency.of([["red", "1"]], ["x"], CLASSES)
    for wrong in (lambda: tables + 1, lambda: tables - 1):
        with pytest.raises(TypeError):
            wrong()


def test_indicators_have_a_column_for_each_value_and_none_for_the_unseen():
    tables = Contingency.of(X, Y)
    assert tables.values == (("blue", "green", "red"), (1, 2))
    found = tables.indicators([["red", 2.0], ["pink", True], ["pink", 3]])
    assert found.toarray().tolist() == [[0, 0, 1, 0, 1], [0, 0, 0, 1, 0], [0] * 5]
    assert tables.indicators(np.empty((0, 2), object)).shape == (0, 5)
    assert found.has_canonical_format


def test_indicators_of_the_training_rows_add_up_to_the_tables():
    tables = Contingency.of(X, Y)
    of_x = tables.indicators(X)[[0, 2]].sum(axis=0)
    assert of_x.tolist() == np.concatenate(tables.tables, axis=1)[0].tolist()


def test_indicators_of_other_columns_or_kinds_are_refused():
    tables = Contingency.of(X, Y)
    with pytest.raises(InputError, match="X has 1 columns, the tables have 2"):
        tables.indicators([["red"]])
    with pytest.raises(InputError, match="column 0 holds numbers such as 3"):
        tables.indicators([[3, 1]])


def test_rows_and_labels_must_be_as_many():
    with pytest.raises(InputError, match="X has 4 rows, y has 3 labels"):
        Contingency.of(X, Y[:3])
    assert repr(Contingency.of(X, Y)) == "<Contingency of 4 documents, 2 classes, 2 columns>"


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
