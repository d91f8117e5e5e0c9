"""TextVectorizer: CountVectorizer's numbers entry for entry, weights by their formulas, in scikit-learn's tools."""

import pickle
import subprocess
import sys
from collections import Counter

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from textnb import Analyzer, Document, read_corpus, tokenizer
from textnb.corpus import corpus_path
from textnb.counts.weighting import WEIGHTINGS
from textnb.errors import InputError, NotFittedError
from textnb.estimators import MultinomialNB, TextVectorizer

SMALL = ["犬が走る。犬は速い", "猫が眠る", "犬と猫が走る I don't know", "", " 　", "Dogs run; dogs sleep", "魚"]


@pytest.fixture(scope="module")
def corpus():
    documents = list(read_corpus(corpus_path("ja-mini") / "train"))[::6]
    return [document.text for document in documents], [document.label for document in documents]


def without_space(terms):
    """Janome's tokens of white space alone are no terms of textnb's."""
    return [term for term in terms if term.strip()]


def by_scikit_learn(texts, cut, **params):
    theirs = CountVectorizer(analyzer=lambda text: without_space(cut(text)), **params)
    return theirs.fit_transform(texts), theirs.get_feature_names_out()


def assert_equal(ours, theirs):
    (X, names), (Y, expected) = ours, theirs
    assert names.tolist() == expected.tolist()
    assert X.shape == Y.shape
    assert X.dtype == Y.dtype
    assert (X != Y).nnz == 0


TOKENIZERS = [
    tokenizer("auto"),
    tokenizer("janome"),
    tokenizer("janome", form="base", pos=["名詞", "動詞"]),
    tokenizer("janome", exclude_pos="助詞"),
    tokenizer("words"),
    tokenizer("chars", n=(1, 2)),
    tokenizer("charclass"),
    tokenizer("whitespace"),
    tokenizer("shlex:split"),
]


@pytest.mark.parametrize("cut", TOKENIZERS, ids=lambda cut: cut.name)
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_counts_are_those_of_count_vectorizer_with_the_same_tokenizer(cut, n_jobs):
    texts = [text.replace("'", "") for text in SMALL] if cut.name == "python" else SMALL
    ours = TextVectorizer(cut, n_jobs=n_jobs)
    X = ours.fit_transform(texts)
    assert isinstance(X, sparse.csr_array)
    assert_equal((X, ours.get_feature_names_out()), by_scikit_learn(texts, cut))
    assert (ours.transform(texts) != X).nnz == 0


@pytest.mark.parametrize("min_df", [1, 2, 5, 0.0, 0.05, 0.1, 0.5])
@pytest.mark.parametrize("max_df", [1.0, 0.7, 0.31, 40, 7])
def test_terms_are_selected_as_count_vectorizer_selects_them(corpus, min_df, max_df):
    texts, _ = corpus
    ours = TextVectorizer("charclass", min_df=min_df, max_df=max_df)
    try:
        expected = by_scikit_learn(texts, tokenizer("charclass"), min_df=min_df, max_df=max_df)
    except ValueError as error:
        assert "max_df corresponds to < documents than min_df" in str(error)
        with pytest.raises(InputError, match=r"no terms remain|min_df must not be above max_df"):
            ours.fit(texts)
    else:
        assert_equal((ours.fit_transform(texts), ours.get_feature_names_out()), expected)


def test_a_proportion_of_the_texts_is_not_lost_to_rounding():
    """0.07 * 100 is 7.000000000000001, so that CountVectorizer leaves out a term of 7 texts."""
    texts = ["a b"] * 7 + ["b"] * 93
    assert TextVectorizer("words", min_df=0.07).fit(texts).vocabulary_ == {"a": 0, "b": 1}
    assert CountVectorizer(analyzer=str.split, min_df=0.07).fit(texts).vocabulary_ == {"b": 0}


