"""DocumentHistogram and ClassHistograms: laws, axes, and what they say of a matrix, counted by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from laws import check_laws
from scipy import sparse

from textnb.counts import DocumentHistogram, Vocabulary
from textnb.counts.histograms import ClassHistograms
from textnb.errors import InputError, NotLearntError

CLASSES = ("x", "y", "z")
WORDS = Vocabulary(["犬", "猫", "雨"])
COUNTS = st.integers(0, 4) | st.sampled_from([7, 8, 9, 10, 400])


def matrices(n_terms=3):
    return hnp.arrays(np.int64, st.tuples(st.integers(0, 6), st.just(n_terms)), elements=COUNTS)


@given(matrices())
def test_it_tells_how_many_documents_have_a_term_so_often(X):
    histogram = DocumentHistogram.of(X)
    for j, column in enumerate(X.T):
        expected = Counter(column[column > 0].tolist())
        row = histogram.times[[j]].tocoo()
        assert dict(zip((row.col + 1).tolist(), row.data.tolist(), strict=True)) == expected
    lengths = histogram.lengths.tocoo()
    assert dict(zip(lengths.col.tolist(), lengths.data.tolist(), strict=True)) == Counter(X.sum(axis=1).tolist())
    assert histogram.n_documents == len(X)


@given(matrices(), matrices(), matrices())
def test_the_laws(a, b, c):
    of = DocumentHistogram.of
    x, y = of(a), of(b)
    check_laws(x, y, of(c), DocumentHistogram.zero(n_terms=3))
    assert x + y == of(np.concatenate([a, b]))
    assert (x == y) == (Counter(of_rows(a)) == Counter(of_rows(b)))


def of_rows(X):
    """What a histogram knows: each column's values, and the lengths."""
    return [
        *((j, value) for row in X.tolist() for j, value in enumerate(row) if value),
        *(("length", sum(row)) for row in X.tolist()),
    ]


@pytest.mark.parametrize("other", [[[2, 0]], [[0, 2]], [[1, 1], [1, 1]]])
def test_what_was_never_learnt_cannot_be_forgotten(other):
    with pytest.raises(NotLearntError, match="fewer documents have"):
        DocumentHistogram.of([[1, 1]]) - DocumentHistogram.of(other)
    with pytest.raises(NotLearntError, match="fewer documents have"):
        of(([[1, 0, 0]], ["x"])) - of(([[1, 0, 0]], ["y"]))


def test_axes():
    words = Vocabulary(["a", "c"])
    histogram = DocumentHistogram.of([[1, 2], [0, 2]], words)
    wider = histogram.on(Vocabulary(["a", "b", "c"]))
    assert wider == DocumentHistogram.of([[1, 0, 2], [0, 0, 2]], Vocabulary(["a", "b", "c"]))
    assert wider.selected(np.array([0, 2])) == histogram
    with pytest.raises(InputError, match="map them onto the same vocabulary"):
        wider + histogram
    with pytest.raises(InputError, match="2 columns, the vocabulary 3 terms"):
        DocumentHistogram.of([[1, 2]], Vocabulary(["a", "b", "c"]))


def test_counts_must_be_whole_and_may_be_stored_in_any_way():
    with pytest.raises(InputError, match=r"whole numbers here, and one is 0\.5"):
        DocumentHistogram.of([[1.0, 0.5]])
    dense = np.array([[3, 0], [1, 1]])
    twice = sparse.csr_array((np.array([1, 2, 0, 1, 1]), np.array([0, 0, 1, 0, 1]), np.array([0, 3, 5])), shape=(2, 2))
    for X in (dense.astype(float), sparse.csr_array(dense), sparse.csc_array(dense), twice):
        assert DocumentHistogram.of(X) == DocumentHistogram.of(dense)


@st.composite
def corpora(draw):
    n = draw(st.integers(0, 6))
    X = draw(hnp.arrays(np.int64, (n, 3), elements=COUNTS))
    return X, draw(st.lists(st.sampled_from(CLASSES), min_size=n, max_size=n))


def of(corpus):
    return ClassHistograms.of(*corpus, WORDS, CLASSES)


@given(corpora())
def test_each_part_is_the_histogram_of_the_documents_of_its_class_and_the_total_of_all(corpus):
    X, labels = corpus
    histograms = of(corpus)
    for name, part in zip(CLASSES, histograms.parts, strict=True):
        assert part == DocumentHistogram.of(X[[label == name for label in labels]], WORDS)
    assert histograms.documents.tolist() == [labels.count(name) for name in CLASSES]
    assert histograms.total == DocumentHistogram.of(X, WORDS)


