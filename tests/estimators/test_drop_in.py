"""The five naive Bayes classes give scikit-learn's numbers for scikit-learn's calls."""

import inspect
import itertools
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model, naive_bayes

from textnb import estimators
from textnb.errors import FitWarning, InputError

NAMES = ("BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB")
COUNTING = ("BernoulliNB", "ComplementNB", "MultinomialNB")
DISCRETE = (*COUNTING, "CategoricalNB")
TOLERANCE = 1e-10
ATTRIBUTES = {
    "BernoulliNB": ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"),
    "CategoricalNB": ("class_count_", "class_log_prior_", "category_count_", "feature_log_prob_", "n_categories_"),
    "ComplementNB": ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_", "feature_all_"),
    "GaussianNB": ("class_count_", "class_prior_", "theta_", "var_", "epsilon_"),
    "MultinomialNB": ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"),
}
METHODS = ("predict_joint_log_proba", "predict_log_proba", "predict_proba", "predict")
PARAMETERS = {
    "BernoulliNB": [{"binarize": t, "alpha": a} for t in (0.0, 1.0, 2.5) for a in (1.0, 0.01, 50.0)],
    "CategoricalNB": [{"min_categories": n} for n in (None, 1, 9, [9, 1, 6, 5, 7, 12])],
    "ComplementNB": [{"norm": norm, "alpha": alpha} for norm in (False, True) for alpha in (1.0, 1e-3, 100.0, 0.0)],
    "GaussianNB": [{"var_smoothing": s} for s in (1e-9, 1e-3, 10.0, 0.0)] + [{"priors": [0.2, 0.3, 0.5]}],
    "MultinomialNB": [{"alpha": alpha} for alpha in (1.0, 1e-6, 1000.0, [0.1, 1.0, 2.0, 3.0, 4.0, 5.0])],
}
PRIORS = [
    {"fit_prior": False},
    {"class_prior": [0.1, 0.2, 0.7]},
    {"class_prior": [3, 1, 0.5]},
    {"class_prior": [1, 0, 1]},
]
CALLS = [(name, params) for name in NAMES for params in ({}, *PARAMETERS[name])]
CALLS += [(name, params) for name in DISCRETE for params in PRIORS]
CALLS += [(name, {"alpha": 0.0, "force_alpha": False}) for name in ("ComplementNB", "MultinomialNB")]


def both(name, params):
    return getattr(estimators, name)(**params), getattr(naive_bayes, name)(**params)


def data(name, seed=0, n_rows=60):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 3
    if name == "GaussianNB":
        return rng.normal(y[:, np.newaxis], 1 + y[:, np.newaxis], (n_rows, 6)), y
    return rng.poisson(1 + (np.arange(6) + y[:, np.newaxis]) % 3, (n_rows, 6)).clip(max=4), y


def assert_same_models(name, mine, theirs, X, attributes=None):
    np.testing.assert_array_equal(mine.classes_, theirs.classes_)
    for attribute in attributes or ATTRIBUTES[name]:
        ours, other = getattr(mine, attribute), getattr(theirs, attribute)
        pairs = zip(ours, other, strict=True) if isinstance(other, list) else [(ours, other)]
        for one, two in pairs:
            assert np.shape(one) == np.shape(two), attribute
            np.testing.assert_allclose(one, two, rtol=TOLERANCE, atol=TOLERANCE, err_msg=attribute)
    for method in METHODS:
        ours, other = getattr(mine, method)(X), getattr(theirs, method)(X)
        np.testing.assert_allclose(ours, other, rtol=TOLERANCE, atol=TOLERANCE, err_msg=method)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_of_scikit_learns_is_accepted_with_its_default(name):
    theirs = inspect.signature(getattr(naive_bayes, name)).parameters
    mine = inspect.signature(getattr(estimators, name)).parameters
    assert {key: mine[key].default for key in theirs} == {key: theirs[key].default for key in theirs}


