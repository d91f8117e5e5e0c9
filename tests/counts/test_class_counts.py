import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from textnb.counts import ClassCounts, Vocabulary, class_counts, matrix, row_loops
from textnb.counts.class_counts import class_sums, weighted_rows
from textnb.counts.matrix import presence
from textnb.errors import InputError

WORDS = Vocabulary(["犬", "猫", "雨"])
X = np.array([[1, 2, 0], [0, 1, 0], [3, 0, 0]])
Y = ["x", "y", "x"]


def tables(counts):
    return counts.documents.tolist(), counts.terms.toarray().tolist(), counts.containing.toarray().tolist()


@given(st.data())
def test_statistics_are_those_of_a_plain_loop(data):
    n_documents, n_terms = data.draw(st.integers(0, 7)), data.draw(st.integers(0, 4))
    row = st.lists(st.integers(0, 3), min_size=n_terms, max_size=n_terms)
    rows = data.draw(st.lists(row, min_size=n_documents, max_size=n_documents))
    labels = data.draw(st.lists(st.sampled_from("xyz"), min_size=n_documents, max_size=n_documents))
    counts = ClassCounts.of(np.array(rows, int).reshape(n_documents, n_terms), labels, classes=("z", "y", "x", "w"))
    expected = [[row for row, label in zip(rows, labels, strict=True) if label == name] for name in "zyxw"]
    assert counts.classes == ("z", "y", "x", "w")
    assert (counts.n_classes, counts.n_terms) == (4, n_terms)
    assert tables(counts) == (
        [len(part) for part in expected],
        [[sum(row[j] for row in part) for j in range(n_terms)] for part in expected],
        [[sum(row[j] > 0 for row in part) for j in range(n_terms)] for part in expected],
    )


def test_whole_input_stays_whole_and_fractions_are_floats():
    whole, fractional = ClassCounts.of(X, Y), ClassCounts.of(X / 2, Y)
    assert {whole.documents.dtype, whole.terms.dtype, whole.containing.dtype} == {np.dtype(np.int64)}
    assert fractional.terms.dtype == np.float64
    assert tables(fractional) == ([2, 1], [[2.0, 1.0, 0.0], [0.0, 0.5, 0.0]], [[2, 1, 0], [0, 1, 0]])


@given(st.lists(st.integers(0, 3), min_size=3, max_size=3))
def test_a_weight_is_a_repetition(weight):
    weighted = ClassCounts.of(X, Y, WORDS, sample_weight=weight)
    repeated = ClassCounts.of(np.repeat(X, weight, axis=0), np.repeat(Y, weight), WORDS, classes=("x", "y"))
    assert weighted == repeated


def test_duplicates_and_stored_zeros_count_once_or_not_at_all():
    stored = sparse.csr_array((np.array([1, 1, 0, 0]), np.array([0, 0, 2, 1]), np.array([0, 3, 4])), shape=(2, 3))
    assert tables(ClassCounts.of(stored, ["x", "y"])) == ([1, 1], [[2, 0, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]])


def test_no_documents_and_no_classes_are_statistics_too():
    nothing = ClassCounts.of(np.zeros((0, 3), int), [], WORDS)
    assert nothing == ClassCounts.zero(WORDS, ())


def test_the_callers_matrix_is_never_modified():
    stored = sparse.csr_array(
        (np.array([1.0, 2.0, 0.0, -0.0]), np.array([2, 2, 0, 1]), np.array([0, 3, 4])), shape=(2, 3)
    )
    kept = [part.copy() for part in (stored.data, stored.indices, stored.indptr)]
    for part in (stored.data, stored.indices, stored.indptr):
        part.flags.writeable = False
    counts = ClassCounts.of(stored, ["x", "y"], WORDS, sample_weight=[2, 3])
    tables(((counts + counts) - counts).selected(np.array([0, 2])).trimmed())
    assert all(map(np.array_equal, kept, (stored.data, stored.indices, stored.indptr)))


