from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_models import BY_EVIDENCE, WEIGHTINGS, columns, learn, untrained

from textnb import Analyzer, Document, TextClassifier, read_corpus
from textnb.errors import InputError, NotLearntError

JA_MINI = Path(__file__).parents[2] / "corpora" / "ja-mini"
TEXTS = st.lists(st.sampled_from(["a", "b", "c", "梅", "塩"]), max_size=6).map(" ".join)
CORPORA = st.lists(st.tuples(TEXTS, st.sampled_from(["x", "y", "料理"])), max_size=6)


def saved(classifier):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.textnb"
        classifier.save(path)
        return path.read_bytes()


@pytest.fixture(scope="module")
def ja_mini():
    return list(read_corpus(JA_MINI / "train")), list(read_corpus(JA_MINI / "test"))


@given(kept=CORPORA, gone=CORPORA, weighting=st.sampled_from(WEIGHTINGS))
def test_forgetting_equals_never_having_seen(kept, gone, weighting):
    classifier = learn(kept + gone, weighting).forget(*columns(gone))
    assert saved(classifier) == saved(learn(kept, weighting))


@settings(max_examples=20)
@given(corpus=CORPORA, weighting=st.sampled_from(WEIGHTINGS), data=st.data())
def test_forgetting_everything_in_any_order_equals_an_untrained_classifier(corpus, weighting, data):
    classifier = learn(corpus, weighting)
    for text, label in data.draw(st.permutations(corpus)):
        classifier.forget([text], [label])
    assert saved(classifier) == saved(untrained(weighting))


@given(
    corpus=st.lists(st.tuples(TEXTS, st.sampled_from(["x", "y", "z"]), st.integers(0, 3)), max_size=10),
    order=st.permutations(range(4)),
    weighting=st.sampled_from(WEIGHTINGS),
)
def test_merging_four_parts_in_any_order_equals_one_pass(corpus, order, weighting):
    parts = [learn([row[:2] for row in corpus if row[2] == part], weighting) for part in range(4)]
    merged = untrained(weighting)
    for part in order:
        merged.merge(parts[part])
    assert saved(merged) == saved(learn([row[:2] for row in corpus], weighting))


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_four_parts_of_a_real_corpus_merge_into_the_bytes_of_one_pass(ja_mini, weighting):
    train, _ = ja_mini
    terms = {"tokenizer": "charclass", "analyzer": Analyzer(ngram=(1, 2), min_df=2)}
    settings = {**BY_EVIDENCE, "weighting": weighting, **terms}
    parts = [TextClassifier(**settings).fit(train[part::4]) for part in (2, 0, 3, 1)]
    merged = parts[0].merge(parts[1]).merge(parts[2].merge(parts[3]))
    assert saved(merged) == saved(TextClassifier(**settings).fit(train))


@pytest.mark.parametrize(
    ("n_documents", "sizes"), [(2500, [1, 1]), (5000, [1, 1]), (7000, [20, 1, 1]), (4000, [1] * 40)]
)
def test_parts_merge_into_the_whole_also_where_only_a_part_of_the_documents_calibrates(n_documents, sizes):
    random = np.random.default_rng(n_documents)
    labels = random.choice(len(sizes), n_documents, p=np.array(sizes) / sum(sizes))
    texts = [f"{' '.join(map(str, random.integers(0, 60, random.integers(0, 6))))} of{label}" for label in labels]
    corpus = list(zip(texts, [f"c{label}" for label in labels], strict=True))
    whole = learn(corpus)
    first, second, third = (corpus[part::3] for part in range(3))
    assert saved(learn(third).merge(learn(first)).merge(learn(second))) == saved(whole)
    assert saved(learn(second).update(*columns(first)).update(*columns(third))) == saved(whole)
    assert saved(whole.forget(*columns(third))) == saved(learn(first + second))


