from collections import Counter
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import check_laws, dealt_out

from textnb.counts import ClassCounts, Counted, Digests, Examples, Learnt, count_matrix
from textnb.counts.examples import labelled_digest
from textnb.counts.histograms import ClassHistograms
from textnb.counts.learnt import Keeps, Sample
from textnb.counts.weighting import weighting
from textnb.errors import InputError, NotLearntError
from textnb.readers import Document

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


def learnt_keeping(keeps, name="log"):
    """The same, by way of counted documents, with what is kept of them beside the statistics."""
    chosen = weighting(name)

    def learnt(documents):
        if not documents:
            return Learnt.zero(chosen.unit, keeps)
        labels, texts = (tuple(column) for column in zip(*documents, strict=True))
        digests = tuple(Document(" ".join(terms)).digest for terms in texts)
        nothing = (None,) * len(labels)
        return Learnt.of(Counted(*count_matrix(texts), labels, digests, nothing, nothing), chosen, keeps)

    return learnt


raw = learnt_as(1.0, lambda X: X)
logs = learnt_as(LOG.unit, LOG.stored)
fractional = learnt_as(1.0, lambda X: X * 0.1)
KEEPING = {
    "histograms": learnt_keeping(Keeps(histograms=True)),
    "histograms of raw counts": learnt_keeping(Keeps(histograms=True), "raw"),
    "examples": learnt_keeping(Keeps(examples=True)),
    "sample": learnt_keeping(Keeps(sample=1000)),
    "all": learnt_keeping(Keeps(True, True, 1000)),
}
keeping = pytest.mark.parametrize("of", KEEPING.values(), ids=KEEPING.keys())
few = settings(max_examples=15)


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


weighed = pytest.mark.parametrize(("of", "same"), [(raw, identical), (logs, identical), (fractional, close)])


@weighed
@given(a=documents, b=documents, c=documents)
def test_whole_counts_obey_the_laws_to_the_byte_and_fractions_to_rounding(of, same, a, b, c):
    check_laws(*map(of, (a, b, c, [])), same)


@weighed
@given(dealt=dealt_out(documents))
def test_parts_in_any_order_make_the_whole(of, same, dealt):
    whole, parts = dealt
    assert same(reduce(add, map(of, parts), of([])), of(whole))


@weighed
@given(kept=documents, gone=documents, data=st.data())
def test_forgetting_equals_never_having_seen(of, same, kept, gone, data):
    rest = of(data.draw(st.permutations(kept + gone)))
    for document in data.draw(st.permutations(gone)):
        rest = rest - of([document])
    assert same(rest, of(kept))


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


@keeping
@few
@given(a=documents, b=documents, c=documents)
def test_what_is_kept_obeys_the_same_laws(of, a, b, c):
    check_laws(*map(of, (a, b, c, [])), identical)


@keeping
@few
@given(dealt=dealt_out(documents, 2))
def test_what_is_kept_is_that_of_the_whole_whatever_the_parts(of, dealt):
    whole, parts = dealt
    assert identical(reduce(add, map(of, parts)), of(whole))


@keeping
@few
@given(dealt=dealt_out(documents, 2))
def test_many_are_added_at_once_as_one_by_one(of, dealt):
    whole, parts = dealt
    assert identical(Learnt.total([of(part) for part in parts]), of(whole))


def test_kept_documents_of_many_are_joined_once(monkeypatch):
    of, joined = learnt_keeping(Keeps(sample=40)), []
    once = Examples.joined
    monkeypatch.setattr(Examples, "joined", lambda parts: joined.append(len(parts)) or once(parts))
    Learnt.total([of([("x", [f"word{n}"])]) for n in range(9)])
    assert joined == [9]


@few
@given(whole=documents)
def test_what_is_kept_is_what_was_asked_for(whole):
    plain, full = learnt_keeping(Keeps())(whole), KEEPING["all"](whole)
    assert (plain.histograms, plain.examples, plain.sample) == (None, None, None)
    assert (plain.counts, plain.digests, plain.fingerprint) == (full.counts, full.digests, full.fingerprint)
    assert full.histograms.classes == full.counts.classes
    assert full.histograms.documents.tolist() == full.counts.documents.tolist()
    assert len(full.examples) == len(whole)
    assert full.sample == Sample(full.examples, {}, 1000)
    assert full.without_documents() == Learnt(full.counts, full.digests, full.histograms)


@few
@given(kept=documents, gone=documents)
def test_statistics_without_some_examples_are_as_if_those_had_never_been_seen(kept, gone):
    every, rest = KEEPING["all"](kept + gone), learnt_keeping(Keeps(histograms=True, examples=True))(kept)
    assert identical(every.without(KEEPING["all"](gone).examples, LOG), rest)


def test_statistics_without_a_document_that_they_never_had_are_refused():
    of = KEEPING["all"]
    with pytest.raises(NotLearntError, match="never learnt"):
        of([("x", ["犬"])]).without(of([("x", ["猫"])]).examples, LOG)


def test_a_sum_keeps_only_what_both_sides_have_kept():
    total = KEEPING["all"]([("x", ["犬"])]) + logs([("y", ["猫"])])
    assert (total.histograms, total.examples, total.sample) == (None, None, None)
    assert total.counts.classes == ("x", "y")


@pytest.mark.parametrize("most", [1, 7, 8, 39])
def test_at_most_so_many_documents_are_kept_as_more_is_learnt(most):
    of = learnt_keeping(Keeps(sample=most))
    documents = [("x", [f"word{n}"]) for n in range(40)]
    parts = [of(documents[start : start + 10]) for start in range(0, 40, 10)]
    assert all(len(part.sample.examples) == min(most, 10) for part in parts)
    assert identical(reduce(add, parts), of(documents))
    assert identical(Learnt.total(parts), of(documents))
    assert len(of(documents).sample.examples) == most


def test_all_documents_are_kept_up_to_the_number_and_a_class_comes_and_goes_without_a_trace():
    of = learnt_keeping(Keeps(sample=40))
    documents, other = [("x", [f"word{n}"]) for n in range(39)], [("y", ["other"])]
    both = of(documents) + of(other)
    assert len(both.sample.examples) == 40
    assert identical(both - of(other), of(documents))


@few
@given(kept=documents, gone=documents, most=st.integers(1, 12))
def test_forgetting_is_exact_for_the_counts_always_and_for_all_if_all_documents_were_kept(kept, gone, most):
    of = learnt_keeping(Keeps(sample=most))
    rest, never_seen = of(kept + gone) - of(gone), of(kept)
    assert (rest.counts, rest.digests) == (never_seen.counts, never_seen.digests)
    if len(kept + gone) <= most:
        assert identical(rest, never_seen)


def test_the_fingerprint_stands_for_the_documents_and_their_labels():
    prints = [raw(some).fingerprint for some in ([], [("x", ["犬"])], [("y", ["犬"])], [("x", ["犬"])] * 2)]
    assert len(set(prints)) == 4
    assert raw([("x", ["犬"]), ("y", [])]).fingerprint == raw([("y", []), ("x", ["犬"])]).fingerprint
    assert all(len(each) == 32 for each in prints)


def test_nothing_is_kept_of_nothing():
    zero = Learnt.zero(1.0, Keeps(True, True, 5))
    assert zero.histograms == ClassHistograms((), ())
    assert len(zero.examples) == len(zero.sample.examples) == 0