@pytest.mark.parametrize("name", ["auto", "janome", "words"])
@pytest.mark.parametrize("ngram", [(1, 1), (1, 2), (2, 3)])
@pytest.mark.parametrize("stop_words", [["が", "dogs", "know"], {"犬"}])
def test_stop_words_and_ngrams_mean_what_they_mean_in_count_vectorizer(name, ngram, stop_words):
    theirs = CountVectorizer(
        tokenizer=lambda text: without_space(tokenizer(name)(text)), token_pattern=None, lowercase=False,
        stop_words=list(stop_words), ngram_range=ngram,
    )  # fmt: skip
    for params in ({}, {"n_jobs": 2}):
        ours = TextVectorizer(name, ngram=ngram, stop_words=stop_words, **params)
        expected = theirs.fit_transform(SMALL), theirs.get_feature_names_out()
        assert_equal((ours.fit_transform(SMALL), ours.get_feature_names_out()), expected)


@pytest.mark.parametrize(
    "params",
    [
        {"normalisers": ["nfkc", "casefold"]},
        {"terms": ["words", "pairs"], "normalisers": ["casefold"]},
        {"terms": ["words", "chars"]},
        {"terms": ["chars"]},
    ],
    ids=str,
)
def test_terms_are_those_of_the_analyzer_which_is_one_for_count_vectorizer(params):
    ours = TextVectorizer(**params)
    theirs = CountVectorizer(analyzer=Analyzer(**params))
    expected = theirs.fit_transform(SMALL), theirs.get_feature_names_out()
    assert_equal((ours.fit_transform(SMALL), ours.get_feature_names_out()), expected)


WORDS = st.lists(st.text(st.sampled_from("ab cd犬猫"), max_size=12), min_size=1, max_size=9)


@settings(max_examples=40, deadline=None)
@given(WORDS, WORDS, st.integers(0, 3), st.floats(0.3, 1.0))
def test_any_texts_give_what_count_vectorizer_gives(texts, more, min_df, max_df):
    ours = TextVectorizer("whitespace", min_df=min_df, max_df=max_df)
    theirs = CountVectorizer(analyzer=str.split, min_df=max(min_df, 1), max_df=max_df)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:
        with pytest.raises(InputError, match=r"no terms remain|empty vocabulary"):
            ours.fit(texts)
        return
    names = theirs.get_feature_names_out()
    assert_equal((ours.fit_transform(texts), ours.get_feature_names_out()), (expected, names))
    assert_equal((ours.transform(more), names), (theirs.transform(more), names))
    assert ours.vocabulary_ == theirs.vocabulary_


def weight(name, count, idf):
    log = round(2**20 * np.log1p(count)) / 2**20
    return {"raw": count, "binary": 1, "log": log, "tfidf": log * idf}[name.removesuffix("-l2")]


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_weights_are_those_of_the_stated_formula(name):
    texts, asked = ["a a b", "b c", "a", "", "b b b"], ["a b b z", "z", "c c"]
    vectorizer = TextVectorizer("words", weighting=name).fit(texts)
    terms = vectorizer.get_feature_names_out().tolist()
    assert terms == ["a", "b", "c"]
    idf = {term: np.log(len(texts) / sum(term in text for text in texts)) for term in terms}
    for given_texts, found in ((texts, vectorizer.fit_transform(texts)), (asked, vectorizer.transform(asked))):
        counts = [Counter(text.split()) for text in given_texts]
        expected = np.array([[weight(name, row[t], idf[t]) if row[t] else 0 for t in terms] for row in counts], float)
        if name.endswith("-l2"):
            lengths = np.linalg.norm(expected, axis=1, keepdims=True)
            expected /= np.where(lengths > 0, lengths, 1)
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-12, atol=0)
        assert found.dtype == (np.int64 if name in ("raw", "binary") else np.float64)
    if "idf" in name:
        np.testing.assert_allclose(vectorizer.idf_, list(idf.values()))
    else:
        assert not hasattr(vectorizer, "idf_")


