"""ClassHistograms: laws, axes, and that they are the histograms of each class's documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from textnb.counts import DocumentHistogram, Vocabulary
from textnb.counts.histograms import ClassHistograms
from textnb.errors import InputError, NotLearntError

laws = settings(max_examples=40, deadline=None)
CLASSES = ("x", "y", "z")
WORDS = Vocabulary(["犬", "猫", "雨"])
COUNTS = st.integers(0, 3) | st.sampled_from([7, 8, 9, 500])


@st.composite
def corpora(draw):
    n = draw(st.integers(0, 6))
    X = draw(hnp.arrays(np.int64, (n, 3), elements=COUNTS))
    return X, draw(st.lists(st.sampled_from(CLASSES), min_size=n, max_size=n))


def of(corpus):
    return ClassHistograms.of(*corpus, WORDS, CLASSES)


def together(a, b):
    return np.concatenate([a[0], b[0]]), a[1] + b[1]


@laws
@given(corpora())
def test_each_part_is_the_histogram_of_the_documents_of_its_class(corpus):
    X, labels = corpus
    histograms = of(corpus)
    for name, part in zip(CLASSES, histograms.parts, strict=True):
        assert part == DocumentHistogram.of(X[[label == name for label in labels]], WORDS)
    assert histograms.documents.tolist() == [labels.count(name) for name in CLASSES]


@laws
@given(corpora())
def test_the_total_is_the_histogram_of_all_documents(corpus):
    assert of(corpus).total == DocumentHistogram.of(corpus[0], WORDS)


@laws
@given(corpora(), corpora(), corpora())
def test_the_laws(a, b, c):
    x, y, z = map(of, (a, b, c))
    zero = of((np.zeros((0, 3), int), []))
    assert x + zero == x == zero + x
    assert x + y == y + x == of(together(a, b))
    assert (x + y) + z == x + (y + z)
    assert (x + y) - y == x
    assert x - x == zero


@laws
@given(corpora(), st.data())
def test_weights_are_repetitions(corpus, data):
    X, labels = corpus
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels)))
    weighted = ClassHistograms.of(X, labels, WORDS, CLASSES, sample_weight=np.array(weights, float))
    repeated = [label for label, weight in zip(labels, weights, strict=True) for _ in range(weight)]
    assert weighted == of((np.repeat(X, weights, axis=0), repeated))


@laws
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


@laws
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
        (([[0.5, 1]], ["x"]), r"whole counts here, and one is 0\.5"),
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


def test_whole_numbers_stored_as_floats_are_whole():
    assert ClassHistograms.of([[2.0, 0.0]], ["x"]) == ClassHistograms.of([[2, 0]], ["x"])


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


def test_documents_never_seen_cannot_be_forgotten():
    with pytest.raises(NotLearntError, match="fewer documents have"):
        of(([[1, 0, 0]], ["x"])) - of(([[1, 0, 0]], ["y"]))
