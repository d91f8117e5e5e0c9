from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.counts import Examples, TermsOf, Vocabulary, counted, counting
from textnb.counts.examples import labelled_digest
from textnb.readers import Document
from textnb.text import Analyzer, tokenizer

words = st.lists(st.sampled_from(["犬", "猫", "rain", "Rain", "snow"]), max_size=6).map(" ".join)
tokens = st.lists(st.sampled_from(["犬", "rain"]), max_size=2)
documents = st.lists(
    st.builds(
        Document,
        words,
        label=st.sampled_from(["x", "y"]),
        id=st.text(max_size=2),
        fields=st.dictionaries(st.sampled_from(["subject", "from"]), tokens, max_size=2),
        group=st.none() | st.sampled_from(["g", "h"]),
    ),
    max_size=8,
)
PLAIN = TermsOf(tokenizer("whitespace"), Analyzer())


def plain_terms(document):
    fields = [f"{group}:{token}" for group, tokens in document.fields.items() for token in tokens]
    return Counter(document.text.split() + fields)


def rows(part):
    return [
        Counter({term: n for term, n in zip(part.vocabulary, row, strict=True) if n})
        for row in part.X.toarray().tolist()
    ]


@given(documents)
def test_a_row_counts_the_words_and_fields_of_its_document(documents):
    parts = list(counted(documents, PLAIN))
    assert len(parts) == (1 if documents else 0)
    for part in parts:
        assert rows(part) == [plain_terms(document) for document in documents]
        assert len(part) == len(documents)
        known = zip(part.labels, part.digests, part.ids, part.groups, strict=True)
        assert list(known) == [(d.label, d.digest, d.id, d.group) for d in documents]


@given(documents, st.integers(1, 6), st.integers(1, 3))
def test_parts_and_batches_of_any_size_give_the_same_rows(documents, entries, batch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "BATCH_DOCUMENTS", batch)
        parts = list(counted(documents, PLAIN, entries=entries))
    assert [row for part in parts for row in rows(part)] == [plain_terms(document) for document in documents]
    assert [name for part in parts for name in part.ids] == [document.id for document in documents]
    assert all(part.X.nnz >= entries for part in parts[:-1])


@given(documents)
def test_a_given_vocabulary_is_kept_in_every_part(documents):
    vocabulary = Vocabulary(["rain", "猫", "魚"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "BATCH_DOCUMENTS", 1)
        parts = list(counted(documents, PLAIN, vocabulary, entries=1))
    assert all(part.vocabulary is vocabulary for part in parts)
    expected = [Counter({t: n for t, n in plain_terms(d).items() if t in vocabulary}) for d in documents]
    assert [row for part in parts for row in rows(part)] == expected


def test_documents_are_taken_as_they_are_needed(monkeypatch):
    taken = []

    def endless():
        for number in iter(int, 1):
            taken.append(number)
            yield Document("犬 " * 20_000)

    monkeypatch.setattr(counting, "NATIVE_BATCH_CHARACTERS", 30_000)
    part = next(counted(endless(), PLAIN, entries=1))
    assert len(part) == len(taken) <= 2


@given(documents, st.sampled_from([(1, 1), (1, 2), (2, 3)]))
def test_located_terms_are_the_same_terms_in_the_same_order(documents, ngram):
    terms_of = TermsOf(tokenizer("whitespace"), Analyzer(normalisers=("casefold",), ngram=ngram))
    for document in documents:
        located = terms_of.located(document)
        assert [place.term for place in located] == terms_of(document)
        fields = sum(map(len, document.fields.values()))
        assert [place.start == -1 == place.end for place in located] == [False] * (len(located) - fields) + [
            True
        ] * fields


def test_located_terms_are_found_in_the_text():
    document = Document("犬と Rain", fields={"b": ["2"], "a": ["1"]})
    located = TermsOf(tokenizer("whitespace"), Analyzer(("casefold",))).located(document)
    assert located == [("犬と", 0, 2), ("rain", 3, 7), ("a:1", -1, -1), ("b:2", -1, -1)]


def test_lone_surrogates_in_text_and_fields_can_be_written():
    (part,) = counted([Document("a\ud800 b", fields={"x\udfff": ["\ud800"]})], PLAIN)
    assert all(term.encode("utf-8") for term in part.vocabulary)


@given(documents)
def test_examples_and_digests_are_those_of_the_labelled_documents(documents):
    for part in counted(documents, PLAIN):
        expected = [labelled_digest(document.digest, document.label) for document in documents]
        assert part.learnt_digests == expected
        assert part.examples == Examples.of(part.X, [d.label for d in documents], expected, part.vocabulary)
        assert part.named_labels == [document.label for document in documents]


def test_some_rows_are_those_documents_counted_by_themselves():
    made = [Document(f"w{i} w{i % 3}", "xy"[i % 2], str(i), group="g" if i > 3 else None) for i in range(6)]
    (whole,), (part,) = counted(made, PLAIN), counted([made[4], made[1]], PLAIN)
    rows = whole.rows(np.array([4, 1]))
    assert rows.vocabulary is whole.vocabulary
    for mine in (rows.trimmed, rows.on(part.vocabulary)):
        assert mine.vocabulary == part.vocabulary
        assert (mine.X != part.X).nnz == 0
        assert (mine.labels, mine.digests, mine.ids, mine.groups) == (part.labels, part.digests, part.ids, part.groups)
        assert mine.learnt_digests == part.learnt_digests
