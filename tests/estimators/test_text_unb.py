import numpy as np
import pytest

from textnb.estimators import MultinomialNB, TextUNB

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


def test_alphas_of_documents_are_refused():
    with pytest.raises(ValueError, match=r"does not accept alpha=.*which needs single documents"):
        TextUNB(alpha="leave-one-out").fit(X, Y)