def test_merging_leaves_the_other_classifier_as_it_was():
    other = learn([("a", "x")])
    before = saved(other)
    learn([("b", "y")]).merge(other).update(["c"], ["z"])
    assert saved(other) == before


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["never seen"], ["x"]),
        (["a b"], ["y"]),
        (["a b"], ["nobody"]),
        (["a b", "a b", "a b"], ["x", "x", "x"]),
        (["c", "never seen"], ["y", "x"]),
        (["b a"], ["x"]),
        ([Document("a b", fields={"to": ["me"]})], ["x"]),
    ],
)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_forgetting_what_was_not_learnt_is_refused_and_changes_nothing(texts, labels, weighting):
    classifier = learn([("a b", "x"), ("a b", "x"), ("c", "y")], weighting)
    before, probabilities = saved(classifier), classifier.predict_proba(["a c"])
    with pytest.raises(NotLearntError, match=f"1 of {len(texts)} document"):
        classifier.forget(texts, labels)
    assert saved(classifier) == before
    np.testing.assert_array_equal(classifier.predict_proba(["a c"]), probabilities)


def test_a_document_learnt_twice_can_be_forgotten_twice():
    classifier = learn([("a", "x"), ("a", "x"), ("b", "y")])
    assert saved(classifier.forget(["a"], ["x"])) == saved(learn([("a", "x"), ("b", "y")]))
    assert saved(classifier.forget(["a"], ["x"])) == saved(learn([("b", "y")]))


def test_update_welcomes_new_words_and_classes():
    classifier = learn([("a b", "x"), ("c", "y")])
    assert classifier.predict(["d d"]).tolist() == ["x"]
    classifier.update(["d d e"], ["w"])
    assert classifier.classes_.tolist() == ["w", "x", "y"]
    assert classifier.predict(["d d", "a b", "c"]).tolist() == ["w", "x", "y"]
    assert classifier.predict_proba(["a"]).shape == (1, 3)


def test_fit_learns_from_nothing_but_what_it_is_given():
    assert saved(learn([("a", "x")]).fit(["b"], ["y"])) == saved(learn([("b", "y")]))


@pytest.mark.parametrize("change", ["fit", "update", "forget"])
def test_a_change_that_fails_on_the_way_changes_nothing(change):
    classifier = learn([("a", "x"), ("b", "y")])
    before = saved(classifier)
    with pytest.raises(InputError, match="text 1 is NoneType"):
        getattr(classifier, change)(["a", None], ["x", "y"])
    assert saved(classifier) == before


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"alpha": 2.0}, "model"),
        ({"prior": "uniform"}, "model"),
        ({"weighting": "raw"}, "weighting"),
        ({"tokenizer": "words"}, "tokenizer"),
        ({"analyzer": Analyzer(ngram=(1, 2))}, "analyzer"),
        ({"analyzer": Analyzer(min_df=0)}, "analyzer"),
    ],
)
def test_different_recipes_refuse_to_merge_and_the_message_names_the_part(settings, part):
    classifier = learn([("a", "x")])
    before = saved(classifier)
    other = learn([("b", "y")], **settings)
    with pytest.raises(InputError, match=f"recipes differ in {part}"):
        classifier.merge(other)
    assert saved(classifier) == before


def test_merging_with_what_is_no_classifier_is_refused():
    with pytest.raises(InputError, match="str"):
        learn([("a", "x")]).merge("model.textnb")


def test_learning_from_no_documents_is_refused_and_updating_with_none_changes_nothing():
    with pytest.raises(InputError, match="no documents to learn from"):
        untrained().fit([], [])
    assert saved(learn([("a", "x")]).update([], [])) == saved(learn([("a", "x")]))


@pytest.mark.parametrize("change", ["fit", "update", "merge"])
def test_a_change_that_cannot_be_answered_from_is_refused_and_changes_nothing(change):
    prior = {"a": 0.5, "b": 0.5}
    classifier, other = learn([("x", "a"), ("y", "b")], prior=prior), learn([("z", "c")], prior={"c": 1.0})
    with pytest.raises(InputError, match="prior"):
        if change == "merge":
            classifier.merge(other)
        else:
            getattr(classifier, change)(["z"], ["c"])
    assert classifier.classes_.tolist() == ["a", "b"]
    assert classifier.predict(["x"]).tolist() == ["a"]


def test_an_untrained_classifier_has_no_classes_yet():
    assert not hasattr(TextClassifier(), "classes_")
    assert repr(TextClassifier()) == "TextClassifier()"  # its parameters; nothing was learnt