@pytest.mark.parametrize(("name", "params"), CALLS, ids=str)
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.filterwarnings("ignore:divide by zero")  # scikit-learn's logarithm of a prior of 0
@pytest.mark.filterwarnings("ignore:alpha too small")
def test_the_same_call_gives_the_same_numbers(name, params, weighted):
    X, y = data(name)
    weight = np.random.default_rng(3).random(len(y)) * 3 if weighted else None
    mine, theirs = both(name, params)
    assert_same_models(
        name, mine.fit(X, y, sample_weight=weight), theirs.fit(X, y, sample_weight=weight), data(name, 1)[0]
    )


@pytest.mark.parametrize(("name", "params"), CALLS, ids=str)
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.filterwarnings("ignore:alpha too small")
def test_the_same_calls_of_partial_fit_give_the_same_numbers(name, params, weighted):
    X, y = data(name, n_rows=90)
    order = np.argsort(y // 2, kind="stable")  # the last parts have one class only
    X, y = X[order], y[order]
    X[0] = X.max(axis=0)  # so that the first part has every category
    weight = np.random.default_rng(3).random(len(y)) * 3 if weighted else None
    mine, theirs = both(name, params)
    attributes = [attribute for attribute in ATTRIBUTES[name] if attribute != "n_categories_"]
    one_or_two = 62 if params.get("var_smoothing") == 0 else 61  # a single row has the variance 0, which is refused
    for i, rows in enumerate(np.array_split(np.arange(len(y)), [20, 45, 60, one_or_two, 85])):
        given = {"classes": [0, 1, 2] if i == 0 else None, "sample_weight": None if weight is None else weight[rows]}
        mine.partial_fit(X[rows], y[rows], **given)
        theirs.partial_fit(X[rows], y[rows], **given)
    assert_same_models(name, mine, theirs, data(name, 1)[0], attributes)


@pytest.mark.parametrize("name", COUNTING)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("index", [np.int32, np.int64], ids=lambda dtype: dtype.__name__)
def test_sparse_counts_of_every_type_give_the_same_numbers(name, dtype, index):
    X, y = data(name)
    rows = sparse.csr_matrix(X.astype(dtype))
    rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
    mine, theirs = both(name, {})
    assert_same_models(name, mine.fit(rows, y), theirs.fit(X, y), rows)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("classes", [[7], [7, 9]], ids=["one class", "two classes"])
def test_one_and_two_classes_give_the_same_numbers(name, classes):
    X, y = data(name)
    y = np.array(classes)[y % len(classes)]
    mine, theirs = both(name, {})
    assert_same_models(name, mine.fit(X, y), theirs.fit(X, y), X)


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB"])
def test_alpha_zero_gives_scikit_learns_numbers_or_exact_ones_where_it_gives_nan(name):
    X = sparse.csr_array([[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 2, 1], [0, 1, 0]])
    y = [0, 0, 1, 1, 0]
    mine, theirs = both(name, {"alpha": 0.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        other = theirs.fit(X, y).predict_log_proba(X)
    ours = mine.fit(X, y).predict_log_proba(X)
    assert not np.isnan(ours).any()
    there = ~np.isnan(other)
    np.testing.assert_allclose(ours[there], other[there], atol=TOLERANCE)
    assert there.all() == (name == "MultinomialNB")


def test_categories_that_have_been_skipped_have_a_share():
    X, y = [[0, 5], [3, 0], [3, 5]], [0, 1, 1]
    mine, theirs = both("CategoricalNB", {})
    assert_same_models("CategoricalNB", mine.fit(X, y), theirs.fit(X, y), [[1, 4], [2, 2], [3, 5]])
    assert mine.n_categories_.tolist() == [4, 6]
    seen = estimators.CategoricalNB(categories="seen").fit(X, y)
    assert seen.n_categories_.tolist() == [2, 2]
    assert seen.tables_.values == ((0, 3), (0, 5))


def test_fractions_lose_their_part_after_the_point_with_a_warning():
    X, y = np.array([[0.9, 1.2], [1.7, 2.0], [2.1, 0.3]]), [0, 1, 1]
    mine, theirs = both("CategoricalNB", {})
    with pytest.warns(FitWarning, match=r"column 0 holds 0.9, a fraction, which counts as 0; use categories='seen'"):
        mine.fit(X, y)
    assert_same_models("CategoricalNB", mine, theirs.fit(X, y), [[0, 1], [2, 2]])
    assert estimators.CategoricalNB(categories="seen").fit(X, y).n_categories_.tolist() == [3, 3]


def test_negative_and_huge_categories_are_refused_unless_they_are_values():
    for value, words in ((-1, r"Negative values in data passed to CategoricalNB \(input X\)"), (2**40, "too large")):
        with pytest.raises(InputError, match=words):
            estimators.CategoricalNB().fit([[0], [value]], [0, 1])
        assert estimators.CategoricalNB(categories="seen").fit([[0], [value]], [0, 1]).predict([[value]]) == 1


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"min_categories": 2.5}, "should have integral type"),
        ({"min_categories": [1, 2, 3]}, r"should have shape \(2,\)"),
        ({"min_categories": 0}, "min_categories must be from 1"),
        ({"min_categories": 3, "categories": "seen"}, "min_categories contradicts categories='seen'"),
        ({"categories": "all"}, "unknown categories 'all'; use 'numbered' or 'seen'"),
    ],
    ids=str,
)
def test_wrong_categories_are_refused(params, words):
    with pytest.raises(InputError, match=words):
        estimators.CategoricalNB(**params).fit([[0, 1], [1, 0]], [0, 1])


