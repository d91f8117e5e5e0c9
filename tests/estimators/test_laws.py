"""Laws that hold for every estimator, whatever its model."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from found_estimators import (
    EVERY,
    INCREMENTAL,
    N_FEATURES,
    NOT_ADDITIVE,
    PROBABLE,
    SCORED,
    SPARSE,
    adds_up,
    answers,
    assert_same,
    data_for,
    fresh,
    rounding,
    takes_fractions,
)
from scipy import sparse

every = pytest.mark.parametrize("estimator", EVERY, ids=repr)
incremental = pytest.mark.parametrize("estimator", INCREMENTAL, ids=repr)
sparse_too = pytest.mark.parametrize("estimator", SPARSE, ids=repr)


@every
def test_a_weight_is_a_repetition(estimator):
    if not adds_up(estimator):
        pytest.skip(NOT_ADDITIVE)
    X, y = data_for(estimator)
    asked, _ = data_for(estimator, seed=1)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    weight[:3] = 1
    weighted = fresh(estimator).fit(X, y, sample_weight=weight)
    repeated = fresh(estimator).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_same(estimator, answers(weighted, asked), answers(repeated, asked))


@every
def test_weights_of_one_are_no_weights(estimator):
    X, y = data_for(estimator)
    a, b = fresh(estimator).fit(X, y), fresh(estimator).fit(X, y, sample_weight=np.ones(len(y)))
    assert_same(estimator, answers(a, X), answers(b, X))


@every
def test_the_order_of_rows_does_not_matter(estimator):
    X, y = data_for(estimator)
    order = np.random.default_rng(3).permutation(len(y))
    a, b = fresh(estimator).fit(X, y), fresh(estimator).fit(X[order], y[order])
    assert_same(estimator, answers(a, X), answers(b, X))
    assert_same(estimator, answers(a, X)[order], answers(a, X[order]))


@every
def test_the_order_of_rows_of_fractions_does_not_matter_beyond_rounding(estimator):
    if not takes_fractions(estimator):
        pytest.skip("it looks at single documents, and refuses fractions")
    X, y = data_for(estimator, fractional=True)
    weight = np.random.default_rng(4).random(len(y)) + 0.1
    order = np.random.default_rng(3).permutation(len(y))
    a = fresh(estimator).fit(X, y, sample_weight=weight)
    b = fresh(estimator).fit(X[order], y[order], sample_weight=weight[order])
    np.testing.assert_allclose(answers(a, X), answers(b, X), rtol=1e-10, atol=rounding(estimator))


@every
def test_the_order_of_columns_does_not_matter_beyond_rounding(estimator):
    if np.ndim(estimator.get_params().get("alpha", 1)):
        pytest.skip("one alpha a column moves with its column")
    if estimator.get_params().get("l2") == "cv":
        pytest.skip("rows are dealt to folds by the numbers of their columns")
    X, y = data_for(estimator)
    order = np.random.default_rng(5).permutation(N_FEATURES)
    a, b = fresh(estimator).fit(X, y), fresh(estimator).fit(X[:, order], y)
    np.testing.assert_allclose(answers(a, X), answers(b, X[:, order]), rtol=1e-10, atol=rounding(estimator))


@every
def test_the_names_of_classes_do_not_matter(estimator):
    X, y = data_for(estimator)
    a, b = fresh(estimator).fit(X, y), fresh(estimator).fit(X, np.array(["猫", "狐", "犬"])[y])
    assert b.classes_.tolist() == sorted(["猫", "狐", "犬"])
    columns = [b.classes_.tolist().index(name) for name in ["猫", "狐", "犬"]]
    np.testing.assert_allclose(answers(a, X), answers(b, X)[:, columns], rtol=1e-12, atol=rounding(estimator, 1e-12))


@pytest.mark.parametrize("estimator", SCORED, ids=repr)
@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_the_largest_score_is_the_answer_and_two_classes_have_one_score(estimator, n_classes):
    X, y = data_for(estimator, n_classes=n_classes)
    fitted = fresh(estimator).fit(X, y)
    scores, joint = fitted.decision_function(X), fitted.scorer_.joint_log_scores(X)
    np.testing.assert_array_equal(fitted.classes_[joint.argmax(axis=1)], fitted.predict(X))
    if n_classes == 2:
        assert scores.shape == (len(y),)
        np.testing.assert_array_equal((scores > 0).astype(int), fitted.predict(X))
    else:
        np.testing.assert_array_equal(scores, joint)
    assert fitted.score(X, y) == np.mean(fitted.predict(X) == y) > 0.5
    assert fitted.predict(X[:0]).shape == (0,)


@every
def test_a_model_answers_with_probabilities_or_with_scores(estimator):
    assert hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")
    assert hasattr(estimator, "predict_proba") == hasattr(estimator, "predict_log_proba")


@pytest.mark.parametrize("estimator", PROBABLE, ids=repr)
def test_probabilities_are_probabilities_and_the_largest_is_the_answer(estimator):
    X, y = data_for(estimator)
    fitted = fresh(estimator).fit(X, y)
    p = fitted.predict_proba(X)
    assert p.shape == (len(y), 3)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(fitted.classes_[p.argmax(axis=1)], fitted.predict(X))
    assert fitted.score(X, y) == np.mean(fitted.predict(X) == y) > 0.5
    assert fitted.predict(X[:0]).shape == (0,)


@cache
def on_whole_numbers(estimator, dtype=np.int64):
    """X as a plain table of that type, y, and the estimator fitted on them, once for all that it is compared with."""
    X, y = data_for(estimator)
    X = np.rint(X).astype(dtype)
    X.flags.writeable = False
    return X, y, fresh(estimator).fit(X, y)


@every
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64, object, "list", "frame", "reversed"], ids=str)
def test_the_same_numbers_are_the_same_data(estimator, dtype):
    X, y, a = on_whole_numbers(estimator)
    forms = {
        "list": X.tolist(),
        "frame": pd.DataFrame(X),
        "reversed": np.asfortranarray(X[::-1])[::-1],
    }
    other = forms[dtype] if isinstance(dtype, str) else X.astype(dtype)
    b = fresh(estimator).fit(other, y)
    np.testing.assert_array_equal(answers(a, X), answers(b, other))


@sparse_too
@pytest.mark.parametrize(
    ("form", "dtype"),
    [
        *((form, np.int64) for form in ("csr", "csc", "coo", "lil", "csr_matrix", "duplicates")),
        *((form, np.float32) for form in ("csr", "duplicates")),
    ],
)
def test_sparse_and_dense_are_the_same_data(estimator, form, dtype):
    X, y, a = on_whole_numbers(estimator, dtype)
    if form == "duplicates":
        rows, columns = X.nonzero()
        halves = np.concatenate([X[rows, columns] - 1, np.ones(len(rows), dtype)])
        other = sparse.coo_array((halves, (np.tile(rows, 2), np.tile(columns, 2))), shape=X.shape)
    else:
        other = sparse.csr_matrix(X) if form == "csr_matrix" else sparse.csr_array(X).asformat(form)
    b = fresh(estimator).fit(other, y)
    assert_same(estimator, answers(a, X), answers(b, other))
    assert_same(estimator, answers(b, X), answers(a, other))


@every
def test_the_callers_data_is_never_modified(estimator):
    X, y = data_for(estimator)
    weight = np.linspace(1, 2, len(y)) if takes_fractions(estimator) else np.full(len(y), 2.0)
    kept = X.copy(), y.copy(), weight.copy()
    for given in (X, y, weight):
        given.flags.writeable = False
    answers(fresh(estimator).fit(X, y, sample_weight=weight), X)
    assert all(map(np.array_equal, kept, (X, y, weight)))


def parts_of(n_rows, seed):
    """The rows cut at random places, some parts empty or a single row."""
    cuts = np.sort(np.random.default_rng(seed).integers(0, n_rows + 1, 5))
    return [part for part in np.split(np.arange(n_rows), cuts) if len(part)]


@incremental
@pytest.mark.parametrize("late", [False, True], ids=["mixed", "a class after the other"])
@pytest.mark.parametrize("weighted", [False, True])
def test_parts_give_what_the_whole_gives(estimator, late, weighted):
    if not adds_up(estimator):
        pytest.skip(NOT_ADDITIVE)
    seed = 2 * late + weighted
    X, y = data_for(estimator, seed)
    order = np.argsort(-y if late else np.random.default_rng(seed).random(len(y)), kind="stable")
    X, y = X[order], y[order]
    weight = np.random.default_rng(seed).integers(1, 4, len(y)) if weighted else None
    whole = fresh(estimator).fit(X, y, sample_weight=weight)
    parts = fresh(estimator)
    for i, rows in enumerate(parts_of(len(y), seed)):
        named = ([0, 1, 2] if i == 0 else None) if late else "any"
        parts.partial_fit(X[rows], y[rows], named, None if weight is None else weight[rows])
    np.testing.assert_array_equal(whole.classes_, parts.classes_)
    assert_same(estimator, answers(whole, X), answers(parts, X))


@incremental
def test_rows_one_by_one_give_what_the_whole_gives(estimator):
    if not adds_up(estimator):
        pytest.skip(NOT_ADDITIVE)
    X, y = data_for(estimator, n_rows=24)
    whole, rows = fresh(estimator).fit(X, y), fresh(estimator)
    for row, label in zip(X, y, strict=True):
        rows.partial_fit([row], [label], classes="any")
    assert_same(estimator, answers(whole, X), answers(rows, X))


@incremental
def test_fit_forgets_what_partial_fit_has_learnt(estimator):
    X, y = data_for(estimator)
    again = fresh(estimator).partial_fit(X, y + 7, classes="any").fit(X, y)
    np.testing.assert_array_equal(answers(fresh(estimator).fit(X, y), X), answers(again, X))


@incremental
def test_what_is_refused_teaches_nothing(estimator):
    X, y = data_for(estimator)
    fitted = fresh(estimator).fit(X, y)
    before = answers(fitted, X)
    for wrong in ([X[:, 1:], y], [X, y[:-1]], [X, y + 0.5], [X, y, [0, 1]], [X, y + 1], [X, y, "all"]):
        with pytest.raises(ValueError, match=r"features|labels|continuous|not the same|do not exist|or 'any'"):
            fitted.partial_fit(*wrong)
    np.testing.assert_array_equal(before, answers(fitted, X))
