import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.models.prior import log_prior

CLASSES = ("x", "y", "z")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 1000), min_size=3, max_size=3).filter(any))
def test_the_empirical_prior_is_the_share_of_documents(documents):
    shares = np.exp(log_prior("empirical", CLASSES, np.array(documents)))
    np.testing.assert_allclose(shares, [n / sum(documents) for n in documents], rtol=1e-12)


def test_a_class_without_documents_has_probability_zero():
    assert log_prior("empirical", ("x", "y"), np.array([0, 3])).tolist() == [-np.inf, 0.0]


def test_the_uniform_prior_does_not_look_at_documents():
    expected = [-np.log(3)] * 3
    for documents in ([1, 2, 3], [0, 0, 0]):
        np.testing.assert_allclose(log_prior("uniform", CLASSES, np.array(documents)), expected)


def test_weights_of_documents_may_be_fractions():
    np.testing.assert_allclose(np.exp(log_prior("empirical", ("x", "y"), np.array([0.5, 1.5]))), [0.25, 0.75])


@pytest.mark.parametrize(
    "given_one", [[0.2, 0.3, 0.5], (0.2, 0.3, 0.5), np.array([0.2, 0.3, 0.5]), {"z": 0.5, "x": 0.2, "y": 0.3}], ids=str
)
def test_a_given_prior_is_by_class_or_in_their_order(given_one):
    np.testing.assert_allclose(log_prior(given_one, CLASSES, np.array([1, 1, 1])), np.log([0.2, 0.3, 0.5]))


def test_a_given_prior_may_be_zero_and_may_name_numbers():
    assert log_prior({7: 1, 5: 0}, (5, 7), np.array([1, 1])).tolist() == [-np.inf, 0.0]


@pytest.mark.parametrize(
    "wrong",
    [[0.5, 0.6, 0.1], [-0.5, 1, 0.5], [np.nan, 0.5, 0.5], [np.inf, 0, 0], [0, 0, 0], {"x": 1, "y": 1, "z": 1}],
    ids=str,
)
def test_what_is_no_distribution_is_refused_as_it_was_given(wrong):
    numbers = list(wrong.values()) if isinstance(wrong, dict) else wrong
    with pytest.raises(InputError, match=rf"probabilities that sum to 1, not \[{float(numbers[0])}"):
        log_prior(wrong, CLASSES, np.array([1, 1, 1]))


@pytest.mark.parametrize(("wrong", "shape"), [([0.5, 0.5], r"\(2,\)"), ([[1, 0, 0]], r"\(1, 3\)"), (0.5, r"\(\)")])
def test_a_prior_has_one_number_a_class(wrong, shape):
    with pytest.raises(InputError, match=f"must hold 3 numbers, one per class, not {shape}"):
        log_prior(wrong, CLASSES, np.array([1, 1, 1]))


@pytest.mark.parametrize("wrong", [{"x": 1}, {"x": 0.5, "y": 0.5, "z": 0, "w": 0}, {"x": 0.5, "y": 0.5, "w": 0}])
def test_a_prior_that_names_other_classes_is_refused_with_both(wrong):
    with pytest.raises(InputError, match=r"names \['[wx]'.* the classes are \['x', 'y', 'z'\]"):
        log_prior(wrong, CLASSES, np.array([1, 1, 1]))


@pytest.mark.parametrize(
    "wrong", [["a", "b", "c"], {"x": "a", "y": 0.5, "z": 0.5}, [None, 0.5, 0.5], {"x": 0.5, 1: 0.5}, 1j], ids=str
)
def test_a_prior_that_is_no_number_is_refused(wrong):
    with pytest.raises(InputError, match="prior"):
        log_prior(wrong, CLASSES, np.array([1, 1, 1]))


def test_an_unknown_prior_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="unknown prior 'flat'; use 'empirical', 'uniform'"):
        log_prior("flat", CLASSES, np.array([1, 1, 1]))


def test_no_classes_and_no_documents_have_no_prior():
    with pytest.raises(InputError, match="no classes"):
        log_prior("uniform", (), np.array([]))
    with pytest.raises(InputError, match="documents of positive weight"):
        log_prior("empirical", ("x", "y"), np.array([0, 0]))
