import numpy as np
import pandas as pd
import pytest
from sklearn import naive_bayes
from sklearn.model_selection import KFold, cross_val_score

from textnb.errors import InputError
from textnb.estimators import CategoricalNB
from textnb.readers import read_columns

X = [["sun", "hot"], ["rain", "cool"], ["sun", "cool"], ["rain", "hot"], ["snow", "cool"]]
Y = ["out", "in", "out", "in", "in"]


def test_strings_are_what_their_numbers_are_in_scikit_learn():
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, [2, 3, 5], (90, 3)), np.arange(90) % 3
    names = np.array(["い", "ろ", "は", "に", "ほ"])
    names.sort()
    theirs = naive_bayes.CategoricalNB(alpha=0.5).fit(codes, y)
    for table in (names[codes], names[codes].astype(object), names[codes].tolist(), pd.DataFrame(names[codes])):
        mine = CategoricalNB(alpha=0.5).fit(table, y)
        np.testing.assert_allclose(mine.predict_log_proba(table), theirs.predict_log_proba(codes), atol=1e-9)


def test_columns_may_differ_in_kind():
    frame = pd.DataFrame({"sky": ["sun", "rain", "sun"], "wind": [1, 2, 2], "wet": [False, True, False]})
    fitted = CategoricalNB().fit(frame, [0, 1, 0])
    assert fitted.feature_names_in_.tolist() == ["sky", "wind", "wet"]
    assert fitted.statistics_.values == (("rain", "sun"), (1, 2), (False, True))
    assert fitted.predict(frame).tolist() == [0, 1, 0]


def test_values_and_classes_may_come_up_in_any_part():
    parts = CategoricalNB()
    for row, label in zip(X, Y, strict=True):
        parts.partial_fit([row], [label], classes="any")
    whole = CategoricalNB().fit(X, Y)
    assert parts.statistics_ == whole.statistics_
    np.testing.assert_array_equal(parts.predict_log_proba(X), whole.predict_log_proba(X))


def test_an_unseen_value_is_ignored():
    fitted = CategoricalNB().fit(X, Y)
    np.testing.assert_allclose(fitted.predict_proba([["hail", "mild"]]), [[3 / 5, 2 / 5]])
    only_heat = CategoricalNB().fit([[heat] for _, heat in X], Y)
    np.testing.assert_allclose(fitted.predict_proba([["hail", "hot"]]), only_heat.predict_proba([["hot"]]))


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_values_are_refused_with_their_place(missing):
    with pytest.raises(InputError, match="row 1, column 0 is missing"):
        CategoricalNB().fit([["sun", "hot"], [missing, "cool"]], ["out", "in"])
    with pytest.raises(InputError, match="row 0, column 1 is missing"):
        CategoricalNB().fit(X, Y).predict([["sun", missing]])


def test_numbers_for_strings_are_refused():
    with pytest.raises(InputError, match="column 0 holds numbers such as 1, but strings such as 'rain' have been"):
        CategoricalNB().fit(X, Y).predict([[1, "hot"]])
    with pytest.raises(InputError, match="column 1 has a string in row 0 and a number in row 1"):
        CategoricalNB().fit([["sun", "1"], ["sun", 1]], ["out", "in"])


def test_a_table_of_categories_goes_from_file_to_answer(tmp_path):
    path = tmp_path / "play.csv"
    path.write_text("sky,heat,play\nsun,hot,out\nrain,cool,in\nsun,cool,out\nrain,hot,in\n", encoding="utf-8")
    X, y, _ = read_columns(path, label="play")
    assert CategoricalNB().fit(X, y).predict(X).tolist() == ["out", "in", "out", "in"]


@pytest.mark.parametrize("name", ["car.data", "nursery.data"])
def test_public_tables_are_learnt_as_well_as_by_scikit_learn(public_corpora, name):
    path = public_corpora / "uci" / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    X, y, _ = read_columns(path, label=-1, header=False)
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in X.T.astype(str)], axis=1)
    folds = KFold(3, shuffle=True, random_state=0)  # the rows are in the order of their values
    mine = cross_val_score(CategoricalNB(), X, y, cv=folds)
    np.testing.assert_array_equal(mine, cross_val_score(naive_bayes.CategoricalNB(), codes, y.astype(str), cv=folds))
    assert mine.min() > (y == "unacc").mean() if name == "car.data" else mine.min() > 0.5
