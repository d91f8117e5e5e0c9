import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from textnb.counts import ClassCounts, count_matrix, select_terms
from textnb.counts.selection import least_df

documents = st.lists(
    st.tuples(st.sampled_from("xyz"), st.lists(st.sampled_from("abcdef"), max_size=5)), min_size=1, max_size=10
)
shares = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 0.7, 1.0])


def counts_of(documents):
    X, vocabulary = count_matrix([terms for _, terms in documents])
    return ClassCounts.of(X, [label for label, _ in documents], vocabulary)


def frequencies(documents):
    return {t: sum(t in terms for _, terms in documents) for t in sorted({t for _, terms in documents for t in terms})}


@settings(max_examples=50)
@given(documents, st.integers(1, 5) | shares, st.integers(1, 10) | shares)
def test_limits_mean_what_they_mean_to_scikit_learn(documents, min_df, max_df):
    counts = counts_of(documents)
    try:
        vectorizer = CountVectorizer(analyzer=lambda terms: terms, min_df=min_df, max_df=max_df)
        expected = sorted(vectorizer.fit([terms for _, terms in documents]).vocabulary_)
    except ValueError:  # scikit-learn will not have an empty vocabulary
        expected = []
    assert [counts.vocabulary.terms[j] for j in select_terms(counts, min_df, max_df)] == expected


@settings(max_examples=50)
@given(documents, st.integers(0, 4), st.integers(0, 7))
def test_of_too_many_terms_the_most_widespread_are_kept(documents, min_df, max_terms):
    counts = counts_of(documents)
    allowed = [(-n, term) for term, n in frequencies(documents).items() if n >= min_df]
    expected = sorted(term for _, term in sorted(allowed)[:max_terms])
    assert [counts.vocabulary.terms[j] for j in select_terms(counts, min_df, 1.0, max_terms)] == expected


def test_among_many_equals_the_first_are_kept():
    X = np.ones((2, 500), int)
    X[1, 10::7] = 0
    widespread = np.flatnonzero(X.sum(axis=0) == 2)
    assert select_terms(ClassCounts.of(X, ["x", "y"]), max_terms=300).tolist() == widespread[:300].tolist()


@settings(max_examples=50)
@given(documents)
def test_by_default_every_term_is_kept(documents):
    counts = counts_of(documents)
    assert select_terms(counts).tolist() == list(range(counts.n_terms))


def test_a_whole_one_is_a_document_a_fractional_one_is_all_and_occurrences_do_not_count():
    counts = ClassCounts.of([[9, 1], [0, 1]], ["x", "y"])
    assert select_terms(counts, max_df=1).tolist() == [0]
    assert select_terms(counts, min_df=1.0).tolist() == select_terms(counts, min_df=2).tolist() == [1]
    assert select_terms(ClassCounts.of(np.zeros((0, 2), int), [], classes=("x",))).tolist() == []


@pytest.mark.parametrize("seed", range(5))
def test_a_term_of_all_documents_is_kept_whatever_their_weights(seed):
    weight = 1 + np.random.default_rng(seed).random(40)
    counts = ClassCounts.of(np.ones((40, 1)), np.arange(40), sample_weight=weight)
    assert select_terms(counts).tolist() == [0]


@pytest.mark.parametrize(
    ("shared", "least_terms", "found"), [(9, 10, 1), (10, 10, 2), (10, 1000, 1), (999, 1000, 1), (1000, 1000, 2)]
)
def test_terms_of_one_document_are_left_out_where_many_others_are_left(shared, least_terms, found):
    documents = [(label, [*map(str, range(shared)), label]) for label in "xyz"]
    counts = counts_of(documents)
    assert least_df(counts, "auto", least_terms) == found
    assert len(select_terms(counts, "auto", least_terms=least_terms)) == (shared if found == 2 else shared + 3)
    assert least_df(counts, 0.5) == 1.5
