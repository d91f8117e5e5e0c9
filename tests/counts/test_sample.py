"""Sample: all documents up to a number, then chosen by digest alone, so that parts, orders and machines agree."""

from collections import Counter
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import dealt_out

from textnb.counts import Counted, Digests, Examples, count_matrix
from textnb.counts import learnt as learnt_module
from textnb.counts.learnt import MIN_PER_CLASS, Sample, _share, level_bound
from textnb.readers import Document

corpora = st.lists(st.tuples(st.sampled_from(["x", "y", "z"]), st.integers(0, 60)), max_size=40)
mosts = st.integers(1, 50)


def counted(documents):
    """Documents (label, number), each with words of its own and one that all share."""
    texts = [f"word{number} all" for _, number in documents]
    X, vocabulary = count_matrix([text.split() for text in texts])
    labels, n = tuple(label for label, _ in documents), len(documents)
    return Counted(X, vocabulary, labels, tuple(Document(text).digest for text in texts), ("",) * n, (None,) * n)


def numbers(documents):
    return dict(Counter(label for label, _ in documents))


def sample(documents, most=9):
    return Sample.of(counted(documents), most) if documents else Sample.zero(most)


def merged(a, b, documents):
    """As the learnt value merges: the sum, thinned to what so many documents allow."""
    return (a + b).thinned(numbers(documents))


def forgotten(whole, gone, kept):
    """As the learnt value forgets."""
    return whole.without(Digests.of(counted(gone).learnt_digests if gone else ())).thinned(numbers(kept))


def held(some):
    return Counter((some.classes[k], bytes(digest)) for k, digest in zip(some.y, some.digests, strict=True))


def chosen(documents, share):
    """Oracle: of each class the documents below the digest at place ``share``; one by one, in Python."""
    every = counted(documents).examples if documents else Examples.zero()
    rows, bounds = [], {}
    for k, name in enumerate(every.classes):
        ordered = sorted(bytes(digest) for digest in every.digests[every.y == k])
        if len(ordered) > share:
            bounds[name] = ordered[share]
    for i, (k, digest) in enumerate(zip(every.y, every.digests, strict=True)):
        if every.classes[k] not in bounds or bytes(digest) < bounds[every.classes[k]]:
            rows.append(i)
    return every.rows(np.array(rows, int)), bounds


@given(st.lists(st.integers(1, 30), max_size=8), st.integers(0, 100))
def test_the_share_is_the_largest_number_that_keeps_no_more_than_allowed(sizes, most):
    share = _share(sizes, most)
    fitting = [c for c in range(31) if sum(min(size, c) for size in sizes) <= most]
    assert share == min(max(fitting), max(sizes, default=0))


@given(corpora, mosts)
def test_of_each_class_the_lowest_digests_are_kept(documents, most):
    found = sample(documents, most)
    examples, bounds = chosen(documents, _share(numbers(documents).values(), most))
    assert (found.examples, found.bounds) == (examples, bounds)


@given(corpora, mosts)
def test_never_more_documents_are_kept_than_allowed_and_all_up_to_that_number(documents, most):
    found = sample(documents, most)
    assert len(found.examples) <= most
    if len(documents) <= most:
        assert len(found.examples) == len(documents)
        assert found.bounds == {}


@given(dealt_out(corpora, 3), mosts)
def test_any_order_and_any_partition_give_the_same_sample(dealt, most):
    documents, parts = dealt
    assert sample([each for part in parts for each in part], most) == sample(documents, most)
    for order in (parts, parts[::-1]):
        seen, total = [], sample([], most)
        for part in order:
            seen += part
            total = merged(total, sample(part, most), seen)
        assert total == sample(documents, most)


@given(corpora, corpora, corpora)
def test_the_laws_of_a_sum(a, b, c):
    x, y, z, zero = *map(sample, (a, b, c)), Sample.zero(9)
    assert x + zero == x == zero + x
    assert x + y == y + x
    assert (x + y) + z == x + (y + z)


