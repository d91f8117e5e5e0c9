"""TextClassifier in the shape of an estimator: parameters, scikit-learn's checks and tools, pickles."""

import copy
import inspect
import json
import pickle
import shlex
import subprocess
import sys

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError as TheirNotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score, learning_curve
from sklearn.naive_bayes import MultinomialNB as TheirMultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data
from small_models import BY_EVIDENCE

from textnb import Analyzer, Document, TextClassifier
from textnb.classifier.parameters import OF_RECIPES
from textnb.errors import InputError, ModelFileError, NotFittedError, ParameterError
from textnb.estimators import LogisticRegression, MultinomialNB
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of
from textnb.text import tokenizer

rng = np.random.default_rng(0)
LABELS = [["x", "y", "z"][i % 3] for i in range(36)]
TEXTS = [" ".join(rng.choice(list("abc" if label == "x" else "bcd" if label == "y" else "def"), 6)) for label in LABELS]
SIMPLE = {"model": "multinomial", "alpha": 1.0, "analyzer": Analyzer(), "tokenizer": "whitespace", "calibrate": False}


def simple(**params):
    return TextClassifier(**{**SIMPLE, **params})


def test_every_option_of_every_model_is_a_parameter_and_nothing_else_is():
    parameters = inspect.signature(TextClassifier).parameters
    options = {name for model in MODELS for name in model_of(model).options}
    assert set(parameters) == {*OF_RECIPES, *options}
    assert not options & set(OF_RECIPES)
    assert {parameters[name].default for name in options} == {None}
    assert all(parameter.kind is parameter.KEYWORD_ONLY for name, parameter in parameters.items() if name != "model")
    assert list(TextClassifier().get_params()) == list(parameters)


@pytest.mark.parametrize("model", MODELS)
def test_every_option_reaches_its_model_and_is_refused_by_the_others(model):
    every = {name: option for other in MODELS for name, option in model_of(other).options.items()}
    for name, option in every.items():
        classifier = TextClassifier(model, **{name: option.default})
        if name in model_of(model).options:
            value = model_of(model).options[name].default
            assert TextClassifier(model, **{name: value}).recipe.options[name] == value
        else:
            with pytest.raises(ParameterError, match=f"model {model!r} has no option {name!r}"):
                classifier.fit(["a"], ["x"])


def test_an_option_changes_the_answers():
    texts = ["a b", "a c", "b c"]
    strong, weak = (TextClassifier("logistic", l2=l2, calibrate=False).fit(TEXTS, LABELS) for l2 in (30, 0.1))
    assert strong.recipe.options["l2"] == 30
    assert strong.predict_proba(texts).max() < weak.predict_proba(texts).max()


def test_parameters_are_kept_as_given_and_checked_by_fit():
    analyzer, prior = Analyzer(ngram=2), {"y": 0.5, "x": 0.5}
    classifier = TextClassifier("nonsense", alpha="1", analyzer=analyzer, prior=prior, l2=np.float64(3))
    params = classifier.get_params()
    assert params["model"] == classifier.model == "nonsense"
    assert params["analyzer"] is classifier.analyzer is analyzer
    assert params["prior"] is prior
    taken = []
    with pytest.raises(ParameterError, match="unknown model 'nonsense'"):
        classifier.fit((taken.append(text) or text for text in TEXTS), LABELS)
    assert taken == []
    assert classifier.set_params(model="logistic", alpha=None, calibrate=False) is classifier
    assert classifier.recipe.options["l2"] == 3.0
    assert classifier.recipe.calibrate is False
    assert callable(classifier.calibrate)


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"model": "multinominal"}, r"unknown model 'multinominal' \(did you mean 'multinomial'\?\); use auto, "),
        ({"model": "logistik"}, r"\(did you mean 'logistic'\?\)"),
        ({"tokenizer": "word"}, r"unknown tokenizer 'word' \(did you mean 'words'\?\)"),
        ({"weighting": "tfdif"}, r"unknown weighting 'tfdif' \(did you mean 'tfidf'\?\)"),
        ({"alpha": "evidenz"}, r"not 'evidenz' \(did you mean 'evidence'\?\)"),
        ({"prior": "emprical"}, r"unknown prior 'emprical' \(did you mean 'empirical'\?\)"),
        ({"model": "unb", "norm": "nome"}, r"unknown norm 'nome' \(did you mean 'none'\?\)"),
        ({"model": "logistic", "l2": "vc"}, "l2 must be a number of at least 0 or 'cv', not 'vc'"),
        ({"model": "zzz"}, "unknown model 'zzz'; use"),
    ],
)
def test_an_unknown_name_gets_the_one_that_was_meant(params, complaint):
    with pytest.raises(ParameterError, match=complaint):
        TextClassifier(**params).fit(["a"], ["x"])


