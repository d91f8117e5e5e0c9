"""Closed-form left-out scores against a model fitted again without the document."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.counts import ClassCounts, Vocabulary, as_counts
from textnb.counts.weighting import weighting
from textnb.models import bernoulli, complement, multinomial
from textnb.models.left_out import LeftOut

VOCABULARY = Vocabulary(list("abcdef"))
VECTOR = np.array([0.3, 1.0, 2.0, 0.1, 0.7, 0.4])


@st.composite
def corpora(draw):
    n = draw(st.integers(5, 9))
    counts = draw(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=n, max_size=n))
    labels = ["x", "x", "y", "y", "z", *draw(st.lists(st.sampled_from("xyz"), min_size=n - 5, max_size=n - 5))]
    X = np.array(counts)
    X[0] += ~X.any(axis=0)  # statistics have no terms that were never seen
    return X, np.array(labels)


def refitted(X, labels, i, alpha, weights, fit, **options):
    """The scores of document i, or of equal documents i, without the prior, by statistics that never had it."""
    rest = ~np.isin(np.arange(len(labels)), i)
    kept = np.flatnonzero((X[rest] > 0).any(axis=0))
    of_alpha = alpha if np.ndim(alpha) == 0 else alpha[kept]
    stored = weights.stored(as_counts(X))
    counts = ClassCounts.of(stored[rest][:, kept], labels[rest], classes=sorted(set(labels)), unit=weights.unit)
    scorer = fit(counts, of_alpha, "uniform", **options)
    return scorer.joint_log_scores(stored[np.atleast_1d(i)[:1]][:, kept] * weights.unit)[0] - scorer.bias


MODELS = {
    "multinomial": (multinomial, {}),
    "bernoulli": (bernoulli, {}),
    "complement": (complement, {}),
    "complement, normalised": (complement, {"normalise": True}),
}


@pytest.mark.parametrize("alpha", [0.5, VECTOR], ids=["one alpha", "one a term"])
@pytest.mark.parametrize("name", ["raw", "log"])
@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=25, deadline=None)
@given(corpus=corpora())
def test_left_out_is_fitted_without(model, name, alpha, corpus):
    X, labels = corpus
    module, options = MODELS[model]
    weights = weighting(name)
    stored = weights.stored(as_counts(X))
    counts = ClassCounts.of(stored, labels, VOCABULARY, unit=weights.unit)
    rows = LeftOut.of(counts, stored, np.searchsorted(counts.classes, labels))
    found = module.left_out(rows, alpha, **options)
    for i, label in enumerate(labels):
        if (labels == label).sum() == 1 and model != "multinomial":
            continue  # its class would not exist
        expected = refitted(X, labels, i, alpha, weights, module.fit, **options)
        if (X[np.arange(len(X)) != i] > 0).any():
            np.testing.assert_allclose(found[i], expected, rtol=1e-9, atol=1e-8, err_msg=f"document {i}")


@pytest.mark.parametrize("alpha", [0.5, VECTOR], ids=["one alpha", "per term"])
@pytest.mark.parametrize("name", ["raw", "log"])
@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=25, deadline=None)
@given(corpus=corpora(), times=st.lists(st.integers(0, 3), min_size=15, max_size=15))
def test_copies_are_left_out_together_whatever_their_labels(model, name, alpha, corpus, times):
    first, _ = corpus
    distinct = np.unique(first, axis=0)
    copies = np.resize(times, (len(distinct), 3))
    document, of_class = (np.repeat(each.ravel(), copies.ravel()) for each in np.indices(copies.shape))
    X, labels = distinct[document], np.array(list("xyz"))[of_class]
    seen = np.flatnonzero(X.any(axis=0)) if len(X) else []
    if len(set(labels)) < 3 or len(seen) < 6:
        return  # statistics have no terms and classes that were never seen
    module, options = MODELS[model]
    weights = weighting(name)
    counts = ClassCounts.of(weights.stored(as_counts(X)), labels, VOCABULARY, unit=weights.unit)
    found = module.left_out(
        LeftOut(counts, weights.stored(as_counts(distinct)), copies.astype(float)), alpha, **options
    )
    for i in np.unique(document):
        rest = document != i
        if len(set(labels[rest])) < 3 and model != "multinomial":
            continue  # a class would not exist
        expected = refitted(X, labels, np.flatnonzero(~rest), alpha, weights, module.fit, **options)
        if X[rest].any():
            np.testing.assert_allclose(found[i], expected, rtol=1e-9, atol=1e-8, err_msg=f"document {i}")


def test_class_frequencies_without_a_document_are_without_its_copies():
    counts = ClassCounts.of([[1, 0], [1, 1], [0, 1], [0, 1]], ["x", "x", "y", "x"])
    rows = LeftOut(counts, as_counts([[1, 0], [0, 1]]), np.array([[1.0, 0.0], [1.0, 1.0]]))
    np.testing.assert_allclose(np.exp(rows.log_frequencies), [[2 / 3, 1 / 3], [1, 0]])


def test_rows_of_another_width_are_refused():
    counts = ClassCounts.of([[1, 0]], ["x"])
    with pytest.raises(ValueError, match="shape"):
        LeftOut.of(counts, as_counts([[1, 0, 1]]), np.array([0]))
