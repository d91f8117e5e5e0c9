from pathlib import Path

import numpy as np
import pytest
from small_models import (
    LABELS,
    TEXTS,
    fitted,
    in_format_2,
    put,
    put_numbers,
    read_in_full,
    rewritten,
    with_a_changed_byte,
)

from textnb import Analyzer, Document, TextClassifier
from textnb.errors import ModelFileError, NotFittedError
from textnb.files.arrays import packed_strings
from textnb.files.bundle import FORMAT, open_bundle
from textnb.text import tokenizer


@pytest.fixture
def path(tmp_path):
    fitted().save(tmp_path / "model.textnb")
    return tmp_path / "model.textnb"


@pytest.mark.parametrize(
    "classifier",
    [
        fitted(),
        fitted(weighting="raw", alpha=0, prior="uniform"),
        fitted(weighting="binary", prior={"x": 0.5, "y": 0.25, "料理": 0.25}),
        fitted(analyzer=Analyzer(normalisers=["nfkc", "casefold"], ngram=(1, 2), min_df=0.1, max_df=9, max_terms=3)),
        fitted(tokenizer=tokenizer("chars", n=(1, 2))),
        TextClassifier(tokenizer="whitespace"),
        TextClassifier(tokenizer="whitespace").fit([""], ["x"]),
        TextClassifier(tokenizer="whitespace").fit([Document("a", fields={"to": ["me"]})], ["x"]),
    ],
)
def test_saving_twice_and_after_loading_gives_the_same_bytes(tmp_path, classifier):
    classifier.save(tmp_path / "one")
    classifier.save(tmp_path / "two")
    loaded = TextClassifier.load(tmp_path / "one")
    loaded.save(tmp_path / "three")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes() == (tmp_path / "three").read_bytes()
    assert (loaded.recipe, loaded.learnt) == (classifier.recipe, classifier.learnt)


@pytest.mark.parametrize("weighting", ["raw", "binary", "log"])
def test_a_loaded_model_answers_learns_and_forgets_as_the_saved_one_does(tmp_path, weighting):
    classifier = fitted(weighting=weighting)
    classifier.save(tmp_path / "model")
    loaded = TextClassifier.load(str(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), classifier.predict_proba(TEXTS))
    assert loaded.explain("a c") == classifier.explain("a c")
    for each in (loaded, classifier):
        each.update(["new d"], ["w"]).forget(TEXTS[:1], LABELS[:1]).merge(fitted(weighting=weighting))
    assert loaded.learnt == classifier.learnt


def test_an_untrained_model_stays_untrained(tmp_path):
    TextClassifier().save(tmp_path / "model")
    with pytest.raises(NotFittedError, match="nothing has been learnt"):
        TextClassifier.load(tmp_path / "model").predict(["a"])


def test_a_file_tells_nothing_of_where_it_was_made_and_of_which_documents(tmp_path):
    documents = [Document("a b", "x", "letters/private-1.txt"), Document("c", "y", "letters/private-2.txt")]
    TextClassifier(tokenizer="whitespace").fit(documents).save(tmp_path / "one")
    TextClassifier(tokenizer="whitespace").fit(["c", "a b"], ["y", "x"]).save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert str(tmp_path).encode() not in (tmp_path / "one").read_bytes()


def test_any_one_byte_that_changes_is_noticed_or_does_not_matter(path, tmp_path):
    original = fitted()
    for data in with_a_changed_byte(path.read_bytes(), 300, seed=3):
        (tmp_path / "damaged").write_bytes(data)
        try:
            found = read_in_full(tmp_path / "damaged")
        except ModelFileError:
            continue
        assert (found.recipe, found.learnt) == (original.recipe, original.learnt)


OF_FORMAT_1 = Path(__file__).parents[1] / "fixtures" / "format1.textnb"


def test_a_file_of_format_1_is_read_answers_learns_and_is_written_in_the_format_of_today(tmp_path):
    loaded = TextClassifier.load(OF_FORMAT_1)
    answers = [[0.2746861175179635, 0.7253138824820365], [0.7236204175618428, 0.27637958243815725]]
    np.testing.assert_allclose(loaded.predict_proba(["good day", "sad"]), answers, rtol=0, atol=1e-12)
    texts, labels = ["good fun day", "bad sad day", "good good film", "sad film"], ["pos", "neg", "pos", "neg"]
    today = TextClassifier("multinomial", tokenizer="words", alpha=0.5, analyzer=Analyzer(), calibrate=False)
    assert loaded.recipe == today.recipe
    assert loaded.learnt == today.fit(texts, labels).learnt
    for each in (loaded, today):
        each.update(["rain"], ["weather"]).forget(texts[:1], labels[:1])
    loaded.save(tmp_path / "loaded")
    today.save(tmp_path / "today")
    assert (tmp_path / "loaded").read_bytes() == (tmp_path / "today").read_bytes()
    assert [format_of(path) for path in (OF_FORMAT_1, tmp_path / "loaded")] == [1, FORMAT]


def format_of(path):
    return open_bundle(path, "model").header["format"]