def test_min_categories_of_strings_is_refused():
    with pytest.raises(InputError, match="min_categories is for columns of numbers, but column 0 holds strings"):
        estimators.CategoricalNB(min_categories=3).fit([["a"], ["b"]], [0, 1])


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"prior": "uniform", "class_prior": [0.5, 0.3, 0.2]}, "prior and class_prior both set the class prior"),
        ({"prior": "empirical", "fit_prior": False}, "prior and fit_prior=False both set the class prior"),
        ({"class_prior": [0.5, 0.5]}, "Number of priors must match number of classes: 3 numbers are needed"),
        ({"class_prior": [1, -1, 1]}, "class_prior must be finite, not negative and not all 0"),
        ({"class_prior": [0, 0, 0]}, "class_prior must be finite, not negative and not all 0"),
        ({"class_prior": ["a", "b", "c"]}, "class_prior must be numbers"),
        ({"fit_prior": "no"}, "fit_prior must be True or False, not 'no'"),
        ({"force_alpha": 1}, "force_alpha must be True or False, not 1"),
        ({"alpha": "evidence", "force_alpha": False}, "force_alpha=False needs an alpha in numbers, not 'evidence'"),
    ],
    ids=str,
)
def test_contradictory_and_wrong_parameters_are_refused(name, params, words):
    with pytest.raises(InputError, match=words):
        getattr(estimators, name)(**params).fit(*data(name))


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [
        ("ComplementNB", {"norm": True, "weight_norm": True}, "norm and weight_norm both normalise the weights"),
        ("ComplementNB", {"norm": 1}, "norm must be True or False"),
        ("BernoulliNB", {"binarize": -1}, "binarize must be a number of at least 0"),
        ("BernoulliNB", {"binarize": None}, "with binarize=None every number must be 0 or 1"),
        ("GaussianNB", {"prior": "uniform", "priors": [0.5, 0.3, 0.2]}, "prior and priors both set the class prior"),
        ("GaussianNB", {"floor": 0.1, "var_smoothing": 0.1}, "floor and var_smoothing both set"),
        ("GaussianNB", {"priors": ["a"]}, "priors must be numbers"),
        ("LogisticRegression", {"l2": 2.0, "C": 1.0}, "l2 and C both set the strength of the penalty"),
        ("LogisticRegression", {"C": 0}, "C must be a number above 0"),
    ],
    ids=str,
)
def test_contradictory_parameters_of_one_model_are_refused(name, params, words):
    with pytest.raises(InputError, match=words):
        getattr(estimators, name)(**params).fit(*data(name))


def test_a_tiny_alpha_is_kept_or_raised_as_force_alpha_says():
    X, y = [[1, 0], [1, 1]], [0, 1]
    assert estimators.MultinomialNB(alpha=1e-12).fit(X, y).alpha_ == 1e-12
    with pytest.warns(UserWarning, match="setting alpha = 1.0e-10. Use `force_alpha=True`") as caught:
        raised = estimators.MultinomialNB(alpha=[1e-12, 0.5], force_alpha=False).fit(X, y)
    assert raised.alpha_.tolist() == [1e-10, 0.5]
    assert {warning.filename for warning in caught} == {__file__}


