import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.evaluation.splits import OUTSIDE, document_groups, nested_folds, repeated_folds


@st.composite
def labelled_groups(draw):
    """Labels of three classes, each with a dozen single documents, and some groups of any size and any classes."""
    labels = ["x", "y", "z"] * 12
    groups = list(range(36))
    for number in range(draw(st.integers(0, 4))):
        members = draw(st.lists(st.sampled_from("xyz"), min_size=2, max_size=5))
        labels += members
        groups += [36 + number] * len(members)
    return labels, np.array(groups)


@given(labelled_groups(), st.integers(2, 5), st.integers(0, 3))
def test_groups_never_straddle_folds(documents, folds, seed):
    labels, groups = documents
    for row in repeated_folds(labels, groups, folds, 2, seed):
        assert set(row) == set(range(folds))
        for group in np.unique(groups):
            assert len(set(row[groups == group])) == 1


@pytest.mark.parametrize("sizes", [(30, 30, 30), (7, 50, 11), (5, 5, 9)])
def test_every_fold_has_its_share_of_every_class_and_of_all(sizes):
    labels = [name for name, size in zip("xyz", sizes, strict=True) for _ in range(size)]
    (row,) = repeated_folds(labels, np.arange(len(labels)), 5)
    for name in "xyz":
        number = np.bincount(row[np.array(labels) == name], minlength=5)
        assert number.max() - number.min() <= 1
    assert np.ptp(np.bincount(row)) <= 1


def test_a_group_goes_where_its_classes_are_fewest():
    labels = ["x", "x", "x", "x", "y", "y", "y", "y"]
    groups = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    (row,) = repeated_folds(labels, groups, 2)
    assert sorted(row[:4:2]) == sorted(row[4::2]) == [0, 1]


def test_the_seed_decides_and_repeats_differ():
    labels, groups = ["x", "y"] * 20, np.arange(40)
    again, other = repeated_folds(labels, groups, 4, 3, seed=1), repeated_folds(labels, groups, 4, 3, seed=2)
    np.testing.assert_array_equal(again, repeated_folds(labels, groups, 4, 3, seed=1))
    assert not np.array_equal(again[0], again[1])
    assert not np.array_equal(again, other)


def test_folds_do_not_depend_on_the_order_of_the_documents():
    digests = [bytes([7 * i % 31]) for i in range(30)]
    labels = ["x" if i % 3 else "y" for i in range(30)]
    order = np.random.default_rng(0).permutation(30)
    (row,) = repeated_folds(labels, document_groups(digests, [None] * 30), 3)
    turned = document_groups([digests[i] for i in order], [None] * 30)
    (other,) = repeated_folds([labels[i] for i in order], turned, 3)
    np.testing.assert_array_equal(row[order], other)


def test_copies_and_members_of_a_group_belong_together_through_chains():
    digests = [b"a", b"b", b"a", b"c", b"d"]
    groups = [None, "g", "g", None, None]
    assert document_groups(digests, groups).tolist() == [0, 0, 0, 1, 2]


def test_a_group_named_like_a_digest_is_not_it():
    assert len(set(document_groups([b"a", b"b"], [None, "a"]))) == 2


def test_no_documents_have_no_groups():
    assert document_groups([], []).tolist() == []


def test_folds_within_folds_never_hold_a_document_of_the_outer_one():
    labels, groups = ["x", "y"] * 15, np.arange(30)
    outer, *inner = nested_folds(labels, groups, 3, seed=4)
    np.testing.assert_array_equal(outer, repeated_folds(labels, groups, 3, seed=4)[0])
    for fold, row in enumerate(inner):
        np.testing.assert_array_equal(row == OUTSIDE, outer == fold)
        assert set(row[row != OUTSIDE]) == {0, 1, 2}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"folds": 1}, "folds must be a whole number of at least 2, not 1"),
        ({"folds": 2.0}, "folds must be a whole number of at least 2"),
        ({"repeats": 0}, "repeats must be a whole number of at least 1"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"folds": 9}, "8 documents or groups cannot fill 9 folds; use fewer folds"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        repeated_folds(["x", "y"] * 4, np.arange(8), **settings)


def test_a_class_that_lies_in_one_fold_is_refused_by_name():
    with pytest.raises(InputError, match="all documents of the class 'rare' are in one fold"):
        repeated_folds(["x"] * 6 + ["rare"] * 2, np.array([0, 1, 2, 3, 4, 5, 6, 6]), 2)
