from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.counts import Digests
from textnb.counts.examples import labelled_digest
from textnb.errors import InputError, NotLearntError

laws = settings(max_examples=50, deadline=None)
# few distinct bytes, so that digests repeat and end in zeros, which numpy's byte strings do not show
digest = st.lists(st.sampled_from([0, 1, 127, 128, 255]), min_size=2, max_size=2).map(
    lambda ends: bytes([ends[0], *[0] * 14, ends[1]])
)
some = st.lists(digest, max_size=8)


def as_list(digests):
    return [bytes(row) for row in digests.array]


@laws
@given(some)
def test_the_digests_are_kept_in_the_order_of_their_bytes(a):
    assert as_list(Digests.of(a)) == sorted(a)
    assert len(Digests.of(a)) == len(a)


@laws
@given(some, some, some)
def test_adding_is_that_of_multisets(a, b, c):
    x, y, z = map(Digests.of, (a, b, c))
    assert as_list(x + y) == sorted(a + b)
    assert x + y == y + x
    assert (x + y) + z == x + (y + z)
    assert x + Digests.of() == Digests.of() + x == x
    assert (x + y) - y == x
    assert x - x == Digests.of()


@laws
@given(some, some)
def test_taking_away_is_exact_or_refused_and_changes_neither(a, b):
    x, y = Digests.of(a), Digests.of(b)
    missing = (Counter(b) - Counter(a)).total()
    if missing:
        with pytest.raises(NotLearntError, match=rf"^{missing} of {len(b)} documents? w(as|ere) never learnt"):
            x - y
    else:
        assert as_list(x - y) == sorted((Counter(a) - Counter(b)).elements())
    assert (as_list(x), as_list(y)) == (sorted(a), sorted(b))


@laws
@given(some, digest)
def test_membership_is_that_of_the_list(a, one):
    assert (one in Digests.of(a)) == (one in a)


@laws
@given(some)
def test_the_array_rebuilds_the_multiset(a):
    digests = Digests.of(a)
    assert digests.array.shape == (len(a), 16)
    assert Digests.of_array(digests.array) == digests


@laws
@given(some, some)
def test_equal_means_the_same_digests_as_often(a, b):
    assert (Digests.of(a) == Digests.of(b)) == (Counter(a) == Counter(b))


@pytest.mark.parametrize(
    "array", [np.zeros((2, 15), np.uint8), np.zeros(16, np.uint8), np.zeros((2, 16), np.int64)], ids=str
)
def test_bytes_of_another_shape_are_no_digests(array):
    with pytest.raises(InputError, match=r"shape \(n, 16\)"):
        Digests.of_array(array)


def test_an_array_out_of_order_is_refused():
    with pytest.raises(InputError, match="sorted"):
        Digests.of_array(np.array([[2] * 16, [1] * 16], np.uint8))


@pytest.mark.parametrize("wrong", [[b"a" * 8, b"b" * 8], [b"a" * 15], [b"a" * 32]])
def test_a_digest_of_another_length_is_refused(wrong):
    with pytest.raises(InputError, match="16"):
        Digests.of(wrong)


def test_the_same_text_under_another_label_is_another_digest():
    text = b"t" * 16
    assert len(labelled_digest(text, "spam")) == 16
    assert labelled_digest(text, "spam") != labelled_digest(text, "ham") != labelled_digest(b"u" * 16, "ham")
    assert labelled_digest(text, "spam") == labelled_digest(text, "spam")


def test_one_missing_document_is_spoken_of_in_the_singular():
    with pytest.raises(NotLearntError, match=r"1 of 2 document was never learnt .* nothing was changed"):
        Digests.of([b"a" * 16]) - Digests.of([b"a" * 16, b"b" * 16])
