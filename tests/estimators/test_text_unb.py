import numpy as np
import pytest

from textnb import read_corpus
from textnb.corpus import corpus_path
from textnb.counts import TermsOf, counted
from textnb.estimators import MultinomialNB, TextUNB
from textnb.text import Analyzer, tokenizer

RANDOM = np.random.default_rng(31)
X = RANDOM.poisson(0.9, (50, 6))
Y = RANDOM.integers(0, 3, 50)


@pytest.mark.parametrize("name", ["evidence", "evidence-class", "evidence-unigram"])
@pytest.mark.parametrize("options", [{}, {"norm": "u"}, {"complement": True}], ids=str)
def test_a_term_never_seen_has_no_part(name, options):
    wider = np.hstack([X, np.zeros((50, 2), int)])
    fitted = TextUNB(1.4, name, **options).fit(wider, Y)
    asked = wider + np.array([0] * 6 + [3, 1])
    np.testing.assert_array_equal(fitted.predict_log_proba(asked), fitted.predict_log_proba(wider))
    narrow = TextUNB(1.4, name, **options).fit(X, Y)
    np.testing.assert_allclose(fitted.predict_log_proba(wider), narrow.predict_log_proba(X))


def test_pi_one_is_multinomial_with_any_alpha():
    for alpha in (0.5, "evidence", "evidence-class"):
        ours, theirs = TextUNB(alpha=alpha).fit(X, Y), MultinomialNB(alpha=alpha).fit(X, Y)
        np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-10)


@pytest.mark.parametrize("pi", [0.3, 2.0, 6.0])
def test_joint_probabilities_of_all_documents_of_a_length_sum_to_one(pi):
    documents = np.eye(6, dtype=int)[np.indices((6,) * 5).reshape(5, -1)].sum(axis=0)
    for norm in ("u", "m"):
        fitted = TextUNB(pi, norm=norm).fit(X, Y)
        assert np.exp(fitted.joint_log_proba(documents)).sum() == pytest.approx(1, abs=1e-9)
        posterior = fitted.joint_log_proba(documents) - fitted.predict_log_proba(documents)
        np.testing.assert_allclose(posterior, np.broadcast_to(posterior[:, :1], posterior.shape), atol=1e-9)


def test_the_normaliser_says_how_it_was_found():
    assert TextUNB(2.0).fit(X, Y).normaliser_ == "exact"
    assert TextUNB(1.0, norm="u").fit(X, Y).normaliser_ == "exact"
    fitted = TextUNB(2.0, norm="u").fit(X, Y)
    assert fitted.normaliser_ == "enumerated"
    fitted.predict(X * 20)
    assert fitted.normaliser_ == "bounded"
    fitted.predict(X * 0.3)
    assert fitted.normaliser_ == "interpolated"


def test_training_refuses_a_pi_that_its_documents_cannot_have():
    many = np.random.default_rng(0).poisson(0.002, (50, 3000))
    with pytest.raises(ValueError, match=r"^norm='m': pi = 60 .* use norm='none' or a pi nearer 1$"):
        TextUNB(60.0, norm="m", alpha=1000 / np.arange(1, 3001)).fit(many, Y)
    with pytest.raises(ValueError, match=r"^pi = 1000 is too large: .*; use a pi of at most"):
        TextUNB(1000.0, alpha=0.01).fit(many, Y)
    with pytest.raises(ValueError, match=r"^pi = 0.001 is too small for documents of .* tokens: .* or norm='u'$"):
        TextUNB(0.001).fit(many, Y)


def test_training_refuses_what_short_documents_cannot_have():
    """Documents of 400 tokens could be normalised, of 2 not."""
    many = np.random.default_rng(0).poisson(0.2 / np.arange(1, 3001) ** 0.3, (50, 3000)) * 4
    with pytest.raises(ValueError, match=r"^norm='m': pi = 60 .* all sequences of 2 tokens .* a pi nearer 1$"):
        TextUNB(60.0, norm="m", alpha=0.1 / np.arange(1, 3001)).fit(many, Y)


def test_alphas_of_documents_are_refused():
    with pytest.raises(ValueError, match=r"does not accept alpha=.*which needs single documents"):
        TextUNB(alpha="leave-one-out").fit(X, Y)


def test_normalised_products_of_real_texts_tell_the_classes_apart():
    """10,000 terms and documents of some 180 tokens, far from where sequences can be counted."""
    folder, terms = corpus_path("ja-mini"), TermsOf(tokenizer("janome"), Analyzer())
    documents = [list(read_corpus(folder / part)) for part in ("train", "test")]
    (both,) = counted(documents[0] + documents[1], terms)
    labels, n = np.array(both.named_labels), len(documents[0])
    for norm in ("u", "m"):
        fitted = TextUNB(3.0, "evidence", norm=norm).fit(both.X[:n], labels[:n])
        assert np.mean(fitted.predict(both.X[n:]) == labels[n:]) > 0.85
        assert fitted.normaliser_ == "bounded"
    fitted = TextUNB(8.0, "evidence", norm="u").fit(both.X[:n], labels[:n])
    assert np.mean(fitted.predict(both.X[n:]) == labels[n:]) > 0.8