def test_unknown_parameters_are_refused_by_name():
    with pytest.raises(ParameterError, match=r"TextClassifier has no parameter 'alhpa' \(did you mean 'alpha'\?\)"):
        TextClassifier().set_params(alhpa=1)
    with pytest.raises(TypeError, match="alhpa"):
        TextClassifier(alhpa=1)
    with pytest.raises(ParameterError, match="model__alpha is for an estimator as model, not for 'auto'"):
        TextClassifier().set_params(model__alpha=1)


def test_an_estimator_as_model_is_searched_by_its_own_parameters():
    classifier = TextClassifier(MultinomialNB(alpha=0.5), tokenizer="whitespace")
    assert classifier.get_params()["model__alpha"] == 0.5
    assert "model__alpha" not in classifier.get_params(deep=False)
    assert classifier.recipe.alpha == 0.5
    copied = clone(classifier).set_params(model__alpha=0.25)
    assert (copied.recipe.alpha, classifier.recipe.alpha) == (0.25, 0.5)
    with pytest.raises(InputError, match="alpha is given twice"):
        classifier.set_params(alpha=1.0).fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="l2 is given twice"):
        TextClassifier(LogisticRegression(), l2=3).fit(TEXTS, LABELS)


def test_numpy_values_are_as_good_as_pythons():
    given = {
        "alpha": np.float32(0.5),
        "calibrate": np.bool_(False),
        "sample": np.int64(5),
        "model": np.str_("complement"),
    }
    ours = {"alpha": 0.5, "calibrate": False, "sample": 5, "model": "complement"}
    assert simple(**given, weight_norm=np.bool_(True)).recipe == simple(**ours, weight_norm=True).recipe


def test_a_fitted_classifier_keeps_its_recipe_until_the_next_fit():
    classifier = simple().fit(TEXTS, LABELS)
    before = classifier.predict_proba(TEXTS)
    classifier.set_params(alpha=9.0)
    assert classifier.recipe.alpha == 1.0
    np.testing.assert_array_equal(classifier.predict_proba(TEXTS), before)
    assert classifier.fit(TEXTS, LABELS).recipe.alpha == classifier.alpha_ == 9.0


def test_auto_chooses_again_at_every_fit_and_in_every_clone():
    classifier = TextClassifier(tokenizer="whitespace").fit(TEXTS, LABELS)
    assert classifier.recipe.model in ("multinomial", "complement")
    assert classifier.get_params()["model"] == "auto"
    assert clone(classifier).recipe.model == "auto"
    assert clone(classifier).recipe.choose_terms


def test_a_classifier_of_a_file_has_the_parameters_of_its_recipe(tmp_path):
    simple(model="complement", weight_norm=True).fit(TEXTS, LABELS).save(tmp_path / "m.textnb")
    loaded = TextClassifier.load(tmp_path / "m.textnb")
    params = loaded.get_params()
    assert (params["model"], params["weight_norm"], params["alpha"], params["l2"]) == ("complement", True, 1.0, None)
    again = clone(loaded)
    assert again.recipe == loaded.recipe
    np.testing.assert_array_equal(again.fit(TEXTS, LABELS).predict_proba(TEXTS), loaded.predict_proba(TEXTS))
    assert loaded.set_params(alpha=2.0).fit(TEXTS, LABELS).alpha_ == 2.0


def test_the_fitted_attributes_are_those_of_the_fit():
    classifier = simple(alpha="evidence").fit(TEXTS, LABELS)
    assert classifier.alpha_ == classifier.facts()["smoothing"]["alpha"]
    assert classifier.vocabulary_ == {term: j for j, term in enumerate("abcdef")}
    per_term = simple(alpha="evidence-unigram").fit(TEXTS, LABELS)
    assert per_term.alpha_.shape == (6,)
    with pytest.raises(AttributeError, match="model 'logistic' has no alpha"):
        _ = TextClassifier("logistic", l2=1).fit(TEXTS, LABELS).alpha_


