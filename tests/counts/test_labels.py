import numpy as np
import pytest

from textnb.counts.labels import as_weight, check_among, class_codes, places
from textnb.errors import InputError


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        (np.array([3, 1, 3]), (1, 3), [1, 0, 1]),
        ([True, False], (False, True), [1, 0]),
        (np.array(["é", "e"], object), ("e", "é"), [1, 0]),
        ([], (), []),
    ],
)
def test_classes_are_the_sorted_labels(y, classes, codes):
    names, found = class_codes(y)
    assert (names, found.tolist()) == (classes, codes)


@pytest.mark.parametrize(("y", "classes"), [(["b", "a"], ("b", "c", "a")), ([7, 5], (7, 6, 5)), ([], ("x", "y"))])
@pytest.mark.parametrize("form", [tuple, list, np.array])
def test_given_classes_keep_their_order(y, classes, form):
    names, codes = class_codes(y, form(classes))
    assert names == classes
    assert [names[code] for code in codes] == y


def test_labels_that_end_in_a_null_character_are_labels_of_their_own():
    names, codes = class_codes(["a", "a\x00"])
    assert (names, codes.tolist()) == (("a", "a\x00"), [0, 1])


@pytest.mark.parametrize(("y", "classes", "named"), [(["a", "z"], ("a",), "'z'"), ([1, 9], (1, 2), "9")])
def test_a_label_outside_the_given_classes_is_refused_by_name(y, classes, named):
    with pytest.raises(InputError, match=f"{named} is not among the classes"):
        class_codes(y, classes)


def test_classes_given_twice_are_refused():
    with pytest.raises(InputError, match="'a'"):
        class_codes(["a", "b"], ("a", "b", "a"))


@pytest.mark.parametrize("y", [["a", None], [1.0, np.nan], np.array(["a", np.nan], object), ["a", 1]], ids=str)
def test_a_missing_label_or_one_of_another_kind_is_refused(y):
    with pytest.raises(InputError, match="label"):
        class_codes(y)


@pytest.mark.parametrize(("y", "n"), [([["a"]], 2), ("ab", 0)])
def test_labels_have_one_dimension(y, n):
    with pytest.raises(InputError, match=f"one dimension, not {n}"):
        class_codes(y)


@pytest.mark.parametrize("wrong", [[1.0], [[1.0, 2.0]], 1.0, [1.0, 2.0, 3.0]])
def test_weights_are_one_a_document(wrong):
    with pytest.raises(InputError, match=r"sample_weight must hold 2 weights, one per document, not shape \("):
        as_weight(wrong, 2)


@pytest.mark.parametrize("wrong", [[1, -1], [1, np.nan], [np.inf, 1], ["x", "y"], [1, None]], ids=str)
def test_impossible_weights_are_refused(wrong):
    with pytest.raises(InputError, match="sample_weight"):
        as_weight(wrong, 2)


def test_places_of_unknown_names_are_refused_or_marked():
    assert places(("a", "b"), ["b", "a", "b"]).tolist() == [1, 0, 1]
    assert places(("a", "b"), ["b", "z"], unknown=-1).tolist() == [1, -1]
    check_among(["b", "a"], ("a", "b", "c"))
    for refuse in (places, lambda classes, names: check_among(names, classes)):
        with pytest.raises(InputError, match="'z' is not among the classes"):
            refuse(("a", "b"), ["b", "z"])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("far", [0, 100, -100])
def test_whole_numbers_are_numbered_as_by_sorting(dtype, far):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 20, 50) * 2 + far
    y = np.array([number for number in y if np.iinfo(dtype).min <= number <= np.iinfo(dtype).max], dtype)
    expected, codes = np.unique(y, return_inverse=True)
    assert class_codes(y)[0] == tuple(expected.tolist())
    np.testing.assert_array_equal(class_codes(y)[1], codes)


@pytest.mark.parametrize("y", [[-(2**63), 2**63 - 1, 0], [5], []], ids=str)
def test_whole_numbers_at_the_ends_are_numbered(y):
    assert class_codes(np.array(y, np.int64))[0] == tuple(sorted(y))