def test_statistics_stay_what_they_are_when_the_caller_reuses_the_matrix():
    buffer, weight = sparse.csr_array(X), np.ones(3)
    counts, weighted = ClassCounts.of(buffer, Y), ClassCounts.of(buffer, Y, sample_weight=weight)
    buffer.data[:] = 0
    weight[:] = 7
    assert tables(counts) == tables(weighted) == tables(ClassCounts.of(X, Y))


def test_wider_axes_keep_every_count():
    wider = ClassCounts.of(X, Y, WORDS, unit=0.5).on(Vocabulary([*WORDS, "a", "魚"]), ("y", "w", "x"))
    assert wider.vocabulary.terms == ("a", "犬", "猫", "雨", "魚")
    assert (wider.classes, wider.unit) == (("y", "w", "x"), 0.5)
    assert tables(wider) == (
        [1, 0, 2],
        [[0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 4, 2, 0, 0]],
        [[0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 2, 1, 0, 0]],
    )


def test_narrower_axes_are_refused_by_what_they_lack():
    counts = ClassCounts.of(X, Y, WORDS)
    with pytest.raises(InputError, match="'雨'"):
        counts.on(Vocabulary(["犬", "猫"]), ("x", "y"))
    with pytest.raises(InputError, match="'y'"):
        counts.on(WORDS, ("x", "z"))


def test_selected_columns_are_those_of_the_matrix():
    counts = ClassCounts.of(X, Y, WORDS)
    assert counts.selected(np.array([0, 2])) == ClassCounts.of(X[:, [0, 2]], Y, Vocabulary(["犬", "雨"]))
    assert ClassCounts.of(X, Y).selected(np.array([1])) == ClassCounts.of(X[:, [1]], Y)
    assert counts.selected(np.array([], np.intp)).n_terms == 0


def test_trimming_drops_unseen_terms_and_classes_and_nothing_else():
    counts = ClassCounts.of([*X.tolist(), [0, 0, 0]], [*Y, "empty"], WORDS, classes=("w", "x", "y", "empty", "z"))
    trimmed = counts.trimmed()
    assert trimmed == ClassCounts.of(
        [[1, 2], [0, 1], [3, 0], [0, 0]], [*Y, "empty"], Vocabulary(["犬", "猫"]), ("x", "y", "empty")
    )
    assert trimmed.trimmed() == trimmed
    assert ClassCounts.zero(WORDS, ("x",)).trimmed() == ClassCounts.zero(Vocabulary(), ())


def test_equal_means_equal_axes_and_equal_numbers():
    counts = ClassCounts.of(X, Y, WORDS)
    assert counts == ClassCounts.of(X.astype(float), Y, WORDS)
    others = [
        ClassCounts.of(X, Y),
        ClassCounts.of(X, Y, Vocabulary(["a", "b", "c"])),
        ClassCounts.of(X, Y, WORDS, ("x", "y", "z")),
        ClassCounts.of(X, Y, WORDS, unit=0.5),
        ClassCounts.of(2 * X, Y, WORDS),
        ClassCounts.of([[1, 0, 0], [0, 1, 0], [3, 2, 0]], Y, WORDS)
        + ClassCounts.of([[0, 0, 0]], ["x"], WORDS, ("x", "y")),
        ClassCounts.of([[4, 2, 0], [0, 1, 0], [0, 0, 0]], Y, WORDS),
    ]
    assert [counts == other for other in [*others, None]] == [False] * (len(others) + 1)


def test_other_axes_or_units_do_not_add():
    counts = ClassCounts.of(X, Y, WORDS)
    for other in (ClassCounts.of(X, Y), ClassCounts.of(X, Y, WORDS, unit=0.5), ClassCounts.zero(WORDS, ("x",))):
        for operation in (counts.__add__, counts.__sub__):
            with pytest.raises(
                InputError, match=r"2 classes, 3 terms> and <ClassCounts of .* map them onto the same axes with on"
            ):
                operation(other)