def test_a_question_before_fit_is_an_error_of_textnb_and_of_scikit_learn():
    classifier = simple()
    for error in (NotFittedError, TheirNotFittedError):
        with pytest.raises(error, match="nothing has been learnt"):
            classifier.predict(["a"])
    with pytest.raises(TheirNotFittedError):
        check_is_fitted(classifier)
    assert not hasattr(classifier, "classes_")
    check_is_fitted(simple().fit(TEXTS, LABELS))


def test_repr_has_the_parameters_that_were_given_or_what_was_learnt():
    assert repr(TextClassifier("logistic", l2=3)) == "TextClassifier(model='logistic', l2=3)"
    assert repr(simple().fit(TEXTS, LABELS)) == "<TextClassifier multinomial, Whitespace(), 36 documents of 3 classes>"


# scikit-learn's own checks


class OnRows(TextClassifier):
    """TextClassifier on rows of numbers, which scikit-learn's checks hand over: column j with the value v gives j:v."""

    def fit(self, X, y=None, sample_weight=None):
        if y is None:
            raise ValueError("OnRows requires y to be passed, but the target y is None")
        X, y = validate_data(self, X, y)
        return super().fit(self._texts(X), y, sample_weight)

    def score(self, X, y, sample_weight=None):
        return super().score(X, y, sample_weight)

    def predict_log_proba(self, X, **settings):
        check_is_fitted(self)
        return super().predict_log_proba(self._texts(validate_data(self, X, reset=False)), **settings)

    @staticmethod
    def _texts(X):
        return [" ".join(f"{j}:{value:.0f}" for j, value in enumerate(row)) for row in X]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array, tags.input_tags.two_d_array, tags.input_tags.string = False, True, False
        return tags


@pytest.mark.filterwarnings("ignore:Can't test estimator TextClassifier which requires input")
@pytest.mark.filterwarnings("ignore:.*does not inherit from `sklearn.base.BaseEstimator`")
def test_scikit_learn_has_no_checks_of_its_own_for_text_but_those_of_parameters():
    results = check_estimator(simple(), on_fail=None, on_skip=None)
    assert {result["status"] for result in results} == {"passed"}


@pytest.mark.filterwarnings("ignore:.*does not inherit from `sklearn.base.BaseEstimator`")
def test_scikit_learns_checks_of_classifiers_pass_where_rows_are_texts():
    results = check_estimator(OnRows(**SIMPLE), on_fail=None, on_skip=None)
    others = {result["check_name"]: result["exception"] for result in results if result["status"] != "passed"}
    skipped_by_scikit_learn = {"check_array_api_input"}  # wants SCIPY_ARRAY_API set before scipy is loaded
    assert set(others) <= skipped_by_scikit_learn, others
    assert len(results) > 50


def test_the_tags_say_text_in_one_dimension_and_a_target():
    tags = get_tags(simple())
    assert (tags.input_tags.string, tags.input_tags.one_d_array, tags.input_tags.two_d_array) == (True, True, False)
    assert tags.target_tags.required
    assert is_classifier(simple())


# scikit-learn's tools, as a user calls them


def test_cross_validation_is_the_fits_and_scores_of_the_folds():
    folds = StratifiedKFold(3)
    expected = [
        simple()
        .fit(np.array(TEXTS)[train], np.array(LABELS)[train])
        .score(np.array(TEXTS)[test], np.array(LABELS)[test])
        for train, test in folds.split(TEXTS, LABELS)
    ]
    np.testing.assert_array_equal(cross_val_score(simple(), TEXTS, LABELS, cv=folds), expected)
    P = cross_val_predict(simple(), TEXTS, LABELS, cv=folds, method="predict_proba")
    train, test = next(folds.split(TEXTS, LABELS))
    one = simple().fit([TEXTS[i] for i in train], [LABELS[i] for i in train])
    np.testing.assert_array_equal(P[test], one.predict_proba([TEXTS[i] for i in test]))
    assert np.isfinite(cross_val_score(simple(), TEXTS, LABELS, cv=3, scoring="neg_log_loss")).all()


