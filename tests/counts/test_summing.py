from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.counts import Counted, Learnt, count_matrix, counting
from textnb.counts.counting import counted
from textnb.counts.documents import TermsOf
from textnb.counts.learnt import Keeps
from textnb.counts.pruning import NOTHING_DROPPED
from textnb.counts.summing import LearntSum
from textnb.counts.weighting import weighting
from textnb.readers import Document
from textnb.text import Analyzer, tokenizer

RAW = weighting("raw")
TERMS = "犬猫雨雪花空海山"
parts_of_documents = st.lists(
    st.lists(
        st.tuples(st.sampled_from("xyz"), st.lists(st.sampled_from(TERMS), max_size=5)),
        min_size=1,
        max_size=6,
    ),
    min_size=1,
    max_size=5,
)


def as_counted(documents):
    labels, texts = (tuple(column) for column in zip(*documents, strict=True))
    digests = tuple(Document(" ".join(terms)).digest for terms in texts)
    nothing = (None,) * len(labels)
    return Counted(*count_matrix(texts), labels, digests, ("",) * len(labels), nothing)


def summed(parts, keeps, budget=None, start=None):
    total = LearntSum(RAW, keeps, budget, start)
    for part in parts:
        total.add(part)
    return total.learnt()


@pytest.mark.parametrize("keeps", [Keeps(), Keeps(sample=2), Keeps(sample=1000), Keeps(True, True)])
@settings(max_examples=25)
@given(documents=parts_of_documents)
def test_a_sum_of_parts_equals_adding_them_one_by_one(keeps, documents):
    parts = [as_counted(each) for each in documents]
    expected = reduce(add, [Learnt.of(part, RAW, keeps) for part in parts])
    assert summed(parts, keeps) == expected
    start = summed(parts[:1], keeps)
    assert summed(parts[1:], keeps, start=start) == expected


@settings(max_examples=25)
@given(documents=parts_of_documents, budget=st.integers(1, 6))
def test_of_no_term_are_more_documents_lost_than_the_bound_says(documents, budget):
    parts = [as_counted(each) for each in documents]
    found, whole = summed(parts, Keeps(sample=3), budget), summed(parts, Keeps())
    assert found.counts.n_terms <= budget
    assert found.documents == whole.documents
    assert found.digests == whole.digests
    true, got = (dict(zip(each.counts.vocabulary, _containing(each), strict=True)) for each in (whole, found))
    lost = {term: number - got.get(term, 0) for term, number in true.items()}
    assert all(0 <= number <= found.dropped.most for number in lost.values())
    assert sum(lost.values()) == found.dropped.pairs
    assert (found.dropped == NOTHING_DROPPED) == (not any(lost.values()))


@settings(max_examples=25)
@given(documents=parts_of_documents, budget=st.integers(1, 6))
def test_kept_documents_can_be_left_out_of_counts_within_a_budget(documents, budget):
    found = summed([as_counted(each) for each in documents], Keeps(sample=1000), budget)
    kept = found.kept
    labels = np.array(kept.classes, object)[kept.y].tolist()
    rest, _ = found.statistics_without(kept.within(found.counts.vocabulary).X, labels, RAW)
    assert not rest.documents.any()
    assert rest.terms.nnz == 0


def _containing(learnt):
    return np.asarray(learnt.counts.containing.sum(axis=0)).tolist()


@pytest.mark.parametrize("name", ["words", "janome"])
def test_parts_of_characters_are_the_same_for_any_number_of_workers(monkeypatch, name):
    monkeypatch.setattr(counting, "NATIVE_BATCH_CHARACTERS", 40)
    monkeypatch.setattr(counting, "BATCH_CHARACTERS", 40)
    documents = [Document(f"猫が{i % 17}匹 いる", "xy"[i % 2]) for i in range(60)]
    terms_of = TermsOf(tokenizer(name), Analyzer())
    one, two = (list(counted(documents, terms_of, jobs=jobs, entries=np.inf, characters=100)) for jobs in (1, 2))
    assert [part.labels for part in one] == [part.labels for part in two]
    assert all(a.vocabulary == b.vocabulary and (a.X != b.X).nnz == 0 for a, b in zip(one, two, strict=True))
    assert len(one) > 3
    assert all(len(set(part.X.indices)) == len(part.vocabulary) for part in one)