def test_shapes_that_do_not_fit_are_refused_with_both_sizes():
    with pytest.raises(InputError, match="X has 3 columns, the vocabulary 1 terms"):
        ClassCounts.of(X, Y, Vocabulary(["犬"]))
    with pytest.raises(InputError, match="X has 3 rows, y has 2 labels"):
        ClassCounts.of(X, ["x", "y"])
    with pytest.raises(InputError, match="3 weights"):
        ClassCounts.of(X, Y, sample_weight=[1, 2])
    with pytest.raises(InputError, match="row 1, column 0"):
        ClassCounts.of([[1], [-1]], ["x", "y"])


def test_columns_without_names_go_onto_more_classes():
    counts = ClassCounts.of(X, Y)
    wider = counts.on_classes(("w", "x", "y"))
    assert tables(wider) == ([0, 2, 1], [[0, 0, 0], [4, 2, 0], [0, 1, 0]], [[0, 0, 0], [2, 1, 0], [0, 1, 0]])
    assert wider == counts.on(None, ("w", "x", "y"))
    assert counts.on_classes(("x", "y")) is counts
    assert wider + ClassCounts.of(X, ["w"] * 3, classes=("w", "x", "y")) == ClassCounts.of(
        np.vstack([X, X]), [*Y, "w", "w", "w"]
    )


def test_columns_with_and_without_names_do_not_mix():
    assert ClassCounts.of(X, Y).vocabulary is None
    with pytest.raises(InputError, match="without a vocabulary cannot be mapped"):
        ClassCounts.of(X, Y).on(WORDS, ("x", "y"))
    with pytest.raises(InputError, match="without a vocabulary cannot be mapped"):
        ClassCounts.of(X, Y, WORDS).on(None, ("x", "y"))


@pytest.fixture(params=["table by the extension", "table by scipy", "table by numpy", "product"])
def path(request, monkeypatch):
    """One of the four ways to the same sums, whatever the shape."""
    monkeypatch.setattr(class_counts, "_MAX_CELLS_PER_ENTRY", -1.0 if request.param == "product" else float("inf"))
    if request.param != "table by the extension":
        monkeypatch.setattr(row_loops, "uses_extension", lambda: False)
    if request.param == "table by numpy":
        monkeypatch.setattr(matrix, "_csc_matvec", lambda: None)


def brute_force(X, codes, n_classes):
    total = [[0] * X.shape[1] for _ in range(n_classes)]
    entries = zip(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices, X.data.tolist(), strict=True)
    for i, j, value in entries:
        total[codes[i]][j] += value
    return total


def random_csr(seed, dtype=np.int32, index=np.int32):
    """Rows that may be empty, indices out of order and repeated, zeros stored."""
    rng = np.random.default_rng(seed)
    n_documents, n_terms, n_classes = rng.integers(0, 12), rng.integers(1, 6), rng.integers(1, 5)
    lengths = rng.integers(0, 5, n_documents)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    indices = rng.integers(0, n_terms, indptr[-1]).astype(index)
    data = rng.integers(0, 4, indptr[-1]) * (1 if np.dtype(dtype).kind in "iu" else 0.1)
    X = sparse.csr_array((n_documents, n_terms), dtype=dtype)
    X.data, X.indices, X.indptr = data.astype(dtype), indices, indptr
    return X, rng.integers(0, n_classes, n_documents), int(n_classes)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float64])
def test_sums_are_those_of_a_plain_loop(path, dtype, index):
    for seed in range(40):
        X, codes, n_classes = random_csr(seed, dtype, index)
        found = class_sums(X, codes, n_classes)
        np.testing.assert_allclose(found.toarray(), np.array(brute_force(X, codes, n_classes)), rtol=1e-14)
        assert found.shape == (n_classes, X.shape[1])
        assert found.dtype == (np.float64 if dtype == np.float64 else np.int64)
        assert found.has_canonical_format
        assert (found.data != 0).all()


