import numpy as np
import pytest

from textnb.counts import ClassCounts, Vocabulary, as_counts
from textnb.errors import InputError
from textnb.models import complement, multinomial
from textnb.models.bregman import text_unb
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


@pytest.mark.parametrize("norm", ["u", "m"])
@pytest.mark.parametrize("pi", [0.05, 0.3, 0.6, 1.2, 3.0, 8.0, 50.0])
def test_all_documents_of_a_length_sum_to_one_in_each_class(pi, norm):
    scorer = text_unb.fit(COUNTS, 0.5, "uniform", pi=pi, norm=norm)
    documents = as_counts(np.eye(7, dtype=int)[np.indices((7,) * 4).reshape(4, -1)].sum(axis=0))
    scores = scorer.joint_log_scores(documents) + scorer.common(documents)[:, np.newaxis] - scorer.bias
    np.testing.assert_allclose(np.exp(scores).sum(axis=0), 1, atol=1e-9)
    assert scorer.normaliser == "enumerated"


def test_u_normalisation_only_adds_c_within_the_power():
    a, pi = -multinomial.fit(COUNTS, 0.5).by_term, 1.7
    scorer = text_unb.fit(COUNTS, 0.5, "uniform", pi=pi, norm="u")
    documents = as_counts(X[X.sum(axis=1) == 6])
    scores = scorer.joint_log_scores(documents) + scorer.common(documents)[:, np.newaxis] - scorer.bias
    c = (-scores) ** pi - documents @ a**pi
    np.testing.assert_allclose(c, np.broadcast_to(c[0], c.shape), rtol=1e-9)


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("norm", text_unb.NORMS)
@pytest.mark.parametrize("pi", [1e-3, 0.01, 0.05, 0.5, 0.999, 1.001, 2, 8, 30, 100, 400, 1000])
def test_the_ends_of_pi_give_finite_answers_or_one_line(pi, norm, complement):
    try:
        scorer = text_unb.fit(COUNTS, 0.5, pi=pi, norm=norm, complement=complement)
        posterior = np.exp(scorer.log_posterior(as_counts(X)))
    except InputError as error:
        assert "\n" not in str(error)
        assert "pi = " in str(error)
        assert pi >= 100 or (pi <= 0.01 and norm != "u")
    else:
        np.testing.assert_allclose(posterior.sum(axis=1), 1)


def test_where_classes_are_nearly_uniform_they_still_differ():
    """With pi = 8 log p of 60 tokens is -117, and the classes differ in the 13th digit."""
    scorer = text_unb.fit(COUNTS, 0.5, "uniform", pi=8.0, norm="u")
    documents = as_counts([[60, 0, 0, 0, 0, 0, 0], [0, 0, 0, 60, 0, 0, 0]])
    scores = scorer.joint_log_scores(documents) - scorer.bias
    assert np.abs(scores).max() < 1e-3
    unnormalised = text_unb.fit(COUNTS, 0.5, "uniform", pi=8.0).joint_log_scores(documents)
    products = [scorer._products[k] for k in range(3)]
    uniform = [60 * float(np.exp(one.log_number) @ one.a**8) / 7 for one in products]
    own = (-unnormalised - np.log(3)) ** 8
    slopes = (60 * np.log(7)) ** (1 - 8) / 8
    np.testing.assert_allclose(scores, slopes * (uniform - own), rtol=1e-2)


@pytest.mark.parametrize("options", [{"pi": 1.4}, {"pi": 0.7, "norm": "u"}, {"pi": 1.4, "complement": True}], ids=str)
def test_left_out_without_is_fitted_without(options):
    counts = ClassCounts.of(X, Y, Vocabulary(list("abcdefg")))
    scorer = text_unb.fit(counts, 0.5, "uniform", **options)
    found = text_unb.left_out(LeftOut.of(counts, as_counts(X), Y), 0.5, scorer)
    for i in range(10):
        rest, own = np.arange(len(Y)) != i, as_counts(X[[i]])
        refitted = text_unb.fit(ClassCounts.of(X[rest], Y[rest]), 0.5, "uniform", **options)
        expected = refitted.joint_log_scores(own)[0] - refitted.bias + refitted.common(own)
        tolerance = 0.15 if options.get("norm") == "u" else 1e-9  # c stays what all documents have made it
        np.testing.assert_allclose(found[i] + scorer.common(own), expected, rtol=tolerance)


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