def test_the_log_of_a_count_is_rounded_by_less_than_a_millionth():
    found = TextVectorizer("whitespace", weighting="log").fit_transform([" ".join(["a"] * n) for n in range(1, 200)])
    np.testing.assert_allclose(found.toarray()[:, 0], np.log1p(np.arange(1, 200)), atol=2**-21, rtol=0)


def test_at_most_so_many_terms_are_those_in_the_most_texts():
    texts = ["a b c", "b c", "c d d d d"]
    assert TextVectorizer("words", max_terms=2).fit(texts).get_feature_names_out().tolist() == ["b", "c"]
    assert TextVectorizer("words", max_terms=3).fit(texts).get_feature_names_out().tolist() == ["a", "b", "c"]


def test_a_row_gives_back_its_terms():
    vectorizer = TextVectorizer("words", weighting="tfidf").fit(["b a a", "c", "b"])
    X = vectorizer.transform(["c a", "z", "b c"])
    expected = [["a", "c"], [], ["b", "c"]]
    assert [terms.tolist() for terms in vectorizer.inverse_transform(X)] == expected
    assert [terms.tolist() for terms in vectorizer.inverse_transform(X.toarray())] == expected
    assert vectorizer.inverse_transform(X[:0]) == []
    with pytest.raises(InputError, match="X has 2 columns, the vocabulary has 3 terms"):
        vectorizer.inverse_transform(X[:, :2])


