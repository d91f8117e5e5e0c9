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
    """The scores of document i, without the prior, by statistics that never had it."""
    rest = np.arange(len(labels)) != i
    kept = np.flatnonzero((X[rest] > 0).any(axis=0))
    of_alpha = alpha if np.ndim(alpha) == 0 else alpha[kept]
    stored = weights.stored(as_counts(X))
    counts = ClassCounts.of(stored[rest][:, kept], labels[rest], classes=sorted(set(labels)), unit=weights.unit)
    scorer = fit(counts, of_alpha, "uniform", **options)
    return scorer.joint_log_scores(stored[[i]][:, kept] * weights.unit)[0] - scorer.bias


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
    rows = LeftOut(counts, stored, np.searchsorted(counts.classes, labels))
    found = module.left_out(rows, alpha, **options)
    for i, label in enumerate(labels):
        if (labels == label).sum() == 1 and model != "multinomial":
            continue  # its class would not exist
        expected = refitted(X, labels, i, alpha, weights, module.fit, **options)
        if (X[np.arange(len(X)) != i] > 0).any():
            np.testing.assert_allclose(found[i], expected, rtol=1e-9, atol=1e-8, err_msg=f"document {i}")


def test_the_prior_left_out_has_one_document_less():
    counts = ClassCounts.of([[1, 0], [1, 1], [0, 1]], ["x", "x", "y"])
    rows = LeftOut(counts, as_counts([[1, 0], [0, 1]]), np.array([0, 1]))
    np.testing.assert_allclose(np.exp(rows.log_prior("empirical")), [[0.5, 0.5], [1, 0]])
    np.testing.assert_allclose(np.exp(rows.log_prior("uniform")), [[0.5, 0.5]] * 2)


def test_rows_of_another_width_are_refused():
    counts = ClassCounts.of([[1, 0]], ["x"])
    with pytest.raises(ValueError, match="shape"):
        LeftOut(counts, as_counts([[1, 0, 1]]), np.array([0]))