def test_a_pipeline_equals_that_of_scikit_learn_on_the_same_words():
    ours = simple(weighting="raw")
    theirs = make_pipeline(CountVectorizer(analyzer=str.split), TheirMultinomialNB())
    np.testing.assert_array_equal(*(cross_val_score(each, TEXTS, LABELS, cv=3) for each in (ours, theirs)))


def test_a_search_runs_over_models_alphas_analyzers_and_options():
    grid = [
        {
            "model": ["multinomial", "complement"],
            "alpha": np.logspace(-2, 0, 2),
            "analyzer": [Analyzer(), Analyzer(ngram=2)],
        },
        {"model": ["logistic"], "alpha": [None], "l2": [0.1, 3]},
        {"model": ["complement"], "weight_norm": [False, True]},
    ]
    search = GridSearchCV(simple(), grid, cv=2).fit(TEXTS, LABELS)
    assert len(search.cv_results_["params"]) == 12
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.recipe.model == search.best_params_["model"]
    assert search.predict(["d e f"]).tolist() == ["z"]
    assert search.score(TEXTS, LABELS) == search.best_estimator_.score(TEXTS, LABELS)


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_a_combination_that_a_model_refuses_fails_alone_in_a_search():
    search = GridSearchCV(simple(), {"model": ["multinomial", "complement"], "weight_norm": [None, True]}, cv=2)
    with pytest.warns(RuntimeWarning, match=r"(?s)2 fits failed.*model 'multinomial' has no option 'weight_norm'"):
        search.fit(TEXTS, LABELS)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True, False, False]


def test_a_search_on_two_processes_finds_what_one_finds():
    searches = [GridSearchCV(simple(), {"alpha": [0.1, 1.0]}, cv=2, n_jobs=jobs).fit(TEXTS, LABELS) for jobs in (1, 2)]
    one, two = (search.cv_results_["mean_test_score"] for search in searches)
    np.testing.assert_array_equal(one, two)


def test_a_learning_curve_is_drawn():
    sizes, train, test = learning_curve(simple(), TEXTS, LABELS, cv=2, train_sizes=[0.5, 1.0])
    assert sizes.tolist() == [9, 18]
    assert train.shape == test.shape == (2, 2)


def test_it_is_the_last_step_of_a_pipeline():
    pipeline = make_pipeline(FunctionTransformer(lambda texts: [text.upper() for text in texts]), simple())
    pipeline.fit(TEXTS, LABELS)
    assert pipeline.predict(["a b c"]).tolist() == ["x"]
    assert pipeline[-1].vocabulary_.keys() == set("ABCDEF")
    assert pipeline.set_params(textclassifier__alpha=2.0).fit(TEXTS, LABELS)[-1].alpha_ == 2.0
    search = GridSearchCV(pipeline, {"textclassifier__alpha": [0.5, 1.0]}, cv=2).fit(TEXTS, LABELS)
    assert search.best_params_["textclassifier__alpha"] in (0.5, 1.0)


def test_probabilities_are_calibrated_and_classifiers_vote():
    calibrated = CalibratedClassifierCV(simple(), cv=3).fit(TEXTS, LABELS)
    P = calibrated.predict_proba(TEXTS)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (calibrated.classes_[P.argmax(axis=1)] == np.array(LABELS)).mean() > 0.7
    voters = [("nb", simple()), ("complement", simple(model="complement"))]
    voting = VotingClassifier(voters, voting="soft").fit(TEXTS, LABELS)
    mean = np.mean(
        [simple(model=name).fit(TEXTS, LABELS).predict_proba(TEXTS) for name in ("multinomial", "complement")], axis=0
    )
    np.testing.assert_allclose(voting.predict_proba(TEXTS), mean)
    assert set(voting.predict(TEXTS)) == {"x", "y", "z"}


def test_sample_weights_are_routed_to_fit():
    weight = np.arange(36) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        asked = simple().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        routed = cross_val_score(asked, TEXTS, LABELS, cv=2, params={"sample_weight": weight})
    np.testing.assert_array_equal(
        routed, cross_val_score(simple(), TEXTS, LABELS, cv=2, params={"sample_weight": weight})
    )