def test_binary_rows_need_no_threshold():
    X, y = data("BernoulliNB")
    mine, theirs = both("BernoulliNB", {"binarize": None})
    assert_same_models("BernoulliNB", mine.fit(X > 1, y), theirs.fit(X > 1, y), X > 2)


def test_negative_numbers_are_absent_terms():
    X, y = data("GaussianNB")
    for form in (np.asarray, sparse.csr_array):
        mine, theirs = both("BernoulliNB", {"binarize": 0.3})
        assert_same_models("BernoulliNB", mine.fit(form(X), y), theirs.fit(X, y), X)


@pytest.mark.parametrize("name", NAMES)
def test_partial_fit_has_the_rule_of_the_first_call(name):
    X, y = data(name)
    model = getattr(estimators, name)()
    with pytest.raises(InputError, match="classes must be passed on the first call to partial_fit"):
        model.partial_fit(X, y)
    assert not hasattr(model, "classes_")
    model.partial_fit(X, y, classes=[2, 1, 0])
    model.partial_fit(X, y)
    model.partial_fit(X, y, classes=np.array([0, 1, 2]))
    for other in ([0, 1], [0, 1, 2, 3], [0, 1, 2, 2]):
        with pytest.raises(InputError, match=r"is not the same as on last call to partial_fit, which was 0, 1, 2"):
            model.partial_fit(X, y, classes=other)
    with pytest.raises(InputError, match=r"The target label\(s\) 3 in y do not exist in the initial classes 0, 1, 2"):
        model.partial_fit(X, y + 1)
    assert model.partial_fit(X, y + 1, classes="any").classes_.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("name", NAMES)
def test_attributes_are_not_there_before_fit(name):
    model = getattr(estimators, name)()
    assert [attribute for attribute in ATTRIBUTES[name] if hasattr(model, attribute)] == []


@pytest.mark.parametrize("name", NAMES)
def test_attributes_cost_nothing_until_they_are_asked_for(name):
    fitted = getattr(estimators, name)().fit(*data(name))
    assert not set(ATTRIBUTES[name]) & set(vars(fitted))


@pytest.mark.parametrize(("n_classes", "C"), list(itertools.product([2, 3], [0.1, 1.0, 30.0])))
def test_logistic_regression_takes_scikit_learns_strength(n_classes, C):
    X, y = data("GaussianNB")
    y = y % n_classes
    mine = estimators.LogisticRegression(C=C, tol=1e-10).fit(X, y)
    theirs = linear_model.LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    by_l2 = estimators.LogisticRegression((2 if n_classes == 2 else 1) / C, tol=1e-10).fit(X, y)
    np.testing.assert_array_equal(mine.coef_, by_l2.coef_)


@pytest.mark.parametrize("name", ["LeastSquares", "FisherDiscriminant", "GaussianDiscriminant", "LogisticRegression"])
def test_linear_models_have_weights_and_biases(name):
    X, y = data("GaussianNB")
    fitted = getattr(estimators, name)().fit(X, y)
    np.testing.assert_allclose(X @ fitted.coef_.T + fitted.intercept_, fitted.scorer_.joint_log_scores(X))
    assert not hasattr(getattr(estimators, name)(), "coef_")


def test_a_class_without_documents_has_probability_zero_whatever_the_priors():
    X, y = data("GaussianNB")
    model = estimators.GaussianNB(priors=[0.2, 0.2, 0.2, 0.4]).partial_fit(X, y, classes=[0, 1, 2, 3])
    assert (model.predict_proba(X)[:, 3] == 0).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_an_estimator_imports_scikit_learn_only_where_scikit_learn_is_calling():
    code = """
import sys
from textnb import estimators
for name in set(estimators.__all__) - {'TextVectorizer'}:
    model = getattr(estimators, name)().fit([[1, 2], [3, 1], [0, 2], [4, 0]], ["a", "b", "a", "b"])
    model.score([[1, 2]], ["a"]), model.get_params(), repr(model), model._repr_html_()
assert not [module for module in sys.modules if module.startswith("sklearn")]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
