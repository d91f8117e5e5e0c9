from collections import Counter
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.counts import ClassCounts, Digests, Learnt, count_matrix, weighting
from textnb.counts.digests import labelled_digest
from textnb.errors import InputError, NotLearntError
from textnb.readers import Document

laws = settings(max_examples=30, deadline=None)
documents = st.lists(
    st.tuples(st.sampled_from(["x", "y", "z"]), st.lists(st.sampled_from("犬猫雨雪"), max_size=4)), max_size=6
)
LOG = weighting("log")


def learnt_as(unit, weigh):
    """A function from documents to what they teach when their counts are weighed so."""

    def learnt(documents):
        if not documents:
            return Learnt.zero(unit)
        labels = [label for label, _ in documents]
        X, vocabulary = count_matrix([terms for _, terms in documents])
        digests = (labelled_digest(Document(" ".join(terms)).digest, label) for label, terms in documents)
        return Learnt(ClassCounts.of(weigh(X), labels, vocabulary, unit=unit), Digests.of(digests))

    return learnt


raw = learnt_as(1.0, lambda X: X)
logs = learnt_as(LOG.unit, LOG.stored)
fractional = learnt_as(1.0, lambda X: X * 0.1)


def stored(counts):
    """The arrays as a file would hold them, whatever the width of an index."""
    tables = (counts.terms, counts.containing)
    whole = [array.tolist() for table in tables for array in (table.indices, table.indptr)]
    return [(array.dtype, array.tobytes()) for array in (counts.documents, *(table.data for table in tables))], whole


def identical(a, b):
    """Equal, and kept in the same bytes: nothing tells of the way it came about."""
    return a == b and stored(a.counts) == stored(b.counts)


def close(a, b):
    tables = ((a.counts.terms, b.counts.terms), (a.counts.containing, b.counts.containing))
    return (
        (a.counts.vocabulary, a.counts.classes, a.digests) == (b.counts.vocabulary, b.counts.classes, b.digests)
        and np.array_equal(a.counts.documents, b.counts.documents)
        and all(np.allclose(x.toarray(), y.toarray(), rtol=1e-12) for x, y in tables)
    )


@pytest.mark.parametrize("of", [raw, logs], ids=["raw", "log"])
@laws
@given(a=documents, b=documents, c=documents)
def test_whole_counts_obey_the_laws_to_the_byte(of, a, b, c):
    x, y, z, zero = *map(of, (a, b, c)), of([])
    assert identical(x + zero, x)
    assert identical(zero + x, x)
    assert identical(x - zero, x)
    assert identical(x + y, y + x)
    assert identical((x + y) + z, x + (y + z))
    assert identical((x + y) - y, x)
    assert identical(x - x, zero)


@laws
@given(documents, documents, documents)
def test_fractions_obey_the_laws_to_rounding(a, b, c):
    x, y, z, zero = *map(fractional, (a, b, c)), fractional([])
    assert close(x + zero, x)
    assert close(x + y, y + x)
    assert close((x + y) + z, x + (y + z))
    assert close((x + y) - y, x)
    assert close(x - x, zero)


@pytest.mark.parametrize(("of", "same"), [(raw, identical), (logs, identical), (fractional, close)])
@laws
@given(whole=documents, data=st.data())
def test_parts_in_any_order_make_the_whole(of, same, whole, data):
    shuffled = data.draw(st.permutations(whole))
    part_of = data.draw(st.lists(st.integers(0, 2), min_size=len(whole), max_size=len(whole)))
    parts = [[d for d, part in zip(shuffled, part_of, strict=True) if part == number] for number in range(3)]
    assert same(reduce(add, map(of, parts), of([])), of(whole))


@pytest.mark.parametrize(("of", "same"), [(raw, identical), (logs, identical), (fractional, close)])
@laws
@given(kept=documents, gone=documents, data=st.data())
def test_forgetting_equals_never_having_seen(of, same, kept, gone, data):
    rest = of(data.draw(st.permutations(kept + gone)))
    for document in data.draw(st.permutations(gone)):
        rest = rest - of([document])
    assert same(rest, of(kept))


@laws
@given(documents, documents)
def test_what_was_never_learnt_is_refused_and_changes_neither(a, b):
    x, y = raw(a), raw(b)
    held, leaving = (Counter((label, tuple(terms)) for label, terms in some) for some in (a, b))
    missing = (leaving - held).total()
    if missing:
        with pytest.raises(NotLearntError, match=rf"^{missing} of {len(b)} .* nothing was changed"):
            x - y
    else:
        assert identical(x - y, raw([(label, list(terms)) for label, terms in (held - leaving).elements()]))
    assert identical(x, raw(a))
    assert identical(y, raw(b))


def test_the_same_text_under_another_label_was_never_learnt():
    with pytest.raises(NotLearntError, match="1 of 1 document was never learnt under that label"):
        raw([("x", ["犬"]), ("y", ["猫"])]) - raw([("y", ["犬"])])


def test_new_terms_and_classes_widen_what_is_learnt():
    total = raw([("y", ["猫"])]) + raw([("x", ["犬", "犬"])])
    assert (total.counts.vocabulary.terms, total.counts.classes) == (("犬", "猫"), ("x", "y"))
    assert total.counts.terms.toarray().tolist() == [[2, 0], [0, 1]]


def test_a_class_of_empty_documents_stays_until_they_are_forgotten():
    empty = raw([("x", [])])
    total = raw([("y", ["犬"])]) + empty + empty
    assert (total - empty).counts.classes == ("x", "y")
    assert (total - empty - empty).counts.classes == ("y",)


def test_other_units_do_not_merge():
    with pytest.raises(InputError, match="units"):
        raw([("x", ["犬"])]) + logs([("x", ["犬"])])
