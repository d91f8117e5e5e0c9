"""Whatever is learnt, forgotten and merged equals one training, to the byte of the saved file."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_models import columns

from textnb import TextClassifier
from textnb.counts import learnt as learnt_module

MODELS = ["multinomial", "complement", "nb-logistic"]
TEXTS = st.lists(st.sampled_from(["a", "b", "c", "梅", "塩"]), max_size=6).map(" ".join)
CORPORA = st.lists(st.tuples(TEXTS, st.sampled_from(["x", "y", "料理", "new"])), min_size=1, max_size=6)
OPERATIONS = st.lists(st.tuples(st.sampled_from(["update", "forget", "merge", "reload"]), CORPORA), max_size=6)


def saved(classifier):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.textnb"
        classifier.save(path)
        return path.read_bytes()


def reloaded(classifier):
    with TemporaryDirectory() as folder:
        classifier.save(Path(folder) / "model.textnb")
        return TextClassifier.load(Path(folder) / "model.textnb")


def trained(model, corpus, **options):
    classifier = TextClassifier(model, tokenizer="whitespace", **options)
    return classifier.fit(*columns(corpus)) if corpus else classifier


def after(classifier, operations, data):
    """The classifier after the operations, and the documents that it then knows."""
    known = Counter()
    for name, corpus in operations:
        if name == "update":
            classifier.update(*columns(corpus))
            known.update(corpus)
        elif name == "merge":
            other = trained(classifier.recipe.model, corpus, sample=classifier.recipe.sample)
            classifier = other.merge(classifier) if data.draw(st.booleans()) else classifier.merge(other)
            known.update(corpus)
        elif name == "reload":
            classifier = reloaded(classifier)
        elif known:
            gone = data.draw(st.lists(st.sampled_from(sorted(known.elements())), max_size=8))
            gone = [*(Counter(gone) & known).elements()]
            classifier.forget(*columns(gone))
            known -= Counter(gone)
    return classifier, known


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=12, deadline=None)
@given(operations=OPERATIONS, data=st.data())
def test_any_interleaving_of_update_forget_and_merge_equals_one_training(model, operations, data):
    classifier, known = after(trained(model, []), operations, data)
    assert saved(classifier) == saved(trained(model, sorted(known.elements())))


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=12, deadline=None)
@given(operations=OPERATIONS, data=st.data())
def test_it_does_too_where_a_calibration_uses_only_a_part_of_the_documents(model, operations, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learnt_module, "MOST_CALIBRATED", 8)
        classifier, known = after(trained(model, []), operations, data)
        assert saved(classifier) == saved(trained(model, sorted(known.elements())))


@settings(max_examples=30, deadline=None)
@given(operations=OPERATIONS, sample=st.integers(1, 12), data=st.data())
def test_beyond_the_number_of_kept_documents_the_counts_are_exact(operations, sample, data):
    classifier, known = after(trained("multinomial", [], sample=sample), operations, data)
    once = trained("multinomial", sorted(known.elements()), sample=sample)
    assert (classifier.learnt.counts, classifier.learnt.digests) == (once.learnt.counts, once.learnt.digests)
    assert classifier.facts().get("documents kept", 0) <= sample


@settings(max_examples=30, deadline=None)
@given(operations=OPERATIONS, sample=st.integers(1, 12), data=st.data())
def test_beyond_the_number_what_is_only_learnt_and_merged_still_equals_one_training(operations, sample, data):
    learning = [(name, corpus) for name, corpus in operations if name != "forget"]
    classifier, known = after(trained("multinomial", [], sample=sample), learning, data)
    assert saved(classifier) == saved(trained("multinomial", sorted(known.elements()), sample=sample))


def made(sizes, seed=0):
    """Documents of classes with these sizes, with terms of their own and common ones."""
    random = np.random.default_rng(seed)
    return [
        (f"{' '.join(map(str, random.integers(0, 60, 5)))} own{k}-{random.integers(9)}", f"class{k:03}")
        for k, size in enumerate(sizes)
        for _ in range(size)
    ]


@pytest.mark.parametrize("model", ["multinomial", "complement"])
@pytest.mark.parametrize(
    ("sizes", "more"),
    [
        ([30] + [4] * 99, [("1 2 own0-3", "class000")]),  # one more in the largest of 100 classes
        ([1400, 1400], [("1 2 3 of its own", "new")]),  # a class of one document that comes and goes
        ([1500, 20], [("1 2 3 own0-1", "class000"), ("4 5", "class001")]),
    ],
    ids=["426 documents in 100 classes", "a new class beside 2,800 documents", "1,520 documents"],
)
def test_documents_that_come_and_go_leave_no_trace(model, sizes, more):
    corpus = made(sizes)
    classifier = trained(model, corpus)
    before = saved(classifier)
    between = saved(classifier.update(*columns(more)))
    assert between == saved(trained(model, corpus + more))
    assert between != before
    assert saved(classifier.forget(*columns(more))) == before
    assert saved(trained(model, corpus + more).forget(*columns(corpus))) == saved(trained(model, more))


def test_parts_merge_in_any_order_into_the_whole_where_only_some_documents_calibrate():
    corpus = made([2000, 1500, 3])
    first, second, third = (trained("multinomial", corpus[part::3]) for part in range(3))
    whole = saved(trained("multinomial", corpus))
    assert saved(reloaded(third).merge(first).merge(second)) == whole
    assert saved(reloaded(second).merge(third).merge(first)) == whole
    assert saved(reloaded(first).merge(reloaded(second).merge(third))) == whole
