"""Training and answers hold no more than they need."""

import gc
import weakref

import numpy as np
import pytest

from textnb import Analyzer, Document, TextClassifier
from textnb.counts import ClassCounts, counting, rows
from textnb.counts.packed_vocabulary import PackedVocabulary
from textnb.extension import uses_extension
from textnb.models.logistic import path


class Text(str):
    """A text that can be referred to weakly."""

    __slots__ = ("__weakref__",)


class Watched:
    """Documents made one by one; counts how many of their texts are alive at once."""

    def __init__(self, number):
        self.number, self.alive, self.most = number, 0, 0

    def __iter__(self):
        for i in range(self.number):
            text = Text(f"word{i % 7} term{i % 11} w{i} common")
            self.alive += 1
            self.most = max(self.most, self.alive)
            weakref.finalize(text, self._gone)
            document = Document(text, "xy"[i % 2])
            del text
            yield document
            del document

    def _gone(self):
        self.alive -= 1


@pytest.mark.parametrize("model", ["auto", "multinomial", "nb-logistic", "ensemble"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_fit_on_an_iterator_releases_each_text_when_it_is_counted(model, jobs, monkeypatch):
    monkeypatch.setattr(counting, "BATCH_DOCUMENTS", 8)
    monkeypatch.setattr("textnb.classifier.choice.FIRST_DOCUMENTS", 8)
    watched = Watched(600)
    classifier = TextClassifier(model, tokenizer="words").fit(iter(watched), jobs=jobs)
    gc.collect()
    assert watched.alive == 0
    assert watched.most <= 100  # some batches
    assert sum(classifier.learnt.documents.values()) == 600


@pytest.mark.skipif(not uses_extension(), reason="Python counts strings")
def test_training_creates_no_string_for_each_term(tmp_path):
    classifier = TextClassifier("nb-logistic", tokenizer="words").fit(iter(Watched(300)))
    classifier.save(tmp_path / "m.textnb")
    for vocabulary in (classifier.learnt.counts.vocabulary, classifier.fitted.vocabulary):
        assert isinstance(vocabulary, PackedVocabulary)
        assert not {"terms", "columns"} & vocabulary.__dict__.keys()


def texts_of(n, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return [" ".join(f"w{j}" for j in rng.zipf(1.3, 30) % 400 + 5 * k) for k in y.tolist()], [f"c{k}" for k in y]


@pytest.mark.parametrize(
    ("model", "options"),
    [("multinomial", {}), ("multinomial", {"weighting": "log"}), ("nb-logistic", {}), ("logistic", {"l2": 0.1})],
)
def test_forgetting_counts_above_a_byte_equals_never_having_seen_them(model, options, tmp_path):
    texts, labels = texts_of(40)
    plain = TextClassifier(model, tokenizer="words", **options).fit(texts, labels)
    kept = plain.learnt.kept
    assert kept.X.dtype == np.uint8
    large = ["w0 " * 300 + "w1", "w2 " * 1000]
    learner = TextClassifier(model, tokenizer="words", **options).fit([*texts, *large], [*labels, "c0", "c1"])
    assert (learner.learnt.kept.X.data.max(), learner.learnt.kept.X.dtype) == (1000, np.uint16)
    learner.forget(large, ["c0", "c1"])
    for name, each in (("plain", plain), ("forgotten", learner)):
        each.save(tmp_path / name)
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "forgotten").read_bytes()


def test_a_model_of_the_documents_makes_no_counts_of_the_terms_in_use(monkeypatch):
    monkeypatch.delattr(ClassCounts, "selected")
    texts, labels = texts_of(60)
    classifier = TextClassifier("nb-logistic", tokenizer="words", analyzer=Analyzer(min_df=2), calibrate=False)
    classifier.fit(texts, labels)
    assert len(classifier.fitted.vocabulary) < len(classifier.learnt.counts.vocabulary)


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
def test_blocks_of_rows_do_not_change_a_model(block, monkeypatch, tmp_path):
    texts, labels = texts_of(60)
    TextClassifier("nb-logistic", tokenizer="words").fit(texts, labels).save(tmp_path / "a")
    monkeypatch.setattr(rows, "_BLOCK", block)
    TextClassifier("nb-logistic", tokenizer="words").fit(texts, labels).save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_rows_in_single_precision_give_the_same_answers_up_to_rounding(monkeypatch):
    texts, labels = texts_of(300)
    new, _ = texts_of(50, seed=1)
    double = TextClassifier("nb-logistic", tokenizer="words").fit(texts, labels).predict_proba(new)
    monkeypatch.setattr(path, "_SINGLE_FROM", 0)
    single = TextClassifier("nb-logistic", tokenizer="words").fit(texts, labels).predict_proba(new)
    np.testing.assert_allclose(single, double, atol=2e-4)
    assert (single != double).any()


@pytest.mark.parametrize("model", ["nb-logistic", "logistic", "least-squares", "fisher"])
def test_weights_in_single_precision_are_the_same_before_and_after_a_file(model, tmp_path):
    texts, labels = texts_of(60)
    classifier = TextClassifier(model, tokenizer="words").fit(texts, labels)
    classifier.save(tmp_path / "m.textnb")
    loaded = TextClassifier.load(tmp_path / "m.textnb")
    for each in (classifier, loaded):
        linear = getattr(each.fitted.scorer, "linear", each.fitted.scorer)
        assert linear.by_term.dtype == np.float32
    new, _ = texts_of(40, seed=1)
    whole = classifier.predict_log_proba(new)
    np.testing.assert_array_equal(loaded.predict_log_proba(new), whole)
    one_by_one = np.concatenate([loaded.predict_log_proba([text]) for text in new])
    np.testing.assert_allclose(one_by_one, whole, rtol=1e-12)
