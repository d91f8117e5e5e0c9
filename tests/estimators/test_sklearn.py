"""scikit-learn's own checks and tools, on every estimator."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from found_estimators import DEFAULT, EVERY, SPARSE, answers, data_for, fresh, turned
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, check_estimator

from textnb.errors import InputError

every = pytest.mark.parametrize("estimator", EVERY, ids=repr)
default = pytest.mark.parametrize("estimator", DEFAULT, ids=repr)


@default
@pytest.mark.filterwarnings("ignore:.*does not inherit from `sklearn.base.BaseEstimator`")
@pytest.mark.filterwarnings("ignore:.*a fraction, which counts as")  # of checks that give categories no whole numbers
def test_scikit_learns_own_checks_pass(estimator):
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    others = {result["check_name"]: result["exception"] for result in results if result["status"] != "passed"}
    skipped_by_scikit_learn = {"check_array_api_input"}  # wants SCIPY_ARRAY_API set before scipy is loaded
    if get_tags(estimator).input_tags.positive_only:  # these hand over negative numbers, whatever the tags say
        for check in others.keys() & {"check_class_weight_classifiers", "check_decision_proba_consistency"}:
            assert "Negative values in data" in str(others.pop(check))
    if get_tags(estimator).input_tags.categorical and "check_positive_only_tag_during_fit" in others:
        assert sklearn.__version__.startswith("1.6.")  # its check subtracts a fraction from whole numbers in place
        assert "Cannot cast ufunc 'subtract'" in str(others.pop("check_positive_only_tag_during_fit"))
    assert set(others) <= skipped_by_scikit_learn, others
    assert len(results) > 50


@default
def test_the_names_of_columns_are_checked_as_scikit_learn_does(estimator):
    check_dataframe_column_names_consistency(type(estimator).__name__, estimator)


@default
def test_columns_with_names_for_a_model_without_and_the_reverse_are_warned_of(estimator):
    X, y = data_for(estimator)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    with pytest.warns(UserWarning, match="fitted without feature names"):
        fresh(estimator).fit(X, y).predict(frame)
    with pytest.warns(UserWarning, match="was fitted with feature names"):
        fresh(estimator).fit(frame, y).predict(X)
    with pytest.raises(TypeError, match="all strings or none"):
        fresh(estimator).fit(pd.DataFrame(X, columns=["a", 1, 2, 3, 4, 5]), y)


@every
def test_a_clone_has_the_parameters_and_nothing_learnt(estimator):
    X, y = data_for(estimator)
    fitted = fresh(estimator).fit(X, y)
    copy = clone(fitted)
    assert repr(copy) == repr(estimator)
    assert is_classifier(copy)
    with pytest.raises(NotFittedError, match="has not been fitted; call fit first"):
        copy.predict(X)


@every
def test_a_pickle_answers_as_the_estimator_does(estimator):
    X, y = data_for(estimator)
    fitted = fresh(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(answers(fitted, X), answers(again, X))
    if hasattr(again, "partial_fit"):
        again.partial_fit(X, y)


@every
def test_it_is_a_step_of_a_pipeline(estimator):
    X, y = data_for(estimator)
    pipeline = make_pipeline(FunctionTransformer(), fresh(estimator))
    name = type(estimator).__name__.lower()
    pipeline.fit(X, y, **{f"{name}__sample_weight": np.ones(len(y))})
    np.testing.assert_array_equal(pipeline.predict(X), fresh(estimator).fit(X, y).predict(X))
    assert pipeline.score(X, y) > 0.5
    assert type(estimator).__name__ in pipeline._repr_html_()


@every
def test_it_is_cross_validated_and_searched(estimator):
    X, y = data_for(estimator)
    assert cross_val_score(fresh(estimator), X, y, cv=3, scoring="accuracy").mean() > 0.4
    name, values, *_ = turned(estimator)
    scoring = "neg_log_loss" if hasattr(estimator, "predict_proba") else "accuracy"
    search = GridSearchCV(fresh(estimator), {name: values}, cv=3, scoring=scoring)
    assert search.fit(X, y).best_params_[name] in values


@default
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_it_is_calibrated(estimator, method):
    X, y = data_for(estimator)
    calibrated = CalibratedClassifierCV(fresh(estimator), method=method, cv=3).fit(X, y, sample_weight=np.ones(len(y)))
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("estimator", SPARSE, ids=repr)
def test_it_takes_what_a_vectorizer_gives(estimator):
    texts, labels = ["the cat sat", "a dog ran", "the cat", "dogs and a dog"], ["cat", "dog", "cat", "dog"]
    if np.ndim(estimator.get_params().get("alpha", 1)):
        pytest.skip("one alpha a term has the terms of another corpus")
    pipeline = make_pipeline(CountVectorizer(), fresh(estimator)).fit(texts, labels)
    assert pipeline.predict(texts).tolist() == labels


@every
def test_an_unknown_parameter_is_named_with_the_known_ones(estimator):
    name, (value, _), *_ = turned(estimator)
    with pytest.raises(InputError, match=f"{type(estimator).__name__} has no parameter beta; it has .*{name}"):
        fresh(estimator).set_params(**{name: value}, beta=1)
    assert "beta" not in estimator.get_params()


@every
def test_wrong_parameters_are_refused_by_fit_and_not_before(estimator):
    X, y = data_for(estimator)
    name, _, value, words = turned(estimator)
    wrong = fresh(estimator).set_params(**{name: value})
    with pytest.raises(InputError, match=words):
        wrong.fit(X, y)


@default
def test_weights_are_routed_where_scikit_learn_routes(estimator):
    X, y = data_for(estimator)
    weight = np.random.default_rng(0).random(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        asking = fresh(estimator).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), clone(asking)).fit(X, y, sample_weight=weight)
        weighted = fresh(estimator).fit(X, y, sample_weight=weight)
        np.testing.assert_array_equal(answers(pipeline, X), answers(weighted, X))
        assert pipeline.score(X, y, sample_weight=weight) == weighted.score(X, y, sample_weight=weight)
        search = GridSearchCV(make_pipeline(fresh(estimator)), {}, cv=3).fit(X, y)
        assert search.best_score_ > 0.4
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            make_pipeline(fresh(estimator)).fit(X, y, sample_weight=weight)
        with pytest.raises(InputError, match="fit takes no groups; it takes sample_weight"):
            fresh(estimator).set_fit_request(groups=True)
        if hasattr(asking, "partial_fit"):
            asking.set_partial_fit_request(classes=True)


@default
def test_warnings_point_at_the_callers_line(estimator):
    X, y = data_for(estimator)
    fitted = fresh(estimator).fit(pd.DataFrame(X, columns=list("abcdef")), y)
    asked = fitted.predict_proba if hasattr(fitted, "predict_proba") else fitted.decision_function
    learning = [lambda X: fitted.partial_fit(X, y)] if hasattr(fitted, "partial_fit") else []
    for ask in (fitted.predict, asked, lambda X: fitted.score(X, y), *learning):
        with pytest.warns(UserWarning, match="valid feature names") as caught:
            ask(X)
        assert {warning.filename for warning in caught} == {__file__}


@every
def test_a_score_is_the_weighted_share_of_right_answers(estimator):
    X, y = data_for(estimator)
    fitted = fresh(estimator).fit(X, y)
    weight = np.arange(len(y))
    right = fitted.predict(X) == y
    assert fitted.score(X, y.tolist(), weight) == pytest.approx(weight[right].sum() / weight.sum())
    with pytest.raises(InputError, match="X has 48 rows, y has 47 labels"):
        fitted.score(X, y[:-1])
    with pytest.raises(InputError, match="every sample_weight is zero"):
        fitted.score(X, y, weight * 0)


@default
def test_a_column_of_labels_is_taken_with_scikit_learns_warning(estimator):
    X, y = data_for(estimator)
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        fresh(estimator).fit(X, y[:, np.newaxis])


def test_without_scikit_learn_the_errors_are_textnbs_own():
    code = """
import sys
sys.modules["sklearn"] = None
import warnings
from textnb import errors, estimators
for name in [name for name in estimators.__all__ if name != 'TextVectorizer']:
    model = getattr(estimators, name)()
    try:
        model.predict([[1, 2]])
    except errors.NotFittedError:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import numpy as np
            model.fit([[1, 2], [3, 1]], np.array([["a"], ["b"]]))
        print(model, model.predict([[1, 2]])[0], *(warning.category.__name__ for warning in caught))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [f"{estimator!r} a DataConversionWarning" for estimator in DEFAULT]
