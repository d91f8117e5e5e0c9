from collections import Counter
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import check_laws, dealt_out
from scipy import sparse

from textnb.counts import Digests, Examples, Vocabulary, count_matrix
from textnb.counts.examples import labelled_digest
from textnb.errors import InputError, NotLearntError
from textnb.readers import Document

documents = st.lists(
    st.tuples(st.sampled_from(["x", "y", "z"]), st.lists(st.sampled_from("犬猫雨雪"), max_size=3)), max_size=7
)
ZERO = Examples.zero()

multiset_laws = settings(max_examples=50)
# few distinct bytes, so that digests repeat and end in zeros, which numpy's byte strings do not show
one_digest = st.lists(st.sampled_from([0, 1, 127, 128, 255]), min_size=2, max_size=2).map(
    lambda ends: bytes([ends[0], *[0] * 14, ends[1]])
)
multisets = st.lists(one_digest, max_size=8)


def digest(label, terms):
    return labelled_digest(Document(" ".join(terms)).digest, label)


def examples(documents, worth=1):
    X, vocabulary = count_matrix([terms for _, terms in documents])
    return Examples.of(
        X * worth, [label for label, _ in documents], [digest(*document) for document in documents], vocabulary
    )


def fractional(documents):
    return examples(documents, worth=0.1)


def records(some):
    """What is held, as a multiset of (label, term counts, digest)."""
    rows = (tuple(zip(some.vocabulary, row, strict=True)) for row in some.X.toarray().tolist())
    cells = (tuple((term, count) for term, count in row if count) for row in rows)
    labels = (some.classes[k] for k in some.y)
    return Counter(zip(labels, cells, map(bytes, some.digests), strict=True))


def plain_records(documents):
    return Counter((label, tuple(sorted(Counter(terms).items())), digest(label, terms)) for label, terms in documents)


@given(documents)
def test_examples_hold_the_documents_in_the_order_of_their_digests(a):
    some = examples(a)
    assert records(some) == plain_records(a)
    assert [bytes(row) for row in some.digests] == sorted(digest(*document) for document in a)
    assert set(some.vocabulary) == {term for _, terms in a for term in terms}
    assert some.classes == tuple(sorted({label for label, _ in a}))
    assert len(some) == len(a)


@pytest.mark.parametrize("of", [examples, fractional])
@given(a=documents, b=documents, c=documents)
def test_examples_obey_the_laws_exactly(of, a, b, c):
    check_laws(*map(of, (a, b, c)), ZERO)


@pytest.mark.parametrize("of", [examples, fractional])
@given(dealt=dealt_out(documents))
def test_parts_in_any_order_make_the_whole(of, dealt):
    whole, parts = dealt
    assert reduce(add, map(of, parts), ZERO) == of(whole)


@given(documents, documents)
def test_taking_away_is_exact_or_refused_and_changes_neither(a, b):
    x, y = examples(a), examples(b)
    before = records(x), records(y)
    missing = (before[1] - before[0]).total()
    if missing:
        with pytest.raises(NotLearntError, match=rf"^{missing} of {len(b)} "):
            x - y
    else:
        assert records(x - y) == before[0] - before[1]
    assert (records(x), records(y)) == before


def test_the_same_text_under_another_label_is_not_there():
    with pytest.raises(NotLearntError, match="1 of 1 document was never learnt"):
        examples([("x", ["犬"])]) - examples([("y", ["犬"])])


def test_forgetting_equals_never_having_seen():
    rest = examples([("x", ["犬", "猫"]), ("y", ["雨"])]) - examples([("y", ["雨"])])
    assert (rest.vocabulary.terms, rest.classes, rest.y.tolist()) == (("犬", "猫"), ("x",), [0])