@pytest.mark.parametrize("last", [LogisticRegression(max_iter=500), MultinomialNB(alpha="evidence")], ids=repr)
def test_it_is_a_step_of_a_pipeline_and_of_a_search(corpus, last):
    texts, labels = corpus
    pipeline = make_pipeline(TextVectorizer(min_df=2), last)
    theirs = make_pipeline(CountVectorizer(analyzer=Analyzer(), min_df=2), last)
    scores = cross_val_score(pipeline, texts, labels, cv=3)
    assert scores.tolist() == cross_val_score(theirs, texts, labels, cv=3).tolist()
    assert scores.mean() > 0.2  # 69 texts of 8 classes
    grid = {"textvectorizer__weighting": ["raw", "log-l2"], "textvectorizer__tokenizer": ["janome", "charclass"]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(texts, labels)
    assert search.best_params_["textvectorizer__tokenizer"] in ("janome", "charclass")
    names = search.best_estimator_[:-1].get_feature_names_out()
    assert len(names) == search.best_estimator_[-1].n_features_in_ > 100
    assert "TextVectorizer" in pipeline._repr_html_()


def test_it_is_a_column_of_a_table():
    frame = pd.DataFrame({"text": SMALL, "price": range(len(SMALL))})
    both = ColumnTransformer([("text", TextVectorizer("words"), "text"), ("rest", "passthrough", ["price"])])
    n_terms = len(TextVectorizer("words").fit(SMALL).vocabulary_)
    assert both.fit_transform(frame).shape == (len(SMALL), n_terms + 1)
    assert both.get_feature_names_out().tolist()[-1] == "rest__price"


def test_it_can_be_cloned_pickled_and_given_to_joblib(tmp_path):
    vectorizer = TextVectorizer("janome", stop_words=["犬"], weighting="tfidf-l2", ngram=(1, 2))
    X = vectorizer.fit_transform(SMALL)
    copy = clone(vectorizer)
    assert repr(copy) == repr(vectorizer)
    with pytest.raises(sklearn.exceptions.NotFittedError, match="has not been fitted; call fit first"):
        copy.transform(SMALL)
    joblib.dump(vectorizer, tmp_path / "v")
    for again in (pickle.loads(pickle.dumps(vectorizer)), joblib.load(tmp_path / "v")):
        assert (again.transform(SMALL) != X).nnz == 0
    parts = joblib.Parallel(2)(joblib.delayed(vectorizer.transform)([text]) for text in SMALL)
    assert (sparse.vstack(parts) != X).nnz == 0
    threads = joblib.Parallel(2, prefer="threads")(joblib.delayed(vectorizer.transform)([text]) for text in SMALL * 9)
    assert (sparse.vstack(threads[: len(SMALL)]) != X).nnz == 0


def test_a_data_frame_is_given_where_it_is_asked_for():
    texts = pd.Series(["a b", "b b"], index=["x", "y"])
    vectorizer = TextVectorizer("words").set_output(transform="pandas")
    frame = vectorizer.fit_transform(texts)
    assert frame.to_dict() == {"a": {"x": 1, "y": 0}, "b": {"x": 1, "y": 2}}
    assert frame.sparse.density < 1
    assert clone(vectorizer).fit(texts).transform(["b"]).to_dict() == {"a": {0: 0}, "b": {0: 1}}
    assert sparse.issparse(vectorizer.set_output(transform="default").transform(texts))
    assert sparse.issparse(vectorizer.set_output().transform(texts))
    with sklearn.config_context(transform_output="pandas"):
        assert list(TextVectorizer("words").fit_transform(texts).columns) == ["a", "b"]
    pipeline = make_pipeline(TextVectorizer("words")).set_output(transform="pandas")
    assert list(pipeline.fit_transform(texts).columns) == ["a", "b"]
    with pytest.raises(InputError, match=r"polars has no sparse columns.*use 'default' or 'pandas'"):
        vectorizer.set_output(transform="polars")
    with pytest.raises(InputError, match="unknown output 'csv'"):
        vectorizer.set_output(transform="csv")


NUMBERS = "the check gives rows of numbers, which are no texts"
COLUMN = "the check takes one column of its numbers, as the tags want it, and then asks for two dimensions"
EXPECTED_FAILURES = {
    **dict.fromkeys(
        (
            *(
                "check_complex_data",
                "check_dtype_object",
                "check_estimator_sparse_array",
                "check_estimator_sparse_matrix",
            ),
            *("check_estimator_sparse_tag", "check_estimators_dtypes", "check_estimators_empty_data_messages"),
            *("check_estimators_fit_returns_self", "check_estimators_nan_inf", "check_estimators_overwrite_params"),
            *(
                "check_estimators_pickle",
                "check_fit_check_is_fitted",
                "check_fit_idempotent",
                "check_fit_score_takes_y",
            ),
            *("check_n_features_in", "check_n_features_in_after_fitting", "check_pipeline_consistency"),
            *("check_positive_only_tag_during_fit", "check_readonly_memmap_input"),
        ),
        NUMBERS,
    ),
    **dict.fromkeys(
        (
            *("check_dict_unchanged", "check_dont_overwrite_parameters", "check_f_contiguous_array_estimator"),
            *("check_fit2d_1feature", "check_fit2d_1sample", "check_fit2d_predict1d"),
            *("check_methods_sample_order_invariance", "check_methods_subset_invariance"),
            *("check_transformer_data_not_an_array", "check_transformer_general"),
        ),
        COLUMN,
    ),
}


class SaysThatItTakesRows(TextVectorizer):
    """With its own tags, scikit-learn would check only whether it can be cloned."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


@pytest.mark.filterwarnings("ignore:.*does not inherit from `sklearn.base.BaseEstimator`")
@pytest.mark.filterwarnings("ignore:Can't test estimator TextVectorizer")
def test_scikit_learns_own_checks_pass_but_for_those_on_numbers():
    check_estimator(TextVectorizer())
    results = check_estimator(SaysThatItTakesRows(), expected_failed_checks=EXPECTED_FAILURES, on_skip=None)
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # wants SCIPY_ARRAY_API set before scipy is loaded
    assert sum(result["status"] == "passed" for result in results) >= 12
    for result in results:
        if result["status"] == "xfail" and result["expected_to_fail_reason"] == NUMBERS:
            assert "texts must " in str(result["exception"]) + str(result["exception"].__cause__)


def test_its_tags_say_that_it_takes_texts():
    tags = get_tags(TextVectorizer())
    assert tags.input_tags.string and tags.input_tags.one_d_array and not tags.input_tags.two_d_array
    assert tags.transformer_tags is not None and not tags.target_tags.required


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ("one text", "texts must be a list, not a single str"),
        ([], "there are no texts to learn from"),
        (["a", 3], "text 1 is int '3'"),
        ([["a"]], "text 0 is list"),
        (["", " "], "empty vocabulary"),
    ],
)
def test_texts_that_are_none_are_refused(texts, words):
    with pytest.raises(InputError, match=words):
        TextVectorizer().fit(texts)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"tokenizer": "word"}, "unknown tokenizer 'word'"),
        ({"weighting": "idf"}, "unknown weighting 'idf'"),
        ({"stop_words": "english"}, "stop_words must be a list of strings, not 'english'"),
        ({"min_df": -1}, "min_df must be"),
        ({"min_df": 9}, "no terms remain of 2; use a lower min_df or a higher max_df"),
        ({"terms": ["words"], "ngram": 3}, "disagree"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0, or None, not 0"),
        ({"n_jobs": "all"}, "n_jobs must be"),
    ],
)
def test_a_wrong_parameter_is_refused_by_fit_and_nothing_is_lost(params, words):
    vectorizer = TextVectorizer("words").fit(["a b"])
    with pytest.raises(InputError, match=words):
        vectorizer.set_params(**params).fit(["a b"])
    assert vectorizer.vocabulary_ == {"a": 0, "b": 1}


def test_texts_may_be_an_iterator_an_array_a_column_or_documents():
    expected = TextVectorizer("words").fit_transform(["a b", "b"]).toarray().tolist()
    for texts in (
        iter(["a b", "b"]),
        np.array(["a b", "b"]),
        pd.Series(["a b", "b"]),
        (Document(t) for t in ["a b", "b"]),
    ):
        assert TextVectorizer("words").fit_transform(texts).toarray().tolist() == expected
    fitted = TextVectorizer("words").fit([Document("a", fields={"from": ["x"]})])
    assert fitted.get_feature_names_out().tolist() == ["a", "from:x"]
    assert fitted.transform([]).shape == (0, 2)


def test_a_lambda_is_a_tokenizer_and_a_data_frame_gets_an_error_that_names_its_columns():
    assert TextVectorizer(lambda text: text.split("/")).fit(["a/b", "b"]).vocabulary_ == {"a": 0, "b": 1}
    with pytest.raises(InputError, match=r"not a data frame; its columns of text are '本文'"):
        TextVectorizer().fit(pd.DataFrame({"本文": ["a"]}))
    with pytest.raises(InputError, match=r"text 1 is .*missing value"):
        TextVectorizer().fit(pd.Series(["a", None]))


def test_threads_are_counted_as_scikit_learn_counts_them():
    texts = ["a b", "b"] * 600
    expected = TextVectorizer("words").fit_transform(texts)
    for n_jobs in (1, 2, 5, -1, -2, -99, np.int64(2)):
        assert (TextVectorizer("words", n_jobs=n_jobs).fit_transform(texts) != expected).nnz == 0


def test_it_shows_itself_in_a_notebook():
    assert "not fitted" in TextVectorizer()._repr_html_()
    assert "fitted: 2 terms" in TextVectorizer("words").fit(["a b"])._repr_html_()
    assert repr(TextVectorizer(min_df=2)) == "TextVectorizer(min_df=2)"


def test_it_does_without_scikit_learn_and_pandas():
    code = """
import sys
sys.modules["sklearn"] = sys.modules["pandas"] = None
from textnb import errors
from textnb.estimators import TextVectorizer
try:
    TextVectorizer().transform(["a"])
except errors.NotFittedError as error:
    print(error)
print(TextVectorizer().fit_transform(["a b", "b"]).toarray().tolist())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == "[[1, 1], [0, 1]]"
    assert issubclass(NotFittedError, AttributeError)