def classes(names):
    return lambda header, _: header.update(classes=names)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda _, arrays: arrays.update(packed_strings("vocabulary", "badcf")), "sorted by code point"),
        (lambda _, arrays: arrays.update(packed_strings("vocabulary", "aabcd")), "distinct"),
        (lambda _, arrays: arrays.update(packed_strings("vocabulary", "abcd")), "'terms' has columns out of range"),
        (put("vocabulary.bytes", lambda letters: letters | 128), "'vocabulary' are not UTF-8"),
        (put("vocabulary.ends", lambda ends: ends + 1), "'vocabulary' do not end where they should"),
        (put_numbers("terms.gaps", lambda gaps: gaps + 1), "'terms' has columns out of range"),
        (put_numbers("terms.gaps", lambda gaps: gaps + 2**60), "'terms' has columns out of range"),
        (put_numbers("terms.gaps", lambda gaps: gaps[1:]), "'terms.gaps' are not"),
        (put_numbers("terms.lengths", lambda lengths: lengths + 1), "'terms.gaps' are not"),
        (put_numbers("terms.lengths", lambda lengths: lengths + 2**61), "'terms.gaps' are not"),
        (put_numbers("terms.lengths", lambda lengths: lengths[1:]), "'terms.lengths' are not 3 numbers"),
        (put_numbers("terms.counts", lambda counts: counts[1:]), "'terms.counts' are not"),
        (put("terms.counts", lambda packed: packed[::-1].copy()), "'terms.counts' are damaged"),
        (lambda _, arrays: arrays.update({"terms.data": -np.ones(5)}), "'terms' needs 5 positive entries"),
        (lambda _, arrays: arrays.update({"terms.data": np.full(5, np.inf)}), "'terms' needs 5 positive entries"),
        (lambda _, arrays: arrays.update({"terms.data": np.ones(4)}), "'terms' needs 5 positive entries"),
        (lambda _, arrays: arrays.update({"terms.data": np.ones(5, int)}), "'terms.data' is missing or of another"),
        (put_numbers("containing.counts", lambda counts: counts[1:]), "'containing.counts' are not"),
        (put_numbers("containing.counts", lambda counts: counts + 2**40), "more documents contain a term than"),
        (lambda _, arrays: arrays.pop("containing.counts"), "'containing.counts' is missing"),
        (put("documents", lambda documents: -documents), "numbers of documents"),
        (put("documents", lambda documents: documents * 0), "numbers of documents"),
        (put("documents", lambda documents: documents * np.nan), "numbers of documents"),
        (put("documents", lambda documents: documents * np.inf), "4 digests of inf documents"),
        (put("documents", lambda documents: documents + 1), "4 digests of 7 documents"),
        (put("documents", lambda documents: documents[:2]), "numbers of documents"),
        (put("digests", lambda digests: digests[::-1].copy()), "digests must be sorted"),
        (put("digests", lambda digests: digests[:3]), "there are 3 digests of 4 documents"),
        (put("digests", lambda digests: digests[:, :8].copy()), "digests must be bytes of shape"),
        (lambda _, arrays: arrays.pop("digests"), "'digests' is missing"),
        (classes(["y", "x", "料理"]), "no sorted classes"),
        (classes(["x", "x", "y"]), "no sorted classes"),
        (classes([1, 2, 3]), "no sorted classes"),
        (classes("xyz"), "no sorted classes"),
        (classes(["x", "y"]), "not those of 2 classes"),
        (lambda header, _: header.pop("classes"), "not those of 0 classes|no sorted classes"),
        (lambda header, _: header.pop("recipe"), "no recipe"),
    ],
)
def test_content_that_does_not_fit_together_is_refused_by_name(path, change, complaint):
    rewritten(path, "model", change)
    with pytest.raises(ModelFileError, match=rf"model.textnb: .*({complaint})"):
        read_in_full(path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda _, arrays: arrays.update(packed_strings("vocabulary", "abcd")), "'terms' is not a sparse matrix"),
        (put("terms.data", lambda data: -data), "'terms' has entries out of order or not positive"),
        (put("terms.data", lambda data: data * 0), "'terms' has entries out of order or not positive"),
        (put("terms.data", lambda data: data * np.inf), "'terms' has entries out of order or not positive"),
        (put("terms.indices", lambda columns: columns[::-1].copy()), "'terms' has entries out of order"),
        (put("terms.indices", lambda columns: columns - 1), "'terms' is not a sparse matrix"),
        (put("terms.indptr", lambda ends: ends[::-1].copy()), "'terms' is not a sparse matrix"),
        (put("terms.indptr", lambda ends: ends.astype(np.float64)), "'terms.indptr' is missing or of another kind"),
        (put("containing.data", lambda data: data[:-1]), "'containing' is not a sparse matrix"),
        (put("containing.data", lambda data: data + 2**40), "more documents contain a term than there are"),
        (lambda _, arrays: arrays.pop("containing.data"), "'containing.data' is missing"),
    ],
)
def test_tables_of_format_2_that_do_not_fit_together_are_refused_by_name(path, change, complaint):
    rewritten(in_format_2(path), "model", change)
    with pytest.raises(ModelFileError, match=rf"model.textnb: .*({complaint})"):
        TextClassifier.load(path)


def test_ends_that_wrap_round_are_not_ascending():
    from textnb.files.arrays import unpacked_strings, unpacked_table

    wrapping = np.array([0, 2**63 - 1, -(2**63), -1, 4], np.int64)
    with pytest.raises(ModelFileError, match="do not end where they should"):
        unpacked_strings({"s.bytes": np.zeros(4, np.uint8), "s.ends": wrapping}, "s")
    pointers = np.array([0, 2**31 - 1, -(2**31), -1, 2], np.int32)
    arrays = {"t.data": np.ones(2, np.int64), "t.indices": np.zeros(2, np.int32), "t.indptr": pointers}
    with pytest.raises(ModelFileError, match="not a sparse matrix"):
        unpacked_table(arrays, "t", (4, 1))