def test_a_stored_zero_is_no_term():
    stored = sparse.csr_array((np.array([2, 0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    held = Examples.of(stored, ["x"], [b"d" * 16], Vocabulary(["犬", "猫"]))
    assert held == Examples.of(sparse.csr_array([[2]]), ["x"], [b"d" * 16], Vocabulary(["犬"]))


def test_different_examples_are_not_equal():
    one = examples([("x", ["犬"])])
    others = [examples([("y", ["犬"])]), examples([("x", ["猫"])]), examples([("x", ["犬", "犬"])]), one + one, ZERO]
    assert [one == other for other in [*others, None]] == [False] * 6


def test_the_callers_matrix_is_never_modified():
    stored = sparse.csr_array((np.array([1, 2, 0]), np.array([1, 0, 0]), np.array([0, 2, 3])), shape=(2, 2))
    kept = [part.copy() for part in (stored.data, stored.indices, stored.indptr)]
    held = Examples.of(stored, ["x", "y"], [b"b" * 16, b"a" * 16], Vocabulary(["犬", "猫"]))
    (held + held) - held
    assert all(map(np.array_equal, kept, (stored.data, stored.indices, stored.indptr)))


@pytest.mark.parametrize(
    ("labels", "digests", "terms"),
    [(["x"], [b"a" * 16] * 2, "犬猫"), (["x", "y"], [b"a" * 16], "犬猫"), (["x", "y"], [b"a" * 16] * 2, "犬")],
)
def test_lengths_that_do_not_fit_are_refused_with_all_of_them(labels, digests, terms):
    sizes = rf"counts of shape \(2, 2\), {len(labels)} labels, {len(digests)} digests, {len(terms)} terms"
    with pytest.raises(InputError, match=sizes):
        Examples.of(sparse.csr_array([[1, 0], [0, 1]]), labels, digests, Vocabulary(list(terms)))


def as_list(digests):
    return [bytes(row) for row in digests.array]


@multiset_laws
@given(multisets)
def test_the_digests_are_kept_in_the_order_of_their_bytes(a):
    assert as_list(Digests.of(a)) == sorted(a)
    assert len(Digests.of(a)) == len(a)


@multiset_laws
@given(multisets, multisets, multisets)
def test_adding_is_that_of_multisets(a, b, c):
    assert as_list(Digests.of(a) + Digests.of(b)) == sorted(a + b)
    check_laws(*map(Digests.of, (a, b, c, ())))


@multiset_laws
@given(multisets, multisets)
def test_taking_digests_away_is_exact_or_refused_and_changes_neither(a, b):
    x, y = Digests.of(a), Digests.of(b)
    missing = (Counter(b) - Counter(a)).total()
    if missing:
        verb = "document was" if missing == 1 else "documents were"
        with pytest.raises(NotLearntError, match=f"^{missing} of {len(b)} {verb} never learnt .* nothing was changed$"):
            x - y
    else:
        assert as_list(x - y) == sorted((Counter(a) - Counter(b)).elements())
    assert (as_list(x), as_list(y)) == (sorted(a), sorted(b))


@multiset_laws
@given(multisets, one_digest)
def test_membership_is_that_of_the_list(a, one):
    assert (one in Digests.of(a)) == (one in a)


@multiset_laws
@given(multisets)
def test_the_array_rebuilds_the_multiset(a):
    digests = Digests.of(a)
    assert digests.array.shape == (len(a), 16)
    assert Digests.of_array(digests.array) == digests


@multiset_laws
@given(multisets, multisets)
def test_equal_means_the_same_digests_as_often(a, b):
    assert (Digests.of(a) == Digests.of(b)) == (Counter(a) == Counter(b))


@pytest.mark.parametrize("array", [np.zeros((2, 15), np.uint8), np.zeros(16, np.uint8), np.zeros((2, 16), np.int64)])
def test_bytes_of_another_shape_or_order_are_no_digests(array):
    with pytest.raises(InputError, match=r"shape \(n, 16\)"):
        Digests.of_array(array)
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


dated_documents = st.lists(
    st.tuples(st.sampled_from("xy"), st.sampled_from(["犬", "猫"]), st.integers(0, 3)), max_size=6
)


def dated_examples(documents):
    X, vocabulary = count_matrix([[term] for _, term, _ in documents])
    digests = [digest(label, [term]) for label, term, _ in documents]
    return Examples.of(X, [label for label, _, _ in documents], digests, vocabulary, [day for *_, day in documents])


@given(dated_documents, dated_documents, dated_documents)
def test_the_laws_hold_for_examples_with_days(a, b, c):
    x, y, z = map(dated_examples, (a, b, c))
    assert x + y == y + x == dated_examples([*b, *a])
    assert (x + y) + z == x + (y + z)
    assert (x + y) - y == x
    assert (x + y).is_in_order


@given(dated_documents, st.integers(0, 4))
def test_of_copies_those_of_the_same_day_are_taken_away_then_the_oldest(others, day):
    copies = [("x", "犬", each) for each in (1, 3, 2)]
    expected = [copy for copy in copies if copy[2] != (day if day in (1, 2, 3) else 1)]
    others = [other for other in others if other[:2] != ("x", "犬")]
    left = dated_examples([*others, *copies]) - dated_examples([("x", "犬", day)])
    assert left == dated_examples([*others, *expected])
