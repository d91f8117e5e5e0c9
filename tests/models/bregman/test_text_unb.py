import numpy as np
import pytest
from token_products import by_fft

from textnb.counts import ClassCounts, Vocabulary, as_counts
from textnb.models import complement, multinomial
from textnb.models.bregman import text_unb
from textnb.models.bregman.tokens import TokenProduct, box_cox, box_cox_inverse
from textnb.models.left_out import LeftOut

RANDOM = np.random.default_rng(21)
X = RANDOM.poisson(0.8, (40, 7))
X[0] += 1
Y = RANDOM.integers(0, 3, 40)
COUNTS = ClassCounts.of(X, Y)


@pytest.mark.parametrize("norm", text_unb.NORMS)
def test_pi_one_is_multinomial(norm):
    ours = text_unb.fit(COUNTS, 0.5, norm=norm).joint_log_scores(as_counts(X))
    np.testing.assert_allclose(ours, multinomial.fit(COUNTS, 0.5).joint_log_scores(as_counts(X)), atol=1e-10)


def test_pi_one_of_the_complement_is_complement():
    ours = text_unb.fit(COUNTS, 0.5, complement=True).joint_log_scores(as_counts(X))
    np.testing.assert_allclose(ours, complement.fit(COUNTS, 0.5).joint_log_scores(as_counts(X)), atol=1e-10)


@pytest.mark.parametrize("pi", [0.4, 1.3, 2.5])
def test_without_normalisation_it_is_the_formula(pi):
    a = -multinomial.fit(COUNTS, 0.5).by_term
    expected = -((X @ a**pi) ** (1 / pi))
    ours = text_unb.fit(COUNTS, 0.5, "uniform", pi=pi)
    np.testing.assert_allclose(ours.joint_log_scores(as_counts(X)) - ours.bias, expected, rtol=1e-10)


@pytest.mark.parametrize("pi", [0.6, 1.2])
def test_u_normalisation_is_that_of_each_class_and_length(pi):
    scorer = text_unb.fit(COUNTS, 0.5, "uniform", pi=pi, norm="u")
    scores = scorer.joint_log_scores(as_counts(X)) - scorer.bias
    for i in range(8):
        for k in range(3):
            product = TokenProduct.of(scorer.log_p[:, k], pi)
            own = X[i] @ box_cox(-scorer.log_p[:, k], pi)
            expected = -box_cox_inverse(own + by_fft(product, int(X[i].sum())), pi)
            assert scores[i, k] == pytest.approx(expected, abs=5e-3)


def test_m_normalisation_sums_to_one():
    scorer = text_unb.fit(COUNTS, 0.5, "uniform", pi=1.3, norm="m")
    pairs = np.array([np.eye(7, dtype=int)[i] + np.eye(7, dtype=int)[j] for i in range(7) for j in range(7)])
    sums = np.exp(scorer.joint_log_scores(as_counts(pairs)) - scorer.bias).sum(axis=0)
    np.testing.assert_allclose(sums, 1, atol=5e-3)


@pytest.mark.parametrize("options", [{"pi": 1.4}, {"pi": 0.7, "norm": "u"}, {"pi": 1.4, "complement": True}], ids=str)
def test_left_out_without_is_fitted_without(options):
    counts = ClassCounts.of(X, Y, Vocabulary(list("abcdefg")))
    scorer = text_unb.fit(counts, 0.5, "uniform", **options)
    found = text_unb.left_out(LeftOut(counts, as_counts(X), Y), 0.5, scorer)
    for i in range(10):
        rest = np.arange(len(Y)) != i
        refitted = text_unb.fit(ClassCounts.of(X[rest], Y[rest]), 0.5, "uniform", **options)
        expected = refitted.joint_log_scores(as_counts(X[[i]]))[0] - refitted.bias
        tolerance = 0.15 if options.get("norm") == "u" else 1e-9  # c stays what all documents have made it
        np.testing.assert_allclose(found[i], expected, rtol=tolerance)


def test_differences_sum_to_the_difference_of_scores():
    for options in ({"pi": 1.4}, {"pi": 0.7, "norm": "u"}, {"pi": 1.2, "norm": "m"}, {"pi": 2, "complement": True}):
        scorer = text_unb.fit(COUNTS, 0.5, **options)
        scores = scorer.joint_log_scores(as_counts(X[[0]]))[0]
        assert scorer.differences(as_counts(X[[0]]), 0, 2).score == pytest.approx(scores[0] - scores[2])


def test_an_empty_document_gets_the_prior():
    for norm in text_unb.NORMS:
        scorer = text_unb.fit(COUNTS, 0.5, pi=1.5, norm=norm)
        np.testing.assert_allclose(
            np.exp(scorer.log_posterior(as_counts(np.zeros((1, 7), int)))), [np.bincount(Y) / 40]
        )


def test_alpha_zero_knows_the_impossible():
    scorer = text_unb.fit(ClassCounts.of([[2, 1, 0], [0, 1, 1]], ["x", "y"]), 0.0, pi=1.5)
    assert np.exp(scorer.log_posterior(as_counts([[1, 1, 0]]))).tolist() == [[1, 0]]


@pytest.mark.parametrize("wrong", [{"pi": 0}, {"pi": -1.0}, {"pi": True}, {"pi": "1"}, {"pi": np.inf}, {"norm": "l2"}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match=r"pi must be a number above 0|unknown norm 'l2'"):
        text_unb.fit(COUNTS, 0.5, **wrong)
