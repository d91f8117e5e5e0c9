"""Sample: chosen by digest alone, so that parts, orders and machines agree."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import dealt_out

from textnb.counts import Counted, Examples, count_matrix
from textnb.counts.learnt import Sample
from textnb.errors import NotLearntError
from textnb.readers import Document

corpora = st.lists(st.tuples(st.sampled_from(["x", "y", "z"]), st.integers(0, 60)), max_size=40)


def counted(documents):
    """Documents (label, number), each with words of its own and one that all share."""
    texts = [f"word{number} all" for _, number in documents]
    X, vocabulary = count_matrix([text.split() for text in texts])
    labels, n = tuple(label for label, _ in documents), len(documents)
    return Counted(X, vocabulary, labels, tuple(Document(text).digest for text in texts), ("",) * n, (None,) * n)


def numbers(documents):
    return {name: sum(label == name for label, _ in documents) for name in {label for label, _ in documents}}


def sample(documents, most=9):
    return Sample.of(counted(documents), most) if documents else Sample.zero(most)


def merged(a, b, documents):
    """As the learnt value merges: the sum, thinned to what so many documents need."""
    return (a + b).thinned(numbers(documents))


def held(some):
    return sorted((some.classes[k], bytes(digest)) for k, digest in zip(some.y, some.digests, strict=True))


@given(corpora, st.integers(1, 50))
def test_the_documents_are_those_whose_digest_is_below_the_level(documents, most):
    found = sample(documents, most)
    every = counted(documents).examples
    levels = [found.levels.get(every.classes[k], 0) for k in every.y]
    below = [int.from_bytes(bytes(d)[:4], "big") < 2 ** (32 - n) for d, n in zip(every.digests, levels, strict=True)]
    assert found.examples == every.rows(np.flatnonzero(below))
    assert all(level > 0 for level in found.levels.values())


@given(corpora, st.integers(1, 50))
def test_a_level_is_the_least_that_leaves_a_classs_share(documents, most):
    found, sizes = sample(documents, most), numbers(documents)
    share = max(most // max(len(sizes), 1), 2)
    for name, size in sizes.items():
        level = found.levels.get(name, 0)
        assert size / 2**level <= share
        assert level == 0 or size / 2 ** (level - 1) > share


@given(dealt_out(corpora, 3))
def test_any_order_and_any_partition_give_the_same_sample(dealt):
    documents, parts = dealt
    assert sample([each for part in parts for each in part]) == sample(documents)
    for order in (parts, parts[::-1]):
        assert reduce(add, map(sample, order)).thinned(numbers(documents)) == sample(documents)


@given(corpora, corpora, corpora)
def test_the_laws_of_a_sum(a, b, c):
    x, y, z, zero = *map(sample, (a, b, c)), Sample.zero(9)
    assert x + zero == x == zero + x
    assert x + y == y + x
    assert (x + y) + z == x + (y + z)


@given(kept=corpora, gone=corpora)
def test_forgetting_equals_never_having_seen_while_no_level_has_risen(kept, gone):
    before, whole = sample(kept), sample(kept + gone)
    rest = (whole - sample(gone)).thinned(numbers(kept))
    if all(before.levels.get(name, 0) == level for name, level in whole.levels.items() if name in numbers(kept)):
        assert rest == before
    else:  # what was dropped does not come back, but nothing else is lost
        assert set(held(rest.examples)) <= set(held(before.examples))
        assert all(rest.levels.get(name, 0) >= level for name, level in before.levels.items())
        assert rest == before.thinned(numbers(kept))._at(rest.levels)


def test_a_class_that_is_forgotten_whole_begins_anew():
    few, many = [("x", n) for n in range(3)], [("y", n) for n in range(100)]
    whole = sample(few + many)
    assert whole.levels == {"y": 5}
    rest = (whole - sample(many)).thinned(numbers(few))
    assert rest == sample(few)
    assert merged(rest, sample([("y", 1)]), [*few, ("y", 1)]) == sample([*few, ("y", 1)])


def test_forgetting_most_of_a_class_keeps_its_level():
    documents = [("x", n) for n in range(100)]
    rest = (sample(documents) - sample(documents[5:])).thinned({"x": 5})
    assert rest.levels == sample(documents).levels == {"x": 4}
    assert len(rest.examples) <= 5
    assert sample(documents[:5]).levels == {}


def test_what_is_not_in_the_sample_though_it_should_be_is_refused():
    with pytest.raises(NotLearntError, match="never learnt"):
        sample([("x", 1)]) - sample([("x", 2)])


def test_a_document_learnt_twice_is_there_twice():
    twice = sample([("x", 1), ("x", 1)])
    assert len(twice.examples) == 2
    assert twice - sample([("x", 1)]) == sample([("x", 1)])


@pytest.mark.parametrize("n_classes", [1, 2, 10, 100])
def test_many_documents_leave_half_to_all_of_a_classs_share(n_classes):
    documents = [(f"class{k}", n) for k in range(n_classes) for n in range(20_000 // n_classes)]
    found = sample(documents, most=2000)
    share, sizes = 2000 // n_classes, np.bincount(found.examples.y)
    spread = 4 * np.sqrt(share)  # the digests decide
    assert len(sizes) == n_classes
    assert (sizes >= share / 2 - spread).all()
    assert (sizes <= share + spread).all()
    assert found.weights().sum() == pytest.approx(20_000, rel=0.1)


def test_a_class_of_few_documents_is_kept_whole_beside_a_large_one():
    found = sample([("large", n) for n in range(1000)] + [("small", n) for n in range(5)], most=20)
    assert np.bincount(found.examples.y)[found.examples.classes.index("small")] == 5
    assert set(found.levels) == {"large"}
    weights = dict(zip(np.array(found.examples.classes)[found.examples.y], found.weights(), strict=True))
    assert weights["small"] == 1
    assert weights["large"] == 2 ** found.levels["large"]


def test_however_many_classes_there_are_two_documents_of_each_may_stay():
    found = sample([(f"class{k:04}", n) for k in range(500) for n in range(2)], most=10)
    assert len(found.examples) == 1000
    assert found.levels == {}


def test_a_new_class_makes_room_for_itself():
    few = [("x", n) for n in range(8)]
    assert sample(few).levels == {}
    both = merged(sample(few), sample([("y", 1)]), [*few, ("y", 1)])
    assert both.levels == {"x": 1}
    assert both == sample([*few, ("y", 1)])


def test_an_absurd_level_keeps_next_to_nothing_and_breaks_nothing():
    documents = [("x", n) for n in range(50)]
    none = Sample(counted(documents).examples, {}, 9)._at({"x": 64})
    assert len(none.examples) == 0
    assert none.weights().tolist() == []


def test_nothing_is_a_sample_of_nothing():
    assert len(Sample.zero(5).examples) == 0
    assert Sample.zero(5).examples == Examples.zero()
    assert Sample.zero(5).weights().tolist() == []
    assert Sample.zero(5).thinned({}) == Sample.zero(5)


@given(corpora, st.integers(1, 50))
def test_an_evened_sample_has_every_class_at_the_highest_level(documents, most):
    found = sample(documents, most).evened()
    highest = max(found.levels.values(), default=0)
    every = counted(documents).examples if documents else Examples.zero()
    below = [int.from_bytes(bytes(digest)[:4], "big") < 2 ** (32 - highest) for digest in every.digests]
    assert found.examples == every.rows(np.flatnonzero(below))
    assert len(set(found.weights().tolist())) <= 1