@given(corpora(), corpora(), corpora())
def test_the_laws_hold_for_every_class(a, b, c):
    check_laws(*map(of, (a, b, c)), of((np.zeros((0, 3), int), [])))
    assert of(a) + of(b) == of((np.concatenate([a[0], b[0]]), a[1] + b[1]))


@given(corpora(), st.data())
def test_weights_are_repetitions(corpus, data):
    X, labels = corpus
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels)))
    weighted = ClassHistograms.of(X, labels, WORDS, CLASSES, sample_weight=np.array(weights, float))
    repeated = [label for label, weight in zip(labels, weights, strict=True) for _ in range(weight)]
    assert weighted == of((np.repeat(X, weights, axis=0), repeated))


@given(corpora())
def test_wider_axes_hold_the_same_and_can_be_narrowed_again(corpus):
    X, labels = corpus
    narrow = of(corpus)
    words, classes = Vocabulary(["犬", "猫", "雨", "雪"]), ("w", "x", "y", "z")
    wide = narrow.on(words, classes)
    assert wide == ClassHistograms.of(np.pad(X, ((0, 0), (0, 1))), labels, words, classes)
    assert wide.selected(np.arange(3), CLASSES) == narrow
    assert narrow.on_classes(classes) == ClassHistograms.of(X, labels, WORDS, classes)
    assert narrow.on_classes(CLASSES) == narrow


@given(corpora())
def test_selected_terms_are_those_of_documents_whose_length_stays(corpus):
    X, labels = corpus
    selected = of(corpus).selected(np.array([0, 2]), CLASSES)
    for name, part in zip(CLASSES, selected.parts, strict=True):
        rows = X[[label == name for label in labels]]
        assert dict(part.times.todok()) == dict(DocumentHistogram.of(rows[:, [0, 2]]).times.todok())
        assert dict(part.lengths.todok()) == dict(DocumentHistogram.of(rows).lengths.todok())


def test_columns_may_have_numbers_and_no_names():
    histograms = ClassHistograms.of([[1, 0], [0, 2]], [1, 0])
    assert histograms.classes == (0, 1)
    assert histograms.on_classes((0, 1, 2)).documents.tolist() == [1, 1, 0]
    with pytest.raises(InputError, match="without a vocabulary"):
        histograms.on(Vocabulary(["a", "b"]), (0, 1))


def test_no_classes_are_zero_on_any_axes_and_have_no_total():
    zero = ClassHistograms((), ())
    assert zero.documents.tolist() == []
    assert zero.on(WORDS, CLASSES) == of((np.zeros((0, 3), int), []))
    with pytest.raises(InputError, match="no classes"):
        _ = zero.total


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (([[0.5, 1]], ["x"]), r"whole numbers here, and one is 0\.5"),
        (([[-1, 1]], ["x"]), "negative"),
        (([[1, 1]], ["x", "y"]), "1 rows, y has 2 labels"),
        (([[1, 1]], ["x"], WORDS), "2 columns, the vocabulary 3 terms"),
        (([[1, 1]], ["w"], None, CLASSES), "'w'"),
    ],
)
def test_what_is_no_corpus_of_whole_counts_is_refused(arguments, complaint):
    with pytest.raises(InputError, match=complaint):
        ClassHistograms.of(*arguments)


@pytest.mark.parametrize("weight", [[0.5], [-1.0], [np.nan]])
def test_a_document_cannot_be_there_in_part(weight):
    with pytest.raises(InputError, match="sample_weight"):
        ClassHistograms.of([[1]], ["x"], sample_weight=weight)


def test_other_classes_words_or_units_do_not_add_up():
    histograms = ClassHistograms.of([[1, 2]], ["x"], Vocabulary(["a", "b"]))
    others = [
        (ClassHistograms.of([[1, 2]], ["y"], Vocabulary(["a", "b"])), "classes differ"),
        (ClassHistograms.of([[1, 2]], ["x"], Vocabulary(["a", "c"])), "terms or units"),
        (ClassHistograms.of([[1, 2]], ["x"], Vocabulary(["a", "b"]), unit=0.5), "terms or units"),
    ]
    for other, complaint in others:
        for operation in (histograms.__add__, histograms.__sub__):
            with pytest.raises(InputError, match=complaint):
                operation(other)
        assert histograms != other


def test_a_unit_goes_with_the_counts_onto_other_axes():
    halves = ClassHistograms.of([[1, 2, 3]], ["x"], WORDS, unit=0.5)
    for wide in (halves.on(WORDS, CLASSES, unit=0.5), halves.on_classes(CLASSES)):
        assert {part.unit for part in wide.parts} == {0.5}
    with pytest.raises(InputError, match="unit"):
        halves.on(WORDS, CLASSES)