@given(kept=corpora, gone=corpora, most=mosts)
def test_forgetting_equals_never_having_seen_as_long_as_all_documents_were_kept(kept, gone, most):
    before, whole = sample(kept, most), sample(kept + gone, most)
    rest = forgotten(whole, gone, kept)
    if len(kept + gone) <= most:
        assert rest == before
    else:  # what was dropped does not come back, but nothing else is lost
        assert held(rest.examples) <= held(before.examples)
        below = {name: bound for name, bound in whole.bounds.items() if name in numbers(kept)}
        assert held(rest.examples) == held(before._below({**before.bounds, **below}).examples)


@given(corpora, mosts)
def test_a_bound_stays_until_no_document_of_its_class_is_missing(documents, most):
    rest, left = sample(documents, most), list(documents)
    for document in documents:
        left.remove(document)
        rest = forgotten(rest, [document], left)
        missing = {name for name, number in numbers(left).items() if number > rest.documents.get(name, 0)}
        assert set(rest.bounds) == missing


def test_a_class_that_is_forgotten_whole_begins_anew():
    few, many = [("x", n) for n in range(3)], [("y", n) for n in range(100)]
    whole = sample(few + many)
    assert set(whole.bounds) == {"y"}
    rest = forgotten(whole, many, few)
    assert rest == sample(few)
    assert merged(rest, sample([("y", 1)]), [*few, ("y", 1)]) == sample([*few, ("y", 1)])


def test_documents_above_the_bound_of_a_class_are_not_kept_later_either():
    """Otherwise the sample would favour what was learnt last."""
    documents = [("x", n) for n in range(100)]
    rest = forgotten(sample(documents), documents[5:], documents[:5])
    (bound,) = rest.bounds.values()
    later = merged(rest, sample([("x", n) for n in range(100, 104)]), documents[:5] + documents[100:])
    assert all(bytes(digest) < bound for digest in later.examples.digests)
    assert later.bounds == rest.bounds


def test_a_document_learnt_twice_is_there_twice():
    twice = sample([("x", 1), ("x", 1)])
    assert len(twice.examples) == 2
    assert forgotten(twice, [("x", 1)], [("x", 1)]) == sample([("x", 1)])


def test_copies_at_the_bound_are_dropped_together():
    one, other = [("x", 1)] * 6, [("x", 2)] * 6
    found = sample(one + other, most=9)
    assert len(found.examples) == 6
    assert merged(sample(other), sample(one), one + other) == found


@pytest.mark.parametrize("most", [1, 2, 3, 10])
def test_a_sample_of_n_has_at_most_n_documents_however_many_classes_there_are(most):
    found = sample([(f"class{k:02}", n) for k in range(20) for n in range(4)], most)
    assert len(found.examples) <= most
    assert len(found.for_calibration(dict.fromkeys(found.documents, 4)).examples) <= most


# the documents that a calibration uses