# pickles


@pytest.mark.parametrize("params", [SIMPLE, {"tokenizer": "whitespace"}, {**BY_EVIDENCE, "tokenizer": shlex.split}])
def test_a_pickle_is_the_parameters_and_the_model_file(params, tmp_path):
    classifier = TextClassifier(**params).fit(TEXTS, LABELS)
    again = pickle.loads(pickle.dumps(classifier))
    assert again.get_params() == classifier.get_params()
    assert again.recipe == classifier.recipe
    assert again.learnt == classifier.learnt
    np.testing.assert_array_equal(again.predict_proba(TEXTS), classifier.predict_proba(TEXTS))
    for each, name in ((classifier, "one"), (again, "other")):
        each.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert again.update(["a"], ["x"]).forget(["a"], ["x"]).learnt == classifier.learnt


def test_joblib_and_copies_keep_what_was_learnt(tmp_path):
    classifier = simple().fit(TEXTS, LABELS)
    joblib.dump(classifier, tmp_path / "model.joblib")
    for again in (joblib.load(tmp_path / "model.joblib"), copy.copy(classifier), copy.deepcopy(classifier)):
        np.testing.assert_array_equal(again.predict_proba(TEXTS), classifier.predict_proba(TEXTS))
    unfitted = pickle.loads(pickle.dumps(simple(alpha=0.5)))
    assert unfitted.get_params() == simple(alpha=0.5).get_params()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda model: model[:-9], "is incomplete: its end is missing"),
        (lambda model: model + b"more", "is damaged: it has"),
        (lambda model: model[:24] + bytes([model[24] ^ 1]) + model[25:], "is damaged: the sha256 of its header"),
    ],
    ids=["cut", "longer", "changed"],
)
def test_a_damaged_pickle_is_refused(damage, said):
    state = simple().fit(TEXTS, LABELS).__getstate__()
    with pytest.raises(ModelFileError, match=f"the pickled TextClassifier {said}"):
        TextClassifier().__setstate__({**state, "_model": damage(bytes(state["_model"]))})


def test_a_tokenizer_of_a_notebook_is_used_and_refused_only_when_saved(tmp_path):
    classifier = TextClassifier(**{**SIMPLE, "tokenizer": lambda text: text.split("-")})
    classifier.fit(["a-b", "c-d"], ["x", "y"], jobs=2)
    assert classifier.predict(["a", "c"]).tolist() == ["x", "y"]
    assert classifier.explain("a-b").contributions[1].start == 2
    assert clone(classifier).fit(["a-b", "c-d"], ["x", "y"]).merge(classifier).facts()["documents"] == 4
    assert cross_val_score(classifier, TEXTS, LABELS, cv=2).shape == (2,)
    for save in (
        lambda: classifier.save(tmp_path / "m.textnb"),
        lambda: pickle.dumps(classifier),
        lambda: pickle.dumps(clone(classifier)),
    ):
        with pytest.raises(
            InputError, match=r"cannot be saved: it cannot be imported as .*define it at the top of a module"
        ):
            save()
    assert not (tmp_path / "m.textnb").exists()
    other = TextClassifier(**{**SIMPLE, "tokenizer": lambda text: text.split("+")}).fit(["a"], ["x"])
    with pytest.raises(InputError, match="the recipes differ in tokenizer"):
        classifier.merge(other)


def test_without_scikit_learn_nothing_of_this_needs_it():
    code = """
import json, pickle, sys
from textnb import TextClassifier
classifier = TextClassifier("complement", tokenizer="words").fit(["a b", "c d"], [1, 2], sample_weight=[1, 2])
again = pickle.loads(pickle.dumps(classifier))
print(json.dumps([again.score(["a"], [1]), "sklearn" in sys.modules, "pandas" in sys.modules, "rich" in sys.modules]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [1.0, False, False, False]


def test_documents_and_tokenizers_as_values_go_through_clone():
    classifier = simple(tokenizer=tokenizer("chars", n=2))
    assert clone(classifier).recipe == classifier.recipe
    assert simple().fit([Document("a", "x"), Document("b", "y")]).classes_.tolist() == ["x", "y"]