@pytest.mark.parametrize("block", [1, 2, 7])
def test_the_size_of_a_block_does_not_matter(path, monkeypatch, block):
    monkeypatch.setattr(row_loops, "_ENTRIES_PER_BLOCK", block)
    for seed in range(40):
        X, codes, n_classes = random_csr(seed)
        assert class_sums(X, codes, n_classes).toarray().tolist() == brute_force(X, codes, n_classes)


def test_more_entries_than_a_block_holds_are_all_added(path):
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.integers(0, 3, (3000, 100)))
    codes = rng.integers(0, 4, 3000)
    assert X.nnz > row_loops._ENTRIES_PER_BLOCK
    expected = np.array([X.toarray()[codes == k].sum(axis=0) for k in range(4)])
    np.testing.assert_array_equal(class_sums(X, codes, 4).toarray(), expected)


def test_whole_sums_are_exact_beyond_the_reach_of_floats_and_small_types_do_not_overflow(path):
    X = sparse.csr_array([[2**53], [1], [2**60]])
    assert class_sums(X, np.array([0, 0, 1]), 2).toarray().tolist() == [[2**53 + 1], [2**60]]
    X = sparse.csr_array(np.full((10, 1), 100, np.int8))
    assert class_sums(X, np.zeros(10, np.intp), 1).toarray().tolist() == [[1000]]


@pytest.mark.parametrize(("shape", "n_classes"), [((0, 3), 2), ((3, 0), 2), ((0, 0), 2), ((0, 3), 0), ((0, 0), 0)])
def test_sums_of_nothing_are_empty_tables(path, shape, n_classes):
    found = class_sums(sparse.csr_array(shape, dtype=np.int64), np.zeros(shape[0], np.intp), n_classes)
    assert (found.shape, found.nnz) == ((n_classes, shape[1]), 0)


def test_presence_sees_through_duplicates_and_stored_zeros():
    for seed in range(40):
        X, _, _ = random_csr(seed)
        kept = X.data.copy(), X.indices.copy(), X.indptr.copy()
        assert presence(X).toarray().tolist() == (X.toarray() > 0).astype(int).tolist()
        assert all(map(np.array_equal, kept, (X.data, X.indices, X.indptr)))


@given(st.integers(0, 1000), st.data())
def test_weighted_rows_are_rows_times_weights(seed, data):
    X, _, _ = random_csr(seed)
    weight = np.array(data.draw(st.lists(st.floats(0, 9), min_size=X.shape[0], max_size=X.shape[0])))
    np.testing.assert_allclose(weighted_rows(X, weight).toarray(), X.toarray() * weight[:, np.newaxis])


@pytest.mark.parametrize("cells", [1, 7, 12, 1000])
@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float64])
def test_sums_of_some_classes_at_a_time_are_those_of_all_at_once(cells, kind, monkeypatch):
    rng = np.random.default_rng(0)
    rows, codes = sparse.csr_array(rng.poisson(2, (50, 6)).astype(kind)), rng.integers(0, 5, 50)
    whole = class_sums(rows, codes, 6)
    monkeypatch.setattr(class_counts, "_BLOCK_CELLS", cells)
    found = class_sums(rows, codes, 6)
    assert found.dtype == whole.dtype
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, part), getattr(whole, part))


def test_presence_has_one_table_for_counts_and_documents_in_whatever_is_made_of_it():
    counts = ClassCounts.of(presence(sparse.csr_array(X)), Y, WORDS)
    both = [counts, counts.selected(np.array([0, 1])), counts.on(Vocabulary(["犬", "猫", "雨", "鳥"]), ("x", "y", "z"))]
    for each in both:
        assert each.terms is each.containing
    assert tables(counts) == ([2, 1], [[2, 1, 0], [0, 1, 0]], [[2, 1, 0], [0, 1, 0]])
    added = ClassCounts.of(X, Y, WORDS) + ClassCounts.of(X, Y, WORDS)
    assert added.terms is not added.containing