def levels(documents, most=learnt_module.MOST_CALIBRATED):
    share = max(most // max(len(numbers(documents)), 1), MIN_PER_CLASS)
    return {name: next(n for n in range(40) if size / 2**n <= share) for name, size in numbers(documents).items()}


@given(corpora, mosts)
def test_a_calibration_uses_the_documents_whose_digest_is_below_the_level(documents, most):
    every = Sample(counted(documents).examples if documents else Examples.zero(), {}, most)
    found, of_class = every.for_calibration(numbers(documents)), levels(documents, most)
    examples = every.examples
    below = [
        int.from_bytes(bytes(digest)[:4]) < 2 ** (32 - of_class[examples.classes[k]])
        for k, digest in zip(examples.y, examples.digests, strict=True)
    ]
    assert found.examples == examples.rows(np.flatnonzero(below))
    assert found.weights().tolist() == [2.0 ** of_class[found.examples.classes[k]] for k in found.examples.y]


@given(corpora, mosts)
def test_the_documents_for_a_calibration_can_be_chosen_before_the_others_are_gathered(documents, most):
    if documents:
        whole = sample(documents, most).for_calibration(numbers(documents))
        direct = Sample.calibrating(counted(documents), most)
        assert direct.for_calibration(numbers(documents)) == whole


def test_the_number_of_documents_for_a_calibration_does_not_grow(monkeypatch):
    monkeypatch.setattr(learnt_module, "MOST_CALIBRATED", 200)
    for n in (100, 1000, 8000):
        documents = [(f"class{k}", i) for k in range(4) for i in range(n // 4)]
        found = sample(documents, most=100_000)
        assert len(found.examples) == n
        assert min(n, 60) <= len(found.for_calibration(numbers(documents)).examples) <= 260


@pytest.mark.parametrize("n_classes", [1, 2, 10, 100])
def test_many_documents_leave_half_to_all_of_a_classs_share(n_classes):
    documents = [(f"class{k}", n) for k in range(n_classes) for n in range(20_000 // n_classes)]
    found = sample(documents, most=100_000).for_calibration(numbers(documents))
    share, sizes = 3000 // n_classes, np.bincount(found.examples.y)
    spread = 4 * np.sqrt(share)  # the digests decide
    assert len(sizes) == n_classes
    assert (sizes >= share / 2 - spread).all()
    assert (sizes <= share + spread).all()
    assert found.weights().sum() == pytest.approx(20_000, rel=0.1)


@pytest.mark.parametrize("most", [50, 500, 1900])
def test_the_weights_of_a_small_sample_add_up_to_the_learnt_documents(most):
    documents = [("large", n) for n in range(2000)] + [("small", n) for n in range(5)]
    found = sample(documents, most).for_calibration(numbers(documents))
    of_class = np.bincount(found.examples.y, found.weights())
    assert found.examples.classes == ("large", "small")
    assert of_class[1] == 5
    assert of_class[0] == pytest.approx(2000, rel=4 / np.sqrt(len(found.examples)))


def test_a_new_class_makes_the_others_use_fewer_and_is_gone_without_a_trace(monkeypatch):
    monkeypatch.setattr(learnt_module, "MOST_CALIBRATED", 9)
    few = [("x", n) for n in range(8)]
    both = merged(sample(few, 50), sample([("y", 1)], 50), [*few, ("y", 1)])
    assert len(both.for_calibration(numbers([*few, ("y", 1)])).examples) < 9
    assert forgotten(both, [("y", 1)], few) == sample(few, 50)


@pytest.mark.parametrize("level", [33, 64, 1000])
def test_an_absurd_level_counts_as_the_highest(level):
    assert level_bound(level) == level_bound(32) == b"\0\0\0\x01" + bytes(12)
    found = sample([("x", n) for n in range(50)])._below({"x": level_bound(level)})
    assert len(found.examples) == 0
    assert found.weights().tolist() == []


def test_nothing_is_a_sample_of_nothing():
    assert len(Sample.zero(5).examples) == 0
    assert Sample.zero(5).examples == Examples.zero()
    assert Sample.zero(5).weights().tolist() == []
    assert Sample.zero(5).thinned({}) == Sample.zero(5) == Sample.zero(5).for_calibration({})


@given(corpora, mosts)
def test_an_evened_sample_has_the_lowest_bound_for_every_class(documents, most):
    whole = sample(documents, most).for_calibration(numbers(documents))
    found, lowest = whole.evened(), min(whole.bounds.values(), default=None)
    every = counted(documents).examples if documents else Examples.zero()
    below = [lowest is None or bytes(digest) < lowest for digest in every.digests]
    assert found.examples == every.rows(np.flatnonzero(below))
    assert len(set(found.weights().tolist())) <= 1


@given(corpora)
def test_sums_of_parts_are_those_of_the_whole(documents):
    parts = [sample([document], 60) for document in documents]
    assert reduce(add, parts, Sample.zero(60)) == sample(documents, 60)
